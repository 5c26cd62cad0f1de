/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded timings, read from files that Steelyard or other tools wrote: configurations, each with the times of its
 * runs in the order of measurement. A recorded probe also has its final, pair by pair. Which files: docs/formats.md. */
#ifndef STEELYARD_TIMINGS_H
#define STEELYARD_TIMINGS_H

#include <steelyard/record.h>

#ifdef __cplusplus
extern "C" {
#endif

/* value: word */
#define SY_TIMINGS_FORMAT_LIST(X)   \
    X(AUTO, "auto")                 \
    X(KERNEL_TUNER, "kernel-tuner") \
    X(T4, "t4")                     \
    X(HYPERFINE, "hyperfine")       \
    X(PROBE, "probe")               \
    X(MEASURE, "measure")           \
    X(CSV, "csv")

typedef enum sy_timings_format {
#define SY_TIMINGS_FORMAT_ENUM(name, word) SY_TIMINGS_##name,
    SY_TIMINGS_FORMAT_LIST(SY_TIMINGS_FORMAT_ENUM)
#undef SY_TIMINGS_FORMAT_ENUM
} sy_timings_format;

SY_API const char *sy_timings_format_word(sy_timings_format format); /* "kernel-tuner"; "unknown" outside the list */

/* One configuration: what was run again and again. */
typedef struct sy_timing {
    const char *name;    /* "16,1,1,1"; as the file has it, unique names are not promised */
    const double *times; /* in the file's unit and order; what is no finite number is NaN */
    size_t count;
    const char *reason; /* why it has no times: "RuntimeFailedConfig"; "" when it has */
} sy_timing;

/* The final of a recorded probe: what its rule was told, round by round, and what was decided. */
typedef struct sy_recorded_final {
    sy_question question;
    sy_rule_kind rule;
    sy_isolation isolation;
    uint32_t max_pairs;
    uint32_t processes; /* fresh ones of each implementation that were asked for; each sample names its own */
    double alpha;
    double beta;
    double min_improvement;
    double margin;
    double veto;
    const double *weights; /* of the cases */
    size_t case_count;
    const sy_sample *samples; /* fed to the rule: round after round, in each the cases in their order */
    size_t sample_count;      /* a multiple of case_count */
    bool rates;               /* higher was better: the samples are reciprocals of what was recorded, to rounding */
    bool has_carry_over;
    sy_carry_over carry_over;
    double resolvable_gain; /* NaN = not measured */
    bool interrupted;
    sy_decision decision; /* as recorded, with all below */
    const char *reason;
    uint32_t pairs;
    uint32_t wins;
    double gain; /* NaN = none */
    double gain_low;
    double gain_high;
} sy_recorded_final;

typedef struct sy_timings {
    sy_timings_format format; /* never AUTO */
    const char *device;       /* as the file tells; "" = it does not */
    double unit_ns;           /* one of times, in nanoseconds; NaN = the file does not tell */
    const sy_timing *list;
    size_t count;
    const sy_recorded_final *final; /* of a probe that came to its pairs; else NULL */
    const char *const *notes;       /* what a reader should know of the file: "session not closed" ... */
    size_t note_count;
    void *owner; /* private */
} sy_timings;

typedef struct sy_timings_options {
    size_t struct_size;
    sy_timings_format format;   /* AUTO: found by content */
    const char *const *columns; /* of CSV: the columns to read, by name or by number from 1 */
    size_t column_count;        /* 0 = all that hold times */
    uint64_t limit_bytes;       /* of the text, unpacked; 0 = no limit */
} sy_timings_options;

#define SY_TIMINGS_OPTIONS_INIT                                                       \
    {                                                                                 \
        .struct_size = sizeof(sy_timings_options), .limit_bytes = (uint64_t)256 << 20 \
    }

/* Reads a file, plain or gzip; path "-" is standard input. options may be NULL. The caller destroys *ret_timings.
 * SY_CORRUPT with the position of what is wrong (a gzip stream that is cut or damaged has none), SY_LIMIT_EXCEEDED,
 * SY_VERSION_UNSUPPORTED (a format of ours from a newer version), SY_UNAVAILABLE (gzip, in a build without zlib),
 * SY_INVALID_ARGUMENT (a column that is not there), SY_NOT_FOUND, SY_IO, SY_NO_MEMORY. */
SY_API sy_status sy_timings_read(const char *path, const sy_timings_options *options, sy_timings **ret_timings,
                                 sy_error *err) SY_NODISCARD;
/* The same of bytes in memory, which are copied. */
SY_API sy_status sy_timings_parse(const void *bytes, size_t size, const sy_timings_options *options,
                                  sy_timings **ret_timings, sy_error *err) SY_NODISCARD;
/* NULL is allowed. */
SY_API void sy_timings_destroy(sy_timings *timings);

#ifdef __cplusplus
}
#endif
#endif
