/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of runs in the storage in memory: in the order of runs and events. */
#include "base/error.h"
#include "base/memory.h"
#include "ledger/memory/memory_inside.h"

static sy_status no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory for the ledger");
}

static int compare_place(const void *item, const void *wanted)
{
    const kept_figure *a = item;
    const kept_figure *b = wanted;
    int order = (a->figure.run_number > b->figure.run_number) - (a->figure.run_number < b->figure.run_number);
    return order != 0 ? order : (a->event > b->event) - (a->event < b->event);
}

static sy_status put_figure(memory_storage *s, uint64_t event, const sy_figure_row *figure, sy_error *err)
{
    bool found;
    sy_status status = sy_memory_ledger_may_change(s, err);
    if (status != SY_OK || (status = sy_stored_figure_check(event, figure, err)) != SY_OK) {
        return status;
    }
    kept_figure *kept = sy_arena_allocate(s->arena, 1, sizeof *kept);
    if (kept == NULL || !sy_memory_ledger_make_room(&s->figures)) {
        return no_memory(err);
    }
    kept->event = event;
    status = sy_figure_row_copy(s->arena, figure, &kept->figure, err);
    if (status != SY_OK) {
        return status;
    }
    kept->figure.run = "";
    size_t at = sy_memory_ledger_place_of(&s->figures, compare_place, kept, &found);
    if (found) {
        return sy_fail(err, SY_CORRUPT, "figures of event %llu are there already", (unsigned long long)event);
    }
    sy_memory_ledger_insert_at(&s->figures, at, kept);
    return SY_OK;
}

sy_status sy_memory_ledger_put_figure(void *state, uint64_t event, const sy_figure_row *figure, sy_error *err)
{
    return sy_memory_ledger_changed(state, put_figure(state, event, figure, err));
}

void sy_memory_ledger_drop_figures(memory_storage *s, uint64_t last_event)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->figures.count; i++) {
        if (((const kept_figure *)s->figures.items[i])->event <= last_event) {
            s->figures.items[kept++] = s->figures.items[i];
        }
    }
    s->figures.count = kept;
}

/* The runs that the filter lets through, the newest first; how many there are. */
static size_t choose(const memory_storage *s, const sy_run_filter *filter, const sy_run_row **chosen)
{
    uint64_t before = filter == NULL || filter->before_number == 0 ? UINT64_MAX : filter->before_number;
    size_t limit = filter == NULL || filter->limit == 0 ? SIZE_MAX : filter->limit;
    size_t count = 0;
    for (size_t i = s->by_number.count; i > 0 && count < limit; i--) {
        const sy_run_row *row = &((const kept_row *)s->by_number.items[i - 1])->row;
        if (row->number < before && sy_run_filter_lets(filter, row)) {
            chosen[count++] = row;
        }
    }
    return count;
}

static sy_status visit_run(const memory_storage *s, const sy_run_row *row, sy_storage_figure_fn visit, void *user,
                           sy_error *err)
{
    const kept_figure first = {.figure.run_number = row->number};
    bool found;
    sy_status status = SY_OK;
    for (size_t i = sy_memory_ledger_place_of(&s->figures, compare_place, &first, &found);
         status == SY_OK && i < s->figures.count; i++) {
        const kept_figure *kept = s->figures.items[i];
        sy_figure_row figure = kept->figure;
        if (figure.run_number != row->number) {
            break;
        }
        figure.run = row->id;
        status = visit(user, kept->event, &figure, err);
    }
    return status;
}

sy_status sy_memory_ledger_figures(void *state, const sy_run_filter *filter, sy_storage_figure_fn visit, void *user,
                                   sy_error *err)
{
    const memory_storage *s = state;
    const sy_run_row **chosen = sy_allocate(s->by_number.count, sizeof(const sy_run_row *));
    if (chosen == NULL) {
        return no_memory(err);
    }
    sy_status status = SY_OK;
    for (size_t i = choose(s, filter, chosen); status == SY_OK && i > 0; i--) {
        status = visit_run(s, chosen[i - 1], visit, user, err);
    }
    sy_free(chosen);
    return status;
}

sy_status sy_memory_ledger_each_figure(void *state, sy_storage_figure_fn visit, void *user, sy_error *err)
{
    const memory_storage *s = state;
    sy_status status = SY_OK;
    for (size_t i = 0; status == SY_OK && i < s->figures.count; i++) {
        const kept_figure *kept = s->figures.items[i];
        status = visit(user, kept->event, &kept->figure, err);
    }
    return status;
}
