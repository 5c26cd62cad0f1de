/* SPDX-License-Identifier: Apache-2.0 */
/* Two programs of known lengths, weighed by steelyard, hyperfine and google-benchmark's U test: who gives how many
 * wrong answers, after how many runs and seconds? Each try asks every tool about every gain, in drawn order, first with
 * nothing else running, then with another processor at work. commands.sh builds what it needs and calls it. What counts
 * as an answer of each tool: docs/benchmarks.md, "Against hyperfine and google-benchmark". */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/process.h"
#include "base/random.h"
#include "stats/order.h"
#include "stats/ranks.h"

enum { TEXT_LIMIT = 16 << 20, SELF_RUNS = 10, ARGUMENTS_MAX = 24, REPETITIONS_MAX = 64 };

static const double program_ms = 16;
static const double gains[] = {0, .01, .03, .05, .10};
static const double u_test_level = .05;

enum { GAINS = sizeof gains / sizeof *gains };

/* What a tool says of the second program. */
typedef enum claim { CLAIM_FASTER, CLAIM_NOT_FASTER, CLAIM_SLOWER, CLAIM_NONE, CLAIM_FAILED } claim;

typedef struct outcome {
    claim claim;
    double runs;
    double seconds;
} outcome;

typedef struct bench {
    const char *steelyard;
    const char *spin;
    const char *google; /* NULL = not there */
    bool has_hyperfine;
    char export_path[64]; /* where hyperfine writes */
    char steps[GAINS][24];
} bench;

typedef struct tool {
    const char *name;
    double threshold; /* the gain that it is asked for */
    int every;        /* it takes part in every so manieth try */
    outcome (*ask)(const bench *b, const char *reference, const char *candidate);
} tool;

