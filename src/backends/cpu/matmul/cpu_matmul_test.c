/* SPDX-License-Identifier: Apache-2.0 */
/* Matmul on cpu: each implementation right at awkward shapes, a missing library said so, what an implementation is,
 * and nothing left behind. */
#include "cmocka_headers.h"

#include <dirent.h>
#include <dlfcn.h>
#include <math.h>
#include <string.h>

#include "fake_tree.h"
#include "matmul_job.h"

enum { OPENBLAS, BLIS, ONEDNN, BLOCKED, PLAIN };

static void every_implementation_is_right_at_awkward_shapes(void **state)
{
    (void)state;
    for (uint32_t variant = 0; variant < sy_cpu_matmul_operation.suite->implementation_count; variant++) {
        for (size_t i = 0; i < AWKWARD_SHAPE_COUNT; i++) {
            matmul_job job;
            if (!start_job(&job, awkward_shapes[i], variant)) {
                print_message("skipped: %s: %s\n", job.name, job.reason);
                finish_job(&job);
                break;
            }
            for (sy_fill fill = SY_FILL_REAL; fill <= SY_FILL_EXACT_RIGHT; fill++) {
                fill_job(&job, fill);
                run_job(&job);
                if (wrong_outputs(&job, fill) != 0) {
                    fail_msg("%s is wrong at shape %zu, %s", job.name, i, sy_fill_word(fill));
                }
            }
            assert_true(inputs_are_untouched(&job));
            finish_job(&job);
        }
    }
}

static sy_device *open_at(const fake_tree *tree, uint32_t threads)
{
    sy_device_options options = SY_DEVICE_OPTIONS_INIT;
    sy_device *device = NULL;
    options.threads = threads;
    assert_int_equal(sy_device_open("cpu", &options, &device, NULL), SY_OK);
    if (tree != NULL) {
        sy_cpu_device_of(device)->root = tree->root;
    }
    return device;
}

/* Builds and throws away; the reason, "" when it is available. */
static void build_once(sy_device *device, const sy_case *c, uint32_t variant, char reason[256])
{
    sy_graph *graph = NULL;
    bool is_available = false;
    const char *why = "";
    assert_int_equal(sy_graph_create(device, 1 << 20, &graph, NULL), SY_OK);
    assert_int_equal(sy_cpu_matmul_operation.suite->build(NULL, c, variant, graph, NULL), SY_OK);
    assert_int_equal(sy_graph_check(graph, &is_available, &why, NULL), SY_OK);
    assert_int_equal(is_available, why[0] == '\0');
    sy_text_copy(reason, 256, why);
    sy_graph_destroy(graph);
}

static void a_missing_library_names_itself_its_places_and_its_package(void **state)
{
    (void)state;
    static const char *const words[][2] = {{"libopenblas.so.0 not found in /usr/lib/", "libopenblas0-pthread"},
                                           {"libblis.so.4 not found in /usr/lib/", "libblis4-openmp"},
                                           {"libdnnl.so.2 or .3 not found in /usr/lib/", "libdnnl2"}};
    fake_tree tree;
    fake_tree_start(&tree);
    sy_device *device = open_at(&tree, 1);
    for (uint32_t variant = OPENBLAS; variant <= ONEDNN; variant++) {
        char reason[256];
        char path[256];
        build_once(device, &sy_matmul_case_table[0], variant, reason);
        assert_non_null(strstr(reason, words[variant][0]));
        assert_non_null(strstr(reason, words[variant][1]));
        assert_false(sy_cpu_matmul_operation.look(variant, tree.root, path, sizeof path, reason, sizeof reason));
        assert_non_null(strstr(reason, words[variant][0]));
    }
    sy_device_close(device);
    fake_tree_finish(&tree);
}

static void a_file_that_is_no_library_is_named_and_nothing_stands_in_for_it(void **state)
{
    (void)state;
    fake_tree tree;
    char reason[256];
    char path[256];
    fake_tree_start(&tree);
    fake_tree_write(&tree, "/usr/local/lib/libblis.so.4", "text");
    sy_device *device = open_at(&tree, 1);
    assert_true(sy_cpu_matmul_operation.look(BLIS, tree.root, path, sizeof path, reason, sizeof reason));
    assert_non_null(strstr(path, "/usr/local/lib/libblis.so.4"));
    build_once(device, &sy_matmul_case_table[0], BLIS, reason);
    assert_non_null(strstr(reason, "libblis.so.4"));
    sy_device_close(device);
    fake_tree_finish(&tree);
}

