/* SPDX-License-Identifier: Apache-2.0 */
/* All that is wrong with a profile file, line by line, as sy_store_report gives it out. */
#ifndef STEELYARD_STORE_STORE_FINDINGS_H
#define STEELYARD_STORE_STORE_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <steelyard/store.h>

#include "base/arena.h"

#define SY_FINDINGS_MAX 10000 /* kept; all are counted */

/* Zeroed is started. */
typedef struct sy_store_findings {
    sy_arena *arena;
    sy_store_finding *items;
    size_t count;
    size_t capacity;
    size_t total;
    bool failed; /* memory ran out while one was added */
} sy_store_findings;

/* Adds "line <line>: <formatted>". */
void sy_store_findings_add(sy_store_findings *findings, uint32_t line, const char *format, ...) SY_PRINTF(3, 4);
void sy_store_findings_finish(sy_store_findings *findings);
/* err becomes the first finding at its line, with how many more there are. Returns status. */
sy_status sy_store_findings_tell(const sy_store_findings *findings, sy_status status, sy_error *err);

#endif
