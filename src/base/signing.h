/* SPDX-License-Identifier: Apache-2.0 */
/* Ed25519 (libsodium): keys and signatures as bytes, and as the texts in which they travel. */
#ifndef STEELYARD_BASE_SIGNING_H
#define STEELYARD_BASE_SIGNING_H

#include <stddef.h>
#include <stdint.h>
#include <steelyard/base.h>

#define SY_SEED_BYTES 32 /* of which a secret key is made */
#define SY_PUBLIC_BYTES 32
#define SY_SECRET_BYTES 64
#define SY_SIGNATURE_BYTES 64
#define SY_SIGNING_TEXT_SIZE(bytes) (((bytes) + 2) / 3 * 4 + 1)

/* Fills the seed with what nobody can foretell. SY_UNAVAILABLE: the system gives no randomness. */
sy_status sy_signing_make_seed(uint8_t ret_seed[SY_SEED_BYTES], sy_error *err) SY_NODISCARD;
void sy_signing_keys_of_seed(const uint8_t seed[SY_SEED_BYTES], uint8_t ret_secret[SY_SECRET_BYTES],
                             uint8_t ret_public[SY_PUBLIC_BYTES]);
void sy_signing_sign(const uint8_t secret[SY_SECRET_BYTES], const void *bytes, size_t size,
                     uint8_t ret_signature[SY_SIGNATURE_BYTES]);
bool sy_signing_fits(const uint8_t public_bytes[SY_PUBLIC_BYTES], const void *bytes, size_t size,
                     const uint8_t signature[SY_SIGNATURE_BYTES]);
/* Overwrites in a way that no compiler leaves out. */
void sy_signing_wipe(void *bytes, size_t size);

/* As base64, in memory of the caller alone, so that nothing of a secret stays behind. to: SY_SIGNING_TEXT_SIZE(size)
 * bytes. */
void sy_signing_format(const uint8_t *bytes, size_t size, char *to);
/* Exactly size bytes in the one way of writing them, padding included; else false. */
bool sy_signing_parse(const char *text, size_t length, uint8_t *ret_bytes, size_t size);

#endif
