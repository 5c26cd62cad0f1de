/* SPDX-License-Identifier: Apache-2.0 */
/* What a key, a question and a profile must fulfil before the store takes them, and the words of its enumerations. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/digest.h"
#include "base/error.h"
#include "store/content_order.h"
#include "store/enquiry.h"
#include "store/profile.h"

const char *sy_profile_kind_word(sy_profile_kind kind)
{
    static const char *const words[] = {"calibrated", "override", "imported"};
    return (unsigned)kind < sizeof words / sizeof words[0] ? words[kind] : "unknown";
}

const char *sy_profile_rank_word(sy_profile_rank rank)
{
    static const char *const words[] = {"override-exact", "override-portable", "calibrated-exact",
                                        "calibrated-portable"};
    return (unsigned)rank < sizeof words / sizeof words[0] ? words[rank] : "unknown";
}

const char *sy_verdict_kind_word(sy_verdict_kind kind)
{
    static const char *const words[] = {"selected", "rejected", "skipped", "shadowed"};
    return (unsigned)kind < sizeof words / sizeof words[0] ? words[kind] : "unknown";
}

const char *sy_verdict_reason_word(sy_verdict_reason reason)
{
    static const char *const words[] = {
#define SY_VERDICT_REASON_WORD(name, word) word,
        SY_VERDICT_REASON_LIST(SY_VERDICT_REASON_WORD)
#undef SY_VERDICT_REASON_WORD
    };
    return (unsigned)reason < sizeof words / sizeof words[0] ? words[reason] : "unknown";
}

const char *sy_profile_decision_word(sy_decision decision)
{
    static const char *const words[] = {
#define SY_DECISION_WORD(name, word, completed, exit_code) word,
        SY_DECISION_LIST(SY_DECISION_WORD)
#undef SY_DECISION_WORD
    };
    if (decision == SY_DECISION_INCONCLUSIVE) {
        return "undecided";
    }
    return (unsigned)decision < sizeof words / sizeof words[0] ? words[decision] : "unknown";
}

bool sy_profile_decision_of_word(const char *word, size_t size, sy_decision *ret_decision)
{
    for (int i = 0; i <= SY_DECISION_UNAVAILABLE; i++) {
        const char *known = sy_profile_decision_word((sy_decision)i);
        if (strlen(known) == size && memcmp(known, word, size) == 0) {
            *ret_decision = (sy_decision)i;
            return true;
        }
    }
    return false;
}

bool sy_profile_supersedes(const sy_profile *profile, const sy_profile *existing)
{
    bool has_evidence = *profile->evidence_run != '\0';
    if (has_evidence != (*existing->evidence_run != '\0')) {
        return has_evidence;
    }
    /* A time that is not known is 0, before all others. */
    if (profile->created_utc_s != existing->created_utc_s) {
        return existing->created_utc_s == 0 ||
               (profile->created_utc_s != 0 && profile->created_utc_s > existing->created_utc_s);
    }
    return sy_profile_content_order(profile, existing) > 0;
}

#define SY_STRUCTURE_MAX 256 /* bounds the comparison of all names with all names */

static bool is_empty(const char *text)
{
    return text == NULL || *text == '\0';
}

static sy_status check_common(const sy_profile_key *key, sy_error *err)
{
    const char *field = is_empty(key->backend)                  ? "backend"
                        : is_empty(key->operator_name)          ? "operator"
                        : is_empty(key->implementation_version) ? "implementation version"
                                                                : NULL;
    return field == NULL ? SY_OK : sy_fail(err, SY_INVALID_ARGUMENT, "the key's %s is empty", field);
}

static sy_status check_exact(const sy_profile_key *key, sy_error *err)
{
    if (is_empty(key->model_digest)) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "the exact key's model digest is empty");
    }
    if (is_empty(key->processor)) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "the exact key's processor is empty");
    }
    if (key->thread_count == 0) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "the exact key's thread count is 0");
    }
    return SY_OK;
}

/* Names must differ. Quadratic, but a structure has a handful of properties and a lookup must not allocate. */
static sy_status check_structure(const sy_profile_key *key, sy_error *err)
{
    if (key->structure == NULL && key->structure_count > 0) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "the portable key's structure is missing");
    }
    if (key->structure_count > SY_STRUCTURE_MAX) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "the structure has %zu properties, more than %d", key->structure_count,
                       SY_STRUCTURE_MAX);
    }
    for (size_t i = 0; i < key->structure_count; i++) {
        const char *name = key->structure[i].name;
        if (is_empty(name)) {
            return sy_fail(err, SY_INVALID_ARGUMENT, "the name of structure property %zu is empty", i);
        }
        for (size_t j = 0; j < i; j++) {
            if (strcmp(name, key->structure[j].name) == 0) {
                return sy_fail(err, SY_INVALID_ARGUMENT, "structure property '%.80s' is given twice", name);
            }
        }
    }
    return SY_OK;
}

