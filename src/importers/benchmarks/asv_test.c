/* SPDX-License-Identifier: Apache-2.0 */
/* Results of asv: columns by name, grids of parameters, what failed and what was skipped, units from elsewhere. */
#include "importers/import/import_test_support.h"

#include "base/text.h"
#include "import_files.h"
#include "temporary_folder.h"

#define HEAD                                                                                                \
    "{\"commit_hash\": \"0070bd3e378d2e6363d50c1dc0004c473e51ddf2\", \"env_name\": \"virtualenv-py3.9\",\n" \
    " \"date\": 1637362095000, \"params\": {\"machine\": \"ci\", \"cpu\": \"Xeon\", \"ram\": \"7GB\"},\n"   \
    " \"python\": \"3.9\", \"requirements\": {\"numpy\": \"1.20\"}, \"env_vars\": {},\n"                    \
    " \"result_columns\": [\"result\", \"params\", \"version\", \"started_at\", \"duration\", "             \
    "\"stats_ci_99_a\", \"stats_repeat\", \"samples\", \"profile\"],\n \"results\": {\n"
#define TAIL "}, \"durations\": {\"<build>\": 12.5}, \"version\": 2}\n"
#define HASH "9c1a973fb7bfebca68e3598e486eb276cee2af35590bed3ff38975e8b0d9c111"

static sy_imported *read_with(const char *text, const char *units)
{
    sy_import_options options = SY_IMPORT_OPTIONS_INIT;
    sy_imported *imported = NULL;
    sy_error err = SY_ERROR_INIT;

    options.units = units;
    if (sy_import_parse(text, strlen(text), &options, &imported, &err) != SY_OK)
        fail_msg("refused: %s", err.what);
    return imported;
}

static void columns_have_names_and_those_at_the_end_may_be_left_out(void **state)
{
    sy_imported *imported = import_text(HEAD "\"b.T.time_a\": [[0.25], [], \"" HASH
                                             "\", 1644207222679, 0.5, [0.125], [2], [[0.25, 0.5]]],\n"
                                             "\"b.T.time_b\": [[0.5], [], \"2\", 1644207222000, 0.5, [0.125], [10]],\n"
                                             "\"b.M.mem_c\": [[280], []]\n" TAIL);
    const sy_imported_row *rows = imported->rows;
    const sy_run_series *a;
    const sy_run_series *b;

    (void)state;
    assert_int_equal(imported->format, SY_IMPORT_ASV);
    assert_int_equal(imported->reject_count, 0);
    assert_int_equal(imported->row_count, 3);
    a = series_of(&rows[0], "result");
    expect_samples(a, 2, (double[]){0.25, 0.5});
    assert_string_equal(a->unit, "s");
    assert_true(figure_of(a, "ci_99_a") == 0.125 && figure_of(a, "repeat") == 2 && figure_of(a, "result") == 0.25);
    assert_string_equal(parameter_of(&rows[0], "version"), "9c1a973fb7bf");
    assert_string_equal(rows[0].time, "2022-02-07T04:13:42Z");
    assert_true(rows[0].zone_known);
    b = series_of(&rows[1], "result");
    assert_int_equal(b->count, 0);
    assert_true(figure_of(b, "result") == 0.5);
    assert_non_null(strstr(b->note, "summary only: the file has no samples"));
    assert_string_equal(parameter_of(&rows[1], "version"), "2");
    expect_samples(series_of(&rows[2], "result"), 1, (double[]){280});
    assert_string_equal(series_of(&rows[2], "result")->unit, "bytes");
    assert_null(parameter_of(&rows[2], "version"));
    assert_string_equal(rows[2].time, "");
    sy_imported_destroy(imported);
}

