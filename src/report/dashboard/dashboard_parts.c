/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of a dashboard's page have in common. */
#include "report/dashboard/dashboard_parts.h"

#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

size_t sy_dashboard_parts_most(const sy_page *page, size_t usual)
{
    return page->style.all ? SIZE_MAX : usual;
}

void sy_dashboard_parts_title(sy_page *page, const char *title, size_t count, const char *one, const char *many)
{
    sy_text line = SY_TEXT_INIT;

    sy_page_blank(page);
    sy_text_append_format(&line, "%s: %zu %s", title, count, count == 1 ? one : many);
    sy_dashboard_parts_paragraph(page, 0, 2, SY_TONE_STRONG, &line);
    sy_text_finish(&line);
}

void sy_dashboard_parts_more(sy_page *page, size_t count, const char *command)
{
    if (count > 0)
        sy_dashboard_parts_note(page, "%zu more: %s", count, command);
}

void sy_dashboard_parts_note(sy_page *page, const char *format, ...)
{
    char line[256];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    sy_page_paragraph(page, 0, 2, SY_TONE_FAINT, line);
}

void sy_dashboard_parts_command(sy_page *page, uint32_t indent, const char *label, const char *command)
{
    sy_text line = SY_TEXT_INIT;

    if (command[0] == '\0')
        return;
    sy_text_append(&line, label);
    sy_dashboard_words_cut(&line, command, SY_DASHBOARD_SENTENCE_COLUMNS, page->style.utf8);
    sy_dashboard_parts_paragraph(page, indent, indent + 4, SY_TONE_STRONG, &line);
    sy_text_finish(&line);
}

void sy_dashboard_parts_paragraph(sy_page *page, uint32_t first, uint32_t rest, sy_tone tone, sy_text *text)
{
    page->text.failed = page->text.failed || text->failed;
    sy_page_paragraph(page, first, rest, tone, sy_text_bytes(text));
    sy_text_clear(text);
}

const char *sy_cut_text(sy_cut_texts *cut, const char *raw)
{
    sy_text *text = &cut->texts[cut->count++];

    assert(cut->count <= SY_CUT_TEXTS_MAX);
    sy_dashboard_words_cut(text, raw, SY_DASHBOARD_NAME_COLUMNS, cut->page->style.utf8);
    cut->page->text.failed = cut->page->text.failed || text->failed;
    return sy_text_bytes(text);
}

void sy_cut_texts_finish(sy_cut_texts *cut)
{
    for (size_t i = 0; i < cut->count; i++)
        sy_text_finish(&cut->texts[i]);
}
