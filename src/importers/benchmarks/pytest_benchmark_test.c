/* SPDX-License-Identifier: Apache-2.0 */
/* pytest-benchmark's JSON: summaries, rounds that are whole or not, machine and commit. */
#include "import_files.h"
#include "importers/import/import_test_support.h"

#define STATS                                                                                                \
    "\"min\":1.4376e-07,\"max\":2e-6,\"mean\":1.5e-07,\"stddev\":1e-8,\"rounds\":68536,\"median\":1.45e-07," \
    "\"outliers\":\"90;1878\",\"iterations\":67"

/* Field case R-3. */
static void r_3_a_text_among_the_rounds_leaves_a_summary(void **state)
{
    sy_imported *imported = import_text(
        "{\"machine_info\":{\"node\":\"box\"},\"commit_info\":{\"id\":\"abc\",\"dirty\":true,\"branch\":\"main\"},"
        "\"benchmarks\":[\n"
        "{\"group\":null,\"name\":\"t\",\"fullname\":\"a.py::t\",\"params\":null,\"stats\":{" STATS
        ",\n\"data\":[1.4538999999924586e-7, 1.4376e-07, 1.5e-07, 1.6e-07, \"... omitted to keep this file small\"]}}],"
        "\"datetime\":\"2020-01-02T03:04:05.678\",\"version\":\"3.2.3\"}");
    const sy_imported_row *row = &imported->rows[0];
    const sy_run_series *time = series_of(row, "time");

    (void)state;
    assert_int_equal(imported->format, SY_IMPORT_PYTEST_BENCHMARK);
    assert_int_equal(imported->row_count, 1);
    assert_int_equal(imported->reject_count, 1);
    expect_reject(imported, "/benchmarks/0/stats/data/4", "the samples are not whole", 3, 62);
    assert_false(row->failed);
    assert_string_equal(row->name, "a.py::t");
    assert_int_equal(time->count, 0);
    assert_string_equal(time->note, "summary only, 68536 rounds, 4 of them shown");
    assert_string_equal(time->unit, "s");
    assert_true(figure_of(time, "min") == 1.4376e-07);
    assert_true(figure_of(time, "stddev_outliers") == 90);
    assert_true(figure_of(time, "iqr_outliers") == 1878);
    assert_true(figure_of(time, "rounds") == 68536);
    for (size_t i = 0; i < time->figure_count; i++)
        assert_string_not_equal(time->figures[i].name, "ops"); /* an old file */
    assert_int_equal(imported->dirty, 1);
    assert_string_equal(imported->revision, "abc");
    assert_string_equal(imported->branch, "main");
    /* a dirty tree is not what its revision says */
    assert_null(value_of(imported->facts, imported->fact_count, "source_revision"));
    assert_false(imported->zone_known);
    sy_imported_destroy(imported);
}

static void whole_rounds_are_samples_and_parameters_are_texts(void **state)
{
    sy_imported *imported = import_text(
        "{\"machine_info\":{\"node\":\"box\",\"python_implementation\":\"CPython\",\"python_version\":\"3.11.7\","
        "\"cpu\":{\"brand_raw\":\"A processor\",\"count\":2}},"
        "\"commit_info\":{\"id\":\"abc\",\"dirty\":false,\"project\":\"p\"},\n"
        "\"benchmarks\":[{\"group\":\"g\",\"name\":\"t[8]\",\"fullname\":\"a.py::t[8]\","
        "\"params\":{\"n\":8,\"shape\":[2,3],\"mode\":null,\"fast\":true},\"param\":\"8\","
        "\"extra_info\":{\"batch\":7},\"options\":{\"timer\":\"perf_counter\"},\n"
        "\"stats\":{\"rounds\":3,\"ops\":250.0,\"outliers\":\"0;x\",\"total\":0.75,\"data\":[0.25,null,-0.5],\"new\":1}"
        "}],"
        "\"datetime\":\"2020-01-02T03:04:05.678+00:00\"}");
    const sy_imported_row *row = &imported->rows[0];
    const sy_run_series *time = series_of(row, "time");

    (void)state;
    expect_samples(time, 3, (const double[]){0.25, NAN, NAN});
    assert_string_equal(time->note, "2 of 3 cannot be used: the one at 1 is null");
    assert_true(figure_of(time, "ops") == 250);
    assert_string_equal(parameter_of(row, "n"), "8");
    assert_string_equal(parameter_of(row, "shape.1"), "3");
    assert_string_equal(parameter_of(row, "mode"), "null");
    assert_string_equal(parameter_of(row, "fast"), "true");
    assert_int_equal(row->parameter_count, 5);
    assert_true(any_contains(row->notes, row->note_count, "extra_info.batch: 7"));
    assert_true(any_contains(row->notes, row->note_count, "options.timer: perf_counter"));
    assert_true(any_contains(row->notes, row->note_count, "group: g"));
    expect_reject(imported, "/benchmarks/0/stats/outliers", "two counts", 3, 0);
    expect_reject(imported, "/benchmarks/0/stats/new", "not read", 3, 0);
    assert_int_equal(imported->reject_count, 2);
    assert_string_equal(value_of(imported->facts, imported->fact_count, "source_revision"), "abc");
    assert_string_equal(value_of(imported->facts, imported->fact_count, "runtime_version"), "CPython 3.11.7");
    assert_string_equal(imported->host, "box");
    assert_string_equal(imported->device, "A processor");
    assert_string_equal(value_of(imported->settings, imported->setting_count, "machine_info.cpu.count"), "2");
    assert_string_equal(value_of(imported->settings, imported->setting_count, "commit_info.project"), "p");
    assert_int_equal(imported->dirty, 0);
    assert_true(imported->zone_known);
    sy_imported_destroy(imported);
}

