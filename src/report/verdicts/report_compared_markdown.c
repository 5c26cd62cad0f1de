/* SPDX-License-Identifier: Apache-2.0 */
/* A verdict as Markdown: for a comment on a change, or a page of a CI service. */
#include <steelyard/report.h>

#include "base/error.h"
#include "report/ledger/ledger_words.h"
#include "report/page/markdown_text.h"
#include "report/verdicts/verdict_words.h"

enum { METRICS_SHOWN = 10, REASONS_SHOWN = 6 };

static void put_words(sy_text *to, sy_text *words)
{
    to->failed = to->failed || words->failed;
    sy_markdown_text(to, sy_text_bytes(words));
    sy_text_finish(words);
}

static void put_metric(sy_text *to, const sy_metric_verdict *metric)
{
    sy_text name = SY_TEXT_INIT, value = SY_TEXT_INIT, median = SY_TEXT_INIT, change = SY_TEXT_INIT;

    sy_verdict_words_metric(&name, &metric->metric);
    sy_ledger_words_value(&value, metric->metric.unit, metric->judgement.value);
    sy_ledger_words_value(&median, metric->metric.unit, metric->judgement.median);
    sy_verdict_words_change(&change, metric);
    sy_text_append(to, "| ");
    put_words(to, &name);
    sy_text_append(to, metric->primary ? " (primary) | " : " | ");
    put_words(to, &value);
    sy_text_append(to, " | ");
    put_words(to, &median);
    sy_text_append(to, " | ");
    put_words(to, &change);
    sy_text_append_format(to, " | %s: %s |\n", sy_judgement_word_text(metric->judgement.word),
                          sy_judgement_reason_text(metric->judgement.reason));
}

/* The ones that are not passed first. */
static void put_metrics(sy_text *to, const sy_run_verdict *verdict)
{
    size_t shown = 0;

    if (verdict->metric_count == 0)
        return;
    sy_text_append(to, "\n| metric | value | median | change | verdict |\n|---|---:|---:|---:|---|\n");
    for (int turn = 0; turn < 2; turn++) {
        for (size_t i = 0; i < verdict->metric_count && shown < METRICS_SHOWN; i++) {
            bool passed = verdict->metrics[i].judgement.word == SY_JUDGEMENT_PASS;
            if (passed == (turn == 1)) {
                put_metric(to, &verdict->metrics[i]);
                shown++;
            }
        }
    }
    if (shown < verdict->metric_count)
        sy_text_append_format(to, "\nand %zu more metrics\n", verdict->metric_count - shown);
}

static void put_next(sy_text *to, const sy_compared *compared)
{
    sy_text commands = SY_TEXT_INIT;

    for (size_t i = 0; i < compared->next_count; i++) {
        sy_text_append(&commands, compared->next[i]);
        sy_text_append(&commands, "\n");
    }
    to->failed = to->failed || commands.failed;
    if (compared->next_count > 0) {
        sy_text_append(to, "\nNext:\n\n");
        sy_markdown_code(to, sy_text_bytes(&commands));
    }
    sy_text_finish(&commands);
}

sy_status sy_report_compared_markdown(const sy_compared *compared, char **ret_markdown, sy_error *err)
{
    const sy_run_verdict *verdict = &compared->verdict;
    sy_text text = SY_TEXT_INIT, title = SY_TEXT_INIT, alarms = SY_TEXT_INIT;

    sy_text_append(&text, "### ");
    sy_verdict_words_title(&title, compared);
    put_words(&text, &title);
    sy_text_append(&text, "\n\nRun ");
    sy_markdown_text(&text, compared->run);
    sy_text_append_format(&text, ", %zu accepted sessions, %s\n", verdict->baseline_count, SY_VERDICT_RULE);
    put_metrics(&text, verdict);
    sy_text_append(&text, verdict->reason_count > 0 ? "\n" : "");
    for (size_t i = 0; i < verdict->reason_count && i < REASONS_SHOWN; i++) {
        sy_text_append(&text, "- ");
        sy_markdown_text(&text, verdict->reasons[i]);
        sy_text_append(&text, "\n");
    }
    put_next(&text, compared);
    sy_text_append(&text, "\nAlarms: ");
    sy_verdict_words_alarms(&alarms, compared);
    put_words(&text, &alarms);
    sy_text_append_format(&text, ".\n\nLedger head: %llu `%s`\n", (unsigned long long)compared->head.number,
                          compared->head.digest);
    char *markdown = sy_text_take(&text);
    if (markdown == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for a report");
    *ret_markdown = markdown;
    return SY_OK;
}
