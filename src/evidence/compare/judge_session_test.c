/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions judged from their figures: which metrics there are, alarms and their confirms, what one side lacks. */
#include "evidence/compare/judge_session.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "fault_loop.h"

enum { BASELINE = 5, FIGURES = 4, EARLIER = 24 };

/* Five accepted sessions about 1 ms, some new ones; each has a series "wall" of 120 samples and a peak. */
typedef struct bench {
    sy_arena *arena;
    sy_run_row rows[BASELINE + 4];
    sy_figure_row figures[BASELINE + 4][FIGURES];
    sy_session sessions[BASELINE + 4];
    const sy_session *pointers[BASELINE + 4];
    sy_session_rules rules;
    sy_session_question question;
    sy_session_answer answer;
} bench;

static const double accepted[BASELINE] = {1.00e-3, 1.01e-3, 0.99e-3, 1.005e-3, 0.995e-3};

static sy_figure_row series(const char *name, uint64_t count, double p50, sy_series_role role)
{
    return (sy_figure_row){.name = name,
                           .unit = "s",
                           .case_name = "",
                           .implementation = "",
                           .role = role,
                           .usable_count = count,
                           .p50 = p50,
                           .p95 = 1.1 * p50,
                           .minimum = 0.9 * p50,
                           .maximum = 1.3 * p50};
}

static sy_figure_row memory(double bytes)
{
    return (sy_figure_row){.is_memory = true,
                           .name = "peak",
                           .unit = "bytes",
                           .case_name = "",
                           .implementation = "",
                           .usable_count = 1,
                           .p50 = bytes,
                           .p95 = bytes,
                           .minimum = bytes,
                           .maximum = bytes,
                           .scope = SY_MEMORY_PROCESS};
}

/* Adds a session of that p50; control NaN = none. */
static void add(bench *b, size_t at, double p50, double control)
{
    b->rows[at] = (sy_run_row){.id = "run", .host = "host", .device = "cpu", .number = at + 1, .fence = at + 1};
    b->figures[at][0] = series("wall", 120, p50, SY_SERIES_SAMPLE);
    b->figures[at][1] = memory(1 << 20);
    b->figures[at][2] = series("wall", 120, control, SY_SERIES_CONTROL);
    b->sessions[at] = (sy_session){&b->rows[at], b->figures[at], isnan(control) ? 2 : 3, 0};
    b->pointers[at] = &b->sessions[at];
}

static int set_up(void **state)
{
    bench *b = calloc(1, sizeof *b);
    if (b == NULL || (b->arena = sy_arena_create(0)) == NULL) {
        return -1;
    }
    for (size_t i = 0; i < BASELINE; i++) {
        add(b, i, accepted[i], NAN);
    }
    b->rules = (sy_session_rules)SY_SESSION_RULES_INIT;
    b->rules.delta = 0.02;
    b->question = (sy_session_question){
        .baseline = b->pointers, .baseline_count = BASELINE, .sessions = b->pointers + BASELINE, .rules = &b->rules};
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    bench *b = *state;
    sy_arena_destroy(b->arena);
    free(b);
    return 0;
}

/* New sessions of these p50s, controls NULL = none; the last is judged. */
static void judge(bench *b, size_t count, const double *p50s, const double *controls)
{
    sy_error err = SY_ERROR_INIT;
    for (size_t i = 0; i < count; i++) {
        add(b, BASELINE + i, p50s[i], controls == NULL ? NAN : controls[i]);
    }
    b->question.session_count = count;
    b->question.judged = count - 1;
    if (sy_judge_session(&b->question, b->arena, &b->answer, &err) != SY_OK) {
        fail_msg("%s", err.what);
    }
}

/* The same again after a test has changed what it likes. */
static void judge_again(bench *b)
{
    sy_error err = SY_ERROR_INIT;
    if (sy_judge_session(&b->question, b->arena, &b->answer, &err) != SY_OK) {
        fail_msg("%s", err.what);
    }
}

static void expect(const bench *b, sy_judgement_word word, sy_judgement_reason reason)
{
    assert_string_equal(sy_judgement_word_text(b->answer.word), sy_judgement_word_text(word));
    assert_string_equal(sy_judgement_reason_text(b->answer.reason), sy_judgement_reason_text(reason));
}

static const sy_metric_verdict *metric(const bench *b, const char *name)
{
    for (size_t i = 0; i < b->answer.metric_count; i++) {
        if (strcmp(sy_metric_name(&b->answer.metrics[i].metric, b->arena), name) == 0) {
            return &b->answer.metrics[i];
        }
    }
    return NULL;
}

