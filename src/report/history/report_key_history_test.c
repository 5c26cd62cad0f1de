/* SPDX-License-Identifier: Apache-2.0 */
/* The history of a key as text at every width and as JSON: changes with their states, what was reported before, and
 * what is not known. */
#include <stdio.h>
#include <steelyard/report.h>
#include <string.h>

#include "base/json.h"
#include "cmocka_headers.h"
#include "fault_loop.h"
#include "text_width.h"

#define LINE "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define KEY "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"
#define OLD "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define NEW "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

enum { POINTS = 21, VALUES = 20, HOLE = 4 };

/* Twenty values and a session without one; the level rises by a quarter at the eleventh value. */
typedef struct made {
    sy_key_point points[POINTS];
    char runs[POINTS][32];
    size_t places[VALUES];
    sy_history_change changes[1];
    sy_history history;
    sy_key_history shown;
} made;

static const sy_judged_metric metric = {"wall", "square-512", "blis", SY_STATISTIC_P50, "s", false};
static const sy_change_row rows[] = {
    {.number = 70,
     .run = "run-07",
     .change = {.state = SY_CHANGE_REFUTED,
                .line = LINE,
                .key_digest = "",
                .metric = {"wall", "square-512", "blis", SY_STATISTIC_P50, "s", false},
                .before = "run-06",
                .revision = OLD,
                .revision_before = OLD,
                .effect = -.04,
                .refers = 60,
                .reason = "not found any more among 15 values"}},
    {.number = 90,
     .run = "run-11",
     .change = {.state = SY_CHANGE_CONFIRMED,
                .line = LINE,
                .key_digest = "",
                .metric = {"wall", "square-512", "blis", SY_STATISTIC_P50, "s", false},
                .before = "run-10",
                .revision = NEW,
                .revision_before = OLD,
                .effect = .25,
                .refers = 80,
                .reason = ""}},
};
static const size_t second_record[] = {1};
static const size_t no_record[] = {2};
static const char *const line_of_bisect[] = {"git bisect start bbbbbbbbbbbb aaaaaaaaaaaa && git bisect run sh -c 'x'"};
static const char *const no_bisect[] = {""};
static const char *const notes[] = {"9 commits, about 4 sessions"};
static const char *const others[] = {"wall square-512 blis p95", "peak process memory"};
static const char *const remarks[] = {"2 runs are left out: they were measured elsewhere, and imported"};

static void make(made *m)
{
    *m = (made){0};
    for (size_t i = 0, value = 0; i < POINTS; i++) {
        (void)snprintf(m->runs[i], sizeof m->runs[i], "run-%02zu", i);
        m->points[i] = (sy_key_point){.run = m->runs[i],
                                      .number = 3 * i + 2,
                                      .revision = i < 11 ? OLD : NEW,
                                      .began_utc_s = 1764460800 + 3600 * (int64_t)i,
                                      .value = i == HOLE ? SY_NAN
                                               : i < 11  ? .1
                                                         : .125,
                                      .accepted = i<5, .judged = i> 5,
                                      .verdict = SY_JUDGEMENT_PASS};
        if (i != HOLE)
            m->places[value++] = i;
    }
    m->changes[0] = (sy_history_change){.index = 10,
                                        .from = 0,
                                        .to = VALUES,
                                        .before = .1,
                                        .after = .125,
                                        .effect = .25,
                                        .effect_low = .2,
                                        .effect_high = .3,
                                        .effect_level = .9512,
                                        .statistic = 3.7,
                                        .critical = 3.382,
                                        .worse = true};
    m->history = (sy_history){
        .changes = m->changes, .change_count = 1, .value_count = VALUES, .lag1 = .05, .alpha = .001, .min_effect = .02};
    m->shown = (sy_key_history){.line = LINE,
                                .key_digest = KEY,
                                .cell = "matmul::cpu",
                                .metric = metric,
                                .points = m->points,
                                .point_count = POINTS,
                                .place_of = m->places,
                                .history = &m->history,
                                .changes = rows,
                                .change_count = 2,
                                .record_of = second_record,
                                .bisect = line_of_bisect,
                                .bisect_notes = notes,
                                .bisect_count = 1,
                                .reported_count = 2,
                                .refuted_count = 1,
                                .written_count = 1,
                                .other_metrics = others,
                                .other_metric_count = 2,
                                .remarks = remarks,
                                .remark_count = 1,
                                .head = {.number = 91, .digest = KEY, .ledger = "0123456789abcdef0123456789abcdef"}};
}

static char *text_of(const sy_key_history *history, uint32_t columns, bool utf8)
{
    const sy_report_style style = {.columns = columns, .utf8 = utf8};
    char *text = NULL;

    assert_int_equal(sy_report_key_history(history, &style, &text, NULL), SY_OK);
    return text;
}

static void expect(char *text, const char *const *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strstr(text, parts[i]) == NULL)
            fail_msg("'%s' is not in:\n%s", parts[i], text);
    }
    sy_text_free(text);
}

