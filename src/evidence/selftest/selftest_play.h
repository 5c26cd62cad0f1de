/* SPDX-License-Identifier: Apache-2.0 */
/* Trials of a gate on the figures of one metric: sessions drawn from a key's accepted ones, slowdowns planted, sy_judge
 * asked. Numbers only; where they come from and what becomes of them is selftest.c's business. */
#ifndef STEELYARD_EVIDENCE_SELFTEST_PLAY_H
#define STEELYARD_EVIDENCE_SELFTEST_PLAY_H

#include <steelyard/compare.h>

/* The fewest accepted sessions that can be replayed: a baseline, and one that is judged. */
#define SY_SELFTEST_SESSIONS (SY_BASELINE_SESSIONS + 1)

/* count: accepted sessions; alpha: of one judgement, in (0, .5]. SY_REFUSED: fewer than SY_SELFTEST_SESSIONS, and how
 * many are missing. */
sy_status sy_selftest_draw_plan(size_t count, double alpha, sy_selftest_draw *ret_draw, sy_error *err) SY_NODISCARD;

typedef struct sy_selftest_trials {
    sy_judgement_question question; /* of the metric; baseline: all accepted sessions, finite and > 0; no sessions */
    sy_selftest_draw draw;
    uint32_t trial_count; /* >= 1, of each effect */
    uint64_t seed;
} sy_selftest_trials;

/* Fills the counts of each effect, whose ratio says what is planted: a value of the new sessions is multiplied by it,
 * where higher is better divided; 1 plants nothing. All effects, and calls with the same seed, see the same draws: n
 * sessions without replacement are the baseline, m of those left the new ones; each has as its control an unplanted
 * one, of those left as far as they go, else any but itself. *ret_visible: the least slowdown, as a ratio - 1, that
 * raises an alarm in four trials of five. SY_INVALID_ARGUMENT, as sy_judge; SY_NO_MEMORY. */
sy_status sy_selftest_play(const sy_selftest_trials *trials, sy_selftest_effect *effects, size_t effect_count,
                           double *ret_visible, sy_error *err) SY_NODISCARD;

/* Judges the accepted sessions in their order, each against those before it. question as above. */
sy_status sy_selftest_follow(const sy_judgement_question *question, sy_selftest_course *ret_course,
                             sy_error *err) SY_NODISCARD;

/* Whether the key's thresholds are hard: a confirmed alarm of this metric would block. question as above. */
sy_status sy_selftest_is_hard(const sy_judgement_question *question, bool *ret_is_hard, sy_error *err) SY_NODISCARD;

#endif
