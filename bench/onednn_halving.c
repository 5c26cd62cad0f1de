/* SPDX-License-Identifier: Apache-2.0 */
/* What successive halving saves: one probe of nine implementations of oneDNN, its first choice among them, against a
 * probe of each one alone, which gives every candidate a full final. Usage: onednn_halving STEELYARD [CASE [TIMES]]. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <steelyard/steelyard.h>

enum { CANDIDATES_MAX = 9 };

typedef struct cost {
    uint32_t slots;
    uint32_t pairs; /* of finals */
    double timed_s;
    double wall_s;
    const char *winner; /* NULL: the reference stays */
    double gain;
} cost;

static sy_status probe(sy_device *device, const sy_suite *suite, const char *path, const char *case_name,
                       const char *const *names, size_t count, uint64_t seed, cost *to, sy_error *err)
{
    sy_probe_options options = SY_PROBE_OPTIONS_INIT;
    sy_probe_result *result = NULL;
    options.cases = &case_name;
    options.case_count = 1;
    options.implementations = names;
    options.implementation_count = count;
    options.worker_path = path;
    options.seed = seed;
    options.wall_limit_ns = UINT64_C(600000000000);
    options.budget_ns = UINT64_C(300000000000);
    sy_status status = sy_probe(device, suite, &options, &result, err);
    if (status)
        return status;
    to->slots += result->timed_slots;
    to->pairs += result->pairs;
    to->timed_s += (double)result->measured_ns / 1e9;
    to->wall_s += (double)result->wall_ns / 1e9;
    bool is_win = result->completed && result->candidate_faster && (!to->winner || result->gain > to->gain);
    for (size_t i = 0; is_win && i < count; i++) {
        if (strcmp(names[i], result->winner) == 0) {
            to->winner = names[i];
            to->gain = result->gain;
        }
    }
    sy_probe_result_destroy(result);
    return SY_OK;
}

/* The first choice and those that are listed for the case, its own reference implementation last. */
static size_t choose(sy_device *device, const sy_suite *suite, const char *case_name, const char **names)
{
    size_t count = 0;
    const sy_case *c = &suite->cases[0];
    for (size_t i = 0; i < suite->case_count; i++)
        c = strcmp(suite->cases[i].name, case_name) == 0 ? &suite->cases[i] : c;
    for (int last = 0; last < 2; last++) {
        for (uint32_t v = 0; v < suite->implementation_count && count < CANDIDATES_MAX; v++) {
            const sy_implementation *one = &suite->implementations[v];
            sy_availability availability;
            bool is_asked = one->listed ? one->only_if_named == (last == 1)
                                        : last == 0 && strcmp(one->name, "onednn") == 0;
            if (is_asked && sy_probe_supported(device, suite, c, v, &availability, NULL) == SY_OK &&
                availability.available)
                names[count++] = one->name;
        }
    }
    return count;
}

static void print_cost(const char *what, const cost *c)
{
    printf("  %-24s %5u timed slots, %4u pairs of finals, %6.2f s timed, %6.2f s in all, %s %.1f %%\n", what, c->slots,
           c->pairs, c->timed_s, c->wall_s, c->winner ? c->winner : "the reference stays", 100 * c->gain);
}

int main(int argc, char **argv)
{
    const char *names[CANDIDATES_MAX];
    const char *case_name = argc > 2 ? argv[2] : "resnet50-3x3-64-56";
    unsigned long times = argc > 3 ? strtoul(argv[3], NULL, 10) : 3;
    sy_device *device = NULL;
    const sy_suite *suite = NULL;
    sy_error err = SY_ERROR_INIT;
    if (argc < 2) {
        fprintf(stderr, "usage: onednn_halving STEELYARD [CASE [TIMES]]\n");
        return 2;
    }
    sy_status status = sy_device_open("cpu", NULL, &device, &err);
    if (!status)
        status = sy_device_suite(device, "convolution", &suite, &err);
    size_t count = status ? 0 : choose(device, suite, case_name, names);
    printf("%s: %zu candidates beside im2col\n", case_name, count);
    for (unsigned long k = 0; k < times && !status && count > 0; k++) {
        cost halved = {0};
        cost alone = {0};
        status = probe(device, suite, argv[1], case_name, names, count, 2 * k + 1, &halved, &err);
        for (size_t i = 0; i < count && !status; i++)
            status = probe(device, suite, argv[1], case_name, &names[i], 1, 2 * k + 2, &alone, &err);
        if (!status) {
            print_cost("halving", &halved);
            print_cost("each with a full final", &alone);
        }
        (void)fflush(stdout);
    }
    if (status)
        fprintf(stderr, "onednn_halving: %s\n", err.what);
    sy_device_close(device);
    return status ? 1 : 0;
}
