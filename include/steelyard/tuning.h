/* SPDX-License-Identifier: Apache-2.0 */
/* Results of other tuners as profiles of kind `imported`, which are never selected until they were probed here; the
 * way back into the tuners' own files; and what is suspicious in a file of decisions. Nothing is stored here:
 * sy_store_adopt does that. What each file looks like and which key a profile gets: docs/importing.md. */
#ifndef STEELYARD_TUNING_H
#define STEELYARD_TUNING_H

#include <steelyard/finding.h>
#include <steelyard/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

/* value: word */
#define SY_TUNING_FORMAT_LIST(X)    \
    X(AUTO, "auto")                 \
    X(TUNABLE_OP, "tunableop")      \
    X(MIOPEN, "miopen")             \
    X(MIOPEN_1, "miopen-1")         \
    X(KERNEL_TUNER, "kernel-tuner") \
    X(T4, "t4")                     \
    X(PROFILES, "profiles") /* our own */

typedef enum sy_tuning_format {
#define SY_TUNING_FORMAT_ENUM(name, word) SY_TUNING_##name,
    SY_TUNING_FORMAT_LIST(SY_TUNING_FORMAT_ENUM)
#undef SY_TUNING_FORMAT_ENUM
} sy_tuning_format;

SY_API const char *sy_tuning_format_word(sy_tuning_format format); /* "tunableop"; "unknown" outside the list */
SY_API bool sy_tuning_format_read(const char *word, sy_tuning_format *ret_format); /* false: no such word */

/* A winner of a file, as a profile: portable, kind imported, with its time where the file has one that can be true. */
typedef struct sy_tuned {
    sy_profile profile;
    sy_position position; /* of its entry in the file */
} sy_tuned;

typedef struct sy_tuning {
    sy_tuning_format format; /* never AUTO; MIOPEN_1: the first record is of that version */
    const sy_tuned *list;    /* in the file's order, each key once */
    size_t count;
    size_t entry_count; /* lines or configurations that the file has */
    size_t passed_over; /* entries of which nothing was taken: each has its finding or note */
    /* What was passed over or is not to be believed, the first 10000 by rule: "tuning-time", "tuning-duplicate" ...;
     * notes are what a reader should know. */
    sy_finding_list findings;
    size_t finding_total;
    void *owner; /* private */
} sy_tuning;

/* What a file does not tell, or tells otherwise than the caller knows. */
typedef struct sy_tuning_options {
    size_t struct_size;
    sy_tuning_format format; /* AUTO: found by content */
    const char *backend;     /* NULL = as the file tells, else the tuner's name */
    const char *operator_name;
    const char *implementation_version; /* NULL = as the file tells, else "unknown" */
    size_t alternatives_max;            /* of a profile, the fastest first */
    double margin;                      /* of a lint: by how much a larger problem must be faster to be suspicious */
    uint64_t limit_bytes;               /* of the text, unpacked; 0 = no limit */
} sy_tuning_options;

#define SY_TUNING_OPTIONS_INIT                                                            \
    {                                                                                     \
        .struct_size = sizeof(sy_tuning_options), .alternatives_max = 16, .margin = 0.10, \
        .limit_bytes = (uint64_t)256 << 20                                                \
    }

/* Reads a file, plain or gzip; path "-" is standard input. options may be NULL. What cannot be understood is passed
 * over with a finding. The caller destroys *ret_tuning. SY_CORRUPT: nothing of it can be read, with the position;
 * SY_INVALID_ARGUMENT: the format is none that is known, or our own, which sy_store reads; SY_LIMIT_EXCEEDED,
 * SY_UNAVAILABLE (gzip, in a build without zlib), SY_NOT_FOUND, SY_IO, SY_NO_MEMORY. */
SY_API sy_status sy_tuning_read(const char *path, const sy_tuning_options *options, sy_tuning **ret_tuning,
                                sy_error *err) SY_NODISCARD;
/* The same of bytes in memory; name is the file of the findings. */
SY_API sy_status sy_tuning_parse(const void *bytes, size_t size, const char *name, const sy_tuning_options *options,
                                 sy_tuning **ret_tuning, sy_error *err) SY_NODISCARD;
SY_API void sy_tuning_destroy(sy_tuning *tuning); /* NULL is allowed */

/* ---- the way back ---- */

/* A profile that a foreign file cannot hold, and why. */
typedef struct sy_tuning_unwritten {
    const sy_profile *profile; /* borrowed from the call's list */
    const char *why;           /* "its policy is no set of parameters" */
} sy_tuning_unwritten;

typedef struct sy_tuning_text {
    const char *text;
    size_t size;
    size_t written; /* profiles */
    const sy_tuning_unwritten *unwritten;
    size_t unwritten_count;
    size_t alternatives_left_out; /* of those written: the format has no place for them */
    void *owner;                  /* private */
} sy_tuning_text;

/* A file of that format with those of the profiles that it can hold, in their order: what is read from it again has
 * the same winners under the same keys. The caller destroys *ret_text. SY_INVALID_ARGUMENT: AUTO or PROFILES;
 * SY_NO_MEMORY. */
SY_API sy_status sy_tuning_write(sy_tuning_format format, const sy_profile *const *profiles, size_t count,
                                 sy_tuning_text **ret_text, sy_error *err) SY_NODISCARD;
SY_API void sy_tuning_text_destroy(sy_tuning_text *text); /* NULL is allowed */

/* ---- lint ---- */

typedef struct sy_tuning_lint {
    sy_tuning_format format;
    size_t entry_count;
    size_t profile_count;
    sy_finding_list findings; /* those of the reading, and what is suspicious; the first 10000 */
    size_t finding_total;
    void *owner; /* private */
} sy_tuning_lint;

/* Reads a file of any of the formats, our own too, and tells what is suspicious in it: docs/importing.md, "Lint", has
 * the rules. Errors as sy_tuning_read's; a damaged file of ours is told by findings. The caller destroys *ret_lint. */
SY_API sy_status sy_tuning_lint_file(const char *path, const sy_tuning_options *options, sy_tuning_lint **ret_lint,
                                     sy_error *err) SY_NODISCARD;
SY_API sy_status sy_tuning_lint_text(const void *bytes, size_t size, const char *name, const sy_tuning_options *options,
                                     sy_tuning_lint **ret_lint, sy_error *err) SY_NODISCARD;
SY_API void sy_tuning_lint_destroy(sy_tuning_lint *lint); /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
