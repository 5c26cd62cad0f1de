/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of processor quotas and cpusets on recorded trees. The first three are what people met:
 * https://github.com/ninja-build/ninja/issues/2805, https://github.com/joblib/loky/issues/634,
 * https://github.com/spiceai/spiceai/issues/12299. */
#include "identity/cgroup.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmocka_headers.h"
#include "fake_tree.h"
#include "fault_loop.h"

static sy_cpu_quota read_quota(const fake_tree *tree)
{
    sy_cpu_quota quota = {.known = false};
    sy_error err = SY_ERROR_INIT;
    if (sy_cgroup_cpu_quota(tree->root, &quota, &err) != SY_OK)
        fail_msg("%s", err.what);
    return quota;
}

static void assert_quota(const fake_tree *tree, double cpus, const char *source)
{
    sy_cpu_quota quota = read_quota(tree);
    assert_true(quota.known);
    assert_true(quota.limited);
    assert_true(quota.cpus == cpus);
    assert_string_equal(quota.source, source);
}

static void assert_no_quota(const fake_tree *tree)
{
    sy_cpu_quota quota = read_quota(tree);
    assert_true(quota.known);
    assert_false(quota.limited);
}

static void assert_unknown(const fake_tree *tree)
{
    sy_cpu_quota quota = read_quota(tree);
    assert_false(quota.known);
    assert_false(quota.limited);
    assert_true(quota.source[0] != '\0'); /* it says why */
}

static void a_limit_on_an_ancestor_binds(void **state)
{
    fake_tree *tree = *state;
    fake_tree_write(tree, "/proc/self/cgroup", "1:net_cls:/\n0::/a/b/c");
    fake_tree_write(tree, "/sys/fs/cgroup/a/cpu.max", "400000 100000");
    fake_tree_write(tree, "/sys/fs/cgroup/a/b/cpu.max", "max 100000");
    fake_tree_make_folders(tree, "/sys/fs/cgroup/a/b/c/");
    assert_quota(tree, 4.0, "cgroup v2, /a");
    assert_string_equal(read_quota(tree).folder, "/sys/fs/cgroup/a");
    fake_tree_write(tree, "/sys/fs/cgroup/a/cpu.max", "150000 100000");
    assert_quota(tree, 1.5, "cgroup v2, /a");
}

