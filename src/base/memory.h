/* SPDX-License-Identifier: Apache-2.0 */
/* The one door to the heap: every allocation of the library passes here, so that tests can fail the n-th
 * and count what is still alive. Sizes are multiplied with an overflow check. */
#ifndef STEELYARD_BASE_MEMORY_H
#define STEELYARD_BASE_MEMORY_H

#include <stddef.h>
#include <steelyard/base.h>

/* count * size bytes, zeroed. NULL when it overflows, when memory is short or when the fault seam says so. count or
 * size 0 gives one byte. */
void *sy_allocate(size_t count, size_t size);
/* Like realloc for count * size bytes; new bytes are not zeroed; the old block stays valid on failure. */
void *sy_reallocate(void *block, size_t count, size_t size);
/* Frees; NULL is allowed. */
void sy_free(void *block);
/* A heap copy of text; NULL on failure. */
char *sy_duplicate_text(const char *text);

/* Like sy_allocate, for tables that are read at random: from 2 MiB on the block begins at a huge page's boundary and
 * the kernel is told that huge pages are welcome, which spares most of the waits for address translation. sy_free. */
void *sy_allocate_table(size_t count, size_t size);

/* count * size bytes (not zeroed) at an address that is a multiple of alignment (a power of two >= 64). Freed by
 * sy_free_aligned. */
void *sy_allocate_aligned(size_t alignment, size_t count, size_t size);
void sy_free_aligned(void *block);

/* size bytes (not 0) of address space, zeroed, at a page's boundary, whose pages are taken when they are touched: for
 * what must not be moved and whose size is known too late. NULL as above. */
void *sy_reserve(size_t size);
/* Gives back the pages behind the first keep bytes, which may not be touched any more. size: as it was reserved.
 * Returns the size that is left, for the calls that follow. */
size_t sy_reserve_keep(void *block, size_t size, size_t keep);
void sy_reserve_free(void *block, size_t size); /* NULL is allowed */

#endif
