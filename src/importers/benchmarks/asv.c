/* SPDX-License-Identifier: Apache-2.0 */
/* Results of airspeed velocity (asv), version 2: lists whose positions result_columns names, one element a combination
 * of parameters in Cartesian order. Units and names of parameters: asv_units.c. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "importers/benchmarks/asv_units.h"
#include "importers/import/import_json.h"

enum { COLUMNS_MAX = 64, PARAMETERS_MAX = 32, VERSION_DIGITS = 12, HASH_DIGITS = 64 };

/* Combinations that have no result of their own in the file, because the benchmark as a whole has none: more than these
 * in a file would let a few bytes become many rows. */
static const size_t unwritten_rows_max = 65536;

/* One benchmark while its combinations are gone through. */
typedef struct asv_benchmark {
    const sy_json_value *entry;
    const sy_json_value *columns[COLUMNS_MAX];  /* its values, NULL where the list ended */
    const sy_json_value *at[COLUMNS_MAX];       /* of those that are lists: the element of this combination */
    const sy_json_value *grid[PARAMETERS_MAX];  /* the lists of parameters, */
    const sy_json_value *value[PARAMETERS_MAX]; /* and what each is in this combination */
    size_t parameter_count;
    uint64_t combination_count; /* UINT64_MAX = more than can be counted */
    char name[1024];
} asv_benchmark;

typedef struct asv_reader {
    const sy_import_input *input;
    sy_import_draft *draft;
    const sy_json *json;
    sy_asv_units *units;
    const char *column_names[COLUMNS_MAX];
    size_t column_count;
    size_t result; /* positions; COLUMNS_MAX = there is no such column */
    size_t params;
    size_t version;
    size_t started_at;
    size_t duration;
    size_t samples;
    size_t unwritten_rows_left;
    uint64_t skipped;
    int64_t first_start_ms; /* INT64_MAX = none is told */
    asv_benchmark *benchmark;
} asv_reader;

static const sy_json_value *column_value(const asv_benchmark *benchmark, size_t column)
{
    return column < COLUMNS_MAX ? benchmark->columns[column] : NULL;
}

static bool is_array(const sy_json_value *value)
{
    return value != NULL && value->kind == SY_JSON_ARRAY;
}

/* ---- columns ---- */

static size_t find_column(const asv_reader *reader, const char *name)
{
    for (size_t i = 0; i < reader->column_count; i++) {
        if (strcmp(reader->column_names[i], name) == 0)
            return i;
    }
    return COLUMNS_MAX;
}

static sy_status read_columns(asv_reader *reader, sy_error *err)
{
    const sy_json_value *columns = sy_json_member(sy_json_root(reader->json), "result_columns");
    const sy_json_value *column = columns->first;

    for (; column != NULL && reader->column_count < COLUMNS_MAX; column = column->next) {
        if (column->kind != SY_JSON_TEXT)
            return sy_json_fail(reader->json, column, err, "expected the name of a column, found %s",
                                sy_json_kind_word(column->kind));
        reader->column_names[reader->column_count++] = column->text;
    }
    if (column != NULL)
        return sy_json_fail(reader->json, column, err, "more than %d columns", COLUMNS_MAX);
    reader->result = find_column(reader, "result");
    reader->params = find_column(reader, "params");
    reader->version = find_column(reader, "version");
    reader->started_at = find_column(reader, "started_at");
    reader->duration = find_column(reader, "duration");
    reader->samples = find_column(reader, "samples");
    if (reader->result == COLUMNS_MAX)
        return sy_json_fail(reader->json, columns, err, "none of the columns is called 'result'");
    return SY_OK;
}

/* ---- combinations ---- */

/* Takes the lists of parameters. false: they are none, which is told. */
static bool start_grid(asv_reader *reader)
{
    asv_benchmark *benchmark = reader->benchmark;
    const sy_json_value *params = column_value(benchmark, reader->params);

    benchmark->parameter_count = 0;
    benchmark->combination_count = 1;
    if (params == NULL || params->kind == SY_JSON_NULL)
        return true;
    for (const sy_json_value *list = params->first; list != NULL; list = list->next) {
        if (!is_array(list) || benchmark->parameter_count == PARAMETERS_MAX) {
            sy_import_reject_value(reader->draft, reader->json, list,
                                   is_array(list) ? "more than %d parameters" : "expected a list of values",
                                   PARAMETERS_MAX);
            return false;
        }
        if (list->count > 0 && benchmark->combination_count > UINT64_MAX / list->count)
            benchmark->combination_count = UINT64_MAX;
        else if (benchmark->combination_count < UINT64_MAX || list->count == 0)
            benchmark->combination_count *= list->count;
        benchmark->value[benchmark->parameter_count] = list->first;
        benchmark->grid[benchmark->parameter_count++] = list;
    }
    return true;
}

