/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of the coverage document's tables, as a protocol description names them, and their cells. */
#ifndef STEELYARD_REGISTRY_COVERAGE_COLUMNS_H
#define STEELYARD_REGISTRY_COVERAGE_COLUMNS_H

#include "base/text.h"
#include "registry/gates/gate_protocol.h"
#include "registry/gates/gates.h"

/* How a cell shows its fields. */
#define SY_COLUMN_KINDS(X)                                                          \
    X(TEXT, "text")             /* the first of them that is given and not empty */ \
    X(CODE, "code")             /* the same between backquotes */                   \
    X(STATE, "state")           /* as people see a state */                         \
    X(SHAPE, "shape")           /* two numbers: "512 × 512" */                     \
    X(SECONDS, "seconds")       /* "0.425533 s"; below 0.1 s "5.599 ms" */          \
    X(BYTES, "bytes")           /* "18.000 GiB", "0 B" */                           \
    X(PARITY, "parity")         /* what the text is called */                       \
    X(REVISION, "revision")     /* its first eight digits */                        \
    X(DIMENSIONS, "dimensions") /* of all dimensions those that are given, by name */

typedef enum sy_column_kind {
#define SY_COLUMN_ENUM(name, word) SY_COLUMN_##name,
    SY_COLUMN_KINDS(SY_COLUMN_ENUM)
#undef SY_COLUMN_ENUM
        SY_COLUMN_KIND_COUNT
} sy_column_kind;

typedef struct sy_column {
    const char *title;
    sy_column_kind kind;
    const char *fields[2];
    size_t indices[2]; /* of the protocol's fields; SIZE_MAX: no gate has it */
    size_t field_count;
} sy_column;

typedef struct sy_columns {
    sy_column *columns;
    size_t count;
} sy_columns;

/* Reads the list `name` of a description's member "coverage". What is wrong is a finding. False: no memory. */
bool sy_columns_read(sy_arena *arena, const sy_gate_protocol *protocol, const char *name, sy_columns *ret_columns);
void sy_columns_append_head(sy_text *to, const sy_columns *columns);
/* A row of the table. own: scratch of field_count places. */
void sy_columns_append_gate(sy_text *to, const sy_columns *columns, const sy_gate_protocol *protocol,
                            const sy_gate *gate, const sy_json_value **own);
void sy_columns_append_measurement(sy_text *to, const sy_columns *columns, const sy_gate_protocol *protocol,
                                   const sy_measurement *measurement);

/* A text within a cell: '|' escaped, line feeds as spaces, "n/a" for nothing. */
void sy_cell_append(sy_text *to, const char *text);

#endif
