/* SPDX-License-Identifier: Apache-2.0 */
/* What has to be so before anything is timed, each looked at and written down: what was found, what was expected, and
 * whether that passes. What cannot be found out has not passed. */
#ifndef STEELYARD_EVIDENCE_PREFLIGHT_H
#define STEELYARD_EVIDENCE_PREFLIGHT_H

#include <steelyard/evidence.h>

#include "base/arena.h"
#include "base/clock.h"
#include "registry/gates/gate_plan.h"

/* The list; begun with the arena set, the rest zero. Texts live in the arena, or as long as what they came from. */
typedef struct sy_preflight {
    sy_arena *arena;
    sy_run_check *checks;
    size_t count;
    size_t capacity;
    bool no_memory;
} sy_preflight;

/* What is looked at. */
typedef struct sy_preflight_subject {
    const sy_gate_plan *plan;
    const sy_run_place *place;
    const char *root;    /* of the project */
    const char *machine; /* "" = this one; else a folder of recorded trees: nothing that only runs can tell */
    const char *leases;  /* folder; NULL = the host's own */
    const sy_clock *clock;
    uint64_t command_deadline_ns; /* for each command that a check asks for; 0 = a minute */
    const sy_run_input *inputs;   /* files that a person names, each for a fixture */
    size_t input_count;
    size_t finding_count; /* that the registry has */
    const sy_run_source *source;
    const char *source_remark;
    const char *const *environment; /* NULL-terminated NAME=VALUE list */
    uint64_t wait_ns;               /* for the device; 0 = one look */
    bool (*cancelled)(void *user);  /* NULL, or asked while it waits */
    void *user;
} sy_preflight_subject;

/* Adds a check; found is formatted. */
void sy_preflight_add(sy_preflight *preflight, const char *name, int passed, bool required, const char *expected,
                      const char *found, ...) SY_PRINTF(6, 7);
/* "preflight: load, hardware": required ones that have not; "" = all have. NULL: no memory. */
const char *sy_preflight_reason(const sy_preflight *preflight);

/* All of it, the device's lease last: what it finds of inputs goes to ret_inputs (name, digest), in the arena.
 * SY_NO_MEMORY. */
sy_status sy_preflight_run(sy_preflight *preflight, const sy_preflight_subject *subject,
                           const sy_named_text **ret_inputs, size_t *ret_input_count, sy_error *err) SY_NODISCARD;

/* preflight_machine.c: one typed check of a runbook that memory, load or clocks answer. */
void sy_preflight_machine(sy_preflight *preflight, const sy_preflight_subject *subject, const sy_gate_check *check);
/* preflight_files.c: fixtures and files; commands. Each counts for *ret_inputs' places: one a name. */
void sy_preflight_file(sy_preflight *preflight, const sy_preflight_subject *subject, const sy_gate_check *check);
void sy_preflight_command(sy_preflight *preflight, const sy_preflight_subject *subject, const sy_gate_check *check);
void sy_preflight_inputs(sy_preflight *preflight, const sy_preflight_subject *subject, sy_named_text *inputs,
                         size_t *ret_count);

#endif
