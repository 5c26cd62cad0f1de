/* SPDX-License-Identifier: Apache-2.0 */
/* Words, metrics and rates of verdicts. */
#include "report/verdicts/verdict_words.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "report/ledger/ledger_words.h"
#include "report/page/figures.h"

void sy_verdict_words_title(sy_text *to, const sy_compared *compared)
{
    const sy_run_verdict *verdict = &compared->verdict;
    const char *word = sy_judgement_word_text(verdict->word);

    for (; *word != '\0'; word++) {
        char letter = (char)toupper((unsigned char)*word);
        sy_text_append_bytes(to, &letter, 1);
    }
    sy_text_append_format(to, ": %s%s", sy_judgement_reason_text(verdict->reason),
                          verdict->mode != SY_COMPARISON_SAME_KEY ? ", a comparison of revisions" : "");
}

sy_tone sy_verdict_tone(sy_judgement_word word)
{
    return sy_ledger_verdict_tone(word);
}

void sy_verdict_words_metric(sy_text *to, const sy_judged_metric *metric)
{
    sy_ledger_words_metric(to, metric);
}

void sy_verdict_words_change(sy_text *to, const sy_metric_verdict *verdict)
{
    sy_ledger_words_change(to, verdict);
}

void sy_verdict_words_alarms(sy_text *to, const sy_compared *compared)
{
    char share[SY_FIGURE_SIZE], low[SY_FIGURE_SIZE], high[SY_FIGURE_SIZE];

    if (isfinite(compared->alarm_promised))
        sy_text_append_format(to, "an unchanged session raises one with at most %s a side; ",
                              sy_figure_share(share, compared->alarm_promised));
    if (compared->judged_count == 0) {
        sy_text_append(to, "no session of this key was held against a baseline yet");
        return;
    }
    sy_text_append_format(to, "%llu of %llu judged sessions raised one, %s (%s to %s at 95 %%)",
                          (unsigned long long)compared->raised_count, (unsigned long long)compared->judged_count,
                          sy_figure_share(share, compared->alarm_observed),
                          sy_figure_share(low, compared->alarm_observed_low),
                          sy_figure_share(high, compared->alarm_observed_high));
}

void sy_verdict_words_false_blocks(sy_text *to, const sy_compared *compared)
{
    if (!isfinite(compared->false_blocks_a_year))
        return;
    sy_text_append_format(to, "at most %.2g a year are expected, at %.0f sessions of this key a year",
                          compared->false_blocks_a_year, compared->sessions_a_year);
}
