/* SPDX-License-Identifier: Apache-2.0 */
/* Both formats: the golden files load and come back byte for byte, loose spelling is understood, every kind of damage
 * is found and located. The golden files were written by hand from docs/formats.md. */
#include "cmocka_headers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "store/format/format.h"

static char *read_golden(const char *name, size_t *ret_size)
{
    char path[1024];
    snprintf(path, sizeof path, STEELYARD_SOURCE_DIR "/tests/data/store/%s", name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *bytes = calloc(1, 1 << 16);
    assert_non_null(bytes);
    *ret_size = fread(bytes, 1, 1 << 16, file);
    assert_int_equal(fclose(file), 0);
    assert_true(*ret_size > 0 && *ret_size < 1 << 16);
    return bytes;
}

static sy_store *open_memory(void)
{
    sy_store_options options = SY_STORE_OPTIONS_INIT;
    sy_store *store = NULL;
    options.persistence = false;
    assert_int_equal(sy_store_open(&options, &store, NULL), SY_OK);
    return store;
}

/* Reads text the way a file is read, and writes it again. */
static char *again(const char *text, size_t size, size_t *ret_size)
{
    sy_vault vault;
    sy_store_findings findings = {0};
    sy_format_result result;
    sy_text out = SY_TEXT_INIT;
    char *copy = calloc(1, size + 1);
    assert_non_null(copy);
    memcpy(copy, text, size);
    assert_true(sy_vault_start(&vault));
    sy_format_source source = {copy, size, &vault, NULL};
    assert_int_equal(sy_format_read(&source, &findings, &result, NULL), SY_OK);
    if (findings.count > 0) {
        print_message("%s\n", findings.items[0].text);
    }
    assert_int_equal(result.status, SY_OK);
    sy_format_write(result.book, result.book->format, &out);
    *ret_size = out.length;
    char *written = sy_text_take(&out);
    assert_non_null(written);
    sy_book_release(result.book);
    sy_store_findings_finish(&findings);
    sy_vault_finish(&vault);
    free(copy);
    return written;
}

static void expect_same(const char *name, const char *expected_name)
{
    size_t size;
    size_t expected_size;
    size_t written_size;
    char *bytes = read_golden(name, &size);
    char *expected = read_golden(expected_name, &expected_size);
    char *written = again(bytes, size, &written_size);
    assert_string_equal(written, expected);
    assert_int_equal(written_size, expected_size);
    sy_free(written);
    free(expected);
    free(bytes);
}

static void golden_files_come_back_byte_for_byte(void **state)
{
    (void)state;
    expect_same("format-1.profiles", "format-1.profiles");
    expect_same("format-1-empty.profiles", "format-1-empty.profiles");
    expect_same("format-2.profiles", "format-2.profiles");
}

static void loose_spelling_is_read_and_comments_are_kept(void **state)
{
    (void)state;
    expect_same("format-1-loose.profiles", "format-1-loose.expected");
}

static void format_2_may_have_carriage_returns_and_its_checks_still_hold(void **state)
{
    (void)state;
    size_t size;
    size_t written_size;
    char *bytes = read_golden("format-2.profiles", &size);
    char *with_returns = calloc(2, size);
    size_t length = 0;
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] == '\n') {
            with_returns[length++] = '\r';
        }
        with_returns[length++] = bytes[i];
    }
    char *written = again(with_returns, length, &written_size);
    assert_int_equal(written_size, size);
    assert_memory_equal(written, bytes, size);
    sy_free(written);
    free(with_returns);
    free(bytes);
}

static void the_last_line_may_lack_its_line_end(void **state)
{
    (void)state;
    size_t size;
    size_t written_size;
    char *bytes = read_golden("format-2.profiles", &size);
    char *written = again(bytes, size - 1, &written_size);
    assert_int_equal(written_size, size);
    sy_free(written);
    free(bytes);
}

typedef struct collected {
    const sy_profile *profiles[16];
    size_t count;
} collected;

static sy_status collect(void *user, const sy_profile *profile, uint32_t layer, sy_error *err)
{
    collected *all = user;
    (void)err;
    assert_int_equal(layer, 0);
    assert_true(all->count < 16);
    all->profiles[all->count++] = profile;
    return SY_OK;
}

