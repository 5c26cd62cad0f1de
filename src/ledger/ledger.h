/* SPDX-License-Identifier: Apache-2.0 */
/* Writing to the ledger: one call appends several events at once, or none. Every rule that holds for a run's life is
 * kept here, whoever writes. */
#ifndef STEELYARD_LEDGER_INSIDE_H
#define STEELYARD_LEDGER_INSIDE_H

#include <steelyard/ledger.h>

#include "base/clock.h"
#include "record/run_events.h"

/* As sy_ledger_open, with a clock that tests script. */
sy_status sy_ledger_open_with(const sy_ledger_options *options, const sy_clock *clock, sy_ledger **ret_ledger,
                              sy_error *err) SY_NODISCARD;

/* One event to be appended. */
typedef struct sy_ledger_entry {
    sy_event_kind kind;
    const char *run;  /* "" = about the ledger as a whole */
    const char *body; /* a JSON object, as run_events.h writes them */
    size_t body_size;
    const double *samples; /* of a series; else NULL */
    size_t sample_count;
} sy_ledger_entry;

/* Appends them in their order, in one transaction: all or none. Nothing is flushed later: when it returns SY_OK they
 * are on the disk. SY_REFUSED: a rule of a run's life forbids it (the error names it), or a text holds a secret or a
 * path into somebody's home; SY_NOT_FOUND: no such run; SY_INVALID_ARGUMENT, SY_BUSY, SY_IO, SY_NO_MEMORY. ret_head may
 * be NULL. */
sy_status sy_ledger_append(sy_ledger *ledger, const sy_ledger_entry *entries, size_t count, sy_ledger_head *ret_head,
                           sy_error *err) SY_NODISCARD;

/* The same, if nothing stands behind event `head`, on which the entries rest: SY_STALE where something does, and
 * nothing is written. */
sy_status sy_ledger_append_behind(sy_ledger *ledger, uint64_t head, const sy_ledger_entry *entries, size_t count,
                                  sy_ledger_head *ret_head, sy_error *err) SY_NODISCARD;

/* The list's row of one run, whole id. Texts live in the arena. SY_NOT_FOUND. */
sy_status sy_ledger_row(sy_ledger *ledger, sy_arena *arena, const char *id, sy_run_row *ret_row,
                        sy_error *err) SY_NODISCARD;

/* As much of a run as is asked for. In part it costs little, however many series it has, and its row is the list's
 * instead of being folded anew. Of a beginning digest and event_count are those of one event. */
typedef enum sy_run_parts { SY_RUN_WHOLE, SY_RUN_WITHOUT_SERIES, SY_RUN_BEGINNING } sy_run_parts;
sy_status sy_ledger_run_parts(sy_ledger *ledger, const char *id, sy_run_parts parts, sy_run **ret_run,
                              sy_error *err) SY_NODISCARD;

/* Events of one run, or (run NULL) of all, from a number on; event lives until the visit returns; a visit that returns
 * non-OK ends it, and is passed through. */
typedef struct sy_ledger_event {
    uint64_t number;
    sy_event_kind kind;
    int64_t at_utc_s;
    const char *run;
    const char *bytes; /* the whole event as it was hashed; a 0 byte stands behind */
    size_t size;
    const char *digest;
} sy_ledger_event;

typedef sy_status (*sy_ledger_visit_fn)(void *user, const sy_ledger_event *event, sy_error *err);
sy_status sy_ledger_each(sy_ledger *ledger, uint64_t from, const char *run, sy_ledger_visit_fn visit, void *user,
                         sy_error *err) SY_NODISCARD;

/* The figures that sy_ledger_figures lists, one after the other and without keeping them; event: that says them. figure
 * lives until the visit returns; a visit that returns non-OK ends it, and is passed through. */
typedef sy_status (*sy_ledger_figure_fn)(void *user, uint64_t event, const sy_figure_row *figure, sy_error *err);
sy_status sy_ledger_visit_figures(sy_ledger *ledger, const sy_run_filter *filter, sy_ledger_figure_fn visit, void *user,
                                  sy_error *err) SY_NODISCARD;

/* From here to sy_ledger_release whatever reads sees one snapshot, the same head, whatever others append meanwhile;
 * this object appends nothing until then. Nests. SY_IO, SY_CORRUPT, SY_BUSY, SY_NO_MEMORY. */
sy_status sy_ledger_hold(sy_ledger *ledger, sy_error *err) SY_NODISCARD;
void sy_ledger_release(sy_ledger *ledger);

#endif
