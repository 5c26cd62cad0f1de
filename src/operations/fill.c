/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the bytes of inputs for the parity stages. Which stage runs when is not decided here. */
#include "operations/fill.h"

#include <stdio.h>

#include "base/error.h"
#include "base/random.h"
#include "operations/half.h"

/* How an exact fill treats a dtype: integers of `bits` bits on the one side, at most `terms` non-zeros on the other. */
typedef struct exact_rule {
    unsigned bits;
    uint64_t terms;
    bool is_unsigned;
} exact_rule;

static exact_rule exact_rule_of(const sy_case *c, sy_dtype dtype)
{
    /* Outputs stay f32 there: where sums are too, the rounded type bounds the integers alone. */
    if (c->rounds_inputs_to == SY_F16 && c->tolerance.accumulator != SY_F16) {
        return (exact_rule){11, 4096, false};
    }
    if (c->rounds_inputs_to == SY_BF16 && c->tolerance.accumulator != SY_BF16) {
        return (exact_rule){8, 4096, false};
    }
    switch (c->rounds_inputs_to != SY_F32 ? c->rounds_inputs_to : dtype) {
    case SY_F64:
        return (exact_rule){41, 4096, false};
    case SY_F16:
        return (exact_rule){9, 4, false};
    case SY_BF16:
        return (exact_rule){5, 8, false};
    case SY_I8:
        return (exact_rule){7, 4096, false};
    case SY_U8:
        return (exact_rule){8, 4096, true};
    case SY_U16:
    case SY_U32:
    case SY_U64:
        return (exact_rule){12, 4096, true};
    case SY_F32:
    case SY_I16:
    case SY_I32:
    case SY_I64:
        break;
    }
    return (exact_rule){12, 4096, false};
}

static void store(sy_dtype dtype, void *bytes, uint64_t index, double value)
{
    switch (dtype) {
    case SY_F32:
        ((float *)bytes)[index] = (float)value;
        break;
    case SY_F64:
        ((double *)bytes)[index] = value;
        break;
    case SY_F16:
        ((uint16_t *)bytes)[index] = sy_f16_from_f32((float)value);
        break;
    case SY_BF16:
        ((uint16_t *)bytes)[index] = sy_bf16_from_f32((float)value);
        break;
    case SY_I8:
        ((int8_t *)bytes)[index] = (int8_t)value;
        break;
    case SY_U8:
        ((uint8_t *)bytes)[index] = (uint8_t)value;
        break;
    case SY_I16:
        ((int16_t *)bytes)[index] = (int16_t)value;
        break;
    case SY_U16:
        ((uint16_t *)bytes)[index] = (uint16_t)value;
        break;
    case SY_I32:
        ((int32_t *)bytes)[index] = (int32_t)value;
        break;
    case SY_U32:
        ((uint32_t *)bytes)[index] = (uint32_t)value;
        break;
    case SY_I64:
        ((int64_t *)bytes)[index] = (int64_t)value;
        break;
    case SY_U64:
        ((uint64_t *)bytes)[index] = (uint64_t)value;
        break;
    }
}

double sy_fill_rounded(const sy_case *c, double value)
{
    switch (c->rounds_inputs_to) {
    case SY_F16:
        return (double)sy_f16_to_f32(sy_f16_from_f32((float)value));
    case SY_BF16:
        return (double)sy_bf16_to_f32(sy_bf16_from_f32((float)value));
    default:
        return value;
    }
}

static void fill_real(sy_random *random, const sy_case *c, sy_dtype dtype, uint64_t elements, void *bytes)
{
    if (dtype == SY_F64) {
        for (uint64_t i = 0; i < elements; i++) {
            int64_t whole = (int64_t)(sy_random_next(random) >> 11) - ((int64_t)1 << 52);
            ((double *)bytes)[i] = (double)whole * 0x1p-52;
        }
        return;
    }
    for (uint64_t i = 0; i < elements; i++) {
        int32_t whole = (int32_t)(sy_random_next(random) >> 40) - (1 << 23);
        store(dtype, bytes, i, sy_fill_rounded(c, (double)whole * 0x1p-23));
    }
}

/* Where K lies in a tensor: element e has the place (e / stride) % length along K, and the row e / stride / length. */
typedef struct axis {
    uint64_t length;
    uint64_t stride;
} axis;

static bool find_axis(const sy_tensor_desc *desc, uint32_t input_index, uint64_t length, axis *ret_axis)
{
    if (input_index == 1 && desc->rank >= 2 && (uint64_t)desc->dims[desc->rank - 2] == length) {
        *ret_axis = (axis){length, (uint64_t)desc->dims[desc->rank - 1]};
        return true;
    }
    uint64_t product = 1;
    uint64_t inner = 1; /* before the outermost of the axes that K takes */
    for (uint32_t i = desc->rank; i-- > 0 && product < length;) {
        inner = product;
        product *= (uint64_t)desc->dims[i];
    }
    *ret_axis = (axis){length, 1};
    /* K may take a part of the outermost one: filters and channels in one axis. */
    return product == length || (inner > 1 && length % inner == 0 && product % length == 0);
}

