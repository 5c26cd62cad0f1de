/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the parity matrix: what each capability owes each backend. One fault is told once: a backend that is not listed
 * is told at the list, not at every capability that covers it. */
#include <stdlib.h>
#include <string.h>

#include "registry/matrix/matrix.h"

/* A coverage object and the capability that it stands in; one that could not be read is left out. */
typedef struct covering {
    size_t capability;
    const sy_json_value *coverage;
} covering;

typedef struct parity_reader {
    sy_registry *registry;
    sy_parity_matrix *to;
    sy_words_list listed; /* backends */
    covering *coverings;
    size_t covering_count;
    const char **owed; /* backends that each capability owes a word on */
    size_t owed_count;
} parity_reader;

/* ---- the contract ---- */

static bool read_contract(parity_reader *reader, const sy_json_value *root)
{
    const sy_document *document = reader->to->document;
    const sy_json_value *contract = sy_look(document, root, "contract", SY_JSON_OBJECT);
    reader->to->contract = contract;
    if (contract == NULL) {
        return true;
    }
    if (contract->count == 0 && !sy_json_is_cut(document->json, contract)) {
        sy_complain(document, contract, SY_RULE_LIST_EMPTY, "'contract' is empty; say what parity holds on");
    }
    for (const sy_json_value *at = contract->first; at != NULL; at = at->next) {
        sy_words_list words;
        if (sy_look_null(document, at)) {
            sy_complain(document, at, SY_RULE_FIELD_TYPE, "'%s' must say something, not null", at->name);
        } else if (at->kind == SY_JSON_TEXT) {
            (void)sy_look_text(document, contract, at->name);
        } else if (at->kind == SY_JSON_ARRAY &&
                   !sy_look_words(document, reader->registry->arena, contract, at->name, 0, &words)) {
            return false;
        }
    }
    return true;
}

static void check_owed(const sy_parity_matrix *parity, const sy_words_list *owed, sy_json_kind kind)
{
    for (size_t i = 0; i < owed->count; i++) {
        const sy_json_value *at = sy_json_member(parity->contract, owed->words[i]);
        if (at != NULL && at->kind != SY_JSON_NULL) {
            (void)sy_look_optional(parity->document, parity->contract, owed->words[i], kind);
        } else if (at == NULL) {
            sy_complain(parity->document, parity->contract, SY_RULE_PARITY_CONTRACT,
                        "'%s' is missing here; the protocol owes it", owed->words[i]);
        }
    }
}

void sy_parity_check_contract(const sy_parity_matrix *parity, const sy_protocol *protocol)
{
    if (parity->contract == NULL || parity->contract->count == 0 ||
        sy_json_is_cut(parity->document->json, parity->contract)) {
        return;
    }
    check_owed(parity, &protocol->contract_texts, SY_JSON_TEXT);
    check_owed(parity, &protocol->contract_lists, SY_JSON_ARRAY);
}

/* ---- capabilities ---- */

/* Keeps one whose id can be read and is new. False: no memory. */
static bool read_capability(parity_reader *reader, const sy_json_value *at)
{
    sy_parity_matrix *to = reader->to;
    const sy_document *document = to->document;
    to->unread_capabilities++; /* until it turns out to be fine */
    if (!sy_look_kind(document, at, "a capability", SY_JSON_OBJECT)) {
        return true;
    }
    const char *id = sy_look_text(document, at, "id");
    const char *parity = sy_look_text(document, at, "parity");
    const sy_json_value *coverage = sy_look(document, at, "coverage", SY_JSON_OBJECT);
    if (id == NULL) {
        return true;
    }
    sy_parity_capability *capability = &to->capabilities[to->capability_count];
    void *earlier = NULL;
    if (!sy_id_table_put(to->capability_ids, id, capability, &earlier)) {
        return false;
    }
    if (earlier != NULL) {
        sy_complain(document, sy_json_member(at, "id"), SY_RULE_PARITY_CAPABILITY_DOUBLED,
                    "an earlier capability has the id '%s' already; each has its own", id);
        return true;
    }
    to->unread_capabilities--;
    *capability = (sy_parity_capability){id, at, parity};
    if (coverage != NULL) {
        reader->coverings[reader->covering_count++] = (covering){to->capability_count, coverage};
    }
    to->capability_count++;
    return true;
}

