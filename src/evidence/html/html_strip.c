/* SPDX-License-Identifier: Apache-2.0 */
/* The samples of a series, however many, as what a strip of a few hundred pixels shows: counts in equal bins, a few
 * quantiles, and some samples in the order of their measurement. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evidence/html/collecting_html.h"

/* The strip reaches so many quartile distances beyond the quartiles: Tukey's outer fences (Exploratory Data Analysis,
 * 1977). What lies beyond is counted. */
#define FENCE 3.0

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The value of nearest rank: the least that has at least that share of the samples at or below it. */
static double nearest_rank(const double *sorted, size_t count, double share)
{
    size_t rank = (size_t)ceil(share * (double)count);
    return sorted[rank > 0 ? rank - 1 : 0];
}

static void place_ends(sy_html_strip *strip, const double *sorted, size_t count)
{
    double width = strip->p75 - strip->p25;
    double low = sorted[0], high = sorted[count - 1];
    if (width > 0) {
        low = fmax(low, strip->p25 - FENCE * width);
        high = fmin(high, strip->p75 + FENCE * width);
    }
    strip->low = low;
    strip->high = high;
}

static void fill_bins(sy_html_strip *strip, const double *sorted, size_t count)
{
    double width = (strip->high - strip->low) / SY_HTML_STRIP_BINS;
    for (size_t i = 0; i < count; i++) {
        if (sorted[i] < strip->low) {
            strip->below++;
        } else if (sorted[i] > strip->high) {
            strip->above++;
        } else {
            double bin = width > 0 ? floor((sorted[i] - strip->low) / width) : 0;
            strip->bins[bin < SY_HTML_STRIP_BINS ? (size_t)bin : SY_HTML_STRIP_BINS - 1]++;
        }
    }
}

/* All, or the first of each of so many equal parts. */
static bool draw(sy_html_strip *strip, const double *samples, size_t count, size_t limit, sy_arena *arena)
{
    size_t drawn = count < limit ? count : limit;
    double *kept = sy_arena_allocate(arena, drawn + 1, sizeof *kept);
    for (size_t i = 0; kept != NULL && i < drawn; i++) {
        kept[i] = samples[(size_t)((double)i * (double)count / (double)drawn)];
    }
    strip->drawn = kept;
    strip->drawn_count = drawn;
    return kept != NULL;
}

sy_status sy_html_strip_make(const sy_run_series *series, const double *samples, size_t count, size_t drawn_limit,
                             sy_arena *arena, sy_html_strip *ret_strip, sy_error *err)
{
    sy_html_strip strip = {.series = series,
                           .low = NAN,
                           .high = NAN,
                           .p5 = NAN,
                           .p25 = NAN,
                           .p75 = NAN,
                           .p99 = NAN,
                           .first = count > 0 ? samples[0] : NAN};
    double *sorted = sy_allocate(count + 1, sizeof *sorted);
    size_t usable = 0;
    if (sorted == NULL || !draw(&strip, samples, count, drawn_limit, arena)) {
        sy_free(sorted);
        return sy_html_no_memory(err);
    }
    for (size_t i = 0; i < count; i++) {
        if (isfinite(samples[i])) {
            sorted[usable++] = samples[i];
        }
    }
    if (usable > 0) {
        qsort(sorted, usable, sizeof *sorted, by_value);
        strip.p5 = nearest_rank(sorted, usable, 0.05);
        strip.p25 = nearest_rank(sorted, usable, 0.25);
        strip.p75 = nearest_rank(sorted, usable, 0.75);
        strip.p99 = nearest_rank(sorted, usable, 0.99);
        place_ends(&strip, sorted, usable);
        fill_bins(&strip, sorted, usable);
    }
    sy_free(sorted);
    *ret_strip = strip;
    return SY_OK;
}
