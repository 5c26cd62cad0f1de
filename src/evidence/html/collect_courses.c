/* SPDX-License-Identifier: Apache-2.0 */
/* The course of each figure over the sessions of its line. The ledger's figures are read once, in the order of runs;
 * points are gathered as they come and laid out series by series at the end. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "evidence/compare/judge_session.h"
#include "evidence/html/collecting_html.h"
#include "ledger/run_life.h"

enum { STATISTICS = SY_STATISTIC_MEMORY + 1 };

#define NO_SERIES UINT32_MAX

typedef struct raw_point {
    uint32_t series;
    uint32_t session;
    double value;
} raw_point;

/* The series of a figure in one unit: one of each statistic that was seen. */
typedef struct course {
    const char *unit;
    bool higher_is_better;
    uint32_t series[STATISTICS]; /* indexes, or NO_SERIES */
    struct course *next;         /* in another unit */
} course;

struct sy_html_figure {
    bool is_memory;
    const char *name;
    const char *case_name; /* of memory its scope */
    const char *implementation;
    size_t sessions; /* index of the last session that had it, + 1 */
    course *courses;
};

typedef struct reading {
    sy_html_collecting *c;
    raw_point *points;
    size_t point_count;
    size_t point_capacity;
    sy_html_series *series; /* point_count grows, the points come at the end */
    size_t series_count;
    size_t series_capacity;
    size_t at;    /* the session whose figures come, or the one before them */
    size_t place; /* of the next figure in it */
} reading;

sy_status sy_html_no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory for the content of a page");
}

const char *sy_html_text(sy_html_collecting *c, const char *text)
{
    void *earlier = NULL;
    const char *kept = *text != '\0' ? sy_id_table_get(c->texts, text) : "";
    if (kept != NULL) {
        return kept;
    }
    kept = sy_arena_copy_text(c->owner->arena, text);
    return kept != NULL && sy_id_table_put(c->texts, kept, (void *)(uintptr_t)kept, &earlier) ? kept : NULL;
}

/* ---- which series ---- */

/* No name holds anything that would make two of them alike: each part is led by its length. */
static const char *figure_id(sy_html_collecting *c, const char *line, const sy_html_figure *figure)
{
    sy_text_clear(&c->id);
    sy_text_append_format(&c->id, "%s %d %zu ", line, (int)figure->is_memory, strlen(figure->name));
    sy_text_append(&c->id, figure->name);
    sy_text_append_format(&c->id, " %zu ", strlen(figure->case_name));
    sy_text_append(&c->id, figure->case_name);
    sy_text_append(&c->id, " ");
    sy_text_append(&c->id, figure->implementation);
    return c->id.failed ? NULL : sy_text_bytes(&c->id);
}

static bool is_same(const sy_html_figure *a, const sy_html_figure *b)
{
    return a->is_memory == b->is_memory && strcmp(a->name, b->name) == 0 && strcmp(a->case_name, b->case_name) == 0 &&
           strcmp(a->implementation, b->implementation) == 0;
}

static course *course_in(const sy_html_figure *figure, const char *unit, bool higher_is_better)
{
    course *found = figure->courses;
    while (found != NULL && (found->higher_is_better != higher_is_better || strcmp(found->unit, unit) != 0)) {
        found = found->next;
    }
    return found;
}

sy_html_series *sy_html_find_series(sy_html_collecting *c, const char *line, const sy_judged_metric *metric,
                                    bool *ret_failed)
{
    const sy_html_figure wanted = {.is_memory = metric->statistic == SY_STATISTIC_MEMORY,
                                   .name = metric->series,
                                   .case_name = metric->case_name,
                                   .implementation = metric->implementation};
    const char *id = figure_id(c, line, &wanted);
    const sy_html_figure *figure = id != NULL ? sy_id_table_get(c->figures, id) : NULL;
    const course *found = figure != NULL ? course_in(figure, metric->unit, metric->higher_is_better) : NULL;
    const uint32_t at = found != NULL ? found->series[metric->statistic] : NO_SERIES;
    *ret_failed = id == NULL;
    return at != NO_SERIES ? (sy_html_series *)&c->owner->content.series[at] : NULL;
}

