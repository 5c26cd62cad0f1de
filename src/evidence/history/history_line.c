/* SPDX-License-Identifier: Apache-2.0 */
/* Which comparison keys a history is about: the one that is named, and, over revisions, those that agree with it in
 * every other field. */
#include "evidence/history/history_reading.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "record/comparison_key.h"

enum { DIGITS_MIN = 8, DIGITS_MAX = 64, NAMED_MOST = 4, DIGITS_SHOWN = 16 };

static sy_status no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory for the line of a comparison key");
}

static bool may_be_digits(const char *text)
{
    size_t length = strlen(text);
    return length >= DIGITS_MIN && length <= DIGITS_MAX && strspn(text, "0123456789abcdef") == length;
}

/* ---- what is named ---- */

/* Digests that begin with the same digits, each once. */
typedef struct candidates {
    const char *first;
    const sy_key_row *row; /* a key of the first one: the newest */
    size_t count;
    sy_text names;
} candidates;

static void add_candidate(candidates *c, const char *digest, const sy_key_row *row)
{
    if (c->count == 0) {
        c->first = digest;
        c->row = row;
    }
    if (c->count < NAMED_MOST) {
        sy_text_append_format(&c->names, "%s%.*s", c->count > 0 ? ", " : "", DIGITS_SHOWN, digest);
    } else if (c->count == NAMED_MOST) {
        sy_text_append(&c->names, ", ...");
    }
    c->count++;
}

static sy_status refuse_several(const candidates *c, const char *digits, const char *what, sy_error *err)
{
    (void)sy_fail(err, SY_INVALID_ARGUMENT, "%zu %s begin with '%.64s'", c->count, what, digits);
    sy_error_hint(err, "say more of one: %s", sy_text_bytes(&c->names));
    return SY_INVALID_ARGUMENT;
}

/* The lines of all keys, in their order. */
static sy_status lines_of(sy_history_reading *r, const sy_key_list *keys, const char *field, const char ***ret_lines,
                          sy_error *err)
{
    const char **lines = sy_arena_allocate(r->arena, keys->row_count + 1, sizeof *lines);
    for (size_t i = 0; lines != NULL && i < keys->row_count; i++) {
        char line[65];
        sy_status status = sy_comparison_key_line(&keys->rows[i].key, field, line, err);
        if (status != SY_OK) {
            return status;
        }
        lines[i] = sy_arena_copy_text(r->arena, line);
        if (lines[i] == NULL) {
            return no_memory(err);
        }
    }
    *ret_lines = lines;
    return lines != NULL ? SY_OK : no_memory(err);
}

static bool was_seen(const char *const *lines, size_t count, const char *line)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(lines[i], line) == 0) {
            return true;
        }
    }
    return false;
}

static sy_status find_by_digits(sy_history_reading *r, const sy_key_list *keys, const char *const *lines,
                                const sy_key_row **ret_row, sy_error *err)
{
    const char *digits = r->options->key;
    candidates found = {.names = SY_TEXT_INIT}, found_lines = {.names = SY_TEXT_INIT};
    sy_status status = SY_OK;
    for (size_t i = 0; i < keys->row_count; i++) {
        const sy_key_row *row = &keys->rows[i];
        if (sy_text_begins(row->key_digest, digits)) {
            add_candidate(&found, row->key_digest, row);
        }
        if (sy_text_begins(lines[i], digits) && !was_seen(lines, i, lines[i])) {
            add_candidate(&found_lines, lines[i], row);
        }
    }
    if (found.count > 1) {
        status = refuse_several(&found, digits, "comparison keys", err);
    } else if (found.count == 0 && found_lines.count > 1) {
        status = refuse_several(&found_lines, digits, "lines", err);
    } else {
        *ret_row = found.count == 1 ? found.row : found_lines.row;
    }
    sy_text_finish(&found.names);
    sy_text_finish(&found_lines.names);
    return status;
}

static const sy_key_row *row_of(const sy_key_list *keys, const char *digest)
{
    for (size_t i = 0; i < keys->row_count; i++) {
        if (strcmp(keys->rows[i].key_digest, digest) == 0) {
            return &keys->rows[i];
        }
    }
    return NULL;
}

