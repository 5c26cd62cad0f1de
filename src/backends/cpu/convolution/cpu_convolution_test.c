/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution on cpu: every implementation against the oracle at shapes with tails, borders, strides, dilation and
 * groups; our own kernels for every width of vectors; what is refused. */
#include "cmocka_headers.h"

#include <string.h>

#include "convolution_job.h"
#include "fake_tree.h"

enum { IM2COL, DIRECT };

static sy_device *open_device(uint32_t threads)
{
    sy_device *device = NULL;
    sy_device_options options = SY_DEVICE_OPTIONS_INIT;
    options.threads = threads;
    assert_int_equal(sy_device_open("cpu", &options, &device, NULL), SY_OK);
    return device;
}

static void check_at(sy_device *device, const sy_implementation *one, uint32_t variant, const int64_t *shape, size_t s)
{
    convolution_job job;
    if (!start_job(&job, device, shape, variant)) {
        print_message("skipped: %s: %s\n", one->name, job.reason);
    }
    for (sy_fill fill = SY_FILL_REAL; job.reason[0] == '\0' && fill <= SY_FILL_EXACT_RIGHT; fill++) {
        fill_job(&job, fill);
        run_job(&job);
        uint64_t wrong = wrong_outputs(&job, fill, 16);
        if (wrong > 0) {
            fail_msg("%s: %llu of %llu wrong at shape %zu, fill %s", one->name, (unsigned long long)wrong,
                     (unsigned long long)job.count, s, sy_fill_word(fill));
        }
        assert_true(inputs_are_untouched(&job));
    }
    finish_job(&job);
}

static void our_implementations_are_right_at_odd_shapes(void **state)
{
    (void)state;
    const sy_suite *suite = NULL;
    sy_device *device = open_device(JOB_THREADS);
    assert_int_equal(sy_device_suite(device, "convolution", &suite, NULL), SY_OK);
    for (uint32_t variant = IM2COL; variant <= DIRECT; variant++) {
        for (size_t s = 0; s < ODD_CONVOLUTION_COUNT; s++) {
            check_at(device, &suite->implementations[variant], variant, odd_convolutions[s], s);
        }
    }
    sy_device_close(device);
}

/* Runs our own code with given vectors and threads; the bits depend on neither threads nor timing. */
static void run_direct(convolution_job *job, sy_cpu_vectors vectors, uint32_t threads)
{
    sy_cpu_pool *pool = NULL;
    sy_cpu_direct direct;
    sy_convolution_shape shape;
    assert_int_equal(sy_convolution_shape_of(&job->c, &shape, NULL), SY_OK);
    assert_true(sy_cpu_direct_plan(&shape, vectors, threads, &direct));
    assert_int_equal(sy_cpu_pool_create(threads, &pool, NULL), SY_OK);
    float *scratch = sy_allocate_aligned(64, direct.scratch_count, sizeof(float));
    assert_non_null(scratch);
    memset(scratch, 0xff, direct.scratch_count * sizeof(float)); /* NaN: nothing may be taken from it */
    memset(job->found, 0xff, job->count * sizeof(float));
    sy_cpu_direct_run(&direct, pool, job->bytes[0], job->bytes[1], job->found, scratch);
    sy_free_aligned(scratch);
    sy_cpu_pool_destroy(pool);
}

static void every_width_of_vectors_is_right_at_odd_shapes(void **state)
{
    (void)state;
    sy_device *device = open_device(1);
    for (sy_cpu_vectors vectors = SY_CPU_BASELINE; vectors <= sy_cpu_vectors_here(); vectors++) {
        for (size_t s = 0; s < ODD_CONVOLUTION_COUNT; s++) {
            convolution_job job;
            assert_true(start_job(&job, device, odd_convolutions[s], DIRECT));
            for (sy_fill fill = SY_FILL_REAL; fill <= SY_FILL_EXACT_RIGHT; fill++) {
                fill_job(&job, fill);
                run_direct(&job, vectors, 1);
                if (wrong_outputs(&job, fill, 16) > 0) {
                    fail_msg("%s is wrong at shape %zu, fill %s", sy_cpu_vectors_word(vectors), s, sy_fill_word(fill));
                }
            }
            finish_job(&job);
        }
    }
    sy_device_close(device);
}

/* Larger than a band, a chunk and a block, so that there are tasks enough for threads. */
static const int64_t large_shapes[][CONVOLUTION_PROPERTIES] = {{1, 40, 60, 140, 110, 3, 3, 1, 1, 1, 1},
                                                               {2, 70, 41, 300, 30, 5, 5, 2, 2, 1, 2}};

static void the_bits_depend_on_no_number_of_threads(void **state)
{
    (void)state;
    sy_device *device = open_device(1);
    for (size_t s = 0; s < 2; s++) {
        convolution_job job;
        assert_true(start_job(&job, device, large_shapes[s], DIRECT));
        float *first = sy_allocate(job.count, sizeof(float));
        assert_non_null(first);
        fill_job(&job, SY_FILL_REAL);
        run_direct(&job, sy_cpu_vectors_here(), 1);
        memcpy(first, job.found, job.count * sizeof(float));
        assert_int_equal(wrong_outputs(&job, SY_FILL_REAL, 16), 0);
        for (uint32_t threads = 2; threads <= 5; threads += 3) {
            run_direct(&job, sy_cpu_vectors_here(), threads);
            assert_memory_equal(first, job.found, job.count * sizeof(float));
        }
        sy_free(first);
        finish_job(&job);
    }
    sy_device_close(device);
}

