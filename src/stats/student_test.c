/* SPDX-License-Identifier: Apache-2.0 */
/* Student's t against closed forms and printed tables. */
#include "stats/student.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define PI 3.14159265358979323846

static void few_degrees_of_freedom_have_closed_forms(void **state)
{
    (void)state;
    for (double t = -50; t <= 50; t += 0.37) {
        assert_true(fabs(sy_student_cdf(t, 1) - (0.5 + atan(t) / PI)) < 1e-14);
        assert_true(fabs(sy_student_cdf(t, 2) - (0.5 + t / (2 * sqrt(2 + t * t)))) < 1e-14);
        double x = t / sqrt(3);
        assert_true(fabs(sy_student_cdf(t, 3) - (0.5 + (x / (1 + x * x) + atan(x)) / PI)) < 1e-14);
        double z = t * t / (4 + t * t); /* 4 degrees: 1/2 + 3/8 (u - u^3/3) 2/3 ..., as a polynomial in u = sqrt(z) */
        double u = copysign(sqrt(z), t);
        assert_true(fabs(sy_student_cdf(t, 4) - (0.5 + 0.75 * (u - u * u * u / 3))) < 1e-14);
    }
}

/* Abramowitz and Stegun, table 26.10, and the bounds of docs/statistics.md. */
static void quantiles_agree_with_printed_tables(void **state)
{
    static const struct {
        double p;
        size_t freedom;
        double t;
    } printed[] = {{.975, 1, 12.706}, {.99, 4, 3.747},  {.99, 9, 2.821},    {.99, 19, 2.539}, {.8, 4, .941},
                   {.995, 30, 2.750}, {.95, 60, 1.671}, {.975, 120, 1.980}, {.75, 2, .816}};

    (void)state;
    for (size_t i = 0; i < sizeof printed / sizeof printed[0]; i++) {
        assert_true(fabs(sy_student_quantile(printed[i].p, printed[i].freedom) - printed[i].t) < 5.1e-4);
        assert_true(sy_student_quantile(1 - printed[i].p, printed[i].freedom) < 0);
    }
    assert_true(fabs(sy_student_prediction(.99, 5) - 4.105) < 5.1e-4);
    assert_true(fabs(sy_student_prediction(.99, 10) - 2.959) < 5.1e-4);
    assert_true(fabs(sy_student_prediction(.99, 20) - 2.602) < 5.1e-4);
}

static void a_quantile_leads_back_to_its_probability(void **state)
{
    (void)state;
    for (size_t freedom = 1; freedom < 200; freedom += 7) {
        for (double p = 0.001; p < 1; p += 0.0237) {
            double t = sy_student_quantile(p, freedom);
            assert_true(fabs(sy_student_cdf(t, freedom) - p) < 1e-13);
        }
    }
    assert_true(sy_student_quantile(.5, 7) == 0);
}

static void many_degrees_of_freedom_are_the_normal_distribution(void **state)
{
    (void)state;
    assert_true(fabs(sy_normal_quantile(.975) - 1.959963984540054) < 1e-12);
    assert_true(fabs(sy_normal_quantile(.01) + 2.3263478740408408) < 1e-12);
    assert_true(isinf(sy_normal_quantile(0)) && isinf(sy_normal_quantile(1)));
    assert_true(sy_student_quantile(.975, SY_STUDENT_FREEDOM_MAX + 1) == sy_normal_quantile(.975));
    /* Continuous where the sum ends: the difference of both is about z (z^2 + 1) / (4 freedom). */
    assert_true(fabs(sy_student_quantile(.975, SY_STUDENT_FREEDOM_MAX) - 1.959963984540054) < 3e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_degrees_of_freedom_have_closed_forms),
        cmocka_unit_test(quantiles_agree_with_printed_tables),
        cmocka_unit_test(a_quantile_leads_back_to_its_probability),
        cmocka_unit_test(many_degrees_of_freedom_are_the_normal_distribution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
