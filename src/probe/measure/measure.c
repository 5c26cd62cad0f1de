/* SPDX-License-Identifier: Apache-2.0 */
/* One implementation, many timed runs: parity first, by the probe's own steps on a weighing that has nobody to weigh
 * against any more. What the runs say is measure_summary.c's. */
#include <math.h>
#include <string.h>

#include "backends/backend.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "operations/suite.h"
#include "probe/measure/measuring.h"
#include "probe/weighing.h"

/* One measurement in progress. */
typedef struct measurement {
    sy_weighing w;
    sy_probe_options probe_options;
    const sy_measure_options *options;
    sy_measure_result *result;
    sy_measure_series *series;
    uint32_t variant;
} measurement;

static sy_status check_options(const sy_measure_options *options, sy_error *err)
{
    if (options->struct_size != sizeof(*options))
        return sy_fail(err, SY_INVALID_ARGUMENT,
                       "the options were not started by SY_MEASURE_OPTIONS_INIT of this version");
    if (options->runs > SY_MEASURE_RUNS_MAX || options->most_runs > SY_MEASURE_RUNS_MAX)
        return sy_fail(err, SY_INVALID_ARGUMENT, "%u runs: at most %u",
                       options->runs > options->most_runs ? options->runs : options->most_runs, SY_MEASURE_RUNS_MAX);
    if (options->runs == 0 && (options->least_runs == 0 || options->most_runs < options->least_runs))
        return sy_fail(err, SY_INVALID_ARGUMENT,
                       "at least %u and at most %u runs: the least must be 1 or more, the most no less",
                       options->least_runs, options->most_runs);
    if (!(options->level > 0 && options->level < 1))
        return sy_fail(err, SY_INVALID_ARGUMENT, "level %.6g: must be above 0 and below 1", options->level);
    if (options->metadata_capacity_bytes == 0)
        return sy_fail(err, SY_INVALID_ARGUMENT, "a metadata capacity of 0 bytes: nothing could be built");
    return SY_OK;
}

static sy_probe_options probe_options_of(const sy_measure_options *options)
{
    sy_probe_options probe = SY_PROBE_OPTIONS_INIT;
    probe.cases = options->cases;
    probe.case_count = options->case_count;
    probe.budget_ns = UINT64_MAX;
    probe.wall_limit_ns = options->wall_limit_ns;
    probe.warmup = (int32_t)(options->warmup < INT32_MAX ? options->warmup : INT32_MAX);
    probe.min_free_memory_bytes = options->min_free_memory_bytes;
    probe.absolute_tolerance = options->absolute_tolerance;
    probe.relative_tolerance = options->relative_tolerance;
    probe.allow_approximate = options->allow_approximate;
    probe.seed = options->seed;
    probe.metadata_capacity_bytes = options->metadata_capacity_bytes;
    probe.worker_path = options->worker_path;
    probe.worker_memory_limit_bytes = options->worker_memory_limit_bytes;
    probe.identity = options->identity;
    probe.progress = options->progress;
    probe.cancelled = options->cancelled;
    probe.user = options->user;
    return probe;
}

/* The one to measure: named, else the reference. */
static sy_status choose_variant(const sy_suite *suite, const sy_measure_options *options, uint32_t *ret_variant,
                                sy_error *err)
{
    uint32_t variant = sy_suite_reference(suite);
    sy_status status = options->implementation
                           ? sy_suite_find_implementation(suite, options->implementation, &variant, err)
                           : SY_OK;
    if (!status && suite->implementations[variant].role == SY_ROLE_ORACLE)
        status = sy_fail(err, SY_INVALID_ARGUMENT, "%s is the oracle: it says what is right and is never timed",
                         suite->implementations[variant].name);
    if (!status && suite->implementations[variant].error_class == SY_CLASS_APPROXIMATE && !options->allow_approximate)
        status = sy_fail(err, SY_INVALID_ARGUMENT, "%s is approximate by its own word: measured only if allowed",
                         suite->implementations[variant].name);
    if (!status)
        *ret_variant = variant;
    return status;
}

/* What the weighing ended with, in the measurement's words: the last contender is the one that is measured. */
static sy_status take_over_end(measurement *m, sy_error *err)
{
    const sy_weighing *w = &m->w;
    const sy_contender *contender = w->contender_count > 0 ? &w->contenders[w->contender_count - 1] : NULL;
    sy_measure_result *result = m->result;
    result->interrupted = w->interrupted;
    if (!w->ended)
        return SY_OK;
    /* Of a program the reason is what it did; there is only one. */
    result->reason = sy_text_begins(w->reason, "reference ") ? w->reason + strlen("reference ") : w->reason;
    if (contender && !contender->live && contender->reason)
        result->error = sy_arena_format(w->arena, "%s: %s", contender->name, contender->detail);
    else if (sy_text_equal(w->reason, "wall-limit"))
        result->error = sy_arena_format(w->arena, "the wall limit of %.3g s was reached",
                                        (double)w->options->wall_limit_ns * 1e-9);
    else
        result->error = sy_arena_copy_text(w->arena, w->error);
    return result->error ? SY_OK : sy_fail(err, SY_NO_MEMORY, "no memory for the result");
}

