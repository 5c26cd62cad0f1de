/* SPDX-License-Identifier: Apache-2.0 */
/* Stored profiles for people: a line each, or all that is stored of each. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/page/figures.h"
#include "report/page/text_table.h"
#include "report/profile/report_profile.h"

enum { L_NUMBER, L_RANK, L_BACKEND, L_OPERATOR, L_VERSION, L_KEY, L_POLICY, L_UNTIL, L_LAYER, L_COUNT };

enum { DAY_LENGTH = 10 }; /* of 2026-11-29 */

static const sy_column columns[L_COUNT] = {
    [L_NUMBER] = {.title = "#", .right = true},
    [L_RANK] = {.title = "Kind", .least = 10, .wraps = true},
    [L_BACKEND] = {.title = "Backend", .least = 6, .drop = 1},
    [L_OPERATOR] = {.title = "Operator", .least = 8},
    [L_VERSION] = {.title = "Version", .least = 7, .drop = 3},
    [L_KEY] = {.title = "Key", .least = 12, .wraps = true, .drop = 2},
    [L_POLICY] = {.title = "Policy", .least = 8},
    [L_UNTIL] = {.title = "Until", .drop = 4},
    [L_LAYER] = {.title = "File", .least = 6, .drop = 5},
};

static void put_row(sy_text_table *table, const sy_report_store *store, const sy_report_profile *item, size_t number)
{
    const sy_profile *profile = item->profile;
    sy_text texts[3] = {SY_TEXT_INIT, SY_TEXT_INIT, SY_TEXT_INIT};
    bool expired = sy_profile_is_expired(profile, store->now_utc_s);
    char until[SY_PROFILE_TIME_SIZE];
    char digits[24];

    /* The day is enough to see which will end soon. */
    (void)sy_profile_words_time(until, profile->expires_utc_s);
    until[DAY_LENGTH] = '\0';

    sy_profile_words_kind(profile, &texts[0]);
    sy_profile_words_key(&profile->key, profile->portable, &texts[1]);
    sy_profile_words_policy(profile, &texts[2]);
    snprintf(digits, sizeof(digits), "%zu", number);
    sy_text_table_row(table, expired ? SY_TONE_FAINT : SY_TONE_PLAIN,
                      (const char *const[L_COUNT]){
                          [L_NUMBER] = digits,
                          [L_RANK] = sy_text_bytes(&texts[0]),
                          [L_BACKEND] = profile->key.backend,
                          [L_OPERATOR] = profile->key.operator_name,
                          [L_VERSION] = profile->key.implementation_version,
                          [L_KEY] = sy_text_bytes(&texts[1]),
                          [L_POLICY] = sy_text_bytes(&texts[2]),
                          [L_UNTIL] = expired ? "expired" : until,
                          [L_LAYER] = store->layer_count > 1 ? sy_profile_words_layer(store, item->layer) : "",
                      });
    for (size_t i = 0; i < 3; i++)
        sy_text_finish(&texts[i]);
}

/* What the list is a list of. */
static void put_places(sy_page *page, const sy_report_store *store, size_t count)
{
    sy_text line = SY_TEXT_INIT;

    sy_text_append_format(&line, "%zu %s", count, count == 1 ? "profile" : "profiles");
    for (size_t i = 0; i < store->layer_count; i++)
        sy_text_append_format(&line, "%s %s", i == 0 ? " in" : ",", sy_profile_words_layer(store, (uint32_t)i));
    page->text.failed = page->text.failed || line.failed;
    sy_page_paragraph(page, 0, 2, SY_TONE_STRONG, sy_text_bytes(&line));
    sy_text_finish(&line);
}

/* What the table has no room for, by number. */
static void put_notes(sy_page *page, const sy_report_store *store, const sy_report_profile *list, size_t count)
{
    sy_text words = SY_TEXT_INIT;
    bool first = true;

    for (size_t i = 0; i < 2 * count; i++) {
        const sy_profile *profile = list[i / 2].profile;

        sy_text_append_format(&words, "#%zu: ", i / 2 + 1);
        size_t empty = words.length;
        if (i % 2 == 0)
            sy_profile_words_contradiction(store, profile, &words);
        else
            sy_profile_words_balance(profile, &words);
        if (words.length > empty) {
            if (first)
                sy_page_blank(page);
            first = false;
            sy_page_paragraph(page, 0, 4, i % 2 == 0 ? SY_TONE_DOUBT : SY_TONE_PLAIN, sy_text_bytes(&words));
        }
        page->text.failed = page->text.failed || words.failed;
        sy_text_clear(&words);
    }
    sy_text_finish(&words);
}

sy_status sy_report_profile_list(const sy_report_store *store, const sy_report_profile *list, size_t count,
                                 const sy_report_style *style, char **ret_text, sy_error *err)
{
    sy_page page;
    sy_text_table *table;
    sy_status status = sy_page_start(&page, style, err);

    if (status != SY_OK)
        return status;
    put_places(&page, store, count);
    table = count > 0 ? sy_text_table_create(&page, columns, L_COUNT) : NULL;
    for (size_t i = 0; table != NULL && i < count; i++)
        put_row(table, store, &list[i], i + 1);
    if (table != NULL) {
        sy_page_blank(&page);
        sy_text_table_print(table);
    }
    sy_text_table_destroy(table);
    put_notes(&page, store, list, count);
    return sy_page_take(&page, ret_text, err);
}

