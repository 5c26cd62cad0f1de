/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of leases that runs of this ledger had. */
#include "evidence/lease/fence.h"

#include <string.h>

#define RUNS_LOOKED_AT 200 /* the newest on a device */

sy_status sy_fence_highest(sy_ledger *ledger, const char *device, const char *host, uint64_t *ret_fence, sy_error *err)
{
    sy_run_filter filter = SY_RUN_FILTER_INIT;
    sy_run_list *list = NULL;
    uint64_t highest = 0;

    filter.device = device;
    filter.limit = RUNS_LOOKED_AT;
    sy_status status = sy_ledger_runs(ledger, &filter, &list, err);
    if (status != SY_OK)
        return status;
    for (size_t i = 0; i < list->row_count; i++) {
        const sy_run_row *row = &list->rows[i];

        if (row->fence > highest && (host == NULL || strcmp(row->host, host) == 0))
            highest = row->fence;
    }
    sy_run_list_destroy(list);
    *ret_fence = highest;
    return SY_OK;
}

bool sy_fence_was_passed(sy_ledger *ledger, const char *device, const char *host, uint64_t fence)
{
    uint64_t highest = 0;

    return sy_fence_highest(ledger, device, host, &highest, NULL) != SY_OK || highest > fence;
}
