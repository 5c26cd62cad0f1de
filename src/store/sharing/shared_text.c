/* SPDX-License-Identifier: Apache-2.0 */
/* A part of a store as text, and such a text taken in. A store in memory stands between both, so that the reader and
 * the writer of profiles are those of every store. */
#include <string.h>

#include <steelyard/sharing.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "store/state.h"

#define FILE_LIMIT_BYTES (UINT64_C(256) << 20)

/* Profiles on their way from one store to another; their texts are borrowed from the first. */
typedef struct selection {
    const sy_profile_export_options *options; /* of an export; NULL = an import */
    bool overrides;
    int64_t now_utc_s;
    sy_profile *profiles;
    size_t count;
    size_t capacity;
    size_t seen;
    size_t overrides_left_out;
} selection;

static sy_status open_in_memory(sy_store **ret_store, sy_error *err)
{
    sy_store_options options = SY_STORE_OPTIONS_INIT;
    options.persistence = false;
    options.environment_layers = false;
    return sy_store_open(&options, ret_store, err);
}

static bool is_asked_for(const char *asked, const char *found)
{
    return asked == NULL || strcmp(asked, found) == 0;
}

/* What is not decided, or no longer true, is nothing to hand on. */
static bool is_exported(const selection *s, const sy_profile *profile)
{
    const sy_profile_export_options *o = s->options;
    bool undecided = profile->has_trial && profile->trial.decision == SY_DECISION_INCONCLUSIVE;
    bool expired = profile->expires_utc_s != 0 && profile->expires_utc_s <= s->now_utc_s;
    return !undecided && !expired && is_asked_for(o->backend, profile->key.backend) &&
           is_asked_for(o->operator_name, profile->key.operator_name) &&
           (!o->require_evidence || profile->evidence_run[0] != '\0' || profile->kind == SY_PROFILE_OVERRIDE);
}

static sy_status select_profile(void *user, const sy_profile *profile, uint32_t layer, sy_error *err)
{
    selection *s = user;
    if (layer != 0) {
        return SY_OK;
    }
    s->seen++;
    if (profile->kind == SY_PROFILE_OVERRIDE && !s->overrides) {
        s->overrides_left_out++;
        return SY_OK;
    }
    if (s->options != NULL && !is_exported(s, profile)) {
        return SY_OK;
    }
    if (s->count == s->capacity) {
        size_t capacity = s->capacity == 0 ? 64 : 2 * s->capacity;
        sy_profile *more = sy_reallocate(s->profiles, capacity, sizeof *more);
        if (more == NULL) {
            return sy_fail(err, SY_NO_MEMORY, "no memory for %zu profiles", capacity);
        }
        s->profiles = more;
        s->capacity = capacity;
    }
    s->profiles[s->count++] = *profile;
    return SY_OK;
}

static sy_status adopt_selected(const selection *s, sy_store *store, const sy_adoption *adoption, sy_put_result *result,
                                sy_error *err)
{
    const sy_profile **list = sy_allocate(s->count, sizeof *list);
    if (list == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for %zu profiles", s->count);
    }
    for (size_t i = 0; i < s->count; i++) {
        list[i] = &s->profiles[i];
    }
    sy_status status = sy_store_adopt(store, list, s->count, adoption, result, err);
    sy_free(list);
    return status;
}

static sy_status check_export(const sy_profile_export_options *options, sy_error *err)
{
    if (options->struct_size != sizeof *options) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "the options' struct_size is %zu, not %zu", options->struct_size,
                       sizeof *options);
    }
    if (options->format < 1 || options->format > 2) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "the format %u is not 1 or 2", options->format);
    }
    return SY_OK;
}

sy_status sy_store_export_text(sy_store *store, const sy_profile_export_options *options, char **ret_text,
                               size_t *ret_size, sy_profile_export_result *ret_result, sy_error *err)
{
    static const sy_profile_export_options defaults = SY_PROFILE_EXPORT_OPTIONS_INIT;
    const sy_profile_export_options *o = options == NULL ? &defaults : options;
    selection s = {.options = o, .overrides = o->overrides};
    sy_put_result written = {0};
    sy_store *memory = NULL;
    sy_status status = check_export(o, err);
    if (status != SY_OK) {
        return status;
    }
    s.now_utc_s = sy_store_now(store);
    status = sy_store_iterate(store, select_profile, &s, err);
    if (status == SY_OK && s.count == 0) {
        status = sy_fail(err, SY_NOT_FOUND, "of %zu profiles none is to be exported", s.seen);
    }
    if (status == SY_OK) {
        status = open_in_memory(&memory, err);
    }
    if (status == SY_OK) {
        status = adopt_selected(&s, memory, NULL, NULL, err);
    }
    if (status == SY_OK) {
        status = sy_store_write_text(memory, o->format, ret_text, ret_size, &written, err);
    }
    if (status == SY_OK && ret_result != NULL) {
        *ret_result = (sy_profile_export_result){.exported = s.count, .left_out = s.seen - s.count};
        sy_text_copy(ret_result->not_kept, sizeof ret_result->not_kept, written.not_kept);
    }
    sy_store_close(memory);
    sy_free(s.profiles);
    return status;
}

