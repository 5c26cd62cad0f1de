/* SPDX-License-Identifier: Apache-2.0 */
/* The right values of attention in double, and beside them those of the yardstick, whose error says how far another
 * right implementation may be off. Nothing here is ever timed or weighed. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "operations/attention.h"
#include "operations/half.h"

enum {
    KEYS_AT_ONCE = 64, /* scores of a row that are summed up side by side */
    ROWS_AT_ONCE = 8,  /* rows that pass over a panel of keys while it lies in a first-level cache */
    MANY_COLUMNS = 8,  /* from so many on, all columns of a row are summed up side by side */
    BANDS = 64,        /* of rows by the number of keys that they see: powers of two */
    LEAST_BAND = 8,    /* keys: with one or two there are no sums whose errors could tell anything */
    BAND_MANY = 4096,  /* errors of the yardstick that tell enough of a band */
    BAND_FEW = 256,    /* fewer of them tell too little of it */
    SMALL_REQUEST = 1024,
    OTHER_ROWS = 16 /* that a small request's yardstick looks at beside its own */
};

/* What the yardstick did in rows that see about as many keys: the fewer they are, the larger each weight and its
 * error. */
typedef struct band {
    double largest_error;
    double largest_value;
    uint64_t count;
} band;

/* What is held of one key head, and of the rows at hand. */
typedef struct work {
    sy_attention_shape shape;
    sy_dtype dtype;
    const sy_oracle_request *request;
    int64_t keys_held;                   /* keys, filled up to a multiple of KEYS_AT_ONCE with zeros */
    int64_t head_held;                   /* batch and key head; -1: none yet */
    float *keys;                         /* transposed, [head_dim][keys_held]: its elements are exact in f32 */
    float *values;                       /* [keys][head_dim] */
    float *queries;                      /* [ROWS_AT_ONCE][head_dim] */
    double *right;                       /* scores, then weights: [ROWS_AT_ONCE][keys_held] */
    float *yard;                         /* the yardstick's, the same */
    double *right_sums;                  /* [head_dim] */
    float *yard_sums;                    /* [head_dim] */
    double *conversion;                  /* [head_dim] */
    int64_t rows[ROWS_AT_ONCE];          /* count through batch, heads and queries */
    uint64_t first_at[ROWS_AT_ONCE + 1]; /* in the request, where a row's elements begin */
    band bands[BANDS];
} work;

/* Scores of one row against KEYS_AT_ONCE keys, terms ascending, in double and in float. Contraction to FMA is off, so
 * that every clone gives the same bits. */
static inline __attribute__((always_inline)) void dot_keys_body(const float *restrict keys, int64_t stride,
                                                                const float *restrict query, int64_t terms,
                                                                double *restrict right, float *restrict yard)
{
    double sums[KEYS_AT_ONCE] = {0};
    float yard_sums[KEYS_AT_ONCE] = {0};
    for (int64_t k = 0; k < terms; k++, keys += stride) {
        double wide = (double)query[k];
        float narrow = query[k];
        for (int j = 0; j < KEYS_AT_ONCE; j++) {
            sums[j] += wide * (double)keys[j];
            yard_sums[j] += narrow * keys[j];
        }
    }
    memcpy(right, sums, sizeof sums);
    memcpy(yard, yard_sums, sizeof yard_sums);
}

/* Sums of weights times values for every column of a row, keys ascending. */
static inline __attribute__((always_inline)) void add_values_body(const float *restrict values, int64_t keys,
                                                                  int64_t columns, const double *restrict right,
                                                                  const float *restrict yard, double *restrict sums,
                                                                  float *restrict yard_sums)
{
    for (int64_t j = 0; j < keys; j++, values += columns) {
        double wide = right[j];
        float narrow = yard[j];
        for (int64_t c = 0; c < columns; c++) {
            sums[c] += wide * (double)values[c];
            yard_sums[c] += narrow * values[c];
        }
    }
}

