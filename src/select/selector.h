/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a selector, shared by the files of this folder: what it holds, and how a request becomes a key. */
#ifndef STEELYARD_SELECT_SELECTOR_H
#define STEELYARD_SELECT_SELECTOR_H

#include <pthread.h>
#include <steelyard/select.h>

#include "base/arena.h"
#include "base/digest.h"
#include "base/text.h"

#define SY_MISS_SCHEMA "steelyard.miss/1"
#define SY_MISSES_LIMIT_BYTES ((uint64_t)4 << 20)
#define SY_MISSES_LOCK_TIMEOUT_NS UINT64_C(5000000000)

/* Measurements of a stored decision that say how many fresh processes it rests on, and how far they lay apart. */
#define SY_MEASUREMENT_PROCESSES "processes"
#define SY_MEASUREMENT_PROCESS_SPREAD "process_spread"

/* Tells requests apart without texts being made: two 64-bit hashes of all that the answer depends on. */
typedef struct sy_request_mark {
    uint64_t a;
    uint64_t b;
} sy_request_mark;

/* What became of a miss in this process. */
typedef enum sy_miss_state {
    SY_MISS_NONE,    /* not missed yet */
    SY_MISS_WRITTEN, /* it stands in the file */
    SY_MISS_FAILED,  /* it was tried once */
    SY_MISS_NOWHERE  /* there is no file to write to */
} sy_miss_state;

/* What was reported of one answer and is not written yet. Never freed before the selector; the counts alone change,
 * under the writer's `waking`. */
typedef struct sy_used {
    sy_profile_key key; /* of the profile that answered */
    sy_profile_kind kind;
    const char *policy;
    uint64_t calls;
    uint64_t timed_calls;
    uint64_t time_ns;
    struct sy_used *next;
} sy_used;

/* One request that was seen. mark and the key fields of the selection never change; the rest does with `looking`
 * written. */
typedef struct sy_remembered {
    sy_request_mark mark;
    sy_selection selection; /* its key; and its answer, when `answered` */
    bool answered;
    uint64_t changes; /* of the store, when the answer was looked up or stored */
    sy_miss_state miss;
    bool confirmation_tried;   /* by this process */
    sy_used *used;             /* of the answer, once some was reported */
    const char *unknown_facts; /* of a device: the key fields without which its `processor` is "" */
    struct sy_remembered *next;
} sy_remembered;

/* A text of answers, kept once however often it is made. */
typedef struct sy_kept_text {
    struct sy_kept_text *next;
    const char *text;
} sy_kept_text;

#define SY_SELECTOR_BUCKETS 256

struct sy_selector {
    sy_selector_options options;
    sy_store *store;
    bool own_store;
    bool writes_misses;       /* persistence is on, as far as the selector knows */
    bool may_stay_in_memory;  /* a decision that no disk holds is kept as it was wished */
    pthread_mutex_t probing;  /* probes, and what counts them: one at a time; taken before the others */
    pthread_mutex_t making;   /* the arena, keys, texts; held briefly */
    pthread_rwlock_t looking; /* the table: read by all; entries are added with `making` held, too */
    sy_arena *arena;
    sy_kept_text *texts[SY_SELECTOR_BUCKETS];
    sy_remembered *buckets[SY_SELECTOR_BUCKETS];
    sy_used *uses; /* of all answers; entries are added with `making` and `looking` held */
    struct {
        pthread_mutex_t writing; /* one flush at a time; taken before `looking` */
        pthread_mutex_t waking;  /* guards the counts and the flags below; taken after `looking` */
        pthread_cond_t wake;
        bool stop;
        bool started;
        pthread_t thread;
    } writer;
    sy_remembered *processors; /* one a device seen: its `processor` string, by mark; under `making` */
};

/* ---- remembered.c ---- */

/* The request of that mark, or NULL. `looking` is held. */
sy_remembered *sy_selector_find(const sy_selector *selector, sy_request_mark mark);
/* Notes a request that was not seen before with its key. `making` is held. SY_NO_MEMORY. */
sy_status sy_selector_add(sy_selector *selector, sy_request_mark mark, const sy_selection *key,
                          sy_error *err) SY_NODISCARD;
/* The answer that was given before, unless the store has changed since. Any thread. */
bool sy_selector_recall(sy_selector *selector, sy_request_mark mark, sy_selection *ret_selection);
/* The answer of a probe made here that the store could not take, whatever the store's changes: it has been asked, at
 * `changes`, and has none. */
