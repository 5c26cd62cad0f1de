/* SPDX-License-Identifier: Apache-2.0 */
/* The guards of the rule on recorded timings: how many right wins does each overturn? What the rule itself finds there
 * is what `steelyard replay` prints; this adds the carry-over control, played on the runs of the configuration before,
 * where nothing is carried over. Reads the files that replay reads and prints one line a file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <steelyard/timings.h>

#include "rule_play.h"

enum { PAIRS = 16, SLOTS = 2 * PAIRS };

static const double improvement = 0.01;
static const double gain = 0.03; /* X + 2 points */

typedef struct tally {
    uint32_t probes;
    uint32_t right_wins; /* before the guards */
    uint32_t order;      /* of these, overturned by the guard */
    uint32_t drift;
    uint32_t carry_over;
} tally;

static bool has_slots(const sy_timing *timing)
{
    for (size_t i = 0; i < SLOTS && i < timing->count; i++) {
        if (!(timing->times[i] > 0))
            return false;
    }
    return timing->count >= SLOTS;
}

static sy_status play(const double *slots, const double *control_slots, sy_random *order, sy_random *coins,
                      tally *counted, sy_error *err)
{
    sy_carry_over control;
    const rule_play play = {PAIRS, improvement, .05, .2, slots, gain, &control, NULL};
    sy_rule_state before;
    sy_rule_state after;
    sy_status status = rule_play_control(control_slots, gain, order, &control, err);

    if (status == SY_OK)
        status = rule_play_pairs(&play, coins, &before, &after, err);
    if (status != SY_OK)
        return status;
    counted->probes++;
    if (before.answer != SY_RULE_WIN)
        return SY_OK;
    counted->right_wins++;
    counted->order += strcmp(after.reason, "order") == 0;
    counted->drift += strcmp(after.reason, "drift") == 0;
    counted->carry_over += strcmp(after.reason, "carry-over") == 0;
    return SY_OK;
}

static sy_status play_all(const sy_timings *timings, uint64_t seed, tally *counted, sy_error *err)
{
    const double *before = NULL;
    sy_random order;
    sy_random coins;
    sy_status status = SY_OK;

    sy_random_start(&order, seed, "order");
    sy_random_start(&coins, seed, "coins");
    for (size_t i = 0; i < timings->count && status == SY_OK; i++) {
        const sy_timing *timing = &timings->list[i];

        if (!has_slots(timing))
            continue;
        if (before != NULL)
            status = play(timing->times, before, &order, &coins, counted, err);
        before = timing->times;
    }
    return status;
}

static void print(const char *path, const tally *t)
{
    const char *slash = strrchr(path, '/');
    double share = t->right_wins == 0 ? 0 : 100. / t->right_wins;

    printf("%-35s %6u %10u %6.2f %6.2f %10.2f\n", slash != NULL ? slash + 1 : path, t->probes, t->right_wins,
           t->order * share, t->drift * share, t->carry_over * share);
}

int main(int argc, char **argv)
{
    sy_status status = SY_OK;

    if (argc < 2) {
        fprintf(stderr, "usage: recorded_bench FILE...\n");
        return 2;
    }
    printf("right wins at X + 2 points that a guard overturns, in %%; 16 pairs at most, X = 1 %%, seed 1\n");
    printf("%-35s %6s %10s %6s %6s %10s\n", "file", "probes", "right wins", "order", "drift", "carry-over");
    for (int i = 1; i < argc && status == SY_OK; i++) {
        sy_error err = SY_ERROR_INIT;
        sy_timings *timings = NULL;
        tally counted = {0};

        status = sy_timings_read(argv[i], NULL, &timings, &err);
        if (status == SY_OK)
            status = play_all(timings, 1, &counted, &err);
        sy_timings_destroy(timings);
        if (status == SY_OK)
            print(argv[i], &counted);
        else
            fprintf(stderr, "recorded_bench: %s: %s\n", argv[i], err.what);
    }
    return status == SY_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