/* Whether element i stays when a long axis is thinned so that at most rule.terms places of it are not zero. */
static bool is_kept(exact_rule rule, axis along, uint64_t i)
{
    uint64_t period = (along.length + rule.terms - 1) / rule.terms;
    uint64_t place = i / along.stride % along.length;
    uint64_t row = along.stride == 1 ? i / along.length : i % along.stride;
    return period <= 1 || (along.length - 1 - place + row) % period == 0;
}

static void fill_signs(sy_random *random, sy_dtype dtype, exact_rule rule, uint64_t elements, axis along, void *bytes)
{
    for (uint64_t i = 0; i < elements; i++) {
        double sign = (sy_random_next(random) >> 63) != 0 && !rule.is_unsigned ? -1.0 : 1.0;
        store(dtype, bytes, i, is_kept(rule, along, i) ? sign : 0.0);
    }
}

static void fill_many_bits(sy_random *random, sy_dtype dtype, exact_rule rule, uint64_t elements, axis along,
                           void *bytes)
{
    for (uint64_t i = 0; i < elements; i++) {
        uint64_t drawn = sy_random_next(random);
        int64_t odd;
        if (rule.is_unsigned) {
            odd = (int64_t)(2 * (drawn >> (65 - rule.bits)) + 1);
        } else {
            odd = 2 * (int64_t)(drawn >> (64 - rule.bits)) - (((int64_t)1 << rule.bits) - 1);
        }
        store(dtype, bytes, i, is_kept(rule, along, i) ? (double)odd : 0.0);
    }
}

static sy_status fill_exact(sy_fill fill, sy_random *random, uint32_t input_index, const sy_case *c,
                            const sy_tensor_desc *desc, uint64_t elements, void *bytes, sy_error *err)
{
    const char *name = desc->name != NULL ? desc->name : "";
    if (!c->exact_stage) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "case '%s' has no exact stage, so its input '%s' has no exact fill",
                       c->name, name);
    }
    exact_rule rule = exact_rule_of(c, desc->dtype);
    uint32_t many_bits_index = fill == SY_FILL_EXACT_LEFT ? 0 : 1;
    uint32_t thinned_index = c->exact_overlap ? 1 : 1 - many_bits_index;
    axis along = {1, 1};
    if (input_index == thinned_index && c->exact_length > rule.terms &&
        !find_axis(desc, input_index, c->exact_length, &along)) {
        sy_fail(err, SY_INVALID_ARGUMENT, "case '%s': no axes of input '%s' hold its exact_length of %llu", c->name,
                name, (unsigned long long)c->exact_length);
        sy_error_hint(err, "exact_length is the number of terms of one sum; input 0 ends with it, input 1 has it "
                           "before its last axis");
        return SY_INVALID_ARGUMENT;
    }
    if (input_index == many_bits_index) {
        fill_many_bits(random, desc->dtype, rule, elements, along, bytes);
    } else {
        fill_signs(random, desc->dtype, rule, elements, along, bytes);
    }
    return SY_OK;
}

const char *sy_fill_word(sy_fill fill)
{
    switch (fill) {
    case SY_FILL_REAL:
        return "real";
    case SY_FILL_EXACT_LEFT:
        return "exact-left";
    case SY_FILL_EXACT_RIGHT:
        return "exact-right";
    }
    return "unknown";
}

sy_status sy_fill_input(sy_fill fill, uint64_t seed, uint32_t input_index, const sy_case *c, const sy_tensor_desc *desc,
                        void *bytes, sy_error *err)
{
    uint64_t elements = 0;
    uint64_t size = 0;
    sy_status status = sy_tensor_desc_check(desc, &elements, &size, err);
    if (status != SY_OK) {
        return status;
    }
    if (fill == SY_FILL_REAL && sy_dtype_is_integer(desc->dtype)) {
        sy_fail(err, SY_INVALID_ARGUMENT, "case '%s': input '%s' is of type %s, which has no default data", c->name,
                desc->name != NULL ? desc->name : "", sy_dtype_word(desc->dtype));
        sy_error_hint(err, "give the suite an initialize function that writes integer inputs");
        return SY_INVALID_ARGUMENT;
    }
    char stream[48];
    snprintf(stream, sizeof stream, "fill %s %u", sy_fill_word(fill), (unsigned)input_index);
    sy_random random;
    sy_random_start(&random, seed, stream);
    if (fill == SY_FILL_REAL) {
        fill_real(&random, c, desc->dtype, elements, bytes);
        return SY_OK;
    }
    return fill_exact(fill, &random, input_index, c, desc, elements, bytes, err);
}
