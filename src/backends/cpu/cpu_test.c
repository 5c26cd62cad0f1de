/* SPDX-License-Identifier: Apache-2.0 */
/* The cpu device: its options, its buffers, and what it reads of a system, held against recorded /proc and /sys trees.
 */
#include "cmocka_headers.h"

#include <dirent.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/cpu/cpu.h"
#include "backends/graph.h"
#include "backends/host_condition.h"
#include "fake_tree.h"
#include "fault_loop.h"
#include "operations/suite.h"

static sy_device *open_cpu(const sy_device_options *options)
{
    sy_device *device = NULL;
    sy_error err = SY_ERROR_INIT;
    if (sy_device_open("cpu", options, &device, &err) != SY_OK) {
        fail_msg("%s", err.what);
    }
    return device;
}

static void threads_are_those_asked_for_or_the_affinity(void **state)
{
    (void)state;
    sy_device_options options = SY_DEVICE_OPTIONS_INIT;
    sy_device *device = open_cpu(NULL);
    assert_int_equal(device->threads, sy_host_affinity_count());
    sy_device_close(device);
    options.threads = 3;
    device = open_cpu(&options);
    sy_device_info info;
    assert_int_equal(sy_device_describe(device, &info, NULL), SY_OK);
    assert_int_equal(info.threads, 3);
    assert_string_equal(info.backend, "cpu");
    assert_true(info.memory_bytes > 0);
    sy_device_close(device);
}

static size_t threads_here(void)
{
    size_t count = 0;
    DIR *tasks = opendir("/proc/self/task");
    assert_non_null(tasks);
    while (readdir(tasks) != NULL) {
        count++;
    }
    (void)closedir(tasks);
    return count;
}

/* Of cold buffers alone there are thousands of graphs. */
static void all_graphs_of_a_device_have_the_same_threads(void **state)
{
    (void)state;
    enum { EACH = 10 };
    static const char *const own[][2] = {{"matmul", "blocked"}, {"attention", "flash"}, {"convolution", "direct"}};
    sy_graph *graphs[3 * EACH];
    sy_device_options options = SY_DEVICE_OPTIONS_INIT;
    options.threads = 3;
    options.only = "direct"; /* no library is asked, which could start threads of its own */
    size_t before = threads_here();
    sy_device *device = open_cpu(&options);
    for (size_t i = 0; i < 3 * EACH; i++) {
        const sy_suite *suite = NULL;
        uint32_t variant = 0;
        assert_int_equal(sy_device_suite(device, own[i % 3][0], &suite, NULL), SY_OK);
        assert_int_equal(sy_suite_find_implementation(suite, own[i % 3][1], &variant, NULL), SY_OK);
        assert_int_equal(sy_graph_create(device, 1 << 20, &graphs[i], NULL), SY_OK);
        assert_int_equal(suite->build(suite->user, &suite->cases[0], variant, graphs[i], NULL), SY_OK);
    }
    assert_int_equal(threads_here(), before + 2);
    for (size_t i = 0; i < 3 * EACH; i++) {
        sy_graph_destroy(graphs[i]);
    }
    sy_device_close(device);
}

static void affinity_counts_the_cpus_that_the_process_may_use(void **state)
{
    (void)state;
    cpu_set_t before;
    cpu_set_t one;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    int first = 0;
    while (!CPU_ISSET(first, &before)) {
        first++;
    }
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    assert_int_equal(sy_host_affinity_count(), CPU_COUNT(&before));
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(sy_host_affinity_count(), 1);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

static void options_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    sy_device *device = NULL;
    sy_error err = SY_ERROR_INIT;
    sy_device_options options = SY_DEVICE_OPTIONS_INIT;
    options.script = "a.json";
    assert_int_equal(sy_device_open("cpu", &options, &device, &err), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(err.what, "script"));
    options.script = NULL;
    options.threads = 1000000;
    assert_int_equal(sy_device_open("cpu", &options, &device, &err), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(err.what, "1000000 threads"));
    assert_null(device);
}

