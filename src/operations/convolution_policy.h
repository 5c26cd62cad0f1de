/* SPDX-License-Identifier: Apache-2.0 */
/* Direct or im2col convolution on devices that are known. The rows name the implementations "direct" and "im2col": a
 * suite that uses sy_convolution_shortcut has them under these names, and the cases of convolution.h. */
#ifndef STEELYARD_OPERATIONS_CONVOLUTION_POLICY_H
#define STEELYARD_OPERATIONS_CONVOLUTION_POLICY_H

#include "operations/policy.h"

extern const sy_policy sy_convolution_policy;

/* A suite's shortcut: SY_OK always. user is not looked at. */
sy_status sy_convolution_shortcut(void *user, const sy_shortcut_question *question, sy_shortcut *ret_shortcut,
                                  sy_error *err) SY_NODISCARD;

#endif
