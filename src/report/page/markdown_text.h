/* SPDX-License-Identifier: Apache-2.0 */
/* Text from outside inside of Markdown, where it can neither end what it stands in nor be markup itself. */
#ifndef STEELYARD_REPORT_MARKDOWN_TEXT_H
#define STEELYARD_REPORT_MARKDOWN_TEXT_H

#include "base/text.h"

/* Within a line or a table's cell: one line, signs of markup escaped, control characters as \x1b. NULL appends nothing.
 */
void sy_markdown_text(sy_text *to, const char *raw);
/* A block of code of one or more lines, with a fence that nothing inside of it ends. Line ends stay, tabs become
 * spaces. */
void sy_markdown_code(sy_text *to, const char *raw);

#endif