typedef struct loops {
    void (*dot_keys)(const float *keys, int64_t stride, const float *query, int64_t terms, double *right, float *yard);
    void (*add_values)(const float *values, int64_t keys, int64_t columns, const double *right, const float *yard,
                       double *sums, float *yard_sums);
} loops;

#define DEFINE_LOOPS(NAME, TARGET)                                                                                \
    TARGET static void NAME##_dot_keys(const float *keys, int64_t stride, const float *query, int64_t terms,      \
                                       double *right, float *yard)                                                \
    {                                                                                                             \
        dot_keys_body(keys, stride, query, terms, right, yard);                                                   \
    }                                                                                                             \
    TARGET static void NAME##_add_values(const float *values, int64_t keys, int64_t columns, const double *right, \
                                         const float *yard, double *sums, float *yard_sums)                       \
    {                                                                                                             \
        add_values_body(values, keys, columns, right, yard, sums, yard_sums);                                     \
    }                                                                                                             \
    static const loops NAME##_loops = {NAME##_dot_keys, NAME##_add_values}

DEFINE_LOOPS(plain, );
#if defined(__x86_64__)
DEFINE_LOOPS(avx2, __attribute__((target("avx2"))));
DEFINE_LOOPS(avx512, __attribute__((target("avx512f"))));

static const loops *loops_here(void)
{
    if (__builtin_cpu_supports("avx512f")) {
        return &avx512_loops;
    }
    return __builtin_cpu_supports("avx2") ? &avx2_loops : &plain_loops;
}
#else
static const loops *loops_here(void)
{
    return &plain_loops;
}
#endif

static float rounded_to(sy_dtype dtype, float value)
{
    switch (dtype) {
    case SY_F16:
        return sy_f16_to_f32(sy_f16_from_f32(value));
    case SY_BF16:
        return sy_bf16_to_f32(sy_bf16_from_f32(value));
    default:
        return value;
    }
}

/* One row of an input, head_dim elements, as floats. */
static void read_row(const work *w, size_t input, int64_t row, float *to)
{
    int64_t size = w->shape.head_dim;
    sy_elements_to_double(w->dtype, w->request->inputs[input].bytes, (uint64_t)(row * size), (uint64_t)size,
                          w->conversion);
    for (int64_t c = 0; c < size; c++) {
        to[c] = (float)w->conversion[c];
    }
}

static void hold_head(work *w, int64_t head)
{
    const sy_attention_shape *s = &w->shape;
    if (head == w->head_held) {
        return;
    }
    for (int64_t j = 0; j < s->keys; j++) {
        read_row(w, 1, head * s->keys + j, w->queries);
        for (int64_t c = 0; c < s->head_dim; c++) {
            w->keys[c * w->keys_held + j] = w->queries[c];
        }
        read_row(w, 2, head * s->keys + j, w->values + j * s->head_dim);
    }
    w->head_held = head;
}

/* Keys that a row's query sees by the causal rule; all without it. */
static int64_t visible_keys(const sy_attention_shape *s, int64_t row)
{
    return s->causal ? s->keys - s->queries + row % s->queries + 1 : s->keys;
}

/* Scores to weights: of the right row those before division by their sum, of the yardstick's row those after it. A row
 * whose every score is -infinity has weights of 0. */
