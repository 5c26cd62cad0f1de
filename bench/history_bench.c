/* SPDX-License-Identifier: Apache-2.0 */
/* Change points on real histories: false alarms on shuffled windows, precision and recall of planted steps, time.
 * history_bench FILE [SEED]: FILE has lines `series,date,value`, a series' values together and in order. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/random.h"
#include "base/text.h"
#include "stats/rank_scan.h"

enum { WINDOW = 60, BLOCK = 10, MIDDLE = 30, NEAR = 2, SERIES_MAX = 1000, VALUES_MAX = 10000000 };

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

static void shuffle(sy_random *random, bool blocks, uint32_t *order)
{
    uint32_t parts[WINDOW];

    if (!blocks) {
        sy_random_permutation(random, order, WINDOW);
        return;
    }
    sy_random_permutation(random, parts, WINDOW / BLOCK);
    for (uint32_t i = 0; i < WINDOW; i++)
        order[i] = parts[i / BLOCK] * BLOCK + i % BLOCK;
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

static tally play(const histories *h, uint64_t seed, sy_rank_scan_level level, bool blocks, double step)
{
    const sy_rank_scan_options options = {level, log1p(0.02), 0};
    tally t = {0, 0, 0, 0, 0};
    sy_random random;

    sy_random_start(&random, seed, "history-bench");
    for (size_t s = 0; s < h->series_count; s++) {
        for (size_t from = h->starts[s]; from + WINDOW <= h->starts[s + 1]; from += WINDOW) {
            uint32_t order[WINDOW];
            double values[WINDOW];

            shuffle(&random, blocks, order);
            for (size_t i = 0; i < WINDOW; i++)
                values[i] = h->logarithms[from + order[i]] + (i >= MIDDLE ? log1p(step) : 0);
            look(values, &options, &t);
        }
    }
    return t;
}

int main(int argc, char **argv)
{
    static const double steps[] = {0, 0.05, 0.1, 0.2};
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
    printf("%zu values, %zu series\n", h.count, h.series_count);
    puts("level  shuffled  step  windows  alarmed  precision  recall    F1  us a window");
    for (sy_rank_scan_level level = SY_RANK_SCAN_01; level <= SY_RANK_SCAN_001; level++) {
        for (int blocks = 0; blocks < 2; blocks++) {
            for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
                tally t = play(&h, seed, level, blocks, steps[i]);
                double precision = (double)t.hits / (double)(t.hits + t.false_places);
                double recall = (double)t.hits / (double)t.windows;

                printf("%-5s  %-8s  %3.0f %%  %7zu  %5.2f %%", level == SY_RANK_SCAN_01 ? "1 %" : ".1 %",
                       blocks ? "blocks" : "values", 100 * steps[i], t.windows,
                       100 * (double)t.alarmed / (double)t.windows);
                if (steps[i] > 0)
                    printf("  %9.3f  %6.3f  %4.3f", precision, recall, 2 * precision * recall / (precision + recall));
                else
                    printf("  %9s  %6s  %5s", "-", "-", "-");
                printf("  %11.1f\n", 1e6 * t.seconds / (double)t.windows);
            }
        }
    }
    free(h.logarithms);
    return 0;
}
