/* SPDX-License-Identifier: Apache-2.0 */
/* The text answer on made-up results: every decision, nothing known, hostile names, every width, no memory. */
#include <math.h>
#include <stdlib.h>
#include <steelyard/report.h>
#include <string.h>

#include "base/text.h"
#include "fault_loop.h"
#include "text_width.h"

typedef struct sample {
    sy_probe_result result;
    sy_candidate_result candidates[4];
    sy_case_result cases[3];
    const char *notes[1];
} sample;

static void fill_cases(sample *s)
{
    static const char *const names[] = {"square-256", "llm-projection", "batch"};

    for (size_t i = 0; i < 3; i++) {
        s->cases[i] = (sy_case_result){.name = names[i],
                                       .weight = 1,
                                       .share = 0.25,
                                       .gain = 0.05,
                                       .reference_median_ns = 2e6,
                                       .candidate_median_ns = 1.9e6,
                                       .flop_count = 4e7,
                                       .batch = 1,
                                       .resolved = true};
        s->cases[i].parity.outcome = SY_PARITY_PASSED;
        s->cases[i].parity.error_in_tolerances = 0.37;
        s->cases[i].parity.rms_in_tolerances = 0.11;
        s->cases[i].parity.against_oracle = true;
    }
}

static void fill_candidates(sample *s)
{
    s->candidates[0] = (sy_candidate_result){.name = "blis",
                                             .role = SY_ROLE_CANDIDATE,
                                             .decision = SY_DECISION_WIN,
                                             .error_class = SY_CLASS_EXACT,
                                             .gain = 0.0512,
                                             .parity = SY_PARITY_PASSED,
                                             .error_in_tolerances = 0.37};
    s->candidates[1] = (sy_candidate_result){.name = "onednn",
                                             .role = SY_ROLE_CANDIDATE,
                                             .decision = SY_DECISION_INCONCLUSIVE,
                                             .reason = "slower",
                                             .parity = SY_PARITY_PASSED,
                                             .detail = "left out after 4 rounds",
                                             .gain = -0.41,
                                             .error_in_tolerances = 0.2};
    s->candidates[2] = (sy_candidate_result){.name = "blocked",
                                             .role = SY_ROLE_CANDIDATE,
                                             .decision = SY_DECISION_PARITY_FAILED,
                                             .reason = "parity",
                                             .detail = "nonfinite: candidate",
                                             .gain = NAN,
                                             .parity = SY_PARITY_FAILED,
                                             .error_in_tolerances = NAN};
    s->candidates[3] = (sy_candidate_result){
        .name = "plain", .role = SY_ROLE_ORACLE, .reason = "never timed", .gain = NAN, .error_in_tolerances = NAN};
    (void)sy_text_copy(s->candidates[0].info.version, sizeof(s->candidates[0].info.version), "BLIS 0.9.0");
}

static void fill(sample *s)
{
    memset(s, 0, sizeof(*s));
    s->result = (sy_probe_result){
        .operation = "matmul",
        .backend = "cpu",
        .device = "a processor, 2 cores",
        .reference = "openblas",
        .winner = "blis",
        .decision = SY_DECISION_WIN,
        .reason = "",
        .error = "",
        .advice = "",
        .completed = true,
        .candidate_faster = true,
        .gain = 0.0512,
        .gain_low = 0.0349,
        .gain_high = 0.0701,
        .total_gain = 0.048,
        .geometric_mean_gain = 0.05,
        .reference_total_ns = 6e6,
        .candidate_total_ns = 5.7e6,
        .e_value = 43.2,
        .pairs = 19,
        .wins = 18,
        .max_pairs = 60,
        .alpha = 0.05,
        .beta = 0.2,
        .min_improvement = 0.03,
        .margin = 0.02,
        .veto = 0.1,
        .seed = UINT64_C(18446744073709551615),
        .isolation = SY_ISOLATION_WORKER,
        .has_carry_over = true,
        .carry_over = {0.004, -0.001, 0.31},
        .resolvable_gain = 0.042,
        .noise = 0.011,
        .timer = "CLOCK_MONOTONIC_RAW",
        .measured_ns = UINT64_C(3100000000),
        .wall_ns = UINT64_C(12400000000),
        .budget_ns = UINT64_C(20000000000),
        .wall_limit_ns = UINT64_C(45000000000),
    };
    s->notes[0] = "order: 2.1 points between the orders, p = 0.2";
    fill_cases(s);
    fill_candidates(s);
    s->result.notes = s->notes;
    s->result.note_count = 1;
    s->result.candidates = s->candidates;
    s->result.candidate_count = 4;
    s->result.cases = s->cases;
    s->result.case_count = 3;
}

