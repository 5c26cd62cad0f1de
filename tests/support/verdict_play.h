/* SPDX-License-Identifier: Apache-2.0 */
/* An unchanged key played with a seed: how often its new sessions block all the same. Shared by the tests of verdicts
 * and the benchmark that prints the rates. */
#ifndef STEELYARD_TESTS_VERDICT_PLAY_H
#define STEELYARD_TESTS_VERDICT_PLAY_H

#include <steelyard/judge.h>

#include <math.h>

#include "base/random.h"

enum { VERDICT_PLAY_SESSIONS = 64 };

/* Each session is normal in its logarithm; of the variance the share `lease` belongs to the lease, which new sessions,
 * back to back, and their controls have in common. */
typedef struct verdict_play {
    size_t n;
    size_t m;
    double alpha;
    double lease;
    bool controls; /* run again in that lease; else ones that nothing is held against */
    uint64_t rounds;
    uint64_t seed;
} verdict_play;

/* The share of rounds that block; NaN: a verdict failed. n, m at most VERDICT_PLAY_SESSIONS. */
static inline double verdict_play_blocks(const verdict_play *play)
{
    static const double spread = .01, quiet_control = 1e-3;
    double baseline[VERDICT_PLAY_SESSIONS], sessions[VERDICT_PLAY_SESSIONS], controls[VERDICT_PLAY_SESSIONS];
    double own = spread * sqrt(1 - play->lease);
    uint64_t blocks = 0;
    sy_random random;
    sy_judgement_question question = SY_JUDGEMENT_QUESTION_INIT;

    question.baseline = baseline;
    question.baseline_count = play->n;
    question.sessions = sessions;
    question.session_count = play->m;
    question.controls = controls;
    question.alpha = play->alpha;
    question.delta = 0;
    sy_random_start(&random, play->seed, "verdict-play");
    for (uint64_t round = 0; round < play->rounds; round++) {
        sy_judgement verdict;

        for (size_t i = 0; i < play->n; i++)
            baseline[i] = exp(spread * sy_random_normal(&random));
        double shared = spread * sqrt(play->lease) * sy_random_normal(&random);
        for (size_t i = 0; i < play->m; i++) {
            sessions[i] = exp(shared + own * sy_random_normal(&random));
            double control = exp(shared + own * sy_random_normal(&random));
            controls[i] = play->controls ? control : quiet_control;
        }
        if (sy_judge(&question, &verdict, NULL) != SY_OK)
            return NAN;
        blocks += verdict.word == SY_JUDGEMENT_BLOCK;
    }
    return (double)blocks / (double)play->rounds;
}

#endif
