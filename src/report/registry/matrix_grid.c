/* SPDX-License-Identifier: Apache-2.0 */
/* The picture of a matrix, its legend and the reasons of its cells, drawn onto a page. Where the width is too small for
 * all backends they get numbers as headings, then several pictures stand one below the other. */
#include "report/registry/matrix_grid.h"

#include <stdio.h>
#include <string.h>

#include "report/page/characters.h"

enum { GAP = 2, LEAST_NAME = 14, READABLE_NAME = 22, CELL_SIZE = 32, LEGEND_COLUMNS = 56 };

typedef struct sign {
    const char *utf8;
    const char *ascii;
    sy_tone tone;
    const char *word;
    const char *meaning;
} sign;

static const sign signs[SY_STANDING_COUNT] = {
    [SY_STANDING_MEASURED] = {"\xe2\x9c\x93", "+", SY_TONE_GOOD, "measured", "evidence, no gate open"},
    [SY_STANDING_PARTIAL] = {"\xe2\x97\x90", "~", SY_TONE_DOUBT, "partial", "evidence, so many gates open"},
    [SY_STANDING_GAP] = {"\xe2\x97\x8b", "o", SY_TONE_BAD, "gap", "no evidence, so many gates open"},
    [SY_STANDING_UNSUPPORTED] = {"\xe2\x80\x93", "-", SY_TONE_FAINT, "unsupported", "not there, and says so"},
    [SY_STANDING_MISSING] = {"?", "?", SY_TONE_BAD, "missing", "no cell of the matrix"},
};

/* One picture: backends from..to of the matrix. */
typedef struct grid {
    sy_page *page;
    const sy_matrix_picture *picture;
    uint32_t name_width;
    uint32_t *widths; /* of each backend's column */
    size_t from;
    size_t to;
    bool numbered;
} grid;

static const char *sign_of(const sy_page *page, sy_standing standing)
{
    return page->style.utf8 ? signs[standing].utf8 : signs[standing].ascii;
}

/* "~ 3"; the sign alone where no gate is open. */
static void cell_words(const sy_page *page, const sy_matrix_cell *cell, char to[CELL_SIZE])
{
    const char *mark = sign_of(page, sy_matrix_cell_standing(cell));

    if (cell != NULL && cell->open_gates > 0)
        snprintf(to, CELL_SIZE, "%s %zu", mark, cell->open_gates);
    else
        snprintf(to, CELL_SIZE, "%s", mark);
}

static uint32_t clean_width(sy_page *page, const char *raw)
{
    sy_text clean = SY_TEXT_INIT;
    uint32_t width;

    sy_characters_clean(&clean, raw, page->style.utf8);
    page->text.failed = page->text.failed || clean.failed;
    width = sy_characters_width(sy_text_bytes(&clean));
    sy_text_finish(&clean);
    return width;
}

static void heading(const grid *g, size_t backend, sy_text *to)
{
    if (g->numbered)
        sy_text_append_format(to, "%zu", backend + 1);
    else
        sy_characters_clean(to, g->picture->backends[backend], g->page->style.utf8);
}

static void measure(grid *g)
{
    const sy_matrix_picture *picture = g->picture;

    for (size_t j = 0; j < picture->backend_count; j++) {
        sy_text title = SY_TEXT_INIT;

        heading(g, j, &title);
        g->page->text.failed = g->page->text.failed || title.failed;
        g->widths[j] = sy_characters_width(sy_text_bytes(&title));
        sy_text_finish(&title);
        for (size_t i = 0; i < picture->capability_count; i++) {
            char words[CELL_SIZE];
            uint32_t used;

            cell_words(g->page, sy_matrix_picture_cell(picture, i, j), words);
            used = sy_characters_width(words);
            g->widths[j] = used > g->widths[j] ? used : g->widths[j];
        }
    }
}

/* How many backends from g->from on fit beside names of g->name_width; one at least. */
static size_t fitting(const grid *g)
{
    uint32_t used = g->name_width;
    size_t to = g->from;

    while (to < g->picture->backend_count) {
        used += GAP + g->widths[to];
        if (used > g->page->style.columns)
            break;
        to++;
    }
    return to > g->from ? to : g->from + 1;
}

/* Bytes of a cleaned name that fit, broken behind a '.', '-' or '_' where one is near enough. */
static size_t piece(const char *clean, uint32_t width)
{
    size_t fits = sy_characters_fit(clean, width);

    if (clean[fits] == '\0')
        return fits;
    for (size_t at = fits; at > fits / 2; at--) {
        if (strchr(".-_/ ", clean[at - 1]) != NULL)
            return at;
    }
    return fits > 0 ? fits : strlen(clean);
}

