/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of the Go benchmark data format (golang.org/design/14313-benchmark-format) and of what `go test -v` writes
 * around them. All else is plain text and passed by. */
#include "importers/benchmarks/go_lines.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

enum { FIRST_CAPACITY = 64, KEYS_MAX = 256, METADATA_MAX = 1024, TOKEN_MAX = 16384, SHOWN_MAX = 60 };

/* Pairs of all configurations together: a text that changes many keys before each result would take the square of its
 * size. */
static const size_t pairs_max = (size_t)1 << 20;

/* One `key=value` of a unit. */
typedef struct metadatum {
    uint32_t unit;
    sy_go_pair pair;
} metadatum;

typedef struct go_reader {
    const char *text;
    const char *line; /* that is being read, without its end */
    const char *end;
    uint32_t line_number;
    sy_import_draft *draft;
    sy_go_lines *lines;
    sy_go_pair keys[KEYS_MAX]; /* of the configuration that holds now, sorted */
    size_t key_count;
    bool keys_changed; /* since the last result */
    metadatum metadata[METADATA_MAX];
    size_t metadatum_count;
    sy_go_span bare; /* a name alone on its line, whose result is still to come; at NULL = none */
    sy_position bare_position;
    bool wants_reason; /* the line before said that a benchmark failed */
} go_reader;

static sy_position position_at(const go_reader *reader, const char *at)
{
    return (sy_position){(uint64_t)(at - reader->text), reader->line_number, (uint32_t)(at - reader->line) + 1};
}

static void reject(go_reader *reader, const char *at, const char *what)
{
    sy_import_reject_at(reader->draft, position_at(reader, at), "", "%s", what);
}

