/* SPDX-License-Identifier: Apache-2.0 */
/* A verdict for people: first what it is, then the figures, why, and what to run. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/ledger/ledger_words.h"
#include "report/page/text_table.h"
#include "report/verdicts/verdict_words.h"

enum { LINE_SIZE = 1024, METRICS_SHOWN = 12 };

enum { C_METRIC, C_SAMPLES, C_VALUE, C_MEDIAN, C_CHANGE, C_ALARM, C_VERDICT, C_COUNT };

static const sy_column columns[C_COUNT] = {
    [C_METRIC] = {.title = "Metric", .least = 16, .wraps = true},
    [C_SAMPLES] = {.title = "n", .right = true, .drop = 2},
    [C_VALUE] = {.title = "Value", .right = true},
    [C_MEDIAN] = {.title = "Median", .right = true},
    [C_CHANGE] = {.title = "Change", .right = true},
    [C_ALARM] = {.title = "Alarm at", .right = true, .drop = 1},
    [C_VERDICT] = {.title = "Verdict", .least = 12, .wraps = true},
};

static void put_text_field(sy_page *page, const char *label, sy_text *text)
{
    page->text.failed = page->text.failed || text->failed;
    sy_page_field(page, label, sy_text_bytes(text));
    sy_text_finish(text);
}

static void put_metric(sy_page *page, sy_text_table *table, const sy_metric_verdict *metric)
{
    sy_text name = SY_TEXT_INIT, value = SY_TEXT_INIT, median = SY_TEXT_INIT;
    sy_text change = SY_TEXT_INIT, alarm = SY_TEXT_INIT, verdict = SY_TEXT_INIT;
    const sy_judgement *judgement = &metric->judgement;
    char samples[24] = "";

    sy_verdict_words_metric(&name, &metric->metric);
    sy_text_append(&name, metric->primary ? " *" : "");
    if (metric->metric.statistic != SY_STATISTIC_MEMORY)
        (void)snprintf(samples, sizeof(samples), "%llu", (unsigned long long)metric->sample_count);
    sy_ledger_words_value(&value, metric->metric.unit, judgement->value);
    sy_ledger_words_value(&median, metric->metric.unit, judgement->median);
    sy_ledger_words_value(&alarm, metric->metric.unit, judgement->threshold);
    sy_verdict_words_change(&change, metric);
    sy_text_append_format(&verdict, "%s: %s", sy_judgement_word_text(judgement->word),
                          sy_judgement_reason_text(judgement->reason));
    page->text.failed = page->text.failed || name.failed || value.failed || median.failed || change.failed ||
                        alarm.failed || verdict.failed;
    sy_text_table_row(table, judgement->word == SY_JUDGEMENT_PASS ? SY_TONE_PLAIN : sy_verdict_tone(judgement->word),
                      (const char *const[C_COUNT]){sy_text_bytes(&name), samples, sy_text_bytes(&value),
                                                   sy_text_bytes(&median), sy_text_bytes(&change),
                                                   sy_text_bytes(&alarm), sy_text_bytes(&verdict)});
    sy_text_finish(&name);
    sy_text_finish(&value);
    sy_text_finish(&median);
    sy_text_finish(&change);
    sy_text_finish(&alarm);
    sy_text_finish(&verdict);
}

/* Those that are not a pass and primary ones first in a long list; all of them with style.all. */
static bool is_shown(const sy_run_verdict *verdict, const sy_report_style *style, size_t i)
{
    const sy_metric_verdict *metric = &verdict->metrics[i];

    return style->all || verdict->metric_count <= METRICS_SHOWN || metric->primary ||
           metric->judgement.word > SY_JUDGEMENT_NO_BASELINE;
}

static void put_metrics(sy_page *page, const sy_run_verdict *verdict)
{
    char line[LINE_SIZE];
    size_t shown = 0;
    sy_text_table *table = sy_text_table_create(page, columns, C_COUNT);

    for (size_t i = 0; table != NULL && i < verdict->metric_count; i++) {
        if (is_shown(verdict, &page->style, i) && (page->style.all || shown < 4 * METRICS_SHOWN)) {
            put_metric(page, table, &verdict->metrics[i]);
            shown++;
        }
    }
    if (table == NULL) {
        page->text.failed = true;
    } else if (shown > 0) {
        sy_page_blank(page);
        sy_text_table_print(table);
    }
    if (shown < verdict->metric_count) {
        (void)snprintf(line, sizeof(line), "and %zu more metrics: --json has all of them",
                       verdict->metric_count - shown);
        sy_page_paragraph(page, 2, 4, SY_TONE_FAINT, line);
    }
    sy_text_table_destroy(table);
}

