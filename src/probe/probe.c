/* SPDX-License-Identifier: Apache-2.0 */
/* The probe from its options to its result: what is asked is checked, contenders and cases are chosen, the steps run in
 * order. Each step is a file of its own; weighing.h is what they share. */
#include <math.h>
#include <string.h>

#include "backends/backend.h"
#include "backends/graph.h"
#include "base/error.h"
#include "base/float_environment.h"
#include "base/memory.h"
#include "base/text.h"
#include "operations/suite.h"
#include "probe/coverage.h"
#include "probe/leanest.h"
#include "record/identity.h"

#define CACHES_EXCEEDED 3 /* times, by cold buffers */

static sy_status check_range(const char *name, double value, double low, bool low_allowed, double high,
                             bool high_allowed, sy_error *err)
{
    if (value > low && value < high)
        return SY_OK;
    if ((value == low && low_allowed) || (value == high && high_allowed))
        return SY_OK;
    return sy_fail(err, SY_INVALID_ARGUMENT, "%s %.6g: must be %s %.6g and %s %.6g", name, value,
                   low_allowed ? "at least" : "above", low, high_allowed ? "at most" : "below", high);
}

static sy_status check_options(const sy_probe_options *options, sy_error *err)
{
    if (options->struct_size != sizeof(*options))
        return sy_fail(err, SY_INVALID_ARGUMENT,
                       "the options were not started by SY_PROBE_OPTIONS_INIT of this version");
    sy_status status = check_range("minimum improvement", options->min_improvement, 0, true, 1, false, err);
    if (!status)
        status = check_range("margin", options->margin, 0, true, 100, true, err);
    if (!status)
        status = check_range("alpha", options->alpha, 0, false, 0.5, true, err);
    if (!status)
        status = check_range("beta", options->beta, 0, false, 0.5, true, err);
    if (!status)
        status = check_range("veto", options->veto, 0, true, 100, true, err);
    if (!status && !isnan(options->absolute_tolerance))
        status = check_range("absolute tolerance", options->absolute_tolerance, 0, true, INFINITY, false, err);
    if (!status && !isnan(options->relative_tolerance))
        status = check_range("relative tolerance", options->relative_tolerance, 0, true, INFINITY, false, err);
    if (!status && (unsigned)options->prefer > SY_PREFER_MEMORY)
        status = sy_fail(err, SY_INVALID_ARGUMENT, "preference %d: it is none", (int)options->prefer);
    if (!status && options->max_pairs == 0)
        status = sy_fail(err, SY_INVALID_ARGUMENT, "a cap of 0 pairs: nothing could be decided");
    if (!status && (options->processes < 1 || options->processes > SY_PROCESSES_MAX))
        status = sy_fail(err, SY_INVALID_ARGUMENT, "%u processes: must be at least 1 and at most %d",
                         options->processes, SY_PROCESSES_MAX);
    if (!status && options->metadata_capacity_bytes == 0)
        status = sy_fail(err, SY_INVALID_ARGUMENT, "a metadata capacity of 0 bytes: nothing could be built");
    return status;
}

/* A cap with which nothing can be decided is refused before anything is measured; the rule knows which. */
static sy_status check_cap(const sy_probe_options *options, sy_error *err)
{
    static const double weight = 1;
    sy_rule_options rule_options = sy_rule_options_of(options, 1, &weight);
    sy_rule *rule = NULL;
    sy_status status = sy_rule_create(&rule_options, &rule, err);
    sy_rule_destroy(rule);
    return status;
}

