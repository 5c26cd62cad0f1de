/* SPDX-License-Identifier: Apache-2.0 */
/* The lease of a device: one campaign owns it on this host, whichever project it belongs to. The kernel's lock says who
 * holds it (a dead holder holds nothing); the file that is locked says who that is, and carries a number that grows
 * with every holder. */
#ifndef STEELYARD_EVIDENCE_LEASE_LEASE_H
#define STEELYARD_EVIDENCE_LEASE_LEASE_H

#include <steelyard/evidence.h>

#include "base/clock.h"

typedef struct sy_lease sy_lease;

typedef struct sy_lease_options {
    const char *folder;   /* NULL = the host's own */
    const char *device;   /* as the run names it: "cpu", "ggml:Vulkan0" */
    const char *run;      /* its id; "" = not known yet */
    const char *project;  /* the project's folder, of which only the digest is told; "" */
    uint64_t above_fence; /* the highest number that the ledger has of this device: the new one is above it */
    uint64_t wait_ns;     /* 0 = one try */
    int64_t hold_s;       /* how long it will take, for people and for `until` */
    const sy_clock *clock;
    bool (*cancelled)(void *user); /* NULL, or asked several times a second while it waits */
    void *user;
} sy_lease_options;

#define SY_LEASE_OPTIONS_INIT                                                    \
    {                                                                            \
        NULL, "cpu", "", "", 0, 0, SY_LEASE_HOLD_S, &sy_clock_system, NULL, NULL \
    }
#define SY_LEASE_HOLD_S 3600

/* Takes it. SY_BUSY names the holder's run, process and since when; SY_INTERRUPTED: cancelled said so; SY_REFUSED: the
 * folder or file is not what it should be (a link, somebody's trap); SY_INVALID_ARGUMENT, SY_IO, SY_NO_MEMORY. */
sy_status sy_lease_take(const sy_lease_options *options, sy_lease **ret_lease, sy_error *err) SY_NODISCARD;
/* What the event `lease` says of it; texts live as long as the lease. */
sy_run_lease sy_lease_event(const sy_lease *lease);
/* Whether it has been ours without a break since it was taken: the same file still stands there, with our number. */
bool sy_lease_is_held(const sy_lease *lease);
/* Says that it will take until then. SY_REFUSED: it is not held any more; SY_IO, SY_NO_MEMORY. */
sy_status sy_lease_extend(sy_lease *lease, int64_t until_utc_s, sy_error *err) SY_NODISCARD;
void sy_lease_release(sy_lease *lease); /* NULL is allowed */

#endif
