/* SPDX-License-Identifier: Apache-2.0 */
/* Attention on cpu: each implementation right at awkward sizes and in every storage type, what each needs of memory,
 * and what is refused. */
#include "attention_job.h"

#include "fake_tree.h"

enum { PLAIN, FLASH, DOUBLE, VARIANTS };

/* Head dims, keys and rows around vectors, panels, blocks of rows and tiles; one query; shared key heads; causal with
 * more keys than queries; rows that see no key. */
static const attention_size sizes[] = {
    {1, 8, 8, 1, 77, 40, 0, 0, 0},    {1, 2, 2, 64, 77, 40, 0, 0, 0},   {1, 8, 2, 1, 300, 128, 0, 0, 0},
    {2, 14, 2, 1, 257, 64, 0, 0, 0},  {1, 4, 4, 97, 97, 80, 1, 0, 0},   {1, 4, 1, 33, 130, 64, 1, 0, 0},
    {1, 2, 1, 3, 70, 65, 1, 1, 1},    {1, 3, 3, 50, 66, 33, 0, 1, 3},   {2, 4, 2, 31, 65, 7, 1, 1, 2},
    {1, 2, 2, 193, 64, 160, 0, 0, 0}, {1, 16, 16, 2, 5, 16, 0, 1, 1},   {1, 1, 1, 400, 1, 3, 0, 0, 0},
    {1, 8, 1, 1, 1024, 64, 1, 1, 0},  {1, 1, 1, 16, 500, 128, 0, 0, 0},
};
enum { SIZE_COUNT = sizeof sizes / sizeof sizes[0] };

static const sy_dtype dtypes[] = {SY_F32, SY_F16, SY_BF16};

/* What is allowed has a margin: half of it is the most that a right implementation was seen to need. */
static void every_implementation_is_right_at_awkward_sizes(void **state)
{
    (void)state;
    for (uint32_t variant = PLAIN; variant < VARIANTS; variant++) {
        double worst = 0;
        for (size_t i = 0; i < 3 * SIZE_COUNT; i++) {
            attention_job job;
            if (!start_attention_job(&job, &sizes[i / 3], dtypes[i % 3], variant)) {
                print_message("skipped: %s: %s\n", job.name, job.reason);
                finish_attention_job(&job);
                break;
            }
            run_attention_job(&job);
            double error = attention_error(&job);
            if (!(error <= 1)) {
                fail_msg("%s, %s, size %zu: %.3g times what is allowed", job.name, sy_dtype_word(dtypes[i % 3]), i / 3,
                         error);
            }
            worst = error > worst ? error : worst;
            assert_true(attention_inputs_are_untouched(&job));
            finish_attention_job(&job);
        }
        print_message("worst of variant %u: %.3f times what is allowed\n", variant, worst);
    }
}

static void rows_that_see_no_key_are_zero(void **state)
{
    (void)state;
    static const attention_size masked[] = {{1, 2, 1, 20, 70, 24, 0, 1, 5}, {1, 4, 4, 1, 90, 32, 0, 1, 1}};
    for (uint32_t at = 0; at < 2 * VARIANTS; at++) {
        const attention_size *size = &masked[at % 2];
        attention_job job;
        if (start_attention_job(&job, size, SY_F32, at / 2)) {
            run_attention_job(&job);
            for (uint64_t i = 0; i < job.data.count; i++) {
                int64_t query = (int64_t)i / size->head_dim % size->queries;
                if (query < size->masked_rows && ((const float *)job.found)[i] != 0) {
                    fail_msg("%s: element %llu is %g", job.name, (unsigned long long)i,
                             (double)((const float *)job.found)[i]);
                }
            }
        } else {
            print_message("skipped: %s: %s\n", job.name, job.reason);
        }
        finish_attention_job(&job);
    }
}

/* A NaN in a query, key or value is seen in every output that depends on it, and only there. */
static void a_nan_is_handed_on_and_stays_in_its_row(void **state)
{
    (void)state;
    const attention_size size = {1, 2, 2, 40, 90, 16, 0, 0, 0};
    const float nan_value = NAN;
    for (uint32_t at = 0; at < 3 * DOUBLE; at++) {
        uint32_t input = at % 3;
        attention_job job;
        if (start_attention_job(&job, &size, SY_F32, at / 3)) {
            /* Of head 1: query 7, key 50's first element, value 50's last. */
            uint64_t element = input == 0 ? (40 + 7) * 16 : (90 + 50) * 16 + (input == 2 ? 15 : 0);
            assert_int_equal(sy_tensor_write(sy_graph_input_at(job.graph, input), element * 4, &nan_value, 4, NULL),
                             SY_OK);
            run_attention_job(&job);
            for (uint64_t i = 0; i < job.data.count; i++) {
                bool depends = i >= 640 && (input == 1 || (input == 0 && i / 16 == 47) || (input == 2 && i % 16 == 15));
                assert_int_equal(isnan(((const float *)job.found)[i]) != 0, depends);
            }
        }
        finish_attention_job(&job);
    }
}

