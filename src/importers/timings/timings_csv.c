/* SPDX-License-Identifier: Apache-2.0 */
/* Times in a table of text: a column a configuration, or one row a run with the configuration's name beside its time.
 * Which columns hold what: two passes, the first looks at every cell, the second reads. Cells: csv_cells.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "importers/timings/csv_cells.h"
#include "importers/timings/timings_readers.h"

typedef struct csv_column {
    char *title; /* "" without a header */
    size_t numbers;
    size_t words; /* cells that are no numbers */
    bool chosen;  /* its times are read */
} csv_column;

typedef struct csv_run {
    size_t name; /* long form: offset in names; else the column */
    size_t row;  /* in the order of reading */
    double time;
} csv_run;

typedef struct csv_table {
    const char *text;
    size_t size;
    sy_csv_reader reader;
    csv_column *columns;
    size_t column_count;
    size_t column_capacity;
    bool has_header;
    bool is_long;
    csv_run *runs;
    size_t run_count;
    size_t run_capacity;
    sy_text names; /* of the long form: one after the other, each ended by a 0 byte */
} csv_table;

static sy_status no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory for a table of times");
}

static csv_column *column_at(csv_table *table, size_t index)
{
    if (index >= table->column_capacity) {
        size_t capacity = 2 * index + 16;
        csv_column *larger = sy_reallocate(table->columns, capacity, sizeof *larger);

        if (larger == NULL)
            return NULL;
        memset(larger + table->column_capacity, 0, (capacity - table->column_capacity) * sizeof *larger);
        table->columns = larger;
        table->column_capacity = capacity;
    }
    if (index >= table->column_count)
        table->column_count = index + 1;
    return &table->columns[index];
}

static bool is_name_word(const char *title)
{
    static const char *const words[] = {"configuration", "config",         "name",  "command", "benchmark",
                                        "case",          "implementation", "label", "variant", NULL};

    for (size_t i = 0; words[i] != NULL; i++) {
        if (strcasecmp(title, words[i]) == 0)
            return true;
    }
    return false;
}

static bool is_time_word(const char *title)
{
    return strncasecmp(title, "time", 4) == 0 || strcasecmp(title, "duration") == 0 || strcasecmp(title, "value") == 0;
}

static bool holds_names(const csv_column *column)
{
    return is_name_word(column->title) || (column->words > column->numbers);
}

/* The first record is a header when none of its cells is a number. */
static sy_status read_header(csv_table *table, sy_error *err)
{
    sy_status status = sy_csv_next(&table->reader, err);
    size_t words = 0;

    if (status != SY_OK || table->reader.cell_count == 0)
        return status;
    for (size_t i = 0; i < table->reader.cell_count; i++) {
        double number;

        if (sy_csv_number(&table->reader, i, &number))
            return SY_OK;
        words += table->reader.cells[i].length > 0;
    }
    table->has_header = words > 0;
    for (size_t i = 0; table->has_header && i < table->reader.cell_count; i++) {
        csv_column *column = column_at(table, i);

        if (column != NULL)
            column->title = sy_duplicate_text(sy_csv_text(&table->reader, i));
        if (column == NULL || column->title == NULL)
            return no_memory(err);
    }
    return SY_OK;
}

static sy_status start_rows(csv_table *table, sy_error *err)
{
    sy_csv_start(&table->reader, table->text, table->size);
    return table->has_header ? sy_csv_next(&table->reader, err) : SY_OK;
}

/* The first pass: what kind each column is. */
static sy_status look_at_columns(csv_table *table, sy_error *err)
{
    sy_status status;

    sy_csv_start(&table->reader, table->text, table->size);
    status = read_header(table, err);
    if (status == SY_OK)
        status = start_rows(table, err);
    while (status == SY_OK) {
        status = sy_csv_next(&table->reader, err);
        if (status != SY_OK || table->reader.cell_count == 0)
            break;
        for (size_t i = 0; i < table->reader.cell_count; i++) {
            csv_column *column = column_at(table, i);
            double number;

            if (column == NULL)
                return no_memory(err);
            if (table->reader.cells[i].length == 0)
                continue;
            if (sy_csv_number(&table->reader, i, &number))
                column->numbers++;
            else
                column->words++;
        }
    }
    for (size_t i = 0; status == SY_OK && i < table->column_count; i++) {
        char *title = table->columns[i].title;

        if (title == NULL)
            title = table->columns[i].title = sy_duplicate_text("");
        if (title == NULL)
            return no_memory(err);
        table->is_long = table->is_long || holds_names(&table->columns[i]);
    }
    return status;
}