static void every_figure_of_a_session_has_its_line(void **state)
{
    bench *b = *state;
    judge(b, 1, (const double[]){1.002e-3}, NULL);
    expect(b, SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_INSIDE);
    assert_int_equal(b->answer.metric_count, 4);
    assert_int_equal(b->answer.primary_count, 1);
    assert_true(metric(b, "wall p50")->primary);
    assert_non_null(metric(b, "wall p95"));
    assert_non_null(metric(b, "wall maximum"));
    assert_int_equal(metric(b, "peak memory (process)")->judgement.word, SY_JUDGEMENT_PASS);
    assert_int_equal(metric(b, "wall p50")->sample_count, 120);
    assert_non_null(strstr(metric(b, "wall p50")->reason, "than the median of 5 accepted sessions, 1.00 ms"));
    assert_int_equal(b->answer.remark_count, 0);
    assert_false(b->answer.raised);
}

static void an_alarm_is_confirmed_by_sessions_with_a_control_arm(void **state)
{
    bench *b = *state;
    const double slow[] = {1.31e-3, 1.30e-3, 1.32e-3};
    const double usual[] = {NAN, 1.00e-3, NAN};
    const double outside[] = {NAN, 1.30e-3, NAN};
    judge(b, 1, slow, NULL);
    expect(b, SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_UNCONFIRMED);
    assert_true(b->answer.raised);
    assert_int_equal(metric(b, "wall p50")->judgement.confirms_to_come, 2);
    judge(b, 3, slow, NULL);
    expect(b, SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_UNCONFIRMED);
    assert_true(metric(b, "wall p50")->judgement.control_missing);
    judge(b, 3, slow, usual);
    expect(b, SY_JUDGEMENT_BLOCK, SY_JUDGEMENT_REASON_CONFIRMED);
    assert_true(fabs(metric(b, "wall p50")->judgement.p - 1. / 56) < 1e-12);
    assert_true(fabs(metric(b, "wall p50")->judgement.value - 1.32e-3) < 1e-15);
    /* What is not primary is reported. */
    assert_int_equal(metric(b, "wall p95")->judgement.word, SY_JUDGEMENT_INVESTIGATE);
    assert_int_equal(metric(b, "wall maximum")->judgement.word, SY_JUDGEMENT_INVESTIGATE);
    judge(b, 3, slow, outside);
    expect(b, SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_MACHINE_CHANGED);
    judge(b, 2, (const double[]){1.31e-3, 1.00e-3}, NULL);
    expect(b, SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_REFUTED);
    assert_false(b->answer.raised); /* its own figure is inside */
    b->question.judged = 0;
    judge_again(b);
    expect(b, SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_REFUTED);
    assert_true(b->answer.raised);
}

static void an_improvement_is_confirmed_as_well(void **state)
{
    bench *b = *state;
    judge(b, 3, (const double[]){0.81e-3, 0.80e-3, 0.82e-3}, (const double[]){NAN, NAN, 1.00e-3});
    expect(b, SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_IMPROVED);
    assert_true(b->answer.raised);
}

/* The first session was slow by chance; the second is fast, which is an alarm of its own. */
static void an_alarm_on_the_other_side_begins_anew(void **state)
{
    bench *b = *state;
    judge(b, 2, (const double[]){1.31e-3, 0.80e-3}, NULL);
    expect(b, SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_UNCONFIRMED);
    assert_true(metric(b, "wall p50")->judgement.lowered);
    assert_int_equal(metric(b, "wall p50")->judgement.session_count, 1);
}

