/* SPDX-License-Identifier: Apache-2.0 */
/* An array of entries and an open-addressed index beside it. */
#include "store/book.h"

#include <string.h>

#include "base/memory.h"
#include "store/key_hash.h"

#define ENTRIES_MAX ((uint32_t)1 << 30)

/* Entries of one key differ by kind only and stand in one cluster: asking for each kind touches one cache line. */
static uint32_t tag_of(uint64_t hash, sy_profile_kind kind)
{
    return (uint32_t)(hash >> 32) ^ (uint32_t)kind;
}

static void index_entry(sy_book *book, uint32_t place)
{
    const sy_entry *entry = book->entries[place];
    uint32_t at = (uint32_t)entry->hash & book->slot_mask;
    while (book->slots[at].entry != NULL) {
        at = (at + 1) & book->slot_mask;
    }
    book->slots[at] = (sy_book_slot){entry, tag_of(entry->hash, entry->profile.kind), place};
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
    sy_book_slot *index = sy_allocate_table(slots, sizeof *index);
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
    copy->slots = sy_allocate_table(slots, sizeof *copy->slots);
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

/* The slot of that identity, or NULL. */
static sy_book_slot *find_slot(const sy_book *book, const sy_profile_key *key, bool portable, sy_profile_kind kind,
                               uint64_t hash)
{
    uint32_t tag = tag_of(hash, kind);
    for (uint32_t at = (uint32_t)hash & book->slot_mask; book->slots[at].entry != NULL;
         at = (at + 1) & book->slot_mask) {
        if (book->slots[at].tag != tag) {
            continue;
        }
        const sy_entry *entry = book->slots[at].entry;
        /* The text before and the lines behind, in one wait: see sy_entry_create. */
        __builtin_prefetch((const char *)entry - 64);
        __builtin_prefetch((const char *)entry + 64);
        if (entry->hash == hash && entry->profile.kind == kind && entry->profile.portable == portable &&
            sy_key_equal(&entry->profile.key, key, portable)) {
            return &book->slots[at];
        }
    }
    return NULL;
}

const sy_entry *sy_book_entry(const sy_book *book, const sy_profile_key *key, bool portable, sy_profile_kind kind,
                              uint64_t hash)
{
    const sy_book_slot *slot = find_slot(book, key, portable, kind, hash);
    return slot == NULL ? NULL : slot->entry;
}

uint32_t sy_book_find(const sy_book *book, const sy_profile_key *key, bool portable, sy_profile_kind kind,
                      uint64_t hash)
{
    const sy_book_slot *slot = find_slot(book, key, portable, kind, hash);
    return slot == NULL ? SY_BOOK_NOWHERE : slot->place;
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
    sy_book_slot *slot = find_slot(book, &entry->profile.key, entry->profile.portable, entry->profile.kind,
                                   entry->hash);
    slot->entry = entry;
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
