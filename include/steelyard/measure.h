/* SPDX-License-Identifier: Apache-2.0 */
/* Measuring one implementation alone: many timed runs in order, and what they say of themselves. Nothing is compared
 * and nothing is decided; which of two is faster is sy_probe's question. */
#ifndef STEELYARD_MEASURE_H
#define STEELYARD_MEASURE_H

#include <steelyard/probe.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 0 means 0 everywhere but where said. Defaults are SY_MEASURE_OPTIONS_INIT's. */
typedef struct sy_measure_options {
    size_t struct_size;
    const char *implementation; /* NULL = the suite's reference */
    const char *const *cases;   /* as in sy_probe_options; each is a series of its own, one after the other */
    size_t case_count;
    uint32_t runs;             /* so many of each case, exactly; 0 = as many as fit into the budget */
    uint32_t least_runs;       /* with a budget: so many at least, 1 or more */
    uint32_t most_runs;        /* with a budget: so many at most */
    uint64_t budget_ns;        /* wall time of one case's runs: none begins after it, once least_runs are there */
    uint64_t wall_limit_ns;    /* everything, parity included: ends the measurement with what is there */
    uint32_t warmup;           /* runs before the first that is kept; what warms up after them is found in the series */
    double level;              /* of the intervals, in (0, 1) */
    double absolute_tolerance; /* NaN = the case's own model */
    double relative_tolerance;
    bool allow_approximate;
    uint64_t seed;                    /* of the inputs; 0 = drawn from the system's entropy */
    uint64_t metadata_capacity_bytes; /* of one graph */
    uint64_t min_free_memory_bytes;
    const char *worker_path; /* the steelyard binary: the implementation runs in a process of its own; NULL = in this */
    uint64_t worker_memory_limit_bytes; /* 0 = none; none either where the device's memory is its own */
    const sy_identity *identity;        /* borrowed, copied into the result; NULL = as far as the device tells */
    void (*progress)(void *user, const sy_probe_progress *progress); /* as in sy_probe_options */
    bool (*cancelled)(void *user);                                   /* true ends it; what was measured is kept */
    void *user;
} sy_measure_options;

#define SY_MEASURE_OPTIONS_INIT                                                                                  \
    {                                                                                                            \
        .struct_size = sizeof(sy_measure_options), .least_runs = 10, .most_runs = 1000,                          \
        .budget_ns = UINT64_C(3000000000), .wall_limit_ns = UINT64_C(600000000000), .level = 0.95,               \
        .absolute_tolerance = SY_NAN, .relative_tolerance = SY_NAN, .metadata_capacity_bytes = (uint64_t)1 << 20 \
    }

/* The most runs of one case. */
#define SY_MEASURE_RUNS_MAX 100000

/* One timed run, in the order in which they were made. */
typedef struct sy_timed_run {
    double value;         /* a single run's: the slot's over its batch; NaN = unusable */
    uint64_t begin_ns;    /* wall time at which its slot began, since that of the first */
    uint32_t switches;    /* how often it was switched away involuntarily; SY_SWITCHES_UNKNOWN */
    const char *unusable; /* "timer", "crashed", "void", static; NULL = usable */
} sy_timed_run;

/* A quantile of the steady runs with an interval that is exact for independent runs of any distribution. */
typedef struct sy_run_quantile {
    double share; /* .5 = the median, the mean of the middle two; the others are nearest ranks */
    double value; /* NaN = too few runs: 95 % asks for 20, 99 % for 100 */
    double low;   /* NaN = open on this side */
    double high;
    double level; /* of the interval; NaN = none */
} sy_run_quantile;

typedef struct sy_run_mode {
    double value; /* its median */
    size_t count;
} sy_run_mode;

/* Where the steady runs are going: Mann-Kendall and a change of 1 % or more both say so. */
typedef enum sy_run_course { SY_COURSE_LEVEL, SY_COURSE_FALLING, SY_COURSE_RISING } sy_run_course;

/* Something that the series says of itself. Words and levels: docs/statistics.md, "A series". */
typedef struct sy_run_finding {
    const char *word; /* stable: "failed", "two-modes", "warming-up", "slowing-down", "warm-up", "first-run",
                         "correlated", "few-runs", "timer-step", "outliers", "preempted", "clock", "throttle", "steal",
                         "pressure" */
    double figure;    /* the one that the text names first; NaN = none */
    const char *text; /* one clause for people */
} sy_run_finding;

