/* SPDX-License-Identifier: Apache-2.0 */
/* The walk of one request: memory, store, shortcut, then a probe or a miss that is written down; each step leaves its
 * line in `why`. Of what the store has, a portable profile from elsewhere comes behind the shortcut. */
#include "select/walk.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/lock.h"
#include "base/log.h"
#include "operations/suite.h"
#include "select/per_case.h"

sy_status sy_walk_finish(sy_walk *walk, const char *implementation, sy_selection_source source, sy_error *err)
{
    sy_selector *selector = walk->selector;
    (void)pthread_mutex_lock(&selector->making);
    walk->selection.implementation = sy_selector_keep_text(selector, implementation);
    walk->selection.why = walk->why.failed ? NULL : sy_selector_keep_text(selector, sy_text_bytes(&walk->why));
    (void)pthread_mutex_unlock(&selector->making);
    walk->selection.source = source;
    return walk->selection.implementation && walk->selection.why
               ? SY_OK
               : sy_fail(err, SY_NO_MEMORY, "no memory for an answer");
}

/* Why no stored profile answers: the one that agrees in most fields. */
static void explain_miss(sy_walk *walk, const sy_lookup *lookup)
{
    sy_verdict_list *others = NULL;
    sy_request request = *walk->request;
    const sy_verdict *nearest = NULL;
    if (sy_store_others(walk->selector->store, lookup, sy_request_validate, &request, &others, NULL) != SY_OK)
        return;
    for (size_t i = 0; i < others->count; i++) {
        if (!nearest || others->items[i].matching_fields > nearest->matching_fields)
            nearest = &others->items[i];
    }
    if (!nearest)
        sy_text_append_format(&walk->why, "store: no profile of %s on %s\n", walk->selection.operator_name,
                              walk->selection.backend);
    else
        sy_text_append_format(&walk->why, "store: none of %zu profiles answers; nearest: %s%s%s\n", others->count,
                              sy_verdict_reason_word(nearest->reason), nearest->field[0] ? ", field " : "",
                              nearest->field);
    sy_verdict_list_destroy(others);
}

sy_status sy_walk_ask_store(sy_walk *walk, sy_profile_view *ret_view, sy_error *err)
{
    sy_lookup lookup = sy_request_lookup(walk->request, &walk->selection);
    sy_request request = *walk->request;
    walk->changes = sy_store_changes(walk->selector->store);
    walk->lasting = true;
    if (!lookup.key.processor && walk->request->structure_count == 0) {
        sy_text_append_format(&walk->why,
                              "store: a key fact of this machine is unknown (%s), so no stored profile can be trusted "
                              "to be of it\n",
                              sy_selector_unknown_facts(walk->selector, walk->request->device));
        return SY_NOT_FOUND;
    }
    sy_error own = SY_ERROR_INIT;
    sy_status status = sy_store_lookup(walk->selector->store, &lookup, sy_request_validate, &request, ret_view, &own);
    if (status == SY_NOT_FOUND)
        explain_miss(walk, &lookup);
    else if (status && err)
        *err = own;
    return status;
}

void sy_walk_note_processes(sy_walk *walk, double processes)
{
    if (processes < 2)
        sy_text_append(&walk->why, ", from one process of each implementation");
    else
        sy_text_append_format(&walk->why, ", over %.0f processes of each implementation", processes);
}

/* What a probe wrote, that is; others need not say it. */
static void note_stored_processes(sy_walk *walk, const sy_profile *profile)
{
    for (size_t i = 0; i < profile->measurement_count; i++) {
        if (strcmp(profile->measurements[i].name, SY_MEASUREMENT_PROCESSES) == 0)
            sy_walk_note_processes(walk, profile->measurements[i].value);
    }
}

sy_status sy_walk_take_profile(sy_walk *walk, const sy_profile_view *view, sy_error *err)
{
    const sy_profile *profile = view->profile;
    sy_text_append_format(&walk->why, "store: %s profile%s%s", sy_profile_rank_word(view->rank),
                          view->prior ? ", not confirmed on this machine" : "",
                          view->undecided ? ", undecided: the reference until it expires" : "");
    note_stored_processes(walk, profile);
    sy_text_append(&walk->why, "\n");
    walk->selection.rank = view->rank;
    walk->selection.from_store = true;
    walk->selection.stored = true;
    walk->selection.prior = view->prior;
    walk->selection.undecided = view->undecided;
    walk->lasting = profile->expires_utc_s == 0;
    return sy_walk_finish(walk, profile->policy, SY_SOURCE_STORE, err);
}

