/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution by oneDNN: our numbers and sizes against its headers, its list, each implementation that it lists against
 * the oracle, and what is said where there is no such library. */
#include "cmocka_headers.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "backends/cpu/convolution/cpu_onednn.h"
#include "backends/cpu/convolution/cpu_onednn_list.h"
#include "convolution_job.h"
#include "fake_tree.h"
#include "fault_loop.h"

#if defined(__has_include)
#if __has_include(<oneapi/dnnl/dnnl.h>)
#include <oneapi/dnnl/dnnl.h>
#define HAS_HEADERS (DNNL_VERSION_MAJOR == 2)
#endif
#endif
#ifndef HAS_HEADERS
#define HAS_HEADERS 0
#endif

#if HAS_HEADERS
_Static_assert((int)SY_ONEDNN_SUCCESS == (int)dnnl_success && (int)SY_ONEDNN_OUT_OF_MEMORY == (int)dnnl_out_of_memory,
               "status");
_Static_assert((int)SY_ONEDNN_CPU == (int)dnnl_cpu && (int)SY_ONEDNN_DEFAULT_STREAM == (int)dnnl_stream_default_flags,
               "engine and stream");
_Static_assert((int)SY_ONEDNN_F32 == (int)dnnl_f32 && (int)SY_ONEDNN_ANY == (int)dnnl_format_tag_any &&
                   (int)SY_ONEDNN_ABCD == (int)dnnl_abcd && (int)SY_ONEDNN_ABCDE == (int)dnnl_abcde,
               "type and layouts");
_Static_assert((int)SY_ONEDNN_FORWARD_INFERENCE == (int)dnnl_forward_inference &&
                   (int)SY_ONEDNN_DIRECT == (int)dnnl_convolution_direct &&
                   (int)SY_ONEDNN_WINOGRAD == (int)dnnl_convolution_winograd,
               "kind and algorithms");
_Static_assert((int)SY_ONEDNN_QUERY_NAME == (int)dnnl_query_impl_info_str &&
                   (int)SY_ONEDNN_QUERY_SOURCE == (int)dnnl_query_src_md &&
                   (int)SY_ONEDNN_QUERY_WEIGHTS == (int)dnnl_query_weights_md &&
                   (int)SY_ONEDNN_QUERY_OUTPUT == (int)dnnl_query_dst_md &&
                   (int)SY_ONEDNN_QUERY_SCRATCHPAD == (int)dnnl_query_scratchpad_md &&
                   (int)SY_ONEDNN_USER_SCRATCHPAD == (int)dnnl_scratchpad_mode_user,
               "queries");
_Static_assert(SY_ONEDNN_ARG_SOURCE == DNNL_ARG_SRC && SY_ONEDNN_ARG_SOURCE == DNNL_ARG_FROM &&
                   SY_ONEDNN_ARG_WEIGHTS == DNNL_ARG_WEIGHTS && SY_ONEDNN_ARG_OUTPUT == DNNL_ARG_DST &&
                   SY_ONEDNN_ARG_OUTPUT == DNNL_ARG_TO && SY_ONEDNN_ARG_SCRATCHPAD == DNNL_ARG_SCRATCHPAD,
               "arguments");
_Static_assert(sizeof(sy_onednn_layout) >= sizeof(dnnl_memory_desc_t) &&
                   sizeof(sy_onednn_operation) >= sizeof(dnnl_convolution_desc_t) &&
                   sizeof(sy_onednn_argument) == sizeof(dnnl_exec_arg_t) &&
                   offsetof(sy_onednn_argument, memory) == offsetof(dnnl_exec_arg_t, memory),
               "sizes");
#endif

/* Shapes that blocked layouts like, beside the odd ones. */
static const int64_t even_shapes[][CONVOLUTION_PROPERTIES] = {
    {1, 32, 14, 14, 48, 3, 3, 1, 1, 1, 1}, {1, 64, 9, 9, 32, 1, 1, 1, 0, 1, 1},
    {1, 64, 10, 10, 32, 1, 1, 2, 0, 1, 1}, {1, 32, 12, 12, 32, 3, 3, 1, 1, 1, 32},
    {2, 32, 12, 12, 64, 3, 3, 1, 1, 1, 2}, {1, 16, 20, 20, 16, 3, 3, 1, 2, 2, 1}};
