/* SPDX-License-Identifier: Apache-2.0 */
/* The fake backend's times. Drift, jumps and the cold ramp belong to the machine, so that all implementations feel the
 * same ones; scatter and spikes are drawn anew for each run, from a stream of each implementation's own. */
#include "backends/fake/fake_time.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"

#define NOBODY UINT32_MAX
#define LONGEST_RUN_NS 1e15
#define RAMP_RUNS 40.0
#define AR_COEFFICIENT 0.95
#define JUMP_PROBABILITY 0.01
#define SPIKE_TAIL 1.5

struct sy_fake_time {
    const sy_fake_script *script;
    uint32_t process; /* of a probe's fresh ones, from 0 */
    uint64_t runs;
    uint64_t *runs_of;   /* by implementation */
    uint64_t *cell_runs; /* by implementation, then case */
    sy_random *streams;  /* by implementation */
    sy_random machine;
    bool machine_moves; /* some law feels ar or jump */
    double wander;      /* A for an innovation of 1 */
    double level;       /* J for a size of 1 */
    double coldness;    /* e^(-i/40) */
    uint32_t current;   /* implementation of the last run */
    uint32_t before;    /* the last other one before it */
    uint64_t streak;    /* runs of current in a row */
};

static bool any_law_moves(const sy_fake_script *script)
{
    for (size_t i = 0; i < script->suite.implementation_count; i++)
        for (size_t c = 0; c < script->suite.case_count; c++) {
            const sy_fake_cell *cell = &script->implementations[i].cells[c];
            if (!cell->times_ns && (cell->law.ar != 0 || cell->law.jump != 0))
                return true;
        }
    return false;
}

/* The first process draws from the script's seed itself. */
static void start_streams(sy_fake_time *time)
{
    const sy_fake_script *script = time->script;
    const uint64_t seed = script->seed + time->process * UINT64_C(0x9e3779b97f4a7c15);
    for (size_t i = 0; i < script->suite.implementation_count; i++)
        sy_random_start(&time->streams[i], seed, script->implementations[i].name);
    /* No implementation can be named so: a name holds no control character. */
    sy_random_start(&time->machine, seed, "\nmachine");
}

void sy_fake_time_enter(sy_fake_time *time, uint32_t process)
{
    if (process == time->process)
        return;
    time->process = process;
    start_streams(time);
}

sy_status sy_fake_time_create(const sy_fake_script *script, sy_fake_time **ret_time, sy_error *err)
{
    const size_t count = script->suite.implementation_count;
    sy_fake_time *time = sy_allocate(1, sizeof *time);
    if (!time)
        goto out;
    time->runs_of = sy_allocate(count, sizeof *time->runs_of);
    time->cell_runs = sy_allocate(count * script->suite.case_count, sizeof *time->cell_runs);
    time->streams = sy_allocate(count, sizeof *time->streams);
    if (!time->runs_of || !time->cell_runs || !time->streams)
        goto out;
    time->script = script;
    start_streams(time);
    time->machine_moves = any_law_moves(script);
    time->coldness = 1;
    time->current = time->before = NOBODY;
    *ret_time = time;
    return SY_OK;
out:
    sy_fake_time_destroy(time);
    return sy_fail(err, SY_NO_MEMORY, "no memory for the fake device's state");
}

void sy_fake_time_destroy(sy_fake_time *time)
{
    if (!time)
        return;
    sy_free(time->runs_of);
    sy_free(time->cell_runs);
    sy_free(time->streams);
    sy_free(time);
}

static void move_machine(sy_fake_time *time)
{
    static const double ramp_step = 0.9753099120283326; /* e^(-1/40) */
    if (time->runs > 0)
        time->coldness *= ramp_step;
    time->runs++;
    if (!time->machine_moves)
        return;
    time->wander = AR_COEFFICIENT * time->wander + sy_random_normal(&time->machine);
    if (sy_random_unit(&time->machine) < JUMP_PROBABILITY)
        time->level = sy_random_normal(&time->machine);
}

static void note_implementation(sy_fake_time *time, uint32_t variant)
{
    if (variant != time->current) {
        time->before = time->current;
        time->current = variant;
        time->streak = 0;
    }
    time->streak++;
}

