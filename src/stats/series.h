/* SPDX-License-Identifier: Apache-2.0 */
/* The account of one series of times in the order in which they were taken: where it becomes steady, whether it still
 * moves, its modes, quantiles with intervals, the clock's step. Numbers only; words are others' business. Levels and
 * sources: docs/statistics.md, "A series". */
#ifndef STEELYARD_STATS_SERIES_H
#define STEELYARD_STATS_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <steelyard/base.h>

/* 5, 25, 50, 75, 95 and 99 %. */
#define SY_SERIES_QUANTILES 6
#define SY_SERIES_MEDIAN 2 /* its place among them */

typedef struct sy_series_quantile {
    double share;
    double value; /* NaN: too few values for it (95 % asks for 20, 99 % for 100) */
    double low;   /* NaN: open on this side */
    double high;
    double level; /* of the interval; at least the one asked for, but for a median of few values; NaN without any */
} sy_series_quantile;

typedef enum sy_series_course { SY_SERIES_LEVEL, SY_SERIES_FALLING, SY_SERIES_RISING } sy_series_course;

typedef struct sy_series {
    size_t count;
    size_t steady_from;    /* values before it are the warm-up: in no figure below but `step` and `distinct` */
    double warm_up_ratio;  /* median of the warm-up / median of the rest; NaN without one */
    bool first_stands_out; /* twice the median and more than any other; of short series too */
    double first_ratio;    /* the first value / the median */
    size_t used;           /* count - steady_from */
    double minimum;
    double maximum;
    double mean;
    double median_deviation; /* median of |value - median| */
    sy_series_quantile quantiles[SY_SERIES_QUANTILES];
    sy_series_course course; /* where the values used still go: p and size of the change both say so; the level of p is
                                2 % for the way of a warm-up, 1 % for the other */
    double tau;              /* of Mann-Kendall; NaN below 5 values */
    double p_falling;
    double p_rising;
    double change;        /* median of the last third / median of the first third - 1; NaN */
    double lag1;          /* how alike neighbours are; NaN */
    bool correlated;      /* more than chance makes it */
    size_t slow_outliers; /* beyond three quartile distances, and by 5 % of the median or more */
    size_t fast_outliers;
    size_t lower_mode_count; /* 0 = one mode, or none that the clock's step could not make */
    size_t upper_mode_count;
    double lower_mode; /* medians of the two; NaN */
    double upper_mode;
    size_t mode_changes; /* how often a value has another mode than the one before */
    double step;         /* that all are multiples of, before the batch divided them; 0 = none seen */
    size_t distinct;     /* different values among all */
} sy_series;

typedef struct sy_series_options {
    double level;        /* of the intervals, in (0, 1) */
    double batch;        /* by what each value was divided: the step is looked for in batch * value */
    double most_step;    /* a larger common step is none of the clock's; 0 = any may be */
    bool more_is_better; /* a warm-up then begins with less */
} sy_series_options;

#define SY_SERIES_OPTIONS_INIT \
    {                          \
        0.95, 1, 0, false      \
    }

/* values: finite, > 0, count >= 1. SY_INVALID_ARGUMENT, SY_NO_MEMORY. */
sy_status sy_series_describe(const double *values, size_t count, const sy_series_options *options,
                             sy_series *ret_series, sy_error *err) SY_NODISCARD;

#endif
