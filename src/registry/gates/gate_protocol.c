/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what a protocol description says of a benchmark registry, and what the registry adds to it. */
#include "registry/gates/gate_protocol.h"

#include <stdint.h>
#include <string.h>

#include "registry/matrix/protocol.h"
#include "registry/matrix/settings.h"

#define OUR_PROTOCOL "steelyard-profile/v1"

static const char *const common_names[] = {
    [SY_FIELD_ID] = "id",
    [SY_FIELD_MODULE] = "module",
    [SY_FIELD_OPERATION] = "operation",
    [SY_FIELD_PLATFORM] = "platform",
    [SY_FIELD_COMPUTER] = "computer",
    [SY_FIELD_CONFIGURATION] = "configuration",
    [SY_FIELD_STATE] = "state",
    [SY_FIELD_RUNBOOK] = "runbook",
    [SY_FIELD_PRIORITY] = "priority",
    [SY_FIELD_NEXT_GATE] = "next_gate",
    [SY_FIELD_SATISFIED_BY] = "satisfied_by",
    [SY_FIELD_REASON] = "reason",
    [SY_FIELD_CAPABILITY] = "capability",
    [SY_FIELD_PRIMARY_METRICS] = "primary_metrics",
    [SY_FIELD_DELTA] = "delta",
    [SY_FIELD_ALPHA] = "alpha",
};

typedef struct reading {
    sy_registry *registry;
    sy_arena *arena;
    const sy_document *document; /* the registry's */
    sy_gate_protocol *protocol;
    bool failed; /* no memory */
} reading;

static void put(reading *r, sy_id_table *table, const char *id, const void *thing)
{
    void *earlier = NULL;
    r->failed = r->failed || !sy_id_table_put(table, id, (void *)(uintptr_t)thing, &earlier);
}

/* ---- fields ---- */

static size_t count_of(const sy_json_value *array)
{
    return array != NULL ? array->count : 0;
}

static void add_field(reading *r, const char *name, sy_field_kind kind, bool is_required)
{
    sy_gate_protocol *p = r->protocol;
    if (sy_id_table_get(p->field_indices, name) == NULL) {
        p->fields[p->field_count] = (sy_gate_field_name){name, kind, is_required};
        put(r, p->field_indices, name, &p->fields[p->field_count]);
        p->field_count++;
    }
}

static void add_fields(reading *r, const sy_document *document, const sy_json_value *array, sy_field_kind kind,
                       bool are_required)
{
    for (const sy_json_value *name = array != NULL ? array->first : NULL; name != NULL; name = name->next) {
        if (!sy_look_kind(document, name, "a field's name", SY_JSON_TEXT)) {
            continue;
        }
        if (sy_is_blank(name->text)) {
            sy_complain(document, name, SY_RULE_FIELD_BLANK, "a field's name is blank");
            continue;
        }
        add_field(r, name->text, kind, are_required);
    }
}

/* Which fields a gate owes: those that "required" names, all texts and dimensions where it is not there. */
static void mark_required(reading *r, const sy_document *document, const sy_json_value *section)
{
    const sy_json_value *required = sy_look_optional(document, section, "required", SY_JSON_ARRAY);
    if (required == NULL) {
        return;
    }
    sy_gate_protocol *p = r->protocol;
    for (size_t i = SY_FIELD_COMMON_COUNT; i < p->field_count; i++) {
        p->fields[i].is_required = false;
    }
    for (const sy_json_value *name = required->first; name != NULL; name = name->next) {
        size_t field = name->kind == SY_JSON_TEXT ? sy_gate_protocol_field(p, name->text) : SIZE_MAX;
        if (field != SIZE_MAX) {
            p->fields[field].is_required = true;
        } else {
            sy_complain(document, name, SY_RULE_GATE_PROTOCOL,
                        "a required field must be one of the texts or dimensions");
        }
    }
}

