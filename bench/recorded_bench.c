/* SPDX-License-Identifier: Apache-2.0 */
/* The decision rule on recorded GPU timings: each configuration of an auto-tuning file was run some 32 times in a row;
 * those runs are the slots of one probe, and the candidate takes a known share of them. Reads one JSON document
 * (a Kernel Tuner cache or a T4 results file) from standard input and prints one line; recorded.sh makes the table. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "rule_play.h"

enum { PAIRS = 16, SLOTS = 2 * PAIRS };

static const double improvement = 0.01;
static const double points_above[] = {-1, 0, 2};

enum { GAINS = sizeof points_above / sizeof *points_above };

typedef struct tally {
    uint32_t probes;
    uint32_t won[GAINS]; /* after the guards */
    uint32_t blocks_won[GAINS];
    uint32_t abba_won[GAINS];
    uint64_t pairs[GAINS];
    uint32_t right_wins; /* at X + 2 points, before the guards */
    uint32_t order;      /* of these, overturned by the guard */
    uint32_t drift;
    uint32_t carry_over;
} tally;

static bool read_slots(const sy_json_value *times, double *slots)
{
    uint32_t count = 0;

    if (times == NULL || times->kind != SY_JSON_ARRAY)
        return false;
    for (const sy_json_value *time = times->first; time != NULL && count < SLOTS; time = time->next) {
        if (time->kind != SY_JSON_NUMBER || !(isfinite(time->number) && time->number > 0))
            return false;
        slots[count++] = time->number;
    }
    return count == SLOTS;
}

/* The control is played on the runs of the configuration before. */
static sy_status play_one(const double *slots, const double *control_slots, sy_random *order, sy_random *coins,
                          tally *counted, sy_error *err)
{
    for (size_t g = 0; g < GAINS; g++) {
        double gain = improvement + points_above[g] / 100;
        sy_carry_over control;
        const rule_play play = {PAIRS, improvement, .05, .2, slots, gain, &control, NULL};
        sy_rule_state before;
        sy_rule_state after;
        sy_status status = rule_play_control(control_slots, gain, order, &control, err);

        if (status == SY_OK)
            status = rule_play_pairs(&play, coins, &before, &after, err);
        if (status != SY_OK)
            return status;
        counted->won[g] += after.answer == SY_RULE_WIN;
        counted->pairs[g] += after.rounds;
        counted->blocks_won[g] += rule_play_blocks(&play);
        counted->abba_won[g] += rule_play_abba(&play);
        if (points_above[g] > 0 && before.answer == SY_RULE_WIN) {
            counted->right_wins++;
            counted->order += strcmp(after.reason, "order") == 0;
            counted->carry_over += strcmp(after.reason, "carry-over") == 0;
            counted->drift += strcmp(after.reason, "drift") == 0;
        }
    }
    counted->probes++;
    return SY_OK;
}

static sy_status play_document(const sy_json_value *root, uint64_t seed, tally *counted, sy_error *err)
{
    const sy_json_value *cache = sy_json_member(root, "cache");
    const sy_json_value *list = cache != NULL ? cache : sy_json_member(root, "results");
    double slots[2][SLOTS]; /* of this configuration and of the one before */
    uint32_t read = 0;
    sy_random order;
    sy_random coins;

    sy_random_start(&order, seed, "order");
    sy_random_start(&coins, seed, "coins");
    for (const sy_json_value *entry = list == NULL ? NULL : list->first; entry != NULL; entry = entry->next) {
        const sy_json_value *times = sy_json_member(entry, "times");
        sy_status status;

        if (cache == NULL)
            times = times == NULL ? NULL : sy_json_member(times, "runtimes");
        if (!read_slots(times, slots[read % 2]) || read++ == 0)
            continue;
        status = play_one(slots[(read - 1) % 2], slots[read % 2], &order, &coins, counted, err);
        if (status != SY_OK)
            return status;
    }
    return SY_OK;
}

static char *read_all(FILE *file, size_t *ret_size)
{
    size_t capacity = (size_t)1 << 20;
    size_t size = 0;
    char *bytes = sy_allocate(capacity, 1);

    while (bytes != NULL) {
        char *grown;

        size += fread(bytes + size, 1, capacity - size, file);
        if (size < capacity)
            break;
        grown = sy_reallocate(bytes, capacity *= 2, 1);
        if (grown == NULL)
            sy_free(bytes);
        bytes = grown;
    }
    *ret_size = size;
    return bytes;
}

static void print_tally(const char *name, const tally *t)
{
    double share = 100. / t->probes;

    printf("%-25s %6u | %5.2f %5.1f %5.1f %5.1f |", name, t->probes, t->won[0] * share, t->won[1] * share,
           t->won[2] * share, (double)t->pairs[2] / t->probes);
    printf(" %5.1f %5.1f %5.1f | %5.1f %5.1f %5.1f |", t->blocks_won[0] * share, t->blocks_won[1] * share,
           t->blocks_won[2] * share, t->abba_won[0] * share, t->abba_won[1] * share, t->abba_won[2] * share);
    share = t->right_wins == 0 ? 0 : 100. / t->right_wins;
    printf(" %5.2f %5.2f %5.2f\n", t->order * share, t->drift * share, t->carry_over * share);
}

int main(int argc, char **argv)
{
    const sy_json_limits limits = SY_JSON_LIMITS_INIT;
    tally counted = {0};
    sy_error err = SY_ERROR_INIT;
    sy_json *json = NULL;
    size_t size = 0;
    char *bytes;
    sy_status status;

    if (argc != 2) {
        fprintf(stderr, "usage: recorded_bench NAME < FILE.json\n");
        return 2;
    }
    bytes = read_all(stdin, &size);
    if (bytes == NULL) {
        fprintf(stderr, "recorded_bench: no memory for standard input\n");
        return EXIT_FAILURE;
    }
    status = sy_json_parse(bytes, size, &limits, &json, &err);
    sy_free(bytes);
    if (status == SY_OK)
        status = play_document(sy_json_root(json), 1, &counted, &err);
    sy_json_destroy(json);
    if (status == SY_OK && counted.probes == 0)
        printf("%-25s skipped: no configuration with %d times\n", argv[1], SLOTS);
    else if (status == SY_OK)
        print_tally(argv[1], &counted);
    else
        fprintf(stderr, "recorded_bench: %s: %s\n", argv[1], err.what);
    return status == SY_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
