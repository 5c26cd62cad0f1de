/* SPDX-License-Identifier: Apache-2.0 */
/* The bounds and the rule are one: on random sequences, and in how often they hold. */
#include "stats/bounds.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "stats/order.h"

enum { CAP = 60 };

static void the_low_bound_passes_a_threshold_exactly_when_the_wins_cross(void **state)
{
    const uint64_t seed = 20261129;
    sy_sign_table table = SY_SIGN_TABLE_INIT;
    sy_random random;

    (void)state;
    print_message("seed %llu\n", (unsigned long long)seed);
    sy_random_start(&random, seed, "bounds-test");
    assert_int_equal(sy_sign_table_init(&table, CAP, .05, NULL), SY_OK);
    for (int probe = 0; probe < 3000; probe++) {
        double threshold = .1 * sy_random_normal(&random);
        double gain = threshold + .6 * sy_random_normal(&random);
        double sorted[CAP];
        uint32_t usable = 0;
        uint32_t wins = 0;
        uint32_t losses = 0;
        sy_bounds bounds;
        bool crossed = false;
        bool crossed_down = false;

        sy_bounds_start(&bounds);
        for (uint32_t n = 1; n <= CAP; n++) {
            if (sy_random_below(&random, 20) > 0) { /* else unusable: neither a win nor below */
                double d = gain + sy_random_normal(&random);

                wins += d > threshold;
                losses += d < threshold;
                sy_order_insert(sorted, usable++, d);
            }
            crossed = crossed || wins >= table.needed[n];
            crossed_down = crossed_down || losses >= table.needed[n];
            sy_bounds_add(&bounds, &table, n, sorted, usable);
            assert_true((bounds.low > threshold) == crossed);
            assert_true((bounds.high < threshold) == crossed_down);
        }
    }
    sy_sign_table_finish(&table);
}

static void too_few_pairs_give_no_bound(void **state)
{
    const double sorted[] = {1, 2, 3, 4, 5};
    sy_sign_table table = SY_SIGN_TABLE_INIT;
    sy_bounds bounds;

    (void)state;
    assert_int_equal(sy_sign_table_init(&table, CAP, .05, NULL), SY_OK);
    sy_bounds_start(&bounds);
    for (uint32_t n = 1; n <= 4; n++)
        sy_bounds_add(&bounds, &table, n, sorted, n);
    assert_true(isinf(bounds.low) && isinf(bounds.high));
    sy_bounds_add(&bounds, &table, 5, sorted, 5);
    assert_true(bounds.low == 1 && bounds.high == 5);
    sy_sign_table_finish(&table);
}

/* Both bounds must hold at every n together in at least 1 - 2 alpha of all probes of a constant gain. */
static void both_bounds_hold_as_often_as_they_promise(void **state)
{
    const int probes = 4000;
    sy_sign_table table = SY_SIGN_TABLE_INIT;
    sy_random random;
    int low_failed = 0;
    int high_failed = 0;

    (void)state;
    sy_random_start(&random, 3, "bounds-test");
    assert_int_equal(sy_sign_table_init(&table, CAP, .05, NULL), SY_OK);
    for (int probe = 0; probe < probes; probe++) {
        double sorted[CAP];
        sy_bounds bounds;

        sy_bounds_start(&bounds);
        for (uint32_t n = 1; n <= CAP; n++) {
            sy_order_insert(sorted, n - 1, sy_random_normal(&random)); /* the true median is 0 */
            sy_bounds_add(&bounds, &table, n, sorted, n);
        }
        low_failed += bounds.low > 0;
        high_failed += bounds.high < 0;
    }
    /* three standard deviations above the promise; far below it the rule would waste pairs */
    assert_true(low_failed < probes * .05 + 3 * sqrt(probes * .05 * .95));
    assert_true(high_failed < probes * .05 + 3 * sqrt(probes * .05 * .95));
    assert_true(low_failed > probes * .02 && high_failed > probes * .02);
    sy_sign_table_finish(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_low_bound_passes_a_threshold_exactly_when_the_wins_cross),
        cmocka_unit_test(too_few_pairs_give_no_bound),
        cmocka_unit_test(both_bounds_hold_as_often_as_they_promise),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
