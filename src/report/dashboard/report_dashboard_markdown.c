/* SPDX-License-Identifier: Apache-2.0 */
/* The dashboard as a comment for a pull request: the verdict first, at most 30 lines. Every part has a bound of its
 * own, and their sum is the promise; what is left out is counted. */
#include <inttypes.h>
#include <steelyard/report.h>
#include <string.h>

#include "base/error.h"
#include "report/dashboard/dashboard_words.h"
#include "report/ledger/ledger_words.h"
#include "report/page/markdown_text.h"
#include "report/verdicts/verdict_words.h"

/* heading 1, blank 1, run 1, reason 1, metrics 3 + METRICS, blank 1, state 1, alarms 3 + ALARMS, blank 1, commands 2 +
 * COMMANDS, blank 1, progress 1, more 1, source 1 */
enum { METRICS = 4, ALARMS = 3, COMMANDS = 3, NAME_COLUMNS = 60, SENTENCE_COLUMNS = 240, FIXED_LINES = 19 };

_Static_assert(FIXED_LINES + METRICS + ALARMS + COMMANDS <= 30, "a comment has at most 30 lines");

typedef struct comment {
    sy_text text;
    size_t left_out;
} comment;

/* Text from outside, cut. A name of somebody behind an '@' must call nobody. */
static void put_text(comment *c, const char *raw, uint32_t columns)
{
    sy_text cut = SY_TEXT_INIT;
    const char *at;

    sy_dashboard_words_cut(&cut, raw, columns, true);
    c->text.failed = c->text.failed || cut.failed;
    for (at = sy_text_bytes(&cut); *at != '\0';) {
        const size_t length = strcspn(at, "@");
        sy_text piece = SY_TEXT_INIT;

        sy_text_append_bytes(&piece, at, length);
        sy_markdown_text(&c->text, sy_text_bytes(&piece));
        c->text.failed = c->text.failed || piece.failed;
        sy_text_finish(&piece);
        at += length;
        if (*at == '@') {
            sy_text_append(&c->text, "@&#8203;");
            at++;
        }
    }
    sy_text_finish(&cut);
}

static void put_name(comment *c, const char *raw)
{
    put_text(c, raw[0] != '\0' ? raw : "-", NAME_COLUMNS);
}

/* What was made of texts from outside by the words of this module. */
static void put_words(comment *c, sy_text *words)
{
    c->text.failed = c->text.failed || words->failed;
    put_text(c, sy_text_bytes(words), SENTENCE_COLUMNS);
    sy_text_clear(words);
}

/* ---- the verdict ---- */

static void put_value(comment *c, sy_text *words, const char *unit, double value)
{
    sy_ledger_words_value(words, unit, value);
    put_words(c, words);
}

static void put_metric(comment *c, const sy_metric_verdict *metric)
{
    const sy_judgement *judgement = &metric->judgement;
    sy_text words = SY_TEXT_INIT;

    sy_text_append(&c->text, "| ");
    sy_verdict_words_metric(&words, &metric->metric);
    put_words(c, &words);
    sy_text_append_format(&c->text, " | %s%s%s | ", metric->primary ? "**" : "",
                          sy_judgement_word_text(judgement->word), metric->primary ? "**" : "");
    put_value(c, &words, metric->metric.unit, judgement->value);
    sy_text_append(&c->text, " | ");
    put_value(c, &words, metric->metric.unit, judgement->median);
    sy_text_append(&c->text, " | ");
    sy_verdict_words_change(&words, metric);
    put_words(c, &words);
    sy_text_append(&c->text, " |\n");
    sy_text_finish(&words);
}

/* The worst first, in their own order among equals. */
static void put_metrics(comment *c, const sy_run_verdict *verdict)
{
    size_t put = 0;

    if (verdict->metric_count == 0)
        return;
    sy_text_append(&c->text, "\n| metric | verdict | this session | baseline | change |\n|---|---|---:|---:|---:|\n");
    for (int word = SY_JUDGEMENT_BLOCK; word >= SY_JUDGEMENT_PASS; word--) {
        for (size_t i = 0; i < verdict->metric_count; i++) {
            if ((int)verdict->metrics[i].judgement.word == word && put++ < METRICS)
                put_metric(c, &verdict->metrics[i]);
        }
    }
    c->left_out += put > METRICS ? put - METRICS : 0;
}