/* The next combination: the last parameter moves first. */
static void next_combination(asv_reader *reader)
{
    asv_benchmark *benchmark = reader->benchmark;

    for (size_t i = benchmark->parameter_count; i-- > 0;) {
        benchmark->value[i] = benchmark->value[i]->next;
        if (benchmark->value[i] != NULL)
            break;
        benchmark->value[i] = benchmark->grid[i]->first;
    }
    for (size_t i = 0; i < reader->column_count; i++)
        benchmark->at[i] = benchmark->at[i] != NULL ? benchmark->at[i]->next : NULL;
}

/* ---- one row ---- */

/* "2022-02-07T04:13:42Z" of milliseconds; "" = they are no time. */
static const char *format_time(int64_t ms, char to[32])
{
    int64_t seconds = ms / 1000 - (ms % 1000 < 0);

    return sy_time_format_utc(seconds, to, 32, NULL) == SY_OK ? to : "";
}

/* The text of a version: of a hash its first digits. */
static void add_version(asv_reader *reader)
{
    const sy_json_value *value = column_value(reader->benchmark, reader->version);
    const char *version = sy_import_words(reader->draft, reader->json, value);

    if (version == NULL)
        return;
    if (strlen(version) == HASH_DIGITS)
        version = sy_import_copy(reader->draft, version, VERSION_DIGITS);
    sy_import_row_parameter(reader->draft, "version", version);
}

static void begin_row(asv_reader *reader, const sy_json_value *place, bool with_grid)
{
    asv_benchmark *benchmark = reader->benchmark;
    const sy_json_value *started = column_value(benchmark, reader->started_at);
    char time[32];
    int64_t ms = 0;

    sy_import_row_begin(reader->draft, benchmark->name, sy_import_position(reader->draft, reader->json, place));
    for (size_t i = 0; with_grid && i < benchmark->parameter_count; i++) {
        const char *value = sy_import_words(reader->draft, reader->json, benchmark->value[i]);

        sy_import_row_parameter(reader->draft, sy_asv_parameter_name(reader->units, reader->draft, i),
                                value != NULL ? value : "null");
    }
    add_version(reader);
    if (started == NULL || sy_json_get_i64(reader->json, started, &ms, NULL) != SY_OK ||
        format_time(ms, time)[0] == '\0')
        return;
    sy_import_row_stamp(reader->draft, time);
    reader->first_start_ms = ms < reader->first_start_ms ? ms : reader->first_start_ms;
}

static void add_samples(asv_reader *reader, const sy_json_value *samples)
{
    char why[SY_IMPORT_WHY];
    size_t unusable = 0;

    if (!is_array(samples))
        return;
    for (const sy_json_value *sample = samples->first; sample != NULL; sample = sample->next) {
        double number = sy_import_number(reader->draft, reader->json, sample, true, why);
        double value = sy_asv_convert(reader->units, number);

        unusable += isnan(value);
        sy_import_sample(reader->draft, value);
    }
    if (unusable > 0)
        sy_import_series_note(reader->draft, "%zu samples cannot be used: no numbers, or negative", unusable);
}

/* "stats_q_25" and the like. Of these, what counts runs has no unit. */
static bool add_statistics(asv_reader *reader)
{
    asv_benchmark *benchmark = reader->benchmark;
    char why[SY_IMPORT_WHY];
    bool any = false;

    for (size_t i = 0; i < reader->column_count; i++) {
        const char *name = reader->column_names[i];
        const sy_json_value *value = benchmark->at[i];
        bool counts = strcmp(name, "stats_number") == 0 || strcmp(name, "stats_repeat") == 0;
        double number;

        if (strncmp(name, "stats_", strlen("stats_")) != 0 || value == NULL || value->kind == SY_JSON_NULL)
            continue;
        number = sy_import_number(reader->draft, reader->json, value, true, why);
        sy_import_figure(reader->draft, name + strlen("stats_"), counts ? "" : sy_asv_unit(reader->units),
                         counts ? number : sy_asv_convert(reader->units, number));
        any = true;
    }
    return any;
}

