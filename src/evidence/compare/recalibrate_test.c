/* SPDX-License-Identifier: Apache-2.0 */
/* A stored decision whose winner is no longer the fastest is named, once a verdict has confirmed it. */
#include <steelyard/store.h>

#include "compare_support.h"

#define PROBE "20261101-000000-abcdef"
#define DIGEST "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define SLOW 1.31e-3
#define USUAL 1.00e-3

static void add_series(sy_event_list *events, const char *implementation, const double *value)
{
    sy_run_series series = {.name = "wall",
                            .unit = "s",
                            .role = SY_SERIES_SAMPLE,
                            .case_name = "big",
                            .implementation = implementation,
                            .samples = value,
                            .count = 1,
                            .note = ""};
    assert_int_equal(sy_event_list_series(events, &series, NULL), SY_OK);
}

/* A recorded probe: blis won with `usual`, openblas took `loser`. */
static void record_probe(life *l, double loser)
{
    static const char *const argv[] = {"steelyard", "probe", "matmul", "--backend", "cpu", "--record"};
    const double usual = USUAL;
    char host[256] = "";
    sy_event_list events = life_events(PROBE);
    assert_int_equal(gethostname(host, sizeof host - 1), 0);
    const sy_run_begin begin = {.id = PROBE,
                                .kind = SY_RUN_KIND_DECISION,
                                .status = SY_RUN_PLANNED,
                                .question = "Which is the fastest?",
                                .gate = "",
                                .cell = "matmul::cpu",
                                .tier = "",
                                .protocol = "steelyard-probe/1",
                                .cache_state = "",
                                .timing_boundary = "",
                                .source = {.control = "", .revision = "", .branch = "", .diff_digest = ""},
                                .place = {.host = host, .backend = "cpu", .device = "cpu", .description = ""},
                                .origin = "",
                                .origin_digest = "",
                                .origin_time = ""};
    const sy_run_lease lease = {"cpu", ++l->fence, host, "", 4711, LIFE_BEGAN + 3600};
    const sy_run_command command = {.phase = "measure", .argv = argv, .argc = 6, .fence = l->fence, .lease_held = true};
    const sy_run_decision decision = {.decision = SY_DECISION_WIN,
                                      .reason = "",
                                      .operation = "matmul",
                                      .reference = "openblas",
                                      .winner = "blis",
                                      .gain = 0.1,
                                      .gain_low = 0.08,
                                      .gain_high = 0.12,
                                      .pairs = 8,
                                      .wins = 8,
                                      .alpha = 0.05};
    const sy_run_profile profile = {"profiles", "exact matmul", "blis"};
    const sy_run_end end = {SY_RUN_OK, "", "", ""};
    assert_int_equal(sy_event_list_begin(&events, &begin, NULL), SY_OK);
    assert_int_equal(sy_event_list_lease(&events, &lease, NULL), SY_OK);
    assert_int_equal(sy_event_list_command(&events, &command, NULL), SY_OK);
    add_series(&events, "openblas", &loser);
    add_series(&events, "blis", &usual);
    assert_int_equal(sy_event_list_decision(&events, &decision, NULL), SY_OK);
    assert_int_equal(sy_event_list_profile(&events, &profile, NULL), SY_OK);
    assert_int_equal(sy_event_list_end(&events, &end, NULL), SY_OK);
    sy_error error = SY_ERROR_INIT;
    if (life_append(l, &events, &error) != SY_OK) {
        fail_msg("%s", error.what);
    }
}

static sy_status serialize(void *user, const char **ret_policy, size_t *ret_size, sy_error *err)
{
    (void)user;
    (void)err;
    *ret_policy = "blis";
    *ret_size = 4;
    return SY_OK;
}