enum { EVEN_COUNT = sizeof even_shapes / sizeof even_shapes[0], SHAPE_COUNT = ODD_CONVOLUTION_COUNT + EVEN_COUNT };

static const int64_t *shape_at(size_t i)
{
    return i < ODD_CONVOLUTION_COUNT ? odd_convolutions[i] : even_shapes[i - ODD_CONVOLUTION_COUNT];
}

static sy_device *open_device(const char *root, const char *only)
{
    sy_device *device = NULL;
    sy_device_options options = SY_DEVICE_OPTIONS_INIT;
    options.threads = 1; /* its threads wait for each other by spinning, which takes seconds on a busy machine */
    options.only = only;
    assert_int_equal(sy_device_open("cpu", &options, &device, NULL), SY_OK);
    sy_cpu_device_of(device)->root = root;
    return device;
}

static const sy_suite *suite_of(sy_device *device)
{
    const sy_suite *suite = NULL;
    assert_int_equal(sy_device_suite(device, "convolution", &suite, NULL), SY_OK);
    return suite;
}

static bool is_onednn(const sy_implementation *one)
{
    return strncmp(one->name, SY_CPU_ONEDNN_FIRST, strlen(SY_CPU_ONEDNN_FIRST)) == 0;
}

static bool is_missing(void)
{
    sy_cpu_library library = {0};
    sy_onednn_session session = {0};
    char reason[256];
    bool is_there = sy_cpu_library_load(SY_CPU_ONEDNN, "", 0, &library, reason, sizeof reason) &&
                    sy_onednn_session_start(&library, &session, reason, sizeof reason);
    if (!is_there) {
        print_message("skipped: %s\n", reason);
    }
    sy_onednn_session_finish(&session);
    return !is_there;
}

static size_t thread_count(void)
{
    size_t count = 0;
    DIR *tasks = opendir("/proc/self/task");
    assert_non_null(tasks);
    while (readdir(tasks) != NULL) {
        count++;
    }
    (void)closedir(tasks);
    return count;
}

static void our_numbers_are_those_of_its_headers(void **state)
{
    (void)state;
    if (!HAS_HEADERS) {
        print_message("skipped: oneDNN's headers of version 2 are not here (libdnnl-dev)\n");
    }
}

/* First of those that load it: nothing is there yet. */
static void the_static_list_loads_nothing_and_the_devices_starts_no_thread(void **state)
{
    (void)state;
    char path[512];
    char reason[256];
    bool is_found = false;
    size_t before = thread_count();
    uint32_t index = 0;
    const sy_suite *suite = NULL;
    while ((suite = sy_backend_cpu.suite_at(NULL, index)) != NULL && strcmp(suite->operation, "convolution") != 0) {
        index++;
    }
    assert_non_null(suite);
    for (uint32_t i = 0; i < suite->implementation_count; i++) {
        sy_backend_cpu.look(suite, i, &is_found, reason, sizeof reason, path, sizeof path);
        assert_int_equal(is_onednn(&suite->implementations[i]),
                         strcmp(suite->implementations[i].name, SY_CPU_ONEDNN_FIRST) == 0);
    }
    if (!sy_cpu_library_find(SY_CPU_ONEDNN, "", path, sizeof path, reason, sizeof reason)) {
        print_message("skipped: %s\n", reason);
        return;
    }
    assert_null(dlopen(path, RTLD_NOW | RTLD_NOLOAD));
    sy_device *alone = open_device("", "direct");
    assert_int_equal(suite_of(alone)->implementation_count,
                     suite->implementation_count + sy_cpu_device_of(alone)->suites[index].extra_count);
    assert_null(dlopen(path, RTLD_NOW | RTLD_NOLOAD));
    sy_device_close(alone);
    sy_device *device = open_device("", NULL);
    (void)suite_of(device);
    assert_non_null(dlopen(path, RTLD_NOW | RTLD_NOLOAD));
    assert_int_equal(thread_count(), before);
    sy_device_close(device);
}

