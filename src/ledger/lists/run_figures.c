/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of runs: what a series or a memory figure says, without its samples; and their list. */
#include "ledger/lists/run_figures.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "ledger/ledger_state.h"
#include "ledger/lists/grown_list.h"

/* ---- what an event says ---- */

static sy_figure_row of_series(const sy_run_series *series, uint64_t run_number)
{
    return (sy_figure_row){
        .run = "",
        .run_number = run_number,
        .name = series->name,
        .unit = series->unit,
        .case_name = series->case_name,
        .implementation = series->implementation,
        .role = series->role,
        .higher_is_better = series->higher_is_better,
        .usable_count = series->usable_count,
        .p50 = series->p50,
        .p95 = series->p95,
        .minimum = series->minimum,
        .maximum = series->maximum,
    };
}

static sy_figure_row of_memory(const sy_run_memory *memory, uint64_t run_number)
{
    double bytes = (double)memory->bytes;
    return (sy_figure_row){
        .run = "",
        .run_number = run_number,
        .is_memory = true,
        .name = memory->name,
        .unit = "bytes",
        .case_name = "",
        .implementation = "",
        .usable_count = 1,
        .p50 = bytes,
        .p95 = bytes,
        .minimum = bytes,
        .maximum = bytes,
        .basis = memory->basis,
        .scope = memory->scope,
    };
}

sy_status sy_figures_of(const sy_life_event *event, uint64_t run_number, sy_arena *arena, sy_figure_row *ret_figure,
                        bool *ret_says, sy_error *err)
{
    sy_run_series series;
    sy_run_memory memory;
    sy_status status = SY_OK;
    *ret_says = false;
    if (event->kind == SY_EVENT_SERIES) {
        status = sy_run_series_read(event->json, event->body, arena, &series, err);
        if (status == SY_OK) {
            *ret_figure = of_series(&series, run_number);
            *ret_says = true;
        }
    } else if (event->kind == SY_EVENT_MEMORY) {
        status = sy_run_memory_read(event->json, event->body, arena, &memory, err);
        if (status == SY_OK) {
            *ret_figure = of_memory(&memory, run_number);
            *ret_says = true;
        }
    }
    return status;
}

sy_status sy_figures_put(const sy_storage *storage, void *state, const sy_life_event *event, uint64_t run_number,
                         sy_arena *arena, sy_error *err)
{
    sy_figure_row figure;
    bool says;
    sy_status status = sy_figures_of(event, run_number, arena, &figure, &says, err);
    return status == SY_OK && says ? storage->put_figure(state, event->number, &figure, err) : status;
}

/* Each text with the 0 behind it, so that no two rows run together. */
static void add_text(sy_digest_state *state, const char *text)
{
    sy_digest_add(state, text, strlen(text) + 1);
}

uint64_t sy_figure_hash(uint64_t event, const sy_figure_row *figure)
{
    const uint64_t numbers[] = {event,
                                figure->run_number,
                                figure->usable_count,
                                (uint64_t)figure->is_memory,
                                (uint64_t)figure->higher_is_better,
                                (uint64_t)figure->role,
                                (uint64_t)figure->basis,
                                (uint64_t)figure->scope};
    const double figures[] = {figure->p50, figure->p95, figure->minimum, figure->maximum};
    uint8_t packed[sizeof figures];
    sy_digest_state state;
    sy_digest digest;
    uint64_t hash;
    sy_digest_start(&state);
    sy_digest_add(&state, numbers, sizeof numbers);
    sy_samples_pack(figures, sizeof figures / sizeof figures[0], packed);
    sy_digest_add(&state, packed, sizeof packed);
    add_text(&state, figure->name);
    add_text(&state, figure->unit);
    add_text(&state, figure->case_name);
    add_text(&state, figure->implementation);
    sy_digest_finish(&state, &digest);
    memcpy(&hash, digest.bytes, sizeof hash);
    return hash;
}

/* ---- the list ---- */

typedef struct owned_figures {
    sy_figure_list shown;
    sy_grown_list list;
} owned_figures;

static void destroy(owned_figures *owned)
{
    if (owned != NULL) {
        sy_grown_list_finish(&owned->list);
        sy_free(owned);
    }
}

#define LOOK_BACK 8 /* rows: a run's figures alternate between few metrics */

/* A text that the rows before have is not kept twice. NULL: no memory. */
static const char *keep_text(const sy_grown_list *list, size_t offset, const char *text)
{
    const sy_figure_row *rows = list->items;
    for (size_t back = 1; back <= LOOK_BACK && back < list->count; back++) {
        const char *const *kept = (const void *)((const char *)&rows[list->count - 1 - back] + offset);
        if (strcmp(*kept, text) == 0) {
            return *kept;
        }
    }
    return *text == '\0' ? "" : sy_arena_copy_text(list->arena, text);
}

static sy_status visit_figure(void *user, uint64_t event, const sy_figure_row *figure, sy_error *err)
{
    static const size_t texts[] = {offsetof(sy_figure_row, run), offsetof(sy_figure_row, name),
                                   offsetof(sy_figure_row, unit), offsetof(sy_figure_row, case_name),
                                   offsetof(sy_figure_row, implementation)};
    sy_grown_list *list = user;
    (void)event;
    sy_figure_row *copy = sy_grown_list_next(list, sizeof *copy);
    if (copy == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for a list of figures");
    }
    *copy = *figure;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const char **text = (void *)((char *)copy + texts[i]);
        *text = keep_text(list, texts[i], *text);
        if (*text == NULL) {
            return sy_fail(err, SY_NO_MEMORY, "no memory for a list of figures");
        }
    }
    return SY_OK;
}

sy_status sy_ledger_visit_figures(sy_ledger *ledger, const sy_run_filter *filter, sy_ledger_figure_fn visit, void *user,
                                  sy_error *err)
{
    sy_status status = sy_ledger_check_filter(filter, err);
    return status == SY_OK ? ledger->storage->figures(ledger->state, filter, visit, user, err) : status;
}

sy_status sy_ledger_figures(sy_ledger *ledger, const sy_run_filter *filter, sy_figure_list **ret_list, sy_error *err)
{
    owned_figures *owned = sy_allocate(1, sizeof *owned);
    if (owned == NULL || !sy_grown_list_start(&owned->list)) {
        destroy(owned);
        return sy_fail(err, SY_NO_MEMORY, "no memory for a list of figures");
    }
    sy_status status = sy_ledger_visit_figures(ledger, filter, visit_figure, &owned->list, err);
    if (status != SY_OK) {
        destroy(owned);
        return status;
    }
    owned->shown = (sy_figure_list){owned->list.items, owned->list.count, owned};
    *ret_list = &owned->shown;
    return SY_OK;
}

void sy_figure_list_destroy(sy_figure_list *list)
{
    destroy(list == NULL ? NULL : list->owner);
}
