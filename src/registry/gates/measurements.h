/* SPDX-License-Identifier: Apache-2.0 */
/* Retained measurements: those that the registry holds itself and those that it imports from an evidence index, each
 * seen through the same field names. */
#ifndef STEELYARD_REGISTRY_MEASUREMENTS_H
#define STEELYARD_REGISTRY_MEASUREMENTS_H

#include "registry/gates/fixtures.h"
#include "registry/gates/gate_protocol.h"
#include "registry/gates/gates.h"

/* What a field of a measurement is: a value in a file, or a text or number that follows from others. */
typedef enum sy_field_source { SY_FIELD_ABSENT, SY_FIELD_IN_FILE, SY_FIELD_AS_TEXT, SY_FIELD_AS_WHOLE } sy_field_source;

typedef struct sy_measurement_field {
    sy_field_source source;
    const sy_document *document; /* where it stands, or where what it follows from does */
    const sy_json_value *value;  /* in a file; NULL else */
    const char *text;
    int64_t whole;
} sy_measurement_field;

/* The field of that name, as the registry's own measurements call it. */
sy_measurement_field sy_measurement_get(const sy_measurement *measurement, const char *name);
/* The text that stands in that field; NULL: none does. */
const char *sy_measurement_text(const sy_measurement *measurement, const char *name);

/* Reads the imports, then the registry's own measurements. What is wrong is a finding. False: no memory. */
bool sy_measurements_read(sy_registry *registry, sy_gates_part *part);
size_t sy_evidence_index_count(const sy_document *index);  /* how many measurements an index holds */
bool sy_evidence_index_is_whole(const sy_document *index); /* whether each can be read: what is not there is unknown */
/* Reads one index, which the registry names at `import`; adds its rows behind the part's. False: no memory. */
bool sy_evidence_index_read(sy_registry *registry, sy_gates_part *part, sy_fixtures *fixtures, const sy_document *index,
                            const sy_json_value *import);
/* A measurement that an index holds is measured if all three times are there and its parity is not marked as
 * incomplete anywhere in its text; that is how the published indexes were written. */
bool sy_parity_text_is_incomplete(const char *text);
/* What the coverage document calls a parity: "Pass", "Failed", "Qualified probes", "Pending". The published documents
 * were made from words anywhere in the text; what machines may use is sy_parity_word. */
const char *sy_parity_label(const char *text);
/* Puts the measurement under its id; one that is taken is a finding. False: no memory. */
bool sy_measurement_register(sy_gates_part *part, sy_measurement *measurement, const sy_json_value *id_at);

/* Holds a measurement against its rules. */
void sy_measurement_check(sy_registry *registry, const sy_gates_part *part, const sy_measurement *measurement);

/* One note a document for its measured rows whose parity no machine can read. */
void sy_measurements_remark(const sy_gates_part *part);

#endif
