/* SPDX-License-Identifier: Apache-2.0 */
/* What it takes to measure a gate, as plain data: everything that gate, configuration, runbook, cell and platform say
 * of it. Nothing here looks at a machine or runs anything. */
#ifndef STEELYARD_REGISTRY_GATE_PLAN_H
#define STEELYARD_REGISTRY_GATE_PLAN_H

#include "registry/gates/gates.h"
#include "registry/matrix/settings.h"

/* What a runbook asks of a machine in a way that a machine can answer. */
#define SY_GATE_CHECK_LIST(X)                                                                                        \
    X(FREE_MEMORY, "free-memory") /* at_least: a size that may be taken without swapping */                          \
    X(LOAD, "load")               /* at_most: the load average of the last minute */                                 \
    X(GOVERNOR, "governor")       /* is: the clock governor of every processor */                                    \
    X(CLOCK, "clock")             /* at_least: share of its highest clock that every processor may run at, (0, 1] */ \
    X(HARDWARE, "hardware")       /* the device is a physical one, no software that plays it */                      \
    X(FILE, "file")               /* path, from the root: is there; sha256: and has that digest */                   \
    X(COMMAND, "command")         /* argv: ends with 0 */

typedef enum sy_gate_check_kind {
#define SY_GATE_CHECK_ENUM(name, word) SY_GATE_CHECK_##name,
    SY_GATE_CHECK_LIST(SY_GATE_CHECK_ENUM)
#undef SY_GATE_CHECK_ENUM
} sy_gate_check_kind;

const char *sy_gate_check_word(sy_gate_check_kind kind);

/* One element of a runbook's list "checks". */
typedef struct sy_gate_check {
    sy_gate_check_kind kind;
    uint64_t bytes;          /* free-memory */
    double number;           /* load, clock */
    const char *text;        /* governor: the word; file: the path; else "" */
    const char *sha256;      /* file: 64 digits, "" = any content */
    const char *const *argv; /* command: {fields} filled, NULL behind the last; else NULL */
    size_t argc;
    bool required; /* unless it says "required": false */
} sy_gate_check;

/* Texts are "" where nothing is said, unless NULL is named. */
typedef struct sy_gate_plan {
    const char *id;
    sy_gate_state state;
    const char *module;
    const char *operation;
    const char *platform; /* as the gate says; backend is the matrix's name of it */
    const char *computer;
    const char *computer_id; /* of a known computer, whichever way the gate names it; else as it says */
    const char *next_gate;
    const char *cell;   /* "capability::backend"; "" = it belongs to none */
    bool cell_is_known; /* the matrix has that cell */
    bool cell_is_scheduled;
    bool cell_owes_signoff; /* a claim about it is signed off before it is made */
    const char *capability;
    const char *backend;
    const char *runbook;
    const char *title;
    const char *owner;
    const char *tier; /* as the matrix names tiers: "scheduled-profile" */
    bool is_performance;
    const char *command;          /* {fields} filled, one line; NULL = none could be read */
    const char *smoke;            /* the same; NULL = none */
    const char *unfilled;         /* the first {field} of either that the gate has no value for; "" = all are filled */
    const char *question;         /* of the runbook, fields filled: what a run asks unless it says another */
    const char *const *preflight; /* free texts, for people */
    size_t preflight_count;
    const sy_gate_check *checks;
    size_t check_count;
    bool checks_are_whole; /* false: one of them could not be read, and the rest does not stand for all */
    const char *const *required_environment; /* names of variables */
    size_t required_environment_count;
    const char *const *required_artifacts;
    size_t required_artifact_count;
    const char *promotion_boundary;
    const char *wall_clock;    /* the series that holds the application's wall clock to its first usable product */
    const char *protocol;      /* of the matrix: "steelyard-profile/v1" */
    bool platform_is_declared; /* matrix or steelyard.json know the platform */
    const char *runner;        /* of the platform */
    bool runner_is_declared;   /* steelyard.json says how ready it is */
    sy_readiness ready[SY_READINESS_COUNT];
    bool has_minimum_memory; /* the platform's, as steelyard.json types it */
    sy_memory_figure minimum_memory;
    const char *minimum_memory_words; /* as the matrix says it */
    const sy_named_text *fields; /* of the gate and its configuration, each name once, as texts; null: value NULL */
    size_t field_count;
    const sy_named_text *inputs; /* fixtures that the gate names by fixture_id, fixture_sha256 (NULL = not said), and
                                    files that checks give a digest for */
    size_t input_count;
    const char *const *key_fields; /* of the comparison key, in the matrix's order */
    size_t key_field_count;
} sy_gate_plan;

/* The plan of one gate. registry: opened with SY_REGISTRY_GATES at least; without SY_REGISTRY_MATRIX the matrix is read
 * aside. Texts live in the arena or in the registry: use it while both live. SY_NOT_FOUND: no such gate, the hint has
 * near ones. SY_CORRUPT: its runbook could not be read. SY_NO_MEMORY. */
sy_status sy_gate_plan_read(sy_registry *registry, const char *id, sy_arena *arena, sy_gate_plan *ret_plan,
                            sy_error *err) SY_NODISCARD;
/* Ids of the gates that belong to a cell, in the order of the file. Texts live in the registry. SY_NO_MEMORY. */
sy_status sy_gates_of_cell(const sy_registry *registry, const char *cell, sy_arena *arena, const char *const **ret_ids,
                           size_t *ret_count, sy_error *err) SY_NODISCARD;
/* The most that a figure for the platform's minimum-memory gate may be, as steelyard.json or the matrix's words say; 0:
 * it has no such gate, or nobody says it as a number. */
uint64_t sy_gate_plan_memory_bytes(const sy_gate_plan *plan);
bool sy_gate_plan_owes_memory(const sy_gate_plan *plan); /* the platform has such a gate */
/* The value of a field; NULL: it is not there, or null. */
const char *sy_gate_plan_field(const sy_gate_plan *plan, const char *name);

/* Reads the list "checks" of a runbook, in the order of the file; command words keep their {fields}. What is wrong is a
 * finding, and the check is left out; *ret_whole is then false. False: no memory. */
bool sy_gate_checks_read(sy_arena *arena, const sy_document *document, const sy_json_value *runbook,
                         const sy_gate_check **ret_checks, size_t *ret_count, bool *ret_whole);

#endif
