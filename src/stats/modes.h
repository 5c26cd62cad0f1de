/* SPDX-License-Identifier: Apache-2.0 */
/* Whether times fall into two groups with nothing between: one program that does two kinds of work, or a machine in two
 * states. A plain gap rule, made to be silent in doubt; it is a note, never a decision. */
#ifndef STEELYARD_STATS_MODES_H
#define STEELYARD_STATS_MODES_H

#include <stddef.h>

/* Splits ascending times (finite, > 0) at their widest gap, in logarithms, that leaves at least two on each side.
 * Returns how many belong to the lower group, 0 if there are not two groups: fewer than 8 times, a gap of less than 3
 * %, or less than twice the spread inside either group. */
size_t sy_modes_split(const double *sorted, size_t count);

#endif
