/* SPDX-License-Identifier: Apache-2.0 */
/* The floor of the contract: status codes, the error object, the log sink, the library's version. */
#ifndef STEELYARD_BASE_H
#define STEELYARD_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SY_NODISCARD __attribute__((warn_unused_result))
#define SY_PRINTF(format_index, first_index) __attribute__((format(printf, format_index, first_index)))
#define SY_API __attribute__((visibility("default")))
#else
#define SY_NODISCARD
#define SY_PRINTF(format_index, first_index)
#define SY_API
#endif

#define SY_VERSION_MAJOR 0
#define SY_VERSION_MINOR 1
#define SY_VERSION_PATCH 0
#define SY_VERSION "0.1.0"

/* A quiet NaN without <math.h>: "not given", "not known". */
#define SY_NAN (__builtin_nan(""))

/* Every status: name, value, the word that JSON and messages use, what the caller can do next.
 * Values never change; new ones are appended. docs/errors.md is made from this list. */
#define SY_STATUS_LIST(X)                                                                          \
    X(OK, 0, "ok", "nothing: it worked")                                                           \
    X(INVALID_ARGUMENT, 1, "invalid-argument", "mend the call: the error names the argument")      \
    X(NOT_FOUND, 2, "not-found", "nothing is there by that name or key")                           \
    X(CORRUPT, 3, "corrupt", "the data is damaged at the position given; repair or restore it")    \
    X(VERSION_UNSUPPORTED, 4, "version-unsupported", "use a newer steelyard, or convert the file") \
    X(IDENTITY_MISMATCH, 5, "identity-mismatch", "measured elsewhere: probe again here")           \
    X(STALE, 6, "stale", "expired or outdated: probe again")                                       \
    X(BUSY, 7, "busy", "another process holds it; wait, or raise the time-out")                    \
    X(UNAVAILABLE, 8, "unavailable", "install or plug in what the error names")                    \
    X(REFUSED, 9, "refused", "a rule forbids it: the error names the rule")                        \
    X(IO, 10, "io", "the operating system refused: disk, permission or device")                    \
    X(NO_MEMORY, 11, "no-memory", "free memory, or ask for less")                                  \
    X(LIMIT_EXCEEDED, 12, "limit-exceeded", "raise the limit that the error names")                \
    X(POLICY_REJECTED, 13, "policy-rejected", "the policy's validator said no")                    \
    X(TIMED_OUT, 14, "timed-out", "raise the deadline, or look at what hangs")                     \
    X(INTERRUPTED, 15, "interrupted", "asked to stop: what was done so far is reported")           \
    X(DIED, 16, "died", "a worker process ended by itself; its signal or exit code is given")

typedef enum sy_status {
#define SY_STATUS_ENUM(name, value, word, advice) SY_##name = value,
    SY_STATUS_LIST(SY_STATUS_ENUM)
#undef SY_STATUS_ENUM
} sy_status;

/* The status's stable word ("not-found"); "unknown" for a value that is not in the list. */
SY_API const char *sy_status_word(sy_status status);
/* One clause on what the caller can do next; "" for a value that is not in the list. */
SY_API const char *sy_status_advice(sy_status status);

/* Where in a text or file: all 0 when it does not apply. line and column count from 1, offset from 0 (bytes). */
typedef struct sy_position {
    uint64_t offset;
    uint32_t line;
    uint32_t column;
} sy_position;

/* A caller-owned account of one failure. what: the object and the reason, lower case, no period. hint: what to do,
 * may be "". A function that returns non-OK fills it when err is not NULL; on success it is left untouched. */
typedef struct sy_error {
    sy_status status;
    char what[256];
    char hint[256];
    sy_position position;
} sy_error;

#define SY_ERROR_INIT  \
    {                  \
        SY_OK, "", "", \
        {              \
            0, 0, 0    \
        }              \
    }

typedef enum sy_log_level { SY_LOG_DEBUG, SY_LOG_INFO, SY_LOG_WARNING, SY_LOG_ERROR } sy_log_level;

/* Receives one message without a newline. Called on the thread that logs; calls never overlap. */
typedef void (*sy_log_fn)(void *user, sy_log_level level, const char *message);

/* Installs the process's log sink; NULL (the default) drops every message. The library prints nothing itself. */
SY_API void sy_log_set_sink(sy_log_fn sink, void *user);

/* Frees a text that a function of this library returned; NULL is allowed. */
SY_API void sy_text_free(char *text);

/* Reads a point in time: ISO 8601 with Z or +hh:mm, an optional fraction of a second is cut off:
 * "2026-12-31T18:00:00Z". *ret_utc_s: seconds since 1970-01-01T00:00:00Z. SY_INVALID_ARGUMENT when there is no zone or
 * the date does not exist. */
SY_API sy_status sy_time_parse_utc(const char *text, int64_t *ret_utc_s, sy_error *err) SY_NODISCARD;

/* "0.1.0": the version of the library that runs, which may be newer than SY_VERSION of the header. */
SY_API const char *sy_version(void);

#ifdef __cplusplus
}
#endif
#endif
