/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of attention for each kind of vector, from one text; what they share; and which the processor has. */
#include "backends/cpu/attention/cpu_attention_kernels.h"

#include <math.h>
#include <string.h>

#include "operations/half.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

static void widen_f16(int64_t count, const uint16_t *from, float *to)
{
    for (int64_t i = 0; i < count; i++) {
        to[i] = sy_f16_to_f32(from[i]);
    }
}

static void narrow_f16(int64_t count, const float *from, uint16_t *to)
{
    for (int64_t i = 0; i < count; i++) {
        to[i] = sy_f16_from_f32(from[i]);
    }
}

typedef float quad __attribute__((vector_size(16), aligned(4), may_alias));

/* Four rows of four: pairs are interleaved twice. */
static inline __attribute__((always_inline)) void transpose_quads(quad rows[4])
{
    quad low02 = __builtin_shufflevector(rows[0], rows[2], 0, 4, 1, 5);
    quad high02 = __builtin_shufflevector(rows[0], rows[2], 2, 6, 3, 7);
    quad low13 = __builtin_shufflevector(rows[1], rows[3], 0, 4, 1, 5);
    quad high13 = __builtin_shufflevector(rows[1], rows[3], 2, 6, 3, 7);
    rows[0] = __builtin_shufflevector(low02, low13, 0, 4, 1, 5);
    rows[1] = __builtin_shufflevector(low02, low13, 2, 6, 3, 7);
    rows[2] = __builtin_shufflevector(high02, high13, 0, 4, 1, 5);
    rows[3] = __builtin_shufflevector(high02, high13, 2, 6, 3, 7);
}

/* Where no instruction is known to do it: by bits. */
#define SELECT_BITS(mask, a, b) ((__typeof__(a))(((mask) & (__typeof__(mask))(a)) | (~(mask) & (__typeof__(mask))(b))))
#define LARGER_BITS(a, b) SELECT_BITS((a) > (b), a, b)
#define CLEAR_BELOW_BITS(x, least, a) ((__typeof__(a))(~((x) < (least)) & (__typeof__((x) < (least)))(a)))

#define KERNEL(name) baseline_##name
#define TARGET
#define BYTES 16
#define ROWS 4
#define LARGER LARGER_BITS
#define SELECT SELECT_BITS
#define CLEAR_BELOW CLEAR_BELOW_BITS
#define WIDEN_F16 widen_f16
#define NARROW_F16 narrow_f16
#include "backends/cpu/attention/cpu_attention_kernels.inc"

#if defined(__x86_64__)

/* The processor's own conversions round as ours do, and are some twenty times as fast. */
#define F16C __attribute__((target("f16c,avx2,fma")))

F16C static void widen_f16c(int64_t count, const uint16_t *from, float *to)
{
    int64_t i = 0;
    for (; i + 8 <= count; i += 8) {
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)(from + i))));
    }
    widen_f16(count - i, from + i, to + i);
}

F16C static void narrow_f16c(int64_t count, const float *from, uint16_t *to)
{
    int64_t i = 0;
    for (; i + 8 <= count; i += 8) {
        __m128i halves = _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT);
        _mm_storeu_si128((__m128i *)(void *)(to + i), halves);
    }
    narrow_f16(count - i, from + i, to + i);
}

SY_TARGET_AVX512 static void widen_f16_avx512(int64_t count, const uint16_t *from, float *to)
{
    int64_t i = 0;
    for (; i + 16 <= count; i += 16) {
        _mm512_storeu_ps(to + i, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)(from + i))));
    }
    widen_f16(count - i, from + i, to + i);
}

#define KERNEL(name) avx2_##name
#define TARGET SY_TARGET_AVX2
#define BYTES 32
#define ROWS 4
#define LARGER(a, b) _mm256_max_ps(a, b)
#define SELECT SELECT_BITS
#define CLEAR_BELOW CLEAR_BELOW_BITS
#define WIDEN_F16 widen_f16c
#define NARROW_F16 narrow_f16c
#include "backends/cpu/attention/cpu_attention_kernels.inc"

#define KERNEL(name) avx512_##name
#define TARGET SY_TARGET_AVX512
#define BYTES 64
#define ROWS 8
#define LARGER(a, b) _mm512_max_ps(a, b)
#define SELECT SELECT_BITS
#define CLEAR_BELOW(x, least, a) _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(x, least, _CMP_NLT_UQ), a)
#define WIDEN_F16 widen_f16_avx512
#define NARROW_F16 narrow_f16c
#include "backends/cpu/attention/cpu_attention_kernels.inc"

static bool has_f16c(void)
{
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}

/* Every processor with AVX2 that was sold has F16C; a virtual one may hide it. */
const sy_cpu_attention_kernels *sy_cpu_attention_kernels_of(sy_cpu_vectors vectors)
{
    if (vectors == SY_CPU_BASELINE || !has_f16c()) {
        return &baseline_kernels;
    }
    return vectors == SY_CPU_AVX512 ? &avx512_kernels : &avx2_kernels;
}
#else
const sy_cpu_attention_kernels *sy_cpu_attention_kernels_of(sy_cpu_vectors vectors)
{
    (void)vectors;
    return &baseline_kernels;
}
#endif

void sy_cpu_transpose(int64_t rows, int64_t columns, const float *from, int64_t from_stride, float *to,
                      int64_t to_stride)
{
    int64_t even_rows = rows / 4 * 4;
    int64_t even_columns = columns / 4 * 4;
    for (int64_t r = 0; r < even_rows; r += 4) {
        for (int64_t c = 0; c < even_columns; c += 4) {
            quad block[4];
            for (int i = 0; i < 4; i++) {
                block[i] = *(const quad *)(from + (r + i) * from_stride + c);
            }
            transpose_quads(block);
            for (int i = 0; i < 4; i++) {
                *(quad *)(to + (c + i) * to_stride + r) = block[i];
            }
        }
        for (int64_t c = even_columns; c < columns; c++) {
            for (int64_t i = r; i < r + 4; i++) {
                to[c * to_stride + i] = from[i * from_stride + c];
            }
        }
    }
    for (int64_t r = even_rows; r < rows; r++) {
        for (int64_t c = 0; c < columns; c++) {
            to[c * to_stride + r] = from[r * from_stride + c];
        }
    }
}
