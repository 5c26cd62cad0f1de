/* SPDX-License-Identifier: Apache-2.0 */
/* Which file a program's name means. */
#include "backends/command/command_run.h"
#include "base/memory.h"
#include "cmocka_headers.h"

static void path_is_the_programs_own(void **state)
{
    static const char *const nowhere[] = {"PATH=/nowhere::/etc", NULL};
    static const char *const somewhere[] = {"PATH=/nowhere:/bin", NULL};
    char *path = NULL;
    sy_error err = SY_ERROR_INIT;
    (void)state;
    assert_int_equal(sy_command_find("sh", nowhere, NULL, &path, &err), SY_NOT_FOUND);
    assert_int_equal(sy_command_find("passwd", nowhere, NULL, &path, &err), SY_IO); /* a file, but not executable */
    assert_int_equal(sy_command_find("sh", somewhere, NULL, &path, &err), SY_OK);
    assert_string_equal(path, "/bin/sh");
    sy_free(path);
    assert_int_equal(sy_command_find("./sh", somewhere, "/bin", &path, &err), SY_OK);
    assert_string_equal(path, "./sh");
    sy_free(path);
    assert_int_equal(sy_command_find("", somewhere, NULL, &path, &err), SY_INVALID_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(path_is_the_programs_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
