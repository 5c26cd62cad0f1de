/* SPDX-License-Identifier: Apache-2.0 */
/* The default path as a table over platforms and environments, and what opening does where there is no place. */
#include "cmocka_headers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store_fixture.h"
#include "temporary_folder.h"

#define NONE "none writable (no home folder): decisions are kept for this process only"

/* A platform, its environment, and the path that follows. */
static const struct {
    sy_platform platform;
    const char *environment[4];
    const char *path; /* NULL = memory only */
    const char *note; /* a part of it; "" = none */
} rows[] = {
    {SY_PLATFORM_POSIX, {"HOME=/home/a"}, "/home/a/.cache/steelyard/profiles", ""},
    {SY_PLATFORM_POSIX, {"HOME=/home/a//"}, "/home/a/.cache/steelyard/profiles", ""},
    {SY_PLATFORM_POSIX, {"XDG_CACHE_HOME=/c", "HOME=/home/a"}, "/c/steelyard/profiles", ""},
    {SY_PLATFORM_POSIX, {"XDG_CACHE_HOME=/c/"}, "/c/steelyard/profiles", ""},
    {SY_PLATFORM_POSIX, {"XDG_CACHE_HOME=", "HOME=/home/a"}, "/home/a/.cache/steelyard/profiles", ""},
    {SY_PLATFORM_POSIX,
     {"XDG_CACHE_HOME=cache", "HOME=/home/a"},
     "/home/a/.cache/steelyard/profiles",
     "XDG_CACHE_HOME 'cache' is not absolute"},
    {SY_PLATFORM_POSIX, {"XDG_CACHE_HOME=~/c", "HOME=/home/a"}, "/home/a/.cache/steelyard/profiles", "not absolute"},
    {SY_PLATFORM_POSIX, {"XDG_CACHE_HOME=/", "HOME=/home/a"}, "/home/a/.cache/steelyard/profiles", "root folder"},
    {SY_PLATFORM_POSIX, {"HOME=/"}, NULL, "HOME '/' is the root folder"},
    {SY_PLATFORM_POSIX, {"HOME=///"}, NULL, NONE},
    {SY_PLATFORM_POSIX, {"HOME="}, NULL, NONE},
    {SY_PLATFORM_POSIX, {"HOME=home"}, NULL, "HOME 'home' is not absolute"},
    {SY_PLATFORM_POSIX, {NULL}, NULL, NONE},
    {SY_PLATFORM_POSIX, {"HOMEX=/home/a", "XHOME=/home/b", "OTHER=HOME=/c"}, NULL, NONE},
    {SY_PLATFORM_POSIX, {"LOCALAPPDATA=C:\\u", "HOME=/home/a"}, "/home/a/.cache/steelyard/profiles", ""},
    {SY_PLATFORM_POSIX, {"HOME=/home/first", "HOME=/home/second"}, "/home/first/.cache/steelyard/profiles", ""},
    {SY_PLATFORM_WINDOWS,
     {"LOCALAPPDATA=C:\\Users\\a\\AppData\\Local"},
     "C:\\Users\\a\\AppData\\Local\\steelyard\\profiles",
     ""},
    {SY_PLATFORM_WINDOWS, {"LOCALAPPDATA=C:\\u\\"}, "C:\\u\\steelyard\\profiles", ""},
    {SY_PLATFORM_WINDOWS, {"LOCALAPPDATA=c:/u/"}, "c:/u\\steelyard\\profiles", ""},
    {SY_PLATFORM_WINDOWS, {"LOCALAPPDATA=\\\\server\\share"}, "\\\\server\\share\\steelyard\\profiles", ""},
    {SY_PLATFORM_WINDOWS, {"LOCALAPPDATA=C:u", "XDG_CACHE_HOME=D:\\c"}, "D:\\c\\steelyard\\profiles", "not absolute"},
    {SY_PLATFORM_WINDOWS, {"LOCALAPPDATA=/u", "HOME=C:\\h"}, "C:\\h\\.cache\\steelyard\\profiles", "not absolute"},
    {SY_PLATFORM_WINDOWS, {"LOCALAPPDATA=C:\\"}, NULL, "root folder"},
    {SY_PLATFORM_WINDOWS, {"HOME=C:\\h"}, "C:\\h\\.cache\\steelyard\\profiles", ""},
    {SY_PLATFORM_WINDOWS, {NULL}, NULL, NONE},
};

static void the_default_path_is_a_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *path = NULL;
        char *note = NULL;
        assert_int_equal(sy_store_default_path(rows[i].platform, rows[i].environment, &path, &note, NULL), SY_OK);
        if (rows[i].path == NULL) {
            assert_null(path);
        } else {
            assert_non_null(path);
            assert_string_equal(path, rows[i].path);
        }
        assert_non_null(strstr(note, rows[i].note));
        assert_true(*rows[i].note != '\0' || *note == '\0');
        sy_text_free(path);
        sy_text_free(note);
    }
}

static sy_layer_info open_with(const char *const *environment, sy_store **ret_store)
{
    sy_store_options options = memory_options();
    sy_layer_info info;
    options.persistence = true;
    options.environment = environment;
    assert_int_equal(sy_store_open(&options, ret_store, NULL), SY_OK);
    assert_int_equal(sy_store_layer(*ret_store, 0, &info, NULL), SY_OK);
    return info;
}

static void without_a_place_decisions_stay_in_memory_and_nothing_is_made(void **state)
{
    char missing[600];
    char xdg[600];
    char working[512];
    assert_non_null(getcwd(working, sizeof working));
    assert_int_equal(chdir(*state), 0);
    snprintf(missing, sizeof missing, "HOME=%s/nonexistent", (const char *)*state);
    snprintf(xdg, sizeof xdg, "XDG_CACHE_HOME=%s/nonexistent/.cache", (const char *)*state);
    const char *const environments[][3] = {
        {NULL}, {"HOME=/"}, {missing, NULL}, {"XDG_CACHE_HOME=cache", NULL}, {missing, xdg, NULL}};
    for (size_t i = 0; i < 5; i++) {
        sy_store *store;
        sy_layer_info info = open_with(environments[i], &store);
        assert_string_equal(info.path, "");
        assert_non_null(strstr(info.message, "decisions are kept for this process only"));
        put_exact(store, "p", 1, "x");
        assert_string_equal(find(store, "p", 1).profile->policy, "x");
        sy_store_close(store);
    }
    assert_int_equal(count_entries(*state), 0);
    assert_int_equal(access("/.cache", F_OK), -1);
    assert_int_equal(chdir(working), 0);
}

static void a_home_is_used_and_its_cache_is_made(void **state)
{
    char home[600];
    char path[600];
    sy_store *store;
    snprintf(home, sizeof home, "HOME=%s", (const char *)*state);
    snprintf(path, sizeof path, "%s/.cache/steelyard/profiles", (const char *)*state);
    const char *const environment[] = {"XDG_CACHE_HOME=relative", home, NULL};
    sy_layer_info info = open_with(environment, &store);
    assert_string_equal(info.path, path);
    assert_non_null(strstr(info.message, "XDG_CACHE_HOME 'relative' is not absolute and is passed over"));
    put_exact(store, "p", 1, "x");
    assert_int_equal(access(path, F_OK), 0);
    sy_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_default_path_is_a_table),
        cmocka_unit_test_setup_teardown(without_a_place_decisions_stay_in_memory_and_nothing_is_made,
                                        make_temporary_folder, remove_temporary_folder),
        cmocka_unit_test_setup_teardown(a_home_is_used_and_its_cache_is_made, make_temporary_folder,
                                        remove_temporary_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
