/* SPDX-License-Identifier: Apache-2.0 */
/* The lease of a device: one holder, numbers that only grow, dead and false holders, files that are traps. */
#include "evidence/lease/lease.h"

#include "cmocka_headers.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "evidence/lease/lease_file.h"
#include "fault_loop.h"
#include "temporary_folder.h"

#define MS UINT64_C(1000000)
#define LONG_NS (UINT64_C(60000) * MS) /* never reached unless something is broken */

static char leases[480];

static sy_lease_options options_for(void **state)
{
    sy_lease_options options = SY_LEASE_OPTIONS_INIT;
    snprintf(leases, sizeof(leases), "%s/leases", (const char *)*state);
    options.folder = leases;
    options.run = "20261129-120000-abcdef";
    options.project = "/home/somebody/project";
    return options;
}

static sy_lease *take(const sy_lease_options *options)
{
    sy_lease *lease = NULL;
    sy_error err = SY_ERROR_INIT;
    if (sy_lease_take(options, &lease, &err) != SY_OK)
        fail_msg("%s", err.what);
    return lease;
}

static uint64_t take_and_give_back(const sy_lease_options *options)
{
    sy_lease *lease = take(options);
    uint64_t fence = sy_lease_event(lease).fence;
    sy_lease_release(lease);
    return fence;
}

/* A child that holds the lease until it is killed. user: 0 = the same one. */
static pid_t start_holder(const sy_lease_options *options, uid_t user, uint64_t *ret_fence)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        sy_lease *lease = NULL;
        uint64_t fence = 0;
        if (user != 0 && setuid(user) != 0)
            _exit(1);
        if (sy_lease_take(options, &lease, NULL) == SY_OK)
            fence = sy_lease_event(lease).fence;
        if (write(ends[1], &fence, sizeof(fence)) != sizeof(fence))
            _exit(1);
        for (;;)
            pause();
    }
    uint64_t fence = 0;
    assert_int_equal(read(ends[0], &fence, sizeof(fence)), sizeof(fence));
    assert_true(fence != 0);
    close(ends[0]);
    close(ends[1]);
    if (ret_fence != NULL)
        *ret_fence = fence;
    return child;
}

static void end_holder(pid_t child)
{
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void a_device_has_one_holder_who_is_named(void **state)
{
    sy_lease_options options = options_for(state);
    sy_lease_options other = options;
    sy_lease *lease = take(&options);
    sy_lease *second = NULL;
    sy_error err = SY_ERROR_INIT;
    char expected[128];
    other.run = "20261129-130000-fedcba";
    other.project = "/home/another/project";
    assert_int_equal(sy_lease_take(&other, &second, &err), SY_BUSY);
    assert_null(second);
    snprintf(expected, sizeof(expected), "device 'cpu' is held by run 20261129-120000-abcdef (process %d) since 20",
             (int)getpid());
    assert_true(sy_text_begins(err.what, expected));
    assert_true(sy_lease_is_held(lease));
    other.device = "ggml:Vulkan0";
    second = take(&other); /* another device is free */
    sy_lease_release(second);
    sy_lease_release(lease);
    sy_lease_release(NULL);
}

static void the_number_grows_with_every_holder(void **state)
{
    sy_lease_options options = options_for(state);
    uint64_t before = 0;
    for (int i = 0; i < 20; i++) {
        uint64_t fence = take_and_give_back(&options);
        assert_true(fence > before);
        before = fence;
    }
    /* The clock was set back by an hour: the file knows better. */
    sy_clock_manual clock;
    sy_clock_manual_start(&clock, 0, 1000);
    options.clock = &clock.clock;
    uint64_t fence = take_and_give_back(&options);
    assert_int_equal(fence, before + 1);
    /* The file was lost as well, and the ledger knows better. */
    empty_folder(leases);
    options.above_fence = fence;
    assert_int_equal(take_and_give_back(&options), fence + 1);
}

static void a_lost_or_damaged_file_does_not_make_the_number_go_back(void **state)
{
    sy_lease_options options = options_for(state);
    char path[600];
    uint64_t fence = take_and_give_back(&options);
    snprintf(path, sizeof(path), "%s/cpu.lease", leases);
    assert_int_equal(unlink(path), 0);
    uint64_t second = take_and_give_back(&options);
    assert_true(second > fence);
    static const char *const damages[] = {"", "{\"fence\":1", "\xff\xfe", "{\"fence\":-5}", "[]"};
    for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
        int fd = open(path, O_WRONLY | O_TRUNC);
        assert_true(fd >= 0);
        assert_int_equal(write(fd, damages[i], strlen(damages[i])), (ssize_t)strlen(damages[i]));
        close(fd);
        uint64_t next = take_and_give_back(&options);
        assert_true(next > second);
        second = next;
    }
}

