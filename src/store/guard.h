/* SPDX-License-Identifier: Apache-2.0 */
/* What a writer of a store's file holds while it reads, merges and replaces it. */
#ifndef STEELYARD_STORE_GUARD_H
#define STEELYARD_STORE_GUARD_H

#include <stdint.h>
#include <steelyard/base.h>

#include "base/lock.h"

typedef struct sy_store_guard {
    sy_lock *lock;
    int mounted; /* descriptor of the file itself, locked too; -1 = it is no mount point */
} sy_store_guard;

#define SY_STORE_GUARD_INIT \
    {                       \
        NULL, -1            \
    }

/* Takes `<path>.lock`, and where something is mounted on path the file's own lock behind it: the folder around a mount
 * point, and with it the lock beside the file, belongs to one container, while the file is shared by all that it is
 * bound into. path: resolved. SY_BUSY, SY_IO, SY_NO_MEMORY. */
sy_status sy_store_guard_take(const char *path, uint64_t timeout_ns, sy_store_guard *ret_guard,
                              sy_error *err) SY_NODISCARD;
void sy_store_guard_release(sy_store_guard *guard); /* one that was not taken is allowed */

#endif