static void thresholds_may_be_soft(void **state)
{
    bench *b = *state;
    const double slow[] = {1.31e-3, 1.30e-3, 1.32e-3}, controls[] = {1.00e-3, 1.00e-3, 1.00e-3};
    b->rules.only_reports = true;
    judge(b, 3, slow, controls);
    expect(b, SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_CONFIRMED);
    b->rules.only_reports = false;
    b->rules.hard_sessions = 6;
    judge_again(b);
    expect(b, SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_CONFIRMED);
    b->rules.hard_sessions = 5;
    /* Of 24 judged sessions between the accepted ones and the alarm 14 were worse than all of these. */
    sy_session key[BASELINE + EARLIER];
    sy_run_row rows[EARLIER];
    sy_figure_row figures[EARLIER];
    sy_session_set set = {.sessions = key, .count = BASELINE + EARLIER};
    memcpy(key, b->sessions, BASELINE * sizeof *key);
    for (size_t i = 0; i < EARLIER; i++) {
        rows[i] = (sy_run_row){.id = "earlier",
                               .host = "",
                               .device = "",
                               .number = 10 + i,
                               .judged = true,
                               .verdict_reason = SY_JUDGEMENT_REASON_REFUTED};
        figures[i] = series("wall", 120, i < 14 ? 1.1e-3 : 0.9e-3, SY_SERIES_SAMPLE);
        key[BASELINE + i] = (sy_session){&rows[i], &figures[i], 1, 0};
    }
    for (size_t i = 0; i < BASELINE; i++) {
        b->rows[i].accepted = true;
    }
    for (size_t i = 0; i < 3; i++) {
        b->rows[BASELINE + i].number = 100 + i;
    }
    b->question.key = &set;
    judge_again(b);
    expect(b, SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_CONFIRMED);
    assert_non_null(strstr(metric(b, "wall p50")->reason, "soft"));
    /* Confirmed ones are explained: they are no sign of noise. */
    for (size_t i = 0; i < 12; i++) {
        rows[i].verdict_reason = SY_JUDGEMENT_REASON_CONFIRMED;
    }
    judge_again(b);
    expect(b, SY_JUDGEMENT_BLOCK, SY_JUDGEMENT_REASON_CONFIRMED);
    /* As are those that were better: the other side is no alarm of this one. */
    for (size_t i = 0; i < 14; i++) {
        rows[i].verdict_reason = SY_JUDGEMENT_REASON_REFUTED;
        figures[i] = series("wall", 120, 0.8e-3, SY_SERIES_SAMPLE);
    }
    judge_again(b);
    expect(b, SY_JUDGEMENT_BLOCK, SY_JUDGEMENT_REASON_CONFIRMED);
}

static void the_gate_names_what_is_primary_and_alpha_is_shared(void **state)
{
    static const char *const names[] = {"wall p95", "peak", "gpu"};
    bench *b = *state;
    b->rules.primary = names;
    b->rules.primary_count = 2;
    judge(b, 1, (const double[]){1.31e-3}, NULL);
    assert_int_equal(b->answer.primary_count, 2);
    assert_false(metric(b, "wall p50")->primary);
    assert_true(metric(b, "wall p95")->primary);
    assert_true(metric(b, "peak memory (process)")->primary);
    assert_true(fabs(metric(b, "wall p95")->judgement.alpha - 0.01) < 1e-15);
    assert_int_equal(metric(b, "wall p95")->judgement.sessions_needed, 4); /* 1 / C(9, 4) = .0079 */
    expect(b, SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_UNCONFIRMED);
    b->rules.primary_count = 3;
    judge(b, 1, (const double[]){1.0e-3}, NULL);
    expect(b, SY_JUDGEMENT_NOT_JUDGED, SY_JUDGEMENT_REASON_NO_VALUE);
    assert_non_null(strstr(metric(b, "gpu p50")->reason, "no such series"));
}

static void too_few_samples_leave_p95_out_and_unequal_ones_the_maximum(void **state)
{
    static const char *const names[] = {"wall", "wall p95", "wall maximum"};
    bench *b = *state;
    add(b, BASELINE, 1.0e-3, NAN);
    b->figures[BASELINE][0].usable_count = 99;
    b->question.session_count = 1;
    judge_again(b);
    expect(b, SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_INSIDE);
    assert_null(metric(b, "wall p95"));
    assert_null(metric(b, "wall maximum"));
    assert_int_equal(b->answer.remark_count, 2);
    assert_non_null(strstr(b->answer.remarks[0], "coarse"));
    assert_non_null(strstr(b->answer.remarks[1], "different numbers of samples"));
    /* One of the baseline has fewer: it is no more comparable. */
    b->figures[BASELINE][0].usable_count = 120;
    b->figures[2][0].usable_count = 19;
    judge_again(b);
    assert_null(metric(b, "wall p95"));
    assert_non_null(strstr(b->answer.remarks[0], "unresolved"));
    b->rules.primary = names;
    b->rules.primary_count = 3;
    judge_again(b);
    expect(b, SY_JUDGEMENT_NOT_JUDGED, SY_JUDGEMENT_REASON_NO_VALUE);
    assert_int_equal(metric(b, "wall p95")->judgement.word, SY_JUDGEMENT_NOT_JUDGED);
    assert_int_equal(metric(b, "wall maximum")->judgement.word, SY_JUDGEMENT_NOT_JUDGED);
    assert_int_equal(metric(b, "wall p50")->judgement.word, SY_JUDGEMENT_PASS);
}

