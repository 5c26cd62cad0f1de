/* SPDX-License-Identifier: Apache-2.0 */
/* Readers look at a store's file all the while its writers fail with every errno, or die, at every system call: each
 * picture is the old one or the new one. Also where the file cannot be replaced (EBUSY, EXDEV) and is written in place.
 */
#include "cmocka_headers.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/fault.h"
#include "base/memory.h"
#include "store_actions.h"

/* What the readers tell, in memory that is shared with them. */
typedef struct tidings {
    atomic_bool stop;
    atomic_ulong readings; /* of bytes */
    atomic_ulong pictures; /* of open stores */
    atomic_ulong new_ones; /* of both */
    atomic_bool wrong;
    char what[400];
} tidings;

/* One way of changing the file, between two versions of it. */
typedef struct scene {
    void **state;
    const action *a;
    int refused; /* errno of a rename onto the file; 0 = it is an ordinary file */
    const char *path;
    char *bytes[2]; /* old, new */
    uint8_t pictures[2][32];
    tidings *told;
    pid_t readers[2];
} scene;

static void digest_of(sy_store *store, uint8_t digest[32])
{
    assert_int_equal(sy_store_digest(store, NULL, 0, digest, NULL), SY_OK);
}

static void put_three(const char *path)
{
    sy_store *store = open_memory(path);
    put_exact(store, "p", 1, "one");
    put_exact(store, "p", 2, "two");
    put_exact(store, "p", 3, "three");
    sy_store_close(store);
}

/* The digest of what is in the file, as somebody sees it who opens it. */
static void learn_picture(const char *path, uint8_t digest[32])
{
    sy_store *store = open_memory(path);
    digest_of(store, digest);
    sy_store_close(store);
}

static void learn(scene *s)
{
    empty_folder(*s->state);
    put_three(s->path);
    s->bytes[0] = read_file(s->path);
    if (s->a->damaged_before) {
        *strstr(s->bytes[0], "two") = 'T';
        write_file(s->path, s->bytes[0]);
    }
    learn_picture(s->path, s->pictures[0]);
    sy_store *store = open_memory(s->path);
    assert_int_equal(s->a->act(store, s->path, NULL), SY_OK);
    sy_store_close(store);
    s->bytes[1] = read_file(s->path);
    learn_picture(s->path, s->pictures[1]);
    assert_string_not_equal(s->bytes[0], s->bytes[1]);
}

/* What repairs kept aside: a hundred names within one second are the most that there are. */
static void remove_kept_aside(const char *folder)
{
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        if (strstr(entry->d_name, ".corrupt-") != NULL) {
            (void)unlinkat(dirfd(entries), entry->d_name, 0);
        }
    }
    closedir(entries);
}

/* The old file again, for readers in one step. */
static void restore(scene *s)
{
    char path[512];
    remove_kept_aside(*s->state);
    snprintf(path, sizeof path, "%s.steelyard-journal", s->path);
    assert_int_equal(sy_file_recover(s->path, NULL), SY_OK);
    assert_int_not_equal(access(path, F_OK), 0);
    snprintf(path, sizeof path, "%s/restored", (const char *)*s->state);
    write_file(path, s->bytes[0]);
    assert_int_equal(rename(path, s->path), 0);
}

static void tell_wrong(scene *s, const char *what, const char *more)
{
    if (!atomic_exchange(&s->told->wrong, true)) {
        snprintf(s->told->what, sizeof s->told->what, "%s: %s", what, more);
    }
}

static void read_bytes(scene *s)
{
    char *bytes;
    size_t size;
    sy_error err = SY_ERROR_INIT;
    if (sy_file_read(s->path, 0, &bytes, &size, &err) != SY_OK) {
        tell_wrong(s, "neither", err.what);
        return;
    }
    bool is_new = strcmp(bytes, s->bytes[1]) == 0;
    if (!is_new && strcmp(bytes, s->bytes[0]) != 0) {
        tell_wrong(s, "a mixture", bytes);
    }
    atomic_fetch_add(&s->told->readings, 1);
    atomic_fetch_add(&s->told->new_ones, is_new);
    sy_free(bytes);
}

static void read_picture(scene *s, sy_store *store)
{
    uint8_t found[32];
    sy_error err = SY_ERROR_INIT;
    sy_status status = sy_store_reload(store, &err);
    if (status != SY_OK && !(status == SY_CORRUPT && s->a->damaged_before)) {
        tell_wrong(s, "not read", err.what);
        return;
    }
    if (sy_store_digest(store, NULL, 0, found, NULL) != SY_OK) {
        tell_wrong(s, "no digest", "");
        return;
    }
    bool is_new = memcmp(found, s->pictures[1], sizeof found) == 0;
    if (!is_new && memcmp(found, s->pictures[0], sizeof found) != 0) {
        tell_wrong(s, "a picture of something else", s->a->name);
    }
    atomic_fetch_add(&s->told->pictures, 1);
    atomic_fetch_add(&s->told->new_ones, is_new);
}

