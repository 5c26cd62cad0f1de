/* SPDX-License-Identifier: Apache-2.0 */
/* Attention cut into independent tasks, with the softmax carried along a row (Milakov and Gimelshein 2018; Dao et al.
 * 2022). All query rows that share a key head are one matrix. Many rows: a task takes some panels of them, each with
 * its queries side by side in the lanes of vectors, so that keys and values are read in place, one broadcast element at
 * a time, and maxima and sums never cross lanes. Few rows, as in decoding, would leave lanes empty: a task takes all of
 * them and a stretch of the keys, with elements of a head side by side, and the stretches are joined at the end. */
#include "backends/cpu/attention/cpu_flash.h"

#include <math.h>
#include <string.h>

#include "backends/cpu/attention/cpu_attention_kernels.h"

enum {
    TILE_KEYS = 64,  /* of scores at a time: a panel's tile stays in a first-level cache */
    TASK_PANELS = 4, /* that a stored tile of keys and values is widened for */
    TASKS_A_THREAD = 4,
    STRETCH_KEYS = 256, /* a task's keys in decoding, at least */
    STRETCHES = 64,     /* so many tasks in all are enough for decoding */
    LINE = 16           /* floats of a cache line */
};

/* Less work than this a thread is done sooner by one thread than another is woken. */
#define THREAD_FLOP 1.0e6

/* How a shape is cut. */
typedef struct plan {
    const sy_cpu_attention_kernels *kernels;
    int64_t heads; /* key heads of all batch elements */
    int64_t rows;  /* that share one */
    bool by_rows;  /* few rows */
    int64_t panels;
    int64_t task_panels;
    int64_t stretches;
    int64_t stretch_keys;
    int64_t tasks_a_head;
} plan;

/* One panel of queries at work. */
typedef struct panel {
    int64_t first_row; /* within its key head */
    int64_t rows;
    int64_t lanes;
    int64_t seen_by_all; /* keys 0..that - 1 */
    int64_t seen_by_any;
    int32_t *limit; /* the last key that each lane sees */
    float *most;
    float *total;
    float *correction;
    float *queries; /* [head_dim][lanes] */
    float *sums;    /* [head_dim][lanes] */
} panel;

/* A thread's scratch. */
typedef struct room {
    float *keys; /* widened tiles; unused for f32 */
    float *values;
    float *scores; /* [TILE_KEYS][lanes], or [rows][TILE_KEYS] */
    float *mask;
    float *rows; /* [rows or lanes][head_dim] */
    float *panels;
} room;

typedef struct job {
    plan plan;
    sy_cpu_flash_problem problem;
    float *scratch;
    float *stretches; /* what each stretch found: sums, most, total of each row */
    uint64_t room_floats;
} job;

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t parts_of(int64_t whole, int64_t part)
{
    return (whole + part - 1) / part;
}

static plan plan_of(const sy_attention_shape *s, sy_cpu_vectors vectors, uint32_t thread_count)
{
    plan p = {.kernels = sy_cpu_attention_kernels_of(vectors), .heads = s->batch * s->kv_heads};
    p.rows = s->heads / s->kv_heads * s->queries;
    p.by_rows = 2 * p.rows <= p.kernels->vector_lanes;
    if (p.by_rows) {
        int64_t most = STRETCHES / p.heads > 1 ? STRETCHES / p.heads : 1;
        p.stretches = smaller(most, parts_of(s->keys, STRETCH_KEYS));
        p.stretch_keys = parts_of(parts_of(s->keys, p.stretches), TILE_KEYS) * TILE_KEYS;
        p.stretches = parts_of(s->keys, p.stretch_keys);
        p.tasks_a_head = p.stretches;
        return p;
    }
    p.panels = parts_of(p.rows, SY_CPU_PANEL_VECTORS * p.kernels->vector_lanes);
    p.task_panels = TASK_PANELS;
    while (p.task_panels > 1 && p.heads * parts_of(p.panels, p.task_panels) < (int64_t)thread_count * TASKS_A_THREAD) {
        p.task_panels--;
    }
    p.tasks_a_head = parts_of(p.panels, p.task_panels);
    return p;
}

