/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the ledger's sessions once, from the newest to the oldest, a page at a time: how far each key is, what stands
 * open, what was promoted. Memory grows with keys and with what is shown, not with sessions. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "evidence/compare/baseline.h"
#include "evidence/dashboard/collecting.h"
#include "ledger/run_life.h"
#include "stats/quantile.h"

/* As sy_judge has it: so many judged sessions say how often alarms come. */
enum { PAGE_ROWS = 4096, RATE_SESSIONS = 20 };
#define RATE_LEVEL 0.95
#define SMOKE_REASON "smoke:"

/* ---- keys ---- */

static sy_status add_key(sy_collecting *c, sy_key_tally *tally, sy_error *err)
{
    if (c->key_count == c->key_capacity) {
        size_t capacity = c->key_capacity == 0 ? 64 : c->key_capacity * 2;
        sy_key_tally **keys = sy_reallocate(c->keys, capacity, sizeof(*keys));
        if (keys == NULL) {
            return sy_collecting_no_memory(err);
        }
        c->keys = keys;
        c->key_capacity = capacity;
    }
    c->keys[c->key_count++] = tally;
    return SY_OK;
}

/* Sessions of an incomplete key equal nothing; what settles an alarm of theirs is a newer one of the gate there. */
static const char *tally_id(sy_collecting *c, const sy_run_row *row)
{
    return row->key_digest[0] != '\0'
               ? sy_arena_copy_text(c->arena, row->key_digest)
               : sy_arena_format(c->arena, "?%s?%s?%s?%s", row->cell, row->gate, row->host, row->device);
}

static sy_status find_tally(sy_collecting *c, const sy_run_row *row, sy_key_tally **ret_tally, sy_error *err)
{
    sy_key_tally *tally = row->key_digest[0] != '\0' ? sy_id_table_get(c->tallies, row->key_digest) : NULL;
    if (tally != NULL) {
        *ret_tally = tally;
        return SY_OK;
    }
    const char *id = tally_id(c, row);
    tally = id != NULL ? sy_id_table_get(c->tallies, id) : NULL;
    if (tally != NULL) {
        *ret_tally = tally;
        return SY_OK;
    }
    void *earlier = NULL;
    tally = sy_arena_allocate(c->arena, 1, sizeof *tally);
    if (id == NULL || tally == NULL || !sy_id_table_put(c->tallies, id, tally, &earlier)) {
        return sy_collecting_no_memory(err);
    }
    *tally = (sy_key_tally){.acceptable = "", .passed = ""};
    tally->key = (sy_dashboard_key){.key_digest = row->key_digest[0] != '\0' ? id : "",
                                    .cell = sy_collecting_text(c, row->cell),
                                    .gate = sy_collecting_text(c, row->gate),
                                    .newest = sy_arena_copy_text(c->arena, row->id),
                                    .command = ""};
    if (tally->key.cell == NULL || tally->key.gate == NULL || tally->key.newest == NULL) {
        return sy_collecting_no_memory(err);
    }
    *ret_tally = tally;
    return row->key_digest[0] != '\0' ? add_key(c, tally, err) : SY_OK;
}

/* ---- a baseline ---- */

static bool has_lease(const sy_key_tally *tally, uint64_t fence, const char *host, const char *device)
{
    for (const sy_key_lease *lease = tally->leases; lease != NULL; lease = lease->next) {
        if (fence != 0 && lease->fence == fence && lease->host == host && lease->device == device) {
            return true;
        }
    }
    return false;
}

static sy_status count_accepted(sy_collecting *c, sy_key_tally *tally, const sy_run_row *row, sy_error *err)
{
    sy_key_lease *lease = sy_arena_allocate(c->arena, 1, sizeof *lease);
    const char *host = sy_collecting_text(c, row->host);
    const char *device = sy_collecting_text(c, row->device);
    if (lease == NULL || host == NULL || device == NULL) {
        return sy_collecting_no_memory(err);
    }
    if (!has_lease(tally, row->fence, host, device)) {
        *lease = (sy_key_lease){row->fence, host, device, tally->leases};
        tally->leases = lease;
        tally->key.accepted_count++;
    }
    tally->whole_baseline = row->begins_baseline;
    return SY_OK;
}

/* The first, and so the newest, that nothing stands in the way of. What a verdict blocks or doubts, be it one against
 * another revision, is nobody's next step. */