static void buffers_hold_what_is_written_and_refuse_what_lies_outside(void **state)
{
    (void)state;
    sy_device *device = open_cpu(NULL);
    const sy_backend *backend = device->backend;
    sy_buffer *buffer = NULL;
    char bytes[8] = "1234567";
    char found[8] = "";
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(backend->allocate(device, 100, &buffer, NULL), SY_OK);
    assert_int_equal((uintptr_t)buffer->address % 4096, 0);
    assert_int_equal(backend->fill(buffer, 0, 0x5a, 100, NULL), SY_OK);
    assert_int_equal(backend->upload(buffer, 92, bytes, 8, NULL), SY_OK);
    assert_int_equal(backend->download(buffer, 92, found, 8, NULL), SY_OK);
    assert_memory_equal(bytes, found, 8);
    assert_int_equal(((unsigned char *)buffer->address)[91], 0x5a);
    assert_int_equal(backend->upload(buffer, 93, bytes, 8, &err), SY_INVALID_ARGUMENT);
    assert_int_equal(backend->download(buffer, UINT64_MAX, found, 8, NULL), SY_INVALID_ARGUMENT);
    assert_int_equal(backend->fill(buffer, 101, 0, 0, NULL), SY_INVALID_ARGUMENT);
    assert_int_equal(backend->fill(buffer, 100, 0, 0, NULL), SY_OK);
    assert_non_null(strstr(err.what, "8 bytes at 93"));
    backend->release(buffer);
    backend->release(NULL);
    sy_device_close(device);
}

static void the_peak_counts_buffers_that_live_together(void **state)
{
    (void)state;
    sy_device *device = open_cpu(NULL);
    const sy_backend *backend = device->backend;
    sy_buffer *buffers[2];
    assert_int_equal(backend->memory_peak(device), 0);
    assert_int_equal(backend->allocate(device, 1000, &buffers[0], NULL), SY_OK);
    assert_int_equal(backend->allocate(device, 500, &buffers[1], NULL), SY_OK);
    backend->release(buffers[0]);
    assert_int_equal(backend->memory_peak(device), 1500);
    assert_int_equal(backend->allocate(device, 700, &buffers[0], NULL), SY_OK);
    assert_int_equal(backend->memory_peak(device), 1500);
    backend->release(buffers[0]);
    backend->release(buffers[1]);
    sy_device_close(device);
}

static void a_buffer_beyond_all_memory_is_refused(void **state)
{
    (void)state;
    sy_device *device = open_cpu(NULL);
    sy_buffer *buffer = NULL;
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(device->backend->allocate(device, UINT64_MAX, &buffer, &err), SY_NO_MEMORY);
    assert_int_equal(device->backend->allocate(device, UINT64_MAX - 4096, &buffer, &err), SY_NO_MEMORY);
    assert_null(buffer);
    assert_non_null(strstr(err.what, "18446744073709547519 bytes asked of device cpu"));
    sy_device_close(device);
}

static sy_status open_allocate_close(void *user)
{
    (void)user;
    sy_device *device = NULL;
    sy_buffer *buffer = NULL;
    sy_status status = sy_device_open("cpu", NULL, &device, NULL);
    if (status == SY_OK) {
        status = device->backend->allocate(device, 100, &buffer, NULL);
        device->backend->release(buffer);
    }
    sy_device_close(device);
    return status;
}

static void every_failed_allocation_leaves_nothing_behind(void **state)
{
    (void)state;
    assert_true(fault_loop_allocations(open_allocate_close, NULL, true) >= 4);
    fault_loop_allocations(open_allocate_close, NULL, false);
}

static void extras_of_the_testing_library_are_never_candidates_unless_named(void **state)
{
    (void)state;
    sy_device *device = open_cpu(NULL);
    const sy_suite *suite = device->backend->suite_at(device, 0);
    size_t extra_count = 0;
    (void)sy_cpu_extras("matmul", &extra_count);
    assert_int_equal(sy_suite_check(suite, NULL), SY_OK);
    assert_true(extra_count >= 12);
    assert_int_equal(suite->implementation_count, sy_cpu_matmul_operation.suite->implementation_count + extra_count);
    for (size_t i = 0; i < suite->implementation_count; i++) {
        assert_int_equal(suite->implementations[i].only_if_named,
                         i >= sy_cpu_matmul_operation.suite->implementation_count);
    }
    assert_ptr_equal(device->backend->suite_at(NULL, 0), sy_cpu_matmul_operation.suite);
    sy_device_close(device);
}

/* ---- recorded systems ---- */

#define GIB (UINT64_C(1) << 30)

static void memory_is_what_the_system_calls_available(void **state)
{
    (void)state;
    fake_tree tree;
    uint64_t bytes = 0;
    fake_tree_start(&tree);
    assert_false(sy_host_available_memory(tree.root, &bytes));
    assert_int_equal(sy_host_total_memory(tree.root), 0);
    fake_tree_write(&tree, "/proc/meminfo", "MemTotal:  16777216 kB\nMemFree: 5 kB\nMemAvailable:    8388608 kB");
    assert_true(sy_host_available_memory(tree.root, &bytes));
    assert_int_equal(bytes, 8 * GIB);
    assert_int_equal(sy_host_total_memory(tree.root), 16 * GIB);
    fake_tree_finish(&tree);
}

