/* SPDX-License-Identifier: Apache-2.0 */
/* Breaking words into lines of a width. */
#include "report/page/page.h"

#include <string.h>

#include "base/error.h"
#include "report/page/characters.h"

enum { LEAST_COLUMNS = 40, LABEL_COLUMNS = 14, PROSE_COLUMNS = 100 };

sy_status sy_page_start(sy_page *page, const sy_report_style *style, sy_error *err)
{
    static const sy_report_style usual = SY_REPORT_STYLE_INIT;

    if (style == NULL)
        style = &usual;
    if (style->columns < LEAST_COLUMNS)
        return sy_fail(err, SY_INVALID_ARGUMENT, "style.columns: %u, must be at least %d", style->columns,
                       LEAST_COLUMNS);
    *page = (sy_page){.text = SY_TEXT_INIT, .style = *style};
    return SY_OK;
}

sy_status sy_page_take(sy_page *page, char **ret_text, sy_error *err)
{
    char *text;

    sy_text_append(&page->text, "");
    text = sy_text_take(&page->text);
    sy_text_finish(&page->text);
    if (text == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for the text of a report");
    *ret_text = text;
    return SY_OK;
}

void sy_page_spaces(sy_page *page, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        sy_text_append_bytes(&page->text, " ", 1);
}

void sy_page_rule(sy_page *page, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        sy_text_append(&page->text, page->style.utf8 ? "\xe2\x94\x80" : "-");
}

void sy_page_blank(sy_page *page)
{
    sy_text_append(&page->text, "\n");
}

void sy_page_tone_begin(sy_page *page, sy_tone tone)
{
    static const char *const escapes[] = {
        [SY_TONE_PLAIN] = "",         [SY_TONE_STRONG] = "\033[1m",   [SY_TONE_GOOD] = "\033[1;32m",
        [SY_TONE_BAD] = "\033[1;31m", [SY_TONE_DOUBT] = "\033[1;33m", [SY_TONE_FAINT] = "\033[2m",
    };

    if (page->style.color)
        sy_text_append(&page->text, escapes[tone]);
}

void sy_page_tone_end(sy_page *page, sy_tone tone)
{
    if (page->style.color && tone != SY_TONE_PLAIN)
        sy_text_append(&page->text, "\033[0m");
}

/* One line: the words of [from, to), which hold no trailing space. */
static void put_line(sy_page *page, uint32_t indent, sy_tone tone, const char *from, size_t length)
{
    sy_page_spaces(page, indent);
    sy_page_tone_begin(page, tone);
    sy_text_append_bytes(&page->text, from, length);
    sy_page_tone_end(page, tone);
    sy_text_append(&page->text, "\n");
}

/* A figure and its unit stay together: no break at a space between a digit and a word of one or two characters. */
static bool may_break_at(const char *clean, size_t at)
{
    size_t word;

    if (clean[at] != ' ')
        return false;
    word = strcspn(clean + at + 1, " .,;:)");
    return at == 0 || clean[at - 1] < '0' || clean[at - 1] > '9' || word == 0 || word > 2;
}

/* Bytes of the longest run of whole words that fits; at least one character, so that an endless word is broken. */
static size_t line_length(const char *clean, uint32_t columns)
{
    size_t fits = sy_characters_fit(clean, columns);
    size_t at = fits;

    if (clean[fits] == '\0')
        return fits;
    while (at > 0 && !may_break_at(clean, at))
        at--;
    while (at > 0 && clean[at - 1] == ' ')
        at--;
    if (at > 0)
        return at;
    return fits > 0 ? fits : sy_characters_fit(clean, 2);
}

void sy_page_paragraph(sy_page *page, uint32_t first, uint32_t rest, sy_tone tone, const char *raw)
{
    sy_text clean = SY_TEXT_INIT;
    uint32_t columns = page->style.columns < PROSE_COLUMNS ? page->style.columns : PROSE_COLUMNS;
    uint32_t indent = first;
    const char *at;

    sy_characters_clean(&clean, raw, page->style.utf8);
    page->text.failed = page->text.failed || clean.failed;
    at = sy_text_bytes(&clean);
    at += strspn(at, " ");
    while (*at != '\0') {
        size_t length = line_length(at, columns - indent);

        put_line(page, indent, tone, at, length);
        at += length;
        at += strspn(at, " ");
        indent = rest;
    }
    sy_text_finish(&clean);
}

void sy_page_field(sy_page *page, const char *label, const char *raw)
{
    sy_text line = SY_TEXT_INIT;

    if (raw == NULL || raw[0] == '\0')
        return;
    if (label[0] == '\0') {
        sy_page_paragraph(page, LABEL_COLUMNS + 1, LABEL_COLUMNS + 1, SY_TONE_PLAIN, raw);
        return;
    }
    sy_text_append(&line, label);
    /* Spaces between label and words are kept: a paragraph only breaks at the end of a line. */
    for (size_t width = strlen(label); width + 2 < LABEL_COLUMNS; width++)
        sy_text_append(&line, " ");
    sy_text_append(&line, " ");
    sy_text_append(&line, raw);
    page->text.failed = page->text.failed || line.failed;
    sy_page_paragraph(page, 2, LABEL_COLUMNS + 1, SY_TONE_PLAIN, sy_text_bytes(&line));
    sy_text_finish(&line);
}
