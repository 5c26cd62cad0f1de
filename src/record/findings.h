/* SPDX-License-Identifier: Apache-2.0 */
/* Collects findings and notes while files are read. It says no to nothing: a collector without memory keeps that and
 * tells it once, at the end. */
#ifndef STEELYARD_RECORD_FINDINGS_H
#define STEELYARD_RECORD_FINDINGS_H

#include <steelyard/finding.h>

typedef struct sy_findings sy_findings;

/* NULL: no memory. */
sy_findings *sy_findings_create(void);
void sy_findings_destroy(sy_findings *findings); /* NULL is allowed */

/* Keeps a copy of what draft says; NULL texts count as "". Control characters and bytes that are no UTF-8 are written
 * as \xNN, found is cut at 120 bytes. */
void sy_findings_add(sy_findings *findings, const sy_finding *draft);
/* The same as a note. */
void sy_findings_note(sy_findings *findings, const sy_finding *draft);
/* Findings added so far: what a reader did not like. */
size_t sy_findings_count(const sy_findings *findings);
/* Sorts, drops what was added twice (all fields equal), and lends the lists until the next addition or
 * sy_findings_destroy. SY_NO_MEMORY: some finding was lost. */
sy_status sy_findings_list(sy_findings *findings, sy_finding_list *ret_list, sy_error *err) SY_NODISCARD;

#endif
