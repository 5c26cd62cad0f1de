/* SPDX-License-Identifier: Apache-2.0 */
/* A steelyard without ggml: the backend is listed with the reason and how to get it, nothing of it can be opened, and a
 * suite that was built for it is told why. */
#include "cmocka_headers.h"

#include <string.h>

#include <steelyard/ggml.h>

#include "backends/backend.h"
#include "backends/graph.h"

static void it_is_listed_with_the_reason_and_how_to_get_it(void **state)
{
    (void)state;
    const sy_backend *const only[] = {&sy_backend_ggml};
    sy_backend_info *list = NULL;
    assert_ptr_equal(sy_backend_find("ggml"), &sy_backend_ggml);
    assert_int_equal(sy_backends_list_of(only, 1, &list, NULL), SY_OK);
    assert_string_equal(list[0].name, "ggml");
    assert_false(list[0].available);
    assert_non_null(strstr(list[0].reason, "built without ggml"));
    assert_non_null(strstr(list[0].reason, "./dev ggml"));
    assert_int_equal(list[0].device_count, 0);
    assert_int_equal(list[0].implementation_count, 0);
    sy_backends_free(list);
}

static void no_device_of_it_can_be_opened_and_the_reason_is_told(void **state)
{
    (void)state;
    static const char *const names[] = {"ggml", "ggml0", "ggml:CPU"};
    for (size_t i = 0; i < 3; i++) {
        sy_device *device = NULL;
        sy_error err = SY_ERROR_INIT;
        assert_int_equal(sy_device_open(names[i], NULL, &device, &err), SY_UNAVAILABLE);
        assert_string_equal(err.what, "backend ggml: this steelyard was built without ggml");
        assert_non_null(strstr(err.hint, "./dev ggml"));
        assert_null(device);
    }
}

static void a_suite_built_for_it_is_told_why_it_cannot_run(void **state)
{
    (void)state;
    sy_device *device = NULL;
    sy_graph *graph = NULL;
    struct ggml_context *context = NULL;
    sy_tensor *registered = NULL;
    assert_int_equal(sy_device_open("cpu", NULL, &device, NULL), SY_OK);
    assert_int_equal(sy_graph_create(device, 1 << 20, &graph, NULL), SY_OK);
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(sy_ggml_context(graph, &context, &err), SY_UNAVAILABLE);
    assert_string_equal(err.what, "this steelyard was built without ggml");
    assert_int_equal(sy_ggml_input(graph, NULL, &registered, NULL), SY_UNAVAILABLE);
    assert_int_equal(sy_ggml_output(graph, NULL, &registered, NULL), SY_UNAVAILABLE);
    assert_null(sy_ggml_backend(device));
    assert_null(context);
    assert_null(registered);
    sy_graph_destroy(graph);
    sy_device_close(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_listed_with_the_reason_and_how_to_get_it),
        cmocka_unit_test(no_device_of_it_can_be_opened_and_the_reason_is_told),
        cmocka_unit_test(a_suite_built_for_it_is_told_why_it_cannot_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
