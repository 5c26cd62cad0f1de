/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON writer: three styles, escapes, canonical order, misuse refused. */
#include "cmocka_headers.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "fault_loop.h"

static void write_sample(sy_json_writer *writer)
{
    sy_json_begin_object(writer);
    sy_json_member_text(writer, "name", "a\"b\\c\n\x01/\xc3\xa4");
    sy_json_name(writer, "list");
    sy_json_begin_array(writer);
    sy_json_double(writer, 0.1);
    sy_json_double(writer, NAN);
    sy_json_i64(writer, INT64_MIN);
    sy_json_u64(writer, UINT64_MAX);
    sy_json_end_array(writer);
    sy_json_name(writer, "empty");
    sy_json_begin_object(writer);
    sy_json_end_object(writer);
    sy_json_member_bool(writer, "Z", true);
    sy_json_member_null(writer, "none");
    sy_json_member_text(writer, "absent", NULL);
    sy_json_end_object(writer);
}

static void expect_style(sy_json_style style, const char *expected)
{
    sy_text text = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_writer_create(&text, style);
    write_sample(writer);
    assert_int_equal(sy_json_writer_finish(writer, NULL), SY_OK);
    assert_string_equal(sy_text_bytes(&text), expected);
    sy_text_finish(&text);
}

static void compact_is_one_line_as_given(void **state)
{
    (void)state;
    expect_style(SY_JSON_COMPACT,
                 "{\"name\":\"a\\\"b\\\\c\\n\\u0001/\xc3\xa4\",\"list\":[0.1,null,-9223372036854775808,"
                 "18446744073709551615],\"empty\":{},\"Z\":true,\"none\":null,\"absent\":null}");
}

static void indented_takes_two_spaces_a_level(void **state)
{
    (void)state;
    expect_style(SY_JSON_INDENTED, "{\n"
                                   "  \"name\": \"a\\\"b\\\\c\\n\\u0001/\xc3\xa4\",\n"
                                   "  \"list\": [\n"
                                   "    0.1,\n"
                                   "    null,\n"
                                   "    -9223372036854775808,\n"
                                   "    18446744073709551615\n"
                                   "  ],\n"
                                   "  \"empty\": {},\n"
                                   "  \"Z\": true,\n"
                                   "  \"none\": null,\n"
                                   "  \"absent\": null\n"
                                   "}");
}

static void canonical_sorts_by_bytes_and_writes_17_digits(void **state)
{
    (void)state;
    expect_style(SY_JSON_CANONICAL,
                 "{\"Z\":true,\"absent\":null,\"empty\":{},\"list\":[0.10000000000000001,null,-9223372036854775808,"
                 "18446744073709551615],\"name\":\"a\\\"b\\\\c\\n\\u0001/\xc3\xa4\",\"none\":null}");
}

static void canonical_sorts_nested_objects_and_unescaped_names(void **state)
{
    (void)state;
    sy_text text = SY_TEXT_INIT;
    sy_text_append(&text, "> ");
    sy_json_writer *writer = sy_json_writer_create(&text, SY_JSON_CANONICAL);
    sy_json_begin_object(writer);
    sy_json_name(writer, "b");
    sy_json_begin_object(writer);
    sy_json_member_i64(writer, "y", 1);
    sy_json_member_i64(writer, "x", 2);
    sy_json_end_object(writer);
    sy_json_name_sized(writer, "a\0b", 3);
    sy_json_i64(writer, 3);
    sy_json_member_i64(writer, "a", 4);
    sy_json_member_i64(writer, "\"", 5); /* 0x22 comes before '#', its escape would not */
    sy_json_member_i64(writer, "#", 6);
    sy_json_end_object(writer);
    assert_int_equal(sy_json_writer_finish(writer, NULL), SY_OK);
    assert_string_equal(sy_text_bytes(&text), "> {\"\\\"\":5,\"#\":6,\"a\":4,\"a\\u0000b\":3,\"b\":{\"x\":2,\"y\":1}}");
    sy_text_finish(&text);
}

