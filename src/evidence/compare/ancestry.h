/* SPDX-License-Identifier: Apache-2.0 */
/* Which of two revisions is older: as git tells, else by the numbers of commits that runs have recorded; never by a
 * clock. */
#ifndef STEELYARD_EVIDENCE_COMPARE_ANCESTRY_H
#define STEELYARD_EVIDENCE_COMPARE_ANCESTRY_H

#include "evidence/source/git.h"

typedef enum sy_ancestry {
    SY_ANCESTRY_OLDER,     /* the other one grew out of it */
    SY_ANCESTRY_NOT_OLDER, /* it did not */
    SY_ANCESTRY_UNKNOWN    /* history is not here: shallow, or another repository's */
} sy_ancestry;

/* A revision: "rev", of a dirty tree "rev+difference", and the number of commits up to it, -1 = unknown. */
typedef struct sy_revision {
    const char *text;
    int64_t ordinal;
} sy_revision;

/* Whether a is older than b, and by how many commits. A dirty tree is younger than its own commit, and two of one
 * commit have no order. SY_NO_MEMORY. */
sy_status sy_ancestry_find(const sy_git *git, const sy_revision *a, const sy_revision *b, sy_ancestry *ret_ancestry,
                           uint64_t *ret_distance, sy_error *err) SY_NODISCARD;

#endif
