/* SPDX-License-Identifier: Apache-2.0 */
/* What the ledger knows of the numbers that leases were given. */
#ifndef STEELYARD_EVIDENCE_LEASE_FENCE_H
#define STEELYARD_EVIDENCE_LEASE_FENCE_H

#include <steelyard/ledger.h>

/* The highest number of a lease among the 200 newest runs on the device, which is named as they name it; 0 = none has
 * one. host: of runs there; NULL = anywhere. SY_CORRUPT, SY_IO, SY_BUSY, SY_NO_MEMORY. */
sy_status sy_fence_highest(sy_ledger *ledger, const char *device, const char *host, uint64_t *ret_fence,
                           sy_error *err) SY_NODISCARD;

/* Whether a run on that device of that host has a number above fence: a file that was put aside and back, or leases in
 * another folder, let somebody else have the device. Also true when the ledger cannot be asked. */
bool sy_fence_was_passed(sy_ledger *ledger, const char *device, const char *host, uint64_t fence);

#endif
