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

const char *sy_confirmation_word(sy_confirmation confirmation)
{
    static const char *const words[] = {"none", "confirmed", "promoted", "refuted", "undecided"};
    return (unsigned)confirmation < sizeof(words) / sizeof(words[0]) ? words[confirmation] : "unknown";
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
    bool persistent = chosen->store || !chosen->store_options || chosen->store_options->persistence;
    selector->writes_misses = persistent;
    selector->may_stay_in_memory = !persistent || chosen->store;
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
    (void)pthread_mutex_init(&selector->probing, NULL);
    sy_selector_start_use(selector);
    *ret_selector = selector;
    return SY_OK;
}

void sy_selector_close(sy_selector *selector)
{
    if (!selector)
        return;
    sy_selector_finish_use(selector);
    if (selector->own_store)
        sy_store_close(selector->store);
    (void)pthread_rwlock_destroy(&selector->looking);
    (void)pthread_mutex_destroy(&selector->making);
    (void)pthread_mutex_destroy(&selector->probing);
    sy_arena_destroy(selector->arena);
    sy_free(selector);
}

sy_store *sy_selector_store(sy_selector *selector)
{
    return selector->store;
}

/* ---- the calls beside ---- */

sy_status sy_selector_attempts(sy_selector *selector, const sy_request *request, uint32_t *ret_attempts, sy_error *err)
{
    sy_selection key;
    sy_status status = sy_request_key(selector, request, &key, err);
    return status ? status : sy_request_attempts(selector, request, &key, ret_attempts, err);
}

sy_status sy_selector_next_alpha(sy_selector *selector, const sy_request *request, const sy_probe_options *probe,
                                 double *ret_alpha, uint32_t *ret_attempts, sy_error *err)
{
    static const sy_probe_options defaults = SY_PROBE_OPTIONS_INIT;
    uint32_t attempts = 0;
    double alpha = 0;
    sy_status status = sy_selector_attempts(selector, request, &attempts, err);
    if (!status)
        status = sy_request_alpha(probe ? probe : &defaults, attempts, &alpha, err);
    if (status)
        return status;
    *ret_alpha = alpha;
    *ret_attempts = attempts;
    return SY_OK;
}

sy_status sy_selector_key(sy_selector *selector, const sy_request *request, sy_selection *ret_key, sy_error *err)
{
    return sy_request_key(selector, request, ret_key, err);
}

sy_status sy_selector_keep(sy_selector *selector, const sy_request *request, const sy_probe_result *result,
                           sy_put_result *ret_put, sy_error *err)
{
    sy_selection key;
    uint32_t attempts = 0;
    sy_error refused = SY_ERROR_INIT;
    (void)pthread_mutex_lock(&selector->probing);
    sy_status status = sy_request_key(selector, request, &key, err);
    if (!status)
        status = sy_request_attempts(selector, request, &key, &attempts, err);
    if (!status) {
        status = sy_selector_store_result(selector, request, &key, result, attempts + 1, NULL, ret_put, &refused);
        if (status && err)
            *err = refused;
        if (status == SY_REFUSED) {
            sy_status counted = sy_selector_count_attempt(selector, request, &key, result, attempts + 1, &refused);
            if (counted && err)
                *err = refused;
            status = counted ? counted : status;
        }
    }
    (void)pthread_mutex_unlock(&selector->probing);
    return status;
}
