/* SPDX-License-Identifier: Apache-2.0 */
/* The comparison key of a run: which fields it has is the matrix's to say, where their values come from is the
 * protocol description's. What nobody knows stays unknown, and equals nothing. */
#ifndef STEELYARD_EVIDENCE_RUN_KEY_H
#define STEELYARD_EVIDENCE_RUN_KEY_H

#include <steelyard/run.h>

#include "base/arena.h"
#include "registry/gates/gate_plan.h"

/* What is known of a run. All is borrowed for the call; zero means not known. */
typedef struct sy_run_key_facts {
    const sy_gate_plan *plan;    /* the gate with its configuration; NULL = no gate */
    const char *protocol;        /* run_protocol; NULL, "" = the matrix's */
    const char *cell;            /* run_cell; NULL, "" = the gate's */
    const sy_identity *identity; /* run_device: what of it is hardware; run_runtime: what of it is software */
    const char *software;        /* run_runtime, too: a digest of the libraries that take part; NULL = none is known */
    const sy_run_source *source; /* run_revision */
    const sy_named_text *known;  /* more facts, by the names that descriptions use: "run_shape" */
    size_t known_count;
    const sy_named_text *given; /* said by a person, by the key's own names; see below */
    size_t given_count;
    bool is_elsewhere; /* the run was not made here: what is given is all that is known of it, and wins */
} sy_run_key_facts;

/* Fills every field that this project's key has, in the matrix's order: what was given, else the first of the field's
 * sources in the protocol description (docs/formats.md, "key_sources") whose {names} are all known, as members of the
 * gate or as facts of the run, else the gate's member of the field's own name. A registry without a readable matrix has
 * the key of steelyard-profile/v1. The keys's texts live in the arena, or as long as registry, plan and facts do.
 * SY_INVALID_ARGUMENT: given names a field that the key does not have (the hint: a near one, else all), or one twice,
 * or says another protocol, cell, device or revision than the run has; SY_NO_MEMORY. */
sy_status sy_run_key_fill(sy_registry *registry, const sy_run_key_facts *facts, sy_arena *arena,
                          sy_comparison_key *ret_key, sy_error *err) SY_NODISCARD;

/* The names of the fields that are unknown, parted by ", "; "" = none is. NULL: no memory. */
const char *sy_run_key_unknown(const sy_comparison_key *key, sy_arena *arena);

#endif
