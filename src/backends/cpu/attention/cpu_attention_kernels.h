/* SPDX-License-Identifier: Apache-2.0 */
/* The inner loops of our own attention, one set for each kind of vector unit: products, exponentials, sums, and storage
 * types to f32 and back. They know nothing of heads and tasks. */
#ifndef STEELYARD_BACKENDS_CPU_CPU_ATTENTION_KERNELS_H
#define STEELYARD_BACKENDS_CPU_CPU_ATTENTION_KERNELS_H

#include <steelyard/record.h>

#include "backends/cpu/cpu_vectors.h"

/* Scores here are multiplied by log2(e) beforehand, so that weights are powers of two: 2^x within 2 units in the last
 * place for -125 <= x <= 0, and 0 below, where a weight is lost beside the row's largest in any case.
 *
 * A panel holds queries side by side, one a lane: element (i, lane) of a panel of `lanes` lanes lies at
 * i * lanes + lane. Its lanes are one to three vectors. A row is one query's, its elements side by side. */
#define SY_CPU_PANEL_VECTORS 3
#define SY_CPU_PANEL_LANES_MAX 48
#define SY_CPU_LOG2_E 1.4426950408889634

typedef struct sy_cpu_attention_kernels {
    int64_t vector_lanes; /* floats of a vector */

    /* scores[j][lane] = sum over c of keys[j * size + c] panel[c][lane], for `count` keys of `size` elements. */
    void (*score_panel)(int64_t lanes, int64_t count, int64_t size, const float *keys, const float *panel,
                        float *scores);
    /* Scores to weights, 2^(score - most so far): most and total, a float a lane, are brought up to date, and
     * correction gets the factor for what was summed up before. Start with most -infinity and total 0. */
    void (*weigh_panel)(int64_t lanes, int64_t count, float *scores, float *most, float *total, float *correction);
    /* Adds mask[j][lane] log2(e) to scores. */
    void (*mask_panel)(int64_t lanes, int64_t count, const float *mask, float *scores);
    /* Scores of keys first_key + j > limit[lane] become -infinity. */
    void (*limit_panel)(int64_t lanes, int64_t count, int64_t first_key, const int32_t *limit, float *scores);
    /* sums[c][lane] = (first ? 0 : sums[c][lane] correction[lane]) + sum over j of values[j * size + c]
     * weights[j][lane]. */
    void (*add_panel)(int64_t lanes, int64_t count, int64_t size, const float *values, const float *weights,
                      const float *correction, bool is_first, float *sums);
    /* sums[c][lane] /= total[lane]; 0 where total is 0, because the row saw no key. */
    void (*divide_panel)(int64_t lanes, int64_t size, const float *total, float *sums);

    /* scores[j] = sum over c of keys[j * size + c] query[c]. */
    void (*score_row)(int64_t count, int64_t size, const float *keys, const float *query, float *scores);
    /* As weigh_panel, for one row. */
    void (*weigh_row)(int64_t count, float *scores, float *most, float *total, float *correction);
    /* row[c] = row[c] correction + sum over j of values[j * size + c] weights[j]; correction 0: row is not read. */
    void (*add_row)(int64_t count, int64_t size, const float *values, const float *weights, float correction,
                    float *row);
    /* row[i] *= factor. */
    void (*scale_row)(int64_t count, float factor, float *row);
    /* row[i] += mask[i] log2(e). */
    void (*mask_row)(int64_t count, const float *mask, float *row);

    /* Elements of the storage type dtype (f32, f16, bf16) times factor, as f32, and back, rounded to nearest. */
    void (*widen)(sy_dtype dtype, int64_t count, const void *from, float factor, float *to);
    void (*narrow)(sy_dtype dtype, int64_t count, const float *from, void *to);
} sy_cpu_attention_kernels;

/* Those for vectors that this processor has. */
const sy_cpu_attention_kernels *sy_cpu_attention_kernels_of(sy_cpu_vectors vectors);

/* to[c * to_stride + r] = from[r * from_stride + c]; the two do not overlap. */
void sy_cpu_transpose(int64_t rows, int64_t columns, const float *from, int64_t from_stride, float *to,
                      int64_t to_stride);

#endif
