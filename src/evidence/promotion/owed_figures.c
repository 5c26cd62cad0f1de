/* SPDX-License-Identifier: Apache-2.0 */
/* Figures that a promotion rests on where somebody asks for them: of the least memory that the platform promises, and
 * of the application's wall clock, which a runbook names. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "evidence/memory_promise.h"
#include "evidence/promotion/debts.h"
#include "ledger/lists/listed.h"

/* ---- least memory ---- */

/* The figure of the run that keeps the promise; NULL: it has none, and *ret_why says of the nearest one why not. */
static const sy_run_memory *find_figure(sy_debt_work *work, const sy_run *run, const char **ret_why)
{
    const sy_gate_plan *plan = work->plan;
    uint64_t promised = sy_gate_plan_memory_bytes(plan);
    for (size_t i = 0; i < run->memory_count; i++) {
        const sy_run_memory *memory = &run->memories[i];
        char size[32];
        const char *shortcoming = sy_debt_keep(work, sy_memory_pre_check(run, memory, promised, work->arena));
        if (shortcoming == NULL || (plan->has_minimum_memory && memory->scope != plan->minimum_memory.scope)) {
            continue;
        }
        if (shortcoming[0] == '\0' && (promised == 0 || memory->bytes <= promised)) {
            return memory;
        }
        sy_format_bytes(size, sizeof size, memory->bytes);
        *ret_why = sy_debt_text(work, "; %s of %s, %s of the %s, %s", memory->name, run->row.id, size,
                                sy_memory_scope_word(memory->scope), shortcoming[0] != '\0' ? shortcoming : "is more");
    }
    return NULL;
}

static void pay_memory(sy_debt_work *work, const sy_run *run, const sy_run_memory *memory)
{
    char size[32];
    bool itself = strcmp(run->row.id, work->run->row.id) == 0;
    sy_format_bytes(size, sizeof size, memory->bytes);
    const char *detail = sy_debt_text(work, "%s, %s of the %s, %s%s%s", memory->name, size,
                                      sy_memory_scope_word(memory->scope), sy_memory_basis_word(memory->basis),
                                      memory->how[0] != '\0' ? ": " : "", memory->how);
    sy_debt_add(work, "minimum-memory", true,
                itself ? "" : sy_debt_keep(work, sy_arena_copy_text(work->arena, run->row.id)), detail, "");
}

/* Runs of the cell anywhere: that less is enough is shown on a smaller computer. */
static sy_status search_cell(sy_debt_work *work, const char **ret_why, bool *ret_paid, sy_error *err)
{
    sy_run_filter filter = SY_RUN_FILTER_INIT;
    sy_run_list *list = NULL;
    filter.cell = work->run->row.cell;
    sy_status status = sy_ledger_runs(work->ledger, &filter, &list, err);
    for (size_t i = 0; status == SY_OK && !*ret_paid && i < list->row_count; i++) {
        sy_run *run = NULL;
        size_t count = 0;
        bool accept_alone = false;
        (void)sy_proof_shortcoming(work, &list->rows[i], false, false, &count, &accept_alone);
        if (count > 0 || strcmp(list->rows[i].id, work->run->row.id) == 0) {
            continue;
        }
        status = sy_ledger_check_listed(work->ledger, &list->rows[i], NULL, 0, err);
        if (status == SY_OK) {
            status = sy_ledger_run(work->ledger, list->rows[i].id, &run, err);
        }
        const sy_run_memory *memory = status == SY_OK ? find_figure(work, run, ret_why) : NULL;
        if (memory != NULL) {
            pay_memory(work, run, memory);
            *ret_paid = true;
        }
        sy_run_destroy(run);
    }
    sy_run_list_destroy(list);
    return status;
}

/* The gate that is made for it: one that has the promised size as one of its fields; else the run's own. */
static const sy_gate_plan *memory_gate(const sy_debt_work *work)
{
    char bytes[24];
    snprintf(bytes, sizeof bytes, "%" PRIu64, sy_gate_plan_memory_bytes(work->plan));
    for (size_t i = 0; i < work->gate_count; i++) {
        const sy_gate_plan *plan = &work->gates[i].plan;
        for (size_t k = 0; k < plan->field_count; k++) {
            if (sy_text_equal(plan->fields[k].value, bytes)) {
                return plan;
            }
        }
    }
    return work->plan;
}

static const char *promise_of(sy_debt_work *work)
{
    const sy_gate_plan *plan = work->plan;
    char size[32];
    if (!plan->has_minimum_memory) {
        return plan->minimum_memory_words;
    }
    sy_format_bytes(size, sizeof size, plan->minimum_memory.bytes);
    return sy_debt_text(work, "%s of the %s", size, sy_memory_scope_word(plan->minimum_memory.scope));
}

static sy_status owe_memory(sy_debt_work *work, sy_error *err)
{
    const char *why = "";
    bool paid = false;
    if (!sy_gate_plan_owes_memory(work->plan)) {
        return SY_OK;
    }
    const sy_run_memory *own = find_figure(work, work->run, &why);
    if (own != NULL) {
        pay_memory(work, work->run, own);
        return SY_OK;
    }
    sy_status status = search_cell(work, &why, &paid, err);
    if (status == SY_OK && !paid) {
        const char *promise = promise_of(work);
        const char *detail = promise == NULL || why == NULL
                                 ? NULL
                                 : sy_debt_text(work,
                                                "no accepted run of the cell at this revision shows, physically or "
                                                "constrained, that %s are enough%s",
                                                promise, why);
        sy_debt_add(work, "minimum-memory", false, "", detail, sy_debt_start(work, memory_gate(work)));
    }
    return status;
}

/* ---- wall clock ---- */

static bool has_series(const sy_run *run, const char *name)
{
    for (size_t i = 0; i < run->series_count; i++) {
        const sy_run_series *series = &run->series[i];
        if (series->role == SY_SERIES_SAMPLE && series->usable_count > 0 && strcmp(series->name, name) == 0) {
            return true;
        }
    }
    return false;
}

static sy_status owe_wall_clock(sy_debt_work *work, const sy_owed_gate *gate, sy_error *err)
{
    const sy_gate_plan *plan = &gate->plan;
    bool itself = strcmp(plan->id, work->run->row.gate) == 0;
    bool paid = itself && has_series(work->run, plan->wall_clock);
    sy_run *run = NULL;
    sy_status status = SY_OK;
    if (!itself && gate->run[0] != '\0') {
        status = sy_ledger_run(work->ledger, gate->run, &run, err);
        paid = status == SY_OK && has_series(run, plan->wall_clock);
        sy_run_destroy(run);
    }
    const char *detail = sy_debt_text(work, paid ? "'%s' of %s" : "no series '%s' of %s", plan->wall_clock, plan->id);
    if (status == SY_OK) {
        sy_debt_add(work, "wall-clock", paid, paid ? gate->run : "", detail, sy_debt_start(work, plan));
    }
    return status;
}

sy_status sy_debts_of_figures(sy_debt_work *work, sy_error *err)
{
    sy_status status = work->plan != NULL ? owe_memory(work, err) : SY_OK;
    for (size_t i = 0; status == SY_OK && i < work->gate_count; i++) {
        if (work->gates[i].plan.wall_clock[0] != '\0') {
            status = owe_wall_clock(work, &work->gates[i], err);
        }
    }
    return status;
}