static void read_fields(reading *r)
{
    sy_gate_protocol *p = r->protocol;
    const sy_json_value *texts = sy_look_optional(p->document, p->section, "texts", SY_JSON_ARRAY);
    const sy_json_value *dimensions = sy_look_optional(p->document, p->section, "dimensions", SY_JSON_ARRAY);
    const sy_json_value *root = r->document->json != NULL ? sy_json_root(r->document->json) : NULL;
    const sy_json_value *own = sy_look_optional(r->document, root, "dimensions", SY_JSON_ARRAY);
    size_t most = SY_FIELD_COMMON_COUNT + count_of(texts) + count_of(dimensions) + count_of(own);
    p->fields = sy_arena_allocate(r->arena, most, sizeof *p->fields);
    p->field_indices = sy_id_table_create(r->arena, most);
    if (p->fields == NULL || p->field_indices == NULL) {
        r->failed = true;
        return;
    }
    for (size_t i = 0; i < SY_FIELD_COMMON_COUNT; i++) {
        add_field(r, common_names[i], SY_FIELD_IS_COMMON, i < SY_FIELD_REQUIRED_COUNT);
    }
    add_fields(r, p->document, texts, SY_FIELD_IS_TEXT, true);
    add_fields(r, p->document, dimensions, SY_FIELD_IS_DIMENSION, true);
    mark_required(r, p->document, p->section);
    add_fields(r, r->document, own, SY_FIELD_IS_DIMENSION, false);
}

static size_t dimension_of(const reading *r, const sy_json_value *object, const char *name)
{
    const char *field = sy_look_text(r->protocol->document, object, name);
    size_t index = field != NULL ? sy_gate_protocol_field(r->protocol, field) : SIZE_MAX;
    if (field != NULL && (index == SIZE_MAX || r->protocol->fields[index].kind != SY_FIELD_IS_DIMENSION)) {
        sy_complain(r->protocol->document, sy_json_member(object, name), SY_RULE_GATE_PROTOCOL,
                    "'%s' is none of the dimensions", field);
        return SIZE_MAX;
    }
    return index;
}

static void read_quotients(reading *r)
{
    sy_gate_protocol *p = r->protocol;
    const sy_json_value *array = sy_look_optional(p->document, p->section, "quotients", SY_JSON_ARRAY);
    if (count_of(array) == 0) {
        return;
    }
    p->quotients = sy_arena_allocate(r->arena, array->count, sizeof *p->quotients);
    if (p->quotients == NULL) {
        r->failed = true;
        return;
    }
    for (const sy_json_value *item = array->first; item != NULL; item = item->next) {
        if (sy_look_kind(p->document, item, "a quotient", SY_JSON_OBJECT)) {
            sy_quotient read = {dimension_of(r, item, "quotient"), dimension_of(r, item, "dividend"),
                                dimension_of(r, item, "divisor")};
            if (read.quotient != SIZE_MAX && read.dividend != SIZE_MAX && read.divisor != SIZE_MAX) {
                p->quotients[p->quotient_count++] = read;
            }
        }
    }
}

/* ---- words ---- */

/* The texts of an object by their names. Without an object: nothing. */
static void read_words(reading *r, const sy_document *document, const sy_json_value *section, const char *name,
                       sy_id_table *to)
{
    const sy_json_value *object = sy_look_optional(document, section, name, SY_JSON_OBJECT);
    for (const sy_json_value *word = object != NULL ? object->first : NULL; word != NULL; word = word->next) {
        if (!sy_look_kind(document, word, "what a word stands for", SY_JSON_TEXT)) {
            continue;
        }
        if (sy_is_blank(word->text)) {
            sy_complain(document, word, SY_RULE_FIELD_BLANK, "what a word stands for is blank");
        } else {
            put(r, to, word->name, word->text);
        }
    }
}

static void add_computer(reading *r, const char *id, const char *name)
{
    sy_gate_protocol *p = r->protocol;
    if (sy_id_table_get(p->computers, id) != NULL) {
        return;
    }
    sy_computer *computer = sy_arena_allocate(r->arena, 1, sizeof *computer);
    if (computer == NULL) {
        r->failed = true;
        return;
    }
    *computer = (sy_computer){id, name};
    put(r, p->computers, id, computer);
    put(r, p->computers, name, computer);
    p->computer_count++;
}

/* {"id": "name as people see it"}, or names alone. */
static void read_computers(reading *r, const sy_document *document, const sy_json_value *section)
{
    const sy_json_value *value = section != NULL ? sy_json_member(section, "computers") : NULL;
    if (value == NULL) {
        return;
    }
    if (value->kind != SY_JSON_ARRAY && !sy_look_kind(document, value, "'computers'", SY_JSON_OBJECT)) {
        return;
    }
    for (const sy_json_value *computer = value->first; computer != NULL; computer = computer->next) {
        if (!sy_look_kind(document, computer, "a computer's name", SY_JSON_TEXT)) {
            continue;
        }
        if (sy_is_blank(computer->text)) {
            sy_complain(document, computer, SY_RULE_FIELD_BLANK, "a computer's name is blank");
            continue;
        }
        add_computer(r, computer->name != NULL ? computer->name : computer->text, computer->text);
    }
}

