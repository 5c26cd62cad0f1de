/* SPDX-License-Identifier: Apache-2.0 */
/* Attention as engines store it: the case table, the mask's data, and right values against sums written out here. */
#include "cmocka_headers.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "operations/engine/attention_engine.h"
#include "operations/fill.h"
#include "operations/half.h"
#include "operations/suite.h"

enum { SEED = 5, PROPERTY_COUNT = 9 };

typedef struct engine_size {
    int64_t batch, heads, kv_heads, queries, keys, head_dim, causal, mask;
} engine_size;

typedef struct engine_data {
    sy_case_property properties[PROPERTY_COUNT];
    sy_case c;
    sy_attention_shape shape;
    sy_engine_attention_tensors tensors;
    sy_output inputs[4];
    void *bytes[4];
    uint64_t count;
    double *values;
    double *scales;
} engine_data;

static void start(engine_data *d, const engine_size *size, sy_dtype dtype, bool own)
{
    const sy_case_property properties[PROPERTY_COUNT] = {
        {"batch", size->batch},     {"heads", size->heads}, {"kv_heads", size->kv_heads},
        {"queries", size->queries}, {"keys", size->keys},   {"head_dim", size->head_dim},
        {"causal", size->causal},   {"mask", size->mask},   {"masked_rows", 0}};
    memset(d, 0, sizeof *d);
    memcpy(d->properties, properties, sizeof properties);
    d->c = (sy_case){.name = "small",
                     .dtype = dtype,
                     .properties = d->properties,
                     .property_count = PROPERTY_COUNT,
                     .tolerance = {1, 1, SY_F32, NAN, NAN},
                     .rounds_inputs_to = dtype};
    assert_int_equal(sy_attention_shape_of(&d->c, &d->shape, NULL), SY_OK);
    assert_int_equal(sy_engine_attention_tensors_of(&d->c, &d->tensors, NULL), SY_OK);
    for (uint32_t i = 0; i < d->tensors.input_count; i++) {
        const sy_tensor_desc *desc = &d->tensors.inputs[i];
        d->inputs[i].desc = desc;
        assert_int_equal(sy_tensor_desc_check(desc, NULL, &d->inputs[i].size, NULL), SY_OK);
        d->bytes[i] = sy_allocate(1, d->inputs[i].size);
        d->inputs[i].bytes = d->bytes[i];
        assert_int_equal(own ? sy_engine_attention_fill(&d->c, SEED, i, desc, d->bytes[i], NULL)
                             : sy_fill_input(SY_FILL_REAL, SEED, i, &d->c, desc, d->bytes[i], NULL),
                         SY_OK);
    }
    assert_int_equal(sy_tensor_desc_check(&d->tensors.output, &d->count, NULL, NULL), SY_OK);
    d->values = sy_allocate(d->count, sizeof(double));
    d->scales = sy_allocate(d->count, sizeof(double));
}

static void finish(engine_data *d)
{
    for (size_t i = 0; i < 4; i++)
        sy_free(d->bytes[i]);
    sy_free(d->values);
    sy_free(d->scales);
}

static sy_status ask(const engine_data *d, const uint64_t *indices, uint64_t count, double *values, double *scales)
{
    sy_oracle_request request = {d->inputs, d->tensors.input_count, 0, indices, count, values, scales};
    return sy_engine_attention_oracle(NULL, &d->c, &request, NULL);
}

static double element(const engine_data *d, size_t input, int64_t index)
{
    double value = NAN;
    sy_elements_to_double(d->inputs[input].desc->dtype, d->bytes[input], (uint64_t)index, 1, &value);
    return value;
}

/* Element [b][i][h][e] of o, by the definition. */
static double by_hand(const engine_data *d, int64_t b, int64_t i, int64_t h, int64_t e)
{
    const sy_attention_shape *s = &d->shape;
    int64_t key_head = b * s->kv_heads + h / (s->heads / s->kv_heads);
    double total = 0;
    double sum = 0;
    for (int64_t j = 0; j < s->keys; j++) {
        double score = 0;
        for (int64_t x = 0; x < s->head_dim; x++)
            score += element(d, 0, ((b * s->heads + h) * s->queries + i) * s->head_dim + x) *
                     element(d, 1, (key_head * s->keys + j) * s->head_dim + x);
        score /= sqrt((double)s->head_dim);
        if (d->tensors.input_count == 4)
            score += element(d, 3, i * s->keys + j);
        total += exp(score);
        sum += exp(score) * element(d, 2, (key_head * s->keys + j) * s->head_dim + e);
    }
    return sum / total;
}

