/* SPDX-License-Identifier: Apache-2.0 */
/* Each mutant on ggml is wrong in its own way, at small sizes and at those of the quick cases, and what it is made of
 * is right there; a reference that gives NaN is called wrong by name. */
#include <steelyard/probe.h>

#include "ggml_cases.h"

/* Tiles of queries, which flash sums in f32: shared heads; causal with more keys; a bias; wide heads; more keys. */
static const ggml_attention_size sizes[] = {{1, 8, 2, 64, 77, 64, 0, 0},
                                            {1, 4, 2, 70, 130, 32, 1, 0},
                                            {1, 4, 4, 64, 65, 16, 0, 1},
                                            {2, 4, 2, 128, 90, 128, 0, 0},
                                            {1, 4, 2, 64, 1024, 64, 1, 0}};
enum { SIZE_COUNT = sizeof sizes / sizeof sizes[0] };

/* On uniform data, and on the case's own where it has a mask, as parity does. */
static double attention_error(const char *name, size_t size, sy_dtype dtype)
{
    ggml_case small;
    ggml_job job;
    set_attention_case(&small, &sizes[size], dtype);
    if (!start_ggml_job(&job, "attention", &small.c, name, 1))
        fail_msg("%s: %s", name, job.reason);
    double error = 0;
    for (int own = 0; own <= (small.c.own_inputs ? 1 : 0); own++) {
        fill_ggml_job(&job, SY_FILL_REAL, own == 1, GGML_SEED);
        run_ggml_job(&job);
        error = fmax(error, ggml_job_error(&job, SY_CLASS_EXACT) / (own == 1 ? 4 : 1));
    }
    finish_ggml_job(&job);
    return error;
}

static void attentions_are_wrong_at_every_size_and_what_they_are_made_of_is_right(void **state)
{
    (void)state;
    static const char *const names[] = {"mutant-key-tail",    "mutant-wrong-scale", "mutant-wrong-heads",
                                        "mutant-bf16-values", "mutant-zeroed-tail", "mutant-moved",
                                        "mutant-nan"};
    const sy_dtype dtypes[] = {SY_F32, SY_F16, SY_BF16};
    for (size_t at = 0; at < 3 * SIZE_COUNT; at++) {
        sy_dtype dtype = dtypes[at % 3];
        assert_true(attention_error("flash", at / 3, dtype) <= 1);
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            bool is_none = dtype == SY_BF16 && strcmp(names[i], "mutant-bf16-values") == 0; /* v is of 8 bits there */
            double error = attention_error(names[i], at / 3, dtype);
            if (is_none != (error <= 1))
                fail_msg("%s, %s, size %zu: %g times what is allowed", names[i], sy_dtype_word(dtype), at / 3, error);
        }
    }
}

static void a_mask_that_is_not_read_shows_where_there_is_one(void **state)
{
    (void)state;
    for (size_t size = 0; size < SIZE_COUNT; size++)
        assert_int_equal(attention_error("mutant-mask-ignored", size, SY_F16) > 1,
                         sizes[size].causal || sizes[size].mask);
}

/* ---- convolutions ---- */

typedef struct faults {
    bool real;  /* beyond what is allowed on uniform data */
    bool exact; /* small integers differ */
} faults;

static faults look_at(const char *operation, const sy_case *c, const char *name)
{
    ggml_job job;
    faults seen;
    if (!start_ggml_job(&job, operation, c, name, 1))
        fail_msg("%s: %s", name, job.reason);
    fill_ggml_job(&job, SY_FILL_REAL, false, GGML_SEED);
    run_ggml_job(&job);
    seen.real = !(ggml_job_error(&job, SY_CLASS_EXACT) <= 1);
    fill_ggml_job(&job, SY_FILL_EXACT_LEFT, false, GGML_SEED);
    run_ggml_job(&job);
    seen.exact = ggml_job_wrong(&job) > 0;
    finish_ggml_job(&job);
    return seen;
}

static void expect_all_seen(const char *operation, const sy_case *c)
{
    static const char *const names[] = {"mutant-shifted-taps", "mutant-channel-tail", "mutant-zeroed-tail",
                                        "mutant-moved",        "mutant-nan",          "mutant-bf16-image"};
    faults direct = look_at(operation, c, "direct");
    faults im2col = look_at(operation, c, "im2col");
    if (direct.real || direct.exact || im2col.real || im2col.exact)
        fail_msg("%s %s is wrong itself", operation, c->name);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        faults seen = look_at(operation, c, names[i]);
        bool is_coarse = strcmp(names[i], "mutant-bf16-image") == 0; /* that is a matter of rounding */
        if (!seen.exact || (!is_coarse && !seen.real && strcmp(names[i], "mutant-channel-tail") != 0))
            fail_msg("%s at %s %s is not seen", names[i], operation, c->name);
    }
}

