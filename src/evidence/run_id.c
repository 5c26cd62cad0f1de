/* SPDX-License-Identifier: Apache-2.0 */
/* Draws ids of runs. */
#include "evidence/run_id.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"

sy_status sy_run_id_draw(const sy_clock *clock, char ret_id[SY_RUN_ID_SIZE], sy_error *err)
{
    char at[32]; /* 2026-11-29T23:30:00Z */
    char id[64];
    uint64_t drawn = 0;
    sy_status status = sy_time_format_utc(clock->utc_s(clock), at, sizeof at, err);
    if (status == SY_OK) {
        status = sy_random_seed(&drawn, err);
    }
    if (status != SY_OK) {
        return status;
    }
    int length = snprintf(id, sizeof id, "%.4s%.2s%.2s-%.2s%.2s%.2s-%06x", at, at + 5, at + 8, at + 11, at + 14,
                          at + 17, (unsigned)(drawn & 0xffffff));
    if (length != SY_RUN_ID_SIZE - 1) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "the clock stands at %s", at);
    }
    memcpy(ret_id, id, SY_RUN_ID_SIZE);
    return SY_OK;
}