static void a_killed_holder_holds_nothing_and_its_number_stays_behind(void **state)
{
    sy_lease_options options = options_for(state);
    uint64_t fence = 0;
    sy_lease *lease = NULL;
    pid_t holder = start_holder(&options, 0, &fence);
    assert_int_equal(sy_lease_take(&options, &lease, NULL), SY_BUSY);
    end_holder(holder);
    lease = take(&options); /* at once: one try */
    assert_true(sy_lease_event(lease).fence > fence);
    sy_lease_release(lease);
}

static void who_waits_gets_it_when_the_holder_dies(void **state)
{
    sy_lease_options options = options_for(state);
    uint64_t fence = 0;
    pid_t holder = start_holder(&options, 0, &fence);
    pid_t killer = fork();
    if (killer == 0) {
        sy_clock_system.sleep_ns(&sy_clock_system, 30 * MS);
        _exit(kill(holder, SIGKILL) == 0 ? 0 : 1);
    }
    options.wait_ns = LONG_NS;
    sy_lease *lease = take(&options);
    assert_true(sy_lease_event(lease).fence > fence);
    assert_true(sy_lease_is_held(lease));
    sy_lease_release(lease);
    assert_int_equal(waitpid(killer, NULL, 0), killer);
    assert_int_equal(waitpid(holder, NULL, 0), holder);
}

static bool says_yes(void *user)
{
    ++*(int *)user;
    return true;
}

static void waiting_ends_when_it_is_cancelled_or_takes_too_long(void **state)
{
    sy_lease_options options = options_for(state);
    int asked = 0;
    sy_lease *lease = NULL;
    pid_t holder = start_holder(&options, 0, NULL);
    options.wait_ns = 3 * MS;
    assert_int_equal(sy_lease_take(&options, &lease, NULL), SY_BUSY);
    options.wait_ns = LONG_NS;
    options.cancelled = says_yes;
    options.user = &asked;
    assert_int_equal(sy_lease_take(&options, &lease, NULL), SY_INTERRUPTED);
    assert_int_equal(asked, 1);
    assert_null(lease);
    end_holder(holder);
}

static void a_lease_whose_file_was_removed_or_taken_over_is_not_held(void **state)
{
    sy_lease_options options = options_for(state);
    char path[600];
    char aside[600];
    options_for(state);
    snprintf(path, sizeof(path), "%s/cpu.lease", leases);
    snprintf(aside, sizeof(aside), "%s/aside", (const char *)*state);
    sy_lease *lease = take(&options);
    assert_int_equal(unlink(path), 0);
    assert_false(sy_lease_is_held(lease));
    assert_int_equal(sy_lease_extend(lease, INT64_C(1) << 40, NULL), SY_REFUSED);
    sy_lease *second = take(&options); /* excludes nobody: that is why the first may not say that it holds */
    assert_true(sy_lease_is_held(second));
    assert_true(sy_lease_event(second).fence > sy_lease_event(lease).fence);
    sy_lease_release(lease);
    assert_true(sy_lease_is_held(second)); /* the late release of the first touched nothing */
    /* Somebody writes another number into it. */
    sy_arena *arena = sy_arena_create(0);
    sy_lease_record record;
    int fd = open(path, O_RDWR);
    assert_true(sy_lease_record_read(fd, arena, &record));
    record.fence++;
    assert_int_equal(sy_lease_record_write(fd, &record, NULL), SY_OK);
    close(fd);
    sy_arena_destroy(arena);
    assert_false(sy_lease_is_held(second));
    sy_lease_release(second);
    /* The whole folder is exchanged. */
    lease = take(&options);
    assert_int_equal(rename(leases, aside), 0);
    assert_false(sy_lease_is_held(lease));
    assert_int_equal(mkdir(leases, 0700), 0);
    assert_false(sy_lease_is_held(lease));
    sy_lease_release(lease);
}

