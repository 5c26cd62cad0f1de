/* SPDX-License-Identifier: Apache-2.0 */
/* Each mutant of attention is wrong in its own way at awkward sizes, and in no other. */
#include "attention_job.h"

/* One query of shared heads, more rows than a panel, causal with more keys than queries, a mask with hidden rows. */
static const attention_size sizes[] = {{1, 8, 2, 1, 77, 40, 0, 0, 0},
                                       {1, 4, 4, 70, 65, 24, 0, 0, 0},
                                       {1, 4, 2, 20, 48, 32, 1, 0, 0},
                                       {1, 4, 2, 30, 60, 16, 0, 1, 3}};
enum { SHARED, MANY, CAUSAL, MASKED, SIZE_COUNT };

typedef struct sight {
    double first; /* errors in units of what is allowed */
    double second;
    bool changed_input;
} sight;

static uint32_t variant_of(const char *name)
{
    sy_device *device = open_cpu(1);
    const sy_suite *suite = attention_suite(device);
    uint32_t variant = 0;
    while (variant < suite->implementation_count && strcmp(suite->implementations[variant].name, name) != 0) {
        variant++;
    }
    assert_true(variant < suite->implementation_count);
    assert_true(suite->implementations[variant].only_if_named);
    sy_device_close(device);
    return variant;
}

static sight look_at(const char *name, size_t size, sy_dtype dtype)
{
    attention_job job;
    sight seen;
    assert_true(start_attention_job(&job, &sizes[size], dtype, variant_of(name)));
    run_attention_job(&job);
    seen.first = attention_error(&job);
    seen.changed_input = !attention_inputs_are_untouched(&job);
    run_attention_job(&job);
    seen.second = attention_error(&job);
    finish_attention_job(&job);
    return seen;
}

static void wrong_outputs_are_wrong_at_every_size_and_storage_type(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        sy_dtype last; /* of f32, f16, bf16: beyond it the fault is none */
    } mutants[] = {{"mutant-tf32", SY_F32},         {"mutant-bf16", SY_F16},       {"mutant-bf16-weights", SY_F16},
                   {"mutant-key-tail", SY_BF16},    {"mutant-last-head", SY_BF16}, {"mutant-wrong-scale", SY_BF16},
                   {"mutant-narrow-sums", SY_BF16}, {"mutant-nan-last", SY_BF16},  {"mutant-half-written", SY_BF16},
                   {"mutant-zeros", SY_BF16}};
    const sy_dtype dtypes[] = {SY_F32, SY_F16, SY_BF16};
    for (size_t i = 0; i < sizeof mutants / sizeof mutants[0]; i++) {
        for (size_t at = 0; at < 3 * SIZE_COUNT; at++) {
            sy_dtype dtype = dtypes[at % 3];
            bool faulty = dtype == SY_F32 || mutants[i].last == SY_BF16 || dtype == mutants[i].last;
            bool masks_it = at / 3 == MASKED && strcmp(mutants[i].name, "mutant-key-tail") == 0; /* padding hides it */
            sight seen = look_at(mutants[i].name, at / 3, dtype);
            if ((faulty && !masks_it) != !(seen.first <= 1) || seen.changed_input) {
                fail_msg("%s, %s, size %zu: %g times what is allowed", mutants[i].name, sy_dtype_word(dtype), at / 3,
                         seen.first);
            }
        }
    }
}

static void faults_of_one_rule_are_seen_where_it_applies_and_nowhere_else(void **state)
{
    (void)state;
    for (size_t size = 0; size < SIZE_COUNT; size++) {
        assert_int_equal(look_at("mutant-causal-from-start", size, SY_F32).first > 1, size == CAUSAL);
        assert_int_equal(look_at("mutant-mask-ignored", size, SY_F32).first > 1, size == MASKED);
        assert_int_equal(look_at("mutant-finite-mask", size, SY_F32).first > 1, size == MASKED);
    }
}

static void stale_and_memoised_outputs_are_right_once(void **state)
{
    (void)state;
    for (size_t size = 0; size < SIZE_COUNT; size++) {
        sight stale = look_at("mutant-stale", size, SY_F16);
        sight memoised = look_at("mutant-memoised", size, SY_F16);
        assert_true(stale.first <= 1 && !(stale.second <= 1));
        assert_true(memoised.first <= 1 && memoised.second <= 1);
    }
}

static void a_changed_input_shows_in_the_input(void **state)
{
    (void)state;
    sight seen = look_at("mutant-input-changed", MANY, SY_F32);
    assert_true(seen.changed_input && seen.first <= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_outputs_are_wrong_at_every_size_and_storage_type),
        cmocka_unit_test(faults_of_one_rule_are_seen_where_it_applies_and_nowhere_else),
        cmocka_unit_test(stale_and_memoised_outputs_are_right_once),
        cmocka_unit_test(a_changed_input_shows_in_the_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