static bool read_capabilities(parity_reader *reader, const sy_json_value *root)
{
    sy_parity_matrix *to = reader->to;
    sy_arena *arena = reader->registry->arena;
    to->capabilities_at = sy_look(to->document, root, "capabilities", SY_JSON_ARRAY);
    size_t count = to->capabilities_at != NULL ? to->capabilities_at->count : 0;
    to->capabilities = sy_arena_allocate(arena, count, sizeof *to->capabilities);
    to->capability_ids = sy_id_table_create(arena, count);
    reader->coverings = sy_arena_allocate(arena, count, sizeof *reader->coverings);
    if (to->capabilities == NULL || to->capability_ids == NULL || reader->coverings == NULL) {
        return false;
    }
    if (to->capabilities_at == NULL) {
        return true;
    }
    if (count == 0 && !sy_json_is_cut(to->document->json, to->capabilities_at)) {
        sy_complain(to->document, to->capabilities_at, SY_RULE_LIST_EMPTY,
                    "'capabilities' is empty; it must name at least one");
    }
    for (const sy_json_value *at = to->capabilities_at->first; at != NULL; at = at->next) {
        if (!read_capability(reader, at)) {
            return false;
        }
    }
    return true;
}

/* ---- backends ---- */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* All names that coverages use, sorted, each as often as it is used. NULL: no memory. */
static const char **covered_names(const parity_reader *reader, size_t *ret_count)
{
    size_t count = 0;
    for (size_t i = 0; i < reader->covering_count; i++) {
        count += reader->coverings[i].coverage->count;
    }
    const char **names = sy_arena_allocate(reader->registry->arena, count, sizeof *names);
    if (names == NULL) {
        return NULL;
    }
    count = 0;
    for (size_t i = 0; i < reader->covering_count; i++) {
        for (const sy_json_value *at = reader->coverings[i].coverage->first; at != NULL; at = at->next) {
            names[count++] = at->name;
        }
    }
    if (count > 1) {
        qsort(names, count, sizeof *names, by_text);
    }
    *ret_count = count;
    return names;
}

/* Puts a backend behind the others unless it is there. False: no memory. */
static bool add_backend(sy_parity_matrix *to, const char **backends, const char *name)
{
    void *earlier = NULL;
    backends[to->backend_count] = name;
    if (!sy_id_table_put(to->backend_ids, name, &backends[to->backend_count], &earlier)) {
        return false;
    }
    to->backend_count += earlier == NULL;
    return true;
}

/* The backends: those that are listed and those that most capabilities cover all the same. What each capability owes a
 * word on are those of them that any capability covers: a listed one that none covers is told at the list. */
static bool settle_backends(parity_reader *reader)
{
    sy_parity_matrix *to = reader->to;
    sy_arena *arena = reader->registry->arena;
    size_t name_count = 0;
    const char **names = covered_names(reader, &name_count);
    const char **backends = sy_arena_allocate(arena, reader->listed.count + name_count + 1, sizeof *backends);
    reader->owed = sy_arena_allocate(arena, reader->listed.count + name_count, sizeof *reader->owed);
    to->backend_ids = sy_id_table_create(arena, reader->listed.count);
    if (names == NULL || backends == NULL || reader->owed == NULL || to->backend_ids == NULL) {
        return false;
    }
    to->backends = backends;
    for (size_t i = 0; i < reader->listed.count; i++) {
        if (!add_backend(to, backends, reader->listed.words[i])) {
            return false;
        }
    }
    for (size_t i = 0, end; i < name_count; i = end) {
        for (end = i + 1; end < name_count && strcmp(names[end], names[i]) == 0;) {
            end++;
        }
        bool by_most = (end - i) * 2 > reader->covering_count;
        bool is_known = sy_id_table_get(to->backend_ids, names[i]) != NULL;
        if (is_known || by_most) {
            reader->owed[reader->owed_count++] = names[i];
            if (!add_backend(to, backends, names[i])) {
                return false;
            }
        }
    }
    return true;
}

static bool check_backends(parity_reader *reader)
{
    const sy_parity_matrix *to = reader->to;
    if (to->backends_at == NULL || to->backends_at->count == 0 || to->capabilities_at == NULL ||
        reader->covering_count == 0 || sy_json_is_cut(to->document->json, to->capabilities_at)) {
        return true;
    }
    sy_names_check check = {.document = to->document,
                            .container = to->backends_at,
                            .what = "backend",
                            .whose = "the capabilities' coverage",
                            .missing = SY_RULE_PARITY_BACKEND_MISSING,
                            .unknown = SY_RULE_PARITY_BACKEND_UNKNOWN,
                            .owed = reader->owed,
                            .owed_count = reader->owed_count,
                            .there = reader->listed.values,
                            .there_count = reader->listed.count};
    return sy_check_names(reader->registry->arena, &check);
}

/* ---- coverage ---- */

static void check_gates(const parity_reader *reader, const sy_words_list *gates)
{
    for (size_t i = 0; i < gates->count; i++) {
        if (!sy_document_stays_below(gates->words[i])) {
            sy_complain(reader->to->document, gates->values[i], SY_RULE_FILE_OUTSIDE,
                        "a gate is a path from the root that stays below it");
        } else if (reader->registry->settings->checks_parity_gates &&
                   !sy_document_exists(reader->registry->set, gates->words[i])) {
            sy_remark(reader->to->document, gates->values[i], SY_RULE_PARITY_GATE_ABSENT,
                      "there is no such file below the root");
        }
    }
}

