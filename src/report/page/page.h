/* SPDX-License-Identifier: Apache-2.0 */
/* A text being laid out for a width: paragraphs, fields with a label, tones. Tables are text_table.h's. */
#ifndef STEELYARD_REPORT_PAGE_H
#define STEELYARD_REPORT_PAGE_H

#include <steelyard/report.h>

#include "base/text.h"

/* Colour only decorates: every tone is also said in words. */
typedef enum sy_tone { SY_TONE_PLAIN, SY_TONE_STRONG, SY_TONE_GOOD, SY_TONE_BAD, SY_TONE_DOUBT, SY_TONE_FAINT } sy_tone;

typedef struct sy_page {
    sy_text text; /* its `failed` is the page's */
    sy_report_style style;
} sy_page;

/* Starts a page. SY_INVALID_ARGUMENT: columns below 40. */
sy_status sy_page_start(sy_page *page, const sy_report_style *style, sy_error *err) SY_NODISCARD;
/* Hands the text over, or SY_NO_MEMORY. The page is finished either way. */
sy_status sy_page_take(sy_page *page, char **ret_text, sy_error *err) SY_NODISCARD;

/* Words (cleaned first) broken into lines; the first is indented by `first`, the others by `rest`. */
void sy_page_paragraph(sy_page *page, uint32_t first, uint32_t rest, sy_tone tone, const char *raw);
/* "  label       words ...", continued under the words; nothing when raw is empty. */
void sy_page_field(sy_page *page, const char *label, const char *raw);
void sy_page_blank(sy_page *page);
/* The escape that begins or ends a tone; nothing without colour or for SY_TONE_PLAIN. */
void sy_page_tone_begin(sy_page *page, sy_tone tone);
void sy_page_tone_end(sy_page *page, sy_tone tone);
/* count copies of the horizontal line that the style has. */
void sy_page_rule(sy_page *page, uint32_t count);
void sy_page_spaces(sy_page *page, uint32_t count);

#endif
