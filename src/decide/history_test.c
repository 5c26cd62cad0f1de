/* SPDX-License-Identifier: Apache-2.0 */
/* Histories: steps as ratios, directions, what is refused, and the published histories where they are at hand. */
#include <steelyard/judge.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "fault_loop.h"

static sy_history *find(const double *values, size_t count, const sy_history_options *options)
{
    sy_history *history = NULL;
    sy_error err = SY_ERROR_INIT;

    if (sy_history_find(values, count, options, &history, &err) != SY_OK)
        fail_msg("%s", err.what);
    return history;
}

static void make_steps(double *values)
{
    for (size_t i = 0; i < 60; i++)
        values[i] = (i < 20 ? 100 : i < 40 ? 110 : 99) * (1 + .0001 * (double)(i * 7 % 10));
}

static void steps_are_told_as_ratios_with_their_medians(void **state)
{
    double values[60];
    sy_history_options options = SY_HISTORY_OPTIONS_INIT;

    (void)state;
    make_steps(values);
    sy_history *history = find(values, 60, &options);
    assert_int_equal(history->change_count, 2);
    assert_int_equal(history->value_count, 60);
    const sy_history_change *up = &history->changes[0], *down = &history->changes[1];
    assert_int_equal(up->index, 20);
    assert_int_equal(down->index, 40);
    assert_true(fabs(up->effect - .1) < .001 && fabs(down->effect + .1) < .001);
    assert_true(up->worse && !down->worse);
    assert_true(fabs(up->before - 100.045) < .02 && fabs(up->after - 110.05) < .02 && fabs(down->after - 99.04) < .02);
    assert_true(up->effect_low <= up->effect && up->effect <= up->effect_high && up->effect_level >= .95);
    assert_int_equal(up->from, 0);
    assert_int_equal(up->to, 40);
    sy_history_destroy(history);

    options.higher_is_better = true;
    history = find(values, 60, &options);
    assert_true(!history->changes[0].worse && history->changes[1].worse);
    sy_history_destroy(history);
    options.min_effect = .2;
    history = find(values, 60, &options);
    assert_int_equal(history->change_count, 0);
    sy_history_destroy(history);
}

static void a_value_belongs_to_the_nearer_level_or_to_none(void **state)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY, 0, -1};

    (void)state;
    assert_int_equal(sy_history_side(100, 120, 90), -1);
    assert_int_equal(sy_history_side(100, 120, 106), -1); /* ln 1.06 of ln 1.2: below a third */
    assert_int_equal(sy_history_side(100, 120, 107), 0);
    assert_int_equal(sy_history_side(100, 120, 112), 0);
    assert_int_equal(sy_history_side(100, 120, 113), 1); /* above two thirds */
    assert_int_equal(sy_history_side(100, 120, 500), 1);
    assert_int_equal(sy_history_side(120, 100, 90), 1);
    assert_int_equal(sy_history_side(120, 100, 130), -1);
    assert_int_equal(sy_history_side(100, 100, 130), 0);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(sy_history_side(bad[i], 120, 130), 0);
        assert_int_equal(sy_history_side(100, bad[i], 130), 0);
        assert_int_equal(sy_history_side(100, 120, bad[i]), 0);
    }
}

static void what_has_no_logarithm_or_no_table_is_refused(void **state)
{
    static const double bad[] = {NAN, INFINITY, 0, -1};
    double values[12];
    sy_history_options options = SY_HISTORY_OPTIONS_INIT;
    sy_history *history = NULL;
    sy_error err;

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        for (size_t k = 0; k < 12; k++)
            values[k] = k == 7 ? bad[i] : 5;
        assert_int_equal(sy_history_find(values, 12, &options, &history, &err), SY_INVALID_ARGUMENT);
        assert_string_equal(err.what, "value 7 is not a positive number");
    }
    values[7] = 5;
    options.alpha = .05;
    assert_int_equal(sy_history_find(values, 12, &options, &history, &err), SY_INVALID_ARGUMENT);
    options.alpha = .001;
    options.min_effect = -1;
    assert_int_equal(sy_history_find(values, 12, &options, &history, &err), SY_INVALID_ARGUMENT);
    options.min_effect = 0;
    history = find(values, 12, &options);
    assert_int_equal(history->change_count, 0);
    sy_history_destroy(history);
    history = find(NULL, 0, &options);
    assert_int_equal(history->value_count, 0);
    sy_history_destroy(history);
}

/* One outlier of a million is one rank; a million values take windows. */
static void an_outlier_is_no_change(void **state)
{
    double values[40];
    const sy_history_options options = SY_HISTORY_OPTIONS_INIT;

    (void)state;
    for (size_t i = 0; i < 40; i++)
        values[i] = 10 + .01 * (double)(i * 13 % 40);
    values[17] = 1e9;
    sy_history *history = find(values, 40, &options);
    assert_int_equal(history->change_count, 0);
    sy_history_destroy(history);
}

/* Apache Otava reports 15 61 71 95 131 192 on this history (p = .001, magnitude .02, window 50); so do ranks. */
static void a_published_history_has_the_changes_that_are_published(void **state)
{
    static const size_t published[] = {15, 61, 71, 95, 131, 192};
    const char *path = STEELYARD_SOURCE_DIR "/../shared/data/series/tigerbeetle.txt";
    double values[400];
    size_t count = 0;
    char line[64];
    FILE *file = fopen(path, "r");
    sy_history_options options = SY_HISTORY_OPTIONS_INIT;

    (void)state;
    if (file == NULL) {
        printf("skipped: no published histories in ../shared/data/series\n");
        skip();
    }
    while (count < 400 && fgets(line, sizeof line, file) != NULL)
        values[count++] = strtod(line, NULL);
    fclose(file);
    assert_int_equal(count, 365);
    options.alpha = .001;
    options.higher_is_better = true;
    sy_history *history = find(values, count, &options);
    assert_int_equal(history->change_count, 6);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(history->changes[i].index, published[i]);
    sy_history_destroy(history);
}

static sy_status scenario(void *user)
{
    double values[60];
    const sy_history_options options = SY_HISTORY_OPTIONS_INIT;
    sy_history *history = NULL;

    (void)user;
    make_steps(values);
    sy_status status = sy_history_find(values, 60, &options, &history, NULL);
    sy_history_destroy(history);
    return status;
}

static void a_failed_allocation_is_told(void **state)
{
    (void)state;
    assert_true(fault_loop_allocations(scenario, NULL, false) >= 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_told_as_ratios_with_their_medians),
        cmocka_unit_test(a_value_belongs_to_the_nearer_level_or_to_none),
        cmocka_unit_test(what_has_no_logarithm_or_no_table_is_refused),
        cmocka_unit_test(an_outlier_is_no_change),
        cmocka_unit_test(a_published_history_has_the_changes_that_are_published),
        cmocka_unit_test(a_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