/* ---- one profile in full ---- */

/* A field whose words are made in a text, which is emptied. */
static void put_field(sy_page *page, const char *label, sy_text *words)
{
    page->text.failed = page->text.failed || words->failed;
    sy_page_field(page, label, sy_text_bytes(words));
    sy_text_clear(words);
}

static void put_key(sy_page *page, const sy_profile *profile, sy_text *words)
{
    const sy_profile_key *key = &profile->key;

    sy_page_field(page, "backend", key->backend);
    sy_page_field(page, "operator", key->operator_name);
    sy_page_field(page, "version", key->implementation_version);
    if (profile->portable) {
        sy_profile_words_key(key, true, words);
        put_field(page, "structure", words);
        return;
    }
    sy_page_field(page, "model", key->model_digest);
    sy_text_append_format(words, "%u", key->thread_count);
    put_field(page, "threads", words);
    /* Its parts are broken apart, so that lines end between them. */
    for (const char *at = key->processor; *at != '\0';) {
        size_t length = strcspn(at, ";");

        sy_text_append_bytes(words, at, length);
        at += length;
        if (*at == ';') {
            sy_text_append(words, "; ");
            at++;
        }
    }
    put_field(page, "processor", words);
}

static void put_trial(sy_page *page, const sy_profile *profile, sy_text *words)
{
    sy_profile_words_trial(profile, words);
    put_field(page, "decision", words);
    sy_profile_words_gain(profile, words);
    put_field(page, "gain", words);
    sy_profile_words_parity(profile, words);
    put_field(page, "parity", words);
}

static void put_values(sy_page *page, const sy_profile *profile, sy_text *words)
{
    char figure[SY_FIGURE_SIZE];

    sy_profile_words_measurements(profile, words);
    put_field(page, "measured", words);
    for (size_t i = 0; i < profile->alternative_count; i++) {
        const sy_alternative *alternative = &profile->alternatives[i];

        sy_text_append_format(words, "%s%s: %s", i == 0 ? "" : "; ", alternative->name, alternative->reason);
        if (!isnan(alternative->ratio))
            sy_text_append_format(words, ", %s times its time", sy_figure_ratio(figure, alternative->ratio));
    }
    put_field(page, "not chosen", words);
}

static void put_origin(sy_page *page, const sy_report_store *store, const sy_report_profile *item, sy_text *words)
{
    const sy_profile *profile = item->profile;
    char time[SY_PROFILE_TIME_SIZE];

    if (profile->evidence_run[0] != '\0') {
        sy_text_append_format(words, "run %s, SHA-256 %s", profile->evidence_run, profile->evidence_digest);
        sy_profile_words_proof(store, profile, words);
        put_field(page, "evidence", words);
    } else if (profile->kind != SY_PROFILE_OVERRIDE) {
        sy_page_field(page, "evidence", "none");
    }
    sy_page_field(page, "reason", profile->reason);
    sy_page_field(page, "created", sy_profile_words_time(time, profile->created_utc_s));
    if (profile->expires_utc_s != 0) {
        sy_text_append_format(words, "%s%s", sy_profile_words_time(time, profile->expires_utc_s),
                              sy_profile_is_expired(profile, store->now_utc_s) ? ": expired" : "");
        put_field(page, "expires", words);
    }
    sy_page_field(page, "by", profile->tool);
    if (profile->signed_by != NULL && profile->signed_by[0] != '\0') {
        sy_text_append_format(words, "key %s, when it was imported", profile->signed_by);
        put_field(page, "signed by", words);
    }
    sy_page_field(page, "file", sy_profile_words_layer(store, item->layer));
}

static void put_history(sy_page *page, const sy_report_store *store, const sy_profile *profile, sy_text *words)
{
    sy_profile_words_contradiction(store, profile, words);
    put_field(page, "but", words);
    sy_profile_words_balance(profile, words);
    put_field(page, "balance", words);
    for (size_t i = profile->earlier_count; i > 0; i--) {
        sy_profile_words_earlier(&profile->earlier[i - 1], words);
        put_field(page, i == profile->earlier_count ? "before" : "", words);
    }
    if (profile->earlier_dropped > 0) {
        sy_text_append_format(words, "at least %u older ones, which are not kept", profile->earlier_dropped);
        put_field(page, "", words);
    }
}

sy_status sy_report_profile_details(const sy_report_store *store, const sy_report_profile *list, size_t count,
                                    const sy_report_style *style, char **ret_text, sy_error *err)
{
    sy_page page;
    sy_text words = SY_TEXT_INIT;
    sy_status status = sy_page_start(&page, style, err);

    if (status != SY_OK)
        return status;
    for (size_t i = 0; i < count; i++) {
        const sy_profile *profile = list[i].profile;

        if (i > 0)
            sy_page_blank(&page);
        sy_profile_words_policy(profile, &words);
        sy_page_paragraph(&page, 0, 2, SY_TONE_STRONG, sy_text_bytes(&words));
        sy_text_clear(&words);
        sy_profile_words_kind(profile, &words);
        put_field(&page, "kind", &words);
        put_key(&page, profile, &words);
        put_values(&page, profile, &words);
        put_trial(&page, profile, &words);
        put_origin(&page, store, &list[i], &words);
        put_history(&page, store, profile, &words);
    }
    page.text.failed = page.text.failed || words.failed;
    sy_text_finish(&words);
    return sy_page_take(&page, ret_text, err);
}
