/* SPDX-License-Identifier: Apache-2.0 */
/* What benchmarks.json of asv says of each benchmark: its unit and the names of its parameters. Private to the
 * importers. */
#ifndef STEELYARD_IMPORTERS_ASV_UNITS_H
#define STEELYARD_IMPORTERS_ASV_UNITS_H

#include "importers/import/import_readers.h"

typedef struct sy_asv_units sy_asv_units;

/* From the options, else from benchmarks.json in the folder of the file or the one above; where there is none a note
 * says so, and names tell the unit. One that cannot be read is SY_CORRUPT when it was given, else a note.
 * SY_NO_MEMORY. */
sy_status sy_asv_units_open(const sy_import_input *input, sy_import_draft *draft, sy_asv_units **ret_units,
                            sy_error *err) SY_NODISCARD;
void sy_asv_units_close(sy_asv_units *units); /* NULL is allowed */

/* The benchmark that the calls below are about. version: as the result has it; NULL = it does not. */
void sy_asv_units_choose(sy_asv_units *units, const char *name, const char *version);
const char *sy_asv_unit(const sy_asv_units *units);             /* "s", "bytes", "" or the benchmark's own */
double sy_asv_convert(const sy_asv_units *units, double value); /* NaN: a negative time or size */
/* Notes of the series that is open: where its unit is from, if not from the benchmark's entry. */
void sy_asv_note(const sy_asv_units *units, sy_import_draft *draft);
const char *sy_asv_parameter_name(const sy_asv_units *units, sy_import_draft *draft, size_t index);

#endif
