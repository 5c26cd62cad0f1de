/* SPDX-License-Identifier: Apache-2.0 */
/* One metric over the sessions of a key, in the order in which they began: how often it alarmed beside what chance
 * explains, and whether its level climbs slowly. Values in, values out. docs/statistics.md, "Verdicts". */
#ifndef STEELYARD_EVIDENCE_COMPARE_KEY_COURSE_H
#define STEELYARD_EVIDENCE_COMPARE_KEY_COURSE_H

#include "evidence/compare/metric_list.h"
#include "stats/drift.h"

/* So many judged sessions, the newest, are asked for alarms. */
#define SY_COURSE_JUDGED_MAX 200

/* One session, as the course of one metric sees it. */
typedef struct sy_course_point {
    double value;  /* in the metric's unit; not a positive number: it has none */
    bool begins;   /* it began a new baseline */
    bool accepted; /* it joins the baseline */
    bool judged;   /* held against a baseline, and no alarm of it was confirmed */
    bool final;    /* its verdict is, and it counts: mean and spread learn it */
    bool closes;   /* an alarm that was closed with it: the sum begins anew */
} sy_course_point;

typedef struct sy_key_course {
    uint64_t judged_count; /* SY_COURSE_JUDGED_MAX at most, as is the next one */
    uint64_t raised_count; /* of them, worse than all of their baseline, and by enough for an alarm */
    double expected;       /* so many are likely if nothing changed */
    double chance;         /* of raised_count or more, then */
    sy_drift drift;        /* of logarithms in which larger is worse, ready to look at the next value */
} sy_key_course;

/* question: metric, side, delta, quantum as sy_metric_question gives them; its baseline and sessions are not asked. A
 * point is held against the accepted ones before it since the newest that began a baseline. SY_INVALID_ARGUMENT as
 * sy_judge, SY_NO_MEMORY. */
sy_status sy_key_course_find(const sy_judgement_question *question, const sy_course_point *points, size_t count,
                             sy_key_course *ret_course, sy_error *err) SY_NODISCARD;
/* The sum of slow drift that one more value gives; 0 before five were learnt, and of what is no positive number. */
double sy_key_course_drift(const sy_key_course *course, bool higher_is_better, double value);

/* The sessions of a set that began before event number `before` (0 = all), as points of that metric; count of them.
 * Lives in the arena. NULL: no memory. */
const sy_course_point *sy_key_course_points(const sy_session_set *set, uint64_t before, const sy_metric_entry *entry,
                                            sy_arena *arena, size_t *ret_count);

/* Two or more judged sessions that have one and the same baseline are not independent. The chance that at least
 * `raised` sessions are worse than all of theirs if nothing changed, for any continuous noise; groups: baseline and
 * number of sessions of each, taken as independent of each other. NaN: no memory. */
typedef struct sy_course_group {
    size_t baseline_count;
    size_t judged_count;
} sy_course_group;
double sy_course_chance(const sy_course_group *groups, size_t count, uint64_t raised);

#endif