static char *text_of(const sy_probe_result *result, sy_report_style style)
{
    char *text = NULL;
    sy_error err = SY_ERROR_INIT;

    assert_int_equal(sy_report_probe(result, &style, &text, &err), SY_OK);
    assert_non_null(text);
    return text;
}

static char *wide_text_of(const sy_probe_result *result)
{
    return text_of(result, (sy_report_style){.columns = 200});
}

/* Text with every run of white space as one space, so that a test need not know where lines break. */
static char *flat(char *text)
{
    char *to = text;

    for (const char *at = text; *at != '\0'; at++) {
        char c = *at == '\n' ? ' ' : *at;

        if (c != ' ' || to == text || to[-1] != ' ')
            *to++ = c;
    }
    *to = '\0';
    return text;
}

static void expect_says(const sy_probe_result *result, const char *what)
{
    char *text = flat(wide_text_of(result));

    if (strstr(text, what) == NULL)
        fail_msg("'%s' is not said in: %s", what, text);
    sy_text_free(text);
}

static void every_decision_stands_in_the_first_line(void **state)
{
#define FIRST_WORD(name, word, completed, exit_code) {SY_DECISION_##name, word},
    static const struct {
        sy_decision decision;
        const char *word;
    } rows[] = {SY_DECISION_LIST(FIRST_WORD)};
    sample s;

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char *text;

        fill(&s);
        s.result.decision = rows[i].decision;
        s.result.winner = "openblas";
        text = wide_text_of(&s.result);
        assert_true(strncmp(text, rows[i].word, strlen(rows[i].word)) == 0);
        assert_int_equal(text[strlen(rows[i].word)], ':');
        sy_text_free(text);
    }
}

static void a_win_says_which_to_use_how_much_and_how_sure(void **state)
{
    sample s;

    (void)state;
    fill(&s);
    expect_says(&s.result, "win: use blis in place of openblas");
    expect_says(&s.result, "blis is faster than openblas: gain 5.1 %, at least 3.4 % (95 %), at most 7.1 % (95 %).");
    expect_says(&s.result, "It won 18 of 19 rounds (each case once a round; cap 60).");
    expect_says(&s.result, "At least 3 % was asked for; such a win is wrong in at most 5 % of probes.");
    expect_says(&s.result, "right in 3 of 3 cases, largest error 0.37 x allowed, rms 0.11 x, against right values");
    expect_says(&s.result, "seed 18446744073709551615");
    expect_says(&s.result, "carry-over openblas after blis +0.4 %, blis after openblas -0.1 % (p = 0.31)");
    expect_says(&s.result, "note order: 2.1 points");
    s.result.case_count = 1;
    expect_says(&s.result, "It won 18 of 19 pairs (cap 60).");
}

static void every_loser_has_its_reason(void **state)
{
    sample s;

    (void)state;
    fill(&s);
    expect_says(&s.result, "onednn left behind -41.0 % 0.20 x exact slower: left out after 4 rounds");
    s.candidates[1].gain = NAN;
    expect_says(&s.result, "onednn not weighed");
    expect_says(&s.result, "blocked parity-failed - wrong exact parity: nonfinite: candidate");
    expect_says(&s.result, "plain oracle");
}

static void too_few_pairs_for_a_bound_is_said(void **state)
{
    sample s;

    (void)state;
    fill(&s);
    s.result.decision = SY_DECISION_INCONCLUSIVE;
    s.result.completed = false;
    s.result.winner = "openblas";
    s.result.reason = "budget";
    s.result.error = "the budget of 20 s was used up";
    s.result.advice = "41 more pairs";
    s.result.gain_low = s.result.gain_high = NAN;
    s.result.pairs = 3;
    s.result.wins = 2;
    expect_says(&s.result, "inconclusive: keep openblas");
    expect_says(&s.result, "the budget of 20 s was used up. So far");
    s.result.reason = "noise";
    expect_says(&s.result, "the budget of 20 s was used up. Reason: noise. So far");
    expect_says(&s.result, "gain 5.1 % (too few pairs for a bound)");
    expect_says(&s.result, "What would decide it: 41 more pairs");
}

