/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of anchors: lines read and written, what is no anchor refused by its line, and the file left as it was. */
#include "cmocka_headers.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "ledger/proof/anchor_file.h"
#include "ledger_fixture.h"
#include "temporary_folder.h"

#define NOON INT64_C(1795953600)
#define ID "0123456789abcdef0123456789abcdef"
#define DIGEST "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
#define GOOD "steelyard-anchor/1 " ID " 7 " DIGEST " 2026-11-29T12:00:00Z"

static void a_line_is_written_as_documented_and_read_back(void **state)
{
    sy_text line = SY_TEXT_INIT;
    sy_anchor_list list;
    sy_anchor anchor = {.ledger = ID, .number = 7};
    sy_arena *arena = sy_arena_create(0);
    (void)state;
    assert_int_equal(sy_digest_parse(DIGEST, &anchor.digest, NULL), SY_OK);
    assert_int_equal(sy_anchor_write(&anchor, NOON, &line, NULL), SY_OK);
    assert_string_equal(line.bytes, GOOD "\n");
    assert_int_equal(sy_anchors_parse(line.bytes, line.length, arena, &list, NULL), SY_OK);
    assert_int_equal(list.count, 1);
    assert_string_equal(list.anchors[0].ledger, ID);
    assert_int_equal(list.anchors[0].number, 7);
    assert_true(sy_digest_equal(&list.anchors[0].digest, &anchor.digest));
    assert_int_equal(sy_anchor_write(&anchor, INT64_MAX, &line, NULL), SY_INVALID_ARGUMENT);
    sy_text_finish(&line);
    sy_arena_destroy(arena);
}

static void comments_blank_lines_marks_and_line_ends_are_passed_by(void **state)
{
    static const char text[] = "\xef\xbb\xbf# mine\r\n\r\n   \n" GOOD "\r\n\t" GOOD "  \n#" GOOD "\n" GOOD;
    sy_anchor_list list;
    sy_arena *arena = sy_arena_create(0);
    (void)state;
    assert_int_equal(sy_anchors_parse(text, sizeof text - 1, arena, &list, NULL), SY_OK);
    assert_int_equal(list.count, 3);
    assert_int_equal(list.anchors[0].line, 4);
    assert_int_equal(list.anchors[2].line, 7);
    assert_int_equal(sy_anchors_parse("", 0, arena, &list, NULL), SY_OK);
    assert_int_equal(list.count, 0);
    sy_arena_destroy(arena);
}

static void a_zero_byte_hides_no_anchor_behind_it(void **state)
{
    static const char text[] = GOOD "\n\0" GOOD "\n";
    sy_anchor_list list;
    sy_error err = SY_ERROR_INIT;
    sy_arena *arena = sy_arena_create(0);
    (void)state;
    assert_int_equal(sy_anchors_parse(text, sizeof text - 1, arena, &list, &err), SY_CORRUPT);
    assert_non_null(strstr(err.what, "line 2"));
    sy_arena_destroy(arena);
}

static void what_is_no_anchor_is_refused_by_its_line(void **state)
{
    static const struct {
        const char *line;
        sy_status status;
    } wrong[] = {
        {"<<<<<<< HEAD", SY_CORRUPT},
        {"steelyard-anchor/1", SY_CORRUPT},
        {GOOD " more", SY_CORRUPT},
        {"steelyard-anchor/1 " ID " 0 " DIGEST " 2026-11-29T12:00:00Z", SY_CORRUPT},
        {"steelyard-anchor/1 " ID " -7 " DIGEST " 2026-11-29T12:00:00Z", SY_CORRUPT},
        {"steelyard-anchor/1 " ID "0 7 " DIGEST " 2026-11-29T12:00:00Z", SY_CORRUPT},
        {"steelyard-anchor/1 " ID " 7 " DIGEST "0 2026-11-29T12:00:00Z", SY_CORRUPT},
        {"steelyard-anchor/1 " ID " 7 " DIGEST " yesterday", SY_CORRUPT},
        {"steelyard-anchor/2 " ID " 7 " DIGEST " 2026-11-29T12:00:00Z", SY_VERSION_UNSUPPORTED},
        {"Steelyard-anchor/1 " ID " 7 " DIGEST " 2026-11-29T12:00:00Z", SY_CORRUPT},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[512];
        sy_error err = SY_ERROR_INIT;
        sy_anchor_list list = {NULL, 0};
        sy_arena *arena = sy_arena_create(0);
        snprintf(text, sizeof text, "%s\n# two\n%s\n", GOOD, wrong[i].line);
        assert_int_equal(sy_anchors_parse(text, strlen(text), arena, &list, &err), wrong[i].status);
        assert_non_null(strstr(err.what, "line 3"));
        assert_null(list.anchors);
        sy_arena_destroy(arena);
    }
}

static void expect_file(const char *path, const char *expected)
{
    char *bytes = NULL;
    size_t size;
    assert_int_equal(sy_file_read(path, 0, &bytes, &size, NULL), SY_OK);
    assert_string_equal(bytes, expected);
    sy_free(bytes);
}

static void an_anchor_is_added_behind_what_is_there_and_once_a_head(void **state)
{
    char path[512];
    char expected[1024];
    sy_ledger_head head;
    sy_clock_manual clock;
    batch b = {.count = 0};
    sy_clock_manual_start(&clock, 0, NOON);
    sy_ledger *ledger = open_ledger(NULL, &clock.clock);
    snprintf(path, sizeof path, "%s/sub/anchors", (const char *)*state);
    assert_int_equal(sy_ledger_anchor(ledger, path, NULL, NULL), SY_REFUSED); /* it is empty */
    batch_note(&b, "", "one");
    assert_int_equal(batch_append(&b, ledger, NULL), SY_OK);
    assert_int_equal(sy_ledger_anchor(ledger, path, &head, NULL), SY_OK);
    snprintf(expected, sizeof expected, "steelyard-anchor/1 %s 2 %s 2026-11-29T12:00:00Z\n", head.ledger, head.digest);
    expect_file(path, expected);
    assert_int_equal(sy_ledger_anchor(ledger, path, &head, NULL), SY_OK);
    expect_file(path, expected);
    assert_int_equal(sy_file_write(path, "# mine\r\n" GOOD, strlen("# mine\r\n" GOOD), NULL, NULL), SY_OK);
    assert_int_equal(sy_ledger_anchor(ledger, path, &head, NULL), SY_OK);
    snprintf(expected, sizeof expected, "# mine\r\n" GOOD "\nsteelyard-anchor/1 %s 2 %s 2026-11-29T12:00:00Z\n",
             head.ledger, head.digest);
    expect_file(path, expected);
    assert_int_equal(sy_file_write(path, "merged?\n", 8, NULL, NULL), SY_OK);
    assert_int_equal(sy_ledger_anchor(ledger, path, &head, NULL), SY_CORRUPT);
    expect_file(path, "merged?\n");
    sy_ledger_close(ledger);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_written_as_documented_and_read_back),
        cmocka_unit_test(comments_blank_lines_marks_and_line_ends_are_passed_by),
        cmocka_unit_test(a_zero_byte_hides_no_anchor_behind_it),
        cmocka_unit_test(what_is_no_anchor_is_refused_by_its_line),
        cmocka_unit_test_setup_teardown(an_anchor_is_added_behind_what_is_there_and_once_a_head, make_temporary_folder,
                                        remove_temporary_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
