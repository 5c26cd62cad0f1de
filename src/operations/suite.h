/* SPDX-License-Identifier: Apache-2.0 */
/* Asking of a suite: is it well-formed, and which of its cases does a list of words mean. */
#ifndef STEELYARD_OPERATIONS_SUITE_H
#define STEELYARD_OPERATIONS_SUITE_H

#include <steelyard/suite.h>

/* Refuses a malformed suite: SY_INVALID_ARGUMENT, what names the suite, the implementation or case and the reason. */
sy_status sy_suite_check(const sy_suite *suite, sy_error *err) SY_NODISCARD;

/* Cases that `patterns` mean, in suite order, each once: "quick" (the subset), "all", a name, or a pattern with * and
 * ?. count 0 means all. ret_indices has room for suite->case_count. SY_NOT_FOUND: the first pattern that means none
 * is named, the hint lists near names. */
sy_status sy_suite_select_cases(const sy_suite *suite, const char *const *patterns, size_t count, size_t *ret_indices,
                                size_t *ret_count, sy_error *err) SY_NODISCARD;

/* The implementation of that name. SY_NOT_FOUND: the hint lists the names there are. */
sy_status sy_suite_find_implementation(const sy_suite *suite, const char *name, uint32_t *ret_variant,
                                       sy_error *err) SY_NODISCARD;

/* The suite's one reference; the suite is well-formed. */
uint32_t sy_suite_reference(const sy_suite *suite);

#endif
