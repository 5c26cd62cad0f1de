/* SPDX-License-Identifier: Apache-2.0 */
/* The ids of runs that we make. */
#ifndef STEELYARD_EVIDENCE_RUN_ID_H
#define STEELYARD_EVIDENCE_RUN_ID_H

#include <steelyard/base.h>

#include "base/clock.h"

#define SY_RUN_ID_SIZE 23

/* "20261129-233000-a1b2c3": the clock's UTC time, for people, and six drawn hexadecimal digits. Whether the id is new
 * is the ledger's to say. SY_IO: no entropy; SY_INVALID_ARGUMENT: the clock is outside of the years 0 to 9999. */
sy_status sy_run_id_draw(const sy_clock *clock, char ret_id[SY_RUN_ID_SIZE], sy_error *err) SY_NODISCARD;

#endif