static void what_one_side_lacks_is_not_judged(void **state)
{
    bench *b = *state;
    add(b, BASELINE, 1.0e-3, NAN);
    b->question.session_count = 1;
    b->figures[BASELINE][0].name = "wal";
    judge_again(b);
    expect(b, SY_JUDGEMENT_NOT_JUDGED, SY_JUDGEMENT_REASON_NO_VALUE);
    assert_non_null(strstr(metric(b, "wal p50")->reason, "no accepted session has it"));
    assert_non_null(strstr(metric(b, "wall p50")->reason, "this one does not"));
    assert_true(isnan(metric(b, "wall p50")->judgement.value));
    b->sessions[BASELINE].figure_count = 0;
    judge_again(b);
    expect(b, SY_JUDGEMENT_NOT_JUDGED, SY_JUDGEMENT_REASON_NO_VALUE);
    /* Neither side has anything. */
    b->question.baseline_count = 0;
    judge_again(b);
    expect(b, SY_JUDGEMENT_NOT_JUDGED, SY_JUDGEMENT_REASON_NO_VALUE);
    assert_int_equal(b->answer.metric_count, 0);
}

static void values_that_are_none_are_not_judged(void **state)
{
    static const double none[] = {NAN, INFINITY, 0, -1e-3};
    bench *b = *state;
    for (size_t i = 0; i < 4; i++) {
        judge(b, 1, &none[i], NULL);
        expect(b, SY_JUDGEMENT_NOT_JUDGED, SY_JUDGEMENT_REASON_NO_VALUE);
    }
    /* In the baseline they do not count; with four that do there is none. */
    b->figures[1][0].p50 = NAN;
    judge(b, 1, (const double[]){1.0e-3}, NULL);
    expect(b, SY_JUDGEMENT_NO_BASELINE, SY_JUDGEMENT_REASON_FEW_SESSIONS);
    assert_int_equal(metric(b, "wall p50")->judgement.sessions_to_baseline, 1);
    assert_int_equal(metric(b, "wall p95")->judgement.word, SY_JUDGEMENT_PASS);
}

static void a_confirm_without_the_value_does_not_hide_the_alarm(void **state)
{
    bench *b = *state;
    judge(b, 2, (const double[]){1.31e-3, NAN}, NULL);
    expect(b, SY_JUDGEMENT_NOT_JUDGED, SY_JUDGEMENT_REASON_NO_VALUE);
    b->question.judged = 0;
    judge_again(b);
    expect(b, SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_UNCONFIRMED);
}

static void equal_values_and_one_huge_outlier_are_judged(void **state)
{
    bench *b = *state;
    for (size_t i = 0; i < BASELINE; i++) {
        add(b, i, 1e-3, NAN);
    }
    judge(b, 1, (const double[]){1e-3}, NULL);
    expect(b, SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_INSIDE);
    judge(b, 1, (const double[]){1e+3}, NULL);
    expect(b, SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_UNCONFIRMED);
    /* In the baseline: nothing but a worse one is an alarm then. */
    add(b, 2, 1e+3, NAN);
    judge(b, 1, (const double[]){1.1e-3}, NULL);
    expect(b, SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_INSIDE);
}

static void memory_is_held_against_its_quantum_and_its_own_control(void **state)
{
    static const char *const names[] = {"peak"};
    bench *b = *state;
    b->rules.primary = names;
    b->rules.primary_count = 1;
    judge(b, 3, (const double[]){1e-3, 1e-3, 1e-3}, NULL);
    for (size_t i = 0; i < 3; i++) {
        b->figures[BASELINE + i][1] = memory((1 << 20) + 4096);
    }
    judge_again(b);
    expect(b, SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_INSIDE);
    for (size_t i = 0; i < 3; i++) {
        b->figures[BASELINE + i][1] = memory((1 << 20) + 8192);
    }
    judge_again(b);
    expect(b, SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_UNCONFIRMED);
    b->sessions[BASELINE + 1].control_peak_bytes = 1 << 20;
    judge_again(b);
    expect(b, SY_JUDGEMENT_BLOCK, SY_JUDGEMENT_REASON_CONFIRMED);
    b->rules.memory_quantum_bytes = 8192;
    judge_again(b);
    expect(b, SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_INSIDE);
}

