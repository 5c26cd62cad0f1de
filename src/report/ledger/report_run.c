/* SPDX-License-Identifier: Apache-2.0 */
/* One run for people: all that its events say, in the order in which one asks. */
#include <inttypes.h>
#include <stdio.h>
#include <steelyard/report.h>

#include "report/ledger/ledger_words.h"
#include "report/ledger/report_run_parts.h"

/* A field whose words are made in a text, which is emptied. */
static void put_field(sy_page *page, const char *label, sy_text *words)
{
    page->text.failed = page->text.failed || words->failed;
    sy_page_field(page, label, sy_text_bytes(words));
    sy_text_clear(words);
}

static void put_head(sy_page *page, const sy_run *run, sy_text *words)
{
    sy_text_append_format(words, "Run %s: ", run->row.id);
    sy_ledger_words_status(words, &run->row, true);
    page->text.failed = page->text.failed || words->failed;
    sy_page_paragraph(page, 0, 2,
                      sy_ledger_tone(&run->row) == SY_TONE_PLAIN ? SY_TONE_STRONG : sy_ledger_tone(&run->row),
                      sy_text_bytes(words));
    sy_text_clear(words);
    sy_page_blank(page);
    sy_page_field(page, "question", run->row.question);
    sy_page_field(page, "conclusion", run->row.conclusion);
}

static void put_times(sy_page *page, const sy_run *run, sy_text *words)
{
    const sy_run_row *row = &run->row;
    char time[SY_LEDGER_TIME_SIZE];

    sy_text_append_format(words, "%s, event %" PRIu64, sy_ledger_words_time(time, row->began_utc_s, true), row->number);
    put_field(page, "began", words);
    if (row->ended_utc_s != 0)
        sy_page_field(page, "ended", sy_ledger_words_time(time, row->ended_utc_s, true));
    if (run->begin.origin[0] == '\0')
        return;
    sy_text_append(words, run->begin.origin);
    if (run->begin.origin_time[0] != '\0')
        sy_text_append_format(words, ", measured %s%s", run->begin.origin_time,
                              run->begin.origin_zone_known ? "" : " in an unknown time zone");
    if (run->begin.origin_digest[0] != '\0')
        sy_text_append_format(words, ", file %s", run->begin.origin_digest);
    put_field(page, "imported", words);
}

static void put_accept(sy_page *page, const sy_run *run, sy_text *words)
{
    if (run->accept == NULL)
        return;
    sy_text_append_format(words, "%sby %s", run->accept->new_baseline ? "as the first of a new baseline, " : "",
                          run->accept->by);
    if (run->accept->reason[0] != '\0')
        sy_text_append_format(words, ": %s", run->accept->reason);
    put_field(page, "accepted", words);
}

static void put_what(sy_page *page, const sy_run *run)
{
    sy_page_field(page, "kind", sy_run_kind_word(run->row.kind));
    sy_page_field(page, "gate", run->row.gate);
    sy_page_field(page, "cell", run->row.cell);
    sy_page_field(page, "tier", run->row.tier);
    sy_page_field(page, "protocol", run->row.protocol);
    sy_page_field(page, "caches", run->begin.cache_state);
    sy_page_field(page, "clock", run->begin.timing_boundary);
}

static void put_setup(sy_page *page, const sy_run *run, sy_text *words)
{
    const sy_run_begin *begin = &run->begin;

    sy_ledger_words_source(words, begin, 40);
    put_field(page, "source", words);
    if (begin->source.diff_digest[0] != '\0') {
        sy_text_append_format(words, "difference %s", begin->source.diff_digest);
        put_field(page, "", words);
    }
    sy_ledger_words_place(words, &begin->place);
    put_field(page, "device", words);
    if (begin->place.identity.field_count > 0)
        sy_text_append_format(words, "%zu facts about host, device and software; all of them: --json",
                              begin->place.identity.field_count);
    put_field(page, "identity", words);
    for (size_t i = 0; i < begin->input_count; i++) {
        sy_text_append_format(words, "%s %s", begin->inputs[i].name,
                              begin->inputs[i].value != NULL ? begin->inputs[i].value : "of unknown content");
        put_field(page, i == 0 ? "inputs" : "", words);
    }
    for (size_t i = 0; i < begin->parameter_count; i++)
        sy_text_append_format(words, "%s%s = %s", i == 0 ? "" : ", ", begin->parameters[i].name,
                              begin->parameters[i].value != NULL ? begin->parameters[i].value : "unknown");
    put_field(page, "parameters", words);
    for (size_t i = 0; i < begin->planned_output_count; i++)
        sy_text_append_format(words, "%s%s", i == 0 ? "" : ", ", begin->planned_outputs[i]);
    put_field(page, "planned", words);
}

static void put_notes(sy_page *page, const sy_run *run)
{
    for (size_t i = 0; i < run->begin.note_count; i++)
        sy_page_field(page, i == 0 ? "note" : "", run->begin.notes[i]);
    for (size_t i = 0; i < run->note_count; i++)
        sy_page_field(page, i == 0 && run->begin.note_count == 0 ? "note" : "", run->notes[i]);
}

/* Ends before the last: of a run that was superseded later. */
static void put_ends(sy_page *page, const sy_run *run, sy_text *words)
{
    for (size_t i = 0; i < run->end_count; i++) {
        const sy_run_end *end = &run->ends[i];

        if (end->superseded_by[0] != '\0') {
            sy_text_append_format(words, "by %s", end->superseded_by);
            put_field(page, "superseded", words);
        } else if (i + 1 < run->end_count) {
            sy_text_append_format(words, "%s%s%s", sy_run_status_word(end->status),
                                  end->conclusion[0] != '\0' ? ": " : "", end->conclusion);
            put_field(page, "before", words);
        }
    }
}

sy_status sy_report_run(const sy_report_run_view *view, const sy_report_style *style, char **ret_text, sy_error *err)
{
    const sy_run *run = view->run;
    sy_text words = SY_TEXT_INIT;
    sy_page page;
    sy_status status = sy_page_start(&page, style, err);

    if (status != SY_OK)
        return status;
    put_head(&page, run, &words);
    put_what(&page, run);
    put_times(&page, run, &words);
    put_accept(&page, run, &words);
    put_ends(&page, run, &words);
    put_setup(&page, run, &words);
    put_notes(&page, run);
    sy_run_put_decision(&page, run, &words);
    sy_run_put_said(&page, view, &words);
    sy_run_put_series(&page, view, &words);
    sy_run_put_parity(&page, run, &words);
    sy_run_put_memory(&page, run, &words);
    sy_run_put_key(&page, run, &words);
    sy_run_put_checks(&page, run, &words);
    sy_run_put_commands(&page, run, &words);
    sy_run_put_artifacts(&page, run, &words);
    sy_page_blank(&page);
    sy_text_append_format(&words, "%" PRIu64 " %s; the last has the digest %s", run->event_count,
                          run->event_count == 1 ? "event" : "events", run->digest);
    page.text.failed = page.text.failed || words.failed;
    sy_page_paragraph(&page, 0, 2, SY_TONE_FAINT, sy_text_bytes(&words));
    sy_text_finish(&words);
    return sy_page_take(&page, ret_text, err);
}
