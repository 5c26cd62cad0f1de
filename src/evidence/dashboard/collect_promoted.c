/* SPDX-License-Identifier: Apache-2.0 */
/* Promoted rows: each as it was when it was promoted, with what later verdicts and later promotions make of it. */
#include <stdlib.h>

#include "evidence/dashboard/collecting.h"
#include "evidence/promotion/blocked.h"

typedef struct row_list {
    sy_collecting *c;
    const sy_promoted_run *run;
    sy_dashboard_row *rows;
    size_t count;
    size_t capacity;
} row_list;

static sy_dashboard_row *next_row(row_list *list)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity == 0 ? 16 : list->capacity * 2;
        sy_dashboard_row *rows = sy_arena_allocate(list->c->arena, capacity, sizeof *rows);
        if (rows == NULL) {
            return NULL;
        }
        for (size_t i = 0; i < list->count; i++) {
            rows[i] = list->rows[i];
        }
        list->rows = rows;
        list->capacity = capacity;
    }
    return &list->rows[list->count++];
}

static sy_status add_row(void *user, const sy_ledger_event *event, const sy_json *json, const sy_json_value *body,
                         sy_error *err)
{
    row_list *list = user;
    sy_dashboard_row *row = next_row(list);
    if (row == NULL) {
        return sy_collecting_no_memory(err);
    }
    *row = (sy_dashboard_row){.run = list->run->run,
                              .number = event->number,
                              .at_utc_s = event->at_utc_s,
                              .blocked_by = "",
                              .blocked_why = ""};
    return sy_run_promotion_read(json, body, list->c->arena, &row->row, err);
}

static int newest_first(const void *a, const void *b)
{
    const sy_dashboard_row *left = a, *right = b;
    return (left->number < right->number) - (left->number > right->number);
}

/* From the newest on: who comes second to a place is superseded. */
static sy_status find_superseded(row_list *list, sy_error *err)
{
    sy_id_table *places = sy_id_table_create(list->c->arena, list->count);
    for (size_t i = 0; places != NULL && i < list->count; i++) {
        sy_dashboard_row *row = &list->rows[i];
        void *earlier = NULL;
        const char *place = sy_arena_format(list->c->arena, "%s\n%s\n%s\n%s", row->row.cell, row->row.gate,
                                            row->row.host, row->row.device);
        if (place == NULL || !sy_id_table_put(places, place, row, &earlier)) {
            return sy_collecting_no_memory(err);
        }
        row->superseded = earlier != NULL;
    }
    return places != NULL ? SY_OK : sy_collecting_no_memory(err);
}

static sy_status find_blocked(row_list *list, sy_error *err)
{
    sy_blocking_verdicts verdicts = {NULL, 0};
    sy_status status = sy_blocking_verdicts_read(list->c->ledger, list->c->arena, &verdicts, err);
    for (size_t i = 0; status == SY_OK && i < list->count; i++) {
        sy_dashboard_row *row = &list->rows[i];
        const sy_blocking_verdict *found = sy_blocking_verdict_of(&verdicts, row->run, row->row.key_digest,
                                                                  row->number);
        if (found != NULL) {
            row->blocked = true;
            row->blocked_by = found->run;
            row->blocked_why = found->why;
        }
    }
    return status;
}

sy_status sy_collect_promoted(sy_collecting *c, sy_error *err)
{
    row_list list = {.c = c};
    sy_status status = SY_OK;
    for (list.run = c->promoted; status == SY_OK && list.run != NULL; list.run = list.run->next) {
        status = sy_collecting_each(c, list.run->run, list.run->number, SY_EVENT_PROMOTE, add_row, &list, err);
    }
    if (status == SY_OK && list.count > 0) {
        qsort(list.rows, list.count, sizeof *list.rows, newest_first);
        status = find_superseded(&list, err);
    }
    if (status == SY_OK && list.count > 0) {
        status = find_blocked(&list, err);
    }
    c->dashboard->rows = list.rows;
    c->dashboard->row_count = list.count;
    return status;
}
