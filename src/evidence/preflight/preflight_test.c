/* SPDX-License-Identifier: Apache-2.0 */
/* Typed checks over recorded trees: what is found, what passes, and what stays unknown; files and commands. */
#include "fake_tree.h"

#include <math.h>

#include "evidence/preflight/preflight.h"

typedef struct fixture {
    fake_tree tree;
    sy_clock_manual clock;
    sy_preflight preflight;
    sy_preflight_subject subject;
    sy_gate_plan plan;
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    fake_tree_start(&f->tree);
    sy_clock_manual_start(&f->clock, 1, 0);
    f->preflight.arena = sy_arena_create(0);
    f->subject = (sy_preflight_subject){
        .plan = &f->plan, .root = f->tree.root, .machine = f->tree.root, .clock = &f->clock.clock};
    *state = f;
    return f->preflight.arena == NULL;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    fake_tree_finish(&f->tree);
    sy_arena_destroy(f->preflight.arena);
    free(f);
    return 0;
}

/* Runs one check, and returns what it says. */
static const sy_run_check *look(fixture *f, sy_gate_check check)
{
    check.required = true;
    if (check.kind == SY_GATE_CHECK_FILE) {
        sy_preflight_file(&f->preflight, &f->subject, &check);
    } else if (check.kind == SY_GATE_CHECK_COMMAND) {
        sy_preflight_command(&f->preflight, &f->subject, &check);
    } else {
        sy_preflight_machine(&f->preflight, &f->subject, &check);
    }
    assert_false(f->preflight.no_memory);
    return &f->preflight.checks[f->preflight.count - 1];
}

static void memory_is(fixture *f, uint64_t at_least, int passed, const char *found)
{
    const sy_run_check *check = look(f, (sy_gate_check){.kind = SY_GATE_CHECK_FREE_MEMORY, .bytes = at_least});
    assert_int_equal(check->passed, passed);
    assert_non_null(strstr(check->found, found));
}

static void free_memory_is_what_the_system_and_every_group_leave(void **state)
{
    fixture *f = *state;
    memory_is(f, 1, -1, "does not tell");
    fake_tree_write(&f->tree, "/proc/meminfo", "MemTotal: 8192 kB\nMemAvailable:    4096 kB\nMemFree: 1 kB");
    memory_is(f, 4096 * 1024, 1, "4 MiB");
    memory_is(f, 4096 * 1024 + 1, 0, "4 MiB");
    fake_tree_write(&f->tree, "/proc/self/cgroup", "0::/above/inner");
    fake_tree_write(&f->tree, "/sys/fs/cgroup/above/inner/memory.max", "max");
    fake_tree_write(&f->tree, "/sys/fs/cgroup/above/inner/memory.current", "17");
    memory_is(f, 4096 * 1024, 1, "4 MiB"); /* no limit there, and none above */
    fake_tree_write(&f->tree, "/sys/fs/cgroup/above/memory.max", "3145728");
    fake_tree_write(&f->tree, "/sys/fs/cgroup/above/memory.current", "1048576");
    memory_is(f, 2097152, 1, "2 MiB, by a limit of the control group");
    memory_is(f, 2097153, 0, "2 MiB");
    fake_tree_write(&f->tree, "/sys/fs/cgroup/above/memory.current", "9145728"); /* above its limit */
    memory_is(f, 1, 0, "0 B");
    fake_tree_write(&f->tree, "/proc/meminfo", "MemAvailable: much kB");
    memory_is(f, 1, -1, "does not tell");
}

static void load_may_be_as_high_as_it_is_said(void **state)
{
    fixture *f = *state;
    const sy_gate_check check = {.kind = SY_GATE_CHECK_LOAD, .number = 0.5};
    assert_int_equal(look(f, check)->passed, -1);
    fake_tree_write(&f->tree, "/proc/loadavg", "0.50 9.00 9.00 1/2 3");
    assert_int_equal(look(f, check)->passed, 1);
    fake_tree_write(&f->tree, "/proc/loadavg", "0.51 0.00 0.00 1/2 3");
    assert_int_equal(look(f, check)->passed, 0);
    fake_tree_write(&f->tree, "/proc/loadavg", "nan");
    assert_int_equal(look(f, check)->passed, -1);
}

