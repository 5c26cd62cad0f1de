/* SPDX-License-Identifier: Apache-2.0 */
/* The dashboard as a comment and as JSON: the verdict first, thirty lines at most, names that are no markup. */
#include "report/dashboard/dashboard_test_data.h"

#include <stdlib.h>

#include "base/json.h"
#include "cmocka_headers.h"

enum { MOST_LINES = 30 };

static char *draw(const dashboard_data *d)
{
    char *text = NULL;
    sy_error error = SY_ERROR_INIT;

    if (sy_report_dashboard_markdown(&d->dashboard, &text, &error) != SY_OK)
        fail_msg("%s", error.what);
    return text;
}

static void expect_says(const char *text, const char *words)
{
    if (strstr(text, words) == NULL)
        fail_msg("'%s' is not in\n%s", words, text);
}

static void expect_begins(const char *text, const char *words)
{
    if (strncmp(text, words, strlen(words)) != 0)
        fail_msg("not '%s': %s", words, text);
}

static size_t lines_of(const char *text)
{
    size_t count = 0;

    for (; *text != '\0'; text++)
        count += *text == '\n';
    return count;
}

static const char comment[] =
    "### Steelyard: investigate (unconfirmed)\n"
    "\n"
    "Run 20261130-140000-eeeeee of gate matmul.cpu.square-512.session on cpu, revision 0123456789ab..., parity "
    "passed.\n"
    "p95 of wall is 8 % above its baseline, 2 confirms to come\n"
    "\n"
    "| metric | verdict | this session | baseline | change |\n"
    "|---|---|---:|---:|---:|\n"
    "| wall p95 | **investigate** | 14.2 ms | 13.1 ms | +8.0 % |\n"
    "| wall p50 | **pass** | 12.4 ms | 11.5 ms | +8.0 % |\n"
    "| peak memory | pass | 1.5 MiB | 1.39 MiB | +8.0 % |\n"
    "\n"
    "BLOCK: 1 block and 1 investigation are open, 1 promoted row is blocked, 1 gate cannot fail, 1 finding in the "
    "registry.\n"
    "\n"
    "| open | run | gate | why |\n"
    "|---|---|---|---|\n"
    "| block | 20261130-130000-dddddd | attention.cpu.session | p50 of wall is 5.1 % above its baseline |\n"
    "\n"
    "```\n"
    "steelyard history bbbbbbbbbbbb\n"
    "steelyard run exec --gate matmul.cpu.square-512.session --judge\n"
    "```\n"
    "\n"
    "demo: 2 rows promoted, 2 of 3 gates open, 1 of 2 keys short of five sessions, 1 change of a history stands.\n"
    "1 more: `steelyard report --text`\n"
    "Event 120 (0123456789ab) of ledger 89abcdef0123; all times are UTC.\n";

static void the_verdict_comes_first(void **state)
{
    dashboard_data d;
    char *text;

    (void)state;
    fill_dashboard(&d);
    text = draw(&d);
    assert_string_equal(text, comment);
    sy_text_free(text);
}

/* Everything that a comment may hold, and more of each than it takes. */
static void a_comment_has_at_most_thirty_lines_and_counts_the_rest(void **state)
{
    enum { MANY = 100 };
    static const char *next[5] = {"a", "b", "c", "d", "e"};
    dashboard_data d;
    sy_dashboard_alarm *alarms = calloc(MANY, sizeof(*alarms));
    sy_metric_verdict *metrics = calloc(MANY, sizeof(*metrics));
    char *text;

    (void)state;
    assert_true(alarms != NULL && metrics != NULL);
    fill_dashboard(&d);
    for (size_t i = 0; i < MANY; i++) {
        alarms[i] = d.alarms[0];
        metrics[i] = d.metrics[i % 3];
    }
    d.dashboard.alarms = alarms;
    d.dashboard.alarm_count = d.dashboard.block_count = MANY;
    d.dashboard.next = next;
    d.dashboard.next_count = 5;
    d.verdict.metrics = metrics;
    d.verdict.metric_count = MANY;
    text = draw(&d);
    assert_in_range(lines_of(text), 28, MOST_LINES);
    /* 96 metrics, 97 alarms, 2 commands, 1 reason */
    expect_says(text, "\n196 more: `steelyard report --text`\n");
    sy_text_free(text);
    free(alarms);
    free(metrics);
}

