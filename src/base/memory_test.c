/* SPDX-License-Identifier: Apache-2.0 */
/* The door to the heap and the arena that stands on it. */
#include "cmocka_headers.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/memory.h"
#include "fault_loop.h"

static bool all_zero(const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != 0) {
            return false;
        }
    }
    return true;
}

static void new_memory_is_zero_and_counted(void **state)
{
    (void)state;
    int64_t alive = sy_fault_live_allocations();
    char *block = sy_allocate(100, 7);
    assert_true(all_zero(block, 700));
    char *copy = sy_duplicate_text("text");
    assert_string_equal(copy, "text");
    assert_int_equal(sy_fault_live_allocations(), alive + 2);
    memset(block, 'x', 700);
    block = sy_reallocate(block, 1000, 7);
    assert_int_equal(block[699], 'x');
    assert_int_equal(sy_fault_live_allocations(), alive + 2);
    sy_free(block);
    sy_free(copy);
    sy_free(NULL);
    assert_int_equal(sy_fault_live_allocations(), alive);
}

static void nothing_is_one_byte(void **state)
{
    (void)state;
    char *block = sy_allocate(0, 8);
    assert_non_null(block);
    block[0] = 1;
    sy_free(block);
    block = sy_reallocate(NULL, 8, 0);
    assert_non_null(block);
    block[0] = 1;
    sy_free(block);
}

static void a_product_that_overflows_is_refused(void **state)
{
    (void)state;
    char *block = sy_allocate(1, 1);
    assert_null(sy_allocate(SIZE_MAX / 2, 3));
    assert_null(sy_reallocate(block, SIZE_MAX, 2));
    assert_null(sy_allocate_aligned(64, SIZE_MAX, 2));
    assert_null(sy_allocate_aligned(64, SIZE_MAX - 10, 1));
    sy_free(block);
}

static void aligned_memory_is_aligned(void **state)
{
    (void)state;
    for (size_t alignment = 64; alignment <= 4096; alignment *= 2) {
        char *block = sy_allocate_aligned(alignment, 3, 5);
        assert_int_equal((uintptr_t)block % alignment, 0);
        memset(block, 1, 15);
        sy_free_aligned(block);
    }
    sy_free_aligned(NULL);
}

static void the_seam_fails_the_allocation_that_it_is_told(void **state)
{
    (void)state;
    sy_fault_fail_allocation(2, true);
    void *first = sy_allocate(1, 1);
    void *second = sy_allocate(1, 1);
    void *third = sy_reallocate(NULL, 1, 1);
    assert_true(first != NULL && second == NULL && third != NULL);
    assert_int_equal(sy_fault_allocations(), 3);
    sy_fault_fail_allocation(1, false);
    assert_null(sy_allocate_aligned(64, 1, 1));
    assert_null(sy_duplicate_text("x"));
    sy_fault_reset();
    sy_free(first);
    sy_free(third);
}

static void a_table_is_zeroed_and_a_large_one_begins_at_a_huge_page(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 4096, ((size_t)2 << 20) - 1, (size_t)2 << 20, ((size_t)5 << 20) + 3};
    int64_t alive = sy_fault_live_allocations();
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (int again = 0; again < 2; again++) {
            unsigned char *table = sy_allocate_table(sizes[i], 1);
            assert_non_null(table);
            assert_int_equal(table[0] | table[sizes[i] / 2] | table[sizes[i] - 1], 0);
            assert_true(sizes[i] < (size_t)2 << 20 || (uintptr_t)table % ((size_t)2 << 20) == 0);
            memset(table, 0xff, sizes[i]); /* what the next one must not show */
            sy_free(table);
        }
    }
    assert_int_equal(sy_fault_live_allocations(), alive);
    assert_null(sy_allocate_table(SIZE_MAX, 2));
}

static void an_arena_gives_zeroed_aligned_memory_of_any_size(void **state)
{
    (void)state;
    sy_arena *arena = sy_arena_create(0);
    size_t used = 0;
    char *blocks[600];
    for (size_t i = 0; i < 600; i++) {
        size_t size = i % 50 == 49 ? 100000 * (i / 50) : i % 97;
        blocks[i] = sy_arena_allocate(arena, size, 1);
        assert_int_equal((uintptr_t)blocks[i] % _Alignof(max_align_t), 0);
        assert_true(all_zero(blocks[i], size));
        memset(blocks[i], (int)(i % 255) + 1, size);
        used += size;
    }
    for (size_t i = 0; i < 600; i++) {
        size_t size = i % 50 == 49 ? 100000 * (i / 50) : i % 97;
        for (size_t k = 0; k < size; k++) {
            assert_int_equal((unsigned char)blocks[i][k], i % 255 + 1);
        }
    }
    assert_int_equal(sy_arena_used(arena), used);
    assert_false(sy_arena_limit_reached(arena));
    assert_null(sy_arena_allocate(arena, SIZE_MAX, 2));
    assert_null(sy_arena_allocate(arena, SIZE_MAX - 1, 1));
    sy_arena_destroy(arena);
    sy_arena_destroy(NULL);
}

