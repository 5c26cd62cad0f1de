/* SPDX-License-Identifier: Apache-2.0 */
/* The decision rule on simulated noise, beside block medians and ABBA medians that get the whole cap of runs under the
 * same noise: how often each one wins at given true gains, and the pairs that the rule needs. The noise models and
 * their figures: docs/statistics.md. Deterministic with a seed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "rule_play.h"
#include "stats/sign.h"

enum { PAIRS = 60, RUNS_MAX = 2 * PAIRS };

static const double improvement = 0.03;
static const double alpha = 0.05;

/* t = base * exp(ramp (1 - e^(-i / 40)) + A_i + J_i + s z), i = the run's number; A is autoregressive with .95 and
 * innovations of deviation `wander`; J is redrawn from N(0, jump) with probability .01; with probability `spikes` t is
 * multiplied by 1 + height * u^(-1 / 1.5). */
typedef struct noise_model {
    const char *name;
    double s;
    double spikes;
    double height;
    double ramp;
    double wander;
    double jump;
    double switches; /* with that probability a run is switched away, which takes 5 to 50 % of its time */
} noise_model;

static const noise_model models[] = {
    {"quiet", .005, .02, .05, 0, 0, 0, 0},   {"drifting", .01, .05, .05, .08, .003, .03, 0},
    {"bad", .03, .1, .1, .15, .006, .05, 0}, {"cold", .01, .05, .05, -.3, 0, 0, 0},
    {"shared", .01, .05, .05, 0, 0, 0, .2},
};

/* The factors of count runs in a row from a fresh start, and which of them are switched away. */
static void draw_noise(const noise_model *model, sy_random *random, double *factors, bool *switched, int count)
{
    double wander = 0;
    double jump = 0;

    for (int i = 0; i < count; i++) {
        wander = .95 * wander + model->wander * sy_random_normal(random);
        if (sy_random_unit(random) < .01)
            jump = model->jump * sy_random_normal(random);
        factors[i] = exp(model->ramp * (1 - exp(-i / 40.)) + wander + jump + model->s * sy_random_normal(random));
        if (sy_random_unit(random) < model->spikes)
            factors[i] *= 1 + model->height * pow(1 - sy_random_unit(random), -1 / 1.5);
        switched[i] = model->switches > 0 && sy_random_unit(random) < model->switches;
        if (switched[i])
            factors[i] *= 1.05 + .45 * sy_random_unit(random);
    }
}

/* What happened in all runs of one model and one true gain. */
typedef struct tally {
    uint32_t won; /* after the guards */
    uint32_t no_gain;
    uint32_t open;
    uint32_t crossed; /* wins before the guards */
    uint32_t order;   /* of these, overturned by each guard */
    uint32_t drift;
    uint32_t carry_over;
    uint32_t preempted;
    uint64_t pairs;     /* used */
    uint32_t fixed_won; /* the same rule with the reference always first */
    uint32_t block_won;
    uint32_t abba_won;
} tally;

static sy_status simulate(const noise_model *model, double gain, uint32_t runs, uint64_t seed, tally *ret_tally,
                          sy_error *err)
{
    tally counted = {0};
    sy_random noise;
    sy_random control_noise;
    sy_random order;
    sy_random coins;
    double factors[RUNS_MAX];
    double control_factors[RULE_PLAY_CONTROL];
    bool switched[RUNS_MAX];
    bool control_switched[RULE_PLAY_CONTROL];

    sy_carry_over control;
    const rule_play play = {PAIRS, improvement, alpha, .2, factors, gain, &control, switched};

    sy_random_start(&noise, seed, model->name);
    sy_random_start(&control_noise, seed, "control");
    sy_random_start(&order, seed, "order");
    sy_random_start(&coins, seed, "coins");
    for (uint32_t run = 0; run < runs; run++) {
        sy_rule_state before;
        sy_rule_state after;
        sy_status status;

        draw_noise(model, &noise, factors, switched, RUNS_MAX);
        draw_noise(model, &control_noise, control_factors, control_switched, RULE_PLAY_CONTROL);
        status = rule_play_control(control_factors, gain, &order, &control, err);
        if (status != SY_OK)
            return status;
        status = rule_play_pairs(&play, &coins, &before, &after, err);
        if (status != SY_OK)
            return status;
        counted.won += after.answer == SY_RULE_WIN;
        counted.no_gain += after.answer == SY_RULE_NO_GAIN;
        counted.open += after.answer == SY_RULE_INCONCLUSIVE;
        if (before.answer == SY_RULE_WIN) {
            counted.crossed++;
            counted.order += strcmp(after.reason, "order") == 0;
            counted.drift += strcmp(after.reason, "drift") == 0;
            counted.carry_over += strcmp(after.reason, "carry-over") == 0;
            counted.preempted += strcmp(after.reason, "preempted") == 0;
        }
        counted.pairs += after.rounds;
        status = rule_play_pairs(&play, NULL, &before, &after, err);
        if (status != SY_OK)
            return status;
        counted.fixed_won += before.answer == SY_RULE_WIN;
        counted.block_won += rule_play_blocks(&play);
        counted.abba_won += rule_play_abba(&play);
    }
    *ret_tally = counted;
    return SY_OK;
}

