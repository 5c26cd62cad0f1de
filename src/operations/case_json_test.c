/* SPDX-License-Identifier: Apache-2.0 */
/* A case goes out as JSON and comes back the same; what is no case is located. */
#include "cmocka_headers.h"

#include <math.h>
#include <string.h>

#include "operations/case_json.h"
#include "operations/convolution.h"
#include "operations/matmul.h"
#include "operations/suite.h"

static sy_json *parse(const char *text)
{
    sy_json *json = NULL;
    sy_json_limits limits = SY_JSON_LIMITS_INIT;
    assert_int_equal(sy_json_parse(text, strlen(text), &limits, &json, NULL), SY_OK);
    return json;
}

static void write_all(sy_text *text, const sy_case *cases, size_t count)
{
    sy_json_writer *writer = sy_json_writer_create(text, SY_JSON_COMPACT);
    sy_cases_write(writer, cases, count);
    assert_int_equal(sy_json_writer_finish(writer, NULL), SY_OK);
}

static void every_matmul_case_survives_the_round_trip(void **state)
{
    (void)state;
    sy_text out = SY_TEXT_INIT;
    sy_text again = SY_TEXT_INIT;
    sy_arena *arena = sy_arena_create(0);
    const sy_case *cases = NULL;
    size_t count = 0;
    write_all(&out, sy_matmul_case_table, SY_MATMUL_CASE_COUNT);
    sy_json *json = parse(sy_text_bytes(&out));
    assert_int_equal(sy_cases_read(json, sy_json_root(json), arena, &cases, &count, NULL), SY_OK);
    assert_int_equal(count, SY_MATMUL_CASE_COUNT);
    for (size_t i = 0; i < count; i++) {
        sy_matmul_shape here;
        sy_matmul_shape there;
        assert_int_equal(sy_matmul_shape_of(&sy_matmul_case_table[i], &here, NULL), SY_OK);
        assert_int_equal(sy_matmul_shape_of(&cases[i], &there, NULL), SY_OK);
        assert_memory_equal(&here, &there, sizeof(here));
        assert_string_equal(cases[i].name, sy_matmul_case_table[i].name);
        assert_true(cases[i].weight == sy_matmul_case_table[i].weight);
        assert_int_equal(cases[i].exact_stage, sy_matmul_case_table[i].exact_stage);
        assert_int_equal(cases[i].exact_length, sy_matmul_case_table[i].exact_length);
        assert_int_equal(isnan(cases[i].tolerance.absolute), isnan(sy_matmul_case_table[i].tolerance.absolute));
    }
    write_all(&again, cases, count);
    assert_string_equal(sy_text_bytes(&out), sy_text_bytes(&again));
    sy_json_destroy(json);
    sy_arena_destroy(arena);
    sy_text_finish(&out);
    sy_text_finish(&again);
}

static void a_relaxed_tolerance_travels_and_an_absent_one_stays_absent(void **state)
{
    (void)state;
    sy_case pair[2] = {sy_matmul_case_table[0], sy_matmul_case_table[1]};
    sy_text out = SY_TEXT_INIT;
    sy_arena *arena = sy_arena_create(0);
    const sy_case *cases = NULL;
    size_t count = 0;
    pair[0].relaxed = (sy_tolerance){96, 8, SY_F32, NAN, NAN};
    write_all(&out, pair, 2);
    sy_json *json = parse(sy_text_bytes(&out));
    assert_int_equal(sy_cases_read(json, sy_json_root(json), arena, &cases, &count, NULL), SY_OK);
    assert_int_equal(count, 2);
    assert_true(cases[0].relaxed.c == 96 && cases[0].relaxed.c_rms == 8 && isnan(cases[0].relaxed.absolute));
    assert_true(cases[0].tolerance.c == 16);
    assert_false(sy_case_has_relaxed(&cases[1]));
    sy_json_destroy(json);
    sy_arena_destroy(arena);
    sy_text_finish(&out);
}

static void a_flag_of_a_later_version_may_be_absent_and_is_then_off(void **state)
{
    (void)state;
    sy_text out = SY_TEXT_INIT;
    sy_arena *arena = sy_arena_create(0);
    const sy_case *cases = NULL;
    size_t count = 0;
    write_all(&out, sy_convolution_case_table, SY_CONVOLUTION_CASE_COUNT);
    for (int absent = 0; absent < 2; absent++) {
        sy_json *json = parse(sy_text_bytes(&out));
        assert_int_equal(sy_cases_read(json, sy_json_root(json), arena, &cases, &count, NULL), SY_OK);
        assert_int_equal(count, SY_CONVOLUTION_CASE_COUNT);
        for (size_t i = 0; i < count; i++)
            assert_int_equal(cases[i].exact_overlap, !absent);
        sy_json_destroy(json);
        /* The member becomes blanks; what is left is a case without it. */
        char *text = (char *)(uintptr_t)sy_text_bytes(&out);
        for (char *at; (at = strstr(text, "\"exact_overlap\"")) != NULL;)
            memset(at, ' ', (size_t)(strchr(at, ',') + 1 - at));
    }
    sy_arena_destroy(arena);
    sy_text_finish(&out);
}

static void what_is_no_case_is_located(void **state)
{
    (void)state;
    static const char *const texts[] = {"{}", "[]", "[7]", "[{\"name\": 7}]", "[{\"nme\": \"a\"}]"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        sy_arena *arena = sy_arena_create(0);
        const sy_case *cases = NULL;
        size_t count = 0;
        sy_error err = SY_ERROR_INIT;
        sy_json *json = parse(texts[i]);
        assert_int_equal(sy_cases_read(json, sy_json_root(json), arena, &cases, &count, &err), SY_CORRUPT);
        assert_int_equal(err.position.line, 1);
        assert_null(cases);
        sy_json_destroy(json);
        sy_arena_destroy(arena);
    }
}

static void what_inputs_are_rounded_to_travels_and_is_not_written_where_nothing_is_rounded(void **state)
{
    (void)state;
    sy_text out = SY_TEXT_INIT;
    sy_arena *arena = sy_arena_create(0);
    const sy_case *back = NULL;
    size_t count = 0;
    sy_case cases[2] = {sy_convolution_case_table[0], sy_convolution_case_table[1]};
    cases[1].rounds_inputs_to = SY_BF16;
    write_all(&out, cases, 2);
    sy_json *json = parse(sy_text_bytes(&out));
    assert_int_equal(sy_cases_read(json, sy_json_root(json), arena, &back, &count, NULL), SY_OK);
    assert_int_equal(back[0].rounds_inputs_to, SY_F32);
    assert_int_equal(back[1].rounds_inputs_to, SY_BF16);
    assert_null(sy_json_member(sy_json_root(json)->first, "rounds_inputs_to"));
    sy_json_destroy(json);
    sy_arena_destroy(arena);
    sy_text_finish(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_matmul_case_survives_the_round_trip),
        cmocka_unit_test(a_relaxed_tolerance_travels_and_an_absent_one_stays_absent),
        cmocka_unit_test(a_flag_of_a_later_version_may_be_absent_and_is_then_off),
        cmocka_unit_test(what_is_no_case_is_located),
        cmocka_unit_test(what_inputs_are_rounded_to_travels_and_is_not_written_where_nothing_is_rounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