static void an_arena_keeps_its_limit(void **state)
{
    (void)state;
    sy_arena *arena = sy_arena_create(100);
    assert_non_null(sy_arena_allocate(arena, 60, 1));
    assert_null(sy_arena_allocate(arena, 41, 1));
    assert_true(sy_arena_limit_reached(arena));
    assert_int_equal(sy_arena_used(arena), 60);
    assert_non_null(sy_arena_allocate(arena, 40, 1));
    assert_null(sy_arena_allocate(arena, 1, 1));
    assert_null(sy_arena_copy_text(arena, ""));
    sy_arena_destroy(arena);
}

static void texts_are_copied_and_formatted_into_an_arena(void **state)
{
    (void)state;
    sy_arena *arena = sy_arena_create(0);
    assert_string_equal(sy_arena_copy_text(arena, "abc"), "abc");
    const char *bytes = sy_arena_copy_bytes(arena, "a\0b", 3);
    assert_memory_equal(bytes, "a\0b", 4);
    assert_string_equal(sy_arena_copy_bytes(arena, NULL, 0), "");
    assert_string_equal(sy_arena_format(arena, "%d-%s", 5, "x"), "5-x");
    assert_null(sy_arena_copy_bytes(arena, "x", SIZE_MAX));
    sy_arena_destroy(arena);
}

/* Whether the page that address lies in belongs to the process. */
static bool is_mapped(const void *address, size_t page)
{
    void *start = (void *)((uintptr_t)address / page * page);
    return msync(start, page, MS_ASYNC) == 0;
}

static void a_reserve_is_zeroed_and_its_tail_can_be_given_back(void **state)
{
    (void)state;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), size = 64 * page;
    const int64_t alive = sy_fault_live_allocations();
    char *block = sy_reserve(size);
    assert_non_null(block);
    assert_int_equal((uintptr_t)block % page, 0);
    assert_int_equal(sy_fault_live_allocations(), alive + 1);
    for (size_t i = 0; i < size; i += 100)
        assert_int_equal(block[i], 0);
    block[0] = 1;
    block[page] = 2;
    const size_t left = sy_reserve_keep(block, size, page + 1);
    assert_int_equal(left, 2 * page);
    assert_true(is_mapped(block + page, page));
    assert_false(is_mapped(block + 2 * page, page));
    assert_int_equal(block[0] + block[page], 3);
    assert_int_equal(sy_reserve_keep(block, left, left + 1), left); /* nothing behind it */
    assert_int_equal(sy_reserve_keep(block, left, 0), page);
    sy_reserve_free(block, page);
    assert_false(is_mapped(block, page));
    sy_reserve_free(NULL, page);
    assert_int_equal(sy_fault_live_allocations(), alive);
    assert_null(sy_reserve(SIZE_MAX / 2));
    sy_fault_fail_allocation(1, true);
    assert_null(sy_reserve(page));
    sy_fault_reset();
}

static sy_status fill_an_arena(void *user)
{
    (void)user;
    sy_arena *arena = sy_arena_create(0);
    bool whole = arena != NULL;
    for (size_t i = 1; whole && i < 40; i++) {
        whole = sy_arena_allocate(arena, i * 997, 1) != NULL && sy_arena_format(arena, "%zu", i) != NULL;
    }
    sy_arena_destroy(arena);
    return whole ? SY_OK : SY_NO_MEMORY;
}

static void every_failed_allocation_of_an_arena_is_clean(void **state)
{
    (void)state;
    assert_true(fault_loop_allocations(fill_an_arena, NULL, true) >= 5);
    assert_true(fault_loop_allocations(fill_an_arena, NULL, false) >= 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_memory_is_zero_and_counted),
        cmocka_unit_test(nothing_is_one_byte),
        cmocka_unit_test(a_product_that_overflows_is_refused),
        cmocka_unit_test(aligned_memory_is_aligned),
        cmocka_unit_test(the_seam_fails_the_allocation_that_it_is_told),
        cmocka_unit_test(a_table_is_zeroed_and_a_large_one_begins_at_a_huge_page),
        cmocka_unit_test(a_reserve_is_zeroed_and_its_tail_can_be_given_back),
        cmocka_unit_test(an_arena_gives_zeroed_aligned_memory_of_any_size),
        cmocka_unit_test(an_arena_keeps_its_limit),
        cmocka_unit_test(texts_are_copied_and_formatted_into_an_arena),
        cmocka_unit_test(every_failed_allocation_of_an_arena_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
