/* SPDX-License-Identifier: Apache-2.0 */
/* In the page's data: what a store keeps, a row each and then each with all that is known of it. Sentences are those of
 * steelyard profile; nothing is looked up or judged here. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/digest.h"
#include "base/error.h"
#include "record/private_text.h"
#include "report/html/html_parts.h"
#include "report/page/figures.h"
#include "report/profile/report_profile.h"

#define COLUMNS(list) .columns = (list), .column_count = sizeof(list) / sizeof((list)[0])

enum { ID_DIGITS = 16 }; /* of a digest: enough to tell entries of one store apart */

/* The store while it is written. What was cleaned of private texts lies in the arena. */
typedef struct writing {
    sy_json_writer *json;
    const sy_report_store *store;
    sy_arena *arena;
    sy_text text; /* of a value that is put together */
    bool failed;
} writing;

/* Paths and texts of people without homes and secrets: the page is made to be sent. */
static const char *cleaned(writing *w, const char *text)
{
    const char *clean = sy_private_clean(w->arena, text != NULL ? text : "");

    w->failed = w->failed || clean == NULL;
    return clean != NULL ? clean : "";
}

static void put_cleaned(writing *w, sy_text *text)
{
    w->failed = w->failed || text->failed;
    sy_json_text(w->json, text->failed ? "" : cleaned(w, sy_text_bytes(text)));
    sy_text_clear(text);
}

/* ---- which one ---- */

static void add_text(sy_digest_state *state, const char *text)
{
    const char *bytes = text != NULL ? text : "";

    sy_digest_add(state, bytes, strlen(bytes) + 1);
}

/* The same for the same key, kind and file, however many others there are: an address is a link that lasts. */
static void put_id(writing *w, const sy_report_profile *item)
{
    const sy_profile *profile = item->profile;
    const sy_profile_key *key = &profile->key;
    char digits[SY_DIGEST_TEXT];
    sy_digest_state state;
    sy_digest digest;

    sy_digest_start(&state);
    sy_profile_words_kind(profile, &w->text);
    sy_text_append_format(&w->text, " %u threads", key->thread_count);
    add_text(&state, sy_text_bytes(&w->text));
    sy_text_clear(&w->text);
    add_text(&state, key->backend);
    add_text(&state, key->operator_name);
    add_text(&state, key->implementation_version);
    add_text(&state, key->model_digest);
    add_text(&state, key->processor);
    for (size_t i = 0; i < key->structure_count; i++) {
        add_text(&state, key->structure[i].name);
        add_text(&state, key->structure[i].value);
    }
    add_text(&state, sy_profile_words_layer(w->store, item->layer));
    sy_digest_finish(&state, &digest);
    sy_digest_format(&digest, digits);
    sy_json_text_sized(w->json, digits, ID_DIGITS);
}

/* ---- its state in a word ---- */

/* Whether select may answer with it: its rank and its key still have their say. */
static const char *standing_word(const writing *w, const sy_profile *profile)
{
    if (sy_profile_is_expired(profile, w->store->now_utc_s))
        return "expired";
    return profile->kind == SY_PROFILE_IMPORTED ? "not selected" : "valid";
}

static const char *evidence_word(const writing *w, const sy_profile *profile)
{
    sy_proof_state state = SY_PROOF_ABSENT;

    if (profile->kind == SY_PROFILE_OVERRIDE)
        return "set by a person";
    if (profile->evidence_run[0] == '\0')
        return "none";
    if (!sy_profile_find_proof(w->store, profile, &state))
        return "not looked up";
    return state == SY_PROOF_HOLDS ? "proven here" : state == SY_PROOF_DIFFERS ? "differs" : "not in this ledger";
}

static const char *decision_word(const sy_profile *profile)
{
    if (!profile->has_trial)
        return "";
    return profile->trial.decision == SY_DECISION_INCONCLUSIVE ? "undecided"
                                                               : sy_decision_word(profile->trial.decision);
}

