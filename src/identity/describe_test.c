/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of whole identities: what changes the key and what does not, on a recorded machine. On this
 * one: describe_here_test.c. */
#include <steelyard/identity.h>
#include <string.h>

#include "base/digest.h"
#include "cmocka_headers.h"
#include "fake_tree.h"
#include "fault_loop.h"
#include "record/identity.h"

static const char *const no_environment[] = {NULL};

/* A machine of two processors with a boot behind it. */
static void write_machine(const fake_tree *tree)
{
    static const char *const files[][2] = {
        {"/proc/cpuinfo", "processor : 0\nvendor_id : GenuineIntel\ncpu family : 6\nmodel : 85\nstepping : 7\n"
                          "flags : fpu sse2 avx2 avx512f\nmicrocode : 0x5003604"},
        {"/proc/self/cgroup", "0::/user"},
        {"/proc/self/status", "Cpus_allowed_list:\t0-1"},
        {"/proc/sys/kernel/hostname", "bench-1"},
        {"/proc/sys/kernel/osrelease", "6.1.0-18-amd64"},
        {"/proc/sys/kernel/random/boot_id", "1b2c"},
        {"/proc/loadavg", "0.50 0.40 0.30 1/200 4711"},
        {"/proc/uptime", "100.00 50.00"},
        {"/proc/meminfo", "MemTotal:       16384000 kB\nMemFree: 1 kB\nSwapTotal: 2048 kB"},
        {"/proc/sys/kernel/numa_balancing", "1"},
        {"/proc/sys/vm/nr_hugepages", "16"},
        {"/run/.containerenv", "engine"},
        {"/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc"},
        {"/sys/devices/system/cpu/isolated", ""},
        {"/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver", "intel_pstate"},
        {"/sys/devices/system/cpu/cpu0/cpufreq/energy_performance_preference", "balance_power"},
        {"/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_min_freq", "800000"},
        {"/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "4600000"},
        {"/sys/devices/system/cpu/online", "0-1"},
        {"/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave"},
        {"/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave"},
        {"/sys/devices/system/cpu/smt/control", "on"},
        {"/sys/devices/system/node/online", "0"},
        {"/sys/devices/system/node/node0/cpulist", "0-1"},
        {"/sys/devices/system/node/node0/meminfo", "Node 0 MemTotal:       16384000 kB"},
        {"/sys/fs/cgroup/user/cpu.max", "max 100000"},
        {"/etc/os-release", "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian"},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        fake_tree_write(tree, files[i][0], files[i][1]);
    for (int cpu = 0; cpu < 2; cpu++) {
        char path[96];
        const char *const cache[][2] = {
            {"level", "2"}, {"type", "Unified"}, {"size", "1024K"}, {"shared_cpu_list", cpu == 0 ? "0" : "1"}};
        for (size_t i = 0; i < 4; i++) {
            snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index0/%s", cpu, cache[i][0]);
            fake_tree_write(tree, path, cache[i][1]);
        }
    }
}

static sy_identity *describe(const sy_identity_options *options)
{
    sy_identity *identity = NULL;
    sy_error err = SY_ERROR_INIT;
    if (sy_identity_describe(options, &identity, &err) != SY_OK)
        fail_msg("%s", err.what);
    return identity;
}

static sy_identity *describe_tree(const fake_tree *tree)
{
    sy_identity_options options = SY_IDENTITY_OPTIONS_INIT;
    options.root = tree->root;
    options.environment = no_environment;
    return describe(&options);
}

/* The digest of what the tree says, in the caller's bytes. */
static void digest_tree(const fake_tree *tree, char digest[SY_DIGEST_TEXT])
{
    sy_identity *identity = describe_tree(tree);
    assert_int_equal(sy_identity_digest_text(identity, digest, NULL), SY_OK);
    sy_identity_destroy(identity);
}

static void a_recorded_machine_has_the_documented_text(void **state)
{
    fake_tree *tree = *state;
    char *text = NULL;
    write_machine(tree);
    sy_identity *identity = describe_tree(tree);
    assert_int_equal(sy_identity_processor(identity, &text, NULL), SY_OK);
    assert_string_equal(text, "cpu.cache.l2=1 MiB x 2 (0, 1 apart);cpu.family=6;cpu.isa=avx2,avx512f,sse2;"
                              "cpu.kinds=alike;cpu.limit=2;cpu.model=85;cpu.quota=none;cpu.stepping=7;cpu.usable=2;"
                              "cpu.vendor=GenuineIntel");
    assert_false(sy_identity_is_uncertain(identity));
    sy_text_free(text);
    sy_identity_destroy(identity);
}

static void facts_for_people_are_recorded_and_no_key(void **state)
{
    fake_tree *tree = *state;
    static const char *const expected[][2] = {
        {"cpu.frequency.driver", "intel_pstate"},
        {"cpu.frequency.preference", "balance_power"},
        {"cpu.frequency.range", "800000-4600000 kHz"},
        {"cpu.governor", "powersave"},
        {"cpu.isolated", "none"},
        {"cpu.limit.source", "usable processors"},
        {"cpu.microcode", "0x5003604"},
        {"cpu.smt", "on"},
        {"cpu.usable.list", "0-1"},
        {"host.architecture", "unknown"}, /* a recorded tree does not say it */
        {"host.boot_id", "1b2c"},
        {"host.container", "podman"},
        {"host.load", "0.50 0.40 0.30"},
        {"host.name", "bench-1"},
        {"host.uptime_s", "100.00"},
        {"memory.huge_pages", "16"},
        {"memory.numa_balancing", "1"},
        {"memory.page_size", "unknown"},
        {"memory.swap", "2048 KiB"},
        {"memory.numa", "node 0: 15.6 GiB (0-1)"},
        {"memory.total", "16384000 KiB"},
        {"os.clock_source", "tsc"},
        {"os.kernel", "6.1.0-18-amd64"},
        {"os.libc", "unknown"},
        {"os.name", "Debian GNU/Linux 12 (bookworm)"},
    };
    write_machine(tree);
    sy_identity *identity = describe_tree(tree);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        const sy_identity_field *field = sy_identity_find(identity, expected[i][0]);
        if (field == NULL || strcmp(field->value, expected[i][1]) != 0)
            fail_msg("%s is '%s'", expected[i][0], field != NULL ? field->value : "absent");
        assert_false(field->key);
    }
    sy_identity_destroy(identity);
}

static void a_quota_changes_the_key(void **state)
{
    fake_tree *tree = *state;
    char before[SY_DIGEST_TEXT];
    char after[SY_DIGEST_TEXT];
    char *text = NULL;
    write_machine(tree);
    digest_tree(tree, before);
    sy_identity *there = describe_tree(tree);
    fake_tree_write(tree, "/sys/fs/cgroup/user/cpu.max", "150000 100000");
    digest_tree(tree, after);
    assert_string_not_equal(before, after);
    sy_identity *here = describe_tree(tree);
    assert_int_equal(sy_identity_diff(here, there, false, &text, NULL), SY_OK);
    assert_string_equal(text, "cpu.limit: 1.5 here, 2 there\ncpu.quota: 1.5 here, none there\n");
    assert_string_equal(sy_identity_get(here, "cpu.limit.source"), "cgroup v2, /user");
    sy_text_free(text);
    sy_identity_destroy(here);
    sy_identity_destroy(there);
}

static void a_reboot_and_a_kernel_update_do_not_change_the_key(void **state)
{
    fake_tree *tree = *state;
    char before[SY_DIGEST_TEXT];
    char after[SY_DIGEST_TEXT];
    char *text = NULL;
    write_machine(tree);
    digest_tree(tree, before);
    sy_identity *there = describe_tree(tree);
    fake_tree_write(tree, "/proc/sys/kernel/osrelease", "6.12.3-amd64");
    fake_tree_write(tree, "/proc/sys/kernel/random/boot_id", "9f8e");
    fake_tree_write(tree, "/proc/uptime", "3.00 1.00");
    fake_tree_write(tree, "/proc/loadavg", "4.00 2.00 1.00 3/210 99");
    fake_tree_write(tree, "/proc/meminfo", "MemTotal:       16383996 kB");
    fake_tree_write(tree, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance");
    fake_tree_write(tree, "/sys/devices/system/cpu/cpu0/cpu_capacity", "1024");
    fake_tree_write(tree, "/sys/devices/system/cpu/cpu1/cpu_capacity", "1024");
    fake_tree_write(tree, "/proc/cpuinfo",
                    "processor : 0\nvendor_id : GenuineIntel\ncpu family : 6\nmodel : 85\nstepping : 7\n"
                    "flags : fpu sse2 avx2 avx512f a_flag_of_a_newer_kernel\nmicrocode : 0x5003707");
    digest_tree(tree, after);
    assert_string_equal(before, after);
    sy_identity *here = describe_tree(tree);
    assert_int_equal(sy_identity_diff(here, there, false, &text, NULL), SY_OK);
    assert_string_equal(text, "");
    sy_text_free(text);
    assert_int_equal(sy_identity_diff(here, there, true, &text, NULL), SY_OK);
    assert_non_null(strstr(text, "os.kernel: 6.12.3-amd64 here, 6.1.0-18-amd64 there (recorded only)\n"));
    assert_non_null(strstr(text, "cpu.governor: performance, powersave here, powersave there (recorded only)\n"));
    sy_text_free(text);
    sy_identity_destroy(here);
    sy_identity_destroy(there);
}

static void the_sixteen_processors_of_a_quota_of_four_are_four(void **state)
{
    fake_tree *tree = *state;
    static const struct {
        const char *quota;
        const char *limit;
        const char *source;
    } rows[] = {
        {"400000 100000", "4", "cgroup v2, /a"},
        {"150000 100000", "1.5", "cgroup v2, /a"},
        {"max 100000", "16", "usable processors"},
        {"3200000 100000", "16", "usable processors"},
    };
    fake_tree_write(tree, "/proc/self/cgroup", "1:net_cls:/\n0::/a/b/c");
    fake_tree_write(tree, "/proc/self/status", "Cpus_allowed_list:\t0-15");
    fake_tree_write(tree, "/sys/fs/cgroup/a/b/cpu.max", "max 100000");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fake_tree_write(tree, "/sys/fs/cgroup/a/cpu.max", rows[i].quota);
        sy_identity *identity = describe_tree(tree);
        assert_string_equal(sy_identity_get(identity, "cpu.limit"), rows[i].limit);
        assert_true(sy_identity_find(identity, "cpu.limit")->key);
        assert_string_equal(sy_identity_get(identity, "cpu.limit.source"), rows[i].source);
        assert_string_equal(sy_identity_get(identity, "cpu.usable"), "16");
        sy_identity_destroy(identity);
    }
}

static void the_same_quota_of_version_one_is_four_too(void **state)
{
    fake_tree *tree = *state;
    static const struct {
        const char *quota;
        const char *limit;
        const char *said; /* of the quota alone */
        const char *source;
    } rows[] = {
        {"400000", "4", "4", "cgroup v1, /a"},
        {"150000", "1.5", "1.5", "cgroup v1, /a"},
        {"-1", "16", "none", "usable processors"},
    };
    fake_tree_write(tree, "/proc/self/cgroup", "3:cpu,cpuacct:/a\n1:net_cls:/\n0::/a/b/c");
    fake_tree_write(tree, "/proc/self/status", "Cpus_allowed_list:\t0-15");
    fake_tree_write(tree, "/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fake_tree_write(tree, "/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", rows[i].quota);
        sy_identity *identity = describe_tree(tree);
        assert_string_equal(sy_identity_get(identity, "cpu.limit"), rows[i].limit);
        assert_string_equal(sy_identity_get(identity, "cpu.quota"), rows[i].said);
        assert_true(sy_identity_find(identity, "cpu.limit")->key && sy_identity_find(identity, "cpu.quota")->key);
        assert_string_equal(sy_identity_get(identity, "cpu.limit.source"), rows[i].source);
        sy_identity_destroy(identity);
    }
}

/* Both versions are mounted, and no group has a quota: all processors, and that is known. */
static void a_hybrid_system_without_any_quota_has_all_processors(void **state)
{
    fake_tree *tree = *state;
    fake_tree_write(tree, "/proc/self/cgroup", "1:net_cls:/\n0::/a/b/c");
    fake_tree_write(tree, "/proc/self/status", "Cpus_allowed_list:\t0-15");
    fake_tree_make_folders(tree, "/sys/fs/cgroup/unified/a/b/c/");
    fake_tree_make_folders(tree, "/sys/fs/cgroup/net_cls/");
    sy_identity *identity = describe_tree(tree);
    assert_string_equal(sy_identity_get(identity, "cpu.limit"), "16");
    assert_string_equal(sy_identity_get(identity, "cpu.quota"), "none");
    sy_identity_destroy(identity);
}

static void without_proc_the_limit_is_unknown_and_the_identity_equals_nothing(void **state)
{
    fake_tree *tree = *state;
    fake_tree_write(tree, "/sys/devices/system/cpu/online", "0-15");
    sy_identity *identity = describe_tree(tree);
    static const char *const names[] = {"cpu.limit", "cpu.quota", "cpu.usable", "cpu.vendor", "cpu.cache"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_string_equal(sy_identity_get(identity, names[i]), "unknown");
        assert_true(sy_identity_find(identity, names[i])->key);
    }
    assert_string_equal(sy_identity_get(identity, "cpu.limit.source"), "no /proc/self");
    assert_true(sy_identity_is_uncertain(identity));
    assert_false(sy_identity_same_key(identity, identity));
    sy_identity_destroy(identity);
}

static void device_software_and_more_fields_are_part_of_the_key(void **state)
{
    fake_tree *tree = *state;
    sy_device_info device = {
        .name = "gpu0", .backend = "opencl", .description = "A GPU", .threads = 0, .memory_bytes = 5};
    sy_software software[] = {{"openblas", "OpenBLAS 0.3.21"}, {"blis", NULL}};
    sy_identity_field fields[] = {{"device.uuid", "GPU-1", true}, {"device.slot", "3", false}};
    sy_identity_options options = SY_IDENTITY_OPTIONS_INIT;
    write_machine(tree);
    options.root = tree->root;
    options.environment = no_environment;
    options.device = &device;
    options.software = software;
    options.software_count = 2;
    options.fields = fields;
    options.field_count = 2;
    sy_identity *one = describe(&options);
    assert_string_equal(sy_identity_get(one, "library.openblas"), "OpenBLAS 0.3.21");
    assert_string_equal(sy_identity_get(one, "library.blis"), "unknown");
    assert_string_equal(sy_identity_get(one, "device.description"), "A GPU");
    assert_string_equal(sy_identity_get(one, "device.threads"), "unknown");
    assert_string_equal(sy_identity_get(one, "device.memory_bytes"), "5");
    software[0].version = "OpenBLAS 0.3.28";
    fields[0].value = "GPU-2";
    fields[1].value = "4";
    device.memory_bytes = 6;
    sy_identity *two = describe(&options);
    char *text = NULL;
    assert_int_equal(sy_identity_diff(two, one, false, &text, NULL), SY_OK);
    assert_string_equal(text, "device.uuid: GPU-2 here, GPU-1 there\n"
                              "library.blis: unknown here, unknown there\n"
                              "library.openblas: OpenBLAS 0.3.28 here, OpenBLAS 0.3.21 there\n");
    sy_text_free(text);
    sy_identity_destroy(one);
    sy_identity_destroy(two);
}

static void wrong_options_are_refused_and_named(void **state)
{
    (void)state;
    sy_identity *identity = (sy_identity *)0x1;
    sy_error err = SY_ERROR_INIT;
    sy_software software[] = {{NULL, "1"}};
    sy_identity_field fields[] = {{"", "1", true}};
    sy_identity_options options = SY_IDENTITY_OPTIONS_INIT;
    options.struct_size = 8;
    assert_int_equal(sy_identity_describe(&options, &identity, &err), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(err.what, "struct_size is 8"));
    options.struct_size = sizeof options;
    options.software = software;
    options.software_count = 1;
    assert_int_equal(sy_identity_describe(&options, &identity, &err), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(err.what, "software[0]"));
    software[0].name = "";
    assert_int_equal(sy_identity_describe(&options, &identity, &err), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(err.what, "software[0]"));
    options.software_count = 0;
    options.fields = fields;
    options.field_count = 1;
    assert_int_equal(sy_identity_describe(&options, &identity, &err), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(err.what, "no name"));
    assert_ptr_equal(identity, (sy_identity *)0x1);
    sy_identity_destroy(NULL);
}

typedef struct scenario_data {
    const fake_tree *tree;
    char digest[SY_DIGEST_TEXT];
} scenario_data;

static sy_status describe_scenario(void *user)
{
    const scenario_data *data = user;
    sy_identity *identity = NULL;
    char *text = NULL;
    char digest[SY_DIGEST_TEXT];
    sy_software software = {"openblas", "0.3.21"};
    sy_identity_options options = SY_IDENTITY_OPTIONS_INIT;
    options.root = data->tree->root;
    options.environment = no_environment;
    options.software = &software;
    options.software_count = 1;
    sy_status status = sy_identity_describe(&options, &identity, NULL);
    if (status == SY_OK)
        status = sy_identity_digest_text(identity, digest, NULL);
    if (status == SY_OK && data->digest[0] != '\0')
        assert_string_equal(digest, data->digest);
    if (status == SY_OK)
        status = sy_identity_processor(identity, &text, NULL);
    sy_text_free(text);
    text = NULL;
    if (status == SY_OK)
        status = sy_identity_diff(identity, identity, true, &text, NULL);
    sy_text_free(text);
    sy_identity_destroy(identity);
    return status;
}

static void short_memory_ends_a_description_and_never_changes_its_key(void **state)
{
    scenario_data data = {.tree = *state};
    sy_identity *identity = NULL;
    sy_software software = {"openblas", "0.3.21"};
    sy_identity_options options = SY_IDENTITY_OPTIONS_INIT;
    write_machine(data.tree);
    options.root = data.tree->root;
    options.environment = no_environment;
    options.software = &software;
    options.software_count = 1;
    identity = describe(&options);
    assert_int_equal(sy_identity_digest_text(identity, data.digest, NULL), SY_OK);
    sy_identity_destroy(identity);
    assert_true(fault_loop_allocations(describe_scenario, &data, true) > 50);
    assert_true(fault_loop_allocations(describe_scenario, &data, false) > 50);
}

static fake_tree the_tree;

static int start(void **state)
{
    fake_tree_start(&the_tree);
    *state = &the_tree;
    return 0;
}

static int finish(void **state)
{
    fake_tree_finish(*state);
    return 0;
}

#define TREE_TEST(name) cmocka_unit_test_setup_teardown(name, start, finish)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TREE_TEST(a_recorded_machine_has_the_documented_text),
        TREE_TEST(facts_for_people_are_recorded_and_no_key),
        TREE_TEST(a_quota_changes_the_key),
        TREE_TEST(a_reboot_and_a_kernel_update_do_not_change_the_key),
        TREE_TEST(the_sixteen_processors_of_a_quota_of_four_are_four),
        TREE_TEST(the_same_quota_of_version_one_is_four_too),
        TREE_TEST(a_hybrid_system_without_any_quota_has_all_processors),
        TREE_TEST(without_proc_the_limit_is_unknown_and_the_identity_equals_nothing),
        TREE_TEST(device_software_and_more_fields_are_part_of_the_key),
        TREE_TEST(short_memory_ends_a_description_and_never_changes_its_key),
        cmocka_unit_test(wrong_options_are_refused_and_named),
    };
    return cmocka_run_group_tests_name("describe", tests, NULL, NULL);
}
