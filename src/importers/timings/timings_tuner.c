/* SPDX-License-Identifier: Apache-2.0 */
/* Times that other tools recorded as JSON: caches of Kernel Tuner, T4 results of auto-tuners, exports of hyperfine.
 * What each file looks like: docs/formats.md, "Recorded timings". */
#include "base/text.h"
#include "importers/timings/timings_readers.h"

static sy_status expect(const sy_json *json, const char *name, sy_json_kind kind, const sy_json_value **ret_value,
                        sy_error *err)
{
    const sy_json_value *root = sy_json_root(json);
    const sy_json_value *value = sy_json_member(root, name);

    if (value == NULL)
        return sy_json_fail(json, root, err, "there is no member '%s'", name);
    if (value->kind != kind)
        return sy_json_fail(json, value, err, "expected an %s, found %s", sy_json_kind_word(kind),
                            sy_json_kind_word(value->kind));
    *ret_value = value;
    return SY_OK;
}

/* Whether the value is a repeated member. at: the finding to begin with, moved on; findings and values are both in the
 * order of the file. */
static bool is_repeated(const sy_json *json, const sy_json_value *value, size_t *at)
{
    size_t count;
    const sy_json_finding *findings = sy_json_findings(json, &count);

    while (*at < count && findings[*at].offset < value->name_offset)
        (*at)++;
    for (size_t i = *at; i < count && findings[i].offset == value->name_offset; i++) {
        if (findings[i].kind == SY_JSON_DUPLICATE_KEY && findings[i].value == value)
            return true;
    }
    return false;
}

static sy_status read_cache_entry(const sy_json *json, const sy_json_value *entry, sy_timings_draft *draft,
                                  sy_error *err)
{
    const sy_json_value *times = sy_json_member(entry, "times");
    const char *failure = sy_timings_text(entry, "time");
    bool is_empty = times == NULL || (times->kind == SY_JSON_ARRAY && times->count == 0);
    sy_status status;

    if (entry->kind != SY_JSON_OBJECT)
        return sy_json_fail(json, entry, err, "expected a configuration, found %s", sy_json_kind_word(entry->kind));
    status = sy_timings_read_times(json, times, draft, err);
    if (status == SY_OK)
        sy_timings_draft_end(draft, entry->name, !is_empty ? "" : failure[0] != '\0' ? failure : "no times");
    return status;
}

sy_status sy_timings_read_kernel_tuner(const sy_json *json, sy_timings_draft *draft, sy_error *err)
{
    const sy_json_value *cache = NULL;
    const char *device = sy_timings_text(sy_json_root(json), "device_name");
    size_t finding = 0;
    size_t repeated = 0;
    sy_status status = expect(json, "cache", SY_JSON_OBJECT, &cache, err);

    for (const sy_json_value *entry = cache != NULL ? cache->first : NULL; entry != NULL && status == SY_OK;
         entry = entry->next) {
        if (is_repeated(json, entry, &finding))
            repeated++;
        else
            status = read_cache_entry(json, entry, draft, err);
    }
    if (status != SY_OK)
        return status;
    draft->timings->format = SY_TIMINGS_KERNEL_TUNER;
    draft->timings->unit_ns = sy_timings_unit_ns("ms"); /* what its timers give, whatever else is observed */
    draft->timings->device = sy_arena_copy_text(draft->arena, device);
    draft->failed = draft->failed || draft->timings->device == NULL;
    if (device[0] == '\0')
        sy_timings_draft_note(draft, "the device is unknown: the file does not name it");
    if (repeated > 0)
        sy_timings_draft_note(draft, "%zu configurations stand in the file again: the first of each is read", repeated);
    return SY_OK;
}

/* The values of a configuration, as Kernel Tuner writes them: "16,1,2". */
static void append_values(sy_text *text, const sy_json_value *configuration)
{
    for (const sy_json_value *value = configuration->first; value != NULL; value = value->next) {
        if (text->length > 0)
            sy_text_append(text, ",");
        if (value->text != NULL)
            sy_text_append_bytes(text, value->text, value->text_length);
        else
            sy_text_append(text, sy_json_kind_word(value->kind));
    }
}

