/* SPDX-License-Identifier: Apache-2.0 */
/* The rates of verdicts by simulation beside those of docs/statistics.md, and what verdicts on many keys cost.
 * verdict_bench [ROUNDS [SEED]]: default 100000 rounds a line. Exit code 1 when a rate is off by more than a point. */
#include <steelyard/judge.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/random.h"
#include "base/text.h"
#include "stats/drift.h"
#include "verdict_bench.h"
#include "verdict_play.h"

enum { SESSIONS_MAX = 64, KEYS = VERDICT_BENCH_KEYS, KEY_SESSIONS = VERDICT_BENCH_SESSIONS, REPEATS = 3 };

#define SPREAD 0.01

static bool is_off;

static void print_rate(const char *name, double rate, double low, double high)
{
    bool off = !(rate >= low - 0.01 && rate <= high + 0.01);

    is_off = is_off || off;
    if (low == high)
        printf("%-58s %6.2f %%   %5.2f %%%s\n", name, 100 * rate, 100 * low, off ? "   OFF" : "");
    else
        printf("%-58s %6.2f %%   %.4g to %.4g %%%s\n", name, 100 * rate, 100 * low, 100 * high, off ? "   OFF" : "");
}

static sy_judgement judge(const sy_judgement_question *question)
{
    sy_judgement verdict;
    sy_error err = SY_ERROR_INIT;

    if (sy_judge(question, &verdict, &err) != SY_OK) {
        fprintf(stderr, "verdict_bench: %s\n", err.what);
        exit(4);
    }
    return verdict;
}

static void print_blocks(const char *name, const verdict_play *play, double low, double high)
{
    print_rate(name, verdict_play_blocks(play), low, high);
}

static void play_ladder(uint64_t rounds, uint64_t seed)
{
    static const double text[] = {.1667, .0476, .0179, .0079, .0040};
    verdict_play play = {.n = 5, .rounds = rounds, .seed = seed};

    for (play.m = 1; play.m <= 5; play.m++) {
        char name[64];

        (void)snprintf(name, sizeof name, "ladder, n = 5, m = %zu", play.m);
        play.alpha = sy_ladder_chance(5, play.m);
        print_blocks(name, &play, text[play.m - 1], text[play.m - 1]);
    }
    play.alpha = .02;
    play.n = 13;
    play.m = 2;
    print_blocks("ranks of all, n = 13, m = 2, alpha 2 %: at most", &play, 0, .02);
    play.n = 20;
    play.m = 3;
    print_blocks("ranks of all, n = 20, m = 3, alpha 2 %: at most", &play, 0, .02);
}

static void play_leases(uint64_t rounds, uint64_t seed)
{
    static const double shares[] = {.6, .7, .8};
    verdict_play play = {.n = 5, .m = 3, .alpha = .02, .rounds = rounds, .seed = seed};

    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
        char name[64];

        (void)snprintf(name, sizeof name, "back to back, %.0f %% of the variance the lease's", 100 * shares[i]);
        play.lease = shares[i];
        play.controls = false;
        print_blocks(name, &play, .06, .11);
        play.controls = true;
        print_blocks("  the same with a control arm: at most", &play, 0, .0179);
    }
    play.lease = 0;
    print_blocks("leases of their own and a control arm: at most", &play, 0, .0179);
}

/* Whether a cumulative sum alarms within 50 unchanged sessions from the fifth on; leaves_out: sessions that are beyond
 * all before them are not learnt. */
static bool drifts(sy_random *random, bool leaves_out)
{
    sy_drift drift = SY_DRIFT_INIT;
    double most = -INFINITY;

    for (int i = 0; i < 5; i++) {
        double value = sy_random_normal(random);

        sy_drift_learn(&drift, value);
        most = fmax(most, value);
    }
    for (int i = 0; i < 50; i++) {
        double value = sy_random_normal(random);

        drift.sum = sy_drift_look(&drift, value);
        if (drift.sum > SY_DRIFT_ALARM)
            return true;
        if (leaves_out && value > most)
            continue;
        most = fmax(most, value);
        sy_drift_learn(&drift, value);
    }
    return false;
}