/* Whether the named implementation may be used and is there for all cases that are asked for; else why says why not. */
static sy_status check_shortcut(const sy_request *request, const sy_suite *suite, const char *name, bool *ret_usable,
                                sy_error *why)
{
    sy_request own = *request;
    uint32_t variant = 0;
    *ret_usable = false;
    sy_status status = sy_request_validate(&own, name, strlen(name), why);
    if (status)
        return status == SY_POLICY_REJECTED ? SY_OK : status;
    status = sy_suite_find_implementation(suite, name, &variant, why);
    for (size_t i = 0; !status && i < suite->case_count; i++) {
        sy_availability here;
        status = sy_probe_supported(request->device, suite, &suite->cases[i], variant, &here, why);
        if (status || !here.available) {
            if (!status)
                (void)sy_fail(why, SY_UNAVAILABLE, "%s is not there for case '%s': %s", name, suite->cases[i].name,
                              here.reason);
            return status == SY_NO_MEMORY ? status : SY_OK;
        }
    }
    *ret_usable = !status;
    return status;
}

/* What the suite knows of this device for all cases that are asked for; the answer's line stands in why unless there is
 * one. */
static sy_status ask_shortcut(sy_walk *walk, sy_shortcut *ret_shortcut, sy_error *err)
{
    const sy_request *request = walk->request;
    sy_shortcut shortcut = {0};
    sy_device_info info;
    sy_suite suite;
    bool usable = false;
    sy_error why = SY_ERROR_INIT;
    sy_status status = sy_request_suite(request, &suite, err);
    if (!status)
        status = sy_device_describe(request->device, &info, err);
    if (status)
        return status;
    const sy_shortcut_question question = {.device = &info,
                                           .cases = suite.cases,
                                           .case_count = suite.case_count,
                                           .cache = sy_request_cache(request),
                                           .prefer = request->prefer,
                                           .allow_approximate = request->allow_approximate};
    status = suite.shortcut(suite.user, &question, &shortcut, err);
    if (status)
        return status;
    shortcut.reason[sizeof(shortcut.reason) - 1] = '\0';
    if (!shortcut.implementation) {
        sy_text_append_format(&walk->why, "shortcut: %s%s\n", shortcut.reason[0] ? "passed over: " : "",
                              shortcut.reason[0] ? shortcut.reason : "this device is not a known one");
        return SY_OK;
    }
    status = check_shortcut(request, &suite, shortcut.implementation, &usable, &why);
    if (status) {
        if (err)
            *err = why;
        return status;
    }
    if (usable)
        *ret_shortcut = shortcut;
    else
        sy_text_append_format(&walk->why, "shortcut: passed over: %s\n", why.what);
    return SY_OK;
}

/* *ret_known is false when there is none that this request may use. */
static sy_status take_shortcut(sy_walk *walk, bool *ret_known, sy_error *err)
{
    sy_selector *selector = walk->selector;
    sy_shortcut shortcut = {0};
    *ret_known = false;
    if (!walk->request->suite->shortcut || walk->request->no_shortcuts) {
        sy_text_append(&walk->why, walk->request->suite->shortcut ? "shortcut: none is asked for\n"
                                                                  : "shortcut: this operation has none\n");
        return SY_OK;
    }
    sy_status status = ask_shortcut(walk, &shortcut, err);
    if (status || !shortcut.implementation)
        return status;
    const char *evidence = shortcut.evidence ? shortcut.evidence : "known architecture";
    sy_text_append_format(&walk->why, "shortcut: %s%s%s%s\n", evidence, shortcut.date ? " (" : "",
                          shortcut.date ? shortcut.date : "", shortcut.date ? ")" : "");
    (void)pthread_mutex_lock(&selector->making);
    walk->selection.evidence = sy_selector_keep_text(selector, evidence);
    walk->selection.evidence_date = shortcut.date ? sy_selector_keep_text(selector, shortcut.date) : NULL;
    (void)pthread_mutex_unlock(&selector->making);
    if (!walk->selection.evidence || (shortcut.date && !walk->selection.evidence_date))
        return sy_fail(err, SY_NO_MEMORY, "no memory for an answer");
    *ret_known = true;
    return sy_walk_finish(walk, shortcut.implementation, SY_SOURCE_SHORTCUT, err);
}

