/* SPDX-License-Identifier: Apache-2.0 */
/* Status words and the error object. */
#include "cmocka_headers.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

static void every_status_has_a_word_of_its_own_and_an_advice(void **state)
{
    (void)state;
    for (int a = SY_OK; a <= SY_DIED; a++) {
        assert_true(strlen(sy_status_word((sy_status)a)) > 1);
        assert_string_not_equal(sy_status_word((sy_status)a), "unknown");
        assert_true(strlen(sy_status_advice((sy_status)a)) > 5);
        for (int b = a + 1; b <= SY_DIED; b++) {
            assert_string_not_equal(sy_status_word((sy_status)a), sy_status_word((sy_status)b));
        }
    }
    assert_string_equal(sy_status_word(SY_NOT_FOUND), "not-found");
    assert_string_equal(sy_status_word((sy_status)9999), "unknown");
    assert_string_equal(sy_status_advice((sy_status)9999), "");
}

static void an_error_is_filled_and_its_hint_and_position_cleared(void **state)
{
    (void)state;
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(sy_fail(&err, SY_BUSY, "a %s of %d", "thing", 7), SY_BUSY);
    sy_error_hint(&err, "try %s", "again");
    sy_error_at(&err, (sy_position){5, 2, 3});
    assert_int_equal(err.status, SY_BUSY);
    assert_string_equal(err.what, "a thing of 7");
    assert_string_equal(err.hint, "try again");
    assert_int_equal(err.position.line, 2);
    sy_error_prefix(&err, "case %s", "512");
    assert_string_equal(err.what, "case 512: a thing of 7");
    assert_string_equal(err.hint, "try again");
    assert_int_equal(sy_fail(&err, SY_IO, "%s", err.what), SY_IO);
    assert_string_equal(err.what, "case 512: a thing of 7");
    assert_string_equal(err.hint, "");
    assert_int_equal(err.position.line, 0);
}

static void without_an_object_only_the_status_is_returned(void **state)
{
    (void)state;
    assert_int_equal(sy_fail(NULL, SY_IO, "%s", "x"), SY_IO);
    assert_int_equal(sy_fail_errno(NULL, SY_IO, EIO, "%s", "x"), SY_IO);
    sy_error_hint(NULL, "x");
    sy_error_prefix(NULL, "x");
    sy_error_at(NULL, (sy_position){0, 0, 0});
}

static void a_long_text_is_cut_between_characters(void **state)
{
    (void)state;
    sy_error err = SY_ERROR_INIT;
    char text[400];
    memset(text, 'a', sizeof text);
    text[253] = '\xe2';
    text[254] = '\x82';
    text[255] = '\xac';
    text[399] = '\0';
    sy_fail(&err, SY_IO, "%s", text);
    assert_int_equal(strlen(err.what), 253);
    sy_error_hint(&err, "%s", text);
    assert_int_equal(strlen(err.hint), 253);
    sy_error_prefix(&err, "%s", text);
    assert_int_equal(strlen(err.what), 255);
}

static void the_reason_of_an_errno_survives_a_long_path(void **state)
{
    (void)state;
    sy_error err = SY_ERROR_INIT;
    sy_fail_errno(&err, SY_IO, ENOSPC, "cannot write '%s'", "file");
    assert_string_equal(err.what, "cannot write 'file': No space left on device (ENOSPC)");
    char path[400];
    memset(path, 'p', sizeof path);
    path[399] = '\0';
    sy_fail_errno(&err, SY_IO, ENOSPC, "%s", path);
    assert_true(sy_text_ends(err.what, "pp: No space left on device (ENOSPC)"));
    assert_int_equal(strlen(err.what), 255);
    sy_fail_errno(&err, SY_IO, 99999, "x");
    assert_string_equal(err.what, "x: error 99999");
}

static void control_bytes_do_not_reach_the_terminal(void **state)
{
    (void)state;
    sy_error err = SY_ERROR_INIT;
    sy_fail(&err, SY_IO, "a\x1b[31m\nb\x7f");
    assert_string_equal(err.what, "a?[31m?b?");
}

static void an_errno_has_the_status_that_tells_the_next_step(void **state)
{
    (void)state;
    assert_int_equal(sy_status_of_errno(ENOENT), SY_NOT_FOUND);
    assert_int_equal(sy_status_of_errno(ENOMEM), SY_NO_MEMORY);
    assert_int_equal(sy_status_of_errno(EINTR), SY_INTERRUPTED);
    assert_int_equal(sy_status_of_errno(EAGAIN), SY_BUSY);
    assert_int_equal(sy_status_of_errno(EBUSY), SY_BUSY);
    assert_int_equal(sy_status_of_errno(EACCES), SY_IO);
    assert_int_equal(sy_status_of_errno(ENOSPC), SY_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_a_word_of_its_own_and_an_advice),
        cmocka_unit_test(an_error_is_filled_and_its_hint_and_position_cleared),
        cmocka_unit_test(without_an_object_only_the_status_is_returned),
        cmocka_unit_test(a_long_text_is_cut_between_characters),
        cmocka_unit_test(the_reason_of_an_errno_survives_a_long_path),
        cmocka_unit_test(control_bytes_do_not_reach_the_terminal),
        cmocka_unit_test(an_errno_has_the_status_that_tells_the_next_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