static void bad_utf8_is_written_as_the_replacement_character(void **state)
{
    (void)state;
    sy_text text = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_writer_create(&text, SY_JSON_COMPACT);
    sy_json_text_sized(writer, "a\xff\xe2\x82z\0", 6);
    assert_int_equal(sy_json_writer_finish(writer, NULL), SY_OK);
    assert_string_equal(sy_text_bytes(&text), "\"a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz\\u0000\"");
    sy_text_finish(&text);
}

typedef void (*misuse)(sy_json_writer *writer);

static void value_without_name(sy_json_writer *writer)
{
    sy_json_begin_object(writer);
    sy_json_i64(writer, 1);
    sy_json_end_object(writer);
}

static void name_outside_of_an_object(sy_json_writer *writer)
{
    sy_json_begin_array(writer);
    sy_json_member_i64(writer, "a", 1);
    sy_json_end_array(writer);
}

static void name_without_value(sy_json_writer *writer)
{
    sy_json_begin_object(writer);
    sy_json_name(writer, "a");
    sy_json_end_object(writer);
}

static void two_names(sy_json_writer *writer)
{
    sy_json_begin_object(writer);
    sy_json_name(writer, "a");
    sy_json_member_i64(writer, "b", 1);
    sy_json_end_object(writer);
}

static void wrong_end(sy_json_writer *writer)
{
    sy_json_begin_object(writer);
    sy_json_end_array(writer);
}

static void end_of_nothing(sy_json_writer *writer)
{
    sy_json_i64(writer, 1);
    sy_json_end_array(writer);
}

static void unfinished(sy_json_writer *writer)
{
    sy_json_begin_array(writer);
}

static void nothing_at_all(sy_json_writer *writer)
{
    (void)writer;
}

static void two_documents(sy_json_writer *writer)
{
    sy_json_i64(writer, 1);
    sy_json_i64(writer, 2);
}

static void same_name_twice(sy_json_writer *writer)
{
    sy_json_begin_object(writer);
    sy_json_member_i64(writer, "a", 1);
    sy_json_member_i64(writer, "b", 1);
    sy_json_member_i64(writer, "a", 1);
    sy_json_end_object(writer);
}

static void misuse_is_told_at_the_end(void **state)
{
    (void)state;
    static const misuse misuses[] = {value_without_name, name_outside_of_an_object,
                                     name_without_value, two_names,
                                     wrong_end,          end_of_nothing,
                                     unfinished,         nothing_at_all,
                                     two_documents,      same_name_twice};
    for (size_t i = 0; i < sizeof misuses / sizeof misuses[0]; i++) {
        sy_text text = SY_TEXT_INIT;
        sy_error err = SY_ERROR_INIT;
        sy_json_writer *writer = sy_json_writer_create(&text, SY_JSON_CANONICAL);
        misuses[i](writer);
        assert_int_equal(sy_json_writer_finish(writer, &err), SY_INVALID_ARGUMENT);
        assert_true(sy_text_begins(err.what, "JSON written wrongly: "));
        sy_text_finish(&text);
    }
}

static sy_status write_all(void *user)
{
    sy_text text = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_writer_create(&text, *(sy_json_style *)user);
    sy_json_begin_array(writer);
    for (int i = 0; i < 12; i++) {
        write_sample(writer);
        sy_json_begin_array(writer);
    }
    for (int i = 0; i < 13; i++) {
        sy_json_end_array(writer);
    }
    sy_status status = sy_json_writer_finish(writer, NULL);
    sy_text_finish(&text);
    return status;
}

static void every_failed_allocation_of_the_writer_is_clean(void **state)
{
    (void)state;
    for (int style = SY_JSON_COMPACT; style <= SY_JSON_CANONICAL; style++) {
        sy_json_style chosen = (sy_json_style)style;
        assert_true(fault_loop_allocations(write_all, &chosen, true) >= 4);
        assert_true(fault_loop_allocations(write_all, &chosen, false) >= 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compact_is_one_line_as_given),
        cmocka_unit_test(indented_takes_two_spaces_a_level),
        cmocka_unit_test(canonical_sorts_by_bytes_and_writes_17_digits),
        cmocka_unit_test(canonical_sorts_nested_objects_and_unescaped_names),
        cmocka_unit_test(bad_utf8_is_written_as_the_replacement_character),
        cmocka_unit_test(misuse_is_told_at_the_end),
        cmocka_unit_test(every_failed_allocation_of_the_writer_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
