/* SPDX-License-Identifier: Apache-2.0 */
/* Identities as data: building one, finding a field, comparing two, their digest. Not responsible for finding out what
 * the machine is: that is src/identity. */
#ifndef STEELYARD_RECORD_IDENTITY_H
#define STEELYARD_RECORD_IDENTITY_H

#include <steelyard/record.h>

#include "base/arena.h"
#include "base/digest.h"
#include "base/text.h"

/* The value of a field that could not be found out. It equals nothing, not even itself. */
#define SY_IDENTITY_UNKNOWN "unknown"

typedef struct sy_identity_builder sy_identity_builder;

/* Starts an identity whose texts and fields will live in arena; the builder itself lives there too. NULL when memory is
 * short. */
sy_identity_builder *sy_identity_builder_create(sy_arena *arena);
/* Adds a field; name and value are copied. A NULL or empty value becomes "unknown". name: not empty. A name given twice
 * keeps the later value and class. Failures are kept for sy_identity_builder_finish. */
void sy_identity_builder_add(sy_identity_builder *builder, const char *name, const char *value, bool key);
/* The same with a printf format. */
void sy_identity_builder_add_format(sy_identity_builder *builder, const char *name, bool key, const char *format, ...)
    SY_PRINTF(4, 5);
/* Sorts by name (bytes) and hands the identity over; it is valid while the arena lives. SY_NO_MEMORY;
 * SY_INVALID_ARGUMENT when a name was empty. */
sy_status sy_identity_builder_finish(sy_identity_builder *builder, sy_identity *ret_identity,
                                     sy_error *err) SY_NODISCARD;

/* Bytes of the last-level caches that the process's processors have, all of them together, from the fields cpu.cache.*;
 * 0 where they do not tell. */
uint64_t sy_identity_last_cache_bytes(const sy_identity *identity);

/* The field of that name, or NULL. */
const sy_identity_field *sy_identity_find(const sy_identity *identity, const char *name);
/* A deep copy into arena. SY_NO_MEMORY. */
sy_status sy_identity_copy(const sy_identity *from, sy_arena *arena, sy_identity *ret_copy, sy_error *err) SY_NODISCARD;

/* The key fields as `name=value`, sorted, parted by ';': the `processor` string of docs/formats.md. '%', ';', in a name
 * also '=', and all bytes but printable ASCII are written as %XX, so that different identities never give one text.
 * Appended to text; look at text->failed. */
void sy_identity_append_key(const sy_identity *identity, sy_text *text);
/* SHA-256 of the text of sy_identity_append_key. SY_NO_MEMORY. */
sy_status sy_identity_digest(const sy_identity *identity, sy_digest *ret_digest, sy_error *err) SY_NODISCARD;
/* Appends the names of the key fields that could not be found out, parted by ", ". */
void sy_identity_append_unknown(const sy_identity *identity, sy_text *text);
/* True when the key fields are the same and none of them is unknown. */
bool sy_identity_same_key(const sy_identity *a, const sy_identity *b);

/* One line for each field that differs, sorted by name: "cpu.cache.l2: 2 MiB x 2 here, 1 MiB x 2 there", "absent" where
 * one side lacks it, and "(recorded only)" behind a field that is no key of either; those are left out unless
 * recorded_too. An unknown value differs from everything. Appended to text; returns how many lines. */
size_t sy_identity_append_diff(const sy_identity *here, const sy_identity *there, bool recorded_too, sy_text *text);

#endif
