/* SPDX-License-Identifier: Apache-2.0 */
/* How fit this machine is to measure on, now: one check a fact, each with a verdict, and the one thing to mend first.
 */
#ifndef STEELYARD_DOCTOR_H
#define STEELYARD_DOCTOR_H

#include <steelyard/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sy_doctor_verdict { SY_DOCTOR_GOOD, SY_DOCTOR_LOOK, SY_DOCTOR_BAD, SY_DOCTOR_UNKNOWN } sy_doctor_verdict;

/* "good", "look" (it may disturb), "bad" (it does), "unknown" (the system does not tell). */
SY_API const char *sy_doctor_verdict_word(sy_doctor_verdict verdict);

typedef struct sy_doctor_check {
    const char *name;  /* "load"; docs/formats.md lists them */
    const char *value; /* for people: "0.83 of 2 processors, by python3 (4711) 83 %"; "" when unknown */
    double figure;     /* that the verdict rests on; NaN = none */
    const char *unit;  /* of the figure: "share", "ns", "processors", "bytes", "count"; "" = none */
    sy_doctor_verdict verdict;
    const char *sentence; /* what it means for measurements */
    const char *remedy;   /* what to do; "" = nothing */
} sy_doctor_check;

typedef struct sy_doctor_result {
    const sy_doctor_check *checks;
    size_t check_count;
    sy_doctor_verdict verdict; /* the worst; unknown does not count, unless nothing is known */
    size_t first;              /* the check to mend first; check_count = none */
    const char *advice;        /* "load: python3 (4711) takes 83 % of a processor: stop it, or pin with taskset -c 1" */
    double timer_step_ns;      /* smallest step between two looks at the clock; NaN = not measured, and so on */
    double timer_look_ns;      /* that a look takes */
    double noise;              /* s = median |d| / .6745 of pairs of one kernel of about 1 ms against itself */
    double resolvable_gain;    /* the smallest gain that a probe finds here now with power .8 */
    double target_gain;        /* that a probe should find: min_improvement + 2 points */
    uint32_t max_pairs;        /* the options, as used */
    double min_improvement;
    double alpha;
    double beta;
    double observed_ns; /* between the two looks at the system; NaN = unknown */
    void *owner;        /* private */
} sy_doctor_result;

/* 0 means 0; the defaults are SY_DOCTOR_OPTIONS_INIT's. */
typedef struct sy_doctor_options {
    size_t struct_size;
    /* "" or NULL: this machine. Else a folder that holds recorded `proc` and `sys` trees of a machine: nothing is
     * measured then, and what only a running system can tell is unknown. */
    const char *root;
    const char *later_root; /* such a folder, recorded a little later: what happened meanwhile; NULL = root again */
    uint64_t observe_ns;    /* that this machine is watched, the measurement included */
    uint32_t max_pairs;     /* of the probe whose resolvable gain is told, and so on */
    double min_improvement; /* 0 <= X < 1 */
    double alpha;           /* in (0, .5] */
    double beta;            /* in (0, .5] */
} sy_doctor_options;

#define SY_DOCTOR_OPTIONS_INIT                                                                         \
    {                                                                                                  \
        .struct_size = sizeof(sy_doctor_options), .observe_ns = UINT64_C(1000000000), .max_pairs = 60, \
        .min_improvement = 0.03, .alpha = 0.05, .beta = 0.2                                            \
    }

/* Looks at the system, measures its clock and its noise, and looks again: about options->observe_ns. options NULL =
 * SY_DOCTOR_OPTIONS_INIT. What cannot be found out is a check with the verdict unknown, never an error. The caller
 * destroys the result (sy_doctor_result_destroy). SY_INVALID_ARGUMENT: an option, named. SY_NO_MEMORY. */
SY_API sy_status sy_doctor(const sy_doctor_options *options, sy_doctor_result **ret_result, sy_error *err) SY_NODISCARD;
SY_API void sy_doctor_result_destroy(sy_doctor_result *result); /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
