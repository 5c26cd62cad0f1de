/* SPDX-License-Identifier: Apache-2.0 */
/* The probe of a request: a portable answer is confirmed, else all candidates are weighed; the decision is recorded,
 * stored, answered. */
#include <assert.h>
#include <steelyard/identity.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "operations/suite.h"
#include "select/walk.h"

#define CONFIRM_PAIRS 16 /* unless the request says how many */

/* What the probes of one call have in common. */
typedef struct probing {
    sy_walk *walk;
    sy_suite suite;           /* with the request's cases */
    sy_identity *identity;    /* of host and device */
    sy_probe_options options; /* budget and wall limit: what is left of them */
    double first_alpha;       /* of the first probe of this key */
    uint32_t attempts;        /* counted so far */
    uint32_t timed_runs;
    sy_recorded recorded; /* of the last probe */
    const sy_proposal *proposal;
} probing;

static sy_status describe(sy_device *device, sy_identity **ret_identity, sy_error *err)
{
    sy_identity_options options = SY_IDENTITY_OPTIONS_INIT;
    sy_device_info info;
    sy_status status = sy_device_describe(device, &info, err);
    options.device = &info;
    return status ? status : sy_identity_describe(&options, ret_identity, err);
}

static sy_status start(probing *p, sy_walk *walk, const sy_proposal *proposal, sy_error *err)
{
    static const sy_probe_options defaults = SY_PROBE_OPTIONS_INIT;
    const sy_request *request = walk->request;
    *p = (probing){.walk = walk, .options = request->probe ? *request->probe : defaults, .proposal = proposal};
    p->first_alpha = p->options.alpha;
    p->options.cases = NULL;
    p->options.case_count = 0;
    p->options.allow_approximate = request->allow_approximate;
    p->options.cache = sy_request_cache(request);
    p->options.prefer = request->prefer;
    if (p->options.cache == SY_CACHE_HOT)
        p->options.cache_bytes = 0;
    p->options.worker_path = walk->selector->options.worker_path;
    sy_status status = sy_request_suite(request, &p->suite, err);
    if (!status)
        status = sy_request_attempts(walk->selector, request, &walk->selection, &p->attempts, err);
    if (!status)
        status = describe(request->device, &p->identity, err);
    p->options.identity = p->identity;
    return status;
}

static uint64_t less(uint64_t from, uint64_t what)
{
    return from > what ? from - what : 0;
}

/* The why of a probe that is not stored; it counts all the same. */
static void note_unstored(probing *p, const sy_probe_result *result, const sy_error *why)
{
    sy_walk *walk = p->walk;
    sy_error uncounted = SY_ERROR_INIT;
    const char *said = sy_text_begins(why->what, "this probe is not stored: ") ? "" : "not stored: ";
    sy_text_append_format(&walk->why, "probe: %s%s\n", said, why->what);
    if (why->status == SY_REFUSED && sy_selector_count_attempt(walk->selector, walk->request, &walk->selection, result,
                                                               p->attempts + 1, &uncounted) != SY_OK)
        sy_log(SY_LOG_WARNING, "a probe could not be counted: %s", uncounted.what);
    else if (why->status != SY_REFUSED)
        sy_log(SY_LOG_WARNING, "the decision is kept for this process only: %s%s%s", why->what,
               why->hint[0] ? "; " : "", why->hint);
}

/* One probe, recorded. candidate NULL = all. SY_INTERRUPTED and SY_UNAVAILABLE have been counted. */
static sy_status weigh(probing *p, const char *candidate, uint32_t max_pairs, sy_probe_result **ret_result,
                       sy_error *err)
{
    sy_selector *selector = p->walk->selector;
    const sy_request *request = p->walk->request;
    sy_probe_result *result = NULL;
    sy_error refused = SY_ERROR_INIT;
    sy_probe_options options = p->options;
    options.implementations = candidate ? &candidate : NULL;
    options.implementation_count = candidate ? 1 : 0;
    options.max_pairs = max_pairs;
    sy_status status = sy_request_alpha(&options, p->attempts, &options.alpha, err);
    if (!status)
        status = sy_probe(request->device, &p->suite, &options, &result, err);
    if (status)
        return status;
    p->timed_runs += result->timed_slots;
    p->options.budget_ns = less(p->options.budget_ns, result->measured_ns);
    p->options.wall_limit_ns = less(p->options.wall_limit_ns, result->wall_ns);
    p->recorded = (sy_recorded){"", ""};
    if (selector->options.record)
        status = selector->options.record(selector->options.user, request, result, &p->recorded, err);
    if (!status && (result->interrupted || !result->winner)) {
        (void)sy_fail(&refused, SY_REFUSED, "%s", result->interrupted ? "interrupted" : "no reference");
        note_unstored(p, result, &refused);
        status = result->interrupted
                     ? sy_fail(err, SY_INTERRUPTED, "the probe of %s was interrupted: nothing is decided",
                               p->suite.operation)
                     : sy_fail(err, SY_UNAVAILABLE, "%s", result->error);
        if (result->interrupted)
            sy_error_hint(err, "the store is as it was; ask again to probe from the start");
    }
    if (status)
        sy_probe_result_destroy(result);
    else
        *ret_result = result;
    return status;
}

