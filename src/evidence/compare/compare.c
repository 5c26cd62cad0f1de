/* SPDX-License-Identifier: Apache-2.0 */
/* sy_project_compare: who is held against whom, in order, and what of it is written. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "evidence/baseline_lock.h"
#include "evidence/compare/compare_inside.h"
#include "evidence/event_list.h"

sy_status sy_compare_no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory to compare a run");
}

void sy_compare_add(sy_comparing *c, sy_compare_texts *to, const char *text)
{
    c->failed = c->failed || text == NULL;
    if (text != NULL && to->count < SY_COMPARE_TEXTS_MAX) {
        to->texts[to->count++] = text;
    }
}

/* ---- the run and its key ---- */

/* A session of an incomplete key is comparable to none, and has its figures all the same. */
static sy_status take_alone(sy_comparing *c, sy_error *err)
{
    size_t room = c->run->series_count + c->run->memory_count;
    sy_figure_row *figures = sy_arena_allocate(c->arena, room + 1, sizeof *figures);
    sy_session *session = sy_arena_allocate(c->arena, 1, sizeof *session);
    if (figures == NULL || session == NULL) {
        return sy_compare_no_memory(err);
    }
    size_t count = 0;
    for (size_t i = 0; i < c->run->series_count; i++) {
        const sy_run_series *series = &c->run->series[i];
        figures[count++] = (sy_figure_row){.run = c->run->row.id,
                                           .run_number = c->run->row.number,
                                           .name = series->name,
                                           .unit = series->unit,
                                           .case_name = series->case_name,
                                           .implementation = series->implementation,
                                           .role = series->role,
                                           .higher_is_better = series->higher_is_better,
                                           .usable_count = series->usable_count,
                                           .p50 = series->p50,
                                           .p95 = series->p95,
                                           .minimum = series->minimum,
                                           .maximum = series->maximum};
    }
    for (size_t i = 0; i < c->run->memory_count; i++) {
        const sy_run_memory *memory = &c->run->memories[i];
        double bytes = (double)memory->bytes;
        figures[count++] = (sy_figure_row){.run = c->run->row.id,
                                           .run_number = c->run->row.number,
                                           .is_memory = true,
                                           .name = memory->name,
                                           .unit = "bytes",
                                           .case_name = "",
                                           .implementation = "",
                                           .usable_count = 1,
                                           .p50 = bytes,
                                           .p95 = bytes,
                                           .minimum = bytes,
                                           .maximum = bytes,
                                           .basis = memory->basis,
                                           .scope = memory->scope};
    }
    *session = (sy_session){.row = &c->run->row, .figures = figures, .figure_count = count};
    c->own = (sy_session_set){.sessions = session, .count = 1};
    return SY_OK;
}

static void tell_baseline(sy_comparing *c, const sy_baseline *baseline)
{
    if (baseline->doubled_count > 0) {
        sy_compare_add(c, &c->remarks,
                       sy_arena_format(c->arena, "%zu accepted %s not counted: %s ran under the lease of another one",
                                       baseline->doubled_count,
                                       baseline->doubled_count == 1 ? "session is" : "sessions are",
                                       baseline->doubled->row->id));
    }
    if (baseline->begins != NULL) {
        sy_compare_add(c, &c->remarks,
                       sy_arena_format(c->arena,
                                       "the baseline begins with %s, an accepted change; %zu earlier %s left out",
                                       baseline->begins->row->id, baseline->earlier_count,
                                       baseline->earlier_count == 1 ? "session is" : "sessions are"));
    }
}

/* Smoke shows that outputs are right: a shared runner may be slow, and is held against nothing. */
static bool is_smoke(const sy_comparing *c)
{
    return strcmp(c->run->row.tier, "pr-smoke") == 0;
}

