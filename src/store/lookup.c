/* SPDX-License-Identifier: Apache-2.0 */
/* The answer of nanoseconds: at most four index look-ups a layer on an immutable snapshot; no lock, no system call, no
 * allocation. The time is asked for only when a profile that fits has an expiry. */
#include <string.h>

#include "base/error.h"
#include "store/enquiry.h"
#include "store/format/format.h"
#include "store/key_hash.h"

#define RANK_COUNT 4

static const struct {
    sy_profile_kind kind;
    bool portable;
} ranks[RANK_COUNT] = {
    [SY_PROFILE_RANK_OVERRIDE_EXACT] = {SY_PROFILE_OVERRIDE, false},
    [SY_PROFILE_RANK_OVERRIDE_PORTABLE] = {SY_PROFILE_OVERRIDE, true},
    [SY_PROFILE_RANK_CALIBRATED_EXACT] = {SY_PROFILE_CALIBRATED, false},
    [SY_PROFILE_RANK_CALIBRATED_PORTABLE] = {SY_PROFILE_CALIBRATED, true},
};

bool sy_profile_lacks_evidence(const sy_profile *profile)
{
    return profile->kind != SY_PROFILE_OVERRIDE && *profile->evidence_run == '\0';
}

sy_status sy_enquiry_start(sy_enquiry *enquiry, const sy_store *store, const sy_lookup *lookup, sy_validate_fn validate,
                           void *user, sy_error *err)
{
    sy_enquiry q = {.store = store, .lookup = lookup, .validate = validate, .user = user};
    sy_status status = sy_enquiry_check(lookup, &q.exact, &q.portable, err);
    if (status != SY_OK) {
        return status;
    }
    q.exact = q.exact && !lookup->force_portable;
    q.hash[0] = q.exact ? sy_hash_key(&lookup->key, false) : 0;
    q.hash[1] = q.portable ? sy_hash_key(&lookup->key, true) : 0;
    *enquiry = q;
    return SY_OK;
}

sy_verdict_reason sy_enquiry_judge(const sy_enquiry *enquiry, const sy_profile *profile, sy_error *problem)
{
    if (profile->expires_utc_s != 0 && profile->expires_utc_s <= sy_store_now(enquiry->store)) {
        return SY_REASON_EXPIRED;
    }
    if (enquiry->lookup->require_evidence && sy_profile_lacks_evidence(profile)) {
        return SY_REASON_EVIDENCE_MISSING;
    }
    if (enquiry->validate != NULL) {
        problem->what[0] = '\0';
        if (enquiry->validate(enquiry->user, profile->policy, profile->policy_size, problem) != SY_OK) {
            return SY_REASON_POLICY_REJECTED;
        }
    }
    return SY_REASON_NONE;
}

static void fill_view(const sy_profile *profile, uint32_t rank, uint32_t layer, sy_profile_view *view)
{
    view->profile = profile;
    view->rank = (sy_profile_rank)rank;
    view->layer = layer;
    view->prior = profile->portable && profile->kind != SY_PROFILE_OVERRIDE;
    view->undecided = profile->has_trial && profile->trial.decision == SY_DECISION_INCONCLUSIVE;
    view->evidence_missing = sy_profile_lacks_evidence(profile);
}

bool sy_enquiry_ask(const sy_enquiry *enquiry, const sy_snapshot *snapshot, sy_profile_view *ret_view,
                    sy_verdict_reason *ret_passed_reason, sy_error *problem)
{
    sy_profile_view view = {0};
    for (uint32_t rank = 0; rank < RANK_COUNT; rank++) {
        bool portable = ranks[rank].portable;
        if (!(portable ? enquiry->portable : enquiry->exact)) {
            continue;
        }
        for (uint32_t layer = 0; layer < snapshot->layer_count; layer++) {
            const sy_book *book = snapshot->books[layer];
            const sy_entry *entry = sy_book_entry(book, &enquiry->lookup->key, portable, ranks[rank].kind,
                                                  enquiry->hash[portable]);
            if (entry == NULL) {
                continue;
            }
            const sy_profile *profile = &entry->profile;
            sy_error found;
            sy_verdict_reason reason = sy_enquiry_judge(enquiry, profile, &found);
            if (reason == SY_REASON_NONE) {
                fill_view(profile, rank, layer, &view);
                *ret_view = view;
                return true;
            }
            if (view.passed_over++ == 0) {
                fill_view(profile, rank, layer, &view);
                *ret_passed_reason = reason;
                memcpy(problem->what, found.what, sizeof found.what);
            }
        }
    }
    *ret_view = view;
    return false;
}