/* The reference first, then the candidates: those named, or all that are not only there when named. */
static sy_status choose_variants(sy_weighing *w, uint32_t *variants, uint32_t *ret_count, sy_error *err)
{
    const sy_suite *suite = w->suite;
    const sy_probe_options *options = w->options;
    uint32_t count = 0;
    uint32_t reference = sy_suite_reference(suite);
    sy_status status = options->reference ? sy_suite_find_implementation(suite, options->reference, &reference, err)
                                          : SY_OK;
    if (status)
        return status;
    if (suite->implementations[reference].role == SY_ROLE_ORACLE)
        return sy_fail(err, SY_INVALID_ARGUMENT, "%s is the oracle: it says what is right and is never timed",
                       suite->implementations[reference].name);
    variants[count++] = reference;
    for (size_t i = 0; options->implementations && i < options->implementation_count; i++) {
        uint32_t variant;
        status = sy_suite_find_implementation(suite, options->implementations[i], &variant, err);
        if (status)
            return status;
        if (suite->implementations[variant].role == SY_ROLE_ORACLE)
            return sy_fail(err, SY_INVALID_ARGUMENT, "%s is the oracle: it says what is right and is never timed",
                           suite->implementations[variant].name);
        bool there = false;
        for (uint32_t j = 0; j < count; j++)
            there |= variants[j] == variant;
        if (!there)
            variants[count++] = variant;
    }
    for (uint32_t variant = 0; !options->implementations && variant < suite->implementation_count; variant++) {
        const sy_implementation *implementation = &suite->implementations[variant];
        if (variant != reference && implementation->role != SY_ROLE_ORACLE && !implementation->only_if_named)
            variants[count++] = variant;
    }
    if (count < 2)
        return sy_fail(err, SY_INVALID_ARGUMENT,
                       "only the reference %s was named: there is nothing to weigh it against",
                       suite->implementations[reference].name);
    *ret_count = count;
    return SY_OK;
}

#define ARRAY(w, array) ((array) = sy_arena_allocate((w)->arena, (w)->case_count, sizeof(*(array))))

/* What a contender has of each case; false when memory is short. */
static bool give_arrays(const sy_weighing *w, sy_contender *contender)
{
    return ARRAY(w, contender->parity) && ARRAY(w, contender->checked_ns) && ARRAY(w, contender->run_ns) &&
           ARRAY(w, contender->slot_ns) && ARRAY(w, contender->slot_wall_ns) && ARRAY(w, contender->exact_failure) &&
           ARRAY(w, contender->case_bytes) && ARRAY(w, contender->case_scratch_bytes) &&
           ARRAY(w, contender->case_copies_bytes);
}

sy_status sy_weighing_contend(sy_weighing *w, const uint32_t *variants, uint32_t count, sy_error *err)
{
    w->contender_count = count;
    w->contenders = sy_arena_allocate(w->arena, w->contender_count, sizeof(*w->contenders));
    if (!w->contenders)
        return sy_fail(err, SY_NO_MEMORY, "no memory for a probe");
    for (uint32_t i = 0; i < w->contender_count; i++) {
        const sy_implementation *implementation = &w->suite->implementations[variants[i]];
        sy_contender *contender = &w->contenders[i];
        contender->variant = variants[i];
        contender->name = sy_arena_copy_text(w->arena, implementation->name);
        contender->live = true;
        contender->decision = SY_DECISION_INCONCLUSIVE;
        contender->error_class = implementation->error_class;
        contender->gain = SY_NAN;
        if (!contender->name || !give_arrays(w, contender))
            return sy_fail(err, SY_NO_MEMORY, "no memory for a probe");
        for (uint32_t k = 0; k < w->case_count; k++) {
            contender->run_ns[k] = contender->checked_ns[k] = SY_NAN;
            contender->parity[k].error_in_tolerances = contender->parity[k].rms_in_tolerances =
                contender->parity[k].nmse = SY_NAN;
        }
    }
    return SY_OK;
}

