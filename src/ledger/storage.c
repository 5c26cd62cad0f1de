/* SPDX-License-Identifier: Apache-2.0 */
/* What every entry of the storage asks of what it is given, and does with a run's row: copy its texts, hold it against
 * a filter. */
#include "ledger/storage.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"

sy_status sy_run_row_copy(sy_arena *arena, const sy_run_row *row, sy_run_row *ret_row, sy_error *err)
{
    sy_run_row copy = *row;
    const char **texts[] = {&copy.id,     &copy.reason, &copy.question,  &copy.conclusion, &copy.gate,
                            &copy.cell,   &copy.tier,   &copy.protocol,  &copy.revision,   &copy.host,
                            &copy.device, &copy.origin, &copy.key_digest};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        *texts[i] = *texts[i] == NULL ? "" : sy_arena_copy_text(arena, *texts[i]);
        if (*texts[i] == NULL) {
            return sy_fail(err, SY_NO_MEMORY, "no memory for the row of a run");
        }
    }
    *ret_row = copy;
    return SY_OK;
}

sy_status sy_figure_row_copy(sy_arena *arena, const sy_figure_row *figure, sy_figure_row *ret_figure, sy_error *err)
{
    sy_figure_row copy = *figure;
    const char **texts[] = {&copy.run, &copy.name, &copy.unit, &copy.case_name, &copy.implementation};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        *texts[i] = *texts[i] == NULL || **texts[i] == '\0' ? "" : sy_arena_copy_text(arena, *texts[i]);
        if (*texts[i] == NULL) {
            return sy_fail(err, SY_NO_MEMORY, "no memory for the figures of a run");
        }
    }
    *ret_figure = copy;
    return SY_OK;
}

static bool is_wanted(const char *wanted, const char *text)
{
    return wanted == NULL || strcmp(wanted, text == NULL ? "" : text) == 0;
}

static bool begins_as_wanted(const char *wanted, const char *text)
{
    return wanted == NULL || sy_text_begins(text == NULL ? "" : text, wanted);
}

bool sy_run_filter_lets(const sy_run_filter *filter, const sy_run_row *row)
{
    return filter == NULL ||
           ((filter->statuses == 0 || (filter->statuses >> row->status & 1u) != 0) &&
            (filter->kinds == 0 || (filter->kinds >> row->kind & 1u) != 0) && is_wanted(filter->gate, row->gate) &&
            is_wanted(filter->cell, row->cell) && is_wanted(filter->tier, row->tier) &&
            is_wanted(filter->device, row->device) && is_wanted(filter->origin, row->origin) &&
            begins_as_wanted(filter->key_digest, row->key_digest) &&
            begins_as_wanted(filter->revision, row->revision) && (!filter->accepted_only || row->accepted) &&
            (filter->verdicts == 0 || (row->judged && (filter->verdicts >> row->verdict & 1u) != 0)));
}

sy_status sy_stored_id_check(const char *id, const char *former, sy_error *err)
{
    if (strlen(id) != 32 || strspn(id, "0123456789abcdef") != 32) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "'%s' is no id of a ledger: 32 hexadecimal digits", id);
    }
    if (former != NULL && strcmp(id, former) != 0) {
        return sy_fail(err, SY_REFUSED, "the ledger has events, and keeps its id '%s'", former);
    }
    return SY_OK;
}

sy_status sy_stored_event_check(const sy_stored_event *event, uint64_t head, sy_error *err)
{
    if (event->number != head + 1) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "event %llu does not follow event %llu",
                       (unsigned long long)event->number, (unsigned long long)head);
    }
    if (event->kind == NULL || event->kind[0] == '\0' || event->run == NULL) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "event %llu has no kind, or no run",
                       (unsigned long long)event->number);
    }
    if (event->size == 0 || memchr(event->bytes, '\0', event->size) != NULL) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "event %llu is no text: it is empty or holds a 0 byte",
                       (unsigned long long)event->number);
    }
    return SY_OK;
}

sy_status sy_stored_series_check(const sy_stored_series *series, sy_error *err)
{
    if (series->event == 0 || series->event > INT64_MAX) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "samples belong to no event");
    }
    if (series->count > INT64_MAX / 8) {
        return sy_fail(err, SY_LIMIT_EXCEEDED, "%zu samples are more than a series holds", series->count);
    }
    return SY_OK;
}

static bool is_known(int value)
{
    return value >= -1 && value <= 1;
}

sy_status sy_stored_row_check(const sy_run_row *row, const sy_run_row *former, const char *key, sy_error *err)
{
    if (row->id == NULL || row->id[0] == '\0') {
        return sy_fail(err, SY_INVALID_ARGUMENT, "a run has no id");
    }
    if (row->number == 0 || row->number > INT64_MAX || row->fence > INT64_MAX || row->series_count > INT64_MAX ||
        row->sample_count > INT64_MAX || row->verdict_number > INT64_MAX || row->signoff_number > INT64_MAX ||
        row->promoted > INT64_MAX) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "a number of the run '%s' is outside of what can be kept", row->id);
    }
    if (row->status < SY_RUN_PLANNED || row->status > SY_RUN_IMPORTED || row->kind < SY_RUN_KIND_SESSION ||
        row->kind > SY_RUN_KIND_IMPORT || row->parity < SY_RUN_PARITY_UNKNOWN ||
        row->parity > SY_RUN_PARITY_NOT_PERFORMED || !is_known(row->dirty) || !is_known(row->hardware) ||
        row->verdict > SY_JUDGEMENT_BLOCK || row->verdict_reason > SY_JUDGEMENT_REASON_DRIFT) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "a word of the run '%s' is none that is known", row->id);
    }
    if (former != NULL && former->number != row->number) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "the run '%s' began with event %llu, not with event %llu", row->id,
                       (unsigned long long)former->number, (unsigned long long)row->number);
    }
    if (former == NULL && key == NULL) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "the run '%s' is new, and has no key that could be left", row->id);
    }
    return SY_OK;
}

sy_status sy_stored_figure_check(uint64_t event, const sy_figure_row *figure, sy_error *err)
{
    if (event == 0 || event > INT64_MAX || figure->run_number == 0 || figure->run_number > event ||
        figure->usable_count > INT64_MAX) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "a number of the figures of event %llu is outside of what can be kept",
                       (unsigned long long)event);
    }
    if (figure->role > SY_SERIES_CONTROL || figure->basis > SY_MEMORY_CALCULATED || figure->scope > SY_MEMORY_UNIFIED) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "a word of the figures of event %llu is none that is known",
                       (unsigned long long)event);
    }
    return SY_OK;
}