static void put_moment(sy_json_writer *json, int64_t utc_s)
{
    if (utc_s == 0)
        sy_json_null(json);
    else
        sy_json_i64(json, utc_s);
}

static void put_figure(sy_json_writer *json, bool is_known, double value)
{
    sy_json_double(json, is_known ? value : NAN);
}

/* "9.3 % to 28.6 %": rounded outwards, so that it never promises more than it holds. */
static void put_interval(writing *w, bool is_known, const sy_profile_gain *gain)
{
    char low[SY_FIGURE_SIZE];
    char high[SY_FIGURE_SIZE];

    if (is_known && !isnan(gain->low) && !isnan(gain->high))
        sy_text_append_format(&w->text, "%s to %s", sy_figure_share_down(low, gain->low),
                              sy_figure_share_up(high, gain->high));
    sy_html_put_text(w->json, &w->text);
}

/* ---- the table ---- */

static void put_row(writing *w, const sy_report_profile *item)
{
    const sy_profile *profile = item->profile;

    sy_json_begin_array(w->json);
    put_id(w, item);
    sy_profile_words_policy(profile, &w->text);
    put_cleaned(w, &w->text);
    sy_json_text(w->json, profile->key.operator_name);
    sy_profile_words_kind(profile, &w->text);
    sy_html_put_text(w->json, &w->text);
    sy_json_text(w->json, standing_word(w, profile));
    sy_json_text(w->json, decision_word(profile));
    put_figure(w->json, profile->has_gain, profile->gain.gain);
    put_interval(w, profile->has_gain, &profile->gain);
    sy_json_text(w->json, profile->has_parity ? sy_parity_outcome_word(profile->parity.outcome) : "");
    sy_json_text(w->json, evidence_word(w, profile));
    sy_json_text(w->json, profile->evidence_run);
    sy_profile_words_key(&profile->key, profile->portable, &w->text);
    put_cleaned(w, &w->text);
    sy_json_text(w->json, profile->key.backend);
    sy_json_text(w->json, profile->key.implementation_version);
    put_moment(w->json, profile->created_utc_s);
    put_moment(w->json, profile->expires_utc_s);
    sy_json_text(w->json, w->store->layer_count > 1 ? cleaned(w, sy_profile_words_layer(w->store, item->layer)) : "");
    sy_json_end_array(w->json);
}

static void put_summary(const writing *w, const sy_report_profiles *profiles, sy_text *to)
{
    size_t expired = 0;
    size_t proven = 0;
    size_t overrides = 0;
    size_t imported = 0;

    for (size_t i = 0; i < profiles->count; i++) {
        const sy_profile *profile = profiles->list[i].profile;
        sy_proof_state state = SY_PROOF_ABSENT;

        expired += sy_profile_is_expired(profile, w->store->now_utc_s);
        overrides += profile->kind == SY_PROFILE_OVERRIDE;
        imported += profile->kind == SY_PROFILE_IMPORTED;
        proven += sy_profile_find_proof(w->store, profile, &state) && state == SY_PROOF_HOLDS;
    }
    sy_text_append_format(to, "%zu %s", profiles->count, profiles->count == 1 ? "profile" : "profiles");
    if (proven > 0)
        sy_text_append_format(to, ", %zu proven by this project's ledger", proven);
    if (overrides > 0)
        sy_text_append_format(to, ", %zu set by a person", overrides);
    if (imported > 0)
        sy_text_append_format(to, ", %zu imported and never selected until probed here", imported);
    if (expired > 0)
        sy_text_append_format(to, ", %zu expired", expired);
    sy_text_append(to, ".");
}