static sy_status tell_nothing_found(const sy_lookup *lookup, const sy_profile_view *view, sy_verdict_reason reason,
                                    const sy_error *problem, sy_error *err)
{
    const sy_profile_key *key = &lookup->key;
    if (view->passed_over == 0) {
        return sy_fail(err, SY_NOT_FOUND, "no profile of '%.60s' '%.60s' answers", key->backend, key->operator_name);
    }
    return sy_fail(err, SY_NOT_FOUND, "no profile of '%.60s' '%.60s' answers: the %s one is passed over: %s%s%s",
                   key->backend, key->operator_name, sy_profile_rank_word(view->rank), sy_verdict_reason_word(reason),
                   reason == SY_REASON_POLICY_REJECTED ? ": " : "",
                   reason == SY_REASON_POLICY_REJECTED ? problem->what : "");
}

sy_status sy_store_lookup(sy_store *store, const sy_lookup *lookup, sy_validate_fn validate, void *user,
                          sy_profile_view *ret_profile, sy_error *err)
{
    sy_enquiry enquiry;
    sy_status status = sy_enquiry_start(&enquiry, store, lookup, validate, user, err);
    if (status != SY_OK) {
        return status;
    }
    sy_profile_view view;
    sy_verdict_reason reason = SY_REASON_NONE;
    sy_error problem;
    problem.what[0] = '\0';
    sy_snapshot_slot *slot = sy_snapshot_take(&store->exchange);
    bool found = sy_enquiry_ask(&enquiry, slot->snapshot, &view, &reason, &problem);
    sy_snapshot_give_back(slot);
    if (!found) {
        return tell_nothing_found(lookup, &view, reason, &problem, err);
    }
    *ret_profile = view;
    return SY_OK;
}

sy_status sy_store_find(sy_store *store, const sy_profile_key *key, sy_profile_kind kind, sy_profile_view *ret_profile,
                        sy_error *err)
{
    bool portable;
    sy_status status = sy_profile_key_check(key, &portable, err);
    if (status != SY_OK) {
        return status;
    }
    uint64_t hash = sy_hash_key(key, portable);
    sy_snapshot_slot *slot = sy_snapshot_take(&store->exchange);
    const sy_snapshot *snapshot = slot->snapshot;
    status = SY_NOT_FOUND;
    for (uint32_t layer = 0; status != SY_OK && layer < snapshot->layer_count; layer++) {
        const sy_book *book = snapshot->books[layer];
        const sy_entry *entry = sy_book_entry(book, key, portable, kind, hash);
        if (entry != NULL) {
            sy_profile_view view = {0};
            fill_view(&entry->profile, (kind == SY_PROFILE_OVERRIDE ? 0 : 2) + portable, layer, &view);
            *ret_profile = view;
            status = SY_OK;
        }
    }
    sy_snapshot_give_back(slot);
    if (status != SY_OK) {
        return sy_fail(err, SY_NOT_FOUND, "there is no %s profile of that key", sy_profile_kind_word(kind));
    }
    return SY_OK;
}

sy_status sy_store_contradiction(sy_store *store, const sy_profile *override, sy_profile_view *ret_profile,
                                 sy_error *err)
{
    uint64_t hash = sy_hash_key(&override->key, override->portable);
    int64_t now = sy_store_now(store);
    sy_profile_view view = {0};
    sy_snapshot_slot *slot = sy_snapshot_take(&store->exchange);
    const sy_snapshot *snapshot = slot->snapshot;
    for (uint32_t layer = 0; view.profile == NULL && layer < snapshot->layer_count; layer++) {
        const sy_entry *entry = sy_book_entry(snapshot->books[layer], &override->key, override->portable,
                                              SY_PROFILE_CALIBRATED, hash);
        if (entry != NULL && sy_profile_contradicts(&entry->profile, override, now)) {
            fill_view(&entry->profile, 2 + override->portable, layer, &view);
        }
    }
    sy_snapshot_give_back(slot);
    if (view.profile == NULL) {
        return sy_fail(err, SY_NOT_FOUND, "no measurement contradicts that override");
    }
    *ret_profile = view;
    return SY_OK;
}
