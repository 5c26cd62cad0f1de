/* SPDX-License-Identifier: Apache-2.0 */
/* Attention's right values for data stored as engines store it: the data is brought to what attention's oracle reads,
 * and its answers to where o has them. Nothing here is ever timed or weighed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "operations/engine/attention_engine.h"
#include "operations/engine/engine_weights.h"
#include "operations/half.h"

enum { PROPERTY_COUNT = 9, QUERIES_INPUT = 0, MASK_INPUT = 3 };

/* The same problem as attention has it. */
typedef struct plain_problem {
    sy_case c;
    sy_case_property properties[PROPERTY_COUNT];
    sy_attention_shape shape;
    sy_attention_tensors tensors;
    sy_output inputs[4];
    void *queries; /* of the case's dtype; NULL where they are f32 */
    float *mask;   /* NULL without one, and where the causal rule says all of it */
} plain_problem;

/* An element that is asked for: where attention has it, and its place in the request. */
typedef struct asked {
    uint64_t index;
    uint64_t place;
} asked;

static sy_status no_memory(const sy_case *c, sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "case '%s': no memory for the right values of attention", c->name);
}

/* Whether the mask is 0 where the causal rule shows a key and -infinity where it hides it. */
static bool is_causal(const sy_attention_shape *s, const uint16_t *mask)
{
    if (s->queries > s->keys) {
        return false;
    }
    for (int64_t i = 0; i < s->queries; i++) {
        for (int64_t j = 0; j < s->keys; j++) {
            float wanted = j > s->keys - s->queries + i ? -INFINITY : 0.0f;
            if (sy_f16_to_f32(mask[i * s->keys + j]) != wanted) {
                return false;
            }
        }
    }
    return true;
}

static void set_property(plain_problem *p, const char *name, int64_t value)
{
    for (size_t i = 0; i < PROPERTY_COUNT; i++) {
        if (strcmp(p->properties[i].name, name) == 0) {
            p->properties[i].value = value;
        }
    }
}

/* What q is rounded to before it meets a key. */
static sy_status round_queries(plain_problem *p, const sy_output *q, sy_error *err)
{
    if (p->c.dtype == SY_F32) {
        return SY_OK;
    }
    const float *wide = q->bytes;
    uint64_t count = q->size / sizeof *wide;
    uint16_t *narrow = sy_allocate((size_t)count, sizeof *narrow);
    if (narrow == NULL) {
        return no_memory(&p->c, err);
    }
    for (uint64_t i = 0; i < count; i++) {
        narrow[i] = p->c.dtype == SY_F16 ? sy_f16_from_f32(wide[i]) : sy_bf16_from_f32(wide[i]);
    }
    p->queries = narrow;
    p->inputs[QUERIES_INPUT].bytes = narrow;
    p->inputs[QUERIES_INPUT].size = count * sizeof *narrow;
    return SY_OK;
}

static sy_status widen_mask(plain_problem *p, const sy_output *mask, sy_error *err)
{
    if (is_causal(&p->shape, mask->bytes)) {
        set_property(p, "causal", 1);
        return SY_OK;
    }
    sy_tensor_desc desc = *mask->desc;
    sy_status status = sy_engine_widen(&p->c, mask, &desc, &p->inputs[MASK_INPUT], &p->mask, err);
    if (status == SY_OK) {
        set_property(p, "mask", 1);
    }
    return status;
}

