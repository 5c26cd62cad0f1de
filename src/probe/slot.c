/* SPDX-License-Identifier: Apache-2.0 */
/* The timed slot: who runs and who sleeps, deadlines, what was spent, and what a dead worker means. */
#include <math.h>
#include <string.h>

#include "backends/backend.h"
#include "base/error.h"
#include "base/memory.h"
#include "probe/weighing.h"

#define MOST_DEADLINE_S 1e9  /* a wall limit of `none` */
#define WAKE_NS 200000.0     /* waking and stopping a worker, before it was seen */
#define LEAST_DEADLINE_S 5.0 /* nothing is called hung before this, nor before ten times what the slot should take */

sy_status sy_contender_wake(sy_weighing *w, sy_contender *contender, double seconds_at_most, sy_error *err)
{
    uint64_t wall = sy_weighing_wall(w);
    double least = LEAST_DEADLINE_S;
    if (w->device->backend->whole_programs) { /* how long one takes is its own affair, within the wall limit */
        seconds_at_most = INFINITY;
        least = 0;
    }
    double left = wall < w->options->wall_limit_ns ? (double)(w->options->wall_limit_ns - wall) * 1e-9 : 0;
    double seconds = fmin(fmax(least, fmin(seconds_at_most, left)), MOST_DEADLINE_S);
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

sy_status sy_contender_revive(sy_weighing *w, sy_contender *contender, sy_error *err)
{
    sy_status status = contender->subject->table->restart(contender->subject, err);
    for (uint32_t i = 0; !status && i < w->case_count; i++) {
        w->cases[i].output_lost = true;
        status = sy_contender_wake(w, contender, INFINITY, err);
        if (!status)
            status = sy_contender_ready(w, contender, &w->cases[i], err);
    }
    if (!status)
        status = sy_contender_rest(w, contender, err);
    return status;
}

static sy_status run_slot(sy_weighing *w, sy_contender *contender, const sy_weighed_case *wc, const sy_slot *slot,
                          sy_subject_run *ret_run, sy_error *err)
{
    double known_ns = contender->run_ns[wc - w->cases];
    double expected_s = isnan(known_ns) ? INFINITY : known_ns * 1e-9 * ((double)slot->untimed + slot->count);
    sy_status status = sy_contender_wake(w, contender, 10 * expected_s, err);
    if (!status)
        status = contender->subject->table->slot(contender->subject, slot, ret_run, err);
    return status ? status : sy_contender_rest(w, contender, err);
}

/* A time that a worker tells is not longer than the call took, as far as both are told by the same clock. */
static bool is_believable(const sy_weighing *w, uint64_t elapsed_ns, uint64_t wall_ns)
{
    return w->device->backend->fixed_clock || !w->isolated || elapsed_ns <= wall_ns + wall_ns / 8 + 1000000;
}

sy_status sy_weighing_slot(sy_weighing *w, sy_contender *contender, sy_weighed_case *wc, uint32_t untimed,
                           uint32_t batch, uint64_t change, sy_measured *ret_measured, sy_error *err)
{
    bool fresh = w->device->backend->whole_programs;
    sy_slot slot = {
        .case_index = wc->index, .untimed = fresh ? 0 : untimed, .count = batch, .change = change, .seed = w->seed};
    sy_subject_run run = {0};
    uint64_t before = sy_weighing_wall(w);
    size_t k = (size_t)(wc - w->cases);
    sy_error own = SY_ERROR_INIT;
    sy_status status = run_slot(w, contender, wc, &slot, &run, &own);
    uint64_t took = sy_weighing_wall(w) - before;
    w->timed_slots++;
    if (status == SY_DIED || status == SY_TIMED_OUT) {
        w->measured_ns += took; /* what it would have been is not known; what it took is */
        sy_weighing_note(w, "%s%s%s", fresh ? contender->name : "", fresh ? ": a timed run " : "", own.what);
        if (err)
            *err = own;
        contender->slot_switches = SY_SWITCHES_UNKNOWN;
        *ret_measured = (sy_measured){.run_ns = SY_NAN, .unusable = SY_UNUSABLE_CRASHED, .failure = status};
        return sy_contender_revive(w, contender, err);
    }
    if (status) {
        if (err)
            *err = own;
        return status;
    }
    if (run.has_account) {
        sy_weighing_take_account(w, contender, wc, &run.account, took, ret_measured);
        return SY_OK;
    }
    bool believable = is_believable(w, run.elapsed_ns, took);
    bool usable = run.elapsed_ns > 0 && believable;
    contender->float_changed |= run.float_changed;
    w->measured_ns += believable ? run.elapsed_ns : took;
    contender->slot_ns[k] = believable ? (double)run.elapsed_ns : (double)took;
    contender->slot_wall_ns[k] = (double)took;
    contender->slot_switches = run.switches < SY_SWITCHES_UNKNOWN ? (uint32_t)run.switches : SY_SWITCHES_UNKNOWN;
    if (believable) {
        double beside = fmax((double)took - (double)run.elapsed_ns * (1 + (double)untimed / batch), 0);
        w->wake_ns = w->wake_ns > 0 ? 0.9 * w->wake_ns + 0.1 * beside : beside;
    }
    *ret_measured = (sy_measured){.run_ns = usable ? (double)run.elapsed_ns / batch : SY_NAN,
                                  .unusable = usable       ? SY_USABLE
                                              : believable ? SY_UNUSABLE_TIMER
                                                           : SY_UNUSABLE_VOID};
    return SY_OK;
}

sy_status sy_weighing_slot_or_drop(sy_weighing *w, sy_contender *contender, sy_weighed_case *wc, uint32_t untimed,
                                   uint32_t batch, uint64_t change, sy_measured *ret_measured, sy_error *err)
{
    sy_measured measured = {.run_ns = SY_NAN};
    sy_error own = SY_ERROR_INIT;
    sy_status status = sy_weighing_slot(w, contender, wc, untimed, batch, change, &measured, &own);
    if (!status && measured.failure)
        sy_weighing_drop(w, contender, SY_DECISION_UNAVAILABLE,
                         sy_weighing_reason(w, contender, measured.failure, &own), "%s%s%s", own.what,
                         own.hint[0] ? "; " : "", own.hint);
    else if (status)
        status = sy_weighing_blame(w, contender, status, &own);
    if (status && err)
        *err = own;
    *ret_measured = measured;
    return status;
}

sy_status sy_weighing_pair(sy_weighing *w, sy_contender *contender, sy_weighed_case *wc, bool reference_first,
                           sy_rule_pair *ret_pair, sy_error *err)
{
    sy_contender *sides[2] = {&w->contenders[0], contender};
    sy_measured measured[2];
    uint64_t change = sy_weighing_next_change(w);
    wc->change = change;
    wc->output_lost = false;
    for (uint32_t k = 0; k < 2; k++) {
        uint32_t side = reference_first ? k : 1 - k;
        sy_status status = sy_weighing_slot(w, sides[side], wc, 1, wc->batch, change, &measured[side], err);
        if (!status && w->ended) {
            measured[1 - side] = (sy_measured){.run_ns = SY_NAN, .unusable = SY_UNUSABLE_VOID};
            break;
        }
        if (status) {
            wc->output_lost = true; /* the two sides are not on the same inputs any more */
            return status;
        }
    }
    *ret_pair = (sy_rule_pair){
        .reference_ns = measured[0].run_ns,
        .candidate_ns = measured[1].run_ns,
        .reference_first = reference_first,
        .unusable = measured[0].unusable ? measured[0].unusable : measured[1].unusable,
    };
    return SY_OK;
}

double sy_weighing_wake_ns(const sy_weighing *w)
{
    return w->wake_ns > 0 ? w->wake_ns : w->isolated ? WAKE_NS : 0;
}

void sy_cost_add(sy_cost *cost, const sy_contender *contender, const sy_weighing *w, const sy_weighed_case *wc,
                 double slots)
{
    size_t k = (size_t)(wc - w->cases);
    cost->measured_ns += slots * contender->slot_ns[k];
    cost->wall_ns += slots * contender->slot_wall_ns[k];
}

bool sy_weighing_affords(const sy_weighing *w, const sy_cost *cost, sy_rule_end *ret_end)
{
    if (w->options->budget_ns == 0 ||
        (double)w->measured_ns + 1.5 * cost->measured_ns > (double)w->options->budget_ns) {
        *ret_end = SY_RULE_END_BUDGET;
        return false;
    }
    if ((double)sy_weighing_wall(w) + w->check_wall_ns + 1.5 * cost->wall_ns > (double)w->options->wall_limit_ns) {
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
