/* SPDX-License-Identifier: Apache-2.0 */
/* Is oneDNN's first choice the fastest here; how often not, and by how much? Every implementation that it lists for a
 * case is run in one process, in drawn order; the fastest of the others then meets the first choice in fresh pairs
 * whose order a coin decides. Twice: the convolution alone, in its own layouts, and as a caller with plain tensors pays
 * for it. Usage: onednn_choice [CASES [SECONDS [THREADS]]], by default all cases, 3 s for each case and question, as
 * many threads as the process may use. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <steelyard/steelyard.h>

#include "backends/cpu/convolution/cpu_onednn.h"
#include "backends/graph.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "operations/fill.h"
#include "stats/order.h"
#include "stats/quantile.h"

enum { CONTENDERS_MAX = 32, ROUNDS_MAX = 9, PAIRS_MAX = 41, CASES_MAX = 64 };
#define SLOT_NS 1e6      /* at least so long is timed at once */
#define HOPELESS 6.0     /* times as slow as the first choice: left out after three runs */
#define LONG_NS 5e7      /* a run of so long needs no other before it */
#define IMPROVEMENT 0.03 /* less is not worth a word */
#define METADATA ((uint64_t)1 << 20)

typedef struct contender {
    char name[64];
    bool is_winograd;
    sy_graph *graph;
    sy_cpu_onednn *onednn;
    uint32_t batch;
    double once_ns;
    double times[ROUNDS_MAX];
} contender;

/* What was found of one rival of the first choice: gains as shares of the first choice's time. */
typedef struct verdict {
    char name[64]; /* "" = there is none */
    double gain;
    double low; /* of a 95 % interval of the median; -INFINITY = too few pairs */
    double high;
} verdict;

typedef struct row {
    const char *case_name;
    char first[64];
    double first_ns;
    verdict direct;   /* the fastest of the others with the direct algorithm */
    verdict winograd; /* the fastest by Winograd */
} row;

typedef struct bench {
    sy_device *device;
    sy_random random;
    double seconds;
    bool is_alone;
    contender contenders[CONTENDERS_MAX];
    size_t count; /* the first choice is number 0 */
} bench;

static sy_status run_once(const bench *b, const contender *c, sy_error *err)
{
    return b->is_alone ? sy_cpu_onednn_run_alone(c->onednn, err) : sy_cpu_onednn_run(c->onednn, err);
}

/* One untimed run where a run is short, so that caches hold what it left; then `count` timed ones; nanoseconds a run.
 */
static sy_status time_slot(const bench *b, const contender *c, uint32_t count, double *ret_ns, sy_error *err)
{
    sy_status status = c->once_ns < LONG_NS ? run_once(b, c, err) : SY_OK;
    uint64_t start = sy_clock_now(&sy_clock_system);
    for (uint32_t i = 0; i < count && !status; i++)
        status = run_once(b, c, err);
    *ret_ns = (double)(sy_clock_now(&sy_clock_system) - start) / count;
    return status;
}

/* ---- one case ---- */

static void drop(contender *c)
{
    sy_graph_destroy(c->graph);
    memset(c, 0, sizeof(*c));
}

static sy_status start_contender(bench *b, const sy_case *c, const char *name, contender *to, sy_error *err)
{
    sy_status status = sy_graph_create(b->device, METADATA, &to->graph, err);
    if (!status)
        status = sy_cpu_onednn_build(c, name, to->graph, &to->onednn, err);
    if (status || !to->onednn)
        return status;
    status = sy_graph_allocate(to->graph, err);
    for (uint32_t i = 0; i < 2 && !status; i++) {
        sy_tensor *input = sy_graph_input_at(to->graph, i);
        status = sy_fill_input(SY_FILL_REAL, 1, i, c, sy_tensor_description(input), sy_tensor_address(input), err);
    }
    if (!status)
        status = sy_cpu_onednn_run(to->onednn, err); /* its code is made, and its own layouts are filled */
    to->once_ns = INFINITY;
    for (int i = 0; i < 3 && !status && (i == 0 || to->once_ns < LONG_NS); i++) {
        double once = 0;
        status = time_slot(b, to, 1, &once, err);
        to->once_ns = fmin(to->once_ns, once);
    }
    (void)snprintf(to->name, sizeof(to->name), "%s", sy_cpu_onednn_name(to->onednn));
    to->is_winograd = strstr(to->name, "wino") != NULL;
    to->batch = to->once_ns < SLOT_NS ? (uint32_t)(SLOT_NS / fmax(to->once_ns, 100)) + 1 : 1;
    return status;
}

