/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of what happens now: the clock, the noise, and what takes processor time away. */
#include <math.h>

#include "base/text.h"
#include "doctor/doctor_examination.h"

#define SHARE_PERCENT(share) (100 * (share))

static const char only_running[] = "Only a running machine can be measured.";

/* ---- what was measured ---- */

static bool is_slow_clock(const char *source)
{
    return sy_text_equal(source, "hpet") || sy_text_equal(source, "acpi_pm") || sy_text_equal(source, "jiffies") ||
           sy_text_equal(source, "refined-jiffies") || sy_text_equal(source, "pit");
}

static void judge_timer(sy_doctor_examination *e, sy_doctor_check *check)
{
    const sy_doctor_measurement *m = &e->measurement;
    const char *source = sy_doctor_read(e, "/sys/devices/system/clocksource/clocksource0/current_clocksource");
    const char *behind = source != NULL ? sy_doctor_say(e, ", from %s", source) : "";
    if (m->made && isfinite(m->step_ns)) {
        char least[32];
        sy_format_duration(least, sizeof least, (uint64_t)(100 * fmax(m->step_ns, 1)));
        check->figure = m->step_ns;
        check->unit = "ns";
        check->value = sy_doctor_say(e, "steps of %.0f ns, a look takes %.0f ns%s", m->step_ns, m->look_ns, behind);
        check->sentence = sy_doctor_say(e, "Runs of %s and more are timed to 1 %%.", least);
        check->verdict = m->step_ns <= 100 && m->look_ns <= 250     ? SY_DOCTOR_GOOD
                         : m->step_ns <= 1000 && m->look_ns <= 2000 ? SY_DOCTOR_LOOK
                                                                    : SY_DOCTOR_BAD;
    } else if (source != NULL) {
        check->value = sy_doctor_say(e, "clock source %s", source);
        check->verdict = SY_DOCTOR_GOOD;
        check->sentence = "The processor's own counter is read in nanoseconds.";
    } else if (!m->made) {
        check->sentence = only_running;
    }
    if (!is_slow_clock(source))
        return;
    check->verdict = SY_DOCTOR_BAD;
    check->sentence = "A look at this clock takes a microsecond or more: the kernel found the processor's own unfit.";
    check->remedy = "see the kernel's log for why tsc was marked unstable, or boot with clocksource=tsc";
}

static void judge_noise(sy_doctor_examination *e, sy_doctor_check *check)
{
    const sy_doctor_result *result = e->result;
    char run[32];
    if (!e->measurement.made)
        check->sentence = only_running;
    if (!isfinite(result->noise) || !isfinite(result->resolvable_gain))
        return;
    sy_format_duration(run, sizeof run, (uint64_t)e->measurement.kernel_ns);
    check->figure = result->noise;
    check->unit = "share";
    check->value = sy_doctor_say(e, "equal runs of %s differ by %.*f %%", run, result->noise < 0.1 ? 2 : 0,
                                 SHARE_PERCENT(result->noise));
    check->verdict = result->resolvable_gain <= result->min_improvement + 0.01 ? SY_DOCTOR_GOOD
                     : result->resolvable_gain <= result->target_gain          ? SY_DOCTOR_LOOK
                                                                               : SY_DOCTOR_BAD;
    check->sentence = sy_doctor_say(e,
                                    "%u pairs find a gain of %.1f %% or more 4 times in 5; the aim is %.3g %%, 2 "
                                    "points above what a win must save.",
                                    result->max_pairs, ceil(10 * SHARE_PERCENT(result->resolvable_gain) - 1e-9) / 10,
                                    SHARE_PERCENT(result->target_gain));
    if (check->verdict != SY_DOCTOR_GOOD)
        check->remedy = "pin to processors that nothing else runs on, or allow more pairs: --max-pairs";
}

static void judge_switches(sy_doctor_examination *e, sy_doctor_check *check)
{
    const sy_doctor_measurement *m = &e->measurement;
    char span[32];
    if (!m->made)
        check->sentence = only_running;
    if (!m->made || isnan(m->switches) || !(m->span_ns > 0))
        return;
    const double rate = m->switches * 1e9 / m->span_ns;
    sy_format_duration(span, sizeof span, (uint64_t)m->span_ns);
    check->figure = m->switches;
    check->unit = "count";
    check->value = sy_doctor_say(e, "switched away %.0f times in %s", m->switches, span);
    check->verdict = rate < 20 ? SY_DOCTOR_GOOD : rate < 200 ? SY_DOCTOR_LOOK : SY_DOCTOR_BAD;
    if (check->verdict == SY_DOCTOR_GOOD) {
        check->sentence = "A running task keeps its processor.";
        return;
    }
    check->sentence = "Another task took the processor in the midst of a run.";
    check->remedy = "stop what else runs, or pin to a processor that nothing else uses";
}

