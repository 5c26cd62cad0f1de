/* SPDX-License-Identifier: Apache-2.0 */
/* Counts what was accepted of a key, and holds the last verdict of its own key against what is asked for. */
#include "evidence/accept_baseline.h"

#include <string.h>

#include "evidence/open_alarm.h"
#include "ledger/lists/listed.h"

/* What a key's baseline is, as far as accepting asks. */
typedef struct accepted {
    size_t count;             /* since the last accepted change, and what was superseded since */
    const sy_run_row *begins; /* the session that began it; NULL = there was no change */
} accepted;

static void add(sy_text *to, const char *reason)
{
    sy_text_append(to, to->length > 0 ? "; " : "");
    sy_text_append(to, reason);
}

/* Whether that run was accepted once, whatever became of it. */
static sy_status was_accepted(sy_ledger *ledger, const sy_run_row *row, bool *ret_accepted, sy_error *err)
{
    sy_run *run = NULL;
    sy_status status = sy_ledger_check_listed(ledger, row, NULL, 0, err);
    if (status == SY_OK) {
        status = sy_ledger_run(ledger, row->id, &run, err);
    }
    if (status == SY_OK) {
        *ret_accepted = run->accept != NULL;
    }
    sy_run_destroy(run);
    return status;
}

/* What was superseded since counts too: who could take sessions out again would choose the five that please. list: the
 * newest first. */
static sy_status count_accepted(sy_ledger *ledger, const sy_run_list *list, accepted *ret_accepted, sy_error *err)
{
    sy_status status = SY_OK;
    for (size_t i = 0; status == SY_OK && i < list->row_count && ret_accepted->begins == NULL; i++) {
        bool counts = false;
        status = was_accepted(ledger, &list->rows[i], &counts, err);
        ret_accepted->count += counts;
        ret_accepted->begins = list->rows[i].begins_baseline ? &list->rows[i] : NULL;
    }
    return status;
}

/* Whether it was reached against the baseline that holds now, and not the one before the last accepted change. */
static bool is_current(const sy_run_verdict *verdict, const accepted *a)
{
    for (size_t i = 0; a->begins != NULL && i < verdict->baseline_count; i++) {
        if (strcmp(verdict->baseline[i], a->begins->id) == 0) {
            return true;
        }
    }
    return a->begins == NULL;
}

static bool is_change(const sy_run_verdict *verdict)
{
    return verdict->reason == SY_JUDGEMENT_REASON_CONFIRMED || verdict->reason == SY_JUDGEMENT_REASON_IMPROVED ||
           verdict->word == SY_JUDGEMENT_NOT_JUDGED;
}

/* That the last verdict is a change at all, the ledger asks itself. */
static void ask_for_new(const sy_run *run, const accepted *a, sy_text *reasons)
{
    const sy_run_verdict *verdict = sy_verdict_of_own_key(run);
    const sy_run_verdict *last = run->verdict_count > 0 ? &run->verdicts[run->verdict_count - 1] : NULL;
    if (last != NULL && is_change(last) && (verdict == NULL || !is_change(verdict))) {
        add(reasons, "the change was found between revisions, what replaces no baseline");
    } else if (verdict != NULL && !is_current(verdict, a)) {
        add(reasons, "the baseline has begun anew since it was judged: compare it again");
    }
}

static void ask_for_more(const sy_run *run, const accepted *a, sy_text *reasons)
{
    const sy_run_verdict *verdict = sy_verdict_of_own_key(run);
    bool is_owed = a->count >= SY_BASELINE_SESSIONS;
    bool counts = verdict != NULL && is_current(verdict, a);
    if (verdict != NULL && verdict->word >= SY_JUDGEMENT_INVESTIGATE) {
        if (run->row.verdict < SY_JUDGEMENT_INVESTIGATE) { /* else the ledger says so itself */
            sy_text_append_format(reasons,
                                  "%sits verdict against its own key is %s, and another revision settles nothing of it",
                                  reasons->length > 0 ? "; " : "", sy_judgement_word_text(verdict->word));
        }
        return;
    }
    if (counts && verdict->word == SY_JUDGEMENT_PASS && verdict->reason == SY_JUDGEMENT_REASON_IMPROVED) {
        add(reasons, "it is faster than its baseline allows, as confirmed: it may begin a new one");
    } else if (is_owed && verdict != NULL && !counts) {
        add(reasons, "the baseline has begun anew since it was judged: compare it again");
    } else if (is_owed && (!counts || verdict->word != SY_JUDGEMENT_PASS)) {
        sy_text_append_format(reasons,
                              "%sits key has a baseline of %zu, and no verdict of pass says that it belongs to it",
                              reasons->length > 0 ? "; " : "", a->count);
    }
}

sy_status sy_accept_ask_baseline(sy_ledger *ledger, const sy_run *run, bool new_baseline, sy_text *reasons,
                                 sy_error *err)
{
    sy_run_filter filter = SY_RUN_FILTER_INIT;
    sy_run_list *list = NULL;
    accepted a = {0, NULL};
    if (run->row.key_digest[0] == '\0') {
        if (new_baseline) {
            add(reasons, "its comparison key is not complete: it begins no baseline");
        }
        return SY_OK;
    }
    filter.key_digest = run->row.key_digest;
    filter.statuses = 1U << SY_RUN_OK | 1U << SY_RUN_SUPERSEDED;
    filter.kinds = 1U << SY_RUN_KIND_SESSION;
    sy_status status = sy_ledger_runs(ledger, &filter, &list, err);
    if (status == SY_OK) {
        status = count_accepted(ledger, list, &a, err);
    }
    if (status == SY_OK && a.begins != NULL && a.begins->number > run->row.number) {
        add(reasons, "the baseline has begun anew with a later session: this one belongs to none");
    } else if (status == SY_OK && new_baseline) {
        ask_for_new(run, &a, reasons);
    } else if (status == SY_OK) {
        ask_for_more(run, &a, reasons);
    }
    sy_run_list_destroy(list);
    return status;
}