/* The first choice, then the others that are listed and not hopeless. */
static sy_status start_case(bench *b, const sy_suite *suite, const sy_case *c, sy_error *err)
{
    b->count = 0;
    sy_status status = start_contender(b, c, SY_CPU_ONEDNN_FIRST, &b->contenders[0], err);
    if (status)
        return status;
    b->count = 1;
    for (size_t i = 0; i < suite->implementation_count && b->count < CONTENDERS_MAX && !status; i++) {
        const sy_implementation *one = &suite->implementations[i];
        contender *to = &b->contenders[b->count];
        if (!one->listed || one->only_if_named ||
            strcmp(one->name + strlen(SY_CPU_ONEDNN_PREFIX), b->contenders[0].name) == 0)
            continue;
        status = start_contender(b, c, one->name, to, err);
        if (!status && to->onednn && to->once_ns < HOPELESS * b->contenders[0].once_ns)
            b->count++;
        else
            drop(to);
    }
    return status;
}

static void finish_case(bench *b)
{
    for (size_t i = 0; i < b->count; i++)
        drop(&b->contenders[i]);
    b->count = 0;
}

/* Everybody once in each round, in drawn order. */
static sy_status compare_all(bench *b, sy_error *err)
{
    double total_ns = 0;
    sy_status status = SY_OK;
    for (size_t i = 0; i < b->count; i++)
        total_ns += b->contenders[i].once_ns * (b->contenders[i].batch + 1);
    size_t rounds = (size_t)fmin(fmax(b->seconds * 0.4e9 / total_ns, 2), ROUNDS_MAX);
    for (size_t round = 0; round < rounds && !status; round++) {
        uint32_t order[CONTENDERS_MAX];
        sy_random_permutation(&b->random, order, (uint32_t)b->count);
        for (size_t n = 0; n < b->count && !status; n++) {
            contender *c = &b->contenders[order[n]];
            status = time_slot(b, c, c->batch, &c->times[round], err);
        }
    }
    for (size_t i = 0; i < b->count && !status; i++) {
        status = sy_order_sort(b->contenders[i].times, rounds, err);
        b->contenders[i].once_ns = sy_order_median(b->contenders[i].times, rounds);
    }
    return status;
}

static const contender *fastest(const bench *b, bool is_winograd)
{
    const contender *best = NULL;
    for (size_t i = 1; i < b->count; i++) {
        const contender *c = &b->contenders[i];
        if (c->is_winograd == is_winograd && (!best || c->once_ns < best->once_ns))
            best = c;
    }
    return best;
}

/* Fresh pairs of the first choice and a rival. */
static sy_status weigh_rival(bench *b, const contender *rival, row *r, verdict *to, sy_error *err)
{
    double ratios[PAIRS_MAX];
    double firsts[PAIRS_MAX];
    sy_quantile_ranks ranks;
    const contender *first = &b->contenders[0];
    double pair_ns = first->once_ns * (first->batch + 1) + rival->once_ns * (rival->batch + 1);
    size_t pairs = (size_t)fmin(fmax(b->seconds * 0.3e9 / pair_ns, 9), PAIRS_MAX);
    sy_status status = SY_OK;
    for (size_t i = 0; i < pairs && !status; i++) {
        double first_ns = 0;
        double rival_ns = 0;
        bool first_leads = sy_random_coin(&b->random);
        status = first_leads ? time_slot(b, first, first->batch, &first_ns, err)
                             : time_slot(b, rival, rival->batch, &rival_ns, err);
        if (!status)
            status = first_leads ? time_slot(b, rival, rival->batch, &rival_ns, err)
                                 : time_slot(b, first, first->batch, &first_ns, err);
        ratios[i] = log(first_ns) - log(rival_ns);
        firsts[i] = first_ns;
    }
    if (!status)
        status = sy_order_sort(ratios, pairs, err);
    if (!status)
        status = sy_order_sort(firsts, pairs, err);
    if (!status)
        status = sy_quantile_find_ranks(pairs, 0.5, 0.95, &ranks, err);
    if (status)
        return status;
    (void)snprintf(to->name, sizeof(to->name), "%s", rival->name);
    to->gain = 1 - exp(-sy_order_median(ratios, pairs));
    to->low = ranks.low > 0 ? 1 - exp(-ratios[ranks.low - 1]) : -INFINITY;
    to->high = ranks.high > 0 ? 1 - exp(-ratios[ranks.high - 1]) : 1;
    r->first_ns = sy_order_median(firsts, pairs);
    return SY_OK;
}

