/* SPDX-License-Identifier: Apache-2.0 */
/* By what a gate has its sessions judged, as the registry says it. */
#ifndef STEELYARD_EVIDENCE_COMPARE_SESSION_RULES_H
#define STEELYARD_EVIDENCE_COMPARE_SESSION_RULES_H

#include "evidence/compare/judge_session.h"
#include "registry/gates/gates.h"

/* The gate's alpha, delta, memory_quantum_bytes and primary_metrics, and the matrix's number of sessions before a
 * threshold is hard; the defaults for what is not said. gate NULL:
 * none, and nothing may block. Texts live as long as registry and arena. SY_NO_MEMORY. */
sy_status sy_session_rules_read(sy_registry *registry, const sy_gate *gate, sy_arena *arena,
                                sy_session_rules *ret_rules, sy_error *err) SY_NODISCARD;

#endif
