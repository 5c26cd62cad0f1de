/* SPDX-License-Identifier: Apache-2.0 */
/* What an importer's reader fills: rows with their series, rejects, notes and what is said of the file as a whole. All
 * texts are copied. A lack of memory is kept and told at the end, so that readers check nothing. Private to the
 * importers. */
#ifndef STEELYARD_IMPORTERS_IMPORT_DRAFT_H
#define STEELYARD_IMPORTERS_IMPORT_DRAFT_H

#include <steelyard/import.h>

#include "base/arena.h"

/* Longer texts of a file are not kept: they are rejects. The ledger takes four times as much, and a byte that is no
 * character becomes three. Messages are cut at the second. */
#define SY_IMPORT_TEXT_MAX 16384
#define SY_IMPORT_MESSAGE_MAX 1000
/* More rejects than these are counted in a note, and not listed. */
#define SY_IMPORT_REJECTS_MAX 10000

typedef struct sy_import_list {
    void *items;
    size_t count;
    size_t capacity;
} sy_import_list;

typedef struct sy_import_draft {
    sy_arena *arena; /* what the import will own */
    sy_imported *imported;
    sy_import_list rows;     /* sy_imported_row */
    sy_import_list rejects;  /* sy_import_reject */
    sy_import_list notes;    /* const char *, of the file, as are */
    sy_import_list facts;    /* sy_named_text */
    sy_import_list settings; /* sy_named_text */
    uint64_t unlisted_rejects;
    uint64_t
        joined_size; /* of the text whose documents are read as one array (sy_import_join); 0: it is one document */
    sy_imported_row row;
    sy_import_list parameters; /* of the row: sy_named_text, as are */
    sy_import_list row_facts;  /* sy_named_text */
    sy_import_list row_notes;  /* const char * */
    sy_import_list series;     /* sy_run_series */
    sy_import_list samples;    /* of the series that is open: double, and */
    sy_import_list figures;    /* sy_named_number */
    bool in_series;
    bool failed; /* no memory for something */
} sy_import_draft;

/* SY_NO_MEMORY; finish it in any case. */
sy_status sy_import_draft_init(sy_import_draft *draft, sy_error *err) SY_NODISCARD;
void sy_import_draft_finish(sy_import_draft *draft);
/* Hands over what was drafted; the draft is empty then, and still to be finished. SY_NO_MEMORY; SY_CORRUPT when there
 * are rejects and not one row: the first of them, with its position. */
sy_status sy_import_draft_take(sy_import_draft *draft, sy_imported **ret_imported, sy_error *err) SY_NODISCARD;

/* Room for one more item of size bytes: its place, zeroed, or NULL (draft->failed). For lists of a reader too, which
 * frees the items with sy_free. */
void *sy_import_list_add(sy_import_draft *draft, sy_import_list *list, size_t size);

/* ---- the file as a whole: draft->imported has fields of its own for host, device, tool, revision, branch, dirty ----
 */

/* length bytes; those that are 0 or no UTF-8 become U+FFFD. "" when memory is short. */
const char *sy_import_copy(sy_import_draft *draft, const char *text, size_t length);
/* When the file's figures were measured, as it says; whether its zone is known is found in it. */
void sy_import_stamp(sy_import_draft *draft, const char *time);
/* Whether a time as ISO 8601 writes it names its zone: "...Z", "...+01:00". */
bool sy_import_zone_is_known(const char *time);
void sy_import_setting(sy_import_draft *draft, const char *name, const char *value);
/* A field of a comparison key, of all rows that do not say otherwise. */
void sy_import_fact(sy_import_draft *draft, const char *name, const char *value);
void sy_import_note(sy_import_draft *draft, const char *format, ...) SY_PRINTF(2, 3);
/* pointer: "" where the file is no JSON. */
void sy_import_reject_at(sy_import_draft *draft, sy_position position, const char *pointer, const char *format, ...)
    SY_PRINTF(4, 5);

/* ---- one row: begin, what is known of it, its series one behind the other, end ---- */

void sy_import_row_begin(sy_import_draft *draft, const char *name, sy_position position);
void sy_import_row_parameter(sy_import_draft *draft, const char *name, const char *value);
void sy_import_row_fact(sy_import_draft *draft, const char *name, const char *value);
void sy_import_row_note(sy_import_draft *draft, const char *format, ...) SY_PRINTF(2, 3);
/* It went wrong; the first reason stays, more of them become notes. */
void sy_import_row_fail(sy_import_draft *draft, const char *format, ...) SY_PRINTF(2, 3);
/* When this row was measured, where the file says it row by row. */
void sy_import_row_stamp(sy_import_draft *draft, const char *time);
/* unit: "s", "bytes", "1/s", "bytes/s", "" or the tool's own. */
void sy_import_series_begin(sy_import_draft *draft, const char *name, const char *unit, bool higher_is_better);
void sy_import_sample(sy_import_draft *draft, double value); /* not finite: NaN, unusable */
void sy_import_figure(sy_import_draft *draft, const char *name, const char *unit, double value);
/* Notes of one series are joined by "; ". */
void sy_import_series_note(sy_import_draft *draft, const char *format, ...) SY_PRINTF(2, 3);
/* Keeps the row. One that holds no number at all has failed, if it had not before. */
void sy_import_row_end(sy_import_draft *draft);

#endif
