/* SPDX-License-Identifier: Apache-2.0 */
/* A probe in progress: the contenders, the cases, what has been spent, what was seen. Every step of the probe (prepare,
 * verify, warm up, halve, control, rounds, conclude) works on this one object, in this order. */
#ifndef STEELYARD_PROBE_WEIGHING_H
#define STEELYARD_PROBE_WEIGHING_H

#include <steelyard/probe.h>

#include "backends/backend.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/random.h"
#include "probe/rule/rule.h"
#include "probe/subject/subject.h"

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
    sy_parity *parity;          /* a case each */
    double *checked_ns;         /* a case each: the quickest checked run of parity; NaN */
    double *run_ns;             /* a case each: one run, from the warm-up */
    double *slot_ns;            /* a case each: its last timed slot, what was timed */
    double *slot_wall_ns;       /* the same, what it took in all */
    uint32_t slot_switches;     /* involuntary ones in its last timed slot; SY_SWITCHES_UNKNOWN */
    const char **exact_failure; /* a case each: what the exact stage said; NULL = passed */
    double gain;                /* halving's, then the final's; NaN */
    uint32_t rounds;
    uint64_t memory_bytes;
    uint64_t *case_bytes;         /* a case each: device memory */
    uint64_t *case_scratch_bytes; /* of it, scratch */
    uint64_t *case_copies_bytes;  /* that turns of cold buffers take beside it */
    uint32_t float_changed;       /* SY_FLOAT_* bits: in which it runs otherwise than the host */
    uint32_t float_loaded;        /* of them: by being loaded */
    sy_implementation_info info;
} sy_contender;

/* One chosen case. */
typedef struct sy_weighed_case {
    const sy_case *c;
    uint32_t index;           /* in the suite */
    sy_subject_shape shape;   /* the reference's */
    uint32_t batch;           /* runs a timed slot */
    uint64_t change;          /* the last change of the inputs that a pair used */
    bool output_lost;         /* a worker was started anew since the last pair: its outputs are not there */
    bool verified;            /* parity is behind it */
    const char *left_out;     /* why the decision does not cover it; NULL = covered */
    double parity_wall_ns;    /* what parity took */
    double predicted_wall_ns; /* the whole probe of this case; NaN = not predicted */
    bool has_timing_checksum;
    uint64_t timing_checksum; /* of the inputs that timing began with, as the reference filled them */
} sy_weighed_case;

/* What slots will cost, from each contender's last one. */
typedef struct sy_cost {
    double measured_ns;
    double wall_ns;
} sy_cost;

typedef struct sy_weighing {
    sy_device *device;
    const sy_suite *suite;
    const sy_probe_options *options;
    sy_arena *arena; /* of the result */
    sy_probe_result *result;
    const sy_clock *clock; /* of wall time: the system's, or the device's own where that is scripted */
    uint64_t start_ns;
    uint64_t measured_ns;
    uint32_t timed_slots;
    uint64_t seed;
    sy_random coins;
    sy_random order;
    bool isolated;
    uint64_t working_set_bytes; /* cold: that copies of the buffers exceed; 0 = hot */
    sy_contender *contenders;
    uint32_t contender_count;
    sy_weighed_case *cases; /* those covered, then those left out, each in suite order */
    uint32_t case_count;    /* covered */
    uint32_t left_out_count;
    bool covers;          /* cases that do not fit are left out: coverage.h */
    bool allocated;       /* the cases hold device memory */
    bool warm;            /* the warm-up is behind them */
    double check_wall_ns; /* that parity again will take in the end */
    double wake_ns;       /* what a slot takes beside its runs, as seen lately; 0 = not seen */
    double *weights;
    uint64_t changes; /* handed out so far */
    sy_sample *samples;
    size_t sample_count;
    size_t sample_capacity;
    const char **notes;
    size_t note_count;
    size_t note_capacity;
    uint32_t finalist;    /* contender; 0 = none yet */
    bool tie_set;         /* the finalist was chosen from two or more */
    sy_decision decision; /* set by the step that ends the probe */
    const char *reason;   /* static text */
    char error[256];
    bool ended; /* a step has decided; the later ones are passed over */
    bool interrupted;
    double resolvable_gain; /* NaN */
    double noise;           /* NaN */
    bool has_carry_over;
    sy_carry_over carry_over;
    bool has_condition;
    sy_device_condition condition_before;
    uint64_t condition_wall_ns; /* when that was */
    sy_probe_condition condition;
    sy_rule *rule;
    sy_rule_state state;
    bool has_state;
    uint32_t process; /* which fresh one of each side is at work, from 0 */
    sy_random process_seeds;
    sy_process_result process_results[SY_PROCESSES_MAX]; /* carry-over and seed; the rule knows the rest */
    sy_cost start_cost;                                  /* of the last start of a process; 0 = none yet */
    bool own_failure;                                    /* the call that failed was the probe's own, no contender's */
} sy_weighing;

