/* SPDX-License-Identifier: Apache-2.0 */
/* The table from the pairs: medians by hand, unusable pairs left out, strangers' indices ignored. */
#include "report/probe/probe_samples.h"

#include <math.h>
#include <string.h>

#include "fault_loop.h"

static const sy_candidate_result candidates[] = {{.name = "blis"}, {.name = "onednn"}};
static const sy_case_result cases[] = {{.name = "square"}, {.name = "tall"}};

static const sy_sample samples[] = {
    {.case_index = 0, .candidate = 0, .reference_ns = 1000, .candidate_ns = 800},
    {.case_index = 0, .candidate = 0, .reference_ns = 1100, .candidate_ns = 550},
    {.case_index = 0, .candidate = 0, .reference_ns = 900, .candidate_ns = 900},
    {.case_index = 0, .candidate = 0, .reference_ns = 5000, .candidate_ns = NAN},
    {.case_index = 0, .candidate = 0, .reference_ns = 0, .candidate_ns = 1},
    {.case_index = 1, .candidate = 1, .reference_ns = 2000, .candidate_ns = 4000},
    {.case_index = 1, .candidate = 1, .reference_ns = 2000, .candidate_ns = 1000},
    {.case_index = 7, .candidate = 0, .reference_ns = 1, .candidate_ns = 1},
    {.case_index = 0, .candidate = 9, .reference_ns = 1, .candidate_ns = 1},
};

static sy_probe_result sample_result(size_t count)
{
    return (sy_probe_result){.candidates = candidates,
                             .candidate_count = 2,
                             .cases = cases,
                             .case_count = 2,
                             .samples = samples,
                             .sample_count = count};
}

static char *print(size_t count)
{
    const sy_probe_result result = sample_result(count);
    sy_page page;
    char *text = NULL;

    assert_int_equal(sy_page_start(&page, NULL, NULL), SY_OK);
    sy_probe_samples_print(&page, &result);
    assert_int_equal(sy_page_take(&page, &text, NULL), SY_OK);
    return text;
}

/* blis: medians of {900, 1000, 1100} and {550, 800, 900}; of the ratios .8, .5, 1 the median is .8: a gain of 20 %.
 * onednn: ratios 2 and .5 have the geometric middle 1: no gain. */
static void medians_are_over_usable_pairs(void **state)
{
    char *text = print(sizeof(samples) / sizeof(samples[0]));

    (void)state;
    assert_string_equal(text, "Every candidate, medians over its usable pairs\n\n"
                              "Candidate  Case    Reference  Candidate    Gain  Pairs\n"
                              "------------------------------------------------------\n"
                              "blis       square    1.00 us     800 ns  20.0 %      3\n"
                              "onednn     tall      2.00 us    2.50 us   0.0 %      2\n\n");
    sy_text_free(text);
}

static void without_pairs_there_is_no_table(void **state)
{
    char *text = print(0);

    (void)state;
    assert_string_equal(text, "");
    sy_text_free(text);
}

static sy_status make(void *user)
{
    const sy_probe_result result = sample_result(sizeof(samples) / sizeof(samples[0]));
    sy_page page;
    char *text = NULL;
    sy_status status = sy_page_start(&page, NULL, NULL);

    (void)user;
    assert_int_equal(status, SY_OK);
    sy_probe_samples_print(&page, &result);
    status = sy_page_take(&page, &text, NULL);
    sy_text_free(text);
    return status;
}

static void no_memory_is_an_error_that_leaks_nothing(void **state)
{
    (void)state;
    assert_true(fault_loop_allocations(make, NULL, true) > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(medians_are_over_usable_pairs),
        cmocka_unit_test(without_pairs_there_is_no_table),
        cmocka_unit_test(no_memory_is_an_error_that_leaks_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
