/* SPDX-License-Identifier: Apache-2.0 */
/* A probe in progress: the contenders, the cases, what has been spent, what was seen. Every step of the probe (prepare,
 * verify, warm up, halve, control, rounds, conclude) works on this one object, in this order. */
#ifndef STEELYARD_PROBE_WEIGHING_H
#define STEELYARD_PROBE_WEIGHING_H

#include <steelyard/probe.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/random.h"
#include "probe/rule.h"
#include "probe/subject.h"

/* One implementation in this probe. Contender 0 is the reference. */
typedef struct sy_contender {
    uint32_t variant;
    const char *name;
    sy_subject *subject;
    bool live;            /* still in */
    sy_decision decision; /* when out, or at the end */
    const char *reason;   /* static text */
    char detail[256];
    sy_error_class error_class;
    sy_parity *parity; /* a case each */
    double *run_ns;    /* a case each: one run, from the warm-up */
    double gain;       /* halving's, then the final's; NaN */
    uint32_t rounds;
    uint64_t memory_bytes;
    uint64_t graph_bytes; /* device memory of all cases */
    uint32_t float_changed;
    sy_implementation_info info;
} sy_contender;

/* One chosen case. */
typedef struct sy_weighed_case {
    const sy_case *c;
    uint32_t index;         /* in the suite */
    sy_subject_shape shape; /* the reference's */
    uint32_t batch;         /* runs a timed slot */
    uint64_t change;        /* the last change of the inputs that a pair used */
    bool last_pair_unusable;
    uint64_t last_pair_measured_ns; /* for predictions */
    uint64_t last_pair_wall_ns;
} sy_weighed_case;

typedef struct sy_weighing {
    sy_device *device;
    const sy_suite *suite;
    const sy_probe_options *options;
    sy_arena *arena; /* of the result */
    sy_probe_result *result;
    const sy_clock *clock; /* of wall time: the system's, or the device's own where that is scripted */
    uint64_t start_ns;
    uint64_t measured_ns;
    uint64_t seed;
    sy_random coins;
    sy_random order;
    bool isolated;
    sy_contender *contenders;
    uint32_t contender_count;
    sy_weighed_case *cases;
    uint32_t case_count;
    double *weights;
    uint64_t changes; /* handed out so far */
    sy_sample *samples;
    size_t sample_count;
    size_t sample_capacity;
    const char **notes;
    size_t note_count;
    size_t note_capacity;
    uint32_t finalist; /* contender; 0 = none yet */
    bool tie_set;      /* the finalist was chosen from two or more */
    uint32_t tie_members;
    sy_decision decision; /* set by the step that ends the probe */
    const char *reason;   /* static text */
    char error[256];
    bool ended; /* a step has decided; the later ones are passed over */
    bool interrupted;
    double resolvable_gain; /* NaN */
    double noise;           /* NaN */
    bool has_carry_over;
    sy_carry_over carry_over;
    sy_rule *rule;
    sy_rule_state state;
    bool has_state;
    bool verified_twice; /* parity was held again on the last timed outputs */
} sy_weighing;

/* ---- weighing.c: what every step uses ---- */

/* Ends the probe: later steps are passed over. error: printf text for people. */
void sy_weighing_end(sy_weighing *w, sy_decision decision, const char *reason, const char *format, ...) SY_PRINTF(4, 5);
/* Takes a contender out. The last candidate out ends the probe with what put it out: parity-failed before vacuous
 * before unavailable. */
void sy_weighing_drop(sy_weighing *w, sy_contender *contender, sy_decision decision, const char *reason,
                      const char *format, ...) SY_PRINTF(5, 6);
/* Drops a contender because of a failed call: SY_DIED "crashed", SY_TIMED_OUT "time-out", SY_NO_MEMORY "memory"; the
 * reference's failure ends the probe. Anything else is handed back: the caller's machine or the call is at fault. SY_OK
 * = handled. */
sy_status sy_weighing_blame(sy_weighing *w, sy_contender *contender, sy_status status, sy_error *err) SY_NODISCARD;
void sy_weighing_note(sy_weighing *w, const char *format, ...) SY_PRINTF(2, 3);
uint32_t sy_weighing_candidates(const sy_weighing *w); /* live ones */
uint64_t sy_weighing_wall(const sy_weighing *w);       /* ns since the start */
/* Whether the probe must stop here: cancelled, or the wall limit reached. Ends it then. */
bool sy_weighing_stops(sy_weighing *w);
void sy_weighing_progress(const sy_weighing *w, sy_probe_phase phase, const sy_contender *contender,
                          const char *case_name, uint32_t done, uint32_t of);