/* tests/data/import/pytest-benchmark-3.2.2.json, figures as they stand there. */
static void a_file_of_the_plugin_is_read_whole(void **state)
{
    sy_imported *imported = import_file(STEELYARD_SOURCE_DIR, "tests/data/import/pytest-benchmark-3.2.2.json");
    const sy_imported_row *row = &imported->rows[1];

    (void)state;
    assert_int_equal(imported->row_count, 2);
    assert_int_equal(imported->reject_count, 0);
    assert_string_equal(row->name, "test_sums.py::test_sum[100]");
    assert_string_equal(parameter_of(row, "n"), "100");
    expect_samples(
        series_of(row, "time"), 4,
        (const double[]){5.104599404148758e-07, 5.87599934078753e-07, 5.797999619971961e-07, 5.432800389826298e-07});
    assert_true(figure_of(series_of(row, "time"), "ops") == 1800877.1280770267);
    assert_true(figure_of(series_of(row, "time"), "total") == 2.2211398754734547e-06);
    assert_string_equal(series_of(row, "time")->note, "");
    assert_string_equal(imported->time, "2026-11-29T23:53:29.889066");
    assert_false(imported->zone_known);
    assert_string_equal(imported->device, "Intel(R) Xeon(R) Processor");
    /* "unknown" is no revision, and a tree of none is not known to be clean */
    assert_string_equal(imported->revision, "");
    assert_string_equal(imported->branch, "");
    assert_int_equal(imported->dirty, -1);
    assert_null(value_of(imported->facts, imported->fact_count, "source_revision"));
    sy_imported_destroy(imported);
}

static void a_test_without_statistics_has_failed(void **state)
{
    sy_imported *imported = import_text(
        "{\"commit_info\":{\"dirty\":3},\"benchmarks\":[{\"name\":\"a\"},{\"name\":\"b\",\"stats\":{}},"
        "{\"stats\":{}},{\"name\":\"c\",\"stats\":{\"mean\":NaN,\"rounds\":null,\"data\":5}}]}");

    (void)state;
    assert_int_equal(imported->row_count, 3);
    assert_string_equal(imported->rows[0].reason, "stats: absent");
    assert_string_equal(imported->rows[1].reason, "no figure of it is a number");
    assert_true(imported->rows[2].failed);
    assert_non_null(strstr(imported->rows[2].series[0].note, "mean: NaN"));
    expect_reject(imported, "/benchmarks/2", "without a name", 1, 0);
    expect_reject(imported, "/benchmarks/3/stats/data", "expected a list of times, found number", 1, 0);
    expect_reject(imported, "/commit_info/dirty", "true or false", 1, 0);
    assert_int_equal(imported->dirty, -1);
    sy_imported_destroy(imported);
}

static void published_files_are_read(void **state)
{
    static const char *const names[] = {"pytest-benchmark/run1.json", "pytest-benchmark/run2.json",
                                        "pytest-benchmark/run3.json"};
    /* as they stand in the files */
    static const double means[] = {2.622408132654948e-07, 2.4571645211663035e-07, 2.61205074138546e-07};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        sy_imported *imported = import_foreign(STEELYARD_SOURCE_DIR, names[i]);

        if (imported == NULL)
            skip();
        assert_int_equal(imported->row_count, 1);
        assert_int_equal(imported->reject_count, 0);
        assert_string_equal(imported->rows[0].name, "tests/test_normal.py::test_xfast_parametrized[0]");
        assert_true(figure_of(series_of(&imported->rows[0], "time"), "mean") == means[i]);
        assert_string_equal(imported->tool, "pytest-benchmark 2.5.0");
        assert_string_equal(imported->revision, "5b78858eb718649a31fb93d8dc96ca2cee41a4cd");
        assert_int_equal(imported->dirty, 1);
        assert_string_equal(value_of(imported->facts, imported->fact_count, "runtime_version"), "CPython 2.7.3");
        assert_true(imported->zone_known);
        sy_imported_destroy(imported);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(r_3_a_text_among_the_rounds_leaves_a_summary),
        cmocka_unit_test(whole_rounds_are_samples_and_parameters_are_texts),
        cmocka_unit_test(a_file_of_the_plugin_is_read_whole),
        cmocka_unit_test(a_test_without_statistics_has_failed),
        cmocka_unit_test(published_files_are_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
