/* SPDX-License-Identifier: Apache-2.0 */
/* In the page's data: runs with a page of their own, each one's beginning and its samples. */
#include <inttypes.h>
#include <math.h>

#include "base/error.h"
#include "report/html/html_parts.h"
#include "report/html/html_run_parts.h"
#include "report/html/html_series.h"
#include "report/ledger/ledger_words.h"
#include "report/page/figures.h"

void sy_html_run_put_words(sy_html_run_writer *writer, const char *name)
{
    writer->failed = writer->failed || writer->words.failed;
    if (name != NULL)
        sy_json_name(writer->json, name);
    sy_json_text(writer->json, sy_text_bytes(&writer->words));
    sy_text_clear(&writer->words);
}

static const char *tone_word(sy_tone tone)
{
    switch (tone) {
    case SY_TONE_GOOD:
        return "good";
    case SY_TONE_BAD:
        return "bad";
    case SY_TONE_DOUBT:
        return "doubt";
    case SY_TONE_PLAIN:
    case SY_TONE_STRONG:
    case SY_TONE_FAINT:
        break;
    }
    return "plain";
}

/* ---- what it is ---- */

/* [label, text]; nothing where there is no text. */
static void put_fact(sy_html_run_writer *writer, const char *label, const char *text)
{
    if (text[0] == '\0')
        return;
    sy_json_begin_array(writer->json);
    sy_json_text(writer->json, label);
    sy_json_text(writer->json, text);
    sy_json_end_array(writer->json);
}

static void put_fact_words(sy_html_run_writer *writer, const char *label)
{
    writer->failed = writer->failed || writer->words.failed;
    put_fact(writer, label, sy_text_bytes(&writer->words));
    sy_text_clear(&writer->words);
}

static void put_origin(sy_html_run_writer *writer, const sy_run_begin *begin)
{
    if (begin->origin[0] == '\0')
        return;
    sy_text_append(&writer->words, begin->origin);
    if (begin->origin_time[0] != '\0')
        sy_text_append_format(&writer->words, ", measured %s%s", begin->origin_time,
                              begin->origin_zone_known ? "" : " in an unknown time zone");
    if (begin->origin_digest[0] != '\0')
        sy_text_append_format(&writer->words, ", file %s", begin->origin_digest);
    put_fact_words(writer, "imported");
}

static void put_leases(sy_html_run_writer *writer, const sy_run *run)
{
    const sy_run_lease *lease = run->lease_count > 0 ? &run->leases[run->lease_count - 1] : NULL;

    if (lease == NULL)
        return;
    sy_text_append_format(&writer->words, "%s on %s, number %" PRIu64 ", %s", lease->device, lease->host, lease->fence,
                          run->row.lease_whole ? "held throughout" : "not held throughout");
    put_fact_words(writer, "lease");
}

static void put_accept(sy_html_run_writer *writer, const sy_run *run)
{
    if (run->accept == NULL)
        return;
    sy_text_append_format(&writer->words, "%sby %s",
                          run->accept->new_baseline ? "as the first of a new baseline, " : "", run->accept->by);
    if (run->accept->reason[0] != '\0')
        sy_text_append_format(&writer->words, ": %s", run->accept->reason);
    put_fact_words(writer, "accepted");
}

static void put_source(sy_html_run_writer *writer, const sy_run *run)
{
    const sy_run_begin *begin = &run->begin;

    sy_ledger_words_source(&writer->words, begin, 40);
    put_fact_words(writer, "source");
    put_fact(writer, "difference", begin->source.diff_digest);
    sy_ledger_words_place(&writer->words, &begin->place);
    put_fact_words(writer, "device");
    for (size_t i = 0; i < begin->input_count; i++) {
        sy_text_append_format(&writer->words, "%s %s", begin->inputs[i].name,
                              begin->inputs[i].value != NULL ? begin->inputs[i].value : "of unknown content");
        put_fact_words(writer, "input");
    }
    for (size_t i = 0; i < begin->parameter_count; i++) {
        sy_text_append_format(&writer->words, "%s = %s", begin->parameters[i].name,
                              begin->parameters[i].value != NULL ? begin->parameters[i].value : "unknown");
        put_fact_words(writer, "parameter");
    }
    for (size_t i = 0; i < begin->planned_output_count; i++)
        put_fact(writer, "planned output", begin->planned_outputs[i]);
}

static void put_notes(sy_html_run_writer *writer, const sy_run *run)
{
    for (size_t i = 0; i < run->begin.note_count; i++)
        put_fact(writer, "note", run->begin.notes[i]);
    for (size_t i = 0; i < run->note_count; i++)
        put_fact(writer, "note", run->notes[i]);
    for (size_t i = 0; i < run->end_count; i++)
        put_fact(writer, "superseded by", run->ends[i].superseded_by);
    for (size_t i = 0; i < run->profile_count; i++) {
        sy_text_append_format(&writer->words, "%s: %s, in %s", run->profiles[i].key, run->profiles[i].implementation,
                              run->profiles[i].store);
        put_fact_words(writer, "stored");
    }
}

