/* SPDX-License-Identifier: Apache-2.0 */
/* What a selector remembers, for how long, and whom it makes wait. */
#include "select_support.h"

#include <pthread.h>
#include <time.h>

#include "backends/backend.h"
#include "select/selector.h"

static sy_status give_text(void *user, const char **ret_policy, size_t *ret_size, sy_error *err)
{
    (void)err;
    *ret_policy = user;
    *ret_size = strlen(user);
    return SY_OK;
}

static sy_profile_key exact_key_of(sy_selector *selector, const sy_request *request)
{
    sy_selection key;
    assert_int_equal(sy_selector_key(selector, request, &key, NULL), SY_OK);
    return (sy_profile_key){.backend = key.backend,
                            .operator_name = key.operator_name,
                            .implementation_version = key.implementation_version,
                            .model_digest = key.model_digest,
                            .processor = key.processor,
                            .thread_count = key.thread_count};
}

static void reopen(place *p, uint32_t threads)
{
    sy_device_options options = SY_DEVICE_OPTIONS_INIT;
    sy_device_close(p->device);
    options.script = p->script;
    options.threads = threads;
    assert_int_equal(sy_device_open("fake", &options, &p->device, NULL), SY_OK);
    assert_int_equal(sy_device_suite(p->device, "ring", &p->suite, NULL), SY_OK);
}

static void devices_are_told_apart_by_what_they_are_not_where(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    sy_selector *selector = open_selector(&p);
    reopen(&p, 1);
    sy_request request = request_of(&p, SY_SELECT_PROBE);
    sy_selection one = expect_answer(selector, &request, "f", SY_SOURCE_PROBE);
    assert_int_equal(one.thread_count, 1);
    reopen(&p, 2); /* mostly at the same address */
    request = request_of(&p, SY_SELECT_STORE_ONLY);
    expect_none(selector, &request);
    sy_selection key;
    assert_int_equal(sy_selector_key(selector, &request, &key, NULL), SY_OK);
    assert_int_equal(key.thread_count, 2);
    reopen(&p, 1); /* wherever it lies now, it is the device that was probed */
    request = request_of(&p, SY_SELECT_STORE_ONLY);
    (void)expect_answer(selector, &request, "f", SY_SOURCE_MEMORY);
    sy_request_mark first = sy_request_mark_of(&request);
    p.device->threads++;
    sy_request_mark second = sy_request_mark_of(&request);
    assert_false(first.a == second.a && first.b == second.b);
    p.device->threads--;
    sy_selector_close(selector);
    leave(&p);
}

static void each_device_has_its_own_processor(void **state)
{
    (void)state;
    place p = place_with(
        SCRIPT_WITH("\"device\": {\"description\": \"one\"}, ", REFERENCE "," CANDIDATE("f", "900000", "")));
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_STORE_ONLY);
    sy_selection first;
    sy_selection second;
    assert_int_equal(sy_selector_key(selector, &request, &first, NULL), SY_OK);
    sy_device_close(p.device);
    p.device = NULL;
    place other = place_with(
        SCRIPT_WITH("\"device\": {\"description\": \"other\"}, ", REFERENCE "," CANDIDATE("f", "900000", "")));
    request = request_of(&other, SY_SELECT_STORE_ONLY);
    assert_int_equal(sy_selector_key(selector, &request, &second, NULL), SY_OK);
    assert_string_not_equal(first.processor, second.processor);
    sy_selector_close(selector);
    leave(&other);
    leave(&p);
}