static sy_status make_cases(sy_weighing *w, sy_error *err)
{
    size_t *chosen = sy_arena_allocate(w->arena, w->suite->case_count, sizeof(*chosen));
    size_t count = 0;
    if (!chosen)
        return sy_fail(err, SY_NO_MEMORY, "no memory for a probe");
    sy_status status = sy_suite_select_cases(w->suite, w->options->cases,
                                             w->options->cases ? w->options->case_count : 0, chosen, &count, err);
    if (status)
        return status;
    w->case_count = (uint32_t)count;
    w->cases = sy_arena_allocate(w->arena, count, sizeof(*w->cases));
    w->weights = sy_arena_allocate(w->arena, count, sizeof(*w->weights));
    if (!w->cases || !w->weights)
        return sy_fail(err, SY_NO_MEMORY, "no memory for a probe");
    for (uint32_t k = 0; k < w->case_count; k++) {
        w->cases[k].c = &w->suite->cases[chosen[k]];
        w->cases[k].index = (uint32_t)chosen[k];
        w->cases[k].batch = 1;
        w->cases[k].change = SY_SUBJECT_NO_CHANGE;
        w->cases[k].predicted_wall_ns = SY_NAN;
        w->weights[k] = w->cases[k].c->weight;
    }
    return SY_OK;
}

/* The smallest step of a clock that was seen in a few thousand readings; 0 for a clock that stands still between them.
 */
static double clock_step(const sy_clock *clock)
{
    uint64_t step = UINT64_MAX;
    uint64_t last = sy_clock_now(clock);
    for (int i = 0; i < 4000; i++) {
        uint64_t now = sy_clock_now(clock);
        if (now > last && now - last < step)
            step = now - last;
        last = now;
    }
    return step == UINT64_MAX ? 0 : (double)step;
}

static sy_status start_result(sy_weighing *w, sy_error *err)
{
    const sy_probe_options *options = w->options;
    sy_probe_result *result = w->result;
    sy_status status = sy_device_describe(w->device, &result->device_info, err);
    if (status)
        return status;
    result->owner = w->arena;
    result->operation = sy_arena_copy_text(w->arena, w->suite->operation);
    result->backend = result->device_info.backend;
    result->device = result->device_info.description;
    result->question = options->question;
    result->rule = options->rule;
    result->prefer = options->prefer;
    result->max_pairs = options->max_pairs;
    result->alpha = options->alpha;
    result->beta = options->beta;
    result->min_improvement = options->min_improvement;
    result->margin = options->margin;
    result->veto = options->veto;
    result->seed = w->seed;
    result->seed_fixed = options->seed != 0;
    result->processes = options->processes;
    result->cache = options->cache;
    result->cache_bytes = w->working_set_bytes / CACHES_EXCEEDED;
    result->isolation = w->isolated                          ? SY_ISOLATION_WORKER
                        : w->device->backend->whole_programs ? SY_ISOLATION_PROCESS
                                                             : SY_ISOLATION_NONE;
    result->budget_ns = options->budget_ns;
    result->wall_limit_ns = options->wall_limit_ns;
    result->timer = w->device->backend->timer;
    result->timer_resolution_ns = clock_step(w->device->clock);
    return result->operation ? SY_OK : sy_fail(err, SY_NO_MEMORY, "no memory for a probe");
}

/* What each process took at its peak, so far. A worker that does not answer any more keeps what was known; what several
 * take in one process is nobody's figure. */
static void note_memory(sy_weighing *w)
{
    if (w->result->isolation == SY_ISOLATION_NONE)
        return;
    for (uint32_t i = 0; i < w->contender_count; i++) {
        sy_contender *contender = &w->contenders[i];
        sy_implementation_info info;
        uint64_t peak = 0;
        if (!contender->live || !contender->subject)
            continue;
        if (sy_contender_wake(w, contender, 5, NULL) == SY_OK &&
            contender->subject->table->describe(contender->subject, &info, &peak, NULL) == SY_OK &&
            peak > contender->memory_bytes)
            contender->memory_bytes = peak;
        (void)!sy_contender_rest(w, contender, NULL);
    }
}