/* Who signed the text, if that is known, and how much of it is profiles. */
static sy_status look_at_signature(const sy_profile_import_options *o, const char *text, size_t size, size_t *ret_size,
                                   sy_profile_import_result *result, sy_error *err)
{
    sy_signature signature = {.signed_size = size};
    sy_status status;
    if (o->keys != NULL) {
        status = sy_signature_verify(o->keys, o->key_count, text, size, &signature, err);
        result->verified = status == SY_OK;
    } else {
        sy_error problem = SY_ERROR_INIT;
        status = sy_signature_find(text, size, &signature, &problem);
        if (status == SY_VERSION_UNSUPPORTED) {
            /* To who verifies nothing it is a comment. */
            sy_text_copy(signature.key_id, sizeof signature.key_id, "unknown");
        }
        if (status == SY_CORRUPT && err != NULL) {
            *err = problem;
        }
        status = status == SY_CORRUPT ? status : SY_OK;
    }
    *ret_size = signature.signed_size;
    sy_text_copy(result->key_id, sizeof result->key_id, signature.key_id);
    return status;
}

static sy_status take_in(sy_store *store, const char *text, size_t size, const sy_profile_import_options *o,
                         sy_profile_import_result *result, sy_error *err)
{
    const sy_adoption newest = {.keep_existing = false, .newest_wins = true};
    selection s = {.overrides = o->overrides};
    sy_store *memory = NULL;
    sy_status status = open_in_memory(&memory, err);
    if (status == SY_OK) {
        status = sy_store_read_text(memory, text, size, NULL, err);
    }
    if (status == SY_OK) {
        status = sy_store_iterate(memory, select_profile, &s, err);
    }
    for (size_t i = 0; i < s.count; i++) {
        s.profiles[i].signed_by = result->verified ? result->key_id : "";
    }
    if (status == SY_OK && s.count > 0) {
        status = adopt_selected(&s, store, &newest, &result->put, err);
    }
    result->found = s.seen;
    result->overrides_left_out = s.overrides_left_out;
    sy_store_close(memory);
    sy_free(s.profiles);
    return status;
}

sy_status sy_store_import_text(sy_store *store, const char *text, size_t size, const sy_profile_import_options *options,
                               sy_profile_import_result *ret_result, sy_error *err)
{
    static const sy_profile_import_options defaults = SY_PROFILE_IMPORT_OPTIONS_INIT;
    const sy_profile_import_options *o = options == NULL ? &defaults : options;
    sy_profile_import_result result = {0};
    size_t profiles_size = size;
    if (o->struct_size != sizeof *o) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "the options' struct_size is %zu, not %zu", o->struct_size, sizeof *o);
    }
    sy_status status = look_at_signature(o, text, size, &profiles_size, &result, err);
    if (status == SY_OK) {
        status = take_in(store, text, profiles_size, o, &result, err);
    }
    if (status == SY_OK && ret_result != NULL) {
        *ret_result = result;
    }
    return status;
}

sy_status sy_store_import_file(sy_store *store, const char *path, const sy_profile_import_options *options,
                               sy_profile_import_result *ret_result, sy_error *err)
{
    char *text = NULL;
    size_t size = 0;
    sy_status status = sy_file_read(path, FILE_LIMIT_BYTES, &text, &size, err);
    if (status == SY_LIMIT_EXCEEDED) {
        return sy_fail(err, SY_REFUSED, "'%s' has more than 256 MiB: no such file is read", path);
    }
    if (status != SY_OK) {
        return status;
    }
    status = sy_store_import_text(store, text, size, options, ret_result, err);
    sy_free(text);
    if (status == SY_CORRUPT || status == SY_REFUSED || status == SY_VERSION_UNSUPPORTED) {
        sy_error_prefix(err, "'%s'", path);
    }
    return status;
}
