/* SPDX-License-Identifier: Apache-2.0 */
/* Before anything counts: warm every contender with the measured shapes, choose each case's inner batch, and hear how
 * noisy the reference is against itself. */
#include <math.h>
#include <stdio.h>

#include "backends/backend.h"
#include "base/error.h"
#include "base/log.h"
#include "probe/weighing.h"
#include "stats/gain.h"
#include "stats/order.h"

#define WARM_UP_CAP_RUNS 60
#define WARM_UP_CAP_NS UINT64_C(1000000000)
#define BATCH_MAX 1000000u
#define NOISE_PAIRS 8
#define TIMER_NOISE_SLOTS 100.0 /* a slot is at least so many times the timer's step */

/* Time of one run in a slot that does not count: warm-up is no measured time. NaN when the contender is out. */
static sy_status try_slot(sy_weighing *w, sy_contender *contender, sy_weighed_case *wc, uint32_t batch,
                          double *ret_run_ns, sy_error *err)
{
    sy_measured measured;
    uint64_t measured_before = w->measured_ns;
    uint32_t slots_before = w->timed_slots;
    sy_status status = sy_weighing_slot_or_drop(w, contender, wc, 0, batch, SY_SUBJECT_NO_CHANGE, &measured, err);
    w->measured_ns = measured_before;
    w->timed_slots = slots_before;
    *ret_run_ns = measured.run_ns;
    return status;
}

/* Until two successive medians of three agree within 2 %, or the cap; or exactly the number of runs asked for. */
static sy_status warm(sy_weighing *w, sy_contender *contender, sy_weighed_case *wc, double *ret_run_ns, sy_error *err)
{
    bool programs = w->device->backend->whole_programs;
    double last_three[3];
    double before = SY_NAN;
    double run_ns = SY_NAN;
    double last_usable = SY_NAN;
    uint64_t start = sy_weighing_wall(w);
    uint32_t cap = w->options->warmup >= 0 ? (uint32_t)w->options->warmup : WARM_UP_CAP_RUNS;
    sy_status status = SY_OK;
    if (programs) /* the run for parity was the warm-up, and told how long one takes */
        cap = w->options->warmup > 0 ? (uint32_t)w->options->warmup : 0;
    for (uint32_t run = 0; run < cap && contender->live && !sy_weighing_stops(w); run++) {
        status = try_slot(w, contender, wc, 1, &run_ns, err);
        if (status)
            return status;
        if (programs)
            continue;
        last_three[run % 3] = run_ns;
        last_usable = isnan(run_ns) ? last_usable : run_ns;
        if (run % 3 != 2)
            continue;
        double median = SY_NAN;
        if (sy_order_sort(last_three, 3, NULL) != SY_OK)
            continue; /* a run below the timer's step */
        median = sy_order_median(last_three, 3);
        *ret_run_ns = median;
        if (w->options->warmup < 0 &&
            (fabs(median - before) <= 0.02 * before || sy_weighing_wall(w) - start > WARM_UP_CAP_NS))
            return SY_OK;
        before = median;
    }
    if (programs)
        return status;
    if (contender->live && !w->ended && isnan(*ret_run_ns) && cap > 0)
        *ret_run_ns = last_usable; /* fewer than three runs were asked for, or three never had a median */
    else if (contender->live && !w->ended && isnan(*ret_run_ns))
        status = try_slot(w, contender, wc, 1, ret_run_ns, err); /* none was: the inner batch must know */
    return status;
}

double sy_weighing_least_slot(const sy_weighing *w)
{
    return fmax((double)w->device->backend->minimum_slot_ns, TIMER_NOISE_SLOTS * w->result->timer_resolution_ns);
}

/* The smallest batch with which the slowest contender's slot is long enough and the quickest one's is far above the
 * timer's step; raised until crossed twice. */