static bool is_primary(sy_html_line *line, const sy_judged_metric *metric)
{
    for (size_t i = 0; i < line->primary_count; i++) {
        if (sy_metric_is_called(metric, line->primary[i])) {
            return true;
        }
    }
    return line->primary_count == 0 && metric->statistic == SY_STATISTIC_P50 && line->first_series != NULL &&
           strcmp(metric->series, line->first_series) == 0;
}

static sy_status add_figure(reading *r, const char *id, const sy_html_figure *like, sy_html_figure **ret_figure,
                            sy_error *err)
{
    sy_html_collecting *c = r->c;
    void *earlier = NULL;
    sy_html_figure *figure = sy_arena_allocate(c->owner->arena, 1, sizeof *figure);
    const char *kept_id = sy_arena_copy_text(c->owner->arena, id);
    if (figure == NULL || kept_id == NULL) {
        return sy_html_no_memory(err);
    }
    *figure = (sy_html_figure){.is_memory = like->is_memory,
                               .name = sy_html_text(c, like->name),
                               .case_name = sy_html_text(c, like->case_name),
                               .implementation = sy_html_text(c, like->implementation)};
    if (figure->name == NULL || figure->case_name == NULL || figure->implementation == NULL ||
        !sy_id_table_put(c->figures, kept_id, figure, &earlier)) {
        return sy_html_no_memory(err);
    }
    *ret_figure = figure;
    return SY_OK;
}

/* Remembers the order in which the line's sessions have their figures. */
static sy_status keep_order(reading *r, sy_html_line *line, sy_html_figure *figure, sy_error *err)
{
    if (r->place < line->order_count) {
        line->order[r->place] = figure;
        return SY_OK;
    }
    size_t count = line->order_count;
    if ((count & (count - 1)) == 0) { /* full: there is room for powers of two */
        sy_html_figure **grown = sy_arena_allocate(r->c->owner->arena, count > 0 ? 2 * count : 1, sizeof(void *));
        if (grown == NULL) {
            return sy_html_no_memory(err);
        }
        for (size_t i = 0; i < count; i++) {
            grown[i] = line->order[i];
        }
        line->order = grown;
    }
    line->order[line->order_count++] = figure;
    return SY_OK;
}

/* Tried first is the one that stood at this place in the session before. */
static sy_status find_figure(reading *r, sy_html_line *line, const sy_figure_row *row, sy_html_figure **ret_figure,
                             sy_error *err)
{
    const sy_html_figure wanted = {.is_memory = row->is_memory,
                                   .name = row->name,
                                   .case_name = row->is_memory ? sy_memory_scope_word(row->scope) : row->case_name,
                                   .implementation = row->is_memory ? "" : row->implementation};
    sy_status status = SY_OK;
    sy_html_figure *found = r->place < line->order_count ? line->order[r->place] : NULL;
    if (found == NULL || !is_same(found, &wanted)) {
        const char *id = figure_id(r->c, line->digest, &wanted);
        found = id != NULL ? sy_id_table_get(r->c->figures, id) : NULL;
        status = id == NULL ? sy_html_no_memory(err) : found == NULL ? add_figure(r, id, &wanted, &found, err) : SY_OK;
        if (status == SY_OK) {
            status = keep_order(r, line, found, err);
        }
    }
    if (status == SY_OK) {
        r->place++;
        *ret_figure = found;
    }
    return status;
}

static sy_status find_course(reading *r, sy_html_figure *figure, const sy_figure_row *row, course **ret_course,
                             sy_error *err)
{
    const char *unit = figure->is_memory ? "bytes" : row->unit;
    const bool higher_is_better = !figure->is_memory && row->higher_is_better;
    course *found = course_in(figure, unit, higher_is_better);
    if (found == NULL) {
        found = sy_arena_allocate(r->c->owner->arena, 1, sizeof *found);
        const char *kept = sy_html_text(r->c, unit);
        if (found == NULL || kept == NULL) {
            return sy_html_no_memory(err);
        }
        *found = (course){kept, higher_is_better, {NO_SERIES, NO_SERIES, NO_SERIES, NO_SERIES}, figure->courses};
        figure->courses = found;
    }
    *ret_course = found;
    return SY_OK;
}

