/* SPDX-License-Identifier: Apache-2.0 */
/* Keys, policies, measurements and times of profiles in words. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/digest.h"
#include "report/page/figures.h"
#include "report/profile/report_profile.h"

enum { PROCESSOR_DIGITS = 8 };

void sy_profile_words_policy(const sy_profile *profile, sy_text *to)
{
    size_t at = 0;

    while (at < profile->policy_size) {
        size_t length = strnlen(profile->policy + at, profile->policy_size - at);

        sy_text_append_bytes(to, profile->policy + at, length);
        at += length;
        if (at < profile->policy_size)
            sy_text_append(to, "\\x00");
        at++;
    }
}

static void append_processor(const char *processor, sy_text *to)
{
    char digits[SY_DIGEST_TEXT];
    sy_digest digest;

    sy_digest_of(processor, strlen(processor), &digest);
    sy_digest_format(&digest, digits);
    sy_text_append_format(to, "processor %.*s", PROCESSOR_DIGITS, digits);
}

void sy_profile_words_key(const sy_profile_key *key, bool portable, sy_text *to)
{
    if (!portable) {
        sy_text_append_format(to, "model %s, %u %s, ", key->model_digest, key->thread_count,
                              key->thread_count == 1 ? "thread" : "threads");
        append_processor(key->processor, to);
        return;
    }
    for (size_t i = 0; i < key->structure_count; i++)
        sy_text_append_format(to, "%s%s=%s", i == 0 ? "" : ", ", key->structure[i].name, key->structure[i].value);
}

void sy_profile_words_kind(const sy_profile *profile, sy_text *to)
{
    sy_text_append_format(to, "%s %s", sy_profile_kind_word(profile->kind), profile->portable ? "portable" : "exact");
}

void sy_profile_words_measurements(const sy_profile *profile, sy_text *to)
{
    for (size_t i = 0; i < profile->measurement_count; i++) {
        const sy_measurement *measurement = &profile->measurements[i];

        sy_text_append_format(to, "%s%s = ", i == 0 ? "" : "; ", measurement->name);
        sy_text_append_double(to, measurement->value);
        if (measurement->unit != NULL && measurement->unit[0] != '\0')
            sy_text_append_format(to, " %s", measurement->unit);
    }
}

void sy_profile_words_trial(const sy_profile *profile, sy_text *to)
{
    const sy_profile_trial *trial = &profile->trial;
    char figure[SY_FIGURE_SIZE];

    if (!profile->has_trial)
        return;
    sy_text_append_format(to, "%s by rule %s: %u wins in %u of at most %u pairs, probe %u of this key",
                          trial->decision == SY_DECISION_INCONCLUSIVE ? "undecided" : sy_decision_word(trial->decision),
                          trial->rule, trial->wins, trial->pairs, trial->max_pairs, trial->attempt);
    if (!isnan(trial->e_value))
        sy_text_append_format(to, ", e-value %s", sy_figure_ratio(figure, trial->e_value));
}

void sy_profile_words_gain(const sy_profile *profile, sy_text *to)
{
    char low[SY_FIGURE_SIZE];
    char high[SY_FIGURE_SIZE];
    char figure[SY_FIGURE_SIZE];

    if (profile->has_gain)
        sy_text_append_format(to, "%s (%s to %s), %u pairs", sy_figure_share(figure, profile->gain.gain),
                              sy_figure_share_down(low, profile->gain.low),
                              sy_figure_share_up(high, profile->gain.high), profile->gain.pairs);
}

void sy_profile_words_parity(const sy_profile *profile, sy_text *to)
{
    char figure[SY_FIGURE_SIZE];

    if (!profile->has_parity)
        return;
    sy_text_append(to, sy_parity_outcome_word(profile->parity.outcome));
    if (!isnan(profile->parity.error_in_tolerances))
        sy_text_append_format(to, ", largest error %s of what it may be",
                              sy_figure_ratio(figure, profile->parity.error_in_tolerances));
}

const char *sy_profile_words_time(char to[SY_PROFILE_TIME_SIZE], int64_t utc_s)
{
    to[0] = '\0';
    if (utc_s != 0 && sy_time_format_utc(utc_s, to, SY_PROFILE_TIME_SIZE, NULL) != SY_OK)
        (void)sy_text_copy(to, SY_PROFILE_TIME_SIZE, "unknown");
    return to;
}

bool sy_profile_is_expired(const sy_profile *profile, int64_t now_utc_s)
{
    return profile->expires_utc_s != 0 && profile->expires_utc_s <= now_utc_s;
}

const char *sy_profile_words_layer(const sy_report_store *store, uint32_t layer)
{
    if (layer >= store->layer_count)
        return "";
    return store->layers[layer].path[0] != '\0' ? store->layers[layer].path : "memory";
}
