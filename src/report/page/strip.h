/* SPDX-License-Identifier: Apache-2.0 */
/* A series in one line of characters: how its values lie, and how they went on in time. */
#ifndef STEELYARD_REPORT_STRIP_H
#define STEELYARD_REPORT_STRIP_H

#include "report/page/page.h"

/* How many of the values fall into each of `cells` equal parts of low..high, drawn as heights: the fullest part is the
 * highest, an empty one blank, one with any value at least a trace. Values outside of low..high are left out. cells
 * 1..SY_STRIP_CELLS_MAX, low <= high. */
void sy_strip_spread(sy_page *page, const double *values, size_t count, double low, double high, uint32_t cells);
/* The values in their order, cut into at most `cells` parts; each part's mean of the values within low..high is its
 * height, what is above the range counts as high, what is below as low. Returns how many parts were drawn. */
uint32_t sy_strip_course(sy_page *page, const double *values, size_t count, double low, double high, uint32_t cells);

#define SY_STRIP_CELLS_MAX 120

#endif
