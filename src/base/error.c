/* SPDX-License-Identifier: Apache-2.0 */
/* Fills the caller's error object: formats, cuts on a character boundary, keeps the errno's name readable.
 * Decides nothing: the status is the caller's, but for the mapping from errno. */
#include "base/error.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* Formats into a buffer of a field's size. Control bytes become '?', so that a hostile file name cannot
 * speak to the terminal that shows the message. Cut on a character boundary. */
static void format_field(char *to, size_t size, const char *format, va_list arguments)
{
    char whole[1024];
    sy_format_list(whole, sizeof whole, format, arguments);
    sy_text_copy(to, size, whole);
    for (char *c = to; *c != '\0'; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f) {
            *c = '?';
        }
    }
}

static void start_error(sy_error *err, sy_status status, const char *what)
{
    err->status = status;
    sy_text_copy(err->what, sizeof err->what, what);
    err->hint[0] = '\0';
    err->position = (sy_position){0, 0, 0};
}

sy_status(sy_fail)(sy_error *err, sy_status status, const char *format, ...)
{
    assert(status != SY_OK);
    if (err != NULL) {
        char what[sizeof err->what];
        va_list arguments;
        va_start(arguments, format);
        format_field(what, sizeof what, format, arguments);
        va_end(arguments);
        start_error(err, status, what);
    }
    return status;
}

sy_status(sy_fail_errno)(sy_error *err, sy_status status, int saved_errno, const char *format, ...)
{
    assert(status != SY_OK);
    if (err != NULL) {
        const char *description = strerrordesc_np(saved_errno);
        const char *name = strerrorname_np(saved_errno);
        char reason[100];
        if (description == NULL || name == NULL) {
            snprintf(reason, sizeof reason, ": error %d", saved_errno);
        } else {
            snprintf(reason, sizeof reason, ": %s (%s)", description, name);
        }
        char what[sizeof err->what];
        va_list arguments;
        va_start(arguments, format);
        /* The reason is kept whole: a long path gives way. */
        format_field(what, sizeof what - strlen(reason), format, arguments);
        va_end(arguments);
        memcpy(what + strlen(what), reason, strlen(reason) + 1);
        start_error(err, status, what);
    }
    return status;
}

void sy_error_hint(sy_error *err, const char *format, ...)
{
    if (err == NULL) {
        return;
    }
    char hint[sizeof err->hint];
    va_list arguments;
    va_start(arguments, format);
    format_field(hint, sizeof hint, format, arguments);
    va_end(arguments);
    memcpy(err->hint, hint, sizeof hint);
}

void sy_error_at(sy_error *err, sy_position position)
{
    if (err != NULL) {
        err->position = position;
    }
}

void sy_error_prefix(sy_error *err, const char *format, ...)
{
    if (err == NULL) {
        return;
    }
    char prefix[sizeof err->what];
    va_list arguments;
    va_start(arguments, format);
    format_field(prefix, sizeof prefix, format, arguments);
    va_end(arguments);
    char joined[2 * sizeof err->what + 2];
    snprintf(joined, sizeof joined, "%s: %s", prefix, err->what);
    sy_text_copy(err->what, sizeof err->what, joined);
}

sy_status sy_status_of_errno(int saved_errno)
{
    switch (saved_errno) {
    case ENOENT:
        return SY_NOT_FOUND;
    case ENOMEM:
        return SY_NO_MEMORY;
    case EINTR:
        return SY_INTERRUPTED;
    case EAGAIN:
    case EBUSY:
        return SY_BUSY;
    case ETIMEDOUT:
        return SY_TIMED_OUT;
    default:
        return SY_IO;
    }
}
