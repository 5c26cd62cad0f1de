/* SPDX-License-Identifier: Apache-2.0 */
/* Changes as the ledger keeps them: what was reported is read, held against what is found now, and what became of it is
 * written, once. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "evidence/event_list.h"
#include "evidence/history/change_states.h"
#include "evidence/history/history_reading.h"

static sy_status no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory for the recorded changes of a history");
}

/* ---- what was recorded ---- */

static bool same_metric(const sy_judged_metric *a, const sy_judged_metric *b)
{
    return a->statistic == b->statistic && strcmp(a->series, b->series) == 0 &&
           strcmp(a->case_name, b->case_name) == 0 && strcmp(a->implementation, b->implementation) == 0;
}

static sy_change_record *find_record(const sy_history_reading *r, uint64_t reported)
{
    for (size_t i = r->record_count; reported > 0 && i > 0; i--) {
        if (r->records[i - 1].reported == reported) {
            return &r->records[i - 1];
        }
    }
    return NULL;
}

static void add_row(sy_history_reading *r, const sy_change_row *row)
{
    sy_change_record *known = find_record(r, row->change.refers);
    if (known != NULL) {
        known->row = *row;
    } else if (row->change.state == SY_CHANGE_REPORTED) {
        const sy_change_record *from = find_record(r, row->change.moved_from);
        r->records[r->record_count] = (sy_change_record){.row = *row,
                                                         .reported = row->number,
                                                         .points_after = row->change.points_after,
                                                         .root = from != NULL ? from->root : r->record_count};
        r->record_count++;
    }
}

/* Runs that are values need not be asked for. */
static sy_status find_run_number(sy_history_reading *r, sy_change_record *rec, sy_error *err)
{
    sy_run_row row;
    for (size_t i = r->to->point_count; i > 0; i--) {
        if (strcmp(r->to->points[i - 1].run, rec->row.run) == 0) {
            rec->run_number = r->to->points[i - 1].number;
            return SY_OK;
        }
    }
    sy_status status = sy_ledger_row(r->ledger, r->arena, rec->row.run, &row, err);
    if (status == SY_OK) {
        rec->run_number = row.number;
    }
    return status;
}

/* Anew each time; texts live as long as the owner's rows. */
static sy_status read_rows(sy_history_reading *r, sy_error *err)
{
    sy_change_rows *rows = NULL;
    sy_status status = sy_ledger_changes(r->ledger, r->to->line, &rows, err);
    if (status != SY_OK) {
        return status;
    }
    sy_change_rows_destroy(r->owner->changes);
    r->owner->changes = rows;
    r->record_count = 0;
    r->with_other_settings = 0;
    r->records = sy_arena_allocate(r->arena, rows->row_count + 1, sizeof *r->records);
    if (r->records == NULL) {
        return no_memory(err);
    }
    for (size_t i = 0; i < rows->row_count; i++) {
        const sy_change_row *row = &rows->rows[i];
        bool same_settings = row->change.alpha == r->options->alpha && row->change.min_effect == r->options->min_effect;
        if (!same_metric(&row->change.metric, &r->to->metric)) {
            continue;
        }
        if (same_settings) {
            add_row(r, row);
        } else {
            r->with_other_settings += row->change.state == SY_CHANGE_REPORTED;
        }
    }
    for (size_t i = 0; status == SY_OK && i < r->record_count; i++) {
        status = find_run_number(r, &r->records[i], err);
    }
    return status;
}

/* ---- against what is found ---- */