/* ---- who else is at work ---- */

typedef struct busy_process {
    const sy_doctor_process *process;
    double processors; /* that it kept busy */
} busy_process;

/* The process that kept most busy. Both lists are by pid; one that started meanwhile counts whole. */
static busy_process find_busiest(const sy_doctor_examination *e, double ticks_of_one)
{
    busy_process busiest = {NULL, 0};
    size_t k = 0;
    for (size_t i = 0; i < e->after.process_count; i++) {
        const sy_doctor_process *now = &e->after.processes[i];
        while (k < e->before.process_count && e->before.processes[k].pid < now->pid)
            k++;
        const bool was_there = k < e->before.process_count && e->before.processes[k].pid == now->pid;
        const double moved = now->ticks - (was_there ? e->before.processes[k].ticks : 0);
        if (moved / ticks_of_one > busiest.processors)
            busiest = (busy_process){now, moved / ticks_of_one};
    }
    return busiest;
}

/* The processor that was least at work, if one has time to spare. */
static bool find_idlest(const sy_doctor_examination *e, uint64_t *ret_number)
{
    double least = 0.5;
    bool found = false;
    for (size_t i = 0; i < e->after.cpu_count && i < e->before.cpu_count; i++) {
        const sy_doctor_cpu *now = &e->after.cpus[i];
        const sy_doctor_cpu *then = &e->before.cpus[i];
        if (now->number != then->number || !(now->all > then->all))
            continue;
        const double share = (now->busy - then->busy) / (now->all - then->all);
        if (share < least) {
            least = share;
            *ret_number = now->number;
            found = true;
        }
    }
    return found;
}

static const char *say_pin(sy_doctor_examination *e)
{
    uint64_t number = 0;
    return find_idlest(e, &number) && e->after.cpu_count > 1
               ? sy_doctor_say(e, ", or pin with taskset -c %llu", (unsigned long long)number)
               : "";
}

static void say_load(sy_doctor_examination *e, sy_doctor_check *check, double processors, const busy_process *busiest)
{
    const double others = check->figure;
    const char *culprit = busiest->process != NULL && busiest->processors >= 0.01
                              ? sy_doctor_say(e, "%s (%llu)", busiest->process->name,
                                              (unsigned long long)busiest->process->pid)
                              : NULL;
    check->value = sy_doctor_say(e, "others keep %.2f of %.0f %s busy", others, processors,
                                 processors == 1 ? "processor" : "processors");
    if (culprit != NULL)
        check->value = sy_doctor_say(e, "%s, most by %s: %.0f %%", check->value, culprit,
                                     SHARE_PERCENT(busiest->processors));
    if (isfinite(e->after.load_average))
        check->value = sy_doctor_say(e, "%s; load average %.2f", check->value, e->after.load_average);
    if (check->verdict == SY_DOCTOR_GOOD) {
        check->sentence = "Next to nothing else is at work.";
        return;
    }
    check->sentence = "What runs beside takes time, caches and memory bandwidth from what is measured.";
    if (culprit != NULL && busiest->processors >= 0.5 * others)
        check->remedy = sy_doctor_say(e, "%s takes %.0f %% of a processor: stop it%s", culprit,
                                      SHARE_PERCENT(busiest->processors), say_pin(e));
    else if (culprit != NULL)
        check->remedy = sy_doctor_say(e, "many processes are at work, %s most of all: stop them%s", culprit,
                                      say_pin(e));
    else
        check->remedy = sy_doctor_say(e, "something that this process cannot see is at work: stop it%s", say_pin(e));
}

static void judge_load(sy_doctor_examination *e, sy_doctor_check *check)
{
    const double processors = sy_doctor_processors(e);
    const double ticks_of_one = (e->after.all - e->before.all) / processors;
    if (!(ticks_of_one > 0)) { /* no time between the looks: the average of the last minute is all there is */
        if (isnan(e->after.load_average))
            return;
        check->figure = e->after.load_average;
        check->unit = "processors";
        check->value = sy_doctor_say(e, "load average %.2f", e->after.load_average);
        check->verdict = e->after.load_average < 0.2 ? SY_DOCTOR_GOOD : SY_DOCTOR_LOOK;
        check->sentence = "So many tasks wanted a processor at a time, over the last minute.";
        if (check->verdict != SY_DOCTOR_GOOD)
            check->remedy = "see with top what runs, and stop it";
        return;
    }
    const double own = isnan(e->after.own - e->before.own) ? 0 : e->after.own - e->before.own;
    const double others = fmax(0, (e->after.busy - e->before.busy - own) / ticks_of_one);
    const busy_process busiest = find_busiest(e, ticks_of_one);
    check->figure = others;
    check->unit = "processors";
    /* Of many processors a few percent do not meet what is measured often. */
    check->verdict = others >= 0.25 && others >= 0.1 * processors    ? SY_DOCTOR_BAD
                     : others >= 0.05 && others >= 0.02 * processors ? SY_DOCTOR_LOOK
                                                                     : SY_DOCTOR_GOOD;
    say_load(e, check, processors, &busiest);
}

