/* SPDX-License-Identifier: Apache-2.0 */
/* Seeded streams of random numbers, the same bits on every machine, and a seed from the system's entropy.
 * Streams of different names never share numbers: coins and input data must not. Not for secrets. */
#ifndef STEELYARD_BASE_RANDOM_H
#define STEELYARD_BASE_RANDOM_H

#include <stdbool.h>
#include <stdint.h>
#include <steelyard/base.h>

/* Plain data; copying it forks the stream. Generator: xoshiro256** (Blackman and Vigna 2021), its state
 * filled by splitmix64 from the seed and the FNV-1a hash of the stream's name. */
typedef struct sy_random {
    uint64_t state[4];
} sy_random;

void sy_random_start(sy_random *random, uint64_t seed, const char *stream);
uint64_t sy_random_next(sy_random *random);
bool sy_random_coin(sy_random *random);
/* Uniform on 0..bound-1 without bias; bound >= 1. */
uint64_t sy_random_below(sy_random *random, uint64_t bound);
/* Uniform in [0, 1) with 53 bits. */
double sy_random_unit(sy_random *random);
/* Standard normal, by inversion-free polar method on sy_random_unit. */
double sy_random_normal(sy_random *random);
/* order[0..count-1] becomes a uniformly drawn permutation of 0..count-1. */
void sy_random_permutation(sy_random *random, uint32_t *order, uint32_t count);

/* 64 bits of the system's entropy. SY_IO when the system has none. */
sy_status sy_random_seed(uint64_t *ret_seed, sy_error *err) SY_NODISCARD;

#endif
