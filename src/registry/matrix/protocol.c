/* SPDX-License-Identifier: Apache-2.0 */
/* Reads protocol descriptions: the ones that the program carries, then those of the project's folder. */
#include "registry/matrix/protocol.h"

#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "registry/matrix/settings.h"
#include "registry/registry.h"

/* Fewer accepted sessions than that cannot carry a blocking decision, whatever a description says. */
enum { SESSIONS_MIN = 5 };

static bool read_lists(sy_arena *arena, sy_protocol *protocol)
{
    const sy_json_value *contract = sy_look_optional(protocol->document, protocol->root, "parity_contract",
                                                     SY_JSON_OBJECT);
    const struct {
        const sy_json_value *object;
        const char *name;
        unsigned flags;
        sy_words_list *list;
    } lists[] = {
        {protocol->root, "tiers", 0, &protocol->tiers},
        {protocol->root, "schedules", 0, &protocol->schedules},
        {protocol->root, "portable_runners", SY_WORDS_OPTIONAL | SY_WORDS_MAY_BE_EMPTY, &protocol->portable_runners},
        {protocol->root, "key_fields", 0, &protocol->key_fields},
        {protocol->root, "advised_key_fields", SY_WORDS_OPTIONAL | SY_WORDS_MAY_BE_EMPTY,
         &protocol->advised_key_fields},
        {protocol->root, "required_statistics", SY_WORDS_MAY_BE_EMPTY, &protocol->required_statistics},
        {protocol->root, "required_run_fields", SY_WORDS_MAY_BE_EMPTY, &protocol->required_run_fields},
        {contract, "texts", SY_WORDS_OPTIONAL | SY_WORDS_MAY_BE_EMPTY, &protocol->contract_texts},
        {contract, "lists", SY_WORDS_OPTIONAL | SY_WORDS_MAY_BE_EMPTY, &protocol->contract_lists},
    };
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        if (!sy_look_words(protocol->document, arena, lists[i].object, lists[i].name, lists[i].flags, lists[i].list)) {
            return false;
        }
    }
    return true;
}

static bool index_advised(sy_arena *arena, sy_protocol *protocol)
{
    const sy_words_list *advised = &protocol->advised_key_fields;
    void *earlier = NULL;
    protocol->advised_ids = sy_id_table_create(arena, advised->count);
    bool kept = protocol->advised_ids != NULL;
    for (size_t i = 0; kept && i < advised->count; i++) {
        void *name = (void *)(uintptr_t)advised->words[i]; /* tables hold things that may change; a name does not */
        kept = sy_id_table_put(protocol->advised_ids, advised->words[i], name, &earlier);
    }
    return kept;
}

/* Of each field a list of texts, the first that can be filled counts. False: no memory. */
static bool read_key_sources(sy_arena *arena, sy_protocol *protocol)
{
    const sy_json_value *sources = sy_look_optional(protocol->document, protocol->root, "key_sources", SY_JSON_OBJECT);
    const sy_json_value *field = sources != NULL ? sources->first : NULL;
    sy_words_list texts;
    for (; field != NULL; field = field->next) {
        if (!sy_look_words(protocol->document, arena, sources, field->name, 0, &texts)) {
            return false;
        }
        if (!sy_words_list_has(&protocol->key_fields, field->name) &&
            !sy_words_list_has(&protocol->advised_key_fields, field->name)) {
            sy_complain_name(protocol->document, field, SY_RULE_KEY_FIELD_UNKNOWN,
                             "the key of this protocol has no field '%s'", field->name);
        }
    }
    protocol->key_sources = sources;
    return true;
}

static void read_sessions(sy_protocol *protocol)
{
    const sy_document *document = protocol->document;
    int64_t sessions = 0;
    if (!sy_look_integer(document, protocol->root, "minimum_accepted_sessions", &sessions)) {
        protocol->minimum_accepted_sessions = SESSIONS_MIN;
        return;
    }
    protocol->minimum_accepted_sessions = sessions < SESSIONS_MIN ? SESSIONS_MIN : sessions;
    if (sessions < SESSIONS_MIN) {
        sy_complain(document, sy_json_member(protocol->root, "minimum_accepted_sessions"), SY_RULE_MINIMUM_SESSIONS,
                    "a protocol asks for at least %d accepted sessions", SESSIONS_MIN);
    }
}