static void the_file_tells_machine_commit_and_when_it_was_measured(void **state)
{
    sy_imported *imported = import_text(HEAD "\"time_a\": [[0.5], [], \"1\", 1644207222679, 1]\n" TAIL);

    (void)state;
    assert_string_equal(imported->host, "ci");
    assert_string_equal(imported->device, "Xeon");
    assert_string_equal(imported->revision, "0070bd3e378d2e6363d50c1dc0004c473e51ddf2");
    assert_int_equal(imported->dirty, 0);
    /* `date` is the commit's; the benchmark ran later */
    assert_string_equal(imported->time, "2022-02-07T04:13:42Z");
    assert_true(imported->zone_known);
    assert_string_equal(value_of(imported->settings, imported->setting_count, "commit_date"), "2021-11-19T22:48:15Z");
    assert_string_equal(value_of(imported->settings, imported->setting_count, "params.ram"), "7GB");
    assert_string_equal(value_of(imported->settings, imported->setting_count, "requirements.numpy"), "1.20");
    assert_string_equal(value_of(imported->settings, imported->setting_count, "python"), "3.9");
    sy_imported_destroy(imported);
}

static void a_grid_is_flattened_with_its_last_parameter_first(void **state)
{
    static const char units[] = "{\"g\": {\"unit\": \"ms\", \"version\": \"1\", \"param_names\": [\"n\", \"kind\"]}, "
                                "\"version\": 2}";
    static const char *const n[] = {"1", "1", "2", "2"};
    static const char *const kind[] = {"'a'", "'b'", "'a'", "'b'"};
    sy_imported *imported = read_with(
        HEAD "\"g\": [[1, 2, null, 4], [[\"1\", \"2\"], [\"'a'\", \"'b'\"]], \"1\", 1644207222679, 1, "
             "[0.5, 1.5, null, 3.5], [3, 3, null, 3], [[1], [2, 2.5], null, [4]]]\n" TAIL,
        units);

    (void)state;
    assert_int_equal(imported->row_count, 4);
    assert_int_equal(imported->reject_count, 0);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(parameter_of(&imported->rows[i], "n"), n[i]);
        assert_string_equal(parameter_of(&imported->rows[i], "kind"), kind[i]);
    }
    expect_samples(series_of(&imported->rows[1], "result"), 2, (double[]){0.002, 0.0025});
    assert_true(figure_of(series_of(&imported->rows[3], "result"), "ci_99_a") == 0.0035);
    assert_true(figure_of(series_of(&imported->rows[3], "result"), "repeat") == 3);
    assert_true(imported->rows[2].failed);
    assert_string_equal(imported->rows[2].reason, "result: null");
    sy_imported_destroy(imported);
}

static void null_failed_and_a_bare_nan_was_skipped(void **state)
{
    sy_imported *imported = import_text(HEAD "\"time_a\": [[null, NaN, 1], [[\"1\", \"2\", \"3\"]], \"1\"],\n"
                                             "\"time_whole\": [null, [[\"1\", \"2\"]], \"1\"],\n"
                                             "\"time_none\": [],\n"
                                             "\"time_inf\": [[Infinity], []]\n" TAIL);

    (void)state;
    assert_int_equal(imported->row_count, 6);
    assert_true(imported->rows[0].failed);
    assert_string_equal(parameter_of(&imported->rows[1], "param1"), "3");
    assert_false(imported->rows[1].failed);
    assert_true(imported->rows[2].failed && imported->rows[3].failed);
    assert_string_equal(parameter_of(&imported->rows[3], "param1"), "2");
    assert_true(imported->rows[4].failed);
    assert_true(imported->rows[5].failed);
    assert_string_equal(imported->rows[5].reason, "result: Infinity");
    assert_true(any_contains(imported->notes, imported->note_count, "1 results are NaN: the benchmark skipped them"));
    sy_imported_destroy(imported);
}

static void a_number_without_a_unit_may_be_negative_and_a_time_may_not(void **state)
{
    sy_imported *imported = import_text(HEAD "\"track_a\": [[-3], [], \"1\"],\n\"time_a\": [[-3], [], \"1\"]\n" TAIL);

    (void)state;
    assert_int_equal(imported->row_count, 2);
    assert_false(imported->rows[0].failed);
    expect_samples(series_of(&imported->rows[0], "result"), 1, (double[]){-3});
    assert_true(imported->rows[1].failed);
    sy_imported_destroy(imported);
}

