/* SPDX-License-Identifier: Apache-2.0 */
/* Comparison keys for people: one field by field, two held against each other, and those of a ledger. */
#include <stdio.h>
#include <steelyard/report.h>
#include <string.h>

#include "report/page/text_table.h"

enum { KEY_DIGITS = 12 };

static const char unknown[] = "unknown";

static const char *value_or_unknown(const char *value)
{
    return value != NULL ? value : unknown;
}

/* ---- one ---- */

enum { K_FIELD, K_VALUE, K_COUNT };

static const sy_column key_columns[K_COUNT] = {
    [K_FIELD] = {.title = "Field", .least = 10, .wraps = true},
    [K_VALUE] = {.title = "Value", .least = 20, .wraps = true},
};

static void put_fields(sy_page *page, const sy_comparison_key *key)
{
    sy_text_table *table = sy_text_table_create(page, key_columns, K_COUNT);

    for (size_t i = 0; table != NULL && i < key->field_count; i++) {
        const sy_named_text *field = &key->fields[i];

        sy_text_table_row(table, field->value != NULL ? SY_TONE_PLAIN : SY_TONE_DOUBT,
                          (const char *const[K_COUNT]){field->name, value_or_unknown(field->value)});
    }
    if (table != NULL)
        sy_text_table_print(table);
    else
        page->text.failed = true;
    sy_text_table_destroy(table);
}

sy_status sy_report_key(const sy_run *run, const sy_report_style *style, char **ret_text, sy_error *err)
{
    const sy_comparison_key *key = &run->begin.key;
    sy_page page;
    char digest[65];
    char line[160];
    sy_status status = sy_comparison_key_digest(key, digest, err);

    if (status == SY_OK)
        status = sy_page_start(&page, style, err);
    if (status != SY_OK)
        return status;
    sy_page_field(&page, "run", run->row.id);
    sy_page_field(&page, "cell", run->row.cell);
    sy_page_field(&page, "gate", run->row.gate);
    sy_page_blank(&page);
    if (key->field_count > 0)
        put_fields(&page, key);
    sy_page_blank(&page);
    if (digest[0] != '\0')
        snprintf(line, sizeof(line), "SHA-256 %s", digest);
    else
        snprintf(line, sizeof(line), "%s: equals nothing, not even itself",
                 key->field_count > 0 ? "incomplete" : "no key");
    sy_page_paragraph(&page, 0, 2, SY_TONE_STRONG, line);
    return sy_page_take(&page, ret_text, err);
}

/* ---- two ---- */

enum { D_FIELD, D_A, D_B, D_COUNT };

static void put_differences(sy_page *page, const char *a, const char *b, const sy_key_difference_list *list)
{
    const sy_column columns[D_COUNT] = {
        [D_FIELD] = {.title = "Field", .least = 8, .wraps = true},
        [D_A] = {.title = a, .least = 12, .wraps = true},
        [D_B] = {.title = b, .least = 12, .wraps = true},
    };
    sy_text_table *table = sy_text_table_create(page, columns, D_COUNT);

    for (size_t i = 0; table != NULL && i < list->field_count; i++) {
        const sy_key_difference *field = &list->fields[i];

        if (!field->agrees)
            sy_text_table_row(
                table, SY_TONE_PLAIN,
                (const char *const[D_COUNT]){field->name, field->in_a ? value_or_unknown(field->a) : "not in this key",
                                             field->in_b ? value_or_unknown(field->b) : "not in this key"});
    }
    if (table != NULL)
        sy_text_table_print(table);
    else
        page->text.failed = true;
    sy_text_table_destroy(table);
}

