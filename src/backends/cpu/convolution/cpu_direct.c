/* SPDX-License-Identifier: Apache-2.0 */
/* A task is a band of output rows of one image and group, and some of its filters. It packs the source's rows that the
 * band needs, padded and, where there is a stride, dealt to planes of every s-th row and column. In such a plane each
 * element of the kernel is one fixed offset for all places of the band, rows being `pitch` apart, so that the inner
 * loop runs over places as over a line: a vector of places at an offset times a broadcast weight, for several filters
 * at once. Places between the end of a row and the next are computed and thrown away. */
#include "backends/cpu/convolution/cpu_direct.h"

#include <string.h>

enum {
    PLACES = 768,       /* of a band, about */
    COLUMNS_MAX = 128,  /* of a band */
    SUMS_MAX = 73728,   /* floats of sums, where more than one chunk's filters fit: 288 KiB */
    CHUNK_FILTERS = 96, /* a multiple of every kernel's rows */
    PACKED_MAX = 49152, /* floats of packed source: 192 KiB, which stays in a second-level cache */
    PLACES_STEP = 128,  /* a multiple of every kernel's places */
    TASKS_A_THREAD = 4
};

#define SCRATCH_MAX (INT64_C(1) << 28) /* floats a thread */
/* Less work than this a thread is done sooner by one thread than another is woken. */
#define THREAD_FLOP 1.0e6

/* sums[filter][place] (sums_pitch apart) = or += over all terms of weights[filter][term] (row_pitch apart) times
 * packed[offsets[term] + place], for a kernel's filters and places. */
typedef void (*tile_fn)(int64_t terms, const float *packed, const int64_t *offsets, const float *weights,
                        int64_t row_pitch, float *sums, int64_t sums_pitch, bool is_first);

typedef struct tile {
    int64_t filters;
    int64_t places;
    tile_fn run;
} tile;

