/* SPDX-License-Identifier: Apache-2.0 */
/* What is owed and what pays it, as text and as JSON: nothing that is missing is left out, each command is told once.
 */
#include <steelyard/report.h>
#include <string.h>

#include "base/json.h"
#include "cmocka_headers.h"
#include "text_width.h"

static const sy_promotion_debt debts[] = {
    {"parity", true, "", "passed", ""},
    {"acceptance", false, "", "it is not accepted", "steelyard run accept r-1 --by WHO"},
    {"gate:io.cpu.cold", false, "", "it has no run yet", "steelyard run start io.cpu.cold"},
    {"minimum-memory", false, "", "nothing shows it", "steelyard run start io.cpu.cold"},
    {"once", false, "", "it is promoted already", ""},
    {"gate:io.cpu.hot", true, "r-0", "tier scheduled-profile, parity passed", ""},
};
static const sy_named_number figures[] = {{"wall p50", "s", 0.1}, {"wall n", "", 30}};
static const sy_promotion_proof proofs[] = {{"parity", "", "passed"}};
static const sy_promoted missing = {
    .run = "r-1",
    .debts = debts,
    .debt_count = 6,
    .unpaid_count = 4,
    .row = {.by = "Ada",
            .claim = "Fast enough.",
            .cell = "io::cpu",
            .gate = "io.cpu.session",
            .tier = "release-signoff",
            .key_digest = "",
            .revision = "abc",
            .host = "desk",
            .device = "cpu",
            .word = SY_JUDGEMENT_NO_BASELINE,
            .proofs = proofs,
            .proof_count = 1,
            .figures = figures,
            .figure_count = 2,
            .synthetic = true},
    .head = {.number = 7},
};
static const sy_report_style style = {.columns = 80, .utf8 = true};

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;

    for (const char *at = text; (at = strstr(at, part)) != NULL; at++)
        count++;
    return count;
}

static void expect(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("'%s' is not in:\n%s", part, text);
}

static void all_that_is_missing_is_told_with_each_command_once(void **state)
{
    char *text = NULL;

    (void)state;
    assert_int_equal(sy_report_promoted(&missing, false, &style, &text, NULL), SY_OK);
    expect(text, "acceptance");
    expect(text, "it is not accepted");
    expect(text, "its times are made up");
    expect(text, "not promoted: 4 of 6 are missing, nothing was written");
    assert_int_equal(count_of(text, "steelyard run start io.cpu.cold\n"), 1);
    assert_int_equal(count_of(text, "steelyard run accept r-1 --by WHO\n"), 1);
    assert_int_equal(count_of(text, " NO "), 4);
    sy_text_free(text);
}

static void lines_keep_to_the_width(void **state)
{
    (void)state;
    for (uint32_t columns = 40; columns <= 120; columns += 20) {
        const sy_report_style narrow = {.columns = columns};
        char *text = NULL;

        assert_int_equal(sy_report_promoted(&missing, false, &narrow, &text, NULL), SY_OK);
        expect_narrow(text, columns);
        sy_text_free(text);
    }
}

static void nothing_missing_reads_otherwise_when_it_was_only_asked(void **state)
{
    sy_promoted paid = missing;
    char *text = NULL;

    (void)state;
    paid.debt_count = 1;
    paid.unpaid_count = 0;
    assert_int_equal(sy_report_promoted(&paid, true, &style, &text, NULL), SY_OK);
    expect(text, "nothing is missing: it would be promoted");
    sy_text_free(text);
    paid.promoted = true;
    paid.number = 8;
    assert_int_equal(sy_report_promoted(&paid, false, &style, &text, NULL), SY_OK);
    expect(text, "promoted: the row is event 8");
    sy_text_free(text);
}

static void json_has_every_debt_and_the_whole_row(void **state)
{
    char *text = NULL;
    sy_json *json = NULL;

    (void)state;
    assert_int_equal(sy_report_promoted_json(&missing, false, &text, NULL), SY_OK);
    assert_int_equal(sy_json_parse(text, strlen(text), NULL, &json, NULL), SY_OK);
    const sy_json_value *root = sy_json_root(json);
    assert_int_equal(sy_json_member(root, "debts")->count, 6);
    assert_int_equal(sy_json_member(root, "promoted")->kind, SY_JSON_FALSE);
    const sy_json_value *row = sy_json_member(root, "row");
    assert_string_equal(sy_json_member(row, "word")->text, "no-baseline");
    assert_int_equal(sy_json_member(row, "proofs")->count, 1);
    assert_int_equal(sy_json_member(row, "figures")->count, 2);
    assert_int_equal(sy_json_member(row, "synthetic")->kind, SY_JSON_TRUE);
    sy_json_destroy(json);
    sy_text_free(text);
}

static void a_sign_off_says_why_it_was_refused(void **state)
{
    static const char *const reasons[] = {"its status is failed", "its last verdict is block: confirmed"};
    const sy_signed_off refused = {.run = "r-1", .reasons = reasons, .reason_count = 2, .verdict = 5};
    char *text = NULL;

    (void)state;
    assert_int_equal(sy_report_signed_off(&refused, &style, &text, NULL), SY_OK);
    expect(text, "not signed off:");
    expect(text, "its status is failed");
    expect(text, "its last verdict is block: confirmed");
    expect(text, "of event 5");
    sy_text_free(text);
    assert_int_equal(sy_report_signed_off_json(&refused, &text, NULL), SY_OK);
    expect(text, "\"signed_off\": false");
    expect(text, "\"its status is failed\"");
    sy_text_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_that_is_missing_is_told_with_each_command_once),
        cmocka_unit_test(lines_keep_to_the_width),
        cmocka_unit_test(nothing_missing_reads_otherwise_when_it_was_only_asked),
        cmocka_unit_test(json_has_every_debt_and_the_whole_row),
        cmocka_unit_test(a_sign_off_says_why_it_was_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
