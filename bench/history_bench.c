/* SPDX-License-Identifier: Apache-2.0 */
/* Change points on real histories: false alarms on shuffled windows, precision and recall of planted steps, time; and
 * what becomes of changes that are reported while a history grows.
 * history_bench FILE [SEED]: FILE has lines `series,date,value`, a series' values together and in order. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "history_live.h"

#include "base/random.h"
#include "base/text.h"
#include "stats/rank_scan.h"

enum {
    WINDOW = 60,
    GROWN = 100,
    GROWN_MIDDLE = 50,
    BLOCK = 10,
    MIDDLE = 30,
    NEAR = 2,
    SERIES_MAX = 1000,
    VALUES_MAX = 10000000
};

typedef struct histories {
    double *logarithms;
    size_t count;
    size_t starts[SERIES_MAX + 1];
    size_t series_count;
} histories;

static bool read_histories(const char *path, histories *ret)
{
    char line[512], last[512] = "";
    FILE *file = fopen(path, "r");

    ret->logarithms = malloc(VALUES_MAX * sizeof *ret->logarithms);
    if (file == NULL || ret->logarithms == NULL)
        return false;
    while (fgets(line, sizeof line, file) != NULL && ret->count < VALUES_MAX) {
        char *first = strchr(line, ',');
        char *second = first != NULL ? strchr(first + 1, ',') : NULL;
        double value = 0;

        if (second == NULL)
            continue;
        *first = '\0';
        second[1 + strcspn(second + 1, "\r\n")] = '\0';
        if (sy_parse_double(second + 1, &value, NULL) != SY_OK || !(value > 0))
            continue;
        if (strcmp(line, last) != 0 && ret->series_count < SERIES_MAX) {
            (void)sy_text_copy(last, sizeof last, line);
            ret->starts[ret->series_count++] = ret->count;
        }
        ret->logarithms[ret->count++] = log(value);
    }
    ret->starts[ret->series_count] = ret->count;
    (void)fclose(file);
    return ret->series_count > 0;
}

typedef struct tally {
    size_t windows, alarmed, hits, false_places;
    double seconds;
} tally;

typedef enum order { ORDER_VALUES, ORDER_BLOCKS, ORDER_RECORDED } order;
static const char *const order_words[] = {"values", "blocks", "recorded"};

/* count: a multiple of BLOCK, at most HISTORY_LIVE_MAX. */
static void shuffle(sy_random *random, order how, uint32_t *places, uint32_t count)
{
    uint32_t parts[HISTORY_LIVE_MAX];

    if (how == ORDER_VALUES) {
        sy_random_permutation(random, places, count);
        return;
    }
    sy_random_permutation(random, parts, count / BLOCK);
    for (uint32_t i = 0; i < count; i++)
        places[i] = how == ORDER_BLOCKS ? parts[i / BLOCK] * BLOCK + i % BLOCK : i;
}

static void look(const double *values, const sy_rank_scan_options *options, tally *t)
{
    sy_change_list list;
    bool hit = false;
    clock_t start = clock();

    if (sy_rank_scan(values, WINDOW, options, &list, NULL) != SY_OK)
        abort();
    t->seconds += (double)(clock() - start) / CLOCKS_PER_SEC;
    t->windows++;
    t->alarmed += list.count > 0;
    for (size_t i = 0; i < list.count; i++) {
        size_t at = list.changes[i].at;
        bool near = at + NEAR >= MIDDLE && at <= MIDDLE + NEAR;

        t->false_places += !near || hit;
        hit = hit || near;
    }
    t->hits += hit;
    sy_change_list_finish(&list);
}

static tally play(const histories *h, uint64_t seed, sy_rank_scan_level level, order how, double step)
{
    const sy_rank_scan_options options = {level, log1p(0.02), 0, NULL, 0};
    tally t = {0, 0, 0, 0, 0};
    sy_random random;

    sy_random_start(&random, seed, "history-bench");
    for (size_t s = 0; s < h->series_count; s++) {
        for (size_t from = h->starts[s]; from + WINDOW <= h->starts[s + 1]; from += WINDOW) {
            uint32_t places[WINDOW];
            double values[WINDOW];

            shuffle(&random, how, places, WINDOW);
            for (size_t i = 0; i < WINDOW; i++)
                values[i] = h->logarithms[from + places[i]] + (i >= MIDDLE ? log1p(step) : 0);
            look(values, &options, &t);
        }
    }
    return t;
}

