/* SPDX-License-Identifier: Apache-2.0 */
/* A lookup's question: checked, and asked of one snapshot. */
#ifndef STEELYARD_STORE_ENQUIRY_H
#define STEELYARD_STORE_ENQUIRY_H

#include <stdbool.h>
#include <steelyard/store.h>

#include "store/state.h"

/* Which halves of the key are asked for. SY_INVALID_ARGUMENT names the field. Allocates nothing. */
sy_status sy_enquiry_check(const sy_lookup *lookup, bool *ret_exact, bool *ret_portable, sy_error *err) SY_NODISCARD;

typedef struct sy_enquiry {
    const sy_store *store;
    const sy_lookup *lookup;
    bool exact;       /* asked for, and not skipped */
    bool portable;    /* asked for */
    uint64_t hash[2]; /* of the exact and the portable half */
    sy_validate_fn validate;
    void *user;
} sy_enquiry;

/* Checks the lookup and computes the hashes. Allocates nothing. */
sy_status sy_enquiry_start(sy_enquiry *enquiry, const sy_store *store, const sy_lookup *lookup, sy_validate_fn validate,
                           void *user, sy_error *err) SY_NODISCARD;

/* Why a profile whose key fits is no answer all the same: SY_REASON_NONE, EXPIRED, EVIDENCE_MISSING or POLICY_REJECTED,
 * with the validator's words in *problem. */
sy_verdict_reason sy_enquiry_judge(const sy_enquiry *enquiry, const sy_profile *profile, sy_error *problem);

/* The best answer of a snapshot; false when there is none. *ret_view is filled either way: without an answer its
 * profile is the best that was passed over, or NULL. *problem says why that one was. */
bool sy_enquiry_ask(const sy_enquiry *enquiry, const sy_snapshot *snapshot, sy_profile_view *ret_view,
                    sy_verdict_reason *ret_passed_reason, sy_error *problem);

bool sy_profile_lacks_evidence(const sy_profile *profile);

#endif
