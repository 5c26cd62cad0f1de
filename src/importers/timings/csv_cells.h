/* SPDX-License-Identifier: Apache-2.0 */
/* Records and cells of a table of text (RFC 4180, and what people make of it): quotes, a separator found in the first
 * line, comments and empty lines skipped. What the cells mean is the reader's business. */
#ifndef STEELYARD_IMPORTERS_CSV_CELLS_H
#define STEELYARD_IMPORTERS_CSV_CELLS_H

#include <steelyard/base.h>

#include "base/text.h"

/* More columns than that are SY_LIMIT_EXCEEDED. */
#define SY_CSV_COLUMNS_MAX 65536

typedef struct sy_csv_cell {
    size_t offset; /* in the text */
    size_t start;  /* in the record's cleaned bytes */
    size_t length;
} sy_csv_cell;

typedef struct sy_csv_reader {
    const char *text; /* borrowed */
    const char *end;
    const char *at;
    char separator; /* , ; or tab */
    sy_csv_cell *cells;
    size_t cell_count; /* of this record; 0 = the text has ended */
    size_t cell_capacity;
    sy_text record; /* its cells without quotes and outer spaces, each ended by a 0 byte */
} sy_csv_reader;

/* Begins at the text's first record (anew, if it was used before; at first the reader is all zero). text[size] is
 * readable. */
void sy_csv_start(sy_csv_reader *reader, const char *text, size_t size);
void sy_csv_finish(sy_csv_reader *reader);
/* The next record. SY_CORRUPT with its position: a quote that does not end, something behind a closing quote, UTF-16, a
 * 0 byte. SY_LIMIT_EXCEEDED, SY_NO_MEMORY. */
sy_status sy_csv_next(sy_csv_reader *reader, sy_error *err) SY_NODISCARD;
const char *sy_csv_text(const sy_csv_reader *reader, size_t cell);
/* Whether the cell is a number: as sy_parse_double reads it, or nan or inf in any spelling, which gives NaN. */
bool sy_csv_number(const sy_csv_reader *reader, size_t cell, double *ret_number);
sy_position sy_csv_position(const sy_csv_reader *reader, size_t cell);
/* Nanoseconds of the unit at the end of a column's title: "time_ms", "time (ms)", "time [ms]"; NaN for none. */
double sy_csv_unit_ns(const char *title);

#endif
