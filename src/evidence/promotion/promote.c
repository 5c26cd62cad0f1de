/* SPDX-License-Identifier: Apache-2.0 */
/* Promotes a run: all that it owes is asked first, so that every reason is told at once; the ledger has the last word.
 */
#include <string.h>

#include "base/error.h"
#include "evidence/baseline_lock.h"
#include "evidence/open_project.h"
#include "evidence/promotion/debts.h"
#include "evidence/promotion/row.h"
#include "registry/files/look.h"

/* How often others may write something while all is read. */
enum { TRIES = 8 };

/* Debts and row may borrow from the run: both live as long as the answer. */
typedef struct promoted_owner {
    sy_arena *arena;
    sy_run *run;
} promoted_owner;

typedef struct promote_work {
    sy_project *project;
    const sy_promote_options *options;
    sy_promoted *to;
    promoted_owner *owner;
    sy_debt_work debts;
} promote_work;

static sy_status no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory to promote a run");
}

/* ---- the registry ---- */

/* What a cell owes is not known while a file of the registry is wrong; that the coverage document is not made anew
 * changes nothing of it. */
static sy_status read_registry(promote_work *work, sy_error *err)
{
    sy_finding_list list = {0};
    sy_status status = sy_project_registry(work->project, &work->debts.registry, err);
    if (status == SY_OK) {
        status = sy_registry_findings(work->debts.registry, &list, err);
    }
    for (size_t i = 0; status == SY_OK && i < list.finding_count; i++) {
        const sy_finding *finding = &list.findings[i];
        if (strcmp(finding->rule, sy_rule_word(SY_RULE_COVERAGE_STALE)) != 0) {
            status = sy_fail(err, SY_CORRUPT, "the registry says not what is owed: %s:%u: %s", finding->file,
                             finding->position.line, finding->message);
            sy_error_hint(err, "steelyard matrix validate and steelyard gate validate name all that is wrong in it");
        }
    }
    return status;
}

/* ---- gates ---- */

/* A gate that asks for something on the computer of the run's own. */
static bool is_owed(const sy_gate_plan *own, const sy_gate_plan *plan)
{
    bool is_promised = plan->state == SY_GATE_MEASURED || sy_gate_state_is_open(plan->state);
    return is_promised && strcmp(plan->tier, SY_TIER_DIAGNOSTIC) != 0 &&
           strcmp(plan->computer_id, own->computer_id) == 0;
}

static sy_status read_own_plan(promote_work *work, sy_owed_gate *own, sy_error *err)
{
    sy_debt_work *debts = &work->debts;
    const char *gate = debts->run->row.gate;
    sy_error error = SY_ERROR_INIT;
    if (gate[0] == '\0') {
        debts->why_no_plan = "it is no run of a gate";
        return SY_OK;
    }
    sy_status status = sy_gate_plan_read(debts->registry, gate, debts->arena, &own->plan, &error);
    if (status == SY_OK) {
        own->run = "";
        debts->plan = &own->plan;
        debts->gate_count = 1;
    } else if (status == SY_NOT_FOUND) {
        debts->why_no_plan = sy_debt_text(debts, "the registry has no gate %s any more", gate);
        status = SY_OK;
    } else if (err != NULL) {
        *err = error;
    }
    return status;
}

/* The run's own gate first, then the others that its cell owes. */
static sy_status find_gates(promote_work *work, sy_error *err)
{
    sy_debt_work *debts = &work->debts;
    const char *const *ids = NULL;
    size_t count = 0;
    sy_status status = sy_gates_of_cell(debts->registry, debts->run->row.cell, debts->arena, &ids, &count, err);
    if (status != SY_OK) {
        return status;
    }
    debts->gates = sy_arena_allocate(debts->arena, count + 1, sizeof *debts->gates);
    status = debts->gates != NULL ? read_own_plan(work, &debts->gates[0], err) : no_memory(err);
    for (size_t i = 0; status == SY_OK && debts->plan != NULL && i < count; i++) {
        sy_owed_gate *gate = &debts->gates[debts->gate_count];
        if (strcmp(ids[i], debts->plan->id) == 0) {
            continue;
        }
        status = sy_gate_plan_read(debts->registry, ids[i], debts->arena, &gate->plan, err);
        gate->run = "";
        debts->gate_count += status == SY_OK && is_owed(debts->plan, &gate->plan);
    }
    return status;
}

/* ---- all of it ---- */

static sy_status gather(promote_work *work, sy_error *err)
{
    sy_debt_work *debts = &work->debts;
    sy_status status = find_gates(work, err);
    if (status == SY_OK) {
        status = sy_blocking_verdicts_read(debts->ledger, debts->arena, &debts->blocking, err);
    }
    if (status == SY_OK) {
        status = sy_debts_of_run(debts, err);
    }
    if (status == SY_OK) {
        status = sy_debts_of_gates(debts, err);
    }
    if (status == SY_OK) {
        status = sy_debts_of_figures(debts, err);
    }
    if (status == SY_OK) {
        sy_debts_of_people(debts);
        status = debts->failed ? no_memory(err) : SY_OK;
    }
    return status;
}

