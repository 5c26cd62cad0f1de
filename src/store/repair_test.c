/* SPDX-License-Identifier: Apache-2.0 */
/* Salvage: what is whole is kept, what was there is kept aside, and a crash at any step leaves the one or the other. */
#include "cmocka_headers.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "store_files.h"

static void a_repair_salvages_whole_profiles_and_keeps_the_damaged_file(void **state)
{
    const char *path = in(state, "profiles");
    sy_store *store = open_memory(path);
    put_exact(store, "p", 1, "one");
    put_exact(store, "p", 2, "two");
    put_exact(store, "p", 3, "three");
    sy_store_close(store);
    sy_repair_result result;
    sy_store_options options = memory_options();
    assert_int_equal(sy_store_repair(path, &options, &result, NULL), SY_OK);
    assert_false(result.repaired);
    assert_int_equal(result.salvaged, 3);
    char *bytes = read_file(path);
    char *two = strstr(bytes, "\"two\"");
    assert_non_null(two);
    two[1] = 'T';
    write_file(path, bytes);
    test_now = 1795959859;
    assert_int_equal(sy_store_repair(path, &options, &result, NULL), SY_OK);
    assert_true(result.repaired);
    assert_int_equal(result.salvaged, 2);
    assert_int_equal(result.finding_total, 1);
    assert_string_equal(result.moved_to, in(state, "profiles.corrupt-20261129T134419Z"));
    expect_file(result.moved_to, bytes);
    store = open_memory(path);
    assert_int_equal(layer_of(store, 0).status, SY_OK);
    assert_int_equal(count_profiles(store), 2);
    assert_string_equal(find(store, "p", 3).profile->policy, "three");
    sy_store_close(store);
    /* A second one in the same second gets a name of its own; a header is guessed from the check lines. */
    bytes[0] = '?';
    write_file(path, bytes);
    assert_int_equal(sy_store_repair(path, &options, &result, NULL), SY_OK);
    assert_string_equal(result.moved_to, in(state, "profiles.corrupt-20261129T134419Z-2"));
    assert_int_equal(result.salvaged, 2);
    store = open_memory(path);
    assert_int_equal(layer_of(store, 0).format, 2);
    assert_int_equal(count_profiles(store), 2);
    sy_store_close(store);
    sy_free(bytes);
    assert_int_equal(sy_store_repair(in(state, "nothing"), &options, &result, NULL), SY_NOT_FOUND);
    assert_int_equal(access(in(state, "nothing.lock"), F_OK), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_repair_salvages_whole_profiles_and_keeps_the_damaged_file,
                                        make_temporary_folder, remove_temporary_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
