/* SPDX-License-Identifier: Apache-2.0 */
/* What rule.c, rule_end.c and guards.c share: the rule's whole state. Private to the rule. */
#ifndef STEELYARD_PROBE_RULE_PARTS_H
#define STEELYARD_PROBE_RULE_PARTS_H

#include "base/text.h"
#include "probe/rule/rule.h"
#include "stats/bounds.h"
#include "stats/sign.h"

/* A pair is a win only above its threshold by this much, so that the last bit of a quantised clock decides no tie. */
#define RULE_TIE_GUARD 1e-9

/* More kinds of note than any probe can have at once. */
#define RULE_NOTES_MAX 16

/* One case over all rounds fed. Arrays hold the usable pairs, ascending. */
typedef struct rule_case {
    double weight;
    double *reference_ns;
    double *candidate_ns;
    double *differences; /* ln(reference / candidate) */
    uint32_t usable;
    uint32_t fit;  /* pairs that show it not slower by more than the veto */
    uint32_t slow; /* pairs that show it slower by more than the veto */
} rule_case;

/* One round as fed, for the guards. */
typedef struct rule_round {
    double difference;   /* D; NaN = unusable */
    double reference_ns; /* weighted sums */
    double candidate_ns;
    bool reference_first;
    bool preempted; /* a run was switched away */
} rule_round;

struct sy_rule {
    sy_rule_options options; /* weights: NULL, they stand in cases */
    double theta;            /* the threshold on D */
    double case_theta;       /* ln(1 + veto) */
    sy_sign_table win;
    sy_sign_table stop;       /* no-gain */
    sy_sign_table regression; /* one case of several, mirrored */
    rule_case *cases;
    sy_rule_case_state *case_states;
    double *block; /* what the cases' arrays are cut from */
    rule_round *rounds;
    double *differences; /* D of the usable rounds, ascending */
    uint32_t round_count;
    uint32_t process;                               /* the present one, from 0 */
    uint32_t process_starts[SY_RULE_PROCESSES_MAX]; /* its first round */
    uint32_t usable;
    uint32_t wins;
    uint32_t losses;            /* usable rounds that are none */
    uint32_t below;             /* rounds that show D below theta: not-slower's other side */
    uint32_t unusable_pairs[4]; /* by sy_unusable */
    bool crossed;
    bool next_preempted; /* what was said of the round to come */
    sy_bounds bounds;
    sy_rule_answer answer;
    const char *reason;
    bool finished;
    char *notes[RULE_NOTES_MAX];
    size_t note_count;
    bool note_lost; /* no memory for a note */
    sy_text advice;
};

/* rule.c: fills *ret_state from what was fed. */
void rule_describe(const sy_rule *rule, sy_rule_state *ret_state);
/* rule.c: timer, crashed or void, whichever came most often. */
const char *rule_unusable_reason(const sy_rule *rule);

double rule_gain_of(double difference); /* rule.c: 1 - exp(-d) */

/* rule_end.c: appends a note; a lack of memory is kept in note_lost. */
void rule_note(sy_rule *rule, const char *format, ...) SY_PRINTF(2, 3);
void rule_forget_notes(sy_rule *rule); /* rule_end.c */

/* advice.c: z(N) of this rule, and the cap that it needs at a win probability (0 = more than any). */
sy_status rule_resolution(const sy_rule *rule, double *ret_z, sy_error *err) SY_NODISCARD;
sy_status rule_pairs_needed(const sy_rule *rule, double win_probability, uint32_t *ret_pairs,
                            sy_error *err) SY_NODISCARD;
/* advice.c: the gain that a probe should find. */
double rule_target(const sy_rule *rule);

/* rule_processes.c: several processes need pairs for each. SY_INVALID_ARGUMENT. */
sy_status rule_check_processes(const sy_rule_options *options, sy_error *err) SY_NODISCARD;
bool rule_all_are_heard(const sy_rule *rule);
bool rule_is_used_up(const sy_rule *rule); /* the cap, or the last process's share of it */
bool rule_process_ends(const sy_rule *rule);
/* As the guards below. */
sy_status rule_guard_processes(sy_rule *rule, bool *ret_overturns, sy_error *err) SY_NODISCARD;

/* guards.c: each adds its note, and says whether it overturns a claim that D is above theta. SY_NO_MEMORY. */
sy_status rule_guard_order(sy_rule *rule, bool *ret_overturns, sy_error *err) SY_NODISCARD;
sy_status rule_guard_drift(sy_rule *rule, bool *ret_overturns, sy_error *err) SY_NODISCARD;
sy_status rule_guard_preempted(sy_rule *rule, bool *ret_overturns, sy_error *err) SY_NODISCARD;
bool rule_guard_carry_over(sy_rule *rule, const sy_carry_over *carry_over);
/* guards.c: the lower bound stands above the upper one: a note; whether the upper one denies the claim. */
bool rule_guard_bounds(sy_rule *rule);
bool rule_bounds_contradict(const sy_rule *rule);
/* guards.c: a note where one case's times fall into two groups. */
void rule_note_modes(sy_rule *rule);

#endif
