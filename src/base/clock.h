/* SPDX-License-Identifier: Apache-2.0 */
/* Time as a thing that is handed in: the machine's monotonic clock, or a scripted one. No code of the library
 * asks the system for the time except through a sy_clock. */
#ifndef STEELYARD_BASE_CLOCK_H
#define STEELYARD_BASE_CLOCK_H

#include <stdint.h>
#include <steelyard/base.h>

typedef struct sy_clock sy_clock;
struct sy_clock {
    uint64_t (*now_ns)(const sy_clock *clock); /* monotonic, from any start */
    int64_t (*utc_s)(const sy_clock *clock);   /* seconds since 1970-01-01T00:00:00Z */
    void (*sleep_ns)(const sy_clock *clock, uint64_t ns);
    void *user;
};

/* CLOCK_MONOTONIC_RAW where the system has it, else CLOCK_MONOTONIC. */
extern const sy_clock sy_clock_system;

/* A manual clock for tests and the fake backend: starts at now_ns, moves only by sy_clock_manual_advance and by its own
 * sleep. */
typedef struct sy_clock_manual {
    sy_clock clock;
    uint64_t now;
    int64_t utc;
} sy_clock_manual;
void sy_clock_manual_start(sy_clock_manual *manual, uint64_t now_ns, int64_t utc_s);
void sy_clock_manual_advance(sy_clock_manual *manual, uint64_t ns);

static inline uint64_t sy_clock_now(const sy_clock *clock)
{
    return clock->now_ns(clock);
}

/* Microseconds since 1970-01-01T00:00:00Z; of a clock that is not the system's, its whole seconds. */
uint64_t sy_clock_utc_us(const sy_clock *clock);

/* "2026-11-29T13:44:19Z" (21 bytes with the terminator). Years 0..9999; SY_INVALID_ARGUMENT outside. */
sy_status sy_time_format_utc(int64_t utc_s, char *to, size_t size, sy_error *err) SY_NODISCARD;
#endif