/* ---- weighing.c: what every step uses ---- */

/* Ends the probe: later steps are passed over. error: printf text for people. */
void sy_weighing_end(sy_weighing *w, sy_decision decision, const char *reason, const char *format, ...) SY_PRINTF(4, 5);
/* Takes a contender out. The reference, or the last candidate, ends the probe with what put it out. */
void sy_weighing_drop(sy_weighing *w, sy_contender *contender, sy_decision decision, const char *reason,
                      const char *format, ...) SY_PRINTF(5, 6);
/* Whether a failed call on a contender is its own failure: it died, missed its deadline, wants more memory than there
 * is or a limit allows, is not available. Everything else is the caller's machine or the call. */
bool sy_weighing_is_blamable(const sy_weighing *w, sy_status status);
/* Drops a contender because of a failed call that is its own; SY_INTERRUPTED ends the probe as such. Anything else is
 * handed back. SY_OK = handled. */
/* "crashed", "time-out", "memory", "limit", "unavailable"; of a program what it did: "candidate exited 3" */
const char *sy_weighing_reason(const sy_weighing *w, const sy_contender *contender, sy_status status,
                               const sy_error *why);
sy_status sy_weighing_blame(sy_weighing *w, sy_contender *contender, sy_status status, sy_error *err) SY_NODISCARD;
void sy_weighing_note(sy_weighing *w, const char *format, ...) SY_PRINTF(2, 3);
uint32_t sy_weighing_candidates(const sy_weighing *w); /* live ones */
uint64_t sy_weighing_wall(const sy_weighing *w);       /* ns since the start */
/* Whether the probe must stop here: cancelled, or the wall limit reached. Ends it then. */
bool sy_weighing_stops(sy_weighing *w);
/* The largest memory that a contender takes for a covered case; scratch: of it, scratch alone. 0 = unknown. */
uint64_t sy_contender_memory(const sy_weighing *w, const sy_contender *contender, bool scratch);
/* Device memory of all covered cases together, copies of cold buffers included; and whether there are any. */
uint64_t sy_contender_memory_of_all(const sy_weighing *w, const sy_contender *contender);
bool sy_contender_has_copies(const sy_weighing *w, const sy_contender *contender);
/* Whether a needs less memory than b: scratch, then its process's peak in whole MiB. less_memory: then its name. */
bool sy_contender_is_leaner(const sy_weighing *w, const sy_contender *a, const sy_contender *b);
bool sy_contender_less_memory(const sy_weighing *w, const sy_contender *a, const sy_contender *b);
void sy_weighing_progress(const sy_weighing *w, sy_probe_phase phase, const sy_contender *contender,
                          const char *case_name, uint32_t done, uint32_t of);

/* ---- slot.c ---- */

/* Wakes a contender's worker for calls that follow, with a deadline `seconds_at_most` from now or at the wall limit's
 * end (whichever is later than a second); sy_contender_rest puts it to sleep. */
sy_status sy_contender_wake(sy_weighing *w, sy_contender *contender, double seconds_at_most,
                            sy_error *err) SY_NODISCARD;
