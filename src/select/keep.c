/* SPDX-License-Identifier: Apache-2.0 */
/* What a probe leaves in the store: its decision, why each loser lost, and the evidence. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "select/selector.h"

#define UNDECIDED_SECONDS (7 * 24 * 3600)

typedef struct kept_policy {
    const sy_request *request;
    const char *name;
} kept_policy;

static sy_status give_policy(void *user, const char **ret_policy, size_t *ret_size, sy_error *err)
{
    const kept_policy *kept = user;
    (void)err;
    *ret_policy = kept->name;
    *ret_size = strlen(kept->name);
    return SY_OK;
}

static sy_status validate_policy(void *user, const char *policy, size_t size, sy_error *err)
{
    kept_policy *kept = user;
    sy_request request = *kept->request;
    return sy_request_validate(&request, policy, size, err);
}

static sy_status check_storable(const sy_probe_result *result, sy_error *err)
{
    const char *why = NULL;
    if (result->interrupted)
        why = "it was interrupted";
    else if (result->rule != SY_RULE_CAPPED)
        why = "the medians rule is a point estimate without an error rate";
    else if (result->question != SY_QUESTION_FASTER)
        why = "not-slower answers another question than which one to use";
    else if (result->decision == SY_DECISION_VACUOUS)
        why = "its comparison proves nothing";
    else if (!result->winner)
        why = "the reference itself is not available";
    return why ? sy_fail(err, SY_REFUSED, "this probe is not stored: %s", why) : SY_OK;
}

/* Everybody but the winner, with the reason and its time over the winner's. */
static size_t list_alternatives(const sy_probe_result *result, sy_alternative *to)
{
    size_t count = 0;
    double winner_share = 1; /* the winner's time over the reference's */
    for (size_t i = 0; i < result->candidate_count; i++) {
        if (strcmp(result->candidates[i].name, result->winner) == 0)
            winner_share = 1 - result->candidates[i].gain;
    }
    if (strcmp(result->winner, result->reference) != 0)
        to[count++] = (sy_alternative){result->reference, "reference", 1 / winner_share};
    for (size_t i = 0; i < result->candidate_count; i++) {
        const sy_candidate_result *candidate = &result->candidates[i];
        if (strcmp(candidate->name, result->winner) == 0)
            continue;
        const char *reason = candidate->reason && candidate->reason[0] ? candidate->reason
                                                                       : sy_decision_word(candidate->decision);
        double ratio = isfinite(candidate->gain) ? (1 - candidate->gain) / winner_share : NAN;
        to[count++] = (sy_alternative){candidate->name, reason, ratio};
    }
    return count;
}

static size_t list_measurements(const sy_probe_result *result, sy_measurement *to)
{
    const struct {
        const char *name;
        double value;
        const char *unit;
    } all[] = {
        {"reference_total", result->reference_total_ns, "ns"},
        {"candidate_total", result->candidate_total_ns, "ns"},
        {"total_gain", result->total_gain, ""},
        {"measured", (double)result->measured_ns, "ns"},
    };
    size_t count = 0;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        if (isfinite(all[i].value))
            to[count++] = (sy_measurement){all[i].name, all[i].value, all[i].unit};
    }
    return count;
}

static sy_status digest_result(const sy_probe_result *result, char to[SY_DIGEST_TEXT], sy_error *err)
{
    char *json = NULL;
    sy_digest digest;
    sy_status status = sy_probe_result_to_json(result, &json, err);
    if (status)
        return status;
    sy_digest_of(json, strlen(json), &digest);
    sy_digest_format(&digest, to);
    sy_text_free(json);
    return SY_OK;
}

static sy_profile_parity worst_parity(const sy_probe_result *result)
{
    sy_profile_parity worst = {SY_PARITY_NOT_PERFORMED, NAN};
    for (size_t i = 0; i < result->candidate_count; i++) {
        if (i != result->finalist)
            continue;
        worst.outcome = result->candidates[i].parity;
        worst.error_in_tolerances = result->candidates[i].error_in_tolerances;
    }
    if (!isfinite(worst.error_in_tolerances))
        worst.error_in_tolerances = NAN;
    return worst;
}

sy_status sy_selector_store_result(sy_selector *selector, const sy_request *request, const sy_selection *key,
                                   const sy_probe_result *result, bool portable, uint32_t attempt,
                                   sy_put_result *ret_put, sy_error *err)
{
    sy_profile_draft draft = SY_PROFILE_DRAFT_INIT;
    sy_measurement measurements[8];
    char digest[SY_DIGEST_TEXT];
    kept_policy kept = {request, result->winner};
    sy_status status = check_storable(result, err);
    if (status)
        return status;
    sy_alternative *alternatives = sy_allocate(result->candidate_count + 1, sizeof(*alternatives));
    sy_text run = SY_TEXT_INIT;
    if (!alternatives)
        return sy_fail(err, SY_NO_MEMORY, "no memory to store a decision");
    sy_profile_trial trial = {.decision = result->decision,
                              .rule = sy_rule_kind_word(result->rule),
                              .max_pairs = result->max_pairs,
                              .pairs = result->pairs,
                              .wins = result->wins,
                              .e_value = result->e_value,
                              .attempt = attempt};
    sy_profile_gain gain = {result->gain, result->gain_low, result->gain_high, result->pairs};
    sy_profile_parity parity = worst_parity(result);
    draft.key = sy_request_lookup(request, key).key;
    if (portable) {
        draft.key.model_digest = draft.key.processor = NULL;
        draft.key.thread_count = 0;
    } else {
        draft.key.structure = NULL;
        draft.key.structure_count = 0;
    }
    draft.measurements = measurements;
    draft.measurement_count = list_measurements(result, measurements);
    draft.alternatives = alternatives;
    draft.alternative_count = list_alternatives(result, alternatives);
    draft.trial = &trial;
    draft.gain = isfinite(result->gain) ? &gain : NULL;
    draft.parity = parity.outcome == SY_PARITY_NOT_PERFORMED ? NULL : &parity;
    if (result->decision == SY_DECISION_INCONCLUSIVE)
        draft.expires_utc_s = sy_clock_system.utc_s(&sy_clock_system) + UNDECIDED_SECONDS;
    status = digest_result(result, digest, err);
    sy_text_append_format(&run, "probe-%016llx", (unsigned long long)result->seed);
    draft.evidence_run = sy_text_bytes(&run);
    draft.evidence_digest = digest;
    if (!status && run.failed)
        status = sy_fail(err, SY_NO_MEMORY, "no memory to store a decision");
    if (!status)
        status = sy_store_put(selector->store, &draft, give_policy, validate_policy, &kept, ret_put, err);
    sy_text_finish(&run);
    sy_free(alternatives);
    return status;
}
