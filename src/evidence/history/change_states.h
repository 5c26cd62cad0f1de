/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of changes that were reported, once a history has been looked at again: a pure function on places. */
#ifndef STEELYARD_EVIDENCE_CHANGE_STATES_H
#define STEELYARD_EVIDENCE_CHANGE_STATES_H

#include <stdbool.h>
#include <stddef.h>
#include <steelyard/judge.h>

/* A change that lies further from the reported place than that is another one. */
#define SY_CHANGE_MOVED_MOST 10
/* So many further values, or as many as lay behind it when it was reported, confirm a change. */
#define SY_CHANGE_CONFIRMED_BY 10
/* A change is reported once it is found, this far from its place at most, without that many of the newest values too.
 */
#define SY_CHANGE_PERSISTS_NEAR 2
#define SY_CHANGE_PERSISTS_FOR 5
/* With fewer values on a side nothing can be found: such a change is neither seen nor refuted. */
#define SY_CHANGE_SIDE 5
/* A reported place that moved by more counts as wrong. */
#define SY_CHANGE_MOVED_LITTLE 2

/* One that was reported, and is neither refuted nor superseded. */
typedef struct sy_open_change {
    size_t place;  /* of the first value that began when its run did, or later */
    bool is_there; /* its run is still one of the values */
    double effect;
    size_t points_after; /* values behind it when it was reported */
    bool confirmed;
} sy_open_change;

typedef enum sy_change_fate {
    SY_CHANGE_STAYS,
    SY_CHANGE_GETS_CONFIRMED, /* found again with SY_CHANGE_CONFIRMED_BY values more behind it, or twice as many */
    SY_CHANGE_GETS_REFUTED,   /* not found any more */
    SY_CHANGE_MOVES,          /* found at another place, or its run is a value no longer */
    SY_CHANGE_OUT_OF_REACH    /* too few values are left on one of its sides to tell */
} sy_change_fate;

typedef struct sy_change_outcome {
    sy_change_fate fate;
    size_t found; /* index of the history's change that it is, or became; the history's change_count = none */
} sy_change_outcome;

/* Holds what was reported against what is found now. A found change is one that was reported if it steps the same way
 * at the same place; else the nearest of those that are nobody's, at most SY_CHANGE_MOVED_MOST values away, is where it
 * moved. ret_outcomes: one for each; found changes that none of them names are new. */
void sy_change_states(const sy_history *history, const sy_open_change *open, size_t open_count,
                      sy_change_outcome *ret_outcomes);

/* Whether a found change was found before: stepping the same way, near its place, in the history that lacks the newest
 * SY_CHANGE_PERSISTS_FOR values. earlier: NULL = there are no other values. */
bool sy_change_persists(const sy_history_change *found, const sy_history *earlier);

#endif
