/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of usable processors, kinds and caches: recorded trees of several machines, and this machine against hwloc. */
#include "identity/topology.h"

#include <string.h>

#include "cmocka_headers.h"
#include "fake_tree.h"
#include "fault_loop.h"

/* Writes one cache of one processor. */
static void write_cache(const fake_tree *tree, int cpu, int index, int level, const char *type, const char *size,
                        const char *shared)
{
    static const char *const names[] = {"level", "type", "size", "shared_cpu_list"};
    char level_text[2] = {(char)('0' + level), '\0'};
    const char *const values[] = {level_text, type, size, shared};
    for (size_t i = 0; i < 4; i++) {
        char path[128];
        if (values[i] == NULL)
            continue;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index%d/%s", cpu, index, names[i]);
        fake_tree_write(tree, path, values[i]);
    }
}

static void write_allowed(const fake_tree *tree, const char *list)
{
    char status[128];
    snprintf(status, sizeof status, "Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t%s\nMems_allowed_list:\t0", list);
    fake_tree_write(tree, "/proc/self/status", status);
}

/* The named field of what the tree says; in static memory. NULL = no such field. */
static const char *field(const fake_tree *tree, const char *name)
{
    static char value[512];
    bool known = false;
    sy_identity identity;
    sy_arena *arena = sy_arena_create(0);
    sy_identity_builder *builder = sy_identity_builder_create(arena);
    hwloc_bitmap_t usable = hwloc_bitmap_alloc();
    assert_int_equal(sy_topology_usable(tree->root, usable, &known, NULL), SY_OK);
    assert_true(known);
    assert_int_equal(sy_topology_add_kinds(tree->root, usable, builder, NULL), SY_OK);
    assert_int_equal(sy_topology_add_caches(tree->root, usable, builder, NULL), SY_OK);
    assert_int_equal(sy_identity_builder_finish(builder, &identity, NULL), SY_OK);
    const char *found = sy_identity_get(&identity, name);
    snprintf(value, sizeof value, "%s", found != NULL ? found : "");
    hwloc_bitmap_free(usable);
    sy_arena_destroy(arena);
    return found != NULL ? value : NULL;
}

static void assert_usable(const fake_tree *tree, const char *expected)
{
    bool known = false;
    char found[64];
    hwloc_bitmap_t usable = hwloc_bitmap_alloc();
    assert_int_equal(sy_topology_usable(tree->root, usable, &known, NULL), SY_OK);
    assert_int_equal(known, expected != NULL);
    hwloc_bitmap_list_snprintf(found, sizeof found, usable);
    assert_string_equal(found, expected != NULL ? expected : "");
    hwloc_bitmap_free(usable);
}

static void usable_are_those_online_allowed_and_in_the_cpuset(void **state)
{
    fake_tree *tree = *state;
    assert_usable(tree, NULL);
    fake_tree_write(tree, "/sys/devices/system/cpu/online", "0-11");
    assert_usable(tree, NULL); /* what the process may use of them is not known */
    write_allowed(tree, "0-127");
    assert_usable(tree, "0-11");
    write_allowed(tree, "4-9");
    assert_usable(tree, "4-9");
    fake_tree_write(tree, "/proc/self/cgroup", "0::/a");
    fake_tree_write(tree, "/sys/fs/cgroup/a/cpuset.cpus.effective", "8-20");
    assert_usable(tree, "8-9");
    fake_tree_write(tree, "/sys/fs/cgroup/a/cpuset.cpus.effective", "30"); /* contradicts what the process sees */
    assert_usable(tree, "4-9");
    write_allowed(tree, "none");
    assert_usable(tree, NULL);
}

static void write_neighbours(const fake_tree *tree, int cpus, bool paired)
{
    fake_tree_write(tree, "/sys/devices/system/cpu/online", "0-3");
    for (int cpu = 0; cpu < cpus; cpu++) {
        char own[24];
        char pair[32];
        snprintf(own, sizeof own, "%d", cpu);
        if (paired)
            snprintf(pair, sizeof pair, "%d-%d", cpu & ~1, cpu | 1);
        else
            snprintf(pair, sizeof pair, "%d,%d", cpu % 2, cpu % 2 + 2);
        write_cache(tree, cpu, 0, 1, "Data", "32K", own);
        write_cache(tree, cpu, 1, 1, "Instruction", "64K", own);
        write_cache(tree, cpu, 2, 2, "Unified", "1280K", pair);
        write_cache(tree, cpu, 3, 3, "Unified", "32768K", "0-3");
    }
}