static void without_a_verdict_it_says_so(void **state)
{
    dashboard_data d;
    char *text;

    (void)state;
    fill_dashboard(&d);
    d.judged.verdict_count = 0;
    text = draw(&d);
    expect_begins(text, "### Steelyard: not judged\n\nRun 20261130-140000-eeeeee of gate ");
    sy_text_free(text);
    d.dashboard.judged = NULL;
    text = draw(&d);
    expect_begins(text, "### Steelyard: no run is judged\n\nBLOCK: ");
    sy_text_free(text);
    d.dashboard = (sy_dashboard){.project = "demo", .next = d.next, .next_count = 1};
    text = draw(&d);
    assert_string_equal(text, "### Steelyard: no run is judged\n\nNothing is recorded yet.\n\n"
                              "```\nsteelyard history bbbbbbbbbbbb\n```\n\n"
                              "demo: 0 rows promoted, 0 of 0 gates open.\n"
                              "There is no ledger yet: the first run that is recorded makes it.\n");
    sy_text_free(text);
}

static const char *const hostile[] = {
    "</script><img src=x onerror=alert(1)>",
    "<!--",
    "a\"b'c&d",
    "BM_foo<T, U>",
    "\xe2\x80\xae<reversed",
    "line\xe2\x80\xa8one\ntwo\r\n# three",
    "__proto__",
    "a|b\\|c",
    "``` ``` ```",
    "[x](javascript:alert(1))",
    "@everyone",
    "- [ ] #1",
    "",
};

/* Everything that comes from outside is that name. */
static void fill_with(dashboard_data *d, const char *name)
{
    fill_dashboard(d);
    d->judged.row.id = d->judged.row.gate = d->judged.row.device = d->judged.row.revision = name;
    d->alarms[0].gate = d->alarms[0].text = d->next[0] = d->reasons[0] = name;
    d->metrics[0].metric.case_name = d->metrics[1].metric.series = d->metrics[2].metric.unit = name;
    d->dashboard.project = name;
}

/* Outside of the fence a '<' would begin HTML and an '@' call somebody, and in a table a '|' begin a cell. */
static void expect_no_markup(const char *text)
{
    size_t fence = 0; /* backticks of the one that is open */

    while (*text != '\0') {
        const size_t length = strcspn(text, "\n");
        const size_t ticks = strspn(text, "`");
        size_t cells = 0;

        if (fence == 0 && memchr(text, '<', length) != NULL)
            fail_msg("HTML in: %.*s", (int)length, text);
        for (size_t i = 0; fence == 0 && i < length; i++)
            assert_true(text[i] != '@' || strncmp(text + i, "@&#8203;", 8) == 0);
        for (size_t i = 0; fence == 0 && text[0] == '|' && i < length; i++)
            cells += text[i] == '|' && (i == 0 || text[i - 1] != '\\');
        assert_true(cells == 0 || cells == 5 || cells == 6);
        if (fence == 0 && ticks >= 3)
            fence = ticks;
        else if (fence > 0 && ticks >= fence && ticks == length)
            fence = 0;
        text += length + (text[length] == '\n');
    }
    assert_int_equal(fence, 0);
}

