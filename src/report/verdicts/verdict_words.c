/* SPDX-License-Identifier: Apache-2.0 */
/* Words, metrics and rates of verdicts. */
#include "report/verdicts/verdict_words.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

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
    switch (word) {
    case SY_JUDGEMENT_PASS:
        return SY_TONE_GOOD;
    case SY_JUDGEMENT_BLOCK:
        return SY_TONE_BAD;
    case SY_JUDGEMENT_NO_BASELINE:
    case SY_JUDGEMENT_NOT_JUDGED:
    case SY_JUDGEMENT_INVESTIGATE:
        break;
    }
    return SY_TONE_DOUBT;
}

void sy_verdict_words_metric(sy_text *to, const sy_judged_metric *metric)
{
    sy_text_append_format(to, "%s %s", metric->series, sy_statistic_word(metric->statistic));
    if (metric->statistic == SY_STATISTIC_MEMORY && metric->case_name[0] != '\0')
        sy_text_append_format(to, " (%s)", metric->case_name);
    else if (metric->case_name[0] != '\0')
        sy_text_append_format(to, " of %s", metric->case_name);
    if (metric->implementation[0] != '\0')
        sy_text_append_format(to, " by %s", metric->implementation);
}

void sy_verdict_words_change(sy_text *to, const sy_metric_verdict *verdict)
{
    double change = verdict->judgement.value / verdict->judgement.median - 1;
    char share[SY_FIGURE_SIZE];

    if (!isfinite(change)) {
        sy_text_append(to, "-");
        return;
    }
    sy_text_append(to, change >= 0 ? "+" : "-");
    sy_text_append(to, sy_figure_share(share, fabs(change)));
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
