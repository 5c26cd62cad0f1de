/* SPDX-License-Identifier: Apache-2.0 */
/* The sessions of a line in the order in which they began, and what of its runs is none of them. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "evidence/history/history_reading.h"
#include "ledger/lists/listed.h"

/* value: what is said behind "3 runs are left out: " */
#define LEFT_OUT_LIST(X)                                                          \
    X(IMPORTED, "imported, measured elsewhere")                                   \
    X(DECISIONS, "recorded probes are no sessions")                               \
    X(SUPERSEDED, "superseded by another run")                                    \
    X(REFUTED, "refuted")                                                         \
    X(FAILED, "failed")                                                           \
    X(UNFINISHED, "not ended")                                                    \
    X(DIAGNOSTIC, "diagnostic, and what traces and counters cost is in the time") \
    X(PARITY, "parity failed, and no time counts without it")

typedef enum left_out {
#define LEFT_OUT_ENUM(name, why) LEFT_OUT_##name,
    LEFT_OUT_LIST(LEFT_OUT_ENUM)
#undef LEFT_OUT_ENUM
        LEFT_OUT_NOT
} left_out;

static const char *const reasons[] = {
#define LEFT_OUT_REASON(name, why) (why),
    LEFT_OUT_LIST(LEFT_OUT_REASON)
#undef LEFT_OUT_REASON
};

static left_out why_left_out(const sy_run_row *row)
{
    static const struct {
        sy_run_status status;
        left_out why;
    } statuses[] = {{SY_RUN_IMPORTED, LEFT_OUT_IMPORTED},  {SY_RUN_SUPERSEDED, LEFT_OUT_SUPERSEDED},
                    {SY_RUN_REFUTED, LEFT_OUT_REFUTED},    {SY_RUN_FAILED, LEFT_OUT_FAILED},
                    {SY_RUN_PLANNED, LEFT_OUT_UNFINISHED}, {SY_RUN_RUNNING, LEFT_OUT_UNFINISHED}};
    if (row->kind != SY_RUN_KIND_SESSION) {
        return row->kind == SY_RUN_KIND_IMPORT ? LEFT_OUT_IMPORTED : LEFT_OUT_DECISIONS;
    }
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        if (row->status == statuses[i].status) {
            return statuses[i].why;
        }
    }
    if (strcmp(row->tier, "diagnostic") == 0) {
        return LEFT_OUT_DIAGNOSTIC;
    }
    return row->parity == SY_RUN_PARITY_FAILED ? LEFT_OUT_PARITY : LEFT_OUT_NOT;
}

static int by_digest(const void *key, const void *element)
{
    return strcmp(key, *(const char *const *)element);
}

static bool is_of_line(const sy_history_reading *r, const sy_run_row *row)
{
    return row->key_digest[0] != '\0' &&
           bsearch(row->key_digest, r->keys, r->key_count, sizeof *r->keys, by_digest) != NULL;
}

static sy_status read_lists(sy_history_reading *r, sy_error *err)
{
    sy_run_filter filter = SY_RUN_FILTER_INIT;
    filter.cell = r->cell;
    filter.key_digest = r->key_count == 1 ? r->keys[0] : NULL;
    sy_status status = sy_ledger_runs(r->ledger, &filter, &r->owner->runs, err);
    filter.kinds = 1U << SY_RUN_KIND_SESSION;
    filter.statuses = 1U << SY_RUN_OK;
    return status == SY_OK ? sy_ledger_figures(r->ledger, &filter, &r->owner->figures, err) : status;
}

/* Figures come in the order of runs. */
static void take_figures(sy_session *session, const sy_figure_list *figures, size_t *at)
{
    while (*at < figures->row_count && figures->rows[*at].run_number < session->row->number) {
        (*at)++;
    }
    session->figures = figures->rows + *at;
    while (*at < figures->row_count && figures->rows[*at].run_number == session->row->number) {
        (*at)++;
        session->figure_count++;
    }
}

static sy_key_point point_of(const sy_run_row *row)
{
    return (sy_key_point){.run = row->id,
                          .number = row->number,
                          .revision = row->revision,
                          .began_utc_s = row->began_utc_s,
                          .value = SY_NAN,
                          .accepted = row->accepted,
                          .judged = row->judged,
                          .verdict = row->verdict};
}

static sy_status remark_left_out(sy_history_reading *r, const size_t *counts, sy_error *err)
{
    sy_status status = SY_OK;
    for (size_t i = 0; status == SY_OK && i < LEFT_OUT_NOT; i++) {
        if (counts[i] > 0) {
            status = sy_history_remark(r, err, "%zu %s left out: %s", counts[i], counts[i] == 1 ? "run is" : "runs are",
                                       reasons[i]);
        }
    }
    return status;
}

static sy_status refuse_empty(const sy_history_reading *r, sy_error *err)
{
    sy_text all = SY_TEXT_INIT;
    for (size_t i = 0; i < r->to->remark_count; i++) {
        sy_text_append_format(&all, "%s%s", i > 0 ? "; " : "", r->remarks[i]);
    }
    (void)sy_fail(err, SY_NOT_FOUND, "the key %.16s has no session that counts", r->to->key_digest);
    sy_error_hint(err, "%s", sy_text_bytes(&all));
    sy_text_finish(&all);
    return SY_NOT_FOUND;
}

sy_status sy_history_read_sessions(sy_history_reading *r, sy_error *err)
{
    size_t counts[LEFT_OUT_NOT + 1] = {0};
    size_t at = 0;
    sy_status status = read_lists(r, err);
    if (status != SY_OK) {
        return status;
    }
    const sy_run_list *runs = r->owner->runs;
    sy_session *sessions = sy_arena_allocate(r->arena, runs->row_count + 1, sizeof *sessions);
    sy_key_point *points = sy_arena_allocate(r->arena, runs->row_count + 1, sizeof *points);
    if (sessions == NULL || points == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for a history of %zu runs", runs->row_count);
    }
    r->gate = "";
    r->to->key_digest = r->keys[0];
    for (size_t i = runs->row_count; status == SY_OK && i > 0; i--) {
        const sy_run_row *row = &runs->rows[i - 1];
        if (!is_of_line(r, row)) {
            continue;
        }
        left_out why = why_left_out(row);
        counts[why]++;
        if (why == LEFT_OUT_NOT) {
            size_t place = r->to->point_count++;
            sessions[place].row = row;
            take_figures(&sessions[place], r->owner->figures, &at);
            status = sy_ledger_check_listed(r->ledger, row, sessions[place].figures, sessions[place].figure_count, err);
            points[place] = point_of(row);
            r->to->key_digest = row->key_digest;
            r->gate = row->gate[0] != '\0' ? row->gate : r->gate;
        }
    }
    r->sessions = sessions;
    r->to->points = points;
    if (status == SY_OK) {
        status = remark_left_out(r, counts, err);
    }
    return status == SY_OK && r->to->point_count == 0 ? refuse_empty(r, err) : status;
}
