/* SPDX-License-Identifier: Apache-2.0 */
/* Reads retained measurements and shows imported ones and the registry's own through one set of field names. */
#include "registry/gates/measurements.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define NAME_BYTES 160 /* of a field; a longer one finds nothing */

/* ---- fields of imports ---- */

/* What an index calls the fields of a measurement: the first of these that is there and not null. */
static const struct {
    const char *name;
    const char *raw[4];
} imported_names[] = {
    {"measurement_id", {"id"}},
    {"operation", {"functional_area"}},
    {"p50_seconds", {"wall_p50_seconds"}},
    {"p95_seconds", {"wall_p95_seconds"}},
    {"max_seconds", {"wall_max_seconds"}},
    {"total_device_peak_bytes", {"total_card_peak_bytes"}},
    {"process_tree_peak_bytes",
     {"browser_tree_peak_rss_bytes", "process_peak_rss_bytes", "host_peak_rss_p50_bytes", "process_rss_p50_bytes"}},
    {"tested_date", {"date"}},
};

static const sy_json_value *imported_member(const sy_measurement *measurement, const char *name)
{
    for (size_t i = 0; i < sizeof imported_names / sizeof imported_names[0]; i++) {
        if (strcmp(imported_names[i].name, name) != 0) {
            continue;
        }
        const sy_json_value *found = NULL;
        for (size_t k = 0; k < 4 && imported_names[i].raw[k] != NULL; k++) {
            const sy_json_value *value = sy_json_member(measurement->value, imported_names[i].raw[k]);
            found = found == NULL ? value : found;
            if (value != NULL && value->kind != SY_JSON_NULL) {
                return value;
            }
        }
        return found;
    }
    if (sy_text_begins(name, "output_")) { /* which an index calls working_ */
        char working[NAME_BYTES];
        (void)snprintf(working, sizeof working, "working_%s", name + strlen("output_"));
        const sy_json_value *value = sy_json_member(measurement->value, working);
        if (value != NULL) {
            return value;
        }
    }
    return sy_json_member(measurement->value, name);
}

static sy_measurement_field in_file(const sy_document *document, const sy_json_value *value)
{
    return (sy_measurement_field){value != NULL ? SY_FIELD_IN_FILE : SY_FIELD_ABSENT, document, value, NULL, 0};
}

/* Whether something else than a whole number stands there. */
static bool is_no_integer(const sy_measurement *measurement, const sy_json_value *value)
{
    int64_t number = 0;
    return value != NULL && value->kind != SY_JSON_NULL &&
           !sy_json_is_integer(measurement->document->json, value, &number);
}

/* What was selected of the source: selected_NAMEs is selected_NAME_stop - selected_NAME_start where both are given,
 * else what is called so, else all of source_NAMEs. */
static sy_measurement_field selected(const sy_measurement *measurement, const char *name)
{
    char start_name[NAME_BYTES], stop_name[NAME_BYTES], source_name[NAME_BYTES];
    int stem = (int)(strlen(name) - sy_text_ends(name, "s"));
    (void)snprintf(start_name, sizeof start_name, "%.*s_start", stem, name);
    (void)snprintf(stop_name, sizeof stop_name, "%.*s_stop", stem, name);
    (void)snprintf(source_name, sizeof source_name, "source_%s", name + strlen("selected_"));
    const sy_json_value *start = sy_json_member(measurement->value, start_name);
    const sy_json_value *stop = sy_json_member(measurement->value, stop_name);
    int64_t from = 0, to = 0, length = 0;
    if (start != NULL && stop != NULL && sy_json_is_integer(measurement->document->json, start, &from) &&
        sy_json_is_integer(measurement->document->json, stop, &to) && !__builtin_sub_overflow(to, from, &length)) {
        return (sy_measurement_field){SY_FIELD_AS_WHOLE, measurement->document, stop, NULL, length};
    }
    /* A border that is no number is told in the field's place. */
    const sy_json_value *told = is_no_integer(measurement, start)  ? start
                                : is_no_integer(measurement, stop) ? stop
                                                                   : sy_json_member(measurement->value, name);
    return in_file(measurement->document, told != NULL ? told : sy_json_member(measurement->value, source_name));
}

static const sy_json_value *revision_of(const sy_json_value *artifact)
{
    const sy_json_value *revision = sy_json_member(artifact, "implementation_revision");
    bool is_given = revision != NULL && revision->kind != SY_JSON_NULL;
    return is_given ? revision : sy_json_member(artifact, "observed_head");
}

