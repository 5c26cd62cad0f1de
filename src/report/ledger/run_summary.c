/* SPDX-License-Identifier: Apache-2.0 */
/* A run's dated summary as Markdown, for a project's documents: question, setup, numbers, conclusion. */
#include <inttypes.h>
#include <math.h>
#include <steelyard/report.h>

#include "base/error.h"
#include "report/ledger/ledger_words.h"
#include "report/page/figures.h"
#include "report/page/markdown_text.h"

/* "- label: text", nothing for "". */
static void put_item(sy_text *to, const char *label, const char *raw)
{
    if (raw[0] == '\0')
        return;
    sy_text_append_format(to, "- %s: ", label);
    sy_markdown_text(to, raw);
    sy_text_append(to, "\n");
}

/* The same for words that were made in a text, which is emptied. */
static void put_words(sy_text *to, const char *label, sy_text *words)
{
    put_item(to, label, sy_text_bytes(words));
    to->failed = to->failed || words->failed;
    sy_text_clear(words);
}

static void put_head(sy_text *to, const sy_run *run, sy_text *words)
{
    char time[SY_LEDGER_TIME_SIZE];

    sy_text_append(to, "# ");
    sy_markdown_text(to, run->row.question[0] != '\0' ? run->row.question : run->row.id);
    sy_text_append_format(to, "\n\n%s, run ", sy_ledger_words_utc(time, run->row.began_utc_s));
    sy_markdown_text(to, run->row.id);
    sy_text_append(to, ", **");
    sy_ledger_words_status(words, &run->row, false);
    sy_markdown_text(to, sy_text_bytes(words));
    sy_text_clear(words);
    sy_text_append(to, "**");
    if (run->accept != NULL) {
        sy_text_append(to, " by ");
        sy_markdown_text(to, run->accept->by);
    }
    if (run->row.reason[0] != '\0') {
        sy_text_append(to, ": ");
        sy_markdown_text(to, run->row.reason);
    }
    sy_text_append(to, "\n");
}

static void put_key(sy_text *to, const sy_run *run, sy_text *words)
{
    const sy_comparison_key *key = &run->begin.key;
    size_t unknown = sy_ledger_unknown_fields(key);

    if (key->field_count == 0)
        return;
    if (unknown == 0) {
        sy_text_append(words, run->row.key_digest);
    } else {
        sy_text_append(words, "incomplete; unknown are");
        for (size_t i = 0, shown = 0; i < key->field_count; i++) {
            if (!sy_ledger_field_is_known(&key->fields[i]))
                sy_text_append_format(words, "%s %s", shown++ > 0 ? "," : "", key->fields[i].name);
        }
    }
    put_words(to, "comparison key", words);
}

static void put_named(sy_text *to, const char *label, const sy_named_text *list, size_t count, sy_text *words)
{
    for (size_t i = 0; i < count; i++)
        sy_text_append_format(words, "%s%s = %s", i == 0 ? "" : ", ", list[i].name,
                              list[i].value != NULL ? list[i].value : "unknown");
    put_words(to, label, words);
}

static void put_checks(sy_text *to, const sy_run *run, sy_text *words)
{
    size_t passed = 0;

    for (size_t i = 0; i < run->check_count; i++)
        passed += run->checks[i].passed > 0;
    if (run->check_count > 0)
        sy_text_append_format(words, "%zu of %zu passed", passed, run->check_count);
    for (size_t i = 0, shown = 0; i < run->check_count; i++) {
        const sy_run_check *check = &run->checks[i];

        if (check->passed <= 0)
            sy_text_append_format(words, "%s %s%s%s", shown++ > 0 ? "," : "; not passed:", check->name,
                                  check->found[0] != '\0' ? ": " : "", check->found);
    }
    put_words(to, "checks before the work", words);
}

static void put_commands(sy_text *to, const sy_run *run, sy_text *words)
{
    for (size_t i = 0; i < run->command_count; i++) {
        sy_text_append(to, "\n");
        sy_markdown_text(to, run->commands[i].phase);
        sy_text_append(to, " (");
        sy_ledger_words_command_end(words, &run->commands[i]);
        sy_markdown_text(to, sy_text_bytes(words));
        sy_text_clear(words);
        sy_text_append(to, "):\n\n");
        sy_ledger_words_command(words, &run->commands[i]);
        sy_markdown_code(to, sy_text_bytes(words));
        to->failed = to->failed || words->failed;
        sy_text_clear(words);
    }
}

static void put_setup(sy_text *to, const sy_run *run, sy_text *words)
{
    const sy_run_begin *begin = &run->begin;

    sy_text_append(to, "\n## Setup\n\n");
    put_item(to, "gate", begin->gate);
    put_item(to, "cell", begin->cell);
    put_item(to, "tier", begin->tier);
    put_item(to, "protocol", begin->protocol);
    put_item(to, "caches", begin->cache_state);
    put_item(to, "clock", begin->timing_boundary);
    sy_ledger_words_source(words, begin, 40);
    put_words(to, "source", words);
    put_item(to, "difference", begin->source.diff_digest);
    sy_ledger_words_place(words, &begin->place);
    put_words(to, "device", words);
    put_item(to, "imported from", begin->origin);
    put_item(to, begin->origin_zone_known ? "measured" : "measured (in an unknown time zone)", begin->origin_time);
    put_named(to, "inputs", begin->inputs, begin->input_count, words);
    put_named(to, "parameters", begin->parameters, begin->parameter_count, words);
    put_key(to, run, words);
    put_checks(to, run, words);
    put_commands(to, run, words);
}

