/* SPDX-License-Identifier: Apache-2.0 */
/* The scan, its critical values, and the recursion that splits a history until nothing more is seen. */
#include "stats/rank_scan.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "stats/order.h"
#include "stats/shift.h"
#include "stats/trend.h"

/* Simulated by bench/rank_scan_table.c, which prints this table and its rates. */
static const struct {
    size_t count;
    double critical[2]; /* at 1 %, at .1 % */
} table[] = {
    {10, {2.403, 2.612}},  {11, {2.557, 2.739}},  {12, {2.680, 2.883}},  {13, {2.715, 3.001}},   {14, {2.748, 3.099}},
    {15, {2.817, 3.182}},  {16, {2.836, 3.254}},  {18, {2.908, 3.306}},  {20, {2.970, 3.382}},   {22, {3.004, 3.429}},
    {25, {3.055, 3.504}},  {30, {3.118, 3.598}},  {35, {3.167, 3.662}},  {40, {3.210, 3.711}},   {45, {3.236, 3.747}},
    {50, {3.264, 3.784}},  {60, {3.307, 3.842}},  {70, {3.342, 3.878}},  {80, {3.369, 3.914}},   {100, {3.409, 3.964}},
    {120, {3.442, 4.006}}, {150, {3.480, 4.042}}, {200, {3.520, 4.087}}, {250, {3.548, 4.125}},  {300, {3.570, 4.147}},
    {400, {3.602, 4.180}}, {500, {3.623, 4.200}}, {750, {3.662, 4.240}}, {1000, {3.686, 4.268}},
};

/* Of a step: what the fit of two levels has to gain before it moves a place that ranks have found. */
#define CLEAR_GAIN 0.9
/* Of a mean distance from the levels: what it has to gain besides before it moves a place that was known. Were
 * distances spread as a double exponential, the new place would be e^3 = 20 times as likely. */
#define LIKELIER_GAIN 3
/* Of the normal distribution, 1 % on both sides: what a known change has to reach at its own place. */
#define KNOWN_CRITICAL 2.576

double sy_rank_scan_critical(size_t count, sy_rank_scan_level level)
{
    size_t row = 0;

    assert(count >= SY_RANK_SCAN_MIN && count <= SY_RANK_SCAN_MAX);
    while (table[row].count < count)
        row++;
    return table[row].critical[level];
}

sy_rank_split sy_rank_scan_split(const double *ranks, size_t count)
{
    sy_rank_split best = {0, 0};
    double n = (double)count;
    double sum = 0;
    double largest = 0; /* of (sum - k (n + 1) / 2)^2 / (k (n - k)) */

    for (size_t k = 1; k + SY_RANK_SCAN_SIDE <= count; k++) {
        double left = (double)k;

        sum += ranks[k - 1];
        if (k < SY_RANK_SCAN_SIDE)
            continue;
        double off = sum - left * (n + 1) / 2;
        double square = off * off / (left * (n - left));
        if (square > largest) {
            largest = square;
            best.at = k;
        }
    }
    best.statistic = sqrt(largest * 12 / (n + 1));
    return best;
}

/* Z at one place, 1..count - 1. */
static double statistic_at(const double *ranks, size_t count, size_t at)
{
    double n = (double)count, left = (double)at;
    double sum = 0;

    for (size_t i = 0; i < at; i++)
        sum += ranks[i];
    return fabs(sum - left * (n + 1) / 2) / sqrt(left * (n - left) * (n + 1) / 12);
}

/* ---- one window ---- */

/* What the recursion works with: places and space of the values of one window. */
typedef struct scan {
    const double *values;
    const sy_rank_scan_options *options;
    double widening;
    double *ranks; /* space for one stretch */
    double *x;     /* the same, sorted */
    double *y;
    size_t *known; /* of the window, less those that do not hold any more */
    size_t known_count;
    sy_change *changes; /* ascending by place when it is done */
    size_t count;
    size_t capacity;
} scan;

/* Both sides of a split, sorted, in x (behind it) and y. */
static void sort_sides(scan *s, size_t from, size_t at, size_t to)
{
    memcpy(s->y, s->values + from, (at - from) * sizeof *s->y);
    memcpy(s->x, s->values + at, (to - at) * sizeof *s->x);
    /* All values are finite: sorting cannot fail. */
    (void)!sy_order_sort(s->y, at - from, NULL);
    (void)!sy_order_sort(s->x, to - at, NULL);
}

static double shift_between(scan *s, size_t from, size_t at, size_t to)
{
    sort_sides(s, from, at, to);
    return sy_shift_estimate(s->x, to - at, s->y, at - from);
}

