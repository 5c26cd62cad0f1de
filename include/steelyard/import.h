/* SPDX-License-Identifier: Apache-2.0 */
/* What other benchmark tools measured, read from the files they write: units and directions made the same, raw samples
 * kept, failures kept as failures, and an account of all that was not understood. Nothing is recorded here:
 * sy_project_import does that. */
#ifndef STEELYARD_IMPORT_H
#define STEELYARD_IMPORT_H

#include <steelyard/run.h>

#ifdef __cplusplus
extern "C" {
#endif

/* value: word */
#define SY_IMPORT_FORMAT_LIST(X)            \
    X(AUTO, "auto")                         \
    X(GOOGLE_BENCHMARK, "google-benchmark") \
    X(HYPERFINE, "hyperfine")               \
    X(NVBENCH, "nvbench")                   \
    X(PYTEST_BENCHMARK, "pytest-benchmark") \
    X(LLAMA_BENCH, "llama-bench")           \
    X(ASV, "asv")                           \
    X(GO, "go")

typedef enum sy_import_format {
#define SY_IMPORT_FORMAT_ENUM(name, word) SY_IMPORT_##name,
    SY_IMPORT_FORMAT_LIST(SY_IMPORT_FORMAT_ENUM)
#undef SY_IMPORT_FORMAT_ENUM
} sy_import_format;

SY_API const char *sy_import_format_word(sy_import_format format); /* "hyperfine"; "unknown" outside the list */
SY_API bool sy_import_format_read(const char *word, sy_import_format *ret_format); /* false: no such word */

/* One benchmark with its parameters: it becomes one run. */
typedef struct sy_imported_row {
    const char *name;                /* as the tool has it */
    const sy_named_text *parameters; /* in the file's order; values as texts */
    size_t parameter_count;
    bool failed;                 /* the tool says that it went wrong, or no figure of it is a number */
    const char *reason;          /* why: "real_time: NaN", "RuntimeError: ..."; "" */
    const sy_run_series *series; /* seconds, bytes or the tool's own unit; digest and figures not filled yet */
    size_t series_count;
    const sy_named_text *facts; /* fields of a comparison key that the row tells: "source_revision", "precision" */
    size_t fact_count;
    const char *const *notes; /* "library built without optimisation (debug)" */
    size_t note_count;
    sy_position position; /* in the file */
    const char *time;     /* when this row was measured, where the file says it row by row; "" = as the file */
    bool zone_known;      /* of time: false = it is in an unknown zone and orders nothing */
} sy_imported_row;

/* Something in the file that was not understood and is kept nowhere, or not whole. */
typedef struct sy_import_reject {
    sy_position position;
    const char *pointer; /* RFC 6901 in a JSON file, else "" */
    const char *what;    /* "missing iteration count" */
} sy_import_reject;

typedef struct sy_imported {
    sy_import_format format; /* never AUTO */
    const char *bytes;       /* the file's, as they were read: still packed, if it was */
    size_t size;
    char digest[65]; /* SHA-256 of these bytes */
    const sy_imported_row *rows;
    size_t row_count;
    const sy_import_reject *rejects;
    size_t reject_count;
    const char *const *notes; /* what a reader should know of the file as a whole */
    size_t note_count;
    const char *host; /* "" = the file does not tell, as below */
    const char *device;
    const char *tool; /* with its version: "hyperfine 1.15.0" */
    const char *revision;
    const char *branch;
    int dirty;                  /* 1, 0, -1 = unknown */
    const char *time;           /* as the file has it */
    bool zone_known;            /* false: time is in an unknown zone */
    const sy_named_text *facts; /* of a comparison key, of every row that does not say otherwise */
    size_t fact_count;
    const sy_named_text *settings; /* more that the file says of machine and build, as texts */
    size_t setting_count;
    void *owner; /* private */
} sy_imported;

typedef struct sy_import_options {
    size_t struct_size;
    sy_import_format format; /* AUTO: found by content; SY_INVALID_ARGUMENT when it is none of them */
    const char *units;       /* of asv: the text of benchmarks.json, which has units and versions; NULL = not given */
    const char *samples_folder; /* of nvbench --jsonbin: where its .bin files are; NULL = beside the file */
    uint64_t limit_bytes;       /* of the text; 0 = no limit */
} sy_import_options;

#define SY_IMPORT_OPTIONS_INIT                                                       \
    {                                                                                \
        .struct_size = sizeof(sy_import_options), .limit_bytes = (uint64_t)256 << 20 \
    }

/* Reads a file, plain or gzip; path "-" is standard input. options may be NULL. What could be read is in rows, all else
 * in rejects. SY_CORRUPT: nothing of it could be read, with the position; SY_INVALID_ARGUMENT: the format is not known,
 * or UTF-16; SY_LIMIT_EXCEEDED, SY_NOT_FOUND, SY_IO, SY_NO_MEMORY. The caller destroys *ret_imported. */
SY_API sy_status sy_import_read(const char *path, const sy_import_options *options, sy_imported **ret_imported,
                                sy_error *err) SY_NODISCARD;
/* The same of bytes in memory, which are copied. */
SY_API sy_status sy_import_parse(const void *bytes, size_t size, const sy_import_options *options,
                                 sy_imported **ret_imported, sy_error *err) SY_NODISCARD;
SY_API void sy_imported_destroy(sy_imported *imported); /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