static double seconds_now(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Runs argv to its end; its stdout in *out. */
static bool run(const char *const *argv, sy_text *out)
{
    sy_process_options options = SY_PROCESS_OPTIONS_INIT;
    sy_process_report report;
    sy_error err = SY_ERROR_INIT;

    options.argv = argv;
    if (sy_process_run(&options, &sy_clock_system, 0, TEXT_LIMIT, out, NULL, &report, &err) != SY_OK) {
        fprintf(stderr, "commands_bench: %s: %s\n", argv[0], err.what);
        return false;
    }
    return report.end == SY_PROCESS_EXITED;
}

static bool is_there(const char *const *argv)
{
    sy_process_options options = SY_PROCESS_OPTIONS_INIT;
    sy_process_report report;
    sy_text out = SY_TEXT_INIT;
    sy_status status;

    options.argv = argv;
    status = sy_process_run(&options, &sy_clock_system, 0, TEXT_LIMIT, &out, NULL, &report, NULL);
    sy_text_finish(&out);
    return status == SY_OK && report.end == SY_PROCESS_EXITED && report.code == 0;
}

static sy_json *parse(const char *bytes, size_t size)
{
    sy_json *json = NULL;
    sy_error err = SY_ERROR_INIT;

    if (sy_json_parse(bytes, size, NULL, &json, &err) != SY_OK)
        fprintf(stderr, "commands_bench: %s\n", err.what);
    return json;
}

static double number(const sy_json_value *object, const char *name)
{
    const sy_json_value *value = sy_json_member(object, name);

    return value != NULL && value->kind == SY_JSON_NUMBER ? value->number : NAN;
}

static const char *word(const sy_json_value *object, const char *name)
{
    const sy_json_value *value = sy_json_member(object, name);

    return value != NULL && value->kind == SY_JSON_TEXT ? value->text : "";
}

/* ---- the tools ---- */

static outcome ask_steelyard(const bench *b, const char *improvement, const char *reference, const char *candidate)
{
    const char *const argv[] = {b->steelyard, "probe",   "--json", "--quiet", "--min-improvement", improvement, "--",
                                b->spin,      reference, "--vs",   b->spin,   candidate,           NULL};
    outcome o = {CLAIM_FAILED, NAN, seconds_now()};
    sy_text out = SY_TEXT_INIT;
    sy_json *json = NULL;

    if (run(argv, &out))
        json = parse(sy_text_bytes(&out), out.length);
    o.seconds = seconds_now() - o.seconds;
    if (json != NULL) {
        const char *decision = word(sy_json_root(json), "decision");

        o.claim = strcmp(decision, "win") == 0            ? CLAIM_FASTER
                  : strcmp(decision, "no-gain") == 0      ? CLAIM_NOT_FASTER
                  : strcmp(decision, "inconclusive") == 0 ? CLAIM_NONE
                                                          : CLAIM_FAILED;
        o.runs = number(sy_json_root(json), "timed_slots");
    }
    sy_json_destroy(json);
    sy_text_finish(&out);
    return o;
}

static outcome ask_steelyard_3(const bench *b, const char *reference, const char *candidate)
{
    return ask_steelyard(b, "0.03", reference, candidate);
}

static outcome ask_steelyard_0(const bench *b, const char *reference, const char *candidate)
{
    return ask_steelyard(b, "0", reference, candidate);
}

/* "B ran 1.05 +- 0.02 times faster": a difference is taken as said when it is larger than that spread, which is the one
 * of a quotient: ratio * sqrt((s_a / m_a)^2 + (s_b / m_b)^2). */
static claim claim_of_means(const sy_json_value *a, const sy_json_value *b)
{
    double ratio = number(a, "mean") / number(b, "mean");
    double spread = hypot(number(a, "stddev") / number(a, "mean"), number(b, "stddev") / number(b, "mean"));

    if (isnan(ratio) || isnan(spread))
        return CLAIM_FAILED;
    if (ratio - 1 > ratio * spread)
        return CLAIM_FASTER;
    return 1 / ratio - 1 > spread / ratio ? CLAIM_SLOWER : CLAIM_NONE;
}

static outcome ask_hyperfine_with(const bench *b, const char *runs, const char *reference, const char *candidate)
{
    char commands[2][512];
    const char *argv[ARGUMENTS_MAX] = {"hyperfine", "-N", "--style", "none", "--export-json", b->export_path};
    int at = 6;
    outcome o = {CLAIM_FAILED, NAN, seconds_now()};
    sy_text out = SY_TEXT_INIT;
    char *bytes = NULL;
    size_t size = 0;
    sy_json *json = NULL;

    (void)snprintf(commands[0], sizeof commands[0], "%s %s", b->spin, reference);
    (void)snprintf(commands[1], sizeof commands[1], "%s %s", b->spin, candidate);
    if (runs != NULL) {
        argv[at++] = "--runs";
        argv[at++] = runs;
    }
    argv[at++] = commands[0];
    argv[at++] = commands[1];
    if (run(argv, &out) && sy_file_read(b->export_path, 0, &bytes, &size, NULL) == SY_OK)
        json = parse(bytes, size);
    o.seconds = seconds_now() - o.seconds;
    if (json != NULL) {
        const sy_json_value *results = sy_json_member(sy_json_root(json), "results");
        const sy_json_value *a = sy_json_element(results, 0);
        const sy_json_value *c = sy_json_element(results, 1);
        const sy_json_value *times[] = {sy_json_member(a, "times"), sy_json_member(c, "times")};

        o.claim = claim_of_means(a, c);
        o.runs = (double)(times[0] != NULL ? times[0]->count : 0) + (double)(times[1] != NULL ? times[1]->count : 0);
    }
    sy_json_destroy(json);
    sy_free(bytes);
    sy_text_finish(&out);
    return o;
}

static outcome ask_hyperfine_10(const bench *b, const char *reference, const char *candidate)
{
    return ask_hyperfine_with(b, "10", reference, candidate);
}

static outcome ask_hyperfine(const bench *b, const char *reference, const char *candidate)
{
    return ask_hyperfine_with(b, NULL, reference, candidate);
}

/* The repetitions of both loops, as tools/compare.py of google-benchmark takes them: wall time, two-sided Mann-Whitney.
 */
static claim claim_of_ranks(const sy_json_value *benchmarks, double *ret_runs)
{
    double times[2][REPETITIONS_MAX];
    size_t counts[2] = {0, 0};
    double p = 1;

    *ret_runs = 0;
    for (const sy_json_value *row = benchmarks == NULL ? NULL : benchmarks->first; row != NULL; row = row->next) {
        int side = word(row, "run_name")[0] == 'b';

        if (strcmp(word(row, "run_type"), "iteration") != 0 || counts[side] == REPETITIONS_MAX)
            continue;
        times[side][counts[side]++] = number(row, "real_time");
        *ret_runs += number(row, "iterations");
    }
    if (counts[0] == 0 || counts[1] == 0 ||
        sy_ranks_differ(times[0], counts[0], times[1], counts[1], &p, NULL) != SY_OK ||
        sy_order_sort(times[0], counts[0], NULL) != SY_OK || sy_order_sort(times[1], counts[1], NULL) != SY_OK)
        return CLAIM_FAILED;
    if (p >= u_test_level)
        return CLAIM_NONE;
    return sy_order_median(times[1], counts[1]) < sy_order_median(times[0], counts[0]) ? CLAIM_FASTER : CLAIM_SLOWER;
}

static outcome ask_u_test(const bench *b, const char *reference, const char *candidate)
{
    const char *const argv[] = {b->google,
                                reference,
                                candidate,
                                "--benchmark_repetitions=9",
                                "--benchmark_min_time=0.02",
                                "--benchmark_format=json",
                                NULL};
    outcome o = {CLAIM_FAILED, NAN, seconds_now()};
    sy_text out = SY_TEXT_INIT;
    sy_json *json = NULL;

    if (run(argv, &out))
        json = parse(sy_text_bytes(&out), out.length);
    o.seconds = seconds_now() - o.seconds;
    if (json != NULL)
        o.claim = claim_of_ranks(sy_json_member(sy_json_root(json), "benchmarks"), &o.runs);
    sy_json_destroy(json);
    sy_text_finish(&out);
    return o;
}

static const tool tools[] = {
    {"steelyard probe", .03, 1, ask_steelyard_3},        {"steelyard probe --min-improvement 0", 0, 1, ask_steelyard_0},
    {"hyperfine --runs 10", 0, 1, ask_hyperfine_10},     {"hyperfine", 0, 4, ask_hyperfine},
    {"google-benchmark, U test of 9", 0, 1, ask_u_test},
};

enum { TOOLS = sizeof tools / sizeof *tools };

/* ---- the tally ---- */

typedef struct tally {
    int asked;
    int right;
    int wrong;
    double runs;
    double seconds;
} tally;

/* No answer is right only where there is nothing to be found; a claim of steelyard that there is no gain is a claim. */
static void count(tally *t, const outcome *o, double gain, double threshold)
{
    bool there = gain > threshold + 1e-9;

    t->asked++;
    t->runs += o->runs;
    t->seconds += o->seconds;
    if (o->claim == CLAIM_FASTER)
        *(there ? &t->right : &t->wrong) += 1;
    else if (o->claim == CLAIM_NOT_FASTER)
        *(there ? &t->wrong : &t->right) += 1;
    else if (o->claim == CLAIM_SLOWER)
        t->wrong++;
    else if (o->claim == CLAIM_NONE && threshold <= 0 && !there)
        t->right++;
}

static bool can_ask(const bench *b, const tool *t)
{
    if (t->ask == ask_u_test)
        return b->google != NULL;
    return b->has_hyperfine || (t->ask != ask_hyperfine && t->ask != ask_hyperfine_10);
}

/* Every tool on every gain, in drawn order. */
static bool try_all(const bench *b, int n, sy_random *order, tally tallies[TOOLS][GAINS])
{
    uint32_t drawn[TOOLS * GAINS];

    sy_random_permutation(order, drawn, TOOLS * GAINS);
    for (int i = 0; i < TOOLS * GAINS; i++) {
        const tool *t = &tools[drawn[i] / GAINS];
        uint32_t g = drawn[i] % GAINS;
        outcome o;

        if (!can_ask(b, t) || n % t->every != 0)
            continue;
        o = t->ask(b, b->steps[0], b->steps[g]);
        if (o.claim == CLAIM_FAILED) {
            fprintf(stderr, "commands_bench: %s gave no answer\n", t->name);
            return false;
        }
        count(&tallies[drawn[i] / GAINS][g], &o, gains[g], t->threshold);
    }
    return true;
}

static void print(const bench *b, const char *condition, tally tallies[TOOLS][GAINS])
{
    printf("\n%s\n%-37s %5s %4s %6s %6s %6s %7s %8s\n", condition, "tool", "gain", "n", "right", "wrong", "open",
           "runs", "seconds");
    for (int i = 0; i < TOOLS; i++) {
        if (!can_ask(b, &tools[i]))
            continue;
        for (int g = 0; g < GAINS; g++) {
            const tally *t = &tallies[i][g];

            if (t->asked == 0)
                continue;
            printf("%-37s %4.0f%% %4d %5.0f%% %5.0f%% %5.0f%% %7.0f %8.2f\n", tools[i].name, 100 * gains[g], t->asked,
                   100. * t->right / t->asked, 100. * t->wrong / t->asked,
                   100. * (t->asked - t->right - t->wrong) / t->asked, t->runs / t->asked, t->seconds / t->asked);
        }
    }
}

/* ---- the same program against itself ---- */

static bool time_runs(const bench *b, double *times)
{
    const char *const argv[] = {b->spin, b->steps[0], NULL};

    for (int i = 0; i < SELF_RUNS; i++) {
        sy_text out = SY_TEXT_INIT;
        double from = seconds_now();
        bool ran = run(argv, &out);

        times[i] = seconds_now() - from;
        sy_text_finish(&out);
        if (!ran)
            return false;
    }
    return true;
}

static double mean_of(const double *times)
{
    double sum = 0;

    for (int i = 0; i < SELF_RUNS; i++)
        sum += times[i] / SELF_RUNS;
    return sum;
}

/* Ten runs, then ten more: how often do their means, their medians differ by more than 1 %? */
static bool against_itself(const bench *b, int tries)
{
    int means = 0;
    int medians = 0;

    for (int n = 0; n < tries; n++) {
        double times[2][SELF_RUNS];

        if (!time_runs(b, times[0]) || !time_runs(b, times[1]))
            return false;
        means += fabs(mean_of(times[1]) / mean_of(times[0]) - 1) > .01;
        if (sy_order_sort(times[0], SELF_RUNS, NULL) != SY_OK || sy_order_sort(times[1], SELF_RUNS, NULL) != SY_OK)
            return false;
        medians += fabs(sy_order_median(times[1], SELF_RUNS) / sy_order_median(times[0], SELF_RUNS) - 1) > .01;
    }
    printf(
        "the same program, ten runs and ten runs, %d times: means differ by more than 1 %% in %.0f %%, medians in %.0f "
        "%%\n",
        tries, 100. * means / tries, 100. * medians / tries);
    return true;
}

/* ---- */

static sy_process *start_load(const bench *b)
{
    const char *const argv[] = {"taskset", "-c", "1", b->spin, "forever", NULL};
    sy_process_options options = SY_PROCESS_OPTIONS_INIT;
    sy_process *load = NULL;
    sy_error err = SY_ERROR_INIT;

    options.argv = argv;
    if (sy_process_start(&options, &load, &err) != SY_OK)
        fprintf(stderr, "commands_bench: no load: %s\n", err.what);
    return load;
}

/* Steps of the programs: the reference takes 16 ms, the others so much less. */
static bool choose_steps(bench *b)
{
    char ms[16];
    const char *const argv[] = {b->spin, "steps", ms, NULL};
    sy_text out = SY_TEXT_INIT;
    double steps = 0;

    (void)snprintf(ms, sizeof ms, "%g", program_ms);
    if (run(argv, &out))
        steps = strtod(sy_text_bytes(&out), NULL);
    sy_text_finish(&out);
    for (int g = 0; g < GAINS; g++)
        (void)snprintf(b->steps[g], sizeof b->steps[g], "%.0f", steps * (1 - gains[g]));
    return steps > 1000;
}

static bool bench_all(bench *b, int tries, uint64_t seed)
{
    static tally tallies[2][TOOLS][GAINS];
    bool has_other = sysconf(_SC_NPROCESSORS_ONLN) > 1;
    bool fine = true;
    sy_random order;

    sy_random_start(&order, seed, "commands-bench");
    for (int n = 0; n < tries && fine; n++) {
        for (int loaded = 0; loaded <= has_other && fine; loaded++) {
            sy_process *load = loaded ? start_load(b) : NULL;

            fine = (!loaded || load != NULL) && try_all(b, n, &order, tallies[loaded]);
            sy_process_destroy(load);
        }
        fprintf(stderr, "\r%d of %d tries ", n + 1, tries);
    }
    fputc('\n', stderr);
    for (int loaded = 0; loaded <= has_other && fine; loaded++) {
        sy_process *load = loaded ? start_load(b) : NULL;

        print(b, loaded ? "another processor at work" : "nothing else running", tallies[loaded]);
        fine = against_itself(b, 2 * tries);
        sy_process_destroy(load);
    }
    if (!has_other)
        printf("skipped: with another processor at work: there is one only\n");
    return fine;
}

int main(int argc, char **argv)
{
    static const char *const hyperfine[] = {"hyperfine", "--version", NULL};
    bench b = {NULL, NULL, NULL, false, "/tmp/commands_bench_XXXXXX", {""}};
    int tries = argc > 4 ? (int)strtol(argv[4], NULL, 10) : 12;
    uint64_t seed = argc > 5 ? strtoull(argv[5], NULL, 10) : 1;
    int fd;
    bool fine;

    if (argc < 4 || tries < 1) {
        fprintf(stderr, "usage: commands_bench STEELYARD SPIN_PROGRAM SPIN_GOOGLE|- [TRIES [SEED]]\n");
        return 2;
    }
    b.steelyard = argv[1];
    b.spin = argv[2];
    b.google = strcmp(argv[3], "-") != 0 ? argv[3] : NULL;
    b.has_hyperfine = is_there(hyperfine);
    if (!b.has_hyperfine)
        printf("skipped: hyperfine: it is not installed\n");
    if (b.google == NULL)
        printf("skipped: google-benchmark: its library or a C++ compiler is not installed\n");
    fd = mkstemp(b.export_path);
    if (fd < 0 || !choose_steps(&b)) {
        fprintf(stderr, "commands_bench: no temporary file, or no spin program\n");
        return EXIT_FAILURE;
    }
    close(fd);
    printf("%d tries, seed %llu; the reference runs %s steps\n", tries, (unsigned long long)seed, b.steps[0]);
    fine = bench_all(&b, tries, seed);
    (void)unlink(b.export_path);
    return fine ? EXIT_SUCCESS : EXIT_FAILURE;
}