/* Splits from..to - 1, whatever the size of the step: a hump in the middle of a stretch moves its median by nothing,
 * and yet has two large steps. Depth is bounded by the count over SY_RANK_SCAN_SIDE, and the changes come in their
 * order. */
static sy_status split_stretch(scan *s, size_t from, size_t to, sy_error *err)
{
    size_t count = to - from;

    if (count < SY_RANK_SCAN_MIN)
        return SY_OK;
    sy_status status = sy_trend_ranks(s->values + from, count, s->ranks, err);
    if (status != SY_OK)
        return status;
    sy_rank_split split = sy_rank_scan_split(s->ranks, count);
    double critical = sy_rank_scan_critical(count, s->options->level) * s->widening;
    if (split.at == 0 || split.statistic < critical)
        return SY_OK;
    size_t at = from + split.at;
    status = split_stretch(s, from, at, err);
    if (status != SY_OK)
        return status;
    assert(s->count < s->capacity);
    s->changes[s->count++] = (sy_change){
        .at = at, .low = NAN, .high = NAN, .level = NAN, .statistic = split.statistic, .critical = critical};
    return split_stretch(s, at, to, err);
}

/* Bounds of the stretches on either side of change i. */
static size_t stretch_from(const scan *s, size_t i)
{
    return i == 0 ? 0 : s->changes[i - 1].at;
}

static size_t stretch_to(const scan *s, size_t i, size_t count)
{
    return i + 1 == s->count ? count : s->changes[i + 1].at;
}

/* Splits at what is known first: a level that rose and fell again would else hide both of its steps. Known ones have no
 * statistic yet. */
static sy_status split_at_known(scan *s, size_t count, sy_error *err)
{
    size_t from = 0;

    s->count = 0;
    for (size_t i = 0; i < s->known_count; i++) {
        size_t at = s->known[i];
        if (at < from + SY_RANK_SCAN_SIDE || at + SY_RANK_SCAN_SIDE > count)
            continue;
        sy_status status = split_stretch(s, from, at, err);
        if (status != SY_OK)
            return status;
        assert(s->count < s->capacity);
        s->changes[s->count++] = (sy_change){.at = at, .low = NAN, .high = NAN, .level = NAN, .was_known = true};
        from = at;
    }
    return split_stretch(s, from, count, err);
}

static void forget_known(scan *s, size_t at)
{
    size_t kept = 0;

    for (size_t i = 0; i < s->known_count; i++) {
        if (s->known[i] != at)
            s->known[kept++] = s->known[i];
    }
    s->known_count = kept;
}

/* Asks each known change between its neighbours, at its own place, and takes the weakest that does not hold from what
 * is known. That place was chosen before the newest values came, so the largest of all splits is not what it has to
 * beat: what was seen at .1 % is not lost to the next value that happens to lie the other way. */
static sy_status test_known(scan *s, size_t count, bool *ret_all_hold, sy_error *err)
{
    double weakest = 1;
    size_t at = 0;

    for (size_t i = 0; i < s->count; i++) {
        sy_change *change = &s->changes[i];
        if (!change->was_known)
            continue;
        size_t from = stretch_from(s, i);
        size_t to = stretch_to(s, i, count);
        sy_status status = sy_trend_ranks(s->values + from, to - from, s->ranks, err);
        if (status != SY_OK)
            return status;
        change->statistic = statistic_at(s->ranks, to - from, change->at - from);
        change->critical = KNOWN_CRITICAL;
        if (change->statistic / change->critical < weakest) {
            weakest = change->statistic / change->critical;
            at = change->at;
        }
    }
    *ret_all_hold = weakest >= 1;
    if (weakest < 1)
        forget_known(s, at);
    return SY_OK;
}

static sy_status split_window(scan *s, size_t count, sy_error *err)
{
    bool all_hold = false;
    sy_status status = SY_OK;

    while (status == SY_OK && !all_hold) {
        status = split_at_known(s, count, err);
        if (status == SY_OK)
            status = test_known(s, count, &all_hold, err);
    }
    return status;
}

/* Where the ranks of from..to - 1 put a change that lies at `at`. */
static sy_status place_by_ranks(scan *s, size_t from, size_t at, size_t to, size_t *ret_place, sy_error *err)
{
    sy_status status = sy_trend_ranks(s->values + from, to - from, s->ranks, err);

    if (status != SY_OK)
        return status;
    sy_rank_split split = sy_rank_scan_split(s->ranks, to - from);
    *ret_place = split.at != 0 ? from + split.at : at;
    return SY_OK;
}

