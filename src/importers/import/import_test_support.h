/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of importers share: parsing a text, finding rows, comparing samples exactly. */
#ifndef STEELYARD_IMPORTERS_IMPORT_TEST_SUPPORT_H
#define STEELYARD_IMPORTERS_IMPORT_TEST_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <steelyard/import.h>

static inline sy_imported *import_bytes(const void *bytes, size_t size)
{
    sy_imported *imported = NULL;
    sy_error err = SY_ERROR_INIT;
    sy_status status = sy_import_parse(bytes, size, NULL, &imported, &err);

    if (status != SY_OK)
        print_message("refused: %s\n", err.what);
    assert_int_equal(status, SY_OK);
    return imported;
}

static inline sy_imported *import_text(const char *text)
{
    return import_bytes(text, strlen(text));
}

/* The text is refused with that status; *ret_err says why. */
static inline void expect_refused(const char *text, sy_status status, sy_error *ret_err)
{
    sy_imported *imported = NULL;

    *ret_err = (sy_error)SY_ERROR_INIT;
    assert_int_equal(sy_import_parse(text, strlen(text), NULL, &imported, ret_err), status);
    assert_int_equal(ret_err->status, status);
    assert_null(imported);
}

static inline const sy_run_series *series_of(const sy_imported_row *row, const char *name)
{
    for (size_t i = 0; i < row->series_count; i++) {
        if (strcmp(row->series[i].name, name) == 0)
            return &row->series[i];
    }
    fail_msg("'%s' has no series '%s'", row->name, name);
    return NULL;
}

static inline bool has_series(const sy_imported_row *row, const char *name)
{
    for (size_t i = 0; i < row->series_count; i++) {
        if (strcmp(row->series[i].name, name) == 0)
            return true;
    }
    return false;
}

static inline bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static inline void expect_samples(const sy_run_series *series, size_t count, const double *samples)
{
    assert_int_equal(series->count, count);
    for (size_t i = 0; i < count; i++) {
        if (!same_number(series->samples[i], samples[i]))
            fail_msg("%s: sample %zu is %.17g, not %.17g", series->name, i, series->samples[i], samples[i]);
    }
}

static inline double figure_of(const sy_run_series *series, const char *name)
{
    for (size_t i = 0; i < series->figure_count; i++) {
        if (strcmp(series->figures[i].name, name) == 0)
            return series->figures[i].value;
    }
    fail_msg("%s has no figure '%s'", series->name, name);
    return NAN;
}

/* The value of a name; NULL: it is not there. */
static inline const char *value_of(const sy_named_text *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i].name, name) == 0)
            return list[i].value;
    }
    return NULL;
}

static inline const char *parameter_of(const sy_imported_row *row, const char *name)
{
    return value_of(row->parameters, row->parameter_count, name);
}

static inline bool any_contains(const char *const *texts, size_t count, const char *part)
{
    for (size_t i = 0; i < count; i++) {
        if (strstr(texts[i], part) != NULL)
            return true;
    }
    return false;
}

/* A reject at that pointer whose text has that part; 0 for line or column: any. */
static inline void expect_reject(const sy_imported *imported, const char *pointer, const char *part, uint32_t line,
                                 uint32_t column)
{
    for (size_t i = 0; i < imported->reject_count; i++) {
        const sy_import_reject *reject = &imported->rejects[i];

        if (strcmp(reject->pointer, pointer) == 0 && strstr(reject->what, part) != NULL &&
            (line == 0 || reject->position.line == line) && (column == 0 || reject->position.column == column))
            return;
    }
    for (size_t i = 0; i < imported->reject_count; i++)
        print_message("%u:%u '%s': %s\n", imported->rejects[i].position.line, imported->rejects[i].position.column,
                      imported->rejects[i].pointer, imported->rejects[i].what);
    fail_msg("no reject at '%s' (%u:%u) that says '%s'", pointer, line, column, part);
}

#endif