static void pad(sy_page *page, uint32_t width, uint32_t used)
{
    sy_page_spaces(page, width > used ? width - used : 0);
}

/* The cells of one row behind its name; the last is not padded. */
static void put_cells(const grid *g, size_t capability)
{
    char words[CELL_SIZE];

    for (size_t j = g->from; j < g->to; j++) {
        const sy_matrix_cell *cell = sy_matrix_picture_cell(g->picture, capability, j);
        sy_tone tone = signs[sy_matrix_cell_standing(cell)].tone;

        cell_words(g->page, cell, words);
        sy_page_spaces(g->page, GAP);
        sy_page_tone_begin(g->page, tone);
        sy_text_append(&g->page->text, words);
        sy_page_tone_end(g->page, tone);
        if (j + 1 < g->to)
            pad(g->page, g->widths[j], sy_characters_width(words));
    }
}

static void put_row(const grid *g, size_t capability)
{
    sy_text clean = SY_TEXT_INIT;
    const char *at;
    bool first = true;

    sy_characters_clean(&clean, g->picture->capabilities[capability], g->page->style.utf8);
    g->page->text.failed = g->page->text.failed || clean.failed;
    for (at = sy_text_bytes(&clean); first || *at != '\0'; first = false) {
        size_t length = piece(at, first ? g->name_width : g->name_width - GAP);
        sy_text part = SY_TEXT_INIT;

        sy_text_append_bytes(&part, at, length);
        sy_page_spaces(g->page, first ? 0 : GAP);
        sy_text_append(&g->page->text, sy_text_bytes(&part));
        if (first) {
            pad(g->page, g->name_width, sy_characters_width(sy_text_bytes(&part)));
            put_cells(g, capability);
        }
        sy_page_blank(g->page);
        g->page->text.failed = g->page->text.failed || part.failed;
        sy_text_finish(&part);
        at += length;
    }
    sy_text_finish(&clean);
}

static void put_headings(const grid *g)
{
    uint32_t total = g->name_width;

    sy_page_tone_begin(g->page, SY_TONE_STRONG);
    sy_text_append(&g->page->text, "Capability");
    pad(g->page, g->name_width, (uint32_t)strlen("Capability"));
    for (size_t j = g->from; j < g->to; j++) {
        sy_text title = SY_TEXT_INIT;
        uint32_t width = g->widths[j];

        heading(g, j, &title);
        sy_page_spaces(g->page, GAP);
        sy_text_append(&g->page->text, sy_text_bytes(&title));
        if (j + 1 < g->to)
            pad(g->page, width, sy_characters_width(sy_text_bytes(&title)));
        total += GAP + width;
        sy_text_finish(&title);
    }
    sy_page_tone_end(g->page, SY_TONE_STRONG);
    sy_page_blank(g->page);
    sy_page_rule(g->page, total < g->page->style.columns ? total : g->page->style.columns);
    sy_page_blank(g->page);
}

/* What the numbers of the headings stand for. */
static void put_numbers(const grid *g)
{
    sy_text line = SY_TEXT_INIT;

    for (size_t j = 0; j < g->picture->backend_count; j++)
        sy_text_append_format(&line, "%s%zu=%s", j > 0 ? ", " : "", j + 1, g->picture->backends[j]);
    g->page->text.failed = g->page->text.failed || line.failed;
    sy_page_paragraph(g->page, 0, 2, SY_TONE_PLAIN, sy_text_bytes(&line));
    sy_page_blank(g->page);
    sy_text_finish(&line);
}

/* Columns of all backends. */
static uint32_t total_width(const grid *g)
{
    uint32_t used = 0;

    for (size_t j = 0; j < g->picture->backend_count && used < g->page->style.columns; j++)
        used += GAP + g->widths[j];
    return used;
}

/* Names of capabilities are broken first; then backends get numbers as headings; then several pictures are made. */
static void fit(grid *g)
{
    uint32_t columns = g->page->style.columns;
    uint32_t used;

    measure(g);
    used = total_width(g);
    if (g->name_width + used <= columns)
        return;
    if (used + READABLE_NAME > columns) {
        g->numbered = true;
        measure(g);
        used = total_width(g);
        put_numbers(g);
    }
    if (g->name_width + used > columns)
        g->name_width = used + LEAST_NAME < columns ? columns - used : LEAST_NAME;
}

