/* SPDX-License-Identifier: Apache-2.0 */
/* The ledger: an append-only chain of events, each with the SHA-256 of the one before, that remembers every run; the
 * samples and files that belong to them. Nothing is ever changed or deleted. One thread at a time; any number of
 * processes. */
#ifndef STEELYARD_LEDGER_H
#define STEELYARD_LEDGER_H

#include <steelyard/run.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sy_ledger sy_ledger;

typedef struct sy_ledger_options {
    size_t struct_size;
    const char *folder; /* holds ledger.sqlite and artifacts/; NULL = in memory, gone with the object */
    bool create;        /* makes what is missing, the folder too, mode 0700 */
    bool read_only;
    uint64_t wait_ns; /* for other writers; then SY_BUSY */
} sy_ledger_options;

#define SY_LEDGER_OPTIONS_INIT                                                                  \
    {                                                                                           \
        .struct_size = sizeof(sy_ledger_options), .wait_ns = UINT64_C(60000000000), .create = 0 \
    }

/* SY_NOT_FOUND: none is there, and it is not to be made. SY_VERSION_UNSUPPORTED: a newer steelyard wrote it.
 * SY_CORRUPT, SY_BUSY, SY_IO, SY_NO_MEMORY. An older one is brought up to date, unless read_only: then it is read as it
 * is. */
SY_API sy_status sy_ledger_open(const sy_ledger_options *options, sy_ledger **ret_ledger, sy_error *err) SY_NODISCARD;
SY_API void sy_ledger_close(sy_ledger *ledger); /* NULL is allowed */

typedef struct sy_ledger_head {
    uint64_t number; /* of the last event; 0 = the ledger is empty */
    char digest[65]; /* its SHA-256; all zeros for an empty one */
    char ledger[33]; /* the ledger's own id, drawn when it was made */
} sy_ledger_head;

SY_API sy_status sy_ledger_read_head(sy_ledger *ledger, sy_ledger_head *ret_head, sy_error *err) SY_NODISCARD;

/* ---- runs ---- */

/* NULL or 0 = any. Texts are whole; key_digest may be cut to 8 digits or more. */
typedef struct sy_run_filter {
    size_t struct_size;
    unsigned statuses; /* bits 1u << sy_run_status */
    unsigned kinds;    /* bits 1u << sy_run_kind */
    unsigned verdicts; /* bits 1u << sy_judgement_word, of the last verdict: judged runs alone */
    const char *gate;
    const char *cell;
    const char *tier;
    const char *device;
    const char *key_digest;
    const char *revision; /* cut to 7 digits or more */
    const char *origin;
    bool accepted_only;
    uint64_t before_number; /* only runs that began before that event: the next page */
    size_t limit;           /* 0 = all */
} sy_run_filter;

#define SY_RUN_FILTER_INIT                   \
    {                                        \
        .struct_size = sizeof(sy_run_filter) \
    }

typedef struct sy_run_list {
    const sy_run_row *rows; /* the newest first */
    size_t row_count;
    uint64_t total_count; /* that the filter lets through, whatever its limit and before_number */
    void *owner;          /* private */
} sy_run_list;

/* filter may be NULL. The caller destroys *ret_list. SY_IO, SY_CORRUPT, SY_NO_MEMORY. */
SY_API sy_status sy_ledger_runs(sy_ledger *ledger, const sy_run_filter *filter, sy_run_list **ret_list,
                                sy_error *err) SY_NODISCARD;
SY_API void sy_run_list_destroy(sy_run_list *list); /* NULL is allowed */

/* One run with all that was said of it. id: whole, or the beginning of one id alone (4 characters or more), or "last".
 * SY_NOT_FOUND, SY_INVALID_ARGUMENT: the beginning of several, which the hint names. The caller destroys *ret_run. */
SY_API sy_status sy_ledger_run(sy_ledger *ledger, const char *id, sy_run **ret_run, sy_error *err) SY_NODISCARD;

/* The samples of a series by its digest, in order; NaN = unusable. The caller frees *ret_samples with
 * sy_samples_free. SY_NOT_FOUND, SY_CORRUPT: they do not have that digest. */
SY_API sy_status sy_ledger_samples(sy_ledger *ledger, const char *digest, double **ret_samples, size_t *ret_count,
                                   sy_error *err) SY_NODISCARD;
SY_API void sy_samples_free(double *samples); /* NULL is allowed */

