/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps, for each fixture id and each digest, where it was said first. */
#include "registry/gates/fixtures.h"

#include <string.h>

typedef struct fixture_entry {
    const char *id;
    const char *digest;
    const char *source_identity;    /* of a declared one: the digest of what it was made from; NULL: not said */
    const sy_document *declared_in; /* NULL: it is only used */
    const sy_document *document;
    const sy_json_value *at;
} fixture_entry;

struct sy_fixtures {
    sy_arena *arena;
    sy_id_table *by_id;
    sy_id_table *by_digest;
    sy_id_table *told;            /* "id digest" that were told to differ */
    const sy_document *declaring; /* the last index whose declarations were read whole; NULL: none */
};

sy_fixtures *sy_fixtures_create(sy_arena *arena)
{
    sy_fixtures *fixtures = sy_arena_allocate(arena, 1, sizeof *fixtures);
    if (fixtures == NULL) {
        return NULL;
    }
    *fixtures = (sy_fixtures){arena, sy_id_table_create(arena, 16), sy_id_table_create(arena, 16),
                              sy_id_table_create(arena, 16), NULL};
    bool whole = fixtures->by_id != NULL && fixtures->by_digest != NULL && fixtures->told != NULL;
    return whole ? fixtures : NULL;
}

/* Whether this pair was not told yet; *ret_failed: no memory. */
static bool is_news(sy_fixtures *fixtures, const char *id, const char *digest, bool *ret_failed)
{
    const char *pair = sy_arena_format(fixtures->arena, "%s %s", digest, id);
    void *earlier = NULL;
    if (pair == NULL || !sy_id_table_put(fixtures->told, pair, fixtures, &earlier)) {
        *ret_failed = true;
        return false;
    }
    return earlier == NULL;
}

static void tell_digest(const fixture_entry *known, const fixture_entry *now)
{
    sy_text where = SY_TEXT_INIT;
    sy_json_pointer(known->at, &where);
    bool is_source = known->source_identity != NULL && strcmp(known->source_identity, now->digest) == 0;
    sy_complain(now->document, now->at, SY_RULE_FIXTURE_DIGEST,
                "the fixture '%s' has another digest here than in %s at %s, where it is %s%s", now->id,
                known->document->path, sy_text_bytes(&where), known->digest,
                is_source ? "; the one here is what that place gives for its source's identity" : "");
    sy_text_finish(&where);
}

static void tell_id(const fixture_entry *known, const fixture_entry *now)
{
    sy_text where = SY_TEXT_INIT;
    sy_json_pointer(known->at, &where);
    bool are_declared = known->declared_in != NULL && known->declared_in == now->declared_in;
    (are_declared ? sy_remark : sy_complain)(now->document, now->at,
                                             are_declared ? SY_RULE_FIXTURE_ALIAS : SY_RULE_FIXTURE_ID,
                                             "the fixture '%s' has the digest that '%s' has in %s at %s", now->id,
                                             known->id, known->document->path, sy_text_bytes(&where));
    sy_text_finish(&where);
}

/* Adds what is said of a fixture, or tells how it differs from what was said before. */
static bool add(sy_fixtures *fixtures, const fixture_entry *now)
{
    fixture_entry *known = sy_id_table_get(fixtures->by_id, now->id);
    bool failed = false;
    if (known != NULL) {
        if (strcmp(known->digest, now->digest) != 0 && is_news(fixtures, now->id, now->digest, &failed)) {
            tell_digest(known, now);
        }
        return !failed;
    }
    fixture_entry *kept = sy_arena_allocate(fixtures->arena, 1, sizeof *kept);
    if (kept == NULL) {
        return false;
    }
    *kept = *now;
    void *other = NULL, *earlier = NULL;
    if (!sy_id_table_put(fixtures->by_id, kept->id, kept, &earlier) ||
        !sy_id_table_put(fixtures->by_digest, kept->digest, kept, &other)) {
        return false;
    }
    if (other != NULL) {
        tell_id(other, now);
    }
    return true;
}

static const char *text_of(const sy_json_value *value)
{
    return value != NULL && value->kind == SY_JSON_TEXT && !sy_is_blank(value->text) ? value->text : NULL;
}

bool sy_fixtures_use(sy_fixtures *fixtures, const sy_document *document, const sy_json_value *id,
                     const sy_json_value *digest)
{
    const fixture_entry *declared = sy_id_table_get(fixtures->by_id, text_of(id));
    if (fixtures->declaring == document && text_of(id) != NULL && (declared == NULL || declared->declared_in == NULL)) {
        bool failed = false;
        if (is_news(fixtures, id->text, "undeclared", &failed)) {
            sy_complain(document, id, SY_RULE_FIXTURE_UNDECLARED, "the index declares no fixture of that id");
        }
        return !failed;
    }
    if (text_of(id) == NULL || text_of(digest) == NULL || !sy_is_hex(digest->text, 64)) {
        return true;
    }
    return add(fixtures, &(fixture_entry){id->text, digest->text, NULL, NULL, document, digest});
}

bool sy_fixtures_declare(sy_fixtures *fixtures, const sy_document *index)
{
    const sy_json_value *list = sy_look(index, sy_json_root(index->json), "fixtures", SY_JSON_ARRAY);
    fixtures->declaring = list != NULL && !sy_json_is_cut(index->json, list) ? index : NULL;
    for (const sy_json_value *item = list != NULL ? list->first : NULL; item != NULL; item = item->next) {
        if (!sy_look_kind(index, item, "a fixture", SY_JSON_OBJECT)) {
            continue;
        }
        const char *id = sy_look_text(index, item, "id");
        const char *digest = sy_look_text(index, item, "sha256");
        if (digest != NULL && !sy_is_hex(digest, 64)) {
            sy_complain(index, sy_json_member(item, "sha256"), SY_RULE_DIGEST_FORM,
                        "a fixture's digest must be 64 lower-case hexadecimal digits");
        } else if (id != NULL && digest != NULL) {
            const fixture_entry *known = sy_id_table_get(fixtures->by_id, id);
            if (known != NULL && known->declared_in == index) {
                sy_complain(index, sy_json_member(item, "id"), SY_RULE_FIXTURE_ID, "this fixture is declared twice");
            }
            const sy_json_value *identity = sy_json_member(item, "source_identity_sha256");
            const char *source = text_of(identity);
            if (identity != NULL && identity->kind != SY_JSON_NULL && !sy_is_hex(source, 64)) {
                sy_complain(index, identity, SY_RULE_DIGEST_FORM,
                            "'source_identity_sha256' must be 64 lower-case hexadecimal digits or null");
            }
            if (!add(fixtures, &(fixture_entry){id, digest, source, index, index, sy_json_member(item, "sha256")})) {
                return false;
            }
        }
    }
    return true;
}
