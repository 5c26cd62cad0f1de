/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of text: wide and long, with and without a header, quotes, separators, and what is wrong with its place. */
#include "importers/timings/timings_test_support.h"

static void a_column_is_a_configuration(void **state)
{
    sy_timings *timings = read_text("plain,fast\n10,8\n11,9\n\n12,\n");

    (void)state;
    assert_int_equal(timings->format, SY_TIMINGS_CSV);
    assert_int_equal(timings->count, 2);
    assert_true(isnan(timings->unit_ns));
    expect_timing(timings, 0, "plain", "", 3, (const double[]){10, 11, 12});
    expect_timing(timings, 1, "fast", "", 2, (const double[]){8, 9});
    assert_int_equal(timings->note_count, 0);
    sy_timings_destroy(timings);
}

static void columns_without_a_header_are_called_by_number(void **state)
{
    sy_timings *timings = read_text("10\t8\n11\t9");

    (void)state;
    expect_timing(timings, 0, "1", "", 2, (const double[]){10, 11});
    expect_timing(timings, 1, "2", "", 2, (const double[]){8, 9});
    assert_true(has_note(timings, "no header"));
    sy_timings_destroy(timings);
    timings = read_text("10\n11\n");
    expect_timing(timings, 0, "1", "", 2, (const double[]){10, 11});
    sy_timings_destroy(timings);
}

static void rows_of_one_name_are_a_configuration_in_the_order_of_their_first(void **state)
{
    sy_timings *timings = read_text("configuration;time_us\nb;1.5\na;2\nb;3\n");

    (void)state;
    assert_int_equal(timings->count, 2);
    assert_true(timings->unit_ns == 1e3);
    expect_timing(timings, 0, "b", "", 2, (const double[]){1.5, 3});
    expect_timing(timings, 1, "a", "", 1, (const double[]){2});
    sy_timings_destroy(timings);
    /* names that are numbers, because the header calls them names */
    timings = read_text("configuration,time\n16,1\n32,2\n16,3\n");
    assert_int_equal(timings->count, 2);
    expect_timing(timings, 0, "16", "", 2, (const double[]){1, 3});
    sy_timings_destroy(timings);
    /* two columns of names, no header */
    timings = read_text("square,blis,1\nsquare,openblas,2\nsquare,blis,3\n");
    expect_timing(timings, 0, "square blis", "", 2, (const double[]){1, 3});
    sy_timings_destroy(timings);
}

static void the_column_of_times_is_found_or_asked_for(void **state)
{
    static const char *const memory[] = {"memory"};
    static const char *const third[] = {"3"};
    static const char *const absent[] = {"nothing"};
    static const char measured[] = "case,run,begin_ns,metric,unit,value,steady,switches,unusable\n"
                                   "a,0,11,wall,ns,1500,1,0,\na,1,12,wall,ns,1600,1,,\na,2,13,wall,ns,,0,,void\n";
    static const char text[] = "name,run,time (ms),memory\na,1,10,5\na,2,11,6\n";
    sy_timings_options options = SY_TIMINGS_OPTIONS_INIT;
    sy_timings *timings = read_text(text);
    sy_error err = SY_ERROR_INIT;

    (void)state;
    expect_timing(timings, 0, "a", "", 2, (const double[]){10, 11});
    assert_true(timings->unit_ns == 1e6);
    sy_timings_destroy(timings);
    options.columns = memory;
    options.column_count = 1;
    timings = read_with(text, &options);
    expect_timing(timings, 0, "a", "", 2, (const double[]){5, 6});
    sy_timings_destroy(timings);
    options.columns = third;
    timings = read_with(text, &options);
    expect_timing(timings, 0, "a", "", 2, (const double[]){10, 11});
    sy_timings_destroy(timings);
    timings = read_text(measured); /* what steelyard measure exports */
    expect_timing(timings, 0, "a wall ns", "", 2, (const double[]){1500, 1600});
    sy_timings_destroy(timings);
    options.columns = absent;
    timings = NULL;
    assert_int_equal(sy_timings_parse(text, strlen(text), &options, &timings, &err), SY_INVALID_ARGUMENT);
    assert_string_equal(err.what, "there is no column 'nothing' in 4 columns");
    expect_refused("name,a,b\nx,1,2\n", SY_INVALID_ARGUMENT, &err);
    assert_string_equal(err.what, "2 columns may hold the times");
    assert_string_equal(err.hint, "say which: --column NAME");
}

