/* SPDX-License-Identifier: Apache-2.0 */
/* The thread's floating-point control word: rounding, denormals, masks. A library may change it when it is loaded or
 * called; who runs foreign code saves it before and restores it after. */
#ifndef STEELYARD_PROBE_FLOAT_ENVIRONMENT_H
#define STEELYARD_PROBE_FLOAT_ENVIRONMENT_H

#include <stddef.h>
#include <stdint.h>

#define SY_FLOAT_FLUSH_TO_ZERO 1u
#define SY_FLOAT_DENORMALS_ARE_ZERO 2u
#define SY_FLOAT_ROUNDING 4u
#define SY_FLOAT_EXCEPTIONS 8u

typedef struct sy_float_environment {
    uint64_t control;
} sy_float_environment;

sy_float_environment sy_float_environment_save(void);
/* Restores what was saved; returns the SY_FLOAT_* bits in which the present one differed. */
uint32_t sy_float_environment_restore(sy_float_environment saved);
/* "FTZ, DAZ, rounding" */
void sy_float_environment_words(uint32_t changed, char *to, size_t size);

#endif