/* The library of mathematics can be loaded and is none of ours. */
static void a_library_without_the_function_is_refused(void **state)
{
    (void)state;
    fake_tree tree;
    char reason[256];
    char whole[512];
    Dl_info where;
    fake_tree_start(&tree);
    fake_tree_make_folders(&tree, "/usr/lib/libopenblas.so.0");
    snprintf(whole, sizeof whole, "%s/usr/lib/libopenblas.so.0", tree.root);
    void *handle = dlopen("libm.so.6", RTLD_NOW);
    assert_non_null(handle);
    assert_true(dladdr(dlsym(handle, "cos"), &where) != 0);
    assert_int_equal(symlink(where.dli_fname, whole), 0);
    sy_device *device = open_at(&tree, 1);
    build_once(device, &sy_matmul_case_table[0], OPENBLAS, reason);
    assert_non_null(strstr(reason, "has no function cblas_sgemm"));
    sy_device_close(device);
    assert_int_equal(dlclose(handle), 0);
    fake_tree_finish(&tree);
}

static void looking_for_a_library_does_not_load_it(void **state)
{
    (void)state;
    for (uint32_t variant = OPENBLAS; variant <= ONEDNN; variant++) {
        char path[512];
        char reason[256];
        if (!sy_cpu_matmul_operation.look(variant, "", path, sizeof path, reason, sizeof reason)) {
            print_message("skipped: %s\n", reason);
        } else {
            assert_null(dlopen(path, RTLD_NOW | RTLD_NOLOAD));
        }
    }
}

static void an_implementation_says_what_it_is_once_it_is_loaded(void **state)
{
    (void)state;
    static const char *const versions[] = {"OpenBLAS 0.", "BLIS ", "oneDNN ", "steelyard ", "steelyard "};
    for (uint32_t threads = 1; threads <= 2; threads++) {
        sy_device *device = open_at(NULL, threads);
        for (uint32_t variant = OPENBLAS; variant <= PLAIN; variant++) {
            char reason[256];
            sy_implementation_info info;
            assert_int_equal(sy_cpu_matmul_operation.suite->describe(NULL, variant, device, &info, NULL), SY_OK);
            assert_true(variant >= BLOCKED || info.version[0] == '\0');
            build_once(device, &sy_matmul_case_table[0], variant, reason);
            if (reason[0] != '\0') {
                print_message("skipped: %s\n", reason);
                continue;
            }
            assert_int_equal(sy_cpu_matmul_operation.suite->describe(NULL, variant, device, &info, NULL), SY_OK);
            assert_true(sy_text_begins(info.version, versions[variant]));
            assert_int_equal(info.threads, variant == PLAIN ? 1 : threads);
            assert_int_equal(info.path[0], variant <= ONEDNN ? '/' : '\0');
        }
        sy_device_close(device);
    }
}

static void what_it_cannot_multiply_makes_it_unavailable(void **state)
{
    (void)state;
    static const sy_case_property long_rows[] = {{"m", INT64_C(1) << 31}, {"n", 1}, {"k", 1}, {"batch", 1}};
    char reason[256];
    sy_device *device = open_at(NULL, 1);
    sy_case c = sy_matmul_case_table[0];
    c.properties = long_rows;
    build_once(device, &c, OPENBLAS, reason);
    assert_non_null(strstr(reason, "2147483647"));
    c.dtype = SY_F16;
    build_once(device, &c, BLOCKED, reason);
    assert_string_equal(reason, "multiplies f32, not f16");
    sy_device_close(device);
}

static void an_unknown_number_is_an_error(void **state)
{
    (void)state;
    sy_error err = SY_ERROR_INIT;
    sy_graph *graph = NULL;
    sy_device *device = open_at(NULL, 1);
    assert_int_equal(sy_graph_create(device, 1 << 20, &graph, NULL), SY_OK);
    assert_int_equal(sy_cpu_matmul_operation.suite->build(NULL, &sy_matmul_case_table[0], 1000, graph, &err),
                     SY_INVALID_ARGUMENT);
    assert_non_null(strstr(err.what, "1000"));
    sy_graph_destroy(graph);
    sy_device_close(device);
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

static void a_device_takes_its_threads_with_it(void **state)
{
    (void)state;
    sy_graph *graph = NULL;
    sy_device *device = open_at(NULL, 3);
    size_t before = thread_count();
    assert_int_equal(sy_graph_create(device, 1 << 20, &graph, NULL), SY_OK);
    assert_int_equal(sy_cpu_matmul_operation.suite->build(NULL, &sy_matmul_case_table[0], BLOCKED, graph, NULL), SY_OK);
    assert_int_equal(thread_count(), before + 2);
    sy_graph_destroy(graph);
    sy_device_close(device);
    assert_int_equal(thread_count(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looking_for_a_library_does_not_load_it), /* first: nothing is loaded yet */
        cmocka_unit_test(every_implementation_is_right_at_awkward_shapes),
        cmocka_unit_test(a_missing_library_names_itself_its_places_and_its_package),
        cmocka_unit_test(a_file_that_is_no_library_is_named_and_nothing_stands_in_for_it),
        cmocka_unit_test(a_library_without_the_function_is_refused),
        cmocka_unit_test(an_implementation_says_what_it_is_once_it_is_loaded),
        cmocka_unit_test(what_it_cannot_multiply_makes_it_unavailable),
        cmocka_unit_test(an_unknown_number_is_an_error),
        cmocka_unit_test(a_device_takes_its_threads_with_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
