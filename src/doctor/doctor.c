/* SPDX-License-Identifier: Apache-2.0 */
/* The doctor's call: looks, measures, looks again, and hands the facts to the checks. */
#include <math.h>
#include <steelyard/doctor.h>
#include <steelyard/identity.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "doctor/doctor_examination.h"
#include "stats/gain.h"
#include "stats/sign.h"

static const double target_points = 0.02; /* above the threshold: a probe should find this */
static const uint64_t longest_observation_ns = UINT64_C(3600000000000);

const char *sy_doctor_verdict_word(sy_doctor_verdict verdict)
{
    static const char *const words[] = {"good", "look", "bad", "unknown"};
    return (unsigned)verdict < sizeof words / sizeof words[0] ? words[verdict] : "unknown";
}

static sy_status check_options(const sy_doctor_options *options, sy_error *err)
{
    if (options->struct_size != sizeof *options)
        return sy_fail(err, SY_INVALID_ARGUMENT, "struct_size is %zu, not %zu: start it with SY_DOCTOR_OPTIONS_INIT",
                       options->struct_size, sizeof *options);
    if (options->later_root != NULL && (options->root == NULL || options->root[0] == '\0'))
        return sy_fail(err, SY_INVALID_ARGUMENT, "later_root goes with a root");
    if (options->observe_ns > longest_observation_ns)
        return sy_fail(err, SY_INVALID_ARGUMENT, "observe_ns: an hour at most");
    if (options->max_pairs < 1 || options->max_pairs > SY_SIGN_PAIRS_MAX)
        return sy_fail(err, SY_INVALID_ARGUMENT, "max_pairs %u is outside 1..%d", options->max_pairs,
                       SY_SIGN_PAIRS_MAX);
    if (!(options->min_improvement >= 0 && options->min_improvement < 1))
        return sy_fail(err, SY_INVALID_ARGUMENT, "min_improvement %g is outside [0, 1)", options->min_improvement);
    if (!(options->alpha >= SY_SIGN_ALPHA_MIN && options->alpha <= 0.5))
        return sy_fail(err, SY_INVALID_ARGUMENT, "alpha %g is outside [%g, 0.5]", options->alpha, SY_SIGN_ALPHA_MIN);
    if (!(options->beta >= SY_SIGN_ALPHA_MIN && options->beta <= 0.5))
        return sy_fail(err, SY_INVALID_ARGUMENT, "beta %g is outside [%g, 0.5]", options->beta, SY_SIGN_ALPHA_MIN);
    return SY_OK;
}

/* What is measured on this machine; a recorded one has no clock to look at. */
static sy_status measure(sy_doctor_examination *e, const sy_doctor_options *options)
{
    sy_doctor_result *result = e->result;
    uint64_t seed = 0;
    double z = 0;
    sy_random coins;
    sy_status status = sy_random_seed(&seed, NULL);
    if (status != SY_OK) /* coins that are always the same spoil nothing here: both sides are one kernel */
        seed = 1;
    sy_random_start(&coins, seed, "doctor");
    status = sy_doctor_measure(&sy_clock_system, &coins, &e->measurement, e->err);
    if (status != SY_OK)
        return status;
    result->timer_step_ns = e->measurement.step_ns;
    result->timer_look_ns = e->measurement.look_ns;
    result->noise = e->measurement.noise;
    status = sy_gain_resolution(options->max_pairs, options->alpha, options->beta, &z, e->err);
    if (status == SY_OK && isfinite(result->noise))
        result->resolvable_gain = -expm1(log1p(-options->min_improvement) - z * result->noise);
    return status;
}

/* Both looks, with the measurement and the rest of the time between them. */
static sy_status observe(sy_doctor_examination *e, const sy_doctor_options *options)
{
    const bool live = e->root[0] == '\0';
    const char *later = options->later_root != NULL ? options->later_root : e->root;
    const char *folder = e->quota->known && e->quota->limited ? e->quota->folder : "";
    const uint64_t start_ns = sy_clock_now(&sy_clock_system);
    sy_status status = sy_doctor_look(e->root, folder, e->arena, &e->before, e->err);
    if (status == SY_OK && live) {
        status = measure(e, options);
        const uint64_t took_ns = sy_clock_now(&sy_clock_system) - start_ns;
        if (status == SY_OK && took_ns < options->observe_ns)
            sy_clock_system.sleep_ns(&sy_clock_system, options->observe_ns - took_ns);
    }
    if (status == SY_OK)
        status = sy_doctor_look(later, folder, e->arena, &e->after, e->err);
    e->root = later;
    e->observed_ns = live ? (double)(sy_clock_now(&sy_clock_system) - start_ns)
                          : 1e9 * (e->after.uptime_s - e->before.uptime_s);
    if (!(e->observed_ns > 0))
        e->observed_ns = NAN;
    e->result->observed_ns = e->observed_ns;
    return status;
}

static sy_status examine(const sy_doctor_options *options, sy_arena *arena, sy_doctor_result *result, sy_error *err)
{
    sy_identity_options identity_options = SY_IDENTITY_OPTIONS_INIT;
    sy_identity *identity = NULL;
    sy_cpu_quota quota = {.known = false};
    sy_doctor_examination *e = sy_arena_allocate(arena, 1, sizeof *e);
    if (e == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for an examination");
    e->root = options->root != NULL ? options->root : "";
    e->arena = arena;
    e->result = result;
    e->quota = &quota;
    e->err = err;
    identity_options.root = e->root;
    sy_status status = sy_identity_describe(&identity_options, &identity, err);
    e->identity = identity;
    if (status == SY_OK)
        status = sy_cgroup_cpu_quota(e->root, &quota, err);
    if (status == SY_OK)
        status = observe(e, options);
    if (status == SY_OK)
        status = sy_doctor_examine(e);
    sy_identity_destroy(identity);
    return status;
}

sy_status sy_doctor(const sy_doctor_options *options, sy_doctor_result **ret_result, sy_error *err)
{
    const sy_doctor_options defaults = SY_DOCTOR_OPTIONS_INIT;
    if (options == NULL)
        options = &defaults;
    sy_status status = check_options(options, err);
    if (status != SY_OK)
        return status;
    sy_arena *arena = sy_arena_create(0);
    sy_doctor_result *result = arena != NULL ? sy_arena_allocate(arena, 1, sizeof *result) : NULL;
    if (result == NULL) {
        status = sy_fail(err, SY_NO_MEMORY, "no memory for an examination");
        goto out;
    }
    *result = (sy_doctor_result){.advice = "",
                                 .timer_step_ns = NAN,
                                 .timer_look_ns = NAN,
                                 .noise = NAN,
                                 .resolvable_gain = NAN,
                                 .target_gain = options->min_improvement + target_points,
                                 .max_pairs = options->max_pairs,
                                 .min_improvement = options->min_improvement,
                                 .alpha = options->alpha,
                                 .beta = options->beta,
                                 .owner = arena};
    status = examine(options, arena, result, err);
out:
    if (status == SY_OK)
        *ret_result = result;
    else
        sy_arena_destroy(arena);
    return status;
}

void sy_doctor_result_destroy(sy_doctor_result *result)
{
    if (result != NULL)
        sy_arena_destroy(result->owner);
}
