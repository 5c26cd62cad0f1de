/* SPDX-License-Identifier: Apache-2.0 */
/* Reported use: counted exactly, by several selectors and threads, written on flush and on close, and to the profile
 * that gave the answer. */
#include "select_support.h"

#include <math.h>
#include <pthread.h>

/* The use of the only profile of that kind in the place's file. */
static sy_profile_use stored_use(const place *p, sy_profile_kind kind)
{
    sy_selector *selector = open_selector(p);
    sy_request request = request_of(p, SY_SELECT_STORE_ONLY);
    sy_selection key;
    sy_profile_view view = {0};
    assert_int_equal(sy_selector_key(selector, &request, &key, NULL), SY_OK);
    sy_profile_key exact = {key.backend,
                            key.operator_name,
                            key.implementation_version,
                            key.model_digest,
                            key.processor,
                            key.thread_count,
                            NULL,
                            0};
    assert_int_equal(sy_store_find(sy_selector_store(selector), &exact, kind, &view, NULL), SY_OK);
    sy_profile_use use = view.profile->use;
    sy_selector_close(selector);
    return use;
}

static void use_reaches_the_store_on_flush_and_on_close(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_PROBE);
    (void)expect_answer(selector, &request, "f", SY_SOURCE_PROBE);
    assert_int_equal(sy_selector_report_use(selector, &request, 10, 2.5, NULL), SY_OK);
    assert_int_equal(sy_selector_report_use(selector, &request, 5, NAN, NULL), SY_OK);
    assert_int_equal(sy_selector_report_use(selector, &request, 0, 1, NULL), SY_OK);
    assert_int_equal(stored_use(&p, SY_PROFILE_CALIBRATED).calls, 0);
    assert_int_equal(sy_selector_flush_use(selector, NULL), SY_OK);
    assert_int_equal(sy_selector_flush_use(selector, NULL), SY_OK);
    sy_profile_use use = stored_use(&p, SY_PROFILE_CALIBRATED);
    assert_int_equal(use.calls, 15);
    assert_int_equal(use.timed_calls, 10);
    assert_true(use.seconds == 2.5);
    /* A flush is no news: the answer comes from memory. */
    (void)expect_answer(selector, &request, "f", SY_SOURCE_MEMORY);
    assert_int_equal(sy_selector_report_use(selector, &request, 1, NAN, NULL), SY_OK);
    sy_selector_close(selector);
    assert_int_equal(stored_use(&p, SY_PROFILE_CALIBRATED).calls, 16);
    leave(&p);
}

static void what_was_not_answered_or_is_wrong_is_not_counted(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_PROBE);
    assert_int_equal(sy_selector_report_use(selector, &request, 1, NAN, NULL), SY_NOT_FOUND);
    (void)expect_answer(selector, &request, "f", SY_SOURCE_PROBE);
    assert_int_equal(sy_selector_report_use(selector, &request, 1, -1, NULL), SY_INVALID_ARGUMENT);
    assert_int_equal(sy_selector_report_use(selector, &request, 1, INFINITY, NULL), SY_INVALID_ARGUMENT);
    request.device = NULL;
    assert_int_equal(sy_selector_report_use(selector, &request, 1, NAN, NULL), SY_INVALID_ARGUMENT);
    sy_selector_close(selector);
    assert_int_equal(stored_use(&p, SY_PROFILE_CALIBRATED).calls, 0);
    leave(&p);
}

static sy_status give_r(void *user, const char **ret_policy, size_t *ret_size, sy_error *err)
{
    (void)user;
    (void)err;
    *ret_policy = "r";
    *ret_size = 1;
    return SY_OK;
}

static void use_goes_to_the_profile_that_answered(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_PROBE);
    sy_override_draft draft = SY_OVERRIDE_DRAFT_INIT;
    sy_selection key = expect_answer(selector, &request, "f", SY_SOURCE_PROBE);
    assert_int_equal(sy_selector_report_use(selector, &request, 3, NAN, NULL), SY_OK);
    draft.key = (sy_profile_key){key.backend,
                                 key.operator_name,
                                 key.implementation_version,
                                 key.model_digest,
                                 key.processor,
                                 key.thread_count,
                                 NULL,
                                 0};
    draft.reason = "by hand";
    assert_int_equal(sy_store_install_override(sy_selector_store(selector), &draft, give_r, NULL, NULL, NULL, NULL),
                     SY_OK);
    (void)expect_answer(selector, &request, "r", SY_SOURCE_STORE);
    assert_int_equal(sy_selector_report_use(selector, &request, 4, NAN, NULL), SY_OK);
    sy_selector_close(selector);
    assert_int_equal(stored_use(&p, SY_PROFILE_CALIBRATED).calls, 3);
    assert_int_equal(stored_use(&p, SY_PROFILE_OVERRIDE).calls, 4);
    leave(&p);
}

