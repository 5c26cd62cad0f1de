/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded timings while they are being read: configurations are added one after the other, then the whole is handed
 * over. A lack of memory is kept and told at the end. Private to the importers. */
#ifndef STEELYARD_IMPORTERS_TIMINGS_DRAFT_H
#define STEELYARD_IMPORTERS_TIMINGS_DRAFT_H

#include <steelyard/timings.h>

#include "base/arena.h"

typedef struct sy_timings_draft {
    sy_arena *arena; /* what will be owned by the timings */
    sy_timings *timings;
    sy_timing *list;
    size_t count;
    size_t capacity;
    double *times; /* of the configuration that is being read */
    size_t time_count;
    size_t time_capacity;
    const char **notes;
    size_t note_count;
    size_t note_capacity;
    bool failed; /* no memory for something */
} sy_timings_draft;

/* SY_NO_MEMORY; finish it in any case. */
sy_status sy_timings_draft_init(sy_timings_draft *draft, sy_error *err) SY_NODISCARD;
void sy_timings_draft_finish(sy_timings_draft *draft);
/* Hands over what was drafted; the draft is empty then, and still to be finished. SY_NO_MEMORY. */
sy_status sy_timings_draft_take(sy_timings_draft *draft, sy_timings **ret_timings, sy_error *err) SY_NODISCARD;

/* One more time of the configuration that is being read. */
void sy_timings_draft_time(sy_timings_draft *draft, double time);
/* Ends the configuration: its times are those since the last one. name and reason are copied; reason "" where there are
 * times. */
void sy_timings_draft_end(sy_timings_draft *draft, const char *name, const char *reason);
void sy_timings_draft_note(sy_timings_draft *draft, const char *format, ...) SY_PRINTF(2, 3);

#endif
