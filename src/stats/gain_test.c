/* SPDX-License-Identifier: Apache-2.0 */
/* Power of the rule: the printed table, simulated probes, and the two inverses against each other. */
#include "stats/gain.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "fault_loop.h"
#include "stats/sign.h"

static void the_resolution_has_the_printed_values(void **state)
{
    static const struct {
        uint32_t cap;
        double z;
    } printed[] = {{8, 1.71}, {12, 1.31}, {16, .98}, {24, .84}, {30, .76}, {40, .66}, {60, .55}, {100, .44}};

    (void)state;
    for (size_t i = 0; i < sizeof printed / sizeof *printed; i++) {
        double z = 0;

        assert_int_equal(sy_gain_resolution(printed[i].cap, .05, .2, &z, NULL), SY_OK);
        if (fabs(z - printed[i].z) > .005001)
            fail_msg("z(%u) = %.4f, printed %.2f", printed[i].cap, z, printed[i].z);
    }
}

static void simulated_probes_at_the_resolution_win_four_times_in_five(void **state)
{
    const uint32_t cap = 30;
    const int probes = 20000;
    sy_sign_table win = SY_SIGN_TABLE_INIT;
    sy_sign_table stop = SY_SIGN_TABLE_INIT;
    sy_random random;
    double z = 0;
    int won = 0;

    (void)state;
    assert_int_equal(sy_gain_resolution(cap, .05, .2, &z, NULL), SY_OK);
    assert_int_equal(sy_sign_table_init(&win, cap, .05, NULL), SY_OK);
    assert_int_equal(sy_sign_table_init(&stop, cap, .2, NULL), SY_OK);
    sy_random_start(&random, 1, "gain-test");
    for (int i = 0; i < probes; i++) {
        uint32_t wins = 0;

        for (uint32_t n = 1; n <= cap; n++) {
            wins += sy_random_normal(&random) + z > 0;
            if (wins >= win.needed[n]) {
                won++;
                break;
            }
            if (n - wins >= stop.needed[n])
                break;
        }
    }
    /* four standard deviations of the count */
    assert_true(fabs((double)won / probes - SY_GAIN_POWER) < 4 * sqrt(.16 / probes));
    sy_sign_table_finish(&win);
    sy_sign_table_finish(&stop);
}

static void the_pairs_needed_are_the_least_cap_with_that_power(void **state)
{
    static const double z[] = {3, 1, .7, .5};

    (void)state;
    for (size_t i = 0; i < sizeof z / sizeof *z; i++) {
        uint32_t cap = 0;
        double at_cap = 0;
        double below = 0;

        assert_int_equal(sy_gain_pairs_needed(sy_gain_normal_cdf(z[i]), .05, .2, &cap, NULL), SY_OK);
        assert_int_equal(sy_gain_resolution(cap, .05, .2, &at_cap, NULL), SY_OK);
        assert_int_equal(sy_gain_resolution(cap - 1, .05, .2, &below, NULL), SY_OK);
        assert_true(at_cap <= z[i] + 1e-9 && below > z[i] - 1e-9);
    }
}

static void a_certain_win_needs_the_least_cap_and_a_fair_coin_more_than_any(void **state)
{
    uint32_t cap = 0;

    (void)state;
    assert_int_equal(sy_gain_pairs_needed(1, .05, .2, &cap, NULL), SY_OK);
    assert_int_equal(cap, sy_sign_least_cap(.05));
    assert_int_equal(sy_gain_pairs_needed(.5, .05, .2, &cap, NULL), SY_OK);
    assert_int_equal(cap, 0);
}

static void a_cap_without_a_win_resolves_nothing(void **state)
{
    double z = 0;

    (void)state;
    assert_int_equal(sy_gain_resolution(4, .05, .2, &z, NULL), SY_OK);
    assert_true(isinf(z) && z > 0);
    assert_int_equal(sy_gain_resolution(5, .05, .2, &z, NULL), SY_OK);
    assert_true(isfinite(z));
}

static void the_noise_of_normal_differences_is_their_deviation(void **state)
{
    double differences[20001];
    sy_random random;
    double noise = 0;

    (void)state;
    sy_random_start(&random, 2, "gain-test");
    for (size_t i = 0; i < 20001; i++)
        differences[i] = .02 * sy_random_normal(&random);
    assert_int_equal(sy_gain_noise(differences, 20001, &noise, NULL), SY_OK);
    assert_true(fabs(noise / .02 - 1) < .04);
    /* by hand: median of .1 .2 .3 .4 is .25 */
    assert_int_equal(sy_gain_noise((double[]){.1, -.4, -.2, .3}, 4, &noise, NULL), SY_OK);
    assert_true(fabs(noise - .25 / .6745) < 1e-5);
}

static void bad_arguments_are_refused(void **state)
{
    sy_error err = SY_ERROR_INIT;
    double value = 0;
    uint32_t pairs = 0;

    (void)state;
    assert_int_equal(sy_gain_noise(NULL, 0, &value, &err), SY_INVALID_ARGUMENT);
    assert_string_equal(err.what, "no pairs to take the noise from");
    assert_int_equal(sy_gain_noise((double[]){1, NAN}, 2, &value, &err), SY_INVALID_ARGUMENT);
    assert_string_equal(err.what, "sample 1 is not finite");
    assert_int_equal(sy_gain_resolution(0, .05, .2, &value, &err), SY_INVALID_ARGUMENT);
    assert_int_equal(sy_gain_resolution(60, .05, .7, &value, &err), SY_INVALID_ARGUMENT);
    assert_int_equal(sy_gain_pairs_needed(NAN, .05, .2, &pairs, &err), SY_INVALID_ARGUMENT);
    assert_int_equal(sy_gain_pairs_needed(.9, 0, .2, &pairs, &err), SY_INVALID_ARGUMENT);
    assert_true(value == 0 && pairs == 0);
}

static sy_status all_once(void *user)
{
    double *value = user;
    uint32_t pairs = 0;
    sy_status status = sy_gain_noise((double[]){.1, -.2, .3}, 3, value, NULL);

    if (status == SY_OK)
        status = sy_gain_resolution(8, .05, .2, value, NULL);
    if (status == SY_OK)
        status = sy_gain_pairs_needed(.99, .05, .2, &pairs, NULL);
    return status;
}

static void memory_that_fails_is_reported(void **state)
{
    double value = 0;

    (void)state;
    assert_true(fault_loop_allocations(all_once, &value, true) > 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_resolution_has_the_printed_values),
        cmocka_unit_test(simulated_probes_at_the_resolution_win_four_times_in_five),
        cmocka_unit_test(the_pairs_needed_are_the_least_cap_with_that_power),
        cmocka_unit_test(a_certain_win_needs_the_least_cap_and_a_fair_coin_more_than_any),
        cmocka_unit_test(a_cap_without_a_win_resolves_nothing),
        cmocka_unit_test(the_noise_of_normal_differences_is_their_deviation),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(memory_that_fails_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
