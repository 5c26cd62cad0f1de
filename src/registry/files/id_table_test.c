/* SPDX-License-Identifier: Apache-2.0 */
/* The table of ids: first come, first kept; growth; absent ids. */
#include "cmocka_headers.h"

#include <stdio.h>

#include "registry/files/id_table.h"

static void an_id_stands_for_what_came_first(void **state)
{
    (void)state;
    sy_arena *arena = sy_arena_create(0);
    sy_id_table *table = sy_id_table_create(arena, 0);
    int first = 0, second = 0;
    void *earlier = &second;
    assert_true(sy_id_table_put(table, "a", &first, &earlier));
    assert_null(earlier);
    assert_true(sy_id_table_put(table, "a", &second, &earlier));
    assert_ptr_equal(earlier, &first);
    assert_ptr_equal(sy_id_table_get(table, "a"), &first);
    assert_int_equal(sy_id_table_count(table), 1);
    assert_null(sy_id_table_get(table, "b"));
    assert_null(sy_id_table_get(table, NULL));
    assert_null(sy_id_table_get(NULL, "a"));
    sy_arena_destroy(arena);
}

static void ten_thousand_ids_are_found_after_growth(void **state)
{
    (void)state;
    sy_arena *arena = sy_arena_create(0);
    sy_id_table *table = sy_id_table_create(arena, 1);
    char *ids[10000];
    for (size_t i = 0; i < 10000; i++) {
        void *earlier = NULL;
        ids[i] = sy_arena_format(arena, "gate.%zu", i);
        assert_true(sy_id_table_put(table, ids[i], ids[i], &earlier));
        assert_null(earlier);
    }
    for (size_t i = 0; i < 10000; i++) {
        char id[32];
        (void)snprintf(id, sizeof id, "gate.%zu", i);
        assert_ptr_equal(sy_id_table_get(table, id), ids[i]);
    }
    assert_null(sy_id_table_get(table, "gate.10000"));
    sy_arena_destroy(arena);
}

static void a_table_without_memory_says_so(void **state)
{
    (void)state;
    sy_arena *arena = sy_arena_create(1024);
    sy_id_table *table = sy_id_table_create(arena, 1);
    static char ids[64][8];
    size_t kept = 0;
    void *earlier = NULL;
    for (size_t i = 0; i < 64; i++) {
        (void)snprintf(ids[i], sizeof ids[i], "%zu", i);
        kept += sy_id_table_put(table, ids[i], ids[i], &earlier);
    }
    assert_true(kept < 64);
    assert_ptr_equal(sy_id_table_get(table, "0"), ids[0]);
    sy_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_id_stands_for_what_came_first),
        cmocka_unit_test(ten_thousand_ids_are_found_after_growth),
        cmocka_unit_test(a_table_without_memory_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