static void every_processor_must_have_the_governor(void **state)
{
    fixture *f = *state;
    const sy_gate_check check = {.kind = SY_GATE_CHECK_GOVERNOR, .text = "performance"};
    assert_int_equal(look(f, check)->passed, -1);
    fake_tree_write(&f->tree, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance");
    assert_int_equal(look(f, check)->passed, 1);
    fake_tree_write(&f->tree, "/sys/devices/system/cpu/cpu12/cpufreq/scaling_governor", "powersave");
    assert_int_equal(look(f, check)->passed, 0);
    assert_string_equal(f->preflight.checks[f->preflight.count - 1].found, "powersave");
}

static void every_processor_must_be_allowed_its_clock(void **state)
{
    fixture *f = *state;
    const sy_gate_check check = {.kind = SY_GATE_CHECK_CLOCK, .number = 0.9};
    assert_int_equal(look(f, check)->passed, -1);
    fake_tree_write(&f->tree, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq", "900");
    fake_tree_write(&f->tree, "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "1000");
    assert_int_equal(look(f, check)->passed, 1);
    fake_tree_write(&f->tree, "/sys/devices/system/cpu/cpu1/online", "1"); /* one that does not tell */
    assert_int_equal(look(f, check)->passed, -1);
    fake_tree_write(&f->tree, "/sys/devices/system/cpu/cpu1/cpufreq/scaling_max_freq", "899");
    fake_tree_write(&f->tree, "/sys/devices/system/cpu/cpu1/cpufreq/cpuinfo_max_freq", "1000");
    assert_int_equal(look(f, check)->passed, 0);
}

static void a_file_is_there_and_has_its_digest(void **state)
{
    fixture *f = *state;
    sy_gate_check check = {.kind = SY_GATE_CHECK_FILE, .text = "data/a", .sha256 = ""};
    assert_int_equal(look(f, check)->passed, 0);
    fake_tree_write(&f->tree, "/data/a", "a"); /* and a line feed */
    assert_int_equal(look(f, check)->passed, 1);
    /* printf 'a\n' | sha256sum */
    check.sha256 = "87428fc522803d31065e7bce3cf03fe475096631e5e07bbd7a0fde60c4cf25c7";
    assert_int_equal(look(f, check)->passed, 1);
    fake_tree_write(&f->tree, "/data/a", "b");
    assert_int_equal(look(f, check)->passed, 0);
    check.text = "data"; /* a folder is no file */
    assert_int_equal(look(f, check)->passed, -1);
}

static void a_command_passes_with_0_alone(void **state)
{
    fixture *f = *state;
    const char *good[] = {"true", NULL};
    const char *bad[] = {"sh", "-c", "echo the disk is loose >&2; exit 3", NULL};
    const char *killed[] = {"sh", "-c", "kill -9 $$", NULL};
    const char *none[] = {"steelyard-no-such-program", NULL};
    const char *hangs[] = {"sleep", "600", NULL};
    assert_int_equal(look(f, (sy_gate_check){.kind = SY_GATE_CHECK_COMMAND, .argv = good, .argc = 1})->passed, 1);
    const sy_run_check *check = look(f, (sy_gate_check){.kind = SY_GATE_CHECK_COMMAND, .argv = bad, .argc = 3});
    assert_int_equal(check->passed, 0);
    assert_non_null(strstr(check->found, "exited with 3: the disk is loose"));
    assert_int_equal(look(f, (sy_gate_check){.kind = SY_GATE_CHECK_COMMAND, .argv = killed, .argc = 3})->passed, 0);
    assert_int_equal(look(f, (sy_gate_check){.kind = SY_GATE_CHECK_COMMAND, .argv = none, .argc = 1})->passed, -1);
    f->subject.command_deadline_ns = UINT64_C(50000000);
    assert_int_equal(look(f, (sy_gate_check){.kind = SY_GATE_CHECK_COMMAND, .argv = hangs, .argc = 2})->passed, -1);
}

static void only_what_is_required_fails_the_whole(void **state)
{
    fixture *f = *state;
    sy_preflight_add(&f->preflight, "governor", -1, false, "performance", "%s", "unknown");
    assert_string_equal(sy_preflight_reason(&f->preflight), "");
    sy_preflight_add(&f->preflight, "file", 0, true, "a", "%s", "gone");
    sy_preflight_add(&f->preflight, "file", 0, true, "b", "%s", "gone");
    sy_preflight_add(&f->preflight, "load", -1, true, "at most 1", "%s", "unknown");
    assert_string_equal(sy_preflight_reason(&f->preflight), "preflight: file, load");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(free_memory_is_what_the_system_and_every_group_leave),
        TEST(load_may_be_as_high_as_it_is_said),
        TEST(every_processor_must_have_the_governor),
        TEST(every_processor_must_be_allowed_its_clock),
        TEST(a_file_is_there_and_has_its_digest),
        TEST(a_command_passes_with_0_alone),
        TEST(only_what_is_required_fails_the_whole),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
