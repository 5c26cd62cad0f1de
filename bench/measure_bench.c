/* SPDX-License-Identifier: Apache-2.0 */
/* What a measurement claims, on simulated runs: how often the interval holds the true median, how often a finding is
 * false where nothing is there, and how often it is made where something is. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "stats/order.h"
#include "stats/series.h"

enum { RUNS_MAX = 200, LARGE = 400001 };

/* The models of docs/statistics.md: scatter, spikes, ramp, wandering, jumps. */
typedef struct noise_model {
    const char *name;
    double s;
    double p;
    double q;
    double r;
    double a;
    double j;
} noise_model;

static const noise_model models[] = {
    {"quiet", .005, .02, .05, 0, 0, 0},
    {"drifting", .01, .05, .05, .08, .003, .03},
    {"bad", .03, .1, .1, .15, .006, .05},
    {"cold", .01, .05, .05, -.3, 0, 0},
};
enum { MODELS = sizeof(models) / sizeof(models[0]) };

static noise_model without_course(noise_model model)
{
    model.r = model.a = model.j = 0;
    return model;
}

static void play(const noise_model *m, sy_random *random, double *times, size_t count)
{
    double wander = m->a * sy_random_normal(random) / sqrt(1 - .95 * .95);
    double jump = 0;

    for (size_t i = 0; i < count; i++) {
        wander = .95 * wander + m->a * sy_random_normal(random);
        if (sy_random_unit(random) < .01)
            jump = m->j * sy_random_normal(random);
        times[i] = 1e6 * exp(m->r * (1 - exp(-(double)i / 40)) + wander + jump + m->s * sy_random_normal(random));
        if (sy_random_unit(random) < m->p)
            times[i] *= 1 + m->q * pow(1 - sy_random_unit(random), -1 / 1.5);
        times[i] = round(times[i]); /* whole nanoseconds */
    }
}

static double true_median(const noise_model *model)
{
    sy_random random;
    double *times = sy_allocate(LARGE, sizeof *times);
    double median = NAN;

    sy_random_start(&random, 99, model->name);
    if (times != NULL) {
        play(model, &random, times, LARGE);
        if (sy_order_sort(times, LARGE, NULL) == SY_OK)
            median = sy_order_median(times, LARGE);
    }
    sy_free(times);
    return median;
}

typedef struct tally {
    unsigned held;
    unsigned warm_up;
    unsigned course;
    unsigned modes;
    unsigned correlated;
    unsigned step;
    unsigned headline; /* anything that takes the median's place, or a warm-up */
    double level;
} tally;

static bool count(const double *times, size_t runs, double median, tally *to)
{
    static const sy_series_options options = SY_SERIES_OPTIONS_INIT;
    sy_series series;
    const sy_series_quantile *q = &series.quantiles[SY_SERIES_MEDIAN];

    if (sy_series_describe(times, runs, &options, &series, NULL) != SY_OK)
        return false;
    to->held += q->low <= median && median <= q->high;
    to->level += q->level;
    to->warm_up += series.steady_from > 0;
    to->course += series.course != SY_SERIES_LEVEL;
    to->modes += series.lower_mode_count > 0;
    to->correlated += series.correlated;
    to->step += series.step > 0;
    to->headline += series.steady_from > 0 || series.course != SY_SERIES_LEVEL || series.lower_mode_count > 0;
    return true;
}

static double percent(unsigned part, unsigned whole)
{
    return 100. * part / whole;
}

static bool print_line(const noise_model *model, const char *name, size_t runs, unsigned trials, bool stationary)
{
    sy_random random;
    double times[RUNS_MAX];
    tally t = {0};
    double median = stationary ? true_median(model) : NAN;

    sy_random_start(&random, 1, name);
    for (unsigned trial = 0; trial < trials; trial++) {
        play(model, &random, times, runs);
        if (!count(times, runs, median, &t))
            return false;
    }
    printf("%-20s %4zu |", name, runs);
    if (stationary)
        printf(" %5.1f of %5.1f |", percent(t.held, trials), 100 * t.level / trials);
    else
        printf("                |");
    printf(" %6.2f %6.2f %6.2f %6.2f | %6.2f %6.2f\n", percent(t.warm_up, trials), percent(t.course, trials),
           percent(t.modes, trials), percent(t.headline, trials), percent(t.correlated, trials),
           percent(t.step, trials));
    return !stationary || (percent(t.headline, trials) <= 5 && t.held >= t.level - 3 * sqrt(.05 * trials));
}

