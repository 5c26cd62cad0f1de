/* SPDX-License-Identifier: Apache-2.0 */
/* The testing library's extra implementations of attention on cpu: right but for one fault each, of those that real
 * kernels were seen to have. They are never candidates unless named, and are not in the released library. */
#include <math.h>
#include <string.h>

#include "backends/cpu/attention/cpu_attention.h"
#include "base/error.h"
#include "mutants.h"
#include "operations/half.h"

typedef struct attention_mutant {
    sy_cpu_attention *attention;
    uint64_t runs; /* so far */
} attention_mutant;

/* ---- parts ---- */

static void *extra_of(const attention_mutant *m)
{
    return (char *)sy_tensor_address(m->attention->scratch) + m->attention->extra_at;
}

static uint64_t query_count(const sy_attention_shape *s)
{
    return (uint64_t)(s->batch * s->heads * s->queries * s->head_dim);
}

static uint64_t key_count(const sy_attention_shape *s)
{
    return (uint64_t)(s->batch * s->kv_heads * s->keys * s->head_dim);
}

static uint64_t output_bytes(const attention_mutant *m)
{
    return query_count(&m->attention->shape) * sy_dtype_size(m->attention->c->dtype);
}

static void attend(const attention_mutant *m, const sy_cpu_flash_problem *problem)
{
    sy_cpu_flash(m->attention->pool, sy_cpu_vectors_here(), problem, sy_tensor_address(m->attention->scratch));
}

static float read_element(sy_dtype dtype, const void *tensor, uint64_t index)
{
    double value = NAN;
    sy_elements_to_double(dtype, tensor, index, 1, &value);
    return (float)value;
}

static void write_element(sy_dtype dtype, void *tensor, uint64_t index, float value)
{
    if (dtype == SY_F32) {
        ((float *)tensor)[index] = value;
    } else {
        ((uint16_t *)tensor)[index] = dtype == SY_F16 ? sy_f16_from_f32(value) : sy_bf16_from_f32(value);
    }
}

static float rounded_to_f16(float value)
{
    return sy_f16_to_f32(sy_f16_from_f32(value));
}

static float rounded_to_bf16(float value)
{
    return sy_bf16_to_f32(sy_bf16_from_f32(value));
}