/* ---- slot.c ---- */

/* Wakes a contender's worker for calls that follow, with a deadline `seconds_at_most` from now or at the wall limit's
 * end (whichever is later than a second); sy_contender_rest puts it to sleep. */
sy_status sy_contender_wake(sy_weighing *w, sy_contender *contender, double seconds_at_most,
                            sy_error *err) SY_NODISCARD;
sy_status sy_contender_rest(sy_weighing *w, sy_contender *contender, sy_error *err) SY_NODISCARD;

typedef struct sy_measured {
    double run_ns; /* one run; NaN = unusable */
    sy_unusable unusable;
} sy_measured;

/* One timed slot: wake, one untimed run, `batch` timed runs, rest. The time is added to what was spent. A worker that
 * dies or misses its deadline is started again and made ready; the slot is then unusable (`crashed`) and *ret_died is
 * set. */
sy_status sy_weighing_slot(sy_weighing *w, sy_contender *contender, sy_weighed_case *wc, uint32_t untimed,
                           uint32_t batch, uint64_t change, sy_measured *ret_measured, bool *ret_died,
                           sy_error *err) SY_NODISCARD;
/* Reference and contender on one case, in the order given, with a new change of the inputs. */
sy_status sy_weighing_pair(sy_weighing *w, sy_contender *contender, sy_weighed_case *wc, bool reference_first,
                           sy_rule_pair *ret_pair, bool *ret_died, sy_error *err) SY_NODISCARD;
/* Asked before each pair of `slots` slots: 1.5 x the last pair of the case fits budget and wall limit. Otherwise
 * *ret_end says which does not. */
bool sy_weighing_affords(const sy_weighing *w, const sy_weighed_case *wc, double pairs, sy_rule_end *ret_end);
sy_status sy_weighing_keep_sample(sy_weighing *w, const sy_sample *sample, sy_error *err) SY_NODISCARD;
uint64_t sy_weighing_next_change(sy_weighing *w);

/* ---- the steps ---- */

sy_status sy_weighing_prepare(sy_weighing *w,
                              sy_error *err) SY_NODISCARD; /* prepare.c: subjects, build, admission, allocation */
sy_status sy_weighing_verify(sy_weighing *w, sy_error *err) SY_NODISCARD; /* verify.c: parity, all stages */
sy_status sy_weighing_verify_again(sy_weighing *w,
                                   sy_error *err) SY_NODISCARD;               /* verify.c: on the last timed outputs */
sy_status sy_weighing_warm_up(sy_weighing *w, sy_error *err) SY_NODISCARD;    /* warm_up.c: warm-up and inner batch */
sy_status sy_weighing_make_rule(sy_weighing *w, sy_error *err) SY_NODISCARD;  /* rounds.c: what the options ask for */
sy_status sy_weighing_hear_noise(sy_weighing *w, sy_error *err) SY_NODISCARD; /* warm_up.c: reference against itself */
sy_status sy_weighing_halve(sy_weighing *w, sy_error *err) SY_NODISCARD;      /* halving.c: choose the finalist */
sy_status sy_weighing_control(sy_weighing *w, sy_error *err) SY_NODISCARD;    /* carry_over.c */
sy_status sy_weighing_rounds(sy_weighing *w, sy_error *err) SY_NODISCARD;     /* rounds.c: the final */
sy_status sy_weighing_conclude(sy_weighing *w, sy_error *err) SY_NODISCARD;   /* conclude.c: fills the result */

/* Makes one contender's case ready: build, allocate, real fill (or the case's own inputs). Used first and after a
 * restart. */
sy_status sy_contender_ready(sy_weighing *w, sy_contender *contender, sy_weighed_case *wc, sy_error *err) SY_NODISCARD;
/* The fill that timing runs on. */
sy_status sy_contender_fill_for_timing(sy_weighing *w, sy_contender *contender, sy_weighed_case *wc,
                                       sy_error *err) SY_NODISCARD;

#endif
