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
    sy_selector_close(selector);
    selector = open_selector(&p);
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

/* Cancels once the pairs are under way. */
typedef struct stopper {
    bool stop;
} stopper;

static void watch(void *user, const sy_probe_progress *progress)
{
    stopper *s = user;
    s->stop = s->stop || (progress->phase == SY_PHASE_ROUNDS && progress->done >= 2);
}

static bool is_stopped(void *user)
{
    return ((stopper *)user)->stop;
}

static void an_interrupted_probe_leaves_its_miss_and_the_rest(void **state)
{
    (void)state;
    place p = place_with(SCRIPT_WITH("", REFERENCE "," CANDIDATE("m", "969500", "")));
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_RECORD_MISS);
    stopper s = {false};
    sy_probe_options probe = SY_PROBE_OPTIONS_INIT;
    sy_work_off_options options = {.budget_ns = UINT64_C(60000000000), .probe = &probe};
    sy_work_off_result result = {0};
    uint32_t attempts = 0;
    expect_none(selector, &request);
    request.model_digest = "another";
    expect_none(selector, &request);
    probe.progress = watch;
    probe.cancelled = is_stopped;
    probe.user = &s;
    assert_int_equal(sy_selector_work_off(selector, p.misses, &options, &result, NULL), SY_OK);
    assert_true(s.stop && result.interrupted);
    assert_int_equal(result.misses, 2);
    assert_int_equal(result.left, 2);
    assert_int_equal(result.probed + result.answered + result.failed, 0);
    assert_int_equal(count_lines(p.misses), 2);
    request.model_digest = NULL; /* no answer has come of it, but the attempt counts: no restart at full alpha */
    expect_none(selector, &request);
    assert_int_equal(sy_selector_attempts(selector, &request, &attempts, NULL), SY_OK);
    assert_int_equal(attempts, 1);
    request.mode = SY_SELECT_PROBE;
    request.probe = &probe;
    sy_selection selection;
    assert_int_equal(sy_select(selector, &request, &selection, NULL), SY_INTERRUPTED);
    sy_selector_close(selector);
    leave(&p);
}

typedef struct told {
    int count;
    sy_status status;
    char what[256];
} told;

static void tell(void *user, const char *operation, const char *backend, const sy_selection *selection,
                 sy_status status, const sy_error *err)
{
    told *t = user;
    assert_string_equal(operation, "ring");
    assert_string_equal(backend, "fake");
    (void)selection;
    t->count++;
    t->status = status;
    (void)snprintf(t->what, sizeof(t->what), "%s", err->what);
}

static void expect_left_in_the_file(const place *p, sy_selector *selector, const sy_probe_options *probe,
                                    const char *why)
{
    told t = {0};
    sy_work_off_options options = {.budget_ns = UINT64_C(60000000000), .probe = probe, .each = tell, .user = &t};
    sy_work_off_result result = {0};
    assert_int_equal(sy_selector_work_off(selector, p->misses, &options, &result, NULL), SY_OK);
    assert_int_equal(result.failed, 1);
    assert_int_equal(result.probed + result.answered + result.left, 0);
    assert_int_equal(count_lines(p->misses), 1);
    assert_int_equal(t.count, 1);
    assert_int_equal(t.status, SY_REFUSED);
    if (strstr(t.what, why) == NULL)
        fail_msg("%s", t.what);
}

static void a_miss_stays_when_the_store_cannot_be_written(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_RECORD_MISS);
    expect_none(selector, &request);
    FILE *file = fopen(p.store, "we");
    assert_non_null(file);
    assert_true(fputs("damaged\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
    expect_left_in_the_file(&p, selector, NULL, "not stored");
    expect_left_in_the_file(&p, selector, NULL, "not stored"); /* nor is memory an answer to others */
    sy_selector_close(selector);
    leave(&p);
}

static void a_miss_stays_when_its_probe_proves_nothing(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_RECORD_MISS);
    sy_probe_options probe = SY_PROBE_OPTIONS_INIT;
    probe.absolute_tolerance = 10; /* above the signal: vacuous */
    expect_none(selector, &request);
    expect_left_in_the_file(&p, selector, &probe, "proves nothing");
    expect_left_in_the_file(&p, selector, &probe, "proves nothing");
    sy_selector_close(selector);
    leave(&p);
}