static void play_drift(uint64_t rounds, uint64_t seed)
{
    uint64_t alarms = 0, left_out = 0;
    sy_random random;

    rounds = rounds / 5 + 1;
    sy_random_start(&random, seed, "verdict-bench-drift");
    for (uint64_t round = 0; round < rounds; round++) {
        alarms += drifts(&random, false);
        left_out += drifts(&random, true);
    }
    print_rate("cumulative sum, 50 sessions from n = 5", (double)alarms / (double)rounds, .045, .045);
    print_rate("  the same, leaving out what looked high", (double)left_out / (double)rounds, .43, .43);
}

/* How often a session that is slower by the visible effect of its baseline raises an alarm. */
static double visible_rate(size_t n, uint64_t rounds, uint64_t seed)
{
    double baseline[SESSIONS_MAX], session = 1;
    uint64_t raised = 0;
    sy_random random;
    sy_judgement_question question = SY_JUDGEMENT_QUESTION_INIT;

    question.baseline = baseline;
    question.baseline_count = n;
    question.sessions = &session;
    question.session_count = 1;
    question.delta = .02;
    sy_random_start(&random, seed, "verdict-bench-power");
    for (uint64_t round = 0; round < rounds; round++) {
        for (size_t i = 0; i < n; i++)
            baseline[i] = exp(SPREAD * sy_random_normal(&random));
        session = 1;
        double visible = judge(&question).visible_effect;
        session = (1 + visible) * exp(SPREAD * sy_random_normal(&random));
        raised += judge(&question).raised;
    }
    return (double)raised / (double)rounds;
}

static void play_visible(uint64_t rounds, uint64_t seed)
{
    static const size_t sizes[] = {5, 8, 12, 20};

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char name[64];

        (void)snprintf(name, sizeof name, "visible effect seen, n = %zu", sizes[i]);
        print_rate(name, visible_rate(sizes[i], rounds / 2 + 1, seed), .8, .8);
    }
}

/* Seconds of processor time that verdicts on KEYS keys take; session_count 1: inside the baseline, nobody asks more. */
static double time_keys(size_t session_count, double slower, uint64_t seed)
{
    double *values = malloc(sizeof *values * KEYS * (KEY_SESSIONS + 2 * SESSIONS_MAX));
    sy_judgement_question question = SY_JUDGEMENT_QUESTION_INIT;
    size_t each = KEY_SESSIONS + 2 * session_count;
    sy_random random;

    if (values == NULL)
        exit(4);
    sy_random_start(&random, seed, "verdict-bench-keys");
    for (size_t i = 0; i < KEYS * each; i++) {
        bool is_new = i % each >= KEY_SESSIONS && i % each < KEY_SESSIONS + session_count;
        values[i] = exp(SPREAD * sy_random_normal(&random)) * (is_new ? slower : 1);
    }
    question.baseline_count = KEY_SESSIONS;
    question.session_count = session_count;
    clock_t start = clock();
    for (size_t i = 0; i < KEYS; i++) {
        question.baseline = values + i * each;
        question.sessions = question.baseline + KEY_SESSIONS;
        question.controls = session_count > 1 ? question.sessions + session_count : NULL;
        (void)judge(&question);
    }
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    free(values);
    return seconds;
}

int main(int argc, char **argv)
{
    uint64_t rounds = 100000, seed = 1;

    if (argc > 3 || (argc > 1 && sy_parse_u64(argv[1], &rounds, NULL) != SY_OK) ||
        (argc > 2 && sy_parse_u64(argv[2], &seed, NULL) != SY_OK) || rounds < 1000 || rounds > 100000000) {
        fputs("usage: verdict_bench [ROUNDS [SEED]], 1000 to 100000000 rounds\n", stderr);
        return 2;
    }
    printf("%-58s simulated   text\n", "nothing changed: how often");
    play_ladder(rounds, seed);
    play_leases(rounds, seed);
    play_drift(rounds, seed);
    play_visible(rounds, seed);
    for (int i = 0; i < REPEATS; i++)
        printf("%d keys of %d sessions: one session each %.3f s; 10 %% slower, two sessions and controls %.3f s\n",
               KEYS, KEY_SESSIONS, time_keys(1, 1, seed), time_keys(2, 1.1, seed));
    for (int i = 0; i < REPEATS; i++) {
        size_t metrics = 0;
        double seconds = verdict_bench_sessions(seed, &metrics);

        printf("%d keys from figures to sentences, %zu metrics: %.3f s\n", KEYS, metrics, seconds);
    }
    puts(is_off ? "some rate is off by more than a point" : "each rate within a point of the text");
    return is_off ? 1 : 0;
}