static void put_table(writing *w, const sy_report_profiles *profiles)
{
    static const sy_html_column columns[] = {
        {"id", "Id", SY_HTML_TEXT, NULL},
        {"policy", "Use", SY_HTML_TEXT, NULL},
        {"operator", "For", SY_HTML_WORD, NULL},
        {"kind", "Kind", SY_HTML_WORD, NULL},
        {"standing", "Standing", SY_HTML_WORD, NULL},
        {"decision", "Decision", SY_HTML_WORD, NULL},
        {"gain", "Gain", SY_HTML_NUMBER, "share"},
        {"interval", "Interval", SY_HTML_TEXT, NULL},
        {"parity", "Parity", SY_HTML_WORD, NULL},
        {"evidence", "Evidence", SY_HTML_WORD, NULL},
        {"run", "Run", SY_HTML_RUN, NULL},
        {"key", "Key", SY_HTML_TEXT, NULL},
        {"backend", "Backend", SY_HTML_WORD, NULL},
        {"version", "Version", SY_HTML_WORD, NULL},
        {"created", "Stored", SY_HTML_TIME, NULL},
        {"expires", "Until", SY_HTML_TIME, NULL},
        {"file", "File", SY_HTML_TEXT, NULL},
    };
    sy_text summary = SY_TEXT_INIT;
    sy_html_table table = {
        .name = "table",
        .title = "Stored profiles",
        .note = "What a program that asks is answered with, if its key is the same. An override "
                "stands before what was measured, an exact key before a portable one. The gain is that of the "
                "candidate that came furthest, whether it was chosen or not.",
        COLUMNS(columns)};

    put_summary(w, profiles, &summary);
    table.summary = sy_text_bytes(&summary);
    w->failed = w->failed || summary.failed;
    sy_html_table_begin(w->json, &table);
    for (size_t i = 0; i < profiles->count; i++)
        put_row(w, &profiles->list[i]);
    sy_html_table_end(w->json);
    sy_text_finish(&summary);
}

static const char *layer_word(const sy_layer_info *layer)
{
    return layer->status == SY_OK ? "ok" : layer->status == SY_NOT_FOUND ? "no file yet" : "cannot be read";
}

static void put_layers(writing *w)
{
    static const sy_html_column columns[] = {
        {"file", "File", SY_HTML_TEXT, NULL},
        {"state", "State", SY_HTML_WORD, NULL},
        {"access", "Access", SY_HTML_WORD, NULL},
        {"profiles", "Profiles", SY_HTML_NUMBER, ""},
        {"format", "Format", SY_HTML_NUMBER, ""},
        {"unsaved", "Not written", SY_HTML_NUMBER, ""},
        {"message", "What it says", SY_HTML_TEXT, NULL},
    };
    static const sy_html_table table = {.name = "layers",
                                        .title = "Files of the store",
                                        .note = "In the order in which they are asked; the first is written.",
                                        COLUMNS(columns)};

    sy_html_table_begin(w->json, &table);
    for (size_t i = 0; i < w->store->layer_count; i++) {
        const sy_layer_info *layer = &w->store->layers[i];

        sy_json_begin_array(w->json);
        sy_json_text(w->json, cleaned(w, sy_profile_words_layer(w->store, (uint32_t)i)));
        sy_json_text(w->json, layer_word(layer));
        sy_json_text(w->json, layer->writable ? "writable" : "read only");
        sy_json_u64(w->json, layer->profile_count);
        put_figure(w->json, layer->format != 0, layer->format);
        put_figure(w->json, layer->unsaved_count != 0, (double)layer->unsaved_count);
        sy_json_text(w->json, cleaned(w, layer->message));
        sy_json_end_array(w->json);
    }
    sy_html_table_end(w->json);
}

/* ---- one in full ---- */

/* A pair of a label and the words of a text, which is emptied; nothing where there are none. */
static void put_field(writing *w, const char *label, sy_text *words)
{
    if (!words->failed && words->length == 0)
        return;
    sy_json_begin_array(w->json);
    sy_json_text(w->json, label);
    put_cleaned(w, words);
    sy_json_end_array(w->json);
}

static void put_plain_field(writing *w, const char *label, const char *value)
{
    sy_text_append(&w->text, value != NULL ? value : "");
    put_field(w, label, &w->text);
}

