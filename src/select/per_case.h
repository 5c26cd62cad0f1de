/* SPDX-License-Identifier: Apache-2.0 */
/* A request as one, and case by case. */
#ifndef STEELYARD_SELECT_PER_CASE_H
#define STEELYARD_SELECT_PER_CASE_H

#include "select/selector.h"

/* The request for one of its cases, under the case's properties as structure; the caller frees *ret_structure. */
sy_status sy_request_of_case(const sy_request *request, const sy_case *c, sy_request *ret_one,
                             sy_property **ret_structure, sy_error *err) SY_NODISCARD;

/* sy_select of the joined key; with per_case of a request that has one case and its structure. */
sy_status sy_select_one(sy_selector *selector, const sy_request *request, sy_selection *ret_selection,
                        sy_error *err) SY_NODISCARD;

/* The same for sy_selector_explain. */
sy_status sy_explain_one(sy_selector *selector, const sy_request *request, sy_selection *ret_selection,
                         sy_error *err) SY_NODISCARD;

/* sy_select of each case by itself. The joined answer is that of the heaviest case; `why` has a line for each. A case
 * without an answer does not keep the others from being asked; the first such error is returned. */
sy_status sy_select_per_case(sy_selector *selector, const sy_request *request, sy_selection *ret_selection,
                             sy_error *err) SY_NODISCARD;
sy_status sy_explain_per_case(sy_selector *selector, const sy_request *request, sy_selection *ret_selection,
                              sy_error *err) SY_NODISCARD;

#endif
