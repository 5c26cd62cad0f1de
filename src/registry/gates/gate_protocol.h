/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a benchmark registry that are data: computers, platforms, modules, tiers, the fields of a gate, the
 * columns of the coverage document. They come from the protocol description's member "registry"; the registry itself
 * may add to them: computers, computer_aliases, platforms, platform_aliases, modules, operations, areas, tiers,
 * dimensions. */
#ifndef STEELYARD_REGISTRY_GATE_PROTOCOL_H
#define STEELYARD_REGISTRY_GATE_PROTOCOL_H

#include "registry/files/id_table.h"
#include "registry/registry.h"

/* Fields that every gate has or may have, whatever the protocol; the protocol's texts and dimensions come behind. */
enum {
    SY_FIELD_ID,
    SY_FIELD_MODULE,
    SY_FIELD_OPERATION,
    SY_FIELD_PLATFORM,
    SY_FIELD_COMPUTER,
    SY_FIELD_CONFIGURATION,
    SY_FIELD_STATE,
    SY_FIELD_RUNBOOK,
    SY_FIELD_PRIORITY,
    SY_FIELD_NEXT_GATE,
    SY_FIELD_REQUIRED_COUNT, /* those above must be there */
    SY_FIELD_SATISFIED_BY = SY_FIELD_REQUIRED_COUNT,
    SY_FIELD_REASON,
    SY_FIELD_CAPABILITY,
    SY_FIELD_PRIMARY_METRICS,
    SY_FIELD_DELTA,
    SY_FIELD_ALPHA,
    SY_FIELD_COMMON_COUNT
};

typedef enum sy_field_kind {
    SY_FIELD_IS_COMMON,
    SY_FIELD_IS_TEXT,     /* not blank */
    SY_FIELD_IS_DIMENSION /* a positive whole number or null */
} sy_field_kind;

typedef struct sy_gate_field_name {
    const char *name;
    sy_field_kind kind;
    bool is_required; /* each gate has it, itself or from its configuration */
} sy_gate_field_name;

/* quotient = floor(dividend / divisor), where all three are given; indices of fields. */
typedef struct sy_quotient {
    size_t quotient;
    size_t dividend;
    size_t divisor;
} sy_quotient;

typedef struct sy_computer {
    const char *id;   /* "macbook-pro-m5-24gb" */
    const char *name; /* as people see it; the id where nothing else is said */
} sy_computer;

typedef struct sy_gate_protocol {
    const sy_document *document;          /* the description; NULL: the registry's protocol is not known */
    const sy_json_value *section;         /* its member "registry" */
    const sy_document *coverage_document; /* where the next stands */
    const sy_json_value *coverage;        /* how the coverage document looks; NULL: nobody says */
    sy_gate_field_name *fields;
    size_t field_count;
    sy_id_table *field_indices; /* by name; see sy_gate_protocol_field */
    sy_quotient *quotients;
    size_t quotient_count;
    const char *left_to_gates;        /* what a configuration says where each gate must say it itself; "" = nothing */
    const char *performance_evidence; /* the evidence level that counts as physical performance */
    size_t computer_count;
    sy_id_table *computers;        /* by id and by name, to sy_computer */
    sy_id_table *computer_aliases; /* of imports, to sy_computer */
    sy_id_table *platforms;        /* names, to the matrix's names (char) */
    sy_id_table *platform_aliases; /* of imports, to names (char) */
    sy_id_table *areas;            /* of imports, to modules (char) */
    sy_id_table *tiers;            /* to the matrix's names (char) */
    sy_id_table *modules;          /* to the one capability (char) that a module is, else to "" */
    sy_id_table *operations;       /* to the capability (char) that an operation is */
} sy_gate_protocol;

/* Reads the description that the registry's document names, and what the document adds. What is wrong is a finding.
 * A registry without a known protocol gets an empty one. False: no memory. */
bool sy_gate_protocol_read(sy_registry *registry, const sy_document *document, const sy_gate_protocol **ret_protocol);
/* The index of the field of that name; SIZE_MAX: the protocol has none. */
size_t sy_gate_protocol_field(const sy_gate_protocol *protocol, const char *name);
/* Sorts the members of object by the fields that they are: to[field], NULL where object has no such member. to has
 * field_count places. Members that are no fields are passed over. */
void sy_gate_protocol_sort(const sy_gate_protocol *protocol, const sy_json_value *object, const sy_json_value **to);
/* The capability of a gate of that module and operation; NULL: none is named, or several are. */
const char *sy_gate_protocol_capability(const sy_gate_protocol *protocol, const char *module, const char *operation);

#endif
