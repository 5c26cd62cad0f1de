/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel Tuner's cache: one kernel, one problem, a configuration an entry with its time in milliseconds or a word for
 * how it failed. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "importers/tuning/tuning_configurations.h"

/* Further apart than by that factor, a time and the mean of its runs cannot be in one unit. */
#define UNIT_FACTOR 10.0

static bool is_known_failure(const char *word)
{
    static const char *const words[] = {"InvalidConfig", "CompilationFailedConfig", "RuntimeFailedConfig",
                                        "ErrorConfig"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(word, words[i]) == 0)
            return true;
    }
    return false;
}

static void read_entry(sy_tuning_search *search, const sy_json_value *entry, const sy_json_value *names)
{
    sy_tuning_draft *draft = search->draft;
    const sy_json_value *time = sy_json_member(entry, "time");
    sy_position position = sy_json_position(search->json, entry->name_offset);
    const char *parameters;
    const char *reason = "";
    double value = NAN;
    double mean = sy_tuning_mean(sy_json_member(entry, "times"));

    if (entry->kind != SY_JSON_OBJECT) {
        draft->entries++;
        draft->passed_over++;
        sy_tuning_find(draft, SY_TUNING_RULE_ENTRY, position, entry->name, "expected a configuration, found %s",
                       sy_json_kind_word(entry->kind));
        return;
    }
    parameters = names != NULL && names->count > 0 ? sy_tuning_canonical(draft, entry, names) : NULL;
    if (parameters == NULL) {
        draft->entries++;
        draft->passed_over++;
        sy_tuning_find(draft, SY_TUNING_RULE_ENTRY, position, entry->name,
                       "the configuration does not have all parameters of tune_params_keys");
        return;
    }
    if (time != NULL && time->kind == SY_JSON_NUMBER)
        value = time->number;
    else if (time != NULL && time->kind == SY_JSON_TEXT)
        reason = time->text[0] != '\0' ? sy_tuning_copy(draft, time->text, strlen(time->text)) : "no time";
    else if (!isnan(mean))
        value = mean;
    else
        reason = "no time";
    if (draft->lints && reason[0] != '\0' && !is_known_failure(reason) && strcmp(reason, "no time") != 0)
        sy_tuning_find(draft, SY_TUNING_RULE_FAILURE, sy_json_position(search->json, time->offset), reason,
                       "no word for a failure that Kernel Tuner is known to have");
    if (draft->lints && value > 0 && mean > 0 && (value / mean > UNIT_FACTOR || mean / value > UNIT_FACTOR))
        sy_tuning_find(draft, SY_TUNING_RULE_UNIT, position, entry->name,
                       "its time of %.6g is far from the mean of its runs, %.6g: not the same unit", value, mean);
    sy_tuning_search_add(search, entry, parameters, value, reason);
}

static void add_problem(sy_tuning_draft *draft, const sy_json_value *root, sy_tuning_structure *structure)
{
    const char *device = sy_tuning_member_text(root, "device_name");
    const sy_json_value *size = sy_json_member(root, "problem_size");
    const char *problem = size != NULL ? sy_tuning_canonical(draft, size, NULL) : NULL;
    const char *names = sy_tuning_names(draft, sy_json_member(root, "tune_params_keys"));

    if (device[0] != '\0')
        sy_tuning_property(draft, structure, "device", device, strlen(device));
    else
        sy_tuning_note(draft, SY_TUNING_RULE_ENTRY, (sy_position){0, 1, 1},
                       "the device is unknown: the file does not name it");
    if (problem != NULL)
        sy_tuning_property(draft, structure, "problem_size", problem, strlen(problem));
    sy_tuning_property(draft, structure, "parameters", names, strlen(names));
}

sy_status sy_tuning_read_kernel_tuner(const sy_json *json, sy_tuning_draft *draft, sy_error *err)
{
    sy_tuning_search search = {.draft = draft, .json = json};
    sy_tuning_structure structure = {.count = 0};
    const sy_json_value *root = sy_json_root(json);
    const sy_json_value *cache = sy_json_member(root, "cache");
    const sy_json_value *names = sy_json_member(root, "tune_params_keys");
    const char *backend = draft->options->backend != NULL ? draft->options->backend : "kernel-tuner";
    const char *kernel = draft->options->operator_name;
    const char *objective = sy_tuning_member_text(root, "objective");
    sy_status status;

    draft->format = SY_TUNING_KERNEL_TUNER;
    if (cache == NULL || cache->kind != SY_JSON_OBJECT)
        return sy_json_fail(json, cache != NULL ? cache : root, err, "expected an object 'cache'");
    if (kernel == NULL)
        kernel = sy_tuning_member_text(root, "kernel_name");
    kernel = kernel[0] != '\0' ? sy_tuning_copy(draft, kernel, strlen(kernel)) : "kernel-tuner";
    if (objective[0] != '\0' && strcmp(objective, "time") != 0)
        sy_tuning_note(draft, SY_TUNING_RULE_WINNER, (sy_position){0, 1, 1},
                       "the search was for %.80s: here the least time wins", objective);
    for (const sy_json_value *entry = cache->first; entry != NULL && !draft->failed; entry = entry->next)
        read_entry(&search, entry, names);
    add_problem(draft, root, &structure);
    status = sy_tuning_search_conclude(&search, backend, kernel, &structure, "ms", err);
    sy_tuning_search_finish(&search);
    return status;
}
