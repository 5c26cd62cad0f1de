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

/* Adds to the line of why how many fresh processes a decision rests on. */
void sy_walk_note_processes(sy_walk *walk, double processes);
/* Ends the walk with an answer. SY_NO_MEMORY. */
sy_status sy_walk_finish(sy_walk *walk, const char *implementation, sy_selection_source source,
                         sy_error *err) SY_NODISCARD;

/* Ends it with a profile of the store. */
sy_status sy_walk_take_profile(sy_walk *walk, const sy_profile_view *view, sy_error *err) SY_NODISCARD;

/* The best profile of the store; notes the store's changes. SY_NOT_FOUND says why in `why`. */
sy_status sy_walk_ask_store(sy_walk *walk, sy_profile_view *ret_view, sy_error *err) SY_NODISCARD;

/* The implementation of ours that imported profiles of the request's cases name, by weight the most; NULL. Of
 * implementation versions they tell nothing: they are held against the reference first, and no more. */
const char *sy_walk_imported(const sy_walk *walk, const sy_suite *suite);

/* Probes, records, stores, answers. view: what the store says, a prior or an answer that is to be probed again; NULL =
 * nothing. `probing` is held. Errors as sy_select's in mode probe. */
sy_status sy_walk_probe(sy_walk *walk, const sy_profile_view *view, sy_error *err) SY_NODISCARD;

#endif
