/* SPDX-License-Identifier: Apache-2.0 */
/* The runs that have a page of their own: which they are, what their samples look like, and in what they differ from
 * the session that they are held against. */
#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "evidence/compare/judge_session.h"
#include "evidence/html/collecting_html.h"
#include "evidence/html/run_facts.h"

/* A page is no archive: over all of its runs so many strips of so many samples, so many of those in their order, and
 * runs with so many series at all. The first run always has its page. */
enum { STRIPS_MOST = 4000, SAMPLES_MOST = 1 << 24, DRAWN_MOST = 200000, SERIES_MOST = 20000 };

typedef struct choosing {
    sy_html_collecting *c;
    sy_id_table *chosen;
    const char **ids; /* in the order in which they matter */
    size_t count;
    size_t most;
    sy_html_run *runs;
    size_t run_count;
    uint64_t series_count; /* of those runs */
    uint64_t strip_count;
    uint64_t sample_count;
    size_t drawn_count;
    sy_id_table *read; /* id -> run, of which at least the beginning was read */
} choosing;

/* ---- which ---- */

static sy_status choose(choosing *ch, const char *run, sy_error *err)
{
    void *earlier = NULL;
    if (run[0] == '\0' || ch->count >= ch->most) {
        return SY_OK;
    }
    if (!sy_id_table_put(ch->chosen, run, (void *)(uintptr_t)run, &earlier)) {
        return sy_html_no_memory(err);
    }
    if (earlier == NULL) {
        ch->ids[ch->count++] = run;
    }
    return SY_OK;
}

static sy_status choose_open_and_promoted(choosing *ch, sy_error *err)
{
    const sy_dashboard *dashboard = ch->c->owner->dashboard;
    sy_status status = dashboard->judged != NULL ? choose(ch, dashboard->judged->row.id, err) : SY_OK;
    for (size_t i = 0; status == SY_OK && i < dashboard->alarm_count; i++) {
        status = choose(ch, dashboard->alarms[i].run, err);
    }
    for (size_t i = 0; status == SY_OK && i < dashboard->row_count; i++) {
        status = choose(ch, dashboard->rows[i].run, err);
    }
    return status;
}

static sy_status choose_newest_of_lines(choosing *ch, sy_error *err)
{
    const sy_html_collecting *c = ch->c;
    sy_id_table *seen = sy_id_table_create(c->owner->arena, 256);
    sy_status status = seen != NULL ? SY_OK : sy_html_no_memory(err);
    for (size_t i = c->session_count; status == SY_OK && i-- > 0 && ch->count < ch->most;) {
        sy_html_line *line = c->places[i].line;
        void *earlier = NULL;
        if (!sy_id_table_put(seen, line->digest, line, &earlier)) {
            status = sy_html_no_memory(err);
        } else if (earlier == NULL) {
            status = choose(ch, c->sessions[i].run, err);
        }
    }
    return status;
}

static sy_status choose_all(choosing *ch, sy_error *err)
{
    const sy_html_collecting *c = ch->c;
    sy_status status = choose_open_and_promoted(ch, err);
    if (status == SY_OK) {
        status = choose_newest_of_lines(ch, err);
    }
    for (size_t i = 0; status == SY_OK && i < c->decision_count; i++) {
        status = choose(ch, c->decisions[i], err);
    }
    for (size_t i = c->session_count; status == SY_OK && i-- > 0 && ch->count < ch->most;) {
        status = choose(ch, c->sessions[i].run, err);
    }
    return status;
}

/* ---- one run ---- */

static sy_status read_run(choosing *ch, const char *id, sy_run_parts parts, sy_run **ret_run, sy_error *err)
{
    sy_html_owner *owner = ch->c->owner;
    void *earlier = NULL;
    sy_status status = sy_ledger_run_parts(ch->c->ledger, id, parts, ret_run, err);
    if (status != SY_OK) {
        return status;
    }
    owner->runs[owner->run_count++] = *ret_run;
    return sy_id_table_put(ch->read, (*ret_run)->row.id, *ret_run, &earlier) ? SY_OK : sy_html_no_memory(err);
}

