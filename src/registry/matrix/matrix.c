/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the profile matrix from its head to its contract; platforms and cells have files of their own. */
#include "registry/matrix/matrix.h"

#include <inttypes.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"

typedef struct matrix_reader {
    sy_registry *registry;
    struct sy_matrix_part *matrix;
    const sy_document *document;
    const sy_json_value *root; /* NULL: nothing could be read */
} matrix_reader;

/* ---- the protocol ---- */

/* How many of the protocol's key fields a key names. */
static size_t shared_fields(const sy_protocol *protocol, const sy_words_list *key)
{
    size_t count = 0;
    for (size_t i = 0; i < protocol->key_fields.count; i++) {
        count += sy_words_list_has(key, protocol->key_fields.words[i]);
    }
    return count;
}

/* The known protocol whose key is the most like the matrix's, if it has more than half of it: what else is wrong can
 * then be told all the same. */
static const sy_protocol *most_alike(const sy_settings *settings, const sy_words_list *key)
{
    const sy_protocol *best = NULL;
    size_t fewest = SIZE_MAX;
    for (size_t i = 0; i < settings->known_protocol_count; i++) {
        const sy_protocol *protocol = &settings->known_protocols[i];
        size_t owed = protocol->key_fields.count, shared = shared_fields(protocol, key);
        size_t strangers = key->count > shared ? key->count - shared : 0;
        size_t differences = owed - shared + strangers;
        if (shared * 2 > owed && differences < fewest) {
            fewest = differences;
            best = protocol;
        }
    }
    return best;
}

static void settle_protocol(const matrix_reader *reader)
{
    struct sy_matrix_part *matrix = reader->matrix;
    const sy_settings *settings = reader->registry->settings;
    const char *version = sy_look_text(reader->document, reader->root, "protocol_version");
    matrix->protocol_version = version;
    matrix->protocol = version != NULL ? sy_protocol_find(settings, version) : NULL;
    if (matrix->protocol != NULL) {
        return;
    }
    matrix->protocol = most_alike(settings, &matrix->comparison_key);
    if (version == NULL) {
        return;
    }
    sy_text known = SY_TEXT_INIT;
    sy_protocol_append_known(settings, &known);
    if (matrix->protocol != NULL) {
        sy_text_append_format(&known, "; the rest is held against '%s'", matrix->protocol->version);
    }
    sy_complain(reader->document, sy_json_member(reader->root, "protocol_version"), SY_RULE_PROTOCOL_UNKNOWN,
                "nothing describes this protocol; files.protocols in " SY_SETTINGS_FILE
                " names a folder of descriptions of your own; known are %s",
                sy_text_bytes(&known));
    sy_text_finish(&known);
}

/* ---- tiers and capabilities ---- */

/* The members of an object as an array. NULL: no memory. */
static const sy_json_value *const *members_of(sy_arena *arena, const sy_json_value *object)
{
    const sy_json_value **members = sy_arena_allocate(arena, object->count, sizeof(const sy_json_value *));
    size_t count = 0;
    for (const sy_json_value *at = object->first; members != NULL && at != NULL; at = at->next) {
        members[count++] = at;
    }
    return members;
}

static bool read_tiers(const matrix_reader *reader)
{
    const sy_json_value *tiers = sy_look(reader->document, reader->root, "tiers", SY_JSON_OBJECT);
    if (tiers == NULL) {
        return true;
    }
    for (const sy_json_value *at = tiers->first; at != NULL; at = at->next) {
        if (sy_look_kind(reader->document, at, "a tier", SY_JSON_OBJECT)) {
            (void)sy_look_text(reader->document, at, "purpose");
            (void)sy_look_optional_text(reader->document, at, "timing_policy");
            (void)sy_look_optional_text(reader->document, at, "cadence");
        }
    }
    const sy_protocol *protocol = reader->matrix->protocol;
    const sy_json_value *const *members = members_of(reader->registry->arena, tiers);
    if (members == NULL || protocol == NULL) {
        return members != NULL;
    }
    sy_names_check check = {.document = reader->document,
                            .container = tiers,
                            .what = "tier",
                            .whose = "the protocol",
                            .missing = SY_RULE_TIER_MISSING,
                            .unknown = SY_RULE_TIER_UNKNOWN,
                            .owed = protocol->tiers.words,
                            .owed_count = protocol->tiers.count,
                            .there = members,
                            .there_count = tiers->count};
    return sy_check_names(reader->registry->arena, &check);
}