static void add_series(asv_reader *reader, double result)
{
    asv_benchmark *benchmark = reader->benchmark;
    const sy_json_value *samples = reader->samples < COLUMNS_MAX ? benchmark->at[reader->samples] : NULL;
    bool has_samples = samples != NULL && is_array(samples) && samples->count > 0;
    bool has_statistics;

    sy_import_series_begin(reader->draft, "result", sy_asv_unit(reader->units), false);
    sy_asv_note(reader->units, reader->draft);
    has_statistics = add_statistics(reader);
    if (has_samples)
        add_samples(reader, samples);
    else if (has_statistics)
        sy_import_series_note(reader->draft, "summary only: the file has no samples");
    else
        sy_import_sample(reader->draft, sy_asv_convert(reader->units, result));
    if (has_samples || has_statistics)
        sy_import_figure(reader->draft, "result", sy_asv_unit(reader->units), sy_asv_convert(reader->units, result));
}

/* One combination: a number, null where it failed, NaN where the benchmark said that it does not apply. */
static void read_result(asv_reader *reader, const sy_json_value *value)
{
    bool is_skipped = value->kind == SY_JSON_NUMBER && isnan(value->number);
    char why[SY_IMPORT_WHY];
    double result;

    if (is_skipped) {
        reader->skipped++;
        return;
    }
    begin_row(reader, value, true);
    if (value->kind == SY_JSON_NULL) {
        sy_import_row_fail(reader->draft, "result: null");
    } else {
        result = sy_import_number(reader->draft, reader->json, value, true, why);
        if (isnan(result))
            sy_import_row_fail(reader->draft, "result: %s", why);
        add_series(reader, result);
    }
    sy_import_row_end(reader->draft);
}

/* ---- one benchmark ---- */

/* A benchmark that failed as a whole has one null in place of the list. */
static void read_unwritten(asv_reader *reader)
{
    asv_benchmark *benchmark = reader->benchmark;
    const sy_json_value *place = benchmark->entry;

    if (benchmark->combination_count > reader->unwritten_rows_left) {
        begin_row(reader, place, false);
        sy_import_row_fail(reader->draft, "result: null, for all combinations of its parameters");
        sy_import_row_end(reader->draft);
        return;
    }
    reader->unwritten_rows_left -= (size_t)benchmark->combination_count;
    for (uint64_t i = 0; i < benchmark->combination_count; i++) {
        begin_row(reader, place, true);
        sy_import_row_fail(reader->draft, "result: null");
        sy_import_row_end(reader->draft);
        next_combination(reader);
    }
}

static void take_columns(asv_reader *reader)
{
    asv_benchmark *benchmark = reader->benchmark;
    const sy_json_value *value = benchmark->entry->first;

    for (size_t i = 0; i < reader->column_count; i++) {
        benchmark->columns[i] = value;
        benchmark->at[i] = is_array(value) ? value->first : NULL;
        value = value != NULL ? value->next : NULL;
    }
    if (value != NULL)
        sy_import_reject_value(reader->draft, reader->json, value, "more values than columns");
}

static void read_benchmark(asv_reader *reader, const sy_json_value *entry)
{
    asv_benchmark *benchmark = reader->benchmark;
    const sy_json_value *result;

    benchmark->entry = entry;
    (void)sy_text_copy(benchmark->name, sizeof benchmark->name, entry->name);
    take_columns(reader);
    result = column_value(benchmark, reader->result);
    if (entry->name_length >= sizeof benchmark->name || strlen(entry->name) != entry->name_length) {
        sy_import_reject_value(reader->draft, reader->json, entry,
                               "no name of a benchmark: too long, or a 0 byte in it");
        return;
    }
    if (!start_grid(reader))
        return;
    sy_asv_units_choose(reader->units, benchmark->name,
                        sy_import_words(reader->draft, reader->json, column_value(benchmark, reader->version)));
    if (result == NULL || result->kind == SY_JSON_NULL) {
        read_unwritten(reader);
    } else if (!is_array(result) || result->count != benchmark->combination_count) {
        sy_import_reject_value(reader->draft, reader->json, result,
                               "expected one result for each of %llu combinations of parameters, found %s of %zu",
                               (unsigned long long)benchmark->combination_count, sy_json_kind_word(result->kind),
                               result->count);
    } else {
        for (const sy_json_value *value = result->first; value != NULL; value = value->next) {
            read_result(reader, value);
            next_combination(reader);
        }
    }
}

/* Whether a member stood there before, which the frame has told: the first is read. at: the finding to begin with,
 * moved on, since findings and entries are both in the file's order. */
static bool is_repeated(const sy_json *json, const sy_json_value *entry, size_t *at)
{
    size_t count;
    const sy_json_finding *findings = sy_json_findings(json, &count);

    while (*at < count && findings[*at].offset < entry->name_offset)
        (*at)++;
    for (size_t i = *at; i < count && findings[i].offset == entry->name_offset; i++) {
        if (findings[i].kind == SY_JSON_DUPLICATE_KEY && findings[i].value == entry)
            return true;
    }
    return false;
}

