/* SPDX-License-Identifier: Apache-2.0 */
/* Commands in a report: one table, sentences that can be read, values in the metric's unit, any width. */
#include "cmocka_headers.h"

#include <math.h>
#include <stdio.h>
#include <steelyard/report.h>
#include <string.h>

#include "base/text.h"
#include "report/page/figures.h"

/* A probe of two commands, ready to be changed. */
typedef struct sample {
    sy_probe_result result;
    sy_candidate_result candidate;
    sy_case_result one_case;
    sy_sample samples[3];
} sample;

static void fill(sample *s)
{
    memset(s, 0, sizeof(*s));
    s->candidate = (sy_candidate_result){.name = "./new --fast in.txt",
                                         .role = SY_ROLE_CANDIDATE,
                                         .decision = SY_DECISION_WIN,
                                         .reason = "",
                                         .gain = 0.5,
                                         .parity = SY_PARITY_PASSED,
                                         .memory_bytes = 3 << 20};
    s->one_case = (sy_case_result){.name = "run", .weight = 1, .reference_median_ns = 2e6, .candidate_median_ns = 1e6};
    s->one_case.parity.outcome = SY_PARITY_PASSED;
    for (size_t i = 0; i < 3; i++)
        s->samples[i] = (sy_sample){.round = (uint32_t)i,
                                    .final = true,
                                    .fed = true,
                                    .reference_ns = 2e6 + 1e5 * (double)i,
                                    .candidate_ns = i == 1 ? NAN : 1e6 + 1e5 * (double)i};
    s->result = (sy_probe_result){.operation = "command",
                                  .backend = "command",
                                  .reference = "./old in.txt",
                                  .reference_memory_bytes = 2 << 20,
                                  .winner = s->candidate.name,
                                  .decision = SY_DECISION_WIN,
                                  .reason = "",
                                  .error = "",
                                  .advice = "",
                                  .completed = true,
                                  .candidate_faster = true,
                                  .gain = 0.5,
                                  .gain_low = 0.4,
                                  .gain_high = 0.6,
                                  .e_value = 20,
                                  .pairs = 5,
                                  .wins = 5,
                                  .max_pairs = 60,
                                  .alpha = 0.05,
                                  .beta = 0.2,
                                  .min_improvement = 0.03,
                                  .isolation = SY_ISOLATION_PROCESS,
                                  .resolvable_gain = NAN,
                                  .noise = NAN,
                                  .timer = "CLOCK",
                                  .metric = {"wall", "ns", false},
                                  .candidates = &s->candidate,
                                  .candidate_count = 1,
                                  .cases = &s->one_case,
                                  .case_count = 1,
                                  .samples = s->samples,
                                  .sample_count = 3};
}

/* The report at a width; with every run of blanks as one where it is to be searched. */
static char *report(const sample *s, uint32_t columns, bool searched)
{
    sy_report_style style = SY_REPORT_STYLE_INIT;
    char *text = NULL;
    style.columns = columns;
    assert_int_equal(sy_report_probe(&s->result, &style, &text, NULL), SY_OK);
    char *to = text;
    for (const char *from = text; searched && *from; from++) {
        bool blank = *from == ' ' || *from == '\n';
        if (!blank || (to > text && to[-1] != ' '))
            *to++ = blank ? ' ' : *from;
    }
    if (searched)
        *to = '\0';
    return text;
}

static void expect(const sample *s, const char *words)
{
    char *text = report(s, 120, true);
    if (!strstr(text, words))
        fail_msg("'%s' is not in: %s", words, text);
    sy_text_free(text);
}

static void commands_stand_in_one_table_and_sentences_do_not_repeat_them(void **state)
{
    sample s;
    (void)state;
    fill(&s);
    expect(&s, "win: use ./new --fast in.txt in place of ./old in.txt the candidate is faster than the reference: gain "
               "50.0 %");
    expect(&s, "Wall time Command Decision Gain Median Least Most Memory");
    expect(&s, "./old in.txt reference 2.10 ms 2.00 ms 2.20 ms 2 MiB");
    expect(&s, "./new --fast in.txt win 50.0 % 1.10 ms 1.00 ms 1.20 ms 3 MiB");
    expect(&s, "outputs the same as the reference's; looked at again after every run");
}

static void values_carry_the_unit_of_their_metric(void **state)
{
    sample s;
    (void)state;
    fill(&s);
    s.result.metric = (sy_metric){"memory", "bytes", false};
    expect(&s, "./old in.txt reference 2 MiB 1.91 MiB 2.1 MiB");
    s.result.metric = (sy_metric){"line:score", "", true};
    expect(&s, "line:score, as printed; higher is better");
    expect(&s, "./old in.txt reference 2.1e+06 2e+06 2.2e+06");
}