static void weigh_row(work *w, int64_t row, double *right, float *yard, double *ret_total)
{
    const sy_attention_shape *s = &w->shape;
    const float *mask = s->masked ? (const float *)w->request->inputs[3].bytes + row % s->queries * s->keys : NULL;
    double scale = 1 / sqrt((double)s->head_dim);
    float yard_scale = (float)scale;
    int64_t seen = visible_keys(s, row);
    double most = -INFINITY;
    float yard_most = -INFINITY;
    for (int64_t j = 0; j < seen; j++) {
        right[j] = right[j] * scale + (mask != NULL ? (double)mask[j] : 0);
        yard[j] = rounded_to(w->dtype, yard[j] * yard_scale + (mask != NULL ? mask[j] : 0));
        most = right[j] > most ? right[j] : most;
        yard_most = yard[j] > yard_most ? yard[j] : yard_most;
    }
    most = most == -INFINITY ? 0 : most;
    yard_most = yard_most == -INFINITY ? 0 : yard_most;
    double total = 0;
    float yard_total = 0;
    for (int64_t j = 0; j < seen; j++) {
        right[j] = exp(right[j] - most);
        yard[j] = expf(yard[j] - yard_most);
        total += right[j];
        yard_total += yard[j];
    }
    float share = yard_total == 0 ? 0 : 1 / yard_total;
    for (int64_t j = 0; j < seen; j++) {
        yard[j] = rounded_to(w->dtype, yard[j] * share);
    }
    *ret_total = total;
}

static uint64_t index_at(const work *w, uint64_t at)
{
    return w->request->indices != NULL ? w->request->indices[at] : at;
}

/* Counted from the rows that see all keys, or more than half of them, so that these are many. */
static band *band_of(work *w, int64_t row)
{
    int64_t seen = visible_keys(&w->shape, row);
    seen = seen < LEAST_BAND ? LEAST_BAND : seen;
    int64_t ratio = seen < w->shape.keys ? w->shape.keys / seen : 1;
    return &w->bands[63 - __builtin_clzll((unsigned long long)ratio)];
}

static void note_error(band *b, double right, double yard)
{
    double error = fabs(yard - right);
    if (isfinite(error)) {
        b->largest_error = fmax(b->largest_error, error);
        b->largest_value = fmax(b->largest_value, fabs(right));
        b->count++;
    }
}

/* The elements that are asked of one row, whose weights are there; all of its elements where they are many, or where
 * the yardstick has seen too few so far. */
static void sum_row(work *w, const loops *l, int64_t row, const double *right, const float *yard, double total,
                    uint64_t first, uint64_t end)
{
    int64_t columns = w->shape.head_dim;
    int64_t seen = visible_keys(&w->shape, row);
    band *b = band_of(w, row);
    bool all = end - first >= MANY_COLUMNS || b->count < BAND_MANY;
    if (all) {
        memset(w->right_sums, 0, (size_t)columns * sizeof *w->right_sums);
        memset(w->yard_sums, 0, (size_t)columns * sizeof *w->yard_sums);
        l->add_values(w->values, seen, columns, right, yard, w->right_sums, w->yard_sums);
        for (int64_t c = 0; c < columns; c++) {
            w->right_sums[c] = total == 0 ? 0 : w->right_sums[c] / total;
            note_error(b, w->right_sums[c], (double)w->yard_sums[c]);
        }
    }
    for (uint64_t at = first; at < end; at++) {
        int64_t c = (int64_t)(index_at(w, at) % (uint64_t)columns);
        double sum = 0;
        float yard_sum = 0;
        if (all) {
            w->request->values[at] = w->right_sums[c];
            continue;
        }
        for (int64_t j = 0; j < seen; j++) {
            float value = w->values[j * columns + c];
            sum += right[j] * (double)value;
            yard_sum += yard[j] * value;
        }
        w->request->values[at] = total == 0 ? 0 : sum / total;
        note_error(b, w->request->values[at], (double)yard_sum);
    }
}

/* count rows of one key head. */
static void answer_rows(work *w, const loops *l, size_t count)
{
    const sy_attention_shape *s = &w->shape;
    int64_t rows_per_head = s->heads / s->kv_heads * s->queries;
    hold_head(w, w->rows[0] / rows_per_head);
    for (size_t i = 0; i < count; i++) {
        read_row(w, 0, w->rows[i], w->queries + (int64_t)i * s->head_dim);
    }
    for (int64_t j = 0; j < w->keys_held; j += KEYS_AT_ONCE) {
        for (size_t i = 0; i < count; i++) {
            int64_t at = (int64_t)i * w->keys_held + j;
            l->dot_keys(w->keys + j, w->keys_held, w->queries + (int64_t)i * s->head_dim, s->head_dim, w->right + at,
                        w->yard + at);
        }
    }
    for (size_t i = 0; i < count; i++) {
        double *right = w->right + (int64_t)i * w->keys_held;
        float *yard = w->yard + (int64_t)i * w->keys_held;
        double total = 0;
        weigh_row(w, w->rows[i], right, yard, &total);
        sum_row(w, l, w->rows[i], right, yard, total, w->first_at[i], w->first_at[i + 1]);
    }
}

