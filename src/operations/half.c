/* SPDX-License-Identifier: Apache-2.0 */
/* binary16 and bfloat16 by integer arithmetic, so that the bits are the same with every compiler and processor. */
#include "operations/half.h"

#include <string.h>

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* value / 2^shift, to nearest, ties to even; 1 <= shift <= 31. */
static uint32_t shift_to_nearest(uint32_t value, unsigned shift)
{
    uint32_t half = (uint32_t)1 << (shift - 1);
    uint32_t odd = value >> shift & 1;
    return (value + half - 1 + odd) >> shift;
}

uint16_t sy_f16_from_f32(float value)
{
    uint32_t bits = bits_of(value);
    uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    uint32_t magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000) {
        return (uint16_t)(sign | 0x7e00 | (magnitude >> 13 & 0x1ff));
    }
    if (magnitude >= 0x477ff000) { /* 65520, from where rounding leaves the finite range */
        return sign | 0x7c00;
    }
    if (magnitude >= 0x38800000) { /* 2^-14: normal; a carry out of the fraction rightly raises the exponent */
        return (uint16_t)(sign | (shift_to_nearest(magnitude, 13) - (112u << 10)));
    }
    if (magnitude < 0x33000000) { /* below 2^-25 all becomes zero; 2^-25 itself ties to zero below */
        return sign;
    }
    uint32_t exponent = magnitude >> 23;
    uint32_t fraction = (magnitude & 0x7fffff) | 0x800000;
    return (uint16_t)(sign | shift_to_nearest(fraction, 126 - exponent));
}

float sy_f16_to_f32(uint16_t bits)
{
    uint32_t sign = (uint32_t)(bits & 0x8000) << 16;
    uint32_t exponent = bits >> 10 & 0x1f;
    uint32_t fraction = bits & 0x3ff;
    if (exponent == 0x1f) {
        return float_of(sign | 0x7f800000 | fraction << 13);
    }
    if (exponent != 0) {
        return float_of(sign | (exponent + 112) << 23 | fraction << 13);
    }
    float magnitude = (float)fraction * 0x1p-24f;
    return float_of(sign | bits_of(magnitude));
}

uint16_t sy_bf16_from_f32(float value)
{
    uint32_t bits = bits_of(value);
    if ((bits & 0x7fffffff) > 0x7f800000) {
        return (uint16_t)(bits >> 16 | 0x40);
    }
    uint32_t odd = bits >> 16 & 1;
    return (uint16_t)((bits + 0x7fff + odd) >> 16);
}

float sy_bf16_to_f32(uint16_t bits)
{
    return float_of((uint32_t)bits << 16);
}

#define CONVERT(type, expression)               \
    do {                                        \
        const type *from = (const type *)bytes; \
        for (uint64_t i = 0; i < count; i++) {  \
            type element = from[first + i];     \
            to[i] = (double)(expression);       \
        }                                       \
    } while (0)

void sy_elements_to_double(sy_dtype dtype, const void *bytes, uint64_t first, uint64_t count, double *to)
{
    switch (dtype) {
    case SY_F32:
        CONVERT(float, element);
        break;
    case SY_F64:
        CONVERT(double, element);
        break;
    case SY_F16:
        CONVERT(uint16_t, sy_f16_to_f32(element));
        break;
    case SY_BF16:
        CONVERT(uint16_t, sy_bf16_to_f32(element));
        break;
    case SY_I8:
        CONVERT(int8_t, element);
        break;
    case SY_U8:
        CONVERT(uint8_t, element);
        break;
    case SY_I16:
        CONVERT(int16_t, element);
        break;
    case SY_U16:
        CONVERT(uint16_t, element);
        break;
    case SY_I32:
        CONVERT(int32_t, element);
        break;
    case SY_U32:
        CONVERT(uint32_t, element);
        break;
    case SY_I64:
        CONVERT(int64_t, element);
        break;
    case SY_U64:
        CONVERT(uint64_t, element);
        break;
    }
}