static void every_field_of_format_2_reaches_the_profile(void **state)
{
    (void)state;
    size_t size;
    char *bytes = read_golden("format-2.profiles", &size);
    sy_store *store = open_memory();
    sy_put_result result;
    assert_int_equal(sy_store_read_text(store, bytes, size, &result, NULL), SY_OK);
    assert_int_equal(result.stored, 5);
    assert_string_equal(result.not_kept, "");
    collected all = {{NULL}, 0};
    assert_int_equal(sy_store_iterate(store, collect, &all, NULL), SY_OK);
    assert_int_equal(all.count, 5);
    const sy_profile *win = all.profiles[0];
    assert_string_equal(win->key.processor, "cores=0,1\nvendor=\"GenuineIntel\"");
    assert_int_equal(win->key.thread_count, 2);
    assert_int_equal(win->measurement_count, 2);
    assert_string_equal(win->measurements[1].name, "candidate_total");
    assert_true(win->measurements[1].value == 118000.5);
    assert_string_equal(win->measurements[1].unit, "ns");
    assert_true(win->has_trial && win->has_gain && win->has_parity);
    assert_int_equal(win->trial.decision, SY_DECISION_WIN);
    assert_string_equal(win->trial.rule, "capped");
    assert_int_equal(win->trial.max_pairs, 60);
    assert_int_equal(win->trial.pairs, 24);
    assert_int_equal(win->trial.wins, 21);
    assert_true(win->trial.e_value == 61.5);
    assert_int_equal(win->trial.attempt, 1);
    assert_true(win->gain.gain == .051 && win->gain.low == .032 && win->gain.high == .07);
    assert_int_equal(win->gain.pairs, 24);
    assert_int_equal(win->parity.outcome, SY_PARITY_PASSED);
    assert_int_equal(win->alternative_count, 2);
    assert_string_equal(win->alternatives[0].reason, "slower");
    assert_true(win->alternatives[0].ratio == 1.0625);
    assert_true(isnan(win->alternatives[1].ratio));
    assert_string_equal(win->evidence_run, "run-20261129-1");
    assert_int_equal(strlen(win->evidence_digest), 64);
    assert_int_equal(win->created_utc_s, 1795959859); /* date -u -d 2026-11-29T13:44:19Z +%s */
    assert_int_equal(win->expires_utc_s, 0);
    const sy_profile *undecided = all.profiles[1];
    assert_int_equal(undecided->trial.decision, SY_DECISION_INCONCLUSIVE);
    assert_true(isnan(undecided->trial.e_value) && isnan(undecided->gain.low));
    assert_int_equal(undecided->trial.attempt, 3);
    assert_int_equal(undecided->expires_utc_s - undecided->created_utc_s, 7 * 86400);
    const sy_profile *override = all.profiles[2];
    assert_true(override->portable);
    assert_int_equal(override->kind, SY_PROFILE_OVERRIDE);
    static const char policy[] = "bytes \0\1\x1f\x7f\t\n\\x00 \xc3\xa9";
    assert_int_equal(override->policy_size, sizeof policy - 1);
    assert_memory_equal(override->policy, policy, sizeof policy - 1);
    assert_string_equal(override->reason, "faster than \"blis\" on the new cluster");
    assert_int_equal(all.profiles[3]->kind, SY_PROFILE_IMPORTED);
    assert_int_equal(all.profiles[4]->trial.decision, SY_DECISION_NO_GAIN);
    sy_store_close(store);
    free(bytes);
}

/* One exact profile of format 1 with one line exchanged. */
#define HEADER "onnx_light_calibration_profiles 1\n"
#define LINES_1_TO_7                                                                                      \
    "profile exact calibrated\nbackend \"b\"\noperator \"o\"\nimplementation \"i\"\nmodel_digest \"m\"\n" \
    "processor \"p\"\nthread_count 1\n"
#define WHOLE LINES_1_TO_7 "policy \"x\"\nend\n"
#define PORTABLE                                                                                                \
    "profile portable calibrated\nbackend \"b\"\noperator \"o\"\nimplementation \"i\"\nstructure \"a\" \"1\"\n" \
    "policy \"x\"\nend\n"

