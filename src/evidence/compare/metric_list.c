/* SPDX-License-Identifier: Apache-2.0 */
/* Which metrics sessions have in common, which of them count, and what one side lacks. */
#include "evidence/compare/metric_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum {
    MISSING_MAX = 100, /* metrics that the session lacks and that are listed: one is enough for the verdict */
    REMARKS_MAX = 3
};

/* Over all sessions that have a series. */
typedef struct sample_counts {
    uint64_t least;
    uint64_t most;
    size_t baseline_count; /* accepted sessions that have it */
} sample_counts;

typedef struct listing {
    const sy_session_question *question;
    const sy_session *judged;
    sy_arena *arena;
    sy_metric_list list;
    size_t capacity;
    const char **remarks;
    size_t coarse_series; /* whose p95 is not judged ... */
    uint64_t coarse_least;
    size_t unequal_series; /* ... whose maximum is not */
    size_t missing;
    bool failed; /* no memory */
} listing;

static const char *keep(listing *l, const char *text)
{
    l->failed = l->failed || text == NULL;
    return text != NULL ? text : "";
}

/* ---- names ---- */

bool sy_metric_is_called(const sy_judged_metric *metric, const char *name)
{
    const char *statistic = sy_statistic_word(metric->statistic);
    size_t length = strlen(metric->series);
    if (strncmp(name, metric->series, length) != 0) {
        return false;
    }
    if (name[length] == '\0') {
        return metric->statistic == SY_STATISTIC_P50 || metric->statistic == SY_STATISTIC_MEMORY;
    }
    return name[length] == ' ' && strcmp(name + length + 1, statistic) == 0;
}

static bool is_named(const listing *l, const sy_judged_metric *metric)
{
    const sy_session_rules *rules = l->question->rules;
    for (size_t i = 0; i < rules->primary_count; i++) {
        if (sy_metric_is_called(metric, rules->primary[i])) {
            return true;
        }
    }
    return false;
}

/* Where the gate names none: the first series counts, by its median. */
static bool is_primary(const listing *l, const sy_judged_metric *metric)
{
    if (l->question->rules->primary_count > 0) {
        return is_named(l, metric);
    }
    return metric->statistic == SY_STATISTIC_P50 &&
           (l->list.count == 0 || strcmp(metric->series, l->list.entries[0].metric.series) == 0);
}

/* ---- entries ---- */

static sy_judged_metric metric_of(const sy_figure_row *figure, sy_statistic statistic)
{
    return (sy_judged_metric){.series = figure->name,
                              .case_name = figure->is_memory ? sy_memory_scope_word(figure->scope) : figure->case_name,
                              .implementation = figure->is_memory ? "" : figure->implementation,
                              .statistic = figure->is_memory ? SY_STATISTIC_MEMORY : statistic,
                              .unit = figure->is_memory ? "bytes" : figure->unit,
                              .higher_is_better = !figure->is_memory && figure->higher_is_better};
}

/* why NULL: it is judged. */
static void add_entry(listing *l, const sy_judged_metric *metric, size_t place, sy_memory_scope scope, const char *why)
{
    if (l->list.count == l->capacity) {
        size_t capacity = 2 * l->capacity + 16;
        sy_metric_entry *entries = sy_arena_allocate(l->arena, capacity, sizeof *entries);
        if (entries == NULL) {
            l->failed = true;
            return;
        }
        if (l->list.count > 0) {
            memcpy(entries, l->list.entries, l->list.count * sizeof *entries);
        }
        l->list.entries = entries;
        l->capacity = capacity;
    }
    bool primary = is_primary(l, metric);
    l->list.entries[l->list.count++] = (sy_metric_entry){
        .metric = *metric, .place = place, .scope = scope, .primary = primary, .not_judged = why != NULL, .why = why};
    l->list.primary_count += primary;
}

static void count_session(const sy_session *session, const sy_judged_metric *metric, size_t place,
                          sample_counts *counts, size_t *have)
{
    const sy_figure_row *figure = sy_session_figure_near(session, metric, place);
    if (figure == NULL) {
        return;
    }
    *have += 1;
    counts->least = figure->usable_count < counts->least ? figure->usable_count : counts->least;
    counts->most = figure->usable_count > counts->most ? figure->usable_count : counts->most;
}

static sample_counts count_samples(const listing *l, const sy_judged_metric *metric, size_t place)
{
    const sy_session_question *q = l->question;
    sample_counts counts = {.least = UINT64_MAX};
    size_t others = 0;
    for (size_t i = 0; i < q->baseline_count; i++) {
        count_session(q->baseline[i], metric, place, &counts, &counts.baseline_count);
    }
    for (size_t i = 0; i < q->session_count; i++) {
        count_session(q->sessions[i], metric, place, &counts, &others);
    }
    return counts;
}

