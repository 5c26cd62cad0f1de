/* SPDX-License-Identifier: Apache-2.0 */
/* What is not known: written down once, worked off elsewhere, or nowhere at all. */
#include "select_support.h"

#include <sys/stat.h>

static void a_miss_is_written_down_once_and_worked_off(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_RECORD_MISS);
    expect_none(selector, &request);
    expect_none(selector, &request);
    sy_selector_close(selector);
    selector = open_selector(&p);
    expect_none(selector, &request);
    assert_int_equal(count_lines(p.misses), 1);
    request.model_digest = "another";
    expect_none(selector, &request);
    assert_int_equal(count_lines(p.misses), 2);

    sy_work_off_options options = {.budget_ns = UINT64_C(60000000000)};
    sy_work_off_result result;
    sy_error err = SY_ERROR_INIT;
    sy_status status = sy_selector_work_off(selector, p.misses, &options, &result, &err);
    if (status)
        fail_msg("%s", err.what);
    assert_int_equal(result.misses, 2);
    assert_int_equal(result.probed, 2);
    assert_int_equal(count_lines(p.misses), 0);
    (void)expect_answer(selector, &request, "f", SY_SOURCE_STORE);
    request.model_digest = NULL;
    (void)expect_answer(selector, &request, "f", SY_SOURCE_STORE);
    sy_selector_close(selector);
    leave(&p);
}

static void a_budget_of_nothing_leaves_the_misses(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_RECORD_MISS);
    expect_none(selector, &request);
    sy_work_off_options options = {.budget_ns = 0};
    sy_work_off_result result;
    assert_int_equal(sy_selector_work_off(selector, p.misses, &options, &result, NULL), SY_OK);
    assert_int_equal(result.left, 1);
    assert_int_equal(count_lines(p.misses), 1);
    sy_selector_close(selector);
    leave(&p);
}

static void a_damaged_line_of_misses_is_located_and_kept(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_RECORD_MISS);
    expect_none(selector, &request);
    FILE *file = fopen(p.misses, "ae");
    assert_non_null(file);
    assert_true(fputs("{\"schema\": \"steelyard.miss/1\", \"key\": 7}\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
    sy_work_off_options options = {.budget_ns = UINT64_C(60000000000)};
    sy_work_off_result result;
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(sy_selector_work_off(selector, p.misses, &options, &result, &err), SY_CORRUPT);
    assert_int_equal(err.position.line, 2);
    assert_int_equal(count_lines(p.misses), 1); /* what was done before it is done, the wrong line stays */
    sy_selector_close(selector);
    leave(&p);
}

static void store_only_leaves_nothing_on_disk(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_STORE_ONLY);
    expect_none(selector, &request);
    struct stat nothing;
    assert_int_equal(stat(p.misses, &nothing), -1);
    sy_selector_close(selector);
    leave(&p);
}

static void without_persistence_the_decision_lives_in_memory(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    sy_store_options store = SY_STORE_OPTIONS_INIT;
    sy_selector_options options = SY_SELECTOR_OPTIONS_INIT;
    sy_selector *selector = NULL;
    store.path = p.store;
    store.persistence = false;
    options.store_options = &store;
    assert_int_equal(sy_selector_open(&options, &selector, NULL), SY_OK);
    sy_request request = request_of(&p, SY_SELECT_RECORD_MISS);
    expect_none(selector, &request);
    request.mode = SY_SELECT_PROBE;
    (void)expect_answer(selector, &request, "f", SY_SOURCE_PROBE);
    request.mode = SY_SELECT_STORE_ONLY;
    (void)expect_answer(selector, &request, "f", SY_SOURCE_MEMORY);
    struct stat nothing;
    assert_int_equal(stat(p.store, &nothing), -1);
    assert_int_equal(stat(p.misses, &nothing), -1);
    sy_selector_close(selector);
    leave(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_miss_is_written_down_once_and_worked_off),
        cmocka_unit_test(a_budget_of_nothing_leaves_the_misses),
        cmocka_unit_test(a_damaged_line_of_misses_is_located_and_kept),
        cmocka_unit_test(store_only_leaves_nothing_on_disk),
        cmocka_unit_test(without_persistence_the_decision_lives_in_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