static sy_status note_acceptable(sy_collecting *c, sy_key_tally *tally, const sy_run_row *row, sy_error *err)
{
    sy_text refusals = SY_TEXT_INIT;
    bool is_doubted = row->judged && row->verdict >= SY_JUDGEMENT_INVESTIGATE;
    if (is_doubted || tally->acceptable[0] != '\0' || row->status != SY_RUN_OK || row->key_digest[0] == '\0') {
        return SY_OK;
    }
    sy_run_life_refusals(row, &refusals);
    bool may = !refusals.failed && refusals.length == 0;
    sy_text_finish(&refusals);
    if (may) {
        tally->acceptable = sy_arena_copy_text(c->arena, row->id);
    }
    return tally->acceptable != NULL ? SY_OK : sy_collecting_no_memory(err);
}

static sy_status count_baseline(sy_collecting *c, sy_key_tally *tally, const sy_run_row *row, sy_error *err)
{
    if (tally->whole_baseline) {
        return SY_OK;
    }
    return row->accepted ? count_accepted(c, tally, row, err) : note_acceptable(c, tally, row, err);
}

/* ---- verdicts ---- */

static sy_status add_open(sy_collecting *c, sy_key_tally *tally, const sy_run_row *row, sy_error *err)
{
    sy_open_session *open = sy_arena_allocate(c->arena, 1, sizeof *open);
    if (open == NULL) {
        return sy_collecting_no_memory(err);
    }
    *open = (sy_open_session){.verdict = row->verdict_number, .tally = tally};
    open->alarm = (sy_dashboard_alarm){.run = sy_arena_copy_text(c->arena, row->id),
                                       .number = row->number,
                                       .cell = tally->key.cell,
                                       .gate = sy_collecting_text(c, row->gate),
                                       .device = sy_collecting_text(c, row->device),
                                       .revision = sy_collecting_text(c, row->revision),
                                       .key_digest = tally->key.key_digest,
                                       .verdict = row->verdict,
                                       .reason = row->verdict_reason,
                                       .text = "",
                                       .command = "",
                                       .began_utc_s = row->began_utc_s};
    const sy_dashboard_alarm *alarm = &open->alarm;
    if (alarm->run == NULL || alarm->gate == NULL || alarm->device == NULL || alarm->revision == NULL) {
        return sy_collecting_no_memory(err);
    }
    *c->open_end = open;
    c->open_end = &open->next;
    c->open_count++;
    return SY_OK;
}

/* The newest judged session of a key says what is so; no baseline and not judged say nothing. */
static sy_status weigh_verdict(sy_collecting *c, sy_key_tally *tally, const sy_run_row *row, sy_error *err)
{
    bool says = row->judged && row->verdict != SY_JUDGEMENT_NO_BASELINE && row->verdict != SY_JUDGEMENT_NOT_JUDGED;
    if (sy_run_life_was_judged(row)) {
        tally->key.judged_count++;
        tally->key.raised_count += row->raised;
    }
    if (row->status == SY_RUN_SUPERSEDED) {
        return SY_OK;
    }
    if (says && row->verdict == SY_JUDGEMENT_PASS && tally->passed[0] == '\0') {
        tally->passed = sy_arena_copy_text(c->arena, row->id);
        tally->passed_number = row->number;
        tally->passed_verdict = row->verdict_number;
    }
    if (tally->passed == NULL) {
        return sy_collecting_no_memory(err);
    }
    bool settled = tally->settled;
    tally->settled = settled || says || row->begins_baseline;
    return says && !settled && row->verdict >= SY_JUDGEMENT_INVESTIGATE && !row->begins_baseline
               ? add_open(c, tally, row, err)
               : SY_OK;
}

/* ---- what else a session says ---- */

static sy_status note_promotion(sy_collecting *c, const sy_key_tally *tally, const sy_run_row *row, sy_error *err)
{
    if (row->promoted == 0) {
        return SY_OK;
    }
    sy_promoted_run *promoted = sy_arena_allocate(c->arena, 1, sizeof *promoted);
    const char *id = sy_arena_copy_text(c->arena, row->id);
    if (promoted == NULL || id == NULL) {
        return sy_collecting_no_memory(err);
    }
    *promoted = (sy_promoted_run){id, tally->key.key_digest, row->number, NULL};
    *c->promoted_end = promoted;
    c->promoted_end = &promoted->next;
    c->promoted_count++;
    return SY_OK;
}

static sy_status note_smoke(sy_collecting *c, const sy_run_row *row, sy_error *err)
{
    if (row->status != SY_RUN_FAILED || !sy_text_begins(row->reason, SMOKE_REASON)) {
        return SY_OK;
    }
    const char *host = sy_collecting_text(c, row->host);
    const char *device = sy_collecting_text(c, row->device);
    for (const sy_stopped_device *known = c->stopped; known != NULL; known = known->next) {
        if (known->host == host && known->device == device) {
            return SY_OK;
        }
    }
    sy_stopped_device *stopped = sy_arena_allocate(c->arena, 1, sizeof *stopped);
    if (stopped == NULL || host == NULL || device == NULL) {
        return sy_collecting_no_memory(err);
    }
    *stopped = (sy_stopped_device){host, device, c->stopped};
    c->stopped = stopped;
    return SY_OK;
}

