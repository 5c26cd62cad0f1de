/* SPDX-License-Identifier: Apache-2.0 */
/* Puts together what the dashboard shows of a promoted run, as it stood when it was promoted. */
#include "evidence/promotion/row.h"

#include "base/error.h"
#include "base/json.h"
#include "record/run_events.h"

/* p50, p95 and maximum of a series, and how many samples are behind them. */
enum { FIGURES_OF_SERIES = 4 };

static sy_status no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory for the row of a promotion");
}

/* ---- proofs ---- */

static sy_status list_proofs(const sy_debt_work *work, sy_run_promotion *row, sy_error *err)
{
    sy_promotion_proof *proofs = sy_arena_allocate(work->arena, work->count, sizeof *proofs);
    if (proofs == NULL) {
        return no_memory(err);
    }
    for (size_t i = 0; i < work->count; i++) {
        const sy_promotion_debt *debt = &work->debts[i];
        if (debt->paid) {
            proofs[row->proof_count++] = (sy_promotion_proof){debt->name, debt->run, debt->detail};
        }
    }
    row->proofs = proofs;
    return SY_OK;
}

/* ---- figures ---- */

static bool add_figure(const sy_debt_work *work, sy_named_number *figures, size_t *count, const char *of,
                       const char *what, const char *unit, double value)
{
    char *name = sy_arena_format(work->arena, "%s %s", of, what);
    for (char *c = name; c != NULL && *c != '\0'; c++) {
        if ((unsigned char)*c < 0x20 ||
            *c == 0x7f) { /* a command may name its cases anyhow, a figure's name is one line */
            *c = '?';
        }
    }
    figures[(*count)++] = (sy_named_number){name, unit, value};
    return name != NULL;
}

static bool add_series(const sy_debt_work *work, const sy_run_series *series, sy_named_number *figures, size_t *count)
{
    const char *of = sy_arena_format(work->arena, "%s%s%s%s%s", series->name, series->case_name[0] != '\0' ? " " : "",
                                     series->case_name, series->implementation[0] != '\0' ? " " : "",
                                     series->implementation);
    return of != NULL && add_figure(work, figures, count, of, "p50", series->unit, series->p50) &&
           add_figure(work, figures, count, of, "p95", series->unit, series->p95) &&
           add_figure(work, figures, count, of, "maximum", series->unit, series->maximum) &&
           add_figure(work, figures, count, of, "n", "", (double)series->usable_count);
}

static bool add_memory(const sy_debt_work *work, const sy_run_memory *memory, sy_named_number *figures, size_t *count)
{
    const char *what = sy_arena_format(work->arena, "of the %s, %s", sy_memory_scope_word(memory->scope),
                                       sy_memory_basis_word(memory->basis));
    return what != NULL && add_figure(work, figures, count, memory->name, what, "bytes", (double)memory->bytes);
}

static sy_status list_figures(const sy_debt_work *work, sy_run_promotion *row, sy_error *err)
{
    const sy_run *run = work->run;
    size_t most = FIGURES_OF_SERIES * run->series_count + run->memory_count;
    sy_named_number *figures = sy_arena_allocate(work->arena, most, sizeof *figures);
    bool good = figures != NULL;
    for (size_t i = 0; good && i < run->series_count; i++) {
        const sy_run_series *series = &run->series[i];
        if (series->role == SY_SERIES_SAMPLE && series->usable_count > 0) {
            good = add_series(work, series, figures, &row->figure_count);
        }
    }
    for (size_t i = 0; good && i < run->memory_count; i++) {
        good = add_memory(work, &run->memories[i], figures, &row->figure_count);
    }
    row->figures = figures;
    return good ? SY_OK : no_memory(err);
}

/* ---- the event ---- */

/* What is told is what stands in the event, and not what was meant to. */
static sy_status read_back(const sy_debt_work *work, const sy_event_list *events, sy_run_promotion *ret_row,
                           sy_error *err)
{
    sy_json *json = NULL;
    sy_status status = sy_json_parse(events->entries[0].body, events->entries[0].body_size, NULL, &json, err);
    if (status == SY_OK) {
        status = sy_run_promotion_read(json, sy_json_root(json), work->arena, ret_row, err);
    }
    sy_json_destroy(json);
    return status;
}

sy_status sy_promotion_row_make(const sy_debt_work *work, const sy_promote_options *options, sy_event_list *ret_events,
                                sy_run_promotion *ret_row, sy_error *err)
{
    const sy_run_row *run = &work->run->row;
    sy_run_promotion row = {
        .by = options->by,
        .claim = options->claim != NULL ? options->claim : "",
        .cell = run->cell,
        .gate = run->gate,
        .tier = run->tier,
        .key_digest = run->key_digest,
        .revision = run->revision,
        .host = run->host,
        .device = run->device,
        .word = run->judged ? run->verdict : SY_JUDGEMENT_NO_BASELINE,
        .verdict = run->verdict_number,
        .signoff = run->signoff_number,
        .synthetic = run->synthetic,
    };
    sy_event_list events = {.arena = work->arena, .run = run->id};
    sy_status status = list_proofs(work, &row, err);
    if (status == SY_OK) {
        status = list_figures(work, &row, err);
    }
    if (status == SY_OK) {
        status = sy_event_list_promotion(&events, &row, err);
    }
    if (status == SY_OK) {
        status = sy_event_list_clean(&events, err);
    }
    if (status == SY_OK) {
        status = read_back(work, &events, ret_row, err);
    }
    if (status == SY_OK) {
        *ret_events = events;
    }
    return status;
}