static sy_status read_t4_result(const sy_json *json, const sy_json_value *result, sy_text *name,
                                sy_timings_draft *draft, sy_error *err)
{
    const sy_json_value *configuration = sy_json_member(result, "configuration");
    const sy_json_value *runtimes = sy_json_member(sy_json_member(result, "times"), "runtimes");
    const char *invalid = sy_timings_text(result, "invalidity");
    bool is_empty = runtimes == NULL || (runtimes->kind == SY_JSON_ARRAY && runtimes->count == 0);
    sy_status status;

    if (configuration == NULL || configuration->kind != SY_JSON_OBJECT)
        return sy_json_fail(json, configuration != NULL ? configuration : result, err,
                            "expected a result with an object 'configuration'");
    sy_text_clear(name);
    append_values(name, configuration);
    draft->failed = draft->failed || name->failed;
    status = sy_timings_read_times(json, runtimes, draft, err);
    if (status == SY_OK)
        sy_timings_draft_end(draft, sy_text_bytes(name), !is_empty ? "" : invalid[0] != '\0' ? invalid : "no runtimes");
    return status;
}

sy_status sy_timings_read_t4(const sy_json *json, sy_timings_draft *draft, sy_error *err)
{
    const sy_json_value *results = NULL;
    sy_text name = SY_TEXT_INIT;
    sy_status status = expect(json, "results", SY_JSON_ARRAY, &results, err);

    for (const sy_json_value *result = results != NULL ? results->first : NULL; result != NULL && status == SY_OK;
         result = result->next)
        status = read_t4_result(json, result, &name, draft, err);
    sy_text_finish(&name);
    if (status != SY_OK)
        return status;
    draft->timings->format = SY_TIMINGS_T4;
    draft->timings->unit_ns = sy_timings_unit_ns(
        sy_timings_text(sy_json_member(sy_json_root(json), "metadata"), "timeunit"));
    return SY_OK;
}

/* One command may stand there many times, with other parameters: "my_prog{seed=1}". */
static void append_parameters(sy_text *text, const sy_json_value *parameters)
{
    const char *before = "{";

    for (const sy_json_value *value = parameters == NULL ? NULL : parameters->first; value != NULL;
         value = value->next) {
        sy_text_append_format(text, "%s%s=", before, value->name != NULL ? value->name : "");
        if (value->text != NULL)
            sy_text_append_bytes(text, value->text, value->text_length);
        before = ",";
    }
    if (before[0] == ',')
        sy_text_append(text, "}");
}

sy_status sy_timings_read_hyperfine(const sy_json *json, sy_timings_draft *draft, sy_error *err)
{
    const sy_json_value *results = NULL;
    sy_text name = SY_TEXT_INIT;
    sy_status status = expect(json, "results", SY_JSON_ARRAY, &results, err);

    for (const sy_json_value *result = results != NULL ? results->first : NULL; result != NULL && status == SY_OK;
         result = result->next) {
        const sy_json_value *times = sy_json_member(result, "times");

        if (result->kind != SY_JSON_OBJECT) {
            status = sy_json_fail(json, result, err, "expected a result, found %s", sy_json_kind_word(result->kind));
            break;
        }
        sy_text_clear(&name);
        sy_text_append(&name, sy_timings_text(result, "command"));
        append_parameters(&name, sy_json_member(result, "parameters"));
        status = sy_timings_read_times(json, times, draft, err);
        if (status == SY_OK)
            sy_timings_draft_end(draft, sy_text_bytes(&name), times != NULL && times->count > 0 ? "" : "no times");
    }
    draft->failed = draft->failed || name.failed;
    sy_text_finish(&name);
    draft->timings->format = SY_TIMINGS_HYPERFINE;
    draft->timings->unit_ns = sy_timings_unit_ns("s");
    return status;
}
