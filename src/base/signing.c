/* SPDX-License-Identifier: Apache-2.0 */
/* libsodium behind our own names, so that no other file includes it for signatures. */
#include "base/signing.h"

#include <sodium/core.h>
#include <sodium/crypto_sign_ed25519.h>
#include <sodium/randombytes.h>
#include <sodium/utils.h>
#include <string.h>

#include "base/error.h"

_Static_assert(crypto_sign_ed25519_SEEDBYTES == SY_SEED_BYTES, "the size of a seed");
_Static_assert(crypto_sign_ed25519_PUBLICKEYBYTES == SY_PUBLIC_BYTES, "the size of a public key");
_Static_assert(crypto_sign_ed25519_SECRETKEYBYTES == SY_SECRET_BYTES, "the size of a secret key");
_Static_assert(crypto_sign_ed25519_BYTES == SY_SIGNATURE_BYTES, "the size of a signature");

sy_status sy_signing_make_seed(uint8_t ret_seed[SY_SEED_BYTES], sy_error *err)
{
    if (sodium_init() < 0) {
        return sy_fail(err, SY_UNAVAILABLE, "the system gives no randomness for a key");
    }
    randombytes_buf(ret_seed, SY_SEED_BYTES);
    return SY_OK;
}

void sy_signing_keys_of_seed(const uint8_t seed[SY_SEED_BYTES], uint8_t ret_secret[SY_SECRET_BYTES],
                             uint8_t ret_public[SY_PUBLIC_BYTES])
{
    (void)crypto_sign_ed25519_seed_keypair(ret_public, ret_secret, seed);
}

void sy_signing_sign(const uint8_t secret[SY_SECRET_BYTES], const void *bytes, size_t size,
                     uint8_t ret_signature[SY_SIGNATURE_BYTES])
{
    (void)crypto_sign_ed25519_detached(ret_signature, NULL, bytes, size, secret);
}

bool sy_signing_fits(const uint8_t public_bytes[SY_PUBLIC_BYTES], const void *bytes, size_t size,
                     const uint8_t signature[SY_SIGNATURE_BYTES])
{
    return crypto_sign_ed25519_verify_detached(signature, bytes, size, public_bytes) == 0;
}

void sy_signing_wipe(void *bytes, size_t size)
{
    sodium_memzero(bytes, size);
}

void sy_signing_format(const uint8_t *bytes, size_t size, char *to)
{
    (void)sodium_bin2base64(to, SY_SIGNING_TEXT_SIZE(size), bytes, size, sodium_base64_VARIANT_ORIGINAL);
}

/* libsodium 1.0.18 takes some letters above 127 for others; a strict reader asks for the letters first. */
static bool has_letters_only(const char *text, size_t length)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
    for (size_t i = 0; i < length; i++) {
        if (memchr(letters, text[i], sizeof letters - 1) == NULL) {
            return false;
        }
    }
    return true;
}

bool sy_signing_parse(const char *text, size_t length, uint8_t *ret_bytes, size_t size)
{
    size_t found = 0;
    const char *end = NULL;
    return length + 1 == SY_SIGNING_TEXT_SIZE(size) && has_letters_only(text, length) &&
           sodium_base642bin(ret_bytes, size, text, length, NULL, &found, &end, sodium_base64_VARIANT_ORIGINAL) == 0 &&
           found == size && end == text + length;
}