/* Writes the miss down unless this process did, and says in hint what became of it. */
static void note_miss(sy_walk *walk, char *hint, size_t hint_size)
{
    char path[4096] = "";
    bool written = false;
    sy_error unwritten = SY_ERROR_INIT;
    sy_miss_state state = sy_selector_claim_miss(walk->selector, walk->mark);
    if (state == SY_MISS_NONE) {
        sy_status status = sy_selector_record_miss(walk->selector, walk->request, &walk->selection, path, sizeof(path),
                                                   &written, &state, &unwritten);
        if (status) {
            state = SY_MISS_FAILED;
            sy_log(SY_LOG_WARNING, "a miss could not be written down: %s", unwritten.what);
        }
        sy_selector_set_miss(walk->selector, walk->mark, state);
    } else if (state == SY_MISS_WRITTEN) {
        (void)!sy_selector_misses_path(walk->selector, path, sizeof(path), NULL);
    }
    if (state == SY_MISS_WRITTEN)
        (void)snprintf(hint, hint_size, "the miss %s %s; steelyard select --work-off FILE --save probes it",
                       written ? "was written down in" : "stands already in", path);
    else
        (void)snprintf(hint, hint_size, "the miss is not written down: %s",
                       state == SY_MISS_NOWHERE ? "the store has no file"
                       : unwritten.what[0] != 0 ? unwritten.what
                                                : "that failed before");
}

static sy_status miss(sy_walk *walk, sy_error *err)
{
    char hint[4400] = "";
    const char *end = strchr(sy_text_bytes(&walk->why), '\n');
    int length = end ? (int)(end - sy_text_bytes(&walk->why)) : 0;
    if (walk->request->mode == SY_SELECT_RECORD_MISS)
        note_miss(walk, hint, sizeof(hint));
    if (hint[0] == '\0' && walk->selection.timed_runs > 0) /* what was tried is not told by an answer: there is none */
        (void)snprintf(hint, sizeof(hint), "what is stored was held against the reference: %s after %u timed runs",
                       sy_confirmation_word(walk->selection.confirmation), walk->selection.timed_runs);
    sy_status status = sy_fail(err, SY_NOT_FOUND, "no answer for %s on %s: %.*s", walk->selection.operator_name,
                               walk->selection.backend, length < 160 ? length : 160, sy_text_bytes(&walk->why));
    if (hint[0])
        sy_error_hint(err, "%s", hint);
    return status;
}

/* A probe is owed although there is an answer: a prior is confirmed unless portable ones were asked for, a retry asked
 * for. */
static bool wants_probe(const sy_request *request, bool from_store, sy_profile_rank rank, bool prior)
{
    bool override = from_store && (rank == SY_PROFILE_RANK_OVERRIDE_EXACT || rank == SY_PROFILE_RANK_OVERRIDE_PORTABLE);
    return request->mode == SY_SELECT_PROBE && !override &&
           (request->retry || (prior && !sy_request_is_portable(request)));
}

/* A portable profile that was proven elsewhere, where nobody asked for portable ones: what is known of this very
 * architecture stands before it. */
static bool is_stand_in(const sy_request *request, const sy_profile_view *view)
{
    return view->prior && !sy_request_is_portable(request) && request->suite->shortcut && !request->no_shortcuts;
}

/* What the walk answers when no probe has. */
static sy_status answer_without_probe(sy_walk *walk, const sy_profile_view *view, sy_error *err)
{
    if (!view)
        return miss(walk, err);
    sy_walk_note_contradiction(walk, view);
    return sy_walk_take_profile(walk, view, err);
}

