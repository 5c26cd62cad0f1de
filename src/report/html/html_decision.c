/* SPDX-License-Identifier: Apache-2.0 */
/* In the page's data: decisions of probes. Sentences are those of the probe's own report; rounds are made from its
 * pairs as its rule was fed them, with the wins that the rule asked for. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/html/html_decision.h"
#include "report/probe/probe_words.h"

/* One decision while it is written. */
typedef struct writing {
    sy_json_writer *json;
    const sy_probe_result *result;
    sy_text text; /* of a value that is put together */
} writing;

static void put_words(writing *w, const char *name, void (*words)(const sy_probe_result *result, sy_text *to))
{
    words(w->result, &w->text);
    sy_json_name(w->json, name);
    sy_html_put_text(w->json, &w->text);
}

static const char *or_empty(const char *text)
{
    return text != NULL ? text : "";
}

/* Values of the metric stand in its unit. */
static const char *unit_of(const sy_probe_result *result)
{
    return result->metric.unit != NULL ? result->metric.unit : "ns";
}

/* The share of the reference's cost that the candidate saves; NaN where a value is missing. */
static double pair_gain(const sy_probe_result *result, double reference, double candidate)
{
    if (!(reference > 0 && candidate > 0 && isfinite(reference) && isfinite(candidate)))
        return NAN;
    return 1 - (result->metric.higher_is_better ? reference / candidate : candidate / reference);
}

/* ---- what was found and asked ---- */

static const char *tone_word(sy_tone tone)
{
    return tone == SY_TONE_GOOD ? "good" : tone == SY_TONE_BAD ? "bad" : tone == SY_TONE_DOUBT ? "doubt" : "plain";
}

static void put_said(writing *w)
{
    const sy_probe_result *result = w->result;
    sy_json_member_text(w->json, "operation", result->operation);
    sy_json_member_text(w->json, "backend", result->backend);
    sy_json_member_text(w->json, "device", result->device);
    sy_json_member_text(w->json, "decision", sy_decision_word(result->decision));
    sy_json_member_text(w->json, "reason", or_empty(result->reason));
    sy_json_member_text(w->json, "tone", tone_word(sy_probe_tone(result->decision)));
    put_words(w, "headline", sy_probe_words_headline);
    put_words(w, "finding", sy_probe_words_finding);
    put_words(w, "of_cases", sy_probe_words_cases);
    put_words(w, "left_out", sy_probe_words_left_out);
    put_words(w, "of_gain", sy_probe_words_gain);
    put_words(w, "of_parity", sy_probe_words_parity);
    sy_json_member_text(w->json, "error", or_empty(result->error));
    sy_json_member_text(w->json, "advice", or_empty(result->advice));
    sy_json_member_text(w->json, "reference", result->reference);
    const sy_candidate_result *finalist = sy_probe_finalist(result);
    sy_json_member_text(w->json, "finalist", finalist != NULL ? finalist->name : NULL);
    sy_json_member_text(w->json, "winner", result->winner);
    sy_json_member_text(w->json, "unit", unit_of(result));
    sy_json_member_text(w->json, "metric", result->metric.name != NULL ? result->metric.name : "wall");
    sy_json_member_bool(w->json, "higher_is_better", result->metric.higher_is_better);
    sy_json_member_double(w->json, "gain", result->gain);
    sy_json_member_double(w->json, "gain_low", result->gain_low);
    sy_json_member_double(w->json, "gain_high", result->gain_high);
}

static void put_notes(writing *w)
{
    sy_json_name(w->json, "notes");
    sy_json_begin_array(w->json);
    for (size_t i = 0; i < w->result->note_count; i++)
        sy_json_text(w->json, w->result->notes[i]);
    sy_json_end_array(w->json);
}

/* ---- pairs ---- */

/* The members of the pairs as columns; `member` says one of a pair. */
static void put_column(writing *w, const char *name, void (*member)(writing *w, const sy_sample *sample))
{
    sy_json_name(w->json, name);
    sy_json_begin_array(w->json);
    for (size_t i = 0; i < w->result->sample_count; i++)
        member(w, &w->result->samples[i]);
    sy_json_end_array(w->json);
}

static void put_round(writing *w, const sy_sample *sample)
{
    sy_json_u64(w->json, sample->round);
}

