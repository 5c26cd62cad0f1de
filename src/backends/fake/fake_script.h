/* SPDX-License-Identifier: Apache-2.0 */
/* The fake backend's script as data: what docs/fake-script.md describes, read, checked and resolved so that a run looks
 * nothing up. */
#ifndef STEELYARD_BACKENDS_FAKE_SCRIPT_H
#define STEELYARD_BACKENDS_FAKE_SCRIPT_H

#include <steelyard/suite.h>

#include "base/arena.h"

#define SY_FAKE_SCRIPT_LIMIT_BYTES ((size_t)4 << 20)

/* name, word in the script */
#define SY_FAKE_FAULT_LIST(X)               \
    X(NONE, "none")                         \
    X(NAN, "nan")                           \
    X(NOTHING, "nothing")                   \
    X(HALF, "half")                         \
    X(ZEROS, "zeros")                       \
    X(SHIFTED, "shifted")                   \
    X(WRONG, "wrong")                       \
    X(INPUT_CHANGED, "input-changed")       \
    X(NONDETERMINISTIC, "nondeterministic") \
    X(STALE, "stale")                       \
    X(MEMOISED, "memoised")                 \
    X(PAST_THE_END, "past-the-end")         \
    X(BEFORE_THE_START, "before-the-start")

typedef enum sy_fake_fault {
#define SY_FAKE_FAULT_ENUM(name, word) SY_FAKE_FAULT_##name,
    SY_FAKE_FAULT_LIST(SY_FAKE_FAULT_ENUM)
#undef SY_FAKE_FAULT_ENUM
} sy_fake_fault;

typedef enum sy_fake_then { SY_FAKE_THEN_REPEAT, SY_FAKE_THEN_HOLD, SY_FAKE_THEN_END } sy_fake_then;

typedef enum sy_fake_crash {
    SY_FAKE_CRASH_ABORT,
    SY_FAKE_CRASH_SEGFAULT,
    SY_FAKE_CRASH_EXIT,
    SY_FAKE_CRASH_GARBAGE
} sy_fake_crash;

/* docs/statistics.md, noise models: base * exp(ramp (1 - e^(-i/40)) + A + J + sigma z), and with spike_probability
 * times 1 + spike_size u^(-1/1.5). The machine carries A and J; ar and jump say how much of them is felt. */
typedef struct sy_fake_law {
    double base_ns;
    double sigma;
    double spike_probability;
    double spike_size;
    double ramp;
    double ar;
    double jump;
} sy_fake_law;

/* One implementation on one case, every default and override resolved. */
typedef struct sy_fake_cell {
    const uint64_t *times_ns; /* played in order; NULL: the law */
    size_t time_count;
    sy_fake_then then;
    sy_fake_law law;
    double factor; /* the implementation's for this case times the case's own */
    sy_fake_fault fault;
    double fault_size;       /* relative error of `wrong` */
    uint64_t fault_from_run; /* of this cell, from 1 */
    const char *unavailable; /* reason; NULL */
} sy_fake_cell;

typedef struct sy_fake_drift {
    double factor; /* 1 until from_run, then changing evenly in the logarithm, factor from to_run on */
    uint64_t from_run;
    uint64_t to_run;
} sy_fake_drift;

typedef struct sy_fake_implementation {
    const char *name;
    const char *version;
    const char *fail_build;    /* text; NULL */
    const sy_fake_cell *cells; /* case_count */
    const double *after;       /* implementation_count factors, 1 where nothing is said */
    uint64_t after_runs;       /* so many runs after a change of implementation feel it */
    double first_factor;
    double second_factor;
    const double *process_factors; /* of the fresh processes of a probe, the list repeated; NULL = 1 */
    size_t process_factor_count;
    uint64_t faults_from_process; /* fault, crash and hang come in this one of a probe's processes, from 0, and later */
    sy_fake_drift drift;
    uint64_t crash_at;    /* run of this implementation, from 1; 0 = never */
    uint64_t crash_every; /* and so many runs later again; 0 = once */
    sy_fake_crash crash_how;
    uint64_t hang_at;
    uint64_t hang_every;
    uint64_t switch_at;    /* run in which it is switched away; 0 = never */
    uint64_t switch_every; /* and so many runs later again; 0 = once */
    uint64_t switch_runs;  /* and the runs behind it, so many in all */
    double switch_factor;  /* of such a run's time */
    uint64_t memory_bytes; /* scratch beside the inputs and outputs */
} sy_fake_implementation;

typedef struct sy_fake_machine {
    const char *description;
    uint64_t memory_bytes;      /* described; 0 = unknown */
    uint64_t free_memory_bytes; /* UINT64_MAX = no limit, and the device does not tell */
    uint64_t allocate_ns;
    uint64_t transfer_ns;
    uint64_t clock_read_ns; /* that each look at the clock takes */
    double clock_hz;        /* NaN = unknown, and so on */
    sy_fake_drift clock_drift;
    double temperature_celsius;
    double steal_share;
    double pressure_share;
    double load_average;
    int throttled;               /* -1 = unknown */
    uint64_t throttled_from_run; /* 0 = never by itself */
    uint64_t steal_from_run;     /* the share is taken of the runs from this one on; and so on */
    uint64_t pressure_from_run;
} sy_fake_machine;

typedef struct sy_fake_script {
    sy_arena *arena; /* owns all of it, this struct excepted */
    uint64_t seed;
    bool isolates; /* "isolation": "worker" */
    uint64_t timer_resolution_ns;
    sy_fake_machine machine;
    const sy_fake_implementation *implementations;
    const uint64_t *elements;    /* of each case's vectors */
    sy_shortcut shortcut;        /* implementation NULL = none */
    uint64_t shortcut_largest_n; /* that it was shown for */
    sy_suite suite;              /* names, cases, implementations; callbacks and user are the operation's */
} sy_fake_script;

/* Reads a script of size bytes. SY_CORRUPT names the member by its JSON pointer and sets the position;
 * SY_LIMIT_EXCEEDED, SY_NO_MEMORY. Destroyed by sy_fake_script_destroy. */
sy_status sy_fake_script_parse(const void *bytes, size_t size, sy_fake_script **ret_script, sy_error *err) SY_NODISCARD;
void sy_fake_script_destroy(sy_fake_script *script); /* NULL is allowed */

/* The named noise models: "quiet", "drifting", "bad", "cold". base_ns stays as it is. False: no such model. */
bool sy_fake_law_model(const char *name, sy_fake_law *law);

#endif
