/* SPDX-License-Identifier: Apache-2.0 */
/* Slow drift: a self-starting cumulative sum, which needs no known mean or spread and notices many small steps in one
 * direction. Formulas and sources: docs/statistics.md, "Slow drift". */
#ifndef STEELYARD_STATS_DRIFT_H
#define STEELYARD_STATS_DRIFT_H

#include <stddef.h>
#include <steelyard/base.h>

/* A sum above this is an alarm; the allowance that a value has before it adds; how far one value can count. */
#define SY_DRIFT_ALARM 5.0
#define SY_DRIFT_ALLOWANCE 0.5
#define SY_DRIFT_WINSOR 3.0

/* Of the values learnt so far: count, mean and sum of squares about it (Welford 1962), and the sum. Plain data. */
typedef struct sy_drift {
    size_t count;
    double mean;
    double squares;
    double sum;
} sy_drift;

#define SY_DRIFT_INIT \
    {                 \
        0, 0, 0, 0    \
    }

/* Learns a value: its session's verdict is final. value finite. */
void sy_drift_learn(sy_drift *drift, double value);

/* The sum that a further value gives, larger meaning upwards: max(0, S + z - allowance), with T = (y - mean) / s
 * sqrt(n / (n + 1)) and z = Phi^-1(F_t(T; n - 1)), winsorised. S itself while fewer than two values are known or all
 * are equal. Nothing is kept: a caller sets drift->sum, to 0 after an alarm that is closed. Hawkins 1987. */
double sy_drift_look(const sy_drift *drift, double value);

#endif
