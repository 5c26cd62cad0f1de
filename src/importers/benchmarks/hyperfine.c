/* SPDX-License-Identifier: Apache-2.0 */
/* hyperfine's --export-json: commands with the times of their runs, in seconds. One command may stand there with many
 * parameters; nothing is said of host, time or revision. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "importers/import/import_groups.h"
#include "importers/import/import_json.h"
#include "record/units.h"

static const char *const known_members[] = {"command", "mean",       "stddev",     "median",
                                            "user",    "system",     "min",        "max",
                                            "times",   "exit_codes", "parameters", "memory_usage_byte",
                                            NULL};

static bool knows_json(const sy_json_value *root)
{
    const sy_json_value *results = sy_json_member(root, "results");
    const sy_json_value *first = results != NULL && results->kind == SY_JSON_ARRAY ? results->first : NULL;

    while (first != NULL && first->kind != SY_JSON_OBJECT)
        first = first->next;
    return results != NULL && results->kind == SY_JSON_ARRAY &&
           (first == NULL || (sy_json_member(first, "command") != NULL && sy_json_member(first, "mean") != NULL));
}

/* What makes a result the same benchmark as another: "my_prog\nseed=1". */
static const char *key_of(sy_import_draft *draft, const sy_json_value *result)
{
    const sy_json_value *command = sy_json_member(result, "command");
    const sy_json_value *parameters = sy_json_member(result, "parameters");
    sy_text key = SY_TEXT_INIT;
    const char *copy;

    sy_text_append_bytes(&key, command->text, command->text_length);
    for (const sy_json_value *p = parameters != NULL ? parameters->first : NULL; p != NULL; p = p->next) {
        sy_text_append_format(&key, "\n%zu %zu ", p->name != NULL ? p->name_length : 0, p->text_length);
        if (p->name != NULL)
            sy_text_append_bytes(&key, p->name, p->name_length);
        if (p->text != NULL)
            sy_text_append_bytes(&key, p->text, p->text_length);
    }
    copy = sy_import_copy(draft, sy_text_bytes(&key), key.length);
    draft->failed = draft->failed || key.failed;
    sy_text_finish(&key);
    return copy;
}

static void read_parameters(sy_import_draft *draft, const sy_json *json, const sy_json_value *parameters)
{
    if (parameters == NULL || parameters->kind == SY_JSON_NULL)
        return;
    if (parameters->kind != SY_JSON_OBJECT) {
        sy_import_reject_value(draft, json, parameters, "expected parameters, found %s",
                               sy_json_kind_word(parameters->kind));
        return;
    }
    for (const sy_json_value *p = parameters->first; p != NULL; p = p->next) {
        const char *words = sy_import_words(draft, json, p);

        if (words != NULL)
            sy_import_row_parameter(draft, sy_import_copy(draft, p->name, p->name_length), words);
        else
            sy_import_reject_value(draft, json, p, "expected a text, found %s", sy_json_kind_word(p->kind));
    }
}

/* A run that ended otherwise than with 0 makes the whole a failed one: its time is not that of the work. */
static void read_exit_codes(sy_import_draft *draft, const sy_json *json, const sy_json_value *codes)
{
    size_t failed = 0;
    const sy_json_value *first = NULL;

    if (codes == NULL || codes->kind == SY_JSON_NULL)
        return;
    if (codes->kind != SY_JSON_ARRAY) {
        sy_import_reject_value(draft, json, codes, "expected a list of exit codes, found %s",
                               sy_json_kind_word(codes->kind));
        return;
    }
    for (const sy_json_value *code = codes->first; code != NULL; code = code->next) {
        if (code->kind != SY_JSON_NUMBER && code->kind != SY_JSON_NULL)
            sy_import_reject_value(draft, json, code, "expected an exit code, found %s", sy_json_kind_word(code->kind));
        else if ((code->kind == SY_JSON_NULL || code->number != 0) && failed++ == 0)
            first = code;
    }
    if (failed == 0)
        return;
    if (first->kind == SY_JSON_NULL)
        sy_import_row_fail(draft, "exit_codes/%zu: none, a signal ended it; %zu of %zu runs failed", first->index,
                           failed, codes->count);
    else
        sy_import_row_fail(draft, "exit_codes/%zu: %.*s; %zu of %zu runs failed", first->index,
                           (int)(first->text_length < 20 ? first->text_length : 20), first->text, failed, codes->count);
}

