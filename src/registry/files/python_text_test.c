/* SPDX-License-Identifier: Apache-2.0 */
/* Values as Python prints them; each expected text was printed by Python 3.11 (repr, str, json.dumps). */
#include "cmocka_headers.h"

#include <math.h>
#include <string.h>

#include "registry/files/python_text.h"

static void floats_have_the_shortest_digits_and_pythons_exponents(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0.0, "0.0"},
        {-0.0, "-0.0"},
        {1.0, "1.0"},
        {-2.5, "-2.5"},
        {1000.0, "1000.0"},
        {0.1, "0.1"},
        {0.577793, "0.577793"},
        {0.0007000000476837158, "0.0007000000476837158"},
        {0.0001, "0.0001"},
        {0.00001, "1e-05"},
        {1.5e-7, "1.5e-07"},
        {1e15, "1000000000000000.0"},
        {9999999999999998.0, "9999999999999998.0"},
        {1e16, "1e+16"},
        {1.2345e16, "1.2345e+16"},
        {1e22, "1e+22"},
        {1e300, "1e+300"},
        {5e-324, "5e-324"},
        {1.7976931348623157e308, "1.7976931348623157e+308"},
        {123456.789, "123456.789"},
        {(double)INFINITY, "inf"},
        {-(double)INFINITY, "-inf"},
        {(double)NAN, "nan"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sy_text text = SY_TEXT_INIT;
        sy_python_append_float(&text, cases[i].value);
        assert_string_equal(sy_text_bytes(&text), cases[i].text);
        sy_text_finish(&text);
    }
}

static void assert_document(const char *json, const char *expected)
{
    sy_json *document = NULL;
    assert_int_equal(sy_json_parse(json, strlen(json), NULL, &document, NULL), SY_OK);
    const sy_json_value *members[16];
    size_t count = 0;
    for (const sy_json_value *member = sy_json_root(document)->first; member != NULL; member = member->next) {
        members[count++] = member;
    }
    sy_text text = SY_TEXT_INIT;
    sy_python_append_document(&text, members, count);
    assert_string_equal(sy_text_bytes(&text), expected);
    sy_text_finish(&text);
    sy_json_destroy(document);
}

static void objects_are_sorted_indented_and_escaped(void **state)
{
    (void)state;
    assert_document("{}", "{}\n");
    assert_document("{\"b\": [1, 1.0, 1e3, -0, 1e-7], \"a\": {\"z\": {}, \"y\": []}}",
                    "{\n  \"a\": {\n    \"y\": [],\n    \"z\": {}\n  },\n  \"b\": [\n    1,\n    1.0,\n    1000.0,\n"
                    "    0,\n    1e-07\n  ]\n}\n");
    assert_document("{\"t\": \"\xe2\x9c\x93 \xf0\x9f\x98\x80 \\\" \\\\ / \\n\\t\\r\\b\\f \\u0001 \\u007f\"}",
                    "{\n  \"t\": \"\\u2713 \\ud83d\\ude00 \\\" \\\\ / \\n\\t\\r\\b\\f \\u0001 \\u007f\"\n}\n");
    assert_document("{\"\xc3\xa9\": true, \"e\": null, \"E\": false}",
                    "{\n  \"E\": false,\n  \"e\": null,\n  \"\\u00e9\": true\n}\n");
    assert_document("{\"n\": 123456789012345678901234567890, \"m\": -17}",
                    "{\n  \"m\": -17,\n  \"n\": 123456789012345678901234567890\n}\n");
    assert_document("{\"n\": NaN, \"m\": -Infinity, \"k\": 1e999}",
                    "{\n  \"k\": Infinity,\n  \"m\": -Infinity,\n  \"n\": NaN\n}\n");
}

static void values_in_a_command_are_what_str_says(void **state)
{
    (void)state;
    static const char json[] = "[null, true, false, 1, 1.0, 1e3, \"a b\", [1, \"x\"]]";
    static const char *const expected[] = {"None", "True", "False", "1", "1.0", "1000.0", "a b", "[1, \"x\"]"};
    sy_json *document = NULL;
    assert_int_equal(sy_json_parse(json, strlen(json), NULL, &document, NULL), SY_OK);
    const sy_json_value *value = sy_json_root(document)->first;
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++, value = value->next) {
        sy_text text = SY_TEXT_INIT;
        sy_python_append_str(&text, value);
        assert_string_equal(sy_text_bytes(&text), expected[i]);
        sy_text_finish(&text);
    }
    sy_json_destroy(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_have_the_shortest_digits_and_pythons_exponents),
        cmocka_unit_test(objects_are_sorted_indented_and_escaped),
        cmocka_unit_test(values_in_a_command_are_what_str_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