/* Where a change lies between its neighbours: where ranks put it, or where it was known to be. Ranks are drawn to the
 * middle: where one side is longer, they give the shorter one the values at its border. So the place is held against
 * where two levels, the medians on both sides of it, fit from..to - 1 with the least sum of distances: a value speaks
 * for a side by at most the step itself, and what gains nearly a step for moving is no chance of the noise, unless the
 * noise is as large as the step: then a known place stays. */
static size_t fit_place(scan *s, size_t from, size_t at, size_t to, bool was_known)
{
    sort_sides(s, from, at, to);
    double before = sy_order_median(s->y, at - from);
    double after = sy_order_median(s->x, to - at);
    double sum = 0, sum_at = 0, distances = 0, least = INFINITY;
    size_t fitted = at;

    for (size_t k = from; k < to; k++) {
        if (k == at)
            sum_at = sum;
        if (k >= from + SY_RANK_SCAN_SIDE && k + SY_RANK_SCAN_SIDE <= to && sum < least) {
            least = sum;
            fitted = k;
        }
        double to_before = fabs(s->values[k] - before), to_after = fabs(s->values[k] - after);
        sum += to_before - to_after;
        distances += k < at ? to_before : to_after;
    }
    double needed = CLEAR_GAIN * fabs(after - before);
    if (was_known)
        needed = fmax(needed, LIKELIER_GAIN * distances / (double)(to - from));
    return sum_at - least > needed ? fitted : at;
}

/* The place of a change was found among all that lay around it. Between its neighbours it is looked for again. */
static sy_status find_places_again(scan *s, size_t count, sy_error *err)
{
    bool moved = true;

    for (int pass = 0; pass < 3 && moved; pass++) {
        moved = false;
        for (size_t i = 0; i < s->count; i++) {
            sy_change *change = &s->changes[i];
            size_t from = stretch_from(s, i), to = stretch_to(s, i, count), place = change->at;
            sy_status status = change->was_known ? SY_OK : place_by_ranks(s, from, change->at, to, &place, err);
            if (status != SY_OK)
                return status;
            place = fit_place(s, from, place, to, change->was_known);
            moved = moved || place != change->at;
            change->at = place;
        }
    }
    return SY_OK;
}

/* What is told of a change is the step between its neighbours. Those whose step is too small are taken out, the
 * smallest first. */
static void settle(scan *s, size_t count)
{
    for (;;) {
        size_t smallest = s->count;

        for (size_t i = 0; i < s->count; i++) {
            sy_change *change = &s->changes[i];
            size_t from = stretch_from(s, i);
            size_t to = stretch_to(s, i, count);
            if (change->from != from || change->to != to) {
                change->from = from;
                change->to = to;
                change->shift = shift_between(s, from, change->at, to);
            }
            if (fabs(change->shift) < s->options->least_shift &&
                (smallest == s->count || fabs(change->shift) < fabs(s->changes[smallest].shift)))
                smallest = i;
        }
        if (smallest == s->count)
            return;
        memmove(s->changes + smallest, s->changes + smallest + 1, (s->count - smallest - 1) * sizeof *s->changes);
        s->count--;
    }
}

static sy_status give_intervals(scan *s, sy_error *err)
{
    for (size_t i = 0; i < s->count; i++) {
        sy_change *change = &s->changes[i];
        sy_shift shift;

        sort_sides(s, change->from, change->at, change->to);
        sy_status status = sy_shift_find(s->x, change->to - change->at, s->y, change->at - change->from,
                                         s->options->interval_alpha, &shift, err);
        if (status != SY_OK)
            return status;
        change->low = shift.low;
        change->high = shift.high;
        change->level = shift.level;
    }
    return SY_OK;
}

/* How alike neighbours are about the levels of the stretches. */
static sy_status lag1_about_levels(scan *s, size_t count, double *ret_lag1, sy_error *err)
{
    double products = 0, squares = 0, last = 0;
    sy_status status = sy_trend_ranks(s->values, count, s->ranks, err);

    if (status != SY_OK)
        return status;
    for (size_t i = 0; i <= s->count; i++) {
        size_t from = i == 0 ? 0 : s->changes[i - 1].at;
        size_t to = i == s->count ? count : s->changes[i].at;
        double mean = 0;

        for (size_t k = from; k < to; k++)
            mean += s->ranks[k];
        mean /= (double)(to - from);
        for (size_t k = from; k < to; k++) {
            double residual = s->ranks[k] - mean;

            squares += residual * residual;
            products += residual * last;
            last = residual;
        }
    }
    *ret_lag1 = squares > 0 ? products / squares : 0;
    return SY_OK;
}

