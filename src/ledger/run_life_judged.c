/* SPDX-License-Identifier: Apache-2.0 */
/* What may be said of a run that was measured: which sessions are accepted, which verdict follows which, who may sign
 * off and promote, and when. */
#include "ledger/run_life_judged.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"

/* ---- acceptance ---- */

static void reason(sy_text *to, size_t start, bool applies, const char *text)
{
    if (applies) {
        sy_text_append(to, to->length > start ? "; " : "");
        sy_text_append(to, text);
    }
}

static bool is_fake_cell(const char *cell)
{
    return sy_text_ends(cell, "::fake");
}

void sy_run_life_refusals(const sy_run_row *row, sy_text *to)
{
    size_t start = to->length;
    bool imported = row->status == SY_RUN_IMPORTED;
    bool good_tier = strcmp(row->tier, "scheduled-profile") == 0 || strcmp(row->tier, "release-signoff") == 0;
    if (row->status != SY_RUN_OK && !imported) {
        reason(to, start, true, "its status is ");
        sy_text_append(to, sy_run_status_word(row->status));
    }
    reason(to, start, imported, "it is imported");
    reason(to, start, row->kind == SY_RUN_KIND_DECISION, "it is a decision, no session");
    if (row->parity != SY_RUN_PARITY_PASSED) {
        reason(to, start, true, "its parity is ");
        sy_text_append(to, sy_run_parity_word(row->parity));
    }
    reason(to, start, row->dirty < 0, "nobody knows if its tree was clean");
    reason(to, start, row->dirty > 0 && !row->diff_is_kept, "its tree is dirty and the difference not kept");
    reason(to, start, !row->lease_whole, "it had no lease throughout");
    reason(to, start, row->sample_count == 0, "it has no samples");
    if (!good_tier) {
        reason(to, start, true, "its tier is ");
        sy_text_append_format(to, "%.24s", *row->tier == '\0' ? "none" : row->tier);
    }
    /* A cell of the fake backend is nobody's hardware: what is made up for it is what it asks for. */
    bool is_toy = row->synthetic && is_fake_cell(row->cell);
    reason(to, start, row->synthetic && !is_toy, "its times are made up");
    reason(to, start, *row->gate != '\0' && row->hardware == 0 && !is_toy, "software played the device");
    reason(to, start, *row->gate != '\0' && row->hardware < 0, "nobody knows if its device is a physical one");
    reason(to, start, row->accepted, "it is accepted already");
}

/* The last verdict asks for more sessions, or forbids the run. */
static bool is_alarming(const sy_run_row *row)
{
    return row->judged && (row->verdict == SY_JUDGEMENT_INVESTIGATE || row->verdict == SY_JUDGEMENT_BLOCK);
}

/* A change that is there: every repeat said so; or other figures are measured than before, which are held against none.
 */
static bool is_certain_change(const sy_run_row *row)
{
    return row->judged &&
           (row->verdict_reason == SY_JUDGEMENT_REASON_IMPROVED ||
            row->verdict_reason == SY_JUDGEMENT_REASON_CONFIRMED || row->verdict == SY_JUDGEMENT_NOT_JUDGED);
}

void sy_run_life_accept_refusals(const sy_run_row *row, const sy_run_accept *accept, sy_text *to)
{
    size_t start = to->length;
    sy_run_life_refusals(row, to);
    if (accept->new_baseline) {
        reason(to, start, !is_certain_change(row), "no verdict confirms a change with which a baseline could begin");
        reason(to, start, accept->reason == NULL || *accept->reason == '\0', "a new baseline needs a reason");
    } else if (is_alarming(row) && row->verdict_reason != SY_JUDGEMENT_REASON_DRIFT) {
        /* A drifting session is inside its baseline: to accept it says that somebody has looked. */
        reason(to, start, true, "its verdict is ");
        sy_text_append(to, sy_judgement_word_text(row->verdict));
    }
}

sy_status sy_life_fold_accept(const sy_life_event *event, sy_arena *arena, sy_run_row *row, sy_error *err)
{
    sy_run_accept accept;
    sy_text refusals = SY_TEXT_INIT;
    sy_status status = sy_run_accept_read(event->json, event->body, arena, &accept, err);
    if (status != SY_OK) {
        return status;
    }
    sy_run_life_accept_refusals(row, &accept, &refusals);
    if (refusals.failed) {
        status = sy_fail(err, SY_NO_MEMORY, "no memory for the reasons of a refusal");
    } else if (refusals.length > 0) {
        status = sy_fail(err, SY_REFUSED, "not accepted: %s", refusals.bytes);
    }
    sy_text_finish(&refusals);
    row->accepted = true;
    row->begins_baseline = accept.new_baseline;
    return status;
}

/* ---- verdicts and changes ---- */

static sy_status need_session(const sy_life_event *event, const sy_run_row *row, sy_error *err)
{
    return row->kind == SY_RUN_KIND_SESSION ? SY_OK
                                            : sy_fail(err, SY_REFUSED, "'%.60s' is no session: it takes no %s",
                                                      event->run, sy_event_kind_word(event->kind));
}

static bool names_run(const sy_run_verdict *verdict, const char *run)
{
    for (size_t i = 0; i < verdict->session_count; i++) {
        if (strcmp(verdict->sessions[i], run) == 0) {
            return true;
        }
    }
    return false;
}

