/* SPDX-License-Identifier: Apache-2.0 */
/* The decision rule as one object, fed one complete round at a time. The live runner and replay on recorded timings
 * drive the same object, guards included. No clock, no I/O, no random numbers. Rules and formulas: docs/statistics.md.
 */
#ifndef STEELYARD_PROBE_RULE_H
#define STEELYARD_PROBE_RULE_H

#include <steelyard/record.h>

typedef struct sy_rule sy_rule;

#define SY_RULE_PROCESSES_MAX 64
#define SY_RULE_PROCESS_PAIRS 3 /* of the cap, at least, for each of several processes */

typedef struct sy_rule_options {
    sy_question question;
    sy_rule_kind kind;
    uint32_t max_pairs; /* N */
    double alpha;
    double beta;
    double min_improvement; /* X */
    double margin;          /* Z */
    double veto;            /* Y */
    uint32_t case_count;    /* >= 1 */
    const double *weights;  /* case_count, > 0; copied */
    uint32_t processes;     /* fresh ones that the rounds come from, one after the other; 0 = 1 */
} sy_rule_options;

typedef enum sy_unusable { SY_USABLE, SY_UNUSABLE_TIMER, SY_UNUSABLE_CRASHED, SY_UNUSABLE_VOID } sy_unusable;

/* One case of one round. Unusable (or a time that is not finite and > 0): a loss, and against both sides of not-slower.
 */
typedef struct sy_rule_pair {
    double reference_ns;
    double candidate_ns;
    bool reference_first;
    sy_unusable unusable;
} sy_rule_pair;

/* "timer", "crashed", "void"; NULL for a pair that can be used. A time that is none is the timer's fault. */
const char *sy_rule_unusable_word(const sy_rule_pair *pair);

typedef enum sy_rule_answer {
    SY_RULE_CONTINUE,
    SY_RULE_WIN,
    SY_RULE_NO_GAIN,
    SY_RULE_NOT_SLOWER,
    SY_RULE_SLOWER,
    SY_RULE_INCONCLUSIVE
} sy_rule_answer;

typedef struct sy_rule_case_state {
    double gain;             /* median pair gain; NaN */
    double reference_median; /* ns; NaN */
    double candidate_median;
    bool resolved;   /* shown not slower by more than the veto (latched) */
    bool regression; /* mirrored events crossed h(N, alpha / C) */
} sy_rule_case_state;

typedef struct sy_rule_state {
    sy_rule_answer answer;
    const char
        *reason;     /* static text. "" of an answer that claims something, but "case-regression" of a NO GAIN.
                        INCONCLUSIVE: max-pairs (the cap, or what each process has of it), case-unresolved, total-short (all
                        crossed, the medians fell short),     timer, crashed, void (more than 20 % unusable); after finish
                        also     budget, wall-limit,     interrupted, crashed, noise, drift, order, carry-over, processes */
    uint32_t rounds; /* fed */
    uint32_t wins;
    uint32_t unusable; /* rounds with an unusable pair */
    bool process_ends; /* the next round belongs to the next fresh process */
    bool crossed;      /* the total's rule has crossed (latched) */
    double gain;       /* NaN before the first usable round */
    double gain_low;   /* NaN: too few pairs */
    double gain_high;
    double total_gain; /* G */
    double geometric_mean_gain;
    double reference_total; /* weighted sums of medians, ns */
    double candidate_total;
    double e_value;
    const sy_rule_case_state *cases; /* case_count; the rule's, valid until the next call */
} sy_rule_state;

/* What ended the sampling when the rule itself did not. */
typedef enum sy_rule_end {
    SY_RULE_END_RULE,
    SY_RULE_END_BUDGET,
    SY_RULE_END_WALL_LIMIT,
    SY_RULE_END_INTERRUPTED,
    SY_RULE_END_CRASHED /* a worker is gone and does not come back */
} sy_rule_end;

