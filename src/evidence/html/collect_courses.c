/* SPDX-License-Identifier: Apache-2.0 */
/* The course of each figure over the sessions of its line. The ledger's figures are read once, in the order of runs;
 * points are gathered as they come and laid out series by series at the end. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "evidence/compare/judge_session.h"
#include "evidence/html/collecting_html.h"
#include "ledger/run_life.h"

typedef struct raw_point {
    uint32_t series;
    uint32_t session;
    double value;
} raw_point;

typedef struct course {
    uint32_t index;
    size_t count;
} course;

typedef struct reading {
    sy_html_collecting *c;
    sy_id_table *courses; /* line, series, case, implementation, statistic -> course */
    sy_text id;           /* of the one that is looked for */
    raw_point *points;
    size_t point_count;
    size_t point_capacity;
    sy_html_series *series;
    course **all; /* of each series */
    size_t series_count;
    size_t series_capacity;
    size_t at; /* the session whose figures come, or the one before them */
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

/* No name holds a line feed that would make two of them alike: each part is led by its length. */
static const char *course_id(reading *r, const char *line, const sy_judged_metric *metric)
{
    sy_text_clear(&r->id);
    sy_text_append_format(&r->id, "%.64s %d %d %zu ", line, (int)metric->statistic, (int)metric->higher_is_better,
                          strlen(metric->series));
    sy_text_append(&r->id, metric->series);
    sy_text_append_format(&r->id, " %zu ", strlen(metric->case_name));
    sy_text_append(&r->id, metric->case_name);
    sy_text_append_format(&r->id, " %zu ", strlen(metric->implementation));
    sy_text_append(&r->id, metric->implementation);
    sy_text_append_format(&r->id, " %s", metric->unit);
    return r->id.failed ? NULL : sy_text_bytes(&r->id);
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

static bool make_room(reading *r)
{
    size_t capacity = r->series_capacity == 0 ? 64 : r->series_capacity * 2;
    if (r->series_count < r->series_capacity) {
        return true;
    }
    sy_html_series *series = sy_reallocate(r->series, capacity, sizeof *series);
    r->series = series != NULL ? series : r->series;
    course **all = series != NULL ? sy_reallocate(r->all, capacity, sizeof *all) : NULL;
    if (all == NULL) {
        return false;
    }
    r->all = all;
    r->series_capacity = capacity;
    return true;
}

static sy_status add_course(reading *r, const char *id, sy_html_line *line, const sy_judged_metric *metric,
                            course **ret_course, sy_error *err)
{
    sy_html_collecting *c = r->c;
    void *earlier = NULL;
    course *made = sy_arena_allocate(c->owner->arena, 1, sizeof *made);
    const char *kept_id = sy_arena_copy_text(c->owner->arena, id);
    sy_judged_metric kept = *metric;
    kept.series = sy_html_text(c, metric->series);
    kept.case_name = sy_html_text(c, metric->case_name);
    kept.implementation = sy_html_text(c, metric->implementation);
    kept.unit = sy_html_text(c, metric->unit);
    if (made == NULL || kept_id == NULL || kept.series == NULL || kept.case_name == NULL ||
        kept.implementation == NULL || kept.unit == NULL || !make_room(r) ||
        !sy_id_table_put(r->courses, kept_id, made, &earlier)) {
        return sy_html_no_memory(err);
    }
    if (line->first_series == NULL && metric->statistic == SY_STATISTIC_P50) {
        line->first_series = kept.series;
    }
    *made = (course){.index = (uint32_t)r->series_count};
    r->all[r->series_count] = made;
    r->series[r->series_count++] = (sy_html_series){.line = line->digest,
                                                    .cell = line->cell,
                                                    .gate = line->gate,
                                                    .device = line->device,
                                                    .metric = kept,
                                                    .primary = is_primary(line, &kept)};
    *ret_course = made;
    return SY_OK;
}

/* ---- points ---- */

static sy_status add_point(reading *r, const sy_judged_metric *metric, double value, sy_error *err)
{
    sy_html_line *line = r->c->places[r->at].line;
    if (!isfinite(value)) {
        return SY_OK;
    }
    const char *id = course_id(r, line->digest, metric);
    course *found = id != NULL ? sy_id_table_get(r->courses, id) : NULL;
    sy_status status = id == NULL      ? sy_html_no_memory(err)
                       : found == NULL ? add_course(r, id, line, metric, &found, err)
                                       : SY_OK;
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
        found->count++;
        r->points[r->point_count++] = (raw_point){found->index, (uint32_t)r->at, value};
    }
    return status;
}