static uint64_t rounded_up(uint64_t floats)
{
    return (floats + LINE - 1) / LINE * LINE;
}

static uint64_t panel_floats(uint64_t size)
{
    return (2 * size + 4) * SY_CPU_PANEL_LANES_MAX;
}

/* Of one thread. size is at most 2^61, so that no sum here passes 2^64 but the panels', which are counted by the
 * caller. */
static uint64_t fixed_floats(uint64_t size)
{
    return 2 * rounded_up(TILE_KEYS * size) + 2 * TILE_KEYS * SY_CPU_PANEL_LANES_MAX +
           rounded_up(SY_CPU_PANEL_LANES_MAX * size);
}

bool sy_cpu_flash_scratch(const sy_attention_shape *shape, sy_cpu_vectors vectors, uint32_t thread_count,
                          uint64_t *ret_floats)
{
    if (shape->head_dim > INT32_MAX || shape->keys > INT32_MAX) {
        return false; /* with them below 2^31, and rows of a head below 2^62, only the products below can overflow */
    }
    plan p = plan_of(shape, vectors, thread_count);
    uint64_t size = (uint64_t)shape->head_dim;
    uint64_t each = fixed_floats(size) + (p.by_rows ? 0 : (uint64_t)p.task_panels * panel_floats(size));
    uint64_t stretches = 0;
    uint64_t floats = 0;
    if (p.by_rows &&
        __builtin_mul_overflow((uint64_t)(p.heads * p.stretches), (uint64_t)p.rows * (size + 2), &stretches)) {
        return false;
    }
    if (__builtin_mul_overflow(each, (uint64_t)thread_count, &floats) ||
        __builtin_add_overflow(floats, stretches, &floats)) {
        return false;
    }
    *ret_floats = floats;
    return true;
}

static room room_of(const job *j, uint32_t thread)
{
    uint64_t size = (uint64_t)j->problem.shape.head_dim;
    float *next = j->scratch + thread * j->room_floats;
    room r = {.keys = next};
    r.values = r.keys + rounded_up(TILE_KEYS * size);
    r.scores = r.values + rounded_up(TILE_KEYS * size);
    r.mask = r.scores + TILE_KEYS * SY_CPU_PANEL_LANES_MAX;
    r.rows = r.mask + TILE_KEYS * SY_CPU_PANEL_LANES_MAX;
    r.panels = r.rows + rounded_up(SY_CPU_PANEL_LANES_MAX * size);
    return r;
}

static const void *element_at(const sy_cpu_flash_problem *f, const void *tensor, int64_t index)
{
    return (const char *)tensor + (size_t)index * sy_dtype_size(f->dtype);
}

/* `count` keys (or values) of one head as f32, in place where they are stored so. */
static const float *tile_of(const job *j, const void *tensor, int64_t head, int64_t first, int64_t count, float *to)
{
    const sy_attention_shape *s = &j->problem.shape;
    const void *from = element_at(&j->problem, tensor, (head * s->keys + first) * s->head_dim);
    if (j->problem.dtype == SY_F32) {
        return from;
    }
    j->plan.kernels->widen(j->problem.dtype, count * s->head_dim, from, 1, to);
    return to;
}

/* The last key that a row sees by the causal rule. */
static int64_t last_key(const sy_attention_shape *s, int64_t row)
{
    return s->causal ? s->keys - s->queries + row % s->queries : s->keys - 1;
}

/* ---- many rows ---- */

/* Panels are three vectors wide; what is left over of a head's rows is spread over the last two where one vector alone
 * would be slow. */
static void place_panel(const plan *p, int64_t index, panel *to)
{
    int64_t width = p->kernels->vector_lanes;
    int64_t vectors = parts_of(p->rows, width);
    int64_t first = index * SY_CPU_PANEL_VECTORS;
    int64_t last = vectors;
    if (vectors % SY_CPU_PANEL_VECTORS == 1 && index >= p->panels - 2 && p->panels > 1) {
        first = vectors - 2 * (p->panels - index);
        last = first + 2;
    } else if (first + SY_CPU_PANEL_VECTORS < vectors) {
        last = first + SY_CPU_PANEL_VECTORS;
    }
    to->first_row = first * width;
    to->lanes = (last - first) * width;
    to->rows = smaller(to->lanes, p->rows - to->first_row);
}