/* What is put into a quiet series, and whether it is found. */
typedef enum plant { PLANT_FIRST, PLANT_WARM_UP, PLANT_RAMP, PLANT_MODES, PLANT_CLOCK, PLANTS } plant;

static void put_in(plant what, sy_random *random, double *times, size_t runs)
{
    for (size_t i = 0; i < runs; i++) {
        if ((what == PLANT_FIRST && i == 0) || (what == PLANT_MODES && sy_random_unit(random) < .3))
            times[i] *= what == PLANT_FIRST ? 2.2 : 1.15;
        else if (what == PLANT_WARM_UP && i < runs / 6)
            times[i] *= 1.1;
        else if (what == PLANT_RAMP)
            times[i] *= exp(-.05 * (double)i / (double)runs);
        else if (what == PLANT_CLOCK)
            times[i] = round(times[i] / 32) * 32;
    }
}

static bool print_power(const noise_model *model, plant what, size_t runs, unsigned trials)
{
    static const char *const names[PLANTS] = {"first run 2.2 times", "first sixth 10 % slower", "5 % faster by the end",
                                              "30 % of runs 15 % slower", "clock of 32 ns"};
    sy_random random;
    double times[RUNS_MAX];
    tally t = {0};

    sy_random_start(&random, 2, names[what]);
    for (unsigned trial = 0; trial < trials; trial++) {
        play(model, &random, times, runs);
        put_in(what, &random, times, runs);
        if (!count(times, runs, NAN, &t))
            return false;
    }
    const unsigned found[PLANTS] = {t.warm_up, t.warm_up, t.warm_up + t.course, t.modes, t.step};
    printf("%-9s %-26s %4zu | %6.1f\n", model->name, names[what], runs,
           fmin(100, percent(what == PLANT_RAMP ? t.headline : found[what], trials)));
    return true;
}

int main(int argc, char **argv)
{
    static const size_t lengths[] = {10, 20, 60, 200};
    uint64_t trials = 4000;
    bool holds = true;

    if (argc > 1 && sy_parse_u64(argv[1], &trials, NULL) != SY_OK) {
        fputs("measure_bench [TRIALS]\n", stderr);
        return 2;
    }
    printf("%u series a line, level 95 %%, seed 1; in %%\n", (unsigned)trials);
    puts("                          | interval holds | warm-up  trend  modes    any | corr.   step");
    for (size_t m = 0; m < MODELS; m++) {
        noise_model model = without_course(models[m]);
        char name[32];

        for (size_t l = 0; l < 4; l++) {
            (void)snprintf(name, sizeof(name), "%s, stationary", model.name);
            holds = print_line(&model, name, lengths[l], (unsigned)trials, true) && holds;
        }
    }
    puts(holds ? "on stationary noise: at most 5 % false, and the interval holds as often as it says"
               : "on stationary noise: MORE THAN PROMISED");
    for (size_t m = 1; m < 3; m++) {
        noise_model model = models[m];
        char name[32];

        model.r = 0;
        (void)snprintf(name, sizeof(name), "%s, wandering", model.name);
        for (size_t l = 0; l < 4; l++)
            (void)print_line(&model, name, lengths[l], (unsigned)trials, false);
    }
    for (size_t m = 1; m < MODELS; m++) {
        for (size_t l = 0; l < 4; l++)
            (void)print_line(&models[m], models[m].name, lengths[l], (unsigned)trials, false);
    }
    puts("\nfound, in %");
    for (size_t m = 0; m < 3; m++) {
        noise_model model = without_course(models[m]);

        for (int what = 0; what < PLANTS; what++) {
            for (size_t l = 1; l < 3; l++)
                holds = print_power(&model, (plant)what, lengths[l], (unsigned)trials) && holds;
        }
    }
    return holds ? 0 : 1;
}
