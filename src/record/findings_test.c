/* SPDX-License-Identifier: Apache-2.0 */
/* Findings: order, what is dropped, what a hostile text becomes, what a lack of memory does. */
#include "cmocka_headers.h"

#include <string.h>

#include "fault_loop.h"
#include "record/findings.h"

static sy_finding at(const char *file, uint32_t line, const char *rule)
{
    return (sy_finding){.rule = rule, .file = file, .position = {line * 10, line, 1}, .message = "m"};
}

static void findings_come_sorted_and_each_once(void **state)
{
    (void)state;
    sy_findings *findings = sy_findings_create();
    const sy_finding drafts[] = {at("b", 1, "x"), at("a", 12, "x"), at("a", 2, "z"), at("a", 2, "y"), at("b", 1, "x")};
    for (size_t i = 0; i < sizeof drafts / sizeof drafts[0]; i++) {
        sy_findings_add(findings, &drafts[i]);
    }
    sy_findings_note(findings, &drafts[0]);
    sy_finding_list list;
    assert_int_equal(sy_findings_list(findings, &list, NULL), SY_OK);
    assert_int_equal(list.finding_count, 4);
    assert_int_equal(list.note_count, 1);
    assert_string_equal(list.findings[0].rule, "y");
    assert_string_equal(list.findings[1].rule, "z");
    assert_int_equal(list.findings[2].position.line, 12);
    assert_string_equal(list.findings[3].file, "b");
    assert_string_equal(list.findings[3].found, "");
    sy_findings_destroy(findings);
}

static void what_a_terminal_would_obey_is_spelled_out(void **state)
{
    (void)state;
    sy_findings *findings = sy_findings_create();
    char longer[300];
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    sy_findings_add(
        findings,
        &(sy_finding){.rule = "r", .file = "f", .message = "\x1b[31m\n\xc3\xa9\xff\xc2\x9b", .found = longer});
    sy_finding_list list;
    assert_int_equal(sy_findings_list(findings, &list, NULL), SY_OK);
    assert_string_equal(list.findings[0].message, "\\x1b[31m\\x0a\xc3\xa9\\xff\\xc2\\x9b");
    assert_int_equal(strlen(list.findings[0].found), 123);
    sy_findings_destroy(findings);
}

static sy_status collect(void *user)
{
    (void)user;
    sy_findings *findings = sy_findings_create();
    if (findings == NULL) {
        return SY_NO_MEMORY;
    }
    for (uint32_t i = 0; i < 40; i++) {
        sy_finding draft = at("file", i, "rule");
        sy_findings_add(findings, &draft);
    }
    sy_finding_list list;
    sy_status status = sy_findings_list(findings, &list, NULL);
    assert_true(status != SY_OK || list.finding_count == 40);
    sy_findings_destroy(findings);
    return status;
}

static void a_lost_finding_is_told(void **state)
{
    (void)state;
    assert_true(fault_loop_allocations(collect, NULL, true) > 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(findings_come_sorted_and_each_once),
        cmocka_unit_test(what_a_terminal_would_obey_is_spelled_out),
        cmocka_unit_test(a_lost_finding_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
