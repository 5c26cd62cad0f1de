/* SPDX-License-Identifier: Apache-2.0 */
/* What the store says of a request beyond its answer: profiles from elsewhere, from foreign tuners, of older versions,
 * expired ones; and whether this process may spend pairs on one. */
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "select/walk.h"

#define CONFIRM_AGAIN_SECONDS (7 * 24 * 3600) /* behind a look that could not tell */

static bool is_decided(const sy_profile *profile)
{
    return !profile->has_trial || profile->trial.decision != SY_DECISION_INCONCLUSIVE;
}

static size_t key_fields(const sy_profile *profile)
{
    return profile->portable ? 3 + profile->key.structure_count : 6;
}

/* The lower, the sooner it is looked at; 0 = it proposes nothing. */
static unsigned class_of(const sy_request *request, const sy_verdict *verdict, sy_proposal *ret_proposal)
{
    const sy_profile *profile = verdict->profile;
    sy_request own = *request;
    unsigned class = 0;
    *ret_proposal = (sy_proposal){.profile = profile, .origin = ""};
    if (profile->kind == SY_PROFILE_OVERRIDE || !is_decided(profile) ||
        sy_request_validate(&own, profile->policy, profile->policy_size, NULL) != SY_OK)
        return 0;
    if (verdict->reason == SY_REASON_EXPIRED) {
        class = 1;
        ret_proposal->word = "expired";
    } else if (verdict->reason == SY_REASON_OUTDATED_IMPLEMENTATION &&
               verdict->matching_fields + 1 == key_fields(profile)) {
        class = profile->kind == SY_PROFILE_IMPORTED ? 0 : 2;
        ret_proposal->word = "outdated";
        ret_proposal->origin = profile->key.implementation_version;
    } else if (verdict->reason == SY_REASON_NOT_PROBED) {
        class = 3;
        ret_proposal->word = ret_proposal->origin = "imported";
    }
    bool elsewhere = profile->portable != sy_request_is_portable(request);
    if (class > 0 && elsewhere && profile->portable && ret_proposal->origin[0] == '\0')
        ret_proposal->origin = "portable";
    return class == 0 || (elsewhere && !profile->portable) ? 0 : class + (profile->portable ? 3 : 0);
}

/* Of what does not answer, the nearest; of equals what is believed more. */
static void propose_of_others(const sy_walk *walk, sy_proposal *ret_proposal)
{
    sy_verdict_list *others = NULL;
    sy_request request = *walk->request;
    sy_lookup lookup = sy_request_lookup(walk->request, &walk->selection);
    unsigned best = 0;
    if (sy_store_others(walk->selector->store, &lookup, sy_request_validate, &request, &others, NULL) != SY_OK)
        return;
    for (size_t i = 0; i < others->count; i++) {
        sy_proposal proposal;
        unsigned class = class_of(walk->request, &others->items[i], &proposal);
        if (class > 0 && (best == 0 || class < best ||
                          (class == best && sy_profile_supersedes(proposal.profile, ret_proposal->profile)))) {
            best = class;
            *ret_proposal = proposal;
        }
    }
    sy_verdict_list_destroy(others);
}

/* What another tuner found for the cases themselves, whatever it called their structure. */
static void propose_imported(const sy_walk *walk, sy_proposal *ret_proposal)
{
    sy_suite suite;
    const sy_profile *imported = NULL;
    if (!walk->request->retry && sy_request_suite(walk->request, &suite, NULL) == SY_OK)
        imported = sy_walk_imported(walk, &suite);
    if (imported)
        *ret_proposal = (sy_proposal){.profile = imported, .word = "imported", .origin = "imported"};
}

void sy_walk_propose(const sy_walk *walk, const sy_profile_view *view, sy_proposal *ret_proposal)
{
    *ret_proposal = (sy_proposal){NULL, "", "", false};
    if (!view) {
        propose_of_others(walk, ret_proposal);
        if (!ret_proposal->profile)
            propose_imported(walk, ret_proposal);
        return;
    }
    if (view->profile->kind == SY_PROFILE_OVERRIDE || view->undecided)
        return;
    bool from_elsewhere = view->prior && !sy_request_is_portable(walk->request);
    *ret_proposal = (sy_proposal){.profile = view->profile,
                                  .word = sy_profile_rank_word(view->rank),
                                  .origin = from_elsewhere ? "portable" : "",
                                  .asked_for = !from_elsewhere};
}

bool sy_walk_may_confirm(const sy_walk *walk, const sy_proposal *proposal)
{
    const sy_request *request = walk->request;
    sy_profile_view view;
    sy_profile_key key = sy_request_stored_key(request, &walk->selection);
    if (request->retry)
        return true;
    if (proposal->asked_for || sy_selector_has_tried(walk->selector, walk->mark))
        return false;
    if (sy_store_find(walk->selector->store, &key, SY_PROFILE_CALIBRATED, &view, NULL) != SY_OK)
        return true;
    return is_decided(view.profile) ||
           sy_clock_system.utc_s(&sy_clock_system) - view.profile->created_utc_s >= CONFIRM_AGAIN_SECONDS;
}

void sy_walk_note_contradiction(sy_walk *walk, const sy_profile_view *view)
{
    sy_profile_view found;
    if (view->profile->kind != SY_PROFILE_OVERRIDE ||
        sy_store_contradiction(walk->selector->store, view->profile, &found, NULL) != SY_OK)
        return;
    sy_text_append_format(&walk->why, "store: calibration says %s, %.1f %% faster; the override stands\n",
                          found.profile->policy, 100 * found.profile->gain.gain);
}

void sy_walk_retire_import(const sy_walk *walk, const sy_proposal *proposal)
{
    sy_error why = SY_ERROR_INIT;
    if (proposal->profile->kind == SY_PROFILE_IMPORTED && !proposal->profile->portable &&
        sy_store_remove(walk->selector->store, &proposal->profile->key, SY_PROFILE_IMPORTED, &why) != SY_OK)
        sy_log(SY_LOG_DEBUG, "what was imported stays beside what was measured: %s", why.what);
}
