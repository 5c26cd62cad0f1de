/* SPDX-License-Identifier: Apache-2.0 */
/* Texts from outside inside of markup. */
#include "report/html/html_parts.h"
#include "report/page/characters.h"

void sy_html_escape(sy_text *to, const char *raw)
{
    sy_text clean = SY_TEXT_INIT;
    const char *written;
    const char *at;

    sy_characters_clean(&clean, raw, true);
    written = sy_text_bytes(&clean);
    for (at = written; *at != '\0'; at++) {
        const char *mark = *at == '<'    ? "&lt;"
                           : *at == '>'  ? "&gt;"
                           : *at == '&'  ? "&amp;"
                           : *at == '"'  ? "&quot;"
                           : *at == '\'' ? "&#39;"
                                         : NULL;

        if (mark == NULL)
            continue;
        sy_text_append_bytes(to, written, (size_t)(at - written));
        sy_text_append(to, mark);
        written = at + 1;
    }
    sy_text_append_bytes(to, written, (size_t)(at - written));
    to->failed = to->failed || clean.failed;
    sy_text_finish(&clean);
}