static void put_case(writing *w, const sy_sample *sample)
{
    sy_json_u64(w->json, sample->case_index);
}

static void put_candidate(writing *w, const sy_sample *sample)
{
    sy_json_u64(w->json, sample->candidate);
}

static void put_coin(writing *w, const sy_sample *sample)
{
    sy_json_u64(w->json, sample->reference_first);
}

static void put_phase(writing *w, const sy_sample *sample)
{
    sy_json_u64(w->json, sample->final);
}

static void put_reference(writing *w, const sy_sample *sample)
{
    sy_json_double(w->json, sample->reference_ns);
}

static void put_value(writing *w, const sy_sample *sample)
{
    sy_json_double(w->json, sample->candidate_ns);
}

static void put_gain(writing *w, const sy_sample *sample)
{
    sy_json_double(w->json, pair_gain(w->result, sample->reference_ns, sample->candidate_ns));
}

static void put_unusable(writing *w, const sy_sample *sample)
{
    sy_json_text(w->json, or_empty(sample->unusable));
}

static void put_process(writing *w, const sy_sample *sample)
{
    sy_json_u64(w->json, sample->process);
}

static void put_pairs(writing *w)
{
    sy_json_name(w->json, "pairs");
    sy_json_begin_object(w->json);
    put_column(w, "round", put_round);
    put_column(w, "case", put_case);
    put_column(w, "candidate", put_candidate);
    put_column(w, "reference_first", put_coin);
    put_column(w, "final", put_phase);
    put_column(w, "reference", put_reference);
    put_column(w, "value", put_value);
    put_column(w, "gain", put_gain);
    put_column(w, "unusable", put_unusable);
    put_column(w, "process", put_process);
    sy_json_end_object(w->json);
}

/* ---- all of one ---- */

static sy_status put_decision(const sy_html_data *data, const sy_html_decision *decision, size_t number, sy_error *err)
{
    writing w = {.json = data->json, .result = decision->result, .text = SY_TEXT_INIT};
    sy_json_begin_object(w.json);
    sy_text_append_format(&w.text, "%zu", number);
    sy_json_member_text(w.json, "id", decision->run[0] != '\0' ? decision->run : sy_text_bytes(&w.text));
    sy_text_clear(&w.text);
    sy_json_member_text(w.json, "run", decision->run);
    sy_json_member_text(w.json, "stored", decision->stored);
    put_said(&w);
    sy_html_put_decision_facts(w.json, w.result);
    put_notes(&w);
    sy_html_put_decision_tables(w.json, w.result);
    put_pairs(&w);
    sy_status status = sy_html_put_decision_rounds(w.json, w.result, err);
    sy_json_end_object(w.json);
    sy_text_finish(&w.text);
    return status;
}

/* Where the decision of a run was kept, as it says itself. */
static void find_stored(const sy_run *run, sy_text *to)
{
    for (size_t i = 0; i < run->profile_count; i++)
        sy_text_append_format(to, "%s%s in %s, for programs that ask", i > 0 ? "; " : "kept as ", run->profiles[i].key,
                              run->profiles[i].store);
}

sy_status sy_html_put_decisions(const sy_html_data *data, sy_error *err)
{
    const sy_html_content *content = data->content;
    sy_text stored = SY_TEXT_INIT;
    sy_status status = SY_OK;
    size_t number = 0;
    sy_json_name(data->json, "decisions");
    sy_json_begin_array(data->json);
    for (size_t i = 0; status == SY_OK && i < content->decision_count; i++)
        status = put_decision(data, &content->decisions[i], ++number, err);
    for (size_t i = 0; status == SY_OK && i < content->run_count; i++) {
        const sy_html_run *run = &content->runs[i];
        if (run->probe == NULL)
            continue;
        find_stored(run->run, &stored);
        const sy_html_decision decision = {run->run->row.id, run->probe, sy_text_bytes(&stored)};
        status = stored.failed ? sy_fail(err, SY_NO_MEMORY, "no memory for a decision of the page")
                               : put_decision(data, &decision, ++number, err);
        sy_text_clear(&stored);
    }
    sy_json_end_array(data->json);
    sy_text_finish(&stored);
    return status;
}