static void the_tightest_cgroup_on_the_path_limits_memory(void **state)
{
    (void)state;
    fake_tree tree;
    uint64_t bytes = 0;
    fake_tree_start(&tree);
    fake_tree_write(&tree, "/proc/meminfo", "MemAvailable: 8388608 kB");
    fake_tree_write(&tree, "/proc/self/cgroup", "0::/outer/inner");
    fake_tree_write(&tree, "/sys/fs/cgroup/outer/inner/memory.max", "max");
    fake_tree_write(&tree, "/sys/fs/cgroup/outer/inner/memory.current", "1000");
    assert_true(sy_host_available_memory(tree.root, &bytes));
    assert_int_equal(bytes, 8 * GIB);
    fake_tree_write(&tree, "/sys/fs/cgroup/outer/memory.max", "3221225472");
    fake_tree_write(&tree, "/sys/fs/cgroup/outer/memory.current", "2147483648");
    assert_true(sy_host_available_memory(tree.root, &bytes));
    assert_int_equal(bytes, 1 * GIB);
    fake_tree_write(&tree, "/sys/fs/cgroup/outer/memory.stat", "anon 5\ninactive_file 1073741824\nactive_file 7");
    assert_true(sy_host_available_memory(tree.root, &bytes));
    assert_int_equal(bytes, 2 * GIB);
    fake_tree_write(&tree, "/sys/fs/cgroup/memory.max", "4096");
    fake_tree_write(&tree, "/sys/fs/cgroup/memory.current", "8192");
    assert_true(sy_host_available_memory(tree.root, &bytes));
    assert_int_equal(bytes, 0);
    fake_tree_finish(&tree);
}

static void the_older_cgroups_limit_memory_too(void **state)
{
    (void)state;
    fake_tree tree;
    uint64_t bytes = 0;
    fake_tree_start(&tree);
    fake_tree_write(&tree, "/proc/meminfo", "MemAvailable: 8388608 kB");
    fake_tree_write(&tree, "/proc/self/cgroup", "11:cpu,cpuacct:/a\n4:memory:/box\n");
    fake_tree_write(&tree, "/sys/fs/cgroup/memory/box/memory.limit_in_bytes", "2147483648");
    fake_tree_write(&tree, "/sys/fs/cgroup/memory/box/memory.usage_in_bytes", "1073741824");
    assert_true(sy_host_available_memory(tree.root, &bytes));
    assert_int_equal(bytes, 1 * GIB);
    fake_tree_finish(&tree);
}

static void a_condition_of_which_nothing_is_known_is_unknown(void **state)
{
    (void)state;
    fake_tree tree;
    sy_device_condition condition;
    fake_tree_start(&tree);
    sy_host_condition(tree.root, &condition);
    assert_true(isnan(condition.clock_hz) && isnan(condition.temperature_celsius) && isnan(condition.steal_share));
    assert_true(isnan(condition.pressure_share) && isnan(condition.load_average));
    assert_int_equal(condition.throttled, -1);
    assert_true(isnan(condition.processor_time) && isnan(condition.stolen_time));
    assert_true(isnan(condition.waited_ns) && isnan(condition.throttle_events));
    fake_tree_finish(&tree);
}