static const struct {
    const char *text;
    const char *findings[4]; /* beginnings, in order, and no others */
} damages[] = {
    {"", {"line 1: missing header"}},
    {"\n", {"line 1: missing header"}},
    {WHOLE, {"line 1: missing header"}},
    {"# c\n" HEADER, {"line 1: missing header", "line 2: expected 'profile'"}},
    {"onnx_light_calibration_profiles\n", {"line 1: malformed header"}},
    {"onnx_light_calibration_profiles one\n", {"line 1: malformed header"}},
    {"onnx_light_calibration_profiles 1 2\n", {"line 1: malformed header"}},
    {"onnx_light_calibration_profiles -1\n", {"line 1: malformed header"}},
    {"onnx_light_calibration_profilesx 1\n", {"line 1: malformed header"}},
    {"onnx_light_calibration_profiles 4294967296\n", {"line 1: malformed header"}},
    {HEADER "profil exact calibrated\n", {"line 2: expected 'profile', found 'profil exact calibrated'"}},
    {HEADER "profile\nend\n", {"line 2: invalid profile declaration"}},
    {HEADER "profile exact\nend\n", {"line 2: invalid profile declaration"}},
    {HEADER "profile exact measured\nbackend \"b\"\nend\n", {"line 2: invalid profile declaration"}},
    {HEADER "profile exact imported\nend\n", {"line 2: invalid profile declaration"}},
    {HEADER "profile exact calibrated x\nend\n", {"line 2: invalid profile declaration"}},
    {HEADER "profile exact calibrated\nend\n", {"line 3: incomplete profile: no 'backend'"}},
    {HEADER LINES_1_TO_7 "end\n", {"line 9: incomplete profile: no 'policy'"}},
    {HEADER LINES_1_TO_7 "policy \"\"\nend\n", {"line 10: incomplete profile: the policy is empty"}},
    {HEADER LINES_1_TO_7 "policy \"x\"\n", {"line 9: unterminated profile, begun at line 2"}},
    {HEADER LINES_1_TO_7 PORTABLE, {"line 8: unterminated profile, begun at line 2"}},
    {HEADER WHOLE WHOLE, {"line 19: duplicate profile identity"}},
    {HEADER PORTABLE PORTABLE, {"line 15: duplicate profile identity"}},
    {HEADER LINES_1_TO_7 "policy \"x\"\npolicy \"y\"\nend\n", {"line 10: invalid or unknown field: 'policy' is given"}},
    {HEADER LINES_1_TO_7 "policy x\nend\n", {"line 9: invalid or unknown field: 'policy' cannot"}},
    {HEADER LINES_1_TO_7 "policy \"x\nend\n", {"line 9: invalid or unknown field: 'policy' cannot"}},
    {HEADER LINES_1_TO_7 "policy \"x\\\"\nend\n", {"line 9: invalid or unknown field: 'policy' cannot"}},
    {HEADER LINES_1_TO_7 "policy \"x\" y\nend\n", {"line 9: invalid or unknown field: 'policy' cannot"}},
    {HEADER LINES_1_TO_7 "policy \"x\"y\nend\n", {"line 9: invalid or unknown field: 'policy' cannot"}},
    {HEADER LINES_1_TO_7 "policy \"x\"\npolcy \"x\"\nend\n", {"line 10: invalid or unknown field: 'polcy'"}},
    {HEADER LINES_1_TO_7 "policy \"x\"\nreason \"x\"\nend\n", {"line 10: invalid or unknown field: 'reason'"}},
    {HEADER LINES_1_TO_7 "structure \"a\" \"b\"\npolicy \"x\"\nend\n",
     {"line 9: invalid or unknown field: 'structure' in an exact profile"}},
    {HEADER "profile portable override\nprocessor \"b\"\nend\n",
     {"line 3: invalid or unknown field: 'processor' in a portable profile"}},
    {HEADER "profile portable override\nbackend \"b\"\noperator \"o\"\nimplementation \"i\"\npolicy \"x\"\nend\n",
     {"line 7: incomplete profile: no 'structure'"}},
    {HEADER "profile portable override\nbackend \"b\"\noperator \"o\"\nimplementation \"i\"\npolicy \"x\"\n"
            "structure \"a\" \"1\"\nstructure \"a\" \"2\"\nend\n",
     {"line 9: incomplete profile: structure property 'a' is given twice"}},
    {HEADER LINES_1_TO_7 "measurement \"t\" nan \"s\"\npolicy \"x\"\nend\n", {"line 9: invalid or unknown field"}},
    {HEADER LINES_1_TO_7 "measurement \"t\" 1e999 \"s\"\npolicy \"x\"\nend\n", {"line 9: invalid or unknown field"}},
    {HEADER LINES_1_TO_7 "measurement \"t\" 0x10 \"s\"\npolicy \"x\"\nend\n", {"line 9: invalid or unknown field"}},
    {HEADER LINES_1_TO_7 "measurement \"t\" 1,5 \"s\"\npolicy \"x\"\nend\n", {"line 9: invalid or unknown field"}},
    {HEADER LINES_1_TO_7 "measurement \"t\" 1\npolicy \"x\"\nend\n", {"line 9: invalid or unknown field"}},
    {HEADER LINES_1_TO_7 "measurement \"\" 1 \"s\"\npolicy \"x\"\nend\n", {"line 9: invalid or unknown field"}},
    {HEADER "nonsense\n" LINES_1_TO_7 "policy x\nwhat\nend\nmore\n" PORTABLE,
     {"line 2: expected", "line 10: invalid or unknown field: 'policy'", "line 11: invalid or unknown field: 'what'",
      "line 13: expected"}},
};