static void start_panel(const job *j, int64_t head, int64_t index, const room *r, float *at, panel *to)
{
    const sy_attention_shape *s = &j->problem.shape;
    place_panel(&j->plan, index, to);
    to->limit = (int32_t *)at;
    to->most = at + SY_CPU_PANEL_LANES_MAX;
    to->total = to->most + SY_CPU_PANEL_LANES_MAX;
    to->correction = to->total + SY_CPU_PANEL_LANES_MAX;
    to->queries = to->correction + SY_CPU_PANEL_LANES_MAX;
    to->sums = to->queries + s->head_dim * SY_CPU_PANEL_LANES_MAX;
    to->seen_by_all = s->keys;
    to->seen_by_any = 0;
    for (int64_t lane = 0; lane < to->lanes; lane++) {
        int64_t limit = lane < to->rows ? last_key(s, to->first_row + lane) : to->seen_by_any - 1;
        to->limit[lane] = (int32_t)limit;
        to->most[lane] = -INFINITY;
        to->total[lane] = 0;
        to->seen_by_all = smaller(to->seen_by_all, limit + 1);
        to->seen_by_any = limit + 1 > to->seen_by_any ? limit + 1 : to->seen_by_any;
    }
    if (to->rows < to->lanes) {
        memset(to->queries, 0, (size_t)(s->head_dim * to->lanes) * sizeof *to->queries);
    }
    const void *from = element_at(&j->problem, j->problem.q, (head * j->plan.rows + to->first_row) * s->head_dim);
    float factor = (float)((double)j->problem.scale * SY_CPU_LOG2_E);
    j->plan.kernels->widen(j->problem.dtype, to->rows * s->head_dim, from, factor, r->rows);
    sy_cpu_transpose(to->rows, s->head_dim, r->rows, s->head_dim, to->queries, to->lanes);
}

/* The mask's tile with queries in lanes: rows of several heads may meet in a panel, each run of them is one piece. */
static void add_mask(const job *j, const panel *p, const room *r, int64_t first_key, int64_t count)
{
    const sy_attention_shape *s = &j->problem.shape;
    for (int64_t lane = 0; lane < p->rows;) {
        int64_t query = (p->first_row + lane) % s->queries;
        int64_t run = smaller(p->rows - lane, s->queries - query);
        sy_cpu_transpose(run, count, j->problem.mask + query * s->keys + first_key, s->keys, r->mask + lane, p->lanes);
        lane += run;
    }
    for (int64_t key = 0; key < count && p->rows < p->lanes; key++) {
        memset(r->mask + key * p->lanes + p->rows, 0, (size_t)(p->lanes - p->rows) * sizeof *r->mask);
    }
    j->plan.kernels->mask_panel(p->lanes, count, r->mask, r->scores);
}

static void add_tile(const job *j, const panel *p, const room *r, const float *keys, const float *values,
                     int64_t first_key, int64_t count)
{
    const sy_cpu_attention_kernels *k = j->plan.kernels;
    int64_t size = j->problem.shape.head_dim;
    k->score_panel(p->lanes, count, size, keys, p->queries, r->scores);
    if (j->problem.mask != NULL) {
        add_mask(j, p, r, first_key, count);
    }
    if (first_key + count > p->seen_by_all) {
        k->limit_panel(p->lanes, count, first_key, p->limit, r->scores);
    }
    k->weigh_panel(p->lanes, count, r->scores, p->most, p->total, p->correction);
    k->add_panel(p->lanes, count, size, values, r->scores, p->correction, first_key == 0, p->sums);
}

static void finish_panel(const job *j, int64_t head, const panel *p, const room *r)
{
    int64_t size = j->problem.shape.head_dim;
    void *to = (char *)j->problem.o +
               (size_t)((head * j->plan.rows + p->first_row) * size) * sy_dtype_size(j->problem.dtype);
    bool is_f32 = j->problem.dtype == SY_F32;
    j->plan.kernels->divide_panel(p->lanes, size, p->total, p->sums);
    sy_cpu_transpose(size, p->rows, p->sums, p->lanes, is_f32 ? to : r->rows, size);
    if (!is_f32) {
        j->plan.kernels->narrow(j->problem.dtype, p->rows * size, r->rows, to);
    }
}

