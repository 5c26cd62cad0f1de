/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions as engines store them, of two and three dimensions: the case tables, and right values against sums
 * written out here. */
#include "cmocka_headers.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "operations/engine/convolution_3d.h"
#include "operations/engine/convolution_engine.h"
#include "operations/fill.h"
#include "operations/half.h"

enum { SEED = 9, COUNT_2D = 11, COUNT_3D = 15 };

typedef sy_status (*tensors_fn)(const sy_case *c, sy_tensor_desc *source, sy_tensor_desc *weights,
                                sy_tensor_desc *output, sy_error *err);
typedef sy_status (*oracle_fn)(void *user, const sy_case *c, const sy_oracle_request *request, sy_error *err);

static const char *const names_2d[COUNT_2D] = {"batch",    "channels", "height",  "width",    "filters", "kernel_h",
                                               "kernel_w", "stride",   "padding", "dilation", "groups"};
static const char *const names_3d[COUNT_3D] = {"batch",   "channels",  "depth",    "height",     "width",
                                               "filters", "kernel_d",  "kernel_h", "kernel_w",   "stride_d",
                                               "stride",  "padding_d", "padding",  "dilation_d", "dilation"};

typedef struct job {
    sy_case_property properties[COUNT_3D];
    sy_case c;
    sy_tensor_desc tensors[3];
    sy_output inputs[2];
    void *bytes[2];
    uint64_t count;
    double *values;
    double *scales;
} job;

static void start(job *j, const char *const *names, const int64_t *values, size_t count, sy_dtype dtype,
                  tensors_fn tensors_of)
{
    memset(j, 0, sizeof *j);
    for (size_t i = 0; i < count; i++)
        j->properties[i] = (sy_case_property){names[i], values[i]};
    j->c = (sy_case){.name = "small",
                     .dtype = dtype,
                     .properties = j->properties,
                     .property_count = count,
                     .tolerance = {4, 1, SY_F16, NAN, NAN},
                     .rounds_inputs_to = SY_F16};
    assert_int_equal(tensors_of(&j->c, &j->tensors[0], &j->tensors[1], &j->tensors[2], NULL), SY_OK);
    for (uint32_t i = 0; i < 2; i++) {
        j->inputs[i].desc = &j->tensors[i];
        assert_int_equal(sy_tensor_desc_check(&j->tensors[i], NULL, &j->inputs[i].size, NULL), SY_OK);
        j->bytes[i] = sy_allocate(1, j->inputs[i].size);
        j->inputs[i].bytes = j->bytes[i];
        assert_int_equal(sy_fill_input(SY_FILL_REAL, SEED, i, &j->c, &j->tensors[i], j->bytes[i], NULL), SY_OK);
    }
    assert_int_equal(sy_tensor_desc_check(&j->tensors[2], &j->count, NULL, NULL), SY_OK);
    j->values = sy_allocate(j->count, sizeof(double));
    j->scales = sy_allocate(j->count, sizeof(double));
}

static void finish(job *j)
{
    sy_free(j->bytes[0]);
    sy_free(j->bytes[1]);
    sy_free(j->values);
    sy_free(j->scales);
}

static sy_status ask(const job *j, oracle_fn oracle, const uint64_t *indices, uint64_t count, double *values,
                     double *scales)
{
    sy_oracle_request request = {j->inputs, 2, 0, indices, count, values, scales};
    return oracle(NULL, &j->c, &request, NULL);
}

static double element(const job *j, size_t input, int64_t index)
{
    double value = NAN;
    sy_elements_to_double(j->tensors[input].dtype, j->bytes[input], (uint64_t)index, 1, &value);
    return value;
}

/* A convolution of three dimensions, of which the two-dimensional one is a case: depth 1. */
typedef struct volume {
    sy_convolution_3d_shape s;
    int64_t groups;
} volume;

