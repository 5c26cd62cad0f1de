/* SPDX-License-Identifier: Apache-2.0 */
/* What commands did to profile files: changes, conflicts, findings, repairs, digests; as text and as JSON. */
#include <inttypes.h>
#include <string.h>

#include "base/digest.h"
#include "report/page/text_table.h"
#include "report/profile/report_profile.h"

static void put_paragraph(sy_page *page, uint32_t first, uint32_t rest, sy_tone tone, sy_text *words)
{
    page->text.failed = page->text.failed || words->failed;
    sy_page_paragraph(page, first, rest, tone, sy_text_bytes(words));
    sy_text_clear(words);
}

static void append_count(sy_text *to, size_t count, const char *what)
{
    if (count > 0)
        sy_text_append_format(to, "%s%zu %s", to->length > 0 ? ", " : "", count, what);
}

static void append_outcome(sy_text *to, const sy_report_change *change)
{
    append_count(to, change->added, "added");
    append_count(to, change->replaced, "replaced");
    append_count(to, change->removed, "removed");
    append_count(to, change->converted, "converted");
    append_count(to, change->unchanged, "as they were");
    append_count(to, change->conflict_count, change->conflict_count == 1 ? "conflict" : "conflicts");
    if (to->length == 0)
        sy_text_append(to, "nothing to do");
}

static void put_conflict(sy_page *page, const sy_report_conflict *conflict, bool refused, sy_text *words)
{
    const sy_profile *profile = conflict->kept;

    sy_text_append_format(words, "conflict: %s on %s, implementation %s, ", profile->key.operator_name,
                          profile->key.backend, profile->key.implementation_version);
    sy_profile_words_kind(profile, words);
    sy_text_append(words, ", ");
    sy_profile_words_key(&profile->key, profile->portable, words);
    put_paragraph(page, 0, 4, SY_TONE_DOUBT, words);
    sy_text_append(words, refused ? "one: " : "kept: ");
    sy_profile_words_policy(profile, words);
    sy_text_append_format(words, " from %s%s%s", conflict->kept_from, conflict->why[0] != '\0' ? ", " : "",
                          conflict->why);
    put_paragraph(page, 2, 6, SY_TONE_PLAIN, words);
    sy_text_append(words, refused ? "other: " : "dropped: ");
    sy_profile_words_policy(conflict->dropped, words);
    sy_text_append_format(words, " from %s", conflict->dropped_from);
    put_paragraph(page, 2, 6, SY_TONE_PLAIN, words);
}

sy_status sy_report_profile_change(const sy_report_change *change, const sy_report_style *style, char **ret_text,
                                   sy_error *err)
{
    sy_page page;
    sy_text words = SY_TEXT_INIT;
    sy_text line = SY_TEXT_INIT;
    sy_status status = sy_page_start(&page, style, err);

    if (status != SY_OK)
        return status;
    for (size_t i = 0; i < change->conflict_count; i++)
        put_conflict(&page, &change->conflicts[i], change->refused, &words);
    append_outcome(&words, change);
    sy_text_append_format(&line, "%s: %s", change->path, change->refused ? "not changed: " : "");
    sy_text_append(&line, sy_text_bytes(&words));
    if (change->format != 0)
        sy_text_append_format(&line, " (format %" PRIu32 ")", change->format);
    put_paragraph(&page, 0, 2, SY_TONE_PLAIN, &line);
    if (change->not_kept[0] != '\0') {
        sy_text_append_format(&line, "not kept, since format %" PRIu32 " cannot hold it: %s", change->format,
                              change->not_kept);
        put_paragraph(&page, 0, 2, SY_TONE_DOUBT, &line);
    }
    page.text.failed = page.text.failed || words.failed;
    sy_text_finish(&words);
    sy_text_finish(&line);
    return sy_page_take(&page, ret_text, err);
}

/* "evidence, reason" as an array. */
static void write_words(sy_json_writer *writer, const char *name, const char *list)
{
    sy_json_name(writer, name);
    sy_json_begin_array(writer);
    for (const char *at = list; *at != '\0';) {
        size_t length = strcspn(at, ",");

        sy_json_text_sized(writer, at, length);
        at += length;
        at += strspn(at, ", ");
    }
    sy_json_end_array(writer);
}

static void write_conflict(sy_json_writer *writer, const sy_report_conflict *conflict)
{
    const sy_profile *const profiles[] = {conflict->kept, conflict->dropped};
    const char *const files[] = {conflict->kept_from, conflict->dropped_from};

    sy_json_begin_object(writer);
    sy_json_member_text(writer, "kind", sy_profile_kind_word(conflict->kept->kind));
    sy_json_name(writer, "key");
    sy_profile_write_key_json(writer, &conflict->kept->key);
    sy_json_member_text(writer, "why", conflict->why);
    for (size_t i = 0; i < 2; i++) {
        sy_json_name(writer, i == 0 ? "kept" : "dropped");
        sy_json_begin_object(writer);
        sy_profile_write_policy_json(writer, profiles[i]);
        sy_json_member_text(writer, "file", files[i]);
        sy_profile_write_time_json(writer, "created", profiles[i]->created_utc_s);
        sy_json_member_text(writer, "reason", profiles[i]->reason);
        sy_json_end_object(writer);
    }
    sy_json_end_object(writer);
}