/* Room for one more of size bytes in a list. */
static sy_status make_room(void **list, size_t *capacity, size_t count, size_t size, sy_error *err)
{
    size_t larger = *capacity == 0 ? FIRST_CAPACITY : *capacity * 2;
    void *grown;

    if (count < *capacity)
        return SY_OK;
    grown = sy_reallocate(*list, larger, size);
    if (grown == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for %zu parts of a benchmark text", larger);
    *list = grown;
    *capacity = larger;
    return SY_OK;
}

#define MAKE_ROOM(lines, list, err)                                                                                   \
    make_room((void **)&(lines)->list##s, &(lines)->list##_capacity, (lines)->list##_count, sizeof *(lines)->list##s, \
              err)

/* ---- units and their metadata ---- */

/* false: there are too many. */
static bool find_unit(go_reader *reader, const sy_go_span *name, uint32_t *ret_unit, sy_status *ret_status,
                      sy_error *err)
{
    sy_go_lines *lines = reader->lines;

    for (size_t i = 0; i < lines->unit_count; i++) {
        if (sy_go_span_compare(&lines->units[i].name, name) == 0) {
            *ret_unit = (uint32_t)i;
            return true;
        }
    }
    if (lines->unit_count == SY_GO_UNITS_MAX)
        return false;
    *ret_status = MAKE_ROOM(lines, unit, err);
    if (*ret_status != SY_OK)
        return false;
    *ret_unit = (uint32_t)lines->unit_count;
    lines->units[lines->unit_count++] = (sy_go_unit){*name, -1};
    return true;
}

/* As much as is shown in a message, and no half of a character. */
static int shown_length(const sy_go_span *span)
{
    size_t length = span->length < SHOWN_MAX ? span->length : SHOWN_MAX;

    while (length < span->length && length > 0 && ((unsigned char)span->at[length] & 0xc0) == 0x80)
        length--;
    return (int)length;
}

static void take_metadatum(go_reader *reader, uint32_t unit, const sy_go_pair *pair)
{
    const sy_go_span *name = &reader->lines->units[unit].name;

    for (size_t i = 0; i < reader->metadatum_count; i++) {
        const metadatum *known = &reader->metadata[i];

        if (known->unit != unit || sy_go_span_compare(&known->pair.key, &pair->key) != 0)
            continue;
        if (sy_go_span_compare(&known->pair.value, &pair->value) != 0)
            sy_import_note(reader->draft, "line %u: metadata %.*s of %.*s already set to %.*s", reader->line_number,
                           shown_length(&pair->key), pair->key.at, shown_length(name), name->at,
                           shown_length(&known->pair.value), known->pair.value.at);
        return;
    }
    if (reader->metadatum_count == METADATA_MAX) {
        reject(reader, pair->key.at, "more metadata of units than are read");
        return;
    }
    reader->metadata[reader->metadatum_count++] = (metadatum){unit, *pair};
    if (sy_go_is_text(&pair->key, "better"))
        reader->lines->units[unit].higher_is_better = sy_go_is_text(&pair->value, "higher")  ? 1
                                                      : sy_go_is_text(&pair->value, "lower") ? 0
                                                                                             : -1;
}

/* at: behind the word Unit. */
static sy_status read_unit_line(go_reader *reader, const char *at, sy_error *err)
{
    sy_go_span name = sy_go_next_field(&at, reader->end);
    sy_status status = SY_OK;
    uint32_t unit = 0;

    if (name.length == 0) {
        reject(reader, name.at, "missing unit");
        return SY_OK;
    }
    if (!find_unit(reader, &name, &unit, &status, err)) {
        if (status == SY_OK)
            reject(reader, name.at, "more units than are read");
        return status;
    }
    for (sy_go_span field = sy_go_next_field(&at, reader->end); field.length > 0;
         field = sy_go_next_field(&at, reader->end)) {
        const char *equals = memchr(field.at, '=', field.length);
        sy_go_pair pair = {field, field};

        if (equals == NULL) {
            reject(reader, field.at, "expected key=value");
            continue;
        }
        pair.key.length = (size_t)(equals - field.at);
        pair.value = (sy_go_span){equals + 1, field.length - pair.key.length - 1};
        take_metadatum(reader, unit, &pair);
    }
    return SY_OK;
}

/* ---- configuration ---- */

/* Whether the line is `key: value`; the key begins with a small letter and has neither spaces nor capital letters. */
static bool read_key(const go_reader *reader, sy_go_pair *ret_pair)
{
    const char *at = reader->line;

    if (at == reader->end || ((unsigned char)*at < 0x80 && (*at < 'a' || *at > 'z')))
        return false;
    for (; at < reader->end && *at != ':'; at++) {
        if ((*at >= 'A' && *at <= 'Z') || sy_go_space(at, reader->end) > 0)
            return false;
    }
    if (at == reader->end)
        return false;
    ret_pair->key = (sy_go_span){reader->line, (size_t)(at - reader->line)};
    at++;
    if (at < reader->end && *at != ' ' && *at != '\t')
        return false;
    while (at < reader->end && (*at == ' ' || *at == '\t'))
        at++;
    ret_pair->value = (sy_go_span){at, (size_t)(sy_go_trim_end(at, reader->end) - at)};
    return true;
}

static void take_key(go_reader *reader, const sy_go_pair *pair)
{
    sy_go_pair *keys = reader->keys;
    size_t at = 0;
    bool known;

    if (pair->key.length > TOKEN_MAX || pair->value.length > TOKEN_MAX) {
        reject(reader, reader->line, "a configuration line that is too long");
        return;
    }
    while (at < reader->key_count && sy_go_span_compare(&keys[at].key, &pair->key) < 0)
        at++;
    known = at < reader->key_count && sy_go_span_compare(&keys[at].key, &pair->key) == 0;
    if (pair->value.length == 0) {
        if (known)
            memmove(&keys[at], &keys[at + 1], (--reader->key_count - at) * sizeof *keys);
    } else if (known) {
        keys[at].value = pair->value;
    } else if (reader->key_count < KEYS_MAX) {
        memmove(&keys[at + 1], &keys[at], (reader->key_count++ - at) * sizeof *keys);
        keys[at] = *pair;
    } else {
        reject(reader, reader->line, "more configuration keys than are read");
        return;
    }
    reader->keys_changed = true;
}

/* Whether the configuration that holds now is the last one that was kept. */
static bool is_last_config(const go_reader *reader)
{
    const sy_go_lines *lines = reader->lines;
    const sy_go_config *last = &lines->configs[lines->config_count - 1];

    if (last->pair_count != reader->key_count)
        return false;
    for (size_t i = 0; i < reader->key_count; i++) {
        const sy_go_pair *pair = &lines->pairs[last->pair + i];

        if (sy_go_span_compare(&pair->key, &reader->keys[i].key) != 0 ||
            sy_go_span_compare(&pair->value, &reader->keys[i].value) != 0)
            return false;
    }
    return true;
}

static sy_status keep_config(go_reader *reader, sy_error *err)
{
    sy_go_lines *lines = reader->lines;
    sy_status status = SY_OK;

    if (lines->config_count > 0 && (!reader->keys_changed || is_last_config(reader)))
        return SY_OK;
    if (lines->pair_count + reader->key_count > pairs_max) {
        sy_fail(err, SY_LIMIT_EXCEEDED, "the configuration changes too often: more than %zu keys", pairs_max);
        if (err != NULL)
            sy_error_at(err, position_at(reader, reader->line));
        return SY_LIMIT_EXCEEDED;
    }
    status = MAKE_ROOM(lines, config, err);
    if (status == SY_OK)
        lines->configs[lines->config_count++] = (sy_go_config){lines->pair_count, reader->key_count};
    for (size_t i = 0; i < reader->key_count && status == SY_OK; i++) {
        status = MAKE_ROOM(lines, pair, err);
        if (status == SY_OK)
            lines->pairs[lines->pair_count++] = reader->keys[i];
    }
    reader->keys_changed = false;
    return status;
}

/* ---- results ---- */

static sy_status keep_result(go_reader *reader, const sy_go_result *result, sy_error *err)
{
    sy_go_lines *lines = reader->lines;
    sy_status status = keep_config(reader, err);

    if (status == SY_OK)
        status = MAKE_ROOM(lines, result, err);
    if (status != SY_OK)
        return status;
    lines->results[lines->result_count] = *result;
    lines->results[lines->result_count].config = (uint32_t)(lines->config_count - 1);
    lines->result_count++;
    return SY_OK;
}

static bool has_unit(const sy_go_lines *lines, const sy_go_result *result, uint32_t unit)
{
    for (size_t i = result->value; i < lines->value_count; i++) {
        if (lines->values[i].unit == unit)
            return true;
    }
    return false;
}

/* Pairs of value and unit up to the line's end. *ret_what stays NULL when all of them are right. */
static sy_status read_values(go_reader *reader, const char *at, const sy_go_result *result, const char **ret_at,
                             const char **ret_what, sy_error *err)
{
    sy_go_lines *lines = reader->lines;
    sy_status status = SY_OK;

    while (status == SY_OK && *ret_what == NULL) {
        sy_go_span number = sy_go_next_field(&at, reader->end);
        sy_go_span unit = sy_go_next_field(&at, reader->end);
        sy_go_value value = {0, 0};

        if (number.length == 0) {
            *ret_what = lines->value_count == result->value ? "missing measurements" : NULL;
            *ret_at = number.at;
            break;
        }
        *ret_at = number.at;
        *ret_what = sy_go_read_measurement(&number, &value.value);
        if (*ret_what != NULL)
            break;
        *ret_at = unit.at;
        if (unit.length == 0)
            *ret_what = "missing unit";
        else if (unit.length > TOKEN_MAX)
            *ret_what = "a unit that is too long";
        else if (!find_unit(reader, &unit, &value.unit, &status, err))
            *ret_what = status == SY_OK ? "more units than are read" : NULL;
        else if (has_unit(lines, result, value.unit))
            *ret_what = "a unit that the line has already";
        if (status == SY_OK && *ret_what == NULL)
            status = MAKE_ROOM(lines, value, err);
        if (status == SY_OK && *ret_what == NULL)
            lines->values[lines->value_count++] = value;
    }
    return status;
}

/* `go test -v` prints a benchmark's name when it begins, and again with its result: the first of them says nothing. A
 * bare name that no line of its own follows is half a result. */
static void settle_bare(go_reader *reader, const sy_go_span *name)
{
    if (reader->bare.at == NULL)
        return;
    if (name != NULL && sy_go_belongs(&reader->bare, name))
        reader->lines->bare_count++;
    else
        sy_import_reject_at(reader->draft, reader->bare_position, "", "missing iteration count");
    reader->bare.at = NULL;
}

static sy_status read_result(go_reader *reader, sy_error *err)
{
    const char *at = reader->line;
    sy_go_span whole = sy_go_next_field(&at, reader->end);
    sy_go_span iterations = sy_go_next_field(&at, reader->end);
    sy_go_result result = {.position = position_at(reader, reader->line), .value = reader->lines->value_count};
    const char *wrong_at = iterations.at;
    const char *what = NULL;
    sy_status status = SY_OK;

    settle_bare(reader, &whole);
    if (iterations.length == 0) {
        reader->bare = whole;
        reader->bare_position = position_at(reader, iterations.at);
        return SY_OK;
    }
    result.name = (sy_go_span){whole.at + strlen("Benchmark"), whole.length - strlen("Benchmark")};
    sy_go_split_procs(&result.name, &result.procs);
    if (result.name.length == 0)
        result.name = (sy_go_span){whole.at, strlen("Benchmark")};
    if (whole.length > TOKEN_MAX) {
        what = "a name that is too long";
        wrong_at = whole.at;
    } else if (memchr(reader->line, '\0', (size_t)(reader->end - reader->line)) != NULL) {
        what = "a 0 byte in the line";
    } else {
        what = sy_go_read_iterations(&iterations, &result.iterations);
    }
    if (what == NULL)
        status = read_values(reader, at, &result, &wrong_at, &what, err);
    if (status != SY_OK)
        return status;
    if (what != NULL) {
        reader->lines->value_count = result.value;
        reject(reader, wrong_at, what);
        return SY_OK;
    }
    result.value_count = reader->lines->value_count - result.value;
    return keep_result(reader, &result, err);
}

/* "--- FAIL: BenchmarkX", as `go test` says it; at: behind the colon. */
static sy_status read_outcome(go_reader *reader, bool failed, const char *at, sy_error *err)
{
    sy_go_span whole = sy_go_next_field(&at, reader->end);
    sy_go_result result = {.position = position_at(reader, reader->line), .failed = true};

    if (whole.length <= strlen("Benchmark") || whole.length > TOKEN_MAX ||
        memcmp(whole.at, "Benchmark", strlen("Benchmark")) != 0 || memchr(whole.at, '\0', whole.length) != NULL)
        return SY_OK;
    settle_bare(reader, &whole);
    if (!failed) {
        reader->lines->skip_count++;
        return SY_OK;
    }
    result.name = (sy_go_span){whole.at + strlen("Benchmark"), whole.length - strlen("Benchmark")};
    sy_go_split_procs(&result.name, &result.procs);
    reader->wants_reason = true;
    return keep_result(reader, &result, err);
}

/* What a failed benchmark logged stands indented below it; its first line is the reason. */
static void take_reason(go_reader *reader)
{
    const char *at = reader->line;

    reader->wants_reason = false;
    if (at == reader->end || (*at != ' ' && *at != '\t'))
        return;
    while (at < reader->end && (*at == ' ' || *at == '\t'))
        at++;
    reader->lines->results[reader->lines->result_count - 1].reason = (sy_go_span){
        at, (size_t)(sy_go_trim_end(at, reader->end) - at)};
}

static bool line_begins(const go_reader *reader, const char *with)
{
    size_t length = strlen(with);

    return (size_t)(reader->end - reader->line) >= length && memcmp(reader->line, with, length) == 0;
}

static bool is_result(const go_reader *reader)
{
    const char *behind = reader->line + strlen("Benchmark");

    return line_begins(reader, "Benchmark") && (behind == reader->end || *behind < 'a' || *behind > 'z');
}

static sy_status read_line(go_reader *reader, sy_error *err)
{
    const char *word_end = reader->line + strlen("Unit");
    sy_go_pair pair;

    if (reader->wants_reason)
        take_reason(reader);
    if (is_result(reader))
        return read_result(reader, err);
    if (line_begins(reader, "--- FAIL: "))
        return read_outcome(reader, true, reader->line + strlen("--- FAIL: "), err);
    if (line_begins(reader, "--- SKIP: "))
        return read_outcome(reader, false, reader->line + strlen("--- SKIP: "), err);
    if (line_begins(reader, "Unit") && (word_end == reader->end || sy_go_space(word_end, reader->end) > 0))
        return read_unit_line(reader, word_end, err);
    if (read_key(reader, &pair))
        take_key(reader, &pair);
    return SY_OK;
}

sy_status sy_go_lines_read(const char *text, size_t size, sy_import_draft *draft, sy_go_lines *lines, sy_error *err)
{
    go_reader *reader = sy_allocate(1, sizeof *reader);
    const char *at = text;
    sy_status status = SY_OK;

    if (reader == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory to read a benchmark text");
    reader->text = text;
    reader->draft = draft;
    reader->lines = lines;
    while (status == SY_OK && at < text + size) {
        const char *end = memchr(at, '\n', (size_t)(text + size - at));

        reader->line = at;
        reader->end = end != NULL ? end : text + size;
        at = end != NULL ? end + 1 : text + size;
        if (reader->end > reader->line && reader->end[-1] == '\r')
            reader->end--;
        reader->line_number++;
        status = read_line(reader, err);
    }
    settle_bare(reader, NULL);
    sy_free(reader);
    return status;
}

void sy_go_lines_finish(sy_go_lines *lines)
{
    sy_free(lines->results);
    sy_free(lines->values);
    sy_free(lines->configs);
    sy_free(lines->pairs);
    sy_free(lines->units);
    *lines = (sy_go_lines){0};
}
