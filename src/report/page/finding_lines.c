/* SPDX-License-Identifier: Apache-2.0 */
/* One finding as a line, many as an array. */
#include "report/page/finding_lines.h"

#include "report/page/characters.h"

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

void sy_finding_line(sy_page *page, const sy_finding *finding, bool is_note)
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

void sy_finding_list_write(sy_json_writer *writer, const char *name, const sy_finding *list, size_t count)
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