static void caches_show_their_exact_size_and_who_shares_them(void **state)
{
    fake_tree *tree = *state;
    write_allowed(tree, "0-3");
    write_neighbours(tree, 4, true);
    assert_string_equal(field(tree, "cpu.cache.l1d"), "32 KiB x 4 (0, 1 apart)");
    assert_string_equal(field(tree, "cpu.cache.l1i"), "64 KiB x 4 (0, 1 apart)");
    assert_string_equal(field(tree, "cpu.cache.l2"), "1280 KiB x 2 (0-1, 2 apart)");
    assert_string_equal(field(tree, "cpu.cache.l3"), "32 MiB x 1 (0-3)");
    assert_null(field(tree, "cpu.cache.l4"));
    /* The same sizes, shared otherwise: another machine. */
    write_neighbours(tree, 4, false);
    assert_string_equal(field(tree, "cpu.cache.l2"), "1280 KiB x 2 (0,2, 1 apart)");
}

static void a_part_of_the_machine_is_described_by_rank(void **state)
{
    fake_tree *tree = *state;
    write_neighbours(tree, 4, true);
    write_allowed(tree, "2-3");
    assert_string_equal(field(tree, "cpu.cache.l1d"), "32 KiB x 2 (0, 1 apart)");
    assert_string_equal(field(tree, "cpu.cache.l2"), "1280 KiB x 1 (0-1)");
    assert_string_equal(field(tree, "cpu.cache.l3"), "32 MiB x 1 (0-1)");
    write_allowed(tree, "1-2"); /* two processors as well, but they share no L2 */
    assert_string_equal(field(tree, "cpu.cache.l2"), "1280 KiB x 2 (0, 1 apart)");
    write_allowed(tree, "3");
    assert_string_equal(field(tree, "cpu.cache.l2"), "1280 KiB x 1 (0)");
}

static void unlike_cores_have_unlike_caches_and_named_kinds(void **state)
{
    fake_tree *tree = *state;
    fake_tree_write(tree, "/sys/devices/system/cpu/online", "0-7");
    fake_tree_write(tree, "/sys/devices/cpu_core/cpus", "0-3");
    fake_tree_write(tree, "/sys/devices/cpu_atom/cpus", "4-7");
    write_allowed(tree, "0-7");
    for (int cpu = 0; cpu < 8; cpu++) {
        char pair[32];
        snprintf(pair, sizeof pair, "%d-%d", cpu & ~1, cpu | 1);
        write_cache(tree, cpu, 0, 2, "Unified", cpu < 4 ? "2048K" : "4096K", cpu < 4 ? pair : "4-7");
    }
    assert_string_equal(field(tree, "cpu.cache.l2"), "2 MiB x 2 (0-1, 2 apart) + 4 MiB x 1 (4-7)");
    assert_string_equal(field(tree, "cpu.kinds"), "atom (4-7) + core (0-3)");
    write_allowed(tree, "4-7");
    assert_string_equal(field(tree, "cpu.kinds"), "atom (0-3)"); /* and not what four big cores would say */
    write_allowed(tree, "0-3");
    assert_string_equal(field(tree, "cpu.kinds"), "core (0-3)");
}

static void a_run_ends_where_size_or_number_of_sharers_changes(void **state)
{
    fake_tree *tree = *state;
    static const char *const sharers[] = {"0-1", "0-1", "2-3", "2-3", "4-6", "4-6", "4-6"};
    write_allowed(tree, "0-6");
    for (int cpu = 0; cpu < 7; cpu++) {
        char own[24];
        snprintf(own, sizeof own, "%d", cpu);
        write_cache(tree, cpu, 0, 1, "Data", cpu < 4 ? "32K" : "48K", own);
        write_cache(tree, cpu, 1, 2, "Unified", "1M", sharers[cpu]);
    }
    assert_string_equal(field(tree, "cpu.cache.l1d"), "32 KiB x 4 (0, 1 apart) + 48 KiB x 3 (4, 1 apart)");
    assert_string_equal(field(tree, "cpu.cache.l2"), "1 MiB x 2 (0-1, 2 apart) + 1 MiB x 1 (4-6)");
}

