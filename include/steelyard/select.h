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
    SY_SELECT_PROBE /* a miss is probed, and the decision is stored; what the store proposes is confirmed first */
} sy_select_mode;

typedef enum sy_selection_source {
    SY_SOURCE_MEMORY,
    SY_SOURCE_STORE,
    SY_SOURCE_SHORTCUT,
    SY_SOURCE_PROBE
} sy_selection_source;

/* What came of confirming what the store proposed: a profile that was proven elsewhere, for an older version, that has
 * expired or was imported, or, where asked for, this machine's own. */
typedef enum sy_confirmation {
    SY_CONFIRMATION_NONE,      /* none was asked for, owed or tried */
    SY_CONFIRMATION_CONFIRMED, /* it won again: its entry has the new figures, and the old ones as history */
    SY_CONFIRMATION_PROMOTED,  /* it won here: stored as this machine's, with the proof of it */
    SY_CONFIRMATION_REFUTED,   /* it did not: what was measured is stored in its place, and is the answer */
    SY_CONFIRMATION_UNDECIDED  /* the pairs could not tell: the answer is the one without them */
} sy_confirmation;

SY_API const char *sy_confirmation_word(sy_confirmation confirmation);   /* "none" */
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
    const char *cache_state; /* "hot", or "cold" for buffers that no cache holds; part of the key: an answer to the one
                                is none to the other */
    sy_select_mode mode;
    sy_preference prefer;   /* part of the key: an answer for its memory is none to who asks for speed */
    bool allow_approximate; /* part of the key */
    bool force_portable;    /* exact profiles are passed over, and a probe is stored under the structure, which must be
                               given, by the caller or by per_case */
    bool require_evidence;
    bool no_shortcuts; /* what is known of the architecture alone is no answer */
    bool retry;        /* mode probe: probe again although there is an answer, but for an override */
    bool per_case;     /* a probe a case, each stored under the case's properties as structure */
    const sy_probe_options
        *probe; /* cap, rates ... of a probe; NULL = the defaults. budget_ns and wall_limit_ns are for all probes of one
                   case or joined key in this call. alpha is that of the first probe of a key: the k-th runs at alpha
                   2^(1-k). cache is cache_state's, prefer is prefer's. cases, implementations and identity are not
                   looked at: all candidates, but for the confirmation of a portable answer; host and device as
                   sy_identity_describe tells them. */
    const sy_recorded *recorded; /* of sy_selector_keep: what proves the result; NULL, or both "" = the result itself:
                                    its seed as the run, the digest of its JSON */
    uint32_t confirm_pairs; /* 0, or: what the store proposes is held against the reference by up to so many pairs, in
                               any mode but store-only, which probes nothing. That is a portable answer, an imported
                               profile, one that has expired or is of an outdated implementation, and with `retry` also
                               what this machine proved. Once a key and process, and not within 7 days of a try that
                               could not tell, but for `retry`; processes of one store confirm one after the other, each
                               looking first whether it was done. In mode probe, 0 is 16. */
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
    bool stored;          /* the decision stands in the store: on disk, or in memory where persistence is off by wish */
    bool prior;           /* a portable answer that was not confirmed here */
    bool undecided;       /* the probe could not tell: this is the reference */
    const char *why;      /* one line a reason, in the order of the walk */
    const char *evidence; /* of a shortcut, now or before: where it was shown; else NULL */
    const char *evidence_date; /* "2025-07-28"; NULL = unknown */
    uint32_t timed_runs;       /* made by this very call: 0 unless it probed */
    const char *backend;
    const char *operator_name;
    const char *implementation_version;
    const char *model_digest; /* of the exact key, with the digest of cases and settings */
    const char *processor;
    uint32_t thread_count;
    bool imported_first; /* of a probe: an imported profile named it, and it was held against the reference alone */
    sy_confirmation confirmation; /* made by this very call */
} sy_selection;

typedef struct sy_selector sy_selector;