/* Samples that are gone or changed are `ledger verify`'s to tell: the strip stays empty. */
static sy_status make_strip(choosing *ch, const sy_run_series *series, sy_html_strip *ret_strip, sy_error *err)
{
    const size_t left = DRAWN_MOST - ch->drawn_count;
    const size_t limit = ch->c->options->drawn_limit < left ? ch->c->options->drawn_limit : left;
    double *samples = NULL;
    size_t count = 0;
    sy_error why = SY_ERROR_INIT;
    sy_status status = sy_ledger_samples(ch->c->ledger, series->digest, &samples, &count, &why);
    const bool missing = status == SY_NOT_FOUND || status == SY_CORRUPT;
    if (status != SY_OK && !missing) {
        if (err != NULL) {
            *err = why;
        }
        return status;
    }
    status = sy_html_strip_make(series, samples, count, limit, ch->c->owner->arena, ret_strip, err);
    sy_samples_free(samples);
    if (status == SY_OK) {
        assert(ret_strip != NULL);
        ret_strip->samples_missing = missing;
        ch->drawn_count += ret_strip->drawn_count;
    }
    return status;
}

static bool may_have_strips(const choosing *ch, const sy_run_row *row)
{
    return row->series_count <= STRIPS_MOST - ch->strip_count && row->sample_count <= SAMPLES_MOST - ch->sample_count;
}

static bool may_have_page(const choosing *ch, const sy_run_row *row)
{
    const uint64_t left = ch->series_count < SERIES_MOST ? SERIES_MOST - ch->series_count : 0;
    return ch->run_count == 0 || row->series_count <= left;
}

static sy_status make_strips(choosing *ch, const sy_run *run, sy_html_run *to, sy_error *err)
{
    if (run->series_count == 0) {
        return SY_OK;
    }
    sy_html_strip *strips = sy_arena_allocate(ch->c->owner->arena, run->series_count, sizeof *strips);
    sy_status status = strips != NULL ? SY_OK : sy_html_no_memory(err);
    for (size_t i = 0; status == SY_OK && i < run->series_count; i++) {
        status = make_strip(ch, &run->series[i], &strips[i], err);
    }
    to->strips = strips;
    ch->strip_count += run->series_count;
    ch->sample_count += run->row.sample_count;
    return status;
}

/* ---- what a probe found ---- */

static const sy_run_artifact *probe_artifact(const sy_run *run)
{
    for (size_t i = run->artifact_count; i-- > 0;) {
        if (run->artifacts[i].role == SY_ARTIFACT_PROBE) {
            return &run->artifacts[i];
        }
    }
    return NULL;
}

static sy_status read_probe(choosing *ch, const sy_run *run, sy_html_run *to, sy_error *err)
{
    sy_html_owner *owner = ch->c->owner;
    const sy_run_artifact *artifact = probe_artifact(run);
    sy_error why = SY_ERROR_INIT;
    char *json = NULL;
    size_t size = 0;
    sy_probe_result *result = NULL;
    if (artifact == NULL) {
        to->probe_missing = run->decision != NULL ? "the run keeps no result of its probe" : "";
        return SY_OK;
    }
    sy_status status = sy_ledger_fetch(ch->c->ledger, artifact->digest, &json, &size, &why);
    if (status == SY_OK) {
        status = sy_probe_result_read_json(json, size, &result, &why);
    }
    sy_text_free(json);
    if (status == SY_NO_MEMORY) {
        return sy_html_no_memory(err);
    }
    if (status != SY_OK) {
        to->probe_missing = sy_arena_copy_text(owner->arena, why.what);
        return to->probe_missing != NULL ? SY_OK : sy_html_no_memory(err);
    }
    owner->probes[owner->probe_count++] = result;
    to->probe = result;
    return SY_OK;
}

/* ---- what it is held against ---- */

