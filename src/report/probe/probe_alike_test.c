/* SPDX-License-Identifier: Apache-2.0 */
/* Unavailable candidates of one reason are said once, all others are not touched. */
#include "cmocka_headers.h"

#include <string.h>

#include "report/probe/probe_alike.h"

#define UNAVAILABLE(NAME, REASON, DETAIL)                                                                   \
    {                                                                                                       \
        .name = (NAME), .role = SY_ROLE_CANDIDATE, .decision = SY_DECISION_UNAVAILABLE, .reason = (REASON), \
        .detail = (DETAIL)                                                                                  \
    }

static const sy_candidate_result candidates[] = {
    UNAVAILABLE("a", "unsupported", "not listed"),
    {.name = "won",
     .role = SY_ROLE_CANDIDATE,
     .decision = SY_DECISION_WIN,
     .reason = "unsupported",
     .detail = "not listed"},
    UNAVAILABLE("b", "unsupported", "not listed"),
    UNAVAILABLE("other word", "memory", "not listed"),
    UNAVAILABLE("c", "unsupported", "not listed"),
    UNAVAILABLE("d", "unsupported", "no library"),
    UNAVAILABLE("e", "unsupported", "no library"),
    UNAVAILABLE("f", "", ""),
    UNAVAILABLE("g", "", NULL),
    UNAVAILABLE("h", NULL, ""),
};

static const sy_probe_result result = {.candidates = candidates,
                                       .candidate_count = sizeof candidates / sizeof candidates[0]};

static void three_of_one_reason_are_alike_and_two_are_not(void **state)
{
    (void)state;
    static const char *const alike = "a b c";
    for (size_t i = 0; i < result.candidate_count; i++) {
        const char *name = candidates[i].name;
        bool wanted = strlen(name) == 1 && strstr(alike, name) != NULL;
        assert_int_equal(sy_probe_alike(&result, i), wanted);
    }
}

static void their_reason_stands_there_once_with_all_names(void **state)
{
    (void)state;
    static const sy_report_style style = SY_REPORT_STYLE_INIT;
    sy_page page;
    char *text = NULL;
    assert_int_equal(sy_page_start(&page, &style, NULL), SY_OK);
    sy_probe_alike_print(&page, &result);
    assert_int_equal(sy_page_take(&page, &text, NULL), SY_OK);
    assert_string_equal(text, "Unavailable, unsupported: not listed: a, b, c\n\n");
    sy_text_free(text);
}

static void nothing_is_printed_where_none_are_alike(void **state)
{
    (void)state;
    static const sy_report_style style = SY_REPORT_STYLE_INIT;
    const sy_probe_result two = {.candidates = &candidates[5], .candidate_count = 2};
    sy_page page;
    char *text = NULL;
    assert_int_equal(sy_page_start(&page, &style, NULL), SY_OK);
    sy_probe_alike_print(&page, &two);
    assert_int_equal(sy_page_take(&page, &text, NULL), SY_OK);
    assert_string_equal(text, "");
    sy_text_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_of_one_reason_are_alike_and_two_are_not),
        cmocka_unit_test(their_reason_stands_there_once_with_all_names),
        cmocka_unit_test(nothing_is_printed_where_none_are_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
