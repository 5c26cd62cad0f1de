/* SPDX-License-Identifier: Apache-2.0 */
/* A list's row and figures of one run against its events. */
#include "ledger/lists/listed.h"

#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "record/run_events.h"

/* ---- rows ---- */

typedef enum column_kind { COLUMN_TEXT, COLUMN_U64, COLUMN_INT, COLUMN_BOOL } column_kind;

#define COLUMN(member, kind)                        \
    {                                               \
#member, offsetof(sy_run_row, member), kind \
    }

/* Every member of a row: none may differ from what the events say. */
static const struct {
    const char *name;
    size_t offset;
    column_kind kind;
} columns[] = {
    COLUMN(number, COLUMN_U64),
    COLUMN(kind, COLUMN_INT),
    COLUMN(status, COLUMN_INT),
    COLUMN(reason, COLUMN_TEXT),
    COLUMN(question, COLUMN_TEXT),
    COLUMN(conclusion, COLUMN_TEXT),
    COLUMN(gate, COLUMN_TEXT),
    COLUMN(cell, COLUMN_TEXT),
    COLUMN(tier, COLUMN_TEXT),
    COLUMN(protocol, COLUMN_TEXT),
    COLUMN(revision, COLUMN_TEXT),
    COLUMN(host, COLUMN_TEXT),
    COLUMN(device, COLUMN_TEXT),
    COLUMN(origin, COLUMN_TEXT),
    COLUMN(key_digest, COLUMN_TEXT),
    COLUMN(began_utc_s, COLUMN_U64),
    COLUMN(ended_utc_s, COLUMN_U64),
    COLUMN(parity, COLUMN_INT),
    COLUMN(dirty, COLUMN_INT),
    COLUMN(diff_is_kept, COLUMN_BOOL),
    COLUMN(hardware, COLUMN_INT),
    COLUMN(synthetic, COLUMN_BOOL),
    COLUMN(accepted, COLUMN_BOOL),
    COLUMN(lease_whole, COLUMN_BOOL),
    COLUMN(fence, COLUMN_U64),
    COLUMN(lease_until_utc_s, COLUMN_U64),
    COLUMN(series_count, COLUMN_U64),
    COLUMN(sample_count, COLUMN_U64),
    COLUMN(judged, COLUMN_BOOL),
    COLUMN(verdict, COLUMN_INT),
    COLUMN(verdict_reason, COLUMN_INT),
    COLUMN(verdict_number, COLUMN_U64),
    COLUMN(raised, COLUMN_BOOL),
    COLUMN(signed_off, COLUMN_BOOL),
    COLUMN(signoff_number, COLUMN_U64),
    COLUMN(promoted, COLUMN_U64),
    COLUMN(begins_baseline, COLUMN_BOOL),
};

static bool is_same(const sy_run_row *a, const sy_run_row *b, size_t offset, column_kind kind)
{
    const char *left = (const char *)a + offset;
    const char *right = (const char *)b + offset;
    static const size_t sizes[] = {
        [COLUMN_U64] = sizeof(uint64_t), [COLUMN_INT] = sizeof(int), [COLUMN_BOOL] = sizeof(bool)};
    if (kind != COLUMN_TEXT) {
        return memcmp(left, right, sizes[kind]) == 0;
    }
    const char *text = *(const char *const *)(const void *)left;
    const char *other = *(const char *const *)(const void *)right;
    return strcmp(text, other) == 0;
}

const char *sy_run_row_difference(const sy_run_row *a, const sy_run_row *b)
{
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        if (!is_same(a, b, columns[i].offset, columns[i].kind)) {
            return columns[i].name;
        }
    }
    return NULL;
}

/* ---- figures ---- */

/* Bit by bit, as events keep them: nothing is as good as nothing. */
static bool is_same_number(double a, double b)
{
    uint8_t left[sizeof a], right[sizeof b];
    sy_samples_pack(&a, 1, left);
    sy_samples_pack(&b, 1, right);
    return memcmp(left, right, sizeof left) == 0;
}

static bool says_series(const sy_figure_row *figure, const sy_run_series *series)
{
    return figure->role == series->role && figure->higher_is_better == series->higher_is_better &&
           figure->usable_count == series->usable_count && is_same_number(figure->p50, series->p50) &&
           is_same_number(figure->p95, series->p95) && is_same_number(figure->minimum, series->minimum) &&
           is_same_number(figure->maximum, series->maximum) && strcmp(figure->name, series->name) == 0 &&
           strcmp(figure->unit, series->unit) == 0 && strcmp(figure->case_name, series->case_name) == 0 &&
           strcmp(figure->implementation, series->implementation) == 0;
}

static bool says_memory(const sy_figure_row *figure, const sy_run_memory *memory)
{
    double bytes = (double)memory->bytes;
    return figure->basis == memory->basis && figure->scope == memory->scope && is_same_number(figure->p50, bytes) &&
           is_same_number(figure->p95, bytes) && is_same_number(figure->minimum, bytes) &&
           is_same_number(figure->maximum, bytes) && strcmp(figure->name, memory->name) == 0;
}

static bool says_figures(const sy_run *run, const sy_figure_row *figures, size_t count)
{
    size_t series = 0, memory = 0;
    bool same = count == run->series_count + run->memory_count;
    for (size_t i = 0; same && i < count; i++) {
        if (figures[i].is_memory) {
            same = memory < run->memory_count && says_memory(&figures[i], &run->memories[memory++]);
        } else {
            same = series < run->series_count && says_series(&figures[i], &run->series[series++]);
        }
    }
    return same;
}

sy_status sy_ledger_check_listed(sy_ledger *ledger, const sy_run_row *row, const sy_figure_row *figures, size_t count,
                                 sy_error *err)
{
    sy_run *run = NULL;
    sy_status status = sy_ledger_run(ledger, row->id, &run, err);
    if (status != SY_OK) {
        return status;
    }
    const char *member = sy_run_row_difference(&run->row, row);
    if (member == NULL && figures != NULL && !says_figures(run, figures, count)) {
        member = "figures";
    }
    if (member != NULL) {
        status = sy_fail(err, SY_CORRUPT, "the list's %s of the run '%.60s' %s not what its events say", member,
                         row->id, strcmp(member, "figures") == 0 ? "are" : "is");
        sy_error_hint(err, "`steelyard ledger verify` shows all that is not as it was written");
    }
    sy_run_destroy(run);
    return status;
}
