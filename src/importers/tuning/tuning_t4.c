/* SPDX-License-Identifier: Apache-2.0 */
/* T4, the results format that several auto-tuners share: a configuration, its run times, whether it was valid and
 * correct. It does not say of which kernel, for which problem or on which device. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "importers/tuning/tuning_configurations.h"

static bool is_known_invalidity(const char *word)
{
    static const char *const words[] = {"compile", "runtime", "timeout", "correctness", "constraints", "static"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(word, words[i]) == 0)
            return true;
    }
    return false;
}

/* Units as they are written, misspelt ones too; what is not known stays as it is. */
static const char *unit_of(const char *word)
{
    static const char *const units[][2] = {{"ms", "ms"},         {"millisecond", "ms"}, {"milliseconds", "ms"},
                                           {"milisecond", "ms"}, {"miliseconds", "ms"}, {"s", "s"},
                                           {"second", "s"},      {"seconds", "s"},      {"sec", "s"},
                                           {"us", "us"},         {"microsecond", "us"}, {"microseconds", "us"},
                                           {"ns", "ns"},         {"nanosecond", "ns"},  {"nanoseconds", "ns"}};

    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(word, units[i][0]) == 0)
            return units[i][1];
    }
    return NULL;
}

/* The measurement of that name among `measurements`. */
static const sy_json_value *find_measurement(const sy_json_value *result)
{
    const sy_json_value *list = sy_json_member(result, "measurements");

    for (const sy_json_value *one = list != NULL ? list->first : NULL; one != NULL; one = one->next) {
        const sy_json_value *value = sy_json_member(one, "value");

        if (strcmp(sy_tuning_member_text(one, "name"), "time") == 0 && value != NULL && value->kind == SY_JSON_NUMBER)
            return one;
    }
    return NULL;
}

/* Why a configuration cannot win; "" = it can. */
static const char *invalid_reason(sy_tuning_search *search, const sy_json_value *result)
{
    const char *word = sy_tuning_member_text(result, "invalidity");
    const sy_json_value *correctness = sy_json_member(result, "correctness");
    bool said_correct = word[0] == '\0' || strcmp(word, "correct") == 0;

    if (!said_correct) {
        if (search->draft->lints && !is_known_invalidity(word))
            sy_tuning_find(search->draft, SY_TUNING_RULE_FAILURE, sy_json_position(search->json, result->offset), word,
                           "no word of T4 for an invalid configuration");
        return sy_tuning_copy(search->draft, word, strlen(word));
    }
    if (correctness != NULL && correctness->kind == SY_JSON_NUMBER && !(correctness->number >= 1)) {
        sy_tuning_find(search->draft, SY_TUNING_RULE_FAILURE, sy_json_position(search->json, correctness->offset), "",
                       "it is said to be correct with a correctness of %.6g: it does not win", correctness->number);
        return "not correct";
    }
    return "";
}

/* unit: of the first time, which the others must have as well. */
static void read_result(sy_tuning_search *search, const sy_json_value *result, const char *file_unit, const char **unit)
{
    sy_tuning_draft *draft = search->draft;
    const sy_json_value *configuration = sy_json_member(result, "configuration");
    const sy_json_value *measured = find_measurement(result);
    sy_position position = sy_json_position(search->json, result->offset);
    const char *own_unit = sy_tuning_member_text(measured, "unit");
    const char *parameters;
    const char *reason;
    double time = NAN;

    if (configuration == NULL || configuration->kind != SY_JSON_OBJECT || configuration->count == 0 ||
        (parameters = sy_tuning_canonical(draft, configuration, NULL)) == NULL) {
        draft->entries++;
        draft->passed_over++;
        sy_tuning_find(draft, SY_TUNING_RULE_ENTRY, position, NULL, "expected a result with an object 'configuration'");
        return;
    }
    reason = invalid_reason(search, result);
    if (measured != NULL)
        time = sy_json_member(measured, "value")->number;
    else if (reason[0] == '\0')
        time = sy_tuning_mean(sy_json_member(sy_json_member(result, "times"), "runtimes"));
    if (isnan(time) && reason[0] == '\0' && measured == NULL)
        reason = "no time";
    own_unit = own_unit[0] != '\0' ? own_unit : file_unit;
    if (*unit == NULL)
        *unit = sy_tuning_copy(draft, own_unit, strlen(own_unit));
    if (strcmp(*unit, own_unit) != 0) {
        sy_tuning_find(draft, SY_TUNING_RULE_UNIT, position, own_unit,
                       "its time is in another unit than those before: it does not win");
        reason = "another unit";
    }
    sy_tuning_search_add(search, result, parameters, time, reason);
}

static const char *find_unit(sy_tuning_draft *draft, const char *said)
{
    const char *unit = said != NULL ? unit_of(said) : NULL;

    if (unit == NULL)
        sy_tuning_find(draft, SY_TUNING_RULE_UNIT, (sy_position){0, 1, 1}, said,
                       "the unit of the times is not known: they are kept as they are");
    return unit != NULL ? unit : said != NULL ? said : "";
}

/* The parameters of a configuration in the order of their bytes: an object of JSON has none of its own. */
static const char *names_of(sy_tuning_draft *draft, const char *parameters)
{
    sy_json *json = NULL;
    const char *names = "";

    if (sy_json_parse(parameters, strlen(parameters), NULL, &json, NULL) == SY_OK)
        names = sy_tuning_names(draft, sy_json_root(json));
    else
        draft->failed = true; /* it was written by us: only memory can be short */
    sy_json_destroy(json);
    return names;
}

sy_status sy_tuning_read_t4(const sy_json *json, sy_tuning_draft *draft, sy_error *err)
{
    sy_tuning_search search = {.draft = draft, .json = json};
    sy_tuning_structure structure = {.count = 0};
    const sy_json_value *root = sy_json_root(json);
    const sy_json_value *results = sy_json_member(root, "results");
    const char *file_unit = sy_tuning_member_text(sy_json_member(root, "metadata"), "timeunit");
    const char *backend = draft->options->backend != NULL ? draft->options->backend : "t4";
    const char *operator_name = draft->options->operator_name != NULL ? draft->options->operator_name : "t4";
    const char *names;
    const char *unit = NULL;
    sy_status status;

    draft->format = SY_TUNING_T4;
    if (results == NULL || results->kind != SY_JSON_ARRAY)
        return sy_json_fail(json, results != NULL ? results : root, err, "expected an array 'results'");
    for (const sy_json_value *result = results->first; result != NULL && !draft->failed; result = result->next)
        read_result(&search, result, file_unit, &unit);
    names = search.count > 0 ? names_of(draft, search.list[0].time.name) : "";
    sy_tuning_property(draft, &structure, "parameters", names, strlen(names));
    if (draft->options->operator_name == NULL)
        sy_tuning_note(draft, SY_TUNING_RULE_ENTRY, (sy_position){0, 1, 1},
                       "the file does not say of which kernel it is: name it with --operator");
    status = search.count > 0 && !draft->failed
                 ? sy_tuning_search_conclude(&search, backend, operator_name, &structure, find_unit(draft, unit), err)
                 : SY_OK;
    sy_tuning_search_finish(&search);
    return status;
}