static void an_override_wins_in_this_process_at_once(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_PROBE);
    (void)expect_answer(selector, &request, "f", SY_SOURCE_PROBE);
    (void)expect_answer(selector, &request, "f", SY_SOURCE_MEMORY);
    sy_override_draft draft = SY_OVERRIDE_DRAFT_INIT;
    char reference[] = "r";
    draft.key = exact_key_of(selector, &request);
    sy_store *store = sy_selector_store(selector);
    assert_int_equal(sy_store_install_override(store, &draft, give_text, NULL, reference, NULL, NULL), SY_OK);
    (void)expect_answer(selector, &request, "r", SY_SOURCE_STORE);
    (void)expect_answer(selector, &request, "r", SY_SOURCE_MEMORY);
    assert_int_equal(sy_store_clear_override(store, &draft.key, NULL), SY_OK);
    (void)expect_answer(selector, &request, "f", SY_SOURCE_STORE);
    assert_int_equal(sy_store_remove(store, &draft.key, SY_PROFILE_CALIBRATED, NULL), SY_OK);
    request.mode = SY_SELECT_STORE_ONLY;
    expect_none(selector, &request); /* nor does memory outlive what was removed */
    sy_selector_close(selector);
    leave(&p);
}

#define WITH_SHORTCUT(to)                                                                                        \
    "{\"schema\": \"steelyard.fake/1\", \"operation\": \"ring\", \"cases\": [{\"name\": \"c\", \"n\": 64}], "    \
    "\"implementations\": [" REFERENCE                                                                           \
    "," CANDIDATE("f", "900000", "") "," CANDIDATE("g", "950000",                                                \
                                                   ", \"error_class\": "                                         \
                                                   "\"approximate\"") "], "                                      \
                                                                      "\"shortcut\": {\"implementation\": \"" to \
                                                                      "\", \"evidence\": \"run 7\"}}"

static void a_shortcut_loses_to_a_decision_stored_later(void **state)
{
    (void)state;
    place p = place_with(WITH_SHORTCUT("f"));
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_STORE_ONLY);
    sy_selection shortcut = expect_answer(selector, &request, "f", SY_SOURCE_SHORTCUT);
    assert_false(shortcut.stored);
    request.retry = true; /* changes nothing where nothing is probed */
    (void)expect_answer(selector, &request, "f", SY_SOURCE_MEMORY);
    request.retry = false;
    sy_profile_draft draft = SY_PROFILE_DRAFT_INIT;
    char policy[] = "r";
    draft.key = exact_key_of(selector, &request);
    assert_int_equal(sy_store_put(sy_selector_store(selector), &draft, give_text, NULL, policy, NULL, NULL), SY_OK);
    sy_selection stored = expect_answer(selector, &request, "r", SY_SOURCE_STORE);
    assert_true(stored.stored);
    sy_selector_close(selector);
    leave(&p);
}

static void a_shortcut_that_the_request_forbids_is_passed_over(void **state)
{
    (void)state;
    place p = place_with(WITH_SHORTCUT("g"));
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_STORE_ONLY);
    expect_none(selector, &request);
    request.allow_approximate = true;
    (void)expect_answer(selector, &request, "g", SY_SOURCE_SHORTCUT);
    sy_selector_close(selector);
    leave(&p);
}

static void what_was_seen_before_takes_no_more_memory(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    sy_selector *selector = open_selector(&p);
    sy_request known = request_of(&p, SY_SELECT_PROBE);
    sy_request missed = request_of(&p, SY_SELECT_RECORD_MISS);
    sy_request per_case = request_of(&p, SY_SELECT_PROBE);
    sy_selection selection;
    per_case.per_case = true;
    per_case.model_digest = "a third";
    missed.model_digest = "another";
    (void)expect_answer(selector, &known, "f", SY_SOURCE_PROBE);
    (void)expect_answer(selector, &per_case, "f", SY_SOURCE_PROBE);
    for (int i = 0; i < 2; i++) { /* each answer as it will be from now on */
        assert_int_equal(sy_select(selector, &known, &selection, NULL), SY_OK);
        assert_int_equal(sy_select(selector, &per_case, &selection, NULL), SY_OK);
        expect_none(selector, &missed);
    }
    size_t used = sy_arena_used(selector->arena);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(sy_select(selector, &known, &selection, NULL), SY_OK);
        assert_int_equal(sy_select(selector, &per_case, &selection, NULL), SY_OK);
        assert_int_equal(sy_select(selector, &missed, &selection, NULL), SY_NOT_FOUND);
        uint32_t attempts;
        assert_int_equal(sy_selector_attempts(selector, &missed, &attempts, NULL), SY_OK);
    }
    assert_int_equal(sy_arena_used(selector->arena), used);
    sy_selector_close(selector);
    leave(&p);
}