static void start_readers(scene *s)
{
    s->told = mmap(NULL, sizeof *s->told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(s->told != MAP_FAILED);
    for (int i = 0; i < 2; i++) {
        s->readers[i] = fork();
        assert_true(s->readers[i] >= 0);
        if (s->readers[i] == 0) {
            sy_store *store = open_memory(s->path);
            while (!atomic_load(&s->told->stop) && !atomic_load(&s->told->wrong)) {
                if (i == 0) {
                    read_bytes(s);
                } else {
                    read_picture(s, store);
                }
            }
            sy_store_close(store);
            _exit(0);
        }
    }
}

/* Both readers have looked since; they cannot be asked to look at every moment. */
static void let_readers_look(const scene *s)
{
    unsigned long readings = atomic_load(&s->told->readings);
    unsigned long pictures = atomic_load(&s->told->pictures);
    while (!atomic_load(&s->told->wrong) &&
           (atomic_load(&s->told->readings) < readings + 2 || atomic_load(&s->told->pictures) < pictures + 2)) {
        usleep(50);
    }
}

static void end_readers(scene *s)
{
    let_readers_look(s);
    atomic_store(&s->told->stop, true);
    for (int i = 0; i < 2; i++) {
        int status;
        assert_int_equal(waitpid(s->readers[i], &status, 0), s->readers[i]);
        assert_int_equal(status, 0);
    }
    if (atomic_load(&s->told->wrong)) {
        fail_msg("%s: a reader saw %s", s->a->name, s->told->what);
    }
    assert_true(atomic_load(&s->told->new_ones) > 0);
    assert_true(atomic_load(&s->told->new_ones) < atomic_load(&s->told->readings) + atomic_load(&s->told->pictures));
    munmap(s->told, sizeof *s->told);
    sy_free(s->bytes[0]);
    sy_free(s->bytes[1]);
}

/* The action with its n-th system call failing, or (error 0) the process killed there. Returns whether there was an
 * n-th call. */
static bool act_with_fault(scene *s, uint64_t n, int error)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        sy_store *store = open_memory(s->path);
        sy_fault_reset();
        sy_fault_refuse_rename(s->refused == 0 ? NULL : s->path, s->refused);
        if (error == 0) {
            sy_fault_kill_at_system_call(n);
        } else {
            sy_fault_fail_system_call(n, error, true);
        }
        (void)!s->a->act(store, s->path, NULL);
        _exit(sy_fault_system_calls() >= n ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(error == 0 || WIFEXITED(status));
    return WIFSIGNALED(status) || WEXITSTATUS(status) == 0;
}

/* Each call fails with each errno once in as many passes as there are; two of them, shifted from action to action,
 * unless STEELYARD_ALL_FAULTS asks for all. */
static void watch_all_actions(void **state, int refused, const int *errors, size_t error_count)
{
    for (size_t i = 0; i < ACTION_COUNT; i++) {
        scene s = {.state = state, .a = &actions[i], .refused = refused, .path = strdup(in(state, "profiles"))};
        learn(&s);
        restore(&s);
        start_readers(&s);
        size_t passes = getenv("STEELYARD_ALL_FAULTS") != NULL || error_count < 3 ? error_count : 2;
        for (size_t pass = 0; pass < passes; pass++) {
            uint64_t n = 1;
            while (act_with_fault(&s, n, errors[(n + i + pass) % error_count]) && !atomic_load(&s.told->wrong)) {
                let_readers_look(&s);
                restore(&s);
                n++;
            }
            assert_true(n > 10 || atomic_load(&s.told->wrong));
            let_readers_look(&s); /* what nothing disturbed */
            restore(&s);
        }
        end_readers(&s);
        free((char *)s.path);
    }
}

static void readers_see_old_or_new_while_writers_die_at_every_call(void **state)
{
    watch_all_actions(state, 0, (const int[]){0}, 1);
}

static void readers_see_old_or_new_while_every_call_fails_with_every_errno(void **state)
{
    static const int errors[] = {EIO, ENOSPC, EDQUOT, EROFS, EACCES, EPERM, ENOENT, EMFILE, EBUSY, EXDEV};
    watch_all_actions(state, 0, errors, sizeof errors / sizeof errors[0]);
}

static void readers_see_old_or_new_while_writers_in_place_die_at_every_call(void **state)
{
    watch_all_actions(state, EBUSY, (const int[]){0}, 1);
}

static void readers_see_old_or_new_while_every_call_of_a_write_in_place_fails(void **state)
{
    watch_all_actions(state, EXDEV, (const int[]){EIO, ENOSPC, EACCES}, 3);
}

int main(void)
{
    prefer_memory_folder();
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_temporary_folder, remove_temporary_folder)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(readers_see_old_or_new_while_writers_die_at_every_call),
        IN_FOLDER(readers_see_old_or_new_while_every_call_fails_with_every_errno),
        IN_FOLDER(readers_see_old_or_new_while_writers_in_place_die_at_every_call),
        IN_FOLDER(readers_see_old_or_new_while_every_call_of_a_write_in_place_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