/* Of a series its p50; of what was ever judged also the other figures that verdicts look at. */
static sy_status take_series(reading *r, const sy_figure_row *figure, sy_error *err)
{
    const bool judged = r->c->places[r->at].line->judged;
    sy_judged_metric metric = {.series = figure->name,
                               .case_name = figure->case_name,
                               .implementation = figure->implementation,
                               .statistic = SY_STATISTIC_P50,
                               .unit = figure->unit,
                               .higher_is_better = figure->higher_is_better};
    if (figure->role != SY_SERIES_SAMPLE) {
        return SY_OK;
    }
    sy_status status = add_point(r, &metric, figure->p50, err);
    if (status == SY_OK && judged && figure->usable_count >= SY_P95_SAMPLES) {
        metric.statistic = SY_STATISTIC_P95;
        status = add_point(r, &metric, figure->p95, err);
    }
    if (status == SY_OK && judged && figure->usable_count > 1) {
        metric.statistic = SY_STATISTIC_MAXIMUM;
        status = add_point(r, &metric, figure->maximum, err);
    }
    return status;
}

static sy_status take_memory(reading *r, const sy_figure_row *figure, sy_error *err)
{
    const sy_judged_metric metric = {.series = figure->name,
                                     .case_name = sy_memory_scope_word(figure->scope),
                                     .implementation = "",
                                     .statistic = SY_STATISTIC_MEMORY,
                                     .unit = "bytes"};
    return add_point(r, &metric, figure->p50, err);
}

/* Figures come in the order of runs, as the sessions stand; those of other runs are passed by. */
static sy_status take_figure(void *user, uint64_t event, const sy_figure_row *figure, sy_error *err)
{
    reading *r = user;
    const sy_html_collecting *c = r->c;
    (void)event;
    while (r->at < c->session_count && c->sessions[r->at].number < figure->run_number) {
        r->at++;
    }
    if (r->at == c->session_count || c->sessions[r->at].number != figure->run_number) {
        return SY_OK;
    }
    return figure->is_memory ? take_memory(r, figure, err) : take_series(r, figure, err);
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
        series[i].point_count = r->all[i]->count;
        next[i] = at;
        at += r->all[i]->count;
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

static sy_status count_changes(reading *r, size_t *of_change, size_t *counts, sy_error *err)
{
    const sy_dashboard *dashboard = r->c->owner->dashboard;
    for (size_t i = 0; i < dashboard->change_count; i++) {
        const sy_run_change *change = &dashboard->changes[i].row.change;
        const char *id = course_id(r, change->line, &change->metric);
        const course *found = id != NULL ? sy_id_table_get(r->courses, id) : NULL;
        if (id == NULL) {
            return sy_html_no_memory(err);
        }
        of_change[i] = found != NULL ? found->index : SIZE_MAX;
        if (found != NULL) {
            counts[found->index]++;
        }
    }
    return SY_OK;
}

static sy_status join_changes(reading *r, sy_error *err)
{
    const sy_dashboard *dashboard = r->c->owner->dashboard;
    sy_arena *arena = r->c->owner->arena;
    sy_html_series *series = (sy_html_series *)r->c->owner->content.series;
    size_t *of_change = sy_arena_allocate(arena, dashboard->change_count + 1, sizeof *of_change);
    size_t *counts = sy_arena_allocate(arena, r->series_count + 1, sizeof *counts);
    sy_status status = of_change != NULL && counts != NULL ? count_changes(r, of_change, counts, err)
                                                           : sy_html_no_memory(err);
    for (size_t i = 0; status == SY_OK && i < dashboard->change_count; i++) {
        if (of_change[i] == SIZE_MAX) {
            continue;
        }
        sy_html_series *of = &series[of_change[i]];
        size_t *changes = (size_t *)of->changes;
        if (changes == NULL) {
            changes = sy_arena_allocate(arena, counts[of_change[i]], sizeof *changes);
            of->changes = changes;
        }
        if (changes == NULL) {
            return sy_html_no_memory(err);
        }
        changes[of->change_count++] = i;
    }
    return status;
}

sy_status sy_html_collect_courses(sy_html_collecting *c, sy_error *err)
{
    reading r = {.c = c, .courses = sy_id_table_create(c->owner->arena, 1024), .id = SY_TEXT_INIT};
    sy_status status = r.courses != NULL ? sy_ledger_visit_figures(c->ledger, NULL, take_figure, &r, err)
                                         : sy_html_no_memory(err);
    if (status == SY_OK) {
        status = lay_out(&r, err);
    }
    if (status == SY_OK) {
        status = join_changes(&r, err);
    }
    sy_text_finish(&r.id);
    sy_free(r.points);
    sy_free(r.series);
    sy_free(r.all);
    return status;
}