#define THREADS 4
#define CALLS 2000

typedef struct worker {
    sy_selector *selector;
    const sy_request *request;
} worker;

static void *report_much(void *user)
{
    worker *w = user;
    for (int i = 0; i < CALLS; i++) {
        if (sy_selector_report_use(w->selector, w->request, 1, .25, NULL) != SY_OK)
            return w;
        if (i % 500 == 0 && sy_selector_flush_use(w->selector, NULL) != SY_OK)
            return w;
    }
    return NULL;
}

static void threads_and_selectors_add_up_exactly(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    sy_request request = request_of(&p, SY_SELECT_PROBE);
    sy_selector *selectors[2] = {open_selector(&p), open_selector(&p)};
    pthread_t threads[THREADS];
    worker workers[THREADS];
    (void)expect_answer(selectors[0], &request, "f", SY_SOURCE_PROBE);
    assert_int_equal(sy_store_reload(sy_selector_store(selectors[1]), NULL), SY_OK);
    (void)expect_answer(selectors[1], &request, "f", SY_SOURCE_STORE);
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){selectors[i % 2], &request};
        assert_int_equal(pthread_create(&threads[i], NULL, report_much, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *failed;
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    sy_selector_close(selectors[0]);
    sy_selector_close(selectors[1]);
    sy_profile_use use = stored_use(&p, SY_PROFILE_CALIBRATED);
    assert_int_equal(use.calls, THREADS * CALLS);
    assert_int_equal(use.timed_calls, THREADS * CALLS);
    assert_true(use.seconds == .25 * THREADS * CALLS);
    leave(&p);
}

static void case_by_case_one_case_is_reported(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_PROBE);
    request.per_case = true;
    (void)expect_answer(selector, &request, "f", SY_SOURCE_PROBE);
    assert_int_equal(sy_selector_report_use(selector, &request, 1, NAN, NULL), SY_INVALID_ARGUMENT);
    request.cases = p.suite->cases;
    request.case_count = 1;
    assert_int_equal(sy_selector_report_use(selector, &request, 6, NAN, NULL), SY_OK);
    sy_selector_close(selector);
    assert_non_null(strstr(slurp(p.store), "\nuse 6 0 0 "));
    leave(&p);
}

/* The thread writes by itself: the test waits for what it does, at most a minute. */
static void a_thread_writes_now_and_then(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    sy_request request = request_of(&p, SY_SELECT_PROBE);
    sy_store_options store = SY_STORE_OPTIONS_INIT;
    sy_selector_options options = SY_SELECTOR_OPTIONS_INIT;
    sy_selector *selector = NULL;
    store.path = p.store;
    store.environment_layers = false;
    options.store_options = &store;
    options.use_interval_ns = 1000000;
    assert_int_equal(sy_selector_open(&options, &selector, NULL), SY_OK);
    (void)expect_answer(selector, &request, "f", SY_SOURCE_PROBE);
    assert_int_equal(sy_selector_report_use(selector, &request, 9, NAN, NULL), SY_OK);
    uint64_t written = 0;
    for (int i = 0; i < 6000 && written == 0; i++) {
        (void)usleep(10000);
        written = stored_use(&p, SY_PROFILE_CALIBRATED).calls;
    }
    assert_int_equal(written, 9);
    sy_selector_close(selector);
    assert_int_equal(stored_use(&p, SY_PROFILE_CALIBRATED).calls, 9);
    leave(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(use_reaches_the_store_on_flush_and_on_close),
        cmocka_unit_test(what_was_not_answered_or_is_wrong_is_not_counted),
        cmocka_unit_test(use_goes_to_the_profile_that_answered),
        cmocka_unit_test(threads_and_selectors_add_up_exactly),
        cmocka_unit_test(case_by_case_one_case_is_reported),
        cmocka_unit_test(a_thread_writes_now_and_then),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