static void a_worker_has_the_list_of_its_parent(void **state)
{
    (void)state;
    if (is_missing()) {
        return;
    }
    sy_device *parent = open_device("", NULL);
    const sy_suite *suite = suite_of(parent);
    size_t listed = 0;
    for (uint32_t i = 0; i < suite->implementation_count; i++) {
        const sy_implementation *one = &suite->implementations[i];
        bool is_winograd = strstr(one->name, "wino") != NULL;
        if (!is_onednn(one) || strcmp(one->name, SY_CPU_ONEDNN_FIRST) == 0) {
            continue;
        }
        listed++;
        assert_int_equal(one->error_class, is_winograd ? SY_CLASS_TOLERANCE : SY_CLASS_EXACT);
        assert_int_equal(one->only_if_named, strstr(one->name, ":ref") != NULL);
        assert_null(strstr(one->name, "int8"));
        sy_device *worker = open_device("", one->name);
        assert_int_equal(suite_of(worker)->implementation_count, suite->implementation_count);
        assert_string_equal(suite_of(worker)->implementations[i].name, one->name);
        sy_device_close(worker);
    }
    assert_true(listed >= 2);
    assert_int_equal(sy_suite_check(suite, NULL), SY_OK);
    sy_device_close(parent);
}

/* What the library lists follows from its file and the processor, which a stored decision's key has already. */
static void the_list_is_no_part_of_the_versions_that_a_key_holds(void **state)
{
    (void)state;
    sy_text text = SY_TEXT_INIT;
    sy_device *device = open_device("", NULL);
    assert_int_equal(sy_suite_versions(device, suite_of(device), &text, NULL), SY_OK);
    assert_non_null(strstr(sy_text_bytes(&text), "\nonednn="));
    assert_null(strstr(sy_text_bytes(&text), SY_CPU_ONEDNN_PREFIX));
    sy_text_finish(&text);
    sy_device_close(device);
}

/* Whether it ran; what it gave was right. */
static bool check_at(sy_device *device, uint32_t variant, const int64_t *shape)
{
    convolution_job job;
    const sy_implementation *one = &suite_of(device)->implementations[variant];
    bool is_exact = one->error_class == SY_CLASS_EXACT;
    bool is_available = start_job(&job, device, shape, variant);
    if (!is_available && strstr(job.reason, "does not list it for this shape") == NULL) {
        fail_msg("%s: %s", one->name, job.reason);
    }
    for (sy_fill fill = SY_FILL_REAL; is_available && fill <= (is_exact ? SY_FILL_EXACT_RIGHT : SY_FILL_REAL); fill++) {
        fill_job(&job, fill);
        run_job(&job);
        uint64_t wrong = wrong_outputs(&job, fill, is_exact ? 16 : 96);
        if (wrong > 0) {
            fail_msg("%s: %llu of %llu wrong, fill %s, %lld channels of %lld x %lld", one->name,
                     (unsigned long long)wrong, (unsigned long long)job.count, sy_fill_word(fill), (long long)shape[1],
                     (long long)shape[2], (long long)shape[3]);
        }
        assert_true(inputs_are_untouched(&job));
    }
    finish_job(&job);
    return is_available;
}

static void every_listed_implementation_is_right_wherever_it_is_listed(void **state)
{
    (void)state;
    if (is_missing()) {
        return;
    }
    sy_device *device = open_device("", NULL);
    const sy_suite *suite = suite_of(device);
    for (uint32_t variant = 0; variant < suite->implementation_count; variant++) {
        const sy_implementation *one = &suite->implementations[variant];
        size_t ran = 0;
        for (size_t i = 0; is_onednn(one) && i < SHAPE_COUNT; i++) {
            ran += check_at(device, variant, shape_at(i));
        }
        if (is_onednn(one) && ran == 0) {
            print_message("skipped: %s is listed for none of these shapes\n", one->name);
        }
        assert_true(strcmp(one->name, SY_CPU_ONEDNN_FIRST) != 0 || ran == SHAPE_COUNT);
    }
    sy_device_close(device);
}