static void put_key_fields(writing *w, const sy_profile *profile)
{
    const sy_profile_key *key = &profile->key;

    put_plain_field(w, "Backend", key->backend);
    put_plain_field(w, "Operation", key->operator_name);
    put_plain_field(w, "Version", key->implementation_version);
    if (profile->portable) {
        sy_profile_words_key(key, true, &w->text);
        put_field(w, "Structure", &w->text);
        return;
    }
    put_plain_field(w, "Model", key->model_digest);
    sy_text_append_format(&w->text, "%u", key->thread_count);
    put_field(w, "Threads", &w->text);
    put_plain_field(w, "Processor", key->processor);
}

/* "3 probes took 41 s", and how often it was used. */
static void put_cost_fields(writing *w, const sy_profile *profile)
{
    char time[SY_PROFILE_TIME_SIZE];

    if (profile->cost.probes > 0) {
        sy_text_append_format(&w->text, "%u %s, %.3g s", profile->cost.probes,
                              profile->cost.probes == 1 ? "probe" : "probes", profile->cost.seconds);
        put_field(w, "What it cost", &w->text);
    }
    if (profile->use.calls == 0)
        return;
    sy_text_append_format(&w->text, "%llu calls were reported", (unsigned long long)profile->use.calls);
    if (profile->use.timed_calls > 0)
        sy_text_append_format(&w->text, ", %llu of them with their time: %.3g s",
                              (unsigned long long)profile->use.timed_calls, profile->use.seconds);
    if (profile->use.last_utc_s != 0)
        sy_text_append_format(&w->text, "; the last ones at %s", sy_profile_words_time(time, profile->use.last_utc_s));
    put_field(w, "How it was used", &w->text);
}

static void put_fields(writing *w, const sy_report_profile *item)
{
    const sy_profile *profile = item->profile;

    sy_json_name(w->json, "fields");
    sy_json_begin_array(w->json);
    sy_profile_words_trial(profile, &w->text);
    put_field(w, "Decision", &w->text);
    sy_profile_words_gain(profile, &w->text);
    put_field(w, "Gain", &w->text);
    sy_profile_words_parity(profile, &w->text);
    put_field(w, "Parity", &w->text);
    sy_profile_words_measurements(profile, &w->text);
    put_field(w, "Measured", &w->text);
    put_plain_field(w, "Reason", profile->reason);
    if (profile->evidence_run[0] != '\0') {
        sy_text_append_format(&w->text, "run %s, SHA-256 %s", profile->evidence_run, profile->evidence_digest);
        sy_profile_words_proof(w->store, profile, &w->text);
        put_field(w, "Evidence", &w->text);
    }
    put_plain_field(w, "Vouched for by key", profile->signed_by);
    put_key_fields(w, profile);
    put_cost_fields(w, profile);
    put_plain_field(w, "Written by", profile->tool);
    put_plain_field(w, "File", sy_profile_words_layer(w->store, item->layer));
    sy_json_end_array(w->json);
}

static void put_alternatives(writing *w, const sy_profile *profile)
{
    static const sy_html_column columns[] = {
        {"name", "Not chosen", SY_HTML_TEXT, NULL},
        {"reason", "Because", SY_HTML_WORD, NULL},
        {"ratio", "Times the chosen one's time", SY_HTML_NUMBER, ""},
    };
    static const sy_html_table table = {
        .name = "alternatives", .title = "What was not chosen", .note = "", COLUMNS(columns)};

    sy_html_table_begin(w->json, &table);
    for (size_t i = 0; i < profile->alternative_count; i++) {
        const sy_alternative *alternative = &profile->alternatives[i];

        sy_json_begin_array(w->json);
        sy_json_text(w->json, cleaned(w, alternative->name));
        sy_json_text(w->json, cleaned(w, alternative->reason));
        sy_json_double(w->json, alternative->ratio);
        sy_json_end_array(w->json);
    }
    sy_html_table_end(w->json);
}

