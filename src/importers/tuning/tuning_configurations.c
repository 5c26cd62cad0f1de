/* SPDX-License-Identifier: Apache-2.0 */
/* One search of a kernel's parameters: which configuration won, which had no time, which stands there twice. */
#include "importers/tuning/tuning_configurations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

void sy_tuning_search_add(sy_tuning_search *search, const sy_json_value *value, const char *parameters, double time,
                          const char *reason)
{
    sy_tuning_draft *draft = search->draft;
    const char *why = reason[0] == '\0' ? sy_tuning_unbelievable(time) : NULL;

    draft->entries++;
    if (search->count == search->capacity) {
        size_t capacity = search->capacity == 0 ? 256 : 2 * search->capacity;
        sy_tuning_configuration *larger = sy_reallocate(search->list, capacity, sizeof *larger);

        if (larger == NULL) {
            draft->failed = true;
            return;
        }
        search->list = larger;
        search->capacity = capacity;
    }
    if (why != NULL) {
        sy_tuning_find(draft, SY_TUNING_RULE_TIME, sy_json_position(search->json, value->offset), parameters,
                       "a time that is %s is not believed: the configuration does not win by it", why);
        reason = why;
    }
    search->list[search->count++] = (sy_tuning_configuration){
        .time = {parameters, reason, reason[0] == '\0' ? time : NAN, 0}, .value = value};
}

void sy_tuning_search_finish(sy_tuning_search *search)
{
    sy_free(search->list);
    search->list = NULL;
    search->count = search->capacity = 0;
}

static int compare_parameters(const void *left, const void *right)
{
    const sy_tuning_configuration *a = *(sy_tuning_configuration *const *)left;
    const sy_tuning_configuration *b = *(sy_tuning_configuration *const *)right;
    int order = strcmp(a->time.name, b->time.name);

    return order != 0 ? order : (a > b) - (a < b);
}

static void tell_again(sy_tuning_search *search, const sy_tuning_configuration *first, sy_tuning_configuration *again)
{
    sy_tuning_draft *draft = search->draft;
    bool same = first->time.time == again->time.time || (isnan(first->time.time) && isnan(again->time.time));
    sy_position position = sy_json_position(search->json, again->value->offset);
    unsigned line = sy_json_position(search->json, first->value->offset).line;

    again->again = true;
    draft->passed_over++;
    if (same)
        sy_tuning_note(draft, SY_TUNING_RULE_DUPLICATE, position, "the same parameters and time as in line %u", line);
    else
        sy_tuning_find(draft, SY_TUNING_RULE_DUPLICATE, position, again->time.name,
                       "line %u has these parameters with another time: the first counts", line);
}

