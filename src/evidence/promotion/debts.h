/* SPDX-License-Identifier: Apache-2.0 */
/* What a run owes before it is promoted, thing by thing, each with what pays it. Private to this folder. */
#ifndef STEELYARD_EVIDENCE_PROMOTION_DEBTS_H
#define STEELYARD_EVIDENCE_PROMOTION_DEBTS_H

#include <steelyard/promotion.h>

#include "evidence/promotion/blocked.h"
#include "registry/gates/gate_plan.h"

/* The only tier whose runs are promoted; the one whose runs are never accepted, and of whose gates only outputs are
 * asked; and the one that proves nothing. */
#define SY_TIER_SIGNOFF "release-signoff"
#define SY_TIER_SMOKE "pr-smoke"
#define SY_TIER_DIAGNOSTIC "diagnostic"

/* A gate that the cell of the run owes, the run's own first, and the run that proves it. */
typedef struct sy_owed_gate {
    sy_gate_plan plan;
    const char *run; /* "" = none does */
} sy_owed_gate;

typedef struct sy_debt_work {
    sy_ledger *ledger;
    sy_registry *registry;
    sy_arena *arena; /* of the result, which it becomes */
    const sy_run *run;
    const sy_gate_plan *plan; /* of its gate; NULL: the registry has no such gate */
    const char *why_no_plan;  /* "" */
    sy_blocking_verdicts blocking;
    sy_promotion_debt *debts;
    size_t count;
    size_t capacity;
    sy_owed_gate *gates;
    size_t gate_count;
    bool failed; /* no memory; asked once, at the end */
} sy_debt_work;

/* Adds one. detail and command: NULL = no memory for them. */
void sy_debt_add(sy_debt_work *work, const char *name, bool paid, const char *run, const char *detail,
                 const char *command);
/* The text itself; NULL, no memory for it, sets failed. */
const char *sy_debt_keep(sy_debt_work *work, const char *text);
#define sy_debt_text(work, ...) sy_debt_keep(work, sy_arena_format((work)->arena, __VA_ARGS__))
/* "steelyard WORDS" as a shell takes it; NULL behind the last word. */
const char *sy_debt_command(sy_debt_work *work, const char *const *words);
/* The command that begins a run of that gate on the device of the promoted run. */
const char *sy_debt_start(sy_debt_work *work, const sy_gate_plan *plan);
bool sy_debt_keeps_artifact(const sy_run *run); /* a file of what it did, besides its manifest and its sources */

/* own_debts.c: what the run itself must be: ended well, of a gate and a cell that are signed off, with parity,
 * provenance, lease, acceptance, verdict, artifacts. SY_CORRUPT, SY_IO, SY_NO_MEMORY, as the next ones. */
sy_status sy_debts_of_run(sy_debt_work *work, sy_error *err) SY_NODISCARD;
/* own_debts.c: that somebody vouches for it as it stands, and that it is not promoted already. */
void sy_debts_of_people(sy_debt_work *work);
/* owed_gates.c: every other gate of the cell on that computer. */
sy_status sy_debts_of_gates(sy_debt_work *work, sy_error *err) SY_NODISCARD;
/* owed_figures.c: least memory and wall clock, where platform and runbooks ask for them. */
sy_status sy_debts_of_figures(sy_debt_work *work, sy_error *err) SY_NODISCARD;

/* proof_run.c: why the row of another run of a gate proves nothing here, each reason once, parted by ", "; "" = it
 * does; NULL: no memory. same_computer: the gate is one of the computer of the promoted run. ret_count: how many
 * reasons; ret_accept_alone: only its acceptance is missing. */
const char *sy_proof_shortcoming(sy_debt_work *work, const sy_run_row *row, bool is_smoke, bool same_computer,
                                 size_t *ret_count, bool *ret_accept_alone);

#endif
