/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the benchmark registry: its protocol, its runbooks, its measurements, then its gates with what they inherit. */
#include "registry/gates/gates.h"

#include "base/error.h"

#include "registry/gates/gate_coverage.h"
#include "registry/gates/gate_rules.h"
#include "registry/gates/measurements.h"
#include "registry/gates/runbooks.h"
#include "registry/matrix/settings.h"

const sy_gate *sy_gates_find(const sy_gates_part *part, const char *id)
{
    return sy_id_table_get(part->gate_ids, id);
}

const sy_json_value *sy_gate_field(const sy_gate *gate, const char *name)
{
    const sy_json_value *own = sy_json_member(gate->value, name);
    return own != NULL ? own : sy_json_member(gate->configuration, name);
}

/* ---- configurations ---- */

static bool read_configuration(sy_registry *registry, const sy_gates_part *part, const sy_json_value *value,
                               sy_configuration *to)
{
    size_t field_count = part->protocol->field_count;
    to->value = value;
    to->fields = sy_arena_allocate(registry->arena, field_count, sizeof *to->fields);
    to->is_missing_told = sy_arena_allocate(registry->arena, field_count, sizeof *to->is_missing_told);
    if (to->fields == NULL || to->is_missing_told == NULL) {
        return false;
    }
    sy_gate_protocol_sort(part->protocol, value, to->fields);
    if (sy_look_kind(part->document, value, "a configuration", SY_JSON_OBJECT)) {
        sy_configuration_check(part, to);
    } else {
        to->value = NULL; /* told: gates that use it inherit nothing, and nobody says that they lack something */
    }
    return true;
}

/* Names to sy_configuration. NULL: no memory. */
static sy_id_table *read_configurations(sy_registry *registry, sy_gates_part *part)
{
    const sy_json_value *root = sy_json_root(part->document->json);
    const sy_json_value *object = sy_look(part->document, root, "configurations", SY_JSON_OBJECT);
    size_t count = object != NULL ? object->count : 0;
    sy_id_table *table = sy_id_table_create(registry->arena, count);
    sy_configuration *configurations = sy_arena_allocate(registry->arena, count, sizeof *configurations);
    if (table == NULL || configurations == NULL) {
        return NULL;
    }
    part->has_configurations = object != NULL && !sy_json_is_cut(part->document->json, object);
    for (const sy_json_value *value = count > 0 ? object->first : NULL; value != NULL; value = value->next) {
        void *earlier = NULL;
        if (!read_configuration(registry, part, value, configurations) ||
            !sy_id_table_put(table, value->name, configurations++, &earlier)) {
            return NULL;
        }
    }
    return table;
}

/* ---- gates ---- */

/* What the gate inherits; a name that stands for nothing is a finding. */
static sy_configuration *find_configuration(const sy_gate_reading *r, const sy_id_table *configurations)
{
    const sy_json_value *name = r->own[SY_FIELD_CONFIGURATION];
    if (name == NULL || name->kind != SY_JSON_TEXT || sy_is_blank(name->text)) {
        if (name != NULL && sy_look_kind(r->part->document, name, "'configuration'", SY_JSON_TEXT)) {
            sy_complain(r->part->document, name, SY_RULE_FIELD_BLANK, "'configuration' says nothing");
        }
        return NULL;
    }
    sy_configuration *found = sy_id_table_get(configurations, name->text);
    if (found == NULL && r->part->has_configurations) {
        sy_complain(r->part->document, name, SY_RULE_GATE_CONFIGURATION, "there is no configuration of that name");
    }
    return found != NULL && found->value != NULL ? found : NULL;
}

static size_t evidence_count(const sy_gate_reading *r)
{
    const sy_json_value *names = sy_gate_reading_field(r, SY_FIELD_SATISFIED_BY);
    return names != NULL && names->kind == SY_JSON_ARRAY ? names->count : 0;
}

