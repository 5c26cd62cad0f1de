/* SPDX-License-Identifier: Apache-2.0 */
/* The self-test of one primary metric: its values, its trials, and why it cannot make the gate fail. */
#ifndef STEELYARD_EVIDENCE_SELFTEST_METRIC_H
#define STEELYARD_EVIDENCE_SELFTEST_METRIC_H

#include "evidence/compare/metric_list.h"
#include "evidence/selftest/selftest_play.h"

/* What all metrics of one self-test have in common; borrowed. */
typedef struct sy_selftest_subject {
    const char *gate;
    const char *key_digest;
    const char *obstacle; /* why the gate as a whole cannot fail: "its state is unsupported: no run of it begins"; "" */
    const sy_session *const *sessions; /* the accepted ones, in the order in which they began */
    size_t session_count;
    const sy_session_rules *rules;
    size_t primary_count;
    const sy_session_set *key; /* every session of it: how often each metric alarmed */
    const double *ratios;
    size_t ratio_count;
    uint32_t trial_count;
    uint64_t seed;
} sy_selftest_subject;

/* Plays the ratio 1, then those of the subject. A metric without enough values has no effects, and a reason. All lives
 * in the arena, texts of the entry's metric too. SY_INVALID_ARGUMENT as sy_judge, SY_NO_MEMORY. */
sy_status sy_selftest_metric(const sy_selftest_subject *subject, const sy_metric_entry *entry, sy_arena *arena,
                             sy_gate_selftest *ret_test, sy_selftest_draw *ret_draw, sy_selftest_course *ret_course,
                             sy_error *err) SY_NODISCARD;

#endif
