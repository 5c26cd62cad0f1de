/* SPDX-License-Identifier: Apache-2.0 */
/* What was said of a run afterwards: its verdicts, the last one whole; changes of a history; who signed it off and
 * promoted it. */
#include "report/ledger/report_run_parts.h"

#include <inttypes.h>
#include <math.h>

#include "report/ledger/ledger_words.h"
#include "report/page/figures.h"

static void put_words(sy_page *page, uint32_t first, uint32_t rest, sy_tone tone, sy_text *words)
{
    page->text.failed = page->text.failed || words->failed;
    sy_page_paragraph(page, first, rest, tone, sy_text_bytes(words));
    sy_text_clear(words);
}

static void put_heading(sy_page *page, const char *heading)
{
    sy_page_blank(page);
    sy_page_paragraph(page, 0, 2, SY_TONE_STRONG, heading);
}

/* ---- verdicts ---- */

static void put_verdict_line(sy_page *page, const sy_run_verdict *verdict, uint64_t number, sy_text *words)
{
    sy_text_append_format(words, "%s (%s), event %" PRIu64, sy_judgement_word_text(verdict->word),
                          sy_judgement_reason_text(verdict->reason), number);
    if (verdict->baseline_count > 0)
        sy_text_append_format(words, ", against %zu accepted %s", verdict->baseline_count,
                              verdict->baseline_count == 1 ? "session" : "sessions");
    if (verdict->mode != SY_COMPARISON_SAME_KEY)
        sy_text_append_format(words, " of %s",
                              verdict->mode == SY_COMPARISON_REVISION ? "another revision" : "several revisions");
    if (verdict->session_count > 1)
        sy_text_append_format(words, ", with %zu sessions in all", verdict->session_count);
    put_words(page, 2, 4, sy_ledger_verdict_tone(verdict->word), words);
}

static void put_metric(sy_page *page, const sy_metric_verdict *metric, sy_text *words)
{
    const sy_judgement *judgement = &metric->judgement;

    sy_ledger_words_metric(words, &metric->metric);
    sy_text_append_format(words, ": %s", sy_judgement_word_text(judgement->word));
    if (isfinite(judgement->value)) {
        sy_text_append(words, ", ");
        sy_ledger_words_value(words, metric->metric.unit, judgement->value);
    }
    if (isfinite(judgement->median) && isfinite(judgement->value)) {
        sy_text_append(words, " against ");
        sy_ledger_words_value(words, metric->metric.unit, judgement->median);
        sy_text_append(words, ", ");
        sy_ledger_words_change(words, metric);
    }
    put_words(page, 4, 6, SY_TONE_PLAIN, words);
}

static void put_verdicts(sy_page *page, const sy_run *run, sy_text *words)
{
    if (run->verdict_count == 0)
        return;
    put_heading(page, run->verdict_count == 1 ? "Verdict" : "Verdicts, the last one counts");
    for (size_t i = 0; i < run->verdict_count; i++)
        put_verdict_line(page, &run->verdicts[i], run->verdict_numbers[i], words);
    const sy_run_verdict *last = &run->verdicts[run->verdict_count - 1];
    for (size_t i = 0; i < last->reason_count; i++)
        sy_page_paragraph(page, 4, 6, SY_TONE_PLAIN, last->reasons[i]);
    for (size_t i = 0; i < last->metric_count; i++)
        put_metric(page, &last->metrics[i], words);
    if (last->recalibrate[0] != '\0') {
        sy_text_append_format(words, "the stored decision %s is to be made anew", last->recalibrate);
        if (last->recalibrate_run[0] != '\0')
            sy_text_append_format(words, ": it rests on %s", last->recalibrate_run);
        put_words(page, 4, 6, SY_TONE_DOUBT, words);
    }
}

/* ---- changes ---- */

static void append_signed_share(sy_text *to, double share)
{
    char figure[SY_FIGURE_SIZE];

    sy_text_append(to, share < 0 ? "-" : "+");
    sy_text_append(to, sy_figure_share(figure, fabs(share)));
}