static bool check_capability_names(const matrix_reader *reader, const sy_json_value *capabilities)
{
    const sy_parity_matrix *parity = &reader->matrix->parity;
    sy_arena *arena = reader->registry->arena;
    const char **owed = sy_arena_allocate(arena, parity->capability_count, sizeof *owed);
    const sy_json_value *const *members = members_of(arena, capabilities);
    if (owed == NULL || members == NULL || !parity->is_whole) {
        return owed != NULL && members != NULL;
    }
    for (size_t i = 0; i < parity->capability_count; i++) {
        owed[i] = parity->capabilities[i].name;
    }
    sy_names_check check = {.document = reader->document,
                            .container = capabilities,
                            .what = "capability",
                            .whose = "the parity matrix",
                            .missing = SY_RULE_CAPABILITY_MISSING,
                            .unknown = SY_RULE_CAPABILITY_UNKNOWN,
                            .owed = owed,
                            .owed_count = parity->capability_count,
                            .unread = parity->unread_capabilities,
                            .there = members,
                            .there_count = capabilities->count};
    return sy_check_names(arena, &check);
}

static bool read_capability(const matrix_reader *reader, const sy_json_value *at, const char **names)
{
    struct sy_matrix_part *matrix = reader->matrix;
    sy_matrix_capability *capability = &matrix->capabilities[matrix->capability_count];
    void *earlier = NULL;
    *capability = (sy_matrix_capability){.name = at->name, .value = at};
    if (!sy_id_table_put(matrix->capability_ids, at->name, capability, &earlier)) {
        return false;
    }
    if (earlier != NULL) {
        return true; /* a name that stands twice is told of the file */
    }
    names[matrix->capability_count++] = at->name;
    return !sy_look_kind(reader->document, at, "a capability", SY_JSON_OBJECT) ||
           sy_look_words(reader->document, reader->registry->arena, at, "required_metrics", 0,
                         &capability->required_metrics);
}

static bool read_capabilities(const matrix_reader *reader)
{
    struct sy_matrix_part *matrix = reader->matrix;
    sy_arena *arena = reader->registry->arena;
    const sy_json_value *capabilities = sy_look(reader->document, reader->root, "capabilities", SY_JSON_OBJECT);
    size_t count = capabilities != NULL ? capabilities->count : 0;
    const char **names = sy_arena_allocate(arena, count, sizeof *names);
    matrix->capabilities = sy_arena_allocate(arena, count + 1, sizeof *matrix->capabilities);
    matrix->capability_ids = sy_id_table_create(arena, count);
    if (names == NULL || matrix->capabilities == NULL || matrix->capability_ids == NULL) {
        return false;
    }
    matrix->capability_names = names;
    for (const sy_json_value *at = count > 0 ? capabilities->first : NULL; at != NULL; at = at->next) {
        if (!read_capability(reader, at, names)) {
            return false;
        }
    }
    return capabilities == NULL || check_capability_names(reader, capabilities);
}

/* ---- the contract ---- */

static void check_value(const matrix_reader *reader, const sy_json_value *contract, const char *name, const char *owed,
                        const char *why)
{
    const char *value = sy_look_text(reader->document, contract, name);
    if (value != NULL && strcmp(value, owed) != 0) {
        sy_complain(reader->document, sy_json_member(contract, name), SY_RULE_CONTRACT_VALUE, "'%s' must be '%s': %s",
                    name, owed, why);
    }
}