/* The reference has said what is equal; from here on it would only take memory. */
static void dismiss_reference(sy_weighing *w)
{
    if (w->contender_count < 2)
        return;
    sy_subject_destroy(w->contenders[0].subject);
    w->contenders[0].subject = NULL;
    w->contenders++;
    w->contender_count--;
}

/* Cases, subjects, parity; the reference beside the one that is measured, unless it is to be left out.
 * *ret_reference_out: it could not take part, so nothing was found out. */
static sy_status make_ready(measurement *m, bool with_reference, bool *ret_reference_out, sy_error *err)
{
    sy_weighing *w = &m->w;
    uint32_t variants[2] = {sy_suite_reference(w->suite), m->variant};
    uint32_t count = with_reference && variants[0] != m->variant ? 2 : 1;
    *ret_reference_out = false;
    sy_status status = sy_weighing_start(w, err);
    if (!status)
        status = sy_weighing_contend(w, variants + 2 - count, count, err);
    if (!status)
        status = sy_weighing_prepare(w, err);
    /* A program alone has nothing to be compared with, and its first run is one that counts. */
    if (!status && !w->ended && !w->device->backend->whole_programs)
        status = sy_weighing_verify(w, err);
    if (!status && count == 2)
        *ret_reference_out = w->ended && !w->contenders[0].live && w->contenders[1].live && !w->interrupted;
    if (!status)
        dismiss_reference(w);
    return status;
}

/* Room for the runs of one case: what was fixed, or as many as the budget may allow at most. */
static sy_timed_run *runs_of(const measurement *m, uint32_t *ret_capacity)
{
    *ret_capacity = m->options->runs ? m->options->runs : m->options->most_runs;
    return sy_arena_allocate(m->w.arena, *ret_capacity, sizeof(sy_timed_run));
}

/* More runs would only repeat the failure. */
static bool has_failed_too_often(const sy_measure_series *series)
{
    size_t unusable = series->run_count - series->usable_count;
    return unusable > 2 && unusable * 5 > series->run_count;
}

static bool goes_on(const measurement *m, const sy_measure_series *series, uint64_t spent_ns)
{
    const sy_measure_options *options = m->options;
    if (has_failed_too_often(series))
        return false;
    if (options->runs)
        return series->run_count < options->runs;
    if (series->run_count >= options->most_runs)
        return false;
    return series->run_count < options->least_runs || spent_ns < options->budget_ns;
}

/* A program that fails is not measured: what it did ends it, unless time had run out for it. */
static void end_program(sy_weighing *w, sy_status failure, const sy_error *why)
{
    sy_contender *contender = &w->contenders[0];
    if (!sy_weighing_stops(w))
        sy_weighing_drop(w, contender, SY_DECISION_UNAVAILABLE, sy_weighing_reason(w, contender, failure, why),
                         "%s%s%s", why->what, why->hint[0] ? "; " : "", why->hint);
}

static sy_status run_once(measurement *m, uint32_t k, sy_timed_run *run, sy_error *err)
{
    sy_weighing *w = &m->w;
    sy_weighed_case *wc = &w->cases[k];
    sy_contender *contender = &w->contenders[0];
    sy_measured measured;
    wc->change = sy_weighing_next_change(w);
    wc->output_lost = false;
    /* As in a pair: a worker that has waited for its word begins with one run that is not timed. */
    sy_status status = sy_weighing_slot(w, contender, wc, w->isolated ? 1 : 0, wc->batch, wc->change, &measured, err);
    if (status)
        return status;
    run->value = w->suite->metric && w->suite->metric->higher_is_better ? 1 / measured.run_ns : measured.run_ns;
    run->switches = contender->slot_switches;
    run->unusable = measured.unusable == SY_USABLE             ? NULL
                    : measured.unusable == SY_UNUSABLE_TIMER   ? "timer"
                    : measured.unusable == SY_UNUSABLE_CRASHED ? "crashed"
                                                               : "void";
    wc->output_lost |= measured.failure != SY_OK;
    if (measured.failure && w->device->backend->whole_programs)
        end_program(w, measured.failure, err);
    return SY_OK;
}

/* The notes on the machine speak of pairs: what they say stands among the findings. */
static void see_machine(sy_weighing *w, sy_measure_series *series, bool before)
{
    size_t notes = w->note_count;
    if (before)
        sy_weighing_condition_before(w);
    else
        sy_weighing_condition_after(w);
    w->note_count = notes;
    series->before = w->condition.before;
    series->after = before ? w->condition.before : w->condition.after;
    series->steal_share = before ? SY_NAN : w->condition.steal_share;
    series->pressure_share = before ? SY_NAN : w->condition.pressure_share;
}

