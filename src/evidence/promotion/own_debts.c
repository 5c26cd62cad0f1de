/* SPDX-License-Identifier: Apache-2.0 */
/* What a run that is to be promoted must be itself, and who must vouch for it. */
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "evidence/compare/baseline.h"
#include "evidence/open_alarm.h"
#include "evidence/promotion/debts.h"
#include "ledger/lists/listed.h"

/* What cannot be mended in this run is measured anew. */
static const char *anew(sy_debt_work *work)
{
    return work->plan != NULL ? sy_debt_start(work, work->plan) : "";
}

static const char *of_run(sy_debt_work *work, const char *verb, const char *more, const char *value)
{
    const char *words[] = {verb, work->run->row.id, more, value, NULL};
    return sy_debt_command(work, words);
}

static const char *run_verb(sy_debt_work *work, const char *verb, const char *more, const char *value)
{
    const char *words[] = {"run", verb, work->run->row.id, more, value, NULL};
    return sy_debt_command(work, words);
}

/* ---- that it ended well ---- */

static void owe_status(sy_debt_work *work)
{
    const sy_run_row *row = &work->run->row;
    const sy_run_end *end = work->run->end_count > 0 ? &work->run->ends[work->run->end_count - 1] : NULL;
    const char *detail = "";
    const char *command = anew(work);
    switch (row->status) {
    case SY_RUN_IMPORTED:
        detail = "it is imported: another tool measured it, and nobody here saw how";
        break;
    case SY_RUN_PLANNED:
        detail = "it is planned";
        command = run_verb(work, "exec", NULL, NULL);
        break;
    case SY_RUN_RUNNING:
        detail = "it is running";
        command = run_verb(work, "finish", "--status", "ok");
        break;
    case SY_RUN_SUPERSEDED:
        detail = end != NULL && end->superseded_by[0] != '\0'
                     ? sy_debt_text(work, "it is superseded by %s", end->superseded_by)
                     : "it is superseded";
        break;
    default:
        detail = sy_debt_text(work, "it is %s%s%s", sy_run_status_word(row->status), row->reason[0] != '\0' ? ": " : "",
                              row->reason);
    }
    if (row->status != SY_RUN_IMPORTED && row->kind == SY_RUN_KIND_DECISION) {
        sy_debt_add(work, "status", false, "", "it is a decision between implementations, no session of one", command);
        return;
    }
    sy_debt_add(work, "status", row->status == SY_RUN_OK, "", detail, command);
}

/* ---- that it may be promoted at all ---- */

static void owe_gate(sy_debt_work *work)
{
    const sy_gate_plan *plan = work->plan;
    if (plan == NULL) {
        sy_debt_add(work, "gate", false, "", work->why_no_plan, "steelyard gate next");
        return;
    }
    if (plan->state != SY_GATE_MEASURED && !sy_gate_state_is_open(plan->state)) {
        const char *word = sy_gate_state_word(plan->state);
        sy_debt_add(work, "gate", false, "",
                    sy_debt_text(work, "the gate %s is %s: nothing is promised under it", plan->id,
                                 word[0] != '\0' ? word : "of an unknown state"),
                    "");
        return;
    }
    sy_debt_add(work, "gate", true, "", plan->id, "");
}

/* The cell that the matrix signs off, and in which the gate still is. */
static void owe_cell(sy_debt_work *work)
{
    const sy_run_row *row = &work->run->row;
    const sy_gate_plan *plan = work->plan;
    const char *detail = row->cell;
    bool paid = false;
    if (plan == NULL) {
        return;
    }
    if (plan->cell[0] == '\0') {
        detail = "nothing says which cell of the matrix its gate belongs to";
    } else if (strcmp(plan->cell, row->cell) != 0) {
        detail = sy_debt_text(work, "it was measured for %s, and its gate belongs to %s now",
                              row->cell[0] != '\0' ? row->cell : "no cell", plan->cell);
    } else if (!plan->cell_is_known) {
        detail = sy_debt_text(work, "the matrix has no cell %s", plan->cell);
    } else if (!plan->cell_owes_signoff) {
        detail = sy_debt_text(work, "the matrix has no release sign-off for %s", plan->cell);
    } else {
        paid = true;
    }
    sy_debt_add(work, "cell", paid, "", detail, "steelyard matrix show");
}

