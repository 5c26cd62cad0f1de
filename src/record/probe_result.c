/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a probe's result. Its runner builds it, whole, inside the arena that `owner` names. */
#include <steelyard/record.h>

#include "base/arena.h"

void sy_probe_result_destroy(sy_probe_result *result)
{
    if (result != NULL)
        sy_arena_destroy(result->owner);
}
