/* SPDX-License-Identifier: Apache-2.0 */
/* Escapes text for Markdown. */
#include "report/page/markdown_text.h"

#include <string.h>

#include "report/page/characters.h"

void sy_markdown_text(sy_text *to, const char *raw)
{
    sy_text clean = SY_TEXT_INIT;

    sy_characters_clean(&clean, raw, true);
    to->failed = to->failed || clean.failed;
    for (const char *at = sy_text_bytes(&clean); *at != '\0'; at++) {
        if (*at == '<')
            sy_text_append(to, "&lt;");
        else if (*at == '&')
            sy_text_append(to, "&amp;");
        else if (strchr("|\\`*_[]~#", *at) != NULL)
            sy_text_append_format(to, "\\%c", *at);
        else
            sy_text_append_bytes(to, at, 1);
    }
    sy_text_finish(&clean);
}

enum { FENCE_LEAST = 3 };

static size_t longest_run(const char *text, char of)
{
    size_t longest = 0;
    size_t run = 0;

    for (; *text != '\0'; text++) {
        run = *text == of ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

void sy_markdown_code(sy_text *to, const char *raw)
{
    size_t fence = longest_run(raw, '`') + 1;

    fence = fence < FENCE_LEAST ? FENCE_LEAST : fence;
    for (size_t i = 0; i < fence; i++)
        sy_text_append(to, "`");
    sy_text_append(to, "\n");
    while (*raw != '\0') {
        size_t length = strcspn(raw, "\n");
        sy_text line = SY_TEXT_INIT;

        sy_text_append_bytes(&line, raw, length);
        sy_characters_clean(to, sy_text_bytes(&line), true);
        to->failed = to->failed || line.failed;
        sy_text_finish(&line);
        sy_text_append(to, "\n");
        raw += length + (raw[length] == '\n');
    }
    for (size_t i = 0; i < fence; i++)
        sy_text_append(to, "`");
    sy_text_append(to, "\n");
}
