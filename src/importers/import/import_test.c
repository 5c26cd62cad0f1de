/* SPDX-License-Identifier: Apache-2.0 */
/* What holds for the results of every tool: what stands around a document, what is damaged in it, limits, memory. */
#include <stdlib.h>

#include "base/digest.h"
#include "base/text.h"
#include "fault_loop.h"
#include "importers/import/import_draft.h"
#include "importers/import/import_test_support.h"

#define ONE(command, time) "{\"command\":\"" command "\",\"mean\":1,\"times\":[" time "]}"
#define FILE_OF_TWO "{\"results\":[\n" ONE("a", "0.5") ",\n" ONE("b", "0.25") "]}\n"

static void expect_two(const sy_imported *imported)
{
    assert_int_equal(imported->format, SY_IMPORT_HYPERFINE);
    assert_int_equal(imported->row_count, 2);
    assert_string_equal(imported->rows[0].name, "a");
    assert_string_equal(imported->rows[1].name, "b");
    expect_samples(series_of(&imported->rows[0], "wall"), 1, (const double[]){0.5});
    expect_samples(series_of(&imported->rows[1], "wall"), 1, (const double[]){0.25});
}

static void formats_have_words_and_words_formats(void **state)
{
    sy_import_format format = SY_IMPORT_AUTO;

    (void)state;
    for (int f = SY_IMPORT_AUTO; f <= SY_IMPORT_GO; f++) {
        assert_true(sy_import_format_read(sy_import_format_word((sy_import_format)f), &format));
        assert_int_equal(format, f);
    }
    assert_string_equal(sy_import_format_word(SY_IMPORT_GOOGLE_BENCHMARK), "google-benchmark");
    assert_string_equal(sy_import_format_word((sy_import_format)99), "unknown");
    assert_false(sy_import_format_read("csv", &format));
    assert_false(sy_import_format_read(NULL, &format));
    assert_int_equal(format, SY_IMPORT_GO);
}

/* Field case R-9: what some shells make of redirected output. */
static void r_9_utf_16_and_marks_at_the_beginning_are_read(void **state)
{
    static const char text[] = FILE_OF_TWO;
    char wide[2][2 * sizeof text];
    sy_imported *imported = import_text("\xef\xbb\xbf" FILE_OF_TWO);

    (void)state;
    expect_two(imported);
    assert_int_equal(imported->note_count, 0);
    assert_int_equal(imported->rows[0].position.line, 2);
    sy_imported_destroy(imported);
    memcpy(wide[0], "\xff\xfe", 2);
    memcpy(wide[1], "\xfe\xff", 2);
    for (size_t i = 0; i + 1 < sizeof text; i++) {
        wide[0][2 + 2 * i] = wide[1][3 + 2 * i] = text[i];
        wide[0][3 + 2 * i] = wide[1][2 + 2 * i] = '\0';
    }
    for (int big = 0; big < 2; big++) {
        imported = import_bytes(wide[big], 2 * sizeof text);
        expect_two(imported);
        assert_true(any_contains(imported->notes, imported->note_count, "UTF-16"));
        assert_int_equal(imported->rows[1].position.line, 3);
        sy_imported_destroy(imported);
    }
}

static void utf_16_keeps_its_characters(void **state)
{
    /* {"results":[{"command":" + euro sign, a pair that is U+1F600, half a pair + ","mean":1,"times":[2]}]} */
    static const char before[] = "{\"results\":[{\"command\":\"";
    static const char behind[] = "\",\"mean\":1,\"times\":[2]}]}";
    static const unsigned char inside[] = {0xac, 0x20, 0x3d, 0xd8, 0x00, 0xde, 0x3d, 0xd8, 0xe4, 0x00};
    char wide[256] = "\xff\xfe";
    size_t size = 2;
    sy_imported *imported;

    (void)state;
    for (size_t i = 0; before[i] != '\0'; i++, size += 2)
        wide[size] = before[i];
    memcpy(wide + size, inside, sizeof inside);
    size += sizeof inside;
    for (size_t i = 0; behind[i] != '\0'; i++, size += 2)
        wide[size] = behind[i];
    imported = import_bytes(wide, size);
    assert_string_equal(imported->rows[0].name, "\xe2\x82\xac\xf0\x9f\x98\x80\xef\xbf\xbd\xc3\xa4");
    assert_true(any_contains(imported->notes, imported->note_count, "1 halves of characters"));
    sy_imported_destroy(imported);
}

