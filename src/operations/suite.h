/* SPDX-License-Identifier: Apache-2.0 */
/* Asking of a suite: is it well-formed, and which of its cases does a list of words mean. */
#ifndef STEELYARD_OPERATIONS_SUITE_H
#define STEELYARD_OPERATIONS_SUITE_H

#include <steelyard/suite.h>

/* Refuses a malformed suite: SY_INVALID_ARGUMENT, what names the suite, the implementation or case and the reason. */
sy_status sy_suite_check(const sy_suite *suite, sy_error *err) SY_NODISCARD;

/* The implementation of that name. SY_NOT_FOUND: the hint lists the names there are. */
sy_status sy_suite_find_implementation(const sy_suite *suite, const char *name, uint32_t *ret_variant,
                                       sy_error *err) SY_NODISCARD;

/* The suite's one reference; the suite is well-formed. */
uint32_t sy_suite_reference(const sy_suite *suite);

/* The tolerance that a case holds an implementation of that class to, and whether there is one for class `tolerance`
 * alone. */
const sy_tolerance *sy_case_tolerance(const sy_case *c, sy_error_class error_class);
bool sy_case_has_relaxed(const sy_case *c);

#endif
