/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of imported files: counts, places, limits; as JSON all of it. */
#include "cmocka_headers.h"

#include <math.h>
#include <steelyard/report.h>
#include <string.h>

#include "base/json.h"

enum { MANY = 25 };

static const char *const row_notes[] = {"built without optimisation"};
static const sy_named_text seed[] = {{"seed", "1"}};
static const double samples[] = {0.25, NAN};
static const sy_named_number figures[] = {{"stddev", "s", NAN}};

/* A file of 25 rows that failed, each with the same note, and 25 rejects. */
typedef struct fixture {
    sy_run_series series;
    sy_imported_row rows[MANY];
    sy_import_reject rejects[MANY];
    const char *runs[MANY];
    sy_imported imported;
    sy_import_account account;
    sy_report_import file;
} fixture;

static void fill(fixture *f)
{
    *f = (fixture){.series = {.name = "wall",
                              .unit = "s",
                              .samples = samples,
                              .count = 2,
                              .figures = figures,
                              .figure_count = 1,
                              .note = ""}};
    for (size_t i = 0; i < MANY; i++) {
        f->rows[i] = (sy_imported_row){.name = "my_prog",
                                       .parameters = seed,
                                       .parameter_count = 1,
                                       .failed = true,
                                       .reason = "wall: NaN",
                                       .series = &f->series,
                                       .series_count = 1,
                                       .notes = row_notes,
                                       .note_count = 1,
                                       .position = {10, 2, 3},
                                       .time = ""};
        f->rejects[i] = (sy_import_reject){{7 * i, (uint32_t)i + 1, 2}, "/a", "no number"};
        f->runs[i] = "import-0123456789abcdef";
    }
    f->imported = (sy_imported){.format = SY_IMPORT_HYPERFINE,
                                .digest = "00",
                                .rows = f->rows,
                                .row_count = MANY,
                                .rejects = f->rejects,
                                .reject_count = MANY,
                                .host = "",
                                .device = "",
                                .tool = "hyperfine 1.15.0",
                                .revision = "",
                                .branch = "",
                                .dirty = -1,
                                .time = "2025-11-02T01:30:00"};
    f->account = (sy_import_account){.added_count = MANY,
                                     .failed_count = MANY,
                                     .repeated_count = 1,
                                     .runs = f->runs,
                                     .run_count = MANY,
                                     .not_kept = "a secret stands in it"};
    f->file = (sy_report_import){"run.json", &f->imported, &f->account, NULL};
}

static char *report(const sy_report_import *file, bool dry_run)
{
    const sy_report_style style = {100, false, false, false};
    char *text = NULL;

    assert_int_equal(sy_report_imports(file, 1, dry_run, &style, &text, NULL), SY_OK);
    return text;
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;

    for (text = strstr(text, part); text != NULL; text = strstr(text + 1, part))
        count++;
    return count;
}

static void twenty_of_a_kind_are_told_and_how_many_there_are_besides(void **state)
{
    fixture f;
    char *text;

    (void)state;
    fill(&f);
    text = report(&f.file, false);
    assert_non_null(strstr(text, "run.json (hyperfine): 25 runs recorded; 25 of its 25 rows failed; 25 things not "
                                 "understood\n"));
    assert_int_equal(count_of(text, "my_prog{seed=1}: wall: NaN"), 20);
    assert_int_equal(count_of(text, "run.json:20:2: /a: no number"), 1);
    assert_int_equal(count_of(text, "/a: no number"), 20);
    assert_int_equal(count_of(text, "and 5 more"), 2);
    assert_int_equal(count_of(text, "built without optimisation (25 rows)"), 1);
    assert_non_null(strstr(text, "2025-11-02T01:30:00 (zone unknown)"));
    assert_non_null(strstr(text, "not kept: a secret stands in it"));
    assert_non_null(strstr(text, "steelyard run list --kind import"));
    sy_text_free(text);
    text = report(&f.file, true);
    assert_non_null(strstr(text, "25 runs would be recorded"));
    assert_null(strstr(text, "run list"));
    sy_text_free(text);
}

static void a_file_that_is_known_is_said_to_be_and_told_no_second_time(void **state)
{
    fixture f;
    char *text;

    (void)state;
    fill(&f);
    f.account.added_count = 0;
    f.account.known_count = MANY;
    text = report(&f.file, false);
    assert_non_null(strstr(text, "recorded before, from these very bytes; nothing was added"));
    assert_int_equal(count_of(text, "rejected"), 0);
    sy_text_free(text);
}

static double number_at(const sy_json *json, const char *const *path)
{
    const sy_json_value *value = sy_json_root(json);

    for (; *path != NULL; path++)
        value = (*path)[0] >= '0' && (*path)[0] <= '9' ? sy_json_element(value, (size_t)((*path)[0] - '0'))
                                                       : sy_json_member(value, *path);
    assert_non_null(value);
    return value->kind == SY_JSON_NULL ? NAN : value->number;
}

static void as_json_all_is_told_and_what_is_no_number_is_null(void **state)
{
    const sy_json_limits limits = SY_JSON_LIMITS_INIT;
    fixture f;
    char *text = NULL;
    sy_json *json = NULL;
    size_t findings = 0;

    (void)state;
    fill(&f);
    assert_int_equal(sy_report_imports_json(&f.file, 1, false, &text, NULL), SY_OK);
    assert_int_equal(sy_json_parse(text, strlen(text), &limits, &json, NULL), SY_OK);
    (void)sy_json_findings(json, &findings);
    assert_int_equal(findings, 0);
    assert_int_equal(count_of(text, "\"what\":"), MANY);
    assert_int_equal(count_of(text, "\"run\":"), MANY);
    assert_true(
        number_at(json, (const char *const[]){"files", "0", "rows", "0", "series", "0", "samples", "0", NULL}) == 0.25);
    assert_true(
        isnan(number_at(json, (const char *const[]){"files", "0", "rows", "0", "series", "0", "samples", "1", NULL})));
    assert_true(isnan(number_at(
        json, (const char *const[]){"files", "0", "rows", "0", "series", "0", "figures", "0", "value", NULL})));
    assert_non_null(strstr(text, "\"status\": \"rejects\""));
    sy_json_destroy(json);
    sy_text_free(text);
}

static void a_file_that_cannot_be_read_is_an_error_in_json_and_no_text(void **state)
{
    const sy_error err = {SY_CORRUPT, "expected a value", "", {4, 1, 5}};
    const sy_report_import file = {"bad.json", NULL, NULL, &err};
    char *text = report(&file, false);

    (void)state;
    assert_string_equal(text, "");
    sy_text_free(text);
    assert_int_equal(sy_report_imports_json(&file, 1, false, &text, NULL), SY_OK);
    assert_non_null(strstr(text, "\"status\": \"unreadable\""));
    assert_non_null(strstr(text, "\"status\": \"corrupt\""));
    assert_non_null(strstr(text, "\"column\": 5"));
    sy_text_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twenty_of_a_kind_are_told_and_how_many_there_are_besides),
        cmocka_unit_test(a_file_that_is_known_is_said_to_be_and_told_no_second_time),
        cmocka_unit_test(as_json_all_is_told_and_what_is_no_number_is_null),
        cmocka_unit_test(a_file_that_cannot_be_read_is_an_error_in_json_and_no_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
