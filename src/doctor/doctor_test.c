/* SPDX-License-Identifier: Apache-2.0 */
/* The doctor on recorded machines, each with the one thing that is to be mended first, and once on this one. */
#include <math.h>
#include <stdio.h>
#include <steelyard/doctor.h>
#include <string.h>

#include "cmocka_headers.h"
#include "fake_tree.h"
#include "fault_loop.h"

/* A machine twice: now and a second later. */
typedef struct two_looks {
    fake_tree now;
    fake_tree later;
} two_looks;

static void write_both(const two_looks *looks, const char *path, const char *text)
{
    fake_tree_write(&looks->now, path, text);
    fake_tree_write(&looks->later, path, text);
}

static void write_twice(const two_looks *looks, const char *path, const char *now, const char *later)
{
    fake_tree_write(&looks->now, path, now);
    fake_tree_write(&looks->later, path, later);
}

/* A server of two processors on which nothing happens: a second is 100 ticks of each. */
static void write_quiet_server(const two_looks *looks)
{
    static const char *const files[][2] = {
        {"/proc/cpuinfo", "processor : 0\nvendor_id : AuthenticAMD\nflags : fpu sse2 avx2\nmodel name : X"},
        {"/proc/self/cgroup", "0::/user"},
        {"/proc/self/status", "Cpus_allowed_list:\t0-1"},
        {"/proc/loadavg", "0.00 0.01 0.05 1/80 300"},
        {"/proc/meminfo",
         "MemTotal: 16384000 kB\nMemAvailable: 15000000 kB\nSwapTotal: 2097152 kB\nSwapFree: 2097152 kB"},
        {"/proc/vmstat", "nr_free_pages 5\npswpin 17\npswpout 3"},
        {"/proc/sys/kernel/randomize_va_space", "2"},
        {"/proc/sys/kernel/perf_event_paranoid", "2"},
        {"/sys/devices/system/cpu/online", "0-1"},
        {"/sys/devices/system/cpu/smt/control", "off"},
        {"/sys/devices/system/cpu/cpufreq/boost", "0"},
        {"/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance"},
        {"/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "3000000"},
        {"/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "3000000"},
        {"/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "0"},
        {"/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc"},
        {"/sys/class/power_supply/AC/type", "Mains"},
        {"/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never"},
        {"/sys/fs/cgroup/user/cpu.max", "max 100000"},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        write_both(looks, files[i][0], files[i][1]);
    write_twice(looks, "/proc/uptime", "100.00 190.00", "101.00 191.98");
    write_twice(
        looks, "/proc/stat",
        "cpu  500 0 500 19000 0 0 0 0 0 0\ncpu0 250 0 250 9500 0 0 0 0 0 0\ncpu1 250 0 250 9500 0 0 0 0 0 0\nintr 5",
        "cpu  501 0 501 19198 0 0 0 0 0 0\ncpu0 251 0 250 9599 0 0 0 0 0 0\ncpu1 250 0 251 9599 0 0 0 0 0 0\nintr 6");
    write_twice(looks, "/proc/self/stat", "300 (steelyard) R 1 1 1 0 -1 4 1 0 0 0 10 5 0 0 20 0",
                "300 (steelyard) R 1 1 1 0 -1 4 1 0 0 0 11 5 0 0 20 0");
    write_twice(looks, "/proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=1000\nfull avg10=0.00",
                "some avg10=0.00 avg60=0.00 avg300=0.00 total=1500\nfull avg10=0.00");
    write_both(looks, "/proc/pressure/memory", "some avg10=0.00 avg60=0.00 avg300=0.00 total=5\nfull avg10=0.00");
    write_both(looks, "/proc/pressure/io", "some avg10=0.00 avg60=0.00 avg300=0.00 total=7\nfull avg10=0.00");
}

static sy_doctor_result *examine(const two_looks *looks)
{
    sy_doctor_options options = SY_DOCTOR_OPTIONS_INIT;
    sy_doctor_result *result = NULL;
    sy_error err = SY_ERROR_INIT;
    options.root = looks->now.root;
    options.later_root = looks->later.root;
    if (sy_doctor(&options, &result, &err) != SY_OK)
        fail_msg("%s", err.what);
    return result;
}

static const sy_doctor_check *find(const sy_doctor_result *result, const char *name)
{
    for (size_t i = 0; i < result->check_count; i++)
        if (strcmp(result->checks[i].name, name) == 0)
            return &result->checks[i];
    fail_msg("no check '%s'", name);
    return NULL;
}

static void expect(const sy_doctor_result *result, const char *name, sy_doctor_verdict verdict, const char *value)
{
    const sy_doctor_check *check = find(result, name);
    if (check->verdict != verdict || strcmp(check->value, value) != 0)
        fail_msg("%s: %s, '%s'", name, sy_doctor_verdict_word(check->verdict), check->value);
    assert_true(check->sentence[0] != '\0');
    if (verdict == SY_DOCTOR_GOOD || verdict == SY_DOCTOR_UNKNOWN)
        assert_string_equal(check->remedy, "");
}

/* A change to the quiet server, what the check then says, and that it comes first. */
static void expect_first(const two_looks *looks, const char *name, sy_doctor_verdict verdict, const char *value,
                         const char *advice)
{
    sy_doctor_result *result = examine(looks);
    expect(result, name, verdict, value);
    assert_in_range(result->first, 0, result->check_count - 1);
    assert_string_equal(result->checks[result->first].name, name);
    assert_string_equal(result->advice, advice);
    assert_int_equal(result->verdict, verdict);
    sy_doctor_result_destroy(result);
}

static void a_quiet_server_has_nothing_to_mend(void **state)
{
    const two_looks *looks = *state;
    write_quiet_server(looks);
    sy_doctor_result *result = examine(looks);
    assert_int_equal(result->verdict, SY_DOCTOR_GOOD);
    assert_int_equal(result->first, result->check_count);
    assert_string_equal(result->advice, "");
    expect(result, "timer", SY_DOCTOR_GOOD, "clock source tsc");
    expect(result, "noise", SY_DOCTOR_UNKNOWN, "");
    expect(result, "switches", SY_DOCTOR_UNKNOWN, "");
    expect(result, "load", SY_DOCTOR_GOOD, "others keep 0.01 of 2 processors busy; load average 0.00");
    expect(result, "pressure", SY_DOCTOR_GOOD, "tasks waited: processor 0 %, memory 0 %, disk 0 % of the time");
    expect(result, "steal", SY_DOCTOR_GOOD, "0.0 % now, 0.0 % since boot");
    expect(result, "hypervisor", SY_DOCTOR_GOOD, "none seen");
    expect(result, "limit", SY_DOCTOR_GOOD, "2 of 2 processors (0-1), no quota");
    expect(result, "governor", SY_DOCTOR_GOOD, "performance");
    expect(result, "turbo", SY_DOCTOR_GOOD, "off: 3.00 GHz now, 3.00 at most");
    expect(result, "heat", SY_DOCTOR_GOOD, "slowed down 0 times now, 0 since boot");
    expect(result, "power", SY_DOCTOR_GOOD, "no battery");
    expect(result, "smt", SY_DOCTOR_GOOD, "off");
    expect(result, "memory", SY_DOCTOR_GOOD, "14.3 GiB of 15.6 GiB to be had");
    expect(result, "swap", SY_DOCTOR_GOOD, "0 B in use, 0 pages moved now");
    expect(result, "huge-pages", SY_DOCTOR_GOOD, "madvise");
    expect(result, "aslr", SY_DOCTOR_GOOD, "on");
    expect(result, "counters", SY_DOCTOR_GOOD, "perf_event_paranoid 2");
    assert_true(fabs(result->observed_ns - 1e9) < 1e6);
    assert_true(isnan(result->noise) && isnan(result->resolvable_gain) && isnan(result->timer_step_ns));
    sy_doctor_result_destroy(result);
}

static void a_laptop_on_battery_is_plugged_in_first(void **state)
{
    const two_looks *looks = *state;
    write_quiet_server(looks);
    write_both(looks, "/sys/class/power_supply/BAT0/type", "Battery");
    write_both(looks, "/sys/class/power_supply/BAT0/status", "Discharging");
    write_both(looks, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave");
    write_both(looks, "/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave");
    write_both(looks, "/sys/devices/system/cpu/smt/control", "on");
    fake_tree_write(&looks->later, "/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "4");
    expect_first(looks, "power", SY_DOCTOR_BAD, "on battery", "power: plug it in");
    /* Plugged in, it is too hot; cooled, it clocks down. */
    write_both(looks, "/sys/class/power_supply/BAT0/status", "Charging");
    expect_first(looks, "heat", SY_DOCTOR_BAD, "slowed down 4 times now, 4 since boot",
                 "heat: cool it: clear the vents, or let it rest between measurements");
    write_both(looks, "/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "0");
    expect_first(looks, "governor", SY_DOCTOR_LOOK, "powersave",
                 "governor: sudo cpupower frequency-set -g performance");
    /* The battery of a mouse gives and takes what it wants. */
    write_both(looks, "/sys/class/power_supply/BAT0/status", "Discharging");
    write_both(looks, "/sys/class/power_supply/BAT0/scope", "Device");
    sy_doctor_result *result = examine(looks);
    expect(result, "power", SY_DOCTOR_GOOD, "no battery");
    expect(result, "smt", SY_DOCTOR_LOOK, "on");
    sy_doctor_result_destroy(result);
    write_both(looks, "/sys/devices/system/cpu/smt/control", "notsupported");
    result = examine(looks);
    expect(result, "smt", SY_DOCTOR_GOOD, "none");
    sy_doctor_result_destroy(result);
}

static void another_process_at_work_is_named(void **state)
{
    const two_looks *looks = *state;
    write_quiet_server(looks);
    fake_tree_write(
        &looks->later, "/proc/stat",
        "cpu  585 0 501 19114 0 0 0 0 0 0\ncpu0 334 0 250 9516 0 0 0 0 0 0\ncpu1 251 0 251 9598 0 0 0 0 0 0");
    write_twice(looks, "/proc/4711/stat", "4711 (a (b) c) R 1 1 1 0 -1 4 1 0 0 0 1000 20 0 0 20 0",
                "4711 (a (b) c) R 1 1 1 0 -1 4 1 0 0 0 1080 23 0 0 20 0");
    write_both(looks, "/proc/12/stat", "12 (idle) S 1 1 1 0 -1 4 1 0 0 0 70000 5 0 0 20 0");
    write_both(looks, "/proc/13/stat", "13 cut off");
    expect_first(looks, "load", SY_DOCTOR_BAD,
                 "others keep 0.85 of 2 processors busy, most by a (b) c (4711): 83 %; load average 0.00",
                 "load: a (b) c (4711) takes 83 % of a processor: stop it, or pin with taskset -c 1");
    /* Work that no process here shows: another container's. */
    fake_tree_remove(&looks->later, "/proc/4711");
    expect_first(looks, "load", SY_DOCTOR_BAD, "others keep 0.85 of 2 processors busy; load average 0.00",
                 "load: something that this process cannot see is at work: stop it, or pin with taskset -c 1");
}

static void what_the_doctor_takes_itself_is_not_held_against_the_machine(void **state)
{
    const two_looks *looks = *state;
    static const char later[] = "300 (steelyard) R 1 1 1 0 -1 4 1 0 0 0 60 15 0 0 20 0";
    write_quiet_server(looks);
    fake_tree_write(
        &looks->later, "/proc/stat",
        "cpu  560 0 501 19139 0 0 0 0 0 0\ncpu0 310 0 250 9540 0 0 0 0 0 0\ncpu1 250 0 251 9599 0 0 0 0 0 0");
    write_twice(looks, "/proc/300/stat", "300 (steelyard) R 1 1 1 0 -1 4 1 0 0 0 10 5 0 0 20 0", later);
    fake_tree_write(&looks->later, "/proc/self/stat", later);
    sy_doctor_result *result = examine(looks);
    expect(result, "load", SY_DOCTOR_GOOD, "others keep 0.01 of 2 processors busy; load average 0.00");
    sy_doctor_result_destroy(result);
}

static void a_container_with_a_quota_says_whose_it_is(void **state)
{
    const two_looks *looks = *state;
    write_quiet_server(looks);
    write_both(looks, "/proc/self/cgroup", "0::/pod/box");
    write_both(looks, "/sys/fs/cgroup/pod/cpu.max", "150000 100000");
    write_twice(looks, "/sys/fs/cgroup/pod/cpu.stat", "usage_usec 5\nnr_periods 9\nnr_throttled 4",
                "usage_usec 9\nnr_periods 19\nnr_throttled 4");
    write_both(looks, "/sys/fs/cgroup/pod/box/cpu.max", "max 100000");
    static const char advice[] = "limit: raise the quota of /sys/fs/cgroup/pod, or measure with at most 1 threads: "
                                 "--threads";
    expect_first(looks, "limit", SY_DOCTOR_LOOK, "1.5 of 2 processors' time, by cgroup v2, /pod", advice);
    fake_tree_write(&looks->later, "/sys/fs/cgroup/pod/cpu.stat", "usage_usec 9\nnr_periods 19\nnr_throttled 11");
    expect_first(looks, "limit", SY_DOCTOR_BAD, "1.5 of 2 processors' time, by cgroup v2, /pod", advice);
    sy_doctor_result *result = examine(looks);
    assert_string_equal(find(result, "limit")->sentence,
                        "The quota ran out 7 times just now: all threads stood still.");
    assert_true(find(result, "limit")->figure == 1.5);
    sy_doctor_result_destroy(result);
}

static void a_guest_from_which_time_is_taken_is_told_so(void **state)
{
    const two_looks *looks = *state;
    write_quiet_server(looks);
    write_both(looks, "/proc/cpuinfo", "processor : 0\nvendor_id : X\nflags : fpu hypervisor sse2");
    write_both(looks, "/sys/class/dmi/id/sys_vendor", "QEMU");
    fake_tree_write(
        &looks->later, "/proc/stat",
        "cpu  501 0 501 19178 0 0 0 20 0 0\ncpu0 251 0 250 9589 0 0 0 10 0 0\ncpu1 250 0 251 9589 0 0 0 10 0 0");
    expect_first(looks, "steal", SY_DOCTOR_BAD, "10.0 % now, 0.1 % since boot",
                 "steal: measure when the host is quiet, or on a machine with processors of its own");
    sy_doctor_result *result = examine(looks);
    expect(result, "hypervisor", SY_DOCTOR_LOOK, "virtual machine: QEMU, unknown product");
    expect(result, "load", SY_DOCTOR_GOOD,
           "others keep 0.01 of 2 processors busy; load average 0.00"); /* stolen time is not theirs */
    sy_doctor_result_destroy(result);
}

static void short_memory_and_swapping_are_seen(void **state)
{
    const two_looks *looks = *state;
    write_quiet_server(looks);
    write_both(looks, "/proc/meminfo",
               "MemTotal: 16384000 kB\nMemAvailable: 100000 kB\nSwapTotal: 2097152 kB\nSwapFree: 1048576 kB");
    fake_tree_write(&looks->later, "/proc/vmstat", "pswpin 20\npswpout 7");
    fake_tree_write(&looks->later, "/proc/pressure/memory", "some avg10=0.00 avg60=0.00 avg300=0.00 total=300005");
    expect_first(looks, "swap", SY_DOCTOR_BAD, "1 GiB in use, 7 pages moved now",
                 "swap: free memory, then sudo swapoff -a && sudo swapon -a");
    sy_doctor_result *result = examine(looks);
    expect(result, "pressure", SY_DOCTOR_BAD, "tasks waited: processor 0 %, memory 30 %, disk 0 % of the time");
    expect(result, "memory", SY_DOCTOR_BAD, "97.7 MiB of 15.6 GiB to be had");
    sy_doctor_result_destroy(result);
}

static void a_slow_clock_and_odd_settings_are_looked_at(void **state)
{
    const two_looks *looks = *state;
    write_quiet_server(looks);
    write_both(looks, "/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet");
    write_both(looks, "/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never");
    write_both(looks, "/proc/sys/kernel/randomize_va_space", "0");
    write_both(looks, "/proc/sys/kernel/perf_event_paranoid", "4");
    write_both(looks, "/sys/devices/system/cpu/cpufreq/boost", "1");
    expect_first(looks, "timer", SY_DOCTOR_BAD, "clock source hpet",
                 "timer: see the kernel's log for why tsc was marked unstable, or boot with clocksource=tsc");
    write_both(looks, "/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc");
    expect_first(looks, "huge-pages", SY_DOCTOR_LOOK, "always",
                 "huge-pages: echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled");
    write_both(looks, "/sys/kernel/mm/transparent_hugepage/enabled", "always [never]");
    expect_first(looks, "turbo", SY_DOCTOR_LOOK, "on: 3.00 GHz now, 3.00 at most",
                 "turbo: echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost");
    write_both(looks, "/sys/devices/system/cpu/cpufreq/boost", "0");
    expect_first(looks, "aslr", SY_DOCTOR_LOOK, "off", "aslr: sudo sysctl kernel.randomize_va_space=2");
    write_both(looks, "/proc/sys/kernel/randomize_va_space", "2");
    /* Counters explain times; without them times are none the worse. */
    sy_doctor_result *result = examine(looks);
    expect(result, "counters", SY_DOCTOR_LOOK, "perf_event_paranoid 4");
    assert_int_equal(result->first, result->check_count);
    sy_doctor_result_destroy(result);
}

static void a_machine_that_tells_nothing_is_unknown_and_not_good(void **state)
{
    const two_looks *looks = *state;
    sy_doctor_result *result = examine(looks);
    assert_int_equal(result->verdict, SY_DOCTOR_UNKNOWN);
    assert_int_equal(result->first, result->check_count);
    assert_true(result->check_count > 15);
    for (size_t i = 0; i < result->check_count; i++)
        expect(result, result->checks[i].name, SY_DOCTOR_UNKNOWN, "");
    assert_true(isnan(result->observed_ns));
    sy_doctor_result_destroy(result);
}

static void one_look_alone_tells_what_it_can(void **state)
{
    const two_looks *looks = *state;
    sy_doctor_options options = SY_DOCTOR_OPTIONS_INIT;
    sy_doctor_result *result = NULL;
    write_quiet_server(looks);
    fake_tree_write(&looks->now, "/proc/loadavg", "1.50 0.01 0.05 1/80 300");
    fake_tree_write(&looks->now, "/proc/pressure/cpu", "some avg10=25.00 avg60=0.00 avg300=0.00 total=1000");
    options.root = looks->now.root;
    assert_int_equal(sy_doctor(&options, &result, NULL), SY_OK);
    expect(result, "load", SY_DOCTOR_LOOK, "load average 1.50");
    expect(result, "pressure", SY_DOCTOR_LOOK, "tasks waited: processor 25 %, memory 0 %, disk 0 % of the time");
    expect(result, "steal", SY_DOCTOR_GOOD, "0.0 % since boot");
    sy_doctor_result_destroy(result);
}

static void wrong_options_are_refused_and_named(void **state)
{
    (void)state;
    static const struct {
        sy_doctor_options options;
        const char *named;
    } rows[] = {
        {{.struct_size = 8}, "struct_size"},
        {{.struct_size = sizeof(sy_doctor_options), .later_root = "/x"}, "later_root"},
        {{.struct_size = sizeof(sy_doctor_options), .observe_ns = UINT64_MAX}, "observe_ns"},
        {{.struct_size = sizeof(sy_doctor_options), .max_pairs = 0}, "max_pairs"},
        {{.struct_size = sizeof(sy_doctor_options), .max_pairs = 60, .min_improvement = 1}, "min_improvement"},
        {{.struct_size = sizeof(sy_doctor_options), .max_pairs = 60, .alpha = 0.6}, "alpha"},
        {{.struct_size = sizeof(sy_doctor_options), .max_pairs = 60, .alpha = 0.05, .beta = NAN}, "beta"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sy_doctor_result *result = (sy_doctor_result *)0x1;
        sy_error err = SY_ERROR_INIT;
        assert_int_equal(sy_doctor(&rows[i].options, &result, &err), SY_INVALID_ARGUMENT);
        assert_non_null(strstr(err.what, rows[i].named));
        assert_ptr_equal(result, (sy_doctor_result *)0x1);
    }
    sy_doctor_result_destroy(NULL);
}

/* How noisy this machine is decides nothing here: only that it was measured, and by the formula. */
static void this_machine_is_measured(void **state)
{
    (void)state;
    sy_doctor_options options = SY_DOCTOR_OPTIONS_INIT;
    sy_doctor_result *result = NULL;
    options.observe_ns = 0;
    assert_int_equal(sy_doctor(&options, &result, NULL), SY_OK);
    assert_true(result->timer_step_ns >= 1 && result->timer_look_ns > 0);
    assert_true(result->noise >= 0 && isfinite(result->noise));
    /* z(60) = .55 of docs/statistics.md */
    assert_true(fabs(log1p(-result->resolvable_gain) - (log(0.97) - 0.5505 * result->noise)) <
                1e-3 * (1 + result->noise));
    assert_true(find(result, "noise")->verdict != SY_DOCTOR_UNKNOWN);
    assert_true(find(result, "switches")->verdict != SY_DOCTOR_UNKNOWN);
    assert_true(result->observed_ns > 0);
    sy_doctor_result_destroy(result);
}

static sy_status examine_scenario(void *user)
{
    const two_looks *looks = user;
    sy_doctor_options options = SY_DOCTOR_OPTIONS_INIT;
    sy_doctor_result *result = NULL;
    options.root = looks->now.root;
    options.later_root = looks->later.root;
    sy_status status = sy_doctor(&options, &result, NULL);
    if (status == SY_OK) {
        assert_int_equal(result->verdict, SY_DOCTOR_GOOD);
        assert_int_equal(find(result, "load")->verdict, SY_DOCTOR_GOOD);
    }
    sy_doctor_result_destroy(result);
    return status;
}

static void short_memory_ends_an_examination_and_never_changes_it(void **state)
{
    two_looks *looks = *state;
    write_quiet_server(looks);
    assert_true(fault_loop_allocations(examine_scenario, looks, true) > 50);
    assert_true(fault_loop_allocations(examine_scenario, looks, false) > 50);
}

static two_looks the_looks;

static int start(void **state)
{
    fake_tree_start(&the_looks.now);
    fake_tree_start(&the_looks.later);
    *state = &the_looks;
    return 0;
}

static int finish(void **state)
{
    two_looks *looks = *state;
    fake_tree_finish(&looks->now);
    fake_tree_finish(&looks->later);
    return 0;
}

#define TREE_TEST(name) cmocka_unit_test_setup_teardown(name, start, finish)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TREE_TEST(a_quiet_server_has_nothing_to_mend),
        TREE_TEST(a_laptop_on_battery_is_plugged_in_first),
        TREE_TEST(another_process_at_work_is_named),
        TREE_TEST(what_the_doctor_takes_itself_is_not_held_against_the_machine),
        TREE_TEST(a_container_with_a_quota_says_whose_it_is),
        TREE_TEST(a_guest_from_which_time_is_taken_is_told_so),
        TREE_TEST(short_memory_and_swapping_are_seen),
        TREE_TEST(a_slow_clock_and_odd_settings_are_looked_at),
        TREE_TEST(a_machine_that_tells_nothing_is_unknown_and_not_good),
        TREE_TEST(one_look_alone_tells_what_it_can),
        TREE_TEST(short_memory_ends_an_examination_and_never_changes_it),
        cmocka_unit_test(wrong_options_are_refused_and_named),
        cmocka_unit_test(this_machine_is_measured),
    };
    return cmocka_run_group_tests_name("doctor", tests, NULL, NULL);
}
