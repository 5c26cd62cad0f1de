/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of which environment variables belong into a key. */
#include <string.h>

#include "cmocka_headers.h"
#include "identity/facts.h"

static void variables_that_choose_kernels_count(void **state)
{
    (void)state;
    static const char *const count[] = {
        "OPENBLAS_CORETYPE", "OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "BLIS_NUM_THREADS",
        "BLIS_ARCH_TYPE",    "OMP_NUM_THREADS",      "OMP_PROC_BIND",    "GOMP_CPU_AFFINITY",
        "KMP_AFFINITY",      "ONEDNN_MAX_CPU_ISA",   "DNNL_MAX_CPU_ISA", "MKL_CBWR",
        "MKL_NUM_THREADS",   "OMP_NUM_THREADS=3",
    };
    static const char *const do_not[] = {
        "HOME",
        "OMP",
        "XOMP_NUM_THREADS",
        "ONEDNN_VERBOSE",
        "ONEDNN_VERBOSE_TIMESTAMP",
        "OMP_DISPLAY_ENV",
        "MKL_VERBOSE",
        "omp_num_threads",
        "OMP_ODD NAME",
        "BLIS_\xc3\xa9",
        "",
        "=OMP_X",
        "DNNL_JIT_DUMP",
        "OPENBLAS_VERBOSE=2",
        "PATH=OMP_NUM_THREADS",
    };
    for (size_t i = 0; i < sizeof count / sizeof count[0]; i++)
        if (!sy_facts_variable_counts(count[i]))
            fail_msg("%s does not count", count[i]);
    for (size_t i = 0; i < sizeof do_not / sizeof do_not[0]; i++)
        if (sy_facts_variable_counts(do_not[i]))
            fail_msg("'%s' counts", do_not[i]);
    char endless[400];
    memset(endless, 'A', sizeof endless - 1);
    memcpy(endless, "OMP_", 4);
    endless[sizeof endless - 1] = '\0';
    assert_false(sy_facts_variable_counts(endless));
}

static void their_values_become_key_fields_and_the_first_of_two_counts(void **state)
{
    (void)state;
    static const char *const environment[] = {
        "PATH=/bin", "OMP_NUM_THREADS=4", "OMP_NUM_THREADS=8", "BLIS_ARCH_TYPE=", "MKL_CBWR=AVX2=STRICT", "OMP_BROKEN",
        NULL};
    sy_identity identity;
    sy_arena *arena = sy_arena_create(0);
    sy_identity_builder *builder = sy_identity_builder_create(arena);
    sy_facts_add_environment(environment, builder);
    sy_facts_add_environment(NULL, builder);
    assert_int_equal(sy_identity_builder_finish(builder, &identity, NULL), SY_OK);
    assert_int_equal(identity.field_count, 3);
    assert_string_equal(sy_identity_get(&identity, "env.OMP_NUM_THREADS"), "4"); /* as getenv has it */
    assert_string_equal(sy_identity_get(&identity, "env.BLIS_ARCH_TYPE"), "(empty)");
    assert_string_equal(sy_identity_get(&identity, "env.MKL_CBWR"), "AVX2=STRICT");
    for (size_t i = 0; i < identity.field_count; i++)
        assert_true(identity.fields[i].key);
    sy_arena_destroy(arena);
}

static void what_ggml_sets_by_itself_is_no_fact_of_the_machine(void **state)
{
    (void)state;
    static const char *const by_ggml[] = {"KMP_BLOCKTIME=200", NULL};
    static const char *const by_a_person[] = {"KMP_BLOCKTIME=0", NULL};
    sy_identity identity;
    sy_arena *arena = sy_arena_create(0);
    sy_identity_builder *builder = sy_identity_builder_create(arena);
    sy_facts_add_environment(by_ggml, builder);
    assert_int_equal(sy_identity_builder_finish(builder, &identity, NULL), SY_OK);
    assert_int_equal(identity.field_count, 0);
    builder = sy_identity_builder_create(arena);
    sy_facts_add_environment(by_a_person, builder);
    assert_int_equal(sy_identity_builder_finish(builder, &identity, NULL), SY_OK);
    assert_string_equal(sy_identity_get(&identity, "env.KMP_BLOCKTIME"), "0");
    sy_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables_that_choose_kernels_count),
        cmocka_unit_test(their_values_become_key_fields_and_the_first_of_two_counts),
        cmocka_unit_test(what_ggml_sets_by_itself_is_no_fact_of_the_machine),
    };
    return cmocka_run_group_tests_name("environment", tests, NULL, NULL);
}