/* A baseline of five of which none has it says nothing of it. */
static bool is_new(const listing *l, const sample_counts *counts)
{
    return counts->baseline_count == 0 && l->question->baseline_count >= SY_BASELINE_SESSIONS;
}

static void add_p95(listing *l, const sy_figure_row *figure, size_t place, const sample_counts *counts)
{
    sy_judged_metric metric = metric_of(figure, SY_STATISTIC_P95);
    if (counts->least >= SY_P95_SAMPLES) {
        add_entry(l, &metric, place, 0, NULL);
        return;
    }
    l->coarse_series++;
    l->coarse_least = counts->least < l->coarse_least ? counts->least : l->coarse_least;
    if (is_named(l, &metric)) {
        add_entry(
            l, &metric, place, 0,
            keep(l, sy_arena_format(l->arena, "a session has %llu samples: the p95 is %s, and not judged below %d",
                                    (unsigned long long)counts->least,
                                    counts->least < SY_P95_COARSE_SAMPLES ? "unresolved" : "coarse", SY_P95_SAMPLES)));
    }
}

static void add_maximum(listing *l, const sy_figure_row *figure, size_t place, const sample_counts *counts)
{
    sy_judged_metric metric = metric_of(figure, SY_STATISTIC_MAXIMUM);
    if (counts->least == counts->most) {
        add_entry(l, &metric, place, 0, NULL);
        return;
    }
    l->unequal_series++;
    if (is_named(l, &metric)) {
        add_entry(
            l, &metric, place, 0,
            keep(l, sy_arena_format(l->arena, "sessions have from %llu to %llu samples: their maxima do not compare",
                                    (unsigned long long)counts->least, (unsigned long long)counts->most)));
    }
}

static void add_series(listing *l, size_t place)
{
    const sy_figure_row *figure = &l->judged->figures[place];
    sy_judged_metric metric = metric_of(figure, SY_STATISTIC_P50);
    sample_counts counts = count_samples(l, &metric, place);
    if (is_new(l, &counts)) {
        add_entry(l, &metric, place, 0, "no accepted session has it: begin a new baseline with what is measured now");
        return;
    }
    add_entry(l, &metric, place, 0, NULL);
    add_p95(l, figure, place, &counts);
    add_maximum(l, figure, place, &counts);
}

static void add_memory(listing *l, size_t place)
{
    const sy_figure_row *figure = &l->judged->figures[place];
    sy_judged_metric metric = metric_of(figure, SY_STATISTIC_MEMORY);
    sample_counts counts = count_samples(l, &metric, place);
    add_entry(l, &metric, place, figure->scope,
              is_new(l, &counts) ? "no accepted session has it: begin a new baseline with what is measured now" : NULL);
}

/* ---- what the session has ---- */

static int by_identity(const void *a, const void *b)
{
    const sy_figure_row *x = *(const sy_figure_row *const *)a;
    const sy_figure_row *y = *(const sy_figure_row *const *)b;
    int order = strcmp(x->name, y->name);
    order = order != 0 ? order : strcmp(x->case_name, y->case_name);
    order = order != 0 ? order : strcmp(x->implementation, y->implementation);
    order = order != 0 ? order : (int)x->is_memory - (int)y->is_memory;
    order = order != 0 || !x->is_memory ? order : (int)x->scope - (int)y->scope;
    return order != 0 ? order : (int)x->role - (int)y->role;
}

/* Marks what stands there a second time: only the first counts. NULL: no memory. */
static const bool *find_doubles(listing *l)
{
    const sy_session *s = l->judged;
    const sy_figure_row **sorted = sy_arena_allocate(l->arena, s->figure_count + 1, sizeof *sorted);
    bool *doubled = sy_arena_allocate(l->arena, s->figure_count + 1, sizeof *doubled);
    if (sorted == NULL || doubled == NULL) {
        l->failed = true;
        return NULL;
    }
    for (size_t i = 0; i < s->figure_count; i++) {
        sorted[i] = &s->figures[i];
    }
    qsort(sorted, s->figure_count, sizeof *sorted, by_identity);
    for (size_t i = 1; i < s->figure_count; i++) {
        if (by_identity(&sorted[i - 1], &sorted[i]) == 0) {
            /* The earlier one stays, whichever way they were sorted; it is carried on to the next. */
            const sy_figure_row *later = sorted[i] > sorted[i - 1] ? sorted[i] : sorted[i - 1];
            const sy_figure_row *earlier = later == sorted[i] ? sorted[i - 1] : sorted[i];
            doubled[later - s->figures] = true;
            sorted[i] = earlier;
        }
    }
    return doubled;
}

