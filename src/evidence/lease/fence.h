/* SPDX-License-Identifier: Apache-2.0 */
/* What the ledger knows of the numbers that leases were given. */
#ifndef STEELYARD_EVIDENCE_LEASE_FENCE_H
#define STEELYARD_EVIDENCE_LEASE_FENCE_H

#include <steelyard/ledger.h>

/* The highest number of a lease among the 200 newest runs on the device, which is named as they name it; 0 = none has
 * one. host: of runs there; NULL = anywhere. SY_CORRUPT, SY_IO, SY_BUSY, SY_NO_MEMORY. */
sy_status sy_fence_highest(sy_ledger *ledger, const char *device, const char *host, uint64_t *ret_fence,
                           sy_error *err) SY_NODISCARD;

#endif
