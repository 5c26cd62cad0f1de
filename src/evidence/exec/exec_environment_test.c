/* SPDX-License-Identifier: Apache-2.0 */
/* What a command sees and what is recorded of it; figures of the host's memory from recorded trees. */
#include "evidence/exec/exec_environment.h"

#include "cmocka_headers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "evidence/exec/exec_memory.h"
#include "temporary_folder.h"

static const char *const available[] = {"PATH=/usr/bin:/srv/people/ann/bin",
                                        "HOME=/srv/people/ann",
                                        "USER=ann",
                                        "LC_TIME=C",
                                        "OMP_NUM_THREADS=2",
                                        "OMP_DISPLAY_ENV=true",
                                        "GITHUB_TOKEN=abcdef0123456789",
                                        "SECRET_SAUCE=ketchup-and-more",
                                        "EDITOR=vi",
                                        "BENCH_ROOT=/srv/people/ann/data",
                                        "OMP_NUM_THREADS=4",
                                        "STEELYARD_LEASES=/srv/leases",
                                        NULL};

static void join(const char *const *variables, size_t count, char *to, size_t size)
{
    size_t length = 0;
    to[0] = '\0';
    for (size_t i = 0; i < count; i++)
        length += (size_t)snprintf(to + length, size - length, "%s|", variables[i]);
}

static void only_what_is_allowed_or_asked_for_reaches_a_command(void **state)
{
    (void)state;
    sy_arena *arena = sy_arena_create(0);
    static const char *const required[] = {"BENCH_ROOT"};
    static const char *const more[] = {"MODE=fast", "EDITOR", "TZ=UTC"};
    static const char *const assigned[] = {"MODE=exact", NULL};
    sy_exec_wishes wishes = {available, required, 1, more, 3, assigned};
    const char **variables = NULL;
    size_t count = 0;
    char found[1024];
    assert_int_equal(sy_exec_environment(arena, &wishes, &variables, &count, NULL), SY_OK);
    join(variables, count, found, sizeof(found));
    assert_string_equal(found, "BENCH_ROOT=/srv/people/ann/data|EDITOR=vi|HOME=/srv/people/ann|LC_TIME=C|MODE=exact|"
                               "OMP_NUM_THREADS=2|PATH=/usr/bin:/srv/people/ann/bin|STEELYARD_LEASES=/srv/leases|"
                               "TZ=UTC|USER=ann|");
    assert_null(variables[count]);
    assert_null(variables[count + SY_EXEC_OWN_VARIABLES]);
    sy_arena_destroy(arena);
}

static void what_is_missing_or_no_name_is_refused(void **state)
{
    (void)state;
    sy_arena *arena = sy_arena_create(0);
    static const char *const required[] = {"BENCH_DATA"};
    static const char *const given[] = {"BENCH_DATA=/data"};
    static const char *const wrong[] = {"=x", "NOT_SET_ANYWHERE", "STEELYARD_RUN_FD=9"};
    const char **variables = NULL;
    size_t count = 0;
    sy_error err = SY_ERROR_INIT;
    sy_exec_wishes wishes = {.available = available, .required = required, .required_count = 1};
    assert_int_equal(sy_exec_environment(arena, &wishes, &variables, &count, &err), SY_UNAVAILABLE);
    assert_string_equal(err.what, "the gate needs the variable 'BENCH_DATA', which is not set");
    wishes.more = given;
    wishes.more_count = 1;
    assert_int_equal(sy_exec_environment(arena, &wishes, &variables, &count, &err), SY_OK);
    for (size_t i = 0; i < 3; i++) {
        wishes.more = wrong + i;
        assert_int_equal(sy_exec_environment(arena, &wishes, &variables, &count, &err), SY_INVALID_ARGUMENT);
    }
    wishes = (sy_exec_wishes){0};
    assert_int_equal(sy_exec_environment(arena, &wishes, &variables, &count, &err), SY_OK);
    assert_int_equal(count, 0);
    sy_arena_destroy(arena);
}

