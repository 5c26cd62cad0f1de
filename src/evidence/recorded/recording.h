/* SPDX-License-Identifier: Apache-2.0 */
/* A run that records what is probed or measured in this process, as the files of this folder see it. */
#ifndef STEELYARD_EVIDENCE_RECORDING_H
#define STEELYARD_EVIDENCE_RECORDING_H

#include <steelyard/evidence.h>

#include "base/arena.h"
#include "evidence/event_list.h"
#include "evidence/lease/lease.h"
#include "evidence/run_id.h"

struct sy_recording {
    sy_project *project; /* borrowed */
    sy_arena *arena;
    sy_lease *lease;
    char run[SY_RUN_ID_SIZE];
    uint64_t fence;
    const char *device; /* as the ledger's rows name it */
    const char *host;
    sy_device_kind device_kind;
    const char *const *argv; /* clean; NULL = a call of the library */
    size_t argc;
    const char *unknown;  /* fields of the key */
    bool has_begun;       /* the ledger has its begin */
    bool has_ended;       /* and its end */
    sy_event_list events; /* that are to be appended next */
};

/* recording_begin.c: makes the events `begin` and, of a dirty tree, `artifact`, and adds them to recording->events.
 * Errors as sy_recording_begin. */
sy_status sy_recording_describe(sy_recording *recording, sy_run_kind kind, const sy_recording_options *options,
                                sy_error *err) SY_NODISCARD;

/* recording_gate.c: whether what is about to be measured is what the gate is about. */
struct sy_gate_plan;
sy_status sy_recording_check_gate(sy_registry *registry, const struct sy_gate_plan *plan, sy_run_kind kind,
                                  const sy_recording_options *options, sy_error *err) SY_NODISCARD;

/* recording.c: what all kinds of results have in common. */

/* text without what is private; NULL: no memory. NULL gives "". */
const char *sy_recording_clean(const sy_recording *recording, const char *text);
/* The event `command`: this process measured for so long, under the lease as it stands now. Nothing for a call of the
 * library. */
sy_status sy_recording_add_command(sy_recording *recording, uint64_t wall_ns, sy_error *err) SY_NODISCARD;
/* The event `parity` of what a comparison found. */
sy_status sy_recording_add_parity(sy_recording *recording, const char *case_name, const char *implementation,
                                  const sy_parity *parity, sy_error *err) SY_NODISCARD;
/* The event `digest` of "<role>:<case>", if there is one. */
sy_status sy_recording_add_digest(sy_recording *recording, const char *role, const char *case_name, const char *digest,
                                  sy_error *err) SY_NODISCARD;
/* The event `memory` of an implementation; nothing for 0 bytes. */
sy_status sy_recording_add_memory(sy_recording *recording, const char *name, uint64_t bytes, bool calculated,
                                  sy_error *err) SY_NODISCARD;
/* A metric's values in the units that the ledger has: times in seconds. Values are changed in their place. */
void sy_recording_take_units(const sy_metric *metric, double *values, size_t count, sy_run_series *to);
/* record_probe.c, record_measure.c: memory, parity, digests and series of a result. */
sy_status sy_recording_add_probe(sy_recording *recording, const sy_probe_result *result, sy_error *err) SY_NODISCARD;
sy_status sy_recording_add_measure(sy_recording *recording, const sy_measure_result *result,
                                   sy_error *err) SY_NODISCARD;
/* Appends all with the end, and says what proves it. */
sy_status sy_recording_end(sy_recording *recording, sy_run_status run_status, const char *reason,
                           sy_recorded *ret_recorded, sy_error *err) SY_NODISCARD;

#endif