sy_status sy_report_profile_change_json(const sy_report_change *change, char **ret_json, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_frame_begin(&text, "steelyard.profile-change/1");

    sy_json_member_text(writer, "status", sy_status_word(change->refused ? SY_REFUSED : SY_OK));
    sy_json_member_text(writer, "action", change->action);
    sy_json_member_text(writer, "path", change->path);
    sy_json_member_u64(writer, "format", change->format);
    sy_json_member_u64(writer, "added", change->added);
    sy_json_member_u64(writer, "replaced", change->replaced);
    sy_json_member_u64(writer, "removed", change->removed);
    sy_json_member_u64(writer, "converted", change->converted);
    sy_json_member_u64(writer, "unchanged", change->unchanged);
    write_words(writer, "not_kept", change->not_kept);
    sy_json_name(writer, "conflicts");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < change->conflict_count; i++)
        write_conflict(writer, &change->conflicts[i]);
    sy_json_end_array(writer);
    return sy_json_frame_end(writer, &text, ret_json, err);
}

/* ---- files ---- */

sy_status sy_report_profile_check(const char *path, const sy_store_report *report, const sy_report_style *style,
                                  char **ret_text, sy_error *err)
{
    sy_page page;
    sy_text line = SY_TEXT_INIT;
    bool whole = report->status == SY_OK;
    sy_status status = sy_page_start(&page, style, err);

    if (status != SY_OK)
        return status;
    for (size_t i = 0; i < report->finding_count; i++)
        sy_page_paragraph(&page, 0, 2, SY_TONE_PLAIN, report->findings[i].text);
    if (report->finding_total > report->finding_count) {
        sy_text_append_format(&line, "and %zu more", report->finding_total - report->finding_count);
        put_paragraph(&page, 0, 2, SY_TONE_PLAIN, &line);
    }
    sy_text_append_format(&line, "%s: %s: ", path,
                          whole                                      ? "whole"
                          : report->status == SY_VERSION_UNSUPPORTED ? "of another version"
                                                                     : "damaged");
    if (report->format != 0)
        sy_text_append_format(&line, "format %" PRIu32 ", ", report->format);
    sy_text_append_format(&line, "%zu %s", report->profile_count, report->profile_count == 1 ? "profile" : "profiles");
    if (!whole)
        sy_text_append_format(&line, " whole, %zu %s", report->finding_total,
                              report->finding_total == 1 ? "finding" : "findings");
    put_paragraph(&page, 0, 2, whole ? SY_TONE_GOOD : SY_TONE_BAD, &line);
    sy_text_finish(&line);
    return sy_page_take(&page, ret_text, err);
}

sy_status sy_report_profile_check_json(const char *path, const sy_store_report *report, char **ret_json, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_frame_begin(&text, "steelyard.profile-check/1");

    sy_json_member_text(writer, "status", sy_status_word(report->status));
    sy_json_member_text(writer, "path", path);
    sy_json_member_u64(writer, "format", report->format);
    sy_json_member_u64(writer, "profile_count", report->profile_count);
    sy_json_member_u64(writer, "finding_total", report->finding_total);
    sy_json_name(writer, "findings");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < report->finding_count; i++) {
        sy_json_begin_object(writer);
        sy_json_member_u64(writer, "line", report->findings[i].line);
        sy_json_member_text(writer, "text", report->findings[i].text);
        sy_json_end_object(writer);
    }
    sy_json_end_array(writer);
    return sy_json_frame_end(writer, &text, ret_json, err);
}

sy_status sy_report_profile_repair(const char *path, const sy_repair_result *result, const sy_report_style *style,
                                   char **ret_text, sy_error *err)
{
    sy_page page;
    sy_text line = SY_TEXT_INIT;
    sy_status status = sy_page_start(&page, style, err);

    if (status != SY_OK)
        return status;
    if (!result->repaired) {
        sy_text_append_format(&line, "%s: whole, and left as it is", path);
        put_paragraph(&page, 0, 2, SY_TONE_GOOD, &line);
    } else {
        sy_text_append_format(&line, "%s: repaired: %zu %s kept, %zu %s", path, result->salvaged,
                              result->salvaged == 1 ? "profile" : "profiles", result->finding_total,
                              result->finding_total == 1 ? "finding" : "findings");
        put_paragraph(&page, 0, 2, SY_TONE_GOOD, &line);
        sy_text_append_format(&line, "the damaged file is kept as %s", result->moved_to);
        put_paragraph(&page, 0, 2, SY_TONE_PLAIN, &line);
    }
    sy_text_finish(&line);
    return sy_page_take(&page, ret_text, err);
}

sy_status sy_report_profile_repair_json(const char *path, const sy_repair_result *result, char **ret_json,
                                        sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_frame_begin(&text, "steelyard.profile-repair/1");

    sy_json_member_text(writer, "status", sy_status_word(SY_OK));
    sy_json_member_text(writer, "path", path);
    sy_json_member_bool(writer, "repaired", result->repaired);
    sy_json_member_u64(writer, "salvaged", result->salvaged);
    sy_json_member_u64(writer, "finding_total", result->finding_total);
    sy_json_member_text(writer, "moved_to", result->repaired ? result->moved_to : NULL);
    return sy_json_frame_end(writer, &text, ret_json, err);
}

sy_status sy_report_profile_digest_json(const sy_report_store *store, const sy_lookup *lookup, const uint8_t digest[32],
                                        char **ret_json, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_frame_begin(&text, "steelyard.profile-digest/1");
    char digits[SY_DIGEST_TEXT];
    sy_digest copy;

    memcpy(copy.bytes, digest, sizeof(copy.bytes));
    sy_digest_format(&copy, digits);
    sy_json_member_text(writer, "sha256", digits);
    sy_json_name(writer, "question");
    if (lookup != NULL)
        sy_profile_write_key_json(writer, &lookup->key);
    else
        sy_json_null(writer);
    sy_profile_write_layers_json(writer, store);
    return sy_json_frame_end(writer, &text, ret_json, err);
}
