/* SPDX-License-Identifier: Apache-2.0 */
/* Several candidates: successive halving on interleaved random rounds until one is left, or a tie set that the noise
 * cannot part. The finalist is chosen here, before the final, and the final's pairs are fresh. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "probe/leanest.h"
#include "stats/order.h"

#define ROUNDS_A_STAGE 4
#define STAGES_MAX 16

typedef struct halving {
    double *ratios; /* contender x round: ln reference total - ln contender total */
    uint32_t *ratio_counts;
    uint32_t *order; /* case x place: who ran when in the present round */
    double *totals;
    double *times; /* contender x case of the present round */
    uint32_t rounds;
    uint32_t capacity; /* rounds */
} halving;

static double score(const halving *h, uint32_t contender)
{
    double sorted[STAGES_MAX * ROUNDS_A_STAGE];
    uint32_t count = h->ratio_counts[contender];
    memcpy(sorted, &h->ratios[contender * h->capacity], count * sizeof(double));
    return count > 0 && sy_order_sort(sorted, count, NULL) == SY_OK ? sy_order_median(sorted, count) : -INFINITY;
}

/* One case of one round: everybody once, in drawn order. */
static sy_status run_case(sy_weighing *w, halving *h, uint32_t k, sy_error *err)
{
    sy_weighed_case *wc = &w->cases[k];
    uint64_t change = sy_weighing_next_change(w);
    uint32_t *order = &h->order[k * w->contender_count];
    sy_random_permutation(&w->order, order, w->contender_count);
    for (uint32_t n = 0; n < w->contender_count && !w->ended; n++) {
        uint32_t i = order[n];
        sy_measured measured;
        if (!w->contenders[i].live)
            continue;
        sy_status status = sy_weighing_slot_or_drop(w, &w->contenders[i], wc, 1, wc->batch, change, &measured, err);
        if (status)
            return status;
        h->times[i * w->case_count + k] = measured.run_ns;
        h->totals[i] += w->weights[k] * measured.run_ns;
    }
    return SY_OK;
}

/* Whether the reference ran before contender i on case k of the present round. */
static bool reference_came_first(const sy_weighing *w, const halving *h, uint32_t i, uint32_t k)
{
    const uint32_t *order = &h->order[k * w->contender_count];
    for (uint32_t n = 0; n < w->contender_count; n++) {
        if (order[n] == 0 || order[n] == i)
            return order[n] == 0;
    }
    return false;
}

static sy_status keep_round(sy_weighing *w, halving *h, sy_error *err)
{
    for (uint32_t i = 1; i < w->contender_count; i++) {
        if (!w->contenders[i].live)
            continue;
        double ratio = log(h->totals[0]) - log(h->totals[i]);
        if (isfinite(ratio))
            h->ratios[i * h->capacity + h->ratio_counts[i]++] = ratio;
        w->contenders[i].rounds++;
        for (uint32_t k = 0; k < w->case_count; k++) {
            sy_sample sample = {.round = h->rounds,
                                .case_index = k,
                                .candidate = i - 1,
                                .reference_first = reference_came_first(w, h, i, k),
                                .reference_ns = h->times[k],
                                .candidate_ns = h->times[i * w->case_count + k],
                                .reference_switches = SY_SWITCHES_UNKNOWN,
                                .candidate_switches = SY_SWITCHES_UNKNOWN};
            sy_status status = sy_weighing_keep_sample(w, &sample, err);
            if (status)
                return status;
        }
    }
    h->rounds++;
    return SY_OK;
}

static double warm_total(const sy_weighing *w, const sy_contender *contender)
{
    double sum = 0;
    for (uint32_t k = 0; k < w->case_count; k++)
        sum += w->weights[k] * contender->run_ns[k];
    return sum;
}

/* Whether a is the better one so far: by the rounds, before the first one by the warm-up. */
static bool is_ahead(const sy_weighing *w, const halving *h, uint32_t a, uint32_t b)
{
    if (h->rounds > 0)
        return score(h, a) > score(h, b);
    return warm_total(w, &w->contenders[a]) < warm_total(w, &w->contenders[b]);
}

