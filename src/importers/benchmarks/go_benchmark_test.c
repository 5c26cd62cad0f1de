/* SPDX-License-Identifier: Apache-2.0 */
/* Go's benchmark text: what is a result and what only looks like one, configuration, repeated lines, units. */
#include "importers/import/import_test_support.h"

#include "base/text.h"

#include "import_files.h"

/* Lines that look like results and are none; after golang/perf, benchfmt/reader_test.go. */
static const char looks_like[] = "key1:      value\n"
                                 ": not a key\n"
                                 "ab:not a key\n"
                                 "a b: also not a key\n"
                                 "key2: value\n"
                                 "key2:\n"
                                 "BenchmarkOne 100 1 ns/op\n"
                                 "BenchmarkMissingIter\n"
                                 "BenchmarkBadIter abc\n"
                                 "BenchmarkHugeIter 9999999999999999999999999999999\n"
                                 "BenchmarkMissingVal 100\n"
                                 "BenchmarkBadVal 100 abc\n"
                                 "BenchmarkMissingUnit 100 1\n"
                                 "BenchmarkMissingUnit2 100 1 ns/op 2\n"
                                 "BenchmarkHugeVal 1 9999999999999999999999999999999 ns/op\n"
                                 "Unit ns/op a=1\n"
                                 "Unit ns/op a=2\n"
                                 "Unitx\n"
                                 "BenchmarkEmSpace\xe2\x80\x83"
                                 "1\xe2\x80\x83"
                                 "1\xe2\x80\x83ns/op\n";

static void lines_that_look_like_results_are_told_from_those_that_are(void **state)
{
    static const struct {
        uint32_t line;
        const char *what;
    } expected[] = {{8, "missing iteration count"},
                    {9, "iteration count syntax"},
                    {10, "iteration count out of range"},
                    {11, "missing measurements"},
                    {12, "measurement syntax"},
                    {13, "missing unit"},
                    {14, "missing unit"}};
    sy_imported *imported = import_text(looks_like);
    const sy_imported_row *rows = imported->rows;

    (void)state;
    assert_int_equal(imported->format, SY_IMPORT_GO);
    assert_int_equal(imported->row_count, 3);
    assert_string_equal(rows[0].name, "One");
    assert_string_equal(rows[1].name, "HugeVal");
    assert_string_equal(rows[2].name, "EmSpace");
    expect_samples(series_of(&rows[0], "sec/op"), 1, (double[]){1e-9});
    expect_samples(series_of(&rows[1], "sec/op"), 1, (double[]){1e22});
    expect_samples(series_of(&rows[2], "sec/op"), 1, (double[]){1e-9});
    assert_true(figure_of(series_of(&rows[0], "sec/op"), "iterations") == 100);
    assert_true(figure_of(series_of(&rows[2], "sec/op"), "iterations") == 1);
    for (size_t i = 0; i < 3; i++) {
        assert_false(rows[i].failed);
        assert_int_equal(rows[i].fact_count, 1);
        assert_string_equal(value_of(rows[i].facts, 1, "key1"), "value");
        assert_int_equal(rows[i].parameter_count, 0);
        assert_string_equal(series_of(&rows[i], "sec/op")->unit, "s");
    }
    assert_int_equal(rows[2].position.line, 19);
    assert_int_equal(imported->reject_count, 7);
    for (size_t i = 0; i < 7; i++) {
        assert_int_equal(imported->rejects[i].position.line, expected[i].line);
        assert_string_equal(imported->rejects[i].what, expected[i].what);
    }
    assert_int_equal(imported->rejects[1].position.column, 18);
    assert_int_equal(imported->note_count, 1);
    assert_string_equal(imported->notes[0], "line 17: metadata a of ns/op already set to 1");
    sy_imported_destroy(imported);
}

