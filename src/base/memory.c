/* SPDX-License-Identifier: Apache-2.0 */
/* The one door to the heap: checks sizes, asks the fault seam, counts what lives. */
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fault.h"

#define SY_HUGE_PAGE ((size_t)2 << 20)

/* The block's size in bytes, at least one; false when count * size overflows. */
static bool block_size(size_t count, size_t size, size_t *ret_bytes)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        return false;
    }
    *ret_bytes = bytes == 0 ? 1 : bytes;
    return true;
}

void *sy_allocate(size_t count, size_t size)
{
    size_t bytes;
    if (!block_size(count, size, &bytes) || sy_fault_allocation_fails()) {
        return NULL;
    }
    void *block = calloc(1, bytes);
    if (block != NULL) {
        sy_fault_allocation_lives(1);
    }
    return block;
}

void *sy_reallocate(void *block, size_t count, size_t size)
{
    size_t bytes;
    if (!block_size(count, size, &bytes) || sy_fault_allocation_fails()) {
        return NULL;
    }
    bool is_new = block == NULL;
    void *moved = realloc(block, bytes);
    if (moved != NULL && is_new) {
        sy_fault_allocation_lives(1);
    }
    return moved;
}

void sy_free(void *block)
{
    if (block != NULL) {
        sy_fault_allocation_lives(-1);
        free(block);
    }
}

void sy_text_free(char *text)
{
    sy_free(text);
}

char *sy_duplicate_text(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = sy_reallocate(NULL, size, 1);
    if (copy != NULL) {
        memcpy(copy, text, size);
    }
    return copy;
}

void *sy_allocate_aligned(size_t alignment, size_t count, size_t size)
{
    assert(alignment >= 64 && (alignment & (alignment - 1)) == 0);
    size_t bytes;
    if (!block_size(count, size, &bytes) || bytes > SIZE_MAX - alignment || sy_fault_allocation_fails()) {
        return NULL;
    }
    /* C17 wants the size to be a multiple of the alignment. */
    void *block = aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (block != NULL) {
        sy_fault_allocation_lives(1);
    }
    return block;
}

void *sy_allocate_table(size_t count, size_t size)
{
    size_t bytes;
    if (!block_size(count, size, &bytes) || bytes < SY_HUGE_PAGE) {
        return sy_allocate(count, size);
    }
    char *block = sy_allocate_aligned(SY_HUGE_PAGE, bytes, 1);
    if (block != NULL) {
        /* Advice only: a kernel without huge pages serves small ones. */
        (void)madvise(block, bytes / SY_HUGE_PAGE * SY_HUGE_PAGE, MADV_HUGEPAGE);
        memset(block, 0, bytes);
    }
    return block;
}

void sy_free_aligned(void *block)
{
    sy_free(block);
}

void *sy_reserve(size_t size)
{
    if (sy_fault_allocation_fails()) {
        return NULL;
    }
    void *block = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (block == MAP_FAILED) {
        return NULL;
    }
    sy_fault_allocation_lives(1);
    return block;
}

size_t sy_reserve_keep(void *block, size_t size, size_t keep)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t kept = keep == 0 ? page : (keep + page - 1) / page * page;
    if (kept >= size || munmap((char *)block + kept, size - kept) != 0) {
        return size;
    }
    return kept;
}

void sy_reserve_free(void *block, size_t size)
{
    if (block != NULL) {
        sy_fault_allocation_lives(-1);
        (void)munmap(block, size);
    }
}
