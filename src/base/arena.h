/* SPDX-License-Identifier: Apache-2.0 */
/* An arena: many small allocations that die together. A limit can be set, which is how a graph's metadata capacity is
 * kept. Not thread-safe. */
#ifndef STEELYARD_BASE_ARENA_H
#define STEELYARD_BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>
#include <steelyard/base.h>

typedef struct sy_arena sy_arena;

/* limit_bytes: the sum of all requests that it will serve; 0 = no limit. NULL when memory is short. */
sy_arena *sy_arena_create(size_t limit_bytes);
/* Frees all that came from it; NULL is allowed. */
void sy_arena_destroy(sy_arena *arena);
/* count * size zeroed bytes aligned for any type; NULL when memory is short, the product overflows or the limit is
 * reached. */
void *sy_arena_allocate(sy_arena *arena, size_t count, size_t size);
char *sy_arena_copy_text(sy_arena *arena, const char *text);
char *sy_arena_copy_bytes(sy_arena *arena, const void *bytes, size_t size); /* a 0 byte is put behind */
char *sy_arena_format(sy_arena *arena, const char *format, ...) SY_PRINTF(2, 3);
size_t sy_arena_used(const sy_arena *arena);        /* bytes requested so far */
bool sy_arena_limit_reached(const sy_arena *arena); /* a request was refused because of the limit */

#endif
