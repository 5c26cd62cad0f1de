/* SPDX-License-Identifier: Apache-2.0 */
/* What the forms of a measurement's report share. */
#ifndef STEELYARD_REPORT_REPORT_MEASURE_H
#define STEELYARD_REPORT_REPORT_MEASURE_H

#include <steelyard/report.h>

#include "report/page/figures.h"

/* A value of a metric as people read it: "16.2 ms", "1.5 MiB", "33.1"; "-" when not known. */
const char *sy_report_value(char to[SY_FIGURE_SIZE], double value, const sy_metric *metric);
/* The usable runs' values in their order, usable_count of them; sy_free. NULL when memory is short. */
double *sy_report_run_values(const sy_measure_series *series);

#endif
