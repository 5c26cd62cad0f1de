/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of a Go benchmark text: results, configuration and metadata of units, as they stand there. What they make
 * together is go_benchmark.c's. Private to the importers. */
#ifndef STEELYARD_IMPORTERS_GO_LINES_H
#define STEELYARD_IMPORTERS_GO_LINES_H

#include "importers/benchmarks/go_fields.h"
#include "importers/import/import_draft.h"

#define SY_GO_UNITS_MAX 256

typedef struct sy_go_value {
    double value; /* as written; NaN and infinities too */
    uint32_t unit;
} sy_go_value;

/* One result line, or one that the tool says went wrong. */
typedef struct sy_go_result {
    sy_go_span name;  /* without "Benchmark" and what says the processors */
    sy_go_span procs; /* digits; empty = the line does not say */
    uint64_t iterations;
    size_t value; /* the first of them */
    size_t value_count;
    uint32_t config;
    bool failed;
    sy_go_span reason; /* of a failed one; may be empty */
    sy_position position;
} sy_go_result;

typedef struct sy_go_pair {
    sy_go_span key;
    sy_go_span value;
} sy_go_pair;

/* The configuration that holds for some results: pairs sorted by key. */
typedef struct sy_go_config {
    size_t pair; /* the first of them */
    size_t pair_count;
} sy_go_config;

typedef struct sy_go_unit {
    sy_go_span name;
    int higher_is_better; /* 1, 0 as the file says, -1 = it does not */
} sy_go_unit;

typedef struct sy_go_lines {
    sy_go_result *results;
    size_t result_count;
    size_t result_capacity;
    sy_go_value *values;
    size_t value_count;
    size_t value_capacity;
    sy_go_config *configs;
    size_t config_count;
    size_t config_capacity;
    sy_go_pair *pairs;
    size_t pair_count;
    size_t pair_capacity;
    sy_go_unit *units;
    size_t unit_count;
    size_t unit_capacity;
    uint64_t bare_count; /* names alone on a line, as `go test -v` prints them before each result */
    uint64_t skip_count; /* benchmarks that skipped themselves */
} sy_go_lines;

/* Reads all lines of a UTF-8 text; spans point into it, which must live as long. Lines that look like a result and are
 * none become rejects of the draft. The caller finishes *lines (all zero before) in any case. SY_LIMIT_EXCEEDED,
 * SY_NO_MEMORY. */
sy_status sy_go_lines_read(const char *text, size_t size, sy_import_draft *draft, sy_go_lines *lines,
                           sy_error *err) SY_NODISCARD;
void sy_go_lines_finish(sy_go_lines *lines);

#endif