/* 11 bits, as f16, with the range of f32. */
static float rounded_to_tf32(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = (bits + 0xfff + (bits >> 13 & 1)) & ~(uint32_t)0x1fff;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* ---- wrong inputs ---- */

/* q, k and v through a narrower type. */
static void attend_rounded(attention_mutant *m, float (*rounded)(float value))
{
    sy_cpu_flash_problem problem = sy_cpu_attention_problem(m->attention);
    const uint64_t counts[3] = {query_count(&problem.shape), key_count(&problem.shape), key_count(&problem.shape)};
    const void **const tensors[3] = {&problem.q, &problem.k, &problem.v};
    char *next = extra_of(m);
    for (size_t i = 0; i < 3; i++) {
        for (uint64_t at = 0; at < counts[i]; at++) {
            write_element(problem.dtype, next, at, rounded(read_element(problem.dtype, *tensors[i], at)));
        }
        *tensors[i] = next;
        next += counts[i] * sy_dtype_size(problem.dtype);
    }
    attend(m, &problem);
}

static sy_status run_tf32(void *state, sy_error *err)
{
    (void)err;
    attend_rounded(state, rounded_to_tf32);
    return SY_OK;
}

static sy_status run_bf16(void *state, sy_error *err)
{
    (void)err;
    attend_rounded(state, rounded_to_bf16);
    return SY_OK;
}

/* What is left of the keys when they are cut to a multiple of 8 is not seen; of a multiple one key is not. */
static sy_status run_key_tail(void *state, sy_error *err)
{
    (void)err;
    attention_mutant *m = state;
    sy_cpu_flash_problem problem = sy_cpu_attention_problem(m->attention);
    const sy_attention_shape *s = &problem.shape;
    int64_t dropped = s->keys % 8 != 0 ? s->keys % 8 : 1;
    float *mask = extra_of(m);
    for (int64_t i = 0; i < s->queries * s->keys; i++) {
        float given = problem.mask != NULL ? problem.mask[i] : 0;
        mask[i] = i % s->keys >= s->keys - dropped ? -INFINITY : given;
    }
    problem.mask = mask;
    attend(m, &problem);
    return SY_OK;
}

/* Every query head reads the last key head. */
static sy_status run_last_head(void *state, sy_error *err)
{
    (void)err;
    attention_mutant *m = state;
    sy_cpu_flash_problem problem = sy_cpu_attention_problem(m->attention);
    uint64_t head = (uint64_t)(problem.shape.keys * problem.shape.head_dim) * sy_dtype_size(problem.dtype);
    uint64_t heads = (uint64_t)(problem.shape.batch * problem.shape.kv_heads);
    char *k = extra_of(m);
    char *v = k + heads * head;
    for (uint64_t i = 0; i < heads; i++) {
        memcpy(k + i * head, (const char *)problem.k + (heads - 1) * head, head);
        memcpy(v + i * head, (const char *)problem.v + (heads - 1) * head, head);
    }
    problem.k = k;
    problem.v = v;
    attend(m, &problem);
    return SY_OK;
}

/* ---- wrong rules ---- */

static sy_status run_mask_ignored(void *state, sy_error *err)
{
    (void)err;
    attention_mutant *m = state;
    sy_cpu_flash_problem problem = sy_cpu_attention_problem(m->attention);
    problem.mask = NULL;
    attend(m, &problem);
    return SY_OK;
}

/* The width of all heads in place of that of one. */
static sy_status run_wrong_scale(void *state, sy_error *err)
{
    (void)err;
    attention_mutant *m = state;
    sy_cpu_flash_problem problem = sy_cpu_attention_problem(m->attention);
    problem.scale /= sqrtf((float)problem.shape.heads);
    attend(m, &problem);
    return SY_OK;
}

/* Query i sees keys 0..i, as if queries were the first of the keys. */
static sy_status run_causal_from_start(void *state, sy_error *err)
{
    (void)err;
    attention_mutant *m = state;
    sy_cpu_flash_problem problem = sy_cpu_attention_problem(m->attention);
    const sy_attention_shape *s = &problem.shape;
    float *mask = extra_of(m);
    for (int64_t i = 0; i < s->queries * s->keys; i++) {
        float given = problem.mask != NULL ? problem.mask[i] : 0;
        mask[i] = s->causal && i % s->keys > i / s->keys ? -INFINITY : given;
    }
    problem.mask = mask;
    attend(m, &problem);
    return SY_OK;
}

/* A large number for -infinity: a row that sees no key becomes the mean of all values. */
static sy_status run_finite_mask(void *state, sy_error *err)
{
    (void)err;
    attention_mutant *m = state;
    sy_cpu_flash_problem problem = sy_cpu_attention_problem(m->attention);
    const sy_attention_shape *s = &problem.shape;
    float *mask = extra_of(m);
    for (int64_t i = 0; i < s->queries * s->keys; i++) {
        mask[i] = problem.mask != NULL ? fmaxf(problem.mask[i], -1e30f) : 0;
    }
    problem.mask = mask;
    attend(m, &problem);
    return SY_OK;
}

/* ---- wrong arithmetic ---- */

typedef float (*round_fn)(float value);

/* Row after row: weights and sums through narrower types where a function is given. */
static void attend_narrowly(attention_mutant *m, round_fn round_weight, round_fn round_sum)
{
    sy_cpu_flash_problem problem = sy_cpu_attention_problem(m->attention);
    const sy_cpu_attention_kernels *kernels = m->attention->kernels;
    const sy_attention_shape *s = &problem.shape;
    int64_t head = s->keys * s->head_dim;
    float *k = extra_of(m);
    float *v = k + head;
    float *q = v + head;
    float *sums = q + s->head_dim;
    float *weights = sums + s->head_dim;
    size_t size = sy_dtype_size(problem.dtype);
    for (int64_t row = 0; row < s->batch * s->heads * s->queries; row++) {
        int64_t key_head = row / s->queries / (s->heads / s->kv_heads);
        int64_t seen = s->causal ? s->keys - s->queries + row % s->queries + 1 : s->keys;
        float most = -INFINITY;
        float total = 0;
        float correction = 0;
        kernels->widen(problem.dtype, head, (const char *)problem.k + (size_t)(key_head * head) * size, 1, k);
        kernels->widen(problem.dtype, head, (const char *)problem.v + (size_t)(key_head * head) * size, 1, v);
        kernels->widen(problem.dtype, s->head_dim, (const char *)problem.q + (size_t)(row * s->head_dim) * size,
                       problem.scale * (float)SY_CPU_LOG2_E, q);
        kernels->score_row(seen, s->head_dim, k, q, weights);
        if (problem.mask != NULL) {
            kernels->mask_row(seen, problem.mask + row % s->queries * s->keys, weights);
        }
        kernels->weigh_row(seen, weights, &most, &total, &correction);
        memset(sums, 0, (size_t)s->head_dim * sizeof *sums);
        for (int64_t j = 0; j < seen; j++) {
            float weight = total == 0 ? 0 : weights[j] / total;
            weight = round_weight != NULL ? round_weight(weight) : weight;
            kernels->add_row(1, s->head_dim, v + j * s->head_dim, &weight, 1, sums);
            for (int64_t c = 0; c < s->head_dim && round_sum != NULL; c++) {
                sums[c] = round_sum(sums[c]);
            }
        }
        kernels->narrow(problem.dtype, s->head_dim, sums, (char *)problem.o + (size_t)(row * s->head_dim) * size);
    }
}

static sy_status run_bf16_weights(void *state, sy_error *err)
{
    (void)err;
    attend_narrowly(state, rounded_to_bf16, NULL);
    return SY_OK;
}

/* Sums in the type that f16 and bf16 are stored in, and in f16 for f32. */
static sy_status run_narrow_sums(void *state, sy_error *err)
{
    (void)err;
    attention_mutant *m = state;
    attend_narrowly(m, NULL, m->attention->c->dtype == SY_BF16 ? rounded_to_bf16 : rounded_to_f16);
    return SY_OK;
}

/* ---- wrong outputs ---- */

static sy_status run_nan_last(void *state, sy_error *err)
{
    attention_mutant *m = state;
    sy_status status = sy_cpu_attention_run_flash(m->attention, err);
    write_element(m->attention->c->dtype, sy_tensor_address(m->attention->output),
                  query_count(&m->attention->shape) - 1, NAN);
    return status;
}

static sy_status run_stale(void *state, sy_error *err)
{
    attention_mutant *m = state;
    return m->runs++ == 0 ? sy_cpu_attention_run_flash(m->attention, err) : SY_OK;
}

static sy_status run_memoised(void *state, sy_error *err)
{
    attention_mutant *m = state;
    void *output = sy_tensor_address(m->attention->output);
    if (m->runs++ > 0) {
        memcpy(output, extra_of(m), output_bytes(m));
        return SY_OK;
    }
    sy_status status = sy_cpu_attention_run_flash(m->attention, err);
    memcpy(extra_of(m), output, output_bytes(m));
    return status;
}

static sy_status run_half_written(void *state, sy_error *err)
{
    (void)err;
    attention_mutant *m = state;
    sy_cpu_flash_problem problem = sy_cpu_attention_problem(m->attention);
    void *output = problem.o;
    problem.o = extra_of(m);
    attend(m, &problem);
    memcpy(output, problem.o, output_bytes(m) / 2);
    return SY_OK;
}

static sy_status run_zeros(void *state, sy_error *err)
{
    (void)err;
    const attention_mutant *m = state;
    memset(sy_tensor_address(m->attention->output), 0, output_bytes(m));
    return SY_OK;
}

static sy_status run_input_changed(void *state, sy_error *err)
{
    attention_mutant *m = state;
    sy_status status = sy_cpu_attention_run_flash(m->attention, err);
    unsigned char *k = sy_tensor_address(m->attention->inputs[1]);
    k[0] ^= 1;
    return status;
}

/* ---- the table ---- */

typedef enum extra_kind { EXTRA_NOTHING, EXTRA_TENSORS, EXTRA_MASK, EXTRA_HEAD, EXTRA_RESULT } extra_kind;

typedef struct attention_mutant_spec {
    sy_run_fn run;
    extra_kind extra;
} attention_mutant_spec;

#define ATTENTION_MUTANT_LIST(X)                                                                 \
    X("mutant-tf32", "rounds its inputs to 11 bits", run_tf32, EXTRA_TENSORS)                    \
    X("mutant-bf16", "rounds its inputs to 8 bits", run_bf16, EXTRA_TENSORS)                     \
    X("mutant-key-tail", "drops the last keys", run_key_tail, EXTRA_MASK)                        \
    X("mutant-last-head", "reads the last key head for all", run_last_head, EXTRA_TENSORS)       \
    X("mutant-wrong-scale", "divides by the width of all heads", run_wrong_scale, EXTRA_NOTHING) \
    X("mutant-narrow-sums", "adds in the type of its output", run_narrow_sums, EXTRA_HEAD)       \
    X("mutant-bf16-weights", "rounds its weights to 8 bits", run_bf16_weights, EXTRA_HEAD)       \
    X("mutant-nan-last", "its last element is NaN", run_nan_last, EXTRA_NOTHING)                 \
    X("mutant-stale", "writes its output in the first run only", run_stale, EXTRA_NOTHING)       \
    X("mutant-memoised", "gives its first answer for ever", run_memoised, EXTRA_RESULT)          \
    X("mutant-half-written", "writes half of its output", run_half_written, EXTRA_RESULT)        \
    X("mutant-zeros", "writes zeros", run_zeros, EXTRA_NOTHING)                                  \
    X("mutant-input-changed", "changes a bit of an input", run_input_changed, EXTRA_NOTHING)     \
    X("mutant-mask-ignored", "reads no mask", run_mask_ignored, EXTRA_NOTHING)                   \
    X("mutant-finite-mask", "reads -infinity as a large number", run_finite_mask, EXTRA_MASK)    \
    X("mutant-causal-from-start", "takes queries for the first keys", run_causal_from_start, EXTRA_MASK)

static sy_status build_mutant(const sy_case *c, size_t index, sy_graph *graph, sy_error *err);

#define IMPLEMENTATION_ENTRY(NAME, SUMMARY, RUN, EXTRA) \
    {.implementation = {.name = (NAME),                 \
                        .role = SY_ROLE_CANDIDATE,      \
                        .error_class = SY_CLASS_EXACT,  \
                        .summary = (SUMMARY),           \
                        .how_to_get = "",               \
                        .only_if_named = true},         \
     .build = build_mutant},
#define SPEC_ENTRY(NAME, SUMMARY, RUN, EXTRA) {RUN, EXTRA},

static const sy_cpu_extra extras[] = {ATTENTION_MUTANT_LIST(IMPLEMENTATION_ENTRY)};
static const attention_mutant_spec specs[] = {ATTENTION_MUTANT_LIST(SPEC_ENTRY)};

const sy_cpu_extra *mutants_of_attention(size_t *ret_count)
{
    *ret_count = sizeof extras / sizeof extras[0];
    return extras;
}

static uint64_t extra_bytes(const sy_case *c, const sy_attention_shape *s, extra_kind kind)
{
    switch (kind) {
    case EXTRA_TENSORS:
        return (query_count(s) + 2 * key_count(s)) * sy_dtype_size(c->dtype);
    case EXTRA_MASK:
        return (uint64_t)(s->queries * s->keys) * sizeof(float);
    case EXTRA_HEAD:
        return (uint64_t)(2 * s->keys * s->head_dim + 2 * s->head_dim + s->keys) * sizeof(float);
    case EXTRA_RESULT:
        return query_count(s) * sy_dtype_size(c->dtype);
    case EXTRA_NOTHING:
        break;
    }
    return 0;
}

static sy_status build_mutant(const sy_case *c, size_t index, sy_graph *graph, sy_error *err)
{
    sy_attention_shape shape;
    sy_cpu_attention *attention = NULL;
    sy_status status = sy_attention_shape_of(c, &shape, err);
    if (status != SY_OK) {
        return status;
    }
    attention_mutant *m = sy_graph_metadata(graph, sizeof *m);
    if (m == NULL) {
        return sy_fail(err, SY_LIMIT_EXCEEDED, "the state of a mutant takes %zu bytes of metadata", sizeof *m);
    }
    status = sy_cpu_attention_build_flash(c, extra_bytes(c, &shape, specs[index].extra), graph, &attention, err);
    if (status == SY_OK && attention != NULL) {
        m->attention = attention;
        sy_graph_on_run(graph, specs[index].run, NULL, m);
    }
    return status;
}
