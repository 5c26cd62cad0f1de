/* SPDX-License-Identifier: Apache-2.0 */
/* The scripted times: lists, the laws against their closed forms, the machine's drift that all share, and what one
 * implementation does to the next. Streams are seeded, so every figure here is the same in each run. */
#include "cmocka_headers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backends/fake/fake_time.h"
#include "base/text.h"
#include "fault_loop.h"

typedef struct fixture {
    sy_fake_script *script;
    sy_fake_time *time;
} fixture;

/* A script of the cases "x" and "y"; members go into the implementations "a" (the reference) and "b". */
static fixture start(const char *top, const char *a, const char *b)
{
    fixture f = {NULL, NULL};
    sy_text text = SY_TEXT_INIT;
    sy_error error = SY_ERROR_INIT;
    sy_text_append_format(
        &text,
        "{\"schema\": \"steelyard.fake/1\", \"operation\": \"ring\", %s \"cases\": [{\"name\": \"x\"},"
        " {\"name\": \"y\", \"factor\": 2}], \"implementations\": ["
        "{\"name\": \"a\", \"role\": \"reference\", %s}, {\"name\": \"b\", %s}]}",
        top, a, b);
    if (sy_fake_script_parse(text.bytes, text.length, &f.script, &error))
        fail_msg("%s", error.what);
    assert_int_equal(sy_fake_time_create(f.script, &f.time, NULL), SY_OK);
    sy_text_finish(&text);
    return f;
}

static void finish(fixture *f)
{
    sy_fake_time_destroy(f->time);
    sy_fake_script_destroy(f->script);
}

static uint64_t play(fixture *f, uint32_t variant, uint32_t case_index)
{
    sy_fake_run run = {0};
    sy_error error = SY_ERROR_INIT;
    if (sy_fake_time_next(f->time, variant, case_index, &run, &error))
        fail_msg("%s", error.what);
    return run.duration_ns;
}

enum { A, B };

static void a_list_is_repeated_held_or_ended_as_the_script_says(void **state)
{
    (void)state;
    fixture f = start("", "\"times\": [5, 6, 7]", "\"times\": [8, 9], \"then\": \"hold\"");
    static const uint64_t repeated[] = {5, 6, 7, 5, 6}, held[] = {8, 9, 9, 9, 9};
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(play(&f, A, 0), repeated[i]);
        assert_int_equal(play(&f, B, 0), held[i]);
    }
    finish(&f);
    f = start("", "\"times\": [5, 6], \"then\": \"end\"", "\"times\": [8]");
    assert_int_equal(play(&f, A, 0), 5);
    assert_int_equal(play(&f, A, 0), 6);
    sy_fake_run run = {0};
    sy_error error = SY_ERROR_INIT;
    assert_int_equal(sy_fake_time_next(f.time, A, 0, &run, &error), SY_LIMIT_EXCEEDED);
    assert_non_null(strstr(error.what, "'a' end after 2 runs"));
    finish(&f);
}

static void each_case_plays_its_own_list_from_the_start(void **state)
{
    (void)state;
    fixture f = start("", "\"times\": [5, 6, 7], \"cases\": {\"y\": {\"times\": [100, 200], \"factor\": 10}}",
                      "\"times\": [0, 1]");
    assert_int_equal(play(&f, A, 0), 5);
    assert_int_equal(play(&f, A, 1), 2000); /* 100 x its factor 10 x the case's 2 */
    assert_int_equal(play(&f, A, 0), 6);
    assert_int_equal(play(&f, A, 1), 4000);
    assert_int_equal(play(&f, B, 1), 0);
    assert_int_equal(play(&f, B, 1), 2);
    assert_int_equal(sy_fake_time_runs_of(f.time, A), 4);
    assert_int_equal(sy_fake_time_runs_of(f.time, B), 2);
    assert_int_equal(sy_fake_time_runs(f.time), 6);
    finish(&f);
}

static void a_law_without_noise_gives_its_base(void **state)
{
    (void)state;
    fixture f = start("", "\"law\": {\"base_ns\": 1000}", "\"law\": {\"base_ns\": 2500.4}");
    for (size_t i = 0; i < 50; i++) {
        assert_int_equal(play(&f, A, 0), 1000);
        assert_int_equal(play(&f, A, 1), 2000);
        assert_int_equal(play(&f, B, 0), 2500);
        assert_int_equal(play(&f, B, 1), 5001);
    }
    finish(&f);
}

