/* SPDX-License-Identifier: Apache-2.0 */
/* The capped sign test: mixture, exact boundary, crossing probability. Not its use on timings: probe/rule.c. */
#include "stats/sign.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static const double uniform_share = 0.7; /* of the mixture over win probabilities */
static const double certain_share = 0.3; /* of the bet that every pair is won */
static const double boundary_guard = 1e-9;
static const double negligible_mass = 1e-290;

/* The band of one row n: the mixture's values for wins first, first + 1, ..., from the floor up to the first value
 * that is at least 1 / alpha. */
typedef struct sign_row {
    uint32_t first;
    uint32_t count;
    size_t offset; /* into the band's values */
} sign_row;

typedef struct sign_band {
    sign_row *rows; /* pairs_max + 1; row 0 unused */
    double *values;
    size_t count;
    size_t capacity;
} sign_band;

double sy_sign_log_evidence(uint32_t pairs, uint32_t wins)
{
    /* sum = sum_{j <= S} C(n + 1, j) / C(n, S), built up over S; rescaled because 2^n leaves the doubles at n = 1024 */
    const double big = 1e200;
    double n = pairs;
    double sum = 1;
    double unit = 1; /* of sum */
    double log_unit = 0;

    assert(wins <= pairs);
    for (uint32_t s = 1; s <= wins; s++) {
        sum = sum * (s / (n - s + 1)) + (n + 1) / (n + 1 - s) / unit;
        if (sum > big) {
            sum /= big;
            unit *= big;
            log_unit += log(big);
        }
    }
    return log(sum) + log_unit - log(n + 1);
}

double sy_sign_log_mixture(uint32_t pairs, uint32_t wins)
{
    double uniform = sy_sign_log_evidence(pairs, wins) + log(uniform_share);
    double certain = pairs * log(2) + log(certain_share);

    if (wins < pairs)
        return uniform;
    return fmax(uniform, certain) + log1p(exp(-fabs(uniform - certain)));
}

uint32_t sy_sign_least_cap(double alpha)
{
    uint32_t pairs = 1;
    double all_won = 0.5;

    assert(alpha > 0 && alpha < 1);
    while (all_won > alpha) {
        all_won /= 2;
        pairs++;
    }
    return pairs;
}

static bool band_append(sign_band *band, double value)
{
    if (band->count == band->capacity) {
        size_t capacity = band->capacity == 0 ? 1024 : 2 * band->capacity;
        double *values = sy_reallocate(band->values, capacity, sizeof *values);

        if (values == NULL)
            return false;
        band->values = values;
        band->capacity = capacity;
    }
    band->values[band->count++] = value;
    return true;
}

/* Row n of the mixture from the floor up. Values grow with the wins, so the row ends at its first value >= ceiling,
 * long before a double overflows. */
static bool band_append_row(sign_band *band, uint32_t pairs, double floor_value, double ceiling)
{
    double n = pairs;
    double sum = 1;
    sign_row *row = &band->rows[pairs];

    row->offset = band->count;
    for (uint32_t s = 0; s <= pairs; s++) {
        double value;

        if (s > 0)
            sum = sum * (s / (n - s + 1)) + (n + 1) / (n + 1 - s);
        value = uniform_share * sum / (n + 1);
        if (s == pairs)
            value += certain_share * ldexp(1, (int)pairs);
        if (value < floor_value)
            continue;
        if (row->count == 0)
            row->first = s;
        if (!band_append(band, value))
            return false;
        row->count++;
        if (value >= ceiling)
            break;
    }
    return true;
}

/* M(1, 1) is reached with probability 1/2, so for alpha < 1/2 no lower value can be the boundary. By Ville's inequality
 * no value above the least one >= 1 / alpha need be tried. */
static bool band_make(sign_band *band, uint32_t pairs_max, double alpha)
{
    double floor_value = alpha < 0.5 ? (uniform_share * 1.5 + certain_share * 2) * (1 - boundary_guard) : 0;

    band->rows = sy_allocate((size_t)pairs_max + 1, sizeof *band->rows);
    if (band->rows == NULL)
        return false;
    for (uint32_t n = 1; n <= pairs_max; n++) {
        if (!band_append_row(band, n, floor_value, 1 / alpha))
            return false;
    }
    return true;
}

