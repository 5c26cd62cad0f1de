/* SPDX-License-Identifier: Apache-2.0 */
/* The lines on cost, use and history: every field arrives, the golden file comes back, what contradicts is refused, and
 * what a reader without them would say is known. The golden file was written by hand from docs/formats.md. */
#include "cmocka_headers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "store/format/format.h"
#include "store_fixture.h"

static char *read_golden(size_t *ret_size)
{
    FILE *file = fopen(STEELYARD_SOURCE_DIR "/tests/data/store/format-2-history.profiles", "rb");
    assert_non_null(file);
    char *bytes = calloc(1, 1 << 14);
    assert_non_null(bytes);
    *ret_size = fread(bytes, 1, 1 << 14, file);
    assert_int_equal(fclose(file), 0);
    assert_true(*ret_size > 0 && *ret_size < 1 << 14);
    return bytes;
}

static sy_store *store_of_golden(void)
{
    size_t size;
    sy_error err = SY_ERROR_INIT;
    char *bytes = read_golden(&size);
    sy_store *store = open_memory(NULL);
    if (sy_store_read_text(store, bytes, size, NULL, &err) != SY_OK) {
        fail_msg("%s", err.what);
    }
    free(bytes);
    return store;
}

static void every_line_of_a_history_reaches_the_profile(void **state)
{
    (void)state;
    sy_store *store = store_of_golden();
    const sy_profile *profile = nth_profile(store, 0);
    assert_string_equal(profile->signed_by, "site key 1f2e");
    assert_true(profile->cost.seconds == 12.125);
    assert_int_equal(profile->cost.probes, 1);
    assert_true(profile->use.calls == UINT64_MAX);
    assert_int_equal(profile->use.timed_calls, 41000);
    assert_true(profile->use.seconds == 3600.5);
    assert_int_equal(profile->use.last_utc_s, 1796040000); /* date -u -d 2026-11-30T12:00:00Z +%s */
    assert_int_equal(profile->earlier_count, 3);
    assert_int_equal(profile->earlier_dropped, 5);
    assert_true(profile->dropped_cost.seconds == 100.25);
    assert_int_equal(profile->dropped_cost.probes, 9);
    const sy_profile_earlier *imported = &profile->earlier[0];
    assert_int_equal(imported->policy_size, 3);
    assert_memory_equal(imported->policy, "q\"\0", 3);
    assert_string_equal(imported->origin, "imported");
    assert_false(imported->has_decision || imported->has_gain);
    assert_true(isnan(imported->reference_s));
    assert_int_equal(imported->created_utc_s, 0);
    const sy_profile_earlier *outdated = &profile->earlier[1];
    assert_string_equal(outdated->origin, "1");
    assert_true(outdated->has_decision && outdated->has_gain);
    assert_int_equal(outdated->decision, SY_DECISION_NO_GAIN);
    assert_true(outdated->gain.gain == .01 && isnan(outdated->gain.low));
    assert_int_equal(outdated->gain.pairs, 60);
    assert_true(outdated->reference_s == .0015);
    assert_int_equal(outdated->replaced_utc_s - outdated->created_utc_s, 86400);
    assert_string_equal(outdated->tool, "steelyard 0.1.0");
    assert_string_equal(outdated->evidence_run, "run-1");
    assert_string_equal(outdated->evidence_digest, SOME_DIGEST);
    assert_true(outdated->cost.seconds == 20.5);
    assert_int_equal(outdated->use.calls, 7);
    assert_int_equal(profile->earlier[2].decision, SY_DECISION_INCONCLUSIVE);
    const sy_profile *override = nth_profile(store, 1);
    assert_int_equal(override->use.calls, 3);
    assert_int_equal(override->use.last_utc_s, 0);
    assert_string_equal(override->signed_by, "");
    sy_store_close(store);
}

static void a_history_comes_back_byte_for_byte(void **state)
{
    (void)state;
    size_t size;
    size_t written_size;
    char *written;
    char *bytes = read_golden(&size);
    sy_store *store = store_of_golden();
    assert_int_equal(sy_store_write_text(store, 2, &written, &written_size, NULL, NULL), SY_OK);
    assert_string_equal(written, bytes);
    assert_int_equal(written_size, size);
    sy_text_free(written);
    sy_store_close(store);
    free(bytes);
}

static void format_1_names_what_it_drops_of_it(void **state)
{
    (void)state;
    char *written;
    size_t size;
    sy_put_result result;
    sy_store *store = store_of_golden();
    assert_int_equal(sy_store_write_text(store, 1, &written, &size, &result, NULL), SY_OK);
    assert_string_equal(result.not_kept,
                        "decision, parity, gain, evidence, reason, created, tool, signed_by, cost, use, history");
    assert_null(strstr(written, "earlier"));
    sy_text_free(written);
    sy_store_close(store);
}

/* All words together must fit sy_put_result.not_kept. */
static void the_names_of_all_losses_fit(void **state)
{
    (void)state;
    char all[128];
    sy_format_describe_losses(~0u, all);
    assert_string_equal(all, "decision, parity, gain, alternatives, evidence, reason, created, tool, signed_by, cost, "
                             "use, history");
}

#define EARLIER "earlier \"p\" \"\" win .1 .05 .2 9 - - - \"\" \"\" \"\" "

