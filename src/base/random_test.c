/* SPDX-License-Identifier: Apache-2.0 */
/* Random streams: the generator's published numbers, independence of streams, unbiased draws. Fixed seeds: no test here
 * can fail by chance. */
#include "cmocka_headers.h"

#include <math.h>
#include <string.h>

#include "base/random.h"

static void the_generator_gives_the_published_numbers(void **state)
{
    (void)state;
    /* xoshiro256** from the state {1, 2, 3, 4}: the test vector of the crate rand_xoshiro, which its authors made with
     * Blackman and Vigna's own program. */
    static const uint64_t published[] = {UINT64_C(11520),
                                         UINT64_C(0),
                                         UINT64_C(1509978240),
                                         UINT64_C(1215971899390074240),
                                         UINT64_C(1216172134540287360),
                                         UINT64_C(607988272756665600),
                                         UINT64_C(16172922978634559625),
                                         UINT64_C(8476171486693032832),
                                         UINT64_C(10595114339597558777),
                                         UINT64_C(2904607092377533576)};
    sy_random random = {{1, 2, 3, 4}};
    for (size_t i = 0; i < sizeof published / sizeof published[0]; i++) {
        assert_true(sy_random_next(&random) == published[i]);
    }
}

/* The states come from a second implementation, in Python, which gives splitmix64's published numbers for 1234567
 * (6457827717110365317, 3203168211198807973, 9817491932198370423) and FNV-1a's for "foobar" (85944171f73967e8). */
static void a_stream_starts_where_the_documented_seeding_says(void **state)
{
    (void)state;
    static const struct {
        uint64_t seed;
        const char *stream;
        uint64_t state[4];
    } cases[] = {{UINT64_C(0),
                  "",
                  {UINT64_C(0x5b21f68ffa77f14c), UINT64_C(0xacf0460c6cc09c67), UINT64_C(0x1e3a31b219d0d222),
                   UINT64_C(0xe6d5efe738142816)}},
                 {UINT64_C(42),
                  "coins",
                  {UINT64_C(0x608128d362c26a9a), UINT64_C(0x6318ae73d050379e), UINT64_C(0x85eba271c5c585e6),
                   UINT64_C(0xeaed17a5a915d9de)}},
                 {UINT64_C(18446744073709551615),
                  "foobar",
                  {UINT64_C(0xb9e5ab64b21ca126), UINT64_C(0x8f4a8b7f1c9cb385), UINT64_C(0x6d9b4ee733779a0b),
                   UINT64_C(0x2043051130463827)}}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sy_random random;
        sy_random_start(&random, cases[i].seed, cases[i].stream);
        assert_memory_equal(random.state, cases[i].state, sizeof random.state);
    }
}

static void streams_of_one_seed_share_no_numbers(void **state)
{
    (void)state;
    static const char *const names[] = {"coins", "data", "coin", "coins2", ""};
    enum { count = 5, draws = 2000 };
    static uint64_t drawn[count * draws];
    for (size_t s = 0; s < count; s++) {
        sy_random random;
        sy_random_start(&random, 7, names[s]);
        for (size_t i = 0; i < draws; i++) {
            drawn[s * draws + i] = sy_random_next(&random);
        }
    }
    for (size_t i = 0; i < count * draws; i++) {
        for (size_t k = i + 1; k < count * draws; k++) {
            if (drawn[i] == drawn[k]) {
                fail_msg("draw %zu equals draw %zu", i, k);
            }
        }
    }
}

static void a_copy_forks_the_stream(void **state)
{
    (void)state;
    sy_random random;
    sy_random_start(&random, 3, "fork");
    sy_random copy = random;
    for (int i = 0; i < 10; i++) {
        assert_true(sy_random_next(&random) == sy_random_next(&copy));
    }
}

/* Pearson's statistic for equal expectations. */
static double chi_square(const uint32_t *counts, size_t cells, double draws)
{
    double expected = draws / (double)cells;
    double sum = 0.0;
    for (size_t i = 0; i < cells; i++) {
        sum += (counts[i] - expected) * (counts[i] - expected) / expected;
    }
    return sum;
}

