/* SPDX-License-Identifier: Apache-2.0 */
/* Holding one output against what is right, with everything that may have a say: the scan for what was not written or
 * is not finite, the suite's own comparison or ours, and the oracle once more where reference and candidate disagree
 * between its samples. */
#ifndef STEELYARD_PROBE_HOLD_H
#define STEELYARD_PROBE_HOLD_H

#include "probe/parity/expectation.h"

typedef struct sy_held {
    sy_parity parity;
    bool absolute;           /* the failure is no matter of tolerance: not written, not finite, out of its buffer */
    bool reference_is_wrong; /* at the worst element the oracle sides with the candidate */
} sy_held;

/* The worse of two: a failure before anything, then the larger error; the runs of both were alike only if each was. */
void sy_held_keep_worse(sy_held *kept, const sy_held *now);
void sy_held_fail(sy_held *held, const char *reason); /* absolute */

/* found: the output as bytes. is_reference: the reference itself is held, against the oracle alone. The suite's compare
 * may fail the call. */
sy_status sy_hold_output(sy_weighing *w, const sy_right_answers *answers, const sy_parity_model *given,
                         bool is_reference, uint32_t output, const void *found, sy_held *ret_held,
                         sy_error *err) SY_NODISCARD;

/* Whether absolute or relative tolerances take the place of the model: they are between candidate and reference. */
bool sy_model_is_own(const sy_parity_model *model);

/* The model in force for a contender on a case: the case's for the class that the implementation promises (not for one
 * that it turned out to be), the caller's tolerances in its place, zero in the exact stage, wider on the case's own
 * data. */
sy_parity_model sy_model_of(const sy_weighing *w, const sy_contender *contender, const sy_weighed_case *wc, bool exact,
                            bool own, uint8_t poison);

#endif