sy_status sy_contender_rest(sy_weighing *w, sy_contender *contender, sy_error *err) SY_NODISCARD;
/* A new worker in the place of the one that there is, ready for every covered case; outputs are lost. */
sy_status sy_contender_revive(sy_weighing *w, sy_contender *contender, sy_error *err) SY_NODISCARD;

typedef struct sy_measured {
    double run_ns; /* one run; NaN = unusable */
    sy_unusable unusable;
    sy_status failure; /* SY_DIED or SY_TIMED_OUT when the worker was lost and started again */
} sy_measured;

/* One timed slot: wake, `untimed` runs, `batch` timed runs, rest. The time is added to what was spent. A worker that
 * dies or misses its deadline is started again and made ready; the slot is then unusable (`crashed`), the outputs of
 * all cases are lost, err says why. */
sy_status sy_weighing_slot(sy_weighing *w, sy_contender *contender, sy_weighed_case *wc, uint32_t untimed,
                           uint32_t batch, uint64_t change, sy_measured *ret_measured, sy_error *err) SY_NODISCARD;
/* The same before the first pair, where a contender that fails is out: *ret_measured is then NaN. */
sy_status sy_weighing_slot_or_drop(sy_weighing *w, sy_contender *contender, sy_weighed_case *wc, uint32_t untimed,
                                   uint32_t batch, uint64_t change, sy_measured *ret_measured,
                                   sy_error *err) SY_NODISCARD;
/* Reference and contender on one case, in the order given, with a new change of the inputs. */
sy_status sy_weighing_pair(sy_weighing *w, sy_contender *contender, sy_weighed_case *wc, bool reference_first,
                           sy_rule_pair *ret_pair, sy_error *err) SY_NODISCARD;

/* ---- programs.c ---- */

/* Books a slot of a backend that accounts for its runs itself. Outputs that are not those verified take the contender
 * out. */
void sy_weighing_take_account(sy_weighing *w, sy_contender *contender, const sy_weighed_case *wc,
                              const sy_run_account *account, uint64_t took_ns, sy_measured *ret_measured);
/* Names the metric, and turns costs back into its values where more is better. */
void sy_weighing_state_metric(const sy_weighing *w, sy_probe_result *result, sy_case_result *cases);

void sy_cost_add(sy_cost *cost, const sy_contender *contender, const sy_weighing *w, const sy_weighed_case *wc,
                 double slots);
/* Whether 1.5 x the cost fits budget and wall limit; otherwise *ret_end says which it does not. */
bool sy_weighing_affords(const sy_weighing *w, const sy_cost *cost, sy_rule_end *ret_end);
sy_status sy_weighing_keep_sample(sy_weighing *w, const sy_sample *sample, sy_error *err) SY_NODISCARD;
uint64_t sy_weighing_next_change(sy_weighing *w);

/* ---- condition.c: what the machine did to the pairs of the final ---- */

void sy_weighing_condition_before(sy_weighing *w); /* the first pair */
/* The pair that was just timed: *sample gets its switches. Returns whether a side was switched away. */
bool sy_weighing_condition_pair(sy_weighing *w, sy_sample *sample);
void sy_weighing_condition_after(sy_weighing *w); /* the last pair: fills the result's condition, and notes */

/* ---- processes.c: the final over several fresh processes ---- */

/* Whether the present process should give no more: time is short, and the next ones must be heard too. */
bool sy_weighing_process_spares(const sy_weighing *w);
/* Checks what the present process timed last, and starts the next one. Not *ret_started: *ret_end says why, or the
 * probe has ended. */
sy_status sy_weighing_next_process(sy_weighing *w, bool *ret_started, sy_rule_end *ret_end, sy_error *err) SY_NODISCARD;
/* What the present process's control found is kept with it. */
void sy_weighing_end_process(sy_weighing *w);
/* Before the rule is ended: what the processes showed goes to the result, and one carry-over for all of them. */
sy_status sy_weighing_join_processes(sy_weighing *w, sy_error *err) SY_NODISCARD;

/* ---- subnormal.c: what times may tell of beside the operation ---- */

