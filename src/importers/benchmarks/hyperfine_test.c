/* SPDX-License-Identifier: Apache-2.0 */
/* Exports of hyperfine: names and parameters, single runs, failed ones. */
#include "import_files.h"
#include "importers/import/import_test_support.h"

/* Field case IMP-7. */
static void imp_7_one_command_name_with_other_parameters_is_another_series(void **state)
{
    sy_imported *imported = import_text(
        "{\"results\":[\n"
        "{\"command\":\"my_prog\",\"mean\":0.011,\"stddev\":0.0,\"median\":0.011,\"user\":0,\"system\":0,\"min\":0.011,"
        "\"max\":0.011,\"times\":[0.011,0.011],\"exit_codes\":[0,0],\"parameters\":{\"seed\":\"1\"}},\n"
        "{\"command\":\"my_prog\",\"mean\":0.022,\"stddev\":0.0,\"median\":0.022,\"user\":0,\"system\":0,\"min\":0.022,"
        "\"max\":0.022,\"times\":[0.022,0.022],\"exit_codes\":[0,0],\"parameters\":{\"seed\":\"2\"}},\n"
        "{\"command\":\"whoami\",\"mean\":0.002360546720000001,\"stddev\":null,\"median\":0.002360546720000001,"
        "\"user\":0.00025,\"system\":0.0007,\"min\":0.002360546720000001,\"max\":0.002360546720000001,"
        "\"times\":[0.002360546720000001],\"exit_codes\":[0]}]}");
    const sy_imported_row *rows = imported->rows;

    (void)state;
    assert_int_equal(imported->format, SY_IMPORT_HYPERFINE);
    assert_int_equal(imported->row_count, 3);
    assert_int_equal(imported->reject_count, 0);
    assert_string_equal(rows[0].name, "my_prog");
    assert_string_equal(parameter_of(&rows[0], "seed"), "1");
    assert_string_equal(parameter_of(&rows[1], "seed"), "2");
    expect_samples(series_of(&rows[0], "wall"), 2, (const double[]){0.011, 0.011});
    expect_samples(series_of(&rows[1], "wall"), 2, (const double[]){0.022, 0.022});
    assert_true(figure_of(series_of(&rows[1], "wall"), "mean") == 0.022);
    assert_true(figure_of(series_of(&rows[1], "wall"), "stddev") == 0);
    assert_string_equal(rows[2].name, "whoami");
    assert_int_equal(rows[2].parameter_count, 0);
    expect_samples(series_of(&rows[2], "wall"), 1, (const double[]){0.002360546720000001});
    /* unknown, not 0 */
    assert_true(isnan(figure_of(series_of(&rows[2], "wall"), "stddev")));
    assert_true(figure_of(series_of(&rows[2], "wall"), "user") == 0.00025);
    for (size_t i = 0; i < 3; i++) {
        assert_false(rows[i].failed);
        assert_string_equal(series_of(&rows[i], "wall")->unit, "s");
        assert_false(series_of(&rows[i], "wall")->higher_is_better);
        assert_int_equal(rows[i].position.line, i + 2);
    }
    assert_string_equal(imported->host, "");
    assert_string_equal(imported->time, "");
    sy_imported_destroy(imported);
}

/* tests/data/import/hyperfine-*.json, figures as they stand there. */
static void files_of_the_tool_are_read_whole(void **state)
{
    sy_imported *imported = import_file(STEELYARD_SOURCE_DIR, "tests/data/import/hyperfine-parameters.json");
    const sy_run_series *wall = series_of(&imported->rows[1], "wall");

    (void)state;
    assert_int_equal(imported->row_count, 2);
    assert_int_equal(imported->reject_count, 0);
    assert_string_equal(imported->rows[1].name, "nap");
    assert_string_equal(parameter_of(&imported->rows[1], "pause"), "2");
    expect_samples(wall, 3, (const double[]){0.00311347, 0.005715126, 0.003701015});
    assert_true(figure_of(wall, "mean") == 0.004176537);
    assert_true(figure_of(wall, "user") == 0.0009729999999999999);
    assert_false(has_series(&imported->rows[1], "memory"));
    sy_imported_destroy(imported);
    imported = import_file(STEELYARD_SOURCE_DIR, "tests/data/import/hyperfine-failing.json");
    assert_int_equal(imported->row_count, 2);
    assert_string_equal(imported->rows[0].name, "sh -c \"kill -9 $$\"");
    assert_true(imported->rows[0].failed);
    assert_string_equal(imported->rows[0].reason, "exit_codes/0: 137; 2 of 2 runs failed");
    assert_string_equal(imported->rows[1].reason, "exit_codes/0: 1; 2 of 2 runs failed");
    expect_samples(series_of(&imported->rows[0], "wall"), 2, (const double[]){0.001558864, 0.004445775});
    sy_imported_destroy(imported);
}