static void keys_of_misses_are_compared_whole(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_RECORD_MISS);
    char key[65];
    expect_none(selector, &request);
    const char *at = strstr(slurp(p.misses), "\"key\"");
    assert_non_null(at);
    at = strchr(at + 5, '"');
    (void)snprintf(key, sizeof(key), "%s", at + (at[1] == ':' ? 3 : 1));
    key[64] = '\0';
    sy_selector_close(selector);
    assert_int_equal(unlink(p.misses), 0);
    selector = open_selector(&p);
    request.model_digest = key; /* another miss whose line holds the first one's key */
    expect_none(selector, &request);
    assert_non_null(strstr(slurp(p.misses), key));
    request.model_digest = NULL;
    expect_none(selector, &request);
    assert_int_equal(count_lines(p.misses), 2);
    sy_selector_close(selector);
    leave(&p);
}

static void what_was_asked_for_stands_in_the_line(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    sy_property structure[] = {{"heads", "8"}};
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_RECORD_MISS);
    sy_work_off_options options = {.budget_ns = UINT64_C(60000000000)};
    sy_work_off_result result = {0};
    request.structure = structure;
    request.structure_count = 1;
    expect_none(selector, &request);
    request.force_portable = true;
    request.require_evidence = true;
    expect_none(selector, &request);
    assert_int_equal(count_lines(p.misses), 2); /* one does not answer the other */
    assert_int_equal(sy_selector_work_off(selector, p.misses, &options, &result, NULL), SY_OK);
    assert_int_equal(count_lines(p.misses), 0);
    sy_selector_close(selector);
    selector = open_selector(&p);
    sy_selection portable = expect_answer(selector, &request, "f", SY_SOURCE_STORE);
    assert_int_equal(portable.rank, SY_PROFILE_RANK_CALIBRATED_PORTABLE);
    request.force_portable = false;
    sy_selection exact = expect_answer(selector, &request, "f", SY_SOURCE_STORE);
    assert_int_equal(exact.rank, SY_PROFILE_RANK_CALIBRATED_EXACT);
    sy_selector_close(selector);
    leave(&p);
}

static void a_full_file_of_misses_is_left_as_it_is(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_RECORD_MISS);
    sy_selection selection;
    sy_error err = SY_ERROR_INIT;
    struct stat before;
    struct stat after;
    expect_none(selector, &request);
    assert_int_equal(stat(p.misses, &before), 0);
    FILE *file = fopen(p.misses, "ae");
    assert_non_null(file);
    for (off_t size = before.st_size; size < (4 << 20) - 100; size++)
        assert_int_equal(fputc('\n', file), '\n');
    assert_int_equal(fclose(file), 0);
    assert_int_equal(stat(p.misses, &before), 0);
    request.model_digest = "another";
    assert_int_equal(sy_select(selector, &request, &selection, &err), SY_NOT_FOUND);
    assert_non_null(strstr(err.hint, "not written down"));
    assert_non_null(strstr(err.hint, "work it off first"));
    assert_int_equal(stat(p.misses, &after), 0);
    assert_int_equal(after.st_size, before.st_size);
    sy_selector_close(selector);
    leave(&p);
}

#define SECOND UINT64_C(1000000000)

static sy_status look_at_limits(void *user, const sy_request *request, const sy_probe_result *result,
                                sy_recorded *ret_recorded, sy_error *err)
{
    (void)request;
    (void)ret_recorded;
    (void)err;
    assert_true(result->wall_limit_ns > 0 && result->wall_limit_ns <= 7 * SECOND);
    assert_true(result->budget_ns > 0 && result->budget_ns <= 7 * SECOND);
    ++*(int *)user;
    return SY_OK;
}