static void more_time_is_said_in_the_file(void **state)
{
    sy_lease_options options = options_for(state);
    sy_clock_manual clock;
    sy_clock_manual_start(&clock, 0, 1000000);
    options.clock = &clock.clock;
    options.hold_s = 60;
    sy_lease *lease = take(&options);
    sy_run_lease event = sy_lease_event(lease);
    assert_int_equal(event.until_utc_s, 1000060);
    assert_int_equal(event.process, getpid());
    assert_string_equal(event.device, "cpu");
    assert_int_equal(strlen(event.boot), 36);
    assert_true(strlen(event.host) > 0);
    assert_int_equal(sy_lease_extend(lease, 2000000, NULL), SY_OK);
    assert_int_equal(sy_lease_event(lease).until_utc_s, 2000000);
    assert_int_equal(sy_lease_event(lease).fence, event.fence);
    assert_true(sy_lease_is_held(lease));
    sy_device_lease_list *list = NULL;
    assert_int_equal(sy_device_leases(leases, &list, NULL), SY_OK);
    assert_int_equal(list->lease_count, 1);
    assert_int_equal(list->leases[0].since_utc_s, 1000000);
    assert_int_equal(list->leases[0].until_utc_s, 2000000);
    sy_device_lease_list_destroy(list);
    sy_lease_release(lease);
}

static void people_see_who_holds_what_and_nothing_private(void **state)
{
    sy_lease_options options = options_for(state);
    sy_device_lease_list *list = NULL;
    assert_int_equal(sy_device_leases(leases, &list, NULL), SY_OK);
    assert_int_equal(list->lease_count, 0);
    assert_string_equal(list->folder, "");
    sy_device_lease_list_destroy(list);
    pid_t holder = start_holder(&options, 0, NULL);
    options.device = "ggml:Vulkan0";
    options.run = "";
    (void)take_and_give_back(&options);
    options.device =
        "/dev/../../a device with a name that is longer than what a file's name can hold, which goes by its "
        "digest instead";
    pid_t dead = start_holder(&options, 0, NULL);
    end_holder(dead);
    assert_int_equal(sy_device_leases(leases, &list, NULL), SY_OK);
    assert_int_equal(list->lease_count, 3);
    assert_string_equal(list->folder, leases);
    assert_true(sy_text_begins(list->leases[0].device, "/dev/../../a device"));
    assert_false(list->leases[0].held); /* its holder was killed */
    assert_int_equal(list->leases[0].process, dead);
    const sy_device_lease *cpu = &list->leases[1];
    assert_string_equal(cpu->device, "cpu");
    assert_true(cpu->held);
    assert_int_equal(cpu->process, holder);
    assert_int_equal(cpu->user, geteuid());
    assert_string_equal(cpu->run, "20261129-120000-abcdef");
    assert_int_equal(strlen(cpu->project), 64);
    assert_true(cpu->since_utc_s > 1700000000 && cpu->until_utc_s == cpu->since_utc_s + SY_LEASE_HOLD_S);
    assert_false(cpu->of_another_boot);
    assert_string_equal(list->leases[2].device, "ggml:Vulkan0");
    assert_false(list->leases[2].held);
    assert_int_equal(list->leases[2].process, 0);
    sy_device_lease_list_destroy(list);
    sy_device_lease_list_destroy(NULL);
    end_holder(holder);
}

