/* SPDX-License-Identifier: Apache-2.0 */
/* Telling inputs apart, and changing them by one element a slot: an implementation that remembers its answer instead of
 * computing it is then wrong in the last timed output, which is checked. */
#include <string.h>

#include "base/random.h"
#include "operations/fill.h"
#include "probe/subject/subject.h"

static uint64_t mix(uint64_t x)
{
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    return x;
}

uint64_t sy_checksum_piece(uint64_t sum, const void *bytes, uint64_t size)
{
    const unsigned char *at = bytes;
    uint64_t lanes[4] = {sum, sum ^ UINT64_C(0x9e3779b97f4a7c15), ~sum, sum + size};
    while (size >= 32) {
        uint64_t words[4];
        memcpy(words, at, sizeof(words));
        for (int i = 0; i < 4; i++)
            lanes[i] = (lanes[i] ^ words[i]) * UINT64_C(0xff51afd7ed558ccd) + (lanes[i] >> 29);
        at += 32;
        size -= 32;
    }
    for (; size > 0; size--)
        lanes[0] = (lanes[0] ^ *at++) * UINT64_C(0x100000001b3);
    return mix(lanes[0]) ^ mix(lanes[1] + 1) ^ mix(lanes[2] + 2) ^ mix(lanes[3] + 3);
}

uint64_t sy_checksum_tensor(uint64_t sum, const void *bytes, uint64_t size)
{
    for (uint64_t at = 0; at < size; at += SY_CHECKSUM_PIECE_BYTES) {
        uint64_t piece = size - at < SY_CHECKSUM_PIECE_BYTES ? size - at : SY_CHECKSUM_PIECE_BYTES;
        sum = sy_checksum_piece(sum, (const char *)bytes + at, piece);
    }
    return sum;
}

bool sy_input_change(uint64_t seed, uint64_t change, uint32_t case_index, const sy_case *c, uint32_t input_index,
                     const sy_tensor_desc *desc, uint64_t *ret_element, uint8_t ret_bytes[8])
{
    static const uint16_t f16[] = {0x3c00, 0xbc00, 0x3800, 0xb800}; /* 1, -1, .5, -.5 */
    static const uint16_t bf16[] = {0x3f80, 0xbf80, 0x3f00, 0xbf00};
    uint64_t elements;
    if (change == SY_SUBJECT_NO_CHANGE || sy_dtype_is_integer(desc->dtype) ||
        sy_tensor_desc_check(desc, &elements, NULL, NULL) != SY_OK)
        return false;
    sy_random random;
    sy_random_start(&random, seed ^ mix(change + 1) ^ mix(((uint64_t)case_index << 8) + input_index + 2),
                    "input change");
    *ret_element = sy_random_below(&random, elements);
    uint64_t drawn = sy_random_next(&random);
    double unit = (double)(int64_t)(drawn >> 40) * 0x1p-23 - 1.0; /* 24 bits in [-1, 1) */
    float single = (float)sy_fill_rounded(c, unit);
    switch (desc->dtype) {
    case SY_F32:
        memcpy(ret_bytes, &single, sizeof(single));
        return true;
    case SY_F64:
        memcpy(ret_bytes, &unit, sizeof(unit));
        return true;
    case SY_F16:
        memcpy(ret_bytes, &f16[drawn & 3], 2);
        return true;
    case SY_BF16:
        memcpy(ret_bytes, &bf16[drawn & 3], 2);
        return true;
    default:
        return false;
    }
}
