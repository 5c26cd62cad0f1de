/* SPDX-License-Identifier: Apache-2.0 */
/* What a probe's result means, in sentences. Layout is probe_text.c's. */
#ifndef STEELYARD_REPORT_PROBE_WORDS_H
#define STEELYARD_REPORT_PROBE_WORDS_H

#include <steelyard/record.h>

#include "base/text.h"
#include "report/page/page.h"

/* The candidate that the figures speak of; NULL without candidates. */
const sy_candidate_result *sy_probe_finalist(const sy_probe_result *result);

/* How many of the result's cases its decision covers, and whether it covers one of them. */
size_t sy_probe_covered_count(const sy_probe_result *result);
bool sy_probe_covers(const sy_case_result *c);

/* The tone of a decision: good for an answer to use, bad for a failure, doubt for no answer. */
sy_tone sy_probe_tone(sy_decision decision);

/* The name as sentences use it: otherwise where there is none, and where a command line would tear the sentence apart.
 */
const char *sy_probe_words_name(const sy_probe_result *result, const char *name, const char *otherwise);

/* Each appends to a text and ends without a newline. */

/* "win: use blis in place of openblas" */
void sy_probe_words_headline(const sy_probe_result *result, sy_text *to);
/* Why, in one to four sentences: what was found, on which pairs, what was asked for. */
void sy_probe_words_finding(const sy_probe_result *result, sy_text *to);
/* What the cases that are slower or not yet shown mean; nothing with one case or none to name. */
void sy_probe_words_cases(const sy_probe_result *result, sy_text *to);
/* "covers 5 of 6 cases; left out: conv-large (wall-limit: needs about 310 s of 45.0 s)"; nothing when all are covered.
 */
void sy_probe_words_left_out(const sy_probe_result *result, sy_text *to);
/* "gain 5.1 %, at least 3.4 % (95 %), at most 7.0 % (95 %)"; nothing without a gain. */
void sy_probe_words_gain(const sy_probe_result *result, sy_text *to);
/* What outputs were compared and how they came out. */
void sy_probe_words_parity(const sy_probe_result *result, sy_text *to);

#endif
