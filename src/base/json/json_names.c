/* SPDX-License-Identifier: Apache-2.0 */
/* Repeated names in one JSON object: pair by pair in small ones, by a seeded hash table in large ones, so that no
 * choice of names makes it quadratic. */
#include <string.h>

#include "base/json/json_inside.h"
#include "base/memory.h"
#include "base/random.h"

#define PAIRWISE_MEMBERS 8

__extension__ typedef unsigned __int128 wide;

static bool same_name(const sy_json_value *a, const sy_json_value *b)
{
    return a->name_length == b->name_length && memcmp(a->name, b->name, a->name_length) == 0;
}

static bool note(sy_json_parser *parser, const sy_json_value *member)
{
    return sy_json_note(parser, SY_JSON_DUPLICATE_KEY, member->name_offset, member);
}

static bool note_pairwise(sy_json_parser *parser, const sy_json_value *object)
{
    for (const sy_json_value *member = object->first->next; member != NULL; member = member->next) {
        const sy_json_value *earlier = object->first;
        while (earlier != member && !same_name(earlier, member)) {
            earlier = earlier->next;
        }
        if (earlier != member && !note(parser, member)) {
            return false;
        }
    }
    return true;
}

/* Both halves of the product of two odd-looking words: every bit of either reaches the result. */
static uint64_t fold(uint64_t a, uint64_t b)
{
    wide product = (wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t hash_name(const sy_json_value *member, uint64_t seed)
{
    uint64_t hash = seed ^ member->name_length;
    const char *at = member->name;
    size_t left = member->name_length;
    for (; left >= 8; left -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        hash = fold(hash ^ word, seed | 1);
    }
    uint64_t word = 0;
    memcpy(&word, at, left);
    return fold(hash ^ word ^ UINT64_C(0x9e3779b97f4a7c15), seed | 1);
}

/* An empty table of at least twice count slots; false: stopped. */
static bool clear_slots(sy_json_parser *parser, size_t count, size_t *ret_mask)
{
    size_t needed = 32;
    while (needed < 2 * count) {
        needed *= 2;
    }
    if (needed > parser->slot_count) {
        const sy_json_value **slots = sy_reallocate(parser->slots, needed, sizeof *slots);
        if (slots == NULL) {
            return sy_json_stop(parser, SY_NO_MEMORY, parser->at, "no memory to compare the names of %zu members",
                                count);
        }
        parser->slots = slots;
        parser->slot_count = needed;
    }
    if (parser->hash_seed == 0 && sy_random_seed(&parser->hash_seed, NULL) != SY_OK) {
        parser->hash_seed = (uint64_t)(uintptr_t)parser->slots;
    }
    memset(parser->slots, 0, needed * sizeof *parser->slots);
    *ret_mask = needed - 1;
    return true;
}

bool sy_json_note_duplicates(sy_json_parser *parser, const sy_json_value *object)
{
    if (object->count <= PAIRWISE_MEMBERS) {
        return note_pairwise(parser, object);
    }
    size_t mask = 0;
    if (!clear_slots(parser, object->count, &mask)) {
        return false;
    }
    for (const sy_json_value *member = object->first; member != NULL; member = member->next) {
        size_t slot = hash_name(member, parser->hash_seed) & mask;
        while (parser->slots[slot] != NULL && !same_name(parser->slots[slot], member)) {
            slot = (slot + 1) & mask;
        }
        if (parser->slots[slot] == NULL) {
            parser->slots[slot] = member;
        } else if (!note(parser, member)) {
            return false;
        }
    }
    return true;
}
