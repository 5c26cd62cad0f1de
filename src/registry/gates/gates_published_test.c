/* SPDX-License-Identifier: Apache-2.0 */
/* Gates against what the published tool printed for the published registry, where both are beside the checkout: lists,
 * resolved gates, filled commands, the coverage document. Skips where they are not. */
#include "registry_set.h"

#include "base/text.h"

static const char *root; /* of the published set; what its tool printed lies beside it, in <root>-expected */

static char *read_expected(const char *name)
{
    char folder[1100];
    (void)snprintf(folder, sizeof folder, "%s-expected", root);
    return set_read(folder, name, NULL);
}

static int open_registry(void **state)
{
    sy_finding_list list;
    *state = set_open(root, SY_REGISTRY_GATES, &list);
    return 0;
}

static int close_registry(void **state)
{
    sy_registry_close(*state);
    return 0;
}

/* The same text, shown from the first line that differs. */
static void assert_same(const char *is, const char *expected)
{
    size_t line = 0, at = 0;
    while (is[at] == expected[at] && is[at] != '\0') {
        at++;
        line = is[at - 1] == '\n' ? at : line;
    }
    if (is[at] != expected[at]) {
        print_error("is:       %.300s\nexpected: %.300s\n", is + line, expected + line);
    }
    assert_int_equal(is[at], expected[at]);
}

static void assert_rows(sy_registry *registry, sy_gate_order order, const char *expected_name)
{
    const sy_gate_row *rows = NULL;
    size_t count = 0;
    assert_int_equal(sy_registry_gates(registry, NULL, order, &rows, &count, NULL), SY_OK);
    sy_text text = SY_TEXT_INIT;
    for (size_t i = 0; i < count; i++) {
        sy_text_append_format(&text, "%s\t%s\t%s\t%s\t%s\n", rows[i].id, rows[i].label, rows[i].platform,
                              rows[i].computer, rows[i].runbook);
    }
    char *expected = read_expected(expected_name);
    assert_same(sy_text_bytes(&text), expected);
    sy_text_finish(&text);
    free(expected);
}

static void lists_are_the_published_ones(void **state)
{
    assert_rows(*state, SY_GATES_BY_PLACE, "list.txt");
    assert_rows(*state, SY_GATES_BY_PRIORITY, "next_all.txt");
}

static void every_gate_and_command_is_the_published_one(void **state)
{
    const sy_gate_row *rows = NULL;
    size_t count = 0;
    assert_int_equal(sy_registry_gates(*state, NULL, SY_GATES_BY_PLACE, &rows, &count, NULL), SY_OK);
    assert_int_equal(count, 77);
    sy_text text = SY_TEXT_INIT;
    for (size_t i = 0; i < count; i++) {
        char *shown = NULL, *command = NULL;
        assert_int_equal(sy_registry_gate_show(*state, rows[i].id, &shown, NULL), SY_OK);
        assert_int_equal(sy_registry_gate_command(*state, rows[i].id, &command, NULL), SY_OK);
        sy_text_append_format(&text, "##show %s\n%s##command %s\n%s", rows[i].id, shown, rows[i].id, command);
        sy_text_free(shown);
        sy_text_free(command);
    }
    char *expected = read_expected("show_command_all.txt");
    assert_same(sy_text_bytes(&text), expected);
    sy_text_finish(&text);
    free(expected);
}

static void the_coverage_document_is_the_published_one(void **state)
{
    char *rendered = NULL;
    assert_int_equal(sy_registry_coverage_render(*state, &rendered, NULL), SY_OK);
    char *expected = set_read(root, "docs/_generated/benchmark_coverage.md", NULL);
    assert_same(rendered, expected);
    sy_text_free(rendered);
    free(expected);
}

/* The published set has one real contradiction, and one row that its own coverage document calls failed for a word. */
static void its_one_contradiction_is_found_and_nothing_else(void **state)
{
    sy_finding_list list;
    assert_int_equal(sy_registry_findings(*state, &list, NULL), SY_OK);
    assert_int_equal(list.finding_count, 1);
    assert_string_equal(list.findings[0].rule, "fixture-digest");
    assert_string_equal(list.findings[0].pointer, "/additional_measurements/0/fixture_sha256");
    assert_int_equal(list.findings[0].position.line, 53);
    size_t shown_otherwise = 0;
    for (size_t i = 0; i < list.note_count; i++) {
        if (strcmp(list.notes[i].rule, "parity-shown-otherwise") == 0) {
            shown_otherwise++;
            assert_string_equal(list.notes[i].pointer, "/measurements/21/parity");
        }
    }
    assert_int_equal(shown_otherwise, 1);
}

int main(void)
{
    root = published_set(STEELYARD_SOURCE_DIR);
    if (root == NULL) {
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_the_published_ones),
        cmocka_unit_test(every_gate_and_command_is_the_published_one),
        cmocka_unit_test(the_coverage_document_is_the_published_one),
        cmocka_unit_test(its_one_contradiction_is_found_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, open_registry, close_registry);
}