static void hostile_names_are_text_and_call_nobody(void **state)
{
    char name[4096 + 1];
    dashboard_data d;

    (void)state;
    memset(name, '|', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    for (size_t i = 0; i <= sizeof(hostile) / sizeof(hostile[0]); i++) {
        char *text;

        fill_with(&d, i < sizeof(hostile) / sizeof(hostile[0]) ? hostile[i] : name);
        text = draw(&d);
        expect_no_markup(text);
        assert_in_range(lines_of(text), 10, MOST_LINES);
        assert_in_range(strlen(text), 500, 8192);
        assert_null(strstr(text, "\xe2\x80\xae"));
        assert_null(strstr(text, "\xe2\x80\xa8"));
        assert_null(strstr(text, "\r"));
        sy_text_free(text);
    }
}

/* ---- JSON ---- */

static const sy_json_value *member(const sy_json_value *at, const char *name)
{
    const sy_json_value *found = sy_json_member(at, name);

    if (found == NULL)
        fail_msg("no member %s", name);
    return found;
}

static void expect_text(const sy_json_value *at, const char *name, const char *text)
{
    assert_string_equal(member(at, name)->text, text);
}

static void json_has_all_of_it_and_nothing_is_cut(void **state)
{
    char name[4096 + 1];
    dashboard_data d;
    char *text = NULL;
    sy_json *json = NULL;
    const sy_json_value *root;
    uint64_t superseded = 0;

    (void)state;
    memset(name, 'x', sizeof(name) - 1);
    memcpy(name, "</script>", 9);
    name[sizeof(name) - 1] = '\0';
    fill_dashboard(&d);
    d.rows[0].row.cell = name;
    assert_int_equal(sy_report_dashboard_json(&d.dashboard, &text, NULL), SY_OK);
    assert_int_equal(sy_json_parse(text, strlen(text), NULL, &json, NULL), SY_OK);
    root = sy_json_root(json);
    expect_text(root, "schema", "steelyard.dashboard/1");
    expect_text(root, "state", "block");
    assert_int_equal(member(root, "next")->count, 2);
    assert_int_equal(member(root, "promoted")->count, 3);
    expect_text(member(member(root, "promoted")->first, "row"), "cell", name);
    for (const sy_json_value *row = member(root, "promoted")->first; row != NULL; row = row->next)
        superseded += member(row, "superseded")->kind == SY_JSON_TRUE;
    assert_int_equal(superseded, 1);
    assert_int_equal(member(root, "open")->count, 2);
    expect_text(member(root, "open")->first, "verdict", "block");
    assert_int_equal(member(root, "gates")->count, 3);
    assert_int_equal(member(root, "cells")->count, 4);
    assert_int_equal(member(root, "keys")->count, 2);
    assert_int_equal(member(member(root, "keys")->first->next, "alarm_promised")->kind, SY_JSON_NULL);
    expect_text(member(member(root, "changes")->first, "change"), "state", "reported");
    expect_text(member(member(root, "judged"), "verdict"), "word", "investigate");
    expect_text(member(root, "head"), "ledger", d.dashboard.head.ledger);
    sy_json_destroy(json);
    sy_text_free(text);
}

static void json_of_nothing_has_every_member(void **state)
{
    const sy_dashboard none = {.project = "demo"};
    char *text = NULL;
    sy_json *json = NULL;
    const sy_json_value *root;

    (void)state;
    assert_int_equal(sy_report_dashboard_json(&none, &text, NULL), SY_OK);
    assert_int_equal(sy_json_parse(text, strlen(text), NULL, &json, NULL), SY_OK);
    root = sy_json_root(json);
    expect_text(root, "state", "empty");
    assert_int_equal(member(root, "head")->kind, SY_JSON_NULL);
    assert_int_equal(member(root, "judged")->kind, SY_JSON_NULL);
    assert_int_equal(member(root, "promoted")->count, 0);
    assert_int_equal(member(root, "findings")->count, 0);
    sy_json_destroy(json);
    sy_text_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_verdict_comes_first),
        cmocka_unit_test(a_comment_has_at_most_thirty_lines_and_counts_the_rest),
        cmocka_unit_test(without_a_verdict_it_says_so),
        cmocka_unit_test(hostile_names_are_text_and_call_nobody),
        cmocka_unit_test(json_has_all_of_it_and_nothing_is_cut),
        cmocka_unit_test(json_of_nothing_has_every_member),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
