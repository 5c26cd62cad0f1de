/* SPDX-License-Identifier: Apache-2.0 */
/* The decision rule while it is being fed: total, cases, bounds, state. Its end, with guards and notes: rule_end.c. */
#include "probe/rule/rule.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "probe/rule/rule_parts.h"
#include "stats/order.h"

/* Unusable pairs are judged from this pair on: before it one of them is too large a share. */
static const uint32_t unusable_judged_from = 10;

static sy_status check_level(const char *name, double value, sy_error *err)
{
    if (!(value > 0 && value <= 0.5))
        return sy_fail(err, SY_INVALID_ARGUMENT, "%s %g is outside (0, 0.5]", name, value);
    if (value < SY_SIGN_ALPHA_MIN)
        return sy_fail(err, SY_INVALID_ARGUMENT, "%s %g: below %g nothing is promised", name, value, SY_SIGN_ALPHA_MIN);
    return SY_OK;
}

static sy_status check_width(const char *name, double value, sy_error *err)
{
    if (!(value >= 0 && isfinite(value)))
        return sy_fail(err, SY_INVALID_ARGUMENT, "%s %g is not a number from 0 on", name, value);
    return SY_OK;
}

static sy_status check_numbers(const sy_rule_options *options, sy_error *err)
{
    sy_status status = check_level("alpha", options->alpha, err);

    if (status == SY_OK)
        status = check_level("beta", options->beta, err);
    if (status == SY_OK && !(options->min_improvement >= 0 && options->min_improvement < 1))
        status = sy_fail(err, SY_INVALID_ARGUMENT, "min_improvement %g is outside [0, 1)", options->min_improvement);
    if (status == SY_OK)
        status = check_width("margin", options->margin, err);
    if (status == SY_OK)
        status = check_width("veto", options->veto, err);
    return status;
}

static sy_status check_options(const sy_rule_options *options, sy_error *err)
{
    sy_status status = check_numbers(options, err);
    uint32_t least;

    if (status != SY_OK)
        return status;
    if (options->max_pairs < 1 || options->max_pairs > SY_SIGN_PAIRS_MAX)
        return sy_fail(err, SY_INVALID_ARGUMENT, "max_pairs %u is outside 1..%d", options->max_pairs,
                       SY_SIGN_PAIRS_MAX);
    status = rule_check_processes(options, err);
    if (status != SY_OK)
        return status;
    if (options->case_count < 1 || options->weights == NULL)
        return sy_fail(err, SY_INVALID_ARGUMENT, "case_count %u: a rule needs a case and its weight",
                       options->case_count);
    for (uint32_t c = 0; c < options->case_count; c++) {
        if (!(options->weights[c] > 0 && isfinite(options->weights[c])))
            return sy_fail(err, SY_INVALID_ARGUMENT, "weights: %g of case %u is not above 0", options->weights[c], c);
    }
    least = sy_sign_least_cap(options->alpha);
    if (options->kind == SY_RULE_CAPPED && options->max_pairs < least) {
        sy_fail(err, SY_INVALID_ARGUMENT, "max_pairs %u can never decide at alpha %g: the least is %u",
                options->max_pairs, options->alpha, least);
        sy_error_hint(err, "allow at least %u pairs, or a larger alpha", least);
        return SY_INVALID_ARGUMENT;
    }
    return SY_OK;
}

static sy_status make_tables(sy_rule *rule, sy_error *err)
{
    const sy_rule_options *options = &rule->options;
    sy_status status;

    if (options->kind == SY_RULE_MEDIANS)
        return SY_OK;
    status = sy_sign_table_init(&rule->win, options->max_pairs, options->alpha, err);
    if (status == SY_OK)
        status = sy_sign_table_init(&rule->stop, options->max_pairs, options->beta, err);
    if (status == SY_OK && options->case_count > 1)
        status = sy_sign_table_init(&rule->regression, options->max_pairs,
                                    fmax(options->alpha / options->case_count, SY_SIGN_ALPHA_MIN), err);
    return status;
}

static bool make_arrays(sy_rule *rule)
{
    size_t pairs = rule->options.max_pairs;
    size_t cases = rule->options.case_count;
    double *next;

    rule->cases = sy_allocate(cases, sizeof *rule->cases);
    rule->case_states = sy_allocate(cases, sizeof *rule->case_states);
    rule->block = sy_allocate(cases, 3 * pairs * sizeof *rule->block);
    rule->rounds = sy_allocate(pairs, sizeof *rule->rounds);
    rule->differences = sy_allocate(pairs, sizeof *rule->differences);
    if (rule->cases == NULL || rule->case_states == NULL || rule->block == NULL || rule->rounds == NULL ||
        rule->differences == NULL)
        return false;
    next = rule->block;
    for (size_t c = 0; c < cases; c++, next += 3 * pairs) {
        rule->cases[c].reference_ns = next;
        rule->cases[c].candidate_ns = next + pairs;
        rule->cases[c].differences = next + 2 * pairs;
        rule->cases[c].weight = rule->options.weights[c];
    }
    return true;
}