static void convolutions_are_wrong_at_every_size_and_what_they_are_made_of_is_right(void **state)
{
    (void)state;
    static const ggml_convolution_size dense[] = {{{1, 5, 24, 24, 8, 3, 3, 1, 1, 1, 1}},
                                                  {{1, 130, 9, 9, 40, 1, 1, 1, 0, 1, 1}},
                                                  {{2, 16, 13, 13, 33, 3, 3, 2, 1, 1, 1}}};
    static const ggml_convolution_size depthwise = {{1, 16, 20, 20, 16, 5, 5, 1, 2, 1, 16}};
    static const ggml_volume_size volumes[] = {{{1, 4, 3, 12, 12, 16, 3, 3, 3, 1, 1, 0, 1, 1, 1}},
                                               {{1, 16, 2, 16, 16, 32, 1, 2, 2, 1, 2, 0, 0, 1, 1}}};
    for (size_t at = 0; at < 12; at++) {
        ggml_case small;
        sy_dtype dtype = at % 2 == 0 ? SY_F16 : SY_F32;
        if (at / 2 < 3) {
            set_convolution_case(&small, &dense[at / 2], dtype);
            expect_all_seen("convolution", &small.c);
        } else if (at / 2 < 5) {
            set_volume_case(&small, &volumes[at / 2 - 3], dtype);
            expect_all_seen("convolution-3d", &small.c);
        } else if (dtype == SY_F16) {
            set_convolution_case(&small, &depthwise, dtype);
            expect_all_seen("convolution-depthwise", &small.c);
        }
    }
}

/* ---- a reference that is wrong ---- */

/* One probe of `reference` against `candidate` over one small case, in this process. */
static sy_probe_result *probe(sy_device *device, const char *operation, const sy_case *c, const char *reference,
                              const char *candidate)
{
    const char *const names[] = {reference, candidate};
    const sy_suite *whole = NULL;
    sy_probe_result *result = NULL;
    sy_error err = SY_ERROR_INIT;
    sy_probe_options options = SY_PROBE_OPTIONS_INIT;
    assert_int_equal(sy_device_suite(device, operation, &whole, NULL), SY_OK);
    sy_suite suite = *whole;
    suite.cases = c;
    suite.case_count = 1;
    options.implementations = names;
    options.implementation_count = 2;
    options.reference = reference;
    options.seed = 3;
    options.max_pairs = 8;
    if (sy_probe(device, &suite, &options, &result, &err) != SY_OK)
        fail_msg("%s", err.what);
    return result;
}

static void a_reference_that_gives_nan_is_called_wrong_and_the_candidate_is_not(void **state)
{
    (void)state;
    const ggml_convolution_size dense = {{1, 5, 24, 24, 8, 3, 3, 1, 1, 1, 1}};
    sy_device *device = open_ggml(1);
    ggml_case cases[2];
    set_attention_case(&cases[0], &sizes[0], SY_F16);
    set_convolution_case(&cases[1], &dense, SY_F16);
    const char *const operations[] = {"attention", "convolution"};
    const char *const candidates[] = {"flash", "direct"};
    for (size_t i = 0; i < 2; i++) {
        sy_probe_result *result = probe(device, operations[i], &cases[i].c, "mutant-nan", candidates[i]);
        assert_int_equal(result->decision, SY_DECISION_PARITY_FAILED);
        if (strstr(result->error, "nonfinite: reference") == NULL || strstr(result->error, "mutant-nan") == NULL)
            fail_msg("the probe says: %s", result->error);
        sy_probe_result_destroy(result);
        result = probe(device, operations[i], &cases[i].c, i == 0 ? "plain" : "im2col", "mutant-nan");
        assert_int_equal(result->decision, SY_DECISION_PARITY_FAILED);
        if (strstr(result->error, "nonfinite: candidate") == NULL)
            fail_msg("the probe says: %s", result->error);
        sy_probe_result_destroy(result);
    }
    sy_device_close(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attentions_are_wrong_at_every_size_and_what_they_are_made_of_is_right),
        cmocka_unit_test(a_mask_that_is_not_read_shows_where_there_is_one),
        cmocka_unit_test(convolutions_are_wrong_at_every_size_and_what_they_are_made_of_is_right),
        cmocka_unit_test(a_reference_that_gives_nan_is_called_wrong_and_the_candidate_is_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