static double of_wins(uint32_t count, const tally *t)
{
    return t->crossed == 0 ? 0 : 100. * count / t->crossed;
}

/* Prints the table; *ret_kept is false when the error at the boundary is above alpha by more than chance allows. */
static sy_status print_all(uint32_t runs, uint64_t seed, bool *ret_kept, sy_error *err)
{
    static const double points_above[] = {-3, 0, 2, 5};

    sy_sign_table table = SY_SIGN_TABLE_INIT;
    sy_status status = sy_sign_table_init(&table, PAIRS, alpha, err);

    if (status != SY_OK)
        return status;
    *ret_kept = true;
    printf("%u probes a line, cap %d pairs, X = %g %%, alpha %g, beta .2, seed %llu\n", runs, PAIRS, 100 * improvement,
           alpha, (unsigned long long)seed);
    printf("exactly at the boundary a fair coin wins %.2f %%; one standard error of a line there is %.2f points\n",
           100 * sy_sign_crossing_probability(&table, NULL, 0.5), 100 * sqrt(alpha * (1 - alpha) / runs));
    sy_sign_table_finish(&table);
    printf("%-9s %5s | %6s %7s %6s %6s | %27s | %9s %7s %7s\n", "", "", "", "", "", "", "% of wins overturned", "rule,",
           "", "");
    printf("%-9s %5s | %6s %7s %6s %6s | %6s %6s %6s %6s | %9s %7s %7s\n", "noise", "gain", "win", "no gain", "open",
           "pairs", "order", "drift", "carry", "preem.", "ABAB", "block", "ABBA");
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        for (size_t g = 0; g < sizeof points_above / sizeof *points_above; g++) {
            double gain = improvement + points_above[g] / 100;
            double share = 100. / runs;
            tally t;

            status = simulate(&models[m], gain, runs, seed, &t, err);

            if (status != SY_OK)
                return status;
            printf("%-9s %4.0f%% | %5.1f%% %6.1f%% %5.1f%% %6.1f |", models[m].name, 100 * gain, t.won * share,
                   t.no_gain * share, t.open * share, (double)t.pairs / runs);
            printf(" %6.2f %6.2f %6.2f %6.2f |", of_wins(t.order, &t), of_wins(t.drift, &t), of_wins(t.carry_over, &t),
                   of_wins(t.preempted, &t));
            printf(" %8.1f%% %6.1f%% %6.1f%%\n", t.fixed_won * share, t.block_won * share, t.abba_won * share);
            if (points_above[g] <= 0 && (double)t.crossed / runs > alpha + 3 * sqrt(alpha * (1 - alpha) / runs))
                *ret_kept = false;
        }
    }
    return SY_OK;
}

int main(int argc, char **argv)
{
    uint64_t runs = 4000;
    uint64_t seed = 1;
    bool kept = true;
    sy_error err = SY_ERROR_INIT;
    sy_status status = SY_OK;

    for (int i = 1; i < argc && status == SY_OK; i += 2) {
        uint64_t *value = strcmp(argv[i], "--runs") == 0 ? &runs : strcmp(argv[i], "--seed") == 0 ? &seed : NULL;

        if (value == NULL || i + 1 == argc) {
            fprintf(stderr, "usage: rule_bench [--runs N] [--seed N]\n");
            return 2;
        }
        status = sy_parse_u64(argv[i + 1], value, &err);
    }
    if (status == SY_OK && (runs < 1 || runs > 10000000)) {
        fprintf(stderr, "rule_bench: --runs %llu is outside 1..10000000\n", (unsigned long long)runs);
        return 2;
    }
    if (status == SY_OK)
        status = print_all((uint32_t)runs, seed, &kept, &err);
    if (status != SY_OK) {
        fprintf(stderr, "rule_bench: %s\n", err.what);
        return status == SY_INVALID_ARGUMENT ? 2 : 1;
    }
    printf("error at or below the boundary: %s\n", kept ? "within alpha" : "ABOVE ALPHA");
    return kept ? EXIT_SUCCESS : EXIT_FAILURE;
}
