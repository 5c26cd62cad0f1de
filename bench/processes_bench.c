/* SPDX-License-Identifier: Apache-2.0 */
/* What several fresh processes change in a decision: pairs whose gain differs from start to start, simulated, fed to
 * the rule as a probe feeds it. One line a kind of candidate and number of processes: won, undecided because of the
 * processes, no gain, and the mean number of pairs. Usage: processes_bench [PROBES] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/random.h"
#include "base/text.h"
#include "probe/rule/rule.h"

#define SCATTER 0.01 /* of a pair's log ratio within a process */

/* Gains of starts: normal around `gain` with `between`, or one of two by a fair coin. */
typedef struct kind {
    const char *name;
    double gain;
    double between;
    double other; /* NaN = none */
} kind;

static const kind kinds[] = {
    {"half of the starts win by 8 %, half by nothing", .08, 0, 0},
    {"starts differ by 2 points around X", .03, .02, NAN},
    {"no gain, starts differ by 2 points", 0, .02, NAN},
    {"X + 2 points in every start", .05, 0, NAN},
    {"X + 5 points in every start", .08, 0, NAN},
    {"X + 5 points, starts differ by 1", .08, .01, NAN},
    {"X + 5 points, starts differ by 2", .08, .02, NAN},
};

typedef struct counts {
    uint32_t won;
    uint32_t open; /* because of the processes */
    uint32_t no_gain;
    uint64_t pairs;
} counts;

static double draw_start(const kind *k, sy_random *random)
{
    if (!isnan(k->other))
        return sy_random_coin(random) ? k->gain : k->other;
    return k->gain + k->between * sy_random_normal(random);
}

static sy_status play(sy_rule *rule, const kind *k, uint32_t processes, sy_random *random, counts *sum, sy_error *err)
{
    const sy_rule_evidence evidence = {.end = SY_RULE_END_RULE, .resolvable_gain = NAN};
    sy_rule_state state = {.answer = SY_RULE_CONTINUE};
    sy_status status = SY_OK;
    for (uint32_t process = 0; process < processes && state.answer == SY_RULE_CONTINUE && !status; process++) {
        double gain = draw_start(k, random);
        if (process > 0)
            sy_rule_next_process(rule);
        do {
            double d = -log1p(-gain) + SCATTER * sy_random_normal(random);
            const sy_rule_pair pair = {1e6 * exp(d), 1e6, sy_random_coin(random), SY_USABLE};
            status = sy_rule_step(rule, &pair, &state, err);
        } while (!status && state.answer == SY_RULE_CONTINUE && !state.process_ends);
    }
    if (!status)
        status = sy_rule_finish(rule, &evidence, &state, err);
    sum->won += state.answer == SY_RULE_WIN;
    sum->open += state.answer == SY_RULE_INCONCLUSIVE && strcmp(state.reason, "processes") == 0;
    sum->no_gain += state.answer == SY_RULE_NO_GAIN;
    sum->pairs += state.rounds;
    return status;
}

static sy_status measure(const kind *k, uint32_t processes, uint32_t probes, counts *ret_counts, sy_error *err)
{
    static const double weight = 1;
    const sy_rule_options options = {.max_pairs = 60,
                                     .alpha = .05,
                                     .beta = .2,
                                     .min_improvement = .03,
                                     .veto = .1,
                                     .case_count = 1,
                                     .weights = &weight,
                                     .processes = processes};
    sy_rule *rule = NULL;
    counts sum = {0, 0, 0, 0};
    sy_status status = sy_rule_create(&options, &rule, err);
    for (uint32_t probe = 0; probe < probes && !status; probe++) {
        sy_random random;
        sy_random_start(&random, probe + 1, k->name);
        status = play(rule, k, processes, &random, &sum, err);
        sy_rule_restart(rule);
    }
    sy_rule_destroy(rule);
    *ret_counts = sum;
    return status;
}

int main(int argc, char **argv)
{
    static const uint32_t numbers[] = {1, 2, 4, 8};
    uint64_t probes = 4000;
    sy_error err = SY_ERROR_INIT;
    if (argc > 1 && (sy_parse_u64(argv[1], &probes, &err) != SY_OK || probes == 0 || probes > 10000000)) {
        fprintf(stderr, "processes_bench: %s: a number of probes is wanted\n", argv[1]);
        return 2;
    }
    printf("%-48s %9s %8s %10s %8s %6s\n", "candidate", "processes", "won", "processes!", "no gain", "pairs");
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        for (size_t n = 0; n < sizeof numbers / sizeof numbers[0]; n++) {
            counts c;
            if (measure(&kinds[k], numbers[n], (uint32_t)probes, &c, &err) != SY_OK) {
                fprintf(stderr, "processes_bench: %s\n", err.what);
                return 1;
            }
            printf("%-48s %9u %6.1f %% %8.1f %% %6.1f %% %6.1f\n", kinds[k].name, numbers[n],
                   100.0 * c.won / (double)probes, 100.0 * c.open / (double)probes, 100.0 * c.no_gain / (double)probes,
                   (double)c.pairs / (double)probes);
        }
    }
    return 0;
}