static void expect_refused(const sy_lease_options *options, const char *what)
{
    sy_lease *lease = NULL;
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(sy_lease_take(options, &lease, &err), SY_REFUSED);
    assert_non_null(strstr(err.what, what));
    assert_null(lease);
}

static void links_and_other_traps_are_refused_and_untouched(void **state)
{
    sy_lease_options options = options_for(state);
    char victim[600];
    char path[600];
    char content[16] = "";
    snprintf(victim, sizeof(victim), "%s/victim", (const char *)*state);
    snprintf(path, sizeof(path), "%s/cpu.lease", leases);
    int fd = open(victim, O_RDWR | O_CREAT, 0600);
    assert_int_equal(write(fd, "precious", 8), 8);
    assert_int_equal(symlink((const char *)*state, leases), 0);
    expect_refused(&options, "is a link or no folder");
    assert_int_equal(unlink(leases), 0);
    assert_int_equal(mkdir(leases, 0700), 0);
    assert_int_equal(symlink(victim, path), 0);
    expect_refused(&options, "is a symbolic link");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(link(victim, path), 0);
    expect_refused(&options, "has a second name elsewhere");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    expect_refused(&options, "is no regular file"); /* and nobody waits for a writer */
    assert_int_equal(unlink(path), 0);
    assert_int_equal(chmod(leases, 0777), 0);
    expect_refused(&options, "everybody may remove what others made");
    assert_int_equal(pread(fd, content, sizeof(content), 0), 8);
    assert_string_equal(content, "precious");
    struct stat st;
    assert_int_equal(fstat(fd, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    close(fd);
}

static void the_folder_and_its_files_serve_every_user(void **state)
{
    sy_lease_options options = options_for(state);
    char path[600];
    struct stat st;
    mode_t former = umask(077);
    (void)take_and_give_back(&options);
    umask(former);
    snprintf(path, sizeof(path), "%s/cpu.lease", leases);
    assert_int_equal(stat(leases, &st), 0);
    assert_int_equal(st.st_mode & 07777, 01777);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0666);
    assert_int_equal(count_entries(*state), 1); /* no half-made folder is left */
    assert_int_equal(chmod(path, 0600), 0);     /* its maker was stopped before it was open to all */
    (void)take_and_give_back(&options);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0666);
    if (geteuid() != 0) {
        print_message("skipped: two users take turns (needs root)\n");
        return;
    }
    assert_int_equal(chmod(*state, 0755), 0);
    uint64_t before = take_and_give_back(&options);
    uint64_t fence = 0;
    sy_lease *lease = NULL;
    pid_t nobody = start_holder(&options, 65534, &fence);
    assert_true(fence > before);
    assert_int_equal(sy_lease_take(&options, &lease, NULL), SY_BUSY);
    sy_device_lease_list *list = NULL;
    assert_int_equal(sy_device_leases(leases, &list, NULL), SY_OK);
    assert_true(list->leases[0].held);
    assert_int_equal(list->leases[0].user, 65534);
    sy_device_lease_list_destroy(list);
    end_holder(nobody);
    assert_true(take_and_give_back(&options) > fence);
    /* The other way round: the folder and the file are the other user's. */
    empty_folder(leases);
    assert_int_equal(chown(leases, 65534, 65534), 0);
    end_holder(start_holder(&options, 65534, &fence));
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_uid, 65534);
    assert_true(take_and_give_back(&options) > fence);
}

#define TAKERS 6
#define TURNS 15