/* Gathers rows as long as they belong to one key head. */
static void answer_all(work *w)
{
    const sy_attention_shape *s = &w->shape;
    const loops *l = loops_here();
    int64_t rows_per_head = s->heads / s->kv_heads * s->queries;
    size_t count = 0;
    for (uint64_t at = 0; at < w->request->count; at++) {
        int64_t row = (int64_t)(index_at(w, at) / (uint64_t)s->head_dim);
        if (count > 0 && row == w->rows[count - 1]) {
            continue;
        }
        bool is_full = count == ROWS_AT_ONCE;
        if (count > 0 && (is_full || row / rows_per_head != w->rows[0] / rows_per_head)) {
            w->first_at[count] = at;
            answer_rows(w, l, count);
            count = 0;
        }
        w->rows[count] = row;
        w->first_at[count++] = at;
    }
    w->first_at[count] = w->request->count;
    if (count > 0) {
        answer_rows(w, l, count);
    }
}

/* A small request, one element for instance, says little of the yardstick: other rows of the band are looked at too,
 * of all heads. */
static void look_further(work *w)
{
    const sy_attention_shape *s = &w->shape;
    int64_t heads = s->batch * s->heads;
    int64_t first = (int64_t)(index_at(w, 0) / (uint64_t)s->head_dim) % s->queries;
    int64_t last = first;
    const band *b = band_of(w, first);
    while (first > 0 && band_of(w, first - 1) == b) {
        first--;
    }
    while (last + 1 < s->queries && band_of(w, last + 1) == b) {
        last++;
    }
    for (int64_t i = 0; i < OTHER_ROWS; i++) {
        w->rows[0] = i * heads / OTHER_ROWS * s->queries + first + i * (last - first) / (OTHER_ROWS - 1);
        w->first_at[0] = w->first_at[1] = w->request->count;
        answer_rows(w, loops_here(), 1);
    }
}

static void set_scales(work *w)
{
    const sy_oracle_request *request = w->request;
    band all = {0};
    for (size_t i = 0; i < BANDS; i++) {
        all.largest_error = fmax(all.largest_error, w->bands[i].largest_error);
        all.largest_value = fmax(all.largest_value, w->bands[i].largest_value);
    }
    for (uint64_t at = 0; at < request->count; at++) {
        const band *own = band_of(w, (int64_t)(index_at(w, at) / (uint64_t)w->shape.head_dim));
        const band *b = own->count < BAND_FEW ? &all : own;
        /* Of f32 the model grants no rounding of the output, since the accumulator is f32 too: it is granted here. */
        double share = w->dtype == SY_F32 ? 1 : 0.25;
        double allowed = 2 * b->largest_error + share * sy_dtype_roundoff(w->dtype) * b->largest_value;
        request->scales[at] = allowed / sy_dtype_roundoff(SY_F32);
    }
}

static void *take(char **next, size_t count, size_t size)
{
    void *taken = *next;
    *next += (count * size + 63) / 64 * 64;
    return taken;
}

/* False when the sum passes the range of its type. */
static bool add_product(size_t count, size_t size, size_t *sum)
{
    size_t bytes = 0;
    return !__builtin_mul_overflow(count, size, &bytes) && !__builtin_add_overflow(*sum, bytes, sum);
}

