/* SPDX-License-Identifier: Apache-2.0 */
/* A product cut into independent tasks: a block of rows and a block of columns over all of K. A task packs what it
 * reads into contiguous panels (after Goto and van de Geijn 2008) and runs a register-blocked kernel over them; few
 * rows stream through B unpacked. Packing again in each task costs some per cent and saves every barrier. */
#include "backends/cpu/matmul/cpu_blocked.h"

#include <string.h>

enum {
    BLOCK_ROWS = 96,     /* a multiple of every kernel's rows */
    BLOCK_COLUMNS = 256, /* a multiple of every kernel's columns */
    BLOCK_TERMS = 256,   /* packed B: 256 KiB, which stays in a second-level cache */
    STREAMED_ROWS = 8,   /* so many rows or fewer: B is read once, in place */
    STREAMED_COLUMNS = 512,
    PACKED_A = BLOCK_ROWS * BLOCK_TERMS,
    PACKED_B = BLOCK_TERMS * BLOCK_COLUMNS,
    TILE_FLOATS = 1024, /* the largest kernel's tile */
    THREAD_SCRATCH = PACKED_A + PACKED_B + TILE_FLOATS
};

/* Less work than this a thread is done sooner by one thread than another is woken. */
#define THREAD_FLOP 1.0e6

/* Multiplies packed panels of `terms` terms: tile[rows][columns] = sum over k of a[k][row] b[k][column]. */
typedef void (*kernel_fn)(int64_t terms, const float *a, const float *b, float *tile);
/* Adds row[0..terms) times b to c[0..columns), rows of b being ldb apart. */
typedef void (*stream_fn)(int64_t terms, int64_t columns, const float *row, const float *b, int64_t ldb, float *c);

typedef struct kernels {
    int64_t rows;
    int64_t columns;
    kernel_fn multiply;
    stream_fn stream;
} kernels;

