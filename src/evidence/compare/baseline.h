/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions of one comparison key with their figures, and which of them are the baseline. Nothing is judged here. */
#ifndef STEELYARD_EVIDENCE_COMPARE_BASELINE_H
#define STEELYARD_EVIDENCE_COMPARE_BASELINE_H

#include <steelyard/ledger.h>
#include <steelyard/registry.h>

#include "base/arena.h"

/* The name of the key's field that holds the source revision: the one whose sources in the matrix's protocol
 * description are {run_revision}, else "source_revision". A line is a key without it: sy_comparison_key_line. The text
 * lives as long as the registry. */
const char *sy_revision_field(sy_registry *registry);

/* One session: its row and its figures, as the ledger gave them. */
typedef struct sy_session {
    const sy_run_row *row;
    const sy_figure_row *figures;
    size_t figure_count;
    double control_peak_bytes; /* of the largest process of its control arm; 0 = not known here, or it had none */
} sy_session;

/* Every session of a key, of any status. */
typedef struct sy_session_set {
    sy_session *sessions; /* in the order in which they began */
    size_t count;
    sy_run_list *list; /* private, as the next one */
    sy_figure_list *figures;
} sy_session_set;

/* Reads them: rows and figures, no samples. A key that no run has gives an empty set. Arrays live in the arena, texts
 * until sy_session_set_finish, which is owed after SY_OK. SY_IO, SY_CORRUPT, SY_NO_MEMORY. */
sy_status sy_session_set_read(sy_ledger *ledger, const char *key_digest, sy_arena *arena, sy_session_set *ret_set,
                              sy_error *err) SY_NODISCARD;
void sy_session_set_finish(sy_session_set *set); /* a zeroed one is allowed */
/* The session of that run; NULL: it is not among them. */
const sy_session *sy_session_find(const sy_session_set *set, const char *run);

/* Whether two sessions had one and the same lease: then they replicate nothing, and count as one. */
bool sy_session_shares_lease(const sy_session *a, const sy_session *b);

/* The accepted sessions since the last accepted change. */
typedef struct sy_baseline {
    const sy_session *const *sessions; /* in the order in which they began */
    size_t count;
    const sy_session *begins;  /* accepted as the first of a new baseline; NULL: there was no change */
    size_t earlier_count;      /* accepted ones before it */
    size_t doubled_count;      /* left out: one that counts had the same lease */
    const sy_session *doubled; /* the first of these */
} sy_baseline;

/* Those that began before event number `before` (0 = all), since the newest of them that began a new baseline. What
 * it points to lives in the arena and the set. SY_NO_MEMORY. */
sy_status sy_baseline_find(const sy_session_set *set, uint64_t before, sy_arena *arena, sy_baseline *ret_baseline,
                           sy_error *err) SY_NODISCARD;

/* One step of it: the session that began next. to: room for the baseline, which is ->count of it. */
void sy_baseline_add(sy_baseline *baseline, const sy_session **to, const sy_session *session);

/* ---- one figure of a session ---- */

/* The samples of that name, case and implementation (SY_SERIES_SAMPLE), or of its control arm (SY_SERIES_CONTROL);
 * under SY_STATISTIC_MEMORY the memory figure of that name, its case being the word of its scope, "" of any. NULL: it
 * has none. */
const sy_figure_row *sy_session_figure(const sy_session *session, const sy_judged_metric *metric, sy_series_role role);
/* The same of SY_SERIES_SAMPLE, looked for at that index first: sessions of a key record alike. */
const sy_figure_row *sy_session_figure_near(const sy_session *session, const sy_judged_metric *metric, size_t place);
/* Its value under that statistic; NaN: not a number, or no such figure (NULL). */
double sy_session_value(const sy_figure_row *figure, sy_statistic statistic);

#endif
