/* SPDX-License-Identifier: Apache-2.0 */
/* What a strip shows of samples: bins, quantiles and some of them in their order; few far ones flatten nothing. */
#include "cmocka_headers.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/random.h"
#include "evidence/html/collecting_html.h"

static int start(void **state)
{
    *state = sy_arena_create(0);
    return *state != NULL ? 0 : -1;
}

static int stop(void **state)
{
    sy_arena_destroy(*state);
    return 0;
}

static sy_html_strip strip_of(sy_arena *arena, const double *samples, size_t count, size_t limit)
{
    static const sy_run_series series = {.name = "wall"};
    sy_html_strip strip;
    assert_int_equal(sy_html_strip_make(&series, samples, count, limit, arena, &strip, NULL), SY_OK);
    assert_ptr_equal(strip.series, &series);
    assert_false(strip.samples_missing);
    return strip;
}

static uint64_t in_bins(const sy_html_strip *strip)
{
    uint64_t sum = 0;
    for (int i = 0; i < SY_HTML_STRIP_BINS; i++) {
        sum += strip->bins[i];
    }
    return sum;
}

static void nothing_usable_leaves_all_unknown(void **state)
{
    static const double samples[] = {NAN, INFINITY, -INFINITY};
    for (size_t count = 0; count <= 3; count++) {
        const sy_html_strip strip = strip_of(*state, samples, count, 10);
        assert_true(isnan(strip.low) && isnan(strip.high) && isnan(strip.p5) && isnan(strip.p99));
        assert_int_equal(strip.below + strip.above + in_bins(&strip), 0);
        assert_int_equal(strip.drawn_count, count);
        assert_true(isnan(strip.first));
        for (size_t i = 0; i < count; i++) {
            assert_true(isnan(strip.drawn[i])); /* an infinite one too */
        }
    }
}

static void quantiles_are_of_nearest_rank(void **state)
{
    double samples[200];
    for (int i = 0; i < 200; i++) {
        samples[i] = 200 - i;
    }
    const sy_html_strip strip = strip_of(*state, samples, 200, 200);
    assert_true(strip.p5 == 10 && strip.p25 == 50 && strip.p75 == 150 && strip.p99 == 198);
    assert_true(strip.first == 200 && strip.low == 1 && strip.high == 200);
    assert_int_equal(in_bins(&strip), 200);
    assert_int_equal(strip.bins[0], 2);
    assert_int_equal(strip.bins[SY_HTML_STRIP_BINS - 1], 2);
}

static void a_far_sample_is_counted_and_flattens_nothing(void **state)
{
    double samples[101];
    for (int i = 0; i < 100; i++) {
        samples[i] = 100 + i % 10;
    }
    samples[100] = 1e9;
    const sy_html_strip strip = strip_of(*state, samples, 101, 10);
    assert_int_equal(strip.above, 1);
    assert_int_equal(in_bins(&strip), 100);
    assert_true(strip.low == 100 && strip.high < 130);
}

/* A coarse clock: more than half of the samples are one value, and the quartiles are equal. */
static void a_far_sample_among_equal_ones_flattens_nothing_either(void **state)
{
    double samples[100];
    for (int i = 0; i < 100; i++) {
        samples[i] = i < 90 ? 10 : i < 95 ? 11 : 12;
    }
    samples[99] = 1e6;
    sy_html_strip strip = strip_of(*state, samples, 100, 10);
    assert_true(strip.p25 == strip.p75);
    assert_int_equal(strip.above, 1);
    assert_true(strip.low == 10 && strip.high == 13);
    assert_int_equal(strip.bins[0], 90);
    assert_int_equal(in_bins(&strip), 99);
    samples[0] = -1e6; /* on the other side */
    strip = strip_of(*state, samples, 100, 10);
    assert_int_equal(strip.below, 1);
    assert_true(strip.low == 7 && strip.high == 13);
    assert_true(isnan(strip.first) || strip.first == -1e6);
}

static void equal_samples_stand_in_one_bin(void **state)
{
    static const double samples[] = {2, 2, 2, 2};
    const sy_html_strip strip = strip_of(*state, samples, 4, 10);
    assert_true(strip.low == 2 && strip.high == 2);
    assert_int_equal(strip.bins[0], 4);
}

static void the_ends_of_doubles_make_no_harm(void **state)
{
    static const double samples[] = {-DBL_MAX, -DBL_MAX, 0, DBL_MAX, DBL_MAX, DBL_TRUE_MIN, -DBL_TRUE_MIN};
    static const double near[] = {0, 0, 0, 0, DBL_TRUE_MIN};
    sy_html_strip strip = strip_of(*state, samples, 7, 10);
    assert_int_equal(strip.below + strip.above + in_bins(&strip), 7);
    strip = strip_of(*state, near, 5, 10);
    assert_int_equal(strip.below + strip.above + in_bins(&strip), 5);
}

static void of_many_samples_one_of_each_equal_part_is_drawn(void **state)
{
    enum { COUNT = 1000000, DRAWN = 2000 };
    double *samples = malloc(COUNT * sizeof *samples);
    sy_random random;
    assert_non_null(samples);
    sy_random_start(&random, 3, "strip");
    for (int i = 0; i < COUNT; i++) {
        samples[i] = i % 100 == 0 ? NAN : i + sy_random_unit(&random);
    }
    const sy_html_strip strip = strip_of(*state, samples, COUNT, DRAWN);
    assert_int_equal(strip.drawn_count, DRAWN);
    for (int i = 0; i < DRAWN; i++) {
        assert_true(isnan(strip.drawn[i])); /* every 500th is every 100th */
    }
    assert_int_equal(strip.below + strip.above + in_bins(&strip), COUNT / 100 * 99);
    free(samples);
}

static void any_samples_are_all_counted(void **state)
{
    sy_random random;
    sy_random_start(&random, 11, "strips");
    for (int round = 0; round < 300; round++) {
        double samples[64];
        const size_t count = (size_t)sy_random_below(&random, 65);
        size_t usable = 0;
        for (size_t i = 0; i < count; i++) {
            const uint64_t kind = sy_random_below(&random, 8);
            samples[i] = kind == 0   ? NAN
                         : kind == 1 ? 1e300 * sy_random_normal(&random)
                         : kind < 5  ? (double)sy_random_below(&random, 3)
                                     : sy_random_normal(&random);
            usable += isfinite(samples[i]) ? 1 : 0;
        }
        const sy_html_strip strip = strip_of(*state, samples, count, 16);
        assert_int_equal(strip.below + strip.above + in_bins(&strip), usable);
        assert_true(usable == 0 || (strip.low <= strip.p25 && strip.p75 <= strip.high));
        assert_true(strip.drawn_count == (count < 16 ? count : 16));
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nothing_usable_leaves_all_unknown),
        TEST(quantiles_are_of_nearest_rank),
        TEST(a_far_sample_is_counted_and_flattens_nothing),
        TEST(a_far_sample_among_equal_ones_flattens_nothing_either),
        TEST(equal_samples_stand_in_one_bin),
        TEST(the_ends_of_doubles_make_no_harm),
        TEST(of_many_samples_one_of_each_equal_part_is_drawn),
        TEST(any_samples_are_all_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
