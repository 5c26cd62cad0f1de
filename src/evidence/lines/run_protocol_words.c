/* SPDX-License-Identifier: Apache-2.0 */
/* A line of the protocol into words: blanks part them, quotation marks keep blanks. */
#include "evidence/lines/run_protocol_inside.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Inside of quotation marks, from behind the first one; writes to *to. Returns where it goes on; NULL: see cause. */
static char *take_quoted(char *from, char **to, const char **ret_cause)
{
    for (; *from != '"'; from++) {
        if (*from == '\0') {
            *ret_cause = "a quotation mark without its end";
            return NULL;
        }
        if (*from == '\\') {
            from++;
            if (*from != '"' && *from != '\\' && *from != 'n') {
                *ret_cause = "a backslash that stands for nothing";
                return NULL;
            }
            *(*to)++ = *from == 'n' ? '\n' : *from;
        } else {
            *(*to)++ = *from;
        }
    }
    return from + 1;
}

int sy_protocol_split(char *line, const char *words[SY_PROTOCOL_WORDS], const char **ret_cause)
{
    int count = 0;
    char *from = line;
    for (;;) {
        while (is_blank(*from))
            from++;
        if (*from == '\0')
            return count;
        if (count == SY_PROTOCOL_WORDS) {
            *ret_cause = "too many words";
            return -1;
        }
        char *to = from;
        words[count++] = to;
        while (from != NULL && *from != '\0' && !is_blank(*from)) {
            if (*from == '"')
                from = take_quoted(from + 1, &to, ret_cause);
            else
                *to++ = *from++;
        }
        if (from == NULL)
            return -1;
        /* The word is never longer than what it was made of, so its end may stand where the blank stood. */
        from += *from != '\0';
        *to = '\0';
    }
}
