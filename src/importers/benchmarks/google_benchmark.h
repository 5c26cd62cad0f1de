/* SPDX-License-Identifier: Apache-2.0 */
/* What the two files of google-benchmark's reader share. */
#ifndef STEELYARD_IMPORTERS_GOOGLE_BENCHMARK_H
#define STEELYARD_IMPORTERS_GOOGLE_BENCHMARK_H

#include "importers/import/import_groups.h"
#include "importers/import/import_json.h"

typedef enum sy_google_kind {
    SY_GOOGLE_ITERATION,
    SY_GOOGLE_AGGREGATE,
    SY_GOOGLE_PERHAPS /* an aggregate, as its name ends: an old version */
} sy_google_kind;

typedef struct sy_google {
    sy_import_draft *draft;
    const sy_json *json;
    bool debug;             /* how the library was built */
    size_t skipped;         /* aggregates */
    sy_import_list kinds;   /* sy_google_kind of each entry of the file */
    sy_import_list entries; /* const sy_json_value *: of one name, in the file's order */
    sy_import_list metrics; /* sy_import_item: their numbers */
    sy_import_list unused;  /* bool, by the order of a metric: its entry is of no use */
} sy_google;

/* google->entries are repetitions of one benchmark: one row, in each of whose series every repetition has a sample. */
void sy_google_read_repetitions(sy_google *google);
/* google->entries are aggregates whose repetitions are not in the file: one row of figures. */
void sy_google_read_aggregates(sy_google *google, const char *name, size_t length);

#endif