static sy_status run_series(measurement *m, uint32_t k, sy_error *err)
{
    sy_weighing *w = &m->w;
    sy_measure_series *series = &m->series[k];
    uint32_t capacity;
    sy_timed_run *runs = runs_of(m, &capacity);
    sy_error own = SY_ERROR_INIT;
    sy_status status = SY_OK;
    uint64_t start = sy_weighing_wall(w);
    if (!runs)
        return sy_fail(err, SY_NO_MEMORY, "no memory for %u runs", capacity);
    series->runs = runs;
    series->batch = w->cases[k].batch;
    see_machine(w, series, true);
    while (!status && series->run_count < capacity && goes_on(m, series, sy_weighing_wall(w) - start) &&
           !sy_weighing_stops(w)) {
        sy_timed_run *run = &runs[series->run_count];
        sy_weighing_progress(w, SY_PHASE_RUNS, &w->contenders[0], series->name, (uint32_t)series->run_count,
                             m->options->runs);
        run->begin_ns = sy_weighing_wall(w) - start;
        status = run_once(m, k, run, &own);
        series->run_count += !status;
        series->usable_count += !status && !run->unusable;
    }
    see_machine(w, series, false);
    if (status)
        status = sy_weighing_blame(w, &w->contenders[0], status, &own);
    if (status && err)
        *err = own;
    return status;
}

static sy_status make_series(measurement *m, sy_error *err)
{
    sy_weighing *w = &m->w;
    m->series = sy_arena_allocate(w->arena, w->case_count, sizeof(*m->series));
    if (!m->series)
        return sy_fail(err, SY_NO_MEMORY, "no memory for the result");
    for (uint32_t k = 0; k < w->case_count; k++) {
        m->series[k] = (sy_measure_series){.name = sy_arena_copy_text(w->arena, w->cases[k].c->name),
                                           .batch = 1,
                                           .flop_count = w->cases[k].c->flop_count};
        if (!m->series[k].name)
            return sy_fail(err, SY_NO_MEMORY, "no memory for the result");
        sy_status status = sy_measure_keep_metric(w->arena, w->suite->metric, &m->series[k].metric, err);
        if (status)
            return status;
    }
    m->result->series = m->series;
    m->result->series_count = w->case_count;
    return SY_OK;
}

/* The timed part: warm-up as far as it was asked for, each case's runs, what they left in the outputs. */
static sy_status run_all(measurement *m, sy_error *err)
{
    sy_weighing *w = &m->w;
    sy_status status = SY_OK;
    m->probe_options.stop_idle_workers = false; /* nobody else is there to be disturbed */
    if (!w->ended)
        status = sy_weighing_warm_up(w, err);
    for (uint32_t k = 0; !status && k < w->case_count && !w->ended; k++)
        status = run_series(m, k, err);
    bool complete = !w->ended;
    if (!status && complete && !w->device->backend->whole_programs)
        status = sy_weighing_verify_again(w, err);
    return status;
}

static void note_remark(void *user, const char *text)
{
    sy_weighing_note(user, "%s", text);
}

static void conclude_parity(measurement *m)
{
    const sy_contender *contender = &m->w.contenders[0];
    m->result->parity = SY_PARITY_PASSED;
    bool all = true;
    for (uint32_t k = 0; k < m->w.case_count; k++) {
        m->series[k].parity = contender->parity[k];
        all &= contender->parity[k].outcome != SY_PARITY_NOT_PERFORMED;
        if (contender->parity[k].outcome > m->result->parity)
            m->result->parity = contender->parity[k].outcome;
    }
    if (!all && m->result->parity != SY_PARITY_FAILED)
        m->result->parity = SY_PARITY_NOT_PERFORMED;
}

/* What the process took at its peak, as far as it still answers. */
static void ask_memory(sy_weighing *w, sy_measure_result *result)
{
    sy_contender *contender = &w->contenders[0];
    sy_implementation_info info;
    uint64_t peak = 0;
    if (contender->live && contender->subject && sy_contender_wake(w, contender, 5, NULL) == SY_OK &&
        contender->subject->table->describe(contender->subject, &info, &peak, NULL) == SY_OK)
        result->memory_bytes = peak;
}