/* Figures of one series of a run, or of one memory figure, without the samples: what sessions are compared by. */
typedef struct sy_figure_row {
    const char *run;     /* its id */
    uint64_t run_number; /* of the event that began it */
    bool is_memory;
    const char *name; /* of the series, or of the memory figure */
    const char *unit;
    const char *case_name;
    const char *implementation;
    sy_series_role role;
    bool higher_is_better;
    uint64_t usable_count; /* of a memory figure 1 */
    double p50;            /* nearest rank; of a memory figure its bytes, as all of these; NaN = none is usable */
    double p95;
    double minimum;
    double maximum;
    sy_memory_basis basis; /* of a memory figure */
    sy_memory_scope scope;
} sy_figure_row;

typedef struct sy_figure_list {
    const sy_figure_row *rows; /* in the order of runs, the oldest first, then as they were recorded */
    size_t row_count;
    void *owner; /* private */
} sy_figure_list;

/* The figures of all runs that the filter lets through (its limit and before_number count runs, the newest first).
 * filter may be NULL. The caller destroys *ret_list. SY_IO, SY_CORRUPT, SY_NO_MEMORY. */
SY_API sy_status sy_ledger_figures(sy_ledger *ledger, const sy_run_filter *filter, sy_figure_list **ret_list,
                                   sy_error *err) SY_NODISCARD;
SY_API void sy_figure_list_destroy(sy_figure_list *list); /* NULL is allowed */

/* The self-tests of gates, the newest first; gate: NULL = of all. numbers: of their events. */
typedef struct sy_selftest_list {
    const sy_gate_selftest *tests;
    const uint64_t *numbers;
    const int64_t *at_utc_s;
    size_t test_count;
    void *owner; /* private */
} sy_selftest_list;

SY_API sy_status sy_ledger_selftests(sy_ledger *ledger, const char *gate, sy_selftest_list **ret_list,
                                     sy_error *err) SY_NODISCARD;
SY_API void sy_selftest_list_destroy(sy_selftest_list *list); /* NULL is allowed */

/* Changes that histories have reported, in the order of their events; line: NULL = of all. runs: the first after each.
 * A change whose state became another one is there again, see sy_run_change.refers. */
typedef struct sy_change_row {
    uint64_t number; /* of its event */
    const char *run;
    sy_run_change change;
} sy_change_row;

typedef struct sy_change_rows {
    const sy_change_row *rows;
    size_t row_count;
    void *owner; /* private */
} sy_change_rows;

SY_API sy_status sy_ledger_changes(sy_ledger *ledger, const char *line, sy_change_rows **ret_rows,
                                   sy_error *err) SY_NODISCARD;
SY_API void sy_change_rows_destroy(sy_change_rows *rows); /* NULL is allowed */

/* Sessions of one comparison key. */
typedef struct sy_key_row {
    const char *key_digest; /* "" = those of an incomplete key, each alone: they equal nothing */
    sy_comparison_key key;  /* of the newest of them */
    const char *cell;
    uint64_t session_count;  /* of any status */
    uint64_t accepted_count; /* a baseline begins with five */
    const char *newest;      /* its id */
    uint64_t failed_count;   /* of the sessions: they measured nothing, or nothing that counts */
} sy_key_row;

typedef struct sy_key_list {
    const sy_key_row *rows; /* the one with the newest run first */
    size_t row_count;
    void *owner; /* private */
} sy_key_list;

/* Complete keys alone unless incomplete_too. The caller destroys *ret_list. */
SY_API sy_status sy_ledger_keys(sy_ledger *ledger, const sy_run_filter *filter, bool incomplete_too,
                                sy_key_list **ret_list, sy_error *err) SY_NODISCARD;
SY_API void sy_key_list_destroy(sy_key_list *list); /* NULL is allowed */

/* ---- kept files ---- */

/* Keeps bytes under their digest; the same bytes are kept once. SY_IO, SY_REFUSED (read only), SY_NO_MEMORY. */
SY_API sy_status sy_ledger_keep(sy_ledger *ledger, const void *bytes, size_t size, char ret_digest[65],
                                sy_error *err) SY_NODISCARD;
/* The bytes of that digest. The caller frees *ret_bytes with sy_text_free. SY_NOT_FOUND, SY_CORRUPT: they are there and
 * have another digest. */
SY_API sy_status sy_ledger_fetch(sy_ledger *ledger, const char *digest, char **ret_bytes, size_t *ret_size,
                                 sy_error *err) SY_NODISCARD;

/* ---- proof ---- */

/* One thing that is not as it was written. */
typedef struct sy_ledger_fault {
    uint64_t number;  /* of the event; 0 = of the ledger as a whole */
    const char *what; /* stable word: "changed", "missing", "out-of-order", "not-chained", "samples", "artifact",
                         "illegal", "list", "truncated", "rewritten", "damaged" (the database itself) */
    const char *message;
} sy_ledger_fault;

