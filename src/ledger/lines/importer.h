/* SPDX-License-Identifier: Apache-2.0 */
/* A ledger that is being rebuilt from lines, as far as it is. */
#ifndef STEELYARD_LEDGER_IMPORTER_H
#define STEELYARD_LEDGER_IMPORTER_H

#include "ledger/digest_table.h"
#include "ledger/envelope.h"
#include "ledger/ledger_state.h"
#include "ledger/lines/line_reader.h"
#include "ledger/run_table.h"

/* Samples or a file of which the lines so far hold a part. */
typedef struct sy_piecewise {
    sy_digest digest;
    uint64_t size; /* when it is whole */
    sy_text bytes;
    bool begun;
} sy_piecewise;

typedef struct sy_ledger_importer {
    sy_ledger *ledger;
    sy_line_reader reader;
    char id[33];        /* of the lines */
    uint64_t announced; /* events, by the first line */
    sy_digest announced_head;

    uint64_t local_number; /* the ledger's last event before */
    uint64_t number;       /* the last event read */
    sy_digest head;
    uint64_t added_count;
    sy_run_table runs;
    char last_run[SY_EVENT_RUN_LIMIT + 1]; /* whose event came last */

    sy_digest_table series; /* that events have named; count: samples */
    sy_digest_table files;  /* likewise; count: bytes, seen: a line brought it */
    sy_piecewise samples;   /* for the next event */
    sy_piecewise file;
    uint64_t series_count; /* that lines brought */
    uint64_t file_count;
} sy_ledger_importer;

/* SY_CORRUPT with the line's number in front and as position. */
sy_status sy_importer_fail(const sy_ledger_importer *importer, sy_error *err, const char *format, ...)
    SY_PRINTF(3, 4) SY_NODISCARD;
/* One event's bytes: held against what is here, or appended. SY_CORRUPT, SY_REFUSED. */
sy_status sy_importer_take_event(sy_ledger_importer *importer, const char *bytes, size_t size,
                                 sy_error *err) SY_NODISCARD;
/* Writes the rows of the runs that changed. */
sy_status sy_importer_put_rows(sy_ledger_importer *importer, sy_error *err) SY_NODISCARD;

#endif
