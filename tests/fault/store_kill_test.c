/* SPDX-License-Identifier: Apache-2.0 */
/* Sixteen writers, of which one after the other is killed and started again, and readers meanwhile. What a put has
 * answered is there for ever; each write is seen whole or not at all. For 3 seconds, or STEELYARD_KILL_SECONDS. */
#include "cmocka_headers.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "store_files.h"

enum { WRITERS = 16, READERS = 2, KEYS = 4, SIDES = 2 };

/* Of each key the number that a put has answered last, and the one that is under way. A write puts both sides of a key
 * with the same number. */
typedef struct tidings {
    atomic_uint begun[WRITERS][KEYS];
    atomic_uint answered[WRITERS][KEYS];
    atomic_ulong pictures;
    atomic_bool stop;
    atomic_bool wrong;
    char what[300];
} tidings;

static tidings *told;

static void tell_wrong(const char *what)
{
    if (!atomic_exchange(&told->wrong, true)) {
        snprintf(told->what, sizeof told->what, "%s", what);
    }
}

static sy_profile_key key_of(char text[32], uint32_t writer, uint32_t key, uint32_t side)
{
    snprintf(text, 32, "writer %u, key %u", writer, key);
    return exact_key(text, side + 1);
}

static sy_status put_both_sides(sy_store *store, uint32_t writer, uint32_t key, unsigned number, sy_error *err)
{
    char text[32];
    char digits[16];
    snprintf(digits, sizeof digits, "%u", number);
    policy_text policy = {digits, strlen(digits), 0};
    sy_profile_put puts[SIDES];
    for (uint32_t side = 0; side < SIDES; side++) {
        puts[side] = (sy_profile_put){SY_PROFILE_DRAFT_INIT, serialize_text, NULL, &policy};
        puts[side].draft.key = key_of(text, writer, key, side);
    }
    return sy_store_put_many(store, puts, SIDES, NULL, err);
}

static void write_on(const char *path, uint32_t writer)
{
    sy_store *store = open_memory(path);
    for (uint32_t turn = 0;; turn++) {
        uint32_t key = turn % KEYS;
        unsigned number = atomic_load(&told->begun[writer][key]) + 1;
        sy_error err = SY_ERROR_INIT;
        atomic_store(&told->begun[writer][key], number);
        if (put_both_sides(store, writer, key, number, &err) != SY_OK) {
            tell_wrong(err.what);
            _exit(1);
        }
        atomic_store(&told->answered[writer][key], number);
    }
}

/* The number that is stored for a key; 0 = none. */
static unsigned number_of(sy_store *store, uint32_t writer, uint32_t key, uint32_t side)
{
    char text[32];
    sy_profile_view view;
    sy_profile_key asked = key_of(text, writer, key, side);
    if (sy_store_find(store, &asked, SY_PROFILE_CALIBRATED, &view, NULL) != SY_OK) {
        return 0;
    }
    return (unsigned)strtoul(view.profile->policy, NULL, 10);
}

/* Only this thread reloads: all its questions between two reloads are put to one picture. */
static void check_picture(sy_store *store, unsigned answered[WRITERS][KEYS])
{
    for (uint32_t w = 0; w < WRITERS; w++) {
        for (uint32_t k = 0; k < KEYS; k++) {
            unsigned left = number_of(store, w, k, 0);
            if (left != number_of(store, w, k, 1)) {
                tell_wrong("half of a write was seen");
            }
            if (left < answered[w][k] || left > atomic_load(&told->begun[w][k])) {
                tell_wrong(left < answered[w][k] ? "a put that was answered is gone" : "a number that nobody put");
            }
        }
    }
}

static void read_on(const char *path)
{
    sy_store *store = open_memory(path);
    sy_error err = SY_ERROR_INIT;
    while (!atomic_load(&told->stop) && !atomic_load(&told->wrong)) {
        unsigned answered[WRITERS][KEYS];
        for (uint32_t w = 0; w < WRITERS; w++) {
            for (uint32_t k = 0; k < KEYS; k++) {
                answered[w][k] = atomic_load(&told->answered[w][k]);
            }
        }
        if (sy_store_reload(store, &err) != SY_OK) {
            tell_wrong(err.what);
        }
        check_picture(store, answered);
        atomic_fetch_add(&told->pictures, 1);
    }
    sy_store_close(store);
    _exit(0);
}

