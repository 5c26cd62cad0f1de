/* SPDX-License-Identifier: Apache-2.0 */
/* The hash that indexes keys and recognises unchanged files: quick, the same on every machine, no secret in it. */
#ifndef STEELYARD_STORE_KEY_HASH_H
#define STEELYARD_STORE_KEY_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <steelyard/store.h>

/* Of size bytes, from any seed. */
uint64_t sy_hash_bytes(uint64_t seed, const void *bytes, size_t size);

/* Of the exact or the portable half of a key that names its backend, operator and implementation version; the order of
 * the structure does not count. */
uint64_t sy_hash_key(const sy_profile_key *key, bool portable);

/* What recognises a file's content: two independent hashes and the size. */
typedef struct sy_content_mark {
    uint64_t hash[2];
    uint64_t size;
    bool known; /* false: no content was seen; equals nothing */
} sy_content_mark;

sy_content_mark sy_content_mark_of(const void *bytes, size_t size);
bool sy_content_mark_equal(const sy_content_mark *a, const sy_content_mark *b);

#endif
