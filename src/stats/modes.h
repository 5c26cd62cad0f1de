/* SPDX-License-Identifier: Apache-2.0 */
/* Whether times fall into two groups with nothing between: one program that does two kinds of work, or a machine in two
 * states. A plain gap rule, made to be silent in doubt; it is a note, never a decision. */
#ifndef STEELYARD_STATS_MODES_H
#define STEELYARD_STATS_MODES_H

#include <stddef.h>
#include <steelyard/base.h>

/* Splits ascending times (finite, > 0) at their widest gap, in logarithms, that leaves at least two on each side.
 * Returns how many belong to the lower group, 0 if there are not two groups: fewer than 8 times, a gap of less than 3
 * %, or less than twice the spread inside either group. */
size_t sy_modes_split(const double *sorted, size_t count);

/* The same for longer series and through spikes: the two levels that fit the logarithms by least distances. They are
 * two modes when they lie 3 % apart or more, and 3 + 40/count times the sum of both groups' deviations (of a normal
 * group with four fifths of its values as near to its median); when on either side of the middle third between them
 * there are a tenth of all values, and 3 (4 from 16 values on); and when that third holds at most a tenth as many as
 * the smaller side. *ret_lower: how many belong to the lower one, 0 if there are not two; fewer than 8 values: 0.
 * SY_NO_MEMORY. */
sy_status sy_modes_find(const double *sorted, size_t count, size_t *ret_lower, sy_error *err) SY_NODISCARD;

#endif
