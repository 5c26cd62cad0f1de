/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of attention: each holds at both of its ends and not beyond, and the fault that was reported of one kernel
 * is never assumed away. */
#include "operations/attention_policy.h"

#include "operations/attention.h"
#include "policy_rows.h"

typedef struct shape {
    int64_t batch, heads, kv_heads, queries, keys, head_dim;
} shape;

static sy_shortcut ask(const sy_device_info *device, sy_dtype dtype, shape s)
{
    const sy_case_property properties[] = {{"batch", s.batch},     {"heads", s.heads}, {"kv_heads", s.kv_heads},
                                           {"queries", s.queries}, {"keys", s.keys},   {"head_dim", s.head_dim},
                                           {"causal", 0},          {"mask", 0},        {"masked_rows", 0}};
    const sy_case asked = {.name = "asked", .weight = 1, .dtype = dtype, .properties = properties, .property_count = 9};
    const sy_shortcut_question question = {.device = device, .cases = &asked, .case_count = 1};
    sy_shortcut answer;
    assert_int_equal(sy_attention_shortcut(NULL, &question, &answer, NULL), SY_OK);
    return answer;
}

static sy_device_info named(const char *backend, const char *name, const char *description, uint32_t threads)
{
    sy_device_info device = {.threads = threads};
    (void)snprintf(device.backend, sizeof device.backend, "%s", backend);
    (void)snprintf(device.name, sizeof device.name, "%s", name);
    (void)snprintf(device.description, sizeof device.description, "%s", description);
    return device;
}

static void every_row_has_a_source_a_date_and_bounds(void **state)
{
    (void)state;
    static const char *const names[] = {"plain", "flash", "flash-default", NULL};
    expect_rows_well_formed(&sy_attention_policy, names);
}

/* Measures in the order of the policy: queries, keys, head_dim, heads, heads a key head. */
static shape shape_of(const double m[5])
{
    return (shape){1, (int64_t)m[3], (int64_t)(m[3] / m[4]), (int64_t)m[0], (int64_t)m[1], (int64_t)m[2]};
}

static sy_dtype dtype_of(const sy_policy_row *row)
{
    return row->dtypes & SY_POLICY_DTYPE(SY_F32) ? SY_F32 : row->dtypes & SY_POLICY_DTYPE(SY_F16) ? SY_F16 : SY_BF16;
}

static void every_row_holds_at_its_ends_and_not_beyond(void **state)
{
    (void)state;
    for (size_t i = 0; i < sy_attention_policy.row_count; i++) {
        const sy_policy_row *row = &sy_attention_policy.rows[i];
        const sy_device_info device = device_of_row(row);
        for (int end = 0; end < 2; end++) {
            double m[5];
            for (size_t j = 0; j < 5; j++) {
                m[j] = end ? row->ranges[j].largest : row->ranges[j].least;
            }
            sy_shortcut answer = ask(&device, dtype_of(row), shape_of(m));
            assert_non_null(answer.implementation);
            assert_string_equal(answer.implementation, row->implementation);
            assert_string_equal(answer.evidence, row->evidence);
        }
        double beyond[5];
        for (size_t j = 0; j < 5; j++) {
            beyond[j] = row->ranges[j].largest;
        }
        beyond[0] = 1e6; /* queries, of which no row has so many */
        sy_shortcut answer = ask(&device, dtype_of(row), shape_of(beyond));
        assert_null(answer.implementation);
        assert_non_null(strstr(answer.reason, "queries 1000000 is above the largest proven one"));
    }
}

/* https://github.com/leejet/stable-diffusion.cpp/issues/2003: HIP, right at 2560 x 2560, whole tokens of zeros at
 * 3072 x 3072; patches of 16 x 16 pixels, 24 heads of 64. */
static void the_kernel_that_zeroes_tokens_above_2560_squared_is_assumed_nowhere(void **state)
{
    (void)state;
    const sy_device_info device = named("ggml", "ggml:ROCm0", "ggml 0.23.0 (80fb11a), ROCm0: AMD Radeon 890M Graphics",
                                        0);
    for (int64_t pixels = 1024; pixels <= 3072; pixels += 512) {
        const int64_t tokens = (pixels / 16) * (pixels / 16);
        assert_null(ask(&device, SY_F16, (shape){1, 24, 24, tokens, tokens, 64}).implementation);
    }
    assert_null(ask(&device, SY_F16, (shape){1, 30, 30, 4096, 4096, 128}).implementation);
}

static void devices_that_nobody_reported_on_are_unknown(void **state)
{
    (void)state;
    const shape small = {1, 16, 2, 512, 512, 128};
    static const char *const devices[][3] = {
        {"ggml", "ggml:CUDA0", "ggml 0.23.0 (80fb11a), CUDA0: NVIDIA GeForce RTX 4090 Laptop GPU"},
        {"ggml", "ggml:Vulkan0", "ggml 0.23.0 (80fb11a), Vulkan0: NVIDIA GeForce RTX 4090"},
        {"ggml", "ggml:Metal", "Apple M2 Ultra"},
        {"cpu", "cpu", "AMD EPYC 7B13, avx2"},
        {"cpu", "cpu", "Intel(R) Xeon(R) CPU E5-2620 v3, avx2"}};
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
        const sy_device_info device = named(devices[i][0], devices[i][1], devices[i][2], 2);
        const sy_shortcut answer = ask(&device, SY_F16, small);
        assert_null(answer.implementation);
        assert_string_equal(answer.reason, "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_has_a_source_a_date_and_bounds),
        cmocka_unit_test(every_row_holds_at_its_ends_and_not_beyond),
        cmocka_unit_test(the_kernel_that_zeroes_tokens_above_2560_squared_is_assumed_nowhere),
        cmocka_unit_test(devices_that_nobody_reported_on_are_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
