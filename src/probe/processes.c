/* SPDX-License-Identifier: Apache-2.0 */
/* The final over several fresh processes of reference and finalist: ending one, starting the next with inputs, parity,
 * warm-up and carry-over control of its own, and what they show together. How many rounds each gives and what their
 * differences mean is the rule's business. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "probe/weighing.h"
#include "stats/order.h"

#define LEAST_ROUNDS 5.0    /* that a process must be able to give for its start to be worth it */
#define CONTROL_ROUNDS 16.5 /* a control's slots, two a round */

/* What the final's two sides will cost in `rounds` rounds. */
static sy_cost cost_of_rounds(const sy_weighing *w, double rounds)
{
    sy_cost cost = {0, 0};
    for (uint32_t k = 0; k < w->case_count; k++) {
        sy_cost_add(&cost, &w->contenders[0], w, &w->cases[k], rounds);
        sy_cost_add(&cost, &w->contenders[w->finalist], w, &w->cases[k], rounds);
    }
    return cost;
}

/* What `count` processes more will cost. Before one was started anew, its start is taken to be as dear as its control.
 */
static sy_cost cost_of_processes(const sy_weighing *w, double count)
{
    sy_cost cost = cost_of_rounds(w, count * (LEAST_ROUNDS + (w->start_cost.wall_ns > 0 ? 0 : CONTROL_ROUNDS)));
    cost.measured_ns += count * w->start_cost.measured_ns;
    cost.wall_ns += count * w->start_cost.wall_ns;
    return cost;
}

bool sy_weighing_process_spares(const sy_weighing *w)
{
    uint32_t left = w->options->processes - 1 - w->process;
    sy_rule_end end;
    if (left == 0 || !sy_rule_process_is_heard(w->rule))
        return false;
    sy_cost cost = cost_of_processes(w, left);
    sy_cost one = cost_of_rounds(w, 1);
    cost.measured_ns += one.measured_ns;
    cost.wall_ns += one.wall_ns;
    return !sy_weighing_affords(w, &cost, &end);
}

/* Inputs of its own: another seed, drawn from the recorded one. */
static void begin(sy_weighing *w)
{
    if (w->process == 0)
        sy_random_start(&w->process_seeds, w->result->seed, "processes");
    w->process++;
    w->seed = (sy_random_next(&w->process_seeds) >> 11) | 1; /* below 2^53, as the recorded one */
    w->has_carry_over = false;
    for (uint32_t k = 0; k < w->case_count; k++) {
        w->cases[k].has_timing_checksum = false;
        w->cases[k].change = SY_SUBJECT_NO_CHANGE;
    }
}

static sy_status start_anew(sy_weighing *w, sy_error *err)
{
    uint32_t sides[2] = {0, w->finalist};
    sy_status status = SY_OK;
    for (uint32_t i = 0; !status && i < 2; i++) { /* the reference first: its fill says what the inputs are */
        sy_contender *contender = &w->contenders[sides[i]];
        contender->subject->process = w->process;
        status = sy_contender_revive(w, contender, err);
    }
    return status;
}

/* One run of each side on changed inputs, held against the oracle's sample and each other, before any time is taken. */
static sy_status check_outputs(sy_weighing *w, sy_error *err)
{
    uint64_t measured_before = w->measured_ns;
    uint32_t slots_before = w->timed_slots;
    for (uint32_t k = 0; k < w->case_count; k++) {
        w->cases[k].change = sy_weighing_next_change(w);
        w->cases[k].output_lost = true;
    }
    sy_status status = sy_weighing_verify_again(w, err);
    w->measured_ns = measured_before;
    w->timed_slots = slots_before;
    return status;
}

static sy_status make_ready(sy_weighing *w, sy_error *err)
{
    sy_status status = start_anew(w, err);
    if (!status)
        status = check_outputs(w, err);
    if (!status && !w->ended)
        status = sy_weighing_warm_up(w, err);
    if (!status && !w->ended && w->options->rule == SY_RULE_CAPPED)
        status = sy_weighing_control(w, err);
    return status;
}