static double law_ns(sy_fake_time *time, const sy_fake_law *law, sy_random *stream)
{
    double exponent = law->ramp * (1 - time->coldness) + law->ar * time->wander + law->jump * time->level;
    if (law->sigma > 0)
        exponent += law->sigma * sy_random_normal(stream);
    double ns = law->base_ns * (exponent == 0 ? 1 : exp(exponent));
    if (law->spike_probability > 0 && sy_random_unit(stream) < law->spike_probability)
        ns *= 1 + law->spike_size * pow(1 - sy_random_unit(stream), -1 / SPIKE_TAIL);
    return ns;
}

double sy_fake_drift_factor(const sy_fake_drift *drift, uint64_t run)
{
    if (drift->factor == 1 || run <= drift->from_run)
        return 1;
    if (run >= drift->to_run)
        return drift->factor;
    return pow(drift->factor, (double)(run - drift->from_run) / (double)(drift->to_run - drift->from_run));
}

static double position_factor(const sy_fake_time *time, const sy_fake_implementation *implementation)
{
    if (time->before == NOBODY || time->streak > implementation->after_runs)
        return implementation->first_factor;
    return implementation->second_factor * implementation->after[time->before];
}

static double process_factor(const sy_fake_time *time, const sy_fake_implementation *implementation)
{
    return implementation->process_factors
               ? implementation->process_factors[time->process % implementation->process_factor_count]
               : 1;
}

/* The time that the script's list or law gives for the cell's run, before any factor. */
static sy_status scripted_ns(sy_fake_time *time, uint32_t variant, const sy_fake_cell *cell, uint64_t cell_run,
                             double *ret_ns, sy_error *err)
{
    if (!cell->times_ns) {
        *ret_ns = law_ns(time, &cell->law, &time->streams[variant]);
        return SY_OK;
    }
    uint64_t index = cell_run - 1;
    if (index >= cell->time_count) {
        if (cell->then == SY_FAKE_THEN_END)
            return sy_fail(err, SY_LIMIT_EXCEEDED, "the script's times of '%s' end after %zu runs",
                           time->script->implementations[variant].name, cell->time_count);
        index = cell->then == SY_FAKE_THEN_HOLD ? cell->time_count - 1 : index % cell->time_count;
    }
    *ret_ns = (double)cell->times_ns[index];
    return SY_OK;
}

static bool comes_at(uint64_t run, uint64_t at, uint64_t every)
{
    return at > 0 && (run == at || (run > at && every > 0 && (run - at) % every == 0));
}

static bool is_switched(const sy_fake_implementation *implementation, uint64_t run)
{
    if (implementation->switch_at == 0 || run < implementation->switch_at)
        return false;
    const uint64_t since = run - implementation->switch_at;
    return (implementation->switch_every > 0 ? since % implementation->switch_every : since) <
           implementation->switch_runs;
}

sy_status sy_fake_time_next(sy_fake_time *time, uint32_t variant, uint32_t case_index, sy_fake_run *ret_run,
                            sy_error *err)
{
    const sy_fake_implementation *implementation = &time->script->implementations[variant];
    const sy_fake_cell *cell = &implementation->cells[case_index];
    move_machine(time);
    note_implementation(time, variant);
    const uint64_t run = ++time->runs_of[variant];
    const uint64_t cell_run = ++time->cell_runs[variant * time->script->suite.case_count + case_index];
    double ns = 0;
    sy_status status = scripted_ns(time, variant, cell, cell_run, &ns, err);
    if (status)
        return status;
    ns *= cell->factor * sy_fake_drift_factor(&implementation->drift, run) * position_factor(time, implementation) *
          process_factor(time, implementation);
    ret_run->switched = is_switched(implementation, run);
    if (ret_run->switched)
        ns *= implementation->switch_factor;
    ret_run->duration_ns = (uint64_t)(fmin(ns, LONGEST_RUN_NS) + 0.5);
    ret_run->cell_run = cell_run;
    ret_run->event = SY_FAKE_EVENT_NONE;
    ret_run->may_fail = time->process >= implementation->faults_from_process;
    if (!ret_run->may_fail)
        return SY_OK;
    if (comes_at(run, implementation->crash_at, implementation->crash_every))
        ret_run->event = SY_FAKE_EVENT_CRASH;
    else if (comes_at(run, implementation->hang_at, implementation->hang_every))
        ret_run->event = SY_FAKE_EVENT_HANG;
    return SY_OK;
}

uint64_t sy_fake_time_runs_of(const sy_fake_time *time, uint32_t variant)
{
    return time->runs_of[variant];
}

uint64_t sy_fake_time_runs(const sy_fake_time *time)
{
    return time->runs;
}
