/* SPDX-License-Identifier: Apache-2.0 */
/* The metrics that a session is judged by, and what is asked of each: judge_session.c and the self-tests of gates. */
#ifndef STEELYARD_EVIDENCE_COMPARE_METRIC_LIST_H
#define STEELYARD_EVIDENCE_COMPARE_METRIC_LIST_H

#include "evidence/compare/judge_session.h"

typedef struct sy_metric_entry {
    sy_judged_metric metric;
    size_t place; /* where its figure stands in the session: in the others it is looked for there first */
    sy_memory_scope scope;
    bool primary;
    bool not_judged; /* one side lacks it, or has too few samples of it: coverage */
    const char *why; /* that, for people */
} sy_metric_entry;

typedef struct sy_metric_list {
    sy_metric_entry *entries;
    size_t count;
    size_t primary_count;
    const char *const *remarks;
    size_t remark_count;
} sy_metric_list;

/* All lives in the arena. SY_NO_MEMORY. */
sy_status sy_metric_list_make(const sy_session_question *question, sy_arena *arena, sy_metric_list *ret_list,
                              sy_error *err) SY_NODISCARD;

/* Its value in a session; NaN: not a number, or it has none. */
double sy_metric_value(const sy_session *session, const sy_metric_entry *entry);

/* What sy_judge is asked of it, but for the sessions, their evidence, and how often the key has alarmed.
 * primary_count: of the list; alpha is divided by it. */
sy_judgement_question sy_metric_question(const sy_session_rules *rules, const sy_metric_entry *entry,
                                         size_t primary_count, const double *baseline, size_t baseline_count);

#endif
