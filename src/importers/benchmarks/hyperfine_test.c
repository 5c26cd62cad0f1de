/* SPDX-License-Identifier: Apache-2.0 */
/* Exports of hyperfine: names and parameters, single runs, failed ones. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(imp_7_one_command_name_with_other_parameters_is_another_series),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