/* ---- numbers ---- */

static void put_cell(sy_text *to, const char *raw)
{
    sy_text_append(to, " ");
    sy_markdown_text(to, raw);
    sy_text_append(to, " |");
}

static void put_value(sy_text *to, const sy_run_series *series, double value)
{
    sy_text words = SY_TEXT_INIT;

    sy_ledger_words_value(&words, series->unit, value);
    put_cell(to, sy_text_bytes(&words));
    to->failed = to->failed || words.failed;
    sy_text_finish(&words);
}

static void put_series(sy_text *to, const sy_report_run_view *view, sy_text *words)
{
    const sy_run *run = view->run;

    if (run->series_count == 0)
        return;
    sy_text_append(to, "| series | n | p50 | p95 | max |\n|---|---:|---:|---:|---:|\n");
    for (size_t i = 0; i < run->series_count; i++) {
        const sy_run_series *series = &run->series[i];

        sy_text_append(to, "|");
        sy_ledger_words_series(words, series);
        put_cell(to, sy_text_bytes(words));
        sy_text_clear(words);
        sy_ledger_words_count(words, series);
        put_cell(to, sy_text_bytes(words));
        sy_text_clear(words);
        put_value(to, series, series->p50);
        put_value(to, series, series->p95);
        put_value(to, series, series->maximum);
        sy_text_append(to, "\n");
    }
    sy_text_append(to, "\np50 and p95 are of nearest rank. All usable samples count, those of the beginning too.\n\n");
    for (size_t i = 0; i < run->series_count; i++) {
        const sy_run_series *series = &run->series[i];
        sy_text label = SY_TEXT_INIT;
        sy_text clean = SY_TEXT_INIT;

        sy_ledger_words_series(&label, series);
        sy_markdown_text(&clean, sy_text_bytes(&label));
        sy_ledger_words_first(words, series, view->samples != NULL ? view->samples[i] : NULL);
        put_words(to, sy_text_bytes(&clean), words);
        put_item(to, sy_text_bytes(&clean), series->note);
        to->failed = to->failed || label.failed || clean.failed;
        sy_text_finish(&label);
        sy_text_finish(&clean);
    }
}

static void put_numbers(sy_text *to, const sy_report_run_view *view, sy_text *words)
{
    const sy_run *run = view->run;
    char figure[SY_FIGURE_SIZE];

    sy_text_append(to, "\n## Numbers\n\n");
    put_series(to, view, words);
    if (run->decision != NULL) {
        sy_ledger_words_decision(words, run->decision);
        sy_text_append_format(words, "; %" PRIu32 " wins in %" PRIu32 " pairs", run->decision->wins,
                              run->decision->pairs);
        put_words(to, "decision", words);
    }
    for (size_t i = 0; i < run->memory_count; i++) {
        sy_format_bytes(figure, sizeof(figure), run->memories[i].bytes);
        sy_text_append_format(words, "%s %s, ", run->memories[i].name, figure);
        sy_ledger_words_memory(words, &run->memories[i]);
        put_words(to, "memory", words);
    }
    put_item(to, "parity", sy_run_parity_word(run->row.parity));
    for (size_t i = 0; i < run->parity_count; i++) {
        const sy_run_parity_event *parity = &run->parities[i];

        if (parity->outcome != SY_RUN_PARITY_PASSED && parity->reason[0] != '\0')
            put_item(to, sy_run_parity_word(parity->outcome), parity->reason);
    }
}

static void put_conclusion(sy_text *to, const sy_run *run, sy_text *words)
{
    sy_text_append(to, "\n## Conclusion\n\n");
    sy_markdown_text(to, run->row.conclusion[0] != '\0' ? run->row.conclusion : "None was drawn.");
    sy_text_append(to, "\n\n");
    for (size_t i = 0; i < run->begin.note_count; i++)
        put_item(to, "note", run->begin.notes[i]);
    for (size_t i = 0; i < run->note_count; i++)
        put_item(to, "note", run->notes[i]);
    for (size_t i = 0; i < run->artifact_count; i++) {
        sy_text_append_format(words, "%s, SHA-256 %s", run->artifacts[i].name, run->artifacts[i].digest);
        put_words(to, sy_artifact_role_word(run->artifacts[i].role), words);
    }
    sy_text_append_format(words, "event %" PRIu64 " and %" PRIu64 " more, the last with the digest %s", run->row.number,
                          run->event_count > 0 ? run->event_count - 1 : 0, run->digest);
    put_words(to, "ledger", words);
}

sy_status sy_report_run_markdown(const sy_report_run_view *view, char **ret_markdown, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_text words = SY_TEXT_INIT;
    char *markdown = NULL;

    put_head(&text, view->run, &words);
    put_setup(&text, view->run, &words);
    put_numbers(&text, view, &words);
    put_conclusion(&text, view->run, &words);
    if (!words.failed)
        markdown = sy_text_take(&text);
    sy_text_finish(&text);
    sy_text_finish(&words);
    if (markdown == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for a run's summary");
    *ret_markdown = markdown;
    return SY_OK;
}
