/* SPDX-License-Identifier: Apache-2.0 */
/* One walk through a whole ledger, and what it finds on the way. */
#ifndef STEELYARD_LEDGER_VERIFIER_H
#define STEELYARD_LEDGER_VERIFIER_H

#include "ledger/digest_table.h"
#include "ledger/envelope.h"
#include "ledger/ledger_state.h"
#include "ledger/proof/anchor_file.h"
#include "ledger/run_table.h"

#define SY_VERIFIER_MISSING 5

/* What the list of figures has to say of one event. */
typedef struct sy_expected_figure {
    uint64_t event;
    uint64_t hash;
    bool sound; /* the event is what it was hashed as: else the list is not held against it */
    bool seen;
} sy_expected_figure;

typedef struct sy_verifier {
    sy_ledger *ledger;
    const sy_ledger_verify_options *options;
    sy_ledger_verdict *verdict; /* counts are filled as it goes */
    sy_arena *arena;            /* the verdict's */
    sy_ledger_fault *faults;
    size_t fault_count;
    size_t fault_capacity;
    const char **notes;
    size_t note_count;
    size_t note_capacity;
    sy_ledger_missing missing[SY_VERIFIER_MISSING]; /* the first by event; the verdict counts them */

    sy_run_table runs;
    sy_expected_figure *figures; /* in order of events */
    size_t figure_count;
    size_t figure_capacity;
    sy_digest_table series; /* count: samples */
    sy_digest_table files;
    sy_anchor *anchors; /* those of this ledger, in order of events */
    size_t anchor_count;
    size_t next_anchor;
    char id[33]; /* as the storage keeps it */

    uint64_t total;       /* events, as the head says; 0 = it cannot be read */
    uint64_t last_number; /* of the last event seen */
    int64_t last_at_utc_s;
    sy_digest last_hashed;  /* its bytes, hashed here */
    sy_digest last_claimed; /* as the storage says of it */
    bool last_unread;       /* it could not be read: nothing is known of it */
} sy_verifier;

/* Adds a fault; when there are many, the count goes on without. what: a stable word of <steelyard/ledger.h>. */
sy_status sy_verifier_fault(sy_verifier *verifier, uint64_t number, const char *what, sy_error *err, const char *format,
                            ...) SY_PRINTF(5, 6) SY_NODISCARD;
sy_status sy_verifier_note(sy_verifier *verifier, sy_error *err, const char *format, ...) SY_PRINTF(3, 4) SY_NODISCARD;
/* Tells how far it is; SY_INTERRUPTED when it is to stop. */
sy_status sy_verifier_step(const sy_verifier *verifier, uint64_t done, sy_error *err) SY_NODISCARD;
/* What a walk returned: a database that cannot be read on is a fault like any other. *ret_damaged: it was one. */
sy_status sy_verifier_damage(sy_verifier *verifier, sy_status status, uint64_t number, const char *where,
                             bool *ret_damaged, sy_error *err) SY_NODISCARD;

/* The events, their chain and what they make of runs; then the anchors. */
sy_status sy_verify_events(sy_verifier *verifier, sy_error *err) SY_NODISCARD;
/* What stands beside the events: samples, files, the list of runs, the database itself. */
sy_status sy_verify_kept(sy_verifier *verifier, sy_error *err) SY_NODISCARD;

#endif