/* The authorities of the matrix's platforms are known computers. What is wrong in the matrix is told by its reader. */
static void add_authorities(reading *r)
{
    const char *path = r->registry->settings->matrix_path;
    if (path == NULL || !sy_document_exists(r->registry->set, path)) {
        return;
    }
    const sy_document *matrix = sy_document_json(r->registry->set, path, NULL, NULL);
    if (matrix == NULL || matrix->json == NULL) {
        return;
    }
    const sy_json_value *platforms = sy_json_member(sy_json_root(matrix->json), "platforms");
    for (const sy_json_value *at = platforms != NULL ? platforms->first : NULL; at != NULL; at = at->next) {
        const sy_json_value *authority = sy_json_member(at, "authority");
        if (authority != NULL && authority->kind == SY_JSON_TEXT && !sy_is_blank(authority->text)) {
            add_computer(r, authority->text, authority->text);
        }
    }
}

static void read_aliases(reading *r, const sy_document *document, const sy_json_value *section)
{
    sy_gate_protocol *p = r->protocol;
    const sy_json_value *object = sy_look_optional(document, section, "computer_aliases", SY_JSON_OBJECT);
    for (const sy_json_value *alias = object != NULL ? object->first : NULL; alias != NULL; alias = alias->next) {
        const sy_computer *computer = alias->kind == SY_JSON_TEXT ? sy_id_table_get(p->computers, alias->text) : NULL;
        if (computer != NULL) {
            put(r, p->computer_aliases, alias->name, computer);
        } else {
            sy_complain(document, alias, SY_RULE_GATE_PROTOCOL, "an alias must name one of the computers");
        }
    }
}

/* A module that is one capability stands for it; one that is several does not say which. */
static void read_modules(reading *r, const sy_document *document, const sy_json_value *section)
{
    const sy_json_value *object = sy_look_optional(document, section, "modules", SY_JSON_OBJECT);
    for (const sy_json_value *module = object != NULL ? object->first : NULL; module != NULL; module = module->next) {
        if (!sy_look_kind(document, module, "a module's capabilities", SY_JSON_ARRAY)) {
            continue;
        }
        for (const sy_json_value *capability = module->first; capability != NULL; capability = capability->next) {
            if (sy_look_kind(document, capability, "a capability", SY_JSON_TEXT) && sy_is_blank(capability->text)) {
                sy_complain(document, capability, SY_RULE_FIELD_BLANK, "a capability's name is blank");
            }
        }
        const sy_json_value *only = module->count == 1 ? module->first : NULL;
        put(r, r->protocol->modules, module->name, only != NULL && only->kind == SY_JSON_TEXT ? only->text : "");
    }
}

/* The words that the protocol's matrix has for tiers stand for themselves. */
static void read_matrix_tiers(reading *r)
{
    sy_gate_protocol *p = r->protocol;
    const sy_json_value *root = p->document != NULL ? sy_json_root(p->document->json) : NULL;
    const sy_json_value *own = root != NULL ? sy_json_member(root, "tiers") : NULL;
    for (const sy_json_value *tier = own != NULL ? own->first : NULL; tier != NULL; tier = tier->next) {
        if (tier->kind == SY_JSON_TEXT) {
            put(r, p->tiers, tier->text, tier->text);
        }
    }
}

static void read_words_of(reading *r, const sy_document *document, const sy_json_value *section)
{
    sy_gate_protocol *p = r->protocol;
    read_aliases(r, document, section);
    read_words(r, document, section, "platforms", p->platforms);
    read_words(r, document, section, "platform_aliases", p->platform_aliases);
    read_words(r, document, section, "areas", p->areas);
    read_words(r, document, section, "tiers", p->tiers);
    read_words(r, document, section, "operations", p->operations);
    read_modules(r, document, section);
}

static void read_all_words(reading *r)
{
    sy_gate_protocol *p = r->protocol;
    const sy_json_value *root = r->document->json != NULL ? sy_json_root(r->document->json) : NULL;
    p->performance_evidence = "";
    p->left_to_gates = "";
    if (p->document == NULL) {
        return; /* what the registry adds is not all: nothing is unknown that it does not know */
    }
    read_computers(r, p->document, p->section);
    read_computers(r, r->document, root);
    add_authorities(r);
    read_matrix_tiers(r);
    read_words_of(r, p->document, p->section);
    read_words_of(r, r->document, root);
    const sy_json_value *level = sy_look_optional(p->document, p->section, "performance_evidence", SY_JSON_TEXT);
    p->performance_evidence = level != NULL ? level->text : p->performance_evidence;
    const sy_json_value *left = sy_look_optional(p->document, p->section, "left_to_gates", SY_JSON_TEXT);
    p->left_to_gates = left != NULL ? left->text : p->left_to_gates;
}