static sy_status choose_batch(sy_weighing *w, sy_weighed_case *wc, sy_error *err)
{
    uint32_t k = (uint32_t)(wc - w->cases);
    sy_contender *slowest = &w->contenders[0];
    sy_contender *quickest = &w->contenders[0];
    for (uint32_t i = 1; i < w->contender_count; i++) {
        sy_contender *contender = &w->contenders[i];
        if (!contender->live || !(contender->run_ns[k] > 0))
            continue;
        if (!(contender->run_ns[k] <= slowest->run_ns[k]))
            slowest = contender;
        if (!(contender->run_ns[k] >= quickest->run_ns[k]))
            quickest = contender;
    }
    /* With several candidates the reference bounds the slow side: a crawling one must not shorten everybody's slots. */
    if (sy_weighing_candidates(w) > 1)
        slowest = &w->contenders[0];
    double step = TIMER_NOISE_SLOTS * w->result->timer_resolution_ns;
    uint32_t crossed = 0;
    wc->batch = 1;
    while (crossed < 2 && wc->batch < BATCH_MAX && slowest->live && quickest->live && !sy_weighing_stops(w)) {
        double slow_ns;
        double quick_ns;
        sy_status status = try_slot(w, slowest, wc, wc->batch, &slow_ns, err);
        if (!status && quickest->live)
            status = try_slot(w, quickest, wc, wc->batch, &quick_ns, err);
        if (status || !slowest->live || !quickest->live)
            return status;
        double want = 1;
        if (!(slow_ns * wc->batch >= sy_weighing_least_slot(w)))
            want = fmax(want, isnan(slow_ns) ? 8 : sy_weighing_least_slot(w) / (slow_ns * wc->batch));
        if (!(quick_ns * wc->batch >= step))
            want = fmax(want, isnan(quick_ns) ? 8 : step / (quick_ns * wc->batch));
        if (want <= 1) {
            crossed++;
            continue;
        }
        crossed = 0;
        double larger = ceil((double)wc->batch * fmin(want * 1.1, 64));
        wc->batch = larger > wc->batch ? (uint32_t)fmin(larger, BATCH_MAX) : wc->batch + 1;
    }
    return SY_OK;
}

/* What a slot of each contender will cost, before one was timed: the untimed run, the batch, and waking and stopping a
 * worker. */
static void foretell(sy_weighing *w, const sy_weighed_case *wc)
{
    size_t k = (size_t)(wc - w->cases);
    for (uint32_t i = 0; i < w->contender_count; i++) {
        sy_contender *contender = &w->contenders[i];
        double run_ns = contender->run_ns[k] > 0 ? contender->run_ns[k] : 0;
        contender->slot_ns[k] = run_ns * wc->batch;
        contender->slot_wall_ns[k] = run_ns * (wc->batch + 1.0) + sy_weighing_wake_ns(w);
    }
}

sy_status sy_weighing_warm_up(sy_weighing *w, sy_error *err)
{
    sy_status status = SY_OK;
    uint32_t done = 0;
    for (uint32_t k = 0; !status && k < w->case_count && !sy_weighing_stops(w); k++) {
        sy_weighed_case *wc = &w->cases[k];
        for (uint32_t i = 0; !status && i < w->contender_count && !w->ended; i++) {
            sy_contender *contender = &w->contenders[i];
            if (!contender->live)
                continue;
            sy_weighing_progress(w, SY_PHASE_WARM_UP, contender, wc->c->name, done++,
                                 w->case_count * w->contender_count);
            sy_error own = SY_ERROR_INIT;
            status = sy_contender_wake(w, contender, 15, &own);
            if (!status)
                status = sy_contender_fill_for_timing(w, contender, wc, &own);
            if (!status)
                status = sy_contender_rest(w, contender, &own);
            if (status)
                status = sy_weighing_blame(w, contender, status, &own);
            if (status && err)
                *err = own;
            if (!status && contender->live)
                status = warm(w, contender, wc, &contender->run_ns[k], err);
        }
        if (!status && !w->ended && !w->device->backend->whole_programs)
            status = choose_batch(w, wc, err);
        foretell(w, wc);
        wc->change = SY_SUBJECT_NO_CHANGE;
    }
    w->warm = !status && !w->ended;
    return status;
}

