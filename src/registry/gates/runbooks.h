/* SPDX-License-Identifier: Apache-2.0 */
/* Runbooks: how the rows of a benchmark registry are measured. Nothing here runs one. */
#ifndef STEELYARD_REGISTRY_RUNBOOKS_H
#define STEELYARD_REGISTRY_RUNBOOKS_H

#include "registry/gates/gate_protocol.h"
#include "registry/gates/gates.h"

/* Reads the member "runbooks" of the part's document. What is wrong is a finding. False: no memory. */
bool sy_runbooks_read(sy_registry *registry, sy_gates_part *part);
/* Counts the gate for its runbook and marks what it can fill of the command. */
void sy_runbook_use(sy_runbook *runbook, const sy_gate *gate);
/* A note for each {field} that no gate could fill. */
void sy_runbooks_remark(const sy_gates_part *part);

/* A command falls into pieces: text as it stands, {name}, and {{name}}, which stands for {name} itself. */
typedef enum sy_piece_kind { SY_PIECE_TEXT, SY_PIECE_FIELD, SY_PIECE_QUOTED } sy_piece_kind;

typedef struct sy_command_piece {
    sy_piece_kind kind;
    const char *text; /* of a field and a quoted one: the name without braces */
    size_t length;
} sy_command_piece;

/* The piece at *at, which it moves behind it; false at the end. */
bool sy_command_next(const char **at, sy_command_piece *ret_piece);
/* Appends the command with each {field} as the gate has it; what it has no value for stays as it stands. */
void sy_command_append_filled(sy_text *to, const char *command, const sy_gate *gate);

#endif
