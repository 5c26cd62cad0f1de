/* SPDX-License-Identifier: Apache-2.0 */
/* An attention case of any shape for tests, its inputs in host memory, and its right values. */
#ifndef STEELYARD_TESTS_ATTENTION_DATA_H
#define STEELYARD_TESTS_ATTENTION_DATA_H

#include "cmocka_headers.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "operations/attention.h"
#include "operations/half.h"

enum { ATTENTION_SEED = 17 };

/* What a test says of a case: the properties in order, mask and masked_rows last. */
typedef struct attention_size {
    int64_t batch, heads, kv_heads, queries, keys, head_dim, causal, mask, masked_rows;
} attention_size;

typedef struct attention_data {
    sy_case_property properties[9];
    sy_case c;
    sy_attention_shape shape;
    sy_attention_tensors tensors;
    sy_output inputs[4];
    void *bytes[4];
    uint64_t count; /* of output elements */
    double *values;
    double *scales;
} attention_data;

static inline sy_case attention_case(const attention_size *size, sy_dtype dtype, sy_case_property properties[9])
{
    const sy_case_property given[9] = {
        {"batch", size->batch},     {"heads", size->heads}, {"kv_heads", size->kv_heads},
        {"queries", size->queries}, {"keys", size->keys},   {"head_dim", size->head_dim},
        {"causal", size->causal},   {"mask", size->mask},   {"masked_rows", size->masked_rows}};
    memcpy(properties, given, sizeof given);
    return (sy_case){.name = "small",
                     .weight = 1,
                     .dtype = dtype,
                     .properties = properties,
                     .property_count = 9,
                     .own_inputs = size->mask != 0,
                     .tolerance = {1, 1, SY_F32, NAN, NAN}};
}

static inline void start_attention(attention_data *d, const attention_size *size, sy_dtype dtype)
{
    memset(d, 0, sizeof *d);
    d->c = attention_case(size, dtype, d->properties);
    assert_int_equal(sy_attention_shape_of(&d->c, &d->shape, NULL), SY_OK);
    assert_int_equal(sy_attention_tensors_of(&d->c, &d->tensors, NULL), SY_OK);
    for (uint32_t i = 0; i < d->tensors.input_count; i++) {
        d->inputs[i].desc = &d->tensors.inputs[i];
        assert_int_equal(sy_tensor_desc_check(d->inputs[i].desc, NULL, &d->inputs[i].size, NULL), SY_OK);
        d->bytes[i] = sy_allocate(1, d->inputs[i].size);
        assert_non_null(d->bytes[i]);
        d->inputs[i].bytes = d->bytes[i];
        assert_int_equal(sy_attention_fill(&d->c, ATTENTION_SEED, i, d->inputs[i].desc, d->bytes[i], NULL), SY_OK);
    }
    assert_int_equal(sy_tensor_desc_check(&d->tensors.output, &d->count, NULL, NULL), SY_OK);
    d->values = sy_allocate(d->count, sizeof(double));
    d->scales = sy_allocate(d->count, sizeof(double));
    assert_true(d->values != NULL && d->scales != NULL);
}

static inline void finish_attention(attention_data *d)
{
    for (size_t i = 0; i < 4; i++) {
        sy_free(d->bytes[i]);
    }
    sy_free(d->values);
    sy_free(d->scales);
}

static inline sy_oracle_request attention_request(const attention_data *d)
{
    return (sy_oracle_request){.inputs = d->inputs,
                               .input_count = d->tensors.input_count,
                               .count = d->count,
                               .values = d->values,
                               .scales = d->scales};
}

static inline void ask_attention(const attention_data *d)
{
    sy_error err = SY_ERROR_INIT;
    sy_oracle_request request = attention_request(d);
    if (sy_attention_oracle(NULL, &d->c, &request, &err) != SY_OK) {
        fail_msg("%s", err.what);
    }
}

static inline double attention_element(const attention_data *d, size_t input, int64_t index)
{
    double value = NAN;
    sy_elements_to_double(d->inputs[input].desc->dtype, d->bytes[input], (uint64_t)index, 1, &value);
    return value;
}

#endif