static sy_status make_plain(const sy_case *c, const sy_oracle_request *request, plain_problem *p, sy_error *err)
{
    sy_status status = sy_attention_shape_of(c, &p->shape, err);
    if (status != SY_OK) {
        return status;
    }
    const sy_attention_shape *s = &p->shape;
    const sy_case_property properties[PROPERTY_COUNT] = {
        {"batch", s->batch},     {"heads", s->heads}, {"kv_heads", s->kv_heads},
        {"queries", s->queries}, {"keys", s->keys},   {"head_dim", s->head_dim},
        {"causal", 0},           {"mask", 0},         {"masked_rows", 0}};
    p->c = *c;
    memcpy(p->properties, properties, sizeof properties);
    p->c.properties = p->properties;
    p->c.property_count = PROPERTY_COUNT;
    memcpy(p->inputs, request->inputs, request->input_count * sizeof p->inputs[0]);
    status = round_queries(p, &request->inputs[QUERIES_INPUT], err);
    if (status == SY_OK && request->input_count > MASK_INPUT) {
        status = widen_mask(p, &request->inputs[MASK_INPUT], err);
    }
    if (status == SY_OK) {
        status = sy_attention_tensors_of(&p->c, &p->tensors, err);
    }
    for (size_t i = 0; status == SY_OK && i < p->tensors.input_count; i++) {
        p->inputs[i].desc = &p->tensors.inputs[i];
    }
    return status;
}

/* Element index of o, [batch, queries, heads, head_dim], as attention has it: [batch, heads, queries, head_dim]. */
static uint64_t index_of_attention(const sy_attention_shape *s, uint64_t index)
{
    uint64_t size = (uint64_t)s->head_dim;
    uint64_t heads = (uint64_t)s->heads;
    uint64_t queries = (uint64_t)s->queries;
    uint64_t row = index / size;
    uint64_t head = row % heads;
    uint64_t query = row / heads % queries;
    uint64_t image = row / heads / queries;
    return ((image * heads + head) * queries + query) * size + index % size;
}

static int by_index(const void *a, const void *b)
{
    uint64_t left = ((const asked *)a)->index;
    uint64_t right = ((const asked *)b)->index;
    return (left > right) - (left < right);
}

/* Asked in attention's own order, in which a head's keys are read once. */
static sy_status ask(const plain_problem *p, const sy_oracle_request *request, sy_error *err)
{
    size_t count = (size_t)request->count;
    uint64_t elements = 0;
    asked *order = sy_allocate(count, sizeof *order);
    uint64_t *indices = sy_allocate(count, sizeof *indices);
    double *answers = sy_allocate(count, 2 * sizeof *answers);
    sy_status status = order != NULL && indices != NULL && answers != NULL ? SY_OK : no_memory(&p->c, err);
    if (status == SY_OK) {
        status = sy_tensor_desc_check(&p->tensors.output, &elements, NULL, err);
    }
    for (size_t i = 0; status == SY_OK && i < count; i++) {
        uint64_t index = request->indices != NULL ? request->indices[i] : i;
        if (index >= elements) {
            status = sy_fail(err, SY_INVALID_ARGUMENT, "case '%s': the oracle is asked for element %llu of %llu",
                             p->c.name, (unsigned long long)index, (unsigned long long)elements);
        }
        order[i] = (asked){index_of_attention(&p->shape, index), i};
    }
    if (status == SY_OK) {
        qsort(order, count, sizeof *order, by_index);
        for (size_t i = 0; i < count; i++) {
            indices[i] = order[i].index;
        }
        sy_oracle_request inner = {p->inputs, p->tensors.input_count, 0, indices, request->count,
                                   answers,   answers + count};
        status = sy_attention_oracle(NULL, &p->c, &inner, err);
    }
    for (size_t i = 0; status == SY_OK && i < count; i++) {
        request->values[order[i].place] = answers[i];
        request->scales[order[i].place] = answers[count + i];
    }
    sy_free(order);
    sy_free(indices);
    sy_free(answers);
    return status;
}

sy_status sy_engine_attention_oracle(void *user, const sy_case *c, const sy_oracle_request *request, sy_error *err)
{
    (void)user;
    sy_engine_attention_tensors tensors;
    plain_problem p = {0};
    sy_status status = sy_engine_attention_tensors_of(c, &tensors, err);
    if (status == SY_OK) {
        status = sy_engine_check_inputs(c, tensors.inputs, tensors.input_count, request, err);
    }
    if (status == SY_OK) {
        status = make_plain(c, request, &p, err);
    }
    if (status == SY_OK && request->count > 0) {
        status = ask(&p, request, err);
    }
    sy_free(p.queries);
    sy_free(p.mask);
    return status;
}