static const engine_size sizes[] = {{1, 2, 2, 3, 5, 4, 0, 0},  {2, 4, 2, 5, 9, 3, 0, 0},  {1, 6, 2, 7, 7, 8, 1, 0},
                                    {2, 3, 1, 4, 11, 5, 1, 0}, {1, 2, 1, 6, 17, 4, 0, 1}, {1, 4, 4, 1, 33, 16, 1, 1}};
enum { SIZE_COUNT = sizeof sizes / sizeof sizes[0] };

static void right_values_are_those_of_the_definition_heads_of_a_query_side_by_side(void **state)
{
    (void)state;
    const sy_dtype dtypes[] = {SY_F32, SY_F16, SY_BF16};
    for (size_t at = 0; at < 6 * SIZE_COUNT; at++) {
        engine_data d;
        start(&d, &sizes[at / 6], dtypes[at % 3], at % 6 < 3);
        const sy_attention_shape *s = &d.shape;
        assert_int_equal(d.tensors.input_count, s->causal || s->masked ? 4 : 3);
        assert_int_equal(ask(&d, NULL, d.count, d.values, d.scales), SY_OK);
        for (int64_t o = 0; o < (int64_t)d.count; o++) {
            int64_t row = o / s->head_dim;
            double right = by_hand(&d, row / s->heads / s->queries, row / s->heads % s->queries, row % s->heads,
                                   o % s->head_dim);
            if (!(fabs(d.values[o] - right) <= 1e-12))
                fail_msg("size %zu, element %lld: %.17g, by hand %.17g", at / 6, (long long)o, d.values[o], right);
            assert_true(d.scales[o] > 0);
        }
        finish(&d);
    }
}

static void a_sample_has_the_values_of_the_whole(void **state)
{
    (void)state;
    const uint64_t indices[] = {0, 3, 17, 40, 41, 100, 335};
    engine_data d;
    double values[7];
    double scales[7];
    start(&d, &sizes[2], SY_F16, true);
    assert_int_equal(d.count, 336);
    assert_int_equal(ask(&d, NULL, d.count, d.values, d.scales), SY_OK);
    assert_int_equal(ask(&d, indices, 7, values, scales), SY_OK);
    for (size_t i = 0; i < 7; i++)
        assert_true(values[i] == d.values[indices[i]]);
    finish(&d);
}

/* 0 and -infinity alone, so that what hides a key is the data. */
static void a_causal_mask_hides_what_comes_after_the_query(void **state)
{
    (void)state;
    engine_data d;
    start(&d, &sizes[3], SY_F16, true);
    for (int64_t i = 0; i < 4; i++)
        for (int64_t j = 0; j < 11; j++)
            assert_true(element(&d, 3, i * 11 + j) == (j > 7 + i ? -INFINITY : 0));
    finish(&d);
}

/* The first rows of a causal mask see few keys and err more: that must not cover a fault of the last ones. */
static void what_is_allowed_falls_with_the_keys_that_a_query_sees(void **state)
{
    (void)state;
    const engine_size size = {1, 4, 4, 256, 256, 16, 1, 0};
    engine_data d;
    start(&d, &size, SY_F16, true);
    assert_int_equal(ask(&d, NULL, d.count, d.values, d.scales), SY_OK);
    assert_true(d.scales[8 * 64] > 2 * d.scales[255 * 64]);
    finish(&d);
}

static void queries_are_rounded_as_the_operation_rounds_them(void **state)
{
    (void)state;
    engine_data d;
    start(&d, &sizes[1], SY_F16, true);
    assert_int_equal(ask(&d, NULL, d.count, d.values, d.scales), SY_OK);
    double before = d.values[5];
    for (uint64_t i = 0; i < d.inputs[0].size / 4; i++)
        ((float *)d.bytes[0])[i] *= 1 + 0x1p-13f;
    assert_int_equal(ask(&d, NULL, d.count, d.values, d.scales), SY_OK);
    assert_true(d.values[5] == before);
    finish(&d);
}

