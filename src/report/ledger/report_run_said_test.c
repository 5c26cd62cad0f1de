/* SPDX-License-Identifier: Apache-2.0 */
/* What was said of a run afterwards, as text of every width, as JSON, and in lists. */
#include <stdlib.h>
#include <steelyard/report.h>
#include <string.h>

#include "base/json.h"
#include "cmocka_headers.h"
#include "report/ledger/report_run_test_data.h"
#include "text_width.h"

static const char *const five[] = {"b1", "b2", "b3", "b4", "b5"};
static const char *const both[] = {"20251102-053100-0a1b2c", "20251102-053100-0a1b2d"};
static const char *const why[] = {"parity passed in 2 cases",
                                  "wall p50 is slower than each of the 5 accepted sessions"};
static const sy_metric_verdict judged[] = {
    {.metric = {.series = "wall", .case_name = "square", .implementation = "blis", .unit = "s"},
     .primary = true,
     .control = NAN,
     .judgement = {.word = SY_JUDGEMENT_BLOCK, .value = 0.003, .median = 0.002},
     .reason = ""},
};
static const sy_run_verdict verdicts[] = {
    {.rule = SY_VERDICT_RULE,
     .word = SY_JUDGEMENT_INVESTIGATE,
     .reason = SY_JUDGEMENT_REASON_UNCONFIRMED,
     .evidence = "",
     .key_digest = "",
     .baseline_key = "",
     .baseline_revision = "",
     .baseline = five,
     .baseline_count = 5,
     .sessions = both,
     .session_count = 1,
     .alpha = 0.02,
     .recalibrate = "",
     .recalibrate_run = ""},
    {.rule = SY_VERDICT_RULE,
     .mode = SY_COMPARISON_REVISION,
     .word = SY_JUDGEMENT_BLOCK,
     .reason = SY_JUDGEMENT_REASON_CONFIRMED,
     .evidence = "",
     .key_digest = "",
     .baseline_key = "",
     .baseline_revision = "",
     .baseline = five,
     .baseline_count = 5,
     .sessions = both,
     .session_count = 2,
     .metrics = judged,
     .metric_count = 1,
     .alpha = 0.02,
     .replaces = 40,
     .reasons = why,
     .reason_count = 2,
     .recalibrate = "exact matmul",
     .recalibrate_run = "d1"},
};
static const uint64_t numbers[] = {40, 43};
static const sy_run_change changes[] = {
    {.line = DIGEST_1,
     .key_digest = "",
     .metric = {.series = "wall", .case_name = "", .implementation = "", .unit = "s"},
     .before = "20251101-120000-000001",
     .revision = "",
     .revision_before = "",
     .effect = 0.125,
     .effect_low = -0.03,
     .effect_high = 0.25,
     .effect_level = NAN,
     .statistic = NAN,
     .critical = NAN,
     .alpha = NAN,
     .min_effect = NAN,
     .worse = true,
     .reason = ""},
};
static const sy_run_signoff signoffs[] = {{"Ada", "looked at the traces", 40}};
static const sy_promotion_proof proofs[] = {{"parity", "", "passed in 2 cases"}, {"gate:io.cpu.cold", "s9", ""}};
static const sy_run_promotion promotions[] = {{.by = "Grace",
                                               .claim = "it loads in half a second",
                                               .cell = "",
                                               .gate = "",
                                               .tier = "",
                                               .key_digest = "",
                                               .revision = "",
                                               .host = "",
                                               .device = "",
                                               .verdict = 43,
                                               .signoff = 44,
                                               .proofs = proofs,
                                               .proof_count = 2}};

static sy_run said_of(void)
{
    sy_run run = whole_run;

    run.row.judged = true;
    run.row.verdict = SY_JUDGEMENT_BLOCK;
    run.row.verdict_reason = SY_JUDGEMENT_REASON_CONFIRMED;
    run.row.verdict_number = 43;
    run.row.raised = true;
    run.row.promoted = 45;
    run.verdicts = verdicts;
    run.verdict_count = 2;
    run.verdict_numbers = numbers;
    run.changes = changes;
    run.change_count = 1;
    run.signoffs = signoffs;
    run.signoff_count = 1;
    run.promotions = promotions;
    run.promotion_count = 1;
    return run;
}

static char *text_of(const sy_run *run, uint32_t columns)
{
    const sy_report_style style = {.columns = columns, .utf8 = columns % 2 == 0};
    const sy_report_run_view view = {run, NULL, NULL};
    char *text = NULL;

    assert_int_equal(sy_report_run(&view, &style, &text, NULL), SY_OK);
    expect_narrow(text, columns);
    return text;
}

static void expect(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("'%s' is missing in:\n%s", part, text);
}

static void a_run_tells_its_verdicts_changes_sign_offs_and_promotions(void **state)
{
    const sy_run run = said_of();
    char *text = text_of(&run, 200);

    (void)state;
    expect(text, "Verdicts, the last one counts\n");
    expect(text, "  investigate (unconfirmed), event 40, against 5 accepted sessions\n");
    expect(text, "  block (confirmed), event 43, against 5 accepted sessions of another revision, with 2");
    expect(text, "    parity passed in 2 cases\n");
    expect(text, "    wall p50 is slower than each of the 5 accepted sessions\n");
    expect(text, "    wall p50 of square by blis: block, 3.00 ms against 2.00 ms, +50");
    expect(text, "the stored decision exact matmul is to be made anew: it rests on d1\n");
    expect(text, "Changes that begin here\n");
    expect(text, "  reported: wall p50, +12");
    expect(text, "(-3.0 % to +25");
    expect(text, ", worse, since 20251101-120000-000001\n");
    expect(text, "Signed off, and taken back by a later verdict\n");
    expect(text, "  by Ada, who saw the verdict of event 40: looked at the traces\n");
    expect(text, "Promoted\n  by Grace: it loads in half a second\n");
    expect(text, "    gate:io.cpu.cold by s9\n");
    sy_text_free(text);
}

