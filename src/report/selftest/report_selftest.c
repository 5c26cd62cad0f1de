/* SPDX-License-Identifier: Apache-2.0 */
/* What the self-test of a gate found, for people: of each metric a table of planted slowdowns. */
#include <math.h>
#include <stdio.h>
#include <steelyard/report.h>
#include <string.h>

#include "report/page/figures.h"
#include "report/page/text_table.h"

enum { LINE_SIZE = 512 };

enum { C_SLOWDOWN, C_ALARM, C_FAIL, C_PROMISED, C_COUNT };

static const sy_column columns[C_COUNT] = {
    [C_SLOWDOWN] = {.title = "Slowdown", .right = true},
    [C_ALARM] = {.title = "Alarm", .right = true},
    [C_FAIL] = {.title = "Fails", .right = true},
    [C_PROMISED] = {.title = ""},
};

static double share_of(uint64_t count, const sy_selftest_effect *effect)
{
    return effect->trial_count > 0 ? (double)count / (double)effect->trial_count : NAN;
}

/* "wall p50 of square-512 (openblas)"; of memory its scope stands where a case would. */
static void put_name(sy_page *page, const sy_judged_metric *metric)
{
    char line[LINE_SIZE];
    bool has_case = metric->case_name[0] != '\0';
    bool is_memory = metric->statistic == SY_STATISTIC_MEMORY;

    snprintf(line, sizeof(line), "%.100s %s%s%.100s%s%s%.100s%s", metric->series, sy_statistic_word(metric->statistic),
             has_case ? is_memory ? " (" : " of " : "", metric->case_name, has_case && is_memory ? ")" : "",
             metric->implementation[0] != '\0' ? " (" : "", metric->implementation,
             metric->implementation[0] != '\0' ? ")" : "");
    sy_page_blank(page);
    sy_page_paragraph(page, 0, 2, SY_TONE_STRONG, line);
}

static void put_draw(sy_page *page, const sy_gate_selftest *test, const sy_selftest_draw *draw)
{
    char line[LINE_SIZE];

    snprintf(line, sizeof(line), "%zu of %llu sessions as the baseline, %zu new: one that is judged%s%s",
             draw->baseline_count, (unsigned long long)test->session_count, draw->session_count,
             draw->session_count > 1 ? " and its confirms" : "",
             draw->repeats ? ", drawn again and again from those that are left" : "");
    sy_page_field(page, "drawn", line);
}

static void put_levels(sy_page *page, const sy_gate_selftest *test)
{
    char line[LINE_SIZE], alpha[SY_FIGURE_SIZE], delta[SY_FIGURE_SIZE], visible[SY_FIGURE_SIZE];

    snprintf(line, sizeof(line), "alpha %s, delta %s", sy_figure_setting(alpha, test->alpha),
             isnan(test->delta) ? "what the baseline resolves" : sy_figure_setting(delta, test->delta));
    sy_page_field(page, "judged", line);
    snprintf(line, sizeof(line), "slowdowns of %s and more, four times in five",
             sy_figure_share_up(visible, test->visible_effect));
    sy_page_field(page, "sees", line);
}

static void put_course(sy_page *page, const sy_selftest_course *course)
{
    char line[LINE_SIZE];

    snprintf(line, sizeof(line), "%zu of %zu sessions alarm against those before them; %.1f are likely",
             course->raised_count, course->judged_count, course->expected);
    sy_page_field(page, "as they came", line);
}

/* What an unchanged key is promised: 1 / (n + 1) alarms, at most alpha blocks. */
static const char *promise_of(char line[LINE_SIZE], const sy_gate_selftest *test, const sy_selftest_draw *draw)
{
    char alarm[SY_FIGURE_SIZE], fail[SY_FIGURE_SIZE];

    snprintf(line, LINE_SIZE, "promised: %s and at most %s",
             sy_figure_share(alarm, 1 / ((double)draw->baseline_count + 1)), sy_figure_setting(fail, test->alpha));
    return line;
}

static void put_effects(sy_page *page, const sy_gate_selftest *test, const sy_selftest_draw *draw)
{
    sy_text_table *table = sy_text_table_create(page, columns, C_COUNT);

    for (size_t i = 0; table != NULL && i < test->effect_count; i++) {
        const sy_selftest_effect *effect = &test->effects[i];
        char slowdown[SY_FIGURE_SIZE], alarm[SY_FIGURE_SIZE], fail[SY_FIGURE_SIZE], promise[LINE_SIZE];
        bool is_none = effect->ratio == 1;

        sy_text_table_row(
            table, SY_TONE_PLAIN,
            (const char *const[C_COUNT]){is_none ? "none" : sy_figure_setting(slowdown, effect->ratio - 1),
                                         sy_figure_share(alarm, share_of(effect->alarm_count, effect)),
                                         sy_figure_share(fail, share_of(effect->block_count, effect)),
                                         is_none ? promise_of(promise, test, draw) : ""});
    }
    if (table != NULL)
        sy_text_table_print(table);
    else
        page->text.failed = true;
    sy_text_table_destroy(table);
}

static void put_head(sy_page *page, const sy_selftested *tested)
{
    const sy_gate_selftest *first = tested->test_count > 0 ? &tested->tests[0] : NULL;
    char line[LINE_SIZE];

    if (first == NULL)
        return;
    snprintf(line, sizeof(line), "%.200s: %s", first->gate, tested->finding_count > 0 ? "cannot fail" : "can fail");
    sy_page_paragraph(page, 0, 2, tested->finding_count > 0 ? SY_TONE_BAD : SY_TONE_GOOD, line);
    snprintf(line, sizeof(line), "%.12s", first->key_digest);
    sy_page_field(page, "key", line);
    snprintf(line, sizeof(line), "%llu of each slowdown, seed %llu",
             (unsigned long long)(first->effect_count > 0 ? first->effects[0].trial_count : 0),
             (unsigned long long)first->seed);
    sy_page_field(page, "trials", line);
}

sy_status sy_report_selftest(const sy_selftested *tested, const sy_report_style *style, char **ret_text, sy_error *err)
{
    sy_page page;
    char line[LINE_SIZE];
    sy_status status = sy_page_start(&page, style, err);

    if (status != SY_OK)
        return status;
    put_head(&page, tested);
    for (size_t i = 0; i < tested->test_count; i++) {
        const sy_gate_selftest *test = &tested->tests[i];

        put_name(&page, &test->metric);
        if (test->effect_count == 0)
            continue;
        put_draw(&page, test, &tested->draws[i]);
        put_levels(&page, test);
        put_course(&page, &tested->courses[i]);
        put_effects(&page, test, &tested->draws[i]);
    }
    if (tested->finding_count > 0 || tested->remark_count > 0)
        sy_page_blank(&page);
    for (size_t i = 0; i < tested->finding_count; i++)
        sy_page_paragraph(&page, 0, 2, SY_TONE_BAD, tested->findings[i]);
    for (size_t i = 0; i < tested->remark_count; i++)
        sy_page_paragraph(&page, 0, 2, SY_TONE_DOUBT, tested->remarks[i]);
    if (tested->number > 0) {
        snprintf(line, sizeof(line), "%llu %s", (unsigned long long)tested->head.number, tested->head.digest);
        sy_page_blank(&page);
        sy_page_field(&page, "head", line);
    }
    return sy_page_take(&page, ret_text, err);
}
