/* SPDX-License-Identifier: Apache-2.0 */
/* The comparison number by number. */
#ifndef STEELYARD_BACKENDS_COMMAND_COMMAND_NUMBERS_H
#define STEELYARD_BACKENDS_COMMAND_COMMAND_NUMBERS_H

#include "backends/command/command_compare.h"

/* Numbers c of the candidate and r of the reference agree where |c - r| <= absolute + relative |r|; NaN equals only
 * NaN, infinities their like. All else must be equal byte by byte, but for the length of blanks. Differing numbers are
 * counted to the end; the first other difference ends it. verdict was begun as passed. */
sy_status sy_output_compare_numbers(const sy_output_rules *rules, const char *name, int reference, int candidate,
                                    sy_output_verdict *verdict, sy_error *err) SY_NODISCARD;

#endif
