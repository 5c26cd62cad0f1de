/* SPDX-License-Identifier: Apache-2.0 */
/* Tables in too little room: what is dropped, cut and wrapped, and that no line is too long. */
#include <stdlib.h>
#include <string.h>

#include <steelyard/record.h>

#include "report/page/text_table.h"
#include "text_width.h"

static const sy_column columns[] = {
    {.title = "Name", .least = 4},
    {.title = "Share", .right = true, .drop = 2},
    {.title = "Gain", .right = true},
    {.title = "Remarks", .wraps = true, .least = 8, .drop = 1},
};

static char *table_of(uint32_t width, bool utf8, const char *const *cells, size_t rows)
{
    const sy_report_style style = {.columns = width, .utf8 = utf8};
    sy_page page;
    sy_text_table *table;
    char *text = NULL;

    assert_int_equal(sy_page_start(&page, &style, NULL), SY_OK);
    table = sy_text_table_create(&page, columns, 4);
    assert_non_null(table);
    for (size_t i = 0; i < rows; i++)
        sy_text_table_row(table, SY_TONE_PLAIN, cells + 4 * i);
    sy_text_table_print(table);
    sy_text_table_destroy(table);
    assert_int_equal(sy_page_take(&page, &text, NULL), SY_OK);
    return text;
}

static void a_table_with_room_shows_everything(void **state)
{
    const char *const cells[] = {"blis", "33 %", "5.1 %", "fine", "plain", "-", "-", ""};
    char *text = table_of(80, false, cells, 2);

    (void)state;
    assert_string_equal(text, "Name   Share   Gain  Remarks\n"
                              "----------------------------\n"
                              "blis    33 %  5.1 %  fine\n"
                              "plain      -      -\n");
    sy_text_free(text);
}

static void a_column_that_says_nothing_is_left_out(void **state)
{
    const char *const cells[] = {"blis", "-", "5.1 %", NULL};
    char *text = table_of(80, false, cells, 1);

    (void)state;
    assert_string_equal(text, "Name   Gain\n-----------\nblis  5.1 %\n");
    sy_text_free(text);
}

static void long_remarks_wrap_at_words(void **state)
{
    const char *const cells[] = {"blis", "33.0 %", "5.1 %", "one two three four five six seven"};
    char *text = table_of(40, false, cells, 1);

    (void)state;
    assert_string_equal(text, "Name   Share   Gain  Remarks\n"
                              "----------------------------------------\n"
                              "blis  33.0 %  5.1 %  one two three four\n"
                              "                     five six seven\n");
    sy_text_free(text);
}

static void a_name_of_4096_letters_is_cut_and_costs_no_figure(void **state)
{
    char name[4097];
    const char *const cells[] = {name, "33.0 %", "5.1 %", "reason"};
    char *text;

    (void)state;
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    for (uint32_t width = 40; width <= 200; width++) {
        text = table_of(width, width % 2 == 0, cells, 1);
        expect_narrow(text, width);
        assert_non_null(strstr(text, "5.1 %"));
        assert_non_null(strstr(text, "reason"));
        assert_non_null(strstr(text, width % 2 == 0 ? "n\xe2\x80\xa6" : "n~"));
        sy_text_free(text);
    }
}

static void the_column_that_matters_least_goes_first(void **state)
{
    const sy_column many[] = {
        {.title = "Name"},
        {.title = "aaaaaaaaaaaaaaaaaaaa", .drop = 1},
        {.title = "bbbbbbbbbbbbbbbbbbbb", .drop = 2},
    };
    const char *const cells[] = {"x", "1", "2"};
    const sy_report_style style = {.columns = 40};
    sy_page page;
    sy_text_table *table;
    char *text = NULL;

    (void)state;
    assert_int_equal(sy_page_start(&page, &style, NULL), SY_OK);
    table = sy_text_table_create(&page, many, 3);
    sy_text_table_row(table, SY_TONE_PLAIN, cells);
    sy_text_table_print(table);
    sy_text_table_destroy(table);
    assert_int_equal(sy_page_take(&page, &text, NULL), SY_OK);
    assert_non_null(strstr(text, "aaaa"));
    assert_null(strstr(text, "bbbb"));
    sy_text_free(text);
}

