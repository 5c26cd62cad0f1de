/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that laid out text keeps to its width. */
#ifndef STEELYARD_TESTS_TEXT_WIDTH_H
#define STEELYARD_TESTS_TEXT_WIDTH_H

#include <string.h>

#include "cmocka_headers.h"
#include "report/page/characters.h"

/* No line of the text takes more than width columns. */
static inline void expect_narrow(const char *text, uint32_t width)
{
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        char line[8192];

        assert_true(length < sizeof(line));
        memcpy(line, text, length);
        line[length] = '\0';
        assert_true(sy_characters_width(line) <= width);
        text += length + (text[length] == '\n');
    }
}

#endif
