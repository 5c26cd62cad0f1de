/* SPDX-License-Identifier: Apache-2.0 */
/* How often answers are used, as engines report it: counted under a lock that select never takes, written by a thread
 * of its own now and then, and when the selector closes. */
#include <math.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "select/per_case.h"

void sy_selector_start_use(sy_selector *selector)
{
    pthread_condattr_t attributes;
    (void)pthread_mutex_init(&selector->writer.writing, NULL); /* these never fail on this system */
    (void)pthread_mutex_init(&selector->writer.waking, NULL);
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&selector->writer.wake, &attributes);
    (void)pthread_condattr_destroy(&attributes);
}

/* ---- writing ---- */

static void give_back(sy_used *used, const sy_profile_tally *tally, uint64_t time_ns)
{
    used->calls += tally->use.calls;
    used->timed_calls += tally->use.timed_calls;
    used->time_ns += time_ns;
}

/* Takes what was counted of one answer; false: nothing was. `waking` is held. */
static bool take_counts(sy_used *used, sy_profile_tally *tally, uint64_t *ret_time_ns)
{
    if (used->calls == 0)
        return false;
    *tally = (sy_profile_tally){
        .key = used->key,
        .kind = used->kind,
        .policy = used->policy,
        .policy_size = strlen(used->policy),
        .use = {.calls = used->calls, .timed_calls = used->timed_calls, .seconds = (double)used->time_ns / 1e9},
    };
    *ret_time_ns = used->time_ns;
    used->calls = used->timed_calls = used->time_ns = 0;
    return true;
}

static size_t count_uses(const sy_used *uses)
{
    size_t count = 0;
    for (const sy_used *used = uses; used; used = used->next)
        count++;
    return count;
}

/* `writing` is held. */
static sy_status flush(sy_selector *selector, sy_error *err)
{
    sy_status status = SY_OK;
    (void)pthread_rwlock_rdlock(&selector->looking);
    sy_used *uses = selector->uses; /* what is added later stands before it */
    (void)pthread_rwlock_unlock(&selector->looking);
    const size_t room = count_uses(uses);
    if (room == 0)
        return SY_OK;
    sy_profile_tally *tallies = sy_allocate(room, sizeof(*tallies));
    uint64_t *times = sy_allocate(room, sizeof(*times));
    sy_used **origins = sy_allocate(room, sizeof(*origins));
    size_t count = 0;
    if (!tallies || !times || !origins)
        status = sy_fail(err, SY_NO_MEMORY, "no memory to write the use of %zu answers", room);
    (void)pthread_mutex_lock(&selector->writer.waking);
    for (sy_used *used = uses; !status && used; used = used->next) {
        if (take_counts(used, &tallies[count], &times[count]))
            origins[count++] = used;
    }
    (void)pthread_mutex_unlock(&selector->writer.waking);
    if (!status && count > 0)
        status = sy_store_tally(selector->store, tallies, count, NULL, err);
    (void)pthread_mutex_lock(&selector->writer.waking);
    for (size_t i = 0; status && i < count; i++)
        give_back(origins[i], &tallies[i], times[i]);
    (void)pthread_mutex_unlock(&selector->writer.waking);
    sy_free(tallies);
    sy_free(times);
    sy_free(origins);
    return status;
}

sy_status sy_selector_flush_use(sy_selector *selector, sy_error *err)
{
    (void)pthread_mutex_lock(&selector->writer.writing);
    sy_status status = flush(selector, err);
    (void)pthread_mutex_unlock(&selector->writer.writing);
    return status;
}

/* Sleeps until the time, or the end. `waking` is held. */
static void sleep_for(sy_selector *selector, uint64_t interval_ns)
{
    struct timespec until;
    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    uint64_t at_ns = (uint64_t)until.tv_nsec + interval_ns % UINT64_C(1000000000);
    until.tv_sec += (time_t)(interval_ns / UINT64_C(1000000000) + at_ns / UINT64_C(1000000000));
    until.tv_nsec = (long)(at_ns % UINT64_C(1000000000));
    while (!selector->writer.stop &&
           pthread_cond_timedwait(&selector->writer.wake, &selector->writer.waking, &until) == 0) {
    }
}

