/* SPDX-License-Identifier: Apache-2.0 */
/* Samples that nvbench --jsonbin writes beside its JSON file, as 32-bit floats. Private to the importers. */
#ifndef STEELYARD_IMPORTERS_NVBENCH_SAMPLES_H
#define STEELYARD_IMPORTERS_NVBENCH_SAMPLES_H

#include "importers/import/import_readers.h"

typedef struct sy_nvbench_samples {
    const sy_import_input *input;
    uint64_t left_bytes; /* that may still be read, of all files together */
    bool refused;        /* the last one: its name, its size; false where it is only absent */
    char why[200];       /* the last one was not read; "" */
    float *values;
    size_t count;
} sy_nvbench_samples;

/* The folder is that of the options, else the file's own. */
void sy_nvbench_samples_init(sy_nvbench_samples *samples, const sy_import_input *input);
void sy_nvbench_samples_finish(sy_nvbench_samples *samples);
/* Reads a file's values: names as nvbench wrote them ("results/run.json-bin/0.bin") are looked for by their last two
 * parts, and never lead out of the folder. expected: how many values the JSON tells, or -1. true: they are in values;
 * false: why not is in why. SY_NO_MEMORY alone is an error. */
sy_status sy_nvbench_samples_read(sy_nvbench_samples *samples, const char *name, int64_t expected, bool *ret_read,
                                  sy_error *err) SY_NODISCARD;

#endif