static void what_is_recorded_names_nobody_and_tells_no_secret(void **state)
{
    (void)state;
    sy_exec_cleaner cleaner = {.arena = sy_arena_create(0)};
    static const char *const seen[] = {"GITHUB_TOKEN=abcdef0123456789",
                                       "HOME=/srv/people/ann",
                                       "PATH=/usr/bin:/srv/people/ann/bin:/srv/people/annabel/bin:/home/bob/bin",
                                       "USER=ann",
                                       "MODE=with abcdef0123456789 inside",
                                       NULL};
    assert_true(sy_exec_cleaner_learn(&cleaner, seen));
    size_t count = 0;
    const sy_named_text *recorded = sy_exec_environment_record(&cleaner, seen, 5, &count);
    assert_non_null(recorded);
    assert_int_equal(count, 3);
    assert_string_equal(recorded[0].name, "GITHUB_TOKEN");
    assert_string_equal(recorded[0].value, "[secret]");
    assert_string_equal(recorded[1].value, "/usr/bin:~/bin:/srv/people/annabel/bin:~/bin");
    assert_string_equal(recorded[2].value, "with [secret] inside");
    static const char *const argv[] = {"./bench",          "--token",           "xyz", "--data=/srv/people/ann/x",
                                       "abcdef0123456789", "--password=hunter2"};
    const char *const *shown = sy_exec_clean_arguments(&cleaner, argv, 6);
    assert_non_null(shown);
    assert_string_equal(shown[0], "./bench");
    assert_string_equal(shown[1], "--token");
    assert_string_equal(shown[2], "[secret]");
    assert_string_equal(shown[3], "--data=~/x");
    assert_string_equal(shown[4], "[secret]");
    assert_null(strstr(shown[5], "hunter2"));
    assert_string_equal(sy_exec_clean(&cleaner, NULL), "");
    assert_string_equal(sy_exec_clean(&cleaner, "at /srv/people/ann"), "at ~");
    assert_string_equal(sy_exec_clean(&cleaner, "-I/srv/people/ann/x file:///srv/people/ann/y:/srv/people/ann"),
                        "-I~/x file://~/y:~");
    assert_string_equal(sy_exec_clean(&cleaner, "/mnt/srv/people/ann/x"), "/mnt/srv/people/ann/x");
    sy_arena_destroy(cleaner.arena);
}

static void put_file(const char *root, const char *path, const char *text)
{
    char whole[600];
    snprintf(whole, sizeof(whole), "%s/%s", root, path);
    for (char *slash = strchr(whole + strlen(root) + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(whole, 0700);
        *slash = '/';
    }
    FILE *file = fopen(whole, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void swap_and_pressure_are_what_happened_between(void **state)
{
    const char *root = *state;
    sy_clock_manual clock;
    char line[64];
    sy_clock_manual_start(&clock, 5000, 0);
    sy_exec_pressure nothing = sy_exec_pressure_now(root, &clock.clock);
    assert_false(nothing.swap_known || nothing.stall_known);
    put_file(root, "proc/vmstat", "nr_free_pages 7\npswpin 10\npswpout 20\n");
    put_file(root, "proc/pressure/memory",
             "some avg10=0.00 avg60=0.00 avg300=0.00 total=1000\n"
             "full avg10=0.00 avg60=0.00 avg300=0.00 total=900\n");
    sy_exec_pressure before = sy_exec_pressure_now(root, &clock.clock);
    sy_clock_manual_advance(&clock, 1000000000);
    snprintf(line, sizeof(line), "pswpin 11\npswpout 22\n");
    put_file(root, "proc/vmstat", line);
    put_file(root, "proc/pressure/memory", "some avg10=0.00 avg60=0.00 avg300=0.00 total=251000\n");
    sy_exec_pressure after = sy_exec_pressure_now(root, &clock.clock);
    assert_true(sy_exec_swap_between(&before, &after) == 3.0 * (double)sysconf(_SC_PAGESIZE));
    assert_true(sy_exec_pressure_between(&before, &after) == 0.25);
    assert_true(isnan(sy_exec_swap_between(&nothing, &after)));
    assert_true(isnan(sy_exec_pressure_between(&nothing, &after)));
    assert_true(isnan(sy_exec_swap_between(&after, &before)));
}

static void the_smallest_limit_of_the_groups_counts(void **state)
{
    const char *root = *state;
    assert_int_equal(sy_exec_memory_limit(root), 0);
    put_file(root, "proc/self/cgroup", "0::/a/b\n");
    put_file(root, "proc/meminfo", "MemTotal:       1000000 kB\nMemFree: 1 kB\n");
    put_file(root, "sys/fs/cgroup/a/b/memory.max", "max\n");
    assert_int_equal(sy_exec_memory_limit(root), 0);
    put_file(root, "sys/fs/cgroup/a/memory.max", "500000000\n");
    assert_int_equal(sy_exec_memory_limit(root), 500000000);
    put_file(root, "sys/fs/cgroup/memory.max", "400000000\n");
    assert_int_equal(sy_exec_memory_limit(root), 400000000);
    put_file(root, "proc/meminfo", "MemTotal:       1000 kB\n"); /* a limit above what there is limits nothing */
    assert_int_equal(sy_exec_memory_limit(root), 0);
}

int main(void)
{
#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_temporary_folder, remove_temporary_folder)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_is_allowed_or_asked_for_reaches_a_command),
        cmocka_unit_test(what_is_missing_or_no_name_is_refused),
        cmocka_unit_test(what_is_recorded_names_nobody_and_tells_no_secret),
        IN_A_FOLDER(swap_and_pressure_are_what_happened_between),
        IN_A_FOLDER(the_smallest_limit_of_the_groups_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
