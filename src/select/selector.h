/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a selector, shared by the files of this folder: what it holds, and how a request becomes a key. */
#ifndef STEELYARD_SELECT_SELECTOR_H
#define STEELYARD_SELECT_SELECTOR_H

#include <pthread.h>
#include <steelyard/select.h>

#include "base/arena.h"
#include "base/digest.h"

/* Tells requests apart without texts being made: two 64-bit hashes of all that the answer depends on. */
typedef struct sy_request_mark {
    uint64_t a;
    uint64_t b;
} sy_request_mark;

/* One request that was seen: its key, and its answer once there is one. Never changes after it is in the table, but for
 * `missed`. */
typedef struct sy_remembered {
    sy_request_mark mark;
    bool answered;
    sy_selection selection;
    struct sy_remembered *next;
} sy_remembered;

#define SY_SELECTOR_BUCKETS 256

struct sy_selector {
    sy_selector_options options;
    sy_store *store;
    bool own_store;
    bool writes_misses;       /* persistence is on, as far as the selector knows */
    sy_arena *arena;          /* texts of answers; under `making` */
    pthread_rwlock_t looking; /* the table: read by all, written with `making` held */
    pthread_mutex_t making;   /* keys, probes, misses: one at a time */
    sy_remembered *buckets[SY_SELECTOR_BUCKETS];
    sy_remembered *processors; /* one a device seen: its `processor` string, by mark */
};

/* The answer that was given before. Any thread. */
bool sy_selector_recall(sy_selector *selector, sy_request_mark mark, sy_selection *ret_selection);
/* Keeps an answer, or with NULL that there was none and the miss is written down. Memory only saves time: when there is
 * none for it, the answer stands all the same. `making` is held. */
void sy_selector_remember(sy_selector *selector, sy_request_mark mark, const sy_selection *selection);
bool sy_selector_has_missed(sy_selector *selector, sy_request_mark mark);

sy_request_mark sy_request_mark_of(const sy_request *request);

/* Checks the request; the suite with the request's cases is made in *ret_suite. SY_INVALID_ARGUMENT. */
sy_status sy_request_suite(const sy_request *request, sy_suite *ret_suite, sy_error *err) SY_NODISCARD;

/* Fills the key fields of a selection (texts in the selector's arena). `making` is held. */
sy_status sy_request_key(sy_selector *selector, const sy_request *request, sy_selection *ret_key,
                         sy_error *err) SY_NODISCARD;

/* The lookup of a request with its key: exact fields, and the structure if there is one. */
sy_lookup sy_request_lookup(const sy_request *request, const sy_selection *key);

/* A policy is the name of an implementation that this request may use; user = the request. */
sy_status sy_request_validate(void *user, const char *policy, size_t size, sy_error *err);

/* Stores a result under the request's exact key, or under its structure when portable is true. */
sy_status sy_selector_store_result(sy_selector *selector, const sy_request *request, const sy_selection *key,
                                   const sy_probe_result *result, bool portable, uint32_t attempt,
                                   sy_put_result *ret_put, sy_error *err) SY_NODISCARD;

/* Writes the miss down, once. *ret_written is false when it stood there already or there is no file to write to. */
sy_status sy_selector_record_miss(sy_selector *selector, const sy_request *request, const sy_selection *key,
                                  bool *ret_written, sy_error *err) SY_NODISCARD;

/* The path of the misses: the option, or the store's path and ".misses"; "" = nowhere. */
sy_status sy_selector_misses_path(sy_selector *selector, char *to, size_t size, sy_error *err) SY_NODISCARD;

#endif
