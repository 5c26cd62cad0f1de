/* SPDX-License-Identifier: Apache-2.0 */
/* The beginning of a run of a gate while it is put together. Private to start.c, start_facts.c and start_manifest.c. */
#ifndef STEELYARD_EVIDENCE_START_H
#define STEELYARD_EVIDENCE_START_H

#include "evidence/event_list.h"
#include "evidence/open_project.h"
#include "evidence/preflight/preflight.h"
#include "evidence/run_id.h"
#include "evidence/source/source.h"

typedef struct sy_start {
    sy_project *project;
    const sy_run_start_options *options;
    sy_arena *arena; /* of the result, which it becomes */
    sy_registry *registry;
    sy_gate_plan plan;
    sy_source source;
    sy_identity *identity;
    char id[SY_RUN_ID_SIZE];
    sy_run_begin begin;
    sy_preflight preflight;
    const char *unknown_fields;
    sy_event_list events;
    char manifest_digest[65];
    uint64_t manifest_size;
} sy_start;

/* start_facts.c: the gate's plan, the place, the sources, the checks, the key: all that begin says. Errors as
 * sy_project_start. */
sy_status sy_start_gather(sy_start *start, sy_error *err) SY_NODISCARD;

/* start.c: SY_REFUSED where the smoke of another gate has failed on the device, and nobody says despite. */
sy_status sy_start_refuse_under_block(sy_start *start, sy_error *err) SY_NODISCARD;

/* start_manifest.c: keeps the manifest, a JSON text with all that is known before the work. SY_IO, SY_NO_MEMORY. */
sy_status sy_start_keep_manifest(sy_start *start, sy_error *err) SY_NODISCARD;

#endif