static void sentences_speak_of_what_was_weighed(void **state)
{
    sample s;
    (void)state;
    fill(&s);
    s.result.metric = (sy_metric){"memory", "bytes", false};
    expect(&s, "the candidate needs less memory than the reference: gain 50.0 %");
    s.result.metric = (sy_metric){"cpu", "ns", false};
    expect(&s, "the candidate takes less processor time than the reference: gain 50.0 %");
    s.result.metric = (sy_metric){"line:score", "", true};
    expect(&s, "the candidate is better than the reference in line:score: gain 50.0 %");
    s.result.decision = SY_DECISION_NO_GAIN;
    s.result.min_improvement = 0.03;
    expect(&s, "the candidate does not gain 3 % in the line:score of the reference");
    s.result.metric = (sy_metric){"memory", "bytes", false};
    expect(&s, "the candidate does not save 3 % of the memory of the reference");
    s.result.decision = SY_DECISION_SLOWER;
    s.result.margin = 0.03;
    expect(&s, "the candidate is worse than the reference in memory by more than 3 %");
    s.result.decision = SY_DECISION_NOT_SLOWER;
    s.result.metric = (sy_metric){"wall", "ns", false};
    expect(&s, "the candidate is not slower than the reference by more than 3 %");
}

static void what_failed_is_said_once_and_plainly(void **state)
{
    sample s;
    (void)state;
    fill(&s);
    s.result.decision = s.candidate.decision = SY_DECISION_UNAVAILABLE;
    s.result.completed = false;
    s.result.winner = s.result.reference;
    s.result.reason = s.candidate.reason = "candidate exited 3";
    s.result.error = "./new --fast in.txt: exited 3; its last words: no";
    s.candidate.detail = "exited 3; its last words: no";
    s.result.pairs = 0;
    s.result.sample_count = 0;
    s.result.gain = s.candidate.gain = NAN;
    s.one_case.parity.outcome = SY_PARITY_NOT_PERFORMED;
    expect(&s, "unavailable: keep ./old in.txt ./new --fast in.txt: exited 3; its last words: no. Wall");
    expect(&s, "unavailable 3 MiB exited 3; its last words: no");
}

static void numbers_within_their_tolerance_say_how_far_they_lie_apart(void **state)
{
    sample s;
    (void)state;
    fill(&s);
    s.one_case.parity.element_count = 12;
    s.one_case.parity.error_in_tolerances = 0.9;
    expect(&s, "12 numbers alike, the largest difference 0.90 x allowed");
}

static void it_fits_every_width(void **state)
{
    sample s;
    (void)state;
    fill(&s);
    for (uint32_t columns = 40; columns <= 160; columns += 20) {
        char *text = report(&s, columns, false);
        for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
            if (strcspn(line, "\n") > columns)
                fail_msg("longer than %u: %s", columns, text);
        }
        sy_text_free(text);
    }
}

static void several_weighings_stand_in_one_table(void **state)
{
    sample s;
    sample other;
    sy_report_style style = SY_REPORT_STYLE_INIT;
    char *text = NULL;
    (void)state;
    fill(&s);
    fill(&other);
    s.one_case.name = "n=1";
    other.one_case.name = "n=2";
    other.result.decision = SY_DECISION_INCONCLUSIVE;
    other.result.gain_low = NAN;
    const sy_probe_result *const results[] = {&s.result, &other.result};
    assert_int_equal(sy_report_probes(results, 2, &style, &text, NULL), SY_OK);
    assert_non_null(strstr(text, "n=1       win           50.0 %    40.0 %   60.0 %    2.00 ms    1.00 ms"));
    assert_non_null(strstr(text, "n=2       inconclusive  50.0 %         -   60.0 %    2.00 ms    1.00 ms"));
    sy_text_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_stand_in_one_table_and_sentences_do_not_repeat_them),
        cmocka_unit_test(values_carry_the_unit_of_their_metric),
        cmocka_unit_test(sentences_speak_of_what_was_weighed),
        cmocka_unit_test(what_failed_is_said_once_and_plainly),
        cmocka_unit_test(numbers_within_their_tolerance_say_how_far_they_lie_apart),
        cmocka_unit_test(it_fits_every_width),
        cmocka_unit_test(several_weighings_stand_in_one_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
