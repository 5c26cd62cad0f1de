/* SPDX-License-Identifier: Apache-2.0 */
/* The table of every candidate on every case, made from a probe's pairs: what style.all adds to the answer. */
#ifndef STEELYARD_REPORT_PROBE_SAMPLES_H
#define STEELYARD_REPORT_PROBE_SAMPLES_H

#include <steelyard/record.h>

#include "report/page/page.h"

/* Appends the table to the page; nothing when no pair was usable. Medians are over the usable pairs of all phases, of
 * which the last column gives the number. Out of memory marks the page as failed. */
void sy_probe_samples_print(sy_page *page, const sy_probe_result *result);

#endif
