/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of element types and tensor descriptions. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <steelyard/record.h>
#include <string.h>

#include <cmocka.h>

static void each_element_type_has_its_size_and_roundoff(void **state)
{
    (void)state;
    /* From IEEE 754 and the definition of bfloat16: half of the spacing at 1. */
    assert_int_equal(sy_dtype_size(SY_F32), sizeof(float));
    assert_true(sy_dtype_roundoff(SY_F32) == FLT_EPSILON / 2);
    assert_true(sy_dtype_smallest_normal(SY_F32) == FLT_MIN);
    assert_int_equal(sy_dtype_size(SY_F64), sizeof(double));
    assert_true(sy_dtype_roundoff(SY_F64) == DBL_EPSILON / 2);
    assert_true(sy_dtype_smallest_normal(SY_F64) == DBL_MIN);
    assert_int_equal(sy_dtype_size(SY_F16), 2);
    assert_true(sy_dtype_roundoff(SY_F16) == ldexp(1, -11));
    assert_true(sy_dtype_smallest_normal(SY_F16) == ldexp(1, -14));
    assert_true(sy_dtype_roundoff(SY_BF16) == ldexp(1, -8));
    assert_true(sy_dtype_smallest_normal(SY_BF16) == FLT_MIN);
    assert_int_equal(sy_dtype_size(SY_U64), 8);
    assert_int_equal(sy_dtype_size(SY_I8), 1);
    assert_string_equal(sy_dtype_word(SY_BF16), "bf16");
}

static void integers_have_no_roundoff_and_floats_are_no_integers(void **state)
{
    (void)state;
    for (int dtype = SY_F32; dtype <= SY_U64; dtype++) {
        bool integer = dtype > SY_BF16;
        assert_int_equal(sy_dtype_is_integer((sy_dtype)dtype), integer);
        assert_int_equal(sy_dtype_roundoff((sy_dtype)dtype) == 0, integer);
        assert_int_equal(sy_dtype_smallest_normal((sy_dtype)dtype) == 0, integer);
    }
}

static void a_type_outside_the_list_is_unknown_everywhere(void **state)
{
    (void)state;
    const sy_dtype outside[] = {(sy_dtype)(SY_U64 + 1), (sy_dtype)-1, (sy_dtype)INT32_MAX};
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++) {
        assert_string_equal(sy_dtype_word(outside[i]), "unknown");
        assert_int_equal(sy_dtype_size(outside[i]), 0);
        assert_true(sy_dtype_roundoff(outside[i]) == 0);
        assert_true(sy_dtype_smallest_normal(outside[i]) == 0);
        assert_false(sy_dtype_is_integer(outside[i]));
    }
}

static void a_sound_description_gives_elements_and_bytes(void **state)
{
    (void)state;
    sy_tensor_desc desc = {.name = "a", .dtype = SY_F16, .rank = 3, .dims = {3, 5, 7}};
    uint64_t elements = 0;
    uint64_t bytes = 0;
    assert_int_equal(sy_tensor_desc_check(&desc, &elements, &bytes, NULL), SY_OK);
    assert_int_equal(elements, 105);
    assert_int_equal(bytes, 210);
    assert_int_equal(sy_tensor_desc_check(&desc, NULL, NULL, NULL), SY_OK);
}

static void refuses(sy_tensor_desc desc, const char *word)
{
    sy_error err = SY_ERROR_INIT;
    uint64_t elements = 77;
    uint64_t bytes = 78;
    assert_int_equal(sy_tensor_desc_check(&desc, &elements, &bytes, &err), SY_INVALID_ARGUMENT);
    if (strstr(err.what, word) == NULL)
        fail_msg("'%s' does not name '%s'", err.what, word);
    assert_int_equal(elements, 77); /* outputs are untouched on failure */
    assert_int_equal(bytes, 78);
}

static void a_wrong_field_is_refused_and_named(void **state)
{
    (void)state;
    refuses((sy_tensor_desc){.name = "q", .dtype = SY_F32, .rank = 0}, "q: rank");
    refuses((sy_tensor_desc){.dtype = SY_F32, .rank = 9}, "rank is 9");
    refuses((sy_tensor_desc){.dtype = SY_F32, .rank = UINT32_MAX}, "rank");
    refuses((sy_tensor_desc){.dtype = (sy_dtype)99, .rank = 1, .dims = {1}}, "dtype 99");
    refuses((sy_tensor_desc){.dtype = SY_F32, .rank = 2, .dims = {4, 0}}, "dims[1] is 0");
    refuses((sy_tensor_desc){.dtype = SY_F32, .rank = 2, .dims = {-4, -4}}, "dims[0] is -4");
    refuses((sy_tensor_desc){.dtype = SY_F32, .rank = 2, .dims = {4, 4}, .strides = {4, -1}}, "strides[1]");
}

