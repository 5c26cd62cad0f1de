/* SPDX-License-Identifier: Apache-2.0 */
/* The walk of one request: memory, store, shortcut, then a probe or a miss that is written down; each step leaves its
 * line in `why`. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "select/selector.h"

#define CONFIRM_PAIRS 16 /* of a portable answer */

/* The walk in progress. */
typedef struct walk {
    sy_selector *selector;
    const sy_request *request;
    sy_request_mark mark;
    sy_selection selection;
    sy_text why;
} walk;

static sy_status finish_walk(walk *w, const char *implementation, sy_selection_source source, sy_error *err)
{
    w->selection.implementation = sy_arena_copy_text(w->selector->arena, implementation);
    w->selection.why = w->why.failed ? NULL : sy_arena_copy_text(w->selector->arena, sy_text_bytes(&w->why));
    w->selection.source = source;
    return w->selection.implementation && w->selection.why ? SY_OK
                                                           : sy_fail(err, SY_NO_MEMORY, "no memory for an answer");
}

/* Why no stored profile answers: the one that agrees in most fields. */
static void explain_miss(walk *w, const sy_lookup *lookup)
{
    sy_verdict_list *others = NULL;
    sy_request request = *w->request;
    const sy_verdict *nearest = NULL;
    if (sy_store_others(w->selector->store, lookup, sy_request_validate, &request, &others, NULL) != SY_OK)
        return;
    for (size_t i = 0; i < others->count; i++) {
        if (!nearest || others->items[i].matching_fields > nearest->matching_fields)
            nearest = &others->items[i];
    }
    if (!nearest)
        sy_text_append_format(&w->why, "store: no profile of %s on %s\n", w->selection.operator_name,
                              w->selection.backend);
    else
        sy_text_append_format(&w->why, "store: none of %zu profiles answers; nearest: %s%s%s\n", others->count,
                              sy_verdict_reason_word(nearest->reason), nearest->field[0] ? ", field " : "",
                              nearest->field);
    sy_verdict_list_destroy(others);
}

/* SY_NOT_FOUND: go on. */
static sy_status ask_store(walk *w, sy_profile_view *ret_view, sy_error *err)
{
    sy_lookup lookup = sy_request_lookup(w->request, &w->selection);
    sy_request request = *w->request;
    if (!lookup.key.processor && w->request->structure_count == 0) {
        sy_text_append(
            &w->why, "store: a key fact of this machine is unknown, so no stored profile can be trusted to be of it\n");
        return SY_NOT_FOUND;
    }
    sy_error own = SY_ERROR_INIT;
    sy_status status = sy_store_lookup(w->selector->store, &lookup, sy_request_validate, &request, ret_view, &own);
    if (status == SY_NOT_FOUND)
        explain_miss(w, &lookup);
    else if (status && err)
        *err = own;
    return status;
}

static sy_status take_from_store(walk *w, const sy_profile_view *view, sy_error *err)
{
    const sy_profile *profile = view->profile;
    sy_text_append_format(&w->why, "store: %s profile%s%s\n", sy_profile_rank_word(view->rank),
                          view->prior ? ", not confirmed on this machine" : "",
                          view->undecided ? ", undecided: the reference until it expires" : "");
    w->selection.rank = view->rank;
    w->selection.from_store = true;
    w->selection.prior = view->prior;
    w->selection.undecided = view->undecided;
    return finish_walk(w, profile->policy, SY_SOURCE_STORE, err);
}

/* *ret_known is false when there is none. */
static sy_status take_shortcut(walk *w, bool *ret_known, sy_error *err)
{
    const sy_suite *suite = w->request->suite;
    sy_shortcut shortcut = {NULL, NULL};
    sy_device_info info;
    *ret_known = false;
    if (!suite->shortcut) {
        sy_text_append(&w->why, "shortcut: this operation has none\n");
        return SY_OK;
    }
    sy_status status = sy_device_describe(w->request->device, &info, err);
    if (!status)
        status = suite->shortcut(suite->user, &info, &shortcut, err);
    if (status || !shortcut.implementation) {
        if (!status)
            sy_text_append(&w->why, "shortcut: this device is not a known one\n");
        return status;
    }
    *ret_known = true;
    sy_text_append_format(&w->why, "shortcut: %s\n", shortcut.evidence ? shortcut.evidence : "known architecture");
    return finish_walk(w, shortcut.implementation, SY_SOURCE_SHORTCUT, err);
}

