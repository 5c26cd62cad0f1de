/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of reading small files below a root. */
#include "identity/tree.h"

#include <string.h>

#include "base/memory.h"
#include "cmocka_headers.h"
#include "fake_tree.h"

static void a_processor_list_is_read_or_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *expected; /* NULL = malformed */
    } rows[] = {
        {"0", "0"},
        {"0-3,8\n", "0-3,8"},
        {"  5,1-2 \n", "1-2,5"},
        {"0-0", "0"},
        {"65535", "65535"},
        {"", NULL},
        {"\n", NULL},
        {"a", NULL},
        {"-3", NULL},
        {"3-", NULL},
        {"4-2", NULL},
        {"0,", NULL},
        {"0 1", NULL},
        {"0x3", NULL},
        {"65536", NULL},
        {"0-4000000000", NULL},
        {"99999999999999999999", NULL},
    };
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char found[64];
        bool ok = sy_tree_parse_cpus(rows[i].text, set);
        if (ok != (rows[i].expected != NULL))
            fail_msg("'%s' was %s", rows[i].text, ok ? "read" : "refused");
        if (!ok)
            continue;
        hwloc_bitmap_list_snprintf(found, sizeof found, set);
        assert_string_equal(found, rows[i].expected);
    }
    hwloc_bitmap_free(set);
}

static void values_are_found_by_their_whole_name(void **state)
{
    (void)state;
    const char *text = "model name\t: Some CPU @ 3 GHz \nmodel\t\t: 85\nmodelx: 9\nempty:\nmodel : 86";
    const char *at = text;
    size_t length = 0;
    const char *value = sy_tree_next_value(&at, "model", &length);
    assert_int_equal(length, 2);
    assert_memory_equal(value, "85", 2);
    value = sy_tree_next_value(&at, "model", &length);
    assert_int_equal(length, 2);
    assert_memory_equal(value, "86", 2);
    assert_null(sy_tree_next_value(&at, "model", &length));
    at = text;
    value = sy_tree_next_value(&at, "model name", &length);
    assert_int_equal(length, strlen("Some CPU @ 3 GHz"));
    at = text;
    assert_non_null(sy_tree_next_value(&at, "empty", &length));
    assert_int_equal(length, 0);
}

static void a_missing_or_unreadable_file_is_an_answer(void **state)
{
    fake_tree *tree = *state;
    char *text = (char *)"untouched";
    assert_int_equal(sy_tree_read(tree->root, &text, NULL, "/proc/%s", "nothing"), SY_OK);
    assert_null(text);
    fake_tree_make_folders(tree, "/proc/folder/");
    assert_int_equal(sy_tree_read(tree->root, &text, NULL, "/proc/folder"), SY_OK);
    assert_null(text);
    char long_path[3000];
    memset(long_path, 'a', sizeof long_path - 1);
    long_path[sizeof long_path - 1] = '\0';
    assert_int_equal(sy_tree_read(tree->root, &text, NULL, "/%s", long_path), SY_OK);
    assert_null(text);
    assert_int_equal(sy_tree_read(long_path, &text, NULL, "/proc"), SY_OK);
    assert_null(text);
    assert_false(sy_tree_folder_exists(long_path, "/proc"));
}

static void a_line_comes_without_blanks_at_its_ends(void **state)
{
    fake_tree *tree = *state;
    char *text = NULL;
    fake_tree_write(tree, "/sys/a", "  two words \t");
    assert_int_equal(sy_tree_read_line(tree->root, &text, NULL, "/sys/%c", 'a'), SY_OK);
    assert_string_equal(text, "two words");
    sy_free(text);
    fake_tree_write(tree, "/sys/b", "   ");
    assert_int_equal(sy_tree_read_line(tree->root, &text, NULL, "/sys/b"), SY_OK);
    assert_null(text);
}

static void a_set_stays_as_it_was_when_the_list_makes_no_sense(void **state)
{
    fake_tree *tree = *state;
    bool known = true;
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    hwloc_bitmap_only(set, 7);
    fake_tree_write(tree, "/sys/cpus", "0-nine");
    assert_int_equal(sy_tree_read_cpus(tree->root, set, &known, NULL, "/sys/cpus"), SY_OK);
    assert_false(known);
    assert_int_equal(hwloc_bitmap_first(set), 7);
    assert_int_equal(sy_tree_read_cpus(tree->root, set, &known, NULL, "/sys/none"), SY_OK);
    assert_false(known);
    fake_tree_write(tree, "/sys/cpus", "2-3");
    assert_int_equal(sy_tree_read_cpus(tree->root, set, &known, NULL, "/sys/cpus"), SY_OK);
    assert_true(known);
    assert_int_equal(hwloc_bitmap_weight(set), 2);
    hwloc_bitmap_free(set);
}

static fake_tree the_tree;

static int start(void **state)
{
    fake_tree_start(&the_tree);
    *state = &the_tree;
    return 0;
}

static int finish(void **state)
{
    fake_tree_finish(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_processor_list_is_read_or_refused),
        cmocka_unit_test(values_are_found_by_their_whole_name),
        cmocka_unit_test_setup_teardown(a_missing_or_unreadable_file_is_an_answer, start, finish),
        cmocka_unit_test_setup_teardown(a_line_comes_without_blanks_at_its_ends, start, finish),
        cmocka_unit_test_setup_teardown(a_set_stays_as_it_was_when_the_list_makes_no_sense, start, finish),
    };
    return cmocka_run_group_tests_name("tree", tests, NULL, NULL);
}