static void the_first_choice_is_the_head_of_the_list_and_its_memory_is_counted(void **state)
{
    (void)state;
    sy_case_property properties[CONVOLUTION_PROPERTIES];
    sy_case c = convolution_case_of(even_shapes[0], properties);
    sy_error err = SY_ERROR_INIT;
    if (is_missing()) {
        return;
    }
    sy_device *device = open_device("", NULL);
    char named[80];
    uint64_t bytes[2] = {0, 0};
    for (size_t i = 0; i < 2; i++) {
        sy_graph *graph = NULL;
        sy_cpu_onednn *onednn = NULL;
        assert_int_equal(sy_graph_create(device, 1 << 20, &graph, NULL), SY_OK);
        if (sy_cpu_onednn_build(&c, i == 0 ? SY_CPU_ONEDNN_FIRST : named, graph, &onednn, &err) != SY_OK) {
            fail_msg("%s", err.what);
        }
        assert_non_null(onednn);
        (void)snprintf(named, sizeof named, SY_CPU_ONEDNN_PREFIX "%s", sy_cpu_onednn_name(onednn));
        bytes[i] = sy_graph_memory_bytes(graph);
        uint64_t plain = (32 + 48) * 14 * 14 * 4 + 48 * 32 * 9 * 4;
        assert_true(sy_cpu_onednn_copies(onednn) <= 3 && bytes[i] >= plain);
        assert_true(sy_cpu_onednn_copies(onednn) == 0 || bytes[i] > plain);
        sy_graph_destroy(graph);
    }
    assert_int_equal(bytes[0], bytes[1]);
    sy_device_close(device);
}

/* The library multiplies numbers of 32 bits for some layouts: what it then says is no size. */
static void a_size_that_the_library_cannot_count_is_a_limit(void **state)
{
    (void)state;
    static const int64_t huge[] = {1, 64, 56, 56, INT32_MAX, 3, 3, 1, 1, 1, 1};
    sy_case_property properties[CONVOLUTION_PROPERTIES];
    sy_case c = convolution_case_of(huge, properties);
    if (is_missing()) {
        return;
    }
    sy_device *device = open_device("", NULL);
    const sy_suite *suite = suite_of(device);
    for (uint32_t variant = 0; variant < suite->implementation_count; variant++) {
        const sy_implementation *one = &suite->implementations[variant];
        sy_graph *graph = NULL;
        sy_error err = SY_ERROR_INIT;
        if (!is_onednn(one)) {
            continue;
        }
        assert_int_equal(sy_graph_create(device, 1 << 20, &graph, NULL), SY_OK);
        sy_status status = suite->build(suite->user, &c, variant, graph, &err);
        if (status != SY_OK && status != SY_LIMIT_EXCEEDED && status != SY_NO_MEMORY && status != SY_UNAVAILABLE) {
            fail_msg("%s: %s", one->name, err.what);
        }
        if (status == SY_OK && sy_graph_output_count(graph) > 0) {
            assert_true(sy_graph_memory_bytes(graph) >= 4.0 * INT32_MAX * (56 * 56 + 64 * 9));
        }
        sy_graph_destroy(graph);
    }
    sy_device_close(device);
}

static void the_convolution_alone_leaves_what_a_whole_run_left(void **state)
{
    (void)state;
    sy_case_property properties[CONVOLUTION_PROPERTIES];
    sy_case c = convolution_case_of(even_shapes[0], properties);
    sy_graph *graph = NULL;
    sy_cpu_onednn *onednn = NULL;
    sy_error err = SY_ERROR_INIT;
    if (is_missing()) {
        return;
    }
    sy_device *device = open_device("", NULL);
    assert_int_equal(sy_graph_create(device, 1 << 20, &graph, NULL), SY_OK);
    assert_int_equal(sy_cpu_onednn_build(&c, SY_CPU_ONEDNN_FIRST, graph, &onednn, &err), SY_OK);
    assert_int_equal(sy_graph_allocate(graph, &err), SY_OK);
    for (uint32_t i = 0; i < 2; i++) {
        sy_tensor *input = sy_graph_input_at(graph, i);
        assert_int_equal(
            sy_fill_input(SY_FILL_REAL, 1, i, &c, sy_tensor_description(input), sy_tensor_address(input), NULL), SY_OK);
    }
    sy_tensor *output = sy_graph_output_at(graph, 0);
    size_t size = sy_tensor_bytes(output);
    void *first = sy_allocate(1, size);
    assert_non_null(first);
    assert_int_equal(sy_cpu_onednn_run(onednn, &err), SY_OK);
    memcpy(first, sy_tensor_address(output), size);
    assert_int_equal(sy_cpu_onednn_run_alone(onednn, &err), SY_OK);
    assert_memory_equal(first, sy_tensor_address(output), size);
    sy_free(first);
    sy_graph_destroy(graph);
    sy_device_close(device);
}