static void every_damage_is_found_at_its_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        sy_store_report *report;
        assert_int_equal(sy_store_check_text(damages[i].text, strlen(damages[i].text), &report, NULL), SY_OK);
        size_t count = 0;
        while (count < 4 && damages[i].findings[count] != NULL) {
            count++;
        }
        if (report->finding_count != count) {
            print_message("case %zu has %zu findings: %s\n", i, report->finding_count, report->findings[0].text);
        }
        assert_int_equal(report->status, SY_CORRUPT);
        assert_int_equal(report->finding_count, count);
        assert_int_equal(report->finding_total, count);
        for (size_t j = 0; j < count; j++) {
            const char *expected = damages[i].findings[j];
            if (strncmp(report->findings[j].text, expected, strlen(expected)) != 0) {
                fail_msg("case %zu, finding %zu: '%s', not '%s'", i, j, report->findings[j].text, expected);
            }
            assert_int_equal(report->findings[j].line, strtoul(expected + strlen("line "), NULL, 10));
        }
        sy_store_report_destroy(report);
    }
}

static void thread_counts_are_digits_only(void **state)
{
    (void)state;
    static const char *const bad[] = {"-1", "+8", "0x8", "8.0", "0", "4294967296", "", "8 8", "1e1", "\"8\""};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 HEADER "profile exact calibrated\nbackend \"b\"\noperator \"o\"\nimplementation \"i\"\n"
                        "model_digest \"m\"\nprocessor \"p\"\nthread_count %s\npolicy \"x\"\nend\n",
                 bad[i]);
        sy_store_report *report;
        assert_int_equal(sy_store_check_text(text, strlen(text), &report, NULL), SY_OK);
        assert_int_equal(report->finding_count, 1);
        assert_string_equal(report->findings[0].text,
                            "line 8: invalid or unknown field: 'thread_count' cannot be read");
        sy_store_report_destroy(report);
    }
}

static void a_future_version_is_told_apart_from_damage(void **state)
{
    (void)state;
    static const char *const texts[] = {"onnx_light_calibration_profiles 2\nwhatever\n", "steelyard_profiles 3\n",
                                        "steelyard_profiles 1\n", "onnx_light_calibration_profiles 0\n"};
    for (size_t i = 0; i < 4; i++) {
        sy_store_report *report;
        assert_int_equal(sy_store_check_text(texts[i], strlen(texts[i]), &report, NULL), SY_OK);
        assert_int_equal(report->status, SY_VERSION_UNSUPPORTED);
        assert_int_equal(report->finding_count, 1);
        assert_memory_equal(report->findings[0].text, "line 1: version unsupported", 27);
        sy_store_report_destroy(report);
        sy_store *store = open_memory();
        sy_error err;
        assert_int_equal(sy_store_read_text(store, texts[i], strlen(texts[i]), NULL, &err), SY_VERSION_UNSUPPORTED);
        assert_int_equal(err.position.line, 1);
        sy_store_close(store);
    }
}

static void one_flipped_byte_in_format_2_is_located_in_its_profile(void **state)
{
    (void)state;
    size_t size;
    char *bytes = read_golden("format-2.profiles", &size);
    char *place = strstr(bytes, "118000.5");
    assert_non_null(place);
    *place = '9';
    sy_store_report *report;
    assert_int_equal(sy_store_check_text(bytes, size, &report, NULL), SY_OK);
    assert_int_equal(report->status, SY_CORRUPT);
    assert_int_equal(report->finding_count, 1);
    assert_int_equal(report->findings[0].line, 20);
    assert_memory_equal(report->findings[0].text, "line 20: check does not match", 29);
    assert_int_equal(report->profile_count, 4);
    sy_store_report_destroy(report);
    free(bytes);
}

static void format_2_wants_its_check_line_last(void **state)
{
    (void)state;
    static const char start[] = "steelyard_profiles 2\n" PORTABLE;
    sy_store_report *report;
    assert_int_equal(sy_store_check_text(start, strlen(start), &report, NULL), SY_OK);
    assert_int_equal(report->finding_count, 1);
    assert_string_equal(report->findings[0].text, "line 8: incomplete profile: no 'check'");
    sy_store_report_destroy(report);
    /* printf 'profile portable calibrated\n...structure "a" "1"\n' | sha256sum: right for the lines before it. */
    static const char early[] =
        "steelyard_profiles 2\nprofile portable calibrated\nbackend \"b\"\noperator \"o\"\n"
        "implementation \"i\"\nstructure \"a\" \"1\"\ncheck 74342980b80aeafa\npolicy \"x\"\nend\n";
    assert_int_equal(sy_store_check_text(early, strlen(early), &report, NULL), SY_OK);
    assert_int_equal(report->finding_count, 1);
    assert_string_equal(report->findings[0].text, "line 8: invalid field: 'check' must be the last before 'end'");
    sy_store_report_destroy(report);
}