static uint32_t leader(const sy_weighing *w, const halving *h)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < w->contender_count; i++) {
        if (w->contenders[i].live && (best == 0 || is_ahead(w, h, i, best)))
            best = i;
    }
    return best;
}

/* A round of all that are left, and what the final needs behind it: the comparison never eats the final's share. */
static bool affords_round(const sy_weighing *w, const halving *h, sy_rule_end *ret_end)
{
    sy_cost cost = sy_weighing_final_cost(w, leader(w, h));
    cost.measured_ns *= w->options->processes; /* each has a control and least pairs of its own */
    cost.wall_ns *= w->options->processes;
    for (uint32_t k = 0; k < w->case_count; k++) {
        for (uint32_t i = 0; i < w->contender_count; i++) {
            if (w->contenders[i].live)
                sy_cost_add(&cost, &w->contenders[i], w, &w->cases[k], 1);
        }
    }
    return sy_weighing_affords(w, &cost, ret_end);
}

static sy_status run_round(sy_weighing *w, halving *h, sy_error *err)
{
    memset(h->totals, 0, w->contender_count * sizeof(double));
    for (uint32_t k = 0; k < w->case_count && !sy_weighing_stops(w); k++) {
        sy_status status = run_case(w, h, k, err);
        if (status)
            return status;
    }
    return w->ended ? SY_OK : keep_round(w, h, err);
}

/* The one that is ahead goes on to the final; what became of the others is not known well enough to say more. */
static void cut_short(sy_weighing *w, const halving *h, sy_rule_end end)
{
    uint32_t best = leader(w, h);
    const char *what = end == SY_RULE_END_BUDGET ? "budget" : "wall limit";
    char seen[48] = "in the warm-up";
    if (h->rounds > 0)
        (void)snprintf(seen, sizeof(seen), "after %u rounds", h->rounds);
    sy_weighing_note(w, "the %s ended the comparison of the candidates: who was ahead %s went on to the final", what,
                     seen);
    for (uint32_t i = 1; i < w->contender_count; i++) {
        sy_contender *contender = &w->contenders[i];
        if (h->rounds > 0 && contender->live)
            contender->gain = 1 - exp(-score(h, i));
        if (contender->live && i != best)
            sy_weighing_drop(w, contender, SY_DECISION_INCONCLUSIVE,
                             end == SY_RULE_END_BUDGET ? "budget" : "wall-limit",
                             "behind %s %s, when the %s ended the comparison", w->contenders[best].name, seen, what);
    }
}

/* Of the candidates left, the one of less memory, then the first by name. */
static void choose_finalist(sy_weighing *w)
{
    w->finalist = 0;
    w->tie_set = sy_weighing_candidates(w) > 1;
    for (uint32_t i = 1; i < w->contender_count; i++) {
        const sy_contender *contender = &w->contenders[i];
        const sy_contender *best = &w->contenders[w->finalist];
        if (!contender->live)
            continue;
        if (w->finalist == 0 || sy_contender_less_memory(w, contender, best))
            w->finalist = i;
    }
    for (uint32_t i = 1; i < w->contender_count; i++) {
        if (w->contenders[i].live && i != w->finalist)
            sy_weighing_drop(w, &w->contenders[i], SY_DECISION_TIE, "within noise",
                             "in the tie set with %s, which was taken for its memory or name",
                             w->contenders[w->finalist].name);
    }
}

/* Four rounds, or what the budget allows, say who seems to be slower; more is the final's business. */
static void choose_leanest(sy_weighing *w, halving *h)
{
    for (uint32_t i = 1; i < w->contender_count; i++) {
        if (w->contenders[i].live && h->totals)
            h->totals[i] = h->rounds > 0
                               ? score(h, i)
                               : log(warm_total(w, &w->contenders[0])) - log(warm_total(w, &w->contenders[i]));
    }
    if (h->totals)
        sy_leanest_choose(w, h->totals);
    else
        choose_finalist(w); /* the only one */
}

