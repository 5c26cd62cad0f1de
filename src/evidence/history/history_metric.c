/* SPDX-License-Identifier: Apache-2.0 */
/* Which figure of the sessions is looked at, and which of its values can be. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "evidence/history/history_reading.h"

/* Fewer samples do not resolve a p95. */
enum { P95_SAMPLES_MIN = 20, OTHERS_MOST = 12 };

static sy_status no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory for the values of a history");
}

/* ---- which figure ---- */

static const char *case_of(const sy_figure_row *figure)
{
    return figure->is_memory ? sy_memory_scope_word(figure->scope) : figure->case_name;
}

static bool is_asked_for(const char *asked, const char *found)
{
    return asked == NULL || strcmp(asked, found) == 0;
}

static bool is_candidate(const sy_key_history_options *options, const sy_figure_row *figure)
{
    bool is_memory = options->statistic == SY_STATISTIC_MEMORY;
    return figure->is_memory == is_memory && (is_memory || figure->role == SY_SERIES_SAMPLE) &&
           is_asked_for(options->series, figure->name) && is_asked_for(options->case_name, case_of(figure)) &&
           (is_memory || is_asked_for(options->implementation, figure->implementation));
}

/* Of the newest session that has one. */
static const sy_figure_row *choose_figure(const sy_history_reading *r)
{
    for (size_t i = r->to->point_count; i > 0; i--) {
        const sy_session *session = &r->sessions[i - 1];
        for (size_t k = 0; k < session->figure_count; k++) {
            if (is_candidate(r->options, &session->figures[k])) {
                return &session->figures[k];
            }
        }
    }
    return NULL;
}

/* ---- what else could be asked ---- */

static bool is_chosen(const sy_judged_metric *metric, const sy_figure_row *figure)
{
    return figure->is_memory == (metric->statistic == SY_STATISTIC_MEMORY) &&
           strcmp(figure->name, metric->series) == 0 && strcmp(case_of(figure), metric->case_name) == 0 &&
           (figure->is_memory || strcmp(figure->implementation, metric->implementation) == 0);
}

static const char *name_figure(sy_arena *arena, const sy_figure_row *figure, const char *statistic)
{
    const char *parts[] = {figure->name, case_of(figure), figure->is_memory ? "" : figure->implementation, statistic};
    sy_text text = SY_TEXT_INIT;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        sy_text_append(&text, i > 0 && parts[i][0] != '\0' ? " " : "");
        sy_text_append(&text, parts[i]);
    }
    const char *name = text.failed ? NULL : sy_arena_copy_text(arena, sy_text_bytes(&text));
    sy_text_finish(&text);
    return name;
}

static const char *statistic_of(const sy_figure_row *figure)
{
    return sy_statistic_word(figure->is_memory ? SY_STATISTIC_MEMORY : SY_STATISTIC_P50);
}

/* Of the newest session: its other figures, and the other statistics of the one that is looked at. */
static sy_status list_others(sy_history_reading *r, const sy_judged_metric *metric, sy_error *err)
{
    static const sy_statistic statistics[] = {SY_STATISTIC_P50, SY_STATISTIC_P95, SY_STATISTIC_MAXIMUM};
    const sy_session *newest = &r->sessions[r->to->point_count - 1];
    const char **names = sy_arena_allocate(r->arena, OTHERS_MOST + 3, sizeof *names);
    size_t count = 0;
    bool has_memory = names != NULL;
    for (size_t i = 0; has_memory && i < newest->figure_count && count < OTHERS_MOST; i++) {
        const sy_figure_row *figure = &newest->figures[i];
        bool counts = figure->is_memory || figure->role == SY_SERIES_SAMPLE;
        bool chosen = metric != NULL && is_chosen(metric, figure);
        if (counts && !chosen) {
            names[count++] = name_figure(r->arena, figure, statistic_of(figure));
        }
        for (size_t k = 0; counts && chosen && !figure->is_memory && k < 3; k++) {
            if (statistics[k] != metric->statistic) {
                names[count++] = name_figure(r->arena, figure, sy_statistic_word(statistics[k]));
            }
        }
        has_memory = count == 0 || names[count - 1] != NULL;
    }
    r->to->other_metrics = names;
    r->to->other_metric_count = count;
    return has_memory ? SY_OK : no_memory(err);
}

static sy_status refuse_missing(sy_history_reading *r, sy_error *err)
{
    const sy_key_history_options *o = r->options;
    sy_text asked = SY_TEXT_INIT, others = SY_TEXT_INIT;
    sy_status status = list_others(r, NULL, err);
    if (status != SY_OK) {
        return status;
    }
    const char *parts[] = {o->series, o->case_name, o->implementation, sy_statistic_word(o->statistic)};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        sy_text_append_format(&asked, "%s%.60s", parts[i] != NULL && asked.length > 0 ? " " : "",
                              parts[i] != NULL ? parts[i] : "");
    }
    for (size_t i = 0; i < r->to->other_metric_count; i++) {
        sy_text_append_format(&others, "%s%s", i > 0 ? ", " : "", r->to->other_metrics[i]);
    }
    (void)sy_fail(err, SY_NOT_FOUND, "none of the %zu sessions has %s", r->to->point_count, sy_text_bytes(&asked));
    sy_error_hint(err, "the newest has: %s",
                  others.length > 0 ? sy_text_bytes(&others) : "no series, no memory figure");
    sy_text_finish(&asked);
    sy_text_finish(&others);
    return SY_NOT_FOUND;
}

