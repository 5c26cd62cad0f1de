/* SPDX-License-Identifier: Apache-2.0 */
/* The Go benchmark data format into rows: repeated lines of one benchmark under one configuration are samples of one
 * row, and each unit is a series. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "importers/benchmarks/go_lines.h"
#include "importers/import/import_groups.h"
#include "importers/import/import_readers.h"
#include "record/units.h"

/* How much of a text is looked at to find out what it is. */
static const size_t looked_at_bytes = (size_t)1 << 20;

/* A unit as it is kept: what Go prints in nanoseconds or megabytes has its plain name here, as Go's own tools do. */
typedef struct kept_unit {
    const char *written;
    const char *name;
    const char *quantity; /* of record/units.h */
} kept_unit;

static const kept_unit kept_units[] = {
    {"ns/op", "sec/op", "ns"},
    {"B/op", "B/op", "B"},
    {"MB/s", "B/s", "MB/s"},
};

typedef struct go_rows {
    sy_go_lines lines;
    sy_import_draft *draft;
    sy_import_item *items; /* one a result */
    uint32_t *classes;     /* of each configuration: the first that is the same */
} go_rows;

static const char *copy(go_rows *rows, const sy_go_span *span)
{
    return sy_import_copy(rows->draft, span->at, span->length);
}

/* ---- groups ---- */

static const char *find_pair(const go_rows *rows, uint32_t config, const char *key, const sy_go_span **ret_value)
{
    const sy_go_config *found = &rows->lines.configs[config];

    for (size_t i = 0; i < found->pair_count; i++) {
        const sy_go_pair *pair = &rows->lines.pairs[found->pair + i];

        if (sy_go_is_text(&pair->key, key)) {
            *ret_value = &pair->value;
            return pair->value.at;
        }
    }
    return NULL;
}

/* The first of all configurations that are the same, for each. */
static bool class_configs(go_rows *rows, sy_arena *arena)
{
    const sy_go_lines *lines = &rows->lines;
    sy_import_item *items = sy_arena_allocate(arena, lines->config_count + 1, sizeof *items);
    sy_text key = SY_TEXT_INIT;
    bool done = items != NULL;

    rows->classes = sy_arena_allocate(arena, lines->config_count + 1, sizeof *rows->classes);
    done = done && rows->classes != NULL;
    for (size_t i = 0; done && i < lines->config_count; i++) {
        sy_text_clear(&key);
        for (size_t p = 0; p < lines->configs[i].pair_count; p++) {
            const sy_go_pair *pair = &lines->pairs[lines->configs[i].pair + p];

            sy_text_append_bytes(&key, pair->key.at, pair->key.length);
            sy_text_append(&key, ": ");
            sy_text_append_bytes(&key, pair->value.at, pair->value.length);
            sy_text_append(&key, "\n");
        }
        items[i] = (sy_import_item){
            .key = sy_arena_copy_bytes(arena, sy_text_bytes(&key), key.length), .length = key.length, .order = i};
        done = !key.failed && items[i].key != NULL;
    }
    if (done)
        sy_import_group(items, lines->config_count);
    for (size_t i = 0; done && i < lines->config_count; i++)
        rows->classes[items[i].order] = (uint32_t)items[i].first;
    sy_text_finish(&key);
    return done;
}

/* What says that two lines are of one row. A failed one is alone. */
static bool key_results(go_rows *rows, sy_arena *arena)
{
    const sy_go_lines *lines = &rows->lines;
    sy_text key = SY_TEXT_INIT;
    bool done = true;

    for (size_t i = 0; done && i < lines->result_count; i++) {
        const sy_go_result *result = &lines->results[i];

        sy_text_clear(&key);
        sy_text_append_bytes(&key, result->name.at, result->name.length);
        sy_text_append(&key, " ");
        sy_text_append_bytes(&key, result->procs.at, result->procs.length);
        sy_text_append_format(&key, " %u", (unsigned)rows->classes[result->config]);
        if (result->failed)
            sy_text_append_format(&key, " %zu", i);
        rows->items[i] = (sy_import_item){.key = sy_arena_copy_bytes(arena, sy_text_bytes(&key), key.length),
                                          .length = key.length,
                                          .order = i,
                                          .what = result};
        done = !key.failed && rows->items[i].key != NULL;
    }
    sy_text_finish(&key);
    return done;
}

/* ---- rows ---- */

