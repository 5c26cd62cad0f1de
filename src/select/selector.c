/* SPDX-License-Identifier: Apache-2.0 */
/* The selector: opening it, what it remembers, and the calls beside sy_select, whose walk is walk.c. */
#include "select/selector.h"

#include "base/error.h"
#include "base/memory.h"

const char *sy_select_mode_word(sy_select_mode mode)
{
    static const char *const words[] = {"record-miss", "store-only", "probe"};
    return (unsigned)mode < sizeof(words) / sizeof(words[0]) ? words[mode] : "unknown";
}

const char *sy_selection_source_word(sy_selection_source source)
{
    static const char *const words[] = {"memory", "store", "shortcut", "probe"};
    return (unsigned)source < sizeof(words) / sizeof(words[0]) ? words[source] : "unknown";
}

sy_status sy_selector_open(const sy_selector_options *options, sy_selector **ret_selector, sy_error *err)
{
    static const sy_selector_options defaults = SY_SELECTOR_OPTIONS_INIT;
    const sy_selector_options *chosen = options ? options : &defaults;
    if (chosen->struct_size != sizeof(*chosen))
        return sy_fail(err, SY_INVALID_ARGUMENT,
                       "the options were not started by SY_SELECTOR_OPTIONS_INIT of this version");
    sy_selector *selector = sy_allocate(1, sizeof(*selector));
    if (!selector)
        return sy_fail(err, SY_NO_MEMORY, "no memory for a selector");
    selector->options = *chosen;
    selector->store = chosen->store;
    selector->writes_misses = chosen->misses_path || chosen->store || !chosen->store_options ||
                              chosen->store_options->persistence;
    selector->options.store_options = NULL; /* the caller's, for this call only */
    selector->arena = sy_arena_create(0);
    if (!selector->arena) {
        sy_free(selector);
        return sy_fail(err, SY_NO_MEMORY, "no memory for a selector");
    }
    sy_status status = SY_OK;
    const char **texts[] = {&selector->options.misses_path, &selector->options.worker_path};
    for (size_t i = 0; i < 2; i++) {
        if (*texts[i] && !(*texts[i] = sy_arena_copy_text(selector->arena, *texts[i])))
            status = sy_fail(err, SY_NO_MEMORY, "no memory for a selector");
    }
    if (!status && !selector->store) {
        status = sy_store_open(chosen->store_options, &selector->store, err);
        selector->own_store = !status;
    }
    if (status || pthread_rwlock_init(&selector->looking, NULL) != 0) {
        sy_arena_destroy(selector->arena);
        if (selector->own_store)
            sy_store_close(selector->store);
        sy_free(selector);
        return status ? status : sy_fail(err, SY_NO_MEMORY, "no lock for a selector");
    }
    (void)pthread_mutex_init(&selector->making, NULL); /* never fails on this system */
    *ret_selector = selector;
    return SY_OK;
}

void sy_selector_close(sy_selector *selector)
{
    if (!selector)
        return;
    if (selector->own_store)
        sy_store_close(selector->store);
    (void)pthread_rwlock_destroy(&selector->looking);
    (void)pthread_mutex_destroy(&selector->making);
    sy_arena_destroy(selector->arena);
    sy_free(selector);
}

sy_store *sy_selector_store(sy_selector *selector)
{
    return selector->store;
}

/* ---- memory ---- */

static sy_remembered **bucket_of(sy_selector *selector, sy_request_mark mark)
{
    return &selector->buckets[(mark.a ^ mark.b) % SY_SELECTOR_BUCKETS];
}

bool sy_selector_recall(sy_selector *selector, sy_request_mark mark, sy_selection *ret_selection)
{
    bool found = false;
    (void)pthread_rwlock_rdlock(&selector->looking);
    for (const sy_remembered *seen = *bucket_of(selector, mark); seen && !found; seen = seen->next) {
        if (seen->mark.a == mark.a && seen->mark.b == mark.b && seen->answered) {
            *ret_selection = seen->selection;
            found = true;
        }
    }
    (void)pthread_rwlock_unlock(&selector->looking);
    return found;
}

void sy_selector_remember(sy_selector *selector, sy_request_mark mark, const sy_selection *selection)
{
    sy_remembered *seen = sy_arena_allocate(selector->arena, 1, sizeof(*seen));
    if (!seen)
        return;
    *seen = (sy_remembered){.mark = mark, .answered = selection != NULL};
    if (selection)
        seen->selection = *selection;
    (void)pthread_rwlock_wrlock(&selector->looking);
    seen->next = *bucket_of(selector, mark);
    *bucket_of(selector, mark) = seen;
    (void)pthread_rwlock_unlock(&selector->looking);
}

bool sy_selector_has_missed(sy_selector *selector, sy_request_mark mark)
{
    bool missed = false;
    (void)pthread_rwlock_rdlock(&selector->looking);
    for (const sy_remembered *seen = *bucket_of(selector, mark); seen && !missed; seen = seen->next)
        missed = seen->mark.a == mark.a && seen->mark.b == mark.b && !seen->answered;
    (void)pthread_rwlock_unlock(&selector->looking);
    return missed;
}

/* ---- the calls beside ---- */

/* The exact entry of this key, expired or not, counts the probes that it has had. `making` is held or not needed: the
 * store locks itself. */
sy_status sy_selector_attempts(sy_selector *selector, const sy_request *request, uint32_t *ret_attempts, sy_error *err)
{
    sy_selection key;
    sy_profile_view view;
    sy_status status = sy_request_key(selector, request, &key, err);
    if (status)
        return status;
    sy_lookup lookup = sy_request_lookup(request, &key);
    if (request->per_case) {
        lookup.key.model_digest = lookup.key.processor = NULL;
        lookup.key.thread_count = 0;
    } else {
        lookup.key.structure = NULL;
        lookup.key.structure_count = 0;
    }
    *ret_attempts = 0;
    if (!lookup.key.processor && !request->per_case)
        return SY_OK;
    status = sy_store_find(selector->store, &lookup.key, SY_PROFILE_CALIBRATED, &view, err);
    if (status == SY_NOT_FOUND)
        return SY_OK;
    if (!status)
        *ret_attempts = view.profile->has_trial ? view.profile->trial.attempt : 1;
    return status;
}

sy_status sy_selector_key(sy_selector *selector, const sy_request *request, sy_selection *ret_key, sy_error *err)
{
    (void)pthread_mutex_lock(&selector->making);
    sy_status status = sy_request_key(selector, request, ret_key, err);
    (void)pthread_mutex_unlock(&selector->making);
    return status;
}

sy_status sy_selector_keep(sy_selector *selector, const sy_request *request, const sy_probe_result *result,
                           sy_put_result *ret_put, sy_error *err)
{
    sy_selection key;
    uint32_t attempts = 0;
    (void)pthread_mutex_lock(&selector->making);
    sy_status status = sy_request_key(selector, request, &key, err);
    if (!status && key.processor[0] == '\0')
        status = sy_fail(err, SY_REFUSED, "this probe is not stored: a key fact of this machine is unknown");
    if (!status)
        status = sy_selector_attempts(selector, request, &attempts, err);
    if (!status)
        status = sy_selector_store_result(selector, request, &key, result, request->per_case, attempts + 1, ret_put,
                                          err);
    (void)pthread_mutex_unlock(&selector->making);
    return status;
}
