/* SPDX-License-Identifier: Apache-2.0 */
/* Each case of a request by itself, kept under its properties as structure. */
#include "select/per_case.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

#define VALUE_BYTES 24

/* A case's properties, its element type and cold buffers, as the structure of a portable key. *ret_structure is freed
 * by the caller. */
static sy_status structure_of(const sy_request *request, const sy_case *c, sy_property **ret_structure,
                              size_t *ret_count, sy_error *err)
{
    size_t room = c->property_count * VALUE_BYTES;
    sy_property *structure = sy_allocate(1, (c->property_count + 3) * sizeof(*structure) + room);
    if (!structure)
        return sy_fail(err, SY_NO_MEMORY, "no memory for the structure of a case");
    char *values = (char *)(structure + c->property_count + 3);
    for (size_t i = 0; i < c->property_count; i++) {
        (void)snprintf(values + i * VALUE_BYTES, VALUE_BYTES, "%lld", (long long)c->properties[i].value);
        structure[i] = (sy_property){c->properties[i].name, values + i * VALUE_BYTES};
    }
    structure[c->property_count] = (sy_property){"dtype", sy_dtype_word(c->dtype)};
    *ret_structure = structure;
    *ret_count = c->property_count + 1;
    if (sy_request_cache(request) == SY_CACHE_COLD)
        structure[(*ret_count)++] = (sy_property){SY_STRUCTURE_CACHE, request->cache_state};
    if (request->prefer == SY_PREFER_MEMORY)
        structure[(*ret_count)++] = (sy_property){SY_STRUCTURE_PREFER, sy_preference_word(request->prefer)};
    return SY_OK;
}

sy_status sy_request_of_case(const sy_request *request, const sy_case *c, sy_request *ret_one,
                             sy_property **ret_structure, sy_error *err)
{
    sy_request one = *request;
    sy_property *structure = NULL;
    one.cases = c;
    one.case_count = 1;
    sy_status status = structure_of(request, c, &structure, &one.structure_count, err);
    if (status)
        return status;
    one.structure = structure;
    *ret_one = one;
    *ret_structure = structure;
    return SY_OK;
}

typedef sy_status ask_fn(sy_selector *selector, const sy_request *request, sy_selection *ret_selection, sy_error *err);

static sy_status ask_case(sy_selector *selector, const sy_request *request, const sy_case *c, ask_fn *ask,
                          sy_selection *ret_selection, sy_error *err)
{
    sy_request one = *request;
    sy_property *structure = NULL;
    sy_status status = sy_request_of_case(request, c, &one, &structure, err);
    if (!status)
        status = ask(selector, &one, ret_selection, err);
    sy_free(structure);
    return status;
}

/* Adds one case's answer to the joined one. */
static void join(sy_selection *joined, const sy_selection *one, bool heaviest)
{
    sy_selection sum = heaviest ? *one : *joined;
    sum.timed_runs = joined->timed_runs + one->timed_runs;
    sum.stored = joined->stored && one->stored;
    *joined = sum;
}

sy_status sy_select_per_case(sy_selector *selector, const sy_request *request, sy_selection *ret_selection,
                             sy_error *err)
{
    sy_suite suite;
    sy_text why = SY_TEXT_INIT;
    sy_selection joined = {.stored = true};
    double weight = -1;
    sy_error first_miss = SY_ERROR_INIT;
    bool missed = false;
    sy_status status = sy_request_suite(request, &suite, err);
    for (size_t i = 0; !status && i < suite.case_count; i++) {
        const sy_case *c = &suite.cases[i];
        sy_selection selection;
        sy_error own = SY_ERROR_INIT;
        status = ask_case(selector, request, c, sy_select_one, &selection, &own);
        if (status == SY_NOT_FOUND) {
            first_miss = missed ? first_miss : own;
            missed = true;
            status = SY_OK;
            continue;
        }
        if (status) {
            if (err)
                *err = own;
            break;
        }
        sy_text_append_format(&why, "%s: %s (%s)\n", c->name, selection.implementation,
                              sy_selection_source_word(selection.source));
        join(&joined, &selection, c->weight > weight);
        weight = c->weight > weight ? c->weight : weight;
    }
    if (!status && missed) {
        status = SY_NOT_FOUND;
        if (err)
            *err = first_miss;
    }
    if (!status) {
        (void)pthread_mutex_lock(&selector->making);
        joined.why = why.failed ? NULL : sy_selector_keep_text(selector, sy_text_bytes(&why));
        (void)pthread_mutex_unlock(&selector->making);
        status = joined.why ? SY_OK : sy_fail(err, SY_NO_MEMORY, "no memory for an answer");
    }
    if (!status)
        *ret_selection = joined;
    sy_text_finish(&why);
    return status;
}

/* A case's answer as one line, or each reason why there is none. */
static void append_case(sy_text *why, const sy_case *c, const sy_selection *selection)
{
    if (selection->implementation) {
        sy_text_append_format(why, "%s: %s (%s)\n", c->name, selection->implementation,
                              sy_selection_source_word(selection->source));
        return;
    }
    for (const char *line = selection->why; *line;) {
        size_t length = strcspn(line, "\n");
        sy_text_append_format(why, "%s: %.*s\n", c->name, (int)length, line);
        line += length + (line[length] == '\n');
    }
}

sy_status sy_explain_per_case(sy_selector *selector, const sy_request *request, sy_selection *ret_selection,
                              sy_error *err)
{
    sy_suite suite;
    sy_text why = SY_TEXT_INIT;
    sy_selection joined = {0};
    double weight = -1;
    bool missed = false;
    sy_status status = sy_request_suite(request, &suite, err);
    if (!status)
        status = sy_request_key(selector, request, &joined, err);
    const sy_selection key = joined;
    for (size_t i = 0; !status && i < suite.case_count; i++) {
        const sy_case *c = &suite.cases[i];
        sy_selection selection;
        status = ask_case(selector, request, c, sy_explain_one, &selection, err);
        if (status)
            break;
        append_case(&why, c, &selection);
        missed = missed || !selection.implementation;
        join(&joined, &selection, c->weight > weight);
        weight = c->weight > weight ? c->weight : weight;
    }
    if (!status) {
        joined = missed ? key : joined;
        (void)pthread_mutex_lock(&selector->making);
        joined.why = why.failed ? NULL : sy_selector_keep_text(selector, sy_text_bytes(&why));
        (void)pthread_mutex_unlock(&selector->making);
        status = joined.why ? SY_OK : sy_fail(err, SY_NO_MEMORY, "no memory for an answer");
    }
    if (!status)
        *ret_selection = joined;
    sy_text_finish(&why);
    return status;
}