#define DEFINE_TILE(NAME, TARGET, BYTES, FILTERS, VECTORS)                                                          \
    typedef float NAME##_vector __attribute__((vector_size(BYTES), aligned(4), may_alias));                         \
    TARGET static void NAME##_run(int64_t terms, const float *packed, const int64_t *offsets, const float *weights, \
                                  int64_t row_pitch, float *sums, int64_t sums_pitch, bool is_first)                \
    {                                                                                                               \
        enum { WIDTH = (BYTES) / 4 };                                                                               \
        NAME##_vector held[FILTERS][VECTORS];                                                                       \
        memset(held, 0, sizeof held);                                                                               \
        for (int i = 0; i < (FILTERS) && !is_first; i++) {                                                          \
            for (int j = 0; j < (VECTORS); j++) {                                                                   \
                held[i][j] = *(const NAME##_vector *)(sums + i * sums_pitch + j * WIDTH);                           \
            }                                                                                                       \
        }                                                                                                           \
        for (int64_t k = 0; k < terms; k++) {                                                                       \
            const float *from = packed + offsets[k];                                                                \
            for (int j = 0; j < (VECTORS); j++) {                                                                   \
                NAME##_vector source = *(const NAME##_vector *)(from + j * WIDTH);                                  \
                for (int i = 0; i < (FILTERS); i++) {                                                               \
                    held[i][j] += weights[i * row_pitch + k] * source;                                              \
                }                                                                                                   \
            }                                                                                                       \
        }                                                                                                           \
        for (int i = 0; i < (FILTERS); i++) {                                                                       \
            for (int j = 0; j < (VECTORS); j++) {                                                                   \
                *(NAME##_vector *)(sums + i * sums_pitch + j * WIDTH) = held[i][j];                                 \
            }                                                                                                       \
        }                                                                                                           \
    }                                                                                                               \
    _Static_assert(CHUNK_FILTERS % (FILTERS) == 0 && PLACES_STEP % ((VECTORS) * (BYTES) / 4) == 0, "tile " #NAME)

enum { TILE_KINDS = 3 }; /* the most filters first; the last has one */

/* Sums and what is loaded beside them stay in registers: 16 of 128 or 256 bits, 32 of 512. */
DEFINE_TILE(baseline_4, , 16, 4, 2);
DEFINE_TILE(baseline_2, , 16, 2, 4);
DEFINE_TILE(baseline_1, , 16, 1, 8);
static const tile baseline_tiles[TILE_KINDS] = {
    {4, 8, baseline_4_run}, {2, 16, baseline_2_run}, {1, 32, baseline_1_run}};

#if defined(__x86_64__)
DEFINE_TILE(avx2_6, SY_TARGET_AVX2, 32, 6, 2);
DEFINE_TILE(avx2_3, SY_TARGET_AVX2, 32, 3, 4);
DEFINE_TILE(avx2_1, SY_TARGET_AVX2, 32, 1, 8);
static const tile avx2_tiles[TILE_KINDS] = {{6, 16, avx2_6_run}, {3, 32, avx2_3_run}, {1, 64, avx2_1_run}};
DEFINE_TILE(avx512_12, SY_TARGET_AVX512, 64, 12, 2);
DEFINE_TILE(avx512_4, SY_TARGET_AVX512, 64, 4, 4);
DEFINE_TILE(avx512_1, SY_TARGET_AVX512, 64, 1, 8);
static const tile avx512_tiles[TILE_KINDS] = {{12, 32, avx512_12_run}, {4, 64, avx512_4_run}, {1, 128, avx512_1_run}};
static const tile *const all_tiles[] = {baseline_tiles, avx2_tiles, avx512_tiles};
#else
static const tile *const all_tiles[] = {baseline_tiles, baseline_tiles, baseline_tiles};
#endif

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t divide_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static int64_t greatest_common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Enough tasks that the threads end together; a band of few places may be cut into smaller chunks of filters. */
static void cut_filters(sy_cpu_direct *d, uint32_t thread_count)
{
    const sy_convolution_shape *s = &d->shape;
    int64_t filters = s->filters / s->groups;
    int64_t others = s->batch * s->groups * d->row_bands * d->column_bands;
    int64_t least = all_tiles[d->vectors][0].filters;
    int64_t wanted = (int64_t)thread_count * TASKS_A_THREAD;
    d->chunk = smaller(larger(CHUNK_FILTERS, SUMS_MAX / d->sums_pitch / CHUNK_FILTERS * CHUNK_FILTERS), filters);
    while (d->chunk > 2 * least && others * divide_up(filters, d->chunk) < wanted) {
        d->chunk = divide_up(d->chunk / 2, least) * least;
    }
    d->chunks = divide_up(filters, d->chunk);
}

static int64_t thread_floats(const sy_cpu_direct *d)
{
    return d->packed_count + d->chunk * d->sums_pitch;
}

bool sy_cpu_direct_plan(const sy_convolution_shape *shape, sy_cpu_vectors vectors, uint32_t thread_count,
                        sy_cpu_direct *ret_direct)
{
    const sy_convolution_shape *s = shape;
    sy_cpu_direct d = {.shape = *shape, .vectors = vectors, .terms = sy_convolution_terms(shape)};
    int64_t taps = s->kernel_h * s->kernel_w;
    int64_t period = s->stride / greatest_common_divisor(s->dilation, s->stride);
    int64_t reach_y = s->dilation * (s->kernel_h - 1) / s->stride;
    int64_t reach_x = s->dilation * (s->kernel_w - 1) / s->stride;
    d.slots_y = smaller(period, s->kernel_h);
    d.slots_x = smaller(period, s->kernel_w);
    d.band_columns = smaller(s->out_width, COLUMNS_MAX);
    d.pitch = d.band_columns + reach_x;
    d.band_rows = smaller(larger(PLACES / d.pitch, 1), s->out_height);
    d.plane_rows = d.band_rows + reach_y;
    d.row_bands = divide_up(s->out_height, d.band_rows);
    d.column_bands = divide_up(s->out_width, d.band_columns);
    /* In double: the product of four numbers below 2^32 fits into no integer. */
    double plane = (double)d.slots_y * (double)d.slots_x * (double)d.plane_rows * (double)d.pitch;
    if (plane + (double)taps > (double)SCRATCH_MAX) {
        return false;
    }
    int64_t floats = d.slots_y * d.slots_x * d.plane_rows * d.pitch;
    d.block = smaller(larger(PACKED_MAX / floats, 1), s->channels / s->groups);
    d.packed_count = divide_up(d.block * floats + PLACES_STEP, PLACES_STEP) * PLACES_STEP;
    d.sums_pitch = divide_up(d.band_rows * d.pitch, PLACES_STEP) * PLACES_STEP;
    cut_filters(&d, thread_count);
    size_t offsets = (size_t)divide_up(d.block * taps * 2, PLACES_STEP) * PLACES_STEP; /* int64_t in place of floats */
    d.scratch_count = offsets + (size_t)thread_count * (size_t)thread_floats(&d);
    *ret_direct = d;
    return true;
}

typedef struct job {
    const sy_cpu_direct *d;
    const float *source;
    const float *weights;
    float *output;
    int64_t *offsets; /* of the terms of one block of channels */
    float *scratch;   /* the threads' own */
} job;

/* Where term (channel, i, j) finds its source for the first place of a band. */
static void make_offsets(const sy_cpu_direct *d, int64_t *offsets)
{
    const sy_convolution_shape *s = &d->shape;
    int64_t floats = d->plane_rows * d->pitch;
    for (int64_t channel = 0; channel < d->block; channel++) {
        for (int64_t i = 0; i < s->kernel_h; i++) {
            for (int64_t j = 0; j < s->kernel_w; j++) {
                int64_t slot = channel * d->slots_y * d->slots_x + i % d->slots_y * d->slots_x + j % d->slots_x;
                *offsets++ = slot * floats + i * s->dilation / s->stride * d->pitch + j * s->dilation / s->stride;
            }
        }
    }
}

void sy_cpu_direct_row(const float *row, int64_t width, int64_t first, int64_t stride, int64_t count, float *to)
{
    int64_t left = first < 0 ? smaller(divide_up(-first, stride), count) : 0;
    int64_t inside = first + left * stride < width ? divide_up(width - first - left * stride, stride) : 0;
    int64_t end = smaller(left + inside, count);
    memset(to, 0, (size_t)left * sizeof *to);
    if (stride == 1 && end > left) {
        memcpy(to + left, row + first + left, (size_t)(end - left) * sizeof *to);
    } else {
        for (int64_t x = left; x < end; x++) {
            to[x] = row[first + x * stride];
        }
    }
    memset(to + end, 0, (size_t)(count - end) * sizeof *to);
}

/* `channels` channels of the source around a band that begins at output row y and column x. */
static void pack_source(const sy_cpu_direct *d, const float *source, int64_t channels, int64_t y, int64_t x, float *to)
{
    const sy_convolution_shape *s = &d->shape;
    /* Nothing to pad or deal: rows lie as they are wanted. */
    bool is_whole = s->padding == 0 && s->stride == 1 && d->pitch == s->width;
    int64_t rows_left = smaller(d->plane_rows, s->height - y);
    for (int64_t channel = 0; channel < channels; channel++, source += s->height * s->width) {
        for (int64_t slot = 0; slot < d->slots_y * d->slots_x; slot++) {
            int64_t phase_y = slot / d->slots_x * s->dilation % s->stride;
            int64_t phase_x = slot % d->slots_x * s->dilation % s->stride;
            if (is_whole) {
                memcpy(to, source + y * s->width, (size_t)rows_left * (size_t)d->pitch * sizeof *to);
                to += d->plane_rows * d->pitch;
                continue;
            }
            for (int64_t r = 0; r < d->plane_rows; r++, to += d->pitch) {
                int64_t row = (y + r) * s->stride + phase_y - s->padding;
                if (row < 0 || row >= s->height) {
                    memset(to, 0, (size_t)d->pitch * sizeof *to);
                } else {
                    sy_cpu_direct_row(source + row * s->width, s->width, x * s->stride + phase_x - s->padding,
                                      s->stride, d->pitch, to);
                }
            }
        }
    }
    memset(to, 0, PLACES_STEP * sizeof *to); /* a tile's last places lie behind the last plane */
}

/* One block of channels for all filters of a task, in tiles from the one of most filters to the one of one. */
static void add_block(const sy_cpu_direct *d, const int64_t *offsets, const float *packed, const float *weights,
                      int64_t terms, int64_t filters, int64_t places, float *sums, bool is_first)
{
    const tile *kinds = all_tiles[d->vectors];
    int64_t filter = 0;
    for (int kind = 0; kind < TILE_KINDS; kind++) {
        const tile *t = &kinds[kind];
        for (; filter + t->filters <= filters; filter += t->filters) {
            for (int64_t place = 0; place < places; place += t->places) {
                t->run(terms, packed + place, offsets, weights + filter * d->terms, d->terms,
                       sums + filter * d->sums_pitch + place, d->sums_pitch, is_first);
            }
        }
    }
}

static void run_task(void *user, uint64_t task, uint32_t thread)
{
    const job *j = user;
    const sy_cpu_direct *d = j->d;
    const sy_convolution_shape *s = &d->shape;
    int64_t bands = d->row_bands * d->column_bands;
    int64_t at = (int64_t)task;
    int64_t first_filter = at % d->chunks * d->chunk;
    int64_t y = at / d->chunks % bands / d->column_bands * d->band_rows;
    int64_t x = at / d->chunks % d->column_bands * d->band_columns;
    int64_t group = at / (d->chunks * bands) % s->groups;
    int64_t image = at / (d->chunks * bands) / s->groups;
    int64_t channels = s->channels / s->groups;
    int64_t filters = smaller(d->chunk, s->filters / s->groups - first_filter);
    int64_t rows = smaller(d->band_rows, s->out_height - y);
    int64_t columns = smaller(d->band_columns, s->out_width - x);
    int64_t taps = s->kernel_h * s->kernel_w;
    float *packed = j->scratch + (int64_t)thread * thread_floats(d);
    float *sums = packed + d->packed_count;
    first_filter += group * (s->filters / s->groups);
    for (int64_t channel = 0; channel < channels; channel += d->block) {
        int64_t held = smaller(d->block, channels - channel);
        const float *source = j->source + ((image * s->channels + group * channels + channel) * s->height) * s->width;
        pack_source(d, source, held, y, x, packed);
        add_block(d, j->offsets, packed, j->weights + first_filter * d->terms + channel * taps, held * taps, filters,
                  (rows - 1) * d->pitch + columns, sums, channel == 0);
    }
    for (int64_t f = 0; f < filters; f++) {
        float *to = j->output + ((image * s->filters + first_filter + f) * s->out_height + y) * s->out_width + x;
        for (int64_t r = 0; r < rows; r++) {
            memcpy(to + r * s->out_width, sums + f * d->sums_pitch + r * d->pitch, (size_t)columns * sizeof *to);
        }
    }
}

void sy_cpu_direct_run(const sy_cpu_direct *direct, sy_cpu_pool *pool, const float *source, const float *weights,
                       float *output, float *scratch)
{
    const sy_cpu_direct *d = direct;
    const sy_convolution_shape *s = &d->shape;
    int64_t taps = s->kernel_h * s->kernel_w;
    job j = {.d = d, .source = source, .weights = weights, .output = output, .offsets = (int64_t *)(void *)scratch};
    j.scratch = scratch + divide_up(d->block * taps * 2, PLACES_STEP) * PLACES_STEP;
    make_offsets(d, j.offsets);
    uint64_t tasks = (uint64_t)(s->batch * s->groups * d->row_bands * d->column_bands * d->chunks);
    double flop = 2.0 * (double)d->terms * (double)s->out_height * (double)s->out_width * (double)s->filters *
                  (double)s->batch;
    if (flop < 2 * THREAD_FLOP) {
        for (uint64_t task = 0; task < tasks; task++) {
            run_task(&j, task, 0);
        }
        return;
    }
    sy_cpu_pool_run(pool, tasks, run_task, &j);
}
