/* SPDX-License-Identifier: Apache-2.0 */
/* Filling the caller's error object. Every helper takes err = NULL and returns the status, so that
 * `return sy_fail(err, SY_IO, ...)` is one statement. */
#ifndef STEELYARD_BASE_ERROR_H
#define STEELYARD_BASE_ERROR_H

#include <stdarg.h>
#include <steelyard/base.h>

/* Sets status and what (printf format, truncated on a character boundary); clears hint and position. Returns status. */
sy_status sy_fail(sy_error *err, sy_status status, const char *format, ...) SY_PRINTF(3, 4);

/* The same, with strerror of a saved errno appended: "<text>: No space left on device (ENOSPC)". */
sy_status sy_fail_errno(sy_error *err, sy_status status, int saved_errno, const char *format, ...) SY_PRINTF(4, 5);

/* Compilers and analysers cannot see that a call into another file returns what it was given; after these they can, and
 * know that an output which failed is not read. status is evaluated twice. */
static inline sy_status sy_fail_with(sy_status status, sy_status filled)
{
    (void)filled;
    return status;
}
#define sy_fail(err, status, ...) sy_fail_with((status), (sy_fail)((err), (status), __VA_ARGS__))
#define sy_fail_errno(err, status, saved_errno, ...) \
    sy_fail_with((status), (sy_fail_errno)((err), (status), (saved_errno), __VA_ARGS__))

/* Sets the hint of an error already filled. */
void sy_error_hint(sy_error *err, const char *format, ...) SY_PRINTF(2, 3);

/* Sets the position of an error already filled. */
void sy_error_at(sy_error *err, sy_position position);

/* Puts "<text>: " before what: who was being served when it failed. */
void sy_error_prefix(sy_error *err, const char *format, ...) SY_PRINTF(2, 3);

/* The status a failed system call maps to: EACCES, EROFS, ENOSPC, EIO... -> SY_IO; ENOENT -> SY_NOT_FOUND;
 * ENOMEM -> SY_NO_MEMORY; EINTR -> SY_INTERRUPTED; EAGAIN and EBUSY -> SY_BUSY. */
sy_status sy_status_of_errno(int saved_errno);

#endif