static void kinds_by_capacity_are_said_only_where_they_differ(void **state)
{
    fake_tree *tree = *state;
    static const char *const capacities[] = {"446", "446", "1024", "1024"};
    fake_tree_write(tree, "/sys/devices/system/cpu/online", "0-3");
    write_allowed(tree, "0-3");
    assert_string_equal(field(tree, "cpu.kinds"), "alike");
    for (int cpu = 0; cpu < 4; cpu++) {
        char path[64];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpu_capacity", cpu);
        fake_tree_write(tree, path, "1024");
    }
    /* A newer kernel may give the file where an older one did not: that makes no other machine. */
    assert_string_equal(field(tree, "cpu.kinds"), "alike");
    for (int cpu = 0; cpu < 4; cpu++) {
        char path[64];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpu_capacity", cpu);
        fake_tree_write(tree, path, capacities[cpu]);
    }
    assert_string_equal(field(tree, "cpu.kinds"), "capacity 446 (0-1) + capacity 1024 (2-3)");
    write_allowed(tree, "0-1");
    assert_string_equal(field(tree, "cpu.kinds"), "capacity 446 (0-1)");
}

static void what_is_missing_of_a_cache_makes_it_unknown(void **state)
{
    fake_tree *tree = *state;
    write_allowed(tree, "0-1");
    assert_string_equal(field(tree, "cpu.cache"), "unknown");
    for (int cpu = 0; cpu < 2; cpu++) {
        write_cache(tree, cpu, 0, 1, "Data", "32K", NULL);
        write_cache(tree, cpu, 1, 2, "Unified", "lots", "0-1");
        write_cache(tree, cpu, 2, 3, "Unified", NULL, "0-1");
        write_cache(tree, cpu, 3, 4, "Unified", "8M", "0-1");
    }
    assert_string_equal(field(tree, "cpu.cache.l1d"), "unknown");
    assert_string_equal(field(tree, "cpu.cache.l2"), "unknown");
    assert_string_equal(field(tree, "cpu.cache.l3"), "unknown");
    assert_string_equal(field(tree, "cpu.cache.l4"), "8 MiB x 1 (0-1)");
    assert_null(field(tree, "cpu.cache"));
}

static void a_machine_of_many_processors_still_has_a_short_text(void **state)
{
    fake_tree *tree = *state;
    fake_tree_write(tree, "/sys/devices/system/cpu/online", "0-63");
    write_allowed(tree, "0-63");
    for (int cpu = 0; cpu < 64; cpu++) {
        char pair[32];
        char quarter[64];
        snprintf(pair, sizeof pair, "%d,%d", cpu % 32, cpu % 32 + 32);
        snprintf(quarter, sizeof quarter, "%d-%d,%d-%d", cpu % 32 / 8 * 8, cpu % 32 / 8 * 8 + 7, cpu % 32 / 8 * 8 + 32,
                 cpu % 32 / 8 * 8 + 39);
        write_cache(tree, cpu, 0, 1, "Data", "48K", pair);
        write_cache(tree, cpu, 1, 3, "Unified", "16384K", quarter);
    }
    assert_string_equal(field(tree, "cpu.cache.l1d"), "48 KiB x 32 (0,32, 1 apart)");
    assert_string_equal(field(tree, "cpu.cache.l3"), "16 MiB x 4 (0-7,32-39, 8 apart)");
}

static void this_machine_looks_to_the_kernel_as_it_looks_to_hwloc(void **state)
{
    (void)state;
    if (access("/sys/devices/system/cpu/cpu0/cache/index0/size", R_OK) != 0) {
        print_message("skipped: this kernel shows no caches in /sys\n");
        skip();
    }
    bool known = false;
    sy_identity kernel;
    sy_identity other;
    sy_text differences = SY_TEXT_INIT;
    sy_arena *arena = sy_arena_create(0);
    sy_identity_builder *by_kernel = sy_identity_builder_create(arena);
    sy_identity_builder *by_hwloc = sy_identity_builder_create(arena);
    hwloc_bitmap_t usable = hwloc_bitmap_alloc();
    assert_int_equal(sy_topology_usable("", usable, &known, NULL), SY_OK);
    assert_true(known);
    assert_int_equal(sy_topology_add_caches("", usable, by_kernel, NULL), SY_OK);
    assert_int_equal(sy_topology_add_caches_by_hwloc(usable, by_hwloc, NULL), SY_OK);
    assert_int_equal(sy_identity_builder_finish(by_kernel, &kernel, NULL), SY_OK);
    assert_int_equal(sy_identity_builder_finish(by_hwloc, &other, NULL), SY_OK);
    assert_true(kernel.field_count > 1);
    if (sy_identity_append_diff(&kernel, &other, true, &differences) > 0)
        fail_msg("%s", sy_text_bytes(&differences));
    sy_text_finish(&differences);
    hwloc_bitmap_free(usable);
    sy_arena_destroy(arena);
}