/* may_probe: `probing` is held; else a probe that only could answer is noted as owed. */
static sy_status walk_on(sy_walk *walk, bool may_probe, sy_error *err)
{
    sy_profile_view view;
    const sy_request *request = walk->request;
    bool known = false;
    sy_status status = sy_walk_ask_store(walk, &view, err);
    if (status && status != SY_NOT_FOUND)
        return status;
    bool stands_in = !status && is_stand_in(request, &view);
    bool probes_again = request->mode == SY_SELECT_PROBE && request->retry;
    if (status && !probes_again &&
        sy_selector_recall_own(walk->selector, walk->mark, walk->changes, &walk->selection)) {
        walk->lasting = false; /* it is remembered as it was */
        return SY_OK;
    }
    if ((status || stands_in) && !probes_again) {
        if (stands_in)
            sy_text_append_format(&walk->why, "store: %s profile proposes %s, not confirmed on this machine\n",
                                  sy_profile_rank_word(view.rank), view.profile->policy);
        sy_status cut = take_shortcut(walk, &known, err);
        if (cut || known)
            return cut;
    }
    const sy_profile_view *answered = status ? NULL : &view;
    bool weighs_all = request->mode == SY_SELECT_PROBE &&
                      (!answered || wants_probe(request, true, view.rank, view.prior));
    sy_proposal proposal = {NULL, "", "", false};
    if (weighs_all || request->confirm_pairs > 0)
        sy_walk_propose(walk, answered, &proposal);
    if (proposal.profile && !weighs_all && !sy_walk_may_confirm(walk, &proposal))
        proposal.profile = NULL;
    if (!weighs_all && !proposal.profile)
        return answer_without_probe(walk, answered, err);
    walk->probe_owed = !may_probe;
    bool settled = true;
    status = may_probe ? sy_walk_probe(walk, answered, &proposal, weighs_all, &settled, err) : SY_OK;
    return status || settled ? status : answer_without_probe(walk, answered, err);
}

/* Whether an answer from memory is to be confirmed by this call. */
static bool wants_confirmation(sy_selector *selector, const sy_request *request, sy_request_mark mark,
                               const sy_selection *answer)
{
    bool override = answer->from_store && answer->rank <= SY_PROFILE_RANK_OVERRIDE_PORTABLE;
    if (request->confirm_pairs == 0 || override || answer->source == SY_SOURCE_SHORTCUT)
        return false;
    return request->retry ||
           (answer->prior && !sy_request_is_portable(request) && !sy_selector_has_tried(selector, mark));
}

/* Processes of one store that confirm wait for each other, as long as a probe may take, and then look what the others
 * have found: ranks that start together probe once, and answer alike. Without a file there are no others. */
static void wait_for_others(sy_walk *walk, sy_lock **ret_lock)
{
    static const sy_probe_options defaults = SY_PROBE_OPTIONS_INIT;
    sy_layer_info layer;
    sy_text path = SY_TEXT_INIT;
    sy_error why = SY_ERROR_INIT;
    const sy_probe_options *probe = walk->request->probe ? walk->request->probe : &defaults;
    if (sy_store_layer(walk->selector->store, 0, &layer, NULL) == SY_OK && layer.path[0]) {
        sy_text_append_format(&path, "%s.probing.lock", layer.path);
        sy_status status = path.failed ? SY_NO_MEMORY
                                       : sy_lock_take(sy_text_bytes(&path), probe->wall_limit_ns, ret_lock, &why);
        if (status == SY_BUSY) {
            sy_text_append_format(&walk->why, "confirm: not waited for longer: %s\n", why.what);
            (void)sy_selector_claim_confirmation(walk->selector, walk->mark);
        }
        if (sy_store_reload(walk->selector->store, &why) != SY_OK)
            sy_log(SY_LOG_DEBUG, "what others may have confirmed cannot be read: %s", why.what);
    }
    sy_text_finish(&path);
}