static void begin_series(go_rows *rows, uint32_t index, const sy_unit **ret_conversion)
{
    const sy_go_unit *unit = &rows->lines.units[index];
    const char *name = copy(rows, &unit->name);
    const sy_unit *conversion = NULL;
    bool higher = sy_text_ends(name, "/s"); /* a rate, unless the file says otherwise */

    for (size_t i = 0; i < sizeof kept_units / sizeof *kept_units; i++) {
        if (strcmp(kept_units[i].written, name) == 0) {
            conversion = sy_unit_of(kept_units[i].quantity);
            name = kept_units[i].name;
        }
    }
    if (conversion != NULL)
        higher = conversion->higher_is_better;
    if (unit->higher_is_better >= 0)
        higher = unit->higher_is_better == 1;
    sy_import_series_begin(rows->draft, name, conversion != NULL ? conversion->unit : name, higher);
    *ret_conversion = conversion;
}

static void add_iterations(go_rows *rows, const sy_import_item *items, size_t count)
{
    uint64_t least = UINT64_MAX;
    uint64_t most = 0;

    for (size_t i = 0; i < count; i++) {
        const sy_go_result *result = items[i].what;

        least = result->iterations < least ? result->iterations : least;
        most = result->iterations > most ? result->iterations : most;
    }
    sy_import_figure(rows->draft, least == most ? "iterations" : "iterations_min", "", (double)least);
    if (least != most)
        sy_import_figure(rows->draft, "iterations_max", "", (double)most);
}

/* Returns how many of its values can be used. */
static size_t add_series(go_rows *rows, uint32_t unit, const sy_import_item *items, size_t count)
{
    const sy_unit *conversion = NULL;
    size_t unusable = 0;
    size_t usable = 0;

    begin_series(rows, unit, &conversion);
    for (size_t i = 0; i < count; i++) {
        const sy_go_result *result = items[i].what;

        for (size_t v = result->value; v < result->value + result->value_count; v++) {
            double value = rows->lines.values[v].value;

            if (rows->lines.values[v].unit != unit)
                continue;
            if (conversion != NULL)
                value = conversion->never_negative && value < 0 ? NAN : sy_unit_convert(conversion, value);
            unusable += !isfinite(value);
            usable += isfinite(value);
            sy_import_sample(rows->draft, value);
        }
    }
    if (unusable > 0)
        sy_import_series_note(rows->draft, "%zu values cannot be used: no numbers, or negative", unusable);
    add_iterations(rows, items, count);
    return usable;
}

/* Units in the order in which the row's lines have them. */
static void add_all_series(go_rows *rows, const sy_import_item *items, size_t count)
{
    uint8_t seen[SY_GO_UNITS_MAX] = {0};
    size_t usable = 0;

    for (size_t i = 0; i < count; i++) {
        const sy_go_result *result = items[i].what;

        for (size_t v = result->value; v < result->value + result->value_count; v++) {
            uint32_t unit = rows->lines.values[v].unit;

            if (seen[unit] == 0)
                usable += add_series(rows, unit, items, count);
            seen[unit] = 1;
        }
    }
    if (usable == 0)
        sy_import_row_fail(rows->draft, "no value of it is a number that can be used");
}

/* Every line `key: value` that holds for the row is a fact of it; the package belongs to its name. */
static void add_config(go_rows *rows, const sy_go_result *result)
{
    const sy_go_config *config = &rows->lines.configs[result->config];

    for (size_t i = 0; i < config->pair_count; i++) {
        const sy_go_pair *pair = &rows->lines.pairs[config->pair + i];
        const char *key = copy(rows, &pair->key);
        const char *value = copy(rows, &pair->value);

        if (strcmp(key, "pkg") == 0)
            sy_import_row_parameter(rows->draft, key, value);
        else
            sy_import_row_fact(rows->draft, strcmp(key, "commit") == 0 ? "source_revision" : key, value);
    }
}

static void add_row(go_rows *rows, const sy_import_item *items, size_t count)
{
    const sy_go_result *result = items->what;

    sy_import_row_begin(rows->draft, copy(rows, &result->name), result->position);
    add_config(rows, result);
    if (result->procs.length > 0)
        sy_import_row_parameter(rows->draft, "procs", copy(rows, &result->procs));
    if (result->failed)
        sy_import_row_fail(rows->draft, "%s", result->reason.length > 0 ? copy(rows, &result->reason) : "FAIL");
    else
        add_all_series(rows, items, count);
    sy_import_row_end(rows->draft);
}

/* ---- the file ---- */

/* The value of a key that is the same for all results; "" when it is not. */
static const char *common_value(go_rows *rows, const char *key)
{
    const sy_go_span *first = NULL;
    const sy_go_span *other = NULL;

    if (rows->lines.config_count == 0 || find_pair(rows, 0, key, &first) == NULL)
        return "";
    for (uint32_t i = 1; i < rows->lines.config_count; i++) {
        if (find_pair(rows, i, key, &other) == NULL || sy_go_span_compare(first, other) != 0)
            return "";
    }
    return copy(rows, first);
}

