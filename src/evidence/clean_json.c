/* SPDX-License-Identifier: Apache-2.0 */
/* Cleans the texts of a JSON document in their places. It is done text by text: a secret is never looked for across
 * the quotation mark that ends it. */
#include "evidence/clean_json.h"

#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "evidence/exec/exec_clean.h"
#include "record/private_text.h"
#include "record/secret_text.h"

extern char **environ;

const char *sy_clean_text(sy_arena *arena, const char *text)
{
    const char *home = NULL;
    for (char **at = environ; at != NULL && *at != NULL && home == NULL; at++) {
        home = strncmp(*at, "HOME=", 5) == 0 ? *at + 5 : NULL;
    }
    text = sy_exec_take_out_home(arena, home, text);
    return text != NULL ? sy_private_clean(arena, text) : NULL;
}

typedef struct cleaning {
    const char *bytes;
    uint64_t done; /* so many of them have been appended or replaced */
    sy_arena *arena;
    sy_text *to;
    bool failed;
} cleaning;

/* Where the string that begins at `from` ends, behind its quotation mark. It was parsed before. */
static uint64_t end_of_string(const char *bytes, uint64_t from)
{
    uint64_t at = from + 1;
    while (bytes[at] != '"') {
        at += bytes[at] == '\\' ? 2 : 1;
    }
    return at + 1;
}

static void append_quoted(sy_text *to, const char *text, bool *failed)
{
    sy_json_writer *writer = sy_json_writer_create(to, SY_JSON_COMPACT);
    sy_json_text(writer, text);
    *failed |= sy_json_writer_finish(writer, NULL) != SY_OK;
}

/* The string at `offset`, read as text; clean: what shall stand there. */
static void replace_string(cleaning *c, uint64_t offset, const char *text, const char *clean)
{
    if (clean == NULL) {
        c->failed = true;
    } else if (strcmp(clean, text) != 0) {
        sy_text_append_bytes(c->to, c->bytes + c->done, (size_t)(offset - c->done));
        append_quoted(c->to, clean, &c->failed);
        c->done = end_of_string(c->bytes, offset);
    }
}

/* is_secret: what stands beside the value says so.
 * NOLINTNEXTLINE(misc-no-recursion): the reader limits the depth */
static void clean_value(cleaning *c, const sy_json_value *value, bool is_secret)
{
    if (value->kind == SY_JSON_TEXT) {
        replace_string(c, value->offset, value->text,
                       is_secret ? SY_SECRET_SHOWN : sy_clean_text(c->arena, value->text));
    }
    bool has_names = value->kind == SY_JSON_OBJECT;
    bool has_children = has_names || value->kind == SY_JSON_ARRAY;
    const sy_json_value *secret = NULL;
    for (const sy_json_value *child = has_children ? value->first : NULL; child != NULL; child = child->next) {
        if (has_names) {
            replace_string(c, child->name_offset, child->name, sy_clean_text(c->arena, child->name));
        }
        const sy_json_value *beside = sy_private_secret_beside(child);
        clean_value(c, child, child == secret || child == beside);
        secret = beside;
    }
}

sy_status sy_clean_json(const char *json, sy_arena *arena, sy_text *to, sy_error *err)
{
    sy_json_limits limits = SY_JSON_LIMITS_INIT;
    size_t size = strlen(json);
    sy_json *read = NULL;
    sy_status status = sy_json_parse(json, size, &limits, &read, err);
    if (status != SY_OK) {
        return status;
    }
    cleaning c = {.bytes = json, .arena = arena, .to = to};
    clean_value(&c, sy_json_root(read), false);
    sy_text_append_bytes(to, json + c.done, size - (size_t)c.done);
    sy_json_destroy(read);
    return c.failed || to->failed ? sy_fail(err, SY_NO_MEMORY, "no memory for a result") : SY_OK;
}