static void evidence_comes_before_every_figure(void **state)
{
    bench *b = *state;
    b->question.evidence = "parity failed";
    judge(b, 1, (const double[]){1e-3}, NULL);
    expect(b, SY_JUDGEMENT_BLOCK, SY_JUDGEMENT_REASON_EVIDENCE);
    b->question.baseline_count = 0;
    b->sessions[BASELINE].figure_count = 0;
    judge_again(b);
    expect(b, SY_JUDGEMENT_BLOCK, SY_JUDGEMENT_REASON_EVIDENCE);
}

static void a_series_that_stands_there_twice_counts_once(void **state)
{
    bench *b = *state;
    judge(b, 1, (const double[]){1e-3}, NULL);
    b->figures[BASELINE][2] = series("wall", 120, 9e-3, SY_SERIES_SAMPLE);
    b->figures[BASELINE][3] = series("wall", 120, 8e-3, SY_SERIES_SAMPLE);
    b->sessions[BASELINE].figure_count = 4;
    judge_again(b);
    expect(b, SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_INSIDE);
    assert_int_equal(b->answer.metric_count, 4);
}

static void a_metric_is_called_by_its_name_and_statistic(void **state)
{
    (void)state;
    const sy_judged_metric p50 = {"wall", "", "", SY_STATISTIC_P50, "s", false};
    const sy_judged_metric p95 = {"wall", "", "", SY_STATISTIC_P95, "s", false};
    const sy_judged_metric peak = {"peak", "", "", SY_STATISTIC_MEMORY, "bytes", false};
    assert_true(sy_metric_is_called(&p50, "wall") && sy_metric_is_called(&p50, "wall p50"));
    assert_false(sy_metric_is_called(&p95, "wall"));
    assert_true(sy_metric_is_called(&p95, "wall p95"));
    assert_false(sy_metric_is_called(&p50, "wal") || sy_metric_is_called(&p50, "wallet"));
    assert_true(sy_metric_is_called(&peak, "peak") && sy_metric_is_called(&peak, "peak memory"));
}

static void what_is_out_of_range_is_refused(void **state)
{
    bench *b = *state;
    sy_session_answer untouched = b->answer;
    sy_error err = SY_ERROR_INIT;
    add(b, BASELINE, 1e-3, NAN);
    b->question.session_count = 1;
    b->rules.alpha = 0.6;
    assert_int_equal(sy_judge_session(&b->question, b->arena, &b->answer, &err), SY_INVALID_ARGUMENT);
    b->question.session_count = 0;
    assert_int_equal(sy_judge_session(&b->question, b->arena, &b->answer, &err), SY_INVALID_ARGUMENT);
    assert_memory_equal(&b->answer, &untouched, sizeof untouched);
}

static sy_status judge_once(void *user)
{
    bench *b = user;
    sy_arena *arena = sy_arena_create(0);
    sy_session_answer answer;
    sy_status status = arena == NULL ? SY_NO_MEMORY : sy_judge_session(&b->question, arena, &answer, NULL);
    sy_arena_destroy(arena);
    return status;
}

static void memory_may_be_short_anywhere(void **state)
{
    bench *b = *state;
    judge(b, 2, (const double[]){1.3e-3, 1.4e-3}, (const double[]){1e-3, 1e-3});
    assert_true(fault_loop_allocations(judge_once, b, true) > 3);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_figure_of_a_session_has_its_line),
        TEST(an_alarm_is_confirmed_by_sessions_with_a_control_arm),
        TEST(an_improvement_is_confirmed_as_well),
        TEST(an_alarm_on_the_other_side_begins_anew),
        TEST(thresholds_may_be_soft),
        TEST(the_gate_names_what_is_primary_and_alpha_is_shared),
        TEST(too_few_samples_leave_p95_out_and_unequal_ones_the_maximum),
        TEST(what_one_side_lacks_is_not_judged),
        TEST(values_that_are_none_are_not_judged),
        TEST(a_confirm_without_the_value_does_not_hide_the_alarm),
        TEST(equal_values_and_one_huge_outlier_are_judged),
        TEST(memory_is_held_against_its_quantum_and_its_own_control),
        TEST(evidence_comes_before_every_figure),
        TEST(a_series_that_stands_there_twice_counts_once),
        TEST(a_metric_is_called_by_its_name_and_statistic),
        TEST(what_is_out_of_range_is_refused),
        TEST(memory_may_be_short_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