/* Whether what the store answers now is that winner, for good: then it may be remembered. */
static void look_whether_it_lasts(sy_walk *walk, const char *winner)
{
    sy_profile_view view;
    sy_lookup lookup = sy_request_lookup(walk->request, &walk->selection);
    sy_request request = *walk->request;
    walk->changes = sy_store_changes(walk->selector->store);
    walk->lasting = sy_store_lookup(walk->selector->store, &lookup, sy_request_validate, &request, &view, NULL) ==
                        SY_OK &&
                    strcmp(view.profile->policy, winner) == 0 && view.profile->expires_utc_s == 0;
}

/* The proposal as a line of history; what is measured now is what replaces it. */
static sy_profile_earlier earlier_of(const sy_proposal *proposal)
{
    return proposal->profile
               ? sy_profile_as_earlier(proposal->profile, proposal->origin, sy_clock_system.utc_s(&sy_clock_system))
               : (sy_profile_earlier){0};
}

/* What came of the proposal, now that a probe has answered with that implementation. */
static sy_confirmation outcome_of(const probing *p, const char *use, bool undecided)
{
    const sy_proposal *proposal = p->proposal;
    if (!proposal->profile || undecided)
        return proposal->profile ? SY_CONFIRMATION_UNDECIDED : SY_CONFIRMATION_NONE;
    if (strlen(use) != proposal->profile->policy_size ||
        memcmp(use, proposal->profile->policy, proposal->profile->policy_size) != 0)
        return SY_CONFIRMATION_REFUTED;
    return proposal->origin[0] ? SY_CONFIRMATION_PROMOTED : SY_CONFIRMATION_CONFIRMED;
}

/* Stores a result, if it can be stored, and ends the walk with it. alone: the proposal alone was weighed, and lost. */
static sy_status answer(probing *p, const sy_probe_result *result, bool alone, sy_error *err)
{
    sy_walk *walk = p->walk;
    sy_selector *selector = walk->selector;
    sy_put_result put = {0};
    bool partial = sy_selector_is_partial(result);
    const char *use = partial ? result->reference : result->winner;
    sy_error why = SY_ERROR_INIT;
    sy_request request = *walk->request;
    request.recorded = &p->recorded;
    const sy_settled settled = {.earlier = earlier_of(p->proposal), .alone = alone};
    sy_status kept = sy_selector_store_result(selector, &request, &walk->selection, result, p->attempts + 1,
                                              p->proposal->profile ? &settled : NULL, &put, &why);
    if (kept) {
        note_unstored(p, result, &why);
    } else {
        if (p->proposal->profile)
            sy_walk_retire_import(walk, p->proposal);
        look_whether_it_lasts(walk, use);
    }
    sy_text_append_format(&walk->why,
                          "probe: %s%s%s after %u pairs (probe %u of this key, at alpha %.3g; together below %.3g)",
                          sy_decision_word(result->decision), result->reason[0] ? ", " : "", result->reason,
                          result->pairs, p->attempts + 1, result->alpha, 2 * p->first_alpha);
    sy_walk_note_processes(walk, result->processes);
    sy_text_append(&walk->why, "\n");
    walk->selection.stored = !kept && (put.format != 0 || selector->may_stay_in_memory);
    walk->selection.undecided = partial || result->decision == SY_DECISION_INCONCLUSIVE;
    walk->selection.timed_runs = p->timed_runs;
    walk->selection.prior = false;
    walk->selection.from_store = false;
    walk->selection.confirmation = outcome_of(p, use, walk->selection.undecided);
    if (p->proposal->profile)
        sy_text_append_format(&walk->why, "confirm: %s, which the %s profile proposed, is %s here%s\n",
                              p->proposal->profile->policy, p->proposal->word,
                              sy_confirmation_word(walk->selection.confirmation),
                              alone ? "; the others were not weighed, so this expires in 7 days" : "");
    return sy_walk_finish(walk, use, SY_SOURCE_PROBE, err);
}

/* Whether the probe says for sure that the proposal is no better than the reference. */
static bool is_refuted(const sy_probe_result *result)
{
    switch (result->decision) {
    case SY_DECISION_NO_GAIN:
    case SY_DECISION_SLOWER:
    case SY_DECISION_TIE:
    case SY_DECISION_PARITY_FAILED:
    case SY_DECISION_UNAVAILABLE:
        return true;
    default:
        return false;
    }
}

/* The pairs do not settle it: they count. all: the probe of all candidates follows. */
static void note_unsettled(probing *p, const sy_probe_result *result)
{
    sy_error why = SY_ERROR_INIT;
    (void)sy_fail(&why, SY_REFUSED, "%s is not confirmed here: %s after %u pairs", p->proposal->profile->policy,
                  sy_decision_word(result->decision), result->pairs);
    note_unstored(p, result, &why);
    p->attempts += result->pairs > 0;
}

/* What the proposal names against the reference alone; a reference against all candidates. *ret_answered is false when
 * that does not settle it; without all a refutation does. */