/* One member of a coverage. False: no memory. */
static bool read_pair(parity_reader *reader, size_t capability, const sy_json_value *at)
{
    sy_parity_matrix *to = reader->to;
    sy_arena *arena = reader->registry->arena;
    sy_parity_pair pair = {.capability = capability, .value = at};
    if (sy_look_kind(to->document, at, "what is owed to a backend", SY_JSON_OBJECT)) {
        sy_words_list gates;
        pair.level = sy_look_text(to->document, at, "level");
        pair.level_at = sy_json_member(at, "level");
        bool may_have_none = pair.level != NULL && strcmp(pair.level, SY_LEVEL_NOT_IMPLEMENTED) == 0;
        if (!sy_look_words(to->document, arena, at, "gates", may_have_none ? SY_WORDS_MAY_BE_EMPTY : 0, &gates)) {
            return false;
        }
        check_gates(reader, &gates);
    }
    const char **backend = sy_id_table_get(to->backend_ids, at->name);
    if (backend == NULL) {
        return true;
    }
    pair.backend = (size_t)(backend - (const char **)(uintptr_t)to->backends);
    pair.id = sy_arena_format(arena, "%s::%s", to->capabilities[capability].name, at->name);
    to->pairs[to->pair_count] = pair;
    void *earlier = NULL;
    if (pair.id == NULL || !sy_id_table_put(to->pair_ids, pair.id, &to->pairs[to->pair_count], &earlier)) {
        return false;
    }
    to->pair_count += earlier == NULL;
    return true;
}

static bool read_coverage(parity_reader *reader, const covering *of)
{
    const sy_json_value *coverage = of->coverage;
    const sy_json_value **there = sy_arena_allocate(reader->registry->arena, coverage->count,
                                                    sizeof(const sy_json_value *));
    if (there == NULL) {
        return false;
    }
    size_t count = 0;
    for (const sy_json_value *at = coverage->first; at != NULL; at = at->next) {
        there[count++] = at;
        if (!read_pair(reader, of->capability, at)) {
            return false;
        }
    }
    sy_names_check check = {.document = reader->to->document,
                            .container = coverage,
                            .what = "backend",
                            .whose = "the list of backends",
                            .missing = SY_RULE_PARITY_COVERAGE_MISSING,
                            .unknown = SY_RULE_PARITY_BACKEND_UNKNOWN,
                            .owed = reader->owed,
                            .owed_count = reader->owed_count,
                            .there = there,
                            .there_count = count};
    return sy_check_names(reader->registry->arena, &check);
}

static bool read_coverages(parity_reader *reader)
{
    sy_parity_matrix *to = reader->to;
    size_t count = 0;
    for (size_t i = 0; i < reader->covering_count; i++) {
        count += reader->coverings[i].coverage->count;
    }
    to->pairs = sy_arena_allocate(reader->registry->arena, count + 1, sizeof *to->pairs);
    to->pair_ids = sy_id_table_create(reader->registry->arena, count);
    if (to->pairs == NULL || to->pair_ids == NULL) {
        return false;
    }
    for (size_t i = 0; i < reader->covering_count; i++) {
        if (!read_coverage(reader, &reader->coverings[i])) {
            return false;
        }
    }
    return true;
}

bool sy_parity_matrix_read(sy_registry *registry, sy_document *named_by, const sy_json_value *named_at,
                           sy_parity_matrix *ret_parity)
{
    sy_parity_matrix parity = {
        .document = sy_document_json(registry->set, registry->settings->parity_path, named_by, named_at)};
    parity_reader reader = {.registry = registry, .to = &parity};
    if (parity.document == NULL) {
        return false;
    }
    const sy_json_value *root = parity.document->json != NULL ? sy_json_root(parity.document->json) : NULL;
    if (root != NULL && !sy_look_kind(parity.document, root, "the parity matrix", SY_JSON_OBJECT)) {
        root = NULL;
    }
    if (root != NULL) {
        sy_look_schema_version(parity.document, root);
        if (!sy_look_words(parity.document, registry->arena, root, "backends", 0, &reader.listed)) {
            return false;
        }
        parity.backends_at = reader.listed.value;
    }
    if ((root != NULL && !read_contract(&reader, root)) || !read_capabilities(&reader, root) ||
        !settle_backends(&reader) || !check_backends(&reader) || !read_coverages(&reader)) {
        return false;
    }
    parity.is_whole = parity.backends_at != NULL && parity.capabilities_at != NULL &&
                      !sy_json_is_cut(parity.document->json, root) && parity.capability_count > 0 &&
                      parity.backend_count > 0;
    parity.owed_backends = reader.owed;
    parity.owed_backend_count = reader.owed_count;
    *ret_parity = parity;
    return true;
}
