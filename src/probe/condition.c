/* SPDX-License-Identifier: Apache-2.0 */
/* What the machine did to the pairs of the final: its state before and after them, what a hypervisor and other tasks
 * took meanwhile, who was switched away. Figures and notes; what the pairs themselves say of it, the rule's guards
 * judge. */
#include <math.h>

#include "backends/backend.h"
#include "probe/weighing.h"

/* Below these a note would say nothing that the pairs feel. */
static const double clock_change_worth_a_note = 0.05;
static const double steal_worth_a_note = 0.005;
static const double pressure_worth_a_note = 0.1;
static const double preempted_worth_a_note = 0.1; /* of the pairs */

static sy_device_condition condition_of(const sy_weighing *w)
{
    sy_device_condition condition = {SY_NAN, SY_NAN, SY_NAN, SY_NAN, SY_NAN, -1, SY_NAN, SY_NAN, SY_NAN, SY_NAN};
    if (w->device->backend->condition)
        w->device->backend->condition(w->device, &condition);
    return condition;
}

static sy_machine_state state_of(const sy_device_condition *condition)
{
    return (sy_machine_state){condition->clock_hz, condition->temperature_celsius, condition->load_average,
                              condition->throttled};
}

void sy_weighing_condition_before(sy_weighing *w)
{
    w->condition_before = condition_of(w);
    w->condition_wall_ns = sy_weighing_wall(w);
    w->condition = (sy_probe_condition){.before = state_of(&w->condition_before), .switches_known = true};
}

bool sy_weighing_condition_pair(sy_weighing *w, sy_sample *sample)
{
    sy_probe_condition *condition = &w->condition;
    sample->reference_switches = w->contenders[0].slot_switches;
    sample->candidate_switches = w->contenders[w->finalist].slot_switches;
    if (sample->reference_switches == SY_SWITCHES_UNKNOWN || sample->candidate_switches == SY_SWITCHES_UNKNOWN) {
        /* A slot that died tells nothing of its switches; where a whole one does not, the device never does. */
        condition->switches_known &= isnan(sample->reference_ns) || isnan(sample->candidate_ns);
        return false;
    }
    condition->reference_switches += sample->reference_switches;
    condition->candidate_switches += sample->candidate_switches;
    const bool preempted = sample->reference_switches > 0 || sample->candidate_switches > 0;
    condition->preempted_pairs += preempted;
    return preempted;
}

/* How far a counter moved over how far another did; NaN where either is unknown or time stood still. */
static double share_of(double moved, double of)
{
    return of > 0 && !isnan(moved) ? fmin(fmax(moved / of, 0), 1) : SY_NAN;
}

static void note_state(sy_weighing *w, const sy_probe_condition *condition)
{
    const sy_machine_state *before = &condition->before;
    const sy_machine_state *after = &condition->after;
    if (after->throttled == 1)
        sy_weighing_note(w, "throttle: the device says that it throttled during the pairs");
    if (condition->throttle_events > 0)
        sy_weighing_note(w, "throttle: the processor slowed itself down %.0f times during the pairs",
                         condition->throttle_events);
    if (fabs(after->clock_hz / before->clock_hz - 1) > clock_change_worth_a_note)
        sy_weighing_note(w, "clock: the device went from %.3g to %.3g GHz during the pairs", before->clock_hz * 1e-9,
                         after->clock_hz * 1e-9);
}

/* Those of a round that was cut are among them. */
static uint32_t pairs_of_final(const sy_weighing *w)
{
    uint32_t count = 0;
    for (size_t i = 0; i < w->sample_count; i++)
        count += w->samples[i].final;
    return count;
}

static void note_others(sy_weighing *w, const sy_probe_condition *condition)
{
    if (condition->steal_share >= steal_worth_a_note)
        sy_weighing_note(w, "steal: a hypervisor took %.1f %% of the processor time during the pairs",
                         100 * condition->steal_share);
    if (condition->pressure_share >= pressure_worth_a_note)
        sy_weighing_note(w, "pressure: some task waited for a processor in %.0f %% of the time of the pairs",
                         100 * condition->pressure_share);
    const uint32_t pairs = pairs_of_final(w);
    if (condition->preempted_pairs > 0 && condition->preempted_pairs >= preempted_worth_a_note * (double)pairs)
        sy_weighing_note(w,
                         "preempted: timed runs were switched away in %u of %u pairs: reference %llu times, "
                         "candidate %llu times",
                         condition->preempted_pairs, pairs, (unsigned long long)condition->reference_switches,
                         (unsigned long long)condition->candidate_switches);
}

void sy_weighing_condition_after(sy_weighing *w)
{
    const sy_device_condition *before = &w->condition_before;
    const sy_device_condition after = condition_of(w);
    sy_probe_condition *condition = &w->condition;
    condition->after = state_of(&after);
    condition->steal_share = share_of(after.stolen_time - before->stolen_time,
                                      after.processor_time - before->processor_time);
    condition->pressure_share = share_of(after.waited_ns - before->waited_ns,
                                         (double)(sy_weighing_wall(w) - w->condition_wall_ns));
    condition->throttle_events = after.throttle_events - before->throttle_events;
    w->has_condition = true;
    note_state(w, condition);
    note_others(w, condition);
}