static void a_title_stays_whole_where_it_can(void **state)
{
    static const sy_column named[] = {{.title = "Implementation", .wraps = true, .least = 6},
                                      {.title = "Decision"},
                                      {.title = "Remarks", .wraps = true, .least = 8}};
    static const char *const cells[] = {"a-name-that-is-longer-still", "inconclusive",
                                        "one two three four five six seven eight nine ten"};
    const sy_report_style style = {.columns = 40};
    sy_page page;
    sy_text_table *table;
    char *text = NULL;

    (void)state;
    assert_int_equal(sy_page_start(&page, &style, NULL), SY_OK);
    table = sy_text_table_create(&page, named, 3);
    sy_text_table_row(table, SY_TONE_PLAIN, cells);
    sy_text_table_print(table);
    sy_text_table_destroy(table);
    assert_int_equal(sy_page_take(&page, &text, NULL), SY_OK);
    if (strstr(text, "Implementation  ") != text)
        fail_msg("%s", text);
    expect_narrow(text, 40);
    sy_text_free(text);
}

static void an_endless_name_is_broken_behind_a_mark(void **state)
{
    static const sy_column named[] = {{.title = "Gate", .wraps = true, .least = 18}, {.title = "Platform"}};
    static const char *const cells[] = {"attention.ggml.sd15-self-256.hot", "twenty-letters-later"};
    const sy_report_style style = {.columns = 40};
    sy_page page;
    sy_text_table *table;
    char *text = NULL;

    (void)state;
    assert_int_equal(sy_page_start(&page, &style, NULL), SY_OK);
    table = sy_text_table_create(&page, named, 2);
    sy_text_table_row(table, SY_TONE_PLAIN, cells);
    sy_text_table_print(table);
    sy_text_table_destroy(table);
    assert_int_equal(sy_page_take(&page, &text, NULL), SY_OK);
    assert_non_null(strstr(text, "\nattention.ggml.     twenty-letters-later\nsd15-self-256.hot\n"));
    sy_text_free(text);
}

static void a_hostile_cell_cannot_break_the_table(void **state)
{
    const char *const cells[] = {"a\nb\033[31m", "33.0 %", "5.1 %",
                                 "\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97 x"};
    char *text = table_of(40, true, cells, 1);
    size_t lines = 0;

    (void)state;
    for (const char *at = text; *at != '\0'; at++)
        lines += *at == '\n';
    assert_int_equal(lines, 3);
    assert_null(strchr(text, '\033'));
    expect_narrow(text, 40);
    sy_text_free(text);
}

static void fewer_than_40_columns_are_refused(void **state)
{
    const sy_report_style style = {.columns = 39};
    sy_error err = SY_ERROR_INIT;
    sy_page page;

    (void)state;
    assert_int_equal(sy_page_start(&page, &style, &err), SY_INVALID_ARGUMENT);
    assert_string_equal(err.what, "style.columns: 39, must be at least 40");
}

static void a_figure_keeps_its_unit_on_its_line(void **state)
{
    const sy_report_style style = {.columns = 40};
    sy_page page;
    char *text = NULL;

    (void)state;
    assert_int_equal(sy_page_start(&page, &style, NULL), SY_OK);
    sy_page_paragraph(&page, 0, 0, SY_TONE_PLAIN, "blis is faster than openblas by a gain 5.1 %, which is much");
    assert_int_equal(sy_page_take(&page, &text, NULL), SY_OK);
    assert_string_equal(text, "blis is faster than openblas by a gain\n5.1 %, which is much\n");
    sy_text_free(text);
}

static void an_endless_word_is_broken(void **state)
{
    const sy_report_style style = {.columns = 40};
    sy_page page;
    char word[101];
    char *text = NULL;

    (void)state;
    memset(word, 'w', 100);
    word[100] = '\0';
    assert_int_equal(sy_page_start(&page, &style, NULL), SY_OK);
    sy_page_field(&page, "note", word);
    assert_int_equal(sy_page_take(&page, &text, NULL), SY_OK);
    expect_narrow(text, 40);
    sy_text_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_with_room_shows_everything),
        cmocka_unit_test(a_column_that_says_nothing_is_left_out),
        cmocka_unit_test(long_remarks_wrap_at_words),
        cmocka_unit_test(a_name_of_4096_letters_is_cut_and_costs_no_figure),
        cmocka_unit_test(the_column_that_matters_least_goes_first),
        cmocka_unit_test(a_title_stays_whole_where_it_can),
        cmocka_unit_test(an_endless_name_is_broken_behind_a_mark),
        cmocka_unit_test(a_hostile_cell_cannot_break_the_table),
        cmocka_unit_test(fewer_than_40_columns_are_refused),
        cmocka_unit_test(a_figure_keeps_its_unit_on_its_line),
        cmocka_unit_test(an_endless_word_is_broken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