static sy_status weigh_case(bench *b, const sy_suite *suite, const sy_case *c, row *r, sy_error *err)
{
    sy_status status = start_case(b, suite, c, err);
    if (!status && b->count == 0)
        status = sy_fail(err, SY_UNAVAILABLE, "%s: oneDNN lists nothing", c->name);
    if (!status)
        status = compare_all(b, err);
    if (!status) {
        const contender *direct = fastest(b, false);
        const contender *winograd = fastest(b, true);
        r->case_name = c->name;
        r->first_ns = b->contenders[0].once_ns;
        (void)snprintf(r->first, sizeof(r->first), "%s", b->contenders[0].name);
        if (winograd)
            status = weigh_rival(b, winograd, r, &r->winograd, err);
        if (direct && !status)
            status = weigh_rival(b, direct, r, &r->direct, err);
    }
    finish_case(b);
    return status;
}

/* ---- the answer ---- */

static void print_verdict(const verdict *v)
{
    if (v->name[0])
        printf(" %-29s %6.1f %% (%6.1f .. %5.1f)", v->name, 100 * v->gain, 100 * v->low, 100 * v->high);
    else
        printf(" %-29s %8s %17s", "none", "", "");
}

static void print_row(const row *r)
{
    printf("%-32s %-26s %9.0f us |", r->case_name, r->first, r->first_ns / 1e3);
    print_verdict(&r->direct);
    printf(" |");
    print_verdict(&r->winograd);
    printf("\n");
}

/* How often the best of some rivals beats the first choice, surely and by enough, and by how much. */
static void summarise(const row *rows, size_t count, bool with_winograd)
{
    double gains[CASES_MAX];
    double saved = 0;
    size_t beaten = 0;
    for (size_t i = 0; i < count; i++) {
        const verdict *v = &rows[i].direct;
        if (with_winograd && rows[i].winograd.name[0] && (!v->name[0] || rows[i].winograd.gain > v->gain))
            v = &rows[i].winograd;
        if (!v->name[0] || !(v->low > 0) || !(v->gain >= IMPROVEMENT))
            continue;
        gains[beaten++] = v->gain;
        saved -= log1p(-v->gain);
    }
    printf("%s: another is faster by %.0f %% or more in %zu of %zu cases",
           with_winograd ? "Winograd too" : "direct alone", 100 * IMPROVEMENT, beaten, count);
    if (beaten > 0 && sy_order_sort(gains, beaten, NULL) == SY_OK)
        printf(", there by %.1f %% in the median and %.1f %% at most; over all cases the best choice saves %.1f %%",
               100 * sy_order_median(gains, beaten), 100 * gains[beaten - 1], 100 * (1 - exp(-saved / (double)count)));
    printf("\n");
}

static sy_status weigh_all(bench *b, const sy_suite *suite, const size_t *chosen, size_t count, sy_error *err)
{
    static row rows[CASES_MAX];
    sy_status status = SY_OK;
    memset(rows, 0, sizeof(rows));
    printf("\n%s: gain over the first choice, median and 95 %% interval\n",
           b->is_alone ? "the convolution alone, in its own layouts" : "plain tensors in and out, copies included");
    printf("%-32s %-26s %12s | %-29s %26s | %-29s\n", "case", "first choice", "", "fastest other, direct", "",
           "fastest by Winograd");
    for (size_t i = 0; i < count && !status; i++) {
        status = weigh_case(b, suite, &suite->cases[chosen[i]], &rows[i], err);
        if (!status)
            print_row(&rows[i]);
        (void)fflush(stdout);
    }
    if (!status) {
        summarise(rows, count, false);
        summarise(rows, count, true);
    }
    return status;
}

int main(int argc, char **argv)
{
    static bench b;
    const char *pattern = argc > 1 ? argv[1] : "all";
    const sy_suite *suite = NULL;
    size_t chosen[CASES_MAX];
    size_t count = 0;
    sy_error err = SY_ERROR_INIT;
    sy_device_options options = SY_DEVICE_OPTIONS_INIT;
    options.threads = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 0;
    b.seconds = argc > 2 ? strtod(argv[2], NULL) : 3;
    sy_random_start(&b.random, 1, "coins");
    sy_status status = b.seconds > 0 ? sy_device_open("cpu", &options, &b.device, &err)
                                     : sy_fail(&err, SY_INVALID_ARGUMENT, "SECONDS must be above 0");
    if (!status)
        status = sy_device_suite(b.device, "convolution", &suite, &err);
    if (!status && suite->case_count > CASES_MAX)
        status = sy_fail(&err, SY_LIMIT_EXCEEDED, "more than %d cases", CASES_MAX);
    if (!status)
        status = sy_suite_select_cases(suite, &pattern, 1, chosen, &count, &err);
    for (int alone = 1; alone >= 0 && !status; alone--) {
        b.is_alone = alone != 0;
        status = weigh_all(&b, suite, chosen, count, &err);
    }
    if (status)
        fprintf(stderr, "onednn_choice: %s\n", err.what);
    sy_device_close(b.device);
    return status ? 1 : 0;
}
