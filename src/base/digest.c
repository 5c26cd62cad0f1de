/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 by libsodium behind our own types, so that no other file includes it. */
#include "base/digest.h"

#include <sodium/crypto_hash_sha256.h>
#include <string.h>

#include "base/error.h"

_Static_assert(sizeof(crypto_hash_sha256_state) <= sizeof(sy_digest_state), "libsodium's state fits the opaque one");
_Static_assert(_Alignof(crypto_hash_sha256_state) <= _Alignof(sy_digest_state), "and so does its alignment");
_Static_assert(crypto_hash_sha256_BYTES == SY_DIGEST_BYTES, "SHA-256 has 32 bytes");

void sy_digest_start(sy_digest_state *state)
{
    crypto_hash_sha256_init((crypto_hash_sha256_state *)(void *)state->opaque);
}

void sy_digest_add(sy_digest_state *state, const void *bytes, size_t size)
{
    if (size > 0) {
        crypto_hash_sha256_update((crypto_hash_sha256_state *)(void *)state->opaque, bytes, size);
    }
}

void sy_digest_finish(sy_digest_state *state, sy_digest *ret_digest)
{
    crypto_hash_sha256_final((crypto_hash_sha256_state *)(void *)state->opaque, ret_digest->bytes);
}

void sy_digest_of(const void *bytes, size_t size, sy_digest *ret_digest)
{
    sy_digest_state state;
    sy_digest_start(&state);
    sy_digest_add(&state, bytes, size);
    sy_digest_finish(&state, ret_digest);
}

void sy_digest_format(const sy_digest *digest, char *to)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < SY_DIGEST_BYTES; i++) {
        to[2 * i] = digits[digest->bytes[i] >> 4];
        to[2 * i + 1] = digits[digest->bytes[i] & 15];
    }
    to[SY_DIGEST_TEXT - 1] = '\0';
}

/* The value of a hexadecimal digit, -1 for any other byte. */
static int digit_value(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

sy_status sy_digest_parse(const char *text, sy_digest *ret_digest, sy_error *err)
{
    size_t length = strnlen(text, SY_DIGEST_TEXT);
    if (length != SY_DIGEST_TEXT - 1) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "'%.80s' is not a digest: 64 hexadecimal digits are expected", text);
    }
    sy_digest digest;
    for (size_t i = 0; i < SY_DIGEST_BYTES; i++) {
        int high = digit_value(text[2 * i]);
        int low = digit_value(text[2 * i + 1]);
        if (high < 0 || low < 0) {
            return sy_fail(err, SY_INVALID_ARGUMENT, "'%s' is not a digest: '%c' is no hexadecimal digit", text,
                           high < 0 ? text[2 * i] : text[2 * i + 1]);
        }
        digest.bytes[i] = (uint8_t)(high << 4 | low);
    }
    *ret_digest = digest;
    return SY_OK;
}

bool sy_digest_equal(const sy_digest *a, const sy_digest *b)
{
    return memcmp(a->bytes, b->bytes, SY_DIGEST_BYTES) == 0;
}
