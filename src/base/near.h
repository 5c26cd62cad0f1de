/* SPDX-License-Identifier: Apache-2.0 */
/* Which known name was meant by one that is not known: the one that the fewest slips lead to, if they are few. */
#ifndef STEELYARD_BASE_NEAR_H
#define STEELYARD_BASE_NEAR_H

#include <stddef.h>

#define SY_NEAR_LONGEST 63 /* bytes; longer names are near to none */

/* How many letters must be changed, dropped, added or swapped with the next to make one name of the other (optimal
 * string alignment); SIZE_MAX where one is longer than SY_NEAR_LONGEST. */
size_t sy_near_slips(const char *a, size_t a_length, const char *b, size_t b_length);

/* A search among names. Begun as {typed, length}; found is NULL until one is near. */
typedef struct sy_nearest {
    const char *typed;
    size_t typed_length;
    const char *found; /* borrowed: as it was offered */
    size_t slips;
} sy_nearest;

/* Offers a name: it is found when at most a third of the longer name's letters are slips (one in a short name), or
 * typed is its beginning of three letters or more; of several the nearest, of equally near ones the first. */
void sy_nearest_offer(sy_nearest *nearest, const char *name);

#endif
