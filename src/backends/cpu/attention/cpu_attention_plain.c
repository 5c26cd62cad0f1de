/* SPDX-License-Identifier: Apache-2.0 */
/* Plain attention as its definition reads, one operation after the other over all heads: scores by a matrix product,
 * softmax, weights times values by another. Frameworks that have no fused attention do the same, and hold all scores of
 * all heads between the steps, so that this does too: batch x heads x queries x keys floats, which the graph counts. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backends/cpu/attention/cpu_attention.h"
#include "base/error.h"

enum { ROW_MAJOR = 101, NOT_TRANSPOSED = 111, TRANSPOSED = 112 }; /* of the C interface to BLAS */
enum {
    CHUNK_ELEMENTS = 16384, /* that a task of the pool works on: some microseconds */
    PARTS = 4               /* q, k, v, o */
};

/* Tensors of storage types are widened as a whole, as a user of an f32 BLAS must. */
typedef struct conversion {
    const sy_cpu_attention *attention;
    const void *stored[PARTS];
    float *widened[PARTS];
    uint64_t counts[PARTS];
} conversion;

static uint64_t chunks_of(uint64_t count)
{
    return (count + CHUNK_ELEMENTS - 1) / CHUNK_ELEMENTS;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static conversion conversion_of(const sy_cpu_attention *attention)
{
    const sy_attention_shape *s = &attention->shape;
    uint64_t queries = (uint64_t)(s->batch * s->heads * s->queries * s->head_dim);
    uint64_t keys = (uint64_t)(s->batch * s->kv_heads * s->keys * s->head_dim);
    conversion c = {.attention = attention, .counts = {queries, keys, keys, queries}};
    float *next = attention->widened != NULL ? sy_tensor_address(attention->widened) : NULL;
    for (size_t i = 0; i < PARTS; i++) {
        c.stored[i] = sy_tensor_address(i < 3 ? attention->inputs[i] : attention->output);
        c.widened[i] = next;
        next = next != NULL ? next + c.counts[i] : NULL;
    }
    return c;
}

/* Chunks of q, then of k, then of v. */
static void widen_chunk(void *job, uint64_t task, uint32_t thread)
{
    (void)thread;
    const conversion *c = job;
    sy_dtype dtype = c->attention->c->dtype;
    size_t part = 0;
    while (task >= chunks_of(c->counts[part])) {
        task -= chunks_of(c->counts[part++]);
    }
    uint64_t first = task * CHUNK_ELEMENTS;
    c->attention->kernels->widen(dtype, (int64_t)smaller(CHUNK_ELEMENTS, c->counts[part] - first),
                                 (const char *)c->stored[part] + first * sy_dtype_size(dtype), 1,
                                 c->widened[part] + first);
}

static void narrow_chunk(void *job, uint64_t task, uint32_t thread)
{
    (void)thread;
    const conversion *c = job;
    const sy_cpu_attention *attention = c->attention;
    uint64_t first = task * CHUNK_ELEMENTS;
    attention->kernels->narrow(
        attention->c->dtype, (int64_t)smaller(CHUNK_ELEMENTS, c->counts[3] - first), c->widened[3] + first,
        (char *)sy_tensor_address(attention->output) + first * sy_dtype_size(attention->c->dtype));
}

typedef struct softmax {
    const sy_cpu_attention *attention;
    float *scores;
    const float *mask;
    int64_t rows;
    int64_t chunk_rows;
} softmax;

/* Scores carry the factor log2(e). What the causal rule hides becomes 0: the product that follows passes over it. */
static void weigh_row(const softmax *job, int64_t row)
{
    const sy_attention_shape *s = &job->attention->shape;
    const sy_cpu_attention_kernels *k = job->attention->kernels;
    float *scores = job->scores + row * s->keys;
    int64_t seen = s->causal ? s->keys - s->queries + row % s->queries + 1 : s->keys;
    float most = -INFINITY;
    float total = 0;
    float correction = 0;
    if (job->mask != NULL) {
        k->mask_row(seen, job->mask + row % s->queries * s->keys, scores);
    }
    k->weigh_row(seen, scores, &most, &total, &correction);
    k->scale_row(seen, total == 0 ? 0 : 1 / total, scores);
    memset(scores + seen, 0, (size_t)(s->keys - seen) * sizeof *scores);
}

static void weigh_chunk(void *user, uint64_t task, uint32_t thread)
{
    (void)thread;
    const softmax *job = user;
    int64_t first = (int64_t)task * job->chunk_rows;
    int64_t end = job->rows - first < job->chunk_rows ? job->rows : first + job->chunk_rows;
    for (int64_t row = first; row < end; row++) {
        weigh_row(job, row);
    }
}

/* Query heads that share a key head lie one after the other: they are one product. */
static void multiply_all(const sy_cpu_attention *attention, float *const parts[PARTS], float *scores, bool is_scores)
{
    const sy_attention_shape *s = &attention->shape;
    int64_t rows = s->heads / s->kv_heads * s->queries;
    int m = (int)rows;
    int n = (int)s->keys;
    int d = (int)s->head_dim;
    float scale = (float)((double)sy_cpu_attention_problem(attention).scale * SY_CPU_LOG2_E);
    for (int64_t head = 0; head < s->batch * s->kv_heads; head++) {
        const float *q = parts[0] + head * rows * s->head_dim;
        const float *k = parts[1] + head * s->keys * s->head_dim;
        const float *v = parts[2] + head * s->keys * s->head_dim;
        float *o = parts[3] + head * rows * s->head_dim;
        float *here = scores + head * rows * s->keys;
        if (is_scores) {
            attention->library.cblas_sgemm(ROW_MAJOR, NOT_TRANSPOSED, TRANSPOSED, m, n, d, scale, q, d, k, d, 0.0f,
                                           here, n);
        } else {
            attention->library.cblas_sgemm(ROW_MAJOR, NOT_TRANSPOSED, NOT_TRANSPOSED, m, d, n, 1.0f, here, n, v, d,
                                           0.0f, o, d);
        }
    }
}

sy_status sy_cpu_attention_run_plain(void *state, sy_error *err)
{
    (void)err;
    const sy_cpu_attention *attention = state;
    const sy_attention_shape *s = &attention->shape;
    conversion c = conversion_of(attention);
    float *parts[PARTS];
    for (size_t i = 0; i < PARTS; i++) {
        parts[i] = c.widened[i] != NULL ? c.widened[i]
                                        : sy_tensor_address(i < 3 ? attention->inputs[i] : attention->output);
    }
    softmax job = {.attention = attention, .scores = sy_tensor_address(attention->scores)};
    job.mask = s->masked ? sy_tensor_address(attention->inputs[3]) : NULL;
    job.rows = s->batch * s->heads * s->queries;
    job.chunk_rows = s->keys < CHUNK_ELEMENTS ? CHUNK_ELEMENTS / s->keys : 1;
    if (attention->widened != NULL) {
        sy_cpu_pool_run(attention->pool, chunks_of(c.counts[0]) + 2 * chunks_of(c.counts[1]), widen_chunk, &c);
    }
    multiply_all(attention, parts, job.scores, true);
    sy_cpu_pool_run(attention->pool, (uint64_t)((job.rows + job.chunk_rows - 1) / job.chunk_rows), weigh_chunk, &job);
    multiply_all(attention, parts, job.scores, false);
    if (attention->widened != NULL) {
        sy_cpu_pool_run(attention->pool, chunks_of(c.counts[3]), narrow_chunk, &c);
    }
    return SY_OK;
}

/* The scores, and q, k, v and o as f32 where they are stored otherwise. */
static sy_status add_scratch(const sy_case *c, sy_graph *graph, sy_cpu_attention *attention, sy_error *err)
{
    sy_attention_tensors tensors;
    uint64_t floats = 0;
    sy_status status = sy_attention_tensors_of(c, &tensors, err);
    if (status == SY_OK) {
        status = sy_graph_scratch(graph, &tensors.scores, &attention->scores, err);
    }
    if (status != SY_OK || c->dtype == SY_F32) {
        return status;
    }
    conversion all = conversion_of(attention);
    for (size_t i = 0; i < PARTS; i++) {
        floats += all.counts[i]; /* each at most 2^61: it was described */
    }
    sy_tensor_desc widened = {.name = "widened", .dtype = SY_F32, .rank = 1, .dims = {(int64_t)floats}};
    return sy_graph_scratch(graph, &widened, &attention->widened, err);
}

sy_status sy_cpu_attention_build_plain(const sy_case *c, sy_graph *graph, sy_cpu_attention **ret_attention,
                                       sy_error *err)
{
    sy_cpu_device *device = sy_cpu_device_of(sy_graph_device(graph));
    sy_cpu_library *library = &device->libraries[SY_CPU_OPENBLAS];
    sy_cpu_attention *attention = NULL;
    char reason[256];
    sy_attention_shape s;
    sy_status status = sy_attention_shape_of(c, &s, err);
    if (status != SY_OK) {
        return status;
    }
    /* The cblas interface of the builds that are looked for has 32-bit integers. */
    if (s.queries > INT_MAX / (s.heads / s.kv_heads) || s.keys > INT_MAX || s.head_dim > INT_MAX) {
        sy_graph_unavailable(graph, "a matrix dimension is above 2147483647");
        return SY_OK;
    }
    if (!sy_cpu_library_load(SY_CPU_OPENBLAS, device->root, device->base.threads, library, reason, sizeof reason)) {
        char whole[sizeof reason + 64];
        snprintf(whole, sizeof whole, "%s; to get it: apt-get install libopenblas0-pthread", reason);
        sy_graph_unavailable(graph, whole);
        return SY_OK;
    }
    status = sy_cpu_attention_begin(c, graph, &attention, err);
    if (status == SY_OK) {
        attention->library = *library;
        status = add_scratch(c, graph, attention, err);
    }
    if (status == SY_OK) {
        status = sy_cpu_device_pool(device, &attention->pool, err);
    }
    if (status == SY_OK) {
        sy_graph_on_run(graph, sy_cpu_attention_run_plain, NULL, attention);
        *ret_attention = attention;
    }
    return status;
}