static void a_regression_names_its_case(void **state)
{
    sample s;

    (void)state;
    fill(&s);
    s.result.decision = SY_DECISION_NO_GAIN;
    s.result.reason = "case-regression";
    s.result.winner = "openblas";
    s.cases[1].regression = true;
    s.cases[1].resolved = false;
    s.cases[2].resolved = false;
    expect_says(&s.result, "blis is slower than openblas by more than 10 % on llm-projection, whatever it gains");
    expect_says(&s.result, "cases slower by more than 10 %: llm-projection; not yet shown to be within 10 %: batch");
}

static void the_other_question_speaks_of_its_margin(void **state)
{
    sample s;

    (void)state;
    fill(&s);
    s.result.question = SY_QUESTION_NOT_SLOWER;
    s.result.decision = SY_DECISION_NOT_SLOWER;
    s.result.winner = "openblas";
    expect_says(&s.result, "not-slower: blis may take the place of openblas");
    expect_says(&s.result, "blis is not slower than openblas by more than 2 %");
    s.result.decision = SY_DECISION_SLOWER;
    expect_says(&s.result, "slower: keep openblas");
    expect_says(&s.result, "blis is slower than openblas by more than 2 %");
}

static void the_medians_rule_is_labelled_a_point_estimate(void **state)
{
    sample s;

    (void)state;
    fill(&s);
    s.result.rule = SY_RULE_MEDIANS;
    s.result.gain_low = s.result.gain_high = NAN;
    expect_says(&s.result, "(a point estimate, no bound)");
    expect_says(&s.result, "takes about half of the candidates that sit exactly at 3 %");
}

static void a_tie_names_its_set(void **state)
{
    sample s;

    (void)state;
    fill(&s);
    s.result.decision = SY_DECISION_TIE;
    s.candidates[0].decision = s.candidates[1].decision = SY_DECISION_TIE;
    expect_says(&s.result, "Too close to tell apart: blis, onednn; blis was chosen among the best");
}

static void a_wrong_output_is_located(void **state)
{
    sample s;

    (void)state;
    fill(&s);
    s.result.decision = SY_DECISION_PARITY_FAILED;
    s.result.winner = "openblas";
    s.result.pairs = 0;
    s.result.gain = s.result.gain_low = s.result.gain_high = NAN;
    s.cases[2].parity = (sy_parity){.outcome = SY_PARITY_FAILED,
                                    .reason = "outside of the tolerance",
                                    .error_in_tolerances = 175,
                                    .rms_in_tolerances = 46,
                                    .worst_index = 4095,
                                    .worst_expected = 0.25,
                                    .worst_found = NAN,
                                    .wrong_count = 17,
                                    .element_count = 4096};
    expect_says(&s.result, "parity-failed: keep openblas");
    expect_says(&s.result, "wrong in 1 of 3 cases, largest error 175 x allowed");
    expect_says(&s.result, "wrong output batch: outside of the tolerance; 17 of 4096 elements, the worst at 4095: "
                           "found nan where 0.25 is right");
}

static void an_interrupted_probe_says_so_first(void **state)
{
    sample s;

    (void)state;
    fill(&s);
    s.result.interrupted = true;
    s.result.decision = SY_DECISION_INCONCLUSIVE;
    s.result.winner = "openblas";
    expect_says(&s.result, "interrupted, inconclusive: keep openblas");
    expect_says(&s.result, "It won 18 of 19 rounds");
}

static void make_unknown(sample *s)
{
    sy_probe_result *r = &s->result;

    r->gain = r->gain_low = r->gain_high = r->total_gain = r->geometric_mean_gain = NAN;
    r->reference_total_ns = r->candidate_total_ns = r->e_value = r->resolvable_gain = r->noise = NAN;
    r->pairs = r->wins = 0;
    for (size_t i = 0; i < 3; i++) {
        s->cases[i].share = s->cases[i].gain = NAN;
        s->cases[i].reference_median_ns = s->cases[i].candidate_median_ns = NAN;
        s->cases[i].parity.error_in_tolerances = s->cases[i].parity.rms_in_tolerances = NAN;
        s->candidates[i].gain = s->candidates[i].error_in_tolerances = NAN;
    }
}

static void what_is_not_known_is_never_printed_as_a_number(void **state)
{
    sample s;

    (void)state;
    for (int decision = SY_DECISION_WIN; decision <= SY_DECISION_UNAVAILABLE; decision++) {
        char *text;

        fill(&s);
        make_unknown(&s);
        s.result.decision = (sy_decision)decision;
        text = wide_text_of(&s.result);
        assert_null(strstr(text, "nan"));
        assert_null(strstr(text, "inf"));
        assert_null(strstr(text, "null"));
        sy_text_free(text);
    }
}

