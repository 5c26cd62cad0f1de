/* SPDX-License-Identifier: Apache-2.0 */
/* Which of two profiles of one key, kind and time is kept. */
#ifndef STEELYARD_STORE_CONTENT_ORDER_H
#define STEELYARD_STORE_CONTENT_ORDER_H

#include <steelyard/store.h>

/* < 0, 0 (they say the same), > 0: a total order over policies, figures, evidence and texts. */
int sy_profile_content_order(const sy_profile *a, const sy_profile *b);

#endif