/* Runs that gave no time and ended a series are a reason like any other. */
static sy_status take_over_failures(measurement *m, sy_error *err)
{
    sy_measure_result *result = m->result;
    for (size_t k = 0; k < result->series_count && result->error[0] == '\0'; k++) {
        const sy_measure_series *series = &m->series[k];
        const char *word = NULL;
        for (size_t i = 0; i < series->run_count && !word; i++)
            word = series->runs[i].unusable;
        if (!word || !has_failed_too_often(series))
            continue;
        const char *why = series->findings[0].text;
        for (size_t i = 0; i < m->w.note_count; i++)
            why = sy_text_begins(m->w.notes[i], "void: ") ? m->w.notes[i] : why; /* it knows more */
        result->reason = word;
        result->error = sy_arena_format(m->w.arena, "%s: %s", series->name, why);
        if (!result->error)
            return sy_fail(err, SY_NO_MEMORY, "no memory for the result");
    }
    return SY_OK;
}

static sy_status conclude(measurement *m, sy_error *err)
{
    sy_weighing *w = &m->w;
    sy_measure_result *result = m->result;
    sy_status status = take_over_end(m, err);
    ask_memory(w, result);
    conclude_parity(m);
    sy_weighing_note_environments(w);
    if (w->device->backend->remark)
        w->device->backend->remark(w->device, note_remark, w);
    result->measured = w->contenders[0].live;
    for (uint32_t k = 0; !status && k < w->case_count; k++) {
        sy_series_clock clock = {m->series[k].batch, w->result->timer_resolution_ns, result->level};
        status = sy_measure_summarize(w->arena, &clock, &m->series[k], err);
        result->measured &= m->series[k].usable_count > 0;
    }
    if (!status)
        status = take_over_failures(m, err);
    if (!status)
        status = sy_weighing_identify(w, &result->identity, err);
    result->device_info = w->result->device_info;
    result->info = w->contenders[0].info;
    result->isolation = w->result->isolation;
    result->timer = w->result->timer;
    result->timer_resolution_ns = w->result->timer_resolution_ns;
    result->seed = w->seed;
    result->wall_ns = sy_weighing_wall(w);
    result->notes = w->notes;
    result->note_count = w->note_count;
    result->operation = w->result->operation;
    result->backend = result->device_info.backend;
    return status;
}

static sy_status start(measurement *m, sy_device *device, const sy_suite *suite, sy_error *err)
{
    sy_arena *arena = sy_arena_create(0);
    m->w = (sy_weighing){.device = device,
                         .suite = suite,
                         .options = &m->probe_options,
                         .arena = arena,
                         .resolvable_gain = SY_NAN,
                         .noise = SY_NAN};
    m->w.result = arena ? sy_arena_allocate(arena, 1, sizeof(*m->w.result)) : NULL;
    m->result = arena ? sy_arena_allocate(arena, 1, sizeof(*m->result)) : NULL;
    if (!m->w.result || !m->result)
        return sy_fail(err, SY_NO_MEMORY, "no memory for a measurement");
    *m->result = (sy_measure_result){.reason = "", .error = "", .level = m->options->level, .owner = arena};
    m->result->implementation = sy_arena_copy_text(arena, suite->implementations[m->variant].name);
    return m->result->implementation ? SY_OK : sy_fail(err, SY_NO_MEMORY, "no memory for a measurement");
}

static sy_status run_measurement(measurement *m, sy_device *device, const sy_suite *suite, sy_error *err)
{
    bool reference_out;
    sy_status status = start(m, device, suite, err);
    if (!status)
        status = make_ready(m, true, &reference_out, err);
    if (!status && reference_out && suite->oracle) {
        /* The oracle is enough to say what is right. */
        sy_weighing_finish(&m->w);
        sy_arena_destroy(m->w.arena);
        status = start(m, device, suite, err);
        if (!status)
            status = make_ready(m, false, &reference_out, err);
        if (!status)
            sy_weighing_note(&m->w, "the reference %s could not take part: outputs were held against the oracle alone",
                             suite->implementations[sy_suite_reference(suite)].name);
    }
    if (!status)
        status = make_series(m, err);
    if (!status)
        status = run_all(m, err);
    return status ? status : conclude(m, err);
}

sy_status sy_measure(sy_device *device, const sy_suite *suite, const sy_measure_options *options,
                     sy_measure_result **ret_result, sy_error *err)
{
    static const sy_measure_options defaults = SY_MEASURE_OPTIONS_INIT;
    measurement m = {.options = options ? options : &defaults};
    sy_status status = check_options(m.options, err);
    if (!status)
        status = sy_suite_check(suite, err);
    if (!status)
        status = choose_variant(suite, m.options, &m.variant, err);
    if (status)
        return status;
    m.probe_options = probe_options_of(m.options);
    status = run_measurement(&m, device, suite, err);
    sy_weighing_finish(&m.w);
    if (status)
        sy_arena_destroy(m.w.arena);
    else
        *ret_result = m.result;
    return status;
}

void sy_measure_result_destroy(sy_measure_result *result)
{
    if (result)
        sy_arena_destroy(result->owner);
}