static void no_probe_may_take_more_than_is_left(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    int probes = 0;
    sy_store_options store = SY_STORE_OPTIONS_INIT;
    sy_selector_options options = SY_SELECTOR_OPTIONS_INIT;
    sy_selector *selector = NULL;
    store.path = p.store;
    store.environment_layers = false;
    options.store_options = &store;
    options.record = look_at_limits;
    options.user = &probes;
    assert_int_equal(sy_selector_open(&options, &selector, NULL), SY_OK);
    sy_request request = request_of(&p, SY_SELECT_RECORD_MISS);
    expect_none(selector, &request);
    sy_work_off_options work = {.budget_ns = 7 * SECOND};
    sy_work_off_result result;
    assert_int_equal(sy_selector_work_off(selector, p.misses, &work, &result, NULL), SY_OK);
    assert_int_equal(probes, 1);
    sy_selector_close(selector);
    leave(&p);
}

static void where_a_miss_stands_is_said(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_RECORD_MISS);
    sy_selection selection;
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(sy_select(selector, &request, &selection, &err), SY_NOT_FOUND);
    assert_non_null(strstr(err.hint, "written down in "));
    assert_non_null(strstr(err.hint, p.misses));
    assert_int_equal(sy_select(selector, &request, &selection, &err), SY_NOT_FOUND);
    assert_non_null(strstr(err.hint, "stands already in "));
    assert_int_equal(sy_select(selector, &request, &selection, NULL), SY_NOT_FOUND); /* only the text is lost */
    sy_selector_close(selector);
    leave(&p);
}

static void each_case_that_is_missed_is_written_down(void **state)
{
    (void)state;
    place p = place_with("{\"schema\": \"steelyard.fake/1\", \"operation\": \"ring\", \"cases\": [{\"name\": \"a\", "
                         "\"n\": 64}, {\"name\": \"b\", \"n\": 32}, {\"name\": \"c\", \"n\": 16}], "
                         "\"implementations\": [" REFERENCE "," CANDIDATE("f", "900000", "") "]}");
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_RECORD_MISS);
    request.per_case = true;
    expect_none(selector, &request);
    assert_int_equal(count_lines(p.misses), 3);
    sy_selector_close(selector);
    leave(&p);
}

static void an_explicit_file_of_misses_needs_persistence_too(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    sy_store_options store = SY_STORE_OPTIONS_INIT;
    sy_selector_options options = SY_SELECTOR_OPTIONS_INIT;
    sy_selector *selector = NULL;
    char path[128];
    struct stat nothing;
    (void)snprintf(path, sizeof(path), "%s/elsewhere", p.folder);
    store.path = p.store;
    store.persistence = false;
    options.store_options = &store;
    options.misses_path = path;
    assert_int_equal(sy_selector_open(&options, &selector, NULL), SY_OK);
    sy_request request = request_of(&p, SY_SELECT_RECORD_MISS);
    expect_none(selector, &request);
    assert_int_equal(stat(path, &nothing), -1);
    sy_selector_close(selector);
    store.persistence = true;
    assert_int_equal(sy_selector_open(&options, &selector, NULL), SY_OK);
    expect_none(selector, &request);
    assert_int_equal(count_lines(path), 1);
    sy_selector_close(selector);
    assert_int_equal(unlink(path), 0);
    (void)snprintf(path, sizeof(path), "%s/elsewhere.lock", p.folder);
    (void)unlink(path);
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
        cmocka_unit_test(an_interrupted_probe_leaves_its_miss_and_the_rest),
        cmocka_unit_test(a_miss_stays_when_the_store_cannot_be_written),
        cmocka_unit_test(a_miss_stays_when_its_probe_proves_nothing),
        cmocka_unit_test(keys_of_misses_are_compared_whole),
        cmocka_unit_test(what_was_asked_for_stands_in_the_line),
        cmocka_unit_test(a_full_file_of_misses_is_left_as_it_is),
        cmocka_unit_test(no_probe_may_take_more_than_is_left),
        cmocka_unit_test(where_a_miss_stands_is_said),
        cmocka_unit_test(each_case_that_is_missed_is_written_down),
        cmocka_unit_test(an_explicit_file_of_misses_needs_persistence_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
