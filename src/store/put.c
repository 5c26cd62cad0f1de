/* SPDX-License-Identifier: Apache-2.0 */
/* The public functions that change a store: each turns its arguments into changes, checked before anything is touched,
 * and commits them. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "store/format/format.h"
#include "store/state.h"

/* Created and tool are the store's own; who put a profile did not give them. */
#define LOSSES_OF_A_PUT (~(SY_LOSS_CREATED | SY_LOSS_TOOL))

static const sy_adoption replacing = SY_ADOPTION_INIT;

static void tell_result(const sy_change_result *result, uint32_t format, unsigned mask, sy_put_result *ret_result)
{
    if (ret_result != NULL) {
        ret_result->stored = result->stored;
        ret_result->format = format;
        sy_format_describe_losses(result->losses & mask, ret_result->not_kept);
    }
}

/* Makes entries of finished, checked profiles and commits them. adoption NULL: they are new, and replace. */
static sy_status store_profiles(sy_store *store, const sy_profile *profiles, size_t count, const sy_adoption *adoption,
                                unsigned mask, sy_put_result *ret_result, sy_error *err)
{
    sy_change *changes = sy_allocate(count, sizeof *changes);
    if (changes == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for %zu profiles", count);
    }
    sy_status status = SY_OK;
    sy_change_result result = {0};
    uint32_t format = 0;
    pthread_mutex_lock(&store->mutex);
    for (size_t i = 0; status == SY_OK && i < count; i++) {
        changes[i].kind = SY_CHANGE_PUT;
        changes[i].adopted = adoption != NULL;
        changes[i].keep_existing = adoption != NULL && adoption->keep_existing;
        changes[i].newest_wins = adoption != NULL && adoption->newest_wins;
        changes[i].entry = sy_entry_create(&store->vault, &profiles[i], "", 0);
        if (changes[i].entry == NULL) {
            status = sy_fail(err, SY_NO_MEMORY, "no memory for %zu profiles", count);
        }
    }
    if (status == SY_OK) {
        status = sy_store_commit(store, changes, count, 0, &result, &format, err);
    }
    pthread_mutex_unlock(&store->mutex);
    sy_free(changes);
    if (status == SY_OK) {
        tell_result(&result, format, mask, ret_result);
    }
    return status;
}

static sy_status ask_validator(sy_validate_fn validate, void *user, const sy_profile *profile, sy_error *err)
{
    if (validate == NULL) {
        return SY_OK;
    }
    sy_error problem = SY_ERROR_INIT;
    if (validate(user, profile->policy, profile->policy_size, &problem) == SY_OK) {
        return SY_OK;
    }
    return sy_fail(err, SY_POLICY_REJECTED, "the policy is rejected: %s",
                   problem.what[0] == '\0' ? "its validator gives no reason" : problem.what);
}

/* Serializes, checks and validates; profile's texts stay borrowed. */
static sy_status finish_profile(sy_profile *profile, sy_serialize_fn serialize, sy_validate_fn validate, void *user,
                                const sy_store *store, sy_error *err)
{
    bool portable;
    profile->tool = "steelyard " SY_VERSION;
    profile->created_utc_s = sy_store_now(store);
    if (serialize == NULL) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "there is no serializer");
    }
    /* A wrong key is told before the engine does any work. */
    sy_status status = sy_profile_key_check(&profile->key, &portable, err);
    if (status == SY_OK) {
        status = serialize(user, &profile->policy, &profile->policy_size, err);
    }
    if (status == SY_OK) {
        status = sy_profile_check(profile, err);
    }
    return status == SY_OK ? ask_validator(validate, user, profile, err) : status;
}

static sy_profile profile_of_draft(const sy_profile_draft *draft)
{
    sy_profile profile = {
        .kind = SY_PROFILE_CALIBRATED,
        .key = draft->key,
        .measurements = draft->measurements,
        .measurement_count = draft->measurement_count,
        .alternatives = draft->alternatives,
        .alternative_count = draft->alternative_count,
        .has_trial = draft->trial != NULL,
        .has_gain = draft->gain != NULL,
        .has_parity = draft->parity != NULL,
        .evidence_run = draft->evidence_run,
        .evidence_digest = draft->evidence_digest,
        .expires_utc_s = draft->expires_utc_s,
        .earlier = draft->earlier,
        .earlier_count = draft->earlier_count,
    };
    if (draft->cost != NULL) {
        profile.cost = *draft->cost;
    }
    if (draft->trial != NULL) {
        profile.trial = *draft->trial;
    }
    if (draft->gain != NULL) {
        profile.gain = *draft->gain;
    }
    if (draft->parity != NULL) {
        profile.parity = *draft->parity;
    }
    return profile;
}

sy_status sy_store_put(sy_store *store, const sy_profile_draft *draft, sy_serialize_fn serialize,
                       sy_validate_fn validate, void *user, sy_put_result *ret_result, sy_error *err)
{
    sy_profile profile = profile_of_draft(draft);
    sy_status status = finish_profile(&profile, serialize, validate, user, store, err);
    return status == SY_OK ? store_profiles(store, &profile, 1, NULL, LOSSES_OF_A_PUT, ret_result, err) : status;
}

sy_status sy_store_put_many(sy_store *store, const sy_profile_put *puts, size_t count, sy_put_result *ret_result,
                            sy_error *err)
{
    sy_profile *profiles = sy_allocate(count, sizeof *profiles);
    if (profiles == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for %zu profiles", count);
    }
    sy_status status = SY_OK;
    for (size_t i = 0; status == SY_OK && i < count; i++) {
        profiles[i] = profile_of_draft(&puts[i].draft);
        status = finish_profile(&profiles[i], puts[i].serialize, puts[i].validate, puts[i].user, store, err);
        if (status != SY_OK) {
            sy_error_prefix(err, "profile %zu", i);
        }
    }
    if (status == SY_OK) {
        status = store_profiles(store, profiles, count, NULL, LOSSES_OF_A_PUT, ret_result, err);
    }
    sy_free(profiles);
    return status;
}