static sy_status find_repeated(sy_tuning_search *search, sy_error *err)
{
    sy_tuning_configuration **sorted = sy_allocate(search->count, sizeof *sorted);
    const sy_tuning_configuration *first = NULL;

    if (sorted == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for %zu configurations", search->count);
    for (size_t i = 0; i < search->count; i++)
        sorted[i] = &search->list[i];
    if (search->count > 0)
        qsort(sorted, search->count, sizeof *sorted, compare_parameters);
    for (size_t i = 0; i < search->count; i++) {
        if (first != NULL && strcmp(first->time.name, sorted[i]->time.name) == 0)
            tell_again(search, first, sorted[i]);
        else
            first = sorted[i];
    }
    sy_free(sorted);
    return SY_OK;
}

/* Times of all that count, the winner's index among them. */
static sy_status gather(const sy_tuning_search *search, sy_tuning_time **ret_times, size_t *ret_count,
                        size_t *ret_winner, sy_error *err)
{
    sy_tuning_time *times = sy_allocate(search->count, sizeof *times);
    size_t count = 0;
    size_t winner = SIZE_MAX;

    if (times == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for %zu configurations", search->count);
    for (size_t i = 0; i < search->count; i++) {
        const sy_tuning_time *time = &search->list[i].time;

        if (search->list[i].again)
            continue;
        if (!isnan(time->time) && (winner == SIZE_MAX || time->time < times[winner].time))
            winner = count;
        times[count++] = *time;
    }
    *ret_times = times;
    *ret_count = count;
    *ret_winner = winner;
    return SY_OK;
}

static size_t note_failures(const sy_tuning_search *search)
{
    size_t failed = 0;
    const sy_tuning_configuration *first = NULL;

    for (size_t i = 0; i < search->count; i++) {
        if (search->list[i].again || !isnan(search->list[i].time.time))
            continue;
        first = first != NULL ? first : &search->list[i];
        failed++;
    }
    if (first != NULL)
        sy_tuning_note(search->draft, SY_TUNING_RULE_FAILURE, sy_json_position(search->json, first->value->offset),
                       "%zu of %zu configurations have no time; this is the first: %.100s", failed, search->count,
                       first->time.reason);
    return failed;
}

sy_status sy_tuning_search_conclude(sy_tuning_search *search, const char *backend, const char *operator_name,
                                    sy_tuning_structure *structure, const char *unit, sy_error *err)
{
    sy_tuning_draft *draft = search->draft;
    const char *version = draft->options->implementation_version;
    sy_tuning_time *times = NULL;
    size_t count = 0;
    size_t winner = SIZE_MAX;
    sy_status status = find_repeated(search, err);

    if (status == SY_OK)
        status = gather(search, &times, &count, &winner, err);
    if (status != SY_OK)
        return status;
    if (winner == SIZE_MAX) {
        draft->passed_over = draft->entries;
        sy_tuning_find(draft, SY_TUNING_RULE_WINNER, (sy_position){0, 1, 1}, NULL,
                       "none of %zu configurations has a time that can be true: none wins", count);
    } else {
        sy_measurement measured[] = {{"time", times[winner].time, unit},
                                     {"configurations", (double)count, ""},
                                     {"failed", (double)note_failures(search), ""}};
        sy_position position = {0, 1, 1};
        sy_tuned *tuned;

        for (size_t i = 0; i < search->count; i++) {
            if (search->list[i].time.name == times[winner].name)
                position = sy_json_position(search->json, search->list[i].value->offset);
        }
        tuned = sy_tuning_add(draft, backend, operator_name, version != NULL ? version : "unknown", structure,
                              times[winner].name, position);
        if (tuned != NULL) {
            sy_tuning_measurements(draft, &tuned->profile, measured, 3);
            sy_tuning_alternatives(draft, &tuned->profile, times, count, winner);
        }
    }
    sy_free(times);
    return SY_OK;
}

/* Nesting is bounded by the limits of the parse. */
static void copy_value(sy_json_writer *writer, const sy_json_value *value)
{
    switch (value->kind) {
    case SY_JSON_NUMBER:
        sy_json_double(writer, value->number);
        return;
    case SY_JSON_TEXT:
        sy_json_text_sized(writer, value->text, value->text_length);
        return;
    case SY_JSON_FALSE:
    case SY_JSON_TRUE:
        sy_json_bool(writer, value->kind == SY_JSON_TRUE);
        return;
    case SY_JSON_NULL:
        sy_json_null(writer);
        return;
    case SY_JSON_ARRAY:
        sy_json_begin_array(writer);
        break;
    default:
        sy_json_begin_object(writer);
    }
    for (const sy_json_value *child = value->first; child != NULL; child = child->next) {
        if (value->kind == SY_JSON_OBJECT)
            sy_json_name_sized(writer, child->name, child->name_length);
        copy_value(writer, child);
    }
    if (value->kind == SY_JSON_ARRAY)
        sy_json_end_array(writer);
    else
        sy_json_end_object(writer);
}

const char *sy_tuning_canonical(sy_tuning_draft *draft, const sy_json_value *value, const sy_json_value *names)
{
    sy_text text = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_writer_create(&text, SY_JSON_CANONICAL);
    const char *kept = NULL;
    bool whole = true;
    sy_status status;

    if (names == NULL) {
        copy_value(writer, value);
    } else {
        sy_json_begin_object(writer);
        for (const sy_json_value *name = names->first; name != NULL && whole; name = name->next) {
            const sy_json_value *member = name->kind == SY_JSON_TEXT ? sy_json_member(value, name->text) : NULL;

            whole = member != NULL;
            if (!whole)
                break;
            sy_json_name(writer, name->text);
            copy_value(writer, member);
        }
        sy_json_end_object(writer);
    }
    status = sy_json_writer_finish(writer, NULL);
    draft->failed = draft->failed || status == SY_NO_MEMORY;
    if (status == SY_OK && whole && text.length <= SY_TUNING_TEXT_MAX)
        kept = sy_tuning_copy(draft, text.bytes, text.length);
    sy_text_finish(&text);
    return kept;
}

const char *sy_tuning_names(sy_tuning_draft *draft, const sy_json_value *value)
{
    sy_text text = SY_TEXT_INIT;
    const char *kept = "";

    for (const sy_json_value *child = value != NULL ? value->first : NULL; child != NULL; child = child->next) {
        const char *name = value->kind == SY_JSON_OBJECT ? child->name : child->kind == SY_JSON_TEXT ? child->text : "";

        sy_text_append(&text, text.length > 0 ? "," : "");
        sy_text_append(&text, name);
    }
    draft->failed = draft->failed || text.failed;
    if (text.length > 0 && text.length <= SY_TUNING_TEXT_MAX)
        kept = sy_tuning_copy(draft, text.bytes, text.length);
    sy_text_finish(&text);
    return kept;
}

double sy_tuning_mean(const sy_json_value *array)
{
    double sum = 0;
    size_t count = 0;

    if (array == NULL || array->kind != SY_JSON_ARRAY)
        return NAN;
    for (const sy_json_value *value = array->first; value != NULL; value = value->next) {
        if (value->kind == SY_JSON_NUMBER && isfinite(value->number)) {
            sum += value->number;
            count++;
        }
    }
    return count > 0 ? sum / (double)count : NAN;
}

const char *sy_tuning_member_text(const sy_json_value *value, const char *name)
{
    const sy_json_value *member = sy_json_member(value, name);

    return member != NULL && member->kind == SY_JSON_TEXT ? member->text : "";
}