/* A gate of the cell whose runs may be promoted; NULL: none. */
static const sy_gate_plan *find_signoff_gate(const sy_debt_work *work)
{
    for (size_t i = 0; i < work->gate_count; i++) {
        if (strcmp(work->gates[i].plan.tier, SY_TIER_SIGNOFF) == 0) {
            return &work->gates[i].plan;
        }
    }
    return NULL;
}

static void owe_tier(sy_debt_work *work)
{
    const char *tier = work->run->row.tier;
    const sy_gate_plan *other = find_signoff_gate(work);
    bool paid = strcmp(tier, SY_TIER_SIGNOFF) == 0;
    const char *detail = paid ? tier
                              : sy_debt_text(work,
                                             "its tier is %s: only runs of tier " SY_TIER_SIGNOFF " are promoted%s",
                                             tier[0] != '\0' ? tier : "none",
                                             other != NULL ? "" : ", and no gate of its cell has that tier");
    sy_debt_add(work, "tier", paid, "", detail, other != NULL ? sy_debt_start(work, other) : "");
}

/* ---- parity and provenance ---- */

static void owe_parity(sy_debt_work *work)
{
    const sy_run *run = work->run;
    const char *reason = "";
    for (size_t i = 0; i < run->parity_count && reason[0] == '\0'; i++) {
        if (run->parities[i].outcome == run->row.parity && run->row.parity != SY_RUN_PARITY_PASSED) {
            reason = run->parities[i].reason;
        }
    }
    const char *detail = sy_debt_text(work, "%s%s%s", sy_run_parity_word(run->row.parity),
                                      reason[0] != '\0' ? ": " : "", reason);
    sy_debt_add(work, "parity", run->row.parity == SY_RUN_PARITY_PASSED, "", detail, anew(work));
}

static void owe_provenance(sy_debt_work *work)
{
    const sy_run_row *row = &work->run->row;
    const char *detail = NULL;
    bool paid = false;
    if (row->revision[0] == '\0') {
        detail = "nobody knows which revision of the sources was measured";
    } else if (row->dirty < 0) {
        detail = sy_debt_text(work, "%s, and nobody knows if the tree was clean", row->revision);
    } else if (row->dirty > 0 && !row->diff_is_kept) {
        detail = sy_debt_text(work, "%s: the tree was dirty, and the difference is not kept", row->revision);
    } else {
        detail = sy_debt_text(work, "%s, %s", row->revision,
                              row->dirty > 0 ? "with its difference kept" : "a clean tree");
        paid = true;
    }
    sy_debt_add(work, "provenance", paid, "", detail, anew(work));
}

static void owe_key(sy_debt_work *work)
{
    const sy_comparison_key *key = &work->run->begin.key;
    sy_text unknown = SY_TEXT_INIT;
    for (size_t i = 0; i < key->field_count; i++) {
        if (key->fields[i].value == NULL) {
            sy_text_append_format(&unknown, "%s%s", unknown.length > 0 ? ", " : "unknown: ", key->fields[i].name);
        }
    }
    bool paid = work->run->row.key_digest[0] != '\0';
    const char *detail = paid                 ? sy_debt_text(work, "complete, %.12s", work->run->row.key_digest)
                         : unknown.length > 0 ? sy_debt_text(work, "%s", sy_text_bytes(&unknown))
                                              : "it has no fields";
    work->failed = work->failed || unknown.failed;
    sy_text_finish(&unknown);
    sy_debt_add(work, "comparison-key", paid, "", detail, anew(work));
}

static const char *input_digest(const sy_run *run, const char *name)
{
    for (size_t i = 0; i < run->begin.input_count; i++) {
        if (strcmp(run->begin.inputs[i].name, name) == 0) {
            const char *value = run->begin.inputs[i].value;
            return value != NULL ? value : "";
        }
    }
    return NULL;
}