static sy_status add_series(reading *r, const sy_html_figure *figure, course *of, sy_statistic statistic, sy_error *err)
{
    sy_html_line *line = r->c->places[r->at].line;
    const sy_judged_metric metric = {.series = figure->name,
                                     .case_name = figure->case_name,
                                     .implementation = figure->implementation,
                                     .statistic = statistic,
                                     .unit = of->unit,
                                     .higher_is_better = of->higher_is_better};
    if (r->series_count == r->series_capacity) {
        size_t capacity = r->series_capacity == 0 ? 64 : r->series_capacity * 2;
        sy_html_series *series = capacity < NO_SERIES ? sy_reallocate(r->series, capacity, sizeof *series) : NULL;
        if (series == NULL) {
            return sy_html_no_memory(err);
        }
        r->series = series;
        r->series_capacity = capacity;
    }
    if (line->first_series == NULL && statistic == SY_STATISTIC_P50) {
        line->first_series = figure->name;
    }
    of->series[statistic] = (uint32_t)r->series_count;
    r->series[r->series_count++] = (sy_html_series){.line = line->digest,
                                                    .cell = line->cell,
                                                    .gate = line->gate,
                                                    .device = line->device,
                                                    .metric = metric,
                                                    .primary = is_primary(line, &metric)};
    return SY_OK;
}

/* ---- points ---- */

static sy_status add_point(reading *r, const sy_html_figure *figure, course *of, sy_statistic statistic, double value,
                           sy_error *err)
{
    if (!isfinite(value)) {
        r->c->owner->content.unusable_count++;
        return SY_OK;
    }
    sy_status status = of->series[statistic] == NO_SERIES ? add_series(r, figure, of, statistic, err) : SY_OK;
    if (status == SY_OK && r->point_count == r->point_capacity) {
        size_t capacity = r->point_capacity == 0 ? 1024 : r->point_capacity * 2;
        raw_point *points = sy_reallocate(r->points, capacity, sizeof *points);
        if (points == NULL) {
            return sy_html_no_memory(err);
        }
        r->points = points;
        r->point_capacity = capacity;
    }
    if (status == SY_OK) {
        r->series[of->series[statistic]].point_count++;
        r->points[r->point_count++] = (raw_point){of->series[statistic], (uint32_t)r->at, value};
    }
    return status;
}

/* Of a series its p50; of what was ever judged also the other figures that verdicts look at. */
static sy_status take_row(reading *r, const sy_html_figure *figure, course *of, const sy_figure_row *row, sy_error *err)
{
    const bool judged = r->c->places[r->at].line->judged;
    if (figure->is_memory) {
        return add_point(r, figure, of, SY_STATISTIC_MEMORY, row->p50, err);
    }
    sy_status status = add_point(r, figure, of, SY_STATISTIC_P50, row->p50, err);
    if (status == SY_OK && judged && row->usable_count >= SY_P95_SAMPLES) {
        status = add_point(r, figure, of, SY_STATISTIC_P95, row->p95, err);
    }
    if (status == SY_OK && judged && row->usable_count > 0) {
        status = add_point(r, figure, of, SY_STATISTIC_MAXIMUM, row->maximum, err);
    }
    return status;
}

/* Figures come in the order of runs, as the sessions stand; those of other runs are passed by. Of what a session has
 * twice the first counts, in whichever unit, as where it is judged. */