static void by_hand(const job *j, const volume *v, int64_t index, double *ret_value, double *ret_scale)
{
    const sy_convolution_3d_shape *s = &v->s;
    int64_t x = index % s->out_width;
    int64_t y = index / s->out_width % s->out_height;
    int64_t z = index / s->out_width / s->out_height % s->out_depth;
    int64_t f = index / s->out_width / s->out_height / s->out_depth % s->filters;
    int64_t n = index / s->out_width / s->out_height / s->out_depth / s->filters;
    int64_t channels = s->channels / v->groups;
    int64_t first = f / (s->filters / v->groups) * channels;
    *ret_value = *ret_scale = 0;
    for (int64_t k = 0; k < channels * s->kernel_d * s->kernel_h * s->kernel_w; k++) {
        int64_t column = x * s->stride + k % s->kernel_w * s->dilation - s->padding;
        int64_t row = y * s->stride + k / s->kernel_w % s->kernel_h * s->dilation - s->padding;
        int64_t frame = z * s->stride_d + k / s->kernel_w / s->kernel_h % s->kernel_d * s->dilation_d - s->padding_d;
        int64_t channel = first + k / s->kernel_w / s->kernel_h / s->kernel_d;
        if (column < 0 || column >= s->width || row < 0 || row >= s->height || frame < 0 || frame >= s->depth)
            continue;
        double product =
            element(j, 0, (((n * s->channels + channel) * s->depth + frame) * s->height + row) * s->width + column) *
            element(j, 1, f * channels * s->kernel_d * s->kernel_h * s->kernel_w + k);
        *ret_value += product;
        *ret_scale += fabs(product);
    }
}

static void check_all(const job *j, const volume *v, oracle_fn oracle)
{
    uint64_t some[16];
    double values[16];
    double scales[16];
    assert_int_equal(ask(j, oracle, NULL, j->count, j->values, j->scales), SY_OK);
    for (uint64_t i = 0; i < j->count; i++) {
        double value;
        double scale;
        by_hand(j, v, (int64_t)i, &value, &scale);
        if (!(fabs(j->values[i] - value) <= 1e-12) || !(fabs(j->scales[i] - scale) <= 1e-12))
            fail_msg("element %llu: %.17g, by hand %.17g", (unsigned long long)i, j->values[i], value);
    }
    for (uint64_t i = 0; i < 16; i++)
        some[i] = i * (j->count - 1) / 15;
    assert_int_equal(ask(j, oracle, some, 16, values, scales), SY_OK);
    for (uint64_t i = 0; i < 16; i++)
        assert_true(fabs(values[i] - j->values[some[i]]) <= 1e-12 && fabs(scales[i] - j->scales[some[i]]) <= 1e-12);
}

static void right_values_of_two_dimensions_are_those_of_the_definition(void **state)
{
    (void)state;
    static const int64_t shapes[][COUNT_2D] = {{1, 3, 7, 6, 5, 3, 3, 1, 1, 1, 1},
                                               {2, 4, 9, 9, 3, 3, 3, 2, 1, 1, 1},
                                               {1, 6, 8, 7, 6, 3, 3, 1, 2, 2, 6},
                                               {1, 5, 5, 5, 4, 1, 1, 1, 0, 1, 1}};
    for (size_t at = 0; at < 8; at++) {
        job j;
        sy_convolution_shape s;
        start(&j, names_2d, shapes[at / 2], COUNT_2D, at % 2 == 0 ? SY_F16 : SY_F32, sy_engine_convolution_tensors);
        assert_int_equal(sy_convolution_shape_of(&j.c, &s, NULL), SY_OK);
        volume v = {{.batch = s.batch,
                     .channels = s.channels,
                     .depth = 1,
                     .height = s.height,
                     .width = s.width,
                     .filters = s.filters,
                     .kernel_d = 1,
                     .kernel_h = s.kernel_h,
                     .kernel_w = s.kernel_w,
                     .stride_d = 1,
                     .stride = s.stride,
                     .padding = s.padding,
                     .dilation_d = 1,
                     .dilation = s.dilation,
                     .out_depth = 1,
                     .out_height = s.out_height,
                     .out_width = s.out_width},
                    s.groups};
        check_all(&j, &v, sy_engine_convolution_oracle);
        finish(&j);
    }
}

static const int64_t volumes[][COUNT_3D] = {{1, 3, 4, 6, 5, 4, 3, 3, 3, 1, 1, 1, 1, 1, 1},
                                            {2, 2, 5, 7, 6, 3, 2, 3, 3, 2, 2, 0, 1, 1, 1},
                                            {1, 4, 1, 8, 6, 5, 1, 2, 2, 1, 2, 0, 0, 1, 1},
                                            {1, 2, 7, 6, 7, 2, 3, 3, 2, 1, 1, 2, 2, 2, 2}};

