/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of a measurement share: the runs are made by measure.c, described by measure_summary.c, put into words
 * by measure_words.c. */
#ifndef STEELYARD_PROBE_MEASURING_H
#define STEELYARD_PROBE_MEASURING_H

#include <steelyard/measure.h>

#include "base/arena.h"

/* How a series' values came about, for what its clock shows. */
typedef struct sy_series_clock {
    double batch;         /* what a value was divided by */
    double resolution_ns; /* the clock's own step, where it is known; 0 = unknown */
    double level;         /* of the intervals */
} sy_series_clock;

/* Fills every figure of a series, its headline and its findings, from name, metric, unit, runs and the machine's state.
 * Everything lies in the arena. SY_NO_MEMORY; SY_INVALID_ARGUMENT for a usable value that is not above 0. */
sy_status sy_measure_summarize(sy_arena *arena, const sy_series_clock *clock, sy_measure_series *series,
                               sy_error *err) SY_NODISCARD;

/* A copy of the metric that lives as long as the result; NULL = wall time. SY_NO_MEMORY. */
sy_status sy_measure_keep_metric(sy_arena *arena, const sy_metric *metric, sy_metric *ret_metric,
                                 sy_error *err) SY_NODISCARD;

/* What the words need beside the figures. */
typedef struct sy_measure_doubts {
    bool first_stands_out;
    double first_ratio; /* the first run / the median */
    bool correlated;    /* neighbours resemble each other more than chance makes them */
    bool coarse;        /* the clock's step is a good part of the times */
} sy_measure_doubts;

/* measure_words.c: headline and findings of a series whose figures are there. SY_NO_MEMORY. */
sy_status sy_measure_put_into_words(sy_arena *arena, sy_measure_series *series, const sy_measure_doubts *doubts,
                                    sy_error *err) SY_NODISCARD;

#define SY_MEASURE_VALUE_SIZE 32
/* "16.2 ms", "1.5 MiB", "33.1": a value of a unit in three digits. */
const char *sy_measure_value(char to[SY_MEASURE_VALUE_SIZE], double value, const char *unit);

#endif