static void a_library_that_is_not_there_lists_nothing_and_names_its_package(void **state)
{
    (void)state;
    fake_tree tree;
    convolution_job job;
    uint32_t variant = 0;
    fake_tree_start(&tree);
    sy_device *device = open_device(tree.root, NULL);
    const sy_suite *suite = suite_of(device);
    for (uint32_t i = 0; i < suite->implementation_count; i++) {
        assert_null(strstr(suite->implementations[i].name, SY_CPU_ONEDNN_PREFIX));
    }
    assert_int_equal(sy_suite_find_implementation(suite, SY_CPU_ONEDNN_FIRST, &variant, NULL), SY_OK);
    assert_false(start_job(&job, device, odd_convolutions[0], variant));
    assert_non_null(strstr(job.reason, "libdnnl.so.2 or .3 not found in /usr/lib/"));
    assert_non_null(strstr(job.reason, "libdnnl2"));
    finish_job(&job);
    sy_device_close(device);
    fake_tree_finish(&tree);
}

static void another_major_version_is_a_state_with_its_reason(void **state)
{
    (void)state;
    sy_cpu_library library = {.info = {.version = "oneDNN 3.4.1, OpenMP", .path = "/usr/lib/libdnnl.so.3"}};
    sy_onednn_api api;
    char reason[256] = "";
    assert_false(sy_onednn_bind(&library, &api, reason, sizeof reason));
    assert_string_equal(reason, "oneDNN 3.4.1 has another interface for convolutions: version 2 is supported");
    library.handle = dlopen(NULL, RTLD_NOW); /* a program that has none of the functions */
    snprintf(library.info.version, sizeof library.info.version, "oneDNN 2.6.3, OpenMP");
    assert_false(sy_onednn_bind(&library, &api, reason, sizeof reason));
    assert_non_null(strstr(reason, "has no function dnnl_engine_create"));
    assert_int_equal(dlclose(library.handle), 0);
}

static sy_status list_once(void *user)
{
    sy_arena *arena = sy_arena_create(0);
    const sy_implementation *all = NULL;
    size_t count = 0;
    sy_status status = SY_NO_MEMORY;
    (void)user;
    if (arena != NULL) {
        status = sy_cpu_onednn_list("", sy_convolution_case_table, 2, arena, &all, &count, NULL);
    }
    sy_arena_destroy(arena);
    return status;
}

static void a_lack_of_memory_for_the_list_is_reported_and_nothing_leaks(void **state)
{
    (void)state;
    if (!is_missing()) {
        assert_true(fault_loop_allocations(list_once, NULL, true) >= 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(our_numbers_are_those_of_its_headers),
        cmocka_unit_test(the_static_list_loads_nothing_and_the_devices_starts_no_thread),
        cmocka_unit_test(a_worker_has_the_list_of_its_parent),
        cmocka_unit_test(the_list_is_no_part_of_the_versions_that_a_key_holds),
        cmocka_unit_test(every_listed_implementation_is_right_wherever_it_is_listed),
        cmocka_unit_test(the_first_choice_is_the_head_of_the_list_and_its_memory_is_counted),
        cmocka_unit_test(a_size_that_the_library_cannot_count_is_a_limit),
        cmocka_unit_test(the_convolution_alone_leaves_what_a_whole_run_left),
        cmocka_unit_test(a_library_that_is_not_there_lists_nothing_and_names_its_package),
        cmocka_unit_test(another_major_version_is_a_state_with_its_reason),
        cmocka_unit_test(a_lack_of_memory_for_the_list_is_reported_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