static bool has_exact_part(const sy_profile_key *key)
{
    return !is_empty(key->model_digest) || !is_empty(key->processor) || key->thread_count != 0;
}

sy_status sy_profile_key_check(const sy_profile_key *key, bool *ret_portable, sy_error *err)
{
    sy_status status = check_common(key, err);
    if (status != SY_OK) {
        return status;
    }
    bool portable = key->structure_count > 0;
    if (portable && has_exact_part(key)) {
        const char *field = !is_empty(key->model_digest) ? "model digest"
                            : !is_empty(key->processor)  ? "processor"
                                                         : "thread count";
        sy_fail(err, SY_INVALID_ARGUMENT, "the key has both a structure and a %s", field);
        sy_error_hint(err,
                      "an exact key has model digest, processor and thread count; a portable one only a structure");
        return SY_INVALID_ARGUMENT;
    }
    status = portable ? check_structure(key, err) : check_exact(key, err);
    if (status == SY_OK) {
        *ret_portable = portable;
    }
    return status;
}

sy_status sy_enquiry_check(const sy_lookup *lookup, bool *ret_exact, bool *ret_portable, sy_error *err)
{
    const sy_profile_key *key = &lookup->key;
    sy_status status = check_common(key, err);
    bool exact = has_exact_part(key);
    if (status == SY_OK && exact) {
        status = check_exact(key, err);
    }
    if (status == SY_OK) {
        status = check_structure(key, err);
    }
    bool portable = key->structure_count > 0;
    if (status == SY_OK && !exact && !portable) {
        sy_fail(err, SY_INVALID_ARGUMENT, "the question has neither an exact key nor a structure");
        sy_error_hint(err, "give model digest, processor and thread count, or structure properties, or both");
        return SY_INVALID_ARGUMENT;
    }
    if (status == SY_OK) {
        *ret_exact = exact;
        *ret_portable = portable;
    }
    return status;
}

static sy_status check_measurements(const sy_profile *profile, sy_error *err)
{
    for (size_t i = 0; i < profile->measurement_count; i++) {
        const sy_measurement *measurement = &profile->measurements[i];
        if (is_empty(measurement->name)) {
            return sy_fail(err, SY_INVALID_ARGUMENT, "the name of measurement %zu is empty", i);
        }
        if (!isfinite(measurement->value)) {
            return sy_fail(err, SY_INVALID_ARGUMENT, "measurement '%.80s' is not finite", measurement->name);
        }
    }
    for (size_t i = 0; i < profile->alternative_count; i++) {
        const sy_alternative *alternative = &profile->alternatives[i];
        if (is_empty(alternative->name)) {
            return sy_fail(err, SY_INVALID_ARGUMENT, "the name of alternative %zu is empty", i);
        }
        if (isinf(alternative->ratio)) {
            return sy_fail(err, SY_INVALID_ARGUMENT, "the ratio of alternative '%.80s' is not finite",
                           alternative->name);
        }
    }
    return SY_OK;
}

static sy_status check_evidence(const char *run, const char *evidence_digest, sy_error *err)
{
    if (is_empty(run) != is_empty(evidence_digest)) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "evidence needs a run and its digest: the %s is missing",
                       is_empty(run) ? "run" : "digest");
    }
    sy_digest digest;
    if (!is_empty(evidence_digest) && sy_digest_parse(evidence_digest, &digest, NULL) != SY_OK) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "the evidence's digest is not 64 hexadecimal digits");
    }
    return SY_OK;
}

/* What a file can hold as a time: years 0 to 9999. */
static bool is_time(int64_t utc_s)
{
    return utc_s >= INT64_C(-62167219200) && utc_s <= INT64_C(253402300799);
}

static bool is_gain(const sy_profile_gain *gain)
{
    return isfinite(gain->gain) && !isinf(gain->low) && !isinf(gain->high);
}