sy_status sy_report_key_difference(const sy_run *a, const sy_run *b, const sy_key_difference_list *list,
                                   const sy_report_style *style, char **ret_text, sy_error *err)
{
    sy_page page;
    char line[160];
    sy_status status = sy_page_start(&page, style, err);

    if (status != SY_OK)
        return status;
    if (list->differing_count > 0) {
        put_differences(&page, a->row.id, b->row.id, list);
        sy_page_blank(&page);
        snprintf(line, sizeof(line), "%zu of %zu fields differ: the two cannot be compared", list->differing_count,
                 list->field_count);
    } else if (list->field_count == 0) {
        snprintf(line, sizeof(line), "neither has a key: the two cannot be compared");
    } else {
        snprintf(line, sizeof(line), "all %zu fields agree: the two can be compared", list->field_count);
    }
    sy_page_paragraph(&page, 0, 2, SY_TONE_STRONG, line);
    return sy_page_take(&page, ret_text, err);
}

/* ---- those of a ledger ---- */

enum { L_KEY, L_CELL, L_SESSIONS, L_FAILED, L_ACCEPTED, L_BASELINE, L_NEWEST, L_COUNT };

static const sy_column list_columns[L_COUNT] = {
    [L_KEY] = {.title = "Key"},
    [L_CELL] = {.title = "Cell", .least = 12, .wraps = true},
    [L_SESSIONS] = {.title = "Sessions", .right = true, .drop = 1},
    [L_FAILED] = {.title = "Failed", .right = true, .drop = 1},
    [L_ACCEPTED] = {.title = "Accepted", .right = true},
    [L_BASELINE] = {.title = "Baseline", .drop = 2},
    [L_NEWEST] = {.title = "Newest", .drop = 3},
};

/* How far a key is from a baseline. */
static void say_missing(const sy_key_row *row, char *to, size_t size)
{
    if (row->key_digest[0] == '\0')
        snprintf(to, size, "never: incomplete");
    else if (row->accepted_count >= SY_BASELINE_SESSIONS)
        snprintf(to, size, "yes");
    else
        snprintf(to, size, "%u more", (unsigned)(SY_BASELINE_SESSIONS - row->accepted_count));
}

static void put_key(sy_text_table *table, const sy_key_row *row)
{
    char digits[KEY_DIGITS + 1];
    char sessions[24];
    char failed[24];
    char accepted[24];
    char missing[32];
    bool is_baseline = row->key_digest[0] != '\0' && row->accepted_count >= SY_BASELINE_SESSIONS;

    snprintf(digits, sizeof(digits), "%.*s", KEY_DIGITS, row->key_digest[0] != '\0' ? row->key_digest : "-");
    snprintf(sessions, sizeof(sessions), "%llu", (unsigned long long)row->session_count);
    snprintf(failed, sizeof(failed), "%llu", (unsigned long long)row->failed_count);
    snprintf(accepted, sizeof(accepted), "%llu", (unsigned long long)row->accepted_count);
    say_missing(row, missing, sizeof(missing));
    sy_text_table_row(table, is_baseline ? SY_TONE_GOOD : SY_TONE_PLAIN,
                      (const char *const[L_COUNT]){[L_KEY] = digits,
                                                   [L_CELL] = row->cell,
                                                   [L_SESSIONS] = sessions,
                                                   [L_FAILED] = failed,
                                                   [L_ACCEPTED] = accepted,
                                                   [L_BASELINE] = missing,
                                                   [L_NEWEST] = row->newest});
}

sy_status sy_report_keys(const sy_key_list *list, const sy_report_style *style, char **ret_text, sy_error *err)
{
    sy_page page;
    sy_text_table *table;
    char line[64];
    sy_status status = sy_page_start(&page, style, err);

    if (status != SY_OK)
        return status;
    table = list->row_count > 0 ? sy_text_table_create(&page, list_columns, L_COUNT) : NULL;
    page.text.failed |= table == NULL && list->row_count > 0;
    for (size_t i = 0; table != NULL && i < list->row_count; i++)
        put_key(table, &list->rows[i]);
    if (table != NULL) {
        sy_text_table_print(table);
        sy_page_blank(&page);
    }
    sy_text_table_destroy(table);
    snprintf(line, sizeof(line), "%zu %s", list->row_count, list->row_count == 1 ? "key" : "keys");
    sy_page_paragraph(&page, 0, 2, SY_TONE_STRONG, line);
    return sy_page_take(&page, ret_text, err);
}