/* ---- the whole ---- */

/* The description that the registry names; without one its version is a finding. */
static const sy_protocol *find(reading *r)
{
    const sy_json_value *root = r->document->json != NULL ? sy_json_root(r->document->json) : NULL;
    if (root == NULL || root->kind != SY_JSON_OBJECT) {
        return NULL;
    }
    const char *version = sy_look_text(r->document, root, "protocol_version");
    if (version == NULL) {
        return NULL;
    }
    const sy_protocol *protocol = sy_protocol_find_by_registry(r->registry->settings, version);
    if (protocol == NULL) {
        sy_text known = SY_TEXT_INIT;
        sy_protocol_append_known_registries(r->registry->settings, &known);
        sy_complain(r->document, sy_json_member(root, "protocol_version"), SY_RULE_PROTOCOL_UNKNOWN,
                    "no protocol description knows this version of a benchmark registry; known are %s",
                    sy_text_bytes(&known));
        sy_text_finish(&known);
    }
    return protocol;
}

static bool create_tables(reading *r)
{
    sy_gate_protocol *p = r->protocol;
    sy_id_table **tables[] = {&p->computers, &p->computer_aliases, &p->platforms, &p->platform_aliases, &p->areas,
                              &p->tiers,     &p->modules,          &p->operations};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        *tables[i] = sy_id_table_create(r->arena, 8);
        if (*tables[i] == NULL) {
            return false;
        }
    }
    return true;
}

/* How the coverage document looks: the description's word, else that of the protocol for new projects. */
static void find_coverage(reading *r)
{
    sy_gate_protocol *p = r->protocol;
    p->coverage = sy_look_optional(p->document, p->section, "coverage", SY_JSON_OBJECT);
    p->coverage_document = p->document;
    const sy_protocol *ours = p->coverage == NULL ? sy_protocol_find(r->registry->settings, OUR_PROTOCOL) : NULL;
    if (ours != NULL) {
        p->coverage = sy_json_member(sy_json_member(ours->root, "registry"), "coverage");
        p->coverage_document = ours->document;
    }
}

bool sy_gate_protocol_read(sy_registry *registry, const sy_document *document, const sy_gate_protocol **ret_protocol)
{
    sy_gate_protocol *protocol = sy_arena_allocate(registry->arena, 1, sizeof *protocol);
    reading r = {registry, registry->arena, document, protocol, false};
    if (protocol == NULL || !create_tables(&r)) {
        return false;
    }
    const sy_protocol *description = find(&r);
    if (description != NULL) {
        protocol->document = description->document;
        protocol->section = sy_json_member(description->root, "registry");
    }
    find_coverage(&r);
    read_fields(&r);
    if (r.failed) {
        return false;
    }
    read_quotients(&r);
    read_all_words(&r);
    *ret_protocol = protocol;
    return !r.failed;
}

size_t sy_gate_protocol_field(const sy_gate_protocol *protocol, const char *name)
{
    const sy_gate_field_name *field = sy_id_table_get(protocol->field_indices, name);
    return field != NULL ? (size_t)(field - protocol->fields) : SIZE_MAX;
}

void sy_gate_protocol_sort(const sy_gate_protocol *protocol, const sy_json_value *object, const sy_json_value **to)
{
    memset(to, 0, protocol->field_count * sizeof(const sy_json_value *));
    const sy_json_value *member = object != NULL && object->kind == SY_JSON_OBJECT ? object->first : NULL;
    for (; member != NULL; member = member->next) {
        size_t field = sy_gate_protocol_field(protocol, member->name);
        if (field != SIZE_MAX && to[field] == NULL) {
            to[field] = member;
        }
    }
}

const char *sy_gate_protocol_capability(const sy_gate_protocol *protocol, const char *module, const char *operation)
{
    const char *capability = sy_id_table_get(protocol->operations, operation);
    if (capability == NULL) {
        capability = sy_id_table_get(protocol->modules, module);
    }
    return capability != NULL && *capability != '\0' ? capability : NULL;
}