static void a_bare_name_before_its_result_is_no_mistake(void **state)
{
    sy_imported *imported = import_text("goos: linux\n"
                                        "=== RUN   BenchmarkTree\n"
                                        "BenchmarkTree\n"
                                        "=== RUN   BenchmarkTree/depth=3\n"
                                        "BenchmarkTree/depth=3\n"
                                        "BenchmarkTree/depth=3-8 \t 10 \t 25 ns/op\n"
                                        "BenchmarkTree/depth=4\n"
                                        "    tree_test.go:7: too deep\n"
                                        "--- SKIP: BenchmarkTree/depth=4\n"
                                        "BenchmarkAlone\n"
                                        "PASS\n"
                                        "BenchmarkAlone2-8 1 1 ns/op\n");

    (void)state;
    assert_int_equal(imported->row_count, 2);
    assert_string_equal(imported->rows[0].name, "Tree/depth=3");
    assert_string_equal(parameter_of(&imported->rows[0], "procs"), "8");
    assert_int_equal(imported->reject_count, 1);
    expect_reject(imported, "", "missing iteration count", 10, 0);
    assert_true(any_contains(imported->notes, imported->note_count, "3 names stand alone on a line"));
    assert_true(any_contains(imported->notes, imported->note_count, "1 benchmarks skipped themselves"));
    sy_imported_destroy(imported);
}

static void a_bare_name_at_the_end_is_half_a_result(void **state)
{
    sy_imported *imported = import_text("BenchmarkA 1 1 ns/op\nBenchmarkB");

    (void)state;
    assert_int_equal(imported->row_count, 1);
    assert_int_equal(imported->reject_count, 1);
    expect_reject(imported, "", "missing iteration count", 2, 11);
    sy_imported_destroy(imported);
}

static void a_benchmark_that_failed_is_a_failed_row_with_its_reason(void **state)
{
    sy_imported *imported = import_text("pkg: example.com/tree\n"
                                        "--- FAIL: BenchmarkA-4 (0.01s)\n"
                                        "    tree_test.go:12: broken\n"
                                        "--- FAIL: TestOther\n"
                                        "--- FAIL: BenchmarkB\n"
                                        "FAIL\n"
                                        "BenchmarkA-4 1 NaN ns/op 7 B/op\n");

    (void)state;
    assert_int_equal(imported->row_count, 3);
    assert_true(imported->rows[0].failed);
    assert_string_equal(imported->rows[0].name, "A");
    assert_string_equal(imported->rows[0].reason, "tree_test.go:12: broken");
    assert_string_equal(parameter_of(&imported->rows[0], "pkg"), "example.com/tree");
    assert_string_equal(imported->rows[1].reason, "FAIL");
    assert_false(imported->rows[2].failed);
    expect_samples(series_of(&imported->rows[2], "sec/op"), 1, (double[]){NAN});
    expect_samples(series_of(&imported->rows[2], "B/op"), 1, (double[]){7});
    assert_string_equal(series_of(&imported->rows[2], "sec/op")->note,
                        "1 values cannot be used: no numbers, or negative");
    sy_imported_destroy(imported);
}

static void repeated_lines_are_samples_of_one_row_per_configuration(void **state)
{
    sy_imported *imported = import_text("note: a\r\ncommit: 1234567\r\n"
                                        "BenchmarkX-2 10 3 ns/op 1 MB/s\r\n"
                                        "BenchmarkY-2 10 5 ns/op\r\n"
                                        "BenchmarkX-2 20 4 ns/op 2 MB/s\r\n"
                                        "note: b\r\n"
                                        "BenchmarkX-2 10 9 ns/op\r\n"
                                        "note: a\r\n"
                                        "BenchmarkX-2 10 7 ns/op 3 MB/s\r\n"
                                        "BenchmarkX 10 8 ns/op\r\n");
    const sy_run_series *time;

    (void)state;
    assert_int_equal(imported->reject_count, 0);
    assert_int_equal(imported->row_count, 4);
    time = series_of(&imported->rows[0], "sec/op");
    expect_samples(time, 3, (double[]){3e-9, 4e-9, 7e-9});
    assert_false(time->higher_is_better);
    assert_true(figure_of(time, "iterations_min") == 10 && figure_of(time, "iterations_max") == 20);
    expect_samples(series_of(&imported->rows[0], "B/s"), 3, (double[]){1e6, 2e6, 3e6});
    assert_string_equal(series_of(&imported->rows[0], "B/s")->unit, "bytes/s");
    assert_true(series_of(&imported->rows[0], "B/s")->higher_is_better);
    assert_string_equal(value_of(imported->rows[0].facts, imported->rows[0].fact_count, "note"), "a");
    assert_string_equal(value_of(imported->rows[0].facts, imported->rows[0].fact_count, "source_revision"), "1234567");
    assert_string_equal(imported->rows[1].name, "Y");
    assert_string_equal(value_of(imported->rows[2].facts, imported->rows[2].fact_count, "note"), "b");
    expect_samples(series_of(&imported->rows[2], "sec/op"), 1, (double[]){9e-9});
    assert_null(parameter_of(&imported->rows[3], "procs"));
    assert_string_equal(imported->revision, "1234567");
    sy_imported_destroy(imported);
}

