/* SPDX-License-Identifier: Apache-2.0 */
/* The record of a measurement: each case's series is a configuration. */
#include "base/text.h"
#include "importers/timings/timings_readers.h"

#include <math.h>

static sy_status read_run(const sy_json *json, const sy_json_value *run, sy_timings_draft *draft, sy_error *err)
{
    const sy_json_value *value = sy_json_member(run, "value");
    double time = NAN;
    sy_status status = SY_OK;

    if (sy_timings_text(run, "unusable")[0] == '\0' && (value == NULL || value->kind != SY_JSON_NULL))
        status = sy_json_get_double(json, value != NULL ? value : run, &time, err);
    sy_timings_draft_time(draft, time);
    return status;
}

static sy_status read_series(const sy_json *json, const sy_json_value *series, sy_timings_draft *draft, sy_error *err)
{
    const char *name = "";
    const sy_json_value *runs = sy_json_member(series, "runs");
    const sy_json_value *of_case = sy_json_member(series, "case");
    sy_status status = sy_json_get_text(json, of_case != NULL ? of_case : series, &name, err);

    if (status != SY_OK)
        return status;
    if (runs == NULL || runs->kind != SY_JSON_ARRAY)
        return sy_json_fail(json, runs != NULL ? runs : series, err, "a series has a list 'runs'");
    for (const sy_json_value *run = runs->first; run != NULL && status == SY_OK; run = run->next)
        status = read_run(json, run, draft, err);
    if (status == SY_OK)
        sy_timings_draft_end(draft, name, runs->count > 0 ? "" : "not timed");
    return status;
}

sy_status sy_timings_read_measure(const sy_json *json, sy_timings_draft *draft, sy_error *err)
{
    const sy_json_value *root = sy_json_root(json);
    const sy_json_value *series = sy_json_member(root, "series");
    sy_status status = sy_timings_check_schema(json, "steelyard.measure/1", err);

    if (status != SY_OK)
        return status;
    if (series == NULL || series->kind != SY_JSON_ARRAY)
        return sy_json_fail(json, series != NULL ? series : root, err, "a measurement has a list 'series'");
    for (const sy_json_value *one = series->first; one != NULL && status == SY_OK; one = one->next) {
        status = read_series(json, one, draft, err);
        draft->timings->unit_ns = sy_timings_unit_ns(sy_timings_text(one, "unit"));
    }
    draft->timings->format = SY_TIMINGS_MEASURE;
    draft->timings->device = sy_arena_copy_text(draft->arena, sy_timings_text(root, "device"));
    draft->failed = draft->failed || draft->timings->device == NULL;
    return status;
}