static void right_values_of_three_dimensions_are_those_of_the_definition(void **state)
{
    (void)state;
    for (size_t at = 0; at < 8; at++) {
        job j;
        volume v = {.groups = 1};
        start(&j, names_3d, volumes[at / 2], COUNT_3D, at % 2 == 0 ? SY_F16 : SY_F32, sy_convolution_3d_tensors);
        assert_int_equal(sy_convolution_3d_shape_of(&j.c, &v.s, NULL), SY_OK);
        check_all(&j, &v, sy_convolution_3d_oracle);
        finish(&j);
    }
}

static void tables_count_their_work_and_keep_sums_of_the_exact_stage_exact(void **state)
{
    (void)state;
    const struct {
        const sy_case *cases;
        size_t count;
        tensors_fn tensors_of;
    } tables[] = {
        {sy_engine_convolution_case_table, SY_ENGINE_CONVOLUTION_CASE_COUNT, sy_engine_convolution_tensors},
        {sy_engine_depthwise_case_table, SY_ENGINE_DEPTHWISE_CASE_COUNT, sy_engine_convolution_tensors},
        {sy_convolution_3d_case_table, SY_CONVOLUTION_3D_CASE_COUNT, sy_convolution_3d_tensors},
    };
    for (size_t t = 0; t < 3; t++) {
        for (size_t i = 0; i < tables[t].count; i++) {
            const sy_case *c = &tables[t].cases[i];
            sy_tensor_desc all[3];
            uint64_t elements[3];
            uint64_t bytes = 0;
            uint64_t sum = 0;
            assert_int_equal(tables[t].tensors_of(c, &all[0], &all[1], &all[2], NULL), SY_OK);
            for (size_t k = 0; k < 3; k++) {
                assert_int_equal(sy_tensor_desc_check(&all[k], &elements[k], &bytes, NULL), SY_OK);
                sum += bytes;
            }
            assert_true(c->byte_count == (double)sum);
            assert_true(c->flop_count == 2.0 * (double)elements[2] * (double)c->exact_length);
            assert_true(c->exact_stage && c->exact_overlap && c->rounds_inputs_to == SY_F16);
            assert_int_equal(elements[1] % c->exact_length, 0);
        }
    }
}

static void what_is_not_the_cases_is_refused(void **state)
{
    (void)state;
    job j;
    start(&j, names_3d, volumes[0], COUNT_3D, SY_F16, sy_convolution_3d_tensors);
    const uint64_t outside[] = {j.count};
    assert_int_equal(ask(&j, sy_convolution_3d_oracle, outside, 1, j.values, j.scales), SY_INVALID_ARGUMENT);
    sy_oracle_request request = {j.inputs, 1, 0, NULL, j.count, j.values, j.scales};
    assert_int_equal(sy_convolution_3d_oracle(NULL, &j.c, &request, NULL), SY_INVALID_ARGUMENT);
    j.c.dtype = SY_BF16;
    assert_int_equal(sy_convolution_3d_tensors(&j.c, &j.tensors[0], &j.tensors[1], &j.tensors[2], NULL),
                     SY_INVALID_ARGUMENT);
    assert_int_equal(sy_engine_convolution_tensors(&j.c, &j.tensors[0], &j.tensors[1], &j.tensors[2], NULL),
                     SY_INVALID_ARGUMENT);
    j.c.dtype = SY_F16;
    for (size_t i = 0; i < COUNT_3D; i++) {
        int64_t kept = j.properties[i].value;
        j.properties[i].value = -1;
        assert_int_equal(sy_convolution_3d_tensors(&j.c, &j.tensors[0], &j.tensors[1], &j.tensors[2], NULL),
                         SY_INVALID_ARGUMENT);
        j.properties[i].value = kept;
    }
    j.properties[6].value = 9; /* kernel_d, beyond the padded depth */
    assert_int_equal(sy_convolution_3d_tensors(&j.c, &j.tensors[0], &j.tensors[1], &j.tensors[2], NULL),
                     SY_INVALID_ARGUMENT);
    finish(&j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_values_of_two_dimensions_are_those_of_the_definition),
        cmocka_unit_test(right_values_of_three_dimensions_are_those_of_the_definition),
        cmocka_unit_test(tables_count_their_work_and_keep_sums_of_the_exact_stage_exact),
        cmocka_unit_test(what_is_not_the_cases_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