static sy_status probe_once(walk *w, const sy_suite *suite, const char *candidate, uint32_t attempt,
                            sy_probe_result **ret_result, sy_error *err)
{
    sy_probe_options options = SY_PROBE_OPTIONS_INIT;
    if (w->request->probe)
        options = *w->request->probe;
    options.cases = NULL;
    options.case_count = 0;
    options.implementations = candidate ? &candidate : NULL;
    options.implementation_count = candidate ? 1 : 0;
    options.allow_approximate = w->request->allow_approximate;
    options.alpha = ldexp(options.alpha, 1 - (int)(attempt < 60 ? attempt : 60)); /* lifetime error below 2 alpha */
    options.worker_path = w->selector->options.worker_path;
    if (candidate)
        options.max_pairs = CONFIRM_PAIRS < options.max_pairs ? CONFIRM_PAIRS : options.max_pairs;
    return sy_probe(w->request->device, suite, &options, ret_result, err);
}

static void warn_unstored(const sy_error *why)
{
    sy_log(SY_LOG_WARNING, "the decision is kept for this process only: %s%s%s", why->what, why->hint[0] ? "; " : "",
           why->hint);
}

/* Probes, records, stores, answers. candidate: what a portable profile proposes; NULL = all. */
static sy_status take_probe(walk *w, const char *candidate, sy_error *err)
{
    sy_suite suite;
    uint32_t attempts = 0;
    sy_probe_result *result = NULL;
    sy_selector *selector = w->selector;
    sy_status status = sy_request_suite(w->request, &suite, err);
    if (!status)
        status = sy_selector_attempts(selector, w->request, &attempts, err);
    if (!status)
        status = probe_once(w, &suite, candidate, attempts + 1, &result, err);
    if (status)
        return status;
    if (!result->winner) {
        status = sy_fail(err, SY_UNAVAILABLE, "%s", result->error);
        goto out;
    }
    if (selector->options.record)
        status = selector->options.record(selector->options.user, w->request, result, err);
    if (status)
        goto out;
    sy_error unstored = SY_ERROR_INIT;
    if (w->selection.processor[0] == '\0')
        sy_text_append(&w->why, "probe: not stored: a key fact of this machine is unknown\n");
    else if (sy_selector_store_result(selector, w->request, &w->selection, result, w->request->per_case, attempts + 1,
                                      NULL, &unstored) != SY_OK)
        warn_unstored(&unstored);
    sy_text_append_format(&w->why, "probe: %s%s%s after %u pairs (probe %u of this key)\n",
                          sy_decision_word(result->decision), result->reason[0] ? ", " : "", result->reason,
                          result->pairs, attempts + 1);
    w->selection.undecided = !result->completed;
    w->selection.timed_runs = (uint32_t)(2 * result->sample_count);
    w->selection.prior = false;
    w->selection.from_store = false;
    status = finish_walk(w, result->winner, SY_SOURCE_PROBE, err);
out:
    sy_probe_result_destroy(result);
    return status;
}

static sy_status miss(walk *w, sy_error *err)
{
    bool written = false;
    sy_error unwritten = SY_ERROR_INIT;
    if (w->request->mode == SY_SELECT_RECORD_MISS && !sy_selector_has_missed(w->selector, w->mark)) {
        if (sy_selector_record_miss(w->selector, w->request, &w->selection, &written, &unwritten) != SY_OK)
            sy_log(SY_LOG_WARNING, "a miss could not be written down: %s", unwritten.what);
        sy_selector_remember(w->selector, w->mark, NULL);
    }
    const char *end = strchr(sy_text_bytes(&w->why), '\n');
    int length = end ? (int)(end - sy_text_bytes(&w->why)) : 0;
    sy_status status = sy_fail(err, SY_NOT_FOUND, "no answer for %s on %s: %.*s", w->selection.operator_name,
                               w->selection.backend, length < 160 ? length : 160, sy_text_bytes(&w->why));
    if (w->request->mode == SY_SELECT_RECORD_MISS)
        sy_error_hint(err, written ? "the miss was written down: steelyard select --work-off probes it"
                                   : "steelyard select --work-off probes what was written down");
    return status;
}

/* A probe is owed although the store answers: a prior is confirmed, a retry asked for. */
static bool wants_probe(const sy_request *request, const sy_profile_view *view)
{
    bool override = view->rank == SY_PROFILE_RANK_OVERRIDE_EXACT || view->rank == SY_PROFILE_RANK_OVERRIDE_PORTABLE;
    return request->mode == SY_SELECT_PROBE && !override && ((view->prior && !request->per_case) || request->retry);
}

