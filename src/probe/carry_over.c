/* SPDX-License-Identifier: Apache-2.0 */
/* Carry-over control: does what one implementation leaves behind slow the next? Slots of reference A and finalist B in
 * a drawn sequence that holds each of the four successions eight times. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "probe/weighing.h"
#include "stats/order.h"
#include "stats/ranks.h"

#define EACH 8
#define SEQUENCE (4 * EACH + 1) /* slots: 32 successions */
#define LEAST_PAIRS 5

enum { A_AFTER_A, A_AFTER_B, B_AFTER_A, B_AFTER_B, SUCCESSIONS };

/* sums[kind][k] = weighted sum over cases of the k-th slot of that succession. */
typedef struct control {
    double sums[SUCCESSIONS][EACH];
} control;

/* A drawn walk between A (false) and B (true) with EACH successions of every kind: the changes alternate by themselves,
 * the repeats fall into the runs between them at random. */
static void draw_sequence(sy_random *random, bool sequence[SEQUENCE])
{
    bool first = sy_random_coin(random);
    uint32_t runs_of_first = EACH + 1; /* 2 EACH changes make 2 EACH + 1 runs, the first letter's one more */
    uint32_t repeats[2][EACH + 1] = {{0}};
    for (uint32_t i = 0; i < EACH; i++) {
        repeats[0][sy_random_below(random, runs_of_first)]++;
        repeats[1][sy_random_below(random, EACH)]++;
    }
    uint32_t at = 0;
    for (uint32_t run = 0; run < 2 * EACH + 1; run++) {
        uint32_t letter = run % 2;
        for (uint32_t n = 0; n <= repeats[letter][run / 2]; n++)
            sequence[at++] = letter == 0 ? first : !first;
    }
}

static sy_status run_sequence(sy_weighing *w, uint32_t k, const bool sequence[SEQUENCE], control *c, bool *ret_whole,
                              sy_rule_end *ret_end, sy_error *err)
{
    uint32_t seen[SUCCESSIONS] = {0};
    sy_weighed_case *wc = &w->cases[k];
    for (uint32_t n = 0; n < SEQUENCE && !sy_weighing_stops(w); n++) {
        sy_contender *contender = sequence[n] ? &w->contenders[w->finalist] : &w->contenders[0];
        sy_measured measured;
        sy_cost cost = {0, 0};
        sy_cost_add(&cost, contender, w, wc, 1);
        if (!sy_weighing_affords(w, &cost, ret_end)) {
            *ret_whole = false;
            return SY_OK;
        }
        sy_status status = sy_weighing_slot_or_drop(w, contender, wc, 1, wc->batch, sy_weighing_next_change(w),
                                                    &measured, err);
        if (status || w->ended)
            return status;
        if (n == 0)
            continue;
        uint32_t kind = sequence[n] ? (sequence[n - 1] ? B_AFTER_B : B_AFTER_A)
                                    : (sequence[n - 1] ? A_AFTER_B : A_AFTER_A);
        c->sums[kind][seen[kind]++] += w->weights[k] * measured.run_ns;
    }
    return SY_OK;
}

static double median_of(const double values[EACH])
{
    double sorted[EACH];
    memcpy(sorted, values, sizeof(sorted));
    return sy_order_sort(sorted, EACH, NULL) == SY_OK ? sy_order_median(sorted, EACH) : SY_NAN;
}

static sy_status summarise(sy_weighing *w, const control *c, sy_error *err)
{
    double p_slower = 1;
    double p_faster = 1;
    for (uint32_t kind = 0; kind < SUCCESSIONS; kind++) {
        if (sy_order_check(c->sums[kind], EACH, NULL) != SY_OK) {
            sy_weighing_note(w, "carry-over: a slot could not be used; not judged");
            return SY_OK;
        }
    }
    sy_status status = sy_ranks_greater(c->sums[A_AFTER_B], EACH, c->sums[A_AFTER_A], EACH, &p_slower, err);
    if (!status)
        status = sy_ranks_greater(c->sums[B_AFTER_B], EACH, c->sums[B_AFTER_A], EACH, &p_faster, err);
    if (status)
        return status;
    w->has_carry_over = true;
    w->carry_over.a = log(median_of(c->sums[A_AFTER_B])) - log(median_of(c->sums[A_AFTER_A]));
    w->carry_over.b = log(median_of(c->sums[B_AFTER_A])) - log(median_of(c->sums[B_AFTER_B]));
    w->carry_over.p = fmin(p_slower, p_faster);
    return SY_OK;
}

/* Less can decide nothing. */
sy_cost sy_weighing_final_cost(const sy_weighing *w, uint32_t finalist)
{
    double rounds = LEAST_PAIRS + (w->options->rule == SY_RULE_CAPPED ? SEQUENCE / 2.0 : 0);
    sy_cost cost = {0, 0};
    for (uint32_t k = 0; k < w->case_count; k++) {
        sy_cost_add(&cost, &w->contenders[0], w, &w->cases[k], rounds);
        sy_cost_add(&cost, &w->contenders[finalist], w, &w->cases[k], rounds);
    }
    return cost;
}

sy_status sy_weighing_control(sy_weighing *w, sy_error *err)
{
    control c = {0};
    sy_cost cost = sy_weighing_final_cost(w, w->finalist);
    sy_rule_end end = SY_RULE_END_BUDGET;
    bool whole = sy_weighing_affords(w, &cost, &end);
    for (uint32_t k = 0; k < w->case_count && whole && !sy_weighing_stops(w); k++) {
        bool sequence[SEQUENCE];
        sy_weighing_progress(w, SY_PHASE_CONTROL, &w->contenders[w->finalist], w->cases[k].c->name, k, w->case_count);
        draw_sequence(&w->order, sequence);
        sy_status status = run_sequence(w, k, sequence, &c, &whole, &end, err);
        if (status || w->ended)
            return status;
    }
    if (!whole && !w->ended)
        sy_weighing_note(w, "carry-over was not controlled: %s does not allow it",
                         end == SY_RULE_END_WALL_LIMIT ? "the wall limit" : "the budget");
    return w->ended || !whole ? SY_OK : summarise(w, &c, err);
}
