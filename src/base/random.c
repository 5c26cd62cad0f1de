/* SPDX-License-Identifier: Apache-2.0 */
/* Seeded random numbers: xoshiro256** started by splitmix64, and what is drawn from it. */
#include "base/random.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <sys/random.h>

#include "base/error.h"

__extension__ typedef unsigned __int128 wide;

/* Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014; constants of Vigna's splitmix64. */
static uint64_t splitmix64(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* FNV-1a, 64 bits (Fowler, Noll, Vo). */
static uint64_t name_hash(const char *name)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *name != '\0'; name++) {
        hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static uint64_t rotate_left(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

void sy_random_start(sy_random *random, uint64_t seed, const char *stream)
{
    /* The seed is mixed before the name comes in, so that near seeds and near names do not meet. */
    uint64_t state = seed;
    state = splitmix64(&state) ^ name_hash(stream);
    for (int i = 0; i < 4; i++) {
        random->state[i] = splitmix64(&state);
    }
}

uint64_t sy_random_next(sy_random *random)
{
    /* Blackman and Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS 47(4), 2021. */
    uint64_t *s = random->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

bool sy_random_coin(sy_random *random)
{
    return sy_random_next(random) >> 63 != 0;
}

uint64_t sy_random_below(sy_random *random, uint64_t bound)
{
    /* Lemire, "Fast random integer generation in an interval", ACM TOMACS 29(1), 2019: the high half of the product is
     * uniform once the few low halves that would favour some values are drawn again. */
    assert(bound >= 1);
    wide product = (wide)sy_random_next(random) * bound;
    if ((uint64_t)product < bound) {
        uint64_t threshold = (0 - bound) % bound;
        while ((uint64_t)product < threshold) {
            product = (wide)sy_random_next(random) * bound;
        }
    }
    return (uint64_t)(product >> 64);
}

double sy_random_unit(sy_random *random)
{
    return (double)(sy_random_next(random) >> 11) * 0x1p-53;
}

double sy_random_normal(sy_random *random)
{
    /* Marsaglia's polar method; the second value of a draw is given up, so that the state stays four words. */
    double u;
    double square;
    do {
        u = 2.0 * sy_random_unit(random) - 1.0;
        double v = 2.0 * sy_random_unit(random) - 1.0;
        square = u * u + v * v;
    } while (square >= 1.0 || square == 0.0);
    return u * sqrt(-2.0 * log(square) / square);
}

void sy_random_permutation(sy_random *random, uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        order[i] = i;
    }
    /* Fisher and Yates, from the end. */
    for (uint32_t left = count; left > 1; left--) {
        uint32_t chosen = (uint32_t)sy_random_below(random, left);
        uint32_t last = order[left - 1];
        order[left - 1] = order[chosen];
        order[chosen] = last;
    }
}

sy_status sy_random_seed(uint64_t *ret_seed, sy_error *err)
{
    uint64_t seed;
    ssize_t got;
    do {
        got = getrandom(&seed, sizeof seed, 0);
    } while (got < 0 && errno == EINTR);
    if (got != (ssize_t)sizeof seed) {
        return sy_fail_errno(err, SY_IO, got < 0 ? errno : EIO, "the system's entropy");
    }
    *ret_seed = seed;
    return SY_OK;
}