static void what_hwloc_is_told_of_another_machine_is_not_believed(void **state)
{
    (void)state;
    sy_identity identity;
    sy_arena *arena = sy_arena_create(0);
    sy_identity_builder *builder = sy_identity_builder_create(arena);
    hwloc_bitmap_t usable = hwloc_bitmap_alloc();
    hwloc_bitmap_set_range(usable, 0, 1);
    assert_int_equal(setenv("HWLOC_SYNTHETIC", "package:1 l2:2 core:1 pu:1", 1), 0);
    assert_int_equal(sy_topology_add_caches_by_hwloc(usable, builder, NULL), SY_OK);
    assert_int_equal(unsetenv("HWLOC_SYNTHETIC"), 0);
    assert_int_equal(sy_identity_builder_finish(builder, &identity, NULL), SY_OK);
    assert_int_equal(identity.field_count, 1);
    assert_string_equal(sy_identity_get(&identity, "cpu.cache"), "unknown");
    hwloc_bitmap_free(usable);
    sy_arena_destroy(arena);
}

static sy_status cache_scenario(void *user)
{
    const fake_tree *tree = user;
    bool known = false;
    sy_identity identity;
    sy_arena *arena = sy_arena_create(0);
    sy_identity_builder *builder = arena != NULL ? sy_identity_builder_create(arena) : NULL;
    hwloc_bitmap_t usable = hwloc_bitmap_alloc();
    sy_status status = builder != NULL ? sy_topology_usable(tree->root, usable, &known, NULL) : SY_NO_MEMORY;
    if (status == SY_OK)
        status = sy_topology_add_kinds(tree->root, usable, builder, NULL);
    if (status == SY_OK)
        status = sy_topology_add_caches(tree->root, usable, builder, NULL);
    if (status == SY_OK)
        status = sy_identity_builder_finish(builder, &identity, NULL);
    if (status == SY_OK) {
        assert_string_equal(sy_identity_get(&identity, "cpu.cache.l2"), "1280 KiB x 2 (0-1, 2 apart)");
        assert_string_equal(sy_identity_get(&identity, "cpu.kinds"), "core (0-3)");
    }
    hwloc_bitmap_free(usable);
    sy_arena_destroy(arena);
    return status;
}

static void short_memory_never_changes_the_answer(void **state)
{
    fake_tree *tree = *state;
    write_allowed(tree, "0-3");
    write_neighbours(tree, 4, true);
    fake_tree_write(tree, "/sys/devices/cpu_core/cpus", "0-3");
    assert_true(fault_loop_allocations(cache_scenario, tree, true) > 30);
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
        TREE_TEST(usable_are_those_online_allowed_and_in_the_cpuset),
        TREE_TEST(caches_show_their_exact_size_and_who_shares_them),
        TREE_TEST(a_part_of_the_machine_is_described_by_rank),
        TREE_TEST(unlike_cores_have_unlike_caches_and_named_kinds),
        TREE_TEST(a_run_ends_where_size_or_number_of_sharers_changes),
        TREE_TEST(kinds_by_capacity_are_said_only_where_they_differ),
        TREE_TEST(what_is_missing_of_a_cache_makes_it_unknown),
        TREE_TEST(a_machine_of_many_processors_still_has_a_short_text),
        TREE_TEST(short_memory_never_changes_the_answer),
        cmocka_unit_test(this_machine_looks_to_the_kernel_as_it_looks_to_hwloc),
        cmocka_unit_test(what_hwloc_is_told_of_another_machine_is_not_believed),
    };
    return cmocka_run_group_tests_name("topology", tests, NULL, NULL);
}
