/* SPDX-License-Identifier: Apache-2.0 */
/* Times, values, states and sources of runs in words, for texts of every kind. */
#ifndef STEELYARD_REPORT_LEDGER_WORDS_H
#define STEELYARD_REPORT_LEDGER_WORDS_H

#include <steelyard/run.h>

#include "report/page/page.h"

#define SY_LEDGER_TIME_SIZE 96
#define SY_LEDGER_DIGITS 12 /* of a digest, where the whole one is too much */

/* "2025-11-02 01:31 -0400": of the process's own zone, with its offset, so that the two hours of one name in autumn are
 * told apart. to_the_second: 01:31:07. "-" for 0. */
const char *sy_ledger_words_time(char to[SY_LEDGER_TIME_SIZE], int64_t utc_s, bool to_the_second);
/* The same as UTC, "2025-11-02T05:31:00Z". */
const char *sy_ledger_words_utc(char to[SY_LEDGER_TIME_SIZE], int64_t utc_s);

/* A sample of that unit: "12.4 ms" for .0124 "s", "1.5 MiB", "831 1/s"; "-" for NaN. */
void sy_ledger_words_value(sy_text *to, const char *unit, double value);

/* The series that a list shows of a run: the first wall time that was sampled, else the first samples. NULL: none. */
const sy_run_series *sy_ledger_main_series(const sy_run *run);
/* "wall of big by blis", "warm-up of wall". */
void sy_ledger_words_series(sy_text *to, const sy_run_series *series);
/* "30", "28 of 30". */
void sy_ledger_words_count(sy_text *to, const sy_run_series *series);
/* What is odd about its beginning, "its first sample is 3.2 s, 12 times the p50"; nothing where nothing is. samples may
 * be NULL. */
void sy_ledger_words_first(sy_text *to, const sy_run_series *series, const double *samples);

/* "win of blis, 5.1 % (3.2 % to 7 %)". */
void sy_ledger_words_decision(sy_text *to, const sy_run_decision *decision);

/* "ok, accepted", "failed: smoke: parity", "refuted". */
void sy_ledger_words_status(sy_text *to, const sy_run_row *row, bool with_reason);
sy_tone sy_ledger_tone(const sy_run_row *row);

sy_tone sy_ledger_verdict_tone(sy_judgement_word word);
/* "wall p50 of big by blis", "peak memory (process)". */
void sy_ledger_words_metric(sy_text *to, const sy_judged_metric *metric);
/* "+4.2 %", "-3.1 %" of the judged session against the baseline's median, as its value stands, whichever is better;
 * "-" where there is none. */
void sy_ledger_words_change(sy_text *to, const sy_metric_verdict *verdict);

/* "0123456789ab of main, commit 1234, changed since (the difference is kept)". digits: of the revision. */
void sy_ledger_words_source(sy_text *to, const sy_run_begin *begin, int digits);
/* "cpu, Intel Xeon, 2 cores", "fake (its times are made up)". */
void sy_ledger_words_place(sy_text *to, const sy_run_place *place);
/* Fields that are not known. */
size_t sy_ledger_unknown_fields(const sy_comparison_key *key);
bool sy_ledger_field_is_known(const sy_named_text *field);

/* "smoke" and so on as a command line. */
void sy_ledger_words_command(sy_text *to, const sy_run_command *command);
/* "exit 0 after 1.2 s, under the lease". */
void sy_ledger_words_command_end(sy_text *to, const sy_run_command *command);
/* "of the process tree, constrained by cgroup": whose memory, and how it is known. */
void sy_ledger_words_memory(sy_text *to, const sy_run_memory *memory);

#endif
