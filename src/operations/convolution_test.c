/* SPDX-License-Identifier: Apache-2.0 */
/* The convolution's shapes against published ones, and what no convolution can be. */
#include "cmocka_headers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "operations/convolution.h"
#include "operations/oracle.h"

enum { CHANNELS = 1, HEIGHT, WIDTH, FILTERS, KERNEL_H, KERNEL_W, STRIDE, PADDING, DILATION, GROUPS };

static const sy_case_property small[] = {{"batch", 2},   {"channels", 4}, {"height", 9},   {"width", 7},
                                         {"filters", 6}, {"kernel_h", 3}, {"kernel_w", 2}, {"stride", 2},
                                         {"padding", 1}, {"dilation", 2}, {"groups", 2}};

/* The small case with one property replaced. */
static sy_case case_with(sy_case_property properties[11], size_t at, int64_t value)
{
    memcpy(properties, small, sizeof small);
    properties[at].value = value;
    return (sy_case){.name = "c", .dtype = SY_F32, .properties = properties, .property_count = 11};
}

static const sy_case *case_named(const char *name)
{
    for (size_t i = 0; i < SY_CONVOLUTION_CASE_COUNT; i++) {
        if (strcmp(sy_convolution_case_table[i].name, name) == 0) {
            return &sy_convolution_case_table[i];
        }
    }
    fail_msg("no case %s", name);
    return NULL;
}

static void outputs_have_the_sizes_that_the_papers_print(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t out;
        double giga_flop; /* twice the multiply-adds */
    } published[] = {
        {"resnet50-7x7-3-224", 112, 2 * 0.118013952},       {"resnet50-3x3-64-56", 56, 2 * 0.115605504},
        {"resnet50-down-256-512-56", 28, 2 * 0.102760448},  {"mobilenetv2-3x3-144-56-stride-2", 28, 2 * 0.001016064},
        {"mobilenetv2-3x3-32-112", 112, 2 * 0.003612672},   {"deeplab-3x3-512-33-rate-2", 33, 2 * 2.569273344},
        {"deeplab-3x3-320-33-rate-12", 33, 2 * 0.80289792}, {"sd15-down-320-64", 32, 2 * 0.9437184},
        {"vae-3x3-128-512", 512, 2 * 38.654705664},         {"resnext50-3x3-128-56", 56, 2 * 0.014450688}};
    for (size_t i = 0; i < sizeof published / sizeof published[0]; i++) {
        sy_convolution_shape shape;
        const sy_case *c = case_named(published[i].name);
        assert_int_equal(sy_convolution_shape_of(c, &shape, NULL), SY_OK);
        assert_int_equal(shape.out_height, published[i].out);
        assert_int_equal(shape.out_width, published[i].out);
        assert_true(fabs(c->flop_count / 1e9 - published[i].giga_flop) < 1e-12);
    }
}

static void every_case_says_what_its_shape_is(void **state)
{
    (void)state;
    int64_t longest = 0;
    size_t quick = 0;
    size_t sampled = 0;
    for (size_t i = 0; i < SY_CONVOLUTION_CASE_COUNT; i++) {
        const sy_case *c = &sy_convolution_case_table[i];
        sy_tensor_desc tensors[3];
        sy_convolution_shape shape;
        uint64_t elements[3];
        uint64_t bytes[3];
        assert_int_equal(sy_convolution_shape_of(c, &shape, NULL), SY_OK);
        assert_int_equal(sy_convolution_tensors(c, &tensors[0], &tensors[1], &tensors[2], NULL), SY_OK);
        for (size_t k = 0; k < 3; k++) {
            assert_int_equal(sy_tensor_desc_check(&tensors[k], &elements[k], &bytes[k], NULL), SY_OK);
        }
        assert_int_equal(c->exact_length, sy_convolution_terms(&shape));
        assert_true(c->exact_stage && c->exact_overlap);
        assert_true(c->flop_count == 2.0 * (double)elements[2] * (double)c->exact_length);
        assert_true(c->byte_count == (double)(bytes[0] + bytes[1] + bytes[2]));
        assert_string_not_equal(c->source, "");
        longest = sy_convolution_terms(&shape) > longest ? sy_convolution_terms(&shape) : longest;
        quick += c->quick;
        sampled += sy_oracle_count(c, elements[2]) == SY_ORACLE_SAMPLE && elements[2] > SY_ORACLE_SAMPLE;
        assert_true(!c->quick || c->flop_count < 3e8);
    }
    assert_int_equal(longest, 11520);
    assert_true(quick >= 3 && quick <= 4 && sampled >= 8);
}