static sy_measurement_field imported_field(const sy_measurement *measurement, const char *name)
{
    if (strcmp(name, "source_revision") == 0) {
        return in_file(measurement->document, revision_of(measurement->artifact));
    }
    if (sy_text_begins(name, "selected_")) {
        return selected(measurement, name);
    }
    return in_file(measurement->document, imported_member(measurement, name));
}

/* What the reader made of a field; NULL: it has nothing of its own for it. */
static const char *known_text(const sy_measurement *measurement, const char *name)
{
    const struct {
        const char *name;
        const char *text;
    } known[] = {
        {"measurement_id", measurement->id},
        {"module", measurement->module},
        {"platform", measurement->platform},
        {"computer", measurement->computer},
        {"state", sy_gate_state_word(measurement->state)},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(known[i].name, name) == 0) {
            return known[i].text;
        }
    }
    return NULL;
}

sy_measurement_field sy_measurement_get(const sy_measurement *measurement, const char *name)
{
    const sy_json_value *over = sy_json_member(measurement->override, name);
    if (over != NULL) {
        return in_file(measurement->override_source, over);
    }
    if (!measurement->is_imported) {
        return in_file(measurement->document, sy_json_member(measurement->value, name));
    }
    const char *text = known_text(measurement, name);
    if (text != NULL && *text != '\0') {
        return (sy_measurement_field){SY_FIELD_AS_TEXT, measurement->document, imported_member(measurement, name), text,
                                      0};
    }
    return imported_field(measurement, name);
}

const char *sy_measurement_text(const sy_measurement *measurement, const char *name)
{
    sy_measurement_field field = sy_measurement_get(measurement, name);
    if (field.source == SY_FIELD_AS_TEXT) {
        return field.text;
    }
    return field.source == SY_FIELD_IN_FILE && field.value->kind == SY_JSON_TEXT ? field.value->text : NULL;
}

/* ---- parity, as published documents were made ---- */

/* Whether word stands anywhere in text, in letters of either case. */
static bool has_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (; *text != '\0'; text++) {
        size_t i = 0;
        while (i < length && tolower((unsigned char)text[i]) == word[i]) {
            i++;
        }
        if (i == length) {
            return true;
        }
    }
    return false;
}

bool sy_parity_text_is_incomplete(const char *text)
{
    return has_word(text, "not performed") || has_word(text, "incomplete");
}

const char *sy_parity_label(const char *text)
{
    if (text == NULL || *text == '\0') {
        return "Pending";
    }
    if (sy_parity_text_is_incomplete(text)) {
        return "Qualified probes";
    }
    return has_word(text, "failed") || has_word(text, "mismatch") || has_word(text, "violations") ? "Failed" : "Pass";
}

/* ---- reading ---- */

bool sy_measurement_register(sy_gates_part *part, sy_measurement *measurement, const sy_json_value *id_at)
{
    void *earlier = NULL;
    if (!sy_id_table_put(part->measurement_ids, measurement->id, measurement, &earlier)) {
        return false;
    }
    if (earlier != NULL) {
        sy_complain(measurement->document, id_at, SY_RULE_MEASUREMENT_ID_UNIQUE, "another measurement has the id '%s'",
                    measurement->id);
    }
    return true;
}

/* The id once more: "evidence::" and it. What is named there is known, so that gates that name it are not told. */
static const char *id_in_full(const sy_json_value *value)
{
    const sy_json_value *full = sy_json_member(value, "id");
    const char *colons = full != NULL && full->kind == SY_JSON_TEXT ? strstr(full->text, "::") : NULL;
    return colons != NULL && !sy_is_blank(colons + 2) ? colons + 2 : NULL;
}

/* The id in full, which nothing refers to, and which is unique all the same. False: no memory. */
static bool read_full_id(sy_id_table *full_ids, const sy_document *document, const sy_json_value *value)
{
    const char *id = sy_look_text(document, value, "id");
    void *earlier = NULL;
    if (id != NULL && !sy_id_table_put(full_ids, id, (void *)(uintptr_t)value, &earlier)) {
        return false;
    }
    if (earlier != NULL) {
        sy_complain(document, sy_json_member(value, "id"), SY_RULE_MEASUREMENT_ID_UNIQUE,
                    "another measurement has the id '%s'", id);
    }
    return true;
}

