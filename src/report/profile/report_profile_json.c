/* SPDX-License-Identifier: Apache-2.0 */
/* Stored profiles, keys and layers as JSON. */
#include <string.h>

#include "base/error.h"
#include "report/profile/report_profile.h"

void sy_profile_write_time_json(sy_json_writer *writer, const char *name, int64_t utc_s)
{
    char time[SY_PROFILE_TIME_SIZE];

    sy_json_member_text(writer, name, utc_s == 0 ? NULL : sy_profile_words_time(time, utc_s));
}

void sy_profile_write_key_json(sy_json_writer *writer, const sy_profile_key *key)
{
    bool exact = key->model_digest != NULL && key->model_digest[0] != '\0';

    sy_json_begin_object(writer);
    sy_json_member_text(writer, "backend", key->backend);
    sy_json_member_text(writer, "operator", key->operator_name);
    sy_json_member_text(writer, "implementation_version", key->implementation_version);
    sy_json_member_text(writer, "model_digest", exact ? key->model_digest : NULL);
    sy_json_member_text(writer, "processor", exact ? key->processor : NULL);
    if (exact)
        sy_json_member_u64(writer, "thread_count", key->thread_count);
    else
        sy_json_member_null(writer, "thread_count");
    sy_json_name(writer, "structure");
    if (key->structure_count == 0) {
        sy_json_null(writer);
    } else {
        sy_json_begin_object(writer);
        for (size_t i = 0; i < key->structure_count; i++)
            sy_json_member_text(writer, key->structure[i].name, key->structure[i].value);
        sy_json_end_object(writer);
    }
    sy_json_end_object(writer);
}

static bool is_utf8(const char *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        size_t length = sy_text_character_length(bytes + at, size - at);

        if (length == 0)
            return false;
        at += length;
    }
    return true;
}

void sy_profile_write_policy_json(sy_json_writer *writer, const sy_profile *profile)
{
    sy_text digits = SY_TEXT_INIT;
    bool plain = is_utf8(profile->policy, profile->policy_size);

    sy_json_name(writer, "policy");
    sy_json_text_sized(writer, profile->policy, profile->policy_size);
    for (size_t i = 0; !plain && i < profile->policy_size; i++)
        sy_text_append_format(&digits, "%02x", (unsigned char)profile->policy[i]);
    sy_json_member_text(writer, "policy_hex", plain || digits.failed ? NULL : sy_text_bytes(&digits));
    sy_text_finish(&digits);
}

void sy_profile_write_measurements_json(sy_json_writer *writer, const sy_profile *profile)
{
    sy_json_name(writer, "measurements");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < profile->measurement_count; i++) {
        const sy_measurement *measurement = &profile->measurements[i];

        sy_json_begin_object(writer);
        sy_json_member_text(writer, "name", measurement->name);
        sy_json_member_double(writer, "value", measurement->value);
        sy_json_member_text(writer, "unit", measurement->unit != NULL ? measurement->unit : "");
        sy_json_end_object(writer);
    }
    sy_json_end_array(writer);
}

static void write_trial(sy_json_writer *writer, const sy_profile *profile)
{
    const sy_profile_trial *trial = &profile->trial;

    sy_json_name(writer, "decision");
    if (!profile->has_trial) {
        sy_json_null(writer);
        return;
    }
    sy_json_begin_object(writer);
    sy_json_member_text(writer, "word",
                        trial->decision == SY_DECISION_INCONCLUSIVE ? "undecided" : sy_decision_word(trial->decision));
    sy_json_member_text(writer, "rule", trial->rule);
    sy_json_member_u64(writer, "max_pairs", trial->max_pairs);
    sy_json_member_u64(writer, "pairs", trial->pairs);
    sy_json_member_u64(writer, "wins", trial->wins);
    sy_json_member_double(writer, "e_value", trial->e_value);
    sy_json_member_u64(writer, "attempt", trial->attempt);
    sy_json_end_object(writer);
}