/* False: no memory. A description without a readable version is no protocol: its findings are all there is of it. */
static bool add_description(sy_registry *registry, sy_settings *settings, sy_document *document, bool is_shipped)
{
    const sy_json_value *root = document->json != NULL ? sy_json_root(document->json) : NULL;
    if (root == NULL || !sy_look_kind(document, root, "a protocol description", SY_JSON_OBJECT)) {
        return true;
    }
    sy_look_schema_version(document, root);
    sy_protocol protocol = {.document = document, .root = root, .is_shipped = is_shipped};
    protocol.version = sy_look_text(document, root, "protocol_version");
    if (!read_lists(registry->arena, &protocol) || !index_advised(registry->arena, &protocol) ||
        !read_key_sources(registry->arena, &protocol)) {
        return false;
    }
    read_sessions(&protocol);
    if (protocol.version == NULL) {
        return true;
    }
    const sy_protocol *known = sy_protocol_find(settings, protocol.version);
    if (known != NULL) {
        sy_complain(document, sy_json_member(root, "protocol_version"), SY_RULE_PROTOCOL_DOUBLED,
                    "'%s' is described already %s%s; give this one a version of its own", protocol.version,
                    known->is_shipped ? "by Steelyard" : "in ", known->is_shipped ? "" : known->document->path);
        return true;
    }
    settings->known_protocols[settings->known_protocol_count++] = protocol;
    return true;
}

static bool read_own(sy_registry *registry, sy_settings *settings, const sy_document_entry *entries, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (entries[i].is_folder || !sy_text_ends(entries[i].name, ".json")) {
            continue;
        }
        const char *path = sy_arena_format(registry->arena, "%s/%s", settings->protocols, entries[i].name);
        sy_document *document = path != NULL ? sy_document_json(registry->set, path, NULL, NULL) : NULL;
        if (document == NULL || !add_description(registry, settings, document, false)) {
            return false;
        }
    }
    return true;
}

sy_status sy_registry_read_protocols(sy_registry *registry, sy_settings *settings, sy_error *err)
{
    const sy_document_entry *entries = NULL;
    size_t count = 0;
    if (settings->protocols != NULL && !sy_document_list(registry->set, settings->protocols, &entries, &count)) {
        sy_complain(settings->document, settings->protocols_at, SY_RULE_FILE_MISSING,
                    "there is no folder '%s' below the root", settings->protocols);
    }
    settings->known_protocols = sy_arena_allocate(registry->arena, sy_shipped_protocol_count + count,
                                                  sizeof *settings->known_protocols);
    bool kept = settings->known_protocols != NULL;
    for (size_t i = 0; kept && i < sy_shipped_protocol_count; i++) {
        const sy_shipped_protocol *shipped = &sy_shipped_protocols[i];
        sy_document *document = sy_document_carried(registry->set, shipped->path, shipped->bytes, shipped->size);
        kept = document != NULL && add_description(registry, settings, document, true);
    }
    if (!kept || !read_own(registry, settings, entries, count)) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for protocol descriptions");
    }
    return SY_OK;
}

const sy_protocol *sy_protocol_find(const sy_settings *settings, const char *version)
{
    for (size_t i = 0; i < settings->known_protocol_count; i++) {
        if (strcmp(settings->known_protocols[i].version, version) == 0) {
            return &settings->known_protocols[i];
        }
    }
    return NULL;
}

/* What a benchmark registry says to mean this protocol; NULL: none can. */
static const char *registry_version(const sy_protocol *protocol)
{
    const sy_json_value *at = sy_json_member(sy_json_member(protocol->root, "registry"), "protocol_version");
    return at != NULL && at->kind == SY_JSON_TEXT ? at->text : NULL;
}

const sy_protocol *sy_protocol_find_by_registry(const sy_settings *settings, const char *version)
{
    for (size_t i = 0; i < settings->known_protocol_count; i++) {
        const char *known = registry_version(&settings->known_protocols[i]);
        if (known != NULL && strcmp(known, version) == 0) {
            return &settings->known_protocols[i];
        }
    }
    return NULL;
}

void sy_protocol_append_known(const sy_settings *settings, sy_text *to)
{
    for (size_t i = 0; i < settings->known_protocol_count; i++) {
        sy_text_append_format(to, "%s'%s'", i > 0 ? ", " : "", settings->known_protocols[i].version);
    }
}

void sy_protocol_append_known_registries(const sy_settings *settings, sy_text *to)
{
    const char *before = "";
    for (size_t i = 0; i < settings->known_protocol_count; i++) {
        const char *known = registry_version(&settings->known_protocols[i]);
        if (known != NULL) {
            sy_text_append_format(to, "%s'%s'", before, known);
            before = ", ";
        }
    }
}
