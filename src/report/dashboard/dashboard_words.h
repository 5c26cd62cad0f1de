/* SPDX-License-Identifier: Apache-2.0 */
/* A dashboard in words: whether anything is wrong, and what its rows say, for texts of every kind. */
#ifndef STEELYARD_REPORT_DASHBOARD_WORDS_H
#define STEELYARD_REPORT_DASHBOARD_WORDS_H

#include <steelyard/promotion.h>

#include "base/text.h"
#include "report/page/page.h"

/* The worst of what stands open, the last first. */
typedef enum sy_dashboard_state {
    SY_DASHBOARD_EMPTY, /* nothing was ever recorded */
    SY_DASHBOARD_PASS,
    SY_DASHBOARD_FINDINGS, /* of the registry, or gates that cannot fail */
    SY_DASHBOARD_INVESTIGATE,
    SY_DASHBOARD_BLOCK
} sy_dashboard_state;

const char *sy_dashboard_state_word(sy_dashboard_state state); /* "block" */

typedef struct sy_dashboard_counts {
    size_t promoted; /* rows that stand: superseded ones are behind them */
    size_t superseded;
    size_t blocked; /* of those that stand */
    size_t investigations;
    size_t cannot_fail; /* gates */
    size_t short_keys;  /* without a baseline */
    size_t judged_keys;
} sy_dashboard_counts;

sy_dashboard_counts sy_dashboard_count(const sy_dashboard *dashboard);
sy_dashboard_state sy_dashboard_state_of(const sy_dashboard *dashboard);

/* "block: 1 block and 2 investigations are open, 1 promoted row is blocked"; where nothing is wrong, so. */
void sy_dashboard_words_state(sy_text *to, const sy_dashboard *dashboard);
/* "3 rows promoted, 2 of 5 gates open, 1 key short of five sessions": how far it is. */
void sy_dashboard_words_progress(sy_text *to, const sy_dashboard *dashboard);
/* "event 12 (0123456789ab) of ledger 89abcdef0123; all times are UTC". */
void sy_dashboard_words_source(sy_text *to, const sy_dashboard *dashboard);

/* The text on one line, cleaned for output in UTF-8 (or in ASCII alone), and cut with "..." behind so many columns. */
void sy_dashboard_words_cut(sy_text *to, const char *raw, uint32_t columns, bool utf8);
/* "2026-11-29 23:30", UTC. */
char *sy_dashboard_words_time(char to[24], int64_t utc_s);
/* "+5.1 % (+3.0 % to +7.0 %)", of a ratio - 1; nothing for NaN. */
void sy_dashboard_words_effect(sy_text *to, double effect, double low, double high);
/* "wall p50 12.4 ms, peak memory 1.5 MiB"; `most` of them, then how many more there are. */
void sy_dashboard_words_figures(sy_text *to, const sy_run_promotion *row, size_t most);
/* "pass", "first baseline", "BLOCKED". */
const char *sy_dashboard_words_standing(const sy_dashboard_row *row);
/* "wall p50 of square-512: +5.1 % (+3.0 % to +7.0 %), worse, since 0123456789ab (run ...), reported". */
void sy_dashboard_words_change(sy_text *to, const sy_dashboard_change *change);
/* "20261129-233000-abcdef: investigate (unconfirmed)"; "... is not judged". */
void sy_dashboard_words_verdict(sy_text *to, const sy_run *run);
/* The last verdict of a run; NULL: it has none. */
const sy_run_verdict *sy_dashboard_last_verdict(const sy_run *run);

#endif