static void every_permutation_is_equally_likely(void **state)
{
    (void)state;
    sy_random random;
    uint32_t counts[120] = {0};
    sy_random_start(&random, 11, "permutations");
    for (int draw = 0; draw < 120000; draw++) {
        uint32_t order[5];
        sy_random_permutation(&random, order, 5);
        /* Lehmer's code: the rank of a permutation among the 120. */
        uint32_t rank = 0;
        uint32_t seen = 0;
        for (uint32_t i = 0; i < 5; i++) {
            uint32_t smaller = 0;
            for (uint32_t k = i + 1; k < 5; k++) {
                smaller += order[k] < order[i];
            }
            rank = rank * (5 - i) + smaller;
            seen |= 1U << order[i];
        }
        assert_int_equal(seen, 31);
        counts[rank]++;
    }
    /* 119 degrees of freedom: 173.6 is passed once in a thousand. */
    assert_true(chi_square(counts, 120, 120000) < 173.6);
    uint32_t none = 77;
    sy_random_permutation(&random, &none, 0);
    assert_int_equal(none, 77);
    sy_random_permutation(&random, &none, 1);
    assert_int_equal(none, 0);
}

static void bounded_draws_have_no_bias(void **state)
{
    (void)state;
    sy_random random;
    sy_random_start(&random, 5, "bounded");
    uint32_t counts[7] = {0};
    for (int i = 0; i < 70000; i++) {
        uint64_t drawn = sy_random_below(&random, 7);
        assert_true(drawn < 7);
        counts[drawn]++;
    }
    assert_true(chi_square(counts, 7, 70000) < 22.46); /* 6 degrees of freedom, one in a thousand */
    /* Three quarters of 2^64: without drawing again every third value would come twice as often as the others. */
    uint64_t bound = UINT64_C(3) << 62;
    uint32_t thirds[3] = {0};
    for (int i = 0; i < 30000; i++) {
        uint64_t drawn = sy_random_below(&random, bound);
        assert_true(drawn < bound);
        thirds[drawn % 3]++;
    }
    assert_true(chi_square(thirds, 3, 30000) < 13.82); /* 2 degrees of freedom */
    for (int i = 0; i < 100; i++) {
        assert_int_equal(sy_random_below(&random, 1), 0);
    }
}

static void coins_are_fair_and_units_stay_below_one(void **state)
{
    (void)state;
    sy_random random;
    sy_random_start(&random, 9, "coins");
    int heads = 0;
    double sum = 0.0;
    for (int i = 0; i < 100000; i++) {
        heads += sy_random_coin(&random);
        double unit = sy_random_unit(&random);
        assert_true(unit >= 0.0 && unit < 1.0);
        sum += unit;
    }
    assert_in_range(heads, 49480, 50520);          /* 3.29 standard deviations */
    assert_true(fabs(sum / 100000 - 0.5) < 0.003); /* the same */
    sy_random largest = {{0, UINT64_MAX, 0, 0}};
    assert_true(sy_random_unit(&largest) < 1.0);
}

static void normal_draws_have_the_moments_and_tails_of_a_normal(void **state)
{
    (void)state;
    sy_random random;
    sy_random_start(&random, 13, "normal");
    const int draws = 200000;
    double sum = 0.0;
    double squares = 0.0;
    int beyond_two = 0;
    int beyond_three = 0;
    for (int i = 0; i < draws; i++) {
        double x = sy_random_normal(&random);
        assert_true(isfinite(x));
        sum += x;
        squares += x * x;
        beyond_two += fabs(x) > 2.0;
        beyond_three += fabs(x) > 3.0;
    }
    assert_true(fabs(sum / draws) < 3.29 / sqrt(draws));
    assert_true(fabs(squares / draws - 1.0) < 3.29 * sqrt(2.0 / draws));
    assert_true(fabs((double)beyond_two / draws - 0.04550026) < 0.0016);
    assert_true(fabs((double)beyond_three / draws - 0.00269980) < 0.0004);
}

static void two_seeds_of_the_system_differ(void **state)
{
    (void)state;
    uint64_t a = 0;
    uint64_t b = 0;
    assert_int_equal(sy_random_seed(&a, NULL), SY_OK);
    assert_int_equal(sy_random_seed(&b, NULL), SY_OK);
    assert_true(a != b); /* equal once in 2^64 runs */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_generator_gives_the_published_numbers),
        cmocka_unit_test(a_stream_starts_where_the_documented_seeding_says),
        cmocka_unit_test(streams_of_one_seed_share_no_numbers),
        cmocka_unit_test(a_copy_forks_the_stream),
        cmocka_unit_test(every_permutation_is_equally_likely),
        cmocka_unit_test(bounded_draws_have_no_bias),
        cmocka_unit_test(coins_are_fair_and_units_stay_below_one),
        cmocka_unit_test(normal_draws_have_the_moments_and_tails_of_a_normal),
        cmocka_unit_test(two_seeds_of_the_system_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
