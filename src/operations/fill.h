/* SPDX-License-Identifier: Apache-2.0 */
/* What the inputs of a parity stage hold: pure functions of seed, input number and shape, the same bytes on every
 * machine, so that a worker and its parent make the same inputs without sending them. */
#ifndef STEELYARD_OPERATIONS_FILL_H
#define STEELYARD_OPERATIONS_FILL_H

#include <steelyard/suite.h>

typedef enum sy_fill {
    SY_FILL_REAL,       /* uniform in [-1, 1): 24 bits, rounded to nearest for f16 and bf16; 53 bits for f64 */
    SY_FILL_EXACT_LEFT, /* input 0: odd integers of many bits; every other: +-1, thinned with zeros where K is long */
    SY_FILL_EXACT_RIGHT /* input 1: odd integers of many bits; every other: +-1, thinned with zeros where K is long */
} sy_fill;

/* Fills the memory of one input: bytes is contiguous, row-major, of desc's size, aligned for its dtype. input_index:
 * place in registration order. Each fill and each input draws from a stream of its own of `seed`.
 *
 * Exact fills make every partial sum of c->exact_length products, in every order, an integer that
 * the promised accumulator and an output of desc's type hold exactly:
 *   dtype   many-bit integers   non-zeros of the +-1 side along K
 *   f32     odd, |a| <= 4095    4096      4095 * 4096 < 2^24
 *   f64     odd, |a| < 2^41     4096
 *   f16     odd, |a| <= 511     4         511 * 4 <= 2048
 *   bf16    odd, |a| <= 31      8         31 * 8 <= 256
 *   i8 127, i16 and i32 and i64 4095 (unsigned: odd 1..255 or 1..4095, other side 1): 4096
 * Of a case that rounds its inputs (c->rounds_inputs_to): f16 odd, |a| <= 2047, bf16 odd, |a| <= 255, 4096 of them,
 * in inputs of every type, if sums are f32, else those of that type; and the real fill is rounded to it.
 * Where K is longer, the +-1 side is zero but at every p-th place along K, moved by one from row to row, counted so
 * that the last place of the first row is not zero; of a case with exact_overlap it is input 1 in both fills, whatever
 * its integers. K lies in input 0 along the trailing axes whose product it is (a: M x K), the outermost of several in
 * part; in input 1 along the last axis but one (b: K x N), else as in input 0.
 *
 * SY_INVALID_ARGUMENT: an integer input with SY_FILL_REAL (named: it needs the case's own data), an exact fill of a
 * case without exact stage, a description that sy_tensor_desc_check refuses, K found along no axis though thinning
 * needs it. */
sy_status sy_fill_input(sy_fill fill, uint64_t seed, uint32_t input_index, const sy_case *c, const sy_tensor_desc *desc,
                        void *bytes, sy_error *err) SY_NODISCARD;

/* A value as the inputs of a case hold it: rounded to what the operation rounds them to, if it does. */
double sy_fill_rounded(const sy_case *c, double value);

/* "real", "exact-left", "exact-right": for records and messages. */
const char *sy_fill_word(sy_fill fill);

#endif