static void read_wall(sy_import_draft *draft, const sy_json *json, const sy_import_item *items, size_t count)
{
    static const char *const figures[] = {"mean", "stddev", "median", "min", "max", "user", "system"};
    const sy_unit *seconds = sy_unit_of("s");
    size_t samples = 0;

    sy_import_series_begin(draft, "wall", "s", false);
    for (size_t i = 0; i < count; i++)
        samples += sy_import_samples(draft, json, sy_json_member(items[i].what, "times"), seconds);
    for (size_t f = 0; f < sizeof figures / sizeof *figures && count == 1; f++)
        sy_import_figure_of(draft, json, items[0].what, figures[f], seconds);
    if (count > 1)
        sy_import_series_note(draft, "%zu results of this command as one series; their own means are left out", count);
    if (samples == 0)
        sy_import_series_note(draft, "summary only, no times of single runs");
}

static void read_memory(sy_import_draft *draft, const sy_json *json, const sy_import_item *items, size_t count)
{
    const sy_unit *bytes = sy_unit_of("bytes");
    bool begun = false;

    for (size_t i = 0; i < count; i++) {
        const sy_json_value *usage = sy_json_member(items[i].what, "memory_usage_byte");

        if (usage != NULL && usage->kind != SY_JSON_NULL && !begun) {
            sy_import_series_begin(draft, "memory", "bytes", false);
            begun = true;
        }
        (void)sy_import_samples(draft, json, usage, bytes);
    }
}

/* Results of one command with the same parameters. */
static void read_results(sy_import_draft *draft, const sy_json *json, const sy_import_item *items, size_t count)
{
    const sy_json_value *first = items[0].what;

    sy_import_row_begin(draft, sy_import_text(draft, json, first, "command"), sy_import_position(draft, json, first));
    read_parameters(draft, json, sy_json_member(first, "parameters"));
    for (size_t i = 0; i < count; i++) {
        read_exit_codes(draft, json, sy_json_member(items[i].what, "exit_codes"));
        sy_import_reject_unknown(draft, json, items[i].what, known_members);
    }
    if (count > 1)
        sy_import_row_note(draft,
                           "%zu results of this name and these parameters stand in the file: their runs are one "
                           "series, in the file's order",
                           count);
    read_wall(draft, json, items, count);
    read_memory(draft, json, items, count);
    sy_import_row_end(draft);
}

static void collect(const sy_import_input *input, sy_import_draft *draft, const sy_json_value *results,
                    sy_import_list *items)
{
    for (const sy_json_value *result = sy_import_first_row(input, draft, results); result != NULL;
         result = sy_import_next_row(input, draft, result)) {
        const sy_json_value *command = sy_json_member(result, "command");
        sy_import_item *item;

        if (command == NULL || command->kind != SY_JSON_TEXT || command->text_length > SY_IMPORT_TEXT_MAX) {
            sy_import_reject_value(draft, input->json, command != NULL ? command : result,
                                   "a result without a command");
            continue;
        }
        item = sy_import_list_add(draft, items, sizeof *item);
        if (item != NULL) {
            item->key = key_of(draft, result);
            item->length = strlen(item->key);
            item->order = items->count;
            item->what = result;
        }
    }
}

static sy_status read(const sy_import_input *input, sy_import_draft *draft, sy_error *err)
{
    static const char *const read_members[] = {"results", NULL};
    const sy_json_value *root = sy_json_root(input->json);
    const sy_json_value *results = sy_json_member(root, "results");
    sy_import_list items = {0};
    const sy_import_item *at;

    if (results == NULL || results->kind != SY_JSON_ARRAY)
        return sy_json_fail(input->json, results != NULL ? results : root, err,
                            "results of hyperfine are in a list 'results'");
    draft->imported->tool = "hyperfine";
    sy_import_settings(draft, input->json, "", root, read_members);
    collect(input, draft, results, &items);
    sy_import_group(items.items, items.count);
    at = items.items;
    for (size_t i = 0; i < items.count && !draft->failed;) {
        size_t size = sy_import_group_size(at + i, items.count - i);

        read_results(draft, input->json, at + i, size);
        i += size;
    }
    sy_free(items.items);
    return SY_OK;
}

const sy_import_reader sy_import_hyperfine = {.format = SY_IMPORT_HYPERFINE, .knows_json = knows_json, .read = read};
