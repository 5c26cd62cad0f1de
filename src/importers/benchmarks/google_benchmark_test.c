/* SPDX-License-Identifier: Apache-2.0 */
/* google-benchmark's JSON: what the tool writes that is no JSON, repetitions, aggregates, failures, counters. */
#include "import_files.h"
#include "importers/import/import_test_support.h"

#define CONTEXT \
    "{\"context\":{\"date\":\"2025-09-12T13:38:31+00:00\",\"host_name\":\"h\",\"library_build_type\":\"release\"},\n"

/* Field case IMP-1. */
static void imp_1_what_is_no_json_costs_one_row_and_no_other(void **state)
{
    sy_imported *imported = import_text(
        "{\"context\":{\"date\":\"2025-09-12T13:38:31+00:00\",\"host_name\":\"h\",\"executable\":\"./"
        "b\",\"num_cpus\":2,"
        "\"mhz_per_cpu\":3598,\n"
        " \"cpu_scaling_enabled\":false,\"caches\":[],\"load_avg\":[0.67,0.58,0.45],\"library_build_type\":\"debug\"},"
        "\n"
        "\"benchmarks\":[\n"
        "{\"name\":\"BM_a/threads:2\",\"run_name\":\"BM_a/threads:2\",\"run_type\":\"iteration\",\"repetitions\":1,"
        "\"repetition_index\":0,\"threads\":2,\"iterations\":2,\"real_time\":NaN,\"cpu_time\":-Infinity,"
        "\"time_unit\":\"ns\"},\n"
        "{\"name\":\"BM_b\",\"run_name\":\"BM_b\",\"run_type\":\"iteration\",\"repetitions\":1,\"repetition_index\":0,"
        "\"threads\":1,\"iterations\":1000,\"real_time\":1.5e+01,\"cpu_time\":1.4e+01,\"time_unit\":\"us\","
        "\"items_per_second\":Infinity},\n"
        "{\"name\":\"BM_b_RMS\",\"run_name\":\"BM_b\",\"run_type\":\"aggregate\",\"aggregate_name\":\"RMS\","
        "\"rms\":12%}]}\n");
    const sy_imported_row *a = &imported->rows[0];
    const sy_imported_row *b = &imported->rows[1];
    const sy_run_series *items = series_of(b, "items_per_second");

    (void)state;
    assert_int_equal(imported->format, SY_IMPORT_GOOGLE_BENCHMARK);
    assert_int_equal(imported->row_count, 2);
    assert_string_equal(a->name, "BM_a/threads:2");
    assert_true(a->failed);
    assert_string_equal(a->reason, "real_time: NaN");
    assert_true(any_contains(a->notes, a->note_count, "cpu_time: -Infinity"));
    expect_samples(series_of(a, "real_time"), 1, (const double[]){NAN});
    assert_string_equal(parameter_of(a, "threads"), "2");
    assert_false(b->failed);
    expect_samples(series_of(b, "real_time"), 1, (const double[]){1.5e-05});
    expect_samples(series_of(b, "cpu_time"), 1, (const double[]){1.4e-05});
    expect_samples(items, 1, (const double[]){NAN});
    assert_string_equal(items->note, "items_per_second: Infinity");
    assert_true(items->higher_is_better);
    for (int i = 0; i < 2; i++)
        assert_true(any_contains(imported->rows[i].notes, imported->rows[i].note_count, "debug"));
    /* the row of 12%: line 6, and the column of the sign */
    assert_int_equal(imported->reject_count, 1);
    expect_reject(imported, "/benchmarks/2", "'%'", 6, 92);
    assert_string_equal(imported->host, "h");
    assert_true(imported->zone_known);
    assert_string_equal(value_of(imported->settings, imported->setting_count, "load_avg.1"), "0.58");
    sy_imported_destroy(imported);
}