static bool read_gate(sy_registry *registry, sy_gate_reading *r, const sy_id_table *configurations,
                      const sy_json_value *value)
{
    sy_gates_part *part = r->part;
    if (!sy_look_kind(part->document, value, "a gate", SY_JSON_OBJECT)) {
        return true;
    }
    sy_gate *gate = &part->gates[part->gate_count++];
    sy_gate_protocol_sort(r->protocol, value, r->own);
    r->configuration = find_configuration(r, configurations);
    *gate = (sy_gate){.value = value};
    if (r->configuration != NULL) {
        gate->configuration = r->configuration->value;
        gate->inherited = r->configuration->fields;
    }
    size_t named = evidence_count(r);
    if (named > 0) {
        gate->satisfied_by = sy_arena_allocate(registry->arena, named, sizeof(sy_measurement *));
        if (gate->satisfied_by == NULL) {
            return false;
        }
    }
    sy_gate_check(r, gate);
    if (gate->runbook != NULL) {
        sy_runbook_use(gate->runbook, gate);
    }
    if (gate->id == NULL) {
        return true;
    }
    void *earlier = NULL;
    if (!sy_id_table_put(part->gate_ids, gate->id, gate, &earlier)) {
        return false;
    }
    gate->is_duplicate = earlier != NULL;
    if (gate->is_duplicate) {
        sy_complain(part->document, sy_gate_reading_field(r, SY_FIELD_ID), SY_RULE_GATE_ID_UNIQUE,
                    "another gate has this id");
    }
    return true;
}

static bool read_gates(sy_registry *registry, sy_gates_part *part)
{
    const sy_json_value *root = sy_json_root(part->document->json);
    sy_id_table *configurations = read_configurations(registry, part);
    const sy_json_value *gates = sy_look(part->document, root, "gates", SY_JSON_ARRAY);
    size_t count = gates != NULL ? gates->count : 0;
    part->gates = sy_arena_allocate(registry->arena, count, sizeof *part->gates);
    part->gate_ids = sy_id_table_create(registry->arena, count);
    sy_gate_reading reading = {.part = part, .protocol = part->protocol};
    reading.own = sy_arena_allocate(registry->arena, part->protocol->field_count, sizeof *reading.own);
    if (configurations == NULL || part->gates == NULL || part->gate_ids == NULL || reading.own == NULL) {
        return false;
    }
    for (const sy_json_value *value = count > 0 ? gates->first : NULL; value != NULL; value = value->next) {
        if (!read_gate(registry, &reading, configurations, value)) {
            return false;
        }
    }
    return true;
}

/* ---- the whole ---- */

static bool read_document(sy_registry *registry, sy_gates_part *part)
{
    const sy_json_value *root = sy_json_root(part->document->json);
    if (!sy_look_kind(part->document, root, "a benchmark registry", SY_JSON_OBJECT)) {
        return sy_gate_protocol_read(registry, part->document, &part->protocol);
    }
    sy_look_schema_version(part->document, root);
    (void)sy_look_optional(part->document, root, "purpose", SY_JSON_TEXT);
    if (!sy_gate_protocol_read(registry, part->document, &part->protocol) || !sy_runbooks_read(registry, part) ||
        !sy_measurements_read(registry, part) || !read_gates(registry, part)) {
        return false;
    }
    sy_runbooks_remark(part);
    return sy_coverage_check(registry, part);
}

sy_status sy_registry_read_gates(sy_registry *registry, sy_error *err)
{
    const sy_settings *settings = registry->settings;
    sy_gates_part *part = sy_arena_allocate(registry->arena, 1, sizeof *part);
    bool is_read = false;
    if (part != NULL) {
        part->document = sy_document_json(registry->set, settings->gates_path,
                                          settings->gates_at != NULL ? settings->document : NULL, settings->gates_at);
        is_read = part->document != NULL && (part->document->json == NULL || read_document(registry, part));
    }
    if (!is_read) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for the gates");
    }
    registry->gates = part;
    return SY_OK;
}