typedef struct sy_selector_options {
    size_t struct_size;
    sy_store *store;                       /* borrowed; NULL = one of its own, opened by store_options */
    const sy_store_options *store_options; /* NULL = the defaults */
    const char *misses_path;               /* NULL = the store's path and ".misses"; not written with persistence off */
    const char *worker_path;               /* as in sy_probe_options */
    /* NULL, or gets each probe that the selector made, interrupted ones too, before its decision is stored: for a
     * ledger, a file or nowhere. *ret_recorded is empty; what is put there is stored with the decision as its evidence,
     * else the result itself is (sy_request.recorded). A status that is not SY_OK keeps the decision from being stored
     * and is passed through. Called on the thread that asked with the lock of probes held, as progress and cancelled of
     * the probe's options are: none of the three may call this selector. */
    sy_status (*record)(void *user, const sy_request *request, const sy_probe_result *result, sy_recorded *ret_recorded,
                        sy_error *err);
    void *user;
    uint64_t use_interval_ns; /* how often reported use is written, by a thread of its own; 0 = on close and by
                                 sy_selector_flush_use alone */
} sy_selector_options;

#define SY_SELECTOR_OPTIONS_INIT                                                              \
    {                                                                                         \
        .struct_size = sizeof(sy_selector_options), .use_interval_ns = UINT64_C(600000000000) \
    }

/* options may be NULL. A damaged or missing store does not fail it (sy_store_open). SY_INVALID_ARGUMENT, SY_NO_MEMORY.
 */
SY_API sy_status sy_selector_open(const sy_selector_options *options, sy_selector **ret_selector,
                                  sy_error *err) SY_NODISCARD;
SY_API void sy_selector_close(sy_selector *selector); /* NULL is allowed; no other call may run */
/* The store it asks: its own or the borrowed one. */
SY_API sy_store *sy_selector_store(sy_selector *selector);

/* Thread-safe: answers from memory and store run side by side, also beside a probe; probes run one after the other.
 * What a probe decided against all candidates is stored; what the store proposes is confirmed against the reference
 * first, and in mode probe, only if that does not win, against all. SY_NOT_FOUND: no answer; err says what was nearest,
 * its hint where the miss was written down, or why it was not. With per_case every case is asked all the same, and the
 * first miss is returned. SY_INVALID_ARGUMENT, SY_NO_MEMORY, in mode probe also what sy_probe returns, SY_UNAVAILABLE
 * (the reference itself cannot be used) and SY_INTERRUPTED (cancelled said so: nothing is decided, and the attempt
 * counts). A store that cannot be written is a warning to the log: the answer stands for this process, and
 * ret_selection->stored is false. */
SY_API sy_status sy_select(sy_selector *selector, const sy_request *request, sy_selection *ret_selection,
                           sy_error *err) SY_NODISCARD;

/* The walk of a request that sy_select has no answer to, made again without writing it down or probing: *ret_selection
 * has the key and why, one line a reason (with per_case: of each case, its name before it), and no implementation; or
 * the answer, if there is one by now. SY_INVALID_ARGUMENT, SY_NO_MEMORY, what sy_selector_key returns. */
SY_API sy_status sy_selector_explain(sy_selector *selector, const sy_request *request, sy_selection *ret_selection,
                                     sy_error *err) SY_NODISCARD;

/* Stores a finished probe of exactly these cases as sy_select would have: win, no gain, tie, parity failed,
 * unavailable; inconclusive as undecided, which expires in 7 days. Not stored: vacuous, not-slower, slower,
 * interrupted, the medians rule, no reference, an unknown key field; one that left a case out; and a probe of some of
 * the candidates that found no winner, where the stored answer is none of those it weighed: SY_REFUSED says why. A
 * probe by the capped rule that has pairs counts as an attempt all the same. A result of another operation or backend,
 * or of other cases, is SY_INVALID_ARGUMENT, and counts as nothing. Waits for a probe that runs in sy_select. Else as
 * sy_store_put. */
SY_API sy_status sy_selector_keep(sy_selector *selector, const sy_request *request, const sy_probe_result *result,
                                  sy_put_result *ret_put, sy_error *err) SY_NODISCARD;

/* How many probes of this request's key have been counted so far: the next one is number + 1. 0 = none. Statuses are
 * those of sy_selector_key. */
SY_API sy_status sy_selector_attempts(sy_selector *selector, const sy_request *request, uint32_t *ret_attempts,
                                      sy_error *err) SY_NODISCARD;