/* One noise pair: the reference against itself on every case, back to back as in a round. *ret_log_ratio stays NaN when
 * it was cut. */
static sy_status noise_pair(sy_weighing *w, double *ret_log_ratio, bool *ret_affords, sy_error *err)
{
    double totals[2] = {0, 0};
    for (uint32_t k = 0; k < w->case_count && !sy_weighing_stops(w); k++) {
        sy_weighed_case *wc = &w->cases[k];
        sy_cost cost = {0, 0};
        sy_rule_end end;
        uint64_t change = sy_weighing_next_change(w);
        sy_cost_add(&cost, &w->contenders[0], w, wc, 2);
        *ret_affords = sy_weighing_affords(w, &cost, &end);
        for (int side = 0; side < 2 && *ret_affords && !w->ended; side++) {
            sy_measured measured;
            sy_status status = sy_weighing_slot_or_drop(w, &w->contenders[0], wc, 1, wc->batch, change, &measured, err);
            if (status)
                return status;
            totals[side] += w->weights[k] * measured.run_ns;
        }
        if (!*ret_affords)
            return SY_OK; /* the rounds will say so */
    }
    if (!w->ended)
        *ret_log_ratio = log(totals[0]) - log(totals[1]);
    return SY_OK;
}

/* Said before measuring, which goes on all the same: the gain may be larger than what must be found. */
static void say_too_noisy(sy_weighing *w, const sy_rule_foresight *foresight)
{
    char needed[48] = "more than 2000 pairs";
    if (foresight->pairs_needed > 0)
        (void)snprintf(needed, sizeof(needed), "%u pairs", foresight->pairs_needed);
    if (w->options->question == SY_QUESTION_NOT_SLOWER)
        sy_weighing_note(
            w,
            "noisy: %u pairs show a candidate not to be slower, with probability .8, if its gain is %.1f %% or "
            "more; one that is as fast would take %s",
            w->options->max_pairs, 100 * foresight->resolvable_gain, needed);
    else
        sy_weighing_note(
            w, "noisy: %u pairs find a gain of %.1f %% or more with probability .8; finding %.1f %% would take %s",
            w->options->max_pairs, 100 * foresight->resolvable_gain, 100 * foresight->target_gain, needed);
    if (w->note_count > 0)
        sy_log(SY_LOG_INFO, "%s", w->notes[w->note_count - 1]);
}

/* A program that takes long is not run sixteen times more only to foretell what its pairs will show. */
static bool noise_is_dear(const sy_weighing *w)
{
    double cost_ns = 2.0 * NOISE_PAIRS * w->contenders[0].slot_ns[0];
    return w->device->backend->whole_programs && cost_ns > 0.25 * (double)w->options->budget_ns;
}

sy_status sy_weighing_hear_noise(sy_weighing *w, sy_error *err)
{
    double d[NOISE_PAIRS];
    uint32_t pairs = 0;
    bool affords = !noise_is_dear(w);
    for (uint32_t pair = 0; pair < NOISE_PAIRS && affords && !w->ended; pair++) {
        double log_ratio = SY_NAN;
        sy_weighing_progress(w, SY_PHASE_NOISE, &w->contenders[0], "", pair, NOISE_PAIRS);
        sy_status status = noise_pair(w, &log_ratio, &affords, err);
        if (status)
            return status;
        if (isfinite(log_ratio))
            d[pairs++] = log_ratio;
    }
    if (w->ended || pairs < NOISE_PAIRS)
        return SY_OK;
    sy_rule_foresight foresight;
    sy_status status = sy_gain_noise(d, pairs, &w->noise, err);
    if (!status)
        status = sy_rule_foresee(w->rule, w->noise, &foresight, err);
    if (!status)
        w->resolvable_gain = foresight.resolvable_gain;
    if (!status && foresight.past_cap)
        say_too_noisy(w, &foresight);
    return status;
}