bool sy_run_life_was_judged(const sy_run_row *row)
{
    return row->judged && row->verdict_reason != SY_JUDGEMENT_REASON_EVIDENCE &&
           row->verdict_reason != SY_JUDGEMENT_REASON_NO_VALUE &&
           row->verdict_reason != SY_JUDGEMENT_REASON_FEW_SESSIONS;
}

sy_status sy_life_fold_verdict(const sy_life_event *event, sy_arena *arena, sy_run_row *row, sy_error *err)
{
    sy_run_verdict verdict;
    sy_status status = need_session(event, row, err);
    if (status != SY_OK || (status = sy_run_verdict_read(event->json, event->body, arena, &verdict, err)) != SY_OK) {
        return status;
    }
    if (!names_run(&verdict, event->run)) {
        return sy_fail(err, SY_REFUSED, "the verdict on '%.60s' was reached without it", event->run);
    }
    if (verdict.replaces != row->verdict_number) {
        return sy_fail(err, SY_REFUSED,
                       "the verdict on '%.60s' follows event %" PRIu64 ", and its last one is event %" PRIu64,
                       event->run, verdict.replaces, row->verdict_number);
    }
    if (verdict.leaves_open > row->verdict_number) {
        return sy_fail(err, SY_REFUSED, "the verdict on '%.60s' leaves event %" PRIu64 " open, which is no earlier one",
                       event->run, verdict.leaves_open);
    }
    bool was_alarming = is_alarming(row);
    row->raised = row->raised || (verdict.raised && !sy_run_life_was_judged(row)); /* the first such verdict says it */
    row->judged = true;
    row->verdict_number = event->number;
    if (verdict.leaves_open == 0 || verdict.word >= SY_JUDGEMENT_INVESTIGATE || !was_alarming) {
        row->verdict = verdict.word;
        row->verdict_reason = verdict.reason;
    }
    if (is_alarming(row)) {
        row->signed_off = false;
        row->signoff_number = 0;
    }
    return SY_OK;
}

sy_status sy_life_fold_change(const sy_life_event *event, sy_arena *arena, sy_run_row *row, sy_error *err)
{
    sy_run_change change;
    (void)row;
    sy_status status = sy_run_change_read(event->json, event->body, arena, &change, err);
    if (status == SY_OK && (change.refers >= event->number || change.moved_from >= event->number)) {
        status = sy_fail(err, SY_REFUSED, "the change at '%.60s' refers to an event that is not there yet", event->run);
    }
    return status;
}

/* ---- who vouches for it ---- */

static sy_status check_signoff(const sy_life_event *event, const sy_run_row *row, const sy_run_signoff *signoff,
                               sy_error *err)
{
    if (is_alarming(row)) {
        return sy_fail(err, SY_REFUSED, "'%.60s' is not signed off while its verdict is %s", event->run,
                       sy_judgement_word_text(row->verdict));
    }
    if (signoff->verdict != row->verdict_number) {
        return sy_fail(err, SY_REFUSED,
                       "the sign-off of '%.60s' has seen event %" PRIu64 ", and its last verdict is event %" PRIu64,
                       event->run, signoff->verdict, row->verdict_number);
    }
    return SY_OK;
}

sy_status sy_life_fold_signoff(const sy_life_event *event, sy_arena *arena, sy_run_row *row, sy_error *err)
{
    sy_run_signoff signoff;
    sy_status status = need_session(event, row, err);
    if (status != SY_OK || (status = sy_run_signoff_read(event->json, event->body, arena, &signoff, err)) != SY_OK ||
        (status = check_signoff(event, row, &signoff, err)) != SY_OK) {
        return status;
    }
    row->signed_off = true;
    row->signoff_number = event->number;
    return SY_OK;
}

/* A first baseline has nothing that it could be held against: that it was accepted stands for its verdict. */
static bool is_passed(const sy_run_row *row)
{
    bool first = !row->judged || row->verdict == SY_JUDGEMENT_NO_BASELINE;
    return first ? row->accepted : row->verdict == SY_JUDGEMENT_PASS;
}

/* What forbids it; NULL = nothing. */
static const char *promotion_refusal(const sy_run_row *row, const sy_run_promotion *promotion)
{
    if (row->parity != SY_RUN_PARITY_PASSED) {
        return "its parity did not pass";
    }
    if (strcmp(row->tier, "release-signoff") != 0) {
        return "its tier is not release-signoff";
    }
    if (!is_passed(row)) {
        return "it has no verdict of pass, and is not accepted as one of a first baseline";
    }
    if (!row->signed_off || row->signoff_number < row->verdict_number) {
        return "nobody signed it off behind its last verdict";
    }
    if (promotion->verdict != row->verdict_number || promotion->signoff != row->signoff_number) {
        return "the promotion rests on another verdict or sign-off than its last ones";
    }
    return row->judged && promotion->word != row->verdict ? "the promotion tells another verdict than its last one"
                                                          : NULL;
}

sy_status sy_life_fold_promotion(const sy_life_event *event, sy_arena *arena, sy_run_row *row, sy_error *err)
{
    sy_run_promotion promotion;
    sy_status status = need_session(event, row, err);
    if (status != SY_OK ||
        (status = sy_run_promotion_read(event->json, event->body, arena, &promotion, err)) != SY_OK) {
        return status;
    }
    const char *refusal = promotion_refusal(row, &promotion);
    if (refusal != NULL) {
        return sy_fail(err, SY_REFUSED, "'%.60s' is not promoted: %s", event->run, refusal);
    }
    row->promoted = event->number;
    return SY_OK;
}