static sy_status take_own_baseline(sy_comparing *c, sy_error *err)
{
    sy_baseline baseline;
    sy_status status = sy_baseline_find(&c->own, c->run->row.number, c->arena, &baseline, err);
    if (status != SY_OK) {
        return status;
    }
    c->begins = baseline.begins;
    if (is_smoke(c)) {
        sy_compare_add(c, &c->remarks, "a smoke run shows parity, no speed: it is held against no session");
        return SY_OK;
    }
    c->baseline = baseline.sessions;
    c->baseline_count = baseline.count;
    tell_baseline(c, &baseline);
    return SY_OK;
}

static sy_status find_baseline(sy_comparing *c, sy_error *err)
{
    c->mode = SY_COMPARISON_SAME_KEY;
    c->baseline_key = c->run->row.key_digest;
    c->baseline_revision = "";
    if (!c->options->revision_comparison) {
        sy_status status = sy_compare_check_against(c, err);
        return status == SY_OK ? take_own_baseline(c, err) : status;
    }
    c->baseline_key = "";
    return is_smoke(c) ? sy_fail(err, SY_REFUSED, "%s is a smoke run: it shows parity, no speed", c->run->row.id)
                       : sy_compare_find_revision(c, err);
}

static sy_status read_run(sy_comparing *c, sy_error *err)
{
    sy_status status = sy_ledger_run(c->ledger, c->options->run, &c->run, err);
    if (status == SY_OK) {
        status = sy_compare_refuse(c->run, err);
    }
    if (status == SY_OK) {
        status = sy_project_registry(c->project, &c->registry, err);
    }
    if (status == SY_OK) {
        c->to->run = c->run->row.id;
        c->revision_field = sy_revision_field(c->registry);
        c->evidence = sy_compare_evidence(c->run, c->arena);
        status = c->evidence != NULL ? sy_compare_read_rules(c, err) : sy_compare_no_memory(err);
    }
    if (status != SY_OK) {
        return status;
    }
    if (c->run->row.key_digest[0] == '\0') {
        status = take_alone(c, err);
    } else {
        status = sy_session_set_read(c->ledger, c->run->row.key_digest, c->arena, &c->own, err);
    }
    c->judged = status == SY_OK ? sy_session_find(&c->own, c->run->row.id) : NULL;
    return status == SY_OK && c->judged == NULL
               ? sy_fail(err, SY_CORRUPT, "the run %s is not in the list of its key: steelyard ledger verify",
                         c->to->run)
               : status;
}

/* ---- writing ---- */

static sy_status finish_drafts(sy_comparing *c, sy_error *err)
{
    sy_status status = SY_OK;
    for (size_t i = 0; status == SY_OK && i < c->draft_count; i++) {
        status = sy_compare_finish_draft(c, &c->drafts[i], err);
    }
    if (status == SY_OK && c->draft_count > 0) {
        c->to->verdict = c->drafts[c->draft_count - 1].verdict;
    }
    return status;
}

/* All of them, or none; the judged session's is the last event. */
static sy_status write_drafts(sy_comparing *c, sy_error *err)
{
    sy_event_list events = {.arena = c->arena};
    sy_status status = SY_OK;
    if (c->options->dry_run || c->is_recorded) {
        return sy_ledger_read_head(c->ledger, &c->to->head, err);
    }
    for (size_t i = 0; status == SY_OK && i < c->draft_count; i++) {
        events.run = c->drafts[i].session->row->id;
        status = sy_event_list_verdict(&events, &c->drafts[i].verdict, err);
    }
    if (status == SY_OK) {
        status = sy_event_list_clean(&events, err);
    }
    if (status == SY_OK) {
        status = sy_event_list_append(&events, c->ledger, &c->to->head, err);
    }
    if (status == SY_OK) {
        c->to->verdict_number = c->to->head.number;
    }
    return status;
}

static sy_status take_texts(sy_comparing *c, const sy_compare_texts *from, const char *const **ret_texts,
                            size_t *ret_count, sy_error *err)
{
    const char **texts = sy_arena_allocate(c->arena, from->count + 1, sizeof *texts);
    if (texts == NULL || c->failed) {
        return sy_compare_no_memory(err);
    }
    memcpy(texts, from->texts, from->count * sizeof *texts);
    *ret_texts = texts;
    *ret_count = from->count;
    return SY_OK;
}

