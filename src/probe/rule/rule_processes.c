/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds from several fresh processes, one after the other: how many each gives, whether all have been heard, how far
 * they lie apart, and the guard that they form. Formulas: docs/statistics.md, "Fresh processes". */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "probe/rule/rule_parts.h"
#include "stats/order.h"
#include "stats/ranks.h"

#define LEAST_ROUNDS 5 /* of a process, for its median to say something; fewer only where its share is smaller */

static const double guard_level = 0.01;

static uint32_t processes_of(const sy_rule *rule)
{
    return rule->options.processes > 1 ? rule->options.processes : 1;
}

/* The cap's rounds that the present process may give: equal shares, the odd ones spread. */
static uint32_t share_of_present(const sy_rule *rule)
{
    uint64_t cap = rule->options.max_pairs;
    uint64_t count = processes_of(rule);

    return (uint32_t)(cap * (rule->process + 1) / count - cap * rule->process / count);
}

static uint32_t rounds_of_present(const sy_rule *rule)
{
    return rule->round_count - rule->process_starts[rule->process];
}

static bool is_last(const sy_rule *rule)
{
    return rule->process + 1 == processes_of(rule);
}

static bool present_is_heard(const sy_rule *rule)
{
    uint32_t share = share_of_present(rule);

    return rounds_of_present(rule) >= (share < LEAST_ROUNDS ? share : LEAST_ROUNDS);
}

sy_status rule_check_processes(const sy_rule_options *options, sy_error *err)
{
    if (options->processes > SY_RULE_PROCESSES_MAX)
        return sy_fail(err, SY_INVALID_ARGUMENT, "processes %u is outside 1..%d", options->processes,
                       SY_RULE_PROCESSES_MAX);
    if (options->processes > 1 && options->max_pairs / options->processes < SY_RULE_PROCESS_PAIRS) {
        (void)sy_fail(err, SY_INVALID_ARGUMENT, "%u pairs are fewer than %d for each of %u processes",
                      options->max_pairs, SY_RULE_PROCESS_PAIRS, options->processes);
        sy_error_hint(err, "allow at least %u pairs", SY_RULE_PROCESS_PAIRS * options->processes);
        return SY_INVALID_ARGUMENT;
    }
    return SY_OK;
}

bool rule_all_are_heard(const sy_rule *rule)
{
    return processes_of(rule) == 1 || (is_last(rule) && present_is_heard(rule));
}

bool rule_is_used_up(const sy_rule *rule)
{
    return is_last(rule) && rounds_of_present(rule) >= share_of_present(rule);
}

/* What was fed would be an answer if every process had been heard. */
static bool would_answer(const sy_rule *rule)
{
    uint32_t n = rule->round_count;
    bool all_fit = true;

    if (rule->options.kind == SY_RULE_MEDIANS)
        return false;
    if (rule->options.question == SY_QUESTION_NOT_SLOWER)
        return rule->wins >= rule->win.needed[n] || rule->below >= rule->win.needed[n];
    for (uint32_t c = 0; c < rule->options.case_count && rule->options.case_count > 1; c++) {
        if (rule->case_states[c].regression)
            return true;
        all_fit = all_fit && rule->case_states[c].resolved;
    }
    return rule->losses >= rule->stop.needed[n] || (rule->wins >= rule->win.needed[n] && all_fit);
}

bool rule_process_ends(const sy_rule *rule)
{
    if (is_last(rule) || rule->answer != SY_RULE_CONTINUE)
        return false;
    return rounds_of_present(rule) >= share_of_present(rule) || (present_is_heard(rule) && would_answer(rule));
}

void sy_rule_next_process(sy_rule *rule)
{
    if (!is_last(rule) && rounds_of_present(rule) > 0)
        rule->process_starts[++rule->process] = rule->round_count;
}

bool sy_rule_process_is_heard(const sy_rule *rule)
{
    return present_is_heard(rule);
}

/* ---- what the processes show ---- */

/* The usable differences of one process, into `to`; returns how many. */
static uint32_t differences_of(const sy_rule *rule, uint32_t process, double *to)
{
    uint32_t end = process == rule->process ? rule->round_count : rule->process_starts[process + 1];
    uint32_t count = 0;

    for (uint32_t i = rule->process_starts[process]; i < end; i++) {
        if (!isnan(rule->rounds[i].difference))
            to[count++] = rule->rounds[i].difference;
    }
    return count;
}

/* Around their own mean. */
static double squares_of(const double *values, uint32_t count)
{
    double mean = 0;
    double sum = 0;

    for (uint32_t i = 0; i < count; i++)
        mean += values[i] / count;
    for (uint32_t i = 0; i < count; i++)
        sum += (values[i] - mean) * (values[i] - mean);
    return sum;
}

/* Both sides of the threshold: rounds of the processes whose median is below, and of the others. */
typedef struct sides {
    double *below;
    double *above;
    uint32_t below_count;
    uint32_t above_count;
} sides;

static void take_side(const sy_rule *rule, sides *s, const double *values, uint32_t count, double median)
{
    bool is_below = median < rule->theta;

    for (uint32_t i = 0; i < count; i++) {
        if (is_below)
            s->below[s->below_count++] = values[i];
        else
            s->above[s->above_count++] = values[i];
    }
}