void sy_html_run_put_head(sy_html_run_writer *writer, const sy_run *run)
{
    const sy_run_row *row = &run->row;

    sy_json_member_text(writer->json, "run", row->id);
    sy_json_member_text(writer->json, "tone", tone_word(sy_ledger_tone(row)));
    sy_ledger_words_status(&writer->words, row, true);
    sy_html_run_put_words(writer, "status");
    sy_json_member_text(writer->json, "kind", sy_run_kind_word(row->kind));
    sy_json_member_text(writer->json, "question", row->question);
    sy_json_member_text(writer->json, "conclusion", row->conclusion);
    sy_json_member_u64(writer->json, "number", row->number);
    sy_json_member_i64(writer->json, "began", row->began_utc_s);
    sy_json_member_i64(writer->json, "ended", row->ended_utc_s);
    sy_json_member_text(writer->json, "gate", row->gate);
    sy_json_member_text(writer->json, "cell", row->cell);
    sy_json_name(writer->json, "facts");
    sy_json_begin_array(writer->json);
    put_fact(writer, "tier", row->tier);
    put_fact(writer, "protocol", row->protocol);
    put_fact(writer, "caches", run->begin.cache_state);
    put_fact(writer, "clock", run->begin.timing_boundary);
    put_origin(writer, &run->begin);
    put_accept(writer, run);
    put_leases(writer, run);
    put_source(writer, run);
    put_notes(writer, run);
    sy_json_end_array(writer->json);
    if (run->decision != NULL) {
        sy_text_append_format(&writer->words, "%s: ", run->decision->operation);
        sy_ledger_words_decision(&writer->words, run->decision);
        sy_html_run_put_words(writer, "decision");
    }
}

/* ---- samples ---- */

static void put_rounded(sy_json_writer *json, const char *name, double value)
{
    sy_json_member_double(json, name, sy_html_series_rounded(value));
}

static void put_shape(sy_json_writer *json, const sy_html_strip *strip)
{
    size_t count = isfinite(strip->low) ? SY_HTML_STRIP_BINS : 0;

    put_rounded(json, "low", strip->low);
    put_rounded(json, "high", strip->high);
    sy_json_member_u64(json, "below", strip->below);
    sy_json_member_u64(json, "above", strip->above);
    sy_json_name(json, "bins");
    sy_json_begin_array(json);
    for (size_t i = 0; i < count; i++)
        sy_json_u64(json, strip->bins[i]);
    sy_json_end_array(json);
    put_rounded(json, "minimum", strip->series->minimum);
    put_rounded(json, "p5", strip->p5);
    put_rounded(json, "p25", strip->p25);
    put_rounded(json, "p50", strip->series->p50);
    put_rounded(json, "p75", strip->p75);
    put_rounded(json, "p95", strip->series->p95);
    put_rounded(json, "p99", strip->p99);
    put_rounded(json, "maximum", strip->series->maximum);
    put_rounded(json, "first", strip->first);
    sy_json_name(json, "drawn");
    sy_json_begin_array(json);
    for (size_t i = 0; i < strip->drawn_count; i++)
        sy_json_double(json, sy_html_series_rounded(strip->drawn[i]));
    sy_json_end_array(json);
}

static void put_strip(sy_html_run_writer *writer, const sy_html_strip *strip)
{
    const sy_run_series *series = strip->series;

    sy_json_begin_object(writer->json);
    sy_ledger_words_series(&writer->words, series);
    sy_html_run_put_words(writer, "label");
    sy_json_member_text(writer->json, "role", sy_series_role_word(series->role));
    sy_json_member_text(writer->json, "unit", series->unit);
    sy_json_member_bool(writer->json, "higher_is_better", series->higher_is_better);
    sy_json_member_u64(writer->json, "count", series->count);
    sy_json_member_u64(writer->json, "usable", series->usable_count);
    sy_json_member_bool(writer->json, "samples_missing", strip->samples_missing);
    put_shape(writer->json, strip);
    sy_ledger_words_first(&writer->words, series, isnan(strip->first) ? NULL : &strip->first);
    sy_html_run_put_words(writer, "remark");
    sy_json_member_text(writer->json, "note", series->note);
    sy_json_name(writer->json, "figures");
    sy_json_begin_array(writer->json);
    for (size_t i = 0; i < series->figure_count; i++) {
        sy_text_append_format(&writer->words, "%s ", series->figures[i].name);
        sy_ledger_words_value(&writer->words, series->figures[i].unit, series->figures[i].value);
        sy_html_run_put_words(writer, NULL);
    }
    sy_json_end_array(writer->json);
    sy_json_end_object(writer->json);
}

void sy_html_run_put_strips(sy_html_run_writer *writer, const sy_html_run *page)
{
    sy_json_member_u64(writer->json, "series_count", page->run->row.series_count);
    sy_json_name(writer->json, "strips");
    sy_json_begin_array(writer->json);
    for (size_t i = 0; page->strips != NULL && i < page->run->series_count; i++)
        put_strip(writer, &page->strips[i]);
    sy_json_end_array(writer->json);
}

/* ---- all of them ---- */

static void put_run(sy_html_run_writer *writer, const sy_html_run *page)
{
    sy_json_begin_object(writer->json);
    sy_html_run_put_head(writer, page->run);
    sy_json_member_bool(writer->json, "probe", page->probe != NULL);
    sy_json_member_text(writer->json, "probe_missing", page->probe_missing);
    sy_html_run_put_strips(writer, page);
    sy_html_run_put_said(writer, page->run);
    sy_html_run_put_evidence(writer, page->run);
    sy_html_run_put_identity(writer, page);
    sy_json_member_u64(writer->json, "events", page->run->event_count);
    sy_json_member_text(writer->json, "digest", page->run->digest);
    sy_json_end_object(writer->json);
}

sy_status sy_html_put_runs(const sy_html_data *data, sy_error *err)
{
    sy_html_run_writer writer = {.json = data->json};

    sy_json_member_u64(data->json, "run_total", data->content->run_total);
    sy_json_name(data->json, "runs");
    sy_json_begin_array(data->json);
    for (size_t i = 0; i < data->content->run_count; i++)
        put_run(&writer, &data->content->runs[i]);
    sy_json_end_array(data->json);
    sy_text_finish(&writer.words);
    return writer.failed ? sy_fail(err, SY_NO_MEMORY, "no memory for the runs of a page") : SY_OK;
}