/* A store in memory with one decision that rests on that run. */
static sy_store *store_of(const char *run)
{
    sy_store_options options = SY_STORE_OPTIONS_INIT;
    sy_profile_draft draft = SY_PROFILE_DRAFT_INIT;
    sy_store *store = NULL;
    sy_error error = SY_ERROR_INIT;
    options.persistence = false;
    options.environment_layers = false;
    draft.key.backend = "cpu";
    draft.key.operator_name = "matmul";
    draft.key.implementation_version = "1";
    draft.key.model_digest = "m";
    draft.key.processor = "p";
    draft.key.thread_count = 1;
    draft.evidence_run = run;
    draft.evidence_digest = DIGEST;
    if (sy_store_open(&options, &store, &error) != SY_OK ||
        sy_store_put(store, &draft, serialize, NULL, NULL, NULL, &error) != SY_OK) {
        fail_msg("%s", error.what);
    }
    return store;
}

static void run_of_winner(life *l, double p50, char id[64])
{
    compare_run(l, &(compare_session){.p50 = p50, .control = USUAL, .implementation = "blis", .case_name = "big"}, id);
}

/* Five accepted sessions of the winner, and three slow ones; the verdict on the last with that store. */
static sy_compared *confirm_slowdown(life *l, sy_store *store)
{
    char id[64];
    sy_compared *compared = NULL;
    for (size_t i = 0; i < 5; i++) {
        run_of_winner(l, USUAL + 1e-6 * (double)i, id);
        compare_accept(l, id, false);
    }
    for (size_t i = 0; i < 3; i++) {
        sy_compare_options options = compare_options(id);
        sy_compared_destroy(compared);
        run_of_winner(l, SLOW, id);
        options.store = store;
        compared = compare_with(l, &options);
        assert_true(i == 2 || compared->verdict.recalibrate[0] == '\0'); /* nothing is certain before */
    }
    compare_expect(compared, SY_JUDGEMENT_BLOCK, SY_JUDGEMENT_REASON_CONFIRMED);
    return compared;
}

static void a_winner_that_is_slower_than_a_loser_was_asks_for_a_new_decision(void **state)
{
    life *l = *state;
    sy_store *store = store_of(PROBE);
    record_probe(l, 1.11e-3);
    sy_compared *compared = confirm_slowdown(l, store);
    assert_string_equal(compared->verdict.recalibrate, "exact matmul");
    assert_string_equal(compared->verdict.recalibrate_run, PROBE);
    assert_true(compare_says(compared->verdict.reasons, compared->verdict.reason_count, "re-calibrate"));
    assert_true(
        compare_says(compared->next, compared->next_count, "steelyard probe matmul --backend cpu --record --save"));
    /* It stands in the event. */
    sy_run *run = life_run(l, compared->run);
    assert_string_equal(run->verdicts[run->verdict_count - 1].recalibrate, "exact matmul");
    sy_run_destroy(run);
    sy_compared_destroy(compared);
    sy_store_close(store);
}

static void a_winner_that_still_is_the_fastest_asks_for_nothing(void **state)
{
    life *l = *state;
    sy_store *store = store_of(PROBE);
    record_probe(l, 1.305e-3); /* less than the effect that matters */
    sy_compared *compared = confirm_slowdown(l, store);
    assert_string_equal(compared->verdict.recalibrate, "");
    sy_compared_destroy(compared);
    sy_store_close(store);
}

static void a_decision_that_rests_on_another_ledger_is_left_alone(void **state)
{
    life *l = *state;
    sy_store *store = store_of("20261101-000000-fedcba");
    record_probe(l, 1.11e-3);
    sy_compared *compared = confirm_slowdown(l, store);
    assert_string_equal(compared->verdict.recalibrate, "");
    sy_compared_destroy(compared);
    sy_store_close(store);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, compare_set_up, life_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_winner_that_is_slower_than_a_loser_was_asks_for_a_new_decision),
        TEST(a_winner_that_still_is_the_fastest_asks_for_nothing),
        TEST(a_decision_that_rests_on_another_ledger_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