static void put_earlier_row(writing *w, const sy_profile_earlier *earlier)
{
    const sy_profile as_profile = {.policy = earlier->policy, .policy_size = earlier->policy_size};
    const char *decision = !earlier->has_decision                          ? ""
                           : earlier->decision == SY_DECISION_INCONCLUSIVE ? "undecided"
                                                                           : sy_decision_word(earlier->decision);

    sy_json_begin_array(w->json);
    sy_profile_words_policy(&as_profile, &w->text);
    put_cleaned(w, &w->text);
    sy_json_text(w->json, decision);
    put_figure(w->json, earlier->has_gain, earlier->gain.gain);
    put_interval(w, earlier->has_gain, &earlier->gain);
    put_moment(w->json, earlier->created_utc_s);
    put_moment(w->json, earlier->replaced_utc_s);
    sy_json_text(w->json, cleaned(w, earlier->origin));
    sy_json_text(w->json, earlier->evidence_run);
    sy_json_end_array(w->json);
}

static void put_earlier(writing *w, const sy_profile *profile)
{
    static const sy_html_column columns[] = {
        {"policy", "Used", SY_HTML_TEXT, NULL},      {"decision", "Decision", SY_HTML_WORD, NULL},
        {"gain", "Gain", SY_HTML_NUMBER, "share"},   {"interval", "Interval", SY_HTML_TEXT, NULL},
        {"created", "Stored", SY_HTML_TIME, NULL},   {"replaced", "Replaced", SY_HTML_TIME, NULL},
        {"origin", "Came from", SY_HTML_TEXT, NULL}, {"run", "Run", SY_HTML_RUN, NULL},
    };
    sy_text note = SY_TEXT_INIT;
    sy_html_table table = {.name = "earlier", .title = "What it replaced", COLUMNS(columns)};

    sy_text_append(&note, "The oldest first.");
    if (profile->earlier_dropped > 0)
        sy_text_append_format(&note, " Before them at least %u more, which are not kept.", profile->earlier_dropped);
    table.note = sy_text_bytes(&note);
    w->failed = w->failed || note.failed;
    sy_html_table_begin(w->json, &table);
    for (size_t i = 0; i < profile->earlier_count; i++)
        put_earlier_row(w, &profile->earlier[i]);
    sy_html_table_end(w->json);
    sy_text_finish(&note);
}

/* What its gain is drawn from; null where a bound is not known. */
static void put_picture(writing *w, const sy_profile *profile)
{
    const sy_profile_gain *gain = &profile->gain;

    sy_json_name(w->json, "gain");
    if (!profile->has_gain || isnan(gain->low) || isnan(gain->high)) {
        sy_json_null(w->json);
        return;
    }
    sy_json_begin_object(w->json);
    sy_json_member_double(w->json, "value", gain->gain);
    sy_json_member_double(w->json, "low", gain->low);
    sy_json_member_double(w->json, "high", gain->high);
    sy_json_end_object(w->json);
}

static void put_whole(writing *w, const sy_report_profile *item)
{
    sy_json_begin_object(w->json);
    put_picture(w, item->profile);
    put_fields(w, item);
    put_alternatives(w, item->profile);
    put_earlier(w, item->profile);
    sy_json_end_object(w->json);
}

sy_status sy_html_put_profiles(const sy_html_data *data, sy_error *err)
{
    const sy_report_profiles *profiles = data->profiles;
    writing w = {.json = data->json, .text = SY_TEXT_INIT};

    sy_json_name(data->json, "profiles");
    if (profiles == NULL) {
        sy_json_null(data->json);
        return SY_OK;
    }
    w.store = profiles->store;
    w.arena = sy_arena_create(0);
    if (w.arena == NULL)
        w.failed = true;
    sy_json_begin_object(w.json);
    if (w.arena != NULL) {
        put_layers(&w);
        put_table(&w, profiles);
        sy_json_name(w.json, "details"); /* of each row of the table, in its order */
        sy_json_begin_array(w.json);
        for (size_t i = 0; i < profiles->count; i++)
            put_whole(&w, &profiles->list[i]);
        sy_json_end_array(w.json);
    }
    sy_json_end_object(w.json);
    sy_text_finish(&w.text);
    sy_arena_destroy(w.arena);
    return w.failed ? sy_fail(err, SY_NO_MEMORY, "no memory for the profiles of the page") : SY_OK;
}