static bool read_own(sy_gates_part *part, sy_fixtures *fixtures, sy_id_table *full_ids, const sy_json_value *value)
{
    const sy_document *document = part->document;
    if (!sy_look_kind(document, value, "a measurement", SY_JSON_OBJECT)) {
        return true;
    }
    const char *id = sy_look_text(document, value, "measurement_id");
    id = id != NULL ? id : id_in_full(value);
    if (sy_json_member(value, "id") != NULL && !read_full_id(full_ids, document, value)) {
        return false;
    }
    if (id == NULL) {
        return true;
    }
    sy_measurement *measurement = &part->measurements[part->measurement_count++];
    *measurement = (sy_measurement){.id = id, .document = document, .value = value};
    measurement->module = sy_look_text(document, value, "module");
    measurement->operation = sy_look_text(document, value, "operation");
    measurement->platform = sy_look_text(document, value, "platform");
    measurement->computer = sy_look_text(document, value, "computer");
    const char *state = sy_look_text(document, value, "state");
    measurement->state = sy_gate_state_read(state);
    measurement->parity = sy_parity_word_read(sy_measurement_text(measurement, "parity"));
    if (state != NULL && measurement->state == SY_GATE_STATE_UNKNOWN) {
        sy_complain(document, sy_json_member(value, "state"), SY_RULE_STATE_UNKNOWN, "there is no such state");
    }
    return sy_measurement_register(part, measurement, sy_json_member(value, "measurement_id")) &&
           sy_fixtures_use(fixtures, document, sy_json_member(value, "fixture_id"),
                           sy_json_member(value, "fixture_sha256"));
}

/* Whether an import before this one has its path. */
static bool is_repeated(const sy_json_value *import, const char *path)
{
    for (const sy_json_value *at = import->parent->first; at != import; at = at->next) {
        const sy_json_value *earlier = sy_json_member(at, "path");
        if (earlier != NULL && earlier->kind == SY_JSON_TEXT && strcmp(earlier->text, path) == 0) {
            return true;
        }
    }
    return false;
}

/* The index that an import names; NULL: it could not be read, or was already. */
static const sy_document *open_import(sy_registry *registry, sy_gates_part *part, const sy_json_value *import)
{
    if (!sy_look_kind(part->document, import, "an import", SY_JSON_OBJECT)) {
        return NULL;
    }
    const char *path = sy_look_text(part->document, import, "path");
    if (path == NULL) {
        return NULL;
    }
    if (is_repeated(import, path)) {
        sy_complain(part->document, sy_json_member(import, "path"), SY_RULE_LIST_DOUBLED,
                    "this index is imported above already");
        return NULL;
    }
    sy_document *index = sy_document_json(registry->set, path, part->document, sy_json_member(import, "path"));
    return index != NULL && index->json != NULL ? index : NULL;
}

static const sy_json_value *first_of(const sy_json_value *array)
{
    return array != NULL ? array->first : NULL;
}

static bool is_whole(const sy_document *document, const sy_json_value *array)
{
    return array != NULL && !sy_json_is_cut(document->json, array);
}

bool sy_measurements_read(sy_registry *registry, sy_gates_part *part)
{
    const sy_json_value *root = sy_json_root(part->document->json);
    const sy_json_value *imports = sy_look(part->document, root, "evidence_imports", SY_JSON_ARRAY);
    const sy_json_value *own = sy_look(part->document, root, "additional_measurements", SY_JSON_ARRAY);
    size_t count = own != NULL ? own->count : 0;
    /* Without the protocol's aliases imported rows keep ids that no gate uses. */
    bool knows_ids = part->protocol->document != NULL || first_of(imports) == NULL;
    part->has_measurements = knows_ids && is_whole(part->document, imports) && is_whole(part->document, own);
    for (const sy_json_value *import = first_of(imports); import != NULL; import = import->next) {
        const sy_document *index = open_import(registry, part, import);
        count += index != NULL ? sy_evidence_index_count(index) : 0;
        part->has_measurements = part->has_measurements && index != NULL && sy_evidence_index_is_whole(index);
    }
    sy_fixtures *fixtures = sy_fixtures_create(registry->arena);
    part->measurements = sy_arena_allocate(registry->arena, count, sizeof *part->measurements);
    part->measurement_ids = sy_id_table_create(registry->arena, count);
    sy_id_table *full_ids = sy_id_table_create(registry->arena, own != NULL ? own->count : 0);
    if (fixtures == NULL || full_ids == NULL || part->measurements == NULL || part->measurement_ids == NULL) {
        return false;
    }
    for (const sy_json_value *import = first_of(imports); import != NULL; import = import->next) {
        const sy_document *index = open_import(registry, part, import);
        if (index != NULL && !sy_evidence_index_read(registry, part, fixtures, index, import)) {
            return false;
        }
    }
    for (const sy_json_value *value = first_of(own); value != NULL; value = value->next) {
        if (!read_own(part, fixtures, full_ids, value)) {
            return false;
        }
    }
    for (size_t i = 0; i < part->measurement_count; i++) {
        sy_measurement_check(registry, part, &part->measurements[i]);
    }
    sy_measurements_remark(part);
    return true;
}
