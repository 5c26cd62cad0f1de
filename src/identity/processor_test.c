/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of reading /proc/cpuinfo as several architectures write it; the texts are shortened. */
#include <string.h>

#include "cmocka_headers.h"
#include "fake_tree.h"
#include "fault_loop.h"
#include "identity/facts.h"

static const char x86[] = "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 33\n"
                          "model name\t: AMD Ryzen 9 5950X\nstepping\t: 2\nmicrocode\t: 0xa20120a\n"
                          "flags\t\t: fpu sse sse2 avx2 smep sme hypervisor avx fma sse4_2 3dnowprefetch bmi1 avx2\n"
                          "bugs\t\t: avx512_bug\n\n"
                          "processor\t: 1\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 33\nstepping\t: 2\n"
                          "flags\t\t: fpu sse sse2 avx2 avx fma sse4_2 bmi1\n";

static const char arm[] =
    "processor\t: 0\nBogoMIPS\t: 38.40\nFeatures\t: fp asimd evtstrm aes crc32 asimddp sve2 sme smei16i64 bf16\n"
    "CPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x1\nCPU part\t: 0xd46\nCPU revision\t: 0\n\n"
    "processor\t: 1\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x0\n"
    "CPU part\t: 0xd05\nCPU revision\t: 3\n";

static const char riscv[] =
    "processor\t: 0\nhart\t\t: 1\nisa\t\t: rv64imafdcv_zba\nmmu\t\t: sv39\nuarch\t\t: sifive,u74\n";

/* Asserts one field of what is said of the tree; NULL = there is no such field. */
static void assert_field(const fake_tree *tree, const char *name, const char *expected, bool key)
{
    sy_identity identity;
    sy_arena *arena = sy_arena_create(0);
    sy_identity_builder *builder = sy_identity_builder_create(arena);
    assert_int_equal(sy_facts_add_processor(tree->root, builder, NULL), SY_OK);
    assert_int_equal(sy_identity_builder_finish(builder, &identity, NULL), SY_OK);
    const sy_identity_field *field = sy_identity_find(&identity, name);
    if (expected == NULL) {
        assert_null(field);
    } else {
        assert_non_null(field);
        assert_string_equal(field->value, expected);
        assert_int_equal(field->key, key);
    }
    sy_arena_destroy(arena);
}

static void an_x86_processor_is_read(void **state)
{
    fake_tree *tree = *state;
    fake_tree_write(tree, "/proc/cpuinfo", x86);
    assert_field(tree, "cpu.vendor", "AuthenticAMD", true);
    assert_field(tree, "cpu.family", "25", true);
    assert_field(tree, "cpu.model", "33", true);
    assert_field(tree, "cpu.stepping", "2", true);
    assert_field(tree, "cpu.variant", NULL, true);
    assert_field(tree, "cpu.name", "AMD Ryzen 9 5950X", false);
    assert_field(tree, "cpu.microcode", "0xa20120a", false);
    assert_field(tree, "host.hypervisor", "yes", false);
}

static void only_flags_that_choose_kernels_count_sorted_and_once(void **state)
{
    fake_tree *tree = *state;
    fake_tree_write(tree, "/proc/cpuinfo", x86);
    assert_field(tree, "cpu.isa", "avx,avx2,bmi1,fma,sse,sse2,sse4_2", true);
}

static void an_arm_processor_with_two_kinds_of_cores_is_read(void **state)
{
    fake_tree *tree = *state;
    fake_tree_write(tree, "/proc/cpuinfo", arm);
    assert_field(tree, "cpu.vendor", "0x41", true);
    assert_field(tree, "cpu.family", "8", true);
    assert_field(tree, "cpu.model", "0xd05+0xd46", true);
    assert_field(tree, "cpu.variant", "0x0+0x1", true);
    assert_field(tree, "cpu.stepping", "0+3", true);
    assert_field(tree, "cpu.isa", "asimd,asimddp,bf16,sme,smei16i64,sve2", true);
}

static void what_an_architecture_does_not_say_is_no_unknown(void **state)
{
    fake_tree *tree = *state;
    fake_tree_write(tree, "/proc/cpuinfo", riscv);
    assert_field(tree, "cpu.isa", "rv64imafdcv_zba", true);
    assert_field(tree, "cpu.model", "sifive,u74", true);
    assert_field(tree, "cpu.vendor", "none given", true); /* so that two such machines can still be equal */
}

static void without_the_file_all_is_unknown(void **state)
{
    fake_tree *tree = *state;
    assert_field(tree, "cpu.vendor", "unknown", true);
    assert_field(tree, "cpu.isa", "unknown", true);
    assert_field(tree, "cpu.microcode", "unknown", false);
}

static void the_hypervisor_is_named_where_it_says_its_name(void **state)
{
    fake_tree *tree = *state;
    fake_tree_write(tree, "/proc/cpuinfo", arm);
    assert_field(tree, "host.hypervisor", "none seen", false);
    assert_field(tree, "host.machine", "unknown", false);
    fake_tree_write(tree, "/sys/hypervisor/type", "xen");
    fake_tree_write(tree, "/sys/class/dmi/id/sys_vendor", "QEMU");
    assert_field(tree, "host.hypervisor", "xen", false);
    assert_field(tree, "host.machine", "QEMU, unknown product", false);
}

static sy_status scenario(void *user)
{
    const fake_tree *tree = user;
    sy_identity identity;
    sy_arena *arena = sy_arena_create(0);
    sy_identity_builder *builder = arena != NULL ? sy_identity_builder_create(arena) : NULL;
    sy_status status = builder != NULL ? sy_facts_add_processor(tree->root, builder, NULL) : SY_NO_MEMORY;
    if (status == SY_OK)
        status = sy_identity_builder_finish(builder, &identity, NULL);
    if (status == SY_OK) {
        assert_string_equal(sy_identity_get(&identity, "cpu.vendor"), "AuthenticAMD");
        assert_string_equal(sy_identity_get(&identity, "cpu.isa"), "avx,avx2,bmi1,fma,sse,sse2,sse4_2");
    }
    sy_arena_destroy(arena);
    return status;
}

static void short_memory_never_changes_the_answer(void **state)
{
    fake_tree *tree = *state;
    fake_tree_write(tree, "/proc/cpuinfo", x86);
    assert_true(fault_loop_allocations(scenario, tree, true) > 8);
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
        TREE_TEST(an_x86_processor_is_read),
        TREE_TEST(only_flags_that_choose_kernels_count_sorted_and_once),
        TREE_TEST(an_arm_processor_with_two_kinds_of_cores_is_read),
        TREE_TEST(what_an_architecture_does_not_say_is_no_unknown),
        TREE_TEST(without_the_file_all_is_unknown),
        TREE_TEST(the_hypervisor_is_named_where_it_says_its_name),
        TREE_TEST(short_memory_never_changes_the_answer),
    };
    return cmocka_run_group_tests_name("processor", tests, NULL, NULL);
}
