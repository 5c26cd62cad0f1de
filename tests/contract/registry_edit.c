/* SPDX-License-Identifier: Apache-2.0 */
/* One edit of a file's bytes. Everything but the place itself stays byte for byte. */
#include "registry_edit.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

typedef struct buffer {
    char *bytes;
    size_t size;
} buffer;

static void put(buffer *to, const char *bytes, size_t size)
{
    char *grown = realloc(to->bytes, to->size + size + 1);
    if (grown == NULL) {
        abort();
    }
    memcpy(grown + to->size, bytes, size);
    to->bytes = grown;
    to->size += size;
    grown[to->size] = '\0';
}

static void put_text(buffer *to, const char *text)
{
    put(to, text, strlen(text));
}

/* from without bytes [start, end), with text instead. */
static buffer replaced(const char *from, size_t size, size_t start, size_t end, const char *text)
{
    buffer to = {NULL, 0};
    put(&to, from, start);
    put_text(&to, text);
    put(&to, from + end, size - end);
    return to;
}

/* ---- places in JSON ---- */

static size_t string_end(const char *bytes, size_t at)
{
    for (at++; bytes[at] != '"'; at++) {
        at += bytes[at] == '\\';
    }
    return at + 1;
}

/* Behind the value that begins at `at`. */
static size_t value_end(const char *bytes, size_t at)
{
    if (bytes[at] == '"') {
        return string_end(bytes, at);
    }
    if (bytes[at] != '{' && bytes[at] != '[') {
        return at + strcspn(bytes + at, ",]} \t\r\n");
    }
    size_t depth = 0;
    do {
        if (bytes[at] == '"') {
            at = string_end(bytes, at);
            continue;
        }
        depth += bytes[at] == '{' || bytes[at] == '[';
        depth -= bytes[at] == '}' || bytes[at] == ']';
        at++;
    } while (depth > 0);
    return at;
}

static const sy_json_value *child_of(const sy_json_value *value, const char *word)
{
    if (value->kind == SY_JSON_ARRAY) {
        return sy_json_element(value, strtoul(word, NULL, 10));
    }
    return sy_json_member(value, word);
}

static const sy_json_value *value_at(const sy_json *json, const char *pointer)
{
    const sy_json_value *value = sy_json_root(json);
    while (*pointer == '/' && value != NULL) {
        char word[256];
        size_t length = 0;
        for (pointer++; *pointer != '\0' && *pointer != '/' && length + 1 < sizeof word; pointer++) {
            bool escaped = *pointer == '~' && (pointer[1] == '0' || pointer[1] == '1');
            word[length++] = escaped ? (pointer[1] == '0' ? '~' : '/') : *pointer;
            pointer += escaped;
        }
        word[length] = '\0';
        value = child_of(value, word);
    }
    return value;
}

static buffer removed(const char *bytes, size_t size, size_t start, size_t end)
{
    size_t behind = end + strspn(bytes + end, " \t\r\n");
    if (bytes[behind] == ',') {
        return replaced(bytes, size, start, behind + 1, "");
    }
    while (start > 0 && strchr(" \t\r\n", bytes[start - 1]) != NULL) {
        start--;
    }
    start -= start > 0 && bytes[start - 1] == ',';
    return replaced(bytes, size, start, end, "");
}

