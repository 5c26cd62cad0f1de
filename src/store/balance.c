/* SPDX-License-Identifier: Apache-2.0 */
/* What decisions have cost and saved, and whether measurements contradict an override. The formulas are explained in
 * docs/statistics.md. */
#include <math.h>
#include <string.h>

#include "store/earlier.h"
#include "store/profile.h"

bool sy_profile_contradicts(const sy_profile *calibrated, const sy_profile *override, int64_t now_utc_s)
{
    /* An override that has ended decides nothing that could be contradicted. */
    bool expired = (calibrated->expires_utc_s != 0 && calibrated->expires_utc_s <= now_utc_s) ||
                   (override->expires_utc_s != 0 && override->expires_utc_s <= now_utc_s);
    bool same = calibrated->policy_size == override->policy_size &&
                memcmp(calibrated->policy, override->policy, override->policy_size) == 0;
    return override->kind == SY_PROFILE_OVERRIDE && calibrated->kind == SY_PROFILE_CALIBRATED && !expired && !same &&
           calibrated->has_trial && calibrated->trial.decision == SY_DECISION_WIN;
}

/* A gain that may be claimed: won, here, and surely above 0. */
static bool is_proven(const sy_profile_earlier *measured, bool portable)
{
    return !portable && *measured->origin == '\0' && measured->has_decision && measured->decision == SY_DECISION_WIN &&
           measured->has_gain && measured->gain.low > 0 && measured->gain.gain < 1 && measured->gain.low < 1;
}

/* Time that the reference would have taken more: timed calls took T, so T / (1 - g) - T; others are counted at the
 * reference's time a call. */
static double saving(const sy_profile_earlier *measured, double gain)
{
    const sy_profile_use *use = &measured->use;
    double saved = use->timed_calls > 0 ? use->seconds * gain / (1 - gain) : 0;
    if (measured->reference_s > 0)
        saved += (double)(use->calls - use->timed_calls) * measured->reference_s * gain;
    return saved;
}

static void add_measurement(const sy_profile_earlier *measured, bool portable, sy_profile_balance *to)
{
    const sy_profile_use *use = &measured->use;
    if (measured->cost.probes > 0) {
        to->cost_s = (isnan(to->cost_s) ? 0 : to->cost_s) + measured->cost.seconds;
        to->probes += measured->cost.probes;
    }
    to->calls += use->calls;
    if (!is_proven(measured, portable) || use->calls == 0)
        return;
    to->proven += measured->reference_s > 0 ? use->calls : use->timed_calls;
    to->saved_s += saving(measured, measured->gain.low);
    to->saved_likely_s += saving(measured, measured->gain.gain);
    to->saved_high_s += measured->gain.high < 1 ? saving(measured, measured->gain.high) : NAN;
}

void sy_profile_balance_of(const sy_profile *profile, sy_profile_balance *ret_balance)
{
    sy_profile_balance balance = {.cost_s = NAN, .pays_back_s = NAN};
    sy_profile_earlier current = sy_profile_as_earlier(profile, "", 0);
    bool calibrated = profile->kind == SY_PROFILE_CALIBRATED;
    bool foreign = profile->portable || !calibrated;
    for (size_t i = 0; i < profile->earlier_count; i++)
        add_measurement(&profile->earlier[i], foreign, &balance);
    add_measurement(&current, foreign, &balance);
    if (profile->dropped_cost.probes > 0) {
        balance.cost_s = (isnan(balance.cost_s) ? 0 : balance.cost_s) + profile->dropped_cost.seconds;
        balance.probes += profile->dropped_cost.probes;
    }
    balance.is_proven = is_proven(&current, foreign);
    if (balance.is_proven && !isnan(balance.cost_s))
        balance.pays_back_s = balance.cost_s * (1 - current.gain.low) / current.gain.low;
    *ret_balance = balance;
}