static void products_beyond_the_bound_are_refused_without_overflow(void **state)
{
    (void)state;
    const int64_t big = INT64_C(1) << 31;
    /* 2^62 elements of 1 byte are the bound itself; of 2 bytes they pass it. */
    sy_tensor_desc at_bound = {.dtype = SY_U8, .rank = 2, .dims = {big, big}};
    uint64_t bytes = 0;
    assert_int_equal(sy_tensor_desc_check(&at_bound, NULL, &bytes, NULL), SY_OK);
    assert_true(bytes == UINT64_C(1) << 62);
    refuses((sy_tensor_desc){.dtype = SY_F16, .rank = 2, .dims = {big, big}}, "2^62");
    refuses((sy_tensor_desc){.dtype = SY_U8, .rank = 2, .dims = {big, big + 1}}, "2^62");
    refuses((sy_tensor_desc){.dtype = SY_U8, .rank = 3, .dims = {INT64_MAX, INT64_MAX, INT64_MAX}}, "dims[0]");
    /* 2^32 * 2^32 wraps to 0 in 64 bits. */
    refuses((sy_tensor_desc){.dtype = SY_U8, .rank = 2, .dims = {2 * big, 2 * big}}, "2^62");
    refuses((sy_tensor_desc){.dtype = SY_U8, .rank = 2, .dims = {2, 2}, .strides = {INT64_MAX, 1}}, "strides[0]");
    refuses((sy_tensor_desc){.dtype = SY_U8, .rank = 2, .dims = {big, big}, .strides = {big, big}}, "strides[1]");
}

static void only_row_major_order_is_contiguous(void **state)
{
    (void)state;
    sy_tensor_desc desc = {.dtype = SY_F32, .rank = 2, .dims = {3, 5}};
    assert_true(sy_tensor_desc_is_contiguous(&desc));
    desc.strides[0] = 5;
    desc.strides[1] = 1;
    assert_true(sy_tensor_desc_is_contiguous(&desc));
    desc.strides[0] = 6;
    assert_false(sy_tensor_desc_is_contiguous(&desc));
    sy_tensor_desc transposed = {.dtype = SY_F32, .rank = 2, .dims = {3, 5}, .strides = {1, 3}};
    assert_false(sy_tensor_desc_is_contiguous(&transposed));
    sy_tensor_desc repeated = {.dtype = SY_F32, .rank = 2, .dims = {3, 5}, .strides = {0, 1}};
    assert_false(sy_tensor_desc_is_contiguous(&repeated));
    sy_tensor_desc flat = {.dtype = SY_F32, .rank = 3, .dims = {3, 1, 5}, .strides = {5, 999, 1}};
    assert_true(sy_tensor_desc_is_contiguous(&flat)); /* the stride of a length of 1 is never used */
    sy_tensor_desc broken = {.dtype = SY_F32, .rank = 9};
    assert_false(sy_tensor_desc_is_contiguous(&broken));
}

static void equality_looks_at_type_shape_and_layout_but_not_at_names(void **state)
{
    (void)state;
    const sy_tensor_desc a = {.name = "a", .dtype = SY_F32, .rank = 2, .dims = {3, 5}};
    sy_tensor_desc b = a;
    b.name = "b";
    assert_true(sy_tensor_desc_equal(&a, &b));
    b.strides[0] = 5;
    b.strides[1] = 1;
    assert_true(sy_tensor_desc_equal(&a, &b)); /* the same layout, said in other words */
    b.strides[0] = 8;
    assert_false(sy_tensor_desc_equal(&a, &b));
    sy_tensor_desc c = b;
    assert_true(sy_tensor_desc_equal(&b, &c));
    c.strides[0] = 9;
    assert_false(sy_tensor_desc_equal(&b, &c));
    sy_tensor_desc other_type = a;
    other_type.dtype = SY_I32;
    assert_false(sy_tensor_desc_equal(&a, &other_type));
    sy_tensor_desc other_shape = a;
    other_shape.dims[1] = 6;
    assert_false(sy_tensor_desc_equal(&a, &other_shape));
    sy_tensor_desc other_rank = a;
    other_rank.rank = 1;
    assert_false(sy_tensor_desc_equal(&a, &other_rank));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_element_type_has_its_size_and_roundoff),
        cmocka_unit_test(integers_have_no_roundoff_and_floats_are_no_integers),
        cmocka_unit_test(a_type_outside_the_list_is_unknown_everywhere),
        cmocka_unit_test(a_sound_description_gives_elements_and_bytes),
        cmocka_unit_test(a_wrong_field_is_refused_and_named),
        cmocka_unit_test(products_beyond_the_bound_are_refused_without_overflow),
        cmocka_unit_test(only_row_major_order_is_contiguous),
        cmocka_unit_test(equality_looks_at_type_shape_and_layout_but_not_at_names),
    };
    return cmocka_run_group_tests_name("tensor_desc", tests, NULL, NULL);
}
