/* SPDX-License-Identifier: Apache-2.0 */
/* The thread's floating-point control words: rounding, subnormals, masks, precision of the x87 unit. A library may
 * change them when it is loaded or called; who runs foreign code saves them before and restores them after. */
#ifndef STEELYARD_BASE_FLOAT_ENVIRONMENT_H
#define STEELYARD_BASE_FLOAT_ENVIRONMENT_H

#include <stddef.h>
#include <stdint.h>

#define SY_FLOAT_FLUSH_TO_ZERO 1u
#define SY_FLOAT_DENORMALS_ARE_ZERO 2u
#define SY_FLOAT_ROUNDING 4u
#define SY_FLOAT_EXCEPTIONS 8u
#define SY_FLOAT_X87 16u         /* its own rounding, precision or masks */
#define SY_FLOAT_DEFAULT_NAN 32u /* AArch64: every NaN becomes the same one */
#define SY_FLOAT_OTHER 64u       /* bits that later processors gave a meaning */

typedef struct sy_float_environment {
    uint64_t control; /* MXCSR without its flags, x87 control word above bit 32; FPCR; elsewhere the rounding mode */
} sy_float_environment;

sy_float_environment sy_float_environment_save(void);
void sy_float_environment_set(sy_float_environment wanted);
/* The SY_FLOAT_* bits in which two differ. */
uint32_t sy_float_environment_diff(sy_float_environment a, sy_float_environment b);
/* Sets what was saved; returns the bits in which the present one differed. */
uint32_t sy_float_environment_restore(sy_float_environment saved);
/* "FTZ, DAZ, rounding"; "" for 0. to: SY_FLOAT_WORDS_SIZE suffices. */
#define SY_FLOAT_WORDS_SIZE 96
void sy_float_environment_words(uint32_t bits, char *to, size_t size);

#endif
