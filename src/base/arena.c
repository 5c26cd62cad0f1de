/* SPDX-License-Identifier: Apache-2.0 */
/* An arena as a chain of growing blocks: a request takes the next bytes of the newest block. */
#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

#define ALIGNMENT _Alignof(max_align_t)
#define SMALLEST_BLOCK ((size_t)4096)
#define LARGEST_BLOCK (((size_t)2 << 20) - sizeof(block)) /* with its header one huge page */

typedef struct block block;
struct block {
    block *older;
    _Alignas(max_align_t) unsigned char bytes[];
};

struct sy_arena {
    block *newest;
    unsigned char *next; /* free bytes of the newest block start here */
    size_t left;
    size_t block_bytes; /* of the next block */
    size_t used;
    size_t limit;
    bool limit_reached;
};

sy_arena *sy_arena_create(size_t limit_bytes)
{
    sy_arena *arena = sy_allocate(1, sizeof *arena);
    if (arena != NULL) {
        arena->limit = limit_bytes;
        arena->block_bytes = SMALLEST_BLOCK;
    }
    return arena;
}

void sy_arena_destroy(sy_arena *arena)
{
    if (arena == NULL) {
        return;
    }
    for (block *b = arena->newest; b != NULL;) {
        block *older = b->older;
        sy_free(b);
        b = older;
    }
    sy_free(arena);
}

/* Puts a block of at least size bytes in front; false when memory is short. A request that would waste the open
 * block's rest gets a block of its own behind it. */
static void *allocate_from_new_block(sy_arena *arena, size_t size)
{
    bool alone = size > arena->block_bytes / 4;
    size_t bytes = alone ? size : arena->block_bytes;
    if (bytes > SIZE_MAX - sizeof(block)) {
        return NULL;
    }
    block *b = sy_allocate_table(1, sizeof(block) + bytes);
    if (b == NULL) {
        return NULL;
    }
    if (alone && arena->newest != NULL) {
        b->older = arena->newest->older;
        arena->newest->older = b;
        return b->bytes;
    }
    b->older = arena->newest;
    arena->newest = b;
    arena->next = b->bytes + size;
    arena->left = bytes - size;
    arena->block_bytes = arena->block_bytes * 2 < LARGEST_BLOCK ? arena->block_bytes * 2 : LARGEST_BLOCK;
    return b->bytes;
}

void *sy_arena_allocate(sy_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - ALIGNMENT) {
        return NULL;
    }
    if (arena->limit != 0 && bytes > arena->limit - arena->used) {
        arena->limit_reached = true;
        return NULL;
    }
    size_t step = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (step == 0) {
        step = ALIGNMENT;
    }
    void *found;
    if (step <= arena->left) {
        found = arena->next;
        arena->next += step;
        arena->left -= step;
    } else {
        found = allocate_from_new_block(arena, step);
    }
    if (found != NULL) {
        arena->used += bytes;
    }
    return found;
}

char *sy_arena_copy_text(sy_arena *arena, const char *text)
{
    return sy_arena_copy_bytes(arena, text, strlen(text));
}

char *sy_arena_copy_bytes(sy_arena *arena, const void *bytes, size_t size)
{
    if (size == SIZE_MAX) {
        return NULL;
    }
    char *copy = sy_arena_allocate(arena, size + 1, 1);
    if (copy != NULL && size > 0) {
        memcpy(copy, bytes, size);
    }
    return copy;
}

char *sy_arena_format(sy_arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    int length = sy_format_list(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = length < 0 ? NULL : sy_arena_allocate(arena, (size_t)length + 1, 1);
    if (text != NULL) {
        sy_format_list(text, (size_t)length + 1, format, again);
    }
    va_end(again);
    return text;
}

size_t sy_arena_used(const sy_arena *arena)
{
    return arena->used;
}

bool sy_arena_limit_reached(const sy_arena *arena)
{
    return arena->limit_reached;
}