bool sy_selector_recall_own(sy_selector *selector, sy_request_mark mark, uint64_t changes, sy_selection *ret_selection);
/* Keeps an answer, taken at that number of sy_store_changes, of a request whose key was made. */
void sy_selector_remember(sy_selector *selector, sy_request_mark mark, const sy_selection *selection, uint64_t changes);
/* Says what became of this miss so far, and sets it to WRITTEN if nothing did: the caller then writes it. */
sy_miss_state sy_selector_claim_miss(sy_selector *selector, sy_request_mark mark);
void sy_selector_set_miss(sy_selector *selector, sy_request_mark mark, sy_miss_state miss);
/* Whether this process may try to confirm what is proposed for the request: true once. */
bool sy_selector_claim_confirmation(sy_selector *selector, sy_request_mark mark);
bool sy_selector_has_tried(sy_selector *selector, sy_request_mark mark);
/* The same text, kept until the selector is closed; NULL when memory is short. `making` is held. */
const char *sy_selector_keep_text(sy_selector *selector, const char *text);

/* ---- request_key.c ---- */

sy_request_mark sy_request_mark_of(const sy_request *request);
/* Of a device: backend, name, script, threads. */
sy_request_mark sy_device_mark_of(const sy_device *device);

/* Checks the request; the suite with the request's cases is made in *ret_suite. SY_INVALID_ARGUMENT. */
sy_status sy_request_suite(const sy_request *request, sy_suite *ret_suite, sy_error *err) SY_NODISCARD;

/* Fills the key fields of a selection (texts kept by the selector), made once a request. No lock is held. */
sy_status sy_request_key(sy_selector *selector, const sy_request *request, sy_selection *ret_key,
                         sy_error *err) SY_NODISCARD;

/* Its probes are stored under its structure, not under the exact key. */
sy_cache_state sy_request_cache(const sy_request *request);
/* The property by which the structure of a portable key says that buffers were cold; hot ones are not spoken of. */
#define SY_STRUCTURE_CACHE "cache"
#define SY_STRUCTURE_PREFER "prefer"
bool sy_request_is_portable(const sy_request *request);

/* The lookup of a request with its key: exact fields, and the structure if there is one. */
sy_lookup sy_request_lookup(const sy_request *request, const sy_selection *key);

/* The key that its probes are stored under. */
sy_profile_key sy_request_stored_key(const sy_request *request, const sy_selection *key);

/* A policy is the name of an implementation that this request may use; user = the request. */
sy_status sy_request_validate(void *user, const char *policy, size_t size, sy_error *err);

/* ---- keep.c; `probing` is held ---- */

/* What a probe has confirmed or refuted. */
typedef struct sy_settled {
    sy_profile_earlier earlier; /* it, as a line of history */
    bool alone;                 /* it was refuted, and no other candidate was weighed: the decision expires in 7 days */
} sy_settled;

/* settled may be NULL. SY_REFUSED when the decision is none to store, or some of the candidates were not weighed:
 * sy_selector_keep. */
sy_status sy_selector_store_result(sy_selector *selector, const sy_request *request, const sy_selection *key,
                                   const sy_probe_result *result, uint32_t attempt, const sy_settled *settled,
                                   sy_put_result *ret_put, sy_error *err) SY_NODISCARD;

/* Whether cases were left out: then it says nothing of the request. */
bool sy_selector_is_partial(const sy_probe_result *result);

/* Counts a probe that is not stored as the attempt-th of its key: what is stored stays, an entry that holds nothing but
 * the count has expired already. A result that proves nothing of the error rate (no pairs, other rules) does not count.
 */
sy_status sy_selector_count_attempt(sy_selector *selector, const sy_request *request, const sy_selection *key,
                                    const sy_probe_result *result, uint32_t attempt, sy_error *err) SY_NODISCARD;

/* sy_selector_attempts of a key that was made; no lock is needed. */
sy_status sy_request_attempts(sy_selector *selector, const sy_request *request, const sy_selection *key,
                              uint32_t *ret_attempts, sy_error *err) SY_NODISCARD;

/* Whether a probe with these options, but for alpha, can win at all. */
bool sy_request_can_decide(const sy_probe_options *probe, double alpha);

/* alpha behind so many attempts. SY_REFUSED as sy_selector_next_alpha. */
sy_status sy_request_alpha(const sy_probe_options *probe, uint32_t attempts, double *ret_alpha,
                           sy_error *err) SY_NODISCARD;

/* ---- use.c ---- */

void sy_selector_start_use(sy_selector *selector);
/* Ends the thread and writes what is left; a failure goes to the log. */
void sy_selector_finish_use(sy_selector *selector);

/* ---- misses.c ---- */

/* Writes the miss down, once; ret_path gets the file's path. SY_MISS_NOWHERE when there is no file to write to. */
sy_status sy_selector_record_miss(sy_selector *selector, const sy_request *request, const sy_selection *key,
                                  char *ret_path, size_t path_size, bool *ret_written, sy_miss_state *ret_state,
                                  sy_error *err) SY_NODISCARD;

/* The path of the misses: the option, or the store's path and ".misses"; "" = nowhere. */
sy_status sy_selector_misses_path(sy_selector *selector, char *to, size_t size, sy_error *err) SY_NODISCARD;

#endif
