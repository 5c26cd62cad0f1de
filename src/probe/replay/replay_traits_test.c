/* SPDX-License-Identifier: Apache-2.0 */
/* What a recording shows of itself; field case STA-1. */
#include "fault_loop.h"

#include <math.h>
#include <string.h>

#include <steelyard/replay.h>

#include "base/random.h"

static sy_recording_traits look(const sy_timing *list, size_t count, double unit_ns)
{
    sy_recording_traits traits;
    sy_error err = SY_ERROR_INIT;

    memset(&traits, 0, sizeof traits);
    if (sy_replay_look(list, count, unit_ns, &traits, &err) != SY_OK)
        fail_msg("%s", err.what);
    return traits;
}

enum { SAMPLES = 7, ROWS = 15 };

/* A clock of 32 ns whose times were written in ms by way of single precision. */
static double tick(int ticks)
{
    return (double)(float)(ticks * 0.000032);
}

/* Field case STA-1: three of fifteen configurations as they were measured, twelve made to their figures: a first run of
 * five times the others, then ever faster ones; medians between those of the best and the last. */
static void sta_1_the_first_run_picks_the_winner_and_the_clock_ticks_in_32_ns(void **state)
{
    static const double measured[3][SAMPLES] = {
        {0.12931199371814728, 0.03731200098991394, 0.02812799997627735, 0.02502400055527687, 0.02412799932062626,
         0.024768000468611717, 0.023744000121951103},
        {0.06230400130152702, 0.0315839983522892, 0.02831999957561493, 0.02672000043094158, 0.023679999634623528,
         0.023903999477624893, 0.02579200081527233},
        {0.0647680014371872, 0.03167999908328056, 0.028255999088287354, 0.025280000641942024, 0.027103999629616737,
         0.02550400048494339, 0.02489599958062172}};
    double rows[ROWS - 3][SAMPLES];
    sy_timing list[ROWS] = {
        {"896", measured[0], SAMPLES, ""}, {"768", measured[1], SAMPLES, ""}, {"448", measured[2], SAMPLES, ""}};
    sy_recording_traits traits;

    (void)state;
    for (int j = 0; j < ROWS - 3; j++) {
        int base = 772 + 5 * j;
        const int ticks[SAMPLES] = {4000 + 10 * j, base + 250 + j, base + 60, base + 12, base, base - 8, base - 15};

        for (int i = 0; i < SAMPLES; i++)
            rows[j][i] = tick(ticks[i]);
        list[3 + j] = (sy_timing){"made", rows[j], SAMPLES, ""};
    }
    traits = look(list, ROWS, 1e6);
    assert_int_equal(traits.looked_at, ROWS);
    assert_int_equal(traits.first_stands_out, 15);
    assert_true(fabs(traits.first_ratio - 2.3317) < 1e-3);
    assert_int_equal(traits.leader, 0);      /* 896 by median */
    assert_int_equal(traits.mean_leader, 1); /* 768 by mean: its first run was the shortest */
    assert_int_equal(traits.tied, 15);       /* no single winner */
    assert_true(traits.warming_up);
    assert_int_equal(traits.falling, 15);
    assert_true(traits.step_ns == 32);
    assert_int_equal(traits.times, 105);
    assert_true(traits.distinct > 60);
}

/* The same clock read in an unknown unit has no step that could be told. */
static void without_a_unit_there_is_no_step(void **state)
{
    const double times[] = {32, 64, 96, 128, 160, 320, 640, 3200};
    const sy_timing list[] = {{"a", times, 8, ""}};

    (void)state;
    assert_true(look(list, 1, NAN).step_ns == 0);
    assert_int_equal(look(list, 1, NAN).distinct, 0);
    assert_true(look(list, 1, 1).step_ns == 32);
    assert_int_equal(look(list, 1, 1).distinct, 8);
}

static void steady_runs_are_called_nothing(void **state)
{
    enum { MANY = 200, RUNS = 32 };
    static double times[MANY][RUNS];
    static sy_timing list[MANY];
    sy_recording_traits traits;
    sy_random random;

    (void)state;
    sy_random_start(&random, 11, "replay-traits-test");
    for (int c = 0; c < MANY; c++) {
        for (int i = 0; i < RUNS; i++)
            times[c][i] = (1000 + 10 * c) * exp(.01 * sy_random_normal(&random));
        list[c] = (sy_timing){"c", times[c], RUNS, ""};
    }
    traits = look(list, MANY, 1);
    assert_int_equal(traits.first_stands_out, 0);
    assert_true(isnan(traits.first_ratio));
    assert_false(traits.warming_up);
    assert_true(traits.step_ns == 0);
    assert_true(traits.leader < 4); /* neighbours lie 1 % apart, which is the noise */
    assert_true(traits.tied >= 1 && traits.tied < 6);
    for (int c = 0; c < MANY; c++)
        for (int i = 0; i < RUNS; i++)
            times[c][i] *= 1 + .05 * exp(-i / 8.);
    assert_true(look(list, MANY, 1).warming_up);
    for (int c = 0; c < MANY; c++)
        for (int i = 0; i < RUNS / 2; i++) {
            double kept = times[c][i];

            times[c][i] = times[c][RUNS - 1 - i];
            times[c][RUNS - 1 - i] = kept;
        }
    assert_false(look(list, MANY, 1).warming_up); /* slower and slower is no warm-up */
}

static void short_and_unusable_series_are_left_out(void **state)
{
    const double times[] = {10, 10, 10, 10, 10};
    const double lost[] = {10, 10, NAN, 10, 10};
    const sy_timing list[] = {{"short", times, 4, ""}, {"lost", lost, 5, ""}, {"failed", NULL, 0, "error"}};
    const sy_timing one[] = {{"short", times, 4, ""}, {"whole", times, 5, ""}};
    sy_recording_traits traits = look(list, 3, 1);

    (void)state;
    assert_int_equal(traits.looked_at, 0);
    assert_true(traits.leader == SIZE_MAX && traits.mean_leader == SIZE_MAX);
    assert_int_equal(traits.tied, 0);
    traits = look(one, 2, 1);
    assert_int_equal(traits.looked_at, 1);
    assert_int_equal(traits.leader, 1);
    assert_int_equal(traits.tied, 1);
    assert_int_equal(traits.falling, 0);
}

static sy_status look_at_two(void *user)
{
    sy_recording_traits traits;

    return sy_replay_look(user, 2, 1, &traits, NULL);
}

static void memory_that_fails_anywhere_is_reported_and_nothing_leaks(void **state)
{
    const double times[] = {10, 11, 12, 13, 10};
    sy_timing list[] = {{"a", times, 5, ""}, {"b", times, 5, ""}};

    (void)state;
    assert_true(fault_loop_allocations(look_at_two, list, false) >= 5);
    assert_true(fault_loop_allocations(look_at_two, list, true) >= 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sta_1_the_first_run_picks_the_winner_and_the_clock_ticks_in_32_ns),
        cmocka_unit_test(without_a_unit_there_is_no_step),
        cmocka_unit_test(steady_runs_are_called_nothing),
        cmocka_unit_test(short_and_unusable_series_are_left_out),
        cmocka_unit_test(memory_that_fails_anywhere_is_reported_and_nothing_leaks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