static void put_change(sy_page *page, const sy_run_change *change, sy_text *words)
{
    sy_text_append_format(words, "%s: ", sy_change_state_word(change->state));
    sy_ledger_words_metric(words, &change->metric);
    if (isfinite(change->effect)) {
        sy_text_append(words, ", ");
        append_signed_share(words, change->effect);
    }
    if (isfinite(change->effect_low) && isfinite(change->effect_high)) {
        sy_text_append(words, " (");
        append_signed_share(words, change->effect_low);
        sy_text_append(words, " to ");
        append_signed_share(words, change->effect_high);
        sy_text_append(words, ")");
    }
    sy_text_append_format(words, "%s, since %s", change->worse ? ", worse" : "", change->before);
    if (change->reason[0] != '\0')
        sy_text_append_format(words, ": %s", change->reason);
    put_words(page, 2, 4, change->worse ? SY_TONE_DOUBT : SY_TONE_PLAIN, words);
}

/* ---- who vouches for it ---- */

static void put_signoffs(sy_page *page, const sy_run *run, sy_text *words)
{
    if (run->signoff_count > 0)
        put_heading(page, run->row.signed_off ? "Signed off" : "Signed off, and taken back by a later verdict");
    for (size_t i = 0; i < run->signoff_count; i++) {
        const sy_run_signoff *signoff = &run->signoffs[i];

        sy_text_append_format(words, "by %s", signoff->by);
        if (signoff->verdict != 0)
            sy_text_append_format(words, ", who saw the verdict of event %" PRIu64, signoff->verdict);
        sy_text_append_format(words, ": %s", signoff->statement);
        put_words(page, 2, 4, SY_TONE_PLAIN, words);
    }
}

static void put_promotion(sy_page *page, const sy_run_promotion *promotion, sy_text *words)
{
    sy_text_append_format(words, "by %s", promotion->by);
    if (promotion->claim[0] != '\0')
        sy_text_append_format(words, ": %s", promotion->claim);
    put_words(page, 2, 4, SY_TONE_GOOD, words);
    for (size_t i = 0; i < promotion->proof_count; i++) {
        const sy_promotion_proof *proof = &promotion->proofs[i];

        sy_text_append(words, proof->name);
        if (proof->run[0] != '\0')
            sy_text_append_format(words, " by %s", proof->run);
        if (proof->detail[0] != '\0')
            sy_text_append_format(words, ": %s", proof->detail);
        put_words(page, 4, 6, SY_TONE_PLAIN, words);
    }
}

/* What stands in the way of a row since: shown first, for the row itself is as it was. */
static void put_standing(sy_page *page, const sy_promotion_standing *standing, sy_text *words)
{
    if (standing->run[0] != '\0') {
        sy_text_append_format(words, "blocked since by the verdict of %s, event %" PRIu64 ": %s", standing->run,
                              standing->verdict, standing->why);
        put_words(page, 2, 4, SY_TONE_BAD, words);
    }
    if (standing->follower[0] != '\0') {
        sy_text_append_format(words, "%s is promoted in its place", standing->follower);
        put_words(page, 2, 4, SY_TONE_DOUBT, words);
    }
}

void sy_run_put_said(sy_page *page, const sy_report_run_view *view, sy_text *words)
{
    const sy_run *run = view->run;

    put_verdicts(page, run, words);
    if (run->change_count > 0)
        put_heading(page, "Changes that begin here");
    for (size_t i = 0; i < run->change_count; i++)
        put_change(page, &run->changes[i], words);
    put_signoffs(page, run, words);
    if (run->promotion_count > 0)
        put_heading(page, "Promoted");
    if (run->promotion_count > 0 && view->standing != NULL)
        put_standing(page, view->standing, words);
    for (size_t i = 0; i < run->promotion_count; i++)
        put_promotion(page, &run->promotions[i], words);
}
