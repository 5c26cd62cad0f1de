/* SPDX-License-Identifier: Apache-2.0 */
/* Holding one output against what is right: pure functions on host memory. Which output is held against what, and when,
 * is verify.c's business. The model and its constants: docs/statistics.md, "Parity". */
#ifndef STEELYARD_PROBE_PARITY_H
#define STEELYARD_PROBE_PARITY_H

#include <steelyard/suite.h>

/* What is right for one output under one fill. Arrays are borrowed. */
typedef struct sy_expectation {
    const sy_tensor_desc *desc; /* contiguous */
    uint64_t element_count;
    const uint64_t *indices; /* of the oracle's elements, ascending; NULL = all */
    uint64_t oracle_count;   /* 0 = there is no oracle */
    const double *values;    /* oracle_count */
    const double *scales;    /* oracle_count */
    const void *reference;   /* the reference's output; NULL while the reference itself is held */
} sy_expectation;

typedef struct sy_parity_model {
    sy_tolerance tolerance;
    double reference_c; /* that the reference answers to, where it is allowed more than this one; 0 = tolerance.c */
    bool exact;         /* tolerance 0: the exact stage */
    bool allows_nonfinite;
    uint8_t poison; /* that the output was filled with before the run */
} sy_parity_model;

/* Fills *ret_parity: outcome passed or failed with its reason, and all figures. Without an oracle, or between its
 * samples, the output is held against the reference: allowance c u_acc max|r| without an oracle, and twice the
 * tolerance at the largest sampled scale with one, where c is the larger of the two's. Never fails. */
void sy_parity_compare(const sy_parity_model *model, const sy_expectation *expectation, const void *found,
                       sy_parity *ret_parity);

/* Whether a failure is no matter of tolerance: elements that were not written, or are not finite. False when it passed.
 */
bool sy_parity_failure_is_absolute(const sy_parity *parity);

/* The comparison in force, where it is not sy_parity_compare. */
typedef struct sy_passing {
    bool (*passes)(void *user, const void *output);
    void *user;
} sy_passing;

/* Would the comparison notice? Zeros, poison, the output moved by one element and one of `others` (the outputs of
 * other seeds, other_count of them, may be 0) must fail, the tolerance must lie below the signal, and at most 30 % of
 * right values may be 0 unless allowed. passing: NULL, or the suite's own comparison, whose tolerance is not known.
 * Returns NULL, or what makes it vacuous. `right` is an output that passed. "out of memory" is an answer too. */
const char *sy_parity_vacuous(const sy_parity_model *model, const sy_expectation *expectation, const void *right,
                              const void *const others[], size_t other_count, bool allows_zeros,
                              const sy_passing *passing);

/* The absolute difference of two elements, exact for integers (no wrap), as a double. */
double sy_element_difference(sy_dtype dtype, const void *a, const void *b, uint64_t index);

#endif
