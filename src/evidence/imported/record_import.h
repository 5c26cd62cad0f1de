/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that record an imported file share: its events while they are gathered. record_import.c takes what is
 * private out of them and appends all of them at once. */
#ifndef STEELYARD_EVIDENCE_RECORD_IMPORT_H
#define STEELYARD_EVIDENCE_RECORD_IMPORT_H

#include <steelyard/evidence.h>

#include "base/arena.h"
#include "evidence/event_list.h"

/* One file on its way into the ledger. */
typedef struct sy_import_job {
    const sy_imported *imported;
    const char *cell;      /* of every row; NULL = each its own */
    const char *name;      /* of the file; "" */
    sy_registry *registry; /* whose key the rows get */
    sy_arena *arena;       /* of all that the events point to */
    sy_arena *scratch;     /* of the row that is being written: its events hold copies */
    char artifact[65];     /* of the kept file; "" = it is not kept */
    const char *not_kept;  /* why; "" */
    uint64_t *ordinals;    /* of each row: how many before it equal it in name and parameters */
    const char **ids;      /* of each row */
    sy_event_list events;
    bool failed; /* no memory for some text */
} sy_import_job;

/* Adds all that is to be said of a row. SY_NO_MEMORY; SY_INVALID_ARGUMENT where an event cannot be written. */
sy_status sy_import_add_row(sy_import_job *job, size_t index, sy_error *err) SY_NODISCARD;
/* Adds the event `import` of the file as a whole. SY_NO_MEMORY. */
sy_status sy_import_add_file(sy_import_job *job, const sy_import_account *account, sy_error *err) SY_NODISCARD;

#endif