static void put_items(sy_page *page, const char *title, const char *const *texts, size_t count, sy_tone tone)
{
    char line[LINE_SIZE];

    if (count == 0)
        return;
    sy_page_blank(page);
    sy_page_paragraph(page, 0, 2, SY_TONE_STRONG, title);
    for (size_t i = 0; i < count; i++) {
        (void)snprintf(line, sizeof(line), "- %.1000s", texts[i]);
        sy_page_paragraph(page, 2, 4, tone, line);
    }
}

/* Commands stand in one line each, however long, so that they can be copied; a control character would not be one. */
static void put_command(sy_page *page, const char *command)
{
    sy_page_spaces(page, 2);
    for (const char *at = command; *at != '\0'; at++) {
        unsigned char letter = (unsigned char)*at;
        if (letter < 0x20 || letter == 0x7f)
            sy_text_append_format(&page->text, "\\x%02x", letter);
        else
            sy_text_append_bytes(&page->text, at, 1);
    }
    sy_text_append(&page->text, "\n");
}

static void put_next(sy_page *page, const sy_compared *compared)
{
    if (compared->next_count == 0)
        return;
    sy_page_blank(page);
    sy_page_paragraph(page, 0, 2, SY_TONE_STRONG, "Next");
    for (size_t i = 0; i < compared->next_count; i++)
        put_command(page, compared->next[i]);
}

static void put_neighbour(sy_page *page, const sy_compare_neighbour *neighbour)
{
    char line[LINE_SIZE];

    (void)snprintf(line, sizeof(line),
                   "- %.12s, %llu accepted, the newest %s, differs in %zu %s:", neighbour->key_digest,
                   (unsigned long long)neighbour->accepted_count, neighbour->newest, neighbour->field_count,
                   neighbour->field_count == 1 ? "field" : "fields");
    sy_page_paragraph(page, 2, 4, SY_TONE_PLAIN, line);
    for (size_t i = 0; i < neighbour->field_count; i++) {
        const sy_key_difference *field = &neighbour->fields[i];
        (void)snprintf(line, sizeof(line), "%s: %.300s here, %.300s there", field->name,
                       field->a != NULL ? field->a : "unknown", field->b != NULL ? field->b : "unknown");
        sy_page_paragraph(page, 4, 6, SY_TONE_FAINT, line);
    }
}

static void put_neighbours(sy_page *page, const sy_compared *compared)
{
    if (compared->neighbour_count == 0)
        return;
    sy_page_blank(page);
    sy_page_paragraph(page, 0, 2, SY_TONE_STRONG, "Not comparable, though near");
    for (size_t i = 0; i < compared->neighbour_count; i++)
        put_neighbour(page, &compared->neighbours[i]);
}

static void put_facts(sy_page *page, const sy_compared *compared)
{
    const sy_run_verdict *verdict = &compared->verdict;
    sy_text alarms = SY_TEXT_INIT, blocks = SY_TEXT_INIT;
    char line[LINE_SIZE];

    sy_page_field(page, "run", compared->run);
    (void)snprintf(line, sizeof(line), "%.12s", verdict->key_digest);
    sy_page_field(page, "key", line);
    (void)snprintf(line, sizeof(line), "%s%s", compared->already_recorded ? "recorded before, " : "",
                   compared->verdict_number > 0 ? "" : "a dry run: nothing was written");
    if (compared->verdict_number > 0)
        (void)snprintf(line, sizeof(line), "%sevent %llu%s", compared->already_recorded ? "recorded before, " : "",
                       (unsigned long long)compared->verdict_number,
                       compared->already_recorded ? ": nothing was computed anew" : "");
    sy_page_field(page, "verdict", line);
    sy_page_field(page, "rule", verdict->rule);
    sy_verdict_words_alarms(&alarms, compared);
    put_text_field(page, "alarms", &alarms);
    sy_verdict_words_false_blocks(&blocks, compared);
    put_text_field(page, "wrong blocks", &blocks);
}

sy_status sy_report_compared(const sy_compared *compared, const sy_report_style *style, char **ret_text, sy_error *err)
{
    const sy_run_verdict *verdict = &compared->verdict;
    sy_text title = SY_TEXT_INIT;
    sy_page page;
    sy_status status = sy_page_start(&page, style, err);

    if (status != SY_OK)
        return status;
    sy_verdict_words_title(&title, compared);
    page.text.failed = page.text.failed || title.failed;
    sy_page_paragraph(&page, 0, 2, sy_verdict_tone(verdict->word), sy_text_bytes(&title));
    sy_text_finish(&title);
    put_facts(&page, compared);
    put_metrics(&page, verdict);
    put_items(&page, "Why", verdict->reasons, verdict->reason_count, SY_TONE_PLAIN);
    put_neighbours(&page, compared);
    put_items(&page, "Remarks", compared->remarks, compared->remark_count, SY_TONE_FAINT);
    put_next(&page, compared);
    return sy_page_take(&page, ret_text, err);
}
