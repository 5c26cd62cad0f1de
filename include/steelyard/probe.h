/* SPDX-License-Identifier: Apache-2.0 */
/* Weighing: parity first, coin-flipped pairs, a decision with a stated error rate. */
#ifndef STEELYARD_PROBE_H
#define STEELYARD_PROBE_H

#include <steelyard/suite.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sy_probe_phase {
    SY_PHASE_START, /* workers, build, admission */
    SY_PHASE_PARITY,
    SY_PHASE_WARM_UP,
    SY_PHASE_NOISE, /* reference against itself: resolvable gain */
    SY_PHASE_HALVING,
    SY_PHASE_CONTROL, /* carry-over */
    SY_PHASE_ROUNDS,
    SY_PHASE_CHECK, /* parity again */
    SY_PHASE_RUNS   /* of a measurement: one implementation alone */
} sy_probe_phase;

typedef struct sy_probe_progress {
    sy_probe_phase phase;
    const char *implementation; /* at work; may be "" */
    const char *case_name;      /* may be "" */
    uint32_t done;              /* of `of` steps of this phase */
    uint32_t of;
    double gain; /* so far; NaN */
    uint64_t measured_ns;
    uint64_t wall_ns;
} sy_probe_progress;

#define SY_PROCESSES_MAX 64

/* 0 means 0 everywhere: no improvement required, no warm-up. Defaults are SY_PROBE_OPTIONS_INIT's. */
typedef struct sy_probe_options {
    size_t struct_size;
    const char *const *implementations; /* names to weigh, the reference among them or not; NULL = all */
    size_t implementation_count;
    const char *reference;    /* NULL = the suite's */
    const char *const *cases; /* "quick", "all", names or patterns with * and ?; NULL = all */
    size_t case_count;
    sy_question question;
    sy_rule_kind rule;
    sy_preference prefer;   /* memory: the candidate that needs least, if it is not slower by more than the margin */
    double min_improvement; /* X, 0 <= X < 1: the share of the reference's time that must be saved */
    double margin;          /* Z of not-slower, >= 0 */
    double alpha;           /* error rate of a win, in (0, .5] */
    double beta;            /* error rate of a no-gain, in (0, .5] */
    double veto;            /* Y: no case may be slower by more; >= 0 */
    uint32_t max_pairs;     /* N, fixed before the first pair */
    uint64_t budget_ns;     /* inside timed regions */
    uint64_t wall_limit_ns; /* everything */
    int32_t warmup;         /* runs; -1 = until two medians of three agree within 2 % */
    uint64_t min_free_memory_bytes;
    double absolute_tolerance; /* NaN = the case's own models */
    double relative_tolerance;
    bool allow_approximate;
    uint64_t seed;                    /* 0 = drawn from the system's entropy */
    uint64_t metadata_capacity_bytes; /* of one graph */
    const char
        *worker_path; /* the steelyard binary: each implementation runs in a process of its own; NULL = in this one */
    uint64_t worker_memory_limit_bytes; /* 0 = none; none either where the device's memory is its own */
    bool stop_idle_workers;             /* false only to show what stopping cures */
    const sy_identity *identity;        /* borrowed, copied into the result; NULL = as far as the device tells */
    void (*progress)(void *user, const sy_probe_progress *progress); /* NULL, or called on the caller's thread */
    bool (*cancelled)(void *user); /* NULL, or asked often: true ends the probe, the result says interrupted */
    void *user;
    uint32_t processes;   /* 1..64: the rounds are taken from so many fresh processes of each implementation, one after
                             the other; more than 1 needs worker_path, and 3 pairs of the cap for each */
    sy_cache_state cache; /* cold: each run takes the next of as many copies of the buffers as exceed cache_bytes three
                             times */
    uint64_t cache_bytes; /* of the last-level cache; 0 = what identity tells */
} sy_probe_options;

#define SY_PROBE_OPTIONS_INIT                                                                                         \
    {                                                                                                                 \
        .struct_size = sizeof(sy_probe_options), .min_improvement = 0.03, .margin = 0.03, .alpha = 0.05, .beta = 0.2, \
        .veto = 0.10, .max_pairs = 60, .budget_ns = UINT64_C(20000000000), .wall_limit_ns = UINT64_C(45000000000),    \
        .warmup = -1, .absolute_tolerance = SY_NAN, .relative_tolerance = SY_NAN,                                     \
        .metadata_capacity_bytes = (uint64_t)1 << 20, .stop_idle_workers = true, .processes = 1                       \
    }

/* Weighs suite's implementations on device. A result is made for every decision, unavailable and parity-failed
 * included; the status is not SY_OK only when the call itself is wrong or the caller's machine fails:
 * SY_INVALID_ARGUMENT (an option, named; a cap too small for any decision), SY_NOT_FOUND (an implementation or case by
 * that name), SY_NO_MEMORY, SY_IO. The caller destroys the result (sy_probe_result_destroy). One probe at a time a
 * device. */
SY_API sy_status sy_probe(sy_device *device, const sy_suite *suite, const sy_probe_options *options,
                          sy_probe_result **ret_result, sy_error *err) SY_NODISCARD;

typedef struct sy_availability {
    bool available;
    char reason[256];      /* "" when available */
    uint64_t memory_bytes; /* that inputs, outputs and scratch would take */
} sy_availability;

/* Builds the graph of one variant and throws it away: no device memory is taken. variant indexes
 * suite->implementations. */
SY_API sy_status sy_probe_supported(sy_device *device, const sy_suite *suite, const sy_case *c, uint32_t variant,
                                    sy_availability *ret_availability, sy_error *err) SY_NODISCARD;

/* Loads a plugin (plugin.h) in a process of its own, run by worker_path, before anybody loads it in theirs. SY_DIED:
 * that process crashed, SY_TIMED_OUT: it hung; what names the plugin and the signal. SY_OK says nothing of what it
 * exports: sy_device_open does. */
SY_API sy_status sy_plugin_check(const char *worker_path, const char *path, sy_error *err) SY_NODISCARD;

/* The other end of worker_path: serves one implementation over the socket that the parent left in descriptor 3. argv
 * begins with the word "worker", the parent's options behind it; a program that is its own worker hands over argc - 1
 * and argv + 1. Returns the process's exit code. */
SY_API int sy_worker_main(int argc, char **argv);

#ifdef __cplusplus
}
#endif
#endif