static sy_status confirm(probing *p, bool all, bool *ret_answered, sy_error *err)
{
    sy_probe_result *result = NULL;
    sy_error unused = SY_ERROR_INIT;
    double alpha;
    const char *proposed = p->proposal->profile->policy;
    const uint32_t asked = p->walk->request->confirm_pairs;
    bool is_reference = strcmp(proposed, p->suite.implementations[sy_suite_reference(&p->suite)].name) == 0;
    uint32_t pairs = asked > 0 ? asked : CONFIRM_PAIRS;
    uint32_t max_pairs = p->options.max_pairs < pairs ? p->options.max_pairs : pairs;
    sy_probe_options shorter = p->options;
    shorter.max_pairs = max_pairs;
    *ret_answered = false;
    if ((all && max_pairs == p->options.max_pairs) || sy_request_alpha(&shorter, p->attempts, &alpha, &unused) ||
        !sy_request_can_decide(&shorter, alpha)) {
        if (!all)
            sy_text_append_format(&p->walk->why, "confirm: none: no %u pairs can tell in probe %u of this key\n",
                                  max_pairs, p->attempts + 1);
        return SY_OK; /* the whole probe is no longer, or so few pairs tell nothing */
    }
    sy_status status = weigh(p, is_reference ? NULL : proposed, max_pairs, &result, err);
    if (status)
        return status;
    bool won = is_reference ? result->completed : strcmp(result->winner, proposed) == 0;
    bool refuted = !all && !won && is_refuted(result);
    if (!sy_selector_is_partial(result) && (won || refuted)) {
        *ret_answered = true;
        status = answer(p, result, refuted, err);
    } else {
        note_unsettled(p, result);
    }
    sy_probe_result_destroy(result);
    return status;
}

/* No probe of this key can decide any more: what is stored answers, expired or not, else the reference. */
static sy_status answer_spent(probing *p, const sy_profile_view *view, const sy_error *why, sy_error *err)
{
    sy_walk *walk = p->walk;
    sy_profile_view found;
    sy_request request = *walk->request;
    sy_profile_key key = sy_request_stored_key(walk->request, &walk->selection);
    sy_text_append_format(&walk->why, "probe: none: %s\n", why->what);
    if (view)
        return sy_walk_take_profile(walk, view, err);
    sy_status status = sy_store_find(walk->selector->store, &key, SY_PROFILE_CALIBRATED, &found, err);
    if (status)
        return status;
    const char *policy = found.profile->policy;
    bool usable = sy_request_validate(&request, policy, found.profile->policy_size, NULL) == SY_OK;
    walk->selection.rank = found.rank;
    walk->selection.from_store = true;
    walk->selection.stored = true;
    walk->selection.prior = false;
    walk->selection.undecided = found.undecided || !usable;
    walk->lasting = false;
    return sy_walk_finish(walk, usable ? policy : p->suite.implementations[sy_suite_reference(&p->suite)].name,
                          SY_SOURCE_STORE, err);
}

sy_status sy_walk_probe(sy_walk *walk, const sy_profile_view *view, const sy_proposal *proposal, bool all,
                        bool *ret_answered, sy_error *err)
{
    probing p;
    double alpha;
    bool answered = false;
    sy_probe_result *result = NULL;
    sy_error spent = SY_ERROR_INIT;
    sy_status status = start(&p, walk, proposal, err);
    bool confirms = proposal->profile && (!proposal->asked_for || walk->request->confirm_pairs > 0);
    const sy_profile *named = proposal->profile ? proposal->profile : view ? view->profile : NULL;
    if (!status && named)
        sy_text_append_format(&walk->why, "store: %s profile proposes %s, to be %s here\n",
                              proposal->profile ? proposal->word : sy_profile_rank_word(view->rank), named->policy,
                              confirms ? "confirmed" : "probed again");
    if (!status && confirms) {
        (void)sy_selector_claim_confirmation(walk->selector, walk->mark);
        status = confirm(&p, all, &answered, err);
    }
    walk->selection.imported_first = answered && proposal->profile->kind == SY_PROFILE_IMPORTED &&
                                     walk->selection.confirmation == SY_CONFIRMATION_PROMOTED;
    if (!status && !answered && all && sy_request_alpha(&p.options, p.attempts, &alpha, &spent) != SY_OK) {
        status = answer_spent(&p, view, &spent, err);
        answered = true;
    }
    if (!status && !answered && all) {
        status = weigh(&p, NULL, p.options.max_pairs, &result, err);
        if (!status)
            status = answer(&p, result, false, err);
        answered = true;
    }
    if (!status && !answered) {
        walk->selection.confirmation = SY_CONFIRMATION_UNDECIDED;
        walk->selection.timed_runs = p.timed_runs;
        const uint64_t before = walk->changes;
        if (view) { /* that the look was counted changes nothing of the answer */
            assert(view->profile != NULL);
            look_whether_it_lasts(walk, view->profile->policy);
        }
        walk->changes = view && walk->lasting ? walk->changes : before;
    }
    sy_probe_result_destroy(result);
    sy_identity_destroy(p.identity);
    *ret_answered = answered;
    return status;
}