static sy_status refuse_incomplete(const sy_run *run, sy_error *err)
{
    sy_text unknown = SY_TEXT_INIT;
    for (size_t i = 0; i < run->begin.key.field_count; i++) {
        const char *name = run->begin.key.fields[i].name;
        if (sy_comparison_key_value(&run->begin.key, name) == NULL) {
            sy_text_append_format(&unknown, "%s%s", unknown.length > 0 ? ", " : "", name);
        }
    }
    (void)sy_fail(err, SY_NOT_FOUND, "the run '%.64s' has no whole comparison key: it has no history", run->row.id);
    sy_error_hint(err, "nobody knows its %s; such a key equals nothing", sy_text_bytes(&unknown));
    sy_text_finish(&unknown);
    return SY_NOT_FOUND;
}

static sy_status find_by_run(sy_history_reading *r, const sy_key_list *keys, const sy_key_row **ret_row, sy_error *err)
{
    sy_run *run = NULL;
    sy_status status = sy_ledger_run(r->ledger, r->options->key, &run, err);
    if (status == SY_NOT_FOUND && strcmp(r->options->key, "last") != 0) {
        (void)sy_fail(err, SY_NOT_FOUND, "no comparison key, line or run begins with '%.64s'", r->options->key);
        sy_error_hint(err, "steelyard key list has the keys, steelyard run list the runs");
    }
    if (status == SY_OK && run->row.key_digest[0] == '\0') {
        status = refuse_incomplete(run, err);
    } else if (status == SY_OK) {
        *ret_row = row_of(keys, run->row.key_digest);
        if (*ret_row == NULL) {
            status = sy_fail(err, SY_CORRUPT, "the ledger lists no key of the run '%.64s'", run->row.id);
        }
    }
    sy_run_destroy(run);
    return status;
}

/* ---- the line ---- */

static int by_digest(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The cell is a field of most keys: then runs of another cell need not be read. */
static bool names_cell(const sy_key_row *row)
{
    for (size_t i = 0; row->cell[0] != '\0' && i < row->key.field_count; i++) {
        const char *value = row->key.fields[i].value;
        if (value != NULL && strcmp(value, row->cell) == 0) {
            return true;
        }
    }
    return false;
}

static sy_status take_keys(sy_history_reading *r, const sy_key_list *keys, const char *const *lines,
                           const sy_key_row *row, sy_error *err)
{
    assert(row != NULL && keys->rows != NULL);
    const char *line = lines[row - keys->rows];
    const char **taken = sy_arena_allocate(r->arena, keys->row_count + 1, sizeof *taken);
    size_t count = 0;
    for (size_t i = 0; taken != NULL && i < keys->row_count; i++) {
        bool belongs = r->options->same_revision ? &keys->rows[i] == row : strcmp(lines[i], line) == 0;
        if (belongs) {
            taken[count] = sy_arena_copy_text(r->arena, keys->rows[i].key_digest);
            if (taken[count++] == NULL) {
                return no_memory(err);
            }
        }
    }
    const char *cell = sy_arena_copy_text(r->arena, row->cell);
    if (taken == NULL || cell == NULL) {
        return no_memory(err);
    }
    qsort(taken, count, sizeof *taken, by_digest);
    r->keys = taken;
    r->key_count = count;
    r->cell = names_cell(row) ? cell : NULL;
    r->to->cell = cell;
    r->to->line = r->options->same_revision ? taken[0] : line;
    return SY_OK;
}

sy_status sy_history_find_line(sy_history_reading *r, sy_error *err)
{
    sy_registry *registry = NULL;
    sy_key_list *keys = NULL;
    const char **lines = NULL;
    const sy_key_row *row = NULL;
    sy_status status = sy_project_registry(r->project, &registry, err);
    if (status == SY_OK) {
        status = sy_ledger_keys(r->ledger, NULL, false, &keys, err);
    }
    if (status != SY_OK) {
        return status;
    }
    status = lines_of(r, keys, sy_revision_field(registry), &lines, err);
    if (status == SY_OK && may_be_digits(r->options->key)) {
        status = find_by_digits(r, keys, lines, &row, err);
    }
    if (status == SY_OK && row == NULL) {
        status = find_by_run(r, keys, &row, err);
    }
    if (status == SY_OK) {
        status = take_keys(r, keys, lines, row, err);
    }
    sy_key_list_destroy(keys);
    return status;
}