static void scatter_and_spikes_have_the_size_and_share_that_the_law_says(void **state)
{
    (void)state;
    enum { RUNS = 20000 };
    fixture f = start("", "\"law\": {\"base_ns\": 1e9, \"sigma\": 0.01}",
                      "\"law\": {\"base_ns\": 1e9, \"spike_probability\": 0.05, \"spike_size\": 0.5}");
    double sum = 0, squares = 0, far = 0;
    size_t spikes = 0, large = 0;
    for (size_t i = 0; i < RUNS; i++) {
        const double z = log((double)play(&f, A, 0) / 1e9) / 0.01;
        sum += z;
        squares += z * z;
        far += fabs(z) > 1.959964;
        const double factor = (double)play(&f, B, 0) / 1e9;
        assert_true(factor == 1 || factor >= 1.5);
        spikes += factor > 1;
        /* 1 + q u^(-2/3) > 1 + q 4^(2/3) iff u < 1/4 */
        large += factor > 1 + 0.5 * pow(4, 2.0 / 3);
    }
    /* Five standard errors each. */
    assert_true(fabs(sum / RUNS) < 5 / sqrt(RUNS));
    assert_true(fabs(squares / RUNS - 1) < 5 * sqrt(2.0 / RUNS));
    assert_true(fabs(far / RUNS - 0.05) < 5 * sqrt(0.05 * 0.95 / RUNS));
    assert_true(fabs((double)spikes / RUNS - 0.05) < 5 * sqrt(0.05 * 0.95 / RUNS));
    assert_true(fabs((double)large / (double)spikes - 0.25) < 5 * sqrt(0.25 * 0.75 / (double)spikes));
    finish(&f);
}

static void the_cold_ramp_follows_the_devices_run_number(void **state)
{
    (void)state;
    fixture f = start("", "\"law\": {\"base_ns\": 1e9, \"ramp\": -0.3}", "\"law\": {\"base_ns\": 1e9, \"ramp\": 0.15}");
    for (uint32_t i = 0; i < 400; i++) {
        const double r = i % 3 == 2 ? 0.15 : -0.3;
        const double wanted = 1e9 * exp(r * (1 - exp(-(double)i / 40)));
        const double found = (double)play(&f, i % 3 == 2 ? B : A, 0);
        if (fabs(found - wanted) > 2)
            fail_msg("run %u: %.1f instead of %.1f", i, found, wanted);
    }
    finish(&f);
}

/* If each implementation wandered by itself, the innovations taken across both would not be white and of size 1. */
static void drift_is_the_machines_and_felt_by_every_implementation(void **state)
{
    (void)state;
    enum { RUNS = 200000 };
    fixture f = start("", "\"law\": {\"base_ns\": 1e12, \"ar\": 0.001}", "\"law\": {\"base_ns\": 1e12, \"ar\": 0.002}");
    double before = 0, last = 0, squares = 0, product = 0;
    for (uint32_t i = 0; i < RUNS; i++) {
        const uint32_t variant = (i / 3) % 2;
        const double level = log((double)play(&f, variant, 0) / 1e12) / (variant == A ? 0.001 : 0.002);
        const double innovation = level - 0.95 * before;
        squares += innovation * innovation;
        product += innovation * last;
        before = level;
        last = innovation;
    }
    assert_true(fabs(squares / RUNS - 1) < 5 * sqrt(2.0 / RUNS));
    assert_true(fabs(product / RUNS) < 5 / sqrt(RUNS));
    finish(&f);
}

static void jumps_are_the_machines_one_in_a_hundred_runs(void **state)
{
    (void)state;
    enum { RUNS = 20000 };
    fixture f = start("", "\"law\": {\"base_ns\": 1e12, \"jump\": 0.05}",
                      "\"law\": {\"base_ns\": 1e12, \"jump\": 0.05}");
    double before = 0, squares = 0;
    size_t jumps = 0;
    for (uint32_t i = 0; i < RUNS; i++) {
        const double level = log((double)play(&f, i % 2, 0) / 1e12) / 0.05;
        if (fabs(level - before) > 1e-6) {
            jumps++;
            squares += level * level;
        }
        before = level;
    }
    assert_true(fabs((double)jumps / RUNS - 0.01) < 5 * sqrt(0.01 * 0.99 / RUNS));
    assert_true(fabs(squares / (double)jumps - 1) < 5 * sqrt(2.0 / (double)jumps));
    finish(&f);
}

