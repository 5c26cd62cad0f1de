/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold of every import, whatever the bytes were. The targets of the readers differ in the format they ask for
 * alone. */
#ifndef STEELYARD_TESTS_IMPORT_FUZZ_H
#define STEELYARD_TESTS_IMPORT_FUZZ_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <steelyard/import.h>

#define CHECK(condition) ((condition) ? (void)0 : abort())

/* Texts are there, of the ledger's length, and UTF-8 as far as lead bytes tell: it takes nothing else. */
static inline void import_fuzz_text(const char *text)
{
    CHECK(text != NULL && strlen(text) <= 65536);
    for (size_t i = 0; text[i] != '\0'; i++) {
        unsigned char c = (unsigned char)text[i];
        int more = c < 0x80                ? 0
                   : c >= 0xc2 && c < 0xe0 ? 1
                   : c >= 0xe0 && c < 0xf0 ? 2
                   : c >= 0xf0 && c < 0xf5 ? 3
                                           : -1;

        CHECK(more >= 0);
        for (; more > 0; more--)
            CHECK(((unsigned char)text[++i] & 0xc0) == 0x80);
    }
}

static inline void import_fuzz_named(const sy_named_text *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        import_fuzz_text(list[i].name);
        import_fuzz_text(list[i].value);
    }
}

static inline bool import_fuzz_series(const sy_run_series *series)
{
    bool has_number = false;

    import_fuzz_text(series->name);
    import_fuzz_text(series->unit);
    import_fuzz_text(series->note);
    for (size_t i = 0; i < series->count; i++) {
        double sample = series->samples[i];

        CHECK(isnan(sample) || isfinite(sample));
        CHECK(isnan(sample) || sample >= 0 || strcmp(series->unit, "s") != 0);
        has_number = has_number || !isnan(sample);
    }
    for (size_t i = 0; i < series->figure_count; i++) {
        import_fuzz_text(series->figures[i].name);
        import_fuzz_text(series->figures[i].unit);
        CHECK(isnan(series->figures[i].value) || isfinite(series->figures[i].value));
        has_number = has_number || !isnan(series->figures[i].value);
    }
    return has_number;
}

static inline void import_fuzz_row(const sy_imported_row *row)
{
    bool has_number = false;

    import_fuzz_text(row->name);
    import_fuzz_text(row->reason);
    import_fuzz_text(row->time);
    CHECK(row->failed == (row->reason[0] != '\0'));
    CHECK(row->position.line >= 1);
    import_fuzz_named(row->parameters, row->parameter_count);
    import_fuzz_named(row->facts, row->fact_count);
    for (size_t i = 0; i < row->note_count; i++)
        import_fuzz_text(row->notes[i]);
    for (size_t i = 0; i < row->series_count; i++)
        has_number = import_fuzz_series(&row->series[i]) || has_number;
    CHECK(has_number || row->failed);
}

static inline void import_fuzz_check(const sy_imported *imported)
{
    CHECK(imported->format != SY_IMPORT_AUTO && strlen(imported->digest) == 64);
    CHECK(imported->row_count > 0 || imported->reject_count == 0);
    for (size_t i = 0; i < imported->row_count; i++)
        import_fuzz_row(&imported->rows[i]);
    for (size_t i = 0; i < imported->reject_count; i++) {
        import_fuzz_text(imported->rejects[i].pointer);
        import_fuzz_text(imported->rejects[i].what);
        CHECK(imported->rejects[i].what[0] != '\0' && imported->rejects[i].position.line >= 1);
    }
    for (size_t i = 0; i < imported->note_count; i++)
        import_fuzz_text(imported->notes[i]);
    import_fuzz_named(imported->facts, imported->fact_count);
    import_fuzz_named(imported->settings, imported->setting_count);
    import_fuzz_text(imported->host);
    import_fuzz_text(imported->device);
    import_fuzz_text(imported->tool);
    import_fuzz_text(imported->revision);
    import_fuzz_text(imported->branch);
    import_fuzz_text(imported->time);
}

/* Any bytes give an import that is whole, or an error that says what is wrong. */
static inline void import_fuzz_with(const uint8_t *data, size_t size, const sy_import_options *options)
{
    sy_imported *imported = NULL;
    sy_error err = SY_ERROR_INIT;
    sy_status status = sy_import_parse(data, size, options, &imported, &err);

    CHECK((status == SY_OK) == (imported != NULL));
    if (status == SY_OK) {
        CHECK(imported->size == size && memcmp(imported->bytes, data, size) == 0);
        import_fuzz_check(imported);
    } else {
        CHECK(err.status == status && err.what[0] != '\0');
    }
    sy_imported_destroy(imported);
}

static inline void import_fuzz(const uint8_t *data, size_t size, sy_import_format format)
{
    sy_import_options options = SY_IMPORT_OPTIONS_INIT;

    options.format = format;
    options.limit_bytes = 1 << 20;
    import_fuzz_with(data, size, &options);
}

#endif