static void what_is_not_utf_8_at_all_is_refused_by_name(void **state)
{
    static const struct {
        const char *bytes;
        size_t size;
        const char *says;
    } cases[] = {
        {"{\0\"\0", 4, "UTF-16 without"},
        {"\0{\0\"", 4, "UTF-16 without"},
        {"\xff\xfe\0\0{\0\0\0", 8, "UTF-32"},
        {"\0\0\xfe\xff\0\0\0{", 8, "UTF-32"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sy_imported *imported = NULL;
        sy_error err = SY_ERROR_INIT;

        assert_int_equal(sy_import_parse(cases[i].bytes, cases[i].size, NULL, &imported, &err), SY_INVALID_ARGUMENT);
        assert_non_null(strstr(err.what, cases[i].says));
        assert_non_null(strstr(err.hint, "iconv"));
        assert_null(imported);
    }
}

static void what_nobody_knows_is_refused_with_a_place(void **state)
{
    sy_error err;

    (void)state;
    expect_refused("", SY_CORRUPT, &err);
    expect_refused(" \n\t\n", SY_CORRUPT, &err);
    assert_string_equal(err.what, "the file is empty");
    expect_refused("hello\nworld\n", SY_INVALID_ARGUMENT, &err);
    assert_non_null(strstr(err.hint, "docs/importing.md"));
    expect_refused("{\"a\": 1}", SY_INVALID_ARGUMENT, &err);
    expect_refused("[[[[", SY_INVALID_ARGUMENT, &err);
    assert_int_equal(err.position.column, 5);
    expect_refused("[INFO] {not JSON}\n", SY_INVALID_ARGUMENT, &err);
    expect_refused("{\"results\": 3}", SY_INVALID_ARGUMENT, &err);
}

static void a_format_that_is_said_is_believed(void **state)
{
    sy_import_options options = SY_IMPORT_OPTIONS_INIT;
    sy_imported *imported = NULL;
    sy_error err = SY_ERROR_INIT;

    (void)state;
    options.format = SY_IMPORT_HYPERFINE;
    assert_int_equal(sy_import_parse("{\"results\":[{\"command\":\"a\"}]}", 29, &options, &imported, &err), SY_OK);
    assert_int_equal(imported->row_count, 1);
    assert_true(imported->rows[0].failed);
    sy_imported_destroy(imported);
    imported = NULL;
    assert_int_equal(sy_import_parse("{\"result\":[]}", 13, &options, &imported, &err), SY_CORRUPT);
    assert_non_null(strstr(err.what, "a list 'results'"));
    assert_int_equal(sy_import_parse("{\"results\":[}", 13, &options, &imported, &err), SY_CORRUPT);
    assert_int_equal(err.position.column, 13);
    options.format = (sy_import_format)99;
    assert_int_equal(sy_import_parse("{}", 2, &options, &imported, &err), SY_INVALID_ARGUMENT);
    assert_null(imported);
}

static void an_empty_list_is_no_error(void **state)
{
    sy_imported *imported = import_text("{\"results\":[]}");

    (void)state;
    assert_int_equal(imported->row_count, 0);
    assert_int_equal(imported->reject_count, 0);
    sy_imported_destroy(imported);
}

static void names_said_twice_and_bytes_that_are_no_text_are_told(void **state)
{
    sy_imported *imported = import_text(
        "{\"results\":[\n{\"command\":\"a\xff\",\"mean\":1,\"mean\":2,\"times\":[3]}],\n\"results\":[]}");

    (void)state;
    assert_int_equal(imported->row_count, 1);
    assert_string_equal(imported->rows[0].name, "a\xef\xbf\xbd");
    assert_true(figure_of(series_of(&imported->rows[0], "wall"), "mean") == 1);
    expect_reject(imported, "/results/0/mean", "stood there before", 2, 0);
    expect_reject(imported, "/results/0/command", "no UTF-8", 2, 0);
    expect_reject(imported, "/results", "stood there before", 3, 0);
    sy_imported_destroy(imported);
}

static void names_with_zeros_inside_stay_whole(void **state)
{
    sy_imported *imported = import_text("{\"results\":[{\"command\":\"a\\u0000b\",\"mean\":1,\"times\":[3],"
                                        "\"parameters\":{\"p\\u0000\":\"\\u0000\"}}]}");

    (void)state;
    assert_string_equal(imported->rows[0].name, "a\xef\xbf\xbd"
                                                "b");
    assert_string_equal(parameter_of(&imported->rows[0], "p\xef\xbf\xbd"), "\xef\xbf\xbd");
    sy_imported_destroy(imported);
}

/* Field case LED-5: a time in an unknown zone orders nothing. */
static void led_5_a_zone_is_known_only_where_it_is_written(void **state)
{
    static const char *const known[] = {"2025-11-02T05:31:00Z",       "2025-11-02T01:31:00-04:00",
                                        "2025-11-02T01:31:00.5+0000", "2025-11-02 01:31:00 -0400",
                                        "2025-11-02 05:31:00 UTC",    "2025-11-02T01:31-04"};
    static const char *const unknown[] = {"",
                                          "2025-11-02T01:30:00",
                                          "2022-03-13 02:00:00",
                                          "2025-11-02",
                                          "2025-11-02T01:30:00.123456",
                                          "Sun Nov  2 01:30:00 2025",
                                          "2025-11-02T01:30:00-",
                                          "2025-11-02T01:30:00-4",
                                          "Z",
                                          "2025-11-02T013000"};

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_true(sy_import_zone_is_known(known[i]));
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        assert_false(sy_import_zone_is_known(unknown[i]));
}

static void hostile_sizes_end_in_rejects_or_errors(void **state)
{
    enum { LONG = 10 << 20, DEEP = 100000 };
    sy_text text = SY_TEXT_INIT;
    sy_imported *imported;
    sy_error err;
    char *x = malloc(LONG + 1);

    (void)state;
    assert_non_null(x);
    memset(x, 'x', LONG);
    x[LONG] = '\0';
    sy_text_append(&text, "{\"results\":[{\"command\":\"");
    sy_text_append(&text, x);
    sy_text_append(&text, "\",\"mean\":1}," ONE("b", "1") "],\"");
    sy_text_append(&text, x);
    sy_text_append(&text, "\":1}");
    imported = import_bytes(text.bytes, text.length);
    assert_int_equal(imported->row_count, 1);
    expect_reject(imported, "/results/0/command", "without a command", 1, 24);
    assert_int_equal(imported->reject_count, 2);
    sy_imported_destroy(imported);
    sy_text_clear(&text);
    sy_text_append(&text, "{\"results\":[" ONE("a", "0.5") ",\n{\"command\":");
    memset(x, '[', DEEP);
    sy_text_append_bytes(&text, x, DEEP);
    memset(x, ']', DEEP);
    sy_text_append_bytes(&text, x, DEEP);
    sy_text_append(&text, "},\n" ONE("b", "0.25") "]}");
    imported = import_bytes(text.bytes, text.length);
    expect_two(imported);
    assert_int_equal(imported->reject_count, 1);
    sy_imported_destroy(imported);
    memset(x, '[', DEEP);
    x[DEEP] = '\0';
    expect_refused(x, SY_INVALID_ARGUMENT, &err);
    free(x);
    sy_text_finish(&text);
}

static void sizes_have_a_limit(void **state)
{
    sy_import_options options = SY_IMPORT_OPTIONS_INIT;
    sy_imported *imported = NULL;
    sy_error err = SY_ERROR_INIT;

    (void)state;
    options.limit_bytes = strlen(FILE_OF_TWO) - 1;
    assert_int_equal(sy_import_parse(FILE_OF_TWO, strlen(FILE_OF_TWO), &options, &imported, &err), SY_LIMIT_EXCEEDED);
    assert_null(imported);
    options.limit_bytes++;
    assert_int_equal(sy_import_parse(FILE_OF_TWO, strlen(FILE_OF_TWO), &options, &imported, &err), SY_OK);
    sy_imported_destroy(imported);
    assert_int_equal(sy_import_read("/nowhere/at/all", NULL, &imported, &err), SY_NOT_FOUND);
}

/* printf '{"results":[]}' | gzip -9n; made by gzip 1.12 */
static const unsigned char packed[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xab, 0x56,
                                       0x2a, 0x4a, 0x2d, 0x2e, 0xcd, 0x29, 0x29, 0x56, 0xb2, 0x8a, 0x8e, 0xad,
                                       0x05, 0x00, 0x0a, 0x27, 0x7c, 0x9e, 0x0e, 0x00, 0x00, 0x00};

static void a_packed_file_is_known_by_the_digest_of_its_own_bytes(void **state)
{
    sy_imported *imported = NULL;
    sy_error err = SY_ERROR_INIT;
    sy_status status = sy_import_parse(packed, sizeof packed, NULL, &imported, &err);
    char text[SY_DIGEST_TEXT];
    sy_digest digest;

    (void)state;
    if (status == SY_UNAVAILABLE) {
        print_message("skipped: built without zlib\n");
        skip();
    }
    assert_int_equal(status, SY_OK);
    sy_digest_of(packed, sizeof packed, &digest);
    sy_digest_format(&digest, text);
    assert_string_equal(imported->digest, text);
    assert_int_equal(imported->format, SY_IMPORT_HYPERFINE);
    sy_imported_destroy(imported);
    assert_int_equal(sy_import_parse(packed, sizeof packed - 4, NULL, &imported, &err), SY_CORRUPT);
}

static sy_status parse_some(void *user)
{
    const char *const *text = user;
    sy_imported *imported = NULL;
    sy_error err = SY_ERROR_INIT;
    sy_status status = sy_import_parse(*text, strlen(*text), NULL, &imported, &err);

    assert_true((status == SY_OK) == (imported != NULL));
    sy_imported_destroy(imported);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    static const char damaged[] =
        "noise\n{\"results\":[\n" ONE("a", "0.5") ",\n{\"command\":\"x\",\"mean\":1%},\n"
                                                  "{\"command\":\"p\",\"mean\":1,\"times\":[1,null],\"parameters\":{"
                                                  "\"n\":\"1\"},\"exit_codes\":[0,2],\"more\":1},"
                                                  "{\"command\":\"p\",\"mean\":1,\"times\":[3],\"parameters\":{\"n\":"
                                                  "\"1\"}}],\"a\":{\"b\":[1,\"c\"]}} end";
    static const char google[] =
        "{\"context\":{\"host_name\":\"a\"b\",\"library_build_type\":\"debug\"},\"benchmarks\":["
        "{\"name\":\"x/k:1\",\"iterations\":1,\"real_time\":1,\"time_unit\":\"ns\",\"c\":1,\"label\":\"l\"},"
        "{\"name\":\"x/k:1\",\"iterations\":2,\"real_time\":NaN,\"time_unit\":\"ns\"},"
        "{\"run_name\":\"y\",\"name\":\"y\",\"run_type\":\"aggregate\",\"aggregate_name\":\"mean\",\"real_time\":1,"
        "\"time_unit\":\"ns\"}]}";
    static const char pytest[] =
        "{\"machine_info\":{\"node\":\"n\",\"python_implementation\":\"P\",\"python_version\":\"3\"},\"commit_info\":{"
        "\"id\":\"a\"},"
        "\"benchmarks\":[{\"fullname\":\"a\",\"group\":\"g\",\"params\":{\"n\":[1]},\"extra_info\":{\"e\":1},\"stats\":"
        "{"
        "\"mean\":1,\"outliers\":\"1;2\",\"data\":[1,\"x\"]}}],\"datetime\":\"2020-01-01T00:00:00Z\"}";
    static const char llama[] =
        "{\"build_commit\":\"a\",\"n_prompt\":1,\"avg_ns\":5,\"new\":1,\"model_type\":\"m\"}\nnoise\n"
        "{\"build_commit\":\"a\",\"n_prompt\":1,\"samples_ns\":[5],\"stddev_ns\":0,\"new\":2}\n{\"n_gen\":1,x}\n";
    static const char *const texts[] = {damaged, google, pytest, llama};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *text = texts[i];

        assert_true(fault_loop_allocations(parse_some, &text, true) > 20);
        assert_true(fault_loop_allocations(parse_some, &text, false) > 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_have_words_and_words_formats),
        cmocka_unit_test(r_9_utf_16_and_marks_at_the_beginning_are_read),
        cmocka_unit_test(utf_16_keeps_its_characters),
        cmocka_unit_test(what_is_not_utf_8_at_all_is_refused_by_name),
        cmocka_unit_test(what_nobody_knows_is_refused_with_a_place),
        cmocka_unit_test(a_format_that_is_said_is_believed),
        cmocka_unit_test(an_empty_list_is_no_error),
        cmocka_unit_test(names_said_twice_and_bytes_that_are_no_text_are_told),
        cmocka_unit_test(names_with_zeros_inside_stay_whole),
        cmocka_unit_test(led_5_a_zone_is_known_only_where_it_is_written),
        cmocka_unit_test(hostile_sizes_end_in_rejects_or_errors),
        cmocka_unit_test(sizes_have_a_limit),
        cmocka_unit_test(a_packed_file_is_known_by_the_digest_of_its_own_bytes),
        cmocka_unit_test(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