static void sides_are_counted_each_for_itself(void **state)
{
    (void)state;
    sy_convolution_shape shape;
    sy_case_property properties[11];
    sy_case c = case_with(properties, CHANNELS, 4);
    assert_int_equal(sy_convolution_shape_of(&c, &shape, NULL), SY_OK);
    assert_int_equal(shape.out_height, 4); /* (9 + 2 - 5) / 2 + 1 */
    assert_int_equal(shape.out_width, 4);  /* (7 + 2 - 3) / 2 + 1 */
    assert_int_equal(sy_convolution_terms(&shape), 2 * 3 * 2);
}

static void what_is_no_convolution_is_refused_and_named(void **state)
{
    (void)state;
    static const struct {
        size_t at;
        int64_t value;
        const char *says;
    } faults[] = {{CHANNELS, 0, "channels is 0"},
                  {FILTERS, -6, "filters is -6"},
                  {HEIGHT, INT64_MAX, "height is 9223372036854775807"},
                  {WIDTH, INT64_C(1) << 31, "width is 2147483648"},
                  {STRIDE, 0, "stride is 0"},
                  {DILATION, 0, "dilation is 0"},
                  {PADDING, -1, "padding is -1, it must be 0"},
                  {GROUPS, 0, "groups is 0"},
                  {GROUPS, 3, "3 groups do not divide 4 channels and 6 filters"},
                  {GROUPS, 4, "4 groups do not divide 4 channels and 6 filters"},
                  {KERNEL_H, 7, "a kernel of 7 x 2 with dilation 2 does not fit into 9 x 7 with padding 1"},
                  {KERNEL_W, INT32_MAX, "does not fit"},
                  {DILATION, INT32_MAX, "does not fit"}};
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        sy_error err = SY_ERROR_INIT;
        sy_convolution_shape shape = {.batch = 77};
        sy_case_property properties[11];
        sy_case c = case_with(properties, faults[i].at, faults[i].value);
        assert_int_equal(sy_convolution_shape_of(&c, &shape, &err), SY_INVALID_ARGUMENT);
        if (strstr(err.what, faults[i].says) == NULL) {
            fail_msg("'%s' does not say '%s'", err.what, faults[i].says);
        }
        assert_int_equal(shape.batch, 77);
    }
}

static void a_missing_property_is_named(void **state)
{
    (void)state;
    for (size_t missing = 0; missing < 11; missing++) {
        sy_error err = SY_ERROR_INIT;
        sy_convolution_shape shape;
        sy_case_property properties[11];
        sy_case c = case_with(properties, CHANNELS, 4);
        properties[missing].name = "other";
        assert_int_equal(sy_convolution_shape_of(&c, &shape, &err), SY_INVALID_ARGUMENT);
        assert_non_null(strstr(err.what, small[missing].name));
    }
}

static void a_shape_that_overflows_is_refused_before_anything_is_made(void **state)
{
    (void)state;
    sy_error err = SY_ERROR_INIT;
    sy_tensor_desc tensors[3];
    sy_case_property properties[11];
    sy_case c = case_with(properties, HEIGHT, INT32_MAX);
    properties[WIDTH].value = INT32_MAX;
    properties[0].value = INT32_MAX;
    assert_int_equal(sy_convolution_tensors(&c, &tensors[0], &tensors[1], &tensors[2], &err), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(err.what, "case 'c'"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_have_the_sizes_that_the_papers_print),
        cmocka_unit_test(every_case_says_what_its_shape_is),
        cmocka_unit_test(sides_are_counted_each_for_itself),
        cmocka_unit_test(what_is_no_convolution_is_refused_and_named),
        cmocka_unit_test(a_missing_property_is_named),
        cmocka_unit_test(a_shape_that_overflows_is_refused_before_anything_is_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
