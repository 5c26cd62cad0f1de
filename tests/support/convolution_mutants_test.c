/* SPDX-License-Identifier: Apache-2.0 */
/* The mutants of convolution themselves: each is wrong in its one way at every shape where its fault is one. Their
 * convolutions run on threads that a pool makes with pthread_create. */
#include "cmocka_headers.h"

#include <string.h>

#include "convolution_job.h"

static sy_device *open_device(void)
{
    sy_device *device = NULL;
    sy_device_options options = SY_DEVICE_OPTIONS_INIT;
    options.threads = JOB_THREADS;
    assert_int_equal(sy_device_open("cpu", &options, &device, NULL), SY_OK);
    return device;
}

/* What an honest checker sees of it, in the order of parity's stages. */
typedef struct sight {
    bool is_available;
    bool real_wrong;
    bool second_run_wrong; /* the same inputs once more */
    bool exact_wrong;
} sight;

static sight look_at(sy_device *device, const char *name, const int64_t shape[CONVOLUTION_PROPERTIES])
{
    convolution_job job;
    const sy_suite *suite = NULL;
    uint32_t variant = 0;
    sight seen = {false, false, false, false};
    assert_int_equal(sy_device_suite(device, "convolution", &suite, NULL), SY_OK);
    assert_int_equal(sy_suite_find_implementation(suite, name, &variant, NULL), SY_OK);
    seen.is_available = start_job(&job, device, shape, variant);
    if (seen.is_available) {
        fill_job(&job, SY_FILL_REAL);
        run_job(&job);
        seen.real_wrong = wrong_outputs(&job, SY_FILL_REAL, 16) > 0;
        run_job(&job);
        seen.second_run_wrong = wrong_outputs(&job, SY_FILL_REAL, 16) > 0;
        for (sy_fill fill = SY_FILL_EXACT_LEFT; fill <= SY_FILL_EXACT_RIGHT; fill++) {
            fill_job(&job, fill);
            run_job(&job);
            seen.exact_wrong = seen.exact_wrong || wrong_outputs(&job, fill, 0) > 0;
        }
        assert_true(inputs_are_untouched(&job));
    }
    finish_job(&job);
    return seen;
}

static void outputs_that_are_wrong_are_wrong_at_every_shape_where_the_fault_is_one(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t shapes; /* at how many of the odd shapes at least */
    } mutants[] = {{"mutant-tf32", ODD_CONVOLUTION_COUNT},
                   {"mutant-channel-tail", ODD_CONVOLUTION_COUNT},
                   {"mutant-filter-tail", ODD_CONVOLUTION_COUNT},
                   {"mutant-nan-last", ODD_CONVOLUTION_COUNT},
                   {"mutant-shifted-column", ODD_CONVOLUTION_COUNT - 2},
                   {"mutant-stride", ODD_CONVOLUTION_COUNT - 2},
                   {"mutant-flipped", ODD_CONVOLUTION_COUNT - 3},
                   {"mutant-ones-around", 11},
                   {"mutant-groups-ignored", 4}};
    sy_device *device = open_device();
    for (size_t i = 0; i < sizeof mutants / sizeof mutants[0]; i++) {
        size_t shapes = 0;
        for (size_t s = 0; s < ODD_CONVOLUTION_COUNT; s++) {
            sight seen = look_at(device, mutants[i].name, odd_convolutions[s]);
            shapes += seen.is_available;
            if (seen.is_available && (!seen.real_wrong || !seen.exact_wrong)) {
                fail_msg("%s: real %d, exact %d at shape %zu", mutants[i].name, seen.real_wrong, seen.exact_wrong, s);
            }
        }
        assert_true(shapes >= mutants[i].shapes);
    }
    sy_device_close(device);
}

static void stale_and_memoised_outputs_are_right_once(void **state)
{
    (void)state;
    sy_device *device = open_device();
    for (size_t s = 0; s < ODD_CONVOLUTION_COUNT; s++) {
        sight stale = look_at(device, "mutant-stale", odd_convolutions[s]);
        sight memoised = look_at(device, "mutant-memoised", odd_convolutions[s]);
        assert_true(!stale.real_wrong && stale.second_run_wrong && stale.exact_wrong);
        assert_true(!memoised.real_wrong && !memoised.second_run_wrong && memoised.exact_wrong);
    }
    sy_device_close(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_that_are_wrong_are_wrong_at_every_shape_where_the_fault_is_one),
        cmocka_unit_test(stale_and_memoised_outputs_are_right_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