static void one_column_of_a_wide_table_can_be_asked_for(void **state)
{
    static const char *const wanted[] = {"b", "1"};
    sy_timings_options options = SY_TIMINGS_OPTIONS_INIT;
    sy_timings *timings;

    (void)state;
    options.columns = wanted;
    options.column_count = 1;
    timings = read_with("a,b,c\n1,2,3\n", &options);
    assert_int_equal(timings->count, 1);
    expect_timing(timings, 0, "b", "", 1, (const double[]){2});
    sy_timings_destroy(timings);
    options.column_count = 2;
    timings = read_with("a,b,c\n1,2,3\n", &options);
    assert_int_equal(timings->count, 2);
    sy_timings_destroy(timings);
}

static void quotes_comments_marks_and_spaces_are_understood(void **state)
{
    sy_timings *timings = read_text(
        "\xef\xbb\xbf# made by hand\r\n\"a, \"\"b\"\"\" , c \r\n1 ,\"2\"\r\n\r\n# more\r\n3,4");

    (void)state;
    assert_int_equal(timings->count, 2);
    expect_timing(timings, 0, "a, \"b\"", "", 2, (const double[]){1, 3});
    expect_timing(timings, 1, "c", "", 2, (const double[]){2, 4});
    sy_timings_destroy(timings);
}

static void a_cell_that_is_no_time_has_its_place(void **state)
{
    sy_error err = SY_ERROR_INIT;

    (void)state;
    expect_refused("a,b\n1,2\n3,12x\n5,6\n", SY_CORRUPT, &err);
    assert_string_equal(err.what, "'12x' is not a time");
    assert_int_equal(err.position.line, 3);
    assert_int_equal(err.position.column, 3);
    expect_refused("a\n1\n\"2\n", SY_CORRUPT, &err);
    assert_string_equal(err.what, "the quote that begins here does not end");
    assert_int_equal(err.position.line, 3);
    expect_refused("a\n\"1\"2\n", SY_CORRUPT, &err);
    assert_string_equal(err.what, "something stands behind the closing quote");
    expect_refused("a;b\n1,5;2,5\n1;2\n1;2\n", SY_CORRUPT, &err);
    assert_string_equal(err.what, "'1,5' is not a time");
}

static void what_is_not_finite_is_no_time_and_stays_in_its_place(void **state)
{
    sy_timings *timings = read_text("a\n1\nnan\n-inf\n2\nInfinity\n");

    (void)state;
    expect_timing(timings, 0, "a", "", 5, (const double[]){1, NAN, NAN, 2, NAN});
    sy_timings_destroy(timings);
}

/* Field case R-9. */
static void r_9_text_in_utf_16_is_named_as_such(void **state)
{
    sy_timings *timings = NULL;
    sy_error err = SY_ERROR_INIT;

    (void)state;
    assert_int_equal(sy_timings_parse("\xff\xfe{\0\"\0r\0", 8, NULL, &timings, &err), SY_CORRUPT);
    assert_string_equal(err.what, "UTF-16 text: convert it to UTF-8");
    assert_int_equal(sy_timings_parse("a\n1\0\n2\n", 7, NULL, &timings, &err), SY_CORRUPT);
    assert_string_equal(err.what, "a 0 byte stands in the text");
    assert_int_equal(err.position.line, 2);
    assert_null(timings);
}

static void columns_without_any_time_are_told(void **state)
{
    sy_timings *timings = read_text("a,b\n1,\n2,\n");

    (void)state;
    assert_int_equal(timings->count, 2);
    expect_timing(timings, 1, "b", "no times", 0, NULL);
    sy_timings_destroy(timings);
    timings = read_text("only,words\n");
    assert_int_equal(timings->count, 2);
    sy_timings_destroy(timings);
}

static void too_many_columns_are_refused(void **state)
{
    sy_text text = SY_TEXT_INIT;
    sy_error err = SY_ERROR_INIT;

    (void)state;
    for (int i = 0; i < 65537; i++)
        sy_text_append(&text, "1,");
    expect_refused(text.bytes, SY_LIMIT_EXCEEDED, &err);
    assert_string_equal(err.what, "more than 65536 columns");
    sy_text_finish(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_is_a_configuration),
        cmocka_unit_test(columns_without_a_header_are_called_by_number),
        cmocka_unit_test(rows_of_one_name_are_a_configuration_in_the_order_of_their_first),
        cmocka_unit_test(the_column_of_times_is_found_or_asked_for),
        cmocka_unit_test(one_column_of_a_wide_table_can_be_asked_for),
        cmocka_unit_test(quotes_comments_marks_and_spaces_are_understood),
        cmocka_unit_test(a_cell_that_is_no_time_has_its_place),
        cmocka_unit_test(what_is_not_finite_is_no_time_and_stays_in_its_place),
        cmocka_unit_test(r_9_text_in_utf_16_is_named_as_such),
        cmocka_unit_test(columns_without_any_time_are_told),
        cmocka_unit_test(too_many_columns_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