static void an_empty_result_is_still_a_text(void **state)
{
    sy_probe_result empty = {.decision = SY_DECISION_UNAVAILABLE,
                             .gain = NAN,
                             .gain_low = NAN,
                             .gain_high = NAN,
                             .reference_total_ns = NAN,
                             .e_value = NAN,
                             .resolvable_gain = NAN,
                             .noise = NAN};

    (void)state;
    for (int decision = SY_DECISION_WIN; decision <= SY_DECISION_UNAVAILABLE; decision++) {
        char *text;

        empty.decision = (sy_decision)decision;
        text = wide_text_of(&empty);
        assert_null(strstr(text, "null"));
        assert_null(strstr(text, "nan"));
        sy_text_free(text);
    }
    expect_says(&empty, "unavailable: there is nothing to use");
}

static void a_name_of_4096_letters_fits_every_width(void **state)
{
    char name[4097];
    sample s;

    (void)state;
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    fill(&s);
    s.result.operation = s.result.reference = s.result.winner = s.result.device = name;
    s.candidates[0].name = s.cases[0].name = s.candidates[1].detail = name;
    for (uint32_t width = 40; width <= 200; width++) {
        char *text = text_of(&s.result, (sy_report_style){.columns = width, .utf8 = width % 2 == 1});

        expect_narrow(text, width);
        sy_text_free(text);
    }
}

static void colour_only_decorates(void **state)
{
    sample s;
    char *plain;
    char *colored;
    char *to;

    (void)state;
    fill(&s);
    plain = text_of(&s.result, (sy_report_style){.columns = 80});
    colored = text_of(&s.result, (sy_report_style){.columns = 80, .color = true});
    assert_null(strchr(plain, '\033'));
    assert_non_null(strchr(colored, '\033'));
    to = colored;
    for (const char *at = colored; *at != '\0'; at++) {
        if (*at == '\033')
            at += strcspn(at, "m");
        else
            *to++ = *at;
    }
    *to = '\0';
    assert_string_equal(plain, colored);
    sy_text_free(plain);
    sy_text_free(colored);
}

static void ascii_style_prints_ascii_only(void **state)
{
    sample s;
    char *text;

    (void)state;
    fill(&s);
    s.cases[0].name = "gr\xc3\xb6\xc3\x9f"
                      "e\033[2J";
    text = wide_text_of(&s.result);
    for (const char *at = text; *at != '\0'; at++)
        assert_true(*at == '\n' || (*at >= 0x20 && *at < 0x7f));
    assert_non_null(strstr(text, "gr\\u00f6\\u00dfe\\x1b[2J"));
    sy_text_free(text);
}

static sy_status make_text(void *user)
{
    const sy_report_style style = {.columns = 80};
    const sample *s = user;
    char *text = NULL;
    sy_status status = sy_report_probe(&s->result, &style, &text, NULL);

    sy_text_free(text);
    return status;
}

static void no_memory_is_an_error_that_leaks_nothing(void **state)
{
    sample s;

    (void)state;
    fill(&s);
    assert_true(fault_loop_allocations(make_text, &s, true) > 10);
    assert_true(fault_loop_allocations(make_text, &s, false) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_decision_stands_in_the_first_line),
        cmocka_unit_test(a_win_says_which_to_use_how_much_and_how_sure),
        cmocka_unit_test(every_loser_has_its_reason),
        cmocka_unit_test(too_few_pairs_for_a_bound_is_said),
        cmocka_unit_test(a_regression_names_its_case),
        cmocka_unit_test(the_other_question_speaks_of_its_margin),
        cmocka_unit_test(the_medians_rule_is_labelled_a_point_estimate),
        cmocka_unit_test(a_tie_names_its_set),
        cmocka_unit_test(a_wrong_output_is_located),
        cmocka_unit_test(an_interrupted_probe_says_so_first),
        cmocka_unit_test(what_is_not_known_is_never_printed_as_a_number),
        cmocka_unit_test(an_empty_result_is_still_a_text),
        cmocka_unit_test(a_name_of_4096_letters_fits_every_width),
        cmocka_unit_test(colour_only_decorates),
        cmocka_unit_test(ascii_style_prints_ascii_only),
        cmocka_unit_test(no_memory_is_an_error_that_leaks_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
