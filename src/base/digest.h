/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 (libsodium), whole or in pieces, as 32 bytes or 64 hexadecimal digits. */
#ifndef STEELYARD_BASE_DIGEST_H
#define STEELYARD_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>
#include <steelyard/base.h>

#define SY_DIGEST_BYTES 32
#define SY_DIGEST_TEXT 65 /* hexadecimal digits and the terminator */

typedef struct sy_digest {
    uint8_t bytes[SY_DIGEST_BYTES];
} sy_digest;

typedef struct sy_digest_state {
    _Alignas(16) uint8_t opaque[128];
} sy_digest_state;

void sy_digest_start(sy_digest_state *state);
void sy_digest_add(sy_digest_state *state, const void *bytes, size_t size);
void sy_digest_finish(sy_digest_state *state, sy_digest *ret_digest);
void sy_digest_of(const void *bytes, size_t size, sy_digest *ret_digest);
/* to: at least SY_DIGEST_TEXT bytes; lower case. */
void sy_digest_format(const sy_digest *digest, char *to);
/* Exactly 64 hexadecimal digits, else SY_INVALID_ARGUMENT. */
sy_status sy_digest_parse(const char *text, sy_digest *ret_digest, sy_error *err) SY_NODISCARD;
bool sy_digest_equal(const sy_digest *a, const sy_digest *b);

#endif