static void units_are_kept_and_the_file_says_which_way_is_better(void **state)
{
    sy_imported *imported = import_text("Unit hits/op better=higher assume=exact\nUnit\nUnit x y\n"
                                        "BenchmarkX 1 2 ns/op 3 B/op 4 allocs/op 5 hits/op 6 frames/s 7 frames/s\n"
                                        "BenchmarkZ 1 2 ns/op 3 B/op 4 allocs/op 5 hits/op 6 frames/s\n");
    const sy_imported_row *row = &imported->rows[0];

    (void)state;
    assert_int_equal(imported->row_count, 1);
    expect_reject(imported, "", "missing unit", 2, 0);
    expect_reject(imported, "", "expected key=value", 3, 8);
    expect_reject(imported, "", "a unit that the line has already", 4, 0);
    assert_string_equal(series_of(row, "B/op")->unit, "bytes");
    assert_string_equal(series_of(row, "allocs/op")->unit, "allocs/op");
    assert_false(series_of(row, "allocs/op")->higher_is_better);
    assert_true(series_of(row, "hits/op")->higher_is_better);
    assert_true(series_of(row, "frames/s")->higher_is_better);
    sy_imported_destroy(imported);
}

static void words_that_begin_alike_and_0_bytes_are_no_results(void **state)
{
    static const char text[] = "Benchmarking is fun 1 1 ns/op\nBenchmarkA\0B 1 1 ns/op\nBenchmark 1 1 ns/op\n"
                               "BenchmarkI 1 1e999 ns/op\nBenchmarkJ 1 +1 ns/op\nBenchmarkK -1 1 ns/op\n";
    sy_imported *imported = import_bytes(text, sizeof text - 1);

    (void)state;
    assert_int_equal(imported->row_count, 2);
    assert_string_equal(imported->rows[0].name, "Benchmark");
    assert_string_equal(imported->rows[1].name, "J");
    expect_reject(imported, "", "a 0 byte in the line", 2, 0);
    expect_reject(imported, "", "measurement out of range", 4, 14);
    expect_reject(imported, "", "iteration count syntax", 6, 12);
    sy_imported_destroy(imported);
}

static void bytes_that_are_no_utf_8_are_question_marks_and_told(void **state)
{
    sy_imported *imported = import_text("note: a\nBenchmarkA\xff\xe2\x80 1 1 ns/op\nBenchmarkB\xc3\xa9 1 -1 ns/op\n");

    (void)state;
    assert_string_equal(imported->rows[0].name, "A???");
    assert_string_equal(imported->rows[1].name, "B\xc3\xa9");
    assert_true(imported->rows[1].failed); /* no time is negative */
    assert_string_equal(imported->rows[1].reason, "no value of it is a number that can be used");
    assert_int_equal(imported->reject_count, 1);
    expect_reject(imported, "", "3 bytes are no UTF-8: read as question marks", 2, 11);
    sy_imported_destroy(imported);
}

static void a_text_without_a_result_is_refused(void **state)
{
    const sy_import_options go = {.struct_size = sizeof go, .format = SY_IMPORT_GO};
    sy_imported *imported = NULL;
    sy_error err = SY_ERROR_INIT;

    (void)state;
    assert_int_equal(sy_import_parse("PASS\nok x 1s\n", 13, &go, &imported, &err), SY_CORRUPT);
    assert_string_equal(err.what, "no line of it is the result of a benchmark");
    expect_refused("BenchmarkA abc\n", SY_CORRUPT, &err);
    assert_int_equal(err.position.line, 1);
}