static void a_row_is_copied_with_its_borders(void **state)
{
    (void)state;
    static const float row[5] = {1, 2, 3, 4, 5};
    static const struct {
        int64_t width, first, stride;
        float wanted[4];
    } rows[] = {{5, 0, 1, {1, 2, 3, 4}},   {5, -2, 1, {0, 0, 1, 2}}, {5, 3, 1, {4, 5, 0, 0}},
                {5, -1, 2, {0, 2, 4, 0}},  {5, -9, 3, {0, 0, 0, 1}}, {5, 9, 1, {0, 0, 0, 0}},
                {5, -20, 1, {0, 0, 0, 0}}, {0, 0, 1, {0, 0, 0, 0}},  {2, -1, 1, {0, 1, 2, 0}}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        float found[5] = {7, 7, 7, 7, 7};
        sy_cpu_direct_row(row, rows[i].width, rows[i].first, rows[i].stride, 4, found);
        assert_memory_equal(found, rows[i].wanted, sizeof rows[i].wanted);
        assert_true(found[4] == 7);
    }
}

static void build_reason(sy_device *device, const sy_case *c, uint32_t variant, char reason[256])
{
    const sy_suite *suite = NULL;
    sy_graph *graph = NULL;
    bool is_available = true;
    const char *why = "";
    assert_int_equal(sy_device_suite(device, "convolution", &suite, NULL), SY_OK);
    assert_int_equal(sy_graph_create(device, 1 << 20, &graph, NULL), SY_OK);
    assert_int_equal(suite->build(suite->user, c, variant, graph, NULL), SY_OK);
    assert_int_equal(sy_graph_check(graph, &is_available, &why, NULL), SY_OK);
    assert_false(is_available);
    sy_text_copy(reason, 256, why);
    sy_graph_destroy(graph);
}

static void what_is_beyond_all_memory_is_unavailable_with_the_reason(void **state)
{
    (void)state;
    /* Both tensors are small; the matrix and the kernel's reach are not. */
    static const int64_t spread[] = {1, 1, 1, 1, 1, 2, 2, 1, 1 << 29, 1 << 30, 1};
    static const int64_t wide[] = {1, 1, 1, 3000000, 1, 1, 1000000, 1, 0, 1, 1};
    sy_case_property properties[CONVOLUTION_PROPERTIES];
    char reason[256];
    sy_device *device = open_device(1);
    sy_case c = convolution_case_of(spread, properties);
    build_reason(device, &c, DIRECT, reason);
    assert_non_null(strstr(reason, "above 1 GiB"));
    c = convolution_case_of(wide, properties);
    build_reason(device, &c, IM2COL, reason);
    assert_non_null(strstr(reason, "4 TiB"));
    c.dtype = SY_F16;
    build_reason(device, &c, DIRECT, reason);
    assert_string_equal(reason, "convolves f32, not f16");
    sy_device_close(device);
}

static void a_shape_that_is_none_is_an_error_of_every_implementation(void **state)
{
    (void)state;
    static const int64_t shape[] = {1, 4, 5, 5, 6, 3, 3, 1, 1, 1, 4};
    sy_case_property properties[CONVOLUTION_PROPERTIES];
    const sy_suite *suite = NULL;
    sy_device *device = open_device(1);
    sy_case c = convolution_case_of(shape, properties);
    assert_int_equal(sy_device_suite(device, "convolution", &suite, NULL), SY_OK);
    for (uint32_t variant = 0; variant < suite->implementation_count; variant++) {
        sy_error err = SY_ERROR_INIT;
        sy_graph *graph = NULL;
        assert_int_equal(sy_graph_create(device, 1 << 20, &graph, NULL), SY_OK);
        assert_int_equal(suite->build(suite->user, &c, variant, graph, &err), SY_INVALID_ARGUMENT);
        assert_non_null(strstr(err.what, "4 groups do not divide"));
        sy_graph_destroy(graph);
    }
    sy_device_close(device);
}

static void a_missing_library_names_itself_and_its_package(void **state)
{
    (void)state;
    fake_tree tree;
    char reason[256];
    sy_case_property properties[CONVOLUTION_PROPERTIES];
    sy_case c = convolution_case_of(odd_convolutions[0], properties);
    fake_tree_start(&tree);
    sy_device *device = open_device(1);
    sy_cpu_device_of(device)->root = tree.root;
    build_reason(device, &c, IM2COL, reason);
    assert_non_null(strstr(reason, "libopenblas.so.0 not found in /usr/lib/"));
    assert_non_null(strstr(reason, "libopenblas0-pthread"));
    sy_device_close(device);
    fake_tree_finish(&tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(our_implementations_are_right_at_odd_shapes),
        cmocka_unit_test(every_width_of_vectors_is_right_at_odd_shapes),
        cmocka_unit_test(the_bits_depend_on_no_number_of_threads),
        cmocka_unit_test(a_row_is_copied_with_its_borders),
        cmocka_unit_test(what_is_beyond_all_memory_is_unavailable_with_the_reason),
        cmocka_unit_test(a_shape_that_is_none_is_an_error_of_every_implementation),
        cmocka_unit_test(a_missing_library_names_itself_and_its_package),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
