/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the page as a whole: what it allows to run, that no text of it is markup, and what its first screen says. */
#include <stdlib.h>
#include <steelyard/report.h>
#include <string.h>

#include "base/base64.h"
#include "base/digest.h"
#include "base/json.h"
#include "base/memory.h"
#include "cmocka_headers.h"
#include "fault_loop.h"
#include "report/dashboard/dashboard_test_data.h"
#include "report/html/html_parts.h"

#define DATA_BEGIN "<script type=\"application/json\" id=\"steelyard-data\" data-encoding=\"none\">"
#define SCRIPT_END "</script>"

/* A page with something in every part of the dashboard, and self-tests. */
typedef struct page_data {
    dashboard_data dashboard;
    sy_selftest_effect effects[2];
    sy_gate_selftest selftests[2];
    sy_html_content content;
} page_data;

static void fill_page(page_data *d)
{
    fill_dashboard(&d->dashboard);
    d->effects[0] = (sy_selftest_effect){1, 1000, 167, 12};
    d->effects[1] = (sy_selftest_effect){1.1, 1000, 900, 30};
    for (int i = 0; i < 2; i++)
        d->selftests[i] = (sy_gate_selftest){.gate = "matmul.cpu.square-512.session",
                                             .key_digest = DATA_KEY,
                                             .metric = {"wall", "", "", SY_STATISTIC_P50, "s", false},
                                             .session_count = 24,
                                             .alpha = 0.02,
                                             .visible_effect = 0.08,
                                             .effects = d->effects,
                                             .effect_count = i == 0 ? 2 : 0,
                                             .can_fail = i == 1,
                                             .reason = i == 0 ? "1.10 fails 3 % of the time" : ""};
    d->content = (sy_html_content){.title = "demo",
                                   .tool = "steelyard 0.1.0",
                                   .written_utc_s = DATA_BEGAN,
                                   .dashboard = &d->dashboard.dashboard,
                                   .selftests = d->selftests,
                                   .selftest_count = 2,
                                   .session_count = 27,
                                   .point_count = 81,
                                   .series_count = 0,
                                   .run_total = 31};
}

/* The caller frees it with sy_text_free. */
static char *draw(const sy_html_content *content)
{
    sy_error err = SY_ERROR_INIT;
    char *html = NULL;
    size_t size = 0;

    assert_int_equal(sy_report_html(content, NULL, &html, &size, &err), SY_OK);
    assert_int_equal(strlen(html), size);
    return html;
}

static size_t count_of(const char *text, const char *what)
{
    size_t count = 0;

    for (const char *at = strstr(text, what); at != NULL; at = strstr(at + 1, what))
        count++;
    return count;
}

/* ---- what may run ---- */

/* The policy names the digest of what stands between two marks, as a browser computes it. */
static void hold_source(const char *html, const char *directive, const char *begin, const char *end)
{
    const char *from = strstr(html, begin);
    sy_text source = SY_TEXT_INIT;
    sy_digest digest;

    assert_non_null(from);
    from += strlen(begin);
    sy_digest_of(from, (size_t)(strstr(from, end) - from), &digest);
    sy_text_append_format(&source, "%s 'sha256-", directive);
    sy_base64_write(digest.bytes, sizeof(digest.bytes), &source);
    sy_text_append(&source, "';");
    assert_int_equal(count_of(html, sy_text_bytes(&source)), 1);
    sy_text_finish(&source);
}

static void the_policy_allows_its_own_script_and_style_and_nothing_else(void **state)
{
    static page_data d;
    char *html;

    (void)state;
    fill_page(&d);
    html = draw(&d.content);
    assert_int_equal(count_of(html, "content=\"default-src 'none'; script-src 'sha256-"), 1);
    assert_int_equal(count_of(html, "; img-src data:; base-uri 'none'; form-action 'none'\">"), 1);
    hold_source(html, "script-src", "<script>", SCRIPT_END);
    hold_source(html, "style-src", "<style>", "</style>");
    assert_int_equal(count_of(html, "<script"), 2); /* the data and the code */
    assert_int_equal(count_of(html, SCRIPT_END), 2);
    assert_int_equal(count_of(html, "<style"), 1);
    assert_int_equal(count_of(html, " style="), 0);
    assert_int_equal(count_of(html, "http:"), count_of(html, "http://www.w3.org/2000/svg"));
    assert_int_equal(count_of(html, "https:"), 0);
    assert_int_equal(count_of(html, "innerHTML"), 0);
    assert_int_equal(count_of(html, "eval("), 0);
    sy_text_free(html);
}

/* ---- hostile names ---- */

#define HOSTILE "</script><!--<img src=x onerror=alert(1)>\"'&\xe2\x80\xa8\xe2\x80\xae__proto__"
#define HOSTILE_SAID "&lt;/script&gt;&lt;!--&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;"

