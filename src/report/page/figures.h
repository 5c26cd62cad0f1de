/* SPDX-License-Identifier: Apache-2.0 */
/* Figures as people read them. Each writes at most SY_FIGURE_SIZE bytes; what is not known is "-". */
#ifndef STEELYARD_REPORT_FIGURES_H
#define STEELYARD_REPORT_FIGURES_H

#include <stddef.h>
#include <steelyard/record.h>

#define SY_FIGURE_SIZE 32

/* .051 as "5.1 %". down and up: a bound is rounded so that it never promises more than it holds. */
const char *sy_figure_share(char to[SY_FIGURE_SIZE], double share);
const char *sy_figure_share_down(char to[SY_FIGURE_SIZE], double share);
const char *sy_figure_share_up(char to[SY_FIGURE_SIZE], double share);
/* A setting, as exact as it was given: .03 as "3 %", .005 as "0.5 %". */
const char *sy_figure_setting(char to[SY_FIGURE_SIZE], double share);
/* Nanoseconds in three digits: "831 ns", "12.4 us", "1.03 s". */
const char *sy_figure_time(char to[SY_FIGURE_SIZE], double time_ns);
/* A value of a metric: a time, bytes, or a number of five digits. */
const char *sy_figure_value(char to[SY_FIGURE_SIZE], const sy_metric *metric, double value);
/* A ratio in three digits: "0.37", "46.2"; "1.2e+06" and "3.1e-05" where they would not show. */
const char *sy_figure_ratio(char to[SY_FIGURE_SIZE], double ratio);

#endif
