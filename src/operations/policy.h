/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of devices before anything is timed on them, as a table: a row says which implementation an
 * architecture runs best within which shapes, and where that was shown. One walk over any such table; the tables stand
 * in attention_policy.c and convolution_policy.c. */
#ifndef STEELYARD_OPERATIONS_POLICY_H
#define STEELYARD_OPERATIONS_POLICY_H

#include <steelyard/suite.h>

#define SY_POLICY_MEASURES 8

/* Of one measure of a shape: what was shown, the bounds included. */
typedef struct sy_policy_range {
    double least;
    double largest;
} sy_policy_range;

/* Patterns have * and ?; several are parted by |. Texts are static. */
typedef struct sy_policy_row {
    const char *backend; /* pattern of the device's backend: "ggml" */
    const char *device;  /* of its name: "ggml:CUDA*" */
    const char
        *description; /* of its description, which ends with what the driver calls it: "*: NVIDIA GeForce RTX 4090" */
    uint32_t threads; /* that it was shown with; 0 = not applicable */
    uint32_t dtypes;  /* of the cases: SY_POLICY_DTYPE of each, joined by | */
    bool needs_less_memory; /* it was shown, too: the row holds for who prefers memory */
    const char *implementation;
    const char *evidence; /* what was shown, and where: an address or a section of a document */
    const char *date;     /* when: "2025-03-06" */
    const char *limit;    /* NULL, or what is known to go wrong beyond the largest shape, and where it was reported */
    sy_policy_range ranges[SY_POLICY_MEASURES]; /* of the policy's measures, in their order */
} sy_policy_row;

#define SY_POLICY_DTYPE(dtype) (1u << (unsigned)(dtype))

typedef struct sy_policy {
    const sy_policy_row *rows;
    size_t row_count;
    const char *const *measures; /* their names: "queries" */
    size_t measure_count;
    /* The measures of a case. Errors as those of the operation's shape. */
    sy_status (*measure)(const sy_case *c, double ret_values[SY_POLICY_MEASURES], sy_error *err);
} sy_policy;

/* The answer of a table: an implementation when each case lies inside a row of this device and all these rows name the
 * same one, with the evidence of the heaviest case's row; else none, and reason says why for a device that has rows.
 * What lies beyond the largest shape of a row, or was shown for other settings, is never assumed. Nothing fails: a case
 * whose shape cannot be read is a reason. */
void sy_policy_answer(const sy_policy *policy, const sy_shortcut_question *question, sy_shortcut *ret_shortcut);

#endif
