/* SPDX-License-Identifier: Apache-2.0 */
/* What html_decision.c puts together: facts, tables and rounds of one probe's result, each as members of its object. */
#ifndef STEELYARD_REPORT_HTML_DECISION_H
#define STEELYARD_REPORT_HTML_DECISION_H

#include "report/html/html_parts.h"

/* "facts": pairs of words, what was asked and under which conditions it was measured. */
void sy_html_put_decision_facts(sy_json_writer *json, const sy_probe_result *result);
/* "cases" and "candidates": tables. */
void sy_html_put_decision_tables(sy_json_writer *json, const sy_probe_result *result);

/* "rounds": {gain: of each round that was fed to the rule, null = unusable; reference_first; wins: after each; won;
 * threshold: the gain above which a round is won; needed: wins at which the rule is satisfied after 1, 2 ... rounds,
 * null = not yet; given_up: wins at or below which it stops, null = not yet}. The last two are null for a rule without
 * a boundary. SY_NO_MEMORY. */
sy_status sy_html_put_decision_rounds(sy_json_writer *json, const sy_probe_result *result, sy_error *err) SY_NODISCARD;

#endif
