/* SPDX-License-Identifier: Apache-2.0 */
/* The self-test of a gate as people and programs read it. */
#include <math.h>
#include <stdio.h>
#include <steelyard/report.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "fault_loop.h"

static const sy_selftest_effect effects[] = {{1, 2000, 180, 4}, {1.03, 2000, 1000, 400}, {1.1, 2000, 2000, 900}};

static const sy_gate_selftest tests[] = {
    {.gate = "matmul.cpu.square-512.session",
     .key_digest = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
     .metric = {"wall", "square-512", "openblas", SY_STATISTIC_P50, "ns", false},
     .session_count = 12,
     .seed = 7,
     .alpha = .01,
     .delta = SY_NAN,
     .visible_effect = .0741,
     .effects = effects,
     .effect_count = 3,
     .can_fail = false,
     .reason = "1.1 times as slow it fails in 45.0 % of 2000 trials"},
    {.gate = "matmul.cpu.square-512.session",
     .key_digest = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
     .metric = {"peak", "process", "", SY_STATISTIC_MEMORY, "bytes", false},
     .session_count = 3,
     .seed = 7,
     .alpha = .01,
     .delta = .02,
     .visible_effect = SY_NAN,
     .can_fail = false,
     .reason = "3 of 12 accepted sessions have a number of it"},
};

static const sy_selftest_draw draws[] = {{10, 2, false}, {0, 0, false}};
static const sy_selftest_course courses[] = {{7, 1, .93}, {0, 0, 0}};
static const char *const findings[] = {"gate-cannot-fail: matmul: wall p50: too noisy", "gate-cannot-fail: peak"};
static const char *const remarks[] = {"2 accepted sessions before the last accepted change are left out"};

static sy_selftested tested(void)
{
    return (sy_selftested){.tests = tests,
                           .draws = draws,
                           .courses = courses,
                           .test_count = 2,
                           .findings = findings,
                           .finding_count = 2,
                           .remarks = remarks,
                           .remark_count = 1,
                           .number = 31,
                           .head = {.number = 31, .digest = "beef", .ledger = "cafe"}};
}

static void a_gate_that_cannot_fail_says_why(void **state)
{
    const sy_report_style style = SY_REPORT_STYLE_INIT;
    const sy_selftested all = tested();
    char *text = NULL;

    (void)state;
    assert_int_equal(sy_report_selftest(&all, &style, &text, NULL), SY_OK);
    assert_non_null(strstr(text, "matmul.cpu.square-512.session: cannot fail\n"));
    assert_non_null(strstr(text, "2000 of each slowdown, seed 7"));
    assert_non_null(strstr(text, "\nwall p50 of square-512 (openblas)\n"));
    assert_non_null(strstr(text, "10 of 12 sessions as the baseline, 2 new"));
    assert_non_null(strstr(text, "alpha 1 %, delta what the baseline resolves"));
    assert_non_null(strstr(text, "slowdowns of 7.5 % and more"));
    assert_non_null(strstr(text, "1 of 7 sessions alarm against those before them; 0.9 are likely"));
    assert_non_null(strstr(text, "none    9.0 %   0.2 %  promised: 9.1 % and at most 1 %"));
    assert_non_null(strstr(text, "10 %  100.0 %  45.0 %"));
    assert_non_null(strstr(text, "\npeak memory (process)\n"));
    assert_non_null(strstr(text, "\ngate-cannot-fail: peak\n"));
    assert_non_null(strstr(text, "31 beef"));
    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1)
        assert_true(strcspn(line, "\n") <= 80);
    sy_text_free(text);
}

static void without_findings_it_can_fail_and_a_dry_run_has_no_head(void **state)
{
    const sy_report_style style = SY_REPORT_STYLE_INIT;
    sy_selftested all = tested();
    char *text = NULL;

    (void)state;
    all.test_count = 1;
    all.finding_count = all.remark_count = 0;
    all.number = 0;
    assert_int_equal(sy_report_selftest(&all, &style, &text, NULL), SY_OK);
    assert_non_null(strstr(text, "session: can fail\n"));
    assert_null(strstr(text, "beef"));
    sy_text_free(text);
}

/* The value at a path of names and one-digit indices: "/tests/0/seed". */
static const sy_json_value *at(const sy_json *json, const char *path)
{
    const sy_json_value *value = sy_json_root(json);

    for (const char *rest = path; *rest == '/';) {
        char name[32];
        size_t length = strcspn(++rest, "/");

        snprintf(name, sizeof name, "%.*s", (int)length, rest);
        value = name[0] >= '0' && name[0] <= '9' ? sy_json_element(value, (size_t)(name[0] - '0'))
                                                 : sy_json_member(value, name);
        if (value == NULL)
            fail_msg("nothing at %s", path);
        rest += length;
    }
    return value;
}

static void json_has_every_figure(void **state)
{
    const sy_selftested all = tested();
    char *text = NULL;
    sy_json *json = NULL;

    (void)state;
    assert_int_equal(sy_report_selftest_json(&all, &text, NULL), SY_OK);
    assert_int_equal(sy_json_parse(text, strlen(text), &(sy_json_limits)SY_JSON_LIMITS_INIT, &json, NULL), SY_OK);
    assert_string_equal(at(json, "/schema")->text, "steelyard.gate-selftest/1");
    assert_string_equal(at(json, "/tests/0/metric/case")->text, "square-512");
    assert_string_equal(at(json, "/tests/0/seed")->text, "7");
    assert_true(at(json, "/tests/0/effects/2/fails")->number == 900);
    assert_true(at(json, "/tests/0/effects/0/alarm_rate")->number == .09);
    assert_true(fabs(at(json, "/tests/0/alarm_promised")->number - 1. / 11) < 1e-15);
    assert_int_equal(at(json, "/tests/0/delta")->kind, SY_JSON_NULL);
    assert_true(at(json, "/tests/0/as_they_came/judged")->number == 7);
    assert_int_equal(at(json, "/tests/1/visible_effect")->kind, SY_JSON_NULL);
    assert_int_equal(at(json, "/tests/1/alarm_promised")->kind, SY_JSON_NULL);
    assert_string_equal(at(json, "/findings/1")->text, "gate-cannot-fail: peak");
    assert_true(at(json, "/number")->number == 31);
    sy_json_destroy(json);
    sy_text_free(text);
}

static sy_status scenario(void *user)
{
    const sy_report_style style = SY_REPORT_STYLE_INIT;
    const sy_selftested all = tested();
    char *text = NULL;
    bool as_json = *(const bool *)user;
    sy_status status = as_json ? sy_report_selftest_json(&all, &text, NULL)
                               : sy_report_selftest(&all, &style, &text, NULL);

    sy_text_free(text);
    return status;
}

static void a_failed_allocation_is_told(void **state)
{
    bool as_json = false;

    (void)state;
    assert_true(fault_loop_allocations(scenario, &as_json, false) > 0);
    as_json = true;
    assert_true(fault_loop_allocations(scenario, &as_json, false) > 0);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(a_gate_that_cannot_fail_says_why),
        cmocka_unit_test(without_findings_it_can_fail_and_a_dry_run_has_no_head),
        cmocka_unit_test(json_has_every_figure),
        cmocka_unit_test(a_failed_allocation_is_told),
    };

    return cmocka_run_group_tests(all, NULL, NULL);
}