static sy_status check_figures(const sy_profile *profile, sy_error *err)
{
    const sy_profile_trial *trial = &profile->trial;
    if (profile->has_trial) {
        if (is_empty(trial->rule) || strpbrk(trial->rule, " \t\r\n\v\f\"\\#") != NULL) {
            return sy_fail(err, SY_INVALID_ARGUMENT, "the trial's rule is not one word");
        }
        if ((unsigned)trial->decision > SY_DECISION_UNAVAILABLE) {
            return sy_fail(err, SY_INVALID_ARGUMENT, "the trial's decision %d is unknown", (int)trial->decision);
        }
        if (trial->pairs > trial->max_pairs || trial->wins > trial->pairs || trial->attempt == 0) {
            return sy_fail(err, SY_INVALID_ARGUMENT,
                           "the trial's figures contradict: %u wins in %u of %u pairs, probe %u", trial->wins,
                           trial->pairs, trial->max_pairs, trial->attempt);
        }
        if (isinf(trial->e_value)) {
            return sy_fail(err, SY_INVALID_ARGUMENT, "the trial's e-value is not finite");
        }
    }
    if (profile->has_gain && !is_gain(&profile->gain)) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "the gain is not finite");
    }
    if (profile->has_parity &&
        ((unsigned)profile->parity.outcome > SY_PARITY_FAILED || isinf(profile->parity.error_in_tolerances))) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "the parity figure is not finite, or its outcome is unknown");
    }
    return SY_OK;
}

static sy_status check_cost(const sy_profile_cost *cost, sy_error *err)
{
    return cost->seconds >= 0 && cost->seconds <= SY_SECONDS_MAX
               ? SY_OK
               : sy_fail(err, SY_INVALID_ARGUMENT, "the cost is not from 0 to %g seconds", SY_SECONDS_MAX);
}

static sy_status check_use(const sy_profile_use *use, sy_error *err)
{
    if (use->timed_calls > use->calls) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "%" PRIu64 " calls of %" PRIu64 " came with their time",
                       use->timed_calls, use->calls);
    }
    if (!is_time(use->last_utc_s) || !(use->seconds >= 0 && use->seconds <= SY_SECONDS_MAX)) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "the time of the calls is not from 0 to %g seconds, or not a time",
                       SY_SECONDS_MAX);
    }
    return SY_OK;
}

sy_status sy_profile_check_counts(const sy_profile_cost *cost, const sy_profile_use *use, sy_error *err)
{
    sy_status status = check_cost(cost, err);
    return status == SY_OK ? check_use(use, err) : status;
}

static sy_status check_earlier(const sy_profile_earlier *earlier, sy_error *err)
{
    if (earlier->policy == NULL || earlier->policy_size == 0) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "the policy is empty");
    }
    if (earlier->has_decision && (unsigned)earlier->decision > SY_DECISION_UNAVAILABLE) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "the decision %d is unknown", (int)earlier->decision);
    }
    if ((earlier->has_gain && !is_gain(&earlier->gain)) || isinf(earlier->reference_s)) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "the gain or the reference's time is not finite");
    }
    if (!is_time(earlier->created_utc_s) || !is_time(earlier->replaced_utc_s)) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "a time is outside of the years 0 to 9999");
    }
    sy_status status = check_evidence(earlier->evidence_run, earlier->evidence_digest, err);
    return status == SY_OK ? sy_profile_check_counts(&earlier->cost, &earlier->use, err) : status;
}

static sy_status check_history(const sy_profile *profile, sy_error *err)
{
    sy_status status = sy_profile_check_counts(&profile->cost, &profile->use, err);
    if (status == SY_OK) {
        status = check_cost(&profile->dropped_cost, err);
    }
    if (status == SY_OK && profile->earlier_count > SY_EARLIER_MAX) {
        status = sy_fail(err, SY_INVALID_ARGUMENT, "%zu earlier measurements are more than %d", profile->earlier_count,
                         SY_EARLIER_MAX);
    }
    for (size_t i = 0; status == SY_OK && i < profile->earlier_count; i++) {
        status = check_earlier(&profile->earlier[i], err);
        if (status != SY_OK) {
            sy_error_prefix(err, "earlier measurement %zu", i);
        }
    }
    return status;
}

sy_status sy_profile_check(const sy_profile *profile, sy_error *err)
{
    bool portable;
    sy_status status = sy_profile_key_check(&profile->key, &portable, err);
    if (status != SY_OK) {
        return status;
    }
    if ((unsigned)profile->kind > SY_PROFILE_IMPORTED) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "the profile's kind %d is unknown", (int)profile->kind);
    }
    if (profile->policy == NULL || profile->policy_size == 0) {
        return sy_fail(err, SY_POLICY_REJECTED, "the policy is empty");
    }
    if (!is_time(profile->created_utc_s) || !is_time(profile->expires_utc_s)) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "a time is outside of the years 0 to 9999");
    }
    status = check_measurements(profile, err);
    if (status == SY_OK) {
        status = check_evidence(profile->evidence_run, profile->evidence_digest, err);
    }
    if (status == SY_OK) {
        status = check_figures(profile, err);
    }
    return status == SY_OK ? check_history(profile, err) : status;
}
