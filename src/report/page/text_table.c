/* SPDX-License-Identifier: Apache-2.0 */
/* Fitting columns into a width and printing rows. Cells are cleaned when they come in, so that widths are true. */
#include "report/page/text_table.h"

#include <string.h>

#include "base/arena.h"
#include "report/page/characters.h"

enum { GAP = 2 };

typedef struct table_row table_row;
struct table_row {
    table_row *next;
    sy_tone tone;
    const char *cells[SY_TEXT_TABLE_COLUMNS_MAX];
};

struct sy_text_table {
    sy_page *page;
    sy_arena *arena;
    sy_column columns[SY_TEXT_TABLE_COLUMNS_MAX];
    size_t count;
    uint32_t widths[SY_TEXT_TABLE_COLUMNS_MAX];
    bool shown[SY_TEXT_TABLE_COLUMNS_MAX];
    table_row *first;
    table_row **end;
};

sy_text_table *sy_text_table_create(sy_page *page, const sy_column *columns, size_t count)
{
    sy_arena *arena = sy_arena_create(0);
    sy_text_table *table = arena != NULL ? sy_arena_allocate(arena, 1, sizeof(*table)) : NULL;

    if (table == NULL) {
        sy_arena_destroy(arena);
        page->text.failed = true;
        return NULL;
    }
    table->page = page;
    table->arena = arena;
    table->count = count;
    memcpy(table->columns, columns, count * sizeof(columns[0]));
    table->end = &table->first;
    return table;
}

void sy_text_table_destroy(sy_text_table *table)
{
    if (table != NULL)
        sy_arena_destroy(table->arena);
}

void sy_text_table_row(sy_text_table *table, sy_tone tone, const char *const *cells)
{
    table_row *row = sy_arena_allocate(table->arena, 1, sizeof(*row));
    bool failed = row == NULL;

    for (size_t i = 0; !failed && i < table->count; i++) {
        sy_text clean = SY_TEXT_INIT;

        sy_characters_clean(&clean, cells[i], table->page->style.utf8);
        row->cells[i] = sy_arena_copy_text(table->arena, sy_text_bytes(&clean));
        failed = clean.failed || row->cells[i] == NULL;
        sy_text_finish(&clean);
    }
    if (failed) {
        table->page->text.failed = true;
        return;
    }
    row->tone = tone;
    *table->end = row;
    table->end = &row->next;
}

static bool says_nothing(const char *cell)
{
    return cell[0] == '\0' || strcmp(cell, "-") == 0;
}

/* The width that each column would like, and which have anything to show. */
static void measure(sy_text_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        table->shown[i] = i == 0;
        table->widths[i] = sy_characters_width(table->columns[i].title);
        for (const table_row *row = table->first; row != NULL; row = row->next) {
            uint32_t width = sy_characters_width(row->cells[i]);

            if (!says_nothing(row->cells[i]))
                table->shown[i] = true;
            if (width > table->widths[i])
                table->widths[i] = width;
        }
    }
}

/* Columns of the whole table with every narrowable one at its least (or at its wish, when `least` is false). */
static uint32_t total_width(const sy_text_table *table, bool least)
{
    uint32_t total = 0;

    for (size_t i = 0; i < table->count; i++) {
        uint32_t floor = table->columns[i].least;
        uint32_t width = table->widths[i];

        if (!table->shown[i])
            continue;
        if (least && floor > 0 && floor < width)
            width = floor;
        total += width + (total > 0 ? GAP : 0);
    }
    return total;
}

/* The shown column that is left out first; the count when none may be. */
static size_t next_to_drop(const sy_text_table *table)
{
    size_t found = table->count;

    for (size_t i = 1; i < table->count; i++) {
        if (table->shown[i] && table->columns[i].drop > 0 &&
            (found == table->count || table->columns[i].drop > table->columns[found].drop))
            found = i;
    }
    return found;
}

static uint32_t longest_word(const char *title)
{
    uint32_t longest = 0;

    for (const char *word = title; *word != '\0'; word += strspn(word, " ")) {
        const size_t length = strcspn(word, " ");

        if (length > longest)
            longest = (uint32_t)length; /* titles are ASCII */
        word += length;
    }
    return longest;
}

/* A title that is cut in the middle of a word reads badly, so that no column is made narrower, where that can be. */
static void keep_titles_whole(sy_text_table *table, uint32_t columns)
{
    for (size_t i = 0; i < table->count; i++) {
        const uint32_t least = table->columns[i].least;
        const uint32_t word = longest_word(table->columns[i].title);

        if (!table->shown[i] || least == 0 || word <= least)
            continue;
        table->columns[i].least = word;
        if (total_width(table, true) > columns)
            table->columns[i].least = least;
    }
}

