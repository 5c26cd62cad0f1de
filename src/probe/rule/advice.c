/* SPDX-License-Identifier: Apache-2.0 */
/* What the rule can show before it begins, and what would decide it when it ended open. */
#include <math.h>

#include "base/error.h"
#include "probe/rule/rule_parts.h"
#include "stats/gain.h"

static const double target_points = 0.02; /* above the threshold: a probe should find this */

static bool asks_faster(const sy_rule *rule)
{
    return rule->options.question == SY_QUESTION_FASTER;
}

double rule_target(const sy_rule *rule)
{
    return asks_faster(rule) ? rule->options.min_improvement + target_points : 0;
}

/* Not-slower is ended early by SLOWER, which has alpha too. */
static double stopping_level(const sy_rule *rule)
{
    return asks_faster(rule) ? rule->options.beta : rule->options.alpha;
}

sy_status rule_resolution(const sy_rule *rule, double *ret_z, sy_error *err)
{
    return sy_gain_resolution(rule->options.max_pairs, rule->options.alpha, stopping_level(rule), ret_z, err);
}

sy_status rule_pairs_needed(const sy_rule *rule, double win_probability, uint32_t *ret_pairs, sy_error *err)
{
    return sy_gain_pairs_needed(win_probability, rule->options.alpha, stopping_level(rule), ret_pairs, err);
}

sy_status sy_rule_foresee(const sy_rule *rule, double noise, sy_rule_foresight *ret_foresight, sy_error *err)
{
    sy_rule_foresight seen = {NAN, NAN, 0, false};
    double win_probability = 1; /* without noise */
    double z = 0;
    sy_status status;

    if (!(noise >= 0 && isfinite(noise)))
        return sy_fail(err, SY_INVALID_ARGUMENT, "a noise of %g is not a finite number from 0 on", noise);
    if (rule->options.kind == SY_RULE_MEDIANS) {
        *ret_foresight = seen;
        return SY_OK;
    }
    status = rule_resolution(rule, &z, err);
    if (status != SY_OK)
        return status;
    seen.target_gain = rule_target(rule);
    seen.resolvable_gain = rule_gain_of(rule->theta + z * noise);
    seen.past_cap = seen.resolvable_gain > seen.target_gain;
    if (noise > 0)
        win_probability = sy_gain_normal_cdf((-log1p(-fmin(seen.target_gain, 1)) - rule->theta) / noise);
    status = rule_pairs_needed(rule, win_probability, &seen.pairs_needed, err);
    if (status != SY_OK)
        return status;
    /* power does not grow strictly with the cap: never contradict the line above */
    if (seen.past_cap && seen.pairs_needed > 0 && seen.pairs_needed <= rule->options.max_pairs)
        seen.pairs_needed = rule->options.max_pairs + 1;
    *ret_foresight = seen;
    return SY_OK;
}

/* The cap that the win rate seen so far would need; 0 = none is known. One win and one loss are added, so that few
 * rounds promise nothing. */
static uint32_t cap_for_rate(const sy_rule *rule)
{
    double rate = (rule->wins + 1.) / (rule->round_count + 2.);
    uint32_t pairs = 0;

    if (rule->round_count == 0 || rule_pairs_needed(rule, rate, &pairs, NULL) != SY_OK)
        return 0;
    if (pairs > 100) /* an estimate from a rate: two or three digits are all it has */
        pairs = (pairs + 9) / 10 * 10;
    return pairs > rule->round_count ? pairs : pairs > 0 ? rule->round_count + 1 : 0;
}

static void join(sy_text *text)
{
    if (text->length > 0)
        sy_text_append(text, "; ");
}

/* The threshold that the bound already clears, to the next tenth of a percent on the safe side. */
static void advise_threshold(sy_rule *rule)
{
    double low = rule_gain_of(rule->bounds.low);

    if (!isfinite(rule->bounds.low))
        return;
    if (asks_faster(rule)) {
        double improvement = floor(1000 * low - 1e-6) / 10;

        if (improvement < 0 || improvement >= 100 * rule->options.min_improvement)
            return;
        join(&rule->advice);
        sy_text_append_format(&rule->advice, "a minimum improvement of %.1f %% or less", improvement);
    } else {
        double margin = ceil(1000 * expm1(-rule->bounds.low) + 1e-6) / 10;

        join(&rule->advice);
        sy_text_append_format(&rule->advice, "a margin of %.1f %% or more", margin);
    }
}

static void advise_more_pairs(sy_rule *rule)
{
    uint32_t cap = cap_for_rate(rule);

    if (cap > rule->options.max_pairs) {
        join(&rule->advice);
        sy_text_append_format(&rule->advice, "a new probe with a cap of about %u pairs", cap);
    }
}

static void advise_more_time(sy_rule *rule, const char *limit)
{
    uint32_t cap = cap_for_rate(rule);

    sy_text_append_format(&rule->advice, "a larger %s", limit);
    if (rule->round_count == 0)
        sy_text_append(&rule->advice, ": it left no time for a pair");
    else if (cap > rule->options.max_pairs)
        sy_text_append_format(&rule->advice, " and a cap of about %u pairs", cap);
    else if (cap > 0)
        sy_text_append_format(&rule->advice, ": about %u more pairs", cap - rule->round_count);
    advise_threshold(rule);
}

static void advise_cases(sy_rule *rule)
{
    uint32_t open = 0;

    for (uint32_t c = 0; c < rule->options.case_count; c++)
        open += !rule->case_states[c].resolved;
    sy_text_append_format(&rule->advice,
                          "more pairs, or a veto wider than %g %%: %u of %u cases are not yet shown to be within it",
                          100 * rule->options.veto, open, rule->options.case_count);
}

static bool is(const char *reason, const char *word)
{
    return sy_text_equal(reason, word);
}

/* Reasons that name something to mend. */
static const char *mend(const char *reason)
{
    if (is(reason, "timer"))
        return "times that the clock can resolve: more work in a run";
    if (is(reason, "crashed"))
        return "implementations that finish their runs";
    if (is(reason, "void"))
        return "runs that count: see why they were void";
    if (is(reason, "carry-over"))
        return "implementations that leave nothing behind for the next: a process each, the idle one stopped, fewer "
               "threads";
    if (is(reason, "preempted"))
        return "processors that nothing else runs on: stop what runs beside, or fewer threads";
    if (is(reason, "order") || is(reason, "drift"))
        return "a quieter machine: nothing else running, a fixed clock";
    if (is(reason, "processes"))
        return "what a start decides: where memory and threads come to lie weighs more than the implementations do; "
               "more processes tell how often each wins";
    if (is(reason, "interrupted"))
        return "the pairs that were not run";
    return NULL;
}

const char *sy_rule_advice(sy_rule *rule)
{
    const char *reason = rule->reason;

    sy_text_clear(&rule->advice);
    if (rule->answer != SY_RULE_INCONCLUSIVE)
        return "";
    if (mend(reason) != NULL)
        return mend(reason);
    if (is(reason, "case-unresolved"))
        advise_cases(rule);
    else if (is(reason, "budget"))
        advise_more_time(rule, "budget");
    else if (is(reason, "wall-limit"))
        advise_more_time(rule, "wall limit");
    else if (is(reason, "total-short"))
        sy_text_append(&rule->advice,
                       "a smaller minimum improvement: the medians of all cases together fell short of it");
    else {
        advise_more_pairs(rule);
        advise_threshold(rule);
        join(&rule->advice);
        sy_text_append(&rule->advice, "a quieter machine");
    }
    return sy_text_bytes(&rule->advice);
}