static void holders_exclude_each_other_and_each_has_a_number_of_its_own(void **state)
{
    sy_lease_options options = options_for(state);
    char counter[600];
    uint64_t last = 0;
    pid_t takers[TAKERS];
    snprintf(counter, sizeof(counter), "%s/counter", (const char *)*state);
    int fd = open(counter, O_RDWR | O_CREAT, 0600);
    assert_int_equal(pwrite(fd, &last, sizeof(last), 0), sizeof(last));
    options.wait_ns = LONG_NS;
    for (int t = 0; t < TAKERS; t++) {
        takers[t] = fork();
        for (int i = 0; takers[t] == 0 && i < TURNS; i++) {
            sy_lease *lease = NULL;
            if (sy_lease_take(&options, &lease, NULL) != SY_OK || pread(fd, &last, sizeof(last), 0) != sizeof(last))
                _exit(1);
            uint64_t fence = sy_lease_event(lease).fence;
            sy_clock_system.sleep_ns(&sy_clock_system, MS / 10); /* gives others the chance to come between */
            if (fence <= last || pwrite(fd, &fence, sizeof(fence), 0) != sizeof(fence) || !sy_lease_is_held(lease))
                _exit(2);
            sy_lease_release(lease);
        }
        if (takers[t] == 0)
            _exit(0);
    }
    for (int t = 0; t < TAKERS; t++) {
        int status = 0;
        assert_int_equal(waitpid(takers[t], &status, 0), takers[t]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    close(fd);
}

static void a_device_without_a_name_is_refused(void **state)
{
    sy_lease_options options = options_for(state);
    sy_lease *lease = NULL;
    char name[SY_LEASE_NAME_SIZE];
    options.device = "";
    assert_int_equal(sy_lease_take(&options, &lease, NULL), SY_INVALID_ARGUMENT);
    assert_int_equal(sy_lease_file_name("../../etc/passwd", name, NULL), SY_OK);
    assert_string_equal(name, "%2E%2E%2F%2E%2E%2Fetc%2Fpasswd.lease");
    assert_int_equal(sy_lease_file_name("cpu\n", name, NULL), SY_OK);
    assert_string_equal(name, "cpu%0A.lease");
}

static void failing_system_calls_and_allocations_leave_no_lease_behind(void **state)
{
    sy_lease_options options = options_for(state);
    int before = count_entries("/proc/self/fd");
    (void)take_and_give_back(&options);
    for (int kind = 0; kind < 2; kind++) {
        for (uint64_t n = 1;; n++) {
            sy_lease *lease = NULL;
            sy_fault_reset();
            if (kind == 0)
                sy_fault_fail_system_call(n, EIO, true);
            else
                sy_fault_fail_allocation(n, true);
            sy_status status = sy_lease_take(&options, &lease, NULL);
            bool reached = (kind == 0 ? sy_fault_system_calls() : sy_fault_allocations()) >= n;
            sy_fault_reset();
            if (status == SY_OK)
                sy_lease_release(lease);
            else
                assert_null(lease);
            assert_int_equal(count_entries("/proc/self/fd"), before);
            (void)take_and_give_back(&options);
            if (!reached)
                break;
        }
    }
}

int main(void)
{
#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_temporary_folder, remove_temporary_folder)
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(a_device_has_one_holder_who_is_named),
        IN_A_FOLDER(the_number_grows_with_every_holder),
        IN_A_FOLDER(a_lost_or_damaged_file_does_not_make_the_number_go_back),
        IN_A_FOLDER(a_killed_holder_holds_nothing_and_its_number_stays_behind),
        IN_A_FOLDER(who_waits_gets_it_when_the_holder_dies),
        IN_A_FOLDER(waiting_ends_when_it_is_cancelled_or_takes_too_long),
        IN_A_FOLDER(a_lease_whose_file_was_removed_or_taken_over_is_not_held),
        IN_A_FOLDER(more_time_is_said_in_the_file),
        IN_A_FOLDER(people_see_who_holds_what_and_nothing_private),
        IN_A_FOLDER(links_and_other_traps_are_refused_and_untouched),
        IN_A_FOLDER(the_folder_and_its_files_serve_every_user),
        IN_A_FOLDER(holders_exclude_each_other_and_each_has_a_number_of_its_own),
        IN_A_FOLDER(a_device_without_a_name_is_refused),
        IN_A_FOLDER(failing_system_calls_and_allocations_leave_no_lease_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
