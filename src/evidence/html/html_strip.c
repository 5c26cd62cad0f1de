/* SPDX-License-Identifier: Apache-2.0 */
/* The samples of a series, however many, as what a strip of a few hundred pixels shows: counts in equal bins, a few
 * quantiles, and some samples in the order of their measurement. */
#include <float.h>
#include <math.h>

#include "base/memory.h"
#include "evidence/html/collecting_html.h"
#include "stats/order.h"

/* The strip reaches so many quartile distances beyond the quartiles: Tukey's outer fences (Exploratory Data Analysis,
 * 1977). What lies beyond is counted. */
#define FENCE 3.0

/* How far samples lie apart. Where half of them are one value, as a coarse clock has it, the quartiles do not tell:
 * then it is the lower quartile of what the others are away from that. scratch: room for count. */
static double spread_of(const sy_html_strip *strip, const double *sorted, size_t count, double *scratch)
{
    const double middle = strip->p25;
    size_t others = 0;
    if (strip->p75 > strip->p25) {
        return strip->p75 - strip->p25;
    }
    for (size_t i = 0; i < count; i++) {
        if (sorted[i] != middle) {
            scratch[others++] = fmin(fabs(sorted[i] - middle), DBL_MAX);
        }
    }
    return others > 0 && sy_order_sort(scratch, others, NULL) == SY_OK ? sy_order_nearest_rank(scratch, others, 25) : 0;
}

static void place_ends(sy_html_strip *strip, const double *sorted, size_t count, double *scratch)
{
    const double reach = FENCE * spread_of(strip, sorted, count, scratch);
    strip->low = fmax(sorted[0], strip->p25 - reach);
    strip->high = fmin(sorted[count - 1], strip->p75 + reach);
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

static double usable_or_nan(double sample)
{
    return isfinite(sample) ? sample : NAN;
}

/* All, or the first of each of so many equal parts. */
static bool draw(sy_html_strip *strip, const double *samples, size_t count, size_t limit, sy_arena *arena)
{
    size_t drawn = count < limit ? count : limit;
    double *kept = sy_arena_allocate(arena, drawn + 1, sizeof *kept);
    for (size_t i = 0; kept != NULL && i < drawn; i++) {
        kept[i] = usable_or_nan(samples[(size_t)((double)i * (double)count / (double)drawn)]);
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
                           .first = count > 0 ? usable_or_nan(samples[0]) : NAN};
    double *sorted = sy_allocate(count + 1, 2 * sizeof *sorted); /* and as many to work with */
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
    sy_status status = usable > 0 ? sy_order_sort(sorted, usable, err) : SY_OK;
    if (status == SY_OK && usable > 0) {
        strip.p5 = sy_order_nearest_rank(sorted, usable, 5);
        strip.p25 = sy_order_nearest_rank(sorted, usable, 25);
        strip.p75 = sy_order_nearest_rank(sorted, usable, 75);
        strip.p99 = sy_order_nearest_rank(sorted, usable, 99);
        place_ends(&strip, sorted, usable, sorted + usable);
        fill_bins(&strip, sorted, usable);
    }
    sy_free(sorted);
    if (status == SY_OK) {
        *ret_strip = strip;
    }
    return status;
}