static void format_2_refuses_escapes_that_it_does_not_know(void **state)
{
    (void)state;
    static const char *const bad[] = {"\\a", "\\x1", "\\xg0", "\\", "\\x"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[512];
        snprintf(text, sizeof text, "steelyard_profiles 2\nprofile portable calibrated\npolicy \"%s\"\nend\n", bad[i]);
        sy_store_report *report;
        assert_int_equal(sy_store_check_text(text, strlen(text), &report, NULL), SY_OK);
        assert_string_equal(report->findings[0].text, "line 3: invalid or unknown field: 'policy' cannot be read");
        sy_store_report_destroy(report);
    }
}

static void only_a_policy_may_hold_a_zero_byte(void **state)
{
    (void)state;
    static const char text[] = "steelyard_profiles 2\nprofile portable calibrated\nbackend \"a\\x00b\"\nend\n";
    sy_store_report *report;
    assert_int_equal(sy_store_check_text(text, strlen(text), &report, NULL), SY_OK);
    assert_string_equal(report->findings[0].text, "line 3: invalid or unknown field: 'backend' cannot be read");
    sy_store_report_destroy(report);
}

static void contradicting_figures_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"decision win capped 60 61 3 - 1",
                                      "decision win capped 60 20 21 - 1",
                                      "decision win capped 60 20 20 - 0",
                                      "decision won capped 60 20 20 - 1",
                                      "decision win capped 60 20 20 inf 1",
                                      "decision win capped 60 20 20 1",
                                      "parity good 1",
                                      "parity passed",
                                      "gain - 1 2 3",
                                      "gain 1 2 3",
                                      "evidence \"run\" \"123\"",
                                      "evidence \"run\"",
                                      "created yesterday",
                                      "expires 2026-13-01T00:00:00Z",
                                      "alternative \"\" \"slower\" 1"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "steelyard_profiles 2\nprofile portable calibrated\nbackend \"b\"\noperator \"o\"\n"
                 "implementation \"i\"\nstructure \"a\" \"1\"\npolicy \"x\"\n%s\nend\n",
                 bad[i]);
        sy_store_report *report;
        assert_int_equal(sy_store_check_text(text, strlen(text), &report, NULL), SY_OK);
        assert_int_equal(report->status, SY_CORRUPT);
        assert_int_equal(report->profile_count, 0);
        sy_store_report_destroy(report);
    }
}

static void a_flood_of_findings_is_counted_and_bounded(void **state)
{
    (void)state;
    size_t lines = 25000;
    char *text = calloc(lines + 64, 2);
    memcpy(text, HEADER, strlen(HEADER));
    size_t length = strlen(text);
    for (size_t i = 0; i < lines; i++) {
        text[length++] = 'x';
        text[length++] = '\n';
    }
    sy_store_report *report;
    assert_int_equal(sy_store_check_text(text, length, &report, NULL), SY_OK);
    assert_int_equal(report->finding_count, 10000);
    assert_int_equal(report->finding_total, lines);
    sy_store_report_destroy(report);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_files_come_back_byte_for_byte),
        cmocka_unit_test(loose_spelling_is_read_and_comments_are_kept),
        cmocka_unit_test(format_2_may_have_carriage_returns_and_its_checks_still_hold),
        cmocka_unit_test(the_last_line_may_lack_its_line_end),
        cmocka_unit_test(every_field_of_format_2_reaches_the_profile),
        cmocka_unit_test(every_damage_is_found_at_its_line),
        cmocka_unit_test(thread_counts_are_digits_only),
        cmocka_unit_test(a_future_version_is_told_apart_from_damage),
        cmocka_unit_test(one_flipped_byte_in_format_2_is_located_in_its_profile),
        cmocka_unit_test(format_2_wants_its_check_line_last),
        cmocka_unit_test(format_2_refuses_escapes_that_it_does_not_know),
        cmocka_unit_test(only_a_policy_may_hold_a_zero_byte),
        cmocka_unit_test(contradicting_figures_are_refused),
        cmocka_unit_test(a_flood_of_findings_is_counted_and_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
