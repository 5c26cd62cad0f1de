/* SPDX-License-Identifier: Apache-2.0 */
/* What a validation found: one line each, as compilers write them, and as JSON. */
#include <steelyard/report.h>

#include "report/page/characters.h"
#include "report/page/json_frame.h"
#include "report/page/page.h"

static const char *or_empty(const char *text)
{
    return text != NULL ? text : "";
}

/* "FILE:LINE:COLUMN:" in the tone of places, so that a terminal or an editor can follow it. */
static void put_place(sy_page *page, const sy_finding *finding)
{
    sy_page_tone_begin(page, SY_TONE_STRONG);
    sy_characters_clean(&page->text, or_empty(finding->file), page->style.utf8);
    sy_text_append_format(&page->text, ":%u:%u:", finding->position.line, finding->position.column);
    sy_page_tone_end(page, SY_TONE_STRONG);
}

static void put_aside(sy_page *page, const char *before, const char *word, const char *text)
{
    sy_text_append(&page->text, before);
    sy_text_append(&page->text, word);
    sy_text_append(&page->text, " ");
    sy_characters_clean(&page->text, text, page->style.utf8);
}

static void put_line(sy_page *page, const sy_finding *finding, bool is_note)
{
    sy_tone tone = is_note ? SY_TONE_DOUBT : SY_TONE_BAD;
    bool has_found = or_empty(finding->found)[0] != '\0';
    bool has_expected = or_empty(finding->expected)[0] != '\0';

    put_place(page, finding);
    sy_text_append(&page->text, is_note ? " note: " : " ");
    sy_page_tone_begin(page, tone);
    sy_characters_clean(&page->text, or_empty(finding->rule), page->style.utf8);
    sy_page_tone_end(page, tone);
    sy_text_append(&page->text, ": ");
    sy_characters_clean(&page->text, or_empty(finding->message), page->style.utf8);
    if (has_found)
        put_aside(page, " (", "found", finding->found);
    if (has_expected)
        put_aside(page, has_found ? ", " : " (", "expected", finding->expected);
    sy_text_append(&page->text, has_found || has_expected ? ")\n" : "\n");
}

static void put_count(sy_page *page, size_t count, const char *word)
{
    if (count == 0)
        sy_text_append_format(&page->text, "no %ss", word);
    else
        sy_text_append_format(&page->text, "%zu %s%s", count, word, count == 1 ? "" : "s");
}

sy_status sy_report_findings(const sy_finding_list *list, const sy_report_style *style, char **ret_text, sy_error *err)
{
    sy_page page;
    sy_status status = sy_page_start(&page, style, err);
    sy_tone tone = list->finding_count > 0 ? SY_TONE_BAD : list->note_count > 0 ? SY_TONE_DOUBT : SY_TONE_GOOD;

    if (status != SY_OK)
        return status;
    for (size_t i = 0; i < list->finding_count; i++)
        put_line(&page, &list->findings[i], false);
    for (size_t i = 0; i < list->note_count; i++)
        put_line(&page, &list->notes[i], true);
    sy_page_tone_begin(&page, tone);
    put_count(&page, list->finding_count, "finding");
    sy_text_append(&page.text, ", ");
    put_count(&page, list->note_count, "note");
    sy_page_tone_end(&page, tone);
    sy_page_blank(&page);
    return sy_page_take(&page, ret_text, err);
}

static void write_list(sy_json_writer *writer, const char *name, const sy_finding *list, size_t count)
{
    sy_json_name(writer, name);
    sy_json_begin_array(writer);
    for (size_t i = 0; i < count; i++) {
        const sy_finding *finding = &list[i];

        sy_json_begin_object(writer);
        sy_json_member_text(writer, "rule", or_empty(finding->rule));
        sy_json_member_text(writer, "file", or_empty(finding->file));
        sy_json_member_u64(writer, "line", finding->position.line);
        sy_json_member_u64(writer, "column", finding->position.column);
        sy_json_member_text(writer, "pointer", or_empty(finding->pointer));
        sy_json_member_text(writer, "message", or_empty(finding->message));
        sy_json_member_text(writer, "found", or_empty(finding->found));
        sy_json_member_text(writer, "expected", or_empty(finding->expected));
        sy_json_end_object(writer);
    }
    sy_json_end_array(writer);
}

sy_status sy_report_findings_json(const sy_finding_list *list, const char *root, char **ret_json, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_frame_begin(&text, "steelyard.findings/1");

    sy_json_member_text(writer, "root", or_empty(root));
    write_list(writer, "findings", list->findings, list->finding_count);
    write_list(writer, "notes", list->notes, list->note_count);
    return sy_json_frame_end(writer, &text, ret_json, err);
}
