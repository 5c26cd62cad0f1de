/* SPDX-License-Identifier: Apache-2.0 */
/* Whether what a list says of a run is what its events say: other hands can change a list, and no decision may rest on
 * one that was changed. */
#ifndef STEELYARD_LEDGER_LISTED_H
#define STEELYARD_LEDGER_LISTED_H

#include <steelyard/ledger.h>

/* The name of the first member in which they differ; NULL = none. */
const char *sy_run_row_difference(const sy_run_row *a, const sy_run_row *b);

/* Folds the run's events again and holds the row against them, and the figures (in the order of the list, all that the
 * run has; NULL = they are not asked). SY_CORRUPT names the member; SY_NOT_FOUND, SY_IO, SY_BUSY, SY_NO_MEMORY. */
sy_status sy_ledger_check_listed(sy_ledger *ledger, const sy_run_row *row, const sy_figure_row *figures, size_t count,
                                 sy_error *err) SY_NODISCARD;

#endif