static void print_scan(const histories *h, uint64_t seed, sy_rank_scan_level level, order how, double step)
{
    tally t = play(h, seed, level, how, step);
    double precision = (double)t.hits / (double)(t.hits + t.false_places);
    double recall = (double)t.hits / (double)t.windows;

    printf("%-5s  %-8s  %3.0f %%  %7zu  %5.2f %%", level == SY_RANK_SCAN_01 ? "1 %" : ".1 %", order_words[how],
           100 * step, t.windows, 100 * (double)t.alarmed / (double)t.windows);
    if (step > 0)
        printf("  %9.3f  %6.3f  %4.3f", precision, recall, 2 * precision * recall / (precision + recall));
    else
        printf("  %9s  %6s  %5s", "-", "-", "-");
    printf("  %11.1f\n", 1e6 * t.seconds / (double)t.windows);
}

/* Every second window, which grows from its tenth value to its hundredth and is looked at after each. */
static void print_live(const histories *h, uint64_t seed, double alpha, order how, double step)
{
    history_live sum = {0};
    size_t windows = 0;
    sy_random random;

    sy_random_start(&random, seed, "history-bench-live");
    for (size_t s = 0; s < h->series_count; s++) {
        for (size_t from = h->starts[s]; from + GROWN <= h->starts[s + 1]; from += 2 * GROWN) {
            uint32_t places[GROWN];
            double values[GROWN];

            shuffle(&random, how, places, GROWN);
            for (size_t i = 0; i < GROWN; i++)
                values[i] = exp(h->logarithms[from + places[i]]) * (i >= GROWN_MIDDLE ? 1 + step : 1);
            history_live one = history_live_play(values, GROWN, alpha);
            history_live_add(&sum, &one);
            windows++;
        }
    }
    double reported = (double)sum.reported / 100;
    printf("%-5s  %-8s  %3.0f %%  %7zu  %5.2f %%  %8zu  %5.2f %%  %5.2f %%  %7.2f %%  %9.1f\n",
           alpha == .01 ? "1 %" : ".1 %", order_words[how], 100 * step, windows,
           100 * (double)sum.alarmed / (double)windows, sum.reported, (double)sum.refuted / reported,
           (double)sum.moved / reported, (double)sum.confirmed / reported, 1e6 * sum.seconds / (double)sum.looks);
}

int main(int argc, char **argv)
{
    static const double steps[] = {0, 0.05, 0.1, 0.2};
    static const double alphas[] = {.01, .001};
    enum { STEPS = sizeof steps / sizeof steps[0] };
    static histories h;
    uint64_t seed = 1;

    if (argc < 2 || argc > 3 || (argc == 3 && sy_parse_u64(argv[2], &seed, NULL) != SY_OK)) {
        fputs("usage: history_bench FILE [SEED]\n", stderr);
        return 2;
    }
    if (!read_histories(argv[1], &h)) {
        fprintf(stderr, "history_bench: no histories in '%s'\n", argv[1]);
        return 4;
    }
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    printf("%zu values, %zu series\n", h.count, h.series_count);
    puts("level  shuffled  step  windows  alarmed  precision  recall    F1  us a window");
    for (sy_rank_scan_level level = SY_RANK_SCAN_01; level <= SY_RANK_SCAN_001; level++) {
        for (order how = ORDER_VALUES; how <= ORDER_BLOCKS; how++) {
            for (size_t i = 0; i < STEPS; i++)
                print_scan(&h, seed, level, how, steps[i]);
        }
    }
    puts(
        "\nlooked at after each value, 10 to 100: changes reported, of these refuted, moved by more than 2, confirmed");
    puts("level  shuffled  step  windows  alarmed  reported  refuted    moved  confirmed  us a look");
    for (size_t level = 0; level < 2; level++) {
        for (order how = ORDER_VALUES; how <= ORDER_RECORDED; how++) {
            for (size_t i = 0; i < (alphas[level] == .001 ? STEPS : 1); i++)
                print_live(&h, seed, alphas[level], how, steps[i]);
        }
    }
    free(h.logarithms);
    return 0;
}