/* One block for all. NULL: no memory. */
static char *allocate_work(work *w, sy_error *err)
{
    size_t size = (size_t)w->shape.head_dim;
    size_t keys = (size_t)w->keys_held;
    size_t rows = ROWS_AT_ONCE;
    size_t bytes = 8 * 64; /* the parts begin on lines of the cache */
    char *block = NULL;
    if (add_product(size * sizeof(float), 2 * keys, &bytes) &&
        add_product(keys, rows * (sizeof(double) + sizeof(float)), &bytes) &&
        add_product(size, (rows + 1) * sizeof(float) + 2 * sizeof(double), &bytes)) {
        block = sy_allocate(1, bytes);
    }
    if (block == NULL) {
        (void)sy_fail(err, SY_NO_MEMORY, "no memory for a head of %zu keys in the attention oracle", keys);
        return NULL;
    }
    char *next = block;
    w->keys = take(&next, size * keys, sizeof(float));
    w->values = take(&next, size * keys, sizeof(float));
    w->queries = take(&next, rows * size, sizeof(float));
    w->right = take(&next, rows * keys, sizeof(double));
    w->yard = take(&next, rows * keys, sizeof(float));
    w->right_sums = take(&next, size, sizeof(double));
    w->yard_sums = take(&next, size, sizeof(float));
    w->conversion = take(&next, size, sizeof(double));
    return block;
}

static sy_status check_inputs(const sy_case *c, const sy_attention_tensors *tensors, const sy_oracle_request *request,
                              sy_error *err)
{
    if (request->input_count != tensors->input_count || request->output != 0) {
        return sy_fail(err, SY_INVALID_ARGUMENT,
                       "case '%s': attention has %zu inputs and 1 output here, not %zu and %zu", c->name,
                       tensors->input_count, request->input_count, request->output + 1);
    }
    for (size_t i = 0; i < tensors->input_count; i++) {
        uint64_t elements = 0;
        uint64_t bytes = 0;
        sy_status status = sy_tensor_desc_check(&tensors->inputs[i], &elements, &bytes, err);
        if (status != SY_OK) {
            return status;
        }
        if (!sy_tensor_desc_equal(&tensors->inputs[i], request->inputs[i].desc) || request->inputs[i].size != bytes) {
            return sy_fail(err, SY_INVALID_ARGUMENT, "case '%s': input %zu is not the case's tensor '%s'", c->name, i,
                           tensors->inputs[i].name);
        }
    }
    uint64_t elements = 0;
    sy_status status = sy_tensor_desc_check(&tensors->output, &elements, NULL, err);
    for (uint64_t i = 0; status == SY_OK && i < request->count; i++) {
        uint64_t index = request->indices != NULL ? request->indices[i] : i;
        if (index >= elements) {
            return sy_fail(err, SY_INVALID_ARGUMENT, "case '%s': the oracle is asked for element %llu of %llu", c->name,
                           (unsigned long long)index, (unsigned long long)elements);
        }
    }
    return status;
}

sy_status sy_attention_oracle(void *user, const sy_case *c, const sy_oracle_request *request, sy_error *err)
{
    (void)user;
    sy_attention_tensors tensors;
    work w = {.dtype = c->dtype, .request = request, .head_held = -1};
    sy_status status = sy_attention_tensors_of(c, &tensors, err);
    if (status == SY_OK) {
        status = sy_attention_shape_of(c, &w.shape, err);
    }
    if (status == SY_OK) {
        status = check_inputs(c, &tensors, request, err);
    }
    if (status != SY_OK) {
        return status;
    }
    w.keys_held = (w.shape.keys + KEYS_AT_ONCE - 1) / KEYS_AT_ONCE * KEYS_AT_ONCE;
    char *block = allocate_work(&w, err);
    if (block == NULL) {
        return SY_NO_MEMORY;
    }
    answer_all(&w);
    if (request->count > 0 && request->count < SMALL_REQUEST) {
        look_further(&w);
    }
    set_scales(&w);
    sy_free(block);
    return SY_OK;
}