static void make_hostile(page_data *d)
{
    dashboard_data *all = &d->dashboard;

    fill_page(d);
    d->content.title = d->content.tool = HOSTILE;
    for (int i = 0; i < 3; i++) {
        all->rows[i].run = all->rows[i].blocked_by = all->rows[i].blocked_why = HOSTILE;
        all->rows[i].row.by = all->rows[i].row.claim = all->rows[i].row.cell = all->rows[i].row.gate = HOSTILE;
        all->rows[i].row.device = all->rows[i].row.revision = HOSTILE;
        all->gates[i].id = all->gates[i].state = all->gates[i].cell = HOSTILE;
        all->gates[i].command = all->gates[i].newest = all->gates[i].selftest = HOSTILE;
    }
    for (int i = 0; i < 2; i++) {
        all->alarms[i].run = all->alarms[i].cell = all->alarms[i].gate = all->alarms[i].device = HOSTILE;
        all->alarms[i].revision = all->alarms[i].text = all->alarms[i].command = HOSTILE;
        all->keys[i].key_digest = all->keys[i].cell = all->keys[i].gate = HOSTILE;
        all->keys[i].newest = all->keys[i].command = HOSTILE;
        all->next[i] = HOSTILE;
        all->capabilities[i] = all->backends[i] = HOSTILE;
        d->selftests[i].gate = d->selftests[i].reason = HOSTILE;
        d->selftests[i].metric.series = HOSTILE;
    }
    all->findings[0] = HOSTILE;
    all->changes[0].cell = all->changes[0].command = all->changes[0].row.run = HOSTILE;
    all->changes[0].row.change.revision = HOSTILE;
    all->judged.row.id = HOSTILE;
}

/* Texts of a value that are hostile as they were, and how many hold a piece of it in another spelling. */
static void count_texts(const sy_json_value *value, size_t *ret_whole, size_t *ret_changed)
{
    if (value->kind == SY_JSON_TEXT && strstr(value->text, HOSTILE) != NULL)
        (*ret_whole)++;
    else if (value->kind == SY_JSON_TEXT && strstr(value->text, "onerror") != NULL)
        (*ret_changed)++;
    for (const sy_json_value *child = value->first; child != NULL; child = child->next)
        count_texts(child, ret_whole, ret_changed);
}

/* The caller destroys it. */
static sy_json *data_of(const char *html)
{
    const sy_json_limits limits = SY_JSON_LIMITS_INIT;
    const char *begin = strstr(html, DATA_BEGIN);
    sy_error err = SY_ERROR_INIT;
    sy_json *json = NULL;
    size_t findings = 0;

    assert_non_null(begin);
    begin += strlen(DATA_BEGIN);
    assert_int_equal(sy_json_parse(begin, (size_t)(strstr(begin, SCRIPT_END) - begin), &limits, &json, &err), SY_OK);
    (void)sy_json_findings(json, &findings);
    assert_int_equal(findings, 0);
    return json;
}

static void a_hostile_name_is_data_everywhere(void **state)
{
    static page_data d;
    char *html;
    sy_json *json;
    size_t whole = 0;
    size_t changed = 0;

    (void)state;
    make_hostile(&d);
    html = draw(&d.content);
    assert_int_equal(count_of(html, SCRIPT_END), 2);
    assert_int_equal(count_of(html, "<!--"), 0);
    assert_int_equal(count_of(html, "<img"), 0);
    assert_int_equal(count_of(html, "\xe2\x80\xa8"), 0);
    /* The title twice, the tool twice, two commands, the judged run twice; what turns the direction is spelled. */
    assert_int_equal(count_of(html, HOSTILE_SAID), 8);
    assert_int_equal(count_of(html, "\\u202e__proto__"), 8);
    json = data_of(html);
    count_texts(sy_json_root(json), &whole, &changed);
    /* Title and tool; 7 of each alarm's row; 9 of each promoted one's; 6 of each gate's; 5 of the key that is short and
     * 4 of the one that was judged; 5 of the change, and 4 where courses show it; 3 of each self-test's rows; the
     * finding; the matrix's names. */
    assert_int_equal(changed, 0);
    assert_int_equal(whole, 2 + 2 * 7 + 3 * 9 + 3 * 6 + 5 + 4 + 5 + 4 + 3 * 3 + 1 + 4);
    sy_json_destroy(json);
    sy_text_free(html);
}

/* ---- what it says ---- */

static void the_first_screen_answers_without_a_script(void **state)
{
    static page_data d;
    char *html;

    (void)state;
    fill_page(&d);
    html = draw(&d.content);
    *strstr(html, DATA_BEGIN) = '\0';
    assert_non_null(strstr(html, "<section id=\"first\" class=\"state-block\""));
    assert_non_null(
        strstr(html, "</span>block</span> 1 block and 1 investigation are open, 1 promoted row is blocked"));
    assert_non_null(strstr(html, "<code class=\"command\">steelyard history bbbbbbbbbbbb</code>"));
    assert_non_null(strstr(html, "<dt>sessions</dt><dd>27</dd>"));
    assert_non_null(strstr(html, "<dt>points</dt><dd>81</dd>"));
    assert_non_null(strstr(html, "<dt>runs</dt><dd>31</dd>"));
    assert_non_null(strstr(html, "Event 120 (0123456789ab) of ledger 89abcdef0123; all times are UTC."));
    assert_non_null(strstr(html, "<noscript>"));
    assert_non_null(strstr(html, "<time datetime=\"2026-11-30T23:30:00Z\">2026-11-30 23:30 UTC</time>"));
    assert_int_equal(count_of(html, "<h1>") + count_of(html, "<h1 "), 1);
    sy_text_free(html);
}