/* tests/data/import/google-benchmark-1.7.1.json, figures as they stand there. */
static void repetitions_are_samples_and_their_aggregates_are_left_out(void **state)
{
    sy_imported *imported = import_file(STEELYARD_SOURCE_DIR, "tests/data/import/google-benchmark-1.7.1.json");
    const sy_imported_row *copy = &imported->rows[0];
    const sy_run_series *real = series_of(copy, "real_time");

    (void)state;
    assert_int_equal(imported->row_count, 4);
    assert_int_equal(imported->reject_count, 0);
    assert_string_equal(copy->name, "BM_copy/bytes:64/iterations:1000/repeats:3");
    expect_samples(
        real, 3,
        (const double[]){3.9459991967305541e+00 / 1e9, 1.4329998521134257e+00 / 1e9, 1.4110046322457492e+00 / 1e9});
    assert_string_equal(real->unit, "s");
    assert_false(real->higher_is_better);
    assert_true(figure_of(real, "iterations") == 1000);
    expect_samples(
        series_of(copy, "cpu_time"), 3,
        (const double[]){2.3949999999996545e+00 / 1e9, 1.4350000000001515e+00 / 1e9, 1.4179999999999924e+00 / 1e9});
    expect_samples(series_of(copy, "bytes_per_second"), 3,
                   (const double[]){2.6722338204596760e+10, 4.4599303135883797e+10, 4.5133991537376839e+10});
    assert_string_equal(series_of(copy, "bytes_per_second")->unit, "bytes/s");
    assert_true(series_of(copy, "bytes_per_second")->higher_is_better);
    assert_string_equal(series_of(copy, "items_per_second")->unit, "1/s");
    expect_samples(series_of(copy, "depth"), 3, (const double[]){3, 3, 3});
    assert_false(series_of(copy, "depth")->higher_is_better);
    assert_int_equal(copy->series_count, 5);
    assert_string_equal(parameter_of(copy, "bytes"), "64");
    assert_string_equal(parameter_of(copy, "repeats"), "3");
    assert_string_equal(parameter_of(copy, "threads"), "1");
    assert_true(any_contains(copy->notes, copy->note_count, "label: plain"));
    assert_true(any_contains(imported->notes, imported->note_count, "4 aggregates are left out"));
    assert_string_equal(imported->time, "2026-11-29T23:43:21+00:00");
    assert_true(imported->zone_known);
    assert_string_equal(imported->host, "vm");
    assert_string_equal(imported->tool, "google-benchmark");
    assert_string_equal(value_of(imported->settings, imported->setting_count, "caches.2.size"), "2097152");
    assert_null(value_of(imported->settings, imported->setting_count, "host_name"));
    sy_imported_destroy(imported);
}

static void other_units_threads_and_errors_of_the_tool_are_read(void **state)
{
    sy_imported *imported = import_file(STEELYARD_SOURCE_DIR, "tests/data/import/google-benchmark-1.7.1.json");
    const sy_imported_row *threads = &imported->rows[1];
    const sy_imported_row *error = &imported->rows[2];
    const sy_imported_row *nan = &imported->rows[3];

    (void)state;
    assert_string_equal(threads->name, "BM_copy/64/iterations:1000/threads:2");
    expect_samples(series_of(threads, "real_time"), 1, (const double[]){8.7100124801509082e-04 / 1e6});
    assert_string_equal(parameter_of(threads, "threads"), "2");
    assert_null(parameter_of(threads, "64"));
    assert_int_equal(threads->parameter_count, 2); /* iterations, threads */
    /* 0 ns stands in the file, which nothing ever took */
    assert_true(error->failed);
    assert_string_equal(error->reason, "error_occurred: no \"device\"");
    expect_samples(series_of(error, "real_time"), 1, (const double[]){NAN});
    assert_int_equal(error->note_count, 1);
    assert_false(nan->failed);
    expect_samples(series_of(nan, "limit"), 1, (const double[]){NAN});
    assert_string_equal(series_of(nan, "ratio")->note, "ratio: NaN");
    sy_imported_destroy(imported);
}

#define REPETITION(index, more)                                                                        \
    "{\"name\":\"BM_x\",\"run_name\":\"BM_x\",\"run_type\":\"iteration\",\"repetition_index\":" #index \
    ",\"time_unit\":\"ms\"," more "}"
#define AGGREGATE(name, unit, value)                                                                          \
    "{\"name\":\"BM_y_" name "\",\"run_name\":\"BM_y\",\"run_type\":\"aggregate\",\"aggregate_name\":\"" name \
    "\",\"aggregate_unit\":\"" unit "\",\"iterations\":3,\"real_time\":" value ",\"time_unit\":\"ms\"}"