/* The life of a probe, in order. A step that ends it makes the later ones pass. */
static sy_status run_steps(sy_weighing *w, sy_error *err)
{
    sy_status status = sy_weighing_prepare(w, err);
    if (!status && !w->ended)
        status = sy_weighing_verify(w, err);
    if (!status)
        sy_coverage_settle(w);
    if (!status)
        note_memory(w);
    if (!status && !w->ended && w->options->prefer == SY_PREFER_MEMORY)
        sy_leanest_drop_others(w);
    if (!status && !w->ended)
        status = sy_weighing_warm_up(w, err);
    if (!status)
        sy_coverage_settle(w);
    if (!status && !w->ended)
        status = sy_weighing_make_rule(w, err);
    if (!status && !w->ended)
        status = sy_weighing_hear_noise(w, err);
    if (!status && !w->ended)
        status = sy_weighing_halve(w, err);
    if (!status && !w->ended && w->options->rule == SY_RULE_CAPPED && !w->device->backend->whole_programs)
        status = sy_weighing_control(w, err);
    if (!status && !w->ended)
        status = sy_weighing_rounds(w, err);
    if (!status && !w->ended && !w->interrupted)
        status = sy_weighing_verify_again(w, err);
    if (!status)
        note_memory(w);
    return status ? status : sy_weighing_conclude(w, err);
}

void sy_weighing_finish(sy_weighing *w)
{
    for (uint32_t i = 0; w->contenders && i < w->contender_count; i++) {
        sy_subject_destroy(w->contenders[i].subject);
        w->contenders[i].subject = NULL;
    }
    sy_rule_destroy(w->rule);
    w->rule = NULL;
}

/* Cold: the copies of the buffers exceed the last-level cache three times. */
static sy_status choose_working_set(sy_weighing *w, sy_error *err)
{
    const sy_probe_options *options = w->options;
    uint64_t bytes = options->cache_bytes;
    if (options->cache == SY_CACHE_HOT)
        return bytes == 0 ? SY_OK
                          : sy_fail(err, SY_INVALID_ARGUMENT,
                                    "the size of a cache is given, but not asked for cold "
                                    "buffers");
    if (options->cache != SY_CACHE_COLD)
        return sy_fail(err, SY_INVALID_ARGUMENT, "cache state %d: hot and cold are known", (int)options->cache);
    if (w->device->backend->whole_programs)
        return sy_fail(err, SY_INVALID_ARGUMENT, "cold buffers: programs bring their own");
    if (bytes == 0 && options->identity)
        bytes = sy_identity_last_cache_bytes(options->identity);
    if (bytes == 0) {
        (void)sy_fail(err, SY_INVALID_ARGUMENT, "cold buffers: the size of the last-level cache is not known");
        sy_error_hint(err, "say it; any size that is not too small will do");
        return SY_INVALID_ARGUMENT;
    }
    if (bytes > UINT64_MAX / CACHES_EXCEEDED)
        return sy_fail(err, SY_INVALID_ARGUMENT, "a cache of %llu bytes", (unsigned long long)bytes);
    w->working_set_bytes = CACHES_EXCEEDED * bytes;
    return SY_OK;
}

sy_status sy_weighing_start(sy_weighing *w, sy_error *err)
{
    const sy_suite *own = NULL;
    sy_error none = SY_ERROR_INIT;
    bool found = sy_device_suite(w->device, w->suite->operation, &own, &none) == SY_OK;
    /* A worker finds the suite by its name; other cases are handed to it, other functions cannot be. */
    bool known = found && own->build == w->suite->build && own->initialize == w->suite->initialize &&
                 own->user == w->suite->user;
    w->isolated = w->options->worker_path && w->device->backend->isolates && !w->device->one_process && known;
    if (w->options->processes > 1 && w->device->backend->whole_programs)
        return sy_fail(err, SY_INVALID_ARGUMENT, "%u processes: every run of a program is a fresh one already",
                       w->options->processes);
    if (w->options->processes > 1 && !w->isolated) {
        (void)sy_fail(err, SY_INVALID_ARGUMENT, "%u processes, but the implementations run in this one",
                      w->options->processes);
        sy_error_hint(err, "let each run in a worker process of its own");
        return SY_INVALID_ARGUMENT;
    }
    sy_status status = choose_working_set(w, err);
    if (status)
        return status;
    w->clock = w->device->backend->fixed_clock && !w->isolated ? w->device->clock : &sy_clock_system;
    w->start_ns = sy_clock_now(w->clock);
    w->seed = w->options->seed;
    status = w->seed ? SY_OK : sy_random_seed(&w->seed, err);
    if (!w->options->seed)
        w->seed = (w->seed >> 11) | 1; /* below 2^53: a reader that keeps numbers as doubles replays the same coins */
    if (status)
        return status;
    sy_random_start(&w->coins, w->seed, "coins");
    sy_random_start(&w->order, w->seed, "order");
    status = start_result(w, err);
    return status ? status : make_cases(w, err);
}

