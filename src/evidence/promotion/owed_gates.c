/* SPDX-License-Identifier: Apache-2.0 */
/* The gates that the cell of a run owes on its computer, each proved by a run of its own. Which these are is data: the
 * registry's gates of that cell, but those that are unsupported, refuted or superseded, and those of a diagnosis. */
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "evidence/promotion/debts.h"
#include "ledger/lists/listed.h"

/* The newest run of a gate that lacks the least. */
typedef struct gate_search {
    sy_debt_work *work;
    const sy_gate_plan *plan;
    const char *run; /* "" = the gate has none */
    const char *shortcoming;
    size_t shortcoming_count;
    bool accept_alone;
    bool artifact_alone;
} gate_search;

static sy_status no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory for the gates of a cell");
}

/* What the runbook requires to be kept is asked last: it takes the whole run. */
static sy_status ask_artifacts(gate_search *search, const sy_run_row *row, const char **shortcoming, sy_error *err)
{
    sy_run *run = NULL;
    if (search->plan->required_artifact_count == 0) {
        return SY_OK;
    }
    sy_status status = sy_ledger_run(search->work->ledger, row->id, &run, err);
    if (status == SY_OK && !sy_debt_keeps_artifact(run)) {
        *shortcoming = "nothing of what its runbook requires is kept";
    }
    sy_run_destroy(run);
    return status;
}

static sy_status take_row(gate_search *search, const sy_run_row *row, sy_error *err)
{
    bool accept_alone = false;
    size_t count = 0;
    const char *shortcoming = sy_proof_shortcoming(search->work, row, strcmp(row->tier, SY_TIER_SMOKE) == 0, true,
                                                   &count, &accept_alone);
    sy_status status = shortcoming != NULL ? SY_OK : no_memory(err);
    bool complete = status == SY_OK && count == 0;
    if (complete) {
        status = sy_ledger_check_listed(search->work->ledger, row, NULL, 0, err);
    }
    if (status == SY_OK && complete) {
        status = ask_artifacts(search, row, &shortcoming, err);
        count = status == SY_OK && shortcoming[0] != '\0';
    }
    if (status == SY_OK && (search->run[0] == '\0' || count < search->shortcoming_count)) {
        const char *id = sy_arena_copy_text(search->work->arena, row->id);
        if (id == NULL) {
            return no_memory(err);
        }
        search->run = id;
        search->shortcoming = shortcoming;
        search->shortcoming_count = count;
        search->accept_alone = accept_alone;
        search->artifact_alone = complete && count > 0;
    }
    return status;
}

static sy_status search_runs(gate_search *search, sy_error *err)
{
    sy_run_filter filter = SY_RUN_FILTER_INIT;
    sy_run_list *list = NULL;
    filter.gate = search->plan->id;
    sy_status status = sy_ledger_runs(search->work->ledger, &filter, &list, err);
    bool proved = false;
    for (size_t i = 0; status == SY_OK && !proved && i < list->row_count; i++) {
        status = take_row(search, &list->rows[i], err);
        proved = status == SY_OK && search->shortcoming_count == 0;
    }
    sy_run_list_destroy(list);
    return status;
}

static const char *command_of(gate_search *search)
{
    const char *attach[] = {"run", "attach", search->run, "FILE", "--role", "output", NULL};
    const char *accept[] = {"run", "accept", search->run, "--by", "WHO", NULL};
    return search->artifact_alone ? sy_debt_command(search->work, attach)
           : search->accept_alone ? sy_debt_command(search->work, accept)
                                  : sy_debt_start(search->work, search->plan);
}

static sy_status owe_gate(sy_debt_work *work, sy_owed_gate *gate, sy_error *err)
{
    gate_search search = {.work = work, .plan = &gate->plan, .run = "", .shortcoming = ""};
    sy_status status = search_runs(&search, err);
    if (status != SY_OK) {
        return status;
    }
    const char *name = sy_debt_text(work, "gate:%s", gate->plan.id);
    bool has_run = search.run[0] != '\0';
    bool paid = has_run && search.shortcoming_count == 0;
    const char *detail = paid      ? sy_debt_text(work, "tier %s, parity passed", gate->plan.tier)
                         : has_run ? sy_debt_text(work, "%s proves nothing here: %s", search.run, search.shortcoming)
                                   : "it has no run yet";
    gate->run = paid ? search.run : "";
    sy_debt_add(work, name, paid, gate->run, detail, command_of(&search));
    return SY_OK;
}

sy_status sy_debts_of_gates(sy_debt_work *work, sy_error *err)
{
    sy_status status = SY_OK;
    for (size_t i = 0; status == SY_OK && i < work->gate_count; i++) {
        if (strcmp(work->gates[i].plan.id, work->run->row.gate) != 0) {
            status = owe_gate(work, &work->gates[i], err);
        }
    }
    return status;
}