/* Elements that are neither zero nor normal; 0 for integers. bytes: contiguous. */
uint64_t sy_subnormal_count(const sy_tensor_desc *desc, const void *bytes, uint64_t element_count);
/* Notes with the share: the inputs of a case in host memory, and one output of the reference. */
void sy_weighing_note_subnormal_inputs(sy_weighing *w, const sy_weighed_case *wc, void *const inputs[]);
void sy_weighing_note_subnormal_output(sy_weighing *w, const sy_weighed_case *wc, uint32_t index, const void *bytes);
/* Who runs in a floating-point environment of its own. */
void sy_weighing_note_environments(sy_weighing *w);

/* ---- the steps ---- */

/* probe.c: clock, seed, isolation, the head of the result, the chosen cases. device, suite, options, arena and result
 * are set. Ended by sy_weighing_finish, also after a failure. */
sy_status sy_weighing_start(sy_weighing *w, sy_error *err) SY_NODISCARD;
/* probe.c: these implementations, the reference first. */
sy_status sy_weighing_contend(sy_weighing *w, const uint32_t *variants, uint32_t count, sy_error *err) SY_NODISCARD;
void sy_weighing_finish(sy_weighing *w); /* probe.c: subjects and rule */
sy_status sy_weighing_prepare(sy_weighing *w,
                              sy_error *err) SY_NODISCARD; /* prepare.c: subjects, build, admission, allocation */
sy_status sy_weighing_verify(sy_weighing *w, sy_error *err) SY_NODISCARD; /* verify.c: parity, all stages */
sy_status sy_weighing_verify_again(sy_weighing *w,
                                   sy_error *err) SY_NODISCARD;            /* verify.c: on the last timed outputs */
sy_status sy_weighing_warm_up(sy_weighing *w, sy_error *err) SY_NODISCARD; /* warm_up.c: warm-up and inner batch */
double sy_weighing_wake_ns(const sy_weighing *w);    /* slot.c: what a slot takes beside its runs */
double sy_weighing_least_slot(const sy_weighing *w); /* warm_up.c: ns that a slot's runs take together at least */
/* rounds.c: the rule that a probe's options ask for; weights are borrowed. */
sy_rule_options sy_rule_options_of(const sy_probe_options *options, uint32_t case_count, const double *weights);
sy_status sy_weighing_make_rule(sy_weighing *w, sy_error *err) SY_NODISCARD;  /* rounds.c: what the options ask for */
sy_status sy_weighing_hear_noise(sy_weighing *w, sy_error *err) SY_NODISCARD; /* warm_up.c: reference against itself */
sy_status sy_weighing_halve(sy_weighing *w, sy_error *err) SY_NODISCARD;      /* halving.c: choose the finalist */
/* carry_over.c: the whole control, and the fewest pairs behind it that can decide. */
sy_cost sy_weighing_final_cost(const sy_weighing *w, uint32_t finalist);
sy_status sy_weighing_control(sy_weighing *w, sy_error *err) SY_NODISCARD;  /* carry_over.c */
sy_status sy_weighing_rounds(sy_weighing *w, sy_error *err) SY_NODISCARD;   /* rounds.c: the final */
sy_status sy_weighing_conclude(sy_weighing *w, sy_error *err) SY_NODISCARD; /* conclude.c: fills the result */
/* conclude.c: the caller's identity, else what the device tells; and the libraries that took part. */
sy_status sy_weighing_identify(sy_weighing *w, sy_identity *ret_identity, sy_error *err) SY_NODISCARD;

/* Makes one contender's case ready: build, allocate, real fill (or the case's own inputs). Used first and after a
 * restart. */
sy_status sy_contender_ready(sy_weighing *w, sy_contender *contender, sy_weighed_case *wc, sy_error *err) SY_NODISCARD;
/* The fill that timing runs on. */
sy_status sy_contender_fill_for_timing(sy_weighing *w, sy_contender *contender, sy_weighed_case *wc,
                                       sy_error *err) SY_NODISCARD;

#endif