static const sy_json_value *table_of(const sy_json *json, const char *name)
{
    return sy_json_member(sy_json_member(sy_json_root(json), "tables"), name);
}

static void tables_have_as_many_values_in_a_row_as_columns(void **state)
{
    static const char *const names[] = {"open",   "promoted", "gates",     "baselines",
                                        "alarms", "changes",  "selftests", "findings"};
    static const size_t rows[] = {2, 3, 3, 1, 1, 1, 3, 1};
    static page_data d;
    char *html;
    sy_json *json;

    (void)state;
    fill_page(&d);
    html = draw(&d.content);
    json = data_of(html);
    assert_string_equal(sy_json_member(sy_json_root(json), "schema")->text, "steelyard.page/1");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const sy_json_value *table = table_of(json, names[i]);
        const sy_json_value *list = sy_json_member(table, "rows");

        assert_int_equal(list->count, rows[i]);
        for (const sy_json_value *row = list->first; row != NULL; row = row->next)
            assert_int_equal(row->count, sy_json_member(table, "columns")->count);
    }
    sy_json_destroy(json);
    sy_text_free(html);
}

static void open_gates_come_first_the_most_urgent_on_top(void **state)
{
    static page_data d;
    char *html;
    sy_json *json;
    const sy_json_value *rows;

    (void)state;
    fill_page(&d);
    html = draw(&d.content);
    json = data_of(html);
    rows = sy_json_member(table_of(json, "gates"), "rows");
    assert_string_equal(sy_json_element(sy_json_element(rows, 0), 2)->text, "matmul.gpu.session");
    assert_string_equal(sy_json_element(sy_json_element(rows, 1), 2)->text, "attention.cpu.session");
    assert_string_equal(sy_json_element(sy_json_element(rows, 2), 2)->text, "matmul.cpu.square-512.session");
    sy_json_destroy(json);
    sy_text_free(html);
}

static void an_empty_project_has_a_page_that_says_so(void **state)
{
    const sy_dashboard dashboard = {.project = "new"};
    const sy_html_content content = {.title = "new", .tool = "steelyard", .dashboard = &dashboard};
    char *html = draw(&content);

    (void)state;
    assert_non_null(strstr(html, "</span>empty</span> Nothing is recorded yet."));
    assert_non_null(strstr(html, "There is no ledger yet"));
    sy_text_free(html);
}

static void a_page_of_decisions_needs_no_dashboard(void **state)
{
    const sy_html_content content = {.title = "matmul", .tool = "steelyard"};
    char *html = draw(&content);
    sy_json *json = data_of(html);

    (void)state;
    assert_non_null(strstr(html, "Nothing was decided."));
    assert_int_equal(sy_json_member(sy_json_root(json), "tables")->count, 0);
    assert_int_equal(sy_json_member(sy_json_root(json), "matrix")->kind, SY_JSON_NULL);
    sy_json_destroy(json);
    sy_text_free(html);
}

/* ---- limits ---- */

static void a_page_of_256_mib_is_refused_with_what_to_do(void **state)
{
    sy_error err = SY_ERROR_INIT;
    sy_text page = SY_TEXT_INIT;
    char *html = NULL;
    size_t size = 0;

    (void)state;
    sy_text_append(&page, "x");
    page.length = (size_t)256 << 20; /* as if it were so long */
    assert_int_equal(sy_html_take(&page, &html, &size, &err), SY_LIMIT_EXCEEDED);
    assert_string_equal(err.what, "the page would have 256 MiB, which is more than a browser should be given");
    assert_non_null(strstr(err.hint, "--runs"));
    assert_null(html);
}

static sy_status scenario(void *user)
{
    sy_error err = SY_ERROR_INIT;
    char *html = NULL;
    size_t size = 0;
    sy_status status = sy_report_html(user, NULL, &html, &size, &err);

    sy_text_free(html);
    return status;
}

static void no_memory_is_told(void **state)
{
    static page_data d;

    (void)state;
    fill_page(&d);
    assert_true(fault_loop_allocations(scenario, &d.content, true) > 50);
    assert_true(fault_loop_allocations(scenario, &d.content, false) > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_policy_allows_its_own_script_and_style_and_nothing_else),
        cmocka_unit_test(a_hostile_name_is_data_everywhere),
        cmocka_unit_test(the_first_screen_answers_without_a_script),
        cmocka_unit_test(tables_have_as_many_values_in_a_row_as_columns),
        cmocka_unit_test(open_gates_come_first_the_most_urgent_on_top),
        cmocka_unit_test(an_empty_project_has_a_page_that_says_so),
        cmocka_unit_test(a_page_of_decisions_needs_no_dashboard),
        cmocka_unit_test(a_page_of_256_mib_is_refused_with_what_to_do),
        cmocka_unit_test(no_memory_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