static void read_sessions(const matrix_reader *reader, const sy_json_value *contract)
{
    static const char name[] = "minimum_accepted_sessions_before_hard_threshold";
    const sy_json_value *at = sy_json_member(contract, name);
    const sy_protocol *protocol = reader->matrix->protocol;
    int64_t owed = protocol != NULL ? protocol->minimum_accepted_sessions : 5, sessions = 0;
    if (at == NULL) {
        if (!sy_json_is_cut(reader->document->json, contract)) {
            sy_complain(reader->document, contract, SY_RULE_MINIMUM_SESSIONS,
                        "'%s' is missing, which counts as 0; it must be a whole number of at least %" PRId64, name,
                        owed);
        }
    } else if (sy_look_integer(reader->document, contract, name, &sessions)) {
        reader->matrix->minimum_accepted_sessions = sessions > 0 ? sessions : 0;
        if (sessions < owed) {
            sy_complain(reader->document, at, SY_RULE_MINIMUM_SESSIONS,
                        "timing may block only behind at least %" PRId64 " accepted sessions", owed);
        }
    }
}

static void remark_advised(const matrix_reader *reader)
{
    const sy_words_list *key = &reader->matrix->comparison_key;
    const sy_words_list *advised = &reader->matrix->protocol->advised_key_fields;
    sy_text left_out = SY_TEXT_INIT;
    for (size_t i = 0; i < advised->count; i++) {
        if (!sy_words_list_has(key, advised->words[i])) {
            sy_text_append_format(&left_out, "%s%s", left_out.length > 0 ? ", " : "", advised->words[i]);
        }
    }
    if (left_out.length > 0 && !sy_json_is_cut(reader->document->json, key->value)) {
        sy_remark(reader->document, key->value, SY_RULE_KEY_FIELD_ADVISED,
                  "two runs that differ in one of these count as comparable, for the key leaves it out: %s",
                  sy_text_bytes(&left_out));
    }
    sy_text_finish(&left_out);
}

/* Key fields: all that the protocol owes, none that it does not know, a remark where an advised one is left out. */
static bool check_key(const matrix_reader *reader)
{
    const sy_words_list *key = &reader->matrix->comparison_key;
    const sy_protocol *protocol = reader->matrix->protocol;
    if (key->value == NULL || protocol == NULL) {
        return true;
    }
    remark_advised(reader);
    if (key->value->count == 0) {
        return true; /* told as an empty list */
    }
    sy_names_check check = {.document = reader->document,
                            .container = key->value,
                            .what = "key field",
                            .whose = "the protocol",
                            .missing = SY_RULE_KEY_FIELD_MISSING,
                            .unknown = SY_RULE_KEY_FIELD_UNKNOWN,
                            .owed = protocol->key_fields.words,
                            .owed_count = protocol->key_fields.count,
                            .there = key->values,
                            .there_count = key->count,
                            .allowed = protocol->advised_ids};
    return sy_check_names(reader->registry->arena, &check);
}

/* A list that may say more than the protocol owes, but not less. */
static bool check_owed(const matrix_reader *reader, const sy_words_list *list, const sy_words_list *owed,
                       const char *what, sy_rule_id rule)
{
    if (list->value == NULL || list->value->count == 0) {
        return true;
    }
    sy_names_check check = {.document = reader->document,
                            .container = list->value,
                            .what = what,
                            .whose = "the protocol",
                            .missing = rule,
                            .unknown_is_fine = true,
                            .owed = owed->words,
                            .owed_count = owed->count,
                            .there = list->values,
                            .there_count = list->count};
    return sy_check_names(reader->registry->arena, &check);
}

/* The key comes before the rest: an unknown protocol is guessed from it. */
static bool read_key(const matrix_reader *reader, const sy_json_value **ret_contract)
{
    const sy_json_value *contract = sy_look(reader->document, reader->root, "comparison_contract", SY_JSON_OBJECT);
    *ret_contract = contract;
    return contract == NULL || sy_look_words(reader->document, reader->registry->arena, contract, "comparison_key", 0,
                                             &reader->matrix->comparison_key);
}

