/* SPDX-License-Identifier: Apache-2.0 */
/* One request on its way to an answer: what walk.c and probing.c share. */
#ifndef STEELYARD_SELECT_WALK_H
#define STEELYARD_SELECT_WALK_H

#include "select/selector.h"

typedef struct sy_walk {
    sy_selector *selector;
    const sy_request *request;
    sy_request_mark mark;
    sy_selection selection; /* its key, then its answer */
    sy_text why;            /* a line a step */
    uint64_t changes;       /* of the store, when it gave or took what answers */
    bool lasting;           /* the answer may be remembered: it does not expire */
    bool probe_owed;        /* only a probe answers, and `probing` is not held */
} sy_walk;

/* What the store says that is worth a look here: to be held against the reference before all candidates are. */
typedef struct sy_proposal {
    const sy_profile *profile; /* NULL = nothing */
    const char *word;          /* "portable", "imported", "outdated", "expired", "calibrated" */
    const char *origin;        /* where it stands, for the history; "" = under the request's very key */
    bool asked_for;            /* this machine's own, which is looked at only if asked to */
} sy_proposal;

/* view: what the store answers; NULL = nothing. An override, an undecided answer and what cannot be used here propose
 * nothing. */
void sy_walk_propose(const sy_walk *walk, const sy_profile_view *view, sy_proposal *ret_proposal);
/* Whether the proposal may be looked at, which counts as the one look of this process: the key had no inconclusive one
 * lately. */
bool sy_walk_may_confirm(const sy_walk *walk, const sy_proposal *proposal);
/* Says in why that what was measured contradicts an override. */
void sy_walk_note_contradiction(sy_walk *walk, const sy_profile_view *view);
/* The entry is this machine's now: what was imported for exactly its key goes. */
void sy_walk_retire_import(const sy_walk *walk, const sy_proposal *proposal);

/* Adds to the line of why how many fresh processes a decision rests on. */
void sy_walk_note_processes(sy_walk *walk, double processes);
/* Ends the walk with an answer. SY_NO_MEMORY. */
sy_status sy_walk_finish(sy_walk *walk, const char *implementation, sy_selection_source source,
                         sy_error *err) SY_NODISCARD;

/* Ends it with a profile of the store. */
sy_status sy_walk_take_profile(sy_walk *walk, const sy_profile_view *view, sy_error *err) SY_NODISCARD;

/* The best profile of the store; notes the store's changes. SY_NOT_FOUND says why in `why`. */
sy_status sy_walk_ask_store(sy_walk *walk, sy_profile_view *ret_view, sy_error *err) SY_NODISCARD;

/* An imported profile of the request's cases that names an implementation of ours, the one that they name most by
 * weight; NULL. Of implementation versions it tells nothing: it is held against the reference first, and no more. */
const sy_profile *sy_walk_imported(const sy_walk *walk, const sy_suite *suite);

/* Probes, records, stores, answers. view: what the store says, an answer that is to be probed again; NULL = nothing.
 * The proposal is confirmed first; all: if it is not, all candidates are weighed. Without all *ret_answered is false
 * when the pairs could not tell. `probing` is held. Errors as sy_select's in mode probe. */
sy_status sy_walk_probe(sy_walk *walk, const sy_profile_view *view, const sy_proposal *proposal, bool all,
                        bool *ret_answered, sy_error *err) SY_NODISCARD;

#endif
