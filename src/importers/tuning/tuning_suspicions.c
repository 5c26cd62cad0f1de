/* SPDX-License-Identifier: Apache-2.0 */
/* What is suspicious in one profile alone: a winner that is slower than what lost to it, a time that no machine can
 * have needed, a measurement that cannot be one; and several versions in one file. */
#include <math.h>
#include <string.h>

#include "importers/tuning/tuning_inside.h"
#include "record/units.h"

/* Faster than that is no device of today (10^16 is one of the largest, at 4 bits), slower is no machine at all: the
 * time is in another unit than it is thought to be. */
#define FLOP_RATE_MOST 2e16
#define FLOP_RATE_LEAST 1e5
#define FLOPS_TO_JUDGE 1e6

static double seconds_of(const sy_measurement *measurement)
{
    const sy_unit *unit = measurement->unit != NULL ? sy_unit_of(measurement->unit) : NULL;

    return unit != NULL && strcmp(unit->unit, "s") == 0 ? sy_unit_convert(unit, measurement->value) : NAN;
}

static double named_seconds(const sy_profile *profile, const char *name)
{
    for (size_t i = 0; i < profile->measurement_count; i++) {
        if (strcmp(profile->measurements[i].name, name) == 0)
            return seconds_of(&profile->measurements[i]);
    }
    return NAN;
}

double sy_tuning_seconds(const sy_profile *profile)
{
    double seconds = named_seconds(profile, "time");
    bool candidate_won = profile->has_trial && profile->trial.decision == SY_DECISION_WIN;

    if (!isnan(seconds) || !profile->has_trial)
        return seconds;
    return named_seconds(profile, candidate_won ? "candidate_total" : "reference_total");
}

static double size_of(const sy_profile *profile, const char *name, double otherwise)
{
    int64_t value;

    return sy_tuning_value_whole(&profile->key, name, &value) ? (double)value : otherwise;
}

/* Floating-point operations of a product or a convolution; NaN = it is neither. */
static double flops_of(const sy_profile *p)
{
    double product = 2 * size_of(p, "m", NAN) * size_of(p, "n", NAN) * size_of(p, "k", NAN) * size_of(p, "batch", 1);
    double stride = size_of(p, "stride", 1);
    double out = size_of(p, "out_height", size_of(p, "height", NAN) / stride) *
                 size_of(p, "out_width", size_of(p, "width", NAN) / stride);
    double terms = size_of(p, "channels", NAN) / size_of(p, "groups", 1) * size_of(p, "kernel_h", NAN) *
                   size_of(p, "kernel_w", NAN);

    return !isnan(product) ? product : 2 * size_of(p, "batch", NAN) * size_of(p, "filters", NAN) * out * terms;
}

static void suspect_unit(sy_tuning_draft *draft, const sy_tuned *tuned)
{
    double seconds = sy_tuning_seconds(&tuned->profile);
    double flops = flops_of(&tuned->profile);
    double rate = flops / seconds;

    if (!(seconds > 0) || !(flops >= FLOPS_TO_JUDGE))
        return;
    if (rate > FLOP_RATE_MOST)
        sy_tuning_find(draft, SY_TUNING_RULE_UNIT, tuned->position, NULL,
                       "%.3g operations in %.3g s are %.3g a second, more than any device does: another unit?", flops,
                       seconds, rate);
    else if (rate < FLOP_RATE_LEAST)
        sy_tuning_find(draft, SY_TUNING_RULE_UNIT, tuned->position, NULL,
                       "%.3g operations in %.3g s are %.3g a second, less than any device does: another unit?", flops,
                       seconds, rate);
}

/* Those that lost by their time alone. */
static bool lost_by_time(const sy_alternative *alternative)
{
    static const char *const reasons[] = {"slower", "as fast", "no-gain", "tie", "reference"};

    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        if (strcmp(alternative->reason, reasons[i]) == 0)
            return true;
    }
    return false;
}

/* A winner of a probe of ours need not be the fastest: what is not faster by enough does not win. */
static void suspect_winner(sy_tuning_draft *draft, const sy_tuned *tuned)
{
    const sy_profile *profile = &tuned->profile;
    double least = profile->kind == SY_PROFILE_IMPORTED ? 1 : 1 - draft->options->margin;

    for (size_t i = 0; i < profile->alternative_count; i++) {
        const sy_alternative *alternative = &profile->alternatives[i];

        if (lost_by_time(alternative) && alternative->ratio < least)
            sy_tuning_find(draft, SY_TUNING_RULE_SLOWER, tuned->position, alternative->name,
                           "%.80s took %.3g of the winner's time, and %.80s won", alternative->name, alternative->ratio,
                           profile->policy);
    }
}

static void suspect_times(sy_tuning_draft *draft, const sy_tuned *tuned)
{
    const sy_profile *profile = &tuned->profile;

    for (size_t i = 0; i < profile->measurement_count; i++) {
        double seconds = seconds_of(&profile->measurements[i]);

        if (!isnan(seconds) && sy_tuning_unbelievable(seconds) != NULL)
            sy_tuning_find(draft, SY_TUNING_RULE_TIME, tuned->position, profile->measurements[i].name,
                           "a time that is %s is not to be believed", sy_tuning_unbelievable(seconds));
    }
}

/* Imported decisions of one backend come from one set of versions. */
static void suspect_versions(sy_tuning_draft *draft, const sy_tuned *list, size_t count)
{
    enum { BACKENDS_MAX = 64 };
    const sy_tuned *first[BACKENDS_MAX];
    bool told[BACKENDS_MAX] = {false};
    size_t known = 0;

    for (size_t i = 0; i < count; i++) {
        const sy_profile *profile = &list[i].profile;
        size_t at = 0;

        if (profile->kind != SY_PROFILE_IMPORTED)
            continue;
        while (at < known && strcmp(first[at]->profile.key.backend, profile->key.backend) != 0)
            at++;
        if (at == known && known < BACKENDS_MAX)
            first[known++] = &list[i];
        if (at == known || told[at] ||
            strcmp(first[at]->profile.key.implementation_version, profile->key.implementation_version) == 0)
            continue;
        told[at] = true;
        sy_tuning_find(draft, SY_TUNING_RULE_VALIDATORS, list[i].position, profile->key.implementation_version,
                       "imported from other versions than the profile of line %u", (unsigned)first[at]->position.line);
    }
}

void sy_tuning_suspect_each(sy_tuning_draft *draft, const sy_tuned *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        suspect_unit(draft, &list[i]);
        suspect_winner(draft, &list[i]);
        suspect_times(draft, &list[i]);
    }
    suspect_versions(draft, list, count);
}
