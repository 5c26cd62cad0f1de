/* SPDX-License-Identifier: Apache-2.0 */
/* What is right for one case under one fill: the inputs again in host memory, and the oracle's values for each output.
 */
#ifndef STEELYARD_PROBE_EXPECTATION_H
#define STEELYARD_PROBE_EXPECTATION_H

#include "probe/parity/parity.h"
#include "probe/weighing.h"

typedef struct sy_right_answers {
    sy_weighed_case *wc;
    bool own; /* the case's own inputs, not a fill */
    uint32_t input_count;
    uint32_t output_count;
    void *inputs[SY_SUBJECT_TENSORS_MAX];
    uint64_t input_sizes[SY_SUBJECT_TENSORS_MAX];
    uint64_t input_checksum;
    char input_digest[65];
    uint64_t *indices[SY_SUBJECT_TENSORS_MAX]; /* NULL = all */
    double *values[SY_SUBJECT_TENSORS_MAX];    /* NULL = no oracle */
    double *scales[SY_SUBJECT_TENSORS_MAX];
    void *reference[SY_SUBJECT_TENSORS_MAX]; /* the reference's outputs, once it has been held itself */
    uint64_t output_sizes[SY_SUBJECT_TENSORS_MAX];
    sy_expectation expectations[SY_SUBJECT_TENSORS_MAX];
} sy_right_answers;

/* Makes inputs by the fill (own: reads them back from the reference, which must hold them) with change number `change`
 * applied, and asks the oracle: for all elements, or for a sample above 2 GFLOP or when sampled is true. Finished by
 * sy_right_answers_finish, also after a failure. */
sy_status sy_right_answers_make(sy_weighing *w, sy_weighed_case *wc, sy_fill fill, bool own, uint64_t seed,
                                uint64_t change, bool sampled, sy_right_answers *answers, sy_error *err) SY_NODISCARD;
/* One element of output o more, from the oracle. */
sy_status sy_right_answers_ask(sy_weighing *w, const sy_right_answers *answers, uint32_t output, uint64_t index,
                               double *ret_value, double *ret_scale, sy_error *err) SY_NODISCARD;
void sy_right_answers_finish(sy_right_answers *answers);

#endif