static void *write_now_and_then(void *user)
{
    sy_selector *selector = user;
    (void)pthread_mutex_lock(&selector->writer.waking);
    while (!selector->writer.stop) {
        sleep_for(selector, selector->options.use_interval_ns);
        if (selector->writer.stop)
            break;
        (void)pthread_mutex_unlock(&selector->writer.waking);
        sy_error why = SY_ERROR_INIT;
        if (sy_selector_flush_use(selector, &why) != SY_OK)
            sy_log(SY_LOG_DEBUG, "the use of profiles waits for the next time: %s", why.what);
        (void)pthread_mutex_lock(&selector->writer.waking);
    }
    (void)pthread_mutex_unlock(&selector->writer.waking);
    return NULL;
}

/* The engine's signals are not for this thread. Without a thread the counts are written on close. */
static void start_writer(sy_selector *selector)
{
    sigset_t all;
    sigset_t before;
    (void)pthread_mutex_lock(&selector->writer.waking);
    if (!selector->writer.started && selector->options.use_interval_ns > 0) {
        (void)sigfillset(&all);
        (void)pthread_sigmask(SIG_SETMASK, &all, &before);
        selector->writer.started = pthread_create(&selector->writer.thread, NULL, write_now_and_then, selector) == 0;
        (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    (void)pthread_mutex_unlock(&selector->writer.waking);
}

void sy_selector_finish_use(sy_selector *selector)
{
    sy_error why = SY_ERROR_INIT;
    (void)pthread_mutex_lock(&selector->writer.waking);
    selector->writer.stop = true;
    (void)pthread_cond_signal(&selector->writer.wake);
    (void)pthread_mutex_unlock(&selector->writer.waking);
    if (selector->writer.started)
        (void)pthread_join(selector->writer.thread, NULL);
    if (sy_selector_flush_use(selector, &why) != SY_OK)
        sy_log(SY_LOG_WARNING, "the last use of profiles is lost: %s", why.what);
    (void)pthread_cond_destroy(&selector->writer.wake);
    (void)pthread_mutex_destroy(&selector->writer.waking);
    (void)pthread_mutex_destroy(&selector->writer.writing);
}

/* ---- counting ---- */

static bool is_portable(const sy_request *request, const sy_selection *answer)
{
    if (!answer->from_store)
        return sy_request_is_portable(request);
    return answer->rank == SY_PROFILE_RANK_OVERRIDE_PORTABLE || answer->rank == SY_PROFILE_RANK_CALIBRATED_PORTABLE;
}

static sy_profile_kind kind_of(const sy_selection *answer)
{
    return answer->from_store && answer->rank <= SY_PROFILE_RANK_OVERRIDE_PORTABLE ? SY_PROFILE_OVERRIDE
                                                                                   : SY_PROFILE_CALIBRATED;
}

/* Whether counts of the answer may be added where `used` points. */
static bool is_of(const sy_used *used, const sy_request *request, const sy_selection *answer)
{
    return used && used->policy == answer->implementation && used->kind == kind_of(answer) &&
           (used->key.structure_count > 0) == is_portable(request, answer);
}

/* Counts, if the answer is the one that is counted already. `looking` is held. */
static bool count(sy_selector *selector, const sy_request *request, sy_request_mark mark, uint64_t calls,
                  double seconds)
{
    const sy_remembered *seen = sy_selector_find(selector, mark);
    if (!seen || !seen->answered || !is_of(seen->used, request, &seen->selection))
        return false;
    (void)pthread_mutex_lock(&selector->writer.waking);
    seen->used->calls += calls;
    if (isfinite(seconds)) {
        seen->used->timed_calls += calls;
        seen->used->time_ns += (uint64_t)fmin(seconds * 1e9, 9e15); /* a hundred days between two writes */
    }
    (void)pthread_mutex_unlock(&selector->writer.waking);
    return true;
}

/* The profile that gave the answer, as it is found again. `making` is held. */
static sy_used *make_used(sy_selector *selector, const sy_request *request, const sy_selection *answer)
{
    const bool portable = is_portable(request, answer);
    sy_used *used = sy_arena_allocate(selector->arena, 1, sizeof(*used));
    sy_property *structure = sy_arena_allocate(selector->arena, portable ? request->structure_count : 0,
                                               sizeof(*structure));
    if (!used || (portable && !structure))
        return NULL;
    *used = (sy_used){.key = {.backend = answer->backend,
                              .operator_name = answer->operator_name,
                              .implementation_version = answer->implementation_version},
                      .kind = kind_of(answer),
                      .policy = answer->implementation};
    if (!portable) {
        used->key.model_digest = answer->model_digest;
        used->key.processor = answer->processor;
        used->key.thread_count = answer->thread_count;
        return used;
    }
    for (size_t i = 0; i < request->structure_count; i++) {
        const char *value = request->structure[i].value;
        structure[i].name = sy_selector_keep_text(selector, request->structure[i].name);
        structure[i].value = sy_selector_keep_text(selector, value ? value : "");
        if (!structure[i].name || !structure[i].value)
            return NULL;
    }
    used->key.structure = structure;
    used->key.structure_count = request->structure_count;
    return used;
}

/* Where the answer's counts go from now on. */
static sy_status begin_counting(sy_selector *selector, const sy_request *request, sy_request_mark mark, sy_error *err)
{
    sy_status status = SY_OK;
    (void)pthread_mutex_lock(&selector->making);
    (void)pthread_rwlock_wrlock(&selector->looking);
    sy_remembered *seen = sy_selector_find(selector, mark);
    if (!seen || !seen->answered || !seen->selection.stored ||
        (!seen->selection.from_store && seen->selection.source != SY_SOURCE_PROBE)) {
        status = sy_fail(err, SY_NOT_FOUND,
                         "no stored profile gave this answer, or none that lasts: its use is not counted");
    } else if (!is_of(seen->used, request, &seen->selection)) {
        sy_used *used = make_used(selector, request, &seen->selection);
        if (!used)
            status = sy_fail(err, SY_NO_MEMORY, "no memory to count the use of an answer");
        else {
            used->next = selector->uses;
            selector->uses = used;
            seen->used = used;
        }
    }
    (void)pthread_rwlock_unlock(&selector->looking);
    (void)pthread_mutex_unlock(&selector->making);
    return status;
}

static sy_status report_one(sy_selector *selector, const sy_request *request, uint64_t calls, double seconds,
                            sy_error *err)
{
    const sy_request_mark mark = sy_request_mark_of(request);
    sy_status status = SY_OK;
    bool counted = false;
    while (!status && !counted) {
        (void)pthread_rwlock_rdlock(&selector->looking);
        counted = count(selector, request, mark, calls, seconds);
        (void)pthread_rwlock_unlock(&selector->looking);
        if (!counted)
            status = begin_counting(selector, request, mark, err);
    }
    if (!status)
        start_writer(selector);
    return status;
}

sy_status sy_selector_report_use(sy_selector *selector, const sy_request *request, uint64_t calls, double seconds,
                                 sy_error *err)
{
    sy_request one = *request;
    sy_property *structure = NULL;
    if (!request->suite || !request->device)
        return sy_fail(err, SY_INVALID_ARGUMENT, "a request without %s", request->suite ? "a device" : "a suite");
    if (seconds < 0 || isinf(seconds))
        return sy_fail(err, SY_INVALID_ARGUMENT, "the calls took %g seconds", seconds);
    if (request->per_case && (!request->cases || request->case_count != 1))
        return sy_fail(err, SY_INVALID_ARGUMENT, "case by case, use is that of one case");
    if (calls == 0)
        return SY_OK;
    sy_status status = request->per_case ? sy_request_of_case(request, request->cases, &one, &structure, err) : SY_OK;
    if (!status)
        status = report_one(selector, &one, calls, seconds, err);
    sy_free(structure);
    return status;
}