static void a_failed_repetition_among_others_fails_the_row_and_keeps_its_samples(void **state)
{
    sy_imported *imported = import_text(
        CONTEXT "\"benchmarks\":[" REPETITION(0, "\"iterations\":4,\"real_time\":3,\"c\":1") "," REPETITION(
            1,
            "\"error_occurred\":true,\"error_message\":"
            "\"out of memory\",\"iterations\":0,"
            "\"real_time\":0") "," REPETITION(2,
                                              "\"iterations\":8,\"real_time\":-5,\"c\":"
                                              "-2") "," REPETITION(3, "\"iterations\":"
                                                                      "0,\"real_time\":"
                                                                      "7") "," REPETITION(4, "\"skipped\":true,\"skip_"
                                                                                             "message\":\"no\",\"real_"
                                                                                             "time\":0") "]}");
    const sy_imported_row *row = &imported->rows[0];
    const sy_run_series *real = series_of(row, "real_time");

    (void)state;
    assert_int_equal(imported->row_count, 1);
    assert_true(row->failed);
    assert_string_equal(row->reason, "error_occurred: out of memory (repetition 1)");
    assert_true(any_contains(row->notes, row->note_count, "iterations: 0 (repetition 3)"));
    assert_true(any_contains(row->notes, row->note_count, "skipped: no (repetition 4)"));
    expect_samples(real, 5, (const double[]){3 / 1e3, NAN, NAN, NAN, NAN});
    assert_string_equal(real->note, "real_time: 1 of 5 cannot be used, the first is negative (-5)");
    expect_samples(series_of(row, "c"), 2, (const double[]){1, -2});
    assert_string_equal(series_of(row, "c")->note, "2 of 5 repetitions have it");
    sy_imported_destroy(imported);
}

static void aggregates_without_their_repetitions_are_kept_as_a_summary(void **state)
{
    sy_imported *imported = import_text(CONTEXT "\"benchmarks\":[" AGGREGATE("mean", "time", "2") "," AGGREGATE(
        "cv", "percentage", "0.25") "," AGGREGATE("p50", "time", "1e308") "]}");
    const sy_imported_row *row = &imported->rows[0];
    const sy_run_series *real = series_of(row, "real_time");

    (void)state;
    assert_int_equal(imported->row_count, 1);
    assert_string_equal(row->name, "BM_y");
    assert_false(row->failed);
    assert_int_equal(real->count, 0);
    assert_true(figure_of(real, "mean") == 2 / 1e3);
    assert_true(figure_of(real, "cv") == 0.25);
    assert_true(figure_of(real, "p50") == 1e305);
    assert_string_equal(real->figures[0].unit, "s");
    assert_string_equal(real->figures[1].unit, "");
    assert_true(any_contains(row->notes, row->note_count, "summary only"));
    assert_int_equal(imported->note_count, 0);
    sy_imported_destroy(imported);
}

#define OLD(name, time) \
    "{\"name\":\"" name "\",\"iterations\":9,\"real_time\":" time ",\"cpu_time\":1,\"time_unit\":\"ns\"}"

static void aggregates_of_old_versions_are_known_by_the_end_of_their_names(void **state)
{
    sy_imported *imported = import_text(
        "{\"context\":{\"date\":\"2016-08-02 17:44:46\",\"mhz_per_cpu\":1},\"benchmarks\":[" OLD("a", "1") "," OLD(
            "a", "3") "," OLD("a_mean", "2") "," OLD("a_stddev", "1") "," OLD("calc_mean",
                                                                              "5") "," OLD("b_mean",
                                                                                           "6") "," OLD("b_median",
                                                                                                        "7") "]}");

    (void)state;
    assert_int_equal(imported->row_count, 3);
    expect_samples(series_of(&imported->rows[0], "real_time"), 2, (const double[]){1 / 1e9, 3 / 1e9});
    assert_string_equal(imported->rows[1].name, "calc_mean"); /* nothing else is called calc: a benchmark */
    expect_samples(series_of(&imported->rows[1], "real_time"), 1, (const double[]){5 / 1e9});
    assert_string_equal(imported->rows[2].name, "b");
    assert_true(figure_of(series_of(&imported->rows[2], "real_time"), "median") == 7 / 1e9);
    assert_true(any_contains(imported->notes, imported->note_count, "2 aggregates are left out"));
    assert_string_equal(imported->time, "2016-08-02 17:44:46");
    assert_false(imported->zone_known);
    sy_imported_destroy(imported);
}

