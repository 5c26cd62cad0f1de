/* SPDX-License-Identifier: Apache-2.0 */
/* The case table against counts worked out term by term, shapes that are refused, and the mask's own data. */
#include "attention_data.h"

#include <stdio.h>

#include "operations/suite.h"

static sy_status build(void *user, const sy_case *c, uint32_t variant, sy_graph *graph, sy_error *err)
{
    (void)user;
    (void)c;
    (void)variant;
    (void)graph;
    (void)err;
    return SY_OK;
}

static sy_status initialize(void *user, const sy_case *c, uint32_t variant, uint64_t seed, sy_graph *graph,
                            sy_error *err)
{
    (void)seed;
    return build(user, c, variant, graph, err);
}

static const sy_implementation reference = {
    .name = "plain", .role = SY_ROLE_REFERENCE, .summary = "", .how_to_get = ""};

static const sy_suite suite = {.struct_size = sizeof(sy_suite),
                               .operation = "attention",
                               .version = SY_ATTENTION_VERSION,
                               .implementations = &reference,
                               .implementation_count = 1,
                               .cases = sy_attention_case_table,
                               .case_count = SY_ATTENTION_CASE_COUNT,
                               .build = build,
                               .initialize = initialize};

static double visible_scores(const sy_attention_shape *s)
{
    double visible = 0;
    for (int64_t i = 0; i < s->queries; i++) {
        visible += (double)(s->causal ? s->keys - s->queries + i + 1 : s->keys);
    }
    return visible * (double)(s->batch * s->heads);
}

static void every_case_is_well_formed_and_counts_its_work(void **state)
{
    (void)state;
    sy_error err = SY_ERROR_INIT;
    if (sy_suite_check(&suite, &err) != SY_OK) {
        fail_msg("%s", err.what);
    }
    for (size_t i = 0; i < SY_ATTENTION_CASE_COUNT; i++) {
        const sy_case *c = &sy_attention_case_table[i];
        sy_attention_shape shape;
        sy_attention_tensors tensors;
        double bytes = 0;
        assert_int_equal(sy_attention_shape_of(c, &shape, NULL), SY_OK);
        assert_int_equal(sy_attention_tensors_of(c, &tensors, NULL), SY_OK);
        for (size_t t = 0; t <= tensors.input_count; t++) {
            uint64_t size = 0;
            const sy_tensor_desc *desc = t < tensors.input_count ? &tensors.inputs[t] : &tensors.output;
            assert_int_equal(sy_tensor_desc_check(desc, NULL, &size, NULL), SY_OK);
            bytes += (double)size;
        }
        assert_true(c->byte_count == bytes);
        assert_true(c->flop_count == 4 * (double)shape.head_dim * visible_scores(&shape));
        assert_true(c->source != NULL && c->source[0] != '\0');
        assert_int_equal(c->own_inputs, shape.masked);
    }
}

static void quick_cases_are_few_and_small_and_of_every_dtype(void **state)
{
    (void)state;
    size_t quick = 0;
    bool has[SY_BF16 + 1] = {false};
    for (size_t i = 0; i < SY_ATTENTION_CASE_COUNT; i++) {
        const sy_case *c = &sy_attention_case_table[i];
        if (c->quick) {
            quick++;
            has[c->dtype] = true;
            assert_true(c->flop_count <= 0.5e9);
        }
    }
    assert_in_range(quick, 3, 4);
    assert_true(has[SY_F32] && has[SY_F16] && has[SY_BF16]);
}

/* ---- refusals ---- */

static const attention_size good = {1, 4, 2, 3, 5, 8, 0, 0, 0};

static void expect_refused(const attention_size *size, const char *property, const char *reason)
{
    sy_case_property properties[9];
    sy_case c = attention_case(size, SY_F32, properties);
    sy_attention_shape untouched = {.batch = -7};
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(sy_attention_shape_of(&c, &untouched, &err), SY_INVALID_ARGUMENT);
    assert_int_equal(untouched.batch, -7);
    if (strstr(err.what, "'small'") == NULL || strstr(err.what, property) == NULL || strstr(err.what, reason) == NULL) {
        fail_msg("%s", err.what);
    }
}

static void a_size_below_one_is_refused_by_name(void **state)
{
    (void)state;
    static const char *const names[] = {"batch", "heads", "kv_heads", "queries", "keys", "head_dim"};
    for (size_t i = 0; i < 6; i++) {
        for (int64_t value = -1; value <= 0; value++) {
            attention_size size = good;
            memcpy((char *)&size + i * sizeof(int64_t), &value, sizeof value);
            char reason[96];
            snprintf(reason, sizeof reason, "%s is %lld, it must be 1 or more", names[i], (long long)value);
            expect_refused(&size, names[i], reason);
        }
    }
}