/* Index of the first value whose run began with that event or later. */
static size_t place_of_number(const sy_history_reading *r, uint64_t number)
{
    size_t low = 0, high = r->value_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (r->to->points[r->to->place_of[middle]].number < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static const sy_key_point *point_at(const sy_history_reading *r, size_t value)
{
    return &r->to->points[r->to->place_of[value]];
}

static bool is_open(const sy_change_record *rec)
{
    return rec->row.change.state == SY_CHANGE_REPORTED || rec->row.change.state == SY_CHANGE_CONFIRMED;
}

static sy_open_change open_change(const sy_history_reading *r, const sy_change_record *rec)
{
    size_t place = place_of_number(r, rec->run_number);
    return (sy_open_change){
        .place = place,
        .is_there = place < r->value_count && point_at(r, place)->number == rec->run_number,
        .effect = rec->row.change.effect,
        .points_after = rec->points_after,
        .confirmed = rec->row.change.state == SY_CHANGE_CONFIRMED,
    };
}

/* What is held against what: the open ones of all records, and what became of them. */
typedef struct holding {
    const sy_change_record **records;
    sy_open_change *open;
    sy_change_outcome *outcomes;
    size_t count;
} holding;

static sy_status hold(sy_history_reading *r, holding *ret_holding, sy_error *err)
{
    holding h = {.records = sy_arena_allocate(r->arena, r->record_count + 1, sizeof *h.records),
                 .open = sy_arena_allocate(r->arena, r->record_count + 1, sizeof *h.open),
                 .outcomes = sy_arena_allocate(r->arena, r->record_count + 1, sizeof *h.outcomes)};
    if (h.records == NULL || h.open == NULL || h.outcomes == NULL) {
        return no_memory(err);
    }
    for (size_t i = 0; i < r->record_count; i++) {
        if (is_open(&r->records[i])) {
            h.records[h.count] = &r->records[i];
            h.open[h.count++] = open_change(r, &r->records[i]);
        }
    }
    sy_change_states(r->to->history, h.open, h.count, h.outcomes);
    *ret_holding = h;
    return SY_OK;
}

/* ---- what is written ---- */

static sy_run_change change_at(const sy_history_reading *r, size_t which)
{
    const sy_history_change *found = &r->to->history->changes[which];
    const sy_key_point *after = point_at(r, found->index);
    const sy_key_point *before = point_at(r, found->index - 1);
    return (sy_run_change){.state = SY_CHANGE_REPORTED,
                           .line = r->to->line,
                           .key_digest = r->options->same_revision ? r->to->key_digest : "",
                           .metric = r->to->metric,
                           .before = before->run,
                           .revision = after->revision,
                           .revision_before = before->revision,
                           .effect = found->effect,
                           .effect_low = found->effect_low,
                           .effect_high = found->effect_high,
                           .effect_level = found->effect_level,
                           .statistic = found->statistic,
                           .critical = found->critical,
                           .alpha = r->options->alpha,
                           .min_effect = r->options->min_effect,
                           .worse = found->worse,
                           .point_count = r->value_count,
                           .points_after = r->value_count - found->index,
                           .reason = ""};
}

static sy_status add_change(sy_event_list *events, const char *run, const sy_run_change *change, sy_error *err)
{
    events->run = run;
    return sy_event_list_change(events, change, err);
}

/* An earlier change in another state; its figures stay those that were reported. */
static sy_status add_closed(sy_event_list *events, const sy_history_reading *r, const sy_change_record *rec,
                            sy_change_state state, const char *reason, sy_error *err)
{
    sy_run_change change = rec->row.change;
    change.state = state;
    change.point_count = r->value_count;
    change.points_after = r->value_count - place_of_number(r, rec->run_number);
    change.refers = rec->reported;
    change.moved_from = 0;
    change.reason = reason != NULL ? reason : "";
    return reason != NULL ? add_change(events, rec->row.run, &change, err) : no_memory(err);
}

static sy_status add_confirmed(sy_event_list *events, const sy_history_reading *r, const sy_change_record *rec,
                               size_t found, sy_error *err)
{
    sy_run_change change = change_at(r, found);
    change.state = SY_CHANGE_CONFIRMED;
    change.refers = rec->reported;
    return add_change(events, rec->row.run, &change, err);
}

static sy_status add_moved(sy_event_list *events, const sy_history_reading *r, const sy_change_record *rec,
                           size_t found, sy_error *err)
{
    sy_run_change change = change_at(r, found);
    const char *run = point_at(r, r->to->history->changes[found].index)->run;
    sy_status status = add_closed(events, r, rec, SY_CHANGE_SUPERSEDED,
                                  sy_arena_format(r->arena, "found at the run %s", run), err);
    change.moved_from = rec->reported;
    return status == SY_OK ? add_change(events, run, &change, err) : status;
}

static sy_status add_outcome(sy_event_list *events, const sy_history_reading *r, const holding *h, size_t which,
                             sy_error *err)
{
    const sy_change_record *rec = h->records[which];
    const sy_change_outcome *outcome = &h->outcomes[which];
    switch (outcome->fate) {
    case SY_CHANGE_GETS_CONFIRMED:
        return add_confirmed(events, r, rec, outcome->found, err);
    case SY_CHANGE_GETS_REFUTED:
        return add_closed(events, r, rec, SY_CHANGE_REFUTED,
                          sy_arena_format(r->arena, "not found any more among %zu values", r->value_count), err);
    case SY_CHANGE_MOVES:
        return add_moved(events, r, rec, outcome->found, err);
    case SY_CHANGE_STAYS:
    case SY_CHANGE_OUT_OF_REACH:
        break;
    }
    return SY_OK;
}

static bool is_named(const holding *h, size_t found)
{
    for (size_t i = 0; i < h->count; i++) {
        if (h->outcomes[i].found == found) {
            return true;
        }
    }
    return false;
}

/* Found, nobody's, and not for the first time. */
static bool is_to_be_reported(const sy_history_reading *r, const holding *h, size_t found)
{
    return !is_named(h, found) && sy_change_persists(&r->to->history->changes[found], r->owner->earlier);
}

static sy_status write_outcomes(sy_history_reading *r, const holding *h, sy_error *err)
{
    sy_event_list events = {.arena = r->arena};
    sy_status status = SY_OK;
    for (size_t i = 0; status == SY_OK && i < h->count; i++) {
        status = add_outcome(&events, r, h, i, err);
    }
    for (size_t i = 0; status == SY_OK && i < r->to->history->change_count; i++) {
        if (is_to_be_reported(r, h, i)) {
            sy_run_change change = change_at(r, i);
            status = add_change(&events, point_at(r, r->to->history->changes[i].index)->run, &change, err);
        }
    }
    size_t count = events.count;
    if (status != SY_OK || count == 0) {
        return status;
    }
    status = sy_event_list_append(&events, r->ledger, &r->to->head, err);
    r->to->written_count = status == SY_OK ? count : 0;
    return status;
}

/* ---- what is shown ---- */

static size_t distance(size_t a, size_t b)
{
    return a > b ? a - b : b - a;
}

/* Counts each first report; it was wrong if what became of it was refuted, or moved by more than a little. */
static void count_reports(sy_history_reading *r)
{
    for (size_t i = 0; i < r->record_count; i++) {
        const sy_change_record *rec = &r->records[i];
        const sy_change_record *root = &r->records[rec->root];
        size_t moved = distance(place_of_number(r, rec->run_number), place_of_number(r, root->run_number));
        bool is_last = rec->row.change.state != SY_CHANGE_SUPERSEDED;
        r->to->reported_count += rec == root;
        r->to->refuted_count += is_last && (!is_open(rec) || moved > SY_CHANGE_MOVED_LITTLE);
    }
}

static bool is_record_of(const sy_history_reading *r, const sy_change_record *rec, const sy_history_change *found)
{
    return is_open(rec) && rec->run_number == point_at(r, found->index)->number &&
           (rec->row.change.effect > 0) == (found->effect > 0);
}

static sy_status show_records(sy_history_reading *r, sy_error *err)
{
    const sy_history *history = r->to->history;
    sy_change_row *rows = sy_arena_allocate(r->arena, r->record_count + 1, sizeof *rows);
    size_t *record_of = sy_arena_allocate(r->arena, history->change_count + 1, sizeof *record_of);
    if (rows == NULL || record_of == NULL) {
        return no_memory(err);
    }
    for (size_t i = 0; i < r->record_count; i++) {
        rows[i] = r->records[i].row;
    }
    for (size_t i = 0; i < history->change_count; i++) {
        record_of[i] = r->record_count;
        for (size_t k = 0; k < r->record_count; k++) {
            record_of[i] = is_record_of(r, &r->records[k], &history->changes[i]) ? k : record_of[i];
        }
    }
    r->to->changes = rows;
    r->to->change_count = r->record_count;
    r->to->record_of = record_of;
    return SY_OK;
}

static sy_status remark_states(sy_history_reading *r, const holding *h, sy_error *err)
{
    size_t out_of_reach = 0, waiting = 0;
    sy_status status = SY_OK;
    for (size_t i = 0; i < r->to->history->change_count; i++) {
        waiting += !is_named(h, i) && !is_to_be_reported(r, h, i);
    }
    for (size_t i = 0; i < h->count; i++) {
        out_of_reach += h->outcomes[i].fate == SY_CHANGE_OUT_OF_REACH;
    }
    if (out_of_reach > 0) {
        status = sy_history_remark(r, err,
                                   "%zu recorded %s too few of these values beside it to be found again or refuted",
                                   out_of_reach, out_of_reach == 1 ? "change has" : "changes have");
    }
    if (status == SY_OK && waiting > 0) {
        status = sy_history_remark(r, err, "%zu %s not reported yet: not found without the newest %d values", waiting,
                                   waiting == 1 ? "change is" : "changes are", SY_CHANGE_PERSISTS_FOR);
    }
    if (status == SY_OK && r->with_other_settings > 0) {
        status = sy_history_remark(r, err, "%zu more %s reported with other settings (--alpha, --min-effect)",
                                   r->with_other_settings, r->with_other_settings == 1 ? "was" : "were");
    }
    return status;
}

static int by_place(const void *a, const void *b)
{
    size_t left = *(const size_t *)a, right = *(const size_t *)b;
    return left < right ? -1 : left > right;
}

sy_status sy_history_read_records(sy_history_reading *r, sy_error *err)
{
    sy_status status = sy_ledger_read_head(r->ledger, &r->to->head, err);
    if (status == SY_OK) {
        status = read_rows(r, err);
    }
    size_t *known = status == SY_OK ? sy_arena_allocate(r->arena, r->record_count + 1, sizeof *known) : NULL;
    if (status != SY_OK || known == NULL) {
        return status != SY_OK ? status : no_memory(err);
    }
    for (size_t i = 0; i < r->record_count; i++) {
        if (is_open(&r->records[i])) {
            known[r->known_count++] = place_of_number(r, r->records[i].run_number);
        }
    }
    qsort(known, r->known_count, sizeof *known, by_place);
    r->known = known;
    return SY_OK;
}

sy_status sy_history_record(sy_history_reading *r, sy_error *err)
{
    holding h = {0};
    sy_status status = hold(r, &h, err);
    if (status == SY_OK) {
        status = remark_states(r, &h, err);
    }
    if (status == SY_OK && !r->options->dry_run) {
        status = write_outcomes(r, &h, err);
    }
    if (status == SY_OK && r->to->written_count > 0) {
        status = read_rows(r, err);
    }
    if (status == SY_OK) {
        count_reports(r);
        status = show_records(r, err);
    }
    return status;
}