static void put_run(comment *c, const sy_run *run)
{
    sy_text_append(&c->text, "Run ");
    put_name(c, run->row.id);
    sy_text_append(&c->text, run->row.gate[0] != '\0' ? " of gate " : " of cell ");
    put_name(c, run->row.gate[0] != '\0' ? run->row.gate : run->row.cell);
    sy_text_append(&c->text, " on ");
    put_name(c, run->row.device);
    sy_text_append(&c->text, ", revision ");
    put_text(c, run->row.revision[0] != '\0' ? run->row.revision : "unknown", SY_LEDGER_DIGITS + 3);
    sy_text_append_format(&c->text, ", parity %s.\n", sy_run_parity_word(run->row.parity));
}

static void put_verdict(comment *c, const sy_dashboard *dashboard)
{
    const sy_run *run = dashboard->judged;
    const sy_run_verdict *verdict = sy_dashboard_last_verdict(run);

    if (run == NULL) {
        sy_text_append(&c->text, "### Steelyard: no run is judged\n");
        return;
    }
    if (verdict == NULL) {
        sy_text_append(&c->text, "### Steelyard: not judged\n\n");
        put_run(c, run);
        return;
    }
    sy_text_append_format(&c->text, "### Steelyard: %s (%s)\n\n", sy_judgement_word_text(verdict->word),
                          sy_judgement_reason_text(verdict->reason));
    put_run(c, run);
    if (verdict->reason_count > 0) {
        put_text(c, sy_run_verdict_decisive(verdict), SENTENCE_COLUMNS);
        sy_text_append(&c->text, "\n");
        c->left_out += verdict->reason_count - 1;
    }
    put_metrics(c, verdict);
}

/* ---- the project ---- */

static void put_alarm(comment *c, const sy_dashboard_alarm *alarm)
{
    sy_text_append_format(&c->text, "| %s | ", sy_judgement_word_text(alarm->verdict));
    put_name(c, alarm->run);
    sy_text_append(&c->text, " | ");
    put_name(c, alarm->gate[0] != '\0' ? alarm->gate : alarm->cell);
    sy_text_append(&c->text, " | ");
    put_text(c, alarm->text, NAME_COLUMNS * 2);
    sy_text_append(&c->text, " |\n");
}

/* Those that the verdict above does not say already. */
static void put_alarms(comment *c, const sy_dashboard *dashboard)
{
    size_t put = 0;

    for (size_t i = 0; i < dashboard->alarm_count; i++) {
        if (dashboard->judged != NULL && strcmp(dashboard->alarms[i].run, dashboard->judged->row.id) == 0)
            continue;
        if (put == 0)
            sy_text_append(&c->text, "\n| open | run | gate | why |\n|---|---|---|---|\n");
        if (put++ < ALARMS)
            put_alarm(c, &dashboard->alarms[i]);
    }
    c->left_out += put > ALARMS ? put - ALARMS : 0;
}

static void put_next(comment *c, const sy_dashboard *dashboard)
{
    const size_t count = dashboard->next_count < COMMANDS ? dashboard->next_count : COMMANDS;
    sy_text lines = SY_TEXT_INIT;

    if (count == 0)
        return;
    for (size_t i = 0; i < count; i++) {
        sy_dashboard_words_cut(&lines, dashboard->next[i], SENTENCE_COLUMNS, true);
        sy_text_append(&lines, i + 1 < count ? "\n" : "");
    }
    sy_text_append(&c->text, "\n");
    sy_markdown_code(&c->text, sy_text_bytes(&lines));
    c->text.failed = c->text.failed || lines.failed;
    c->left_out += dashboard->next_count - count;
    sy_text_finish(&lines);
}

sy_status sy_report_dashboard_markdown(const sy_dashboard *dashboard, char **ret_markdown, sy_error *err)
{
    comment c = {.text = SY_TEXT_INIT};
    sy_text words = SY_TEXT_INIT;
    char *markdown;

    put_verdict(&c, dashboard);
    sy_text_append(&c.text, "\n");
    sy_dashboard_words_state(&words, dashboard);
    put_words(&c, &words);
    sy_text_append(&c.text, ".\n");
    put_alarms(&c, dashboard);
    put_next(&c, dashboard);
    sy_text_append(&c.text, "\n");
    put_text(&c, dashboard->project, NAME_COLUMNS);
    sy_text_append(&c.text, ": ");
    sy_dashboard_words_progress(&words, dashboard);
    put_words(&c, &words);
    sy_text_append(&c.text, ".\n");
    if (c.left_out > 0)
        sy_text_append_format(&c.text, "%zu more: `steelyard report --text`\n", c.left_out);
    sy_dashboard_words_source(&words, dashboard);
    put_words(&c, &words);
    sy_text_append(&c.text, ".\n");
    c.text.failed = c.text.failed || words.failed;
    sy_text_finish(&words);
    markdown = sy_text_take(&c.text);
    sy_text_finish(&c.text);
    if (markdown == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for a report");
    *ret_markdown = markdown;
    return SY_OK;
}