static void properties_that_contradict_each_other_are_refused_by_name(void **state)
{
    (void)state;
    attention_size size = good;
    size.kv_heads = 3;
    expect_refused(&size, "kv_heads is 3", "does not divide heads, 4");
    size = good;
    size.causal = 2;
    expect_refused(&size, "causal is 2", "0 or 1");
    size = good;
    size.mask = -1;
    expect_refused(&size, "mask is -1", "0 or 1");
    size = good;
    size.causal = 1;
    size.queries = 6;
    expect_refused(&size, "causal with 6 queries and 5 keys", "would see none");
    size = good;
    size.masked_rows = 1;
    expect_refused(&size, "masked_rows is 1", "without a mask");
    size.mask = 1;
    size.masked_rows = 4;
    expect_refused(&size, "masked_rows is 4", "0 to 3");
}

static void a_case_without_a_property_or_of_another_dtype_is_refused(void **state)
{
    (void)state;
    sy_case_property properties[9];
    sy_attention_shape shape;
    sy_attention_tensors tensors;
    sy_error err = SY_ERROR_INIT;
    sy_case c = attention_case(&good, SY_F32, properties);
    c.property_count = 8;
    assert_int_equal(sy_attention_shape_of(&c, &shape, &err), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(err.what, "no property 'masked_rows'"));
    c = attention_case(&good, SY_F64, properties);
    assert_int_equal(sy_attention_tensors_of(&c, &tensors, &err), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(err.what, "f64"));
}

static void sizes_that_no_memory_holds_are_refused_by_tensor(void **state)
{
    (void)state;
    sy_attention_tensors tensors;
    sy_case_property properties[9];
    sy_error err = SY_ERROR_INIT;
    attention_size size = good;
    size.queries = INT64_MAX / 2;
    sy_case c = attention_case(&size, SY_F32, properties);
    assert_int_equal(sy_attention_tensors_of(&c, &tensors, &err), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(err.what, "case 'small': q: dims"));
    size = good;
    size.queries = size.keys = INT64_C(1) << 31; /* each tensor can be described, the scores cannot */
    c = attention_case(&size, SY_F32, properties);
    assert_int_equal(sy_attention_tensors_of(&c, &tensors, &err), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(err.what, "case 'small': scores: dims"));
}

/* ---- data ---- */

static void a_mask_hides_padding_and_some_keys_and_never_the_first(void **state)
{
    (void)state;
    const attention_size size = {1, 1, 1, 40, 64, 4, 0, 1, 3};
    attention_data d;
    start_attention(&d, &size, SY_F16);
    const float *mask = d.bytes[3];
    size_t hidden = 0;
    for (int64_t i = 0; i < 40; i++) {
        for (int64_t j = 0; j < 64; j++) {
            float bias = mask[i * 64 + j];
            bool is_hidden = bias == -INFINITY;
            assert_true(is_hidden || (bias >= -1 && bias <= 1));
            assert_true(is_hidden || (i >= 3 && j < 56));
            hidden += is_hidden && i >= 3 && j < 56;
        }
        assert_int_equal(mask[i * 64] == -INFINITY, i < 3);
    }
    assert_in_range(hidden, 80, 180); /* a sixteenth of 37 x 56 is 130 */
    finish_attention(&d);
}

static void data_is_a_function_of_the_seed_and_only_of_the_cases_tensors(void **state)
{
    (void)state;
    const attention_size size = {1, 1, 1, 8, 8, 4, 0, 1, 0};
    attention_data d;
    float other[64];
    sy_error err = SY_ERROR_INIT;
    start_attention(&d, &size, SY_F32);
    assert_int_equal(sy_attention_fill(&d.c, ATTENTION_SEED, 3, d.inputs[3].desc, other, NULL), SY_OK);
    assert_memory_equal(other, d.bytes[3], sizeof other);
    assert_int_equal(sy_attention_fill(&d.c, ATTENTION_SEED + 1, 3, d.inputs[3].desc, other, NULL), SY_OK);
    assert_memory_not_equal(other, d.bytes[3], sizeof other);
    assert_int_equal(sy_attention_fill(&d.c, 1, 4, d.inputs[3].desc, other, &err), SY_INVALID_ARGUMENT);
    assert_int_equal(sy_attention_fill(&d.c, 1, 3, d.inputs[0].desc, other, &err), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(err.what, "input 3"));
    finish_attention(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_case_is_well_formed_and_counts_its_work),
        cmocka_unit_test(quick_cases_are_few_and_small_and_of_every_dtype),
        cmocka_unit_test(a_size_below_one_is_refused_by_name),
        cmocka_unit_test(properties_that_contradict_each_other_are_refused_by_name),
        cmocka_unit_test(a_case_without_a_property_or_of_another_dtype_is_refused),
        cmocka_unit_test(sizes_that_no_memory_holds_are_refused_by_tensor),
        cmocka_unit_test(a_mask_hides_padding_and_some_keys_and_never_the_first),
        cmocka_unit_test(data_is_a_function_of_the_seed_and_only_of_the_cases_tensors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