typedef struct sy_rule_evidence {
    sy_rule_end end;
    bool has_carry_over;
    sy_carry_over carry_over;
    bool carry_over_unknown; /* it should have been controlled and was not: no win can stand */
    double resolvable_gain;  /* NaN = not measured; larger than what N can show gives the reason `noise` to an undecided
                                probe */
} sy_rule_evidence;

/* What the rule can show at a given noise, asked before the first round. */
typedef struct sy_rule_foresight {
    double resolvable_gain; /* found with power .8 within the cap: 1 - exp(-(theta + z(N) s)), which is X + z(N) s where
                               both are small; not-slower: from -Z, so that 0 is as fast */
    double target_gain;     /* what a probe should find: X + 2 points; not-slower: 0 */
    uint32_t pairs_needed;  /* the cap that finds the target with that power; 0 = more than 2,000 */
    bool past_cap;          /* resolvable_gain > target_gain: say so, and go on */
} sy_rule_foresight;

/* SY_INVALID_ARGUMENT names the option; a cap with which no win (or neither answer of not-slower) can ever come is
 * refused, saying the least that can. SY_NO_MEMORY. */
sy_status sy_rule_create(const sy_rule_options *options, sy_rule **ret_rule, sy_error *err) SY_NODISCARD;
void sy_rule_destroy(sy_rule *rule);
/* Back to before the first round, with the same options: its tables, which are what is dear, stay. */
void sy_rule_restart(sy_rule *rule);
/* noise: s of reference against itself (sy_gain_noise; for several cases of the rounds' weighted sums), finite and >=
 * 0, else SY_INVALID_ARGUMENT. SY_NO_MEMORY. Costs some ms, at 2,000 pairs some hundred. The medians rule promises
 * nothing: NaN, NaN, 0, false. */
sy_status sy_rule_foresee(const sy_rule *rule, double noise, sy_rule_foresight *ret_foresight,
                          sy_error *err) SY_NODISCARD;
/* Says of the round that comes next that a timed run of it was switched away involuntarily, for the guard `preempted`.
 */
void sy_rule_mark_preempted(sy_rule *rule);
/* pairs: case_count of them. After an answer other than CONTINUE further steps are SY_INVALID_ARGUMENT.
 * ret_state->answer INCONCLUSIVE comes at the cap or with too many unusable rounds; the evidence-based guards are asked
 * in finish only. */
sy_status sy_rule_step(sy_rule *rule, const sy_rule_pair *pairs, sy_rule_state *ret_state, sy_error *err) SY_NODISCARD;
/* The rounds that follow come from the next fresh process. Several processes: nothing is answered before the last of
 * them has been heard; state.process_ends says when the present one has given enough. Without effect in the last one,
 * and before the first round of any. */
void sy_rule_next_process(sy_rule *rule);
/* Whether the present process has given the rounds that are asked of each: what comes beyond them can be spared. */
bool sy_rule_process_is_heard(const sy_rule *rule);
/* What the processes showed so far: to has room for SY_RULE_PROCESSES_MAX, carry-over is left empty. SY_NO_MEMORY. */
sy_status sy_rule_processes(const sy_rule *rule, sy_process_result *to, uint32_t *ret_count,
                            sy_process_spread *ret_spread, sy_error *err) SY_NODISCARD;
/* Ends it, once: an answer still open becomes INCONCLUSIVE with evidence->end as its reason, guards may overturn a WIN
 * or a NOT SLOWER, notes are added. SY_INVALID_ARGUMENT: already ended, or an open answer with SY_RULE_END_RULE.
 * SY_NO_MEMORY leaves it as it was. */
sy_status sy_rule_finish(sy_rule *rule, const sy_rule_evidence *evidence, sy_rule_state *ret_state,
                         sy_error *err) SY_NODISCARD;
/* Notes of the guards, for people ("order: 2.1 points between the orders, p = .2"); none before finish; valid until
 * destroy. */
const char *const *sy_rule_notes(const sy_rule *rule, size_t *ret_count);
/* "40 more pairs" / "a margin of 1 %" ...: what would decide it; "" when it is decided. Valid until the next call. */
const char *sy_rule_advice(sy_rule *rule);

#endif
