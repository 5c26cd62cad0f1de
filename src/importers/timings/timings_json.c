/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers of JSON recordings share: which format a document shows, lists of times, units. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "importers/timings/timings_readers.h"
#include "record/units.h"

const char *sy_timings_text(const sy_json_value *value, const char *name)
{
    const sy_json_value *member = sy_json_member(value, name);

    return member != NULL && member->kind == SY_JSON_TEXT ? member->text : "";
}

sy_timings_format sy_timings_format_of(const sy_json *json)
{
    const sy_json_value *root = sy_json_root(json);
    const sy_json_value *results = sy_json_member(root, "results");
    const char *schema = sy_timings_text(root, "schema");

    if (sy_text_begins(schema, "steelyard.probe/"))
        return SY_TIMINGS_PROBE;
    if (sy_text_begins(schema, "steelyard.measure/"))
        return SY_TIMINGS_MEASURE;
    if (sy_json_member(root, "cache") != NULL)
        return SY_TIMINGS_KERNEL_TUNER;
    if (results == NULL || results->kind != SY_JSON_ARRAY)
        return SY_TIMINGS_AUTO;
    return sy_json_member(results->first, "command") != NULL ? SY_TIMINGS_HYPERFINE : SY_TIMINGS_T4;
}

sy_status sy_timings_check_schema(const sy_json *json, const char *known, sy_error *err)
{
    const sy_json_value *schema = sy_json_member(sy_json_root(json), "schema");
    const char *found = "";
    if (schema == NULL)
        return sy_json_fail(json, sy_json_root(json), err, "there is no member 'schema'");
    sy_status status = sy_json_get_text(json, schema, &found, err);
    if (status == SY_OK && strcmp(found, known) != 0) {
        status = sy_fail(err, SY_VERSION_UNSUPPORTED, "the schema is '%.60s'; this version reads %s", found, known);
        if (err != NULL)
            sy_error_at(err, sy_json_position(json, schema->offset));
    }
    return status;
}

sy_status sy_timings_read_times(const sy_json *json, const sy_json_value *value, sy_timings_draft *draft, sy_error *err)
{
    if (value == NULL)
        return SY_OK;
    if (value->kind != SY_JSON_ARRAY)
        return sy_json_fail(json, value, err, "expected a list of times, found %s", sy_json_kind_word(value->kind));
    for (const sy_json_value *time = value->first; time != NULL; time = time->next) {
        if (time->kind != SY_JSON_NUMBER && time->kind != SY_JSON_NULL)
            return sy_json_fail(json, time, err, "expected a time, found %s", sy_json_kind_word(time->kind));
        sy_timings_draft_time(draft, time->kind == SY_JSON_NUMBER ? time->number : NAN);
    }
    return SY_OK;
}

double sy_timings_unit_ns(const char *name)
{
    const sy_unit *unit = sy_unit_of(strcmp(name, "miliseconds") == 0 ? "ms" : name); /* as T4 files spell it */

    return unit != NULL && strcmp(unit->unit, "s") == 0 ? unit->multiply * 1e9 / unit->divide : NAN;
}
