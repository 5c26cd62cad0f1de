/* SPDX-License-Identifier: Apache-2.0 */
/* What a gate and a configuration are held against. */
#ifndef STEELYARD_REGISTRY_GATE_RULES_H
#define STEELYARD_REGISTRY_GATE_RULES_H

#include "registry/gates/gate_protocol.h"
#include "registry/gates/gates.h"

/* A set of fields that gates inherit. */
typedef struct sy_configuration {
    const sy_json_value *value;   /* an object */
    const sy_json_value **fields; /* by the protocol's index; NULL where it has no such member */
    bool *is_missing_told;        /* the same: that neither it nor a gate that uses it has that field */
} sy_configuration;

/* A gate while it is read: its members by field, and what it inherits. */
typedef struct sy_gate_reading {
    sy_gates_part *part;
    const sy_gate_protocol *protocol;
    const sy_json_value **own;       /* field_count places */
    sy_configuration *configuration; /* NULL: none that could be read */
} sy_gate_reading;

/* The field, own or inherited; NULL: neither. */
const sy_json_value *sy_gate_reading_field(const sy_gate_reading *reading, size_t field);

/* The fields of a configuration by themselves. */
void sy_configuration_check(const sy_gates_part *part, const sy_configuration *configuration);
/* Fills the gate from its fields and holds each against its rules. satisfied_by has places for all that stand there. */
void sy_gate_check(sy_gate_reading *reading, sy_gate *gate);

#endif