/* ---- memory ---- */

/* Builds and throws away: the memory it would take, or 0 with the reason why it is not there. */
static uint64_t memory_of(sy_device *device, const sy_case *c, uint32_t variant, char reason[256])
{
    const sy_suite *suite = attention_suite(device);
    sy_graph *graph = NULL;
    sy_error err = SY_ERROR_INIT;
    bool is_available = false;
    const char *why = "";
    assert_int_equal(sy_graph_create(device, 1 << 20, &graph, NULL), SY_OK);
    if (suite->build(suite->user, c, variant, graph, &err) != SY_OK) {
        fail_msg("%s", err.what);
    }
    assert_int_equal(sy_graph_check(graph, &is_available, &why, NULL), SY_OK);
    sy_text_copy(reason, 256, why);
    uint64_t bytes = is_available ? sy_graph_memory_bytes(graph) : 0;
    sy_graph_destroy(graph);
    return bytes;
}

static void plain_holds_all_scores_and_flash_none(void **state)
{
    (void)state;
    sy_device *device = open_cpu(2);
    for (size_t i = 0; i < SY_ATTENTION_CASE_COUNT; i++) {
        const sy_case *c = &sy_attention_case_table[i];
        sy_attention_tensors tensors;
        uint64_t scores = 0;
        char reason[256];
        uint64_t plain = memory_of(device, c, PLAIN, reason);
        uint64_t flash = memory_of(device, c, FLASH, reason);
        assert_int_equal(sy_attention_tensors_of(c, &tensors, NULL), SY_OK);
        assert_int_equal(sy_tensor_desc_check(&tensors.scores, NULL, &scores, NULL), SY_OK);
        assert_true((double)flash >= c->byte_count && (double)flash < c->byte_count + (4 << 20));
        assert_true(plain == 0 || (double)plain >= c->byte_count + (double)scores);
    }
    sy_device_close(device);
}

/* ---- what is refused ---- */

static void a_bad_shape_is_an_error_of_every_implementation(void **state)
{
    (void)state;
    const attention_size bad = {1, 3, 2, 1, 1, 1, 0, 0, 0};
    sy_case_property properties[9];
    sy_case c = attention_case(&bad, SY_F32, properties);
    sy_device *device = open_cpu(1);
    const sy_suite *suite = attention_suite(device);
    for (uint32_t variant = 0; variant < VARIANTS; variant++) {
        sy_graph *graph = NULL;
        sy_error err = SY_ERROR_INIT;
        assert_int_equal(sy_graph_create(device, 1 << 20, &graph, NULL), SY_OK);
        assert_int_equal(suite->build(suite->user, &c, variant, graph, &err), SY_INVALID_ARGUMENT);
        assert_non_null(strstr(err.what, "case 'small': kv_heads is 2"));
        sy_graph_destroy(graph);
    }
    sy_device_close(device);
}

static void dimensions_beyond_the_integers_of_a_library_make_it_unavailable(void **state)
{
    (void)state;
    static const attention_size long_keys = {1, 1, 1, 1, INT64_C(1) << 31, 1, 0, 0, 0};
    sy_case_property properties[9];
    sy_case c = attention_case(&long_keys, SY_F32, properties);
    sy_device *device = open_cpu(1);
    for (uint32_t variant = PLAIN; variant <= FLASH; variant++) {
        char reason[256];
        assert_int_equal(memory_of(device, &c, variant, reason), 0);
        assert_non_null(strstr(reason, "2147483647"));
    }
    sy_device_close(device);
}

static void without_openblas_plain_names_it_and_its_package(void **state)
{
    (void)state;
    fake_tree tree;
    char path[256];
    char reason[256];
    fake_tree_start(&tree);
    sy_device *device = open_cpu(1);
    sy_cpu_device_of(device)->root = tree.root;
    assert_int_equal(memory_of(device, &sy_attention_case_table[0], PLAIN, reason), 0);
    assert_non_null(strstr(reason, "libopenblas.so.0 not found"));
    assert_non_null(strstr(reason, "apt-get install libopenblas0-pthread"));
    assert_false(sy_cpu_attention_operation.look(PLAIN, tree.root, path, sizeof path, reason, sizeof reason));
    assert_true(sy_cpu_attention_operation.look(FLASH, tree.root, path, sizeof path, reason, sizeof reason));
    assert_true(memory_of(device, &sy_attention_case_table[0], FLASH, reason) > 0);
    sy_device_close(device);
    fake_tree_finish(&tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_implementation_is_right_at_awkward_sizes),
        cmocka_unit_test(rows_that_see_no_key_are_zero),
        cmocka_unit_test(a_nan_is_handed_on_and_stays_in_its_row),
        cmocka_unit_test(plain_holds_all_scores_and_flash_none),
        cmocka_unit_test(a_bad_shape_is_an_error_of_every_implementation),
        cmocka_unit_test(dimensions_beyond_the_integers_of_a_library_make_it_unavailable),
        cmocka_unit_test(without_openblas_plain_names_it_and_its_package),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