static void a_host_name_that_is_not_escaped_is_read_as_it_stands(void **state)
{
    static const char *const names[] = {"CORP\\user", "a\"b", "x\\", "tab\tname", "plain"};
    static const char *const written[] = {"CORP\\user", "a\"b", "x\\", "tab\tname", "plain"};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[512];
        sy_imported *imported;

        (void)snprintf(text, sizeof text,
                       "{\"context\": {\n \"host_name\": \"%s\",\n \"library_build_type\": \"release\"},\n"
                       "\"benchmarks\": [" OLD("a", "1") ",\n" OLD("b", "2%%") ",\n" OLD("c", "3") "]}",
                       written[i]);
        imported = import_text(text);
        assert_string_equal(imported->host, names[i]);
        assert_int_equal(imported->row_count, 2);
        assert_string_equal(imported->rows[1].name, "c");
        expect_reject(imported, "/benchmarks/1", "'%'", 5, 0);
        assert_string_equal(value_of(imported->settings, imported->setting_count, "library_build_type"), "release");
        assert_int_equal(imported->note_count, i == 4 ? 0 : 1);
        sy_imported_destroy(imported);
    }
}

static void what_is_not_understood_is_rejected_with_its_place(void **state)
{
    sy_imported *imported = import_text(
        CONTEXT "\"benchmarks\":[\n"
                "{\"run_name\":5,\"real_time\":1,\"time_unit\":\"ns\"},\n"
                "7,\n"
                "{\"name\":\"a\",\"real_time\":\"1\",\"cpu_time\":2,\"time_unit\":\"ns\",\"x\":[1],\"cpu_time\":3},\n"
                "{\"name\":\"b\",\"real_time\":1,\"time_unit\":\"fortnights\"},\n"
                "{\"name\":\"c\",\"real_time\":1}],\"more\":{\"a\":1}}");

    (void)state;
    assert_int_equal(imported->row_count, 3);
    expect_reject(imported, "/benchmarks/0", "without a name", 3, 1);
    expect_reject(imported, "/benchmarks/1", "expected a result, found number", 4, 1);
    expect_reject(imported, "/benchmarks/2/real_time", "expected a counter, found text", 5, 25);
    expect_reject(imported, "/benchmarks/2/x", "expected a counter, found array", 5, 63);
    expect_reject(imported, "/benchmarks/2/cpu_time", "stood there before", 5, 0);
    assert_false(imported->rows[0].failed);
    assert_string_equal(imported->rows[1].reason, "real_time: in a unit that is not known");
    assert_string_equal(imported->rows[2].reason, "real_time: in a unit that is not known");
    assert_string_equal(value_of(imported->settings, imported->setting_count, "more.a"), "1");
    sy_imported_destroy(imported);
}

/* Published files of other projects, where they are at hand. */
static void published_files_are_read(void **state)
{
    sy_imported *imported = import_foreign(STEELYARD_SOURCE_DIR, "google-benchmark/run.json");

    (void)state;
    if (imported == NULL)
        skip();
    assert_int_equal(imported->row_count, 2);
    expect_samples(series_of(&imported->rows[1], "real_time"), 1, (const double[]){2.7455600415007055e+04 / 1e9});
    assert_false(imported->zone_known);
    assert_string_equal(imported->host, "Corgi.local");
    sy_imported_destroy(imported);
    imported = import_foreign(STEELYARD_SOURCE_DIR, "google-benchmark/test2_run.json");
    assert_int_equal(imported->row_count, 10);
    assert_int_equal(imported->reject_count, 0);
    expect_samples(series_of(&imported->rows[0], "real_time"), 1, (const double[]){42 / 1e3});
    expect_samples(series_of(&imported->rows[9], "cpu_time"), 1, (const double[]){63 / 1e9});
    sy_imported_destroy(imported);
    imported = import_foreign(STEELYARD_SOURCE_DIR, "google-benchmark/test4_run1.json");
    assert_int_equal(imported->row_count, 1);
    assert_true(figure_of(series_of(&imported->rows[0], "cpu_time"), "zz") == 0.15);
    sy_imported_destroy(imported);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(imp_1_what_is_no_json_costs_one_row_and_no_other),
        cmocka_unit_test(repetitions_are_samples_and_their_aggregates_are_left_out),
        cmocka_unit_test(other_units_threads_and_errors_of_the_tool_are_read),
        cmocka_unit_test(a_failed_repetition_among_others_fails_the_row_and_keeps_its_samples),
        cmocka_unit_test(aggregates_without_their_repetitions_are_kept_as_a_summary),
        cmocka_unit_test(aggregates_of_old_versions_are_known_by_the_end_of_their_names),
        cmocka_unit_test(a_host_name_that_is_not_escaped_is_read_as_it_stands),
        cmocka_unit_test(what_is_not_understood_is_rejected_with_its_place),
        cmocka_unit_test(published_files_are_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
