/* SPDX-License-Identifier: Apache-2.0 */
/* How long the next run takes: the script's lists and laws, the machine's shared drift, and what one implementation
 * leaves behind for the next. No allocation and no search in a run. */
#ifndef STEELYARD_BACKENDS_FAKE_TIME_H
#define STEELYARD_BACKENDS_FAKE_TIME_H

#include "backends/fake/fake_script.h"
#include "base/random.h"

typedef struct sy_fake_time sy_fake_time;

/* What happens in a run instead of its work. */
typedef enum sy_fake_event { SY_FAKE_EVENT_NONE, SY_FAKE_EVENT_CRASH, SY_FAKE_EVENT_HANG } sy_fake_event;

typedef struct sy_fake_run {
    uint64_t duration_ns;
    uint64_t cell_run; /* from 1: number of this implementation's run on this case */
    bool switched;     /* away, involuntarily */
    sy_fake_event event;
    bool may_fail; /* the script's faults have begun */
} sy_fake_run;

/* script is borrowed. SY_NO_MEMORY. */
sy_status sy_fake_time_create(const sy_fake_script *script, sy_fake_time **ret_time, sy_error *err) SY_NODISCARD;
void sy_fake_time_destroy(sy_fake_time *time); /* NULL is allowed */
/* The runs that follow are those of the process-th fresh process of a probe, from 0: its factors, and random numbers of
 * its own. Without effect where that is what they are. */
void sy_fake_time_enter(sy_fake_time *time, uint32_t process);
/* The next run of an implementation on a case. SY_LIMIT_EXCEEDED: its list of times has ended and says so. */
sy_status sy_fake_time_next(sy_fake_time *time, uint32_t variant, uint32_t case_index, sy_fake_run *ret_run,
                            sy_error *err) SY_NODISCARD;
/* The factor of a drift at a run. */
double sy_fake_drift_factor(const sy_fake_drift *drift, uint64_t run);
/* Runs so far: of one implementation, or of all. */
uint64_t sy_fake_time_runs_of(const sy_fake_time *time, uint32_t variant);
uint64_t sy_fake_time_runs(const sy_fake_time *time);

#endif
