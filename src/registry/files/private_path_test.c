/* SPDX-License-Identifier: Apache-2.0 */
/* Which texts name somebody's home. */
#include "cmocka_headers.h"

#include <stdlib.h>
#include <string.h>

#include "registry/files/private_path.h"

static bool is_private(const char *text, size_t *ret_at)
{
    return sy_find_private_path(text, strlen(text), ret_at);
}

static void a_path_into_a_home_is_found_where_it_begins(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t at;
    } cases[] = {
        {"/Users/phil/data", 0},
        {"/home/phil", 0},
        {"see /home/phil/x.json", 4},
        {"/uSeRs/phil", 0},
        {"/HOME/phil", 0},
        {"/Users/", 0},
        {"file:///Users/phil/x", 0},
        {"file:///home/x", 0},
        {"C:\\Users\\phil\\x", 0},
        {"c:/users/phil", 0},
        {"\\\\server\\Users\\phil", 0},
        {"/mnt/c/Users/phil", 0},
        {"/export/home/phil/x", 0},
        {"host:/home/phil", 0},
        {"phil@host:home/../home/x", 0},
        {"scp://host/home/phil/x", 0},
        {"private-fixture:///Users/phil/x", 0},
        {"--input=/home/phil/x", 8},
        {"[x](/Users/phil/x)", 4},
        {"a;/home/b", 2},
        {"../../home/phil/x", 0},
        {"~/data/x", 0},
        {"in (~/data)", 4},
        {"https://a.example/x?file=/home/phil/y", 25},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t at = 999;
        if (!is_private(cases[i].text, &at) || at != cases[i].at) {
            fail_msg("'%s': %zu", cases[i].text, at);
        }
    }
    size_t at = 0;
    assert_true(sy_find_private_path("a\0/home/x", 9, &at));
    assert_int_equal(at, 2);
}

static void other_paths_are_nobodys(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "",
        "/",
        "/Users",
        "/home",
        "/homes/phil",
        "/usershare/x",
        "/data/x",
        "experiments/home/x.json",
        "docs/users/guide.md",
        "https://example.org/users/x",
        "HTTP://example.org/home/x",
        "private-fixture://full-512-u16/collection",
        "about ~3/4 of it",
        "~/",
        "a~/b",
        "home/x",
        "the /home directory",
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t at = 0;
        if (is_private(cases[i], &at)) {
            fail_msg("'%s'", cases[i]);
        }
    }
}

/* Nothing is read behind the text, and a long one costs one pass. */
static void a_long_text_is_read_once(void **state)
{
    (void)state;
    size_t length = (size_t)6 << 20, at = 0;
    char *text = malloc(length);
    assert_non_null(text);
    for (size_t i = 0; i < length; i++) {
        text[i] = "/home"[i % 5];
    }
    text[0] = 'x'; /* one relative path of a million homes */
    assert_false(sy_find_private_path(text, length, &at));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_into_a_home_is_found_where_it_begins),
        cmocka_unit_test(other_paths_are_nobodys),
        cmocka_unit_test(a_long_text_is_read_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
