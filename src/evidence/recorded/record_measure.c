/* SPDX-License-Identifier: Apache-2.0 */
/* A measurement as a session: every run of each case in order, its warm-up apart, what was compared, and the memory
 * that it took. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "evidence/recorded/recording.h"

static sy_status no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory to record a measurement");
}

/* So many of the first runs are a warm-up: those before and up to the last usable one that belongs to it. */
static size_t warm_up_count(const sy_measure_series *series)
{
    size_t usable = 0;
    size_t at = 0;
    while (at < series->run_count && usable < series->steady_from) {
        usable += series->runs[at++].unusable == NULL;
    }
    return at;
}

static sy_status add_series(sy_recording *recording, const sy_measure_result *result, const sy_measure_series *series,
                            sy_series_role role, size_t from, size_t count, sy_error *err)
{
    double *values = sy_arena_allocate(recording->arena, count + 1, sizeof *values);
    const sy_named_number figures[] = {{"batch", "", series->batch}, {"flop", "", series->flop_count}};
    sy_run_series event = {.role = role,
                           .case_name = sy_recording_clean(recording, series->name),
                           .implementation = sy_recording_clean(recording, result->implementation),
                           .samples = values,
                           .count = count,
                           .figures = figures,
                           .figure_count = series->flop_count > 0 ? 2 : 1,
                           .note = ""};
    if (count == 0) {
        return SY_OK;
    }
    if (values == NULL || event.case_name == NULL || event.implementation == NULL) {
        return no_memory(err);
    }
    for (size_t i = 0; i < count; i++) {
        const sy_timed_run *run = &series->runs[from + i];
        values[i] = run->unusable == NULL ? run->value : SY_NAN;
    }
    sy_recording_take_units(&series->metric, values, count, &event);
    return sy_event_list_series(&recording->events, &event, err);
}

static sy_status add_case(sy_recording *recording, const sy_measure_result *result, const sy_measure_series *series,
                          sy_error *err)
{
    size_t warm_up = warm_up_count(series);
    sy_status status = sy_recording_add_parity(recording, series->name, result->implementation, &series->parity, err);
    if (status == SY_OK) {
        status = sy_recording_add_digest(recording, "input", series->name, series->parity.input_digest, err);
    }
    if (status == SY_OK) {
        status = sy_recording_add_digest(recording, "output", series->name, series->parity.digest, err);
    }
    if (status == SY_OK) {
        status = add_series(recording, result, series, SY_SERIES_WARM_UP, 0, warm_up, err);
    }
    return status != SY_OK
               ? status
               : add_series(recording, result, series, SY_SERIES_SAMPLE, warm_up, series->run_count - warm_up, err);
}

/* NULL: no memory; "" = nothing stood in its way. */
static const char *reason_of(const sy_recording *recording, const sy_measure_result *result)
{
    if (result->interrupted) {
        return "interrupted";
    }
    if (result->parity == SY_PARITY_FAILED || !result->measured) {
        const char *word = result->reason[0] != '\0' ? result->reason : "not measured";
        return sy_arena_format(recording->arena, "%s%s%s", word, result->error[0] != '\0' ? ": " : "", result->error);
    }
    return "";
}

sy_status sy_recording_add_measure(sy_recording *recording, const sy_measure_result *result, sy_error *err)
{
    sy_status status = sy_recording_add_memory(recording, "peak", result->memory_bytes, false, err);
    for (size_t i = 0; status == SY_OK && i < result->series_count; i++) {
        status = add_case(recording, result, &result->series[i], err);
    }
    for (size_t i = 0; status == SY_OK && i < result->note_count; i++) {
        const char *note = sy_recording_clean(recording, result->notes[i]);
        status = note != NULL ? sy_event_list_note(&recording->events, note, err) : no_memory(err);
    }
    return status;
}

sy_status sy_recording_keep_measure(sy_recording *recording, const sy_measure_result *result, sy_recorded *ret_recorded,
                                    sy_error *err)
{
    const char *reason = reason_of(recording, result);
    sy_status status = reason != NULL ? sy_recording_add_command(recording, result->wall_ns, err) : no_memory(err);
    if (status == SY_OK) {
        status = sy_recording_add_measure(recording, result, err);
    }
    if (status != SY_OK) {
        recording->events.count = 0;
        return status;
    }
    return sy_recording_end(recording, reason[0] == '\0' ? SY_RUN_OK : SY_RUN_FAILED, reason, ret_recorded, err);
}
