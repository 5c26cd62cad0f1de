/* SPDX-License-Identifier: Apache-2.0 */
/* What a probe leaves in the store: its decision, why each loser lost, and the evidence; or only that it was made. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "probe/rule/rule.h"
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

/* The first case that a decision does not cover; NULL = it covers all. */
static const sy_case_result *left_out(const sy_probe_result *result)
{
    for (size_t i = 0; i < result->case_count; i++) {
        if (result->cases[i].left_out && result->cases[i].left_out[0])
            return &result->cases[i];
    }
    return NULL;
}

bool sy_selector_is_partial(const sy_probe_result *result)
{
    return left_out(result) != NULL;
}

static bool has_case(const sy_probe_result *result, const char *name)
{
    bool found = false;
    for (size_t i = 0; !found && i < result->case_count; i++)
        found = sy_text_equal(result->cases[i].name, name);
    return found;
}

/* A result of another operation, another backend or other cases says nothing of this request, whatever its names. */
static sy_status check_subject(const sy_request *request, const sy_selection *key, const sy_probe_result *result,
                               sy_error *err)
{
    const sy_case *cases = request->cases ? request->cases : request->suite->cases;
    const size_t count = request->cases ? request->case_count : request->suite->case_count;
    if (!sy_text_equal(result->operation, key->operator_name) || !sy_text_equal(result->backend, key->backend))
        return sy_fail(err, SY_INVALID_ARGUMENT, "this probe is not stored: it is of %s on %s, not of %s on %s",
                       result->operation, result->backend, key->operator_name, key->backend);
    bool same = result->case_count == count; /* names are unique; a probe puts its cases in an order of its own */
    for (size_t i = 0; same && i < count; i++)
        same = has_case(result, cases[i].name);
    return same ? SY_OK
                : sy_fail(err, SY_INVALID_ARGUMENT,
                          "this probe is not stored: its %zu cases are not the %zu that are asked for",
                          result->case_count, count);
}

/* What was asked for is a decision about all of its cases. */
static sy_status check_covers(const sy_probe_result *result, sy_error *err)
{
    const sy_case_result *missing = left_out(result);
    size_t covered = 0;
    if (!missing)
        return SY_OK;
    for (size_t i = 0; i < result->case_count; i++)
        covered += !result->cases[i].left_out || !result->cases[i].left_out[0];
    (void)sy_fail(err, SY_REFUSED, "this probe is not stored: it covers %zu of %zu cases, not %s (%s)", covered,
                  result->case_count, missing->name, missing->left_out);
    sy_error_hint(err, "ask for the covered cases by name, or %s",
                  sy_text_equal(missing->left_out, "memory") ? "free memory" : "raise the wall limit");
    return SY_REFUSED;
}

static sy_status check_storable(sy_selector *selector, const sy_request *request, const sy_selection *key,
                                const sy_probe_result *result, sy_error *err)
{
    const char *why = NULL;
    const char *facts = "";
    const sy_status status = check_subject(request, key, result, err);
    if (status)
        return status;
    if (result->interrupted)
        why = "it was interrupted";
    else if (!result->winner)
        why = "the reference itself is not available";
    else if (result->rule != SY_RULE_CAPPED)
        why = "the medians rule is a point estimate without an error rate";
    else if (result->prefer != request->prefer)
        why = "it preferred something else than what is asked for";
    else if (result->question != SY_QUESTION_FASTER && result->prefer != SY_PREFER_MEMORY)
        why = "not-slower answers another question than which one to use";
    else if (result->cache != sy_request_cache(request))
        why = "it was measured with another state of the caches than is asked about";
    else if (result->decision == SY_DECISION_VACUOUS)
        why = "its comparison proves nothing";
    else if (key->processor[0] == '\0') {
        why = "a key fact of this machine is unknown: ";
        facts = sy_selector_unknown_facts(selector, request->device);
    }
    if (why)
        return sy_fail(err, SY_REFUSED, "this probe is not stored: %s%s", why, facts);
    return check_covers(result, err);
}