void sy_matrix_grid_put(sy_page *page, sy_arena *arena, const sy_matrix_picture *picture)
{
    grid g = {.page = page, .picture = picture, .name_width = (uint32_t)strlen("Capability")};

    if (picture->backend_count == 0)
        return;
    g.widths = sy_arena_allocate(arena, picture->backend_count, sizeof(*g.widths));
    if (g.widths == NULL) {
        page->text.failed = true;
        return;
    }
    for (size_t i = 0; i < picture->capability_count; i++) {
        uint32_t width = clean_width(page, picture->capabilities[i]);

        g.name_width = width > g.name_width ? width : g.name_width;
    }
    fit(&g);
    for (g.from = 0; g.from < picture->backend_count; g.from = g.to) {
        g.to = fitting(&g);
        put_headings(&g);
        for (size_t i = 0; i < picture->capability_count; i++)
            put_row(&g, i);
        sy_page_blank(page);
    }
}

void sy_matrix_legend_put(sy_page *page, const sy_matrix_picture *picture)
{
    for (size_t i = 0; i < SY_STANDING_COUNT; i++) {
        char count[24];
        size_t shown = picture->counts[i];

        if (shown == 0)
            continue;
        snprintf(count, sizeof(count), "%zu", shown);
        sy_page_tone_begin(page, signs[i].tone);
        sy_text_append(&page->text, sign_of(page, (sy_standing)i));
        sy_page_tone_end(page, signs[i].tone);
        sy_text_append_format(&page->text, " %-11s  %4s", signs[i].word, count);
        if (page->style.columns >= LEGEND_COLUMNS)
            sy_text_append_format(&page->text, "  %s", signs[i].meaning);
        sy_page_blank(page);
    }
}

/* ", 3 of 8 gates open, 5 measured". */
static void say_gates(sy_text *to, const sy_matrix_cell *cell)
{
    if (cell->gate_count == 0) {
        sy_text_append(to, ", no gate is assigned to it");
        return;
    }
    sy_text_append_format(to, ", %zu of %zu %s open, %zu measured", cell->open_gates, cell->gate_count,
                          cell->gate_count == 1 ? "gate" : "gates", cell->measured_gates);
}

/* The cell with its figures, the gate to measure next on a line of its own, the reason. */
static void put_reason(sy_page *page, const sy_matrix_cell *cell)
{
    sy_standing standing = sy_matrix_cell_standing(cell);
    bool has_next = cell->next_gate != NULL && cell->next_gate[0] != '\0';
    sy_text line = SY_TEXT_INIT;

    sy_text_append_format(&line, "%s %s: %s", sign_of(page, standing), cell->id, cell->state);
    if (standing != SY_STANDING_UNSUPPORTED)
        say_gates(&line, cell);
    sy_page_paragraph(page, 0, 4, signs[standing].tone, sy_text_bytes(&line));
    sy_text_clear(&line);
    if (has_next) {
        sy_text_append_format(&line, "next: %s", cell->next_gate);
        sy_page_paragraph(page, 4, 4, SY_TONE_STRONG, sy_text_bytes(&line));
    } else if (standing == SY_STANDING_PARTIAL) {
        sy_page_paragraph(page, 4, 4, SY_TONE_PLAIN, "each of its gates is closed, and the matrix calls it a gap");
    }
    sy_page_paragraph(page, 4, 4, SY_TONE_PLAIN, cell->reason != NULL ? cell->reason : "");
    page->text.failed = page->text.failed || line.failed;
    sy_text_finish(&line);
}

size_t sy_matrix_reasons_put(sy_page *page, const sy_matrix_picture *picture, size_t most)
{
    static const sy_standing order[] = {SY_STANDING_GAP, SY_STANDING_PARTIAL, SY_STANDING_UNSUPPORTED};
    size_t put = 0;
    size_t left_out = 0;

    for (size_t k = 0; k < sizeof(order) / sizeof(order[0]); k++) {
        if (picture->counts[order[k]] > 0 && put < most)
            sy_page_blank(page);
        for (size_t i = 0; i < picture->capability_count * picture->backend_count; i++) {
            if (sy_matrix_cell_standing(picture->cells[i]) != order[k] || picture->cells[i] == NULL)
                continue;
            if (put < most)
                put_reason(page, picture->cells[i]);
            left_out += put >= most;
            put++;
        }
    }
    return left_out;
}
