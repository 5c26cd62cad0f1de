/* SPDX-License-Identifier: Apache-2.0 */
/* One row of an import while it is read: its lists are used again for the next. */
#include <math.h>
#include <string.h>

#include "importers/import/import_inside.h"

static void start_lists(sy_import_draft *draft)
{
    draft->parameters.count = draft->row_facts.count = draft->row_notes.count = 0;
    draft->series.count = draft->samples.count = draft->figures.count = 0;
    draft->in_series = false;
}

void sy_import_row_begin(sy_import_draft *draft, const char *name, sy_position position)
{
    start_lists(draft);
    draft->row = (sy_imported_row){
        .name = sy_import_copy(draft, name, strlen(name)), .reason = "", .time = "", .position = position};
}

void sy_import_row_parameter(sy_import_draft *draft, const char *name, const char *value)
{
    sy_import_named_add(draft, &draft->parameters, name, value);
}

void sy_import_row_fact(sy_import_draft *draft, const char *name, const char *value)
{
    sy_import_named_add(draft, &draft->row_facts, name, value);
}

void sy_import_row_note(sy_import_draft *draft, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    sy_import_note_add(draft, &draft->row_notes, format, arguments);
    va_end(arguments);
}

void sy_import_row_fail(sy_import_draft *draft, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    if (draft->row.failed)
        sy_import_note_add(draft, &draft->row_notes, format, arguments);
    else
        draft->row.reason = sy_import_message(draft, format, arguments);
    draft->row.failed = true;
    va_end(arguments);
}

void sy_import_row_stamp(sy_import_draft *draft, const char *time)
{
    draft->row.time = sy_import_copy(draft, time, strlen(time));
    draft->row.zone_known = sy_import_zone_is_known(time);
}

/* The series that is open, or NULL. */
static sy_run_series *open_series(const sy_import_draft *draft)
{
    return draft->in_series ? (sy_run_series *)draft->series.items + (draft->series.count - 1) : NULL;
}

static void end_series(sy_import_draft *draft)
{
    sy_run_series *series = open_series(draft);

    if (series != NULL) {
        series->samples = sy_import_list_keep(draft, &draft->samples, sizeof(double));
        series->count = draft->samples.count;
        series->figures = sy_import_list_keep(draft, &draft->figures, sizeof(sy_named_number));
        series->figure_count = draft->figures.count;
    }
    draft->samples.count = draft->figures.count = 0;
    draft->in_series = false;
}

void sy_import_series_begin(sy_import_draft *draft, const char *name, const char *unit, bool higher_is_better)
{
    sy_run_series *series;

    end_series(draft);
    series = sy_import_list_add(draft, &draft->series, sizeof *series);
    if (series == NULL)
        return;
    series->name = sy_import_copy(draft, name, strlen(name));
    series->unit = sy_import_copy(draft, unit, strlen(unit));
    series->higher_is_better = higher_is_better;
    series->role = SY_SERIES_SAMPLE;
    series->case_name = series->implementation = series->note = "";
    series->minimum = series->p50 = series->p95 = series->maximum = NAN;
    draft->in_series = true;
}

void sy_import_sample(sy_import_draft *draft, double value)
{
    double *sample = draft->in_series ? sy_import_list_add(draft, &draft->samples, sizeof *sample) : NULL;

    if (sample != NULL)
        *sample = isfinite(value) ? value : NAN;
}

void sy_import_figure(sy_import_draft *draft, const char *name, const char *unit, double value)
{
    sy_named_number *figure = draft->in_series ? sy_import_list_add(draft, &draft->figures, sizeof *figure) : NULL;

    if (figure != NULL) {
        figure->name = sy_import_copy(draft, name, strlen(name));
        figure->unit = sy_import_copy(draft, unit, strlen(unit));
        figure->value = isfinite(value) ? value : NAN;
    }
}

void sy_import_series_note(sy_import_draft *draft, const char *format, ...)
{
    sy_run_series *series = open_series(draft);
    const char *more;
    va_list arguments;

    if (series == NULL)
        return;
    if (strlen(series->note) > SY_IMPORT_MESSAGE_MAX) /* who says so much said the same all the time */
        return;
    va_start(arguments, format);
    more = sy_import_message(draft, format, arguments);
    if (series->note[0] != '\0')
        more = sy_arena_format(draft->arena, "%s; %s", series->note, more);
    draft->failed = draft->failed || more == NULL;
    series->note = more != NULL ? more : "";
    va_end(arguments);
}

static bool has_number(const sy_run_series *series)
{
    for (size_t i = 0; i < series->count; i++) {
        if (!isnan(series->samples[i]))
            return true;
    }
    for (size_t i = 0; i < series->figure_count; i++) {
        if (!isnan(series->figures[i].value))
            return true;
    }
    return false;
}

void sy_import_row_end(sy_import_draft *draft)
{
    sy_imported_row *row = &draft->row;
    const sy_run_series *series;
    sy_imported_row *place;
    bool empty = true;

    end_series(draft);
    if (draft->failed)
        return;
    series = draft->series.items;
    for (size_t i = 0; i < draft->series.count && empty; i++)
        empty = !has_number(&series[i]);
    if (empty && !row->failed)
        sy_import_row_fail(draft, draft->series.count == 0 ? "no figures" : "no figure of it is a number");
    place = sy_import_list_add(draft, &draft->rows, sizeof *place);
    if (place == NULL)
        return;
    row->parameters = sy_import_list_keep(draft, &draft->parameters, sizeof(sy_named_text));
    row->parameter_count = draft->parameters.count;
    row->facts = sy_import_list_keep(draft, &draft->row_facts, sizeof(sy_named_text));
    row->fact_count = draft->row_facts.count;
    row->notes = sy_import_list_keep(draft, &draft->row_notes, sizeof(char *));
    row->note_count = draft->row_notes.count;
    row->series = sy_import_list_keep(draft, &draft->series, sizeof(sy_run_series));
    row->series_count = draft->series.count;
    *place = *row;
    start_lists(draft);
}