sy_status sy_store_install_override(sy_store *store, const sy_override_draft *draft, sy_serialize_fn serialize,
                                    sy_validate_fn validate, void *user, sy_put_result *ret_result, sy_error *err)
{
    sy_profile profile = {
        .kind = SY_PROFILE_OVERRIDE, .key = draft->key, .reason = draft->reason, .expires_utc_s = draft->expires_utc_s};
    sy_status status = finish_profile(&profile, serialize, validate, user, store, err);
    return status == SY_OK ? store_profiles(store, &profile, 1, NULL, LOSSES_OF_A_PUT, ret_result, err) : status;
}

sy_status sy_store_adopt(sy_store *store, const sy_profile *const *profiles, size_t count, const sy_adoption *options,
                         sy_put_result *ret_result, sy_error *err)
{
    sy_profile *copies = sy_allocate(count, sizeof *copies);
    if (copies == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for %zu profiles", count);
    }
    sy_status status = SY_OK;
    for (size_t i = 0; status == SY_OK && i < count; i++) {
        copies[i] = *profiles[i];
        status = sy_profile_check(&copies[i], err);
        if (status != SY_OK) {
            sy_error_prefix(err, "profile %zu", i);
        }
    }
    if (status == SY_OK) {
        status = store_profiles(store, copies, count, options != NULL ? options : &replacing, ~0u, ret_result, err);
    }
    sy_free(copies);
    return status;
}

/* Whether a read-only layer has the entry. Mutex held. */
static bool is_in_lower_layer(const sy_store *store, const sy_profile_key *key, bool portable, sy_profile_kind kind,
                              const char **ret_path)
{
    for (uint32_t i = 1; i < store->layer_count; i++) {
        if (sy_book_find(store->layers[i].book, key, portable, kind, sy_hash_key(key, portable)) != SY_BOOK_NOWHERE) {
            *ret_path = store->layers[i].path;
            return true;
        }
    }
    return false;
}

sy_status sy_store_remove(sy_store *store, const sy_profile_key *key, sy_profile_kind kind, sy_error *err)
{
    bool portable = false;
    sy_status status = sy_profile_key_check(key, &portable, err);
    if (status != SY_OK) {
        return status;
    }
    sy_profile wanted = {.kind = kind, .key = *key, .policy = ""};
    sy_change change = {.kind = SY_CHANGE_REMOVE};
    sy_change_result result = {0};
    uint32_t format;
    const char *path = "";
    pthread_mutex_lock(&store->mutex);
    change.entry = sy_entry_create(&store->vault, &wanted, "", 0);
    status = change.entry == NULL ? sy_fail(err, SY_NO_MEMORY, "no memory to remove a profile")
                                  : sy_store_commit(store, &change, 1, 0, &result, &format, err);
    if (status == SY_OK && result.removed == 0) {
        status = is_in_lower_layer(store, key, portable, kind, &path)
                     ? sy_fail(err, SY_REFUSED, "the %s profile stands in the read-only layer '%s'",
                               sy_profile_kind_word(kind), path)
                     : sy_fail(err, SY_NOT_FOUND, "there is no %s profile of that key", sy_profile_kind_word(kind));
    }
    pthread_mutex_unlock(&store->mutex);
    return status;
}

sy_status sy_store_clear_override(sy_store *store, const sy_profile_key *key, sy_error *err)
{
    return sy_store_remove(store, key, SY_PROFILE_OVERRIDE, err);
}

sy_status sy_store_invalidate(sy_store *store, const sy_invalidation *what, size_t *ret_removed, sy_error *err)
{
    if (what->backend == NULL || *what->backend == '\0') {
        return sy_fail(err, SY_INVALID_ARGUMENT, "the backend to invalidate is empty");
    }
    sy_change change = {.kind = SY_CHANGE_INVALIDATE, .overrides = what->overrides};
    sy_change_result result = {0};
    uint32_t format;
    sy_status status;
    pthread_mutex_lock(&store->mutex);
    change.backend = sy_arena_copy_text(store->vault.arena, what->backend);
    if (what->implementation_version != NULL) {
        change.version = sy_arena_copy_text(store->vault.arena, what->implementation_version);
    }
    if (change.backend == NULL || (what->implementation_version != NULL && change.version == NULL)) {
        status = sy_fail(err, SY_NO_MEMORY, "no memory to invalidate '%s'", what->backend);
    } else {
        status = sy_store_commit(store, &change, 1, 0, &result, &format, err);
    }
    pthread_mutex_unlock(&store->mutex);
    if (status == SY_OK && ret_removed != NULL) {
        *ret_removed = result.removed;
    }
    return status;
}

sy_status sy_store_convert(sy_store *store, uint32_t format, sy_put_result *ret_result, sy_error *err)
{
    if (format < SY_FORMAT_INTERCHANGE || format > SY_FORMAT_LATEST) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "the format %u is not 1 or 2", format);
    }
    sy_change_result result = {0};
    uint32_t written;
    pthread_mutex_lock(&store->mutex);
    sy_status status = *store->layers[0].path == '\0'
                           ? sy_fail(err, SY_NOT_FOUND, "the store is in memory only: there is no file to convert")
                           : sy_store_commit(store, NULL, 0, format, &result, &written, err);
    pthread_mutex_unlock(&store->mutex);
    if (status == SY_OK) {
        tell_result(&result, written, ~0u, ret_result);
    }
    return status;
}