static bool in_tie_set(const sy_weighing *w, double own, double best)
{
    double threshold = w->options->question == SY_QUESTION_FASTER ? -log1p(-w->options->min_improvement)
                                                                  : -log1p(w->options->margin);
    double width = w->options->question == SY_QUESTION_FASTER ? w->options->min_improvement / 2
                                                              : w->options->margin / 2;
    return own >= best + log1p(-width) && own >= threshold;
}

/* The half with the smaller scores leaves; returns whether one, or a tie set, is left. */
static bool drop_slower_half(sy_weighing *w, halving *h)
{
    double best = -INFINITY;
    uint32_t live = 0;
    uint32_t tied = 0;
    for (uint32_t i = 1; i < w->contender_count; i++) {
        if (!w->contenders[i].live)
            continue;
        w->contenders[i].gain = 1 - exp(-score(h, i));
        best = fmax(best, score(h, i));
        live++;
    }
    for (uint32_t i = 1; i < w->contender_count; i++)
        tied += w->contenders[i].live && in_tie_set(w, score(h, i), best);
    for (uint32_t drop = live / 2; drop > 0 && live > 1; drop--) {
        sy_contender *slowest = NULL;
        double slowest_score = INFINITY;
        for (uint32_t i = 1; i < w->contender_count; i++) {
            double own = score(h, i);
            if (w->contenders[i].live && own < slowest_score && !(tied > 1 && in_tie_set(w, own, best))) {
                slowest = &w->contenders[i];
                slowest_score = own;
            }
        }
        if (!slowest)
            break;
        sy_weighing_drop(w, slowest, SY_DECISION_INCONCLUSIVE, "slower", "behind the best candidate after %u rounds",
                         slowest->rounds);
        live--;
    }
    return live <= 1 || live == tied;
}

sy_status sy_weighing_halve(sy_weighing *w, sy_error *err)
{
    sy_status status = SY_OK;
    halving h = {.capacity = STAGES_MAX * ROUNDS_A_STAGE};
    bool decided = sy_weighing_candidates(w) <= 1;
    if (!decided) {
        h.ratios = sy_allocate((size_t)w->contender_count * h.capacity, sizeof(double));
        h.ratio_counts = sy_allocate(w->contender_count, sizeof(uint32_t));
        h.order = sy_allocate((size_t)w->contender_count * w->case_count, sizeof(uint32_t));
        h.totals = sy_allocate(w->contender_count, sizeof(double));
        h.times = sy_allocate((size_t)w->contender_count * w->case_count, sizeof(double));
        if (!h.ratios || !h.ratio_counts || !h.order || !h.totals || !h.times)
            status = sy_fail(err, SY_NO_MEMORY, "no memory to compare candidates");
    }
    for (uint32_t stage = 0; !status && !decided && !w->ended && stage < STAGES_MAX; stage++) {
        sy_rule_end end;
        for (uint32_t round = 0; !status && !decided && round < ROUNDS_A_STAGE && !sy_weighing_stops(w); round++) {
            sy_weighing_progress(w, SY_PHASE_HALVING, NULL, "", round, ROUNDS_A_STAGE);
            decided = !affords_round(w, &h, &end);
            if (decided && w->options->prefer == SY_PREFER_SPEED)
                cut_short(w, &h, end);
            else if (!decided)
                status = run_round(w, &h, err);
        }
        if (!status && !w->ended && !decided)
            decided = w->options->prefer == SY_PREFER_MEMORY || drop_slower_half(w, &h);
    }
    if (!status && !w->ended && w->options->prefer == SY_PREFER_MEMORY)
        choose_leanest(w, &h);
    else if (!status && !w->ended)
        choose_finalist(w);
    sy_free(h.ratios);
    sy_free(h.ratio_counts);
    sy_free(h.order);
    sy_free(h.totals);
    sy_free(h.times);
    return status;
}