static bool was_weighed(const sy_probe_result *result, const char *name, size_t size)
{
    bool found = strlen(result->reference) == size && memcmp(result->reference, name, size) == 0;
    for (size_t i = 0; !found && i < result->candidate_count; i++)
        found = strlen(result->candidates[i].name) == size && memcmp(result->candidates[i].name, name, size) == 0;
    return found;
}

/* The key does not say who was weighed: what is stored was proven against all, so a probe of some may take its place
 * only if it weighed the one that is stored. */
static sy_status check_weighed(sy_selector *selector, const sy_request *request, const sy_profile_key *key,
                               const sy_probe_result *result, sy_error *err)
{
    sy_profile_view view;
    sy_error unread = SY_ERROR_INIT;
    bool all = true;
    for (size_t i = 0; i < request->suite->implementation_count; i++) {
        const sy_implementation *implementation = &request->suite->implementations[i];
        if (implementation->role != SY_ROLE_ORACLE && !implementation->only_if_named &&
            (implementation->error_class != SY_CLASS_APPROXIMATE || request->allow_approximate))
            all = all && was_weighed(result, implementation->name, strlen(implementation->name));
    }
    if (all)
        return SY_OK;
    sy_status status = sy_store_find(selector->store, key, SY_PROFILE_CALIBRATED, &view, &unread);
    if (status == SY_NOT_FOUND)
        return SY_OK;
    if (status) {
        if (err)
            *err = unread;
        return status;
    }
    if (was_weighed(result, view.profile->policy, view.profile->policy_size))
        return SY_OK;
    (void)sy_fail(err, SY_REFUSED, "this probe is not stored: it did not weigh %.*s, which is the stored answer",
                  (int)(view.profile->policy_size < 64 ? view.profile->policy_size : 64), view.profile->policy);
    sy_error_hint(err, "weigh all candidates, or that one too");
    return SY_REFUSED;
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

/* What a call of the reference takes: one case, drawn by weight. */
static double reference_call_ns(const sy_probe_result *result)
{
    double weights = 0;
    for (size_t i = 0; i < result->case_count; i++)
        weights += result->cases[i].weight;
    return weights > 0 && !left_out(result) ? result->reference_total_ns / weights : NAN;
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
        {SY_MEASUREMENT_REFERENCE_CALL, reference_call_ns(result), "ns"},
        {"total_gain", result->total_gain, ""},
        {"measured", (double)result->measured_ns, "ns"},
        {SY_MEASUREMENT_PROCESSES, result->processes, ""},
        {SY_MEASUREMENT_PROCESS_SPREAD, result->process_count > 1 ? result->process_spread.deviation : NAN, ""},
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

/* What proves the decision: the run that was recorded of it, else the result itself. */
static sy_status prove(const sy_request *request, const sy_probe_result *result, sy_text *run, char to[SY_DIGEST_TEXT],
                       sy_error *err)
{
    const sy_recorded *recorded = request->recorded;
    sy_digest digest;
    sy_status status = SY_OK;
    if (recorded && (recorded->run[0] != '\0' || recorded->digest[0] != '\0')) {
        if (recorded->run[0] == '\0' || sy_digest_parse(recorded->digest, &digest, NULL) != SY_OK)
            return sy_fail(err, SY_INVALID_ARGUMENT, "what was recorded has %s",
                           recorded->run[0] == '\0' ? "no run" : "no digest of 64 hexadecimal digits");
        sy_text_append(run, recorded->run);
        memcpy(to, recorded->digest, SY_DIGEST_TEXT);
    } else {
        sy_text_append_format(run, "probe-%016llx", (unsigned long long)result->seed);
        status = digest_result(result, to, err);
    }
    return status || !run->failed ? status : sy_fail(err, SY_NO_MEMORY, "no memory to store a decision");
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

static sy_profile_cost cost_of(const sy_probe_result *result)
{
    return (sy_profile_cost){(double)result->wall_ns * 1e-9, 1};
}

static sy_profile_trial trial_of(const sy_probe_result *result, uint32_t attempt)
{
    return (sy_profile_trial){.decision = result->decision,
                              .rule = sy_rule_kind_word(result->rule),
                              .max_pairs = result->max_pairs,
                              .pairs = result->pairs,
                              .wins = result->wins,
                              .e_value = result->e_value,
                              .attempt = attempt};
}

static sy_status put_result(sy_selector *selector, const sy_request *request, const sy_profile_draft *begun,
                            const sy_probe_result *result, sy_put_result *ret_put, sy_error *err)
{
    sy_measurement measurements[8];
    char digest[SY_DIGEST_TEXT];
    sy_profile_draft draft = *begun;
    kept_policy kept = {request, result->winner};
    sy_profile_gain gain = {result->gain, result->gain_low, result->gain_high, result->pairs};
    sy_profile_parity parity = worst_parity(result);
    sy_text run = SY_TEXT_INIT;
    sy_alternative *alternatives = sy_allocate(result->candidate_count + 1, sizeof(*alternatives));
    if (!alternatives)
        return sy_fail(err, SY_NO_MEMORY, "no memory to store a decision");
    draft.measurements = measurements;
    draft.measurement_count = list_measurements(result, measurements);
    draft.alternatives = alternatives;
    draft.alternative_count = list_alternatives(result, alternatives);
    draft.gain = isfinite(result->gain) ? &gain : NULL;
    draft.parity = parity.outcome == SY_PARITY_NOT_PERFORMED ? NULL : &parity;
    sy_status status = prove(request, result, &run, digest, err);
    const sy_profile_cost cost = cost_of(result);
    draft.cost = &cost;
    draft.evidence_run = sy_text_bytes(&run);
    draft.evidence_digest = digest;
    if (!status)
        status = sy_store_put(selector->store, &draft, give_policy, validate_policy, &kept, ret_put, err);
    sy_text_finish(&run);
    sy_free(alternatives);
    return status;
}

sy_status sy_selector_store_result(sy_selector *selector, const sy_request *request, const sy_selection *key,
                                   const sy_probe_result *result, uint32_t attempt, const sy_settled *settled,
                                   sy_put_result *ret_put, sy_error *err)
{
    sy_profile_draft draft = SY_PROFILE_DRAFT_INIT;
    sy_profile_trial trial = trial_of(result, attempt);
    draft.key = sy_request_stored_key(request, key);
    draft.trial = &trial;
    if (settled) {
        draft.earlier = &settled->earlier;
        draft.earlier_count = 1;
    }
    if (result->decision == SY_DECISION_INCONCLUSIVE || (settled && settled->alone))
        draft.expires_utc_s = sy_clock_system.utc_s(&sy_clock_system) + UNDECIDED_SECONDS;
    sy_status status = check_storable(selector, request, key, result, err);
    if (!status)
        status = check_weighed(selector, request, &draft.key, result, err);
    return status ? status : put_result(selector, request, &draft, result, ret_put, err);
}

/* One more attempt of an entry that stays. What no disk takes is counted for this process. */
static sy_status count_beside(sy_selector *selector, const sy_profile_key *key, const sy_profile *profile,
                              const sy_probe_result *result, uint32_t attempt, sy_error *err)
{
    const sy_profile_tally tally = {
        .key = *key, .kind = SY_PROFILE_CALIBRATED, .cost = cost_of(result), .attempts = profile->has_trial ? 1 : 0};
    size_t placed = 0;
    if (sy_store_tally(selector->store, &tally, 1, &placed, NULL) == SY_OK && placed > 0)
        return SY_OK;
    sy_profile counted = *profile;
    const sy_profile *one = &counted;
    counted.trial.attempt = attempt;
    counted.cost.seconds = fmin(counted.cost.seconds + tally.cost.seconds, SY_SECONDS_MAX);
    counted.cost.probes += counted.cost.probes < UINT32_MAX;
    return sy_store_adopt(selector->store, &one, 1, NULL, NULL, err);
}

sy_status sy_selector_count_attempt(sy_selector *selector, const sy_request *request, const sy_selection *key,
                                    const sy_probe_result *result, uint32_t attempt, sy_error *err)
{
    sy_profile_view view;
    sy_error none = SY_ERROR_INIT;
    sy_profile_key stored = sy_request_stored_key(request, key);
    const sy_profile_cost cost = cost_of(result);
    const int64_t now = sy_clock_system.utc_s(&sy_clock_system);
    if (result->pairs == 0 || result->rule != SY_RULE_CAPPED ||
        (result->question != SY_QUESTION_FASTER && result->prefer != SY_PREFER_MEMORY) || key->processor[0] == '\0')
        return SY_OK;
    if (sy_store_find(selector->store, &stored, SY_PROFILE_CALIBRATED, &view, &none) == SY_OK &&
        (view.profile->expires_utc_s == 0 || view.profile->expires_utc_s > now))
        return count_beside(selector, &stored, view.profile, result, attempt, err);
    sy_profile_draft draft = SY_PROFILE_DRAFT_INIT;
    sy_profile_trial trial = trial_of(result, attempt);
    kept_policy kept = {request, result->reference};
    trial.decision = SY_DECISION_INCONCLUSIVE;
    draft.key = stored;
    draft.trial = &trial;
    draft.expires_utc_s = now; /* it never answers */
    draft.cost = &cost;
    return sy_store_put(selector->store, &draft, give_policy, validate_policy, &kept, NULL, err);
}

/* The entry of this key, expired or not, counts the probes that it has had. */
sy_status sy_request_attempts(sy_selector *selector, const sy_request *request, const sy_selection *key,
                              uint32_t *ret_attempts, sy_error *err)
{
    sy_profile_view view;
    sy_error own = SY_ERROR_INIT;
    sy_profile_key stored = sy_request_stored_key(request, key);
    uint32_t attempts = 0;
    if (sy_request_is_portable(request) || stored.processor) {
        sy_status status = sy_store_find(selector->store, &stored, SY_PROFILE_CALIBRATED, &view, &own);
        if (status && status != SY_NOT_FOUND) {
            if (err)
                *err = own;
            return status;
        }
        if (!status)
            attempts = view.profile->has_trial ? view.profile->trial.attempt : 1;
    }
    *ret_attempts = attempts;
    return SY_OK;
}

bool sy_request_can_decide(const sy_probe_options *probe, double alpha)
{
    static const double weight = 1;
    sy_rule_options options = {.question = probe->question,
                               .kind = probe->rule,
                               .max_pairs = probe->max_pairs,
                               .alpha = alpha,
                               .beta = probe->beta,
                               .min_improvement = probe->min_improvement,
                               .margin = probe->margin,
                               .veto = probe->veto,
                               .case_count = 1,
                               .weights = &weight,
                               .processes = probe->processes};
    sy_rule *rule = NULL;
    sy_status status = alpha > 0 ? sy_rule_create(&options, &rule, NULL) : SY_INVALID_ARGUMENT;
    sy_rule_destroy(rule);
    return status != SY_INVALID_ARGUMENT;
}

sy_status sy_request_alpha(const sy_probe_options *probe, uint32_t attempts, double *ret_alpha, sy_error *err)
{
    double alpha = ldexp(probe->alpha, -(int)(attempts < INT16_MAX ? attempts : INT16_MAX));
    /* Options that can decide nothing at any alpha are sy_probe's to refuse. */
    if (attempts > 0 && !sy_request_can_decide(probe, alpha) && sy_request_can_decide(probe, probe->alpha)) {
        (void)sy_fail(err, SY_REFUSED,
                      "this key has been probed %u times: at alpha %.3g, which keeps all its probes together below "
                      "%.3g, no %u pairs can decide",
                      attempts, alpha, 2 * probe->alpha, probe->max_pairs);
        sy_error_hint(err, "allow more pairs, or remove its profile, which forgets the attempts");
        return SY_REFUSED;
    }
    *ret_alpha = alpha;
    return SY_OK;
}