static void band_finish(sign_band *band)
{
    sy_free(band->rows);
    sy_free(band->values);
}

static void table_set_boundary(sy_sign_table *table, const sign_band *band, double boundary)
{
    double guarded = boundary * (1 + boundary_guard);

    table->needed[0] = 1;
    for (uint32_t n = 1; n <= table->pairs_max; n++) {
        const sign_row *row = &band->rows[n];
        const double *values = band->values + row->offset;
        uint32_t below = 0;

        while (below < row->count && values[below] <= guarded)
            below++;
        table->needed[n] = row->first + below;
    }
    table->log_boundary = log(boundary);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Bisection over the candidates: the crossing probability falls as the boundary rises, and the last candidate is
 * always high enough. */
static sy_status table_search(sy_sign_table *table, const sign_band *band, sy_error *err)
{
    double *sorted = sy_allocate(band->count, sizeof *sorted);
    size_t low = 0;
    size_t high;

    if (sorted == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for the sign test's boundary of %u pairs", table->pairs_max);
    memcpy(sorted, band->values, band->count * sizeof *sorted);
    qsort(sorted, band->count, sizeof *sorted, compare_doubles);
    for (high = 0; high + 1 < band->count && sorted[high] < 1 / table->alpha; high++)
        ;
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        table_set_boundary(table, band, sorted[middle]);
        if (sy_sign_crossing_probability(table, NULL, 0.5) <= table->alpha)
            high = middle;
        else
            low = middle + 1;
    }
    table_set_boundary(table, band, sorted[high]);
    sy_free(sorted);
    return SY_OK;
}

sy_status sy_sign_table_init(sy_sign_table *table, uint32_t pairs_max, double alpha, sy_error *err)
{
    sign_band band = {NULL, NULL, 0, 0};
    sy_sign_table made = {pairs_max, alpha, 0, NULL};
    sy_status status;

    if (pairs_max < 1 || pairs_max > SY_SIGN_PAIRS_MAX)
        return sy_fail(err, SY_INVALID_ARGUMENT, "a cap of %u pairs is outside 1..%d", pairs_max, SY_SIGN_PAIRS_MAX);
    if (!(alpha >= SY_SIGN_ALPHA_MIN && alpha <= 0.5))
        return sy_fail(err, SY_INVALID_ARGUMENT, "an error rate of %g is outside %g..0.5", alpha, SY_SIGN_ALPHA_MIN);
    made.needed = sy_allocate((size_t)pairs_max + 1, sizeof *made.needed);
    if (made.needed == NULL || !band_make(&band, pairs_max, alpha)) {
        status = sy_fail(err, SY_NO_MEMORY, "no memory for the sign test's table of %u pairs", pairs_max);
        goto out;
    }
    status = table_search(&made, &band, err);
out:
    band_finish(&band);
    if (status == SY_OK)
        *table = made;
    else
        sy_free(made.needed);
    return status;
}

void sy_sign_table_finish(sy_sign_table *table)
{
    sy_free(table->needed);
    *table = (sy_sign_table)SY_SIGN_TABLE_INIT;
}

double sy_sign_crossing_probability(const sy_sign_table *win, const sy_sign_table *stop, double win_probability)
{
    /* mass[s]: probability of s wins so far with nothing crossed; only low..high are not negligible */
    double mass[SY_SIGN_PAIRS_MAX + 2];
    double crossed = 0;
    int64_t low = 0;
    int64_t high = 0;

    assert(stop == NULL || stop->pairs_max == win->pairs_max);
    mass[0] = 1;
    for (int64_t n = 1; n <= win->pairs_max && low <= high; n++) {
        mass[high + 1] = 0;
        for (int64_t s = high + 1; s > low; s--)
            mass[s] = (1 - win_probability) * mass[s] + win_probability * mass[s - 1];
        mass[low] *= 1 - win_probability;
        high++;
        while (low <= high && high >= win->needed[n])
            crossed += mass[high--];
        while (low <= high && ((stop != NULL && n - low >= stop->needed[n]) || mass[low] < negligible_mass))
            low++;
    }
    return crossed;
}