/* Again from the beginning with the lock of probes: another thread may have probed this very key meanwhile. */
static sy_status walk_to_probe(sy_walk *walk, sy_error *err)
{
    sy_selector *selector = walk->selector;
    sy_status status = SY_OK;
    sy_selection recalled;
    sy_lock *others = NULL;
    sy_text_clear(&walk->why);
    walk->probe_owed = false;
    (void)pthread_mutex_lock(&selector->probing);
    if (walk->request->confirm_pairs > 0)
        wait_for_others(walk, &others);
    if (sy_selector_recall(selector, walk->mark, &recalled) &&
        !wants_probe(walk->request, recalled.from_store, recalled.rank, recalled.prior) &&
        !wants_confirmation(selector, walk->request, walk->mark, &recalled)) {
        walk->selection = recalled;
        walk->lasting = false;
    } else {
        status = walk_on(walk, true, err);
    }
    sy_lock_release(others);
    (void)pthread_mutex_unlock(&selector->probing);
    return status;
}

sy_status sy_select_one(sy_selector *selector, const sy_request *request, sy_selection *ret_selection, sy_error *err)
{
    sy_walk walk = {.selector = selector, .request = request, .mark = sy_request_mark_of(request), .why = SY_TEXT_INIT};
    sy_selection recalled;
    if (sy_selector_recall(selector, walk.mark, &recalled) &&
        !wants_probe(request, recalled.from_store, recalled.rank, recalled.prior) &&
        !wants_confirmation(selector, request, walk.mark, &recalled)) {
        *ret_selection = recalled;
        return SY_OK;
    }
    sy_status status = sy_request_key(selector, request, &walk.selection, err);
    if (!status)
        status = walk_on(&walk, false, err);
    if (!status && walk.probe_owed)
        status = walk_to_probe(&walk, err);
    if (!status) {
        if (walk.lasting)
            sy_selector_remember(selector, walk.mark, &walk.selection, walk.changes);
        *ret_selection = walk.selection;
    }
    sy_text_finish(&walk.why);
    return status;
}

sy_status sy_explain_one(sy_selector *selector, const sy_request *request, sy_selection *ret_selection, sy_error *err)
{
    sy_request asked = *request;
    asked.mode = SY_SELECT_STORE_ONLY;
    asked.confirm_pairs = 0;
    sy_walk walk = {.selector = selector, .request = &asked, .mark = sy_request_mark_of(&asked), .why = SY_TEXT_INIT};
    sy_status status = sy_request_key(selector, &asked, &walk.selection, err);
    if (!status)
        status = walk_on(&walk, false, err);
    if (status == SY_NOT_FOUND) {
        (void)pthread_mutex_lock(&selector->making);
        walk.selection.why = walk.why.failed ? NULL : sy_selector_keep_text(selector, sy_text_bytes(&walk.why));
        (void)pthread_mutex_unlock(&selector->making);
        status = walk.selection.why ? SY_OK : sy_fail(err, SY_NO_MEMORY, "no memory for an answer");
    }
    if (!status)
        *ret_selection = walk.selection;
    sy_text_finish(&walk.why);
    return status;
}

static sy_status check_request(const sy_request *request, sy_error *err)
{
    if (!request->suite || !request->device)
        return sy_fail(err, SY_INVALID_ARGUMENT, "a request without %s", request->suite ? "a device" : "a suite");
    return SY_OK;
}

static sy_status check_mode(const sy_request *request, sy_error *err)
{
    if (request->confirm_pairs == 0 || request->mode != SY_SELECT_STORE_ONLY)
        return SY_OK;
    (void)sy_fail(err, SY_INVALID_ARGUMENT, "a store-only request cannot confirm: that takes a probe");
    sy_error_hint(err, "use the mode record-miss or probe");
    return SY_INVALID_ARGUMENT;
}

sy_status sy_select(sy_selector *selector, const sy_request *request, sy_selection *ret_selection, sy_error *err)
{
    sy_status status = check_request(request, err);
    if (!status)
        status = check_mode(request, err);
    if (status)
        return status;
    return request->per_case ? sy_select_per_case(selector, request, ret_selection, err)
                             : sy_select_one(selector, request, ret_selection, err);
}

sy_status sy_selector_explain(sy_selector *selector, const sy_request *request, sy_selection *ret_selection,
                              sy_error *err)
{
    sy_status status = check_request(request, err);
    if (status)
        return status;
    return request->per_case ? sy_explain_per_case(selector, request, ret_selection, err)
                             : sy_explain_one(selector, request, ret_selection, err);
}
