/* SPDX-License-Identifier: Apache-2.0 */
/* Flash or plain attention on devices that are known. The rows name the implementations "plain", "flash" and, where
 * sums are known to be f16, "flash-default": a suite that uses sy_attention_shortcut has them under these names, and
 * the cases of attention.h. */
#ifndef STEELYARD_OPERATIONS_ATTENTION_POLICY_H
#define STEELYARD_OPERATIONS_ATTENTION_POLICY_H

#include "operations/policy.h"

extern const sy_policy sy_attention_policy;

/* A suite's shortcut: SY_OK always. user is not looked at. */
sy_status sy_attention_shortcut(void *user, const sy_shortcut_question *question, sy_shortcut *ret_shortcut,
                                sy_error *err) SY_NODISCARD;

#endif
