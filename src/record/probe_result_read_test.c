/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of reading a probe's result back: from the example of the format, and from what is wrong in one place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <steelyard/record.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "fault_loop.h"

static char *example;
static size_t example_size;

static int read_example(void **state)
{
    (void)state;
    return sy_file_read(STEELYARD_SOURCE_DIR "/tests/data/record/probe_result.json", 0, &example, &example_size, NULL);
}

static int free_example(void **state)
{
    (void)state;
    sy_free(example);
    return 0;
}

static sy_probe_result *read_back(const char *json, size_t size)
{
    sy_probe_result *result = NULL;
    sy_error err = SY_ERROR_INIT;
    if (sy_probe_result_read_json(json, size, &result, &err) != SY_OK) {
        fail_msg("%s", err.what);
    }
    return result;
}

static void what_was_written_is_read_and_written_as_the_same_bytes(void **state)
{
    (void)state;
    char *once = NULL, *twice = NULL;
    sy_probe_result *result = read_back(example, example_size);
    assert_int_equal(sy_probe_result_to_json(result, &once, NULL), SY_OK);
    sy_probe_result *again = read_back(once, strlen(once));
    assert_int_equal(sy_probe_result_to_json(again, &twice, NULL), SY_OK);
    assert_string_equal(once, twice);
    sy_text_free(once);
    sy_text_free(twice);
    sy_probe_result_destroy(result);
    sy_probe_result_destroy(again);
}

static void members_are_those_of_the_example(void **state)
{
    (void)state;
    sy_probe_result *result = read_back(example, example_size);
    assert_string_equal(result->winner, "blis");
    assert_int_equal(result->decision, SY_DECISION_WIN);
    assert_true(result->seed == UINT64_MAX);
    assert_int_equal(result->candidate_count, 2);
    assert_int_equal(result->finalist, 0);
    assert_string_equal(result->candidates[0].info.version, "BLIS 0.9.0");
    assert_true(result->candidates[1].gain != result->candidates[1].gain);
    assert_int_equal(result->cases[0].parity.worst_index, 17);
    assert_true(result->cases[0].gain == 0.051);
    assert_true(result->sample_count > 0);
    assert_true(result->has_condition && result->has_carry_over);
    assert_string_equal(sy_identity_get(&result->identity, "cpu.model"), "85");
    assert_string_equal(result->notes[1], "a \"quoted\" note\nof two lines");
    sy_probe_result_destroy(result);
}

/* The example with the first `from` replaced. */
static sy_status read_changed(const char *from, const char *to, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_probe_result *result = NULL;
    const char *at = strstr(example, from);
    assert_non_null(at);
    sy_text_append_bytes(&text, example, (size_t)(at - example));
    sy_text_append(&text, to);
    sy_text_append(&text, at + strlen(from));
    sy_status status = sy_probe_result_read_json(sy_text_bytes(&text), text.length, &result, err);
    sy_text_finish(&text);
    sy_probe_result_destroy(result);
    return status;
}

static void a_member_that_is_wrong_is_named_with_its_position(void **state)
{
    (void)state;
    static const char *const changes[][3] = {
        {"steelyard.probe/1", "steelyard.probe/2", "schema"},
        {"\"decision\": \"win\"", "\"decision\": \"unknown\"", "decision"},
        {"\"seed\": 18446744073709551615", "\"seed\": -1", "seed"},
        {"\"seed\": 18446744073709551615", "\"seed\": 1.5", "seed"},
        {"\"wins\": ", "\"wins\": 9999999999", "wins"},
        {"\"completed\": true", "\"completed\": 1", "completed"},
        {"\"case\": \"square-512\"", "\"case\": \"another\"", "case"},
        {"\"finalist\": \"blis\"", "\"finalist\": 3", "finalist"},
        {"\"samples\": [", "\"samples\": {}, \"others\": [", "samples"},
        {"\"veto\"", "\"vetoed\"", "veto"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        sy_error err = SY_ERROR_INIT;
        assert_int_equal(read_changed(changes[i][0], changes[i][1], &err), SY_CORRUPT);
        assert_non_null(strstr(err.what, changes[i][2]));
        assert_true(err.position.line > 0);
    }
}

static void what_it_does_not_know_is_passed_over(void **state)
{
    (void)state;
    assert_int_equal(read_changed("\"seed\":", "\"later\": [1, {\"a\": null}], \"seed\":", NULL), SY_OK);
}

/* However much is missing at the end, it is said and nothing is kept. */
static void half_of_a_result_is_none(void **state)
{
    (void)state;
    int64_t alive = sy_fault_live_allocations();
    for (size_t size = 0; size + 3 < example_size; size += 7) {
        sy_probe_result *result = NULL;
        assert_int_equal(sy_probe_result_read_json(example, size, &result, NULL), SY_CORRUPT);
        assert_null(result);
    }
    assert_int_equal(sy_fault_live_allocations(), alive);
}

static sy_status read_and_free(void *user)
{
    sy_probe_result *result = NULL;
    (void)user;
    sy_status status = sy_probe_result_read_json(example, example_size, &result, NULL);
    sy_probe_result_destroy(result);
    return status;
}

static void short_memory_gives_an_error_and_no_result(void **state)
{
    (void)state;
    assert_true(fault_loop_allocations(read_and_free, NULL, true) > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_is_read_and_written_as_the_same_bytes),
        cmocka_unit_test(members_are_those_of_the_example),
        cmocka_unit_test(a_member_that_is_wrong_is_named_with_its_position),
        cmocka_unit_test(what_it_does_not_know_is_passed_over),
        cmocka_unit_test(half_of_a_result_is_none),
        cmocka_unit_test(short_memory_gives_an_error_and_no_result),
    };
    return cmocka_run_group_tests(tests, read_example, free_example);
}
