/* SPDX-License-Identifier: Apache-2.0 */
/* Which figures an event says, for all who keep them, make them anew or prove them. */
#ifndef STEELYARD_LEDGER_RUN_FIGURES_H
#define STEELYARD_LEDGER_RUN_FIGURES_H

#include "ledger/run_life.h"
#include "ledger/storage.h"

/* The figures that the event says of the run that began with event run_number; texts live in the arena, run is "".
 * *ret_says false: it is of another kind. SY_CORRUPT: the body cannot be read; SY_NO_MEMORY. */
sy_status sy_figures_of(const sy_life_event *event, uint64_t run_number, sy_arena *arena, sy_figure_row *ret_figure,
                        bool *ret_says, sy_error *err) SY_NODISCARD;
/* The same, put into a storage. */
sy_status sy_figures_put(const sy_storage *storage, void *state, const sy_life_event *event, uint64_t run_number,
                         sy_arena *arena, sy_error *err) SY_NODISCARD;
/* A short digest of all of it but the run's id: of different figures it differs. */
uint64_t sy_figure_hash(uint64_t event, const sy_figure_row *figure);

#endif
