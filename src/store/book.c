/* SPDX-License-Identifier: Apache-2.0 */
/* An array of entries and an open-addressed index beside it. */
#include "store/book.h"

#include <string.h>

#include "base/memory.h"
#include "store/key_hash.h"

#define ENTRIES_MAX ((uint32_t)1 << 30)

/* Key and kind in one: entries of one key differ by kind only. */
static uint64_t identity_hash(uint64_t key_hash, sy_profile_kind kind)
{
    return (key_hash ^ ((uint64_t)kind + 1)) * UINT64_C(0x9e3779b97f4a7c15);
}

static void index_entry(sy_book *book, uint32_t place)
{
    const sy_entry *entry = book->entries[place];
    uint64_t hash = identity_hash(entry->hash, entry->profile.kind);
    uint32_t at = (uint32_t)hash & book->slot_mask;
    while (book->slots[at].place != 0) {
        at = (at + 1) & book->slot_mask;
    }
    book->slots[at] = (sy_book_slot){(uint32_t)(hash >> 32), place + 1};
}

static void index_all(sy_book *book)
{
    memset(book->slots, 0, ((size_t)book->slot_mask + 1) * sizeof *book->slots);
    for (uint32_t i = 0; i < book->count; i++) {
        index_entry(book, i);
    }
}

/* Room for that many entries and their index; what is there stays. */
static bool reserve(sy_book *book, uint32_t capacity)
{
    if (capacity > ENTRIES_MAX) {
        return false;
    }
    uint32_t slots = 8;
    while (slots < 2 * capacity) {
        slots *= 2;
    }
    sy_book_slot *index = sy_allocate(slots, sizeof *index);
    const sy_entry **entries = sy_reallocate(book->entries, capacity == 0 ? 1 : capacity, sizeof *entries);
    if (entries != NULL) {
        book->entries = entries;
    }
    if (index == NULL || entries == NULL) {
        sy_free(index);
        return false;
    }
    sy_free(book->slots);
    book->slots = index;
    book->slot_mask = slots - 1;
    book->capacity = capacity;
    for (uint32_t i = 0; i < book->count; i++) {
        index_entry(book, i);
    }
    return true;
}

sy_book *sy_book_create(uint32_t capacity)
{
    sy_book *book = sy_allocate(1, sizeof *book);
    if (book == NULL) {
        return NULL;
    }
    book->references = 1;
    book->tail_comment = "";
    if (!reserve(book, capacity)) {
        sy_book_release(book);
        return NULL;
    }
    return book;
}

sy_book *sy_book_copy(const sy_book *book, uint32_t more)
{
    if (more > ENTRIES_MAX - book->count) {
        return NULL;
    }
    sy_book *copy = sy_allocate(1, sizeof *copy);
    if (copy == NULL) {
        return NULL;
    }
    *copy = *book;
    copy->references = 1;
    if (book->count + more > book->capacity) {
        /* By half as much again, so that many small puts do not index everything anew each time. */
        uint32_t roomy = book->count < ENTRIES_MAX / 2 ? book->count + book->count / 2 : book->count;
        copy->capacity = book->count + more > roomy ? book->count + more : roomy;
    }
    copy->entries = sy_allocate(copy->capacity, sizeof *copy->entries);
    copy->slots = NULL;
    if (copy->entries == NULL) {
        sy_book_release(copy);
        return NULL;
    }
    memcpy(copy->entries, book->entries, book->count * sizeof *copy->entries);
    if (copy->capacity > book->capacity) {
        if (!reserve(copy, copy->capacity)) {
            sy_book_release(copy);
            return NULL;
        }
        return copy;
    }
    size_t slots = (size_t)book->slot_mask + 1;
    copy->slots = sy_allocate(slots, sizeof *copy->slots);
    if (copy->slots == NULL) {
        sy_book_release(copy);
        return NULL;
    }
    memcpy(copy->slots, book->slots, slots * sizeof *copy->slots);
    return copy;
}

void sy_book_hold(sy_book *book)
{
    book->references++;
}

void sy_book_release(sy_book *book)
{
    if (book == NULL || --book->references > 0) {
        return;
    }
    sy_free(book->entries);
    sy_free(book->slots);
    sy_free(book);
}

uint32_t sy_book_find(const sy_book *book, const sy_profile_key *key, bool portable, sy_profile_kind kind,
                      uint64_t hash)
{
    uint64_t identity = identity_hash(hash, kind);
    uint32_t tag = (uint32_t)(identity >> 32);
    for (uint32_t at = (uint32_t)identity & book->slot_mask; book->slots[at].place != 0;
         at = (at + 1) & book->slot_mask) {
        if (book->slots[at].tag != tag) {
            continue;
        }
        const sy_entry *entry = book->entries[book->slots[at].place - 1];
        if (entry->hash == hash && entry->profile.kind == kind && entry->profile.portable == portable &&
            sy_key_equal(&entry->profile.key, key, portable)) {
            return book->slots[at].place - 1;
        }
    }
    return SY_BOOK_NOWHERE;
}

bool sy_book_append(sy_book *book, const sy_entry *entry)
{
    if (book->count == book->capacity && !reserve(book, book->capacity < 8 ? 16 : book->capacity * 2)) {
        return false;
    }
    book->entries[book->count] = entry;
    index_entry(book, book->count);
    book->count++;
    return true;
}

void sy_book_replace(sy_book *book, uint32_t place, const sy_entry *entry)
{
    book->entries[place] = entry;
}

uint32_t sy_book_remove(sy_book *book, bool (*drop)(const void *user, const sy_profile *profile), const void *user)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < book->count; i++) {
        if (!drop(user, &book->entries[i]->profile)) {
            book->entries[kept++] = book->entries[i];
        }
    }
    uint32_t gone = book->count - kept;
    book->count = kept;
    if (gone > 0) {
        index_all(book);
    }
    return gone;
}