static sy_status make_contenders(sy_weighing *w, sy_error *err)
{
    uint32_t *variants = sy_arena_allocate(w->arena, w->suite->implementation_count + 1, sizeof(*variants));
    uint32_t count = 0;
    if (!variants)
        return sy_fail(err, SY_NO_MEMORY, "no memory for a probe");
    sy_status status = choose_variants(w, variants, &count, err);
    if (!status)
        status = sy_weighing_contend(w, variants, count, err);
    for (uint32_t i = 1; !status && i < w->contender_count; i++) {
        if (w->contenders[i].error_class == SY_CLASS_APPROXIMATE && !w->options->allow_approximate)
            sy_weighing_drop(w, &w->contenders[i], SY_DECISION_UNAVAILABLE, "approximate",
                             "approximate by its own word: weighed only if allowed");
    }
    return status;
}

sy_status sy_probe(sy_device *device, const sy_suite *suite, const sy_probe_options *options,
                   sy_probe_result **ret_result, sy_error *err)
{
    static const sy_probe_options defaults = SY_PROBE_OPTIONS_INIT;
    sy_weighing w = {.device = device,
                     .suite = suite,
                     .options = options ? options : &defaults,
                     .covers = !device->backend->whole_programs, /* a table of programs has no case to leave out */
                     .resolvable_gain = SY_NAN,
                     .noise = SY_NAN};
    sy_status status = check_options(w.options, err);
    sy_probe_options effective;
    if (!status)
        status = sy_suite_check(suite, err);
    if (!status)
        status = check_cap(w.options, err);
    if (status)
        return status;
    effective = *w.options;
    if (effective.prefer == SY_PREFER_MEMORY) /* what needs less memory may be as fast as it likes */
        effective.question = SY_QUESTION_NOT_SLOWER;
    w.options = &effective;
    w.arena = sy_arena_create(0);
    w.result = w.arena ? sy_arena_allocate(w.arena, 1, sizeof(*w.result)) : NULL;
    if (!w.result) {
        status = sy_fail(err, SY_NO_MEMORY, "no memory for a probe");
        goto out;
    }
    status = sy_weighing_start(&w, err);
    if (!status)
        status = make_contenders(&w, err);
    if (!status)
        status = w.ended ? sy_weighing_conclude(&w, err) : run_steps(&w, err);
out:
    sy_weighing_finish(&w);
    if (status)
        sy_arena_destroy(w.arena);
    else
        *ret_result = w.result;
    return status;
}

sy_status sy_probe_supported(sy_device *device, const sy_suite *suite, const sy_case *c, uint32_t variant,
                             sy_availability *ret_availability, sy_error *err)
{
    static const sy_probe_options defaults = SY_PROBE_OPTIONS_INIT;
    sy_graph *graph = NULL;
    const char *reason = "";
    sy_availability availability = {0};
    const sy_float_environment host = sy_float_environment_save();
    if (variant >= suite->implementation_count)
        return sy_fail(err, SY_INVALID_ARGUMENT, "variant %u: the suite has %zu", variant, suite->implementation_count);
    sy_status status = sy_graph_create(device, defaults.metadata_capacity_bytes, &graph, err);
    if (!status)
        status = suite->build(suite->user, c, variant, graph, err);
    (void)sy_float_environment_restore(host); /* what it loads may have changed it */
    if (!status)
        status = sy_graph_check(graph, &availability.available, &reason, err);
    if (!status) {
        if (availability.available)
            availability.memory_bytes = sy_graph_memory_bytes(graph);
        else
            (void)sy_text_copy(availability.reason, sizeof(availability.reason), reason);
        *ret_availability = availability;
    }
    sy_graph_destroy(graph);
    return status;
}
