/* SPDX-License-Identifier: Apache-2.0 */
/* Element types and the description of a tensor: sizes, checks, layout. Not responsible for holding data. */
#include <steelyard/record.h>
#include <string.h>

#include "base/error.h"

typedef struct dtype_row {
    const char *word;
    size_t size_bytes;
    double roundoff;
} dtype_row;

static const dtype_row dtype_rows[] = {
#define DTYPE_ROW(name, size, roundoff, word) [SY_##name] = {word, size, roundoff},
    SY_DTYPE_LIST(DTYPE_ROW)
#undef DTYPE_ROW
};

static const dtype_row *find_dtype(sy_dtype dtype)
{
    size_t index = (size_t)dtype;
    return index < sizeof dtype_rows / sizeof dtype_rows[0] ? &dtype_rows[index] : NULL;
}

const char *sy_dtype_word(sy_dtype dtype)
{
    const dtype_row *row = find_dtype(dtype);
    return row != NULL ? row->word : "unknown";
}

size_t sy_dtype_size(sy_dtype dtype)
{
    const dtype_row *row = find_dtype(dtype);
    return row != NULL ? row->size_bytes : 0;
}

double sy_dtype_roundoff(sy_dtype dtype)
{
    const dtype_row *row = find_dtype(dtype);
    return row != NULL ? row->roundoff : 0.0;
}

double sy_dtype_smallest_normal(sy_dtype dtype)
{
    switch (dtype) {
    case SY_F32:
    case SY_BF16: /* shares the exponent range of f32 */
        return 0x1p-126;
    case SY_F64:
        return 0x1p-1022;
    case SY_F16:
        return 0x1p-14;
    default:
        return 0.0;
    }
}

bool sy_dtype_is_integer(sy_dtype dtype)
{
    const dtype_row *row = find_dtype(dtype);
    return row != NULL && row->roundoff == 0.0;
}

/* ret_product = a * b, or false when it passes 2^62. */
static bool multiply_bounded(uint64_t a, uint64_t b, uint64_t *ret_product)
{
    const uint64_t bound = UINT64_C(1) << 62;
    if (b != 0 && a > bound / b)
        return false;
    *ret_product = a * b;
    return true;
}

static const char *tensor_name(const sy_tensor_desc *desc)
{
    return desc->name != NULL && desc->name[0] != '\0' ? desc->name : "tensor";
}

/* Strides may be zero (one element repeated) but not negative, and the last element must stay within 2^62 bytes. */
static sy_status check_strides(const sy_tensor_desc *desc, size_t element_bytes, sy_error *err)
{
    uint64_t last = 0;
    for (uint32_t i = 0; i < desc->rank; i++) {
        if (desc->strides[i] < 0)
            return sy_fail(err, SY_INVALID_ARGUMENT, "%s: strides[%u] is %lld, below 0", tensor_name(desc), i,
                           (long long)desc->strides[i]);
        uint64_t step;
        if (!multiply_bounded((uint64_t)desc->dims[i] - 1, (uint64_t)desc->strides[i], &step) ||
            !multiply_bounded(last + step + 1, element_bytes, &(uint64_t){0}))
            return sy_fail(err, SY_INVALID_ARGUMENT, "%s: strides[%u] is %lld: the last element lies beyond 2^62 bytes",
                           tensor_name(desc), i, (long long)desc->strides[i]);
        last += step;
    }
    return SY_OK;
}

sy_status sy_tensor_desc_check(const sy_tensor_desc *desc, uint64_t *ret_elements, uint64_t *ret_bytes, sy_error *err)
{
    const size_t element_bytes = sy_dtype_size(desc->dtype);
    uint64_t elements = 1;
    uint64_t bytes = element_bytes;
    if (element_bytes == 0)
        return sy_fail(err, SY_INVALID_ARGUMENT, "%s: dtype %d is not in the list", tensor_name(desc),
                       (int)desc->dtype);
    if (desc->rank < 1 || desc->rank > SY_RANK_MAX)
        return sy_fail(err, SY_INVALID_ARGUMENT, "%s: rank is %u, not in 1..%d", tensor_name(desc), desc->rank,
                       SY_RANK_MAX);
    for (uint32_t i = 0; i < desc->rank; i++) {
        if (desc->dims[i] < 1)
            return sy_fail(err, SY_INVALID_ARGUMENT, "%s: dims[%u] is %lld, below 1", tensor_name(desc), i,
                           (long long)desc->dims[i]);
        if (!multiply_bounded(elements, (uint64_t)desc->dims[i], &elements) ||
            !multiply_bounded(elements, element_bytes, &bytes))
            return sy_fail(err, SY_INVALID_ARGUMENT, "%s: dims: the product passes 2^62 bytes at dims[%u]",
                           tensor_name(desc), i);
    }
    sy_status status = check_strides(desc, element_bytes, err);
    if (status != SY_OK)
        return status;
    if (ret_elements != NULL)
        *ret_elements = elements;
    if (ret_bytes != NULL)
        *ret_bytes = bytes;
    return SY_OK;
}

/* All zero means contiguous; a single repeated element (rank 1, length 1) is contiguous either way. */
static bool strides_are_absent(const sy_tensor_desc *desc)
{
    for (uint32_t i = 0; i < desc->rank; i++)
        if (desc->strides[i] != 0)
            return false;
    return true;
}

bool sy_tensor_desc_is_contiguous(const sy_tensor_desc *desc)
{
    if (desc->rank < 1 || desc->rank > SY_RANK_MAX)
        return false;
    if (strides_are_absent(desc))
        return true;
    uint64_t expected = 1;
    for (uint32_t i = desc->rank; i-- > 0;) {
        /* The stride of a dimension of length 1 is never used. */
        if (desc->dims[i] != 1 && (desc->strides[i] < 0 || (uint64_t)desc->strides[i] != expected))
            return false;
        if (desc->dims[i] < 1 || !multiply_bounded(expected, (uint64_t)desc->dims[i], &expected))
            return false;
    }
    return true;
}

bool sy_tensor_desc_equal(const sy_tensor_desc *a, const sy_tensor_desc *b)
{
    if (a->dtype != b->dtype || a->rank != b->rank || a->rank < 1 || a->rank > SY_RANK_MAX ||
        memcmp(a->dims, b->dims, a->rank * sizeof a->dims[0]) != 0)
        return false;
    bool contiguous = sy_tensor_desc_is_contiguous(a);
    if (contiguous || contiguous != sy_tensor_desc_is_contiguous(b))
        return contiguous == sy_tensor_desc_is_contiguous(b);
    for (uint32_t i = 0; i < a->rank; i++)
        if (a->dims[i] != 1 && a->strides[i] != b->strides[i])
            return false;
    return true;
}