static void what_does_not_fit_is_rejected_in_its_place(void **state)
{
    sy_imported *imported = import_text(
        HEAD "\"time_few\": [[1], [[\"1\", \"2\"]]],\n\"time_text\": [[\"x\"], []],\n\"time_ok\": [[1], []],\n"
             "\"time_word\": 5,\n\"time_grid\": [[1], [5]],\n"
             "\"time_long\": [[1], [], \"1\", 1, 1, [1], [1], [[1]], null, \"more\"]\n" TAIL);

    (void)state;
    expect_reject(imported, "/results/time_few/0", "each of 2 combinations of parameters, found array of 1", 6, 14);
    expect_reject(imported, "/results/time_text/0/0", "expected a number", 7, 0);
    expect_reject(imported, "/results/time_word", "expected a list of values, found number", 9, 0);
    expect_reject(imported, "/results/time_grid/1/0", "expected a list of values", 10, 0);
    expect_reject(imported, "/results/time_long/9", "more values than columns", 11, 0);
    assert_int_equal(imported->reject_count, 5);
    assert_int_equal(imported->row_count, 3);
    assert_true(imported->rows[0].failed);
    sy_imported_destroy(imported);
}

static void a_benchmark_that_stands_there_twice_is_read_once(void **state)
{
    sy_imported *imported = import_text(HEAD
                                        "\"time_a\": [[1], []],\n\"time_b\": [[2], []],\n\"time_a\": [[3], []]\n" TAIL);

    (void)state;
    assert_int_equal(imported->row_count, 2);
    expect_samples(series_of(&imported->rows[0], "result"), 1, (double[]){1});
    expect_reject(imported, "/results/time_a", "stood there before", 0, 0);
    sy_imported_destroy(imported);
}

static void a_file_that_was_cut_gives_what_stands_before(void **state)
{
    sy_imported *imported = import_text(HEAD "\"time_a\": [[0.5], []],\n\"time_b\": [[0.25], [");

    (void)state;
    assert_int_equal(imported->row_count, 1);
    assert_string_equal(imported->rows[0].name, "time_a");
    expect_reject(imported, "/results/time_b", "inside of this result", 7, 0);
    sy_imported_destroy(imported);
}

static void other_versions_and_wrong_frames_are_refused(void **state)
{
    sy_error err;

    (void)state;
    expect_refused("{\"commit_hash\": \"a\", \"results\": {}, \"version\": 1}", SY_CORRUPT, &err);
    assert_non_null(strstr(err.what, "read in version 2"));
    assert_non_null(strstr(err.hint, "asv update"));
    expect_refused("{\"result_columns\": [], \"results\": {}, \"version\": 2}", SY_CORRUPT, &err);
    expect_refused("{\"result_columns\": [\"result\", 5], \"results\": {}, \"version\": 2}", SY_CORRUPT, &err);
    expect_refused("{\"result_columns\": [\"result\"], \"results\": [], \"version\": 2}", SY_CORRUPT, &err);
}

