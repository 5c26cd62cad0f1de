/* SPDX-License-Identifier: Apache-2.0 */
/* Of one run in the page's data: verdicts with their figures, changes that begin with it, who signed it off and
 * promoted it. */
#include <inttypes.h>

#include "report/dashboard/dashboard_words.h"
#include "report/html/html_run_parts.h"
#include "report/html/html_series.h"
#include "report/ledger/ledger_words.h"

static void put_texts(sy_json_writer *json, const char *name, const char *const *texts, size_t count)
{
    sy_json_name(json, name);
    sy_json_begin_array(json);
    for (size_t i = 0; i < count; i++)
        sy_json_text(json, texts[i]);
    sy_json_end_array(json);
}

/* ---- verdicts ---- */

/* [metric, word, why, value, median, threshold, unit, change, effect, effect in words, level, p, least p, alpha,
 * sessions of the baseline, samples, primary, sentence] */
static void put_metric(sy_html_run_writer *writer, const sy_metric_verdict *metric)
{
    const sy_judgement *judgement = &metric->judgement;
    sy_json_writer *json = writer->json;

    sy_json_begin_array(json);
    sy_ledger_words_metric(&writer->words, &metric->metric);
    sy_html_run_put_words(writer, NULL);
    sy_json_text(json, sy_judgement_word_text(judgement->word));
    sy_json_text(json, sy_judgement_reason_text(judgement->reason));
    sy_json_double(json, sy_html_series_rounded(judgement->value));
    sy_json_double(json, sy_html_series_rounded(judgement->median));
    sy_json_double(json, sy_html_series_rounded(judgement->threshold));
    sy_json_text(json, metric->metric.unit);
    sy_ledger_words_change(&writer->words, metric);
    sy_html_run_put_words(writer, NULL);
    sy_json_double(json, judgement->effect);
    sy_dashboard_words_effect(&writer->words, judgement->effect, judgement->effect_low, judgement->effect_high);
    sy_html_run_put_words(writer, NULL);
    sy_json_double(json, judgement->effect_level);
    sy_json_double(json, judgement->p);
    sy_json_double(json, judgement->p_achievable);
    sy_json_double(json, judgement->alpha);
    sy_json_u64(json, judgement->baseline_count);
    sy_json_u64(json, metric->sample_count);
    sy_json_bool(json, metric->primary);
    sy_json_text(json, metric->reason);
    sy_json_end_array(json);
}

static void put_verdict_line(sy_html_run_writer *writer, const sy_run_verdict *verdict, uint64_t number)
{
    sy_text *words = &writer->words;

    sy_text_append_format(words, "%s, event %" PRIu64, sy_judgement_reason_text(verdict->reason), number);
    if (verdict->baseline_count > 0)
        sy_text_append_format(words, ", against %zu accepted %s", verdict->baseline_count,
                              verdict->baseline_count == 1 ? "session" : "sessions");
    if (verdict->mode != SY_COMPARISON_SAME_KEY)
        sy_text_append_format(words, " of %s",
                              verdict->mode == SY_COMPARISON_REVISION ? "another revision" : "several revisions");
    if (verdict->session_count > 1)
        sy_text_append_format(words, ", with %zu sessions in all", verdict->session_count);
    sy_html_run_put_words(writer, "line");
}

static void put_verdict(sy_html_run_writer *writer, const sy_run_verdict *verdict, uint64_t number)
{
    sy_json_writer *json = writer->json;

    sy_json_begin_object(json);
    put_verdict_line(writer, verdict, number);
    sy_json_member_text(json, "word", sy_judgement_word_text(verdict->word));
    put_texts(json, "reasons", verdict->reasons, verdict->reason_count);
    put_texts(json, "baseline", verdict->baseline, verdict->baseline_count);
    put_texts(json, "sessions", verdict->sessions, verdict->session_count);
    if (verdict->recalibrate[0] != '\0') {
        sy_text_append_format(&writer->words, "the stored decision %s is to be made anew", verdict->recalibrate);
        if (verdict->recalibrate_run[0] != '\0')
            sy_text_append_format(&writer->words, ": it rests on %s", verdict->recalibrate_run);
        sy_html_run_put_words(writer, "recalibrate");
    }
    sy_json_name(json, "metrics");
    sy_json_begin_array(json);
    for (size_t i = 0; i < verdict->metric_count; i++)
        put_metric(writer, &verdict->metrics[i]);
    sy_json_end_array(json);
    sy_json_end_object(json);
}

