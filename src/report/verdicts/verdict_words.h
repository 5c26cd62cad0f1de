/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts in words, for texts of every kind. */
#ifndef STEELYARD_REPORT_VERDICT_WORDS_H
#define STEELYARD_REPORT_VERDICT_WORDS_H

#include <steelyard/compare.h>

#include "report/page/page.h"

/* "PASS: inside", "INVESTIGATE: unconfirmed, a comparison of revisions". */
void sy_verdict_words_title(sy_text *to, const sy_compared *compared);
sy_tone sy_verdict_tone(sy_judgement_word word);
/* "wall p50 of big by blis", "peak memory (process)". */
void sy_verdict_words_metric(sy_text *to, const sy_judged_metric *metric);
/* "+4.2 %", "-3.1 %" of the judged session against the baseline's median, as its value stands, whichever is better;
 * "-" where there is none. */
void sy_verdict_words_change(sy_text *to, const sy_metric_verdict *verdict);
/* "promised 16.7 % a side of an unchanged session; 2 of 30 judged sessions raised one, 6.7 % (0.8 % to 22.1 %)". */
void sy_verdict_words_alarms(sy_text *to, const sy_compared *compared);
/* "at most 0.9 a year at 52 sessions a year"; nothing where it is not known. */
void sy_verdict_words_false_blocks(sy_text *to, const sy_compared *compared);

#endif