static void a_drift_moves_evenly_in_the_logarithm_between_its_runs(void **state)
{
    (void)state;
    fixture f = start("", "\"law\": {\"base_ns\": 1e6}, \"drift\": {\"factor\": 4, \"from_run\": 2, \"to_run\": 6}",
                      "\"law\": {\"base_ns\": 1e6}, \"drift\": {\"factor\": 0.5, \"from_run\": 3}");
    static const uint64_t gradual[] = {1000000, 1000000, 1414214, 2000000, 2828427, 4000000, 4000000};
    static const uint64_t sudden[] = {1000000, 1000000, 1000000, 500000, 500000, 500000, 500000};
    for (size_t i = 0; i < 7; i++) {
        assert_int_equal(play(&f, A, 0), gradual[i]);
        assert_int_equal(play(&f, B, 0), sudden[i]);
    }
    finish(&f);
}

static void what_another_leaves_behind_lasts_for_after_runs(void **state)
{
    (void)state;
    fixture f = start("", "\"times\": [1000], \"after\": {\"b\": 1.5}", "\"times\": [2000], \"after_runs\": 1");
    assert_int_equal(play(&f, A, 0), 1000); /* the first of all is behind nobody */
    assert_int_equal(play(&f, B, 0), 2000);
    static const uint64_t wanted[] = {1500, 1500, 1000, 1000};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(play(&f, A, 0), wanted[i]);
    assert_int_equal(play(&f, B, 0), 2000);
    assert_int_equal(play(&f, A, 1), 3000);
    finish(&f);
}

static void first_and_second_factor_tell_a_run_behind_itself_from_one_behind_another(void **state)
{
    (void)state;
    fixture f = start("", "\"times\": [1000], \"first_factor\": 3, \"second_factor\": 2, \"after_runs\": 1",
                      "\"times\": [1000]");
    assert_int_equal(play(&f, A, 0), 3000);
    assert_int_equal(play(&f, A, 0), 3000);
    assert_int_equal(play(&f, B, 0), 1000);
    assert_int_equal(play(&f, A, 0), 2000);
    assert_int_equal(play(&f, A, 0), 3000);
    finish(&f);
}

static void a_seed_and_a_name_fix_every_time_and_another_seed_changes_them(void **state)
{
    (void)state;
    static const char noisy[] = "\"law\": {\"base_ns\": 1e6, \"model\": \"quiet\"}";
    fixture same[2] = {start("\"seed\": 5,", noisy, noisy), start("\"seed\": 5,", noisy, noisy)};
    fixture other = start("\"seed\": 6,", noisy, noisy);
    size_t differing = 0, between = 0;
    for (size_t i = 0; i < 100; i++) {
        /* The first plays b in between: a's own stream does not feel it. */
        const uint64_t b = play(&same[0], B, 0);
        const uint64_t a = play(&same[0], A, 0);
        assert_int_equal(a, play(&same[1], A, 0));
        differing += a != play(&other, A, 0);
        between += a != b;
    }
    assert_true(differing > 90);
    assert_true(between > 90);
    finish(&same[0]);
    finish(&same[1]);
    finish(&other);
}

static void crash_and_hang_come_at_their_run_of_that_implementation(void **state)
{
    (void)state;
    fixture f = start("", "\"times\": [1], \"crash_at\": 3", "\"times\": [1], \"hang_at\": 2");
    sy_fake_run run;
    for (uint64_t i = 1; i <= 4; i++) {
        assert_int_equal(sy_fake_time_next(f.time, A, i % 2, &run, NULL), SY_OK);
        assert_int_equal(run.event, i == 3 ? SY_FAKE_EVENT_CRASH : SY_FAKE_EVENT_NONE);
        assert_int_equal(sy_fake_time_next(f.time, B, 0, &run, NULL), SY_OK);
        assert_int_equal(run.event, i == 2 ? SY_FAKE_EVENT_HANG : SY_FAKE_EVENT_NONE);
        assert_int_equal(run.cell_run, i);
    }
    finish(&f);
    f = start("", "\"times\": [1], \"crash_at\": 2, \"crash_every\": 3", "\"times\": [1], \"crash_every\": 3");
    for (uint64_t i = 1; i <= 9; i++) {
        assert_int_equal(sy_fake_time_next(f.time, A, 0, &run, NULL), SY_OK);
        assert_int_equal(run.event, i % 3 == 2 ? SY_FAKE_EVENT_CRASH : SY_FAKE_EVENT_NONE);
        assert_int_equal(sy_fake_time_next(f.time, B, 0, &run, NULL), SY_OK);
        assert_int_equal(run.event, SY_FAKE_EVENT_NONE); /* without a first time there is no other */
    }
    finish(&f);
}