static sy_status walk_on(walk *w, sy_error *err)
{
    sy_profile_view view;
    bool known = false;
    sy_status status = ask_store(w, &view, err);
    if (!status && !wants_probe(w->request, &view))
        return take_from_store(w, &view, err);
    if (!status) {
        const char *reference = NULL;
        for (size_t i = 0; i < w->request->suite->implementation_count; i++) {
            if (w->request->suite->implementations[i].role == SY_ROLE_REFERENCE)
                reference = w->request->suite->implementations[i].name;
        }
        sy_text_append_format(&w->why, "store: %s profile proposes %s, to be %s here\n",
                              sy_profile_rank_word(view.rank), view.profile->policy,
                              view.prior ? "confirmed" : "probed again");
        return take_probe(
            w, view.prior && !sy_text_equal(reference, view.profile->policy) ? view.profile->policy : NULL, err);
    }
    if (status != SY_NOT_FOUND)
        return status;
    if (!w->request->retry) {
        status = take_shortcut(w, &known, err);
        if (status && status != SY_NOT_FOUND)
            return status;
    }
    if (known)
        return SY_OK;
    return w->request->mode == SY_SELECT_PROBE ? take_probe(w, NULL, err) : miss(w, err);
}

static sy_status select_one(sy_selector *selector, const sy_request *request, sy_selection *ret_selection,
                            sy_error *err)
{
    sy_request_mark mark = sy_request_mark_of(request);
    sy_selection recalled;
    if (!request->retry && sy_selector_recall(selector, mark, &recalled) &&
        !(request->mode == SY_SELECT_PROBE && recalled.prior)) {
        recalled.source = SY_SOURCE_MEMORY;
        recalled.timed_runs = 0;
        *ret_selection = recalled;
        return SY_OK;
    }
    walk w = {.selector = selector, .request = request, .mark = mark, .why = SY_TEXT_INIT};
    (void)pthread_mutex_lock(&selector->making);
    sy_status status = sy_request_key(selector, request, &w.selection, err);
    if (!status)
        status = walk_on(&w, err);
    if (!status) {
        sy_selector_remember(selector, mark, &w.selection);
        *ret_selection = w.selection;
    }
    (void)pthread_mutex_unlock(&selector->making);
    sy_text_finish(&w.why);
    return status;
}

/* A case's properties and its element type, as the structure of a portable key. *ret_structure is freed by the caller.
 */
static sy_status structure_of(const sy_case *c, sy_property **ret_structure, size_t *ret_count, sy_error *err)
{
    size_t room = c->property_count * 24;
    sy_property *structure = sy_allocate(1, (c->property_count + 1) * sizeof(*structure) + room);
    if (!structure)
        return sy_fail(err, SY_NO_MEMORY, "no memory for the structure of a case");
    char *values = (char *)(structure + c->property_count + 1);
    for (size_t i = 0; i < c->property_count; i++) {
        (void)snprintf(values + i * 24, 24, "%lld", (long long)c->properties[i].value);
        structure[i] = (sy_property){c->properties[i].name, values + i * 24};
    }
    structure[c->property_count] = (sy_property){"dtype", sy_dtype_word(c->dtype)};
    *ret_structure = structure;
    *ret_count = c->property_count + 1;
    return SY_OK;
}

/* Each case by itself. The joined answer is that of the heaviest case; `why` has a line for each. */
static sy_status select_per_case(sy_selector *selector, const sy_request *request, sy_selection *ret_selection,
                                 sy_error *err)
{
    sy_suite suite;
    sy_text why = SY_TEXT_INIT;
    sy_selection heaviest = {0};
    double weight = -1;
    uint32_t timed_runs = 0;
    sy_status status = sy_request_suite(request, &suite, err);
    for (size_t i = 0; !status && i < suite.case_count; i++) {
        sy_request one = *request;
        sy_selection selection;
        sy_property *structure = NULL;
        one.cases = &suite.cases[i];
        one.case_count = 1;
        status = structure_of(&suite.cases[i], &structure, &one.structure_count, err);
        one.structure = structure;
        if (!status)
            status = select_one(selector, &one, &selection, err);
        sy_free(structure);
        if (status)
            break;
        timed_runs += selection.timed_runs;
        sy_text_append_format(&why, "%s: %s (%s)\n", suite.cases[i].name, selection.implementation,
                              sy_selection_source_word(selection.source));
        if (suite.cases[i].weight > weight) {
            weight = suite.cases[i].weight;
            heaviest = selection;
        }
    }
    if (!status) {
        (void)pthread_mutex_lock(&selector->making);
        heaviest.why = why.failed ? NULL : sy_arena_copy_text(selector->arena, sy_text_bytes(&why));
        (void)pthread_mutex_unlock(&selector->making);
        heaviest.timed_runs = timed_runs;
        if (heaviest.why)
            *ret_selection = heaviest;
        else
            status = sy_fail(err, SY_NO_MEMORY, "no memory for an answer");
    }
    sy_text_finish(&why);
    return status;
}

sy_status sy_select(sy_selector *selector, const sy_request *request, sy_selection *ret_selection, sy_error *err)
{
    if (!request->suite || !request->device)
        return sy_fail(err, SY_INVALID_ARGUMENT, "a request without %s", request->suite ? "a device" : "a suite");
    return request->per_case ? select_per_case(selector, request, ret_selection, err)
                             : select_one(selector, request, ret_selection, err);
}
