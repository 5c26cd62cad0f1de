/* SPDX-License-Identifier: Apache-2.0 */
/* Dates and times as people and programs write them into registry files, checked and made comparable. */
#ifndef STEELYARD_REGISTRY_INSTANT_H
#define STEELYARD_REGISTRY_INSTANT_H

#include <stdbool.h>
#include <stdint.h>

/* A moment on the scale of UTC. Within a leap second nanoseconds are 10^9 or more and seconds are those before it. */
typedef struct sy_instant {
    int64_t seconds; /* since 1970-01-01T00:00:00Z, leap seconds not counted */
    uint32_t nanoseconds;
} sy_instant;

/* Reads YYYY-MM-DDThh:mm[:ss[.fraction]] with Z, +hh, +hhmm or +hh:mm behind it (ISO 8601-1:2019, 5.4), the whole text.
 * Digits behind the ninth of a fraction are dropped. False: *ret_why says what is wrong with it, as the end of a
 * sentence that begins with the text. */
bool sy_instant_read(const char *text, sy_instant *ret_instant, const char **ret_why);
/* < 0, 0 or > 0: a is before, at or after b. */
int sy_instant_compare(const sy_instant *a, const sy_instant *b);
/* Whether text is YYYY-MM-DD and such a day exists; else *ret_why as above. */
bool sy_date_read(const char *text, const char **ret_why);

#endif
