/* SPDX-License-Identifier: Apache-2.0 */
/* The list of backends: nothing is left out, what is missing has its reason, JSON holds whatever the names hold. */
#include <steelyard/report.h>
#include <string.h>

#include "base/json.h"
#include "fault_loop.h"

static const sy_device_info devices[] = {
    {.name = "cpu", .backend = "cpu", .description = "a processor", .threads = 2, .memory_bytes = UINT64_C(1) << 31},
};

static const sy_backend_implementation implementations[] = {
    {.operation = "matmul",
     .name = "openblas",
     .role = SY_ROLE_REFERENCE,
     .error_class = SY_CLASS_EXACT,
     .available = true,
     .reason = "",
     .version = "",
     .path = "/lib/libopenblas.so.0"},
    {.operation = "matmul",
     .name = "blis \"2\"\033[2J",
     .role = SY_ROLE_CANDIDATE,
     .error_class = SY_CLASS_TOLERANCE,
     .available = false,
     .reason = "libblis.so.4 not found: apt-get install libblis4-pthread",
     .version = "",
     .path = ""},
};

static const sy_backend_info list[] = {
    {.name = "cpu",
     .summary = "this machine's processors",
     .available = true,
     .reason = "",
     .devices = devices,
     .device_count = 1,
     .implementations = implementations,
     .implementation_count = 2},
    {.name = "gpu", .summary = "graphics", .available = false, .reason = "libgpu.so.1 not found"},
};

static void what_is_missing_is_listed_with_its_reason(void **state)
{
    const sy_report_style style = {.columns = 120};
    char *text = NULL;

    (void)state;
    assert_int_equal(sy_report_backends(list, 2, &style, &text, NULL), SY_OK);
    assert_non_null(strstr(text, "cpu: available\n"));
    assert_non_null(strstr(text, "cpu: a processor, 2 threads, 2"));
    assert_non_null(strstr(text, "gpu: unavailable\n"));
    assert_non_null(strstr(text, "why not      libgpu.so.1 not found"));
    assert_non_null(strstr(text, "missing"));
    assert_non_null(strstr(text, "libblis.so.4 not found: apt-get install libblis4-pthread"));
    assert_null(strchr(text, '\033'));
    sy_text_free(text);
}

static void json_has_every_member_whatever_the_names_hold(void **state)
{
    const sy_json_value *backends;
    const sy_json_value *row;
    char *text = NULL;
    sy_json *json = NULL;

    (void)state;
    assert_int_equal(sy_report_backends_json(list, 2, &text, NULL), SY_OK);
    assert_int_equal(sy_json_parse(text, strlen(text), NULL, &json, NULL), SY_OK);
    assert_string_equal(sy_json_member(sy_json_root(json), "schema")->text, "steelyard.backends/1");
    backends = sy_json_member(sy_json_root(json), "backends");
    assert_int_equal(backends->count, 2);
    assert_string_equal(sy_json_member(sy_json_element(backends, 1), "reason")->text, "libgpu.so.1 not found");
    row = sy_json_element(sy_json_member(sy_json_element(backends, 0), "implementations"), 1);
    assert_string_equal(sy_json_member(row, "name")->text, "blis \"2\"\033[2J");
    assert_int_equal(sy_json_member(row, "available")->kind, SY_JSON_FALSE);
    assert_string_equal(sy_json_member(row, "role")->text, "candidate");
    assert_string_equal(sy_json_member(row, "error_class")->text, "tolerance");
    sy_json_destroy(json);
    sy_text_free(text);
}

static void an_empty_list_is_an_empty_text_and_a_whole_object(void **state)
{
    const sy_report_style style = {.columns = 80};
    char *text = NULL;

    (void)state;
    assert_int_equal(sy_report_backends(NULL, 0, &style, &text, NULL), SY_OK);
    assert_string_equal(text, "");
    sy_text_free(text);
    assert_int_equal(sy_report_backends_json(NULL, 0, &text, NULL), SY_OK);
    assert_non_null(strstr(text, "\"backends\": []"));
    sy_text_free(text);
}

static sy_status make_both(void *user)
{
    const sy_report_style style = {.columns = 80};
    char *text = NULL;
    sy_status status = sy_report_backends(list, 2, &style, &text, NULL);

    (void)user;
    sy_text_free(text);
    text = NULL;
    if (status == SY_OK)
        status = sy_report_backends_json(list, 2, &text, NULL);
    sy_text_free(text);
    return status;
}

static void no_memory_is_an_error_that_leaks_nothing(void **state)
{
    (void)state;
    assert_true(fault_loop_allocations(make_both, NULL, true) > 10);
    assert_true(fault_loop_allocations(make_both, NULL, false) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_missing_is_listed_with_its_reason),
        cmocka_unit_test(json_has_every_member_whatever_the_names_hold),
        cmocka_unit_test(an_empty_list_is_an_empty_text_and_a_whole_object),
        cmocka_unit_test(no_memory_is_an_error_that_leaks_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