static void describe_file(go_rows *rows)
{
    sy_import_draft *draft = rows->draft;

    draft->imported->tool = "go test";
    draft->imported->device = common_value(rows, "cpu");
    draft->imported->revision = common_value(rows, "commit");
    if (rows->lines.bare_count > 0)
        sy_import_note(draft, "%llu names stand alone on a line, as go test -v prints them before each result",
                       (unsigned long long)rows->lines.bare_count);
    if (rows->lines.skip_count > 0)
        sy_import_note(draft, "%llu benchmarks skipped themselves", (unsigned long long)rows->lines.skip_count);
}

static sy_status add_rows(go_rows *rows, sy_arena *arena, sy_error *err)
{
    size_t count = rows->lines.result_count;

    rows->items = sy_arena_allocate(arena, count + 1, sizeof *rows->items);
    if (rows->items == NULL || !class_configs(rows, arena) || !key_results(rows, arena))
        return sy_fail(err, SY_NO_MEMORY, "no memory for %zu benchmark results", count);
    sy_import_group(rows->items, count);
    for (size_t i = 0, size = 0; i < count; i += size) {
        size = sy_import_group_size(&rows->items[i], count - i);
        add_row(rows, &rows->items[i], size);
    }
    describe_file(rows);
    return SY_OK;
}

/* A copy in which each byte that is no UTF-8 is a question mark, so that places stay; NULL where all is. */
static sy_status mend_text(const sy_import_input *input, sy_import_draft *draft, char **ret_mended, sy_error *err)
{
    size_t bad = 0;
    sy_position first = {0, 1, 1};
    char *mended = NULL;

    for (size_t at = 0, length = 0; at<input->size; at += length> 0 ? length : 1) {
        length = sy_text_character_length(input->text + at, input->size - at);
        first.line += bad == 0 && input->text[at] == '\n';
        if (length > 0 || bad++ > 0)
            continue;
        first.offset = at;
    }
    if (bad == 0)
        return SY_OK;
    mended = sy_allocate(input->size + 1, 1);
    if (mended == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for %zu bytes of a benchmark text", input->size);
    memcpy(mended, input->text, input->size);
    for (size_t at = 0, length = 0; at<input->size; at += length> 0 ? length : 1) {
        length = sy_text_character_length(input->text + at, input->size - at);
        if (length == 0)
            mended[at] = '?';
    }
    while (first.offset >= first.column && mended[first.offset - first.column] != '\n')
        first.column++;
    sy_import_reject_at(draft, first, "", "%zu bytes are no UTF-8: read as question marks", bad);
    *ret_mended = mended;
    return SY_OK;
}

static sy_status read_go(const sy_import_input *input, sy_import_draft *draft, sy_error *err)
{
    go_rows rows = {.draft = draft};
    sy_arena *arena = sy_arena_create(0);
    char *mended = NULL;
    sy_status status = arena != NULL ? mend_text(input, draft, &mended, err)
                                     : sy_fail(err, SY_NO_MEMORY, "no memory to read a benchmark text");

    if (status == SY_OK)
        status = sy_go_lines_read(mended != NULL ? mended : input->text, input->size, draft, &rows.lines, err);
    if (status == SY_OK && rows.lines.result_count == 0 && draft->rejects.count == 0)
        status = sy_fail(err, SY_CORRUPT, "no line of it is the result of a benchmark");
    if (status == SY_OK)
        status = add_rows(&rows, arena, err);
    sy_go_lines_finish(&rows.lines);
    sy_free(mended);
    sy_arena_destroy(arena);
    return status;
}

/* "BenchmarkX" as the first field of a line, followed by a space or the line's end. */
static bool is_result_line(const char *at, const char *end)
{
    const char *name = at + strlen("Benchmark");
    sy_go_span field = sy_go_next_field(&at, end);

    if (field.length <= strlen("Benchmark") || memcmp(field.at, "Benchmark", strlen("Benchmark")) != 0)
        return false;
    return field.at + strlen("Benchmark") == name && ((*name >= 'A' && *name <= 'Z') || *name == '_' ||
                                                      (*name >= '0' && *name <= '9') || (unsigned char)*name >= 0x80);
}

static bool knows_text(const char *text, size_t size)
{
    const char *end = text + (size < looked_at_bytes ? size : looked_at_bytes);

    while (text < end) {
        const char *line_end = memchr(text, '\n', (size_t)(end - text));

        line_end = line_end != NULL ? line_end : end;
        if (is_result_line(text, line_end))
            return true;
        text = line_end + 1;
    }
    return false;
}

const sy_import_reader sy_import_go = {.format = SY_IMPORT_GO, .knows_text = knows_text, .read = read_go};