static pid_t start(void (*run)(const char *path, uint32_t writer), const char *path, uint32_t writer)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (run == NULL) {
            read_on(path);
        }
        run(path, writer);
        _exit(0);
    }
    return child;
}

static void kill_and_wait(pid_t child, int signal_number)
{
    int status;
    assert_int_equal(kill(child, signal_number), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(atomic_load(&told->wrong) || (WIFSIGNALED(status) && WTERMSIG(status) == signal_number));
}

static double seconds_since(const struct timespec *begin)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - begin->tv_sec) + (double)(now.tv_nsec - begin->tv_nsec) * 1e-9;
}

static double seconds_to_run(void)
{
    const char *asked = getenv("STEELYARD_KILL_SECONDS");
    double seconds = asked == NULL ? 3 : strtod(asked, NULL);
    assert_true(seconds > 0 && seconds <= 3600);
    return seconds;
}

static void check_what_is_left(void **state, const char *path, unsigned kills)
{
    sy_store *store = open_memory(path);
    unsigned long puts = 0;
    unsigned answered[WRITERS][KEYS];
    assert_int_equal(layer_of(store, 0).status, SY_OK);
    for (uint32_t w = 0; w < WRITERS; w++) {
        for (uint32_t k = 0; k < KEYS; k++) {
            answered[w][k] = atomic_load(&told->answered[w][k]);
            puts += answered[w][k];
        }
    }
    check_picture(store, answered);
    put_exact(store, "survivor", 1, "x");
    sy_store_close(store);
    assert_int_equal(count_entries(*state), 2); /* the file and its lock: no leftovers */
    print_message("%u writers killed, %lu writes answered, %lu pictures looked at\n", kills, puts,
                  atomic_load(&told->pictures));
    assert_true(puts > WRITERS);
    assert_true(atomic_load(&told->pictures) > 10);
}

static void killed_writers_lose_nothing_that_was_answered(void **state)
{
    const char *path = strdup(in(state, "profiles"));
    pid_t writers[WRITERS];
    pid_t readers[READERS];
    told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(told != MAP_FAILED);
    for (uint32_t i = 0; i < WRITERS; i++) {
        writers[i] = start(write_on, path, i);
    }
    while (access(path, F_OK) != 0) {
        usleep(1000);
    }
    for (uint32_t i = 0; i < READERS; i++) {
        readers[i] = start(NULL, path, 0);
    }
    unsigned kills = 0;
    uint32_t state_of_chance = 1;
    struct timespec begin;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    while (seconds_since(&begin) < seconds_to_run() && !atomic_load(&told->wrong)) {
        state_of_chance = state_of_chance * 1664525u + 1013904223u;
        uint32_t victim = (state_of_chance >> 16) % WRITERS;
        usleep((state_of_chance >> 8) % 8000);
        kill_and_wait(writers[victim], SIGKILL);
        writers[victim] = start(write_on, path, victim);
        kills++;
    }
    for (uint32_t i = 0; i < WRITERS; i++) {
        kill_and_wait(writers[i], SIGKILL);
    }
    atomic_store(&told->stop, true);
    for (uint32_t i = 0; i < READERS; i++) {
        int status;
        assert_int_equal(waitpid(readers[i], &status, 0), readers[i]);
        assert_int_equal(status, 0);
    }
    check_what_is_left(state, path, kills);
    if (atomic_load(&told->wrong)) {
        fail_msg("%s", told->what);
    }
    munmap(told, sizeof *told);
    free((char *)path);
}

int main(void)
{
    prefer_memory_folder();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(killed_writers_lose_nothing_that_was_answered, make_temporary_folder,
                                        remove_temporary_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