/* ---- changes, sign-offs, promotions ---- */

/* [state, metric, effect in words, worse, run before it, reason] */
static void put_change(sy_html_run_writer *writer, const sy_run_change *change)
{
    sy_json_writer *json = writer->json;

    sy_json_begin_array(json);
    sy_json_text(json, sy_change_state_word(change->state));
    sy_ledger_words_metric(&writer->words, &change->metric);
    sy_html_run_put_words(writer, NULL);
    sy_dashboard_words_effect(&writer->words, change->effect, change->effect_low, change->effect_high);
    sy_html_run_put_words(writer, NULL);
    sy_json_text(json, change->worse ? "worse" : "better");
    sy_json_text(json, change->before);
    sy_json_text(json, change->reason);
    sy_json_end_array(json);
}

static void put_signoff(sy_html_run_writer *writer, const sy_run_signoff *signoff)
{
    sy_text_append_format(&writer->words, "by %s", signoff->by);
    if (signoff->verdict != 0)
        sy_text_append_format(&writer->words, ", who saw the verdict of event %" PRIu64, signoff->verdict);
    sy_text_append_format(&writer->words, ": %s", signoff->statement);
    sy_html_run_put_words(writer, NULL);
}

static void put_promotion(sy_html_run_writer *writer, const sy_run_promotion *promotion)
{
    sy_json_writer *json = writer->json;

    sy_json_begin_object(json);
    sy_text_append_format(&writer->words, "by %s%s%s", promotion->by, promotion->claim[0] != '\0' ? ": " : "",
                          promotion->claim);
    sy_html_run_put_words(writer, "line");
    sy_json_name(json, "proofs");
    sy_json_begin_array(json);
    for (size_t i = 0; i < promotion->proof_count; i++) {
        const char *const cells[] = {promotion->proofs[i].name, promotion->proofs[i].run, promotion->proofs[i].detail};

        sy_json_begin_array(json);
        for (size_t k = 0; k < sizeof(cells) / sizeof(cells[0]); k++)
            sy_json_text(json, cells[k]);
        sy_json_end_array(json);
    }
    sy_json_end_array(json);
    sy_json_end_object(json);
}

void sy_html_run_put_said(sy_html_run_writer *writer, const sy_run *run)
{
    sy_json_writer *json = writer->json;

    sy_json_name(json, "verdicts");
    sy_json_begin_array(json);
    for (size_t i = 0; i < run->verdict_count; i++)
        put_verdict(writer, &run->verdicts[i], run->verdict_numbers[i]);
    sy_json_end_array(json);
    sy_json_name(json, "changes");
    sy_json_begin_array(json);
    for (size_t i = 0; i < run->change_count; i++)
        put_change(writer, &run->changes[i]);
    sy_json_end_array(json);
    sy_json_member_bool(json, "signed_off", run->row.signed_off);
    sy_json_name(json, "signoffs");
    sy_json_begin_array(json);
    for (size_t i = 0; i < run->signoff_count; i++)
        put_signoff(writer, &run->signoffs[i]);
    sy_json_end_array(json);
    sy_json_name(json, "promotions");
    sy_json_begin_array(json);
    for (size_t i = 0; i < run->promotion_count; i++)
        put_promotion(writer, &run->promotions[i]);
    sy_json_end_array(json);
}