/* A start that failed ends the pairs, which stand: whatever it was, but for wrong outputs, the probe is undecided. */
static sy_status judge_start(sy_weighing *w, sy_status status, const sy_error *why, sy_rule_end *ret_end, sy_error *err)
{
    if (status == SY_INTERRUPTED) {
        *ret_end = SY_RULE_END_INTERRUPTED;
        return SY_OK;
    }
    if (status && !sy_weighing_is_blamable(w, status)) {
        if (err)
            *err = *why;
        return status;
    }
    *ret_end = w->interrupted ? SY_RULE_END_INTERRUPTED : SY_RULE_END_CRASHED;
    if (status) {
        sy_weighing_note(w, "the pairs ended: %s", why->what);
    } else if (strcmp(w->reason, "wall-limit") == 0) {
        *ret_end = SY_RULE_END_WALL_LIMIT;
        w->ended = false;
    } else if (w->decision == SY_DECISION_UNAVAILABLE) {
        w->decision = SY_DECISION_INCONCLUSIVE;
        w->reason = "crashed";
    }
    return SY_OK;
}

void sy_weighing_end_process(sy_weighing *w)
{
    sy_process_result *present = &w->process_results[w->process];
    present->has_carry_over = w->has_carry_over;
    present->carry_over = w->carry_over;
    present->seed = w->seed;
}

sy_status sy_weighing_next_process(sy_weighing *w, bool *ret_started, sy_rule_end *ret_end, sy_error *err)
{
    sy_cost cost = cost_of_processes(w, 1);
    sy_error own = SY_ERROR_INIT;
    *ret_started = false;
    *ret_end = SY_RULE_END_CRASHED;
    if (!sy_weighing_affords(w, &cost, ret_end))
        return SY_OK;
    sy_status status = sy_weighing_verify_again(w, err); /* what it timed last */
    if (status || w->ended)
        return status;
    uint64_t wall = sy_weighing_wall(w);
    uint64_t measured = w->measured_ns;
    sy_weighing_end_process(w);
    begin(w);
    status = make_ready(w, &own);
    if (status || w->ended)
        return judge_start(w, status, &own, ret_end, err);
    w->start_cost.wall_ns = (double)(sy_weighing_wall(w) - wall);
    w->start_cost.measured_ns = (double)(w->measured_ns - measured);
    sy_rule_next_process(w->rule);
    *ret_started = true;
    return SY_OK;
}

/* Medians of what the processes' controls showed, and the smallest probability paid for by their number. */
static void join_carry_over(sy_weighing *w)
{
    double a[SY_PROCESSES_MAX];
    double b[SY_PROCESSES_MAX];
    double p = 1;
    uint32_t count = 0;
    for (uint32_t i = 0; i <= w->process; i++) {
        const sy_process_result *process = &w->process_results[i];
        if (!process->has_carry_over)
            continue;
        a[count] = process->carry_over.a;
        b[count++] = process->carry_over.b;
        p = fmin(p, process->carry_over.p);
    }
    w->has_carry_over = count > 0 && sy_order_sort(a, count, NULL) == SY_OK && sy_order_sort(b, count, NULL) == SY_OK;
    if (w->has_carry_over)
        w->carry_over = (sy_carry_over){sy_order_median(a, count), sy_order_median(b, count), fmin(1, count * p)};
}

sy_status sy_weighing_join_processes(sy_weighing *w, sy_error *err)
{
    sy_probe_result *result = w->result;
    sy_process_result shown[SY_PROCESSES_MAX];
    uint32_t count = 0;
    sy_weighing_end_process(w);
    if (w->process > 0)
        join_carry_over(w);
    sy_status status = sy_rule_processes(w->rule, shown, &count, &result->process_spread, err);
    if (status)
        return status;
    sy_process_result *kept = sy_arena_allocate(w->arena, count + 1, sizeof(*kept));
    if (!kept)
        return sy_fail(err, SY_NO_MEMORY, "no memory for the result");
    for (uint32_t i = 0; i < count; i++) {
        kept[i] = shown[i];
        kept[i].has_carry_over = w->process_results[i].has_carry_over;
        kept[i].carry_over = w->process_results[i].carry_over;
        kept[i].seed = w->process_results[i].seed;
    }
    result->process_results = kept;
    result->process_count = count;
    return SY_OK;
}
