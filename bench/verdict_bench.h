/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of verdict_bench. */
#ifndef STEELYARD_BENCH_VERDICT_BENCH_H
#define STEELYARD_BENCH_VERDICT_BENCH_H

#include <stddef.h>
#include <stdint.h>

/* Keys that are judged, and accepted sessions of each. */
enum { VERDICT_BENCH_KEYS = 10000, VERDICT_BENCH_SESSIONS = 20 };

/* Processor time in seconds of judging a session of each key from its figures; *ret_metrics: how many in all. */
double verdict_bench_sessions(uint64_t seed, size_t *ret_metrics);

#endif
