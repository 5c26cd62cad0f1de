/* SPDX-License-Identifier: Apache-2.0 */
/* The timed slot: who runs and who sleeps, deadlines, what was spent, and what a dead worker means. */
#include <math.h>
#include <string.h>

#include "backends/backend.h"
#include "base/error.h"
#include "base/memory.h"
#include "probe/weighing.h"

#define LEAST_DEADLINE_S 5.0 /* nothing is called hung before this, nor before ten times what the slot should take */

sy_status sy_contender_wake(sy_weighing *w, sy_contender *contender, double seconds_at_most, sy_error *err)
{
    uint64_t wall = sy_weighing_wall(w);
    double left = wall < w->options->wall_limit_ns ? (double)(w->options->wall_limit_ns - wall) * 1e-9 : 0;
    double seconds = fmax(LEAST_DEADLINE_S, fmin(seconds_at_most, left));
    contender->subject->deadline_ns = sy_clock_now(&sy_clock_system) + (uint64_t)(seconds * 1e9);
    return contender->subject->table->resume(contender->subject, err);
}

sy_status sy_contender_rest(sy_weighing *w, sy_contender *contender, sy_error *err)
{
    if (!contender->subject || !w->options->stop_idle_workers)
        return SY_OK;
    return contender->subject->table->suspend(contender->subject, err);
}

uint64_t sy_weighing_next_change(sy_weighing *w)
{
    return w->changes++;
}

/* A new worker in the place of a dead one, ready for every case. */
static sy_status revive(sy_weighing *w, sy_contender *contender, sy_error *err)
{
    sy_status status = contender->subject->table->restart(contender->subject, err);
    if (!status)
        status = sy_contender_wake(w, contender, INFINITY, err);
    for (uint32_t i = 0; !status && i < w->case_count; i++)
        status = sy_contender_ready(w, contender, &w->cases[i], err);
    if (!status)
        status = sy_contender_rest(w, contender, err);
    return status;
}

static sy_status run_slot(sy_weighing *w, sy_contender *contender, const sy_slot *slot, sy_subject_run *ret_run,
                          sy_error *err)
{
    const sy_weighed_case *wc = NULL;
    for (uint32_t i = 0; i < w->case_count; i++) {
        if (w->cases[i].index == slot->case_index)
            wc = &w->cases[i];
    }
    double known_ns = wc ? contender->run_ns[wc - w->cases] : SY_NAN;
    double expected_s = isnan(known_ns) ? INFINITY : known_ns * 1e-9 * ((double)slot->untimed + slot->count);
    sy_status status = sy_contender_wake(w, contender, 10 * expected_s, err);
    if (!status)
        status = contender->subject->table->slot(contender->subject, slot, ret_run, err);
    sy_status rest = SY_OK;
    if (!status)
        rest = sy_contender_rest(w, contender, err);
    return status ? status : rest;
}

sy_status sy_weighing_slot(sy_weighing *w, sy_contender *contender, sy_weighed_case *wc, uint32_t untimed,
                           uint32_t batch, uint64_t change, sy_measured *ret_measured, bool *ret_died, sy_error *err)
{
    sy_slot slot = {.case_index = wc->index, .untimed = untimed, .count = batch, .change = change, .seed = w->seed};
    sy_subject_run run = {0};
    uint64_t before = sy_weighing_wall(w);
    sy_error own = SY_ERROR_INIT;
    sy_status status = run_slot(w, contender, &slot, &run, &own);
    if (status == SY_DIED || status == SY_TIMED_OUT) {
        w->measured_ns += sy_weighing_wall(w) - before; /* what it would have been is not known; what it took is */
        (void)sy_fail(err, status, "%s", own.what);
        sy_error_hint(err, "%s", own.hint);
        sy_weighing_note(w, "%s", own.what);
        *ret_measured = (sy_measured){.run_ns = SY_NAN, .unusable = SY_UNUSABLE_CRASHED};
        *ret_died = true;
        return revive(w, contender, err);
    }
    if (status) {
        if (err)
            *err = own;
        return status;
    }
    contender->float_changed |= run.float_changed;
    w->measured_ns += run.elapsed_ns;
    bool usable = run.elapsed_ns > 0;
    *ret_measured = (sy_measured){.run_ns = usable ? (double)run.elapsed_ns / batch : SY_NAN,
                                  .unusable = usable ? SY_USABLE : SY_UNUSABLE_TIMER};
    return SY_OK;
}

sy_status sy_weighing_pair(sy_weighing *w, sy_contender *contender, sy_weighed_case *wc, bool reference_first,
                           sy_rule_pair *ret_pair, bool *ret_died, sy_error *err)
{
    sy_contender *sides[2] = {&w->contenders[0], contender};
    sy_measured measured[2];
    uint64_t measured_before = w->measured_ns;
    uint64_t wall_before = sy_weighing_wall(w);
    uint64_t change = sy_weighing_next_change(w);
    wc->change = change;
    for (uint32_t k = 0; k < 2; k++) {
        uint32_t side = reference_first ? k : 1 - k;
        sy_status status = sy_weighing_slot(w, sides[side], wc, 1, wc->batch, change, &measured[side], ret_died, err);
        if (status)
            return status;
    }
    wc->last_pair_measured_ns = w->measured_ns - measured_before;
    wc->last_pair_wall_ns = sy_weighing_wall(w) - wall_before;
    *ret_pair = (sy_rule_pair){
        .reference_ns = measured[0].run_ns,
        .candidate_ns = measured[1].run_ns,
        .reference_first = reference_first,
        .unusable = measured[0].unusable ? measured[0].unusable : measured[1].unusable,
    };
    return SY_OK;
}

bool sy_weighing_affords(const sy_weighing *w, const sy_weighed_case *wc, double pairs, sy_rule_end *ret_end)
{
    double measured = (double)w->measured_ns + 1.5 * pairs * (double)wc->last_pair_measured_ns;
    double wall = (double)sy_weighing_wall(w) + 1.5 * pairs * (double)wc->last_pair_wall_ns;
    if (w->options->budget_ns == 0 || measured > (double)w->options->budget_ns) {
        *ret_end = SY_RULE_END_BUDGET;
        return false;
    }
    if (wall > (double)w->options->wall_limit_ns) {
        *ret_end = SY_RULE_END_WALL_LIMIT;
        return false;
    }
    return true;
}

sy_status sy_weighing_keep_sample(sy_weighing *w, const sy_sample *sample, sy_error *err)
{
    if (w->sample_count == w->sample_capacity) {
        size_t capacity = w->sample_capacity ? 2 * w->sample_capacity : 256;
        sy_sample *larger = sy_arena_allocate(w->arena, capacity, sizeof(*larger));
        if (!larger)
            return sy_fail(err, SY_NO_MEMORY, "no memory for %zu samples", capacity);
        if (w->sample_count > 0)
            memcpy(larger, w->samples, w->sample_count * sizeof(*larger));
        w->samples = larger;
        w->sample_capacity = capacity;
    }
    w->samples[w->sample_count++] = *sample;
    return SY_OK;
}