static void what_could_not_be_stored_is_not_probed_again_and_again(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_PROBE);
    sy_probe_options probe = SY_PROBE_OPTIONS_INIT;
    sy_profile_draft draft = SY_PROFILE_DRAFT_INIT;
    char policy[] = "f";
    probe.absolute_tolerance = 10; /* vacuous */
    request.probe = &probe;
    sy_selection vacuous = expect_answer(selector, &request, "r", SY_SOURCE_PROBE);
    assert_false(vacuous.stored);
    assert_non_null(strstr(vacuous.why, "proves nothing"));
    draft.key = exact_key_of(selector, &request);
    sy_profile_key own = draft.key;
    draft.key.model_digest = "of another";
    sy_store *store = sy_selector_store(selector);
    assert_int_equal(sy_store_put(store, &draft, give_text, NULL, policy, NULL, NULL), SY_OK);
    (void)expect_answer(selector, &request, "r", SY_SOURCE_MEMORY); /* the store has changed, and knows no more */
    draft.key = own;
    assert_int_equal(sy_store_put(store, &draft, give_text, NULL, policy, NULL, NULL), SY_OK);
    (void)expect_answer(selector, &request, "f", SY_SOURCE_STORE);
    sy_selector_close(selector);
    leave(&p);
}

typedef struct beside {
    sy_selector *selector;
    sy_request request; /* of a key that is stored */
    bool asked;
    bool answered;
    sy_status status;
} beside;

static void *ask(void *user)
{
    beside *b = user;
    sy_selection selection;
    b->status = sy_select(b->selector, &b->request, &selection, NULL);
    return NULL;
}

/* A probe is under way, and it ends only after another thread has been answered, or has not in half a minute. */
static void ask_beside(void *user, const sy_probe_progress *progress)
{
    beside *b = user;
    pthread_t thread;
    struct timespec end;
    (void)progress;
    if (b->asked)
        return;
    b->asked = true;
    assert_int_equal(clock_gettime(CLOCK_REALTIME, &end), 0);
    end.tv_sec += 30;
    assert_int_equal(pthread_create(&thread, NULL, ask, b), 0);
    b->answered = pthread_timedjoin_np(thread, NULL, &end) == 0;
    if (!b->answered)
        (void)pthread_detach(thread);
}

static void what_is_stored_is_answered_while_another_key_is_probed(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_PROBE);
    request.model_digest = "stored";
    (void)expect_answer(selector, &request, "f", SY_SOURCE_PROBE);
    sy_selector_close(selector);
    selector = open_selector(&p);
    static beside b; /* a thread that is not answered outlives this call */
    sy_probe_options probe = SY_PROBE_OPTIONS_INIT;
    b = (beside){.selector = selector, .request = request};
    probe.progress = ask_beside;
    probe.user = &b;
    request.model_digest = NULL;
    request.probe = &probe;
    (void)expect_answer(selector, &request, "f", SY_SOURCE_PROBE);
    assert_true(b.asked && b.answered);
    assert_int_equal(b.status, SY_OK);
    sy_selector_close(selector);
    leave(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_are_told_apart_by_what_they_are_not_where),
        cmocka_unit_test(each_device_has_its_own_processor),
        cmocka_unit_test(an_override_wins_in_this_process_at_once),
        cmocka_unit_test(a_shortcut_loses_to_a_decision_stored_later),
        cmocka_unit_test(a_shortcut_that_the_request_forbids_is_passed_over),
        cmocka_unit_test(what_was_seen_before_takes_no_more_memory),
        cmocka_unit_test(what_could_not_be_stored_is_not_probed_again_and_again),
        cmocka_unit_test(what_is_stored_is_answered_while_another_key_is_probed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
