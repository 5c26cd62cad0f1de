/* SPDX-License-Identifier: Apache-2.0 */
/* The cumulative sum: steps by hand, its rate of false alarms, and how soon it sees a drift. */
#include "stats/drift.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "stats/student.h"

static void the_first_steps_are_those_of_the_formula(void **state)
{
    sy_drift drift = SY_DRIFT_INIT;

    (void)state;
    assert_true(sy_drift_look(&drift, 9) == 0);
    sy_drift_learn(&drift, 1);
    assert_true(sy_drift_look(&drift, 9) == 0);
    sy_drift_learn(&drift, 3);
    assert_true(drift.mean == 2 && fabs(drift.squares - 2) < 1e-15);
    /* T = (4 - 2) / sqrt 2 * sqrt(2/3) on one degree of freedom, whose distribution is 1/2 + atan(T) / pi. */
    double t = 2 / sqrt(2) * sqrt(2. / 3);
    double z = sy_normal_quantile(0.5 + atan(t) / 3.14159265358979323846);
    assert_true(fabs(sy_drift_look(&drift, 4) - (z - 0.5)) < 1e-12);
    assert_true(sy_drift_look(&drift, 2) == 0); /* in the middle: the allowance takes it all */
    drift.sum = 3;
    assert_true(fabs(sy_drift_look(&drift, 4) - (2.5 + z)) < 1e-12);
    assert_true(fabs(sy_drift_look(&drift, 2) - 2.5) < 1e-12);
}

static void one_value_counts_for_at_most_three_deviations(void **state)
{
    sy_drift drift = SY_DRIFT_INIT;

    (void)state;
    for (int i = 0; i < 20; i++)
        sy_drift_learn(&drift, i % 2);
    assert_true(sy_drift_look(&drift, 1e9) == SY_DRIFT_WINSOR - SY_DRIFT_ALLOWANCE);
    assert_true(sy_drift_look(&drift, -1e9) == 0);
}

static void equal_values_never_alarm(void **state)
{
    sy_drift drift = SY_DRIFT_INIT;

    (void)state;
    for (int i = 0; i < 20; i++)
        sy_drift_learn(&drift, 7);
    assert_true(sy_drift_look(&drift, 8) == 0);
}

/* Learns as a caller does: a value first counts, then it is learnt. Whether there is an alarm within 50 values. */
static bool alarms(sy_random *random, double drift_per_value)
{
    sy_drift drift = SY_DRIFT_INIT;

    for (int i = 0; i < 5; i++)
        sy_drift_learn(&drift, sy_random_normal(random));
    for (int i = 0; i < 50; i++) {
        double value = sy_random_normal(random) + drift_per_value * i;

        drift.sum = sy_drift_look(&drift, value);
        if (drift.sum > SY_DRIFT_ALARM)
            return true;
        sy_drift_learn(&drift, value);
    }
    return false;
}

/* docs/statistics.md, "Slow drift": 4.5 % within 50 sessions from five; within one point of it. */
static void false_alarms_come_at_the_stated_rate(void **state)
{
    enum { ROUNDS = 4000 };
    sy_random random;
    int count = 0, drifting = 0;

    (void)state;
    sy_random_start(&random, 17, "drift");
    for (int i = 0; i < ROUNDS; i++)
        count += alarms(&random, 0);
    assert_true(fabs((double)count / ROUNDS - 0.045) < 0.01);
    for (int i = 0; i < 200; i++)
        drifting += alarms(&random, 0.1);
    assert_true(drifting > 150);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_steps_are_those_of_the_formula),
        cmocka_unit_test(one_value_counts_for_at_most_three_deviations),
        cmocka_unit_test(equal_values_never_alarm),
        cmocka_unit_test(false_alarms_come_at_the_stated_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
