/* SPDX-License-Identifier: Apache-2.0 */
/* The profiles of one layer in file order, with an index by key and kind. Built by one thread; once it is part of a
 * snapshot it never changes. */
#ifndef STEELYARD_STORE_BOOK_H
#define STEELYARD_STORE_BOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/profile.h"

#define SY_BOOK_NOWHERE UINT32_MAX

typedef struct sy_book_slot {
    const sy_entry *entry; /* the one at place; NULL = free */
    uint32_t tag;          /* high half of the key's hash, and the kind */
    uint32_t place;        /* into entries */
} sy_book_slot;

typedef struct sy_book {
    const sy_entry **entries;
    uint32_t count;
    uint32_t capacity;
    sy_book_slot *slots;
    uint32_t slot_mask;       /* slots are a power of two, at least half of them free */
    uint32_t format;          /* of the file; 0 = no file */
    const char *tail_comment; /* whole lines behind the last profile; lives in a vault */
    size_t tail_comment_size;
    uint32_t references; /* counted by writers, under the store's mutex */
} sy_book;

/* Empty, with room for that many. NULL: no memory. */
sy_book *sy_book_create(uint32_t capacity);
/* An unshared copy with room for more. NULL: no memory. */
sy_book *sy_book_copy(const sy_book *book, uint32_t more);
void sy_book_hold(sy_book *book);
/* Drops one reference and frees at the last; the creator has one. NULL is allowed. */
void sy_book_release(sy_book *book);

/* The place of the entry with that key half and kind, or SY_BOOK_NOWHERE. hash = sy_hash_key(key, portable). */
uint32_t sy_book_find(const sy_book *book, const sy_profile_key *key, bool portable, sy_profile_kind kind,
                      uint64_t hash);
/* The entry itself, or NULL: what a lookup asks. */
const sy_entry *sy_book_entry(const sy_book *book, const sy_profile_key *key, bool portable, sy_profile_kind kind,
                              uint64_t hash);
/* Puts an entry behind the last; its identity is not in the book yet. False: no memory, or 2^31 entries. */
bool sy_book_append(sy_book *book, const sy_entry *entry);
/* The entry at place gives way to one of the same identity. */
void sy_book_replace(sy_book *book, uint32_t place, const sy_entry *entry);
/* Takes out the entries of which drop says true; the others keep their order. Returns how many went. */
uint32_t sy_book_remove(sy_book *book, bool (*drop)(const void *user, const sy_profile *profile), const void *user);

#endif