/* The alpha at which the next probe of this request's key has to run, so that all its probes together win wrongly in
 * less than 2 probe->alpha: probe->alpha 2^-n behind n counted ones, n in *ret_attempts. probe NULL = the defaults.
 * SY_REFUSED when probe->max_pairs can decide nothing at it, though it could at probe->alpha; else as
 * sy_selector_attempts. */
SY_API sy_status sy_selector_next_alpha(sy_selector *selector, const sy_request *request, const sy_probe_options *probe,
                                        double *ret_alpha, uint32_t *ret_attempts, sy_error *err) SY_NODISCARD;

/* Makes the request's exact key as text in an answer without asking the store: backend to thread_count are filled.
 * SY_INVALID_ARGUMENT, SY_NO_MEMORY, what sy_identity_describe returns. */
SY_API sy_status sy_selector_key(sy_selector *selector, const sy_request *request, sy_selection *ret_key,
                                 sy_error *err) SY_NODISCARD;
/* Why a key that was made of a request on that device has the processor "": the names of the machine's key facts that
 * could not be found out, parted by ", ". "" = none, or no key was made. Valid until the selector is closed. */
SY_API const char *sy_selector_unknown_facts(sy_selector *selector, const sy_device *device);

/* ---- use ---- */

/* Says that the answer to this request, as sy_select gave it to this process, was used in so many more calls. A call is
 * one of a case, with the cases in the proportions of their weights. seconds: what the calls took together, as the
 * engine measured it; NaN = it did not. Counted in memory, under a lock that sy_select never takes; what was counted
 * reaches the store every use_interval_ns, by sy_selector_flush_use and on close: a process that is killed loses what
 * came since. A selector is not used on both sides of a fork. With per_case one case is given. Any thread.
 * SY_NOT_FOUND: the answer is none of the store's (a shortcut, one that was not stored or expires);
 * SY_INVALID_ARGUMENT, SY_NO_MEMORY. */
SY_API sy_status sy_selector_report_use(sy_selector *selector, const sy_request *request, uint64_t calls,
                                        double seconds, sy_error *err) SY_NODISCARD;
/* Writes what was counted. What cannot be written stays counted, for the next time. Errors as sy_store_tally's. */
SY_API sy_status sy_selector_flush_use(sy_selector *selector, sy_error *err) SY_NODISCARD;

/* ---- misses ---- */

typedef struct sy_work_off_options {
    uint64_t budget_ns;            /* wall time of all together; no probe gets a larger budget or limit than is left */
    const sy_probe_options *probe; /* of each; NULL = the defaults */
    const char *plugin;            /* NULL, or a shared object whose operations may be among the misses: plugin.h */
    /* NULL, or told of each miss after it was asked for. status not SY_OK, err says why: the miss stays in the file,
     * and of selection only what SY_REFUSED (answered, but not stored) leaves is set. */
    void (*each)(void *user, const char *operation, const char *backend, const sy_selection *selection,
                 sy_status status, const sy_error *err);
    void *user;
} sy_work_off_options;

typedef struct sy_work_off_result {
    uint32_t misses;   /* lines that were read */
    uint32_t probed;   /* and stored */
    uint32_t answered; /* already known by now */
    uint32_t failed;   /* no answer, or one that could not be stored: they stay in the file */
    uint32_t left;     /* budget ended before them, or they were interrupted: they stay in the file */
    bool interrupted;
} sy_work_off_result;

/* Probes what a file of misses names, out of the engine's process, stores the decisions and takes the lines away that
 * are done. Devices are opened by name, with the threads that each line says. What was done stands in *ret_result also
 * when a probe was cancelled: that is SY_OK, and `interrupted`. SY_NOT_FOUND, SY_CORRUPT (line and column; the lines
 * before it are done), SY_VERSION_UNSUPPORTED, SY_LIMIT_EXCEEDED, SY_BUSY, SY_IO, SY_NO_MEMORY. */
SY_API sy_status sy_selector_work_off(sy_selector *selector, const char *misses_path,
                                      const sy_work_off_options *options, sy_work_off_result *ret_result,
                                      sy_error *err) SY_NODISCARD;

#ifdef __cplusplus
}
#endif
#endif