static void run_panels(void *user, uint64_t task, uint32_t thread)
{
    const job *j = user;
    const sy_attention_shape *s = &j->problem.shape;
    room r = room_of(j, thread);
    panel panels[TASK_PANELS];
    int64_t head = (int64_t)task / j->plan.tasks_a_head;
    int64_t part = (int64_t)task % j->plan.tasks_a_head;
    if (s->causal) {
        part = j->plan.tasks_a_head - 1 - part; /* the longest first, so that threads end together */
    }
    int64_t first = part * j->plan.task_panels;
    int64_t count = smaller(j->plan.task_panels, j->plan.panels - first);
    int64_t end = 0;
    for (int64_t i = 0; i < count; i++) {
        start_panel(j, head, first + i, &r, r.panels + (uint64_t)i * panel_floats((uint64_t)s->head_dim), &panels[i]);
        end = panels[i].seen_by_any > end ? panels[i].seen_by_any : end;
    }
    for (int64_t key = 0; key < end; key += TILE_KEYS) {
        int64_t keys_here = smaller(TILE_KEYS, end - key);
        const float *keys = tile_of(j, j->problem.k, head, key, keys_here, r.keys);
        const float *values = tile_of(j, j->problem.v, head, key, keys_here, r.values);
        for (int64_t i = 0; i < count; i++) {
            int64_t seen = smaller(keys_here, panels[i].seen_by_any - key);
            if (seen > 0) {
                add_tile(j, &panels[i], &r, keys, values, key, seen);
            }
        }
    }
    for (int64_t i = 0; i < count; i++) {
        finish_panel(j, head, &panels[i], &r);
    }
}

/* ---- few rows ---- */

/* What a stretch found of one row: head_dim sums, then most and total. */
static float *stretch_of(const job *j, int64_t head, int64_t stretch, int64_t row)
{
    int64_t index = (head * j->plan.stretches + stretch) * j->plan.rows + row;
    return j->stretches + index * (j->problem.shape.head_dim + 2);
}

/* Keys first, values after them: a widened tile of either takes the same place, which stays in a first-level cache. */
static void add_rows(const job *j, const room *r, int64_t head, int64_t stretch, int64_t key, int64_t count)
{
    const sy_attention_shape *s = &j->problem.shape;
    const sy_cpu_attention_kernels *k = j->plan.kernels;
    float corrections[SY_CPU_PANEL_LANES_MAX];
    const float *keys = tile_of(j, j->problem.k, head, key, count, r->keys);
    for (int64_t row = 0; row < j->plan.rows; row++) {
        int64_t seen = smaller(count, last_key(s, row) + 1 - key);
        float *sums = stretch_of(j, head, stretch, row);
        float *scores = r->scores + row * TILE_KEYS;
        if (seen <= 0) {
            continue;
        }
        k->score_row(seen, s->head_dim, keys, r->rows + row * s->head_dim, scores);
        if (j->problem.mask != NULL) {
            k->mask_row(seen, j->problem.mask + row % s->queries * s->keys + key, scores);
        }
        k->weigh_row(seen, scores, &sums[s->head_dim], &sums[s->head_dim + 1], &corrections[row]);
    }
    const float *values = tile_of(j, j->problem.v, head, key, count, r->keys);
    for (int64_t row = 0; row < j->plan.rows; row++) {
        int64_t seen = smaller(count, last_key(s, row) + 1 - key);
        if (seen > 0) {
            k->add_row(seen, s->head_dim, values, r->scores + row * TILE_KEYS, corrections[row],
                       stretch_of(j, head, stretch, row));
        }
    }
}