/* What the gate names as its fixtures, as the run found them. */
static void owe_inputs(sy_debt_work *work)
{
    const sy_gate_plan *plan = work->plan;
    const sy_run *run = work->run;
    const char *wrong = NULL;
    for (size_t i = 0; plan != NULL && i < plan->input_count && wrong == NULL; i++) {
        const sy_named_text *wanted = &plan->inputs[i];
        const char *found = input_digest(run, wanted->name);
        if (found == NULL || found[0] == '\0') {
            wrong = sy_debt_text(work, "nothing says what the fixture %s was", wanted->name);
        } else if (wanted->value != NULL && strcmp(found, wanted->value) != 0) {
            wrong = sy_debt_text(work, "the fixture %s was %.12s, and the gate's is %.12s", wanted->name, found,
                                 wanted->value);
        }
    }
    for (size_t i = 0; i < run->begin.input_count && wrong == NULL; i++) {
        const char *value = run->begin.inputs[i].value;
        if (value == NULL || value[0] == '\0') {
            wrong = sy_debt_text(work, "nothing says what the input %s was", run->begin.inputs[i].name);
        }
    }
    if (run->begin.input_count > 0 || wrong != NULL) {
        sy_debt_add(work, "inputs", wrong == NULL, "",
                    wrong != NULL ? wrong
                                  : sy_debt_text(work, "%zu, each with its digest%s", run->begin.input_count,
                                                 plan != NULL && plan->input_count > 0 ? ", as the gate names it" : ""),
                    anew(work));
    }
}

static void owe_lease(sy_debt_work *work)
{
    const sy_run_row *row = &work->run->row;
    bool paid = row->lease_whole && row->fence > 0;
    sy_debt_add(work, "lease", paid, "",
                paid ? sy_debt_text(work, "%s held throughout, fence %llu", row->device, (unsigned long long)row->fence)
                     : "it did not hold its device throughout",
                anew(work));
}

/* ---- what was decided of it ---- */

static void owe_acceptance(sy_debt_work *work)
{
    const sy_run *run = work->run;
    const char *detail = run->row.accepted && run->accept != NULL ? sy_debt_text(work, "by %s", run->accept->by)
                                                                  : "it is not accepted";
    sy_debt_add(work, "acceptance", run->row.accepted, "", detail, run_verb(work, "accept", "--by", "WHO"));
}

/* How many accepted sessions of its key it could have been held against; their figures are not asked. */
static sy_status count_baseline(sy_debt_work *work, size_t *ret_count, sy_error *err)
{
    const sy_run_row *row = &work->run->row;
    sy_run_filter filter = SY_RUN_FILTER_INIT;
    sy_run_list *list = NULL;
    sy_baseline baseline = {0};
    if (row->key_digest[0] == '\0') {
        *ret_count = 0;
        return SY_OK;
    }
    filter.kinds = 1U << SY_RUN_KIND_SESSION;
    filter.key_digest = row->key_digest;
    sy_status status = sy_ledger_runs(work->ledger, &filter, &list, err);
    size_t count = status == SY_OK ? list->row_count : 0;
    sy_session *sessions = sy_arena_allocate(work->arena, count, sizeof *sessions);
    if (status == SY_OK && sessions == NULL) {
        status = sy_fail(err, SY_NO_MEMORY, "no memory for the sessions of a key");
    }
    for (size_t i = 0; status == SY_OK && i < count; i++) {
        sessions[i].row = &list->rows[count - 1 - i];
        status = sy_ledger_check_listed(work->ledger, sessions[i].row, NULL, 0, err);
    }
    const sy_session_set set = {.sessions = sessions, .count = count};
    if (status == SY_OK) {
        status = sy_baseline_find(&set, row->number, work->arena, &baseline, err);
    }
    *ret_count = baseline.count;
    sy_run_list_destroy(list);
    return status;
}

