/* SPDX-License-Identifier: Apache-2.0 */
/* google-benchmark's --benchmark_format=json: the file, its context, and which of its entries belong together. What one
 * entry holds: google_benchmark_row.c. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "importers/benchmarks/google_benchmark.h"

static bool knows_json(const sy_json_value *root)
{
    const sy_json_value *context = sy_json_member(root, "context");
    const sy_json_value *benchmarks = sy_json_member(root, "benchmarks");
    const sy_json_value *first = benchmarks != NULL && benchmarks->kind == SY_JSON_ARRAY ? benchmarks->first : NULL;

    return sy_json_member(context, "library_build_type") != NULL || sy_json_member(context, "mhz_per_cpu") != NULL ||
           sy_json_member(first, "real_time") != NULL;
}

/* The end quote of a text that begins at `at` and whose inner quotes may be bare: the first on its line that a comma
 * with another member, or the object's end, comes after. NULL: none. */
static char *end_of_bare_text(char *at, const char *end)
{
    for (; at < end && *at != '\n'; at++) {
        const char *next = at + 1;

        if (*at != '"')
            continue;
        while (next < end && strchr(" \t\r\n", *next) != NULL && *next != '\0')
            next++;
        if (next < end && *next == '}')
            return at;
        if (next == end || *next != ',')
            continue;
        next++;
        while (next < end && strchr(" \t\r\n", *next) != NULL && *next != '\0')
            next++;
        if (next < end && *next == '"')
            return at;
    }
    return NULL;
}

static bool is_json(const char *text, size_t size)
{
    const sy_json_limits limits = {0, 0, 1};
    sy_json *json = NULL;
    sy_status status = sy_json_parse(text, size, &limits, &json, NULL);

    sy_json_destroy(json);
    return status == SY_OK;
}

/* The name of the host is printed as it is, with quotes and backslashes bare. */
static bool mend_host_name(char *text, size_t size, uint64_t damage, sy_import_draft *draft)
{
    static const char name[] = "\"host_name\":";
    char *found = memmem(text, size, name, sizeof name - 1);
    char *end = text + size;
    char *close;

    if (found == NULL)
        return false;
    found += sizeof name - 1;
    while (found < end && *found == ' ')
        found++;
    close = found < end && *found == '"' ? end_of_bare_text(found + 1, end) : NULL;
    if (close == NULL || text + damage < found || is_json(found, (size_t)(close - found) + 1))
        return false;
    draft->imported->host = sy_import_copy(draft, found + 1, (size_t)(close - found - 1));
    sy_import_note(draft, "host_name is not escaped as JSON wants it: read as it stands");
    memset(found + 1, ' ', (size_t)(close - found));
    found[1] = '"';
    return true;
}

static void read_context(sy_import_draft *draft, const sy_json *json)
{
    static const char *const read[] = {"date", "host_name", "library_version", NULL};
    const sy_json_value *context = sy_json_member(sy_json_root(json), "context");
    const sy_json_value *schema = sy_json_member(context, "json_schema_version");
    const sy_json_value *scaling = sy_json_member(context, "cpu_scaling_enabled");
    const char *version = sy_import_text(draft, json, context, "library_version");
    const char *host = sy_import_text(draft, json, context, "host_name");
    char *tool = sy_arena_format(draft->arena, "google-benchmark%s%s", version[0] != '\0' ? " " : "", version);

    draft->failed = draft->failed || tool == NULL;
    draft->imported->tool = tool != NULL ? tool : "";
    if (host[0] != '\0')
        draft->imported->host = host;
    sy_import_stamp(draft, sy_import_text(draft, json, context, "date"));
    sy_import_settings(draft, json, "", context, read);
    if (schema != NULL && (schema->kind != SY_JSON_NUMBER || schema->number != 1))
        sy_import_reject_value(draft, json, schema, "a version of the schema that is not known: read as 1");
    if (scaling != NULL && scaling->kind == SY_JSON_TRUE)
        sy_import_note(draft, "cpu_scaling_enabled: the processor's clock may have changed while it ran");
}

/* Older versions tell an aggregate by the end of its name alone. The length without it; the whole: none. */
static size_t length_without_aggregate(const char *name, size_t length)
{
    static const char *const ends[] = {"_mean", "_median", "_stddev", "_cv", "_BigO", "_RMS"};

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t end = strlen(ends[i]);

        if (length > end && memcmp(name + length - end, ends[i], end) == 0)
            return length - end;
    }
    return length;
}

static bool is_text(const sy_json_value *value)
{
    return value != NULL && value->kind == SY_JSON_TEXT && value->text_length <= SY_IMPORT_TEXT_MAX;
}