/* A kept file that is not here: it may be in another archive. */
typedef struct sy_ledger_missing {
    uint64_t number; /* of the event that names it first */
    const char *digest;
} sy_ledger_missing;

typedef struct sy_ledger_verdict {
    uint64_t event_count;
    uint64_t run_count;
    uint64_t series_count;
    uint64_t sample_count;
    uint64_t artifact_count;     /* that events name, each once */
    uint64_t unverified_count;   /* of them, whose bytes are not here: no fault */
    uint64_t anchor_count;       /* that were held against it */
    uint64_t last_anchor_number; /* the newest event that an anchor vouches for; 0 = unanchored */
    sy_ledger_head head;
    const sy_ledger_fault *faults; /* in order of events, at most 1000 */
    size_t fault_count;
    uint64_t fault_total;
    const char *const *notes; /* "the clock went back by 3600 s at event 12" */
    size_t note_count;
    const sy_ledger_missing *missing; /* the first of the unverified, in order of events, at most 5 */
    size_t missing_count;
    void *owner; /* private */
} sy_ledger_verdict;

typedef struct sy_ledger_verify_options {
    size_t struct_size;
    const char *anchors; /* a file of sy_ledger_anchor; NULL = none */
    void (*progress)(void *user, uint64_t done, uint64_t total);
    bool (*cancelled)(void *user); /* SY_INTERRUPTED */
    void *user;
} sy_ledger_verify_options;

#define SY_LEDGER_VERIFY_OPTIONS_INIT                   \
    {                                                   \
        .struct_size = sizeof(sy_ledger_verify_options) \
    }

/* Walks all of it: every event's bytes against its digest and the one before, every run's life, the samples and files
 * that events name, the lists against the events. SY_OK whatever is found; the caller destroys *ret_verdict.
 * SY_CORRUPT: it cannot be walked at all, SY_IO, SY_NO_MEMORY, SY_INTERRUPTED. */
SY_API sy_status sy_ledger_verify(sy_ledger *ledger, const sy_ledger_verify_options *options,
                                  sy_ledger_verdict **ret_verdict, sy_error *err) SY_NODISCARD;
SY_API void sy_ledger_verdict_destroy(sy_ledger_verdict *verdict); /* NULL is allowed */

/* Appends a line with the head's number and digest to a file that is kept elsewhere, under version control: what was
 * cut off or written anew before it is found by sy_ledger_verify. SY_REFUSED: the file vouches for events that this
 * ledger does not have. */
SY_API sy_status sy_ledger_anchor(sy_ledger *ledger, const char *path, sy_ledger_head *ret_head,
                                  sy_error *err) SY_NODISCARD;

/* ---- as lines ---- */

/* What an export wrote. */
typedef struct sy_ledger_exported {
    sy_ledger_head head; /* its last event */
    uint64_t run_count;
    uint64_t series_count;   /* whose samples were written, each once */
    uint64_t artifact_count; /* whose bytes were */
    uint64_t byte_count;
} sy_ledger_exported;

/* All of it as JSON lines (docs/formats.md, "steelyard.ledger/1"), through write, in pieces. artifacts_too: the kept
 * files as well. ret_exported may be NULL. */
SY_API sy_status sy_ledger_export(sy_ledger *ledger, bool artifacts_too,
                                  sy_status (*write)(void *user, const void *bytes, size_t size, sy_error *err),
                                  void *user, sy_ledger_exported *ret_exported, sy_error *err) SY_NODISCARD;
/* The same into a file, durably: nobody sees it before it is whole. */
SY_API sy_status sy_ledger_export_file(sy_ledger *ledger, bool artifacts_too, const char *path,
                                       sy_ledger_exported *ret_exported, sy_error *err) SY_NODISCARD;
/* Rebuilds a ledger with the same digests from such lines, into an empty one, or goes on where an older copy of the
 * same one ends. All or nothing. read: up to size bytes, 0 at the end. SY_CORRUPT with the line, SY_REFUSED: another
 * ledger, or one that went another way. ret_count: events that were added. */
SY_API sy_status sy_ledger_import(sy_ledger *ledger,
                                  sy_status (*read)(void *user, void *bytes, size_t size, size_t *ret_size,
                                                    sy_error *err),
                                  void *user, uint64_t *ret_count, sy_error *err) SY_NODISCARD;

#ifdef __cplusplus
}
#endif
#endif