static void read_results(asv_reader *reader)
{
    const sy_json_value *results = sy_json_member(sy_json_root(reader->json), "results");
    size_t finding = 0;

    for (const sy_json_value *entry = results->first; entry != NULL; entry = entry->next) {
        if (is_repeated(reader->json, entry, &finding))
            continue;
        if (entry->kind != SY_JSON_ARRAY && entry->kind != SY_JSON_NULL)
            sy_import_reject_value(reader->draft, reader->json, entry, "expected a list of values, found %s",
                                   sy_json_kind_word(entry->kind));
        else if (sy_json_is_cut(reader->json, entry))
            sy_import_reject_value(reader->draft, reader->json, entry,
                                   "the file ends, or is damaged, inside of this result");
        else
            read_benchmark(reader, entry);
    }
}

/* ---- the file ---- */

static void describe_file(asv_reader *reader)
{
    static const char *const skipped[] = {"results",   "result_columns", "commit_hash", "date",
                                          "durations", "version",        NULL};
    sy_import_draft *draft = reader->draft;
    const sy_json_value *root = sy_json_root(reader->json);
    const sy_json_value *params = sy_json_member(root, "params");
    const char *environment = sy_import_text(draft, reader->json, root, "env_name");
    char time[32];
    int64_t ms = 0;

    draft->imported->tool = "asv";
    draft->imported->host = sy_import_text(draft, reader->json, params, "machine");
    draft->imported->device = sy_import_text(draft, reader->json, params, "cpu");
    draft->imported->revision = sy_import_text(draft, reader->json, root, "commit_hash");
    /* It builds a clean checkout of that commit, unless it was told to use an environment that exists. */
    draft->imported->dirty = draft->imported->revision[0] != '\0' && !sy_text_begins(environment, "existing") ? 0 : -1;
    sy_import_settings(draft, reader->json, "", root, skipped);
    if (sy_json_get_i64(reader->json, sy_json_member(root, "date"), &ms, NULL) == SY_OK &&
        format_time(ms, time)[0] != '\0')
        sy_import_setting(draft, "commit_date", time);
    if (reader->first_start_ms < INT64_MAX)
        sy_import_stamp(draft, format_time(reader->first_start_ms, time));
    if (reader->skipped > 0)
        sy_import_note(draft, "%llu results are NaN: the benchmark skipped them", (unsigned long long)reader->skipped);
}

static sy_status check_version(const asv_reader *reader, sy_error *err)
{
    const sy_json_value *root = sy_json_root(reader->json);
    const sy_json_value *version = sy_json_member(root, "version");
    const sy_json_value *results = sy_json_member(root, "results");
    const sy_json_value *columns = sy_json_member(root, "result_columns");

    if (version != NULL && !(version->kind == SY_JSON_NUMBER && version->number == 2)) {
        sy_status status = sy_json_fail(reader->json, version, err, "results of asv are read in version 2");

        sy_error_hint(err, "asv update brings older results up to date");
        return status;
    }
    if (columns == NULL || columns->kind != SY_JSON_ARRAY)
        return sy_json_fail(reader->json, root, err, "expected a list 'result_columns'");
    if (results == NULL || results->kind != SY_JSON_OBJECT)
        return sy_json_fail(reader->json, root, err, "expected an object 'results'");
    return SY_OK;
}

static sy_status read_asv(const sy_import_input *input, sy_import_draft *draft, sy_error *err)
{
    asv_reader reader = {.input = input,
                         .draft = draft,
                         .json = input->json,
                         .unwritten_rows_left = unwritten_rows_max,
                         .first_start_ms = INT64_MAX};
    sy_status status = check_version(&reader, err);

    if (status == SY_OK)
        status = read_columns(&reader, err);
    if (status == SY_OK)
        status = sy_asv_units_open(input, draft, &reader.units, err);
    if (status == SY_OK) {
        reader.benchmark = sy_arena_allocate(draft->arena, 1, sizeof *reader.benchmark);
        if (reader.benchmark == NULL)
            status = sy_fail(err, SY_NO_MEMORY, "no memory to read results of asv");
    }
    if (status == SY_OK) {
        read_results(&reader);
        describe_file(&reader);
    }
    sy_asv_units_close(reader.units);
    return status;
}

static bool knows_json(const sy_json_value *root)
{
    const sy_json_value *results = sy_json_member(root, "results");

    return sy_json_member(root, "result_columns") != NULL ||
           (results != NULL && results->kind == SY_JSON_OBJECT && sy_json_member(root, "commit_hash") != NULL);
}

const sy_import_reader sy_import_asv = {.format = SY_IMPORT_ASV, .knows_json = knows_json, .read = read_asv};