static sy_status choose_named(csv_table *table, const char *wanted, sy_error *err)
{
    uint64_t number = 0;

    for (size_t i = 0; i < table->column_count; i++) {
        if (strcmp(table->columns[i].title, wanted) == 0) {
            table->columns[i].chosen = true;
            return SY_OK;
        }
    }
    if (sy_parse_u64(wanted, &number, NULL) == SY_OK && number >= 1 && number <= table->column_count) {
        table->columns[number - 1].chosen = true;
        return SY_OK;
    }
    sy_fail(err, SY_INVALID_ARGUMENT, "there is no column '%s' in %zu columns", wanted, table->column_count);
    if (table->has_header)
        sy_error_hint(err, "the first is called '%s'; columns can also be given by number, from 1",
                      table->columns[0].title);
    return SY_INVALID_ARGUMENT;
}

/* Which columns hold the times: those asked for; else the ones called so; else all that hold numbers. */
static sy_status choose_columns(csv_table *table, const sy_timings_options *options, sy_error *err)
{
    size_t chosen = 0;

    for (size_t i = 0; i < options->column_count; i++) {
        sy_status status = choose_named(table, options->columns[i], err);

        if (status != SY_OK)
            return status;
    }
    for (size_t i = 0; options->column_count == 0 && i < table->column_count; i++) {
        table->columns[i].chosen = is_time_word(table->columns[i].title) && !holds_names(&table->columns[i]);
        chosen += table->columns[i].chosen;
    }
    for (size_t i = 0; options->column_count == 0 && chosen == 0 && i < table->column_count; i++)
        table->columns[i].chosen = !holds_names(&table->columns[i]);
    chosen = 0;
    for (size_t i = 0; i < table->column_count; i++)
        chosen += table->columns[i].chosen;
    if (table->is_long && chosen > 1) {
        sy_fail(err, SY_INVALID_ARGUMENT, "%zu columns may hold the times", chosen);
        sy_error_hint(err, "say which: --column NAME");
        return SY_INVALID_ARGUMENT;
    }
    return SY_OK;
}

static sy_status not_a_time(const csv_table *table, size_t cell, sy_error *err)
{
    sy_fail(err, SY_CORRUPT, "'%.40s' is not a time", sy_csv_text(&table->reader, cell));
    if (err != NULL)
        sy_error_at(err, sy_csv_position(&table->reader, cell));
    return SY_CORRUPT;
}

/* The name of the record's configuration, behind the others; its offset. */
static size_t append_name(csv_table *table)
{
    size_t offset = table->names.length;

    for (size_t i = 0; i < table->column_count && i < table->reader.cell_count; i++) {
        if (!holds_names(&table->columns[i]) || table->columns[i].chosen || table->reader.cells[i].length == 0)
            continue;
        if (table->names.length > offset)
            sy_text_append(&table->names, " ");
        sy_text_append(&table->names, sy_csv_text(&table->reader, i));
    }
    sy_text_append_bytes(&table->names, "", 1);
    return offset;
}

static sy_status add_run(csv_table *table, size_t name, double time, sy_error *err)
{
    if (table->run_count == table->run_capacity) {
        size_t capacity = 2 * table->run_capacity + 256;
        csv_run *larger = sy_reallocate(table->runs, capacity, sizeof *larger);

        if (larger == NULL)
            return no_memory(err);
        table->runs = larger;
        table->run_capacity = capacity;
    }
    table->runs[table->run_count] = (csv_run){name, table->run_count, time};
    table->run_count++;
    return SY_OK;
}