static void run_stretch(void *user, uint64_t task, uint32_t thread)
{
    const job *j = user;
    const sy_attention_shape *s = &j->problem.shape;
    room r = room_of(j, thread);
    int64_t head = (int64_t)task / j->plan.stretches;
    int64_t stretch = (int64_t)task % j->plan.stretches;
    int64_t end = smaller((stretch + 1) * j->plan.stretch_keys, s->keys);
    float factor = (float)((double)j->problem.scale * SY_CPU_LOG2_E);
    const void *from = element_at(&j->problem, j->problem.q, head * j->plan.rows * s->head_dim);
    j->plan.kernels->widen(j->problem.dtype, j->plan.rows * s->head_dim, from, factor, r.rows);
    for (int64_t row = 0; row < j->plan.rows; row++) {
        float *sums = stretch_of(j, head, stretch, row);
        memset(sums, 0, (size_t)(s->head_dim + 2) * sizeof *sums);
        sums[s->head_dim] = -INFINITY;
    }
    for (int64_t key = stretch * j->plan.stretch_keys; key < end; key += TILE_KEYS) {
        add_rows(j, &r, head, stretch, key, smaller(TILE_KEYS, end - key));
    }
}

/* One row: its stretches, each brought to the largest score of all. */
static void join_row(const job *j, int64_t head, int64_t row, float *out)
{
    int64_t size = j->problem.shape.head_dim;
    float most = -INFINITY;
    float total = 0;
    for (int64_t i = 0; i < j->plan.stretches; i++) {
        float here = stretch_of(j, head, i, row)[size];
        most = here > most ? here : most;
    }
    float base = most == -INFINITY ? 0 : most;
    memset(out, 0, (size_t)size * sizeof *out);
    for (int64_t i = 0; i < j->plan.stretches; i++) {
        const float *sums = stretch_of(j, head, i, row);
        float factor = exp2f(sums[size] - base);
        total += sums[size + 1] * factor;
        for (int64_t c = 0; c < size; c++) {
            out[c] += sums[c] * factor;
        }
    }
    j->plan.kernels->scale_row(size, total == 0 ? 0 : 1 / total, out);
}

static void run_join(void *user, uint64_t task, uint32_t thread)
{
    const job *j = user;
    room r = room_of(j, thread);
    int64_t head = (int64_t)task;
    int64_t size = j->problem.shape.head_dim;
    void *to = (char *)j->problem.o + (size_t)(head * j->plan.rows * size) * sy_dtype_size(j->problem.dtype);
    for (int64_t row = 0; row < j->plan.rows; row++) {
        join_row(j, head, row, r.rows + row * size);
    }
    j->plan.kernels->narrow(j->problem.dtype, j->plan.rows * size, r.rows, to);
}

static void run_tasks(sy_cpu_pool *pool, bool alone, uint64_t tasks, sy_cpu_task_fn run, job *j)
{
    for (uint64_t task = 0; alone && task < tasks; task++) {
        run(j, task, 0);
    }
    if (!alone) {
        sy_cpu_pool_run(pool, tasks, run, j);
    }
}

void sy_cpu_flash(sy_cpu_pool *pool, sy_cpu_vectors vectors, const sy_cpu_flash_problem *problem, float *scratch)
{
    const sy_attention_shape *s = &problem->shape;
    uint32_t threads = sy_cpu_pool_thread_count(pool);
    job j = {.plan = plan_of(s, vectors, threads), .problem = *problem, .scratch = scratch};
    uint64_t size = (uint64_t)s->head_dim;
    double flop = 4.0 * (double)(j.plan.heads * j.plan.rows) * (double)s->keys * (double)size;
    bool alone = flop < 2 * THREAD_FLOP;
    uint64_t tasks = (uint64_t)(j.plan.heads * j.plan.tasks_a_head);
    j.room_floats = fixed_floats(size) + (j.plan.by_rows ? 0 : (uint64_t)j.plan.task_panels * panel_floats(size));
    j.stretches = scratch + threads * j.room_floats;
    if (!j.plan.by_rows) {
        run_tasks(pool, alone, tasks, run_panels, &j);
        return;
    }
    run_tasks(pool, alone, tasks, run_stretch, &j);
    run_tasks(pool, true, (uint64_t)j.plan.heads, run_join, &j);
}