static buffer edit_json(const char *bytes, size_t size, const char *operation, const sy_json_value *value,
                        const char *to)
{
    size_t at = (size_t)value->offset, end = value_end(bytes, at);
    size_t start = value->name != NULL ? (size_t)value->name_offset : at;
    buffer added = {NULL, 0};
    if (strcmp(operation, "set") == 0) {
        return replaced(bytes, size, at, end, to);
    }
    if (strcmp(operation, "remove") == 0) {
        return removed(bytes, size, start, end);
    }
    if (strcmp(operation, "rename") == 0 && value->name != NULL) {
        return replaced(bytes, size, start, string_end(bytes, start), to);
    }
    if (strcmp(operation, "double") == 0) {
        put_text(&added, ", ");
        put(&added, bytes + start, end - start);
        buffer whole = replaced(bytes, size, end, end, added.bytes);
        free(added.bytes);
        return whole;
    }
    if (strcmp(operation, "add") == 0 && (value->kind == SY_JSON_OBJECT || value->kind == SY_JSON_ARRAY)) {
        put_text(&added, to);
        put_text(&added, value->count > 0 ? ", " : "");
        buffer whole = replaced(bytes, size, at + 1, at + 1, added.bytes);
        free(added.bytes);
        return whole;
    }
    return added;
}

/* ---- text ---- */

static char *unescaped(const char *text)
{
    char *to = malloc(strlen(text) + 1), *at = to;
    if (to == NULL) {
        abort();
    }
    while (*text != '\0') {
        if (text[0] != '\\' || text[1] == '\0') {
            *at++ = *text++;
            continue;
        }
        char digits[3] = {0};
        switch (text[1]) {
        case 'x':
            memcpy(digits, text + 2, 2);
            *at++ = (char)strtoul(digits, NULL, 16);
            text += 2;
            break;
        case 'n':
        case 'r':
        case 't':
            *at++ = text[1] == 'n' ? '\n' : text[1] == 'r' ? '\r' : '\t';
            break;
        default:
            *at++ = text[1];
            break;
        }
        text += 2;
    }
    *at = '\0';
    return to;
}

/* to NULL: the file ends before from. */
static buffer edit_text(const char *bytes, size_t size, const char *from, const char *to)
{
    char *wanted = unescaped(from), *instead = unescaped(to != NULL ? to : "");
    const char *at = strstr(bytes, wanted);
    buffer edited = {NULL, 0};
    if (at != NULL) {
        size_t start = (size_t)(at - bytes);
        edited = replaced(bytes, size, start, to != NULL ? start + strlen(wanted) : size, instead);
    }
    free(wanted);
    free(instead);
    return edited;
}

static buffer transcoded(const char *bytes, size_t size, const char *operation)
{
    buffer to = {NULL, 0};
    bool wide = strcmp(operation, "utf16") == 0;
    put_text(&to, wide ? "\xff\xfe" : strcmp(operation, "mark") == 0 ? "\xef\xbb\xbf" : "");
    for (size_t i = 0; i < size; i++) {
        const char *line_end = strcmp(operation, "crlf") == 0 ? "\r\n" : strcmp(operation, "cr") == 0 ? "\r" : "\n";
        if (bytes[i] == '\n' && !wide) {
            put_text(&to, line_end);
        } else {
            put(&to, wide ? (char[]){bytes[i], 0} : bytes + i, wide ? 2 : 1);
        }
    }
    return to;
}

bool registry_edit(const char *bytes, size_t size, const char *operation, const char *where, const char *to,
                   char **ret_bytes, size_t *ret_size)
{
    buffer edited = {NULL, 0};
    if (strcmp(operation, "text") == 0) {
        edited = edit_text(bytes, size, where, to);
    } else if (strcmp(operation, "cut") == 0) {
        edited = edit_text(bytes, size, where, NULL);
    } else if (strcmp(operation, "whole") == 0) {
        char *text = unescaped(to);
        put_text(&edited, text);
        free(text);
    } else if (where[0] == '-') {
        edited = transcoded(bytes, size, operation);
    } else {
        sy_json *json = NULL;
        if (sy_json_parse(bytes, size, NULL, &json, NULL) != SY_OK) {
            return false;
        }
        const sy_json_value *value = value_at(json, where);
        if (value != NULL) {
            edited = edit_json(bytes, size, operation, value, to);
        }
        sy_json_destroy(json);
    }
    *ret_bytes = edited.bytes;
    *ret_size = edited.size;
    return edited.bytes != NULL;
}