/* What has to be set before the first round beside zeros. */
static void start(sy_rule *rule)
{
    rule->answer = SY_RULE_CONTINUE;
    rule->reason = "";
    sy_bounds_start(&rule->bounds);
    for (uint32_t c = 0; c < rule->options.case_count; c++)
        rule->case_states[c] = (sy_rule_case_state){NAN, NAN, NAN, false, false};
}

sy_status sy_rule_create(const sy_rule_options *options, sy_rule **ret_rule, sy_error *err)
{
    sy_status status = check_options(options, err);
    sy_rule *rule;

    if (status != SY_OK)
        return status;
    rule = sy_allocate(1, sizeof *rule);
    if (rule == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for the decision rule");
    rule->options = *options;
    rule->theta = -log1p(options->question == SY_QUESTION_FASTER ? -options->min_improvement : options->margin);
    rule->case_theta = log1p(options->veto);
    if (!make_arrays(rule))
        status = sy_fail(err, SY_NO_MEMORY, "no memory for a decision rule of %u pairs and %u cases",
                         options->max_pairs, options->case_count);
    else
        status = make_tables(rule, err);
    rule->options.weights = NULL;
    if (status == SY_OK) {
        start(rule);
        *ret_rule = rule;
    } else {
        sy_rule_destroy(rule);
    }
    return status;
}

void sy_rule_restart(sy_rule *rule)
{
    const sy_rule was = *rule;

    rule_forget_notes(rule);
    *rule = (sy_rule){
        .options = was.options,
        .theta = was.theta,
        .case_theta = was.case_theta,
        .win = was.win,
        .stop = was.stop,
        .regression = was.regression,
        .cases = was.cases,
        .case_states = was.case_states,
        .block = was.block,
        .rounds = was.rounds,
        .differences = was.differences,
        .advice = was.advice,
    };
    for (uint32_t c = 0; c < rule->options.case_count; c++) {
        rule_case *fed = &rule->cases[c];

        fed->usable = fed->fit = fed->slow = 0;
    }
    start(rule);
}

void sy_rule_destroy(sy_rule *rule)
{
    if (rule == NULL)
        return;
    sy_sign_table_finish(&rule->win);
    sy_sign_table_finish(&rule->stop);
    sy_sign_table_finish(&rule->regression);
    rule_forget_notes(rule);
    sy_text_finish(&rule->advice);
    sy_free(rule->cases);
    sy_free(rule->case_states);
    sy_free(rule->block);
    sy_free(rule->rounds);
    sy_free(rule->differences);
    sy_free(rule);
}

static bool is_time(double ns)
{
    return isfinite(ns) && ns > 0;
}

static sy_unusable unusable_of(const sy_rule_pair *pair)
{
    if (pair->unusable != SY_USABLE)
        return pair->unusable;
    return is_time(pair->reference_ns) && is_time(pair->candidate_ns) ? SY_USABLE : SY_UNUSABLE_TIMER;
}

static const char *const unusable_words[] = {
    [SY_UNUSABLE_TIMER] = "timer", [SY_UNUSABLE_CRASHED] = "crashed", [SY_UNUSABLE_VOID] = "void"};

const char *sy_rule_unusable_word(const sy_rule_pair *pair)
{
    return unusable_words[unusable_of(pair)];
}

/* One case's pair; false when it is unusable. */
static bool feed_case(sy_rule *rule, rule_case *c, const sy_rule_pair *pair)
{
    sy_unusable unusable = unusable_of(pair);
    double d;

    if (unusable != SY_USABLE) {
        rule->unusable_pairs[unusable]++;
        return false;
    }
    d = log(pair->reference_ns) - log(pair->candidate_ns);
    sy_order_insert(c->reference_ns, c->usable, pair->reference_ns);
    sy_order_insert(c->candidate_ns, c->usable, pair->candidate_ns);
    sy_order_insert(c->differences, c->usable, d);
    c->usable++;
    c->fit += d > -rule->case_theta + RULE_TIE_GUARD;
    c->slow += -d > rule->case_theta + RULE_TIE_GUARD;
    return true;
}

/* Takes one round in. Its order, for the guard, is the one that most of its weighted reference time had. */
static void feed_round(sy_rule *rule, const sy_rule_pair *pairs)
{
    rule_round *round = &rule->rounds[rule->round_count++];
    double reference = 0;
    double candidate = 0;
    double reference_first = 0;
    bool usable = true;

    for (uint32_t c = 0; c < rule->options.case_count; c++) {
        rule_case *fed = &rule->cases[c];

        usable = feed_case(rule, fed, &pairs[c]) && usable;
        reference += fed->weight * pairs[c].reference_ns;
        candidate += fed->weight * pairs[c].candidate_ns;
        if (pairs[c].reference_first)
            reference_first += fed->weight * pairs[c].reference_ns;
    }
    round->preempted = rule->next_preempted;
    rule->next_preempted = false;
    round->difference = NAN;
    round->reference_first = pairs[0].reference_first;
    if (!usable)
        return;
    /* one case: its own difference to the last bit, whatever its weight */
    round->difference = rule->options.case_count == 1 ? log(pairs[0].reference_ns) - log(pairs[0].candidate_ns)
                                                      : log(reference) - log(candidate);
    round->reference_ns = reference;
    round->candidate_ns = candidate;
    round->reference_first = reference_first >= reference - reference_first;
    sy_order_insert(rule->differences, rule->usable++, round->difference);
    rule->wins += round->difference > rule->theta + RULE_TIE_GUARD;
    rule->losses += round->difference <= rule->theta + RULE_TIE_GUARD;
    rule->below += round->difference < rule->theta - RULE_TIE_GUARD;
}

static uint32_t unusable_rounds(const sy_rule *rule)
{
    return rule->round_count - rule->usable;
}

static void answer(sy_rule *rule, sy_rule_answer given, const char *reason)
{
    rule->answer = given;
    rule->reason = reason;
}

const char *rule_unusable_reason(const sy_rule *rule)
{
    const uint32_t *pairs = rule->unusable_pairs;

    if (pairs[SY_UNUSABLE_TIMER] >= pairs[SY_UNUSABLE_CRASHED] && pairs[SY_UNUSABLE_TIMER] >= pairs[SY_UNUSABLE_VOID])
        return "timer";
    return pairs[SY_UNUSABLE_CRASHED] >= pairs[SY_UNUSABLE_VOID] ? "crashed" : "void";
}

/* Latches what each case has shown. Returns whether all are shown fit; *ret_regression: some case is slower. */
static bool judge_cases(sy_rule *rule, bool *ret_regression)
{
    uint32_t n = rule->round_count;
    bool all_fit = true;

    *ret_regression = false;
    if (rule->options.case_count == 1) {
        rule->case_states[0].resolved = rule->crossed;
        return true;
    }
    for (uint32_t c = 0; c < rule->options.case_count; c++) {
        sy_rule_case_state *state = &rule->case_states[c];

        state->resolved = state->resolved || rule->cases[c].fit >= rule->win.needed[n];
        state->regression = state->regression || rule->cases[c].slow >= rule->regression.needed[n];
        all_fit = all_fit && state->resolved;
        *ret_regression = *ret_regression || state->regression;
    }
    return all_fit;
}

/* The medians of several cases must agree with the rule's crossing; of one case they are never asked. */
static bool medians_suffice(const sy_rule *rule)
{
    sy_rule_state state;

    if (rule->options.case_count == 1)
        return true;
    rule_describe(rule, &state);
    return state.gain >= rule->options.min_improvement && state.total_gain >= rule->options.min_improvement;
}

static void decide_faster(sy_rule *rule)
{
    uint32_t n = rule->round_count;
    bool regression;
    bool all_fit;

    rule->crossed = rule->crossed || rule->wins >= rule->win.needed[n];
    all_fit = judge_cases(rule, &regression);
    if (regression)
        answer(rule, SY_RULE_NO_GAIN, "case-regression");
    else if (!rule->crossed && rule->losses >= rule->stop.needed[n])
        answer(rule, SY_RULE_NO_GAIN, "");
    else if (rule->crossed && all_fit && medians_suffice(rule))
        answer(rule, SY_RULE_WIN, "");
    else if (rule_is_used_up(rule))
        answer(rule, SY_RULE_INCONCLUSIVE, !rule->crossed ? "max-pairs" : all_fit ? "total-short" : "case-unresolved");
}

static void decide_not_slower(sy_rule *rule)
{
    uint32_t n = rule->round_count;
    bool regression;

    rule->crossed = rule->crossed || rule->wins >= rule->win.needed[n];
    judge_cases(rule, &regression);
    if (rule->crossed)
        answer(rule, SY_RULE_NOT_SLOWER, "");
    else if (rule->below >= rule->win.needed[n])
        answer(rule, SY_RULE_SLOWER, "");
    else if (rule_is_used_up(rule))
        answer(rule, SY_RULE_INCONCLUSIVE, "max-pairs");
}

/* The literal rule, asked once, after the last pair. */
static void decide_medians(sy_rule *rule)
{
    const sy_rule_options *options = &rule->options;
    bool faster = options->question == SY_QUESTION_FASTER;
    double share = faster ? 1 - options->min_improvement : 1 + options->margin;
    sy_rule_state state;
    bool wins;

    if (rule->round_count < options->max_pairs)
        return;
    rule_describe(rule, &state);
    if (isnan(state.total_gain)) {
        answer(rule, SY_RULE_INCONCLUSIVE, rule_unusable_reason(rule));
        return;
    }
    wins = faster && options->min_improvement <= 0 ? state.candidate_total < state.reference_total
                                                   : state.candidate_total <= state.reference_total * share;
    rule->crossed = wins;
    if (faster)
        answer(rule, wins ? SY_RULE_WIN : SY_RULE_NO_GAIN, "");
    else
        answer(rule, wins ? SY_RULE_NOT_SLOWER : SY_RULE_SLOWER, "");
}

void sy_rule_mark_preempted(sy_rule *rule)
{
    rule->next_preempted = true;
}

sy_status sy_rule_step(sy_rule *rule, const sy_rule_pair *pairs, sy_rule_state *ret_state, sy_error *err)
{
    bool regression;

    if (rule->answer != SY_RULE_CONTINUE || rule->finished)
        return sy_fail(err, SY_INVALID_ARGUMENT, "round %u was fed to a rule that has already answered",
                       rule->round_count);
    feed_round(rule, pairs);
    if (rule->options.kind == SY_RULE_CAPPED && rule_all_are_heard(rule))
        sy_bounds_add(&rule->bounds, &rule->win, rule->round_count, rule->differences, rule->usable);
    if (rule->round_count >= unusable_judged_from && unusable_rounds(rule) * 5 > rule->round_count)
        answer(rule, SY_RULE_INCONCLUSIVE, rule_unusable_reason(rule));
    else if (rule->options.kind == SY_RULE_MEDIANS)
        decide_medians(rule);
    else if (!rule_all_are_heard(rule))
        (void)judge_cases(rule, &regression);
    else if (rule->options.question == SY_QUESTION_FASTER)
        decide_faster(rule);
    else
        decide_not_slower(rule);
    rule_describe(rule, ret_state);
    return SY_OK;
}

double rule_gain_of(double difference)
{
    return -expm1(-difference);
}

/* Fills the cases' medians; NaN sums when a case has no usable pair yet. */
static void describe_cases(const sy_rule *rule, sy_rule_state *state)
{
    uint32_t count = rule->options.case_count;
    double mean_difference = 0;

    state->reference_total = 0;
    state->candidate_total = 0;
    for (uint32_t c = 0; c < count; c++) {
        const rule_case *fed = &rule->cases[c];
        sy_rule_case_state *shown = &rule->case_states[c];
        double difference = NAN;

        if (fed->usable > 0) {
            difference = sy_order_median(fed->differences, fed->usable);
            shown->gain = rule_gain_of(difference);
            shown->reference_median = sy_order_median(fed->reference_ns, fed->usable);
            shown->candidate_median = sy_order_median(fed->candidate_ns, fed->usable);
        }
        mean_difference += difference / count;
        state->reference_total += fed->weight * shown->reference_median;
        state->candidate_total += fed->weight * shown->candidate_median;
    }
    state->geometric_mean_gain = rule_gain_of(mean_difference);
    state->total_gain = 1 - state->candidate_total / state->reference_total;
}

void rule_describe(const sy_rule *rule, sy_rule_state *ret_state)
{
    bool capped = rule->options.kind == SY_RULE_CAPPED;
    sy_rule_state state = {
        .answer = rule->answer,
        .reason = rule->reason,
        .rounds = rule->round_count,
        .wins = rule->wins,
        .unusable = unusable_rounds(rule),
        .process_ends = rule_process_ends(rule),
        .crossed = rule->crossed,
        .gain = NAN,
        .gain_low = isfinite(rule->bounds.low) ? rule_gain_of(rule->bounds.low) : NAN,
        .gain_high = isfinite(rule->bounds.high) ? rule_gain_of(rule->bounds.high) : NAN,
        .e_value = NAN,
        .cases = rule->case_states,
    };

    if (rule->usable > 0)
        state.gain = rule_gain_of(sy_order_median(rule->differences, rule->usable));
    /* pairs in a fixed order are no coin flips: the medians rule has no e-value */
    if (capped && rule->round_count > 0)
        state.e_value = fmin(exp(sy_sign_log_evidence(rule->round_count, rule->wins)), DBL_MAX);
    describe_cases(rule, &state);
    *ret_state = state;
}
