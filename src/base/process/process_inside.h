/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the process module share. Nobody else includes it. */
#ifndef STEELYARD_BASE_PROCESS_INSIDE_H
#define STEELYARD_BASE_PROCESS_INSIDE_H

#include <sys/types.h>

#include "base/process.h"

struct sy_process {
    pid_t id;
    int handle; /* pidfd, readable when the child has ended; -1 where the kernel has none */
    bool own_group;
    bool suspended;
    bool reaped; /* `report` is final and `id` may be another process's by now */
    sy_process_report report;
};

/* How long to wait in poll before looking at the clock again, in ms; -1: until something happens. handle -1 needs
 * looking at the child, too. */
int sy_process_slice_ms(const sy_clock *clock, uint64_t deadline_ns, int handle);
/* After a poll that nothing ended: a clock of its own time moves on. */
void sy_process_pass_slice(const sy_clock *clock);

#endif