/* Twenty lists of a hundred values are 10^40 combinations; one that failed as a whole stays one row. */
static void few_bytes_never_become_many_rows(void **state)
{
    sy_text text = SY_TEXT_INIT;
    sy_imported *imported;

    (void)state;
    sy_text_append(&text, HEAD "\"time_huge\": [null, [");
    for (size_t i = 0; i < 20; i++) {
        sy_text_append(&text, i == 0 ? "[" : ", [");
        for (size_t v = 0; v < 100; v++)
            sy_text_append(&text, v == 0 ? "1" : ",1");
        sy_text_append(&text, "]");
    }
    sy_text_append(&text, "], \"1\"],\n\"time_many\": [null, [");
    for (size_t i = 0; i < 40; i++)
        sy_text_append(&text, i == 0 ? "[1]" : ",[1]");
    sy_text_append(&text, "]]\n" TAIL);
    imported = import_text(text.bytes);
    assert_int_equal(imported->row_count, 1);
    assert_string_equal(imported->rows[0].reason, "result: null, for all combinations of its parameters");
    expect_reject(imported, "/results/time_many/1/32", "more than 32 parameters", 0, 0);
    sy_imported_destroy(imported);
    sy_text_finish(&text);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static void units_are_found_beside_the_file_or_in_the_folder_above(void **state)
{
    const char *folder = *state;
    char inner[512];
    char path[600];
    char units[600];
    sy_imported *imported = NULL;
    sy_error err = SY_ERROR_INIT;

    (void)snprintf(inner, sizeof inner, "%s/machine", folder);
    assert_int_equal(mkdir(inner, 0700), 0);
    (void)snprintf(path, sizeof path, "%s/run.json", inner);
    (void)snprintf(units, sizeof units, "%s/benchmarks.json", folder);
    write_file(path, HEAD "\"track_a\": [[5], [], \"1\"]\n" TAIL);
    write_file(units, "{\"track_a\": {\"unit\": \"widgets\", \"version\": \"2\"}}");
    assert_int_equal(sy_import_read(path, NULL, &imported, &err), SY_OK);
    assert_string_equal(series_of(&imported->rows[0], "result")->unit, "widgets");
    assert_string_equal(series_of(&imported->rows[0], "result")->note,
                        "the unit is that of another version of the benchmark");
    sy_imported_destroy(imported);
    /* damaged, and beside the file: told, and names tell the unit */
    write_file(units, "{");
    imported = NULL;
    assert_int_equal(sy_import_read(path, NULL, &imported, &err), SY_OK);
    assert_true(any_contains(imported->notes, imported->note_count, "not read: benchmarks.json"));
    assert_string_equal(series_of(&imported->rows[0], "result")->note, "the unit is not known");
    sy_imported_destroy(imported);
}

static void units_that_were_given_and_are_damaged_are_refused(void **state)
{
    const sy_import_options options = {.struct_size = sizeof options, .units = "{\"a\": "};
    const char *text = HEAD TAIL;
    sy_imported *imported = NULL;
    sy_error err = SY_ERROR_INIT;

    (void)state;
    assert_int_equal(sy_import_parse(text, strlen(text), &options, &imported, &err), SY_CORRUPT);
    assert_non_null(strstr(err.what, "benchmarks.json"));
}

static void a_real_file_is_read_whole(void **state)
{
    sy_imported *imported = import_foreign(STEELYARD_SOURCE_DIR, "asv/run1.json");

    (void)state;
    if (imported == NULL)
        skip();
    assert_int_equal(imported->row_count, 10);
    assert_int_equal(imported->reject_count, 0);
    assert_string_equal(imported->rows[0].name, "benchmarks_for_is_time.TimeSuite.time_is_time");
    assert_true(figure_of(series_of(&imported->rows[0], "result"), "result") == 0.0003064363636371347);
    assert_true(figure_of(series_of(&imported->rows[0], "result"), "q_75") == 0.00030846);
    expect_samples(series_of(&imported->rows[6], "result"), 1, (double[]){110366720});
    assert_string_equal(series_of(&imported->rows[6], "result")->unit, "bytes");
    assert_string_equal(series_of(&imported->rows[6], "result")->note, "");
    sy_imported_destroy(imported);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_have_names_and_those_at_the_end_may_be_left_out),
        cmocka_unit_test(the_file_tells_machine_commit_and_when_it_was_measured),
        cmocka_unit_test(a_grid_is_flattened_with_its_last_parameter_first),
        cmocka_unit_test(null_failed_and_a_bare_nan_was_skipped),
        cmocka_unit_test(a_number_without_a_unit_may_be_negative_and_a_time_may_not),
        cmocka_unit_test(what_does_not_fit_is_rejected_in_its_place),
        cmocka_unit_test(a_benchmark_that_stands_there_twice_is_read_once),
        cmocka_unit_test(a_file_that_was_cut_gives_what_stands_before),
        cmocka_unit_test(other_versions_and_wrong_frames_are_refused),
        cmocka_unit_test(few_bytes_never_become_many_rows),
        cmocka_unit_test_setup_teardown(units_are_found_beside_the_file_or_in_the_folder_above, make_temporary_folder,
                                        remove_temporary_folder),
        cmocka_unit_test(units_that_were_given_and_are_damaged_are_refused),
        cmocka_unit_test(a_real_file_is_read_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
