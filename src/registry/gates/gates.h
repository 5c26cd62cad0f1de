/* SPDX-License-Identifier: Apache-2.0 */
/* What was read of the benchmark registry: gates, runbooks, measurements. Things that could not be read whole are here
 * with what could be; the findings say what is wrong. Everything lives as long as the registry. */
#ifndef STEELYARD_REGISTRY_GATES_H
#define STEELYARD_REGISTRY_GATES_H

#include "registry/registry.h"

typedef enum sy_gate_state {
    SY_GATE_MEASURED,
    SY_GATE_PARTIAL,
    SY_GATE_PENDING,
    SY_GATE_BLOCKED,
    SY_GATE_REFUTED,
    SY_GATE_UNSUPPORTED,
    SY_GATE_SUPERSEDED,
    SY_GATE_STATE_UNKNOWN /* none of these stands there; also how many are known */
} sy_gate_state;

const char *sy_gate_state_word(sy_gate_state state);  /* "measured"; unknown: "" */
const char *sy_gate_state_label(sy_gate_state state); /* as people see it: "✓ Measured"; unknown: "" */
sy_gate_state sy_gate_state_read(const char *word);   /* exact; NULL is unknown */
bool sy_gate_state_is_open(sy_gate_state state);      /* partial, pending or blocked */

/* What is recorded of a measurement's parity, as a machine may use it. Free text counts only where it begins with one
 * of the words; whatever else it says is unknown. */
typedef enum sy_parity_word {
    SY_PARITY_WORD_UNKNOWN,
    SY_PARITY_WORD_PASSED,
    SY_PARITY_WORD_FAILED,
    SY_PARITY_WORD_INCOMPLETE,
    SY_PARITY_WORD_NOT_PERFORMED,
    SY_PARITY_WORD_ABSENT /* null, blank or not there */
} sy_parity_word;

const char *sy_parity_word_text(sy_parity_word word); /* "passed", "not performed", ... */
/* text: NULL = absent. The word must begin it (letters of either case) and end it or be followed by ':', ',' or '.'. */
sy_parity_word sy_parity_word_read(const char *text);

struct sy_gate_check; /* gate_plan.h */

/* A {field} in a runbook's command. */
typedef struct sy_placeholder {
    const char *name;
    bool is_filled; /* some gate that uses the runbook has a value for it */
} sy_placeholder;

typedef struct sy_runbook {
    const char *id;
    const sy_json_value *value; /* in the registry's document */
    const char *title;          /* NULL from here on: it could not be read */
    const char *owner;
    const char *tier; /* as the matrix names tiers: "pr-smoke"; NULL also where the protocol knows no such tier */
    const char *evidence_level;
    const char *command;
    bool is_performance; /* its evidence level is the one that counts as physical performance */
    size_t gate_count;   /* that name it */
    sy_placeholder *placeholders;
    size_t placeholder_count;
    const struct sy_gate_check *checks; /* gate_plan.h; those that could be read */
    size_t check_count;
    bool checks_are_whole; /* false: one could not */
} sy_runbook;

typedef struct sy_measurement {
    const char *id; /* as gates name it */
    const sy_document *document;
    const sy_json_value *value;
    const sy_json_value *override;      /* members that win over value's; NULL: none */
    const sy_json_value *artifact;      /* of an import; NULL: none is known */
    const sy_document *override_source; /* where override stands */
    bool is_imported;
    const char *module; /* as people see it; NULL from here on: it could not be read */
    const char *operation;
    const char *platform;
    const char *computer;
    sy_gate_state state;
    sy_parity_word parity;
    size_t gate_count; /* that name it */
} sy_measurement;

typedef struct sy_gate {
    const sy_json_value *value;
    const sy_json_value *configuration; /* its members count where value has none of that name; NULL: none is known */
    const sy_json_value *const *inherited; /* those members by the protocol's fields; NULL: none is known */
    const char *id;                        /* NULL from here on: it could not be read */
    const char *module;
    const char *operation;
    const char *platform;
    const char *computer;
    const char *next_gate;
    const char *reason;
    const char *capability;        /* of its cell, as the matrix names them; NULL also where the protocol says none */
    const char *backend;           /* the same */
    sy_runbook *runbook;           /* NULL: none is known */
    sy_measurement **satisfied_by; /* those that are known, each once */
    size_t satisfied_count;
    sy_gate_state state;
    int priority;      /* 1..5; 0: it could not be read */
    bool is_duplicate; /* an earlier gate has its id */
} sy_gate;

struct sy_gate_protocol; /* gate_protocol.h */
struct sy_id_table;      /* id_table.h */

typedef struct sy_gates_part {
    sy_document *document; /* its json is NULL: nothing of it could be read */
    const struct sy_gate_protocol *protocol;
    sy_gate *gates; /* in file order */
    size_t gate_count;
    sy_runbook *runbooks; /* in file order */
    size_t runbook_count;
    sy_measurement *measurements; /* imported ones first, in file order */
    size_t measurement_count;
    bool has_configurations;             /* whole: a name that is not among them is unknown */
    bool has_runbooks;                   /* whole: an id that is not among them is unknown */
    bool has_measurements;               /* the same */
    struct sy_id_table *gate_ids;        /* to sy_gate */
    struct sy_id_table *runbook_ids;     /* to sy_runbook */
    struct sy_id_table *measurement_ids; /* to sy_measurement */
} sy_gates_part;

/* The gate of that id (the first of duplicates); NULL: none. */
const sy_gate *sy_gates_find(const sy_gates_part *part, const char *id);
/* The same; SY_NOT_FOUND: none, and the hint names near ids. */
sy_status sy_gate_look_up(const sy_registry *registry, const char *id, const sy_gate **ret_gate,
                          sy_error *err) SY_NODISCARD;
/* The gate's own member of that name, else the configuration's; NULL: neither. */
const sy_json_value *sy_gate_field(const sy_gate *gate, const char *name);

#endif