static void the_table_is_well_formed_and_what_it_says_of_work_is_counted(void **state)
{
    (void)state;
    for (size_t i = 0; i < SY_ENGINE_ATTENTION_CASE_COUNT; i++) {
        const sy_case *c = &sy_engine_attention_case_table[i];
        sy_attention_shape s;
        sy_engine_attention_tensors tensors;
        assert_int_equal(sy_attention_shape_of(c, &s, NULL), SY_OK);
        assert_int_equal(sy_engine_attention_tensors_of(c, &tensors, NULL), SY_OK);
        double visible = 0;
        for (int64_t q = 0; q < s.queries; q++)
            visible += (double)(s.causal ? s.keys - s.queries + q + 1 : s.keys);
        assert_true(c->flop_count == 4.0 * (double)(s.batch * s.heads * s.head_dim) * visible);
        uint64_t bytes = 0;
        uint64_t all = 0;
        for (size_t k = 0; k < tensors.input_count; k++) {
            assert_int_equal(sy_tensor_desc_check(&tensors.inputs[k], NULL, &bytes, NULL), SY_OK);
            all += bytes;
        }
        assert_int_equal(sy_tensor_desc_check(&tensors.output, NULL, &bytes, NULL), SY_OK);
        assert_true(c->byte_count == (double)(all + bytes));
        assert_int_equal(c->own_inputs, tensors.input_count == 4);
        assert_int_equal(c->rounds_inputs_to, c->dtype);
        double root = sy_case_tolerance(c, SY_CLASS_TOLERANCE)->c;
        assert_true(c->dtype == SY_F16 ? root * root >= (double)s.keys && (root - 1) * (root - 1) < (double)s.keys
                                       : root == 1);
    }
}

static void what_is_not_the_cases_is_refused(void **state)
{
    (void)state;
    const engine_size wrong = {1, 3, 2, 4, 4, 4, 0, 0};
    engine_data d;
    start(&d, &sizes[2], SY_F16, true);
    const uint64_t outside[] = {d.count};
    assert_int_equal(ask(&d, outside, 1, d.values, d.scales), SY_INVALID_ARGUMENT);
    sy_oracle_request request = {d.inputs, 3, 0, NULL, d.count, d.values, d.scales};
    assert_int_equal(sy_engine_attention_oracle(NULL, &d.c, &request, NULL), SY_INVALID_ARGUMENT);
    d.properties[1].value = wrong.heads;
    d.properties[2].value = wrong.kv_heads;
    assert_int_equal(sy_engine_attention_tensors_of(&d.c, &d.tensors, NULL), SY_INVALID_ARGUMENT);
    d.properties[2].value = 3;
    d.c.dtype = SY_I8;
    assert_int_equal(sy_engine_attention_tensors_of(&d.c, &d.tensors, NULL), SY_INVALID_ARGUMENT);
    finish(&d);
}

static sy_status never_built(void *user, const sy_case *c, uint32_t variant, sy_graph *graph, sy_error *err)
{
    (void)user;
    (void)c;
    (void)variant;
    (void)graph;
    return sy_fail(err, SY_UNAVAILABLE, "never built");
}

/* A decoder's first steps see few keys. */
static void a_case_of_any_number_of_keys_is_one_that_can_be_weighed(void **state)
{
    (void)state;
    const sy_implementation ways[] = {{.name = "a", .role = SY_ROLE_REFERENCE, .summary = "", .how_to_get = ""},
                                      {.name = "b", .role = SY_ROLE_CANDIDATE, .summary = "", .how_to_get = ""}};
    const sy_dtype dtypes[] = {SY_F32, SY_F16, SY_BF16};
    for (int64_t at = 0; at < 3 * 300; at++) {
        const engine_size size = {1, 4, 2, 1, 1 + at / 3, 64, 0, 0};
        engine_data d;
        sy_error err = SY_ERROR_INIT;
        start(&d, &size, dtypes[at % 3], false);
        assert_int_equal(sy_engine_attention_complete(NULL, &d.c, NULL), SY_OK);
        d.c.weight = 1;
        d.c.source = "this test";
        const sy_suite suite = {.struct_size = sizeof suite,
                                .operation = "attention",
                                .version = SY_ENGINE_ATTENTION_VERSION,
                                .implementations = ways,
                                .implementation_count = 2,
                                .cases = &d.c,
                                .case_count = 1,
                                .build = never_built};
        if (sy_suite_check(&suite, &err) != SY_OK)
            fail_msg("%lld keys of %s: %s", (long long)size.keys, sy_dtype_word(d.c.dtype), err.what);
        finish(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_values_are_those_of_the_definition_heads_of_a_query_side_by_side),
        cmocka_unit_test(a_sample_has_the_values_of_the_whole),
        cmocka_unit_test(a_causal_mask_hides_what_comes_after_the_query),
        cmocka_unit_test(what_is_allowed_falls_with_the_keys_that_a_query_sees),
        cmocka_unit_test(queries_are_rounded_as_the_operation_rounds_them),
        cmocka_unit_test(the_table_is_well_formed_and_what_it_says_of_work_is_counted),
        cmocka_unit_test(what_is_not_the_cases_is_refused),
        cmocka_unit_test(a_case_of_any_number_of_keys_is_one_that_can_be_weighed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