static void collect_entry(sy_import_draft *draft, const sy_json *json, const sy_json_value *entry,
                          sy_import_list *items, sy_import_list *kinds)
{
    const sy_json_value *name = sy_json_member(entry, "run_name");
    const sy_json_value *type = sy_json_member(entry, "run_type");
    sy_google_kind *kind;
    sy_import_item *item;

    if (!is_text(name))
        name = sy_json_member(entry, "name");
    if (!is_text(name)) {
        sy_import_reject_value(draft, json, name != NULL ? name : entry, "a benchmark without a name");
        return;
    }
    item = sy_import_list_add(draft, items, sizeof *item);
    kind = sy_import_list_add(draft, kinds, sizeof *kind);
    if (item == NULL || kind == NULL)
        return;
    *item = (sy_import_item){.key = name->text, .length = name->text_length, .order = items->count - 1, .what = entry};
    if (is_text(type)) {
        *kind = strcmp(type->text, "aggregate") == 0 ? SY_GOOGLE_AGGREGATE : SY_GOOGLE_ITERATION;
        return;
    }
    item->length = length_without_aggregate(name->text, name->text_length);
    *kind = item->length < name->text_length ? SY_GOOGLE_PERHAPS : SY_GOOGLE_ITERATION;
}

/* The entries of one name. What an old version may have meant as aggregates are ones if there is what they were made
 * of, or more than one of them. */
static void read_group(sy_google *google, const sy_import_item *items, size_t count)
{
    const sy_google_kind *kinds = google->kinds.items;
    size_t iterations = 0;
    size_t aggregates = 0;

    google->entries.count = 0;
    for (size_t i = 0; i < count; i++) {
        iterations += kinds[items[i].order] == SY_GOOGLE_ITERATION;
        aggregates += kinds[items[i].order] == SY_GOOGLE_AGGREGATE;
    }
    if (iterations + aggregates == 0 && count == 1)
        iterations = 1;
    for (size_t i = 0; i < count; i++) {
        bool is_iteration = kinds[items[i].order] == SY_GOOGLE_ITERATION || count == 1;
        const sy_json_value **entry = is_iteration || iterations == 0
                                          ? sy_import_list_add(google->draft, &google->entries, sizeof *entry)
                                          : NULL;

        if (entry != NULL)
            *entry = items[i].what;
    }
    if (google->draft->failed)
        return;
    google->skipped += iterations > 0 ? count - google->entries.count : 0;
    if (iterations > 0)
        sy_google_read_repetitions(google);
    else
        sy_google_read_aggregates(google, items[0].key, items[0].length);
}

static sy_status read(const sy_import_input *input, sy_import_draft *draft, sy_error *err)
{
    static const char *const read_members[] = {"context", "benchmarks", NULL};
    sy_google google = {.draft = draft, .json = input->json};
    const sy_json_value *root = sy_json_root(input->json);
    const sy_json_value *benchmarks = sy_json_member(root, "benchmarks");
    const sy_json_value *build = sy_json_member(sy_json_member(root, "context"), "library_build_type");
    sy_import_list items = {0};
    const sy_import_item *at;

    if (benchmarks == NULL || benchmarks->kind != SY_JSON_ARRAY)
        return sy_json_fail(input->json, benchmarks != NULL ? benchmarks : root, err,
                            "results of google-benchmark are in a list 'benchmarks'");
    google.debug = is_text(build) && strcmp(build->text, "debug") == 0;
    read_context(draft, input->json);
    sy_import_settings(draft, input->json, "", root, read_members);
    for (const sy_json_value *entry = sy_import_first_row(input, draft, benchmarks); entry != NULL;
         entry = sy_import_next_row(input, draft, entry))
        collect_entry(draft, input->json, entry, &items, &google.kinds);
    sy_import_group(items.items, items.count);
    at = items.items;
    for (size_t i = 0; i < items.count && !draft->failed;) {
        size_t size = sy_import_group_size(at + i, items.count - i);

        read_group(&google, at + i, size);
        i += size;
    }
    if (google.skipped > 0)
        sy_import_note(draft, "%zu aggregates are left out: the repetitions that they sum up are kept", google.skipped);
    sy_free(items.items);
    sy_free(google.kinds.items);
    sy_free(google.entries.items);
    sy_free(google.metrics.items);
    sy_free(google.unused.items);
    return SY_OK;
}

const sy_import_reader sy_import_google_benchmark = {
    .format = SY_IMPORT_GOOGLE_BENCHMARK, .knows_json = knows_json, .mend = mend_host_name, .read = read};
