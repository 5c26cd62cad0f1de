/* SPDX-License-Identifier: Apache-2.0 */
/* Text from outside made safe to print, and its width in terminal columns. */
#ifndef STEELYARD_REPORT_CHARACTERS_H
#define STEELYARD_REPORT_CHARACTERS_H

#include <stdint.h>

#include "base/text.h"

/* Appends raw with everything escaped that could steer a terminal or mislead a reader: control characters and bytes
 * that are not UTF-8 as \x1b, direction overrides as \u202e; without utf8 every character beyond ASCII as \u00e9 or
 * \U0001f600. Newlines and tabs become spaces. raw NULL appends nothing. */
void sy_characters_clean(sy_text *to, const char *raw, bool utf8);

/* Columns that a cleaned text takes: 0 for combining characters, 2 for wide ones, else 1. */
uint32_t sy_characters_width(const char *clean);

/* The most bytes from the start of a cleaned text that take at most `columns` columns and split no character. */
size_t sy_characters_fit(const char *clean, uint32_t columns);

#endif
