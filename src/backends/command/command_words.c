/* SPDX-License-Identifier: Apache-2.0 */
/* Words, quotes and what is refused; back again; and parameters. */
#include "backends/command/command_words.h"

#include <steelyard/command.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

/* The line on its way into words: each word's bytes with a 0 behind, in one text. */
typedef struct splitter {
    const char *line;
    const char *at;
    sy_text bytes;
    size_t count;
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

/* A name and a '=' before the program would be an assignment. */
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
    if (s->count == 0 && is_assignment(first)) {
        (void)refuse(s, first, err, "a variable in front of the program");
        sy_error_hint(err, "--env NAME=VALUE sets it for both sides; or --shell sh");
        return SY_INVALID_ARGUMENT;
    }
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
    if (!status && s->count == 0 && s->bytes.length == start + 1)
        status = refuse(s, first, err, "an empty program name");
    s->count++;
    return status;
}

sy_status sy_command_split(sy_arena *arena, const char *line, const char *const **ret_words, sy_error *err)
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
    if (!status && s.count == 0)
        status = sy_fail(err, SY_INVALID_ARGUMENT, "an empty command");
    if (!status) {
        const char **words = sy_arena_allocate(arena, s.count + 1, sizeof(*words));
        const char *bytes = s.bytes.failed ? NULL : sy_arena_copy_bytes(arena, s.bytes.bytes, s.bytes.length);
        if (!words || !bytes)
            status = sy_fail(err, SY_NO_MEMORY, "no memory for a command of %zu words", s.count);
        for (size_t i = 0; !status && i < s.count; i++) {
            words[i] = bytes;
            bytes += strlen(bytes) + 1;
        }
        if (!status)
            *ret_words = words;
    }
    sy_text_finish(&s.bytes);
    return status;
}

static void append_quoted(sy_text *text, const char *word)
{
    if (word[0] && strcspn(word, " \t\n'\"\\$`|&;<>()*?[]") == strlen(word) && word[0] != '#' && word[0] != '~') {
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

char *sy_command_join(sy_arena *arena, const char *const *words)
{
    sy_text text = SY_TEXT_INIT;
    for (size_t i = 0; words[i]; i++) {
        if (i > 0)
            sy_text_append(&text, " ");
        append_quoted(&text, words[i]);
    }
    char *line = text.failed ? NULL : sy_arena_copy_text(arena, sy_text_bytes(&text));
    sy_text_finish(&text);
    return line;
}

char *sy_command_substitute(sy_arena *arena, const char *text, const sy_command_parameter *parameters, size_t count)
{
    sy_text whole = SY_TEXT_INIT;
    const char *from = text;
    while (*from) {
        size_t i = 0;
        size_t length = 0;
        for (; *from == '{' && i < count; i++) {
            length = strlen(parameters[i].name);
            if (strncmp(from + 1, parameters[i].name, length) == 0 && from[length + 1] == '}')
                break;
        }
        if (*from == '{' && i < count) {
            sy_text_append(&whole, parameters[i].value);
            from += length + 2;
        } else {
            sy_text_append_bytes(&whole, from++, 1);
        }
    }
    char *copy = whole.failed ? NULL : sy_arena_copy_text(arena, sy_text_bytes(&whole));
    sy_text_finish(&whole);
    return copy;
}