static void what_became_of_a_row_since_shows_before_it(void **state)
{
    const sy_run run = said_of();
    const sy_report_style style = {.columns = 120};
    const sy_promotion_standing standing = {"s-12", 50, "p50 of wall is worse", "s-13", NULL};
    const sy_promotion_standing good = {"", 0, "", "", NULL};
    sy_report_run_view view = {&run, NULL, &standing};
    char *text = NULL;

    (void)state;
    assert_int_equal(sy_report_run(&view, &style, &text, NULL), SY_OK);
    expect(text, "Promoted\n  blocked since by the verdict of s-12, event 50: p50 of wall is worse\n"
                 "  s-13 is promoted in its place\n  by Grace");
    sy_text_free(text);
    assert_int_equal(sy_report_run_json(&view, &text, NULL), SY_OK);
    expect(text, "\"blocked_by\": \"s-12\"");
    expect(text, "\"follower\": \"s-13\"");
    sy_text_free(text);
    view.standing = &good;
    assert_int_equal(sy_report_run(&view, &style, &text, NULL), SY_OK);
    expect(text, "Promoted\n  by Grace");
    sy_text_free(text);
}

static void what_was_said_fits_every_width(void **state)
{
    const sy_run run = said_of();

    (void)state;
    for (uint32_t columns = 40; columns <= 200; columns++)
        sy_text_free(text_of(&run, columns));
}

static void nothing_is_said_of_a_run_that_nobody_judged(void **state)
{
    char *text = text_of(&whole_run, 80);

    (void)state;
    assert_null(strstr(text, "Verdict"));
    assert_null(strstr(text, "Signed"));
    assert_null(strstr(text, "Promoted"));
    sy_text_free(text);
}

static void json_has_every_verdict_with_its_number(void **state)
{
    const sy_run run = said_of();
    const sy_report_run_view view = {&run, NULL, NULL};
    char *text = NULL;
    sy_json *json = NULL;

    (void)state;
    assert_int_equal(sy_report_run_json(&view, &text, NULL), SY_OK);
    assert_int_equal(sy_json_parse(text, strlen(text), NULL, &json, NULL), SY_OK);
    const sy_json_value *root = sy_json_root(json);
    assert_string_equal(sy_json_member(root, "verdict")->text, "block");
    assert_string_equal(sy_json_member(root, "verdict_reason")->text, "confirmed");
    assert_int_equal(sy_json_member(root, "signoff_number")->kind, SY_JSON_NULL);
    assert_int_equal(sy_json_member(root, "verdicts")->count, 2);
    assert_int_equal(sy_json_member(root, "verdict_numbers")->count, 2);
    const sy_json_value *last = sy_json_member(root, "verdicts")->first->next;
    assert_string_equal(sy_json_member(last, "word")->text, "block");
    assert_int_equal(sy_json_member(last, "metrics")->count, 1);
    assert_int_equal(sy_json_member(root, "changes")->count, 1);
    assert_int_equal(sy_json_member(root, "signoffs")->count, 1);
    assert_int_equal(sy_json_member(sy_json_member(root, "promotions")->first, "proofs")->count, 2);
    sy_json_destroy(json);
    sy_text_free(text);
}

static void a_list_has_a_column_of_verdicts_where_something_was_judged(void **state)
{
    const sy_report_style style = {.columns = 80};
    sy_run_row rows[] = {said_of().row, whole_run.row, whole_run.row};
    const sy_report_run_line lines[] = {{&rows[0], NULL}, {&rows[1], NULL}, {&rows[2], NULL}};
    char *text = NULL;

    (void)state;
    rows[2].judged = true;
    rows[2].signed_off = true;
    assert_int_equal(sy_report_runs(lines, 3, 3, &style, &text, NULL), SY_OK);
    expect_narrow(text, 80);
    expect(text, "Verdict");
    expect(text, "block");
    expect(text, "promoted");
    expect(text, "signed off");
    sy_text_free(text);
    assert_int_equal(sy_report_runs(&lines[1], 1, 1, &style, &text, NULL), SY_OK);
    assert_null(strstr(text, "Verdict"));
    sy_text_free(text);
    assert_int_equal(sy_report_runs_json(lines, 3, 3, &text, NULL), SY_OK);
    expect(text, "\"verdict\": \"block\"");
    expect(text, "\"promoted\": 45");
    sy_text_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_tells_its_verdicts_changes_sign_offs_and_promotions),
        cmocka_unit_test(what_became_of_a_row_since_shows_before_it),
        cmocka_unit_test(what_was_said_fits_every_width),
        cmocka_unit_test(nothing_is_said_of_a_run_that_nobody_judged),
        cmocka_unit_test(json_has_every_verdict_with_its_number),
        cmocka_unit_test(a_list_has_a_column_of_verdicts_where_something_was_judged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