static sy_status take_figure(void *user, uint64_t event, const sy_figure_row *row, sy_error *err)
{
    reading *r = user;
    const sy_html_collecting *c = r->c;
    sy_html_figure *figure = NULL;
    course *of = NULL;
    (void)event;
    while (r->at < c->session_count && c->sessions[r->at].number < row->run_number) {
        r->at++;
        r->place = 0;
    }
    if (r->at == c->session_count || c->sessions[r->at].number != row->run_number ||
        (!row->is_memory && row->role != SY_SERIES_SAMPLE)) {
        return SY_OK;
    }
    sy_status status = find_figure(r, c->places[r->at].line, row, &figure, err);
    if (status != SY_OK || figure->sessions == r->at + 1) {
        return status;
    }
    figure->sessions = r->at + 1;
    status = find_course(r, figure, row, &of, err);
    return status == SY_OK ? take_row(r, figure, of, row, err) : status;
}

/* ---- series by series ---- */

static sy_status lay_out(reading *r, sy_error *err)
{
    sy_arena *arena = r->c->owner->arena;
    sy_html_content *content = &r->c->owner->content;
    sy_html_series *series = sy_arena_allocate(arena, r->series_count + 1, sizeof *series);
    uint32_t *sessions = sy_arena_allocate(arena, r->point_count + 1, sizeof *sessions);
    double *values = sy_arena_allocate(arena, r->point_count + 1, sizeof *values);
    size_t *next = sy_arena_allocate(arena, r->series_count + 1, sizeof *next);
    size_t at = 0;
    if (series == NULL || sessions == NULL || values == NULL || next == NULL) {
        return sy_html_no_memory(err);
    }
    for (size_t i = 0; i < r->series_count; i++) {
        series[i] = r->series[i];
        series[i].sessions = sessions + at;
        series[i].values = values + at;
        next[i] = at;
        at += series[i].point_count;
    }
    for (size_t i = 0; i < r->point_count; i++) {
        const raw_point *point = &r->points[i];
        sessions[next[point->series]] = point->session;
        values[next[point->series]++] = point->value;
    }
    content->series = series;
    content->series_count = r->series_count;
    content->point_count = r->point_count;
    return SY_OK;
}

/* ---- changes that stand ---- */

static sy_status find_changed(sy_html_collecting *c, sy_html_series **of_change, sy_error *err)
{
    const sy_dashboard *dashboard = c->owner->dashboard;
    for (size_t i = 0; i < dashboard->change_count; i++) {
        const sy_run_change *change = &dashboard->changes[i].row.change;
        bool failed = false;
        of_change[i] = sy_html_find_series(c, change->line, &change->metric, &failed);
        if (failed) {
            return sy_html_no_memory(err);
        }
        if (of_change[i] != NULL) {
            of_change[i]->change_count++;
        }
    }
    return SY_OK;
}

static sy_status join_changes(sy_html_collecting *c, sy_error *err)
{
    const size_t count = c->owner->dashboard->change_count;
    sy_arena *arena = c->owner->arena;
    sy_html_series **of_change = sy_arena_allocate(arena, count + 1, sizeof(sy_html_series *));
    sy_status status = of_change != NULL ? find_changed(c, of_change, err) : sy_html_no_memory(err);
    for (size_t i = 0; status == SY_OK && i < count; i++) {
        sy_html_series *of = of_change[i];
        if (of == NULL) {
            continue;
        }
        if (of->changes == NULL) {
            of->changes = sy_arena_allocate(arena, of->change_count, sizeof *of->changes);
            of->change_count = 0; /* counted again while they are put */
        }
        if (of->changes == NULL) {
            return sy_html_no_memory(err);
        }
        ((size_t *)of->changes)[of->change_count++] = i;
    }
    return status;
}

sy_status sy_html_collect_courses(sy_html_collecting *c, sy_error *err)
{
    reading r = {.c = c};
    c->figures = sy_id_table_create(c->owner->arena, 1024);
    sy_status status = c->figures != NULL ? sy_ledger_visit_figures(c->ledger, NULL, take_figure, &r, err)
                                          : sy_html_no_memory(err);
    if (status == SY_OK) {
        status = lay_out(&r, err);
    }
    if (status == SY_OK) {
        status = join_changes(c, err);
    }
    sy_free(r.points);
    sy_free(r.series);
    return status;
}
