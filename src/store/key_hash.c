/* SPDX-License-Identifier: Apache-2.0 */
/* Hashing by folded 64 x 64 -> 128 bit products (Vigna, "MUM" family; constants are odd digits of pi). */
#include "store/key_hash.h"

#include <string.h>

__extension__ typedef unsigned __int128 wide;

#define PI_1 UINT64_C(0x243f6a8885a308d3)
#define PI_2 UINT64_C(0x13198a2e03707345)
#define PI_3 UINT64_C(0xa4093822299f31d1)

static uint64_t fold(uint64_t a, uint64_t b)
{
    wide product = (wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t read_word(const unsigned char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

static uint64_t read_half(const unsigned char *bytes)
{
    uint32_t half;
    memcpy(&half, bytes, sizeof half);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    half = __builtin_bswap32(half);
#endif
    return half;
}

/* At most 16 bytes as two words, by reads that overlap. */
static void read_rest(const unsigned char *at, size_t size, uint64_t *ret_low, uint64_t *ret_high)
{
    if (size >= 8) {
        *ret_low = read_word(at);
        *ret_high = read_word(at + size - 8);
    } else if (size >= 4) {
        *ret_low = read_half(at);
        *ret_high = read_half(at + size - 4);
    } else {
        *ret_low = size > 0 ? (uint64_t)at[0] << 16 | (uint64_t)at[size / 2] << 8 | at[size - 1] : 0;
        *ret_high = 0;
    }
}

uint64_t sy_hash_bytes(uint64_t seed, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    size_t left = size;
    uint64_t a = seed ^ PI_1;
    uint64_t b = seed ^ PI_3;
    /* Two chains, because one product must wait for the one before. */
    while (left > 32) {
        a = fold(read_word(at) ^ PI_2, read_word(at + 8) ^ a);
        b = fold(read_word(at + 16) ^ PI_3, read_word(at + 24) ^ b);
        at += 32;
        left -= 32;
    }
    if (left > 16) {
        a = fold(read_word(at) ^ PI_2, read_word(at + 8) ^ a);
        at += 16;
        left -= 16;
    }
    uint64_t low;
    uint64_t high;
    read_rest(at, left, &low, &high);
    a = fold(low ^ PI_2, high ^ a);
    return fold(a ^ size, b ^ PI_1);
}

static uint64_t hash_text(uint64_t seed, const char *text)
{
    return text == NULL ? sy_hash_bytes(seed, "", 0) : sy_hash_bytes(seed, text, strlen(text));
}

uint64_t sy_hash_key(const sy_profile_key *key, bool portable)
{
    uint64_t hash = hash_text(portable ? PI_2 : PI_1, key->backend);
    hash = hash_text(hash, key->operator_name);
    hash = hash_text(hash, key->implementation_version);
    if (!portable) {
        hash = hash_text(hash, key->model_digest);
        hash = hash_text(hash, key->processor);
        return fold(hash ^ key->thread_count, PI_3);
    }
    uint64_t sum = 0;
    for (size_t i = 0; i < key->structure_count; i++) {
        sum += hash_text(hash_text(hash, key->structure[i].name), key->structure[i].value);
    }
    return fold(hash ^ sum, PI_3 ^ key->structure_count);
}

sy_content_mark sy_content_mark_of(const void *bytes, size_t size)
{
    return (sy_content_mark){{sy_hash_bytes(PI_1, bytes, size), sy_hash_bytes(PI_2, bytes, size)}, size, true};
}

bool sy_content_mark_equal(const sy_content_mark *a, const sy_content_mark *b)
{
    return a->known && b->known && a->size == b->size && a->hash[0] == b->hash[0] && a->hash[1] == b->hash[1];
}