static sy_status note_newest(sy_collecting *c, const sy_run_row *row, sy_error *err)
{
    sy_dashboard_gate *gate = sy_id_table_get(c->gates, row->gate);
    if (gate != NULL && gate->newest[0] == '\0') {
        gate->newest = sy_arena_copy_text(c->arena, row->id);
    }
    if (row->judged && c->judged[0] == '\0') {
        c->judged = sy_arena_copy_text(c->arena, row->id);
    }
    return (gate == NULL || gate->newest != NULL) && c->judged != NULL ? SY_OK : sy_collecting_no_memory(err);
}

static sy_status take_row(sy_collecting *c, const sy_run_row *row, sy_error *err)
{
    sy_key_tally *tally = NULL;
    sy_status status = find_tally(c, row, &tally, err);
    if (status != SY_OK) {
        return status;
    }
    assert(tally != NULL);
    tally->key.session_count++;
    tally->first_number = row->number;
    c->dashboard->session_count++;
    c->dashboard->incomplete_count += row->key_digest[0] == '\0';
    status = count_baseline(c, tally, row, err);
    if (status == SY_OK) {
        status = weigh_verdict(c, tally, row, err);
    }
    if (status == SY_OK) {
        status = note_promotion(c, tally, row, err);
    }
    if (status == SY_OK) {
        status = note_smoke(c, row, err);
    }
    return status == SY_OK ? note_newest(c, row, err) : status;
}

/* ---- all of them ---- */

static sy_status read_pages(sy_collecting *c, sy_error *err)
{
    sy_run_filter filter = SY_RUN_FILTER_INIT;
    bool more = true;
    sy_status status = SY_OK;
    filter.kinds = 1U << SY_RUN_KIND_SESSION;
    filter.limit = PAGE_ROWS;
    while (status == SY_OK && more) {
        sy_run_list *page = NULL;
        status = sy_ledger_runs(c->ledger, &filter, &page, err);
        for (size_t i = 0; status == SY_OK && i < page->row_count; i++) {
            status = take_row(c, &page->rows[i], err);
        }
        more = status == SY_OK && page->row_count == PAGE_ROWS;
        filter.before_number = more ? page->rows[page->row_count - 1].number : 0;
        sy_run_list_destroy(page);
    }
    return status;
}

/* What the counts come to. */
static sy_status close_key(sy_collecting *c, const sy_key_tally *tally, sy_dashboard_key *to, sy_error *err)
{
    assert(to != NULL);
    *to = tally->key;
    bool has_baseline = to->accepted_count >= SY_BASELINE_SESSIONS;
    to->missing_count = has_baseline ? 0 : SY_BASELINE_SESSIONS - to->accepted_count;
    to->alarm_promised = has_baseline ? 1 / ((double)to->accepted_count + 1) : NAN;
    to->alarm_observed = to->judged_count > 0 ? (double)to->raised_count / (double)to->judged_count : NAN;
    to->alarms_exceed = has_baseline && to->judged_count >= RATE_SESSIONS && to->raised_count > 0 &&
                        sy_binomial_lower_tail((size_t)to->judged_count,
                                               2 * to->alarm_promised, /* either side counts */
                                               (size_t)to->raised_count - 1) >= RATE_LEVEL;
    if (has_baseline) {
        return SY_OK;
    }
    to->command = tally->acceptable[0] != '\0'
                      ? sy_arena_format(c->arena, "steelyard run accept %s --by \"$USER\"", tally->acceptable)
                      : sy_collecting_session_command(c, to->gate);
    return to->command != NULL ? SY_OK : sy_collecting_no_memory(err);
}

sy_status sy_collect_sessions(sy_collecting *c, sy_error *err)
{
    sy_status status = read_pages(c, err);
    sy_dashboard_key *keys = sy_arena_allocate(c->arena, c->key_count, sizeof *keys);
    if (status == SY_OK && keys == NULL) {
        status = sy_collecting_no_memory(err);
    }
    for (size_t i = 0; status == SY_OK && i < c->key_count; i++) {
        status = close_key(c, c->keys[i], &keys[i], err);
    }
    c->dashboard->keys = keys;
    c->dashboard->key_count = status == SY_OK ? c->key_count : 0;
    return status;
}