static const sy_html_session *session_of(const sy_html_collecting *c, uint64_t number, size_t *ret_index)
{
    size_t low = 0, high = c->session_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (c->sessions[middle].number < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *ret_index = low;
    return low < c->session_count && c->sessions[low].number == number ? &c->sessions[low] : NULL;
}

/* The newest of the last verdict's baseline; without a verdict the newest accepted session of its key before it. */
static const char *baseline_of(const sy_html_collecting *c, const sy_run *run)
{
    size_t index = 0;
    if (run->verdict_count > 0) {
        const sy_run_verdict *last = &run->verdicts[run->verdict_count - 1];
        return last->baseline_count > 0 ? last->baseline[last->baseline_count - 1] : "";
    }
    if (session_of(c, run->row.number, &index) == NULL || c->places[index].accepted_before == SY_HTML_NO_SESSION) {
        return "";
    }
    return c->sessions[c->places[index].accepted_before].run;
}

static sy_status compare_with_baseline(choosing *ch, sy_html_run *to, sy_error *err)
{
    const char *baseline = baseline_of(ch->c, to->run);
    sy_run *other = baseline[0] != '\0' ? sy_id_table_get(ch->read, baseline) : NULL;
    sy_error why = SY_ERROR_INIT;
    if (baseline[0] == '\0') {
        return SY_OK;
    }
    sy_status status = other == NULL ? read_run(ch, baseline, SY_RUN_BEGINNING, &other, &why) : SY_OK;
    if (status == SY_NOT_FOUND) {
        return SY_OK;
    }
    if (status != SY_OK) {
        if (err != NULL) {
            *err = why;
        }
        return status;
    }
    assert(other != NULL);
    to->baseline_run = baseline;
    return sy_run_facts_differ(to->run, other, ch->c->owner->arena, &to->differences, &to->difference_count, err);
}

/* A run that is too large for what is left of the page stays without one. */
static sy_status collect_run(choosing *ch, const char *id, sy_error *err)
{
    sy_run_row row;
    sy_run *run = NULL;
    sy_status status = sy_ledger_row(ch->c->ledger, ch->c->owner->arena, id, &row, err);
    if (status != SY_OK || !may_have_page(ch, &row)) {
        return status;
    }
    status = read_run(ch, id, may_have_strips(ch, &row) ? SY_RUN_WHOLE : SY_RUN_WITHOUT_SERIES, &run, err);
    if (status != SY_OK) {
        return status;
    }
    assert(run != NULL);
    sy_html_run *to = &ch->runs[ch->run_count++];
    *to = (sy_html_run){.run = run, .baseline_run = "", .probe_missing = ""};
    ch->series_count += row.series_count;
    status = make_strips(ch, run, to, err);
    return status == SY_OK ? read_probe(ch, run, to, err) : status;
}

/* ---- what verdicts say of series ---- */

/* Of each line the last verdict alone counts, whether or not its run has a page. */
static sy_status join_verdicts(sy_html_collecting *c, sy_error *err)
{
    const sy_html_content *content = &c->owner->content;
    for (size_t i = 0; i < content->run_count; i++) {
        const sy_run *run = content->runs[i].run;
        size_t index = 0;
        if (run->verdict_count == 0 || session_of(c, run->row.number, &index) == NULL ||
            c->places[index].line->verdict_number != run->verdict_numbers[run->verdict_count - 1]) {
            continue;
        }
        const sy_run_verdict *verdict = &run->verdicts[run->verdict_count - 1];
        for (size_t k = 0; k < verdict->metric_count; k++) {
            bool failed = false;
            const char *line = c->places[index].line->digest;
            sy_html_series *series = sy_html_find_series(c, line, &verdict->metrics[k].metric, &failed);
            if (failed) {
                return sy_html_no_memory(err);
            }
            if (series != NULL) {
                series->judged = &verdict->metrics[k];
            }
        }
    }
    return SY_OK;
}

/* ---- all of them ---- */

static int newest_first(const void *a, const void *b)
{
    uint64_t x = ((const sy_html_run *)a)->run->row.number, y = ((const sy_html_run *)b)->run->row.number;
    return (x < y) - (x > y);
}

static bool begin(choosing *ch)
{
    sy_html_collecting *c = ch->c;
    sy_arena *arena = c->owner->arena;
    size_t there = c->session_count + c->decision_count;
    ch->most = there < c->options->run_limit ? there : c->options->run_limit;
    ch->chosen = sy_id_table_create(arena, 256);
    ch->read = sy_id_table_create(arena, 256);
    ch->ids = sy_arena_allocate(arena, ch->most + 1, sizeof *ch->ids);
    ch->runs = sy_arena_allocate(arena, ch->most + 1, sizeof *ch->runs);
    c->owner->runs = sy_arena_allocate(arena, 2 * ch->most + 1, sizeof(sy_run *));
    c->owner->probes = sy_arena_allocate(arena, ch->most + 1, sizeof(sy_probe_result *));
    return ch->chosen != NULL && ch->read != NULL && ch->ids != NULL && ch->runs != NULL && c->owner->runs != NULL &&
           c->owner->probes != NULL;
}

sy_status sy_html_collect_runs(sy_html_collecting *c, sy_error *err)
{
    choosing ch = {.c = c};
    sy_status status = begin(&ch) ? choose_all(&ch, err) : sy_html_no_memory(err);
    for (size_t i = 0; status == SY_OK && i < ch.count; i++) {
        status = collect_run(&ch, ch.ids[i], err);
    }
    for (size_t i = 0; status == SY_OK && i < ch.run_count; i++) {
        status = compare_with_baseline(&ch, &ch.runs[i], err);
    }
    if (status != SY_OK) {
        return status;
    }
    qsort(ch.runs, ch.run_count, sizeof *ch.runs, newest_first);
    c->owner->content.runs = ch.runs;
    c->owner->content.run_count = ch.run_count;
    return join_verdicts(c, err);
}
