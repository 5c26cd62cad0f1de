/* SPDX-License-Identifier: Apache-2.0 */
/* What it costs to judge sessions from their figures: metrics found, p50, p95, maximum and memory judged, sentences. */
#include "verdict_bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/random.h"
#include "evidence/compare/judge_session.h"

enum { FIGURES = 2, SAMPLES = 200 };

#define SPREAD 0.01

typedef struct key_sessions {
    sy_run_row rows[VERDICT_BENCH_SESSIONS + 1];
    sy_figure_row figures[VERDICT_BENCH_SESSIONS + 1][FIGURES];
    sy_session sessions[VERDICT_BENCH_SESSIONS + 1];
    const sy_session *pointers[VERDICT_BENCH_SESSIONS + 1];
} key_sessions;

static void make_key(sy_random *random, key_sessions *key)
{
    for (size_t i = 0; i <= VERDICT_BENCH_SESSIONS; i++) {
        double p50 = 1e-3 * exp(SPREAD * sy_random_normal(random));

        key->rows[i] = (sy_run_row){.id = "run", .host = "h", .device = "cpu", .number = i + 1, .fence = i + 1};
        key->figures[i][0] = (sy_figure_row){.name = "wall",
                                             .unit = "s",
                                             .case_name = "square-512",
                                             .implementation = "openblas",
                                             .role = SY_SERIES_SAMPLE,
                                             .usable_count = SAMPLES,
                                             .p50 = p50,
                                             .p95 = p50 * (1.05 + .02 * sy_random_unit(random)),
                                             .minimum = .95 * p50,
                                             .maximum = p50 * (1.2 + .1 * sy_random_unit(random))};
        key->figures[i][1] = (sy_figure_row){.is_memory = true,
                                             .name = "peak",
                                             .unit = "bytes",
                                             .case_name = "",
                                             .implementation = "",
                                             .usable_count = 1,
                                             .p50 = 1 << 20,
                                             .p95 = 1 << 20,
                                             .minimum = 1 << 20,
                                             .maximum = 1 << 20,
                                             .scope = SY_MEMORY_PROCESS};
        key->sessions[i] = (sy_session){.row = &key->rows[i], .figures = key->figures[i], .figure_count = FIGURES};
        key->pointers[i] = &key->sessions[i];
    }
}

double verdict_bench_sessions(uint64_t seed, size_t *ret_metrics)
{
    const sy_session_rules rules = SY_SESSION_RULES_INIT;
    static key_sessions key;
    clock_t taken = 0;
    sy_random random;

    sy_random_start(&random, seed, "verdict-bench-sessions");
    *ret_metrics = 0;
    for (size_t i = 0; i < VERDICT_BENCH_KEYS; i++) {
        sy_session_answer answer;
        sy_arena *arena = sy_arena_create(0);
        const sy_session_question question = {.baseline = key.pointers,
                                              .baseline_count = VERDICT_BENCH_SESSIONS,
                                              .sessions = &key.pointers[VERDICT_BENCH_SESSIONS],
                                              .session_count = 1,
                                              .rules = &rules};

        make_key(&random, &key);
        clock_t start = clock();
        if (arena == NULL || sy_judge_session(&question, arena, &answer, NULL) != SY_OK) {
            fputs("verdict_bench: a session could not be judged\n", stderr);
            exit(4);
        }
        taken += clock() - start;
        *ret_metrics += answer.metric_count;
        sy_arena_destroy(arena);
    }
    return (double)taken / CLOCKS_PER_SEC;
}