static void list_debts(promote_work *work)
{
    work->to->debts = work->debts.debts;
    work->to->debt_count = work->debts.count;
    work->to->unpaid_count = 0;
    for (size_t i = 0; i < work->debts.count; i++) {
        work->to->unpaid_count += !work->debts.debts[i].paid;
    }
}

/* Only behind the very event at which everything was read. What is refused all the same is told as one debt more. */
static sy_status append(promote_work *work, const sy_event_list *events, sy_error *err)
{
    sy_error error = SY_ERROR_INIT;
    sy_status status = sy_ledger_append_behind(work->debts.ledger, work->to->head.number, events->entries,
                                               events->count, &work->to->head, &error);
    if (status == SY_OK) {
        work->to->promoted = true;
        work->to->number = work->to->head.number;
    } else if (status == SY_REFUSED) {
        sy_debt_add(&work->debts, "ledger", false, "",
                    sy_debt_keep(&work->debts, sy_arena_copy_text(work->debts.arena, error.what)), "");
        list_debts(work);
        return work->debts.failed ? no_memory(err) : SY_OK;
    } else if (err != NULL) {
        *err = error;
    }
    return status;
}

/* Everything is read at one head. */
static sy_status read_all(promote_work *work, sy_event_list *events, sy_error *err)
{
    sy_debt_work *debts = &work->debts;
    sy_status status = sy_ledger_hold(debts->ledger, err);
    if (status != SY_OK) {
        return status;
    }
    status = sy_ledger_run(debts->ledger, work->options->run, &work->owner->run, err);
    if (status == SY_OK) {
        debts->run = work->owner->run;
        work->to->run = sy_arena_copy_text(debts->arena, debts->run->row.id);
        status = work->to->run != NULL ? read_registry(work, err) : no_memory(err);
    }
    if (status == SY_OK) {
        status = gather(work, err);
    }
    if (status == SY_OK) {
        list_debts(work);
        status = sy_promotion_row_make(debts, work->options, events, &work->to->row, err);
    }
    if (status == SY_OK) {
        status = sy_ledger_read_head(debts->ledger, &work->to->head, err);
    }
    sy_ledger_release(debts->ledger);
    return status;
}

static sy_status try_once(promote_work *work, sy_error *err)
{
    sy_event_list events = {0};
    sy_run_destroy(work->owner->run); /* of an earlier try */
    work->owner->run = NULL;
    sy_status status = read_all(work, &events, err);
    if (status == SY_OK && work->to->unpaid_count == 0 && !work->options->dry_run) {
        status = append(work, &events, err);
    }
    return status;
}

/* Who writes something else meanwhile may have taken a proof away: then all is read anew. */
static sy_status promote(promote_work *work, sy_error *err)
{
    sy_lock *lock = NULL;
    const sy_debt_work start = work->debts;
    sy_status status = work->options->dry_run ? SY_OK : sy_baseline_lock_take(work->project, &lock, err);
    if (status != SY_OK) {
        return status;
    }
    status = SY_STALE;
    for (size_t i = 0; status == SY_STALE && i < TRIES; i++) {
        work->debts = start;
        status = try_once(work, err);
    }
    sy_lock_release(lock);
    return status == SY_STALE ? sy_fail(err, SY_BUSY, "others write to the ledger all the time: nothing was promoted")
                              : status;
}

static sy_status check_options(const sy_promote_options *options, sy_error *err)
{
    if (options->struct_size != sizeof *options) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "struct_size of the options of a promotion");
    }
    if (sy_is_blank(options->run)) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "no run is named");
    }
    return sy_is_blank(options->by) ? sy_fail(err, SY_INVALID_ARGUMENT, "somebody promotes a run: say who") : SY_OK;
}

static void free_owner(const promoted_owner *owner)
{
    if (owner != NULL) {
        sy_arena *arena = owner->arena;
        sy_run_destroy(owner->run);
        sy_arena_destroy(arena);
    }
}

/* An empty answer that owns its memory; false: there is none. */
static bool begin(promote_work *work)
{
    sy_arena *arena = sy_arena_create(0);
    promoted_owner *owner = arena != NULL ? sy_arena_allocate(arena, 1, sizeof *owner) : NULL;
    sy_promoted *to = owner != NULL ? sy_arena_allocate(arena, 1, sizeof *to) : NULL;
    if (to == NULL) {
        sy_arena_destroy(arena);
        return false;
    }
    owner->arena = arena;
    to->owner = owner;
    work->owner = owner;
    work->to = to;
    work->debts.arena = arena;
    return true;
}

sy_status sy_project_promote(sy_project *project, const sy_promote_options *options, sy_promoted **ret_promoted,
                             sy_error *err)
{
    sy_status status = check_options(options, err);
    if (status != SY_OK) {
        return status;
    }
    promote_work work = {.project = project, .options = options};
    work.debts.ledger = sy_project_ledger(project);
    work.debts.why_no_plan = "";
    status = begin(&work) ? promote(&work, err) : no_memory(err);
    if (status != SY_OK) {
        free_owner(work.owner);
        return status;
    }
    *ret_promoted = work.to;
    return SY_OK;
}

void sy_promoted_destroy(sy_promoted *promoted)
{
    if (promoted != NULL) {
        free_owner(promoted->owner);
    }
}