static void add_answer_remarks(sy_comparing *c)
{
    const sy_session_answer *answer = c->draft_count > 0 ? &c->drafts[c->draft_count - 1].answer : NULL;
    for (size_t i = 0; answer != NULL && i < answer->remark_count; i++) {
        sy_compare_add(c, &c->remarks, answer->remarks[i]);
    }
}

static sy_status work(sy_comparing *c, sy_error *err)
{
    sy_status status = read_run(c, err);
    if (status == SY_OK) {
        status = find_baseline(c, err);
    }
    if (status == SY_OK) {
        status = sy_compare_judge(c, err);
    }
    if (status == SY_OK) {
        status = finish_drafts(c, err);
    }
    if (status == SY_OK) {
        status = sy_compare_find_neighbours(c, err);
    }
    if (status != SY_OK) {
        return status;
    }
    sy_compare_count_alarms(c);
    sy_compare_add_next(c);
    status = sy_compare_recalibrate(c, err);
    if (status == SY_OK && c->draft_count > 0) {
        c->to->verdict = c->drafts[c->draft_count - 1].verdict;
    }
    add_answer_remarks(c);
    if (status == SY_OK) {
        status = take_texts(c, &c->next, &c->to->next, &c->to->next_count, err);
    }
    if (status == SY_OK) {
        status = take_texts(c, &c->remarks, &c->to->remarks, &c->to->remark_count, err);
    }
    return status == SY_OK ? write_drafts(c, err) : status;
}

static void finish(sy_comparing *c)
{
    sy_run_destroy(c->run);
    if (c->own.list != NULL) {
        sy_session_set_finish(&c->own);
    }
    for (size_t i = 0; i < c->other_count; i++) {
        sy_session_set_finish(&c->others[i]);
    }
    sy_key_list_destroy(c->keys);
    sy_arena_destroy(c->arena);
}

/* What is recorded is judged as the gate says: who may loosen it alone lets anything pass. */
static sy_status check_options(const sy_compare_options *options, sy_error *err)
{
    if (options->struct_size != sizeof *options || options->run == NULL) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "no run is named that could be compared");
    }
    if (!options->dry_run && !(isnan(options->alpha) && isnan(options->delta))) {
        (void)sy_fail(err, SY_INVALID_ARGUMENT, "a verdict is recorded by the alpha and the effect of its gate alone");
        sy_error_hint(err, "with --dry-run others are tried; members alpha and delta of the gate change them");
        return SY_INVALID_ARGUMENT;
    }
    return SY_OK;
}

sy_status sy_project_compare(sy_project *project, const sy_compare_options *options, sy_compared **ret_compared,
                             sy_error *err)
{
    sy_status status = check_options(options, err);
    if (status != SY_OK) {
        return status;
    }
    sy_arena *arena = sy_arena_create(0);
    sy_comparing *c = arena != NULL ? sy_arena_allocate(arena, 1, sizeof *c) : NULL;
    sy_compared *to = c != NULL ? sy_arena_allocate(arena, 1, sizeof *to) : NULL;
    if (to == NULL) {
        sy_arena_destroy(arena);
        return sy_compare_no_memory(err);
    }
    *c = (sy_comparing){
        .project = project, .options = options, .ledger = sy_project_ledger(project), .arena = arena, .to = to};
    sy_lock *lock = NULL;
    /* What is counted must still be so when it is written. */
    status = options->dry_run ? SY_OK : sy_baseline_lock_take(project, &lock, err);
    if (status == SY_OK) {
        status = work(c, err);
    }
    sy_lock_release(lock);
    if (status != SY_OK) {
        finish(c);
        return status;
    }
    to->owner = c;
    *ret_compared = to;
    return SY_OK;
}

void sy_compared_destroy(sy_compared *compared)
{
    if (compared != NULL) {
        finish(compared->owner);
    }
}
