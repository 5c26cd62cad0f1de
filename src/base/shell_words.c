/* SPDX-License-Identifier: Apache-2.0 */
/* Words, quotes and what is refused; back again. */
#include "base/shell_words.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"

/* The line on its way into words: each word's bytes with a 0 behind, in one text. */
typedef struct splitter {
    const char *line;
    const char *at;
    sy_text bytes;
    size_t count;
    size_t assigned; /* of the words: those in front of the program */
} splitter;

static sy_status refuse(const splitter *s, const char *at, sy_error *err, const char *what)
{
    uint64_t offset = (uint64_t)(at - s->line);
    (void)sy_fail(err, SY_INVALID_ARGUMENT, "%s at column %llu of '%s'", what, (unsigned long long)offset + 1, s->line);
    return SY_INVALID_ARGUMENT;
}

static sy_status refuse_meta(const splitter *s, const char *at, sy_error *err)
{
    char what[64] = "a new line";
    if (*at != '\n') {
        char name[] = "'?', which only a shell understands,";
        name[1] = *at;
        (void)sy_text_copy(what, sizeof(what), name);
    }
    (void)refuse(s, at, err, what);
    sy_error_hint(err, "--shell sh runs it by a shell; quotes or a backslash keep the character as it is");
    return SY_INVALID_ARGUMENT;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_meta(char c)
{
    return c != '\0' && strchr("$`|&;<>()*?[]\n", c) != NULL;
}

/* From the opening quote past the closing one. */
static sy_status take_quoted(splitter *s, sy_error *err)
{
    const char *open = s->at;
    char quote = *s->at++;
    while (*s->at && *s->at != quote) {
        if (quote == '"' && (*s->at == '$' || *s->at == '`'))
            return refuse_meta(s, s->at, err);
        if (quote == '"' && *s->at == '\\' && s->at[1] && strchr("\"\\$`\n", s->at[1])) {
            s->at++;
            if (*s->at == '\n') { /* a line that goes on */
                s->at++;
                continue;
            }
        }
        sy_text_append_bytes(&s->bytes, s->at++, 1);
    }
    if (!*s->at) {
        (void)refuse(s, open, err, quote == '"' ? "a \" without its end" : "a ' without its end");
        return SY_INVALID_ARGUMENT;
    }
    s->at++;
    return SY_OK;
}

/* A name and a '=' before the program is an assignment. */
static bool is_assignment(const char *word)
{
    size_t length = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
    return length > 0 && word[length] == '=' && !(word[0] >= '0' && word[0] <= '9');
}

static sy_status take_word(splitter *s, sy_error *err)
{
    const char *first = s->at;
    size_t start = s->bytes.length;
    sy_status status = SY_OK;
    if (*s->at == '#' || *s->at == '~')
        return refuse_meta(s, s->at, err);
    bool in_front = s->count == s->assigned;
    bool assigns = in_front && is_assignment(first);
    while (!status && *s->at && !is_blank(*s->at)) {
        if (*s->at == '\'' || *s->at == '"') {
            status = take_quoted(s, err);
        } else if (*s->at == '\\') {
            if (s->at[1] == '\0')
                return refuse(s, s->at, err, "a backslash with nothing behind");
            s->at++;
            if (*s->at != '\n')
                sy_text_append_bytes(&s->bytes, s->at, 1);
            s->at++;
        } else if (is_meta(*s->at)) {
            return refuse_meta(s, s->at, err);
        } else {
            sy_text_append_bytes(&s->bytes, s->at++, 1);
        }
    }
    sy_text_append_bytes(&s->bytes, "", 1);
    if (!status && in_front && s->bytes.length == start + 1)
        status = refuse(s, first, err, "an empty program name");
    s->count++;
    s->assigned += assigns;
    return status;
}

/* Pointers to the words that stand one behind the other, NULL at the end. */
static const char *const *point_to(sy_arena *arena, const char **at, size_t count)
{
    const char **words = sy_arena_allocate(arena, count + 1, sizeof(*words));
    for (size_t i = 0; words != NULL && i < count; i++) {
        words[i] = *at;
        *at += strlen(*at) + 1;
    }
    return words;
}

sy_status sy_shell_split(sy_arena *arena, const char *line, sy_shell_line *ret_line, sy_error *err)
{
    splitter s = {.line = line, .at = line, .bytes = SY_TEXT_INIT};
    sy_status status = SY_OK;
    while (!status) {
        while (is_blank(*s.at))
            s.at++;
        if (*s.at == '\0')
            break;
        status = take_word(&s, err);
    }
    if (!status && s.count == s.assigned)
        status = sy_fail(err, SY_INVALID_ARGUMENT, "an empty command");
    if (!status) {
        const char *bytes = s.bytes.failed ? NULL : sy_arena_copy_bytes(arena, s.bytes.bytes, s.bytes.length);
        sy_shell_line whole = {.assignment_count = s.assigned, .word_count = s.count - s.assigned};
        if (bytes != NULL) {
            whole.assignments = point_to(arena, &bytes, whole.assignment_count);
            whole.words = whole.assignments == NULL ? NULL : point_to(arena, &bytes, whole.word_count);
        }
        if (whole.words == NULL)
            status = sy_fail(err, SY_NO_MEMORY, "no memory for a command of %zu words", s.count);
        else
            *ret_line = whole;
    }
    sy_text_finish(&s.bytes);
    return status;
}

static void append_quoted(sy_text *text, const char *word, bool in_front)
{
    if (word[0] && !(in_front && is_assignment(word)) && strcspn(word, " \t\n'\"\\$`|&;<>()*?[]") == strlen(word) &&
        word[0] != '#' && word[0] != '~') {
        sy_text_append(text, word);
        return;
    }
    sy_text_append(text, "'");
    for (const char *c = word; *c; c++) {
        if (*c == '\'')
            sy_text_append(text, "'\\''");
        else
            sy_text_append_bytes(text, c, 1);
    }
    sy_text_append(text, "'");
}

char *sy_shell_join(sy_arena *arena, const char *const *words)
{
    sy_text text = SY_TEXT_INIT;
    for (size_t i = 0; words[i]; i++) {
        if (i > 0)
            sy_text_append(&text, " ");
        append_quoted(&text, words[i], i == 0);
    }
    char *line = text.failed ? NULL : sy_arena_copy_text(arena, sy_text_bytes(&text));
    sy_text_finish(&text);
    return line;
}