static const char *const bad[] = {
    "signed_by \"\"",
    "signed_by key",
    "cost 1",
    "cost 1 0",
    "cost -1 1",
    "cost - 1",
    "cost 1e16 1",
    "use 0 0 0 -",
    "use 1 2 0 -",
    "use 1 1 - -",
    "use 1 1 -1 -",
    "use -1 0 0 -",
    "use 18446744073709551616 0 0 -",
    "use 1 1 1 yesterday",
    "use 1 1 1",
    "earlier",
    "earlier \"\" \"\" win - - - 0 - - - \"\" \"\" \"\" 0 0 0 0 0 -",
    "earlier \"p\" \"\" won - - - 0 - - - \"\" \"\" \"\" 0 0 0 0 0 -",
    "earlier \"p\" \"\" win inf - - 0 - - - \"\" \"\" \"\" 0 0 0 0 0 -",
    "earlier \"p\" \"\" win - - - 0 - - - \"\" \"run\" \"\" 0 0 0 0 0 -",
    "earlier \"p\" \"\" win - - - 0 - - - \"\" \"run\" \"123\" 0 0 0 0 0 -",
    "earlier \"p\" \"a\\x00b\" win - - - 0 - - - \"\" \"\" \"\" 0 0 0 0 0 -",
    EARLIER "0 0 1 2 0 -",
    EARLIER "-1 0 0 0 0 -",
    EARLIER "0 0 0 0 0 - -",
    "earlier_dropped 0 0 0",
    "earlier_dropped 1 -1 0",
    "earlier_dropped 1",
};

/* Of a file with one profile that has these lines, and the right check. The caller destroys the report. */
static sy_store_report *check_lines(const char *lines)
{
    static const char header[] = "steelyard_profiles 2\n";
    char text[4096];
    char digits[SY_DIGEST_TEXT];
    sy_digest digest;
    sy_store_report *report = NULL;
    int length = snprintf(text, sizeof text,
                          "%sprofile portable calibrated\nbackend \"b\"\noperator \"o\"\nimplementation \"i\"\n"
                          "structure \"a\" \"1\"\npolicy \"x\"\n%s\n",
                          header, lines);
    sy_digest_of(text + strlen(header), (size_t)length - strlen(header), &digest);
    sy_digest_format(&digest, digits);
    snprintf(text + length, sizeof text - (size_t)length, "check %.16s\nend\n", digits);
    assert_int_equal(sy_store_check_text(text, strlen(text), &report, NULL), SY_OK);
    return report;
}

static void contradicting_counts_are_refused(void **state)
{
    (void)state;
    sy_store_report *good = check_lines(EARLIER "0 0 2 1 0 -");
    assert_int_equal(good->status, SY_OK);
    sy_store_report_destroy(good);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        sy_store_report *report = check_lines(bad[i]);
        if (report->finding_count != 1 || strstr(report->findings[0].text, "check") != NULL) {
            fail_msg("'%s' has %zu findings, first: %s", bad[i], report->finding_count,
                     report->finding_count > 0 ? report->findings[0].text : "");
        }
        assert_int_equal(report->profile_count, 0);
        sy_store_report_destroy(report);
    }
}

static void a_ninth_earlier_line_is_refused(void **state)
{
    (void)state;
    char lines[2048] = "";
    for (int i = 0; i < SY_EARLIER_MAX + 1; i++) {
        strncat(lines, EARLIER "0 0 0 0 0 -\n", sizeof lines - strlen(lines) - 1);
    }
    sy_store_report *report = check_lines(lines);
    assert_string_equal(report->findings[0].text, "line 16: invalid or unknown field: 'earlier' cannot be read");
    sy_store_report_destroy(report);
}

/* A reader of format 2 from before these lines: it knows none of the words, says so by line, and writes nothing. Format
 * 1 stands for it here, whose table ends before them. */
static void a_reader_without_the_words_refuses_the_file_by_line(void **state)
{
    (void)state;
    static const char *const words[] = {"signed_by \"k\"", "cost 1 1", "use 1 0 0 -", "earlier_dropped 1 0 0"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        char text[512];
        sy_store_report *report;
        snprintf(text, sizeof text,
                 "onnx_light_calibration_profiles 1\nprofile portable calibrated\nbackend \"b\"\noperator \"o\"\n"
                 "implementation \"i\"\nstructure \"a\" \"1\"\npolicy \"x\"\n%s\nend\n",
                 words[i]);
        assert_int_equal(sy_store_check_text(text, strlen(text), &report, NULL), SY_OK);
        assert_int_equal(report->status, SY_CORRUPT);
        assert_int_equal(report->finding_count, 1);
        assert_memory_equal(report->findings[0].text, "line 8: invalid or unknown field: ", 34);
        sy_store_report_destroy(report);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_line_of_a_history_reaches_the_profile),
        cmocka_unit_test(a_history_comes_back_byte_for_byte),
        cmocka_unit_test(format_1_names_what_it_drops_of_it),
        cmocka_unit_test(the_names_of_all_losses_fit),
        cmocka_unit_test(contradicting_counts_are_refused),
        cmocka_unit_test(a_ninth_earlier_line_is_refused),
        cmocka_unit_test(a_reader_without_the_words_refuses_the_file_by_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