/* 10 MB in one field, a million keys, more units than are read: refused in their places, quickly. */
static void hostile_lines_are_refused_in_their_places(void **state)
{
    const size_t long_size = 10 * 1000 * 1000;
    sy_text text = SY_TEXT_INIT;
    sy_imported *imported;

    (void)state;
    sy_text_append(&text, "BenchmarkA 1 1 ns/op\nBenchmark");
    for (size_t i = 0; i < long_size; i++)
        sy_text_append(&text, "X");
    sy_text_append(&text, " 1 1 ns/op\nBenchmarkB 1 ");
    for (size_t i = 0; i < 1000; i++)
        sy_text_append_format(&text, "1 u%zu ", i);
    sy_text_append(&text, "\n");
    for (size_t i = 0; i < 1000; i++)
        sy_text_append_format(&text, "k%zu: v\n", i);
    sy_text_append(&text, "BenchmarkC 1 1 ns/op\n");
    imported = import_bytes(text.bytes, text.length);
    assert_int_equal(imported->row_count, 2);
    expect_reject(imported, "", "a name that is too long", 2, 1);
    expect_reject(imported, "", "more units than are read", 3, 0);
    expect_reject(imported, "", "more configuration keys than are read", 0, 0);
    assert_int_equal(imported->rows[1].fact_count, 256);
    sy_imported_destroy(imported);
    sy_text_finish(&text);
}

static void a_configuration_that_changes_all_the_time_ends_the_reading(void **state)
{
    sy_text text = SY_TEXT_INIT;
    sy_error err = SY_ERROR_INIT;

    (void)state;
    for (size_t i = 0; i < 256; i++)
        sy_text_append_format(&text, "k%zu: v\n", i);
    for (size_t i = 0; i < 5000; i++)
        sy_text_append_format(&text, "k0: %zu\nBenchmarkA 1 1 ns/op\n", i);
    expect_refused(text.bytes, SY_LIMIT_EXCEEDED, &err);
    assert_non_null(strstr(err.what, "the configuration changes too often"));
    sy_text_finish(&text);
}

/* Figures by hand from the file. */
static void a_real_file_of_benchstat_is_read_whole(void **state)
{
    sy_imported *imported = import_foreign(STEELYARD_SOURCE_DIR, "benchstat/crc-new.txt");
    const sy_imported_row *row;

    (void)state;
    if (imported == NULL)
        skip();
    row = &imported->rows[0];
    assert_int_equal(imported->reject_count, 0);
    assert_string_equal(row->name, "CRC32/poly=IEEE/size=15/align=0");
    assert_string_equal(parameter_of(row, "procs"), "8");
    assert_string_equal(parameter_of(row, "pkg"), "hash/crc32");
    assert_int_equal(series_of(row, "sec/op")->count, 10);
    assert_true(series_of(row, "sec/op")->samples[0] == 43.6 / 1e9);
    assert_true(series_of(row, "B/s")->samples[1] == 330.50 * 1e6);
    assert_string_equal(value_of(row->facts, row->fact_count, "note"), "hw acceleration enabled");
    sy_imported_destroy(imported);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_that_look_like_results_are_told_from_those_that_are),
        cmocka_unit_test(a_bare_name_before_its_result_is_no_mistake),
        cmocka_unit_test(a_bare_name_at_the_end_is_half_a_result),
        cmocka_unit_test(a_benchmark_that_failed_is_a_failed_row_with_its_reason),
        cmocka_unit_test(repeated_lines_are_samples_of_one_row_per_configuration),
        cmocka_unit_test(units_are_kept_and_the_file_says_which_way_is_better),
        cmocka_unit_test(words_that_begin_alike_and_0_bytes_are_no_results),
        cmocka_unit_test(bytes_that_are_no_utf_8_are_question_marks_and_told),
        cmocka_unit_test(a_text_without_a_result_is_refused),
        cmocka_unit_test(hostile_lines_are_refused_in_their_places),
        cmocka_unit_test(a_configuration_that_changes_all_the_time_ends_the_reading),
        cmocka_unit_test(a_real_file_of_benchstat_is_read_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