/* ---- its values ---- */

/* How many sessions were left out, by why. */
typedef struct tally {
    size_t without;
    size_t other_unit;
    const char *unit; /* the first such */
    size_t few_samples;
    size_t no_ratio; /* not a number, or not positive */
    size_t other_direction;
    uint64_t least; /* samples, of those with a value */
    uint64_t most;
} tally;

static double value_of(const sy_history_reading *r, const sy_session *session, tally *t)
{
    const sy_judged_metric *metric = &r->to->metric;
    const sy_figure_row *figure = sy_session_figure(session, metric, SY_SERIES_SAMPLE);
    if (figure == NULL) {
        t->without++;
        return SY_NAN;
    }
    if (strcmp(figure->unit, metric->unit) != 0) {
        t->unit = t->other_unit++ == 0 ? figure->unit : t->unit;
        return SY_NAN;
    }
    if (metric->statistic == SY_STATISTIC_P95 && figure->usable_count < P95_SAMPLES_MIN) {
        t->few_samples++;
        return SY_NAN;
    }
    double value = sy_session_value(figure, metric->statistic);
    if (!(isfinite(value) && value > 0)) {
        t->no_ratio++;
        return SY_NAN;
    }
    t->other_direction += figure->higher_is_better != metric->higher_is_better;
    t->least = t->most == 0 || figure->usable_count < t->least ? figure->usable_count : t->least;
    t->most = figure->usable_count > t->most ? figure->usable_count : t->most;
    return value;
}

static const char *sessions_have(size_t count)
{
    return count == 1 ? "session has" : "sessions have";
}

static sy_status remark_values(sy_history_reading *r, const tally *t, sy_error *err)
{
    sy_status status = SY_OK;
    if (t->without > 0) {
        status = sy_history_remark(r, err, "%zu %s no such figure", t->without, sessions_have(t->without));
    }
    if (status == SY_OK && t->other_unit > 0) {
        status = sy_history_remark(r, err, "%zu %s another unit ('%s', not '%s'), and no place among these values",
                                   t->other_unit, sessions_have(t->other_unit), t->unit, r->to->metric.unit);
    }
    if (status == SY_OK && t->few_samples > 0) {
        status = sy_history_remark(r, err, "%zu %s fewer than %d samples, which resolve no p95", t->few_samples,
                                   sessions_have(t->few_samples), P95_SAMPLES_MIN);
    }
    if (status == SY_OK && t->no_ratio > 0) {
        status = sy_history_remark(r, err, "%zu %s no positive number there, and a step is a ratio", t->no_ratio,
                                   sessions_have(t->no_ratio));
    }
    if (status == SY_OK && t->other_direction > 0) {
        status = sy_history_remark(r, err, "%zu %s it the other way round; what the newest calls better counts",
                                   t->other_direction, sessions_have(t->other_direction));
    }
    if (status == SY_OK && r->to->metric.statistic == SY_STATISTIC_MAXIMUM && t->least != t->most) {
        status = sy_history_remark(r, err, "sessions have from %llu to %llu samples: a maximum grows with their number",
                                   (unsigned long long)t->least, (unsigned long long)t->most);
    }
    return status;
}

static sy_status fill_values(sy_history_reading *r, sy_error *err)
{
    /* Both are this reading's own arrays, shown to others as what nobody changes. */
    sy_key_point *points = (sy_key_point *)(uintptr_t)r->to->points;
    double *values = sy_arena_allocate(r->arena, r->to->point_count, sizeof *values);
    size_t *places = sy_arena_allocate(r->arena, r->to->point_count, sizeof *places);
    tally t = {0};
    if (values == NULL || places == NULL) {
        return no_memory(err);
    }
    for (size_t i = 0; i < r->to->point_count; i++) {
        points[i].value = value_of(r, &r->sessions[i], &t);
        if (!isnan(points[i].value)) {
            places[r->value_count] = i;
            values[r->value_count++] = points[i].value;
        }
    }
    r->values = values;
    r->to->place_of = places;
    return remark_values(r, &t, err);
}

sy_status sy_history_read_values(sy_history_reading *r, sy_error *err)
{
    const sy_figure_row *figure = choose_figure(r);
    if (figure == NULL) {
        return refuse_missing(r, err);
    }
    r->to->metric = (sy_judged_metric){.series = figure->name,
                                       .case_name = case_of(figure),
                                       .implementation = figure->is_memory ? "" : figure->implementation,
                                       .statistic = r->options->statistic,
                                       .unit = figure->unit,
                                       .higher_is_better = figure->higher_is_better};
    sy_status status = list_others(r, &r->to->metric, err);
    return status == SY_OK ? fill_values(r, err) : status;
}