static void write_figures(sy_json_writer *writer, const sy_profile *profile)
{
    sy_json_name(writer, "gain");
    if (profile->has_gain) {
        sy_json_begin_object(writer);
        sy_json_member_double(writer, "gain", profile->gain.gain);
        sy_json_member_double(writer, "gain_low", profile->gain.low);
        sy_json_member_double(writer, "gain_high", profile->gain.high);
        sy_json_member_u64(writer, "pairs", profile->gain.pairs);
        sy_json_end_object(writer);
    } else {
        sy_json_null(writer);
    }
    sy_json_name(writer, "parity");
    if (profile->has_parity) {
        sy_json_begin_object(writer);
        sy_json_member_text(writer, "outcome", sy_parity_outcome_word(profile->parity.outcome));
        sy_json_member_double(writer, "error_in_tolerances", profile->parity.error_in_tolerances);
        sy_json_end_object(writer);
    } else {
        sy_json_null(writer);
    }
}

static void write_alternatives(sy_json_writer *writer, const sy_profile *profile)
{
    sy_json_name(writer, "alternatives");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < profile->alternative_count; i++) {
        const sy_alternative *alternative = &profile->alternatives[i];

        sy_json_begin_object(writer);
        sy_json_member_text(writer, "name", alternative->name);
        sy_json_member_text(writer, "reason", alternative->reason);
        sy_json_member_double(writer, "ratio", alternative->ratio);
        sy_json_end_object(writer);
    }
    sy_json_end_array(writer);
}

void sy_profile_write_json(sy_json_writer *writer, const sy_report_store *store, const sy_profile *profile,
                           uint32_t layer)
{
    sy_json_begin_object(writer);
    sy_json_member_text(writer, "kind", sy_profile_kind_word(profile->kind));
    sy_json_member_bool(writer, "portable", profile->portable);
    sy_json_name(writer, "key");
    sy_profile_write_key_json(writer, &profile->key);
    sy_profile_write_policy_json(writer, profile);
    sy_profile_write_measurements_json(writer, profile);
    write_alternatives(writer, profile);
    write_trial(writer, profile);
    write_figures(writer, profile);
    sy_json_name(writer, "evidence");
    if (profile->evidence_run[0] != '\0') {
        sy_json_begin_object(writer);
        sy_json_member_text(writer, "run", profile->evidence_run);
        sy_json_member_text(writer, "sha256", profile->evidence_digest);
        sy_profile_write_proof_json(writer, store, profile);
        sy_json_end_object(writer);
    } else {
        sy_json_null(writer);
    }
    sy_json_member_text(writer, "reason", profile->reason);
    sy_json_member_text(writer, "written_by", profile->tool);
    sy_profile_write_history_json(writer, store, profile);
    sy_json_member_text(writer, "signed_by", profile->signed_by == NULL ? "" : profile->signed_by);
    sy_profile_write_time_json(writer, "created", profile->created_utc_s);
    sy_profile_write_time_json(writer, "expires", profile->expires_utc_s);
    sy_json_member_bool(writer, "expired", sy_profile_is_expired(profile, store->now_utc_s));
    sy_json_member_u64(writer, "layer", layer);
    sy_json_end_object(writer);
}

void sy_profile_write_layers_json(sy_json_writer *writer, const sy_report_store *store)
{
    sy_json_name(writer, "layers");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < store->layer_count; i++) {
        const sy_layer_info *layer = &store->layers[i];

        sy_json_begin_object(writer);
        sy_json_member_text(writer, "path", layer->path);
        sy_json_member_bool(writer, "writable", layer->writable);
        sy_json_member_text(writer, "status", sy_status_word(layer->status));
        sy_json_member_text(writer, "message", layer->message);
        sy_json_member_u64(writer, "format", layer->format);
        sy_json_member_u64(writer, "profile_count", layer->profile_count);
        sy_json_end_object(writer);
    }
    sy_json_end_array(writer);
}

sy_status sy_report_profile_list_json(const sy_report_store *store, const sy_report_profile *list, size_t count,
                                      char **ret_json, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_frame_begin(&text, "steelyard.profile-list/1");

    sy_profile_write_layers_json(writer, store);
    sy_json_name(writer, "profiles");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < count; i++)
        sy_profile_write_json(writer, store, list[i].profile, list[i].layer);
    sy_json_end_array(writer);
    return sy_json_frame_end(writer, &text, ret_json, err);
}