static void results_equal_in_name_and_parameters_are_one_series(void **state)
{
    sy_imported *imported = import_text(
        "{\"results\":[{\"command\":\"a\",\"mean\":1,\"times\":[1,3],\"parameters\":{\"n\":\"1\"}},"
        "{\"command\":\"a\",\"mean\":5,\"times\":[5],\"parameters\":{\"n\":\"2\"}},"
        "{\"command\":\"a\",\"mean\":7,\"times\":[7,2],\"parameters\":{\"n\":\"1\"}},"
        "{\"command\":\"a\\nn1\",\"mean\":7,\"times\":[8]}]}");
    const sy_imported_row *row = &imported->rows[0];

    (void)state;
    assert_int_equal(imported->row_count, 3);
    expect_samples(series_of(row, "wall"), 4, (const double[]){1, 3, 7, 2});
    assert_int_equal(series_of(row, "wall")->figure_count, 0);
    assert_true(any_contains(row->notes, row->note_count, "2 results of this name and these parameters"));
    assert_non_null(strstr(series_of(row, "wall")->note, "their own means are left out"));
    assert_string_equal(parameter_of(&imported->rows[1], "n"), "2");
    assert_int_equal(imported->rows[1].note_count, 0);
    sy_imported_destroy(imported);
}

static void memory_signals_and_what_is_not_known_are_kept_or_told(void **state)
{
    sy_imported *imported = import_text(
        "{\"results\":[\n{\"command\":\"a\",\"mean\":1,\"times\":[1,-2,null,1e999],\"memory_usage_byte\":[4096,8192],"
        "\"exit_codes\":[0,null,\"x\"],\"parameters\":{\"n\":1,\"m\":[1]},\"later\":true},\n"
        "{\"command\":\"b\",\"mean\":0.5,\"times\":[],\"exit_codes\":3,\"parameters\":[]},\n"
        "{\"command\":\"c\",\"mean\":null,\"times\":\"1\"}],\n\"host\":\"h\"}");
    const sy_imported_row *a = &imported->rows[0];

    (void)state;
    assert_int_equal(imported->row_count, 3);
    expect_samples(series_of(a, "wall"), 4, (const double[]){1, NAN, NAN, NAN});
    assert_string_equal(series_of(a, "wall")->note, "3 of 4 cannot be used: the one at 1 is negative (-2)");
    expect_samples(series_of(a, "memory"), 2, (const double[]){4096, 8192});
    assert_string_equal(series_of(a, "memory")->unit, "bytes");
    assert_string_equal(a->reason, "exit_codes/1: none, a signal ended it; 1 of 3 runs failed");
    assert_string_equal(parameter_of(a, "n"), "1");
    expect_reject(imported, "/results/0/exit_codes/2", "an exit code", 2, 0);
    expect_reject(imported, "/results/0/parameters/m", "found array", 2, 0);
    expect_reject(imported, "/results/0/later", "not read", 2, 0);
    assert_false(imported->rows[1].failed);
    assert_string_equal(series_of(&imported->rows[1], "wall")->note, "summary only, no times of single runs");
    expect_reject(imported, "/results/1/exit_codes", "found number", 3, 0);
    expect_reject(imported, "/results/1/parameters", "found array", 3, 0);
    assert_true(imported->rows[2].failed);
    expect_reject(imported, "/results/2/times", "found text", 4, 0);
    assert_int_equal(imported->reject_count, 6);
    assert_string_equal(value_of(imported->settings, imported->setting_count, "host"), "h");
    sy_imported_destroy(imported);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(imp_7_one_command_name_with_other_parameters_is_another_series),
        cmocka_unit_test(files_of_the_tool_are_read_whole),
        cmocka_unit_test(results_equal_in_name_and_parameters_are_one_series),
        cmocka_unit_test(memory_signals_and_what_is_not_known_are_kept_or_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
