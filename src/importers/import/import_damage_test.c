/* SPDX-License-Identifier: Apache-2.0 */
/* Damage in a file of JSON: what it costs, what is told of it, and that it takes no long time. */
#include "base/text.h"
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

static void a_file_of_rejects_alone_is_corrupt_where_the_first_is(void **state)
{
    sy_error err;

    (void)state;
    expect_refused("{\"results\":[\n{\"command\":\"a\",\"mean\":1%},\n{\"command\":2,\"mean\":3}]}", SY_CORRUPT, &err);
    assert_non_null(strstr(err.what, "nothing could be read"));
    assert_int_equal(err.position.line, 2);
    assert_int_equal(err.position.column, 24);
}

static void a_damaged_row_costs_no_other_whatever_the_damage(void **state)
{
    static const char *const damages[] = {
        "{\"command\":\"x\",\"mean\":12%}",
        "{\"command\":\"x\"\"mean\":1}",
        "{\"command\":\"x\",\"mean\":}",
        "{\"command\":\"x\\q\",\"mean\":1}",
        "{\"command\":\"x,\"mean\":1}",
        "{\"command\" \"x\"}",
        "{,}",
        "12%",
        "nul",
        "{\"command\":\"x\",\"mean\":1,}",
        "{\"a\":[1,2}",
        "{\"a\":01}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        char text[512];
        sy_imported *imported;

        (void)snprintf(text, sizeof text, "{\"results\":[\n%s,\n%s,\n%s]}", ONE("a", "0.5"), damages[i],
                       ONE("b", "0.25"));
        imported = import_text(text);
        expect_two(imported);
        assert_int_equal(imported->reject_count, 1);
        expect_reject(imported, "/results/1", "no JSON", 3, 0);
        assert_int_equal(imported->rows[1].position.line, 4);
        sy_imported_destroy(imported);
    }
}

static void rows_may_lack_commas_or_have_too_many(void **state)
{
    sy_imported *imported = import_text("{\"results\":[" ONE("a", "0.5") ",," ONE("b", "0.25") ",]}");

    (void)state;
    expect_two(imported);
    sy_imported_destroy(imported);
    imported = import_text("{\"results\":[" ONE("a", "0.5") "," ONE("b", "0.25") "\n" ONE("c", "1") "]}");
    expect_two(imported);
    expect_reject(imported, "/results/2", "no comma", 2, 1);
    sy_imported_destroy(imported);
}

static void many_damaged_rows_are_read_in_one_go(void **state)
{
    enum { ROWS = 20000 };
    sy_text text = SY_TEXT_INIT;
    sy_imported *imported;

    (void)state;
    sy_text_append(&text, "{\"results\":[");
    for (int i = 0; i < ROWS; i++)
        sy_text_append_format(&text, "%s\n{\"command\":\"%d\",\"mean\":1%s,\"times\":[1]}", i > 0 ? "," : "", i,
                              i % 2 == 0 ? "" : "%");
    sy_text_append(&text, "]}");
    imported = import_bytes(text.bytes, text.length);
    assert_int_equal(imported->row_count, ROWS / 2);
    assert_int_equal(imported->reject_count, ROWS / 2);
    expect_reject(imported, "/results/19999", "'%'", ROWS + 1, 0);
    assert_string_equal(imported->rows[ROWS / 2 - 1].name, "19998");
    sy_imported_destroy(imported);
    sy_text_finish(&text);
}

static void rejects_have_a_limit_and_a_count(void **state)
{
    enum { ROWS = 10500 };
    sy_text text = SY_TEXT_INIT;
    sy_imported *imported;

    (void)state;
    sy_text_append(&text, "{\"results\":[" ONE("a", "1"));
    for (int i = 0; i < ROWS; i++)
        sy_text_append(&text, ",1");
    sy_text_append(&text, "]}");
    imported = import_bytes(text.bytes, text.length);
    assert_int_equal(imported->reject_count, 10000);
    assert_true(any_contains(imported->notes, imported->note_count, "500 more were not understood"));
    sy_imported_destroy(imported);
    sy_text_finish(&text);
}

static void a_file_that_is_cut_gives_what_is_whole(void **state)
{
    static const char text[] = FILE_OF_TWO;
    size_t first_end = (size_t)(strstr(text, "},\n") - text) + 1;
    size_t second_end = (size_t)(strstr(text, "]}\n") - text);

    (void)state;
    for (size_t size = first_end; size < sizeof text - 3; size++) {
        sy_imported *imported = import_bytes(text, size);

        assert_int_equal(imported->row_count, size >= second_end ? 2 : 1);
        assert_int_equal(imported->reject_count, 1);
        /* where the text ends, or the word begins that is cut */
        assert_in_range(imported->rejects[0].position.offset, size - strlen("\"command"), size);
        assert_non_null(strstr(imported->rejects[0].what, "nothing is read from here on"));
        if (size > first_end + 2 && size < second_end)
            assert_memory_equal(imported->rejects[0].pointer, "/results/1", 10);
        sy_imported_destroy(imported);
    }
    for (size_t size = 0; size < first_end; size++) {
        sy_imported *imported = NULL;
        sy_error err = SY_ERROR_INIT;
        sy_status status = sy_import_parse(text, size, NULL, &imported, &err);

        assert_true(status == SY_CORRUPT || status == SY_INVALID_ARGUMENT);
        assert_null(imported);
    }
}

static void what_stands_behind_the_json_is_told(void **state)
{
    sy_imported *imported = import_text(FILE_OF_TWO "done in 3 s\n");

    (void)state;
    expect_two(imported);
    assert_int_equal(imported->reject_count, 1);
    expect_reject(imported, "", "found 'done'", 4, 1);
    sy_imported_destroy(imported);
}

/* Each object seems to hold all that follow, and is broken at the very end: 2 MB would take 10^12 steps. */
static void what_is_broken_on_purpose_takes_no_longer(void **state)
{
    enum { OBJECTS = 300000 };
    static const char *const heads[] = {"{\"results\":[" ONE("a", "1") ",!,", "{\"build_commit\":1,\"n_prompt\":1}"};

    (void)state;
    for (size_t h = 0; h < 2; h++) {
        sy_text text = SY_TEXT_INIT;
        sy_imported *imported;

        sy_text_append(&text, heads[h]);
        for (int i = 0; i < OBJECTS; i++)
            sy_text_append(&text, "{ {},");
        sy_text_append(&text, "\"\n");
        imported = import_bytes(text.bytes, text.length);
        assert_int_equal(imported->row_count, 1);
        assert_true(imported->reject_count > 0);
        sy_imported_destroy(imported);
        sy_text_finish(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_of_rejects_alone_is_corrupt_where_the_first_is),
        cmocka_unit_test(a_damaged_row_costs_no_other_whatever_the_damage),
        cmocka_unit_test(rows_may_lack_commas_or_have_too_many),
        cmocka_unit_test(many_damaged_rows_are_read_in_one_go),
        cmocka_unit_test(rejects_have_a_limit_and_a_count),
        cmocka_unit_test(a_file_that_is_cut_gives_what_is_whole),
        cmocka_unit_test(what_stands_behind_the_json_is_told),
        cmocka_unit_test(what_is_broken_on_purpose_takes_no_longer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