/* The second pass: every time of every chosen column. */
static sy_status read_runs(csv_table *table, sy_error *err)
{
    sy_status status = start_rows(table, err);

    while (status == SY_OK) {
        status = sy_csv_next(&table->reader, err);
        if (status != SY_OK || table->reader.cell_count == 0)
            break;
        for (size_t i = 0; status == SY_OK && i < table->reader.cell_count; i++) {
            double time;

            if (!table->columns[i].chosen || table->reader.cells[i].length == 0)
                continue;
            if (!sy_csv_number(&table->reader, i, &time))
                status = not_a_time(table, i, err);
            else
                status = add_run(table, table->is_long ? append_name(table) : i, time, err);
        }
        if (table->names.failed)
            return no_memory(err);
    }
    return status;
}

static int by_text_then_row(const void *left, const void *right, void *names)
{
    const csv_run *a = left;
    const csv_run *b = right;
    int order = strcmp((const char *)names + a->name, (const char *)names + b->name);

    return order != 0 ? order : (a->row > b->row) - (a->row < b->row);
}

static int by_name_then_row(const void *left, const void *right)
{
    const csv_run *a = left;
    const csv_run *b = right;

    return a->name != b->name ? (a->name > b->name) - (a->name < b->name) : (a->row > b->row) - (a->row < b->row);
}

/* Runs of one name get the place of its first, so that configurations keep the order in which they came. */
static void join_names(csv_table *table)
{
    const char *names = sy_text_bytes(&table->names);
    size_t first = 0;

    qsort_r(table->runs, table->run_count, sizeof *table->runs, by_text_then_row, table->names.bytes);
    for (size_t i = 1; i < table->run_count; i++) {
        if (strcmp(names + table->runs[i].name, names + table->runs[first].name) == 0)
            table->runs[i].name = table->runs[first].name;
        else
            first = i;
    }
}

static void end_configuration(csv_table *table, sy_timings_draft *draft, size_t name, const char *reason)
{
    sy_text number = SY_TEXT_INIT;
    const char *text = table->is_long ? sy_text_bytes(&table->names) + name : table->columns[name].title;

    if (!table->is_long && text[0] == '\0') {
        sy_text_append_format(&number, "%zu", name + 1);
        draft->failed = draft->failed || number.failed;
        text = sy_text_bytes(&number);
    }
    sy_timings_draft_end(draft, text, reason);
    sy_text_finish(&number);
}

static void end_runs(csv_table *table, sy_timings_draft *draft)
{
    if (table->is_long && table->run_count > 0)
        join_names(table);
    if (table->run_count > 0)
        qsort(table->runs, table->run_count, sizeof *table->runs, by_name_then_row);
    for (size_t i = 0; i < table->run_count; i++) {
        sy_timings_draft_time(draft, table->runs[i].time);
        if (i + 1 == table->run_count || table->runs[i + 1].name != table->runs[i].name)
            end_configuration(table, draft, table->runs[i].name, "");
    }
    for (size_t i = 0; !table->is_long && i < table->column_count; i++) {
        if (table->columns[i].chosen && table->columns[i].numbers == 0)
            end_configuration(table, draft, i, "no times");
    }
}

static sy_status read_table(csv_table *table, const sy_timings_options *options, sy_timings_draft *draft, sy_error *err)
{
    sy_status status = look_at_columns(table, err);

    if (status == SY_OK)
        status = choose_columns(table, options, err);
    if (status == SY_OK)
        status = read_runs(table, err);
    if (status != SY_OK)
        return status;
    end_runs(table, draft);
    draft->timings->format = SY_TIMINGS_CSV;
    for (size_t i = 0; i < table->column_count; i++) {
        if (table->columns[i].chosen)
            draft->timings->unit_ns = sy_csv_unit_ns(table->columns[i].title);
    }
    if (!table->has_header && table->column_count > 0)
        sy_timings_draft_note(draft, "no header: columns are called by their numbers");
    return SY_OK;
}

sy_status sy_timings_read_csv(const char *text, size_t size, const sy_timings_options *options, sy_timings_draft *draft,
                              sy_error *err)
{
    csv_table table = {.text = text, .size = size, .names = SY_TEXT_INIT};
    sy_status status = read_table(&table, options, draft, err);

    for (size_t i = 0; i < table.column_capacity; i++)
        sy_free(table.columns[i].title);
    sy_free(table.columns);
    sy_free(table.runs);
    sy_text_finish(&table.names);
    sy_csv_finish(&table.reader);
    return status;
}
