/* SPDX-License-Identifier: Apache-2.0 */
/* A finding: something wrong in a file that people wrote, with its place and the rule that it breaks. Readers of such
 * files collect all of them in one run. */
#ifndef STEELYARD_FINDING_H
#define STEELYARD_FINDING_H

#include <steelyard/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sy_finding {
    const char *rule;     /* stable id: "matrix-cell-missing" */
    const char *file;     /* path from the root, with '/' */
    sy_position position; /* line and column from 1; all 0 = the file as a whole */
    const char *pointer;  /* RFC 6901, of the value in a JSON file; "" = the document, or no JSON */
    const char *message;  /* what is wrong and what would be right, lower case, no period; one line */
    const char *found;    /* as it stands in the file, shortened to 120 bytes; "" = nothing stands there */
    const char *expected; /* "" where message says all */
} sy_finding;

/* Sorted by file, position, rule, message. Findings fail a validation; notes do not, unless the caller asks. */
typedef struct sy_finding_list {
    const sy_finding *findings;
    size_t finding_count;
    const sy_finding *notes;
    size_t note_count;
} sy_finding_list;

#ifdef __cplusplus
}
#endif
#endif