static void a_limit_of_version_one_binds_too(void **state)
{
    fake_tree *tree = *state;
    fake_tree_write(tree, "/proc/self/cgroup", "4:memory:/m\n3:cpu,cpuacct:/a/b\n1:net_cls:/\n0::/x");
    fake_tree_write(tree, "/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "400000");
    fake_tree_write(tree, "/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000");
    fake_tree_write(tree, "/sys/fs/cgroup/cpu/a/b/cpu.cfs_quota_us", "-1");
    fake_tree_write(tree, "/sys/fs/cgroup/cpu/a/b/cpu.cfs_period_us", "100000");
    assert_quota(tree, 4.0, "cgroup v1, /a");
    fake_tree_write(tree, "/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "-1");
    assert_no_quota(tree);
}

static void without_proc_the_quota_is_unknown_and_not_the_machine(void **state)
{
    fake_tree *tree = *state;
    fake_tree_write(tree, "/sys/fs/cgroup/cpu.max", "max 100000");
    assert_unknown(tree);
}

static void the_smallest_of_all_levels_counts(void **state)
{
    fake_tree *tree = *state;
    fake_tree_write(tree, "/proc/self/cgroup", "0::/a/b");
    fake_tree_write(tree, "/sys/fs/cgroup/cpu.max", "800000 100000");
    fake_tree_write(tree, "/sys/fs/cgroup/a/cpu.max", "300000 100000");
    fake_tree_write(tree, "/sys/fs/cgroup/a/b/cpu.max", "100000 50000");
    assert_quota(tree, 2.0, "cgroup v2, /a/b");
    fake_tree_remove(tree, "/sys/fs/cgroup/a/b/cpu.max");
    assert_quota(tree, 3.0, "cgroup v2, /a");
    fake_tree_write(tree, "/sys/fs/cgroup/a/cpu.max", "max 100000");
    assert_quota(tree, 8.0, "cgroup v2, /");
    fake_tree_write(tree, "/sys/fs/cgroup/cpu.max", "max");
    assert_no_quota(tree);
    fake_tree_write(tree, "/sys/fs/cgroup/cpu.max", "50000"); /* the period may be left out */
    assert_quota(tree, 0.5, "cgroup v2, /");
}

static void a_kernel_without_control_groups_has_no_quota(void **state)
{
    fake_tree *tree = *state;
    fake_tree_write(tree, "/proc/self/status", "Name: x");
    assert_no_quota(tree);
    fake_tree_write(tree, "/proc/self/cgroup",
                    "4:memory:/m\n1:name=systemd:/"); /* nor one without the cpu controller */
    assert_no_quota(tree);
}

static void a_group_whose_files_cannot_be_seen_is_unknown(void **state)
{
    fake_tree *tree = *state;
    fake_tree_write(tree, "/proc/self/cgroup", "0::/a/b");
    assert_unknown(tree);
    fake_tree_write(tree, "/sys/fs/cgroup/other/cpu.max", "100000 100000"); /* another view of the hierarchy */
    assert_unknown(tree);
    fake_tree_write(tree, "/proc/self/cgroup", "0::/../sibling"); /* outside of the namespace */
    fake_tree_make_folders(tree, "/sys/fs/cgroup/sibling/");
    assert_unknown(tree);
    fake_tree_write(tree, "/proc/self/cgroup", "3:cpu:/a");
    assert_unknown(tree);
}

/* A bare system without the cgroup file system: in the machine's first namespace the root group has no limit, elsewhere
 * who knows. */
static void the_root_group_of_the_machine_has_no_quota_though_nothing_is_mounted(void **state)
{
    fake_tree *tree = *state;
    char path[4200];
    fake_tree_write(tree, "/proc/self/cgroup", "1:cpu:/\n0::/\n");
    assert_unknown(tree);
    fake_tree_make_folders(tree, "/proc/self/ns/");
    (void)snprintf(path, sizeof(path), "%s/proc/self/ns/cgroup", tree->root);
    assert_int_equal(symlink("cgroup:[4026532000]", path), 0);
    assert_unknown(tree);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("cgroup:[4026531835]", path), 0);
    assert_no_quota(tree);
    fake_tree_write(tree, "/proc/self/cgroup", "1:cpu:/a\n0::/a\n");
    assert_unknown(tree);
}

static void a_quota_that_makes_no_sense_is_unknown(void **state)
{
    fake_tree *tree = *state;
    static const char *const bad[] = {"100000 0", "0 100000",  "many 100000",
                                      "100000 x", "-5 100000", "100000 100000 1"};
    fake_tree_write(tree, "/proc/self/cgroup", "0::/");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        fake_tree_write(tree, "/sys/fs/cgroup/cpu.max", bad[i]);
        assert_unknown(tree);
    }
    fake_tree_write(tree, "/proc/self/cgroup", "2:cpu:/");
    fake_tree_write(tree, "/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "100000"); /* and no period */
    assert_unknown(tree);
}

static void the_mount_table_says_where_the_hierarchies_are(void **state)
{
    fake_tree *tree = *state;
    fake_tree_write(tree, "/proc/self/cgroup", "5:cpuacct,cpu:/docker/x\n0::/y");
    fake_tree_write(tree, "/proc/self/mountinfo",
                    "22 1 0:21 / /proc rw - proc proc rw\n"
                    "30 25 0:26 /docker/x /cg\\040one/cpu rw,nosuid shared:9 master:4 - cgroup cgroup rw,cpu,cpuacct\n"
                    "31 25 0:27 /docker/x /cg\\040one/cpuset rw - cgroup cgroup rw,cpuset");
    /* The container's own group is what the mount shows as its root. */
    fake_tree_write(tree, "/cg one/cpu/cpu.cfs_quota_us", "250000");
    fake_tree_write(tree, "/cg one/cpu/cpu.cfs_period_us", "100000");
    assert_quota(tree, 2.5, "cgroup v1, /docker/x");
    /* A group that only begins like the mount's root does not lie in it. */
    fake_tree_write(tree, "/proc/self/cgroup", "5:cpuacct,cpu:/docker/xx");
    assert_unknown(tree);
}

static void a_version_one_controller_is_not_looked_for_in_version_two(void **state)
{
    fake_tree *tree = *state;
    fake_tree_write(tree, "/proc/self/cgroup", "1:cpu:/\n0::/");
    fake_tree_write(tree, "/proc/self/mountinfo",
                    "30 25 0:26 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
                    "31 25 0:27 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw");
    fake_tree_make_folders(tree, "/sys/fs/cgroup/cpu/");
    fake_tree_write(tree, "/sys/fs/cgroup/unified/cpu.max", "100000 100000");
    assert_no_quota(tree);
    fake_tree_write(tree, "/proc/self/cgroup", "0::/");
    assert_quota(tree, 1.0, "cgroup v2, /");
}

static void lines_that_are_no_lines_of_the_kernel_do_no_harm(void **state)
{
    fake_tree *tree = *state;
    fake_tree_write(tree, "/proc/self/cgroup", "nonsense\n7\n:\n\n::\n0::/a");
    fake_tree_write(tree, "/proc/self/mountinfo",
                    "\n1 2 3\n- - - - - - - - -\n36 35 98:0 / /x rw -\n"
                    "31 25 0:27 / /cg rw - cgroup2 cgroup2 rw");
    fake_tree_write(tree, "/cg/a/cpu.max", "100000 100000");
    assert_quota(tree, 1.0, "cgroup v2, /a");
}

static void assert_cpus(const fake_tree *tree, const char *expected)
{
    bool known = false;
    char found[64] = "";
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    assert_int_equal(sy_cgroup_cpus(tree->root, set, &known, NULL), SY_OK);
    assert_int_equal(known, expected != NULL);
    if (known)
        hwloc_bitmap_list_snprintf(found, sizeof found, set);
    if (expected != NULL)
        assert_string_equal(found, expected);
    hwloc_bitmap_free(set);
}

static void the_nearest_cpuset_of_the_path_counts(void **state)
{
    fake_tree *tree = *state;
    fake_tree_write(tree, "/proc/self/cgroup", "0::/a/b");
    assert_cpus(tree, NULL);
    fake_tree_make_folders(tree, "/sys/fs/cgroup/a/b/");
    assert_cpus(tree, NULL);
    fake_tree_write(tree, "/sys/fs/cgroup/cpuset.cpus.effective", "0-15");
    assert_cpus(tree, "0-15");
    fake_tree_write(tree, "/sys/fs/cgroup/a/cpuset.cpus.effective", "0-7");
    assert_cpus(tree, "0-7");
    fake_tree_write(tree, "/sys/fs/cgroup/a/b/cpuset.cpus.effective", "2,4");
    assert_cpus(tree, "2,4");
    fake_tree_write(tree, "/proc/self/cgroup", "6:cpuset:/c\n0::/a/b");
    fake_tree_write(tree, "/sys/fs/cgroup/cpuset/c/cpuset.effective_cpus", "1");
    assert_cpus(tree, "1");
}

static sy_status quota_scenario(void *user)
{
    const fake_tree *tree = user;
    sy_cpu_quota quota = {.known = false};
    sy_status status = sy_cgroup_cpu_quota(tree->root, &quota, NULL);
    /* Short memory may end it, but never change the answer. */
    assert_int_equal(quota.known, status == SY_OK);
    if (status == SY_OK)
        assert_true(quota.cpus == 4.0);
    return status;
}

static void short_memory_never_changes_the_answer(void **state)
{
    fake_tree *tree = *state;
    fake_tree_write(tree, "/proc/self/cgroup", "0::/a/b");
    fake_tree_write(tree, "/proc/self/mountinfo", "31 25 0:27 / /cg rw - cgroup2 cgroup2 rw");
    fake_tree_write(tree, "/cg/a/cpu.max", "400000 100000");
    fake_tree_write(tree, "/cg/a/b/cpu.max", "max 100000");
    assert_true(fault_loop_allocations(quota_scenario, tree, true) > 4);
    assert_true(fault_loop_allocations(quota_scenario, tree, false) > 4);
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
        TREE_TEST(a_limit_on_an_ancestor_binds),
        TREE_TEST(a_limit_of_version_one_binds_too),
        TREE_TEST(without_proc_the_quota_is_unknown_and_not_the_machine),
        TREE_TEST(the_smallest_of_all_levels_counts),
        TREE_TEST(a_kernel_without_control_groups_has_no_quota),
        TREE_TEST(a_group_whose_files_cannot_be_seen_is_unknown),
        TREE_TEST(the_root_group_of_the_machine_has_no_quota_though_nothing_is_mounted),
        TREE_TEST(a_quota_that_makes_no_sense_is_unknown),
        TREE_TEST(the_mount_table_says_where_the_hierarchies_are),
        TREE_TEST(a_version_one_controller_is_not_looked_for_in_version_two),
        TREE_TEST(lines_that_are_no_lines_of_the_kernel_do_no_harm),
        TREE_TEST(the_nearest_cpuset_of_the_path_counts),
        TREE_TEST(short_memory_never_changes_the_answer),
    };
    return cmocka_run_group_tests_name("cgroup", tests, NULL, NULL);
}
