/* SPDX-License-Identifier: Apache-2.0 */
/* An exclusive lock between processes: flock on a file of its own, waited for in a queue, with a time-out.
 * It is the kernel's lock, never the file's existence: a dead holder holds nothing. */
#ifndef STEELYARD_BASE_LOCK_H
#define STEELYARD_BASE_LOCK_H

#include <stdint.h>
#include <steelyard/base.h>

typedef struct sy_lock sy_lock;

/* Takes the lock at path (made if missing, never removed). timeout_ns 0: one try. The first try does not wait; then a
 * waiter thread blocks in flock, so that the kernel's queue stays fair. The holder's pid, host and time stand in the
 * file for messages only. SY_BUSY names them ("held by process 4711 on host a since ..."), SY_IO, SY_NO_MEMORY. */
sy_status sy_lock_take(const char *path, uint64_t timeout_ns, sy_lock **ret_lock, sy_error *err) SY_NODISCARD;
/* The same for the lock of a file: those who may write the file may take it, whatever the umask of who made the lock.
 * A lock that may only be read is taken all the same, and then does not name its holder; nor does one that has another
 * text or a second name. A link is refused. */
sy_status sy_lock_take_for(const char *guarded, const char *path, uint64_t timeout_ns, sy_lock **ret_lock,
                           sy_error *err) SY_NODISCARD;
void sy_lock_release(sy_lock *lock); /* NULL is allowed */

/* The same lock on a descriptor that the caller opened, for files with a text of their own: nothing is written, and
 * closing the descriptor gives it up. cancelled: NULL, or asked several times a second while it waits. SY_BUSY: not in
 * time; SY_INTERRUPTED: cancelled said so; SY_IO. */
sy_status sy_lock_descriptor(int fd, uint64_t timeout_ns, bool (*cancelled)(void *user), void *user,
                             sy_error *err) SY_NODISCARD;

#endif