#define EXPECT(text, ...) \
    expect(text, (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void a_change_is_told_with_its_sessions_and_its_commit(void **state)
{
    made m;

    (void)state;
    make(&m);
    EXPECT(text_of(&m.shown, 100, false), "wall of square-512 by blis, p50\n", "line         0123456789abcdef\n",
           "sessions     21 of 2 revisions, 1 change\n", "  ..........@@@@@@@@@@\n            ^\n",
           "+25.0 % worse, confirmed\n", "interval     +20.0 % .. +30.0 % (95.1 %)\n",
           "medians      100 ms -> 125 ms\n", "before       run-10 at aaaaaaaaaaaa, ", "; 10 sessions up to it\n",
           "after        run-11 at bbbbbbbbbbbb, ", "; 10 sessions from it on\n",
           "commit       9 commits, about 4 sessions\n", "    git bisect start bbbbbbbbbbbb aaaaaaaaaaaa && ",
           "run-07           -4.0 %  refuted  not found any more among 15 values\n",
           "Of 2 changes reported here so far, 1 was refuted later or moved by more than two values: 50.0 %.\n",
           "2 runs are left out: they were measured elsewhere, and imported.\n", "0.1 % of histories that never change",
           "Besides: wall square-512 blis p95, peak process memory\n");
}

static void what_is_not_recorded_is_called_so(void **state)
{
    made m;

    (void)state;
    make(&m);
    m.shown.record_of = no_record;
    m.shown.bisect = no_bisect;
    m.changes[0].worse = false;
    char *text = text_of(&m.shown, 80, true);
    assert_null(strstr(text, "git bisect"));
    EXPECT(text, "+25.0 % better, not recorded\n", "\xe2\x96\x88");
    m.shown.changes = NULL;
    m.shown.change_count = 0;
    m.shown.reported_count = 0;
    m.shown.line = KEY;
    text = text_of(&m.shown, 80, true);
    assert_null(strstr(text, "reported here"));
    assert_null(strstr(text, "Reported before"));
    EXPECT(text, "key          fedcba9876543210\n");
}

static void nothing_found_is_told_without_marks(void **state)
{
    made m;

    (void)state;
    make(&m);
    m.history.change_count = 0;
    m.shown.bisect_count = 0;
    m.history.value_count = 9;
    char *text = text_of(&m.shown, 80, false);
    assert_null(strchr(text, '^'));
    EXPECT(text, "0 changes", "Fewer than ten values cannot show one.");
}

/* Everything but a command, which is copied whole. */
static void it_fits_every_width_and_is_ascii_where_it_must_be(void **state)
{
    static const uint32_t widths[] = {40, 80, 160};
    made m;

    (void)state;
    make(&m);
    m.shown.bisect = no_bisect;
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        char *text = text_of(&m.shown, widths[i], false);
        expect_narrow(text, widths[i]);
        for (const char *at = text; *at != '\0'; at++)
            assert_true((unsigned char)*at < 0x80);
        sy_text_free(text);
    }
}

static void the_json_has_what_a_list_of_values_has_and_more(void **state)
{
    made m;
    char *json = NULL;

    (void)state;
    make(&m);
    assert_int_equal(sy_report_key_history_json(&m.shown, &json, NULL), SY_OK);
    EXPECT(json, "\"schema\": \"steelyard.history/1\"", "\"n\": 20", "\"r1\": 0.05", "\"line\": \"" LINE "\"",
           "\"index\": 10", "\"statistic\": 3.7", "\"run\": \"run-11\"", "\"run_before\": \"run-10\"",
           "\"revision_before\": \"" OLD "\"", "\"state\": \"confirmed\"", "\"bisect\": \"git bisect start ",
           "\"index\": null", "\"value\": null", "\"verdict\": null", "\"verdict\": \"pass\"", "\"refers\": 60",
           "\"state\": \"refuted\"", "\"reported\": 2", "\"refuted\": 1", "\"refuted_share\": 0.5", "\"written\": 1",
           "\"unit\": \"s\"", "\"began\": \"2025-11-30T00:00:00Z\"");
}

static sy_status report_once(void *user)
{
    const sy_report_style style = {.columns = 80, .utf8 = true};
    const made *m = user;
    char *text = NULL;
    char *json = NULL;
    sy_status status = sy_report_key_history(&m->shown, &style, &text, NULL);

    if (status == SY_OK)
        status = sy_report_key_history_json(&m->shown, &json, NULL);
    sy_text_free(text);
    sy_text_free(json);
    return status;
}

static void any_allocation_may_fail(void **state)
{
    made m;

    (void)state;
    make(&m);
    assert_true(fault_loop_allocations(report_once, &m, true) > 20);
    assert_true(fault_loop_allocations(report_once, &m, false) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_change_is_told_with_its_sessions_and_its_commit),
        cmocka_unit_test(what_is_not_recorded_is_called_so),
        cmocka_unit_test(nothing_found_is_told_without_marks),
        cmocka_unit_test(it_fits_every_width_and_is_ascii_where_it_must_be),
        cmocka_unit_test(the_json_has_what_a_list_of_values_has_and_more),
        cmocka_unit_test(any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