static bool read_contract(const matrix_reader *reader, const sy_json_value *contract)
{
    struct sy_matrix_part *matrix = reader->matrix;
    if (contract == NULL) {
        return true;
    }
    check_value(reader, contract, "cross_key_comparison", "forbidden",
                "timings under two keys are two experiments, not a comparison");
    check_value(reader, contract, "parity_failure", "block", "no timing outruns its parity");
    check_value(reader, contract, "default_regression_mode", "report-only",
                "timing alone blocks nothing until its key has a baseline");
    read_sessions(reader, contract);
    return sy_look_words(reader->document, reader->registry->arena, contract, "required_statistics", 0,
                         &matrix->required_statistics) &&
           (matrix->protocol == NULL ||
            check_owed(reader, &matrix->required_statistics, &matrix->protocol->required_statistics, "statistic",
                       SY_RULE_STATISTIC_MISSING)) &&
           check_key(reader);
}

static bool read_run_fields(const matrix_reader *reader)
{
    struct sy_matrix_part *matrix = reader->matrix;
    return sy_look_words(reader->document, reader->registry->arena, reader->root, "required_run_fields", 0,
                         &matrix->required_run_fields) &&
           (matrix->protocol == NULL ||
            check_owed(reader, &matrix->required_run_fields, &matrix->protocol->required_run_fields, "run field",
                       SY_RULE_RUN_FIELD_MISSING));
}

/* ---- the whole ---- */

/* The parity matrix is always the canonical one: another name in the matrix is a fault, not another matrix. */
static bool read_parity(matrix_reader *reader)
{
    const char *canonical = reader->registry->settings->parity_path;
    const char *named = sy_look_text(reader->document, reader->root, "parity_matrix");
    const sy_json_value *at = named != NULL ? sy_json_member(reader->root, "parity_matrix") : NULL;
    bool names_it = named != NULL && strcmp(named, canonical) == 0;
    if (named != NULL && !names_it && !sy_json_is_cut(reader->document->json, at)) {
        sy_complain(reader->document, at, SY_RULE_PARITY_PATH, "the canonical parity matrix is '%s'", canonical);
    }
    return sy_parity_matrix_read(reader->registry, names_it ? reader->matrix->document : NULL, names_it ? at : NULL,
                                 &reader->matrix->parity);
}

static bool read_whole(matrix_reader *reader)
{
    const sy_json_value *contract = NULL;
    if (reader->root != NULL) {
        sy_look_schema_version(reader->document, reader->root);
    }
    if (!read_parity(reader)) {
        return false;
    }
    if (reader->root == NULL) {
        return true;
    }
    if (!read_key(reader, &contract)) {
        return false;
    }
    settle_protocol(reader);
    if (reader->matrix->protocol != NULL) {
        sy_parity_check_contract(&reader->matrix->parity, reader->matrix->protocol);
    }
    if (!read_tiers(reader) || !sy_matrix_read_platforms(reader->registry, reader->matrix, reader->root) ||
        !read_capabilities(reader) || !read_contract(reader, contract) || !read_run_fields(reader) ||
        !sy_matrix_read_cells(reader->registry, reader->matrix, reader->root)) {
        return false;
    }
    sy_matrix_check_runners(reader->registry, reader->matrix);
    return true;
}

sy_status sy_registry_read_matrix(sy_registry *registry, sy_error *err)
{
    const sy_settings *settings = registry->settings;
    struct sy_matrix_part *matrix = sy_arena_allocate(registry->arena, 1, sizeof *matrix);
    if (matrix == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for the matrix");
    }
    matrix->document = sy_document_json(registry->set, settings->matrix_path,
                                        settings->matrix_at != NULL ? settings->document : NULL, settings->matrix_at);
    if (matrix->document == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for the matrix");
    }
    matrix_reader reader = {.registry = registry, .matrix = matrix, .document = matrix->document};
    const sy_json_value *root = matrix->document->json != NULL ? sy_json_root(matrix->document->json) : NULL;
    if (root != NULL && sy_look_kind(matrix->document, root, "the profile matrix", SY_JSON_OBJECT)) {
        reader.root = root;
    }
    registry->matrix = matrix;
    return read_whole(&reader) ? SY_OK : sy_fail(err, SY_NO_MEMORY, "no memory for the matrix");
}
