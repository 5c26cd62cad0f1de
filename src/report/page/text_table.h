/* SPDX-License-Identifier: Apache-2.0 */
/* A table of text that fits a width: columns are cut, wrapped or left out as each allows. */
#ifndef STEELYARD_REPORT_TEXT_TABLE_H
#define STEELYARD_REPORT_TEXT_TABLE_H

#include "report/page/page.h"

#define SY_TEXT_TABLE_COLUMNS_MAX 10

typedef struct sy_column {
    const char *title;
    bool right;     /* aligned right, as numbers are */
    bool wraps;     /* what does not fit goes on in the next line, else it is cut */
    uint32_t least; /* it may be narrowed to so many characters; 0 = never narrowed */
    uint32_t drop;  /* 0 = always there; else the highest is left out first when the table is too wide */
} sy_column;

typedef struct sy_text_table sy_text_table;

/* columns: 1..SY_TEXT_TABLE_COLUMNS_MAX of them, copied but for the titles. Cells are cleaned for the page's style,
 * which is borrowed. NULL when memory is short. */
sy_text_table *sy_text_table_create(sy_page *page, const sy_column *columns, size_t count);
void sy_text_table_destroy(sy_text_table *table);
/* Adds a row of `count` cells, copied; NULL stands for "". Out of memory marks the page as failed. */
void sy_text_table_row(sy_text_table *table, sy_tone tone, const char *const *cells);
/* Appends the table to its page. Columns other than the first whose cells are all "" or "-" are left out. */
void sy_text_table_print(sy_text_table *table);

#endif
