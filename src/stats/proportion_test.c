/* SPDX-License-Identifier: Apache-2.0 */
/* The exact interval of a share against its closed forms and its definition. */
#include "stats/proportion.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void expect(uint64_t trials, uint64_t successes, double low, double high)
{
    double found_low = -1, found_high = -1;

    sy_proportion_interval(trials, successes, 0.95, &found_low, &found_high);
    if (fabs(found_low - low) > 1e-9 || fabs(found_high - high) > 1e-9)
        fail_msg("%d of %d: %.10f to %.10f", (int)successes, (int)trials, found_low, found_high);
}

/* P(no success) = (1 - p)^n and P(all) = p^n have closed inverses. */
static void without_success_or_failure_it_is_a_root(void **state)
{
    (void)state;
    for (uint64_t n = 1; n <= 1000; n = 3 * n + 1) {
        double end = pow(0.025, 1 / (double)n);

        expect(n, 0, 0, 1 - end);
        expect(n, n, end, 1);
    }
    expect(1, 1, 0.025, 1);
}

/* Five of ten, by the quantiles of the beta distribution with 5 and 6, 6 and 5; of symmetry low + high = 1. Its
 * polynomial: sum over k > 4 of C(10, k) p^k (1 - p)^(10 - k) = .025 at the low end. */
static void each_end_has_the_tail_that_defines_it(void **state)
{
    double low = 0, high = 0, tail = 0;
    static const double choose[] = {1, 10, 45, 120, 210, 252, 210, 120, 45, 10, 1};

    (void)state;
    sy_proportion_interval(10, 5, 0.95, &low, &high);
    assert_true(fabs(low + high - 1) < 1e-12);
    for (int k = 5; k <= 10; k++)
        tail += choose[k] * pow(low, k) * pow(1 - low, 10 - k);
    assert_true(fabs(tail - 0.025) < 1e-12);
    tail = 0;
    sy_proportion_interval(10, 2, 0.9, &low, &high);
    for (int k = 0; k <= 2; k++)
        tail += choose[k] * pow(high, k) * pow(1 - high, 10 - k);
    assert_true(fabs(tail - 0.05) < 1e-12);
}

static void a_million_trials_are_answered(void **state)
{
    double low = 0, high = 0;

    (void)state;
    sy_proportion_interval(1000000, 100000, 0.95, &low, &high);
    /* The normal approximation: .1 -+ 1.96 sqrt(.09 / 1e6). */
    assert_true(fabs(low - 0.099412) < 2e-6 && fabs(high - 0.100589) < 2e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_success_or_failure_it_is_a_root),
        cmocka_unit_test(each_end_has_the_tail_that_defines_it),
        cmocka_unit_test(a_million_trials_are_answered),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