/* Which of the 2^n - 2 ways to part n processes in two it is was chosen by the values: each is paid for. */
static sy_status test_sides(const sides *s, uint32_t processes, double *ret_p, sy_error *err)
{
    double p;
    sy_status status;

    if (s->below_count == 0 || s->above_count == 0)
        return SY_OK;
    status = sy_ranks_greater(s->above, s->above_count, s->below, s->below_count, &p, err);
    if (status == SY_OK)
        *ret_p = fmin(1, p * (ldexp(1, (int)processes) - 2));
    return status;
}

static sy_status summarise(const sy_rule *rule, double *values, sides *s, sy_process_result *to,
                           sy_process_spread *spread, sy_error *err)
{
    double gains[SY_RULE_PROCESSES_MAX];
    double squares = 0;
    double per_round = 0; /* sum over processes of 1 / rounds */
    uint32_t degrees = 0;
    uint32_t heard = 0;

    for (uint32_t i = 0; i <= rule->process; i++) {
        uint32_t count = differences_of(rule, i, values);
        uint32_t end = i == rule->process ? rule->round_count : rule->process_starts[i + 1];

        to[i] = (sy_process_result){.rounds = end - rule->process_starts[i], .gain = NAN};
        if (count == 0)
            continue;
        for (uint32_t k = 0; k < count; k++)
            to[i].wins += values[k] > rule->theta + RULE_TIE_GUARD;
        sy_status status = sy_order_sort(values, count, err);
        if (status != SY_OK)
            return status;
        double median = sy_order_median(values, count);
        to[i].gain = gains[heard++] = rule_gain_of(median);
        squares += squares_of(values, count);
        per_round += 1.0 / count;
        degrees += count - 1;
        take_side(rule, s, values, count, median);
    }
    *spread = (sy_process_spread){NAN, NAN, NAN, NAN, NAN};
    if (heard < 2)
        return SY_OK;
    spread->low = spread->high = gains[0];
    for (uint32_t i = 1; i < heard; i++) {
        spread->low = fmin(spread->low, gains[i]);
        spread->high = fmax(spread->high, gains[i]);
    }
    spread->deviation = sqrt(squares_of(gains, heard) / (heard - 1));
    if (degrees > 0) /* a median's variance is pi / 2 of a mean's; dg = (1 - g) dd at the middle of all */
        spread->expected = sqrt(acos(0) * squares / degrees * per_round / heard) *
                           exp(-sy_order_median(rule->differences, rule->usable));
    return test_sides(s, heard, &spread->p, err);
}

/* One process is all that was fed, which stands sorted. */
static void describe_only(const sy_rule *rule, sy_process_result *to, sy_process_spread *spread)
{
    *to = (sy_process_result){.rounds = rule->round_count, .wins = rule->wins, .gain = NAN};
    if (rule->usable > 0)
        to->gain = rule_gain_of(sy_order_median(rule->differences, rule->usable));
    *spread = (sy_process_spread){NAN, NAN, NAN, NAN, NAN};
}

sy_status sy_rule_processes(const sy_rule *rule, sy_process_result *to, uint32_t *ret_count,
                            sy_process_spread *ret_spread, sy_error *err)
{
    size_t room = (size_t)rule->usable + 1;

    if (rule->process == 0) {
        describe_only(rule, to, ret_spread);
        *ret_count = rule->round_count > 0;
        return SY_OK;
    }
    double *values = sy_allocate(3 * room, sizeof(*values));
    sides s = {.below = values ? values + room : NULL, .above = values ? values + 2 * room : NULL};
    sy_process_spread spread;
    sy_status status = values != NULL
                           ? summarise(rule, values, &s, to, &spread, err)
                           : sy_fail(err, SY_NO_MEMORY, "no memory to compare %u processes", rule->process + 1);

    if (status == SY_OK) {
        *ret_count = rule->round_count > 0 ? rule->process + 1 : 0;
        *ret_spread = spread;
    }
    sy_free(values);
    return status;
}

sy_status rule_guard_processes(sy_rule *rule, bool *ret_overturns, sy_error *err)
{
    sy_process_result results[SY_RULE_PROCESSES_MAX];
    sy_process_spread spread;
    uint32_t count = 0;
    sy_status status;

    *ret_overturns = false;
    if (processes_of(rule) == 1 || rule->round_count == 0)
        return SY_OK;
    status = sy_rule_processes(rule, results, &count, &spread, err);
    if (status != SY_OK)
        return status;
    if (isnan(spread.deviation)) {
        rule_note(rule, "processes: %u of %u gave rounds: nothing is known of their spread", count, processes_of(rule));
        return SY_OK;
    }
    if (isnan(spread.p))
        rule_note(rule, "processes: %u from %.1f %% to %.1f %%, deviation %.1f points where %.1f are expected", count,
                  100 * spread.low, 100 * spread.high, 100 * spread.deviation, 100 * spread.expected);
    else
        rule_note(rule,
                  "processes: %u from %.1f %% to %.1f %%, on both sides of the threshold, deviation %.1f points where "
                  "%.1f are expected, p = %.2g",
                  count, 100 * spread.low, 100 * spread.high, 100 * spread.deviation, 100 * spread.expected, spread.p);
    *ret_overturns = spread.p <= guard_level;
    return SY_OK;
}
