/* SPDX-License-Identifier: Apache-2.0 */
/* Keys, policies and short calls for the store's tests. The clock is test_now, which tests move. Needs cmocka. */
#ifndef STEELYARD_TESTS_STORE_FIXTURE_H
#define STEELYARD_TESTS_STORE_FIXTURE_H

#include <string.h>

#include "base/error.h"
#include "cmocka_headers.h"
#include <steelyard/store.h>

#define SOME_DIGEST "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

__attribute__((unused)) static int64_t test_now = 1795959859;
__attribute__((unused)) static const sy_property f16_property = {"dtype", "f16"};

static inline int64_t test_clock(void *user)
{
    (void)user;
    return test_now;
}

typedef struct policy_text {
    const char *bytes;
    size_t size;
    int calls;
} policy_text;

static inline sy_status serialize_text(void *user, const char **ret_policy, size_t *ret_size, sy_error *err)
{
    policy_text *policy = user;
    (void)err;
    policy->calls++;
    *ret_policy = policy->bytes;
    *ret_size = policy->size;
    return SY_OK;
}

static inline sy_status refuse_to_serialize(void *user, const char **ret_policy, size_t *ret_size, sy_error *err)
{
    (void)user;
    (void)ret_policy;
    (void)ret_size;
    return sy_fail(err, SY_INTERRUPTED, "not now");
}

/* Rejects the policy "x". */
static inline sy_status reject_x(void *user, const char *policy, size_t size, sy_error *err)
{
    (void)user;
    return size == 1 && *policy == 'x' ? sy_fail(err, SY_INVALID_ARGUMENT, "no x please") : SY_OK;
}

static inline sy_profile_key exact_key(const char *processor, uint32_t threads)
{
    return (sy_profile_key){"be", "op", "1", "model", processor, threads, NULL, 0};
}

/* dtype: a text that lives as long as the key is used, and stays what it was at the first call. */
static inline sy_profile_key portable_key(const char *dtype)
{
    static sy_property properties[8];
    size_t at = 0;
    while (at < 7 && properties[at].name != NULL && strcmp(properties[at].value, dtype) != 0) {
        at++;
    }
    properties[at] = (sy_property){"dtype", dtype};
    return (sy_profile_key){"be", "op", "1", NULL, NULL, 0, &properties[at], 1};
}

static inline sy_lookup both_keys(const char *processor, uint32_t threads, const char *dtype)
{
    sy_lookup lookup = SY_LOOKUP_INIT;
    lookup.key = portable_key(dtype);
    lookup.key.model_digest = "model";
    lookup.key.processor = processor;
    lookup.key.thread_count = threads;
    return lookup;
}

static inline sy_store_options memory_options(void)
{
    sy_store_options options = SY_STORE_OPTIONS_INIT;
    options.persistence = false;
    options.now_utc_s = test_clock;
    return options;
}

/* path NULL: in memory. */
static inline sy_store *open_memory(const char *path)
{
    sy_store_options options = memory_options();
    sy_store *store = NULL;
    options.persistence = path != NULL;
    options.path = path;
    options.environment_layers = false;
    assert_int_equal(sy_store_open(&options, &store, NULL), SY_OK);
    return store;
}

static inline sy_status try_put(sy_store *store, sy_profile_key key, const char *policy, int64_t expires_utc_s,
                                sy_error *err)
{
    policy_text text = {policy, strlen(policy), 0};
    sy_profile_draft draft = SY_PROFILE_DRAFT_INIT;
    draft.key = key;
    draft.expires_utc_s = expires_utc_s;
    return sy_store_put(store, &draft, serialize_text, NULL, &text, NULL, err);
}

static inline void put(sy_store *store, sy_profile_key key, const char *policy, int64_t expires_utc_s)
{
    sy_error err = SY_ERROR_INIT;
    if (try_put(store, key, policy, expires_utc_s, &err) != SY_OK) {
        fail_msg("put: %s", err.what);
    }
}

static inline void put_exact(sy_store *store, const char *processor, uint32_t threads, const char *policy)
{
    put(store, exact_key(processor, threads), policy, 0);
}

static inline void put_portable(sy_store *store, const char *dtype, const char *policy)
{
    put(store, portable_key(dtype), policy, 0);
}

static inline void install(sy_store *store, sy_profile_key key, const char *policy, int64_t expires_utc_s)
{
    policy_text text = {policy, strlen(policy), 0};
    sy_override_draft draft = {key, "because", expires_utc_s};
    assert_int_equal(sy_store_install_override(store, &draft, serialize_text, NULL, &text, NULL, NULL), SY_OK);
}

/* The exact calibrated or override entry, which must be there. */
static inline sy_profile_view find(sy_store *store, const char *processor, uint32_t threads)
{
    sy_lookup lookup = SY_LOOKUP_INIT;
    sy_profile_view view = {0};
    sy_error err = SY_ERROR_INIT;
    lookup.key = exact_key(processor, threads);
    if (sy_store_lookup(store, &lookup, NULL, NULL, &view, &err) != SY_OK) {
        fail_msg("find: %s", err.what);
    }
    return view;
}

typedef struct profile_walk {
    size_t count;
    size_t wanted;
    const sy_profile *found;
} profile_walk;

static inline sy_status walk_profiles(void *user, const sy_profile *profile, uint32_t layer, sy_error *err)
{
    profile_walk *walk = user;
    (void)layer;
    (void)err;
    if (walk->count++ == walk->wanted) {
        walk->found = profile;
    }
    return SY_OK;
}

/* Over all layers. */
static inline size_t count_profiles(sy_store *store)
{
    profile_walk walk = {0, 0, NULL};
    assert_int_equal(sy_store_iterate(store, walk_profiles, &walk, NULL), SY_OK);
    return walk.count;
}

static inline const sy_profile *nth_profile(sy_store *store, size_t n)
{
    profile_walk walk = {0, n, NULL};
    assert_int_equal(sy_store_iterate(store, walk_profiles, &walk, NULL), SY_OK);
    assert_non_null(walk.found);
    return walk.found;
}

#endif