static void a_condition_is_read_from_what_there_is(void **state)
{
    (void)state;
    fake_tree tree;
    sy_device_condition condition;
    fake_tree_start(&tree);
    fake_tree_write(&tree, "/proc/stat", "cpu  100 50 30 700 20 0 0 100 40 0\ncpu0 1 2 3 4 5 6 7 8 9 0");
    fake_tree_write(&tree, "/proc/pressure/cpu", "some avg10=12.50 avg60=1.00 avg300=0.10 total=9\nfull avg10=0.00");
    fake_tree_write(&tree, "/proc/loadavg", "3.25 1.00 0.50 2/93 4711");
    fake_tree_write(&tree, "/proc/cpuinfo", "processor\t: 0\nmodel name\t: X\ncpu MHz\t\t: 2600.125");
    fake_tree_write(&tree, "/sys/class/thermal/thermal_zone0/type", "acpitz");
    fake_tree_write(&tree, "/sys/class/thermal/thermal_zone0/temp", "20000");
    fake_tree_write(&tree, "/sys/class/thermal/thermal_zone1/type", "x86_pkg_temp");
    fake_tree_write(&tree, "/sys/class/thermal/thermal_zone1/temp", "61500");
    sy_host_condition(tree.root, &condition);
    assert_true(fabs(condition.steal_share - 0.1) < 1e-12);
    assert_true(fabs(condition.pressure_share - 0.125) < 1e-12);
    assert_true(fabs(condition.load_average - 3.25) < 1e-12);
    assert_true(fabs(condition.clock_hz - 2600.125e6) < 1);
    assert_true(condition.processor_time == 1000 && condition.stolen_time == 100 && condition.waited_ns == 9000);
    assert_true(fabs(condition.temperature_celsius - 61.5) < 1e-9);
    fake_tree_write(&tree, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "3100000");
    sy_host_condition(tree.root, &condition);
    assert_true(condition.clock_hz == 3.1e9);
    fake_tree_write(&tree, "/sys/devices/system/cpu/cpu2/cpufreq/scaling_cur_freq", "3400000"); /* 1 is offline */
    fake_tree_write(&tree, "/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "7");
    fake_tree_write(&tree, "/sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count", "2");
    fake_tree_write(&tree, "/sys/devices/system/cpu/cpu2/thermal_throttle/core_throttle_count", "1");
    sy_host_condition(tree.root, &condition);
    assert_true(condition.clock_hz == 3.4e9 && condition.throttle_events == 10);
    fake_tree_finish(&tree);
}

/* One processor is fought over by two processes until the kernel has taken it from this one. */
static void being_switched_away_is_counted(void **state)
{
    (void)state;
    cpu_set_t before;
    cpu_set_t one;
    int cpu = 0;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    while (!CPU_ISSET(cpu, &before))
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    const uint64_t start = sy_host_switches();
    assert_true(start != UINT64_MAX);
    pid_t rival = fork();
    assert_true(rival >= 0);
    if (rival == 0) {
        (void)alarm(100); /* never left behind */
        for (volatile uint64_t spin = 0;; spin = spin + 1)
            ;
    }
    for (volatile uint64_t spin = 0; sy_host_switches() == start; spin = spin + 1)
        ; /* ends by the test's time-out when nothing is counted */
    assert_int_equal(kill(rival, SIGKILL), 0);
    assert_int_equal(waitpid(rival, NULL, 0), rival);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

static void a_cut_file_is_unknown_not_zero(void **state)
{
    (void)state;
    fake_tree tree;
    sy_device_condition condition;
    fake_tree_start(&tree);
    fake_tree_write(&tree, "/proc/stat", "cpu  100 50 30 700 20");
    fake_tree_write(&tree, "/proc/pressure/cpu", "some");
    fake_tree_write(&tree, "/proc/loadavg", "");
    sy_host_condition(tree.root, &condition);
    assert_true(isnan(condition.steal_share) && isnan(condition.pressure_share) && isnan(condition.load_average));
    fake_tree_finish(&tree);
}

static void a_name_is_short_and_says_how_many_cpus(void **state)
{
    (void)state;
    fake_tree tree;
    char name[128];
    char wanted[128];
    uint32_t count = sy_host_affinity_count();
    const char *cpus = count == 1 ? "CPU" : "CPUs";
    fake_tree_start(&tree);
    sy_host_processor_name(tree.root, name, sizeof name);
    snprintf(wanted, sizeof wanted, "unknown processor, %u %s", count, cpus);
    assert_string_equal(name, wanted);
    fake_tree_write(&tree, "/proc/cpuinfo",
                    "model\t\t: 85\nmodel name\t: Intel(R) Xeon(R)  Gold(TM) 6138 CPU @ 2.00GHz\nstepping\t: 4");
    sy_host_processor_name(tree.root, name, sizeof name);
    snprintf(wanted, sizeof wanted, "Intel Xeon Gold 6138 CPU, %u %s", count, cpus);
    assert_string_equal(name, wanted);
    fake_tree_finish(&tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_are_those_asked_for_or_the_affinity),
        cmocka_unit_test(all_graphs_of_a_device_have_the_same_threads),
        cmocka_unit_test(affinity_counts_the_cpus_that_the_process_may_use),
        cmocka_unit_test(options_that_make_no_sense_are_refused),
        cmocka_unit_test(buffers_hold_what_is_written_and_refuse_what_lies_outside),
        cmocka_unit_test(the_peak_counts_buffers_that_live_together),
        cmocka_unit_test(a_buffer_beyond_all_memory_is_refused),
        cmocka_unit_test(every_failed_allocation_leaves_nothing_behind),
        cmocka_unit_test(extras_of_the_testing_library_are_never_candidates_unless_named),
        cmocka_unit_test(memory_is_what_the_system_calls_available),
        cmocka_unit_test(the_tightest_cgroup_on_the_path_limits_memory),
        cmocka_unit_test(the_older_cgroups_limit_memory_too),
        cmocka_unit_test(a_condition_of_which_nothing_is_known_is_unknown),
        cmocka_unit_test(a_condition_is_read_from_what_there_is),
        cmocka_unit_test(being_switched_away_is_counted),
        cmocka_unit_test(a_cut_file_is_unknown_not_zero),
        cmocka_unit_test(a_name_is_short_and_says_how_many_cpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
