/* SPDX-License-Identifier: Apache-2.0 */
/* Events of one run that are collected and then appended to the ledger at once. */
#ifndef STEELYARD_EVIDENCE_EVENT_LIST_H
#define STEELYARD_EVIDENCE_EVENT_LIST_H

#include "base/arena.h"
#include "ledger/ledger.h"

/* Begun with arena and run set, the rest zero; run may be set anew between two events. What it holds lives in the
 * arena. */
typedef struct sy_event_list {
    sy_arena *arena;
    const char *run;
    sy_ledger_entry *entries;
    size_t count;
    size_t capacity;
} sy_event_list;

/* Each writes the body by record/run_events and adds the event; the samples of a series must live as long as the list.
 * SY_INVALID_ARGUMENT: what run_events refuses; SY_NO_MEMORY. */
sy_status sy_event_list_begin(sy_event_list *list, const sy_run_begin *begin, sy_error *err) SY_NODISCARD;
sy_status sy_event_list_lease(sy_event_list *list, const sy_run_lease *lease, sy_error *err) SY_NODISCARD;
sy_status sy_event_list_check(sy_event_list *list, const sy_run_check *check, sy_error *err) SY_NODISCARD;
sy_status sy_event_list_accept(sy_event_list *list, const sy_run_accept *accept, sy_error *err) SY_NODISCARD;
sy_status sy_event_list_command(sy_event_list *list, const sy_run_command *command, sy_error *err) SY_NODISCARD;
sy_status sy_event_list_series(sy_event_list *list, sy_run_series *series, sy_error *err) SY_NODISCARD;
sy_status sy_event_list_parity(sy_event_list *list, const sy_run_parity_event *parity, sy_error *err) SY_NODISCARD;
sy_status sy_event_list_memory(sy_event_list *list, const sy_run_memory *memory, sy_error *err) SY_NODISCARD;
sy_status sy_event_list_artifact(sy_event_list *list, const sy_run_artifact *artifact, sy_error *err) SY_NODISCARD;
sy_status sy_event_list_digest(sy_event_list *list, const sy_run_digest *digest, sy_error *err) SY_NODISCARD;
sy_status sy_event_list_note(sy_event_list *list, const char *note, sy_error *err) SY_NODISCARD;
sy_status sy_event_list_decision(sy_event_list *list, const sy_run_decision *decision, sy_error *err) SY_NODISCARD;
sy_status sy_event_list_profile(sy_event_list *list, const sy_run_profile *profile, sy_error *err) SY_NODISCARD;
sy_status sy_event_list_verdict(sy_event_list *list, const sy_run_verdict *verdict, sy_error *err) SY_NODISCARD;
sy_status sy_event_list_change(sy_event_list *list, const sy_run_change *change, sy_error *err) SY_NODISCARD;
sy_status sy_event_list_signoff(sy_event_list *list, const sy_run_signoff *signoff, sy_error *err) SY_NODISCARD;
sy_status sy_event_list_promotion(sy_event_list *list, const sy_run_promotion *promotion, sy_error *err) SY_NODISCARD;
/* With run "": it names none. */
sy_status sy_event_list_selftest(sy_event_list *list, const sy_gate_selftest *selftest, sy_error *err) SY_NODISCARD;
sy_status sy_event_list_end(sy_event_list *list, const sy_run_end *end, sy_error *err) SY_NODISCARD;

/* Takes what is private out of all of them; see sy_clean_json. */
sy_status sy_event_list_clean(sy_event_list *list, sy_error *err) SY_NODISCARD;

/* Adds an event with that body, which is finished in any case, and SY_OK only if it was written. */
sy_status sy_event_list_add(sy_event_list *list, sy_event_kind kind, sy_status written, sy_text *body,
                            sy_error *err) SY_NODISCARD;

/* Appends all of them to the ledger, or none; ret_head may be NULL. The list is empty then. */
sy_status sy_event_list_append(sy_event_list *list, sy_ledger *ledger, sy_ledger_head *ret_head,
                               sy_error *err) SY_NODISCARD;

#endif