/* The runs of one case. Values are in the metric's unit; figures are of the steady runs unless it is said otherwise. */
typedef struct sy_measure_series {
    const char *name;  /* of the case */
    sy_metric metric;  /* "wall", in "ns", unless the suite has another */
    sy_parity parity;  /* of the outputs, checked before the first timed run */
    uint32_t batch;    /* runs in one timed slot */
    double flop_count; /* 0 = not counted */
    const sy_timed_run *runs;
    size_t run_count;
    size_t usable_count;
    size_t steady_from;   /* among the usable runs: so many first ones are a warm-up; 0 = steady from the first */
    double warm_up_ratio; /* median of the warm-up / median of the steady runs; NaN */
    size_t steady_count;
    double minimum; /* NaN without any run, as all figures */
    double maximum;
    double mean;
    double median_deviation; /* median distance from the median */
    const sy_run_quantile *quantiles;
    size_t quantile_count;
    size_t median_at; /* its place among the quantiles */
    sy_run_course course;
    double tau;       /* Mann-Kendall: 1 = every later run is slower */
    double p_falling; /* how believable it is that nothing gets faster, or slower */
    double p_rising;
    double change; /* median of the last third / of the first - 1 */
    double lag1;   /* how alike neighbours are: autocorrelation of the ranks about their line */
    const sy_run_mode *modes;
    size_t mode_count;   /* 1 or 2; 0 without any run */
    size_t mode_changes; /* runs of another mode than the one before */
    size_t slow_outliers;
    size_t fast_outliers;
    double timer_step; /* all times are multiples of it; 0 = no step seen */
    size_t distinct_count;
    sy_machine_state before; /* the first run */
    sy_machine_state after;  /* the last */
    double steal_share;      /* meanwhile; NaN = unknown */
    double pressure_share;
    const char *headline;           /* "median 16.2 ms (97 %: 16.1..16.4), n = 60", or what stands in its way */
    const sy_run_finding *findings; /* the most important first */
    size_t finding_count;
} sy_measure_series;

typedef struct sy_measure_result {
    const char *operation;
    const char *implementation;
    const char *backend;
    sy_device_info device_info;
    sy_implementation_info info;
    uint64_t memory_bytes; /* peak of its process, or device memory; 0 = unknown */
    bool measured;         /* every case has a usable run */
    const char
        *reason; /* "" or: unavailable, parity, vacuous, memory, crashed, time-out, interrupted, wall-limit, ... */
    const char *error;               /* a sentence when something stood in the way, else "" */
    sy_parity_outcome parity;        /* worst over the cases */
    const sy_measure_series *series; /* one a case */
    size_t series_count;
    const char *const *notes;
    size_t note_count;
    sy_isolation isolation;
    const char *timer;
    double timer_resolution_ns;
    uint64_t seed;
    double level;
    uint64_t wall_ns;
    bool interrupted;
    sy_identity identity;
    void *owner; /* private */
} sy_measure_result;

/* Times one implementation of suite on device, alone. Its outputs are held against the oracle and the reference first,
 * with the probe's stages: what is wrong is never timed, `error` says so. How many runs is fixed beforehand, or a
 * matter of time; never of what they show. A result is made whenever something could be tried; the status is not SY_OK
 * only when the call itself is wrong or the caller's machine fails: SY_INVALID_ARGUMENT (an option, named),
 * SY_NOT_FOUND (an implementation or case by that name), SY_NO_MEMORY, SY_IO. The caller destroys the result. One at a
 * time a device. */
SY_API sy_status sy_measure(sy_device *device, const sy_suite *suite, const sy_measure_options *options,
                            sy_measure_result **ret_result, sy_error *err) SY_NODISCARD;
SY_API const char *sy_run_course_word(sy_run_course course); /* "level", "falling", "rising" */
/* Frees the result and all that it points to; NULL is allowed. */
SY_API void sy_measure_result_destroy(sy_measure_result *result);

/* Describes values that were measured elsewhere, in their order, as one series: all finite and > 0. ret_series points
 * into ret_result, which the caller destroys. metric NULL = wall time in ns; level of the intervals.
 * SY_INVALID_ARGUMENT, SY_NO_MEMORY. */
SY_API sy_status sy_measure_describe(const char *name, const sy_metric *metric, const double *values, size_t count,
                                     double level, sy_measure_result **ret_result, sy_error *err) SY_NODISCARD;

#ifdef __cplusplus
}
#endif
#endif