static void fit(sy_text_table *table, uint32_t columns)
{
    while (total_width(table, true) > columns && next_to_drop(table) < table->count)
        table->shown[next_to_drop(table)] = false;
    keep_titles_whole(table, columns);
    while (total_width(table, false) > columns) {
        size_t widest = table->count;
        uint32_t excess = total_width(table, false) - columns;
        uint32_t room;

        for (size_t i = 0; i < table->count; i++) {
            if (!table->shown[i] || table->columns[i].least == 0 || table->widths[i] <= table->columns[i].least)
                continue;
            if (widest == table->count || table->widths[i] > table->widths[widest])
                widest = i;
        }
        if (widest == table->count)
            return; /* what is left cannot be narrowed: a line longer than the screen beats a wrong figure */
        room = table->widths[widest] - table->columns[widest].least;
        table->widths[widest] -= room > 8 ? (excess < room / 2 ? excess : room / 2) : 1;
    }
}

/* Pads or cuts a cell's piece of `length` bytes to the column's width. */
static void put_cell(sy_page *page, const sy_column *column, uint32_t width, const char *piece, size_t length, bool cut)
{
    const char *mark = !cut ? "" : page->style.utf8 ? "\xe2\x80\xa6" : "~";
    sy_text text = SY_TEXT_INIT;
    uint32_t used;

    sy_text_append_bytes(&text, piece, length);
    sy_text_append(&text, mark);
    page->text.failed = page->text.failed || text.failed;
    used = sy_characters_width(sy_text_bytes(&text));
    if (column->right && used < width)
        sy_page_spaces(page, width - used);
    sy_text_append(&page->text, sy_text_bytes(&text));
    if (!column->right && used < width)
        sy_page_spaces(page, width - used);
    sy_text_finish(&text);
}

/* Bytes of the `fits` first ones of an endless word that stay together: up to a mark that parts names, if it is late
 * enough to be worth it. */
static size_t break_of_word(const char *word, size_t fits)
{
    size_t length = fits;

    while (length > fits / 2 && strchr(".-_,", word[length - 1]) == NULL)
        length--;
    return length > fits / 2 ? length : fits;
}

/* Takes from *at what fits into the column in this line; *at moves on, to the end when the rest is cut. */
static void put_piece(sy_page *page, const sy_column *column, uint32_t width, const char **at)
{
    size_t fits = sy_characters_fit(*at, width);
    size_t length = fits;

    if ((*at)[fits] == '\0') {
        put_cell(page, column, width, *at, fits, false);
        *at += fits;
        return;
    }
    if (!column->wraps) {
        put_cell(page, column, width, *at, sy_characters_fit(*at, width - 1), true);
        *at += strlen(*at);
        return;
    }
    while (length > 0 && (*at)[length] != ' ' && (*at)[length - 1] != '/' && (*at)[length - 1] != ':')
        length--;
    if (length == 0)
        length = fits > 0 ? break_of_word(*at, fits) : sy_characters_fit(*at, 2);
    put_cell(page, column, width, *at, length, false);
    *at += length;
    *at += strspn(*at, " ");
}

/* Prints a row in as many lines as its wrapping cells need. */
static void put_row(sy_text_table *table, sy_tone tone, const char *const *cells)
{
    sy_page *page = table->page;
    const char *rests[SY_TEXT_TABLE_COLUMNS_MAX];
    bool more = true;

    for (size_t i = 0; i < table->count; i++)
        rests[i] = cells[i];
    while (more) {
        size_t line_start;

        more = false;
        sy_page_tone_begin(page, tone);
        line_start = page->text.length;
        for (size_t i = 0; i < table->count; i++) {
            if (!table->shown[i])
                continue;
            if (i > 0)
                sy_page_spaces(page, GAP);
            put_piece(page, &table->columns[i], table->widths[i], &rests[i]);
            more = more || rests[i][0] != '\0';
        }
        while (page->text.length > line_start && page->text.bytes[page->text.length - 1] == ' ')
            page->text.bytes[--page->text.length] = '\0';
        sy_page_tone_end(page, tone);
        sy_text_append(&page->text, "\n");
        if (page->text.failed)
            return;
    }
}

void sy_text_table_print(sy_text_table *table)
{
    const char *titles[SY_TEXT_TABLE_COLUMNS_MAX];

    measure(table);
    fit(table, table->page->style.columns);
    for (size_t i = 0; i < table->count; i++)
        titles[i] = table->columns[i].title;
    put_row(table, SY_TONE_STRONG, titles);
    sy_page_tone_begin(table->page, SY_TONE_FAINT);
    sy_page_rule(table->page, total_width(table, false));
    sy_page_tone_end(table->page, SY_TONE_FAINT);
    sy_text_append(&table->page->text, "\n");
    for (const table_row *row = table->first; row != NULL; row = row->next)
        put_row(table, row->tone, row->cells);
}
