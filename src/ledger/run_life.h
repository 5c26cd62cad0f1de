/* SPDX-License-Identifier: Apache-2.0 */
/* The life of a run: what each event makes of it, and which events may not be. Nothing but what is handed in decides:
 * no clock, no file. Writing, reading and proving fold with the same function. */
#ifndef STEELYARD_LEDGER_RUN_LIFE_H
#define STEELYARD_LEDGER_RUN_LIFE_H

#include "base/arena.h"
#include "base/text.h"
#include "record/run_events.h"

/* One event as it touches a run. */
typedef struct sy_life_event {
    sy_event_kind kind;
    uint64_t number;
    int64_t at_utc_s;
    const char *run;    /* its id */
    bool follows_begin; /* only events of this run stand between its begin and this one */
    const sy_json *json;
    const sy_json_value *body;
} sy_life_event;

/* The run's row after the event. before NULL: there is no such run yet. *ret_row borrows texts from before and has its
 * new ones in the arena. SY_REFUSED: the event may not be (a second begin, a lease of a run that ended); SY_NOT_FOUND:
 * no such run; SY_CORRUPT: the body cannot be read; SY_NO_MEMORY. An unknown kind changes nothing. */
sy_status sy_run_life_fold(const sy_run_row *before, const sy_life_event *event, sy_arena *arena, sy_run_row *ret_row,
                           sy_error *err) SY_NODISCARD;
/* Why the run may not be accepted, whatever was said of its figures: each reason once, parted by "; "; nothing when it
 * may. */
void sy_run_life_refusals(const sy_run_row *row, sy_text *to);
/* The same, with what its verdict, and a baseline that is to begin with it, forbid. */
void sy_run_life_accept_refusals(const sy_run_row *row, const sy_run_accept *accept, sy_text *to);
/* Whether the run's last verdict held its figures against those of a baseline: of others no alarm is counted. */
bool sy_run_life_was_judged(const sy_run_row *row);
/* Whether an event of that kind is about the ledger as a whole when it names no run. */
bool sy_run_life_needs_no_run(sy_event_kind kind);
/* What an event must be that names no run. SY_REFUSED: of its kind each names one; SY_CORRUPT: its body cannot be read;
 * SY_NO_MEMORY. */
sy_status sy_run_life_check_alone(const sy_life_event *event, sy_arena *arena, sy_error *err) SY_NODISCARD;

#endif