static sy_status scan_window(scan *s, size_t count, double *ret_lag1, sy_error *err)
{
    s->widening = 1;
    sy_status status = split_window(s, count, err);
    if (status == SY_OK)
        status = lag1_about_levels(s, count, ret_lag1, err);
    if (status == SY_OK && sy_trend_inflation(*ret_lag1) > 1) {
        s->widening = sy_trend_inflation(*ret_lag1);
        status = split_window(s, count, err);
    }
    if (status == SY_OK)
        status = find_places_again(s, count, err);
    if (status != SY_OK)
        return status;
    settle(s, count);
    return s->options->interval_alpha > 0 ? give_intervals(s, err) : SY_OK;
}

/* ---- the whole history ---- */

/* Whether no other window has the place nearer to its middle. Windows begin at multiples of half a window; the last
 * ends where the history does. */
static bool belongs_to(size_t at, size_t begin, size_t size, size_t count)
{
    size_t quarter = SY_RANK_SCAN_MAX / 4;

    return (begin == 0 || at >= begin + quarter) && (begin + size == count || at < begin + size - quarter);
}

static void take_known(scan *s, size_t begin, size_t size)
{
    s->known_count = 0;
    for (size_t i = 0; i < s->options->known_count; i++) {
        size_t at = s->options->known[i];
        if (at > begin && at < begin + size)
            s->known[s->known_count++] = at - begin;
    }
}

static sy_status keep(sy_change_list *list, size_t *capacity, const sy_change *change, sy_error *err)
{
    /* Two windows may see one change a few values apart, at the border of what is theirs. */
    if (list->count > 0 && change->at < list->changes[list->count - 1].at + SY_RANK_SCAN_SIDE)
        return SY_OK;
    if (list->count == *capacity) {
        size_t wanted = *capacity == 0 ? 16 : *capacity * 2;
        sy_change *more = sy_reallocate(list->changes, wanted, sizeof *more);
        if (more == NULL)
            return sy_fail(err, SY_NO_MEMORY, "no memory for %zu changes", wanted);
        list->changes = more;
        *capacity = wanted;
    }
    list->changes[list->count++] = *change;
    return SY_OK;
}

sy_status sy_rank_scan(const double *values, size_t count, const sy_rank_scan_options *options,
                       sy_change_list *ret_list, sy_error *err)
{
    size_t window = count < SY_RANK_SCAN_MAX ? count : SY_RANK_SCAN_MAX;
    size_t capacity = 0;
    sy_change_list list = {NULL, 0, 0};
    scan s = {.options = options};
    sy_status status = sy_order_check(values, count, err);

    if (status != SY_OK)
        return status;
    s.ranks = sy_allocate(window, sizeof *s.ranks);
    s.x = sy_allocate(window, sizeof *s.x);
    s.y = sy_allocate(window, sizeof *s.y);
    s.capacity = window / SY_RANK_SCAN_SIDE + 1;
    s.changes = sy_allocate(s.capacity, sizeof *s.changes);
    s.known = sy_allocate(options->known_count, sizeof *s.known);
    if (s.ranks == NULL || s.x == NULL || s.y == NULL || s.changes == NULL || s.known == NULL) {
        status = sy_fail(err, SY_NO_MEMORY, "no memory for a scan of %zu values", window);
        goto out;
    }
    for (size_t begin = 0; status == SY_OK && begin < count; begin += SY_RANK_SCAN_MAX / 2) {
        size_t size = count - begin < SY_RANK_SCAN_MAX ? count - begin : SY_RANK_SCAN_MAX;
        double lag1 = 0;

        s.values = values + begin;
        take_known(&s, begin, size);
        status = scan_window(&s, size, &lag1, err);
        if (begin == 0 || lag1 > list.lag1)
            list.lag1 = lag1;
        for (size_t i = 0; status == SY_OK && i < s.count; i++) {
            sy_change change = s.changes[i];

            change.at += begin;
            change.from += begin;
            change.to += begin;
            if (belongs_to(change.at, begin, size, count))
                status = keep(&list, &capacity, &change, err);
        }
        if (begin + size == count)
            break;
    }
out:
    sy_free(s.ranks);
    sy_free(s.x);
    sy_free(s.y);
    sy_free(s.changes);
    sy_free(s.known);
    if (status != SY_OK)
        sy_change_list_finish(&list);
    else
        *ret_list = list;
    return status;
}

void sy_change_list_finish(sy_change_list *list)
{
    sy_free(list->changes);
    *list = (sy_change_list){NULL, 0, 0};
}