static void add_what_is_there(listing *l)
{
    const bool *doubled = find_doubles(l);
    for (size_t i = 0; !l->failed && i < l->judged->figure_count; i++) {
        const sy_figure_row *figure = &l->judged->figures[i];
        if (!figure->is_memory && figure->role == SY_SERIES_SAMPLE && !doubled[i]) {
            add_series(l, i);
        }
    }
    for (size_t i = 0; !l->failed && i < l->judged->figure_count; i++) {
        if (l->judged->figures[i].is_memory && !doubled[i]) {
            add_memory(l, i);
        }
    }
}

/* ---- what it lacks ---- */

static bool is_same(const sy_judged_metric *a, const sy_judged_metric *b)
{
    return a->statistic == b->statistic && strcmp(a->series, b->series) == 0 &&
           strcmp(a->case_name, b->case_name) == 0 && strcmp(a->implementation, b->implementation) == 0;
}

static void add_missing(listing *l, size_t from, const sy_judged_metric *metric, sy_memory_scope scope)
{
    for (size_t i = from; i < l->list.count; i++) {
        if (is_same(&l->list.entries[i].metric, metric)) {
            return;
        }
    }
    if (l->missing++ < MISSING_MAX) {
        add_entry(l, metric, SIZE_MAX, scope, "accepted sessions have it, and this one does not");
    }
}

static void add_what_is_missing(listing *l)
{
    size_t from = l->list.count;
    for (size_t i = 0; i < l->question->baseline_count; i++) {
        const sy_session *session = l->question->baseline[i];
        for (size_t k = 0; !l->failed && l->missing <= MISSING_MAX && k < session->figure_count; k++) {
            const sy_figure_row *figure = &session->figures[k];
            sy_judged_metric metric = metric_of(figure, SY_STATISTIC_P50);
            bool counts = figure->is_memory || figure->role == SY_SERIES_SAMPLE;
            if (counts && sy_session_figure_near(l->judged, &metric, k) == NULL) {
                add_missing(l, from, &metric, figure->scope);
            }
        }
    }
}

/* "wall p95" without such a series. */
static void add_unknown_primaries(listing *l)
{
    const sy_session_rules *rules = l->question->rules;
    for (size_t i = 0; !l->failed && i < rules->primary_count; i++) {
        bool is_there = false;
        for (size_t k = 0; k < l->list.count; k++) {
            is_there = is_there || sy_metric_is_called(&l->list.entries[k].metric, rules->primary[i]);
        }
        if (!is_there) {
            sy_judged_metric metric = {rules->primary[i], "", "", SY_STATISTIC_P50, "", false};
            add_entry(l, &metric, SIZE_MAX, 0, "the gate names it as primary, and the session has no such series");
        }
    }
}

/* ---- remarks ---- */

static void add_remark(listing *l, const char *text)
{
    if (l->remarks == NULL) {
        l->remarks = sy_arena_allocate(l->arena, REMARKS_MAX, sizeof *l->remarks);
    }
    if (l->remarks == NULL || text == NULL) {
        l->failed = true;
        return;
    }
    l->remarks[l->list.remark_count++] = text;
}

static void add_remarks(listing *l)
{
    if (l->coarse_series > 0) {
        add_remark(l,
                   sy_arena_format(l->arena,
                                   "the p95 of %zu series is %s, and not judged: a session has %llu samples "
                                   "of it, fewer than %d",
                                   l->coarse_series, l->coarse_least < SY_P95_COARSE_SAMPLES ? "unresolved" : "coarse",
                                   (unsigned long long)l->coarse_least, SY_P95_SAMPLES));
    }
    if (l->unequal_series > 0) {
        add_remark(l, sy_arena_format(l->arena,
                                      "the maximum of %zu series is not judged: sessions have different "
                                      "numbers of samples",
                                      l->unequal_series));
    }
    if (l->missing > MISSING_MAX) {
        add_remark(l,
                   sy_arena_format(l->arena, "more than %d figures of the accepted sessions are missing; %d are listed",
                                   MISSING_MAX, MISSING_MAX));
    }
}

sy_status sy_metric_list_make(const sy_session_question *question, sy_arena *arena, sy_metric_list *ret_list,
                              sy_error *err)
{
    listing l = {.question = question,
                 .judged = question->sessions[question->judged],
                 .arena = arena,
                 .coarse_least = UINT64_MAX};

    add_what_is_there(&l);
    if (!l.failed) {
        add_what_is_missing(&l);
    }
    if (!l.failed) {
        add_unknown_primaries(&l);
    }
    if (!l.failed) {
        add_remarks(&l);
    }
    if (l.failed) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for the metrics of a session");
    }
    l.list.remarks = l.remarks;
    *ret_list = l.list;
    return SY_OK;
}