static sy_status owe_verdict(sy_debt_work *work, sy_error *err)
{
    const sy_run_verdict *own = sy_verdict_of_own_key(work->run);
    size_t open = sy_open_alarm(work->run, NULL);
    const sy_run_verdict *shown = open > 0 ? &work->run->verdicts[open - 1] : own;
    const char *judge = of_run(work, "compare", NULL, NULL);
    size_t count = 0;
    sy_status status = count_baseline(work, &count, err);
    if (status != SY_OK) {
        return status;
    }
    if (shown != NULL && shown->word != SY_JUDGEMENT_NO_BASELINE) {
        const char *detail = sy_debt_text(work, "%s: %s%s", sy_judgement_word_text(shown->word),
                                          sy_judgement_reason_text(shown->reason),
                                          shown->mode == SY_COMPARISON_SAME_KEY ? "" : ", against another revision");
        bool anew_alone = shown->word == SY_JUDGEMENT_BLOCK || shown->word == SY_JUDGEMENT_NOT_JUDGED;
        sy_debt_add(work, "verdict", shown->word == SY_JUDGEMENT_PASS, "", detail, anew_alone ? anew(work) : judge);
    } else if (count < SY_BASELINE_SESSIONS) {
        sy_debt_add(
            work, "verdict", true, "",
            sy_debt_text(work, "a first baseline: %zu accepted session%s before it", count, count == 1 ? "" : "s"), "");
    } else {
        sy_debt_add(work, "verdict", false, "",
                    sy_debt_text(work, "its key has a baseline of %zu, and it was not held against it", count), judge);
    }
    return SY_OK;
}

static void owe_artifacts(sy_debt_work *work)
{
    const sy_gate_plan *plan = work->plan;
    sy_text asked = SY_TEXT_INIT;
    if (plan == NULL || plan->required_artifact_count == 0) {
        return;
    }
    bool paid = sy_debt_keeps_artifact(work->run);
    for (size_t i = 0; i < plan->required_artifact_count; i++) {
        sy_text_append_format(&asked, "%s%s", i > 0 ? "; " : "", plan->required_artifacts[i]);
    }
    work->failed = work->failed || asked.failed;
    const char *words[] = {"run", "attach", work->run->row.id, "FILE", "--role", "output", NULL};
    sy_debt_add(work, "artifacts", paid, "",
                sy_debt_text(work, paid ? "kept; asked for: %s" : "none is kept; asked for: %s", sy_text_bytes(&asked)),
                sy_debt_command(work, words));
    sy_text_finish(&asked);
}

sy_status sy_debts_of_run(sy_debt_work *work, sy_error *err)
{
    owe_status(work);
    owe_gate(work);
    owe_cell(work);
    owe_tier(work);
    owe_parity(work);
    owe_provenance(work);
    owe_key(work);
    owe_inputs(work);
    owe_lease(work);
    owe_artifacts(work);
    owe_acceptance(work);
    return owe_verdict(work, err);
}

/* ---- people ---- */

static void owe_signoff(sy_debt_work *work)
{
    const sy_run *run = work->run;
    const sy_run_signoff *last = run->signoff_count > 0 ? &run->signoffs[run->signoff_count - 1] : NULL;
    bool paid = last != NULL && last->verdict == run->row.verdict_number;
    const char *detail = last == NULL ? "nobody has vouched for it"
                         : paid       ? sy_debt_text(work, "by %s: %s", last->by, last->statement)
                                      : sy_debt_text(work, "%s vouched for it before its last verdict", last->by);
    const char *words[] = {"signoff", run->row.id, "--by", "WHO", "--statement", "what was looked at", NULL};
    sy_debt_add(work, "sign-off", paid, "", detail, sy_debt_command(work, words));
}

void sy_debts_of_people(sy_debt_work *work)
{
    const sy_run_row *row = &work->run->row;
    owe_signoff(work);
    if (row->promoted > 0) {
        sy_debt_add(work, "once", false, "",
                    sy_debt_text(work, "it is promoted already, by event %llu", (unsigned long long)row->promoted),
                    anew(work));
    }
}