static void each_process_has_its_factor_its_random_numbers_and_its_faults(void **state)
{
    (void)state;
    fixture f = start("", "\"law\": {\"base_ns\": 1e6, \"sigma\": 0.1}",
                      "\"times\": [1000], \"process_factors\": [1, 0.5], \"crash_at\": 1, \"crash_every\": 1, "
                      "\"faults_from_process\": 2");
    static const uint64_t wanted[] = {1000, 500, 1000, 500};
    uint64_t drawn[4];
    for (uint32_t process = 0; process < 4; process++) {
        sy_fake_run run;
        sy_fake_time_enter(f.time, process);
        drawn[process] = play(&f, A, 0);
        sy_fake_time_enter(f.time, process); /* begins nothing anew */
        assert_int_not_equal(play(&f, A, 0), drawn[process]);
        assert_int_equal(sy_fake_time_next(f.time, B, 0, &run, NULL), SY_OK);
        assert_int_equal(run.duration_ns, wanted[process]);
        assert_int_equal(run.may_fail, process >= 2);
        assert_int_equal(run.event, process >= 2 ? SY_FAKE_EVENT_CRASH : SY_FAKE_EVENT_NONE);
        for (uint32_t before = 0; before < process; before++)
            assert_int_not_equal(drawn[process], drawn[before]);
    }
    sy_fake_time_enter(f.time, 1);
    assert_int_equal(play(&f, A, 0), drawn[1]);
    finish(&f);
}

static void no_law_makes_a_run_longer_than_eleven_days(void **state)
{
    (void)state;
    fixture f = start("", "\"law\": {\"base_ns\": 1e15, \"sigma\": 10}",
                      "\"law\": {\"base_ns\": 1e15, \"spike_probability\": 1, \"spike_size\": 1e6}");
    for (size_t i = 0; i < 1000; i++) {
        assert_true(play(&f, A, 1) <= UINT64_C(1000000000000000));
        assert_int_equal(play(&f, B, 1), UINT64_C(1000000000000000));
    }
    finish(&f);
}

static sy_status create_and_destroy(void *user)
{
    sy_fake_time *time = NULL;
    sy_status status = sy_fake_time_create(user, &time, NULL);
    sy_fake_time_destroy(time);
    return status;
}

static void every_failed_allocation_is_clean(void **state)
{
    (void)state;
    fixture f = start("", "\"times\": [1]", "\"times\": [1]");
    assert_int_equal(fault_loop_allocations(create_and_destroy, f.script, true), 4);
    sy_fake_time_destroy(NULL);
    finish(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_is_repeated_held_or_ended_as_the_script_says),
        cmocka_unit_test(each_case_plays_its_own_list_from_the_start),
        cmocka_unit_test(a_law_without_noise_gives_its_base),
        cmocka_unit_test(scatter_and_spikes_have_the_size_and_share_that_the_law_says),
        cmocka_unit_test(the_cold_ramp_follows_the_devices_run_number),
        cmocka_unit_test(drift_is_the_machines_and_felt_by_every_implementation),
        cmocka_unit_test(jumps_are_the_machines_one_in_a_hundred_runs),
        cmocka_unit_test(a_drift_moves_evenly_in_the_logarithm_between_its_runs),
        cmocka_unit_test(what_another_leaves_behind_lasts_for_after_runs),
        cmocka_unit_test(first_and_second_factor_tell_a_run_behind_itself_from_one_behind_another),
        cmocka_unit_test(a_seed_and_a_name_fix_every_time_and_another_seed_changes_them),
        cmocka_unit_test(crash_and_hang_come_at_their_run_of_that_implementation),
        cmocka_unit_test(each_process_has_its_factor_its_random_numbers_and_its_faults),
        cmocka_unit_test(no_law_makes_a_run_longer_than_eleven_days),
        cmocka_unit_test(every_failed_allocation_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