/* One kernel for each width of vectors; BYTES, ROWS are chosen so that the ROWS x 2 sums stay in registers. */
#define DEFINE_KERNELS(NAME, TARGET, BYTES, ROWS)                                                                   \
    typedef float NAME##_vector __attribute__((vector_size(BYTES), aligned(4), may_alias));                         \
    TARGET static void NAME##_multiply(int64_t terms, const float *a, const float *b, float *tile)                  \
    {                                                                                                               \
        enum { WIDTH = (BYTES) / 4 };                                                                               \
        NAME##_vector sums[ROWS][2];                                                                                \
        memset(sums, 0, sizeof sums);                                                                               \
        for (int64_t k = 0; k < terms; k++, a += (ROWS), b += 2 * WIDTH) {                                          \
            NAME##_vector first = *(const NAME##_vector *)b;                                                        \
            NAME##_vector second = *(const NAME##_vector *)(b + WIDTH);                                             \
            for (int i = 0; i < (ROWS); i++) {                                                                      \
                sums[i][0] += a[i] * first;                                                                         \
                sums[i][1] += a[i] * second;                                                                        \
            }                                                                                                       \
        }                                                                                                           \
        memcpy(tile, sums, sizeof sums);                                                                            \
    }                                                                                                               \
    TARGET static void NAME##_stream(int64_t terms, int64_t columns, const float *row, const float *b, int64_t ldb, \
                                     float *restrict c)                                                             \
    {                                                                                                               \
        int64_t k = 0;                                                                                              \
        for (; k + 4 <= terms; k += 4) {                                                                            \
            const float *restrict b0 = b + k * ldb;                                                                 \
            const float *restrict b1 = b0 + ldb;                                                                    \
            const float *restrict b2 = b1 + ldb;                                                                    \
            const float *restrict b3 = b2 + ldb;                                                                    \
            for (int64_t j = 0; j < columns; j++) {                                                                 \
                c[j] = c[j] + row[k] * b0[j] + row[k + 1] * b1[j] + row[k + 2] * b2[j] + row[k + 3] * b3[j];        \
            }                                                                                                       \
        }                                                                                                           \
        for (; k < terms; k++) {                                                                                    \
            for (int64_t j = 0; j < columns; j++) {                                                                 \
                c[j] += row[k] * b[k * ldb + j];                                                                    \
            }                                                                                                       \
        }                                                                                                           \
    }                                                                                                               \
    _Static_assert((ROWS)*2 * (BYTES) / 4 <= TILE_FLOATS && BLOCK_ROWS % (ROWS) == 0, "tile of " #NAME);            \
    static const kernels NAME##_kernels = {(ROWS), 2 * (BYTES) / 4, NAME##_multiply, NAME##_stream}

DEFINE_KERNELS(baseline, , 16, 4);

#if defined(__x86_64__)
DEFINE_KERNELS(avx2, SY_TARGET_AVX2, 32, 6);
DEFINE_KERNELS(avx512, SY_TARGET_AVX512, 64, 12);

static const kernels *const all_kernels[] = {&baseline_kernels, &avx2_kernels, &avx512_kernels};
#else
static const kernels *const all_kernels[] = {&baseline_kernels, &baseline_kernels, &baseline_kernels};
#endif

typedef struct product {
    const kernels *kernels;
    sy_matmul_shape shape;
    const float *a;
    const float *b;
    float *c;
    float *scratch;
    int64_t row_blocks;
    int64_t column_blocks;
    int64_t column_step; /* columns of a block */
} product;

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Panels of `rows` rows, each held term by term; missing rows are zeros, because leftovers could be
 * denormals, which are slow. */
static void pack_a(const float *a, int64_t lda, int64_t m, int64_t terms, int64_t rows, float *to)
{
    for (int64_t first = 0; first < m; first += rows) {
        int64_t held = smaller(rows, m - first);
        if (held < rows) {
            memset(to, 0, (size_t)(rows * terms) * sizeof *to);
        }
        for (int64_t i = 0; i < held; i++) {
            const float *from = a + (first + i) * lda;
            for (int64_t k = 0; k < terms; k++) {
                to[k * rows + i] = from[k];
            }
        }
        to += rows * terms;
    }
}

/* Panels of `columns` columns, each held term by term; missing columns are zeros for the same reason. */
static void pack_b(const float *b, int64_t ldb, int64_t n, int64_t terms, int64_t columns, float *to)
{
    for (int64_t first = 0; first < n; first += columns) {
        int64_t held = smaller(columns, n - first);
        for (int64_t k = 0; k < terms; k++, to += columns) {
            memcpy(to, b + k * ldb + first, (size_t)held * sizeof *to);
            if (held < columns) {
                memset(to + held, 0, (size_t)(columns - held) * sizeof *to);
            }
        }
    }
}

/* Puts (first block of K) or adds the part of a tile that lies in C. */
static void put_tile(const float *tile, int64_t tile_columns, int64_t rows, int64_t columns, bool is_first, float *c,
                     int64_t ldc)
{
    for (int64_t i = 0; i < rows; i++, c += ldc, tile += tile_columns) {
        if (is_first) {
            memcpy(c, tile, (size_t)columns * sizeof *c);
            continue;
        }
        for (int64_t j = 0; j < columns; j++) {
            c[j] += tile[j];
        }
    }
}

/* The block of C at (row, column) of one batch element. */
static void multiply_block(const product *p, const float *a, const float *b, float *c, int64_t rows, int64_t columns,
                           float *scratch)
{
    const kernels *k = p->kernels;
    int64_t lda = p->shape.k;
    int64_t ldb = p->shape.n;
    float *packed_a = scratch;
    float *packed_b = scratch + PACKED_A;
    float *tile = packed_b + PACKED_B;
    for (int64_t term = 0; term < p->shape.k; term += BLOCK_TERMS) {
        int64_t terms = smaller(BLOCK_TERMS, p->shape.k - term);
        pack_a(a + term, lda, rows, terms, k->rows, packed_a);
        pack_b(b + term * ldb, ldb, columns, terms, k->columns, packed_b);
        for (int64_t j = 0; j < columns; j += k->columns) {
            for (int64_t i = 0; i < rows; i += k->rows) {
                k->multiply(terms, packed_a + i * terms, packed_b + j * terms, tile);
                put_tile(tile, k->columns, smaller(k->rows, rows - i), smaller(k->columns, columns - j), term == 0,
                         c + i * ldb + j, ldb);
            }
        }
    }
}

static void stream_block(const product *p, const float *a, const float *b, float *c, int64_t rows, int64_t columns)
{
    int64_t n = p->shape.n;
    for (int64_t i = 0; i < rows; i++) {
        memset(c + i * n, 0, (size_t)columns * sizeof *c);
    }
    /* Sixteen rows of B stay in the first-level cache while every row of A passes over them. */
    for (int64_t term = 0; term < p->shape.k; term += 16) {
        int64_t terms = smaller(16, p->shape.k - term);
        for (int64_t i = 0; i < rows; i++) {
            p->kernels->stream(terms, columns, a + i * p->shape.k + term, b + term * n, n, c + i * n);
        }
    }
}

static void run_task(void *job, uint64_t task, uint32_t thread)
{
    const product *p = job;
    const sy_matmul_shape *s = &p->shape;
    int64_t blocks = p->row_blocks * p->column_blocks;
    int64_t z = (int64_t)task / blocks;
    int64_t row = (int64_t)task % blocks / p->column_blocks * BLOCK_ROWS;
    int64_t column = (int64_t)task % p->column_blocks * p->column_step;
    int64_t rows = smaller(BLOCK_ROWS, s->m - row);
    int64_t columns = smaller(p->column_step, s->n - column);
    const float *a = p->a + (z * s->m + row) * s->k;
    const float *b = p->b + z * s->k * s->n + column;
    float *c = p->c + (z * s->m + row) * s->n + column;
    if (s->m <= STREAMED_ROWS) {
        stream_block(p, a, b, c, rows, columns);
    } else {
        multiply_block(p, a, b, c, rows, columns, p->scratch + (size_t)thread * THREAD_SCRATCH);
    }
}

size_t sy_cpu_blocked_scratch(uint32_t thread_count)
{
    return (size_t)thread_count * THREAD_SCRATCH;
}

void sy_cpu_blocked(sy_cpu_pool *pool, sy_cpu_vectors vectors, const sy_matmul_shape *shape, const float *a,
                    const float *b, float *c, float *scratch)
{
    product p = {.kernels = all_kernels[vectors], .shape = *shape, .a = a, .b = b};
    p.c = c;
    p.scratch = scratch;
    p.column_step = shape->m <= STREAMED_ROWS ? STREAMED_COLUMNS : BLOCK_COLUMNS;
    p.row_blocks = (shape->m + BLOCK_ROWS - 1) / BLOCK_ROWS;
    p.column_blocks = (shape->n + p.column_step - 1) / p.column_step;
    uint64_t tasks = (uint64_t)(shape->batch * p.row_blocks * p.column_blocks);
    double flop = 2.0 * (double)shape->m * (double)shape->n * (double)shape->k * (double)shape->batch;
    if (flop < 2 * THREAD_FLOP) {
        for (uint64_t task = 0; task < tasks; task++) {
            run_task(&p, task, 0);
        }
        return;
    }
    sy_cpu_pool_run(pool, tasks, run_task, &p);
}
