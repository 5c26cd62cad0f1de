/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the sessions of a key with their figures. */
#include "base/error.h"
#include "evidence/compare/baseline.h"
#include "ledger/lists/listed.h"

/* Figures come in the order of runs: each session takes those behind the one before. */
static void take_figures(sy_session *sessions, size_t count, const sy_figure_list *figures)
{
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        while (at < figures->row_count && figures->rows[at].run_number < sessions[i].row->number) {
            at++;
        }
        sessions[i].figures = figures->rows + at;
        while (at < figures->row_count && figures->rows[at].run_number == sessions[i].row->number) {
            at++;
            sessions[i].figure_count++;
        }
    }
}

sy_status sy_session_set_read(sy_ledger *ledger, const char *key_digest, sy_arena *arena, sy_session_set *ret_set,
                              sy_error *err)
{
    sy_run_filter filter = SY_RUN_FILTER_INIT;
    sy_session_set set = {0};
    filter.kinds = 1U << SY_RUN_KIND_SESSION;
    filter.key_digest = key_digest;
    sy_status status = sy_ledger_runs(ledger, &filter, &set.list, err);
    if (status == SY_OK) {
        status = sy_ledger_figures(ledger, &filter, &set.figures, err);
    }
    sy_session *sessions = status == SY_OK ? sy_arena_allocate(arena, set.list->row_count + 1, sizeof *sessions) : NULL;
    if (status == SY_OK && sessions == NULL) {
        status = sy_fail(err, SY_NO_MEMORY, "no memory for the sessions of a key");
    }
    if (status != SY_OK) {
        sy_session_set_finish(&set);
        return status;
    }
    set.count = set.list->row_count;
    for (size_t i = 0; i < set.count; i++) {
        sessions[i].row = &set.list->rows[set.count - 1 - i];
    }
    take_figures(sessions, set.count, set.figures);
    for (size_t i = 0; status == SY_OK && i < set.count; i++) {
        status = sy_ledger_check_listed(ledger, sessions[i].row, sessions[i].figures, sessions[i].figure_count, err);
    }
    if (status != SY_OK) {
        sy_session_set_finish(&set);
        return status;
    }
    set.sessions = sessions;
    *ret_set = set;
    return SY_OK;
}

void sy_session_set_finish(sy_session_set *set)
{
    sy_run_list_destroy(set->list);
    sy_figure_list_destroy(set->figures);
    *set = (sy_session_set){0};
}
