/* SPDX-License-Identifier: Apache-2.0 */
/* The joined call for engines: which implementation of this operation, here, for these shapes? Answered from memory,
 * from the profile store, by a shortcut for a known architecture, or by a probe. What was proven once costs
 * nanoseconds; what is not known is written down. */
#ifndef STEELYARD_SELECT_H
#define STEELYARD_SELECT_H

#include <steelyard/probe.h>
#include <steelyard/store.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sy_select_mode {
    SY_SELECT_RECORD_MISS, /* memory, store, shortcut; a miss is one line in the file of misses, each key once */
    SY_SELECT_STORE_ONLY,  /* the same without the line */
    SY_SELECT_PROBE        /* a miss is probed, and the decision is stored; a portable hit is confirmed */
} sy_select_mode;

typedef enum sy_selection_source {
    SY_SOURCE_MEMORY,
    SY_SOURCE_STORE,
    SY_SOURCE_SHORTCUT,
    SY_SOURCE_PROBE
} sy_selection_source;

SY_API const char *sy_select_mode_word(sy_select_mode mode);             /* "record-miss" */
SY_API const char *sy_selection_source_word(sy_selection_source source); /* "store" */

/* What is asked. Started by SY_REQUEST_INIT; all is borrowed for the call. */
typedef struct sy_request {
    const sy_suite *suite;
    sy_device *device;
    const char *model_digest; /* NULL = "none" */
    const sy_case *cases;     /* NULL = the suite's own */
    size_t case_count;
    const sy_property *structure; /* for the portable ranks; NULL = exact ranks alone */
    size_t structure_count;
    const char *cache_state; /* "hot" is the only one so far; part of the key */
    sy_select_mode mode;
    bool allow_approximate; /* part of the key */
    bool force_portable;
    bool require_evidence;
    bool retry;    /* probe again although a stored answer is undecided or a reference's */
    bool per_case; /* a probe a case, each stored under the case's properties as structure */
    const sy_probe_options
        *probe; /* budget, cap, rates ... of a probe; NULL = the defaults. Its alpha is that of the first probe of a
                   key: the k-th runs at alpha 2^(1-k). cases, implementations and identity are not looked at. */
} sy_request;

#define SY_REQUEST_INIT      \
    {                        \
        .cache_state = "hot" \
    }

/* The answer. Texts live until the selector is closed. */
typedef struct sy_selection {
    const char *implementation; /* the name to use */
    sy_selection_source source;
    sy_profile_rank rank; /* when it came from the store, now or before */
    bool from_store;
    bool prior;          /* a portable answer that was not confirmed here */
    bool undecided;      /* the probe could not tell: this is the reference */
    const char *why;     /* one line a reason, in the order of the walk */
    uint32_t timed_runs; /* made by this very call: 0 unless it probed */
    const char *backend;
    const char *operator_name;
    const char *implementation_version;
    const char *model_digest; /* of the exact key, with the digest of cases and settings */
    const char *processor;
    uint32_t thread_count;
} sy_selection;

typedef struct sy_selector sy_selector;

typedef struct sy_selector_options {
    size_t struct_size;
    sy_store *store;                       /* borrowed; NULL = one of its own, opened by store_options */
    const sy_store_options *store_options; /* NULL = the defaults */
    const char *misses_path;               /* NULL = the store's path and ".misses" */
    const char *worker_path;               /* as in sy_probe_options */
    /* NULL, or gets each probe that the selector made, before its decision is stored: for a ledger, a file or nowhere.
     * A status that is not SY_OK keeps the decision from being stored and is passed through. Called on the thread that
     * asked. */
    sy_status (*record)(void *user, const sy_request *request, const sy_probe_result *result, sy_error *err);
    void *user;
} sy_selector_options;

#define SY_SELECTOR_OPTIONS_INIT                   \
    {                                              \
        .struct_size = sizeof(sy_selector_options) \
    }

/* options may be NULL. A damaged or missing store does not fail it (sy_store_open). SY_INVALID_ARGUMENT, SY_NO_MEMORY.
 */
SY_API sy_status sy_selector_open(const sy_selector_options *options, sy_selector **ret_selector,
                                  sy_error *err) SY_NODISCARD;
SY_API void sy_selector_close(sy_selector *selector); /* NULL is allowed; no other call may run */
/* The store it asks: its own or the borrowed one. */
SY_API sy_store *sy_selector_store(sy_selector *selector);

/* Thread-safe: answers from memory and store run side by side, probes one after the other. SY_NOT_FOUND: no answer (err
 * says what was nearest, and whether the miss was written down). SY_INVALID_ARGUMENT, SY_NO_MEMORY, and in mode probe
 * what sy_probe returns. A store that cannot be written is a warning to the log: the answer stands for this process. */
SY_API sy_status sy_select(sy_selector *selector, const sy_request *request, sy_selection *ret_selection,
                           sy_error *err) SY_NODISCARD;

/* Stores a finished probe of exactly these cases as sy_select would have: win, no gain, tie, parity failed,
 * unavailable; inconclusive as undecided, which expires in 7 days. Not stored: vacuous, not-slower, slower,
 * interrupted, the medians rule: SY_REFUSED says why. */
SY_API sy_status sy_selector_keep(sy_selector *selector, const sy_request *request, const sy_probe_result *result,
                                  sy_put_result *ret_put, sy_error *err) SY_NODISCARD;

/* How many probes of this request's exact key are stored so far: the next one is number + 1. 0 = none. */
SY_API sy_status sy_selector_attempts(sy_selector *selector, const sy_request *request, uint32_t *ret_attempts,
                                      sy_error *err) SY_NODISCARD;

/* Makes the request's exact key as text in an answer without asking the store: backend to thread_count are filled. */
SY_API sy_status sy_selector_key(sy_selector *selector, const sy_request *request, sy_selection *ret_key,
                                 sy_error *err) SY_NODISCARD;

/* ---- misses ---- */

typedef struct sy_work_off_options {
    uint64_t budget_ns;            /* of all probes together, inside timed regions */
    uint32_t threads;              /* 0 = as each miss says */
    const sy_probe_options *probe; /* of each; NULL = the defaults */
    /* NULL, or told of each miss after it was probed or passed over. */
    void (*each)(void *user, const char *operation, const char *backend, const sy_selection *selection,
                 sy_status status, const sy_error *err);
    void *user;
} sy_work_off_options;

typedef struct sy_work_off_result {
    uint32_t misses; /* lines that were read */
    uint32_t probed;
    uint32_t answered; /* already known by now */
    uint32_t failed;
    uint32_t left; /* budget ended before them: they stay in the file */
} sy_work_off_result;

/* Probes what a file of misses names, out of the engine's process, stores the decisions and takes the lines away that
 * are done. Devices are opened by name. SY_NOT_FOUND, SY_CORRUPT (line and column), SY_IO, SY_NO_MEMORY. */
SY_API sy_status sy_selector_work_off(sy_selector *selector, const char *misses_path,
                                      const sy_work_off_options *options, sy_work_off_result *ret_result,
                                      sy_error *err) SY_NODISCARD;

#ifdef __cplusplus
}
#endif
#endif