/* ---- who waits, and for what ---- */

/* Share of the time between the looks in which some task waited; of the last ten seconds when that is not known. */
static double waited_share(const sy_doctor_examination *e, int kind)
{
    const double moved = e->after.waited_us[kind] - e->before.waited_us[kind];
    return e->observed_ns > 0 && isfinite(moved) ? fmin(1, moved * 1e3 / e->observed_ns) : e->after.waited_share[kind];
}

static void judge_pressure(sy_doctor_examination *e, sy_doctor_check *check)
{
    const double cpu = waited_share(e, SY_PRESSURE_CPU);
    const double memory = waited_share(e, SY_PRESSURE_MEMORY);
    const double io = waited_share(e, SY_PRESSURE_IO);
    if (isnan(cpu) && isnan(memory) && isnan(io))
        return;
    check->figure = fmax(fmax(cpu, memory), io);
    check->unit = "share";
    check->value = sy_doctor_say(e, "tasks waited: processor %.0f %%, memory %.0f %%, disk %.0f %% of the time",
                                 SHARE_PERCENT(isnan(cpu) ? 0 : cpu), SHARE_PERCENT(isnan(memory) ? 0 : memory),
                                 SHARE_PERCENT(isnan(io) ? 0 : io));
    if (memory >= 0.01) {
        check->verdict = SY_DOCTOR_BAD;
        check->sentence = "Memory is short: pages come back from disk in the midst of runs.";
        check->remedy = "free memory: stop what holds most of it";
    } else if (cpu >= 0.1) {
        check->verdict = cpu >= 0.4 ? SY_DOCTOR_BAD : SY_DOCTOR_LOOK;
        check->sentence = "More tasks want a processor than there are processors.";
        check->remedy = "stop what else runs, or measure with fewer threads: --threads";
    } else if (io >= 0.1) {
        check->verdict = SY_DOCTOR_LOOK;
        check->sentence = "The disk is busy: whoever wakes for it interrupts runs.";
        check->remedy = "wait until the copying or indexing has ended";
    } else {
        check->verdict = SY_DOCTOR_GOOD;
        check->sentence = "Nobody waits.";
    }
}

static void judge_steal(sy_doctor_examination *e, sy_doctor_check *check)
{
    const double moved = e->after.all - e->before.all;
    const double now = moved > 0 ? fmax(0, e->after.steal - e->before.steal) / moved : NAN;
    const double ever = e->after.all > 0 ? e->after.steal / e->after.all : NAN;
    const double counts = isnan(now) ? ever : now;
    if (isnan(counts))
        return;
    check->figure = counts;
    check->unit = "share";
    check->value = isnan(now)
                       ? sy_doctor_say(e, "%.1f %% since boot", SHARE_PERCENT(ever))
                       : sy_doctor_say(e, "%.1f %% now, %.1f %% since boot", SHARE_PERCENT(now), SHARE_PERCENT(ever));
    if (counts < 0.005 && !(ever >= 0.02)) {
        check->verdict = SY_DOCTOR_GOOD;
        check->sentence = "No hypervisor takes processor time away.";
        return;
    }
    check->verdict = counts >= 0.03 ? SY_DOCTOR_BAD : SY_DOCTOR_LOOK;
    check->sentence = "A hypervisor gives processor time that this system counts on to other guests.";
    check->remedy = "measure when the host is quiet, or on a machine with processors of its own";
}

const sy_doctor_judge sy_doctor_judges_of_load[] = {
    {"timer", 9, judge_timer}, {"noise", 100, judge_noise},     {"switches", 50, judge_switches},
    {"load", 2, judge_load},   {"pressure", 7, judge_pressure}, {"steal", 8, judge_steal},
};
const size_t sy_doctor_judges_of_load_count = sizeof sy_doctor_judges_of_load / sizeof sy_doctor_judges_of_load[0];
