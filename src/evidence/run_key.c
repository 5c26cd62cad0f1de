/* SPDX-License-Identifier: Apache-2.0 */
/* Fills comparison keys. The names of fields are nobody's words here: they come from the matrix, and what is put into
 * them from the sources that the protocol description lists. Only the facts that every run has are named. */
#include "evidence/run_key.h"

#include <string.h>

#include "base/error.h"
#include "base/near.h"
#include "base/text.h"
#include "record/identity.h"
#include "registry/gates/gate_protocol.h"
#include "registry/gates/runbooks.h"
#include "registry/matrix/matrix.h"

/* The description whose sources stand in for those of one that lists none. */
#define STANDARD "steelyard-profile/v1"

enum { FACTS_MAX = 5 };

typedef struct filling {
    const sy_run_key_facts *facts;
    sy_arena *arena;
    sy_named_text own[FACTS_MAX]; /* the facts that every run has */
    size_t own_count;
    const char *left_to_gates;
    const sy_json_value *sources; /* by the field's name; NULL: none are listed */
    const sy_json_value *standard_sources;
} filling;

static bool is_known(const char *text)
{
    return text != NULL && !sy_is_blank(text) && strcmp(text, SY_IDENTITY_UNKNOWN) != 0;
}

/* ---- facts of the run ---- */

/* What of an identity is software; the rest of its key fields is the machine with its device. */
static bool is_software(const char *name)
{
    static const char *const beginnings[] = {"library.", "env.", "device.driver", "device.runtime"};
    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++) {
        if (sy_text_begins(name, beginnings[i])) {
            return true;
        }
    }
    return false;
}

/* One half of the key fields as an identity of its own. False: no memory. */
static bool take_half(sy_arena *arena, const sy_identity *identity, bool software, sy_identity *ret_half)
{
    sy_identity_field *fields = sy_arena_allocate(arena, identity->field_count + 1, sizeof *fields);
    if (fields == NULL) {
        return false;
    }
    size_t count = 0;
    for (size_t i = 0; i < identity->field_count; i++) {
        const sy_identity_field *field = &identity->fields[i];
        bool is_runtime = software && strcmp(field->name, "os.libc") == 0;
        if (is_runtime || (field->key && is_software(field->name) == software)) {
            fields[count] = *field;
            fields[count++].key = true; /* which library of C it is separates nothing but sessions */
        }
    }
    *ret_half = (sy_identity){fields, count};
    return true;
}

/* "cpu, Intel Xeon, 2 CPUs [16 digits]": readable, and as exact as the digest of every hardware fact. NULL in *ret_text
 * when any of them is unknown. False: no memory. */
static bool describe_device(sy_arena *arena, const sy_identity *identity, const char **ret_text)
{
    sy_identity hardware;
    sy_digest digest;
    char digits[SY_DIGEST_TEXT];
    const char *backend = sy_identity_get(identity, "device.backend");
    const char *description = sy_identity_get(identity, "device.description");
    if (!take_half(arena, identity, false, &hardware)) {
        return false;
    }
    if (!is_known(backend) || !is_known(description) || sy_identity_is_uncertain(&hardware)) {
        return true;
    }
    if (sy_identity_digest(&hardware, &digest, NULL) != SY_OK) {
        return false;
    }
    sy_digest_format(&digest, digits);
    *ret_text = sy_arena_format(arena, "%s, %s [%.16s]", backend, description, digits);
    return *ret_text != NULL;
}

/* Whether the C library and the environment are all the runtime that a device has by itself. */
static bool is_host(const char *backend)
{
    static const char *const hosts[] = {"cpu", "command", "fake"};
    for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++) {
        if (strcmp(backend, hosts[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool has_libraries(const sy_identity *software)
{
    for (size_t i = 0; i < software->field_count; i++) {
        const char *name = software->fields[i].name;
        if (sy_text_begins(name, "library.") || sy_text_begins(name, "device.")) {
            return true;
        }
    }
    return false;
}

/* "library.openblas=OpenBLAS 0.3.21; os.libc=glibc 2.36". It is unknown of a device that nobody described, and of one
 * with a driver of which nothing is known. */
static bool describe_runtime(sy_arena *arena, const sy_identity *identity, const char *digest, const char **ret_text)
{
    sy_identity software;
    sy_text text = SY_TEXT_INIT;
    const char *backend = sy_identity_get(identity, "device.backend");
    if (!take_half(arena, identity, true, &software)) {
        return false;
    }
    if (!is_known(backend) || software.field_count == 0 || sy_identity_is_uncertain(&software) ||
        (digest == NULL && !is_host(backend) && !has_libraries(&software))) {
        return true;
    }
    if (digest != NULL) {
        sy_text_append_format(&text, "software=%.16s; ", digest);
    }
    for (size_t i = 0; i < software.field_count; i++) {
        sy_text_append_format(&text, "%s%s=%s", i > 0 ? "; " : "", software.fields[i].name, software.fields[i].value);
    }
    *ret_text = text.failed ? NULL : sy_arena_copy_text(arena, sy_text_bytes(&text));
    sy_text_finish(&text);
    return *ret_text != NULL;
}

/* "rev", of a dirty tree "rev+<digest of the difference>"; NULL: it is not known whether that is all, or no memory. */
static const char *whole_revision(const sy_run_source *source, sy_arena *arena)
{
    if (source == NULL || !is_known(source->revision) || source->dirty < 0) {
        return NULL;
    }
    if (source->dirty == 0) {
        return source->revision;
    }
    return is_known(source->diff_digest) ? sy_arena_format(arena, "%s+%s", source->revision, source->diff_digest)
                                         : NULL;
}

static const char *first_known(const char *a, const char *b)
{
    return is_known(a) ? a : b;
}

/* False: no memory. */
static bool take_facts(filling *f, const char *matrix_protocol)
{
    const sy_run_key_facts *facts = f->facts;
    const char *device = NULL;
    const char *runtime = NULL;
    if (facts->identity != NULL && (!describe_device(f->arena, facts->identity, &device) ||
                                    !describe_runtime(f->arena, facts->identity, facts->software, &runtime))) {
        return false;
    }
    const char *cell = facts->plan != NULL ? facts->plan->cell : NULL;
    const sy_named_text own[FACTS_MAX] = {
        {"run_protocol", first_known(facts->protocol, matrix_protocol)},
        {"run_cell", first_known(facts->cell, cell)},
        {"run_device", device},
        {"run_runtime", runtime},
        {"run_revision", whole_revision(facts->source, f->arena)},
    };
    memcpy(f->own, own, sizeof own);
    f->own_count = FACTS_MAX;
    return true;
}

/* ---- values ---- */

static const char *find_named(const sy_named_text *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i].name, name) == 0) {
            return list[i].value;
        }
    }
    return NULL;
}

/* A fact of the run, else the gate's member of that name; NULL: unknown. */
static const char *look_up(const filling *f, const char *name)
{
    const char *value = find_named(f->own, f->own_count, name);
    value = first_known(value, find_named(f->facts->known, f->facts->known_count, name));
    if (!is_known(value) && f->facts->plan != NULL) {
        value = find_named(f->facts->plan->fields, f->facts->plan->field_count, name);
        if (value != NULL && f->left_to_gates[0] != '\0' && strcmp(value, f->left_to_gates) == 0) {
            value = NULL; /* the configuration leaves it to the gate, and the gate says nothing */
        }
    }
    return is_known(value) ? value : NULL;
}

/* Puts values in the place of {names}. False: no memory; *ret_value stays NULL where one of them is unknown. */
static bool fill_template(const filling *f, const char *template, const char **ret_value)
{
    sy_text text = SY_TEXT_INIT;
    sy_command_piece piece;
    bool is_whole = true;
    for (const char *at = template; is_whole && sy_command_next(&at, &piece);) {
        const char *value = piece.text;
        size_t length = piece.length;
        if (piece.kind == SY_PIECE_FIELD) {
            const char *name = sy_arena_copy_bytes(f->arena, piece.text, piece.length);
            if (name == NULL) {
                sy_text_finish(&text);
                return false;
            }
            value = look_up(f, name);
            length = value != NULL ? strlen(value) : 0;
            is_whole = value != NULL;
        }
        if (is_whole) {
            sy_text_append_bytes(&text, value, length);
        }
    }
    const char *filled = is_whole && !text.failed ? sy_arena_copy_text(f->arena, sy_text_bytes(&text)) : NULL;
    bool has_memory = !is_whole || filled != NULL;
    sy_text_finish(&text);
    if (has_memory && is_known(filled)) {
        *ret_value = filled;
    }
    return has_memory;
}

/* The field's sources: the description's, else the standard one's. */
static const sy_json_value *sources_of(const filling *f, const char *field)
{
    const sy_json_value *sources = sy_json_member(f->sources, field);
    return sources != NULL ? sources : sy_json_member(f->standard_sources, field);
}

/* What the run and its gate tell of the field; NULL in *ret_value: nothing. False: no memory. */
static bool derive_field(const filling *f, const char *field, const char **ret_value)
{
    const sy_json_value *sources = sources_of(f, field);
    for (const sy_json_value *item = sources != NULL ? sources->first : NULL; item != NULL; item = item->next) {
        if (item->kind == SY_JSON_TEXT && !fill_template(f, item->text, ret_value)) {
            return false;
        }
        if (*ret_value != NULL) {
            return true;
        }
    }
    *ret_value = look_up(f, field);
    return true;
}

/* Protocol, cell, device and revision are found out, and nobody's word stands against them: a dirty tree would pass for
 * a clean one. Of the runtime a person may know more than we find. */
static bool is_found_out(const filling *f, const char *value)
{
    for (size_t i = 0; i < f->own_count; i++) {
        bool counts = f->own[i].value != NULL && strcmp(f->own[i].name, "run_runtime") != 0;
        if (counts && strcmp(f->own[i].value, value) == 0) {
            return true;
        }
    }
    return false;
}

static sy_status fill_field(const filling *f, const char *field, const char **ret_value, sy_error *err)
{
    const char *given = find_named(f->facts->given, f->facts->given_count, field);
    const char *derived = NULL;
    if (!derive_field(f, field, &derived)) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for a comparison key");
    }
    *ret_value = is_known(given) ? given : derived;
    if (derived == NULL || f->facts->is_elsewhere || strcmp(*ret_value, derived) == 0 || !is_found_out(f, derived)) {
        return SY_OK;
    }
    (void)sy_fail(err, SY_INVALID_ARGUMENT, "the key's field '%s' is not '%.80s'", field, given);
    sy_error_hint(err, "the run itself tells it: %.200s", derived);
    return SY_INVALID_ARGUMENT;
}

/* ---- what a person said ---- */

static bool has_name(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static sy_status refuse_name(const char *const *names, size_t count, const char *name, sy_error *err)
{
    sy_nearest nearest = {.typed = name, .typed_length = strlen(name)};
    sy_text all = SY_TEXT_INIT;
    (void)sy_fail(err, SY_INVALID_ARGUMENT, "the comparison key has no field '%s'", name);
    for (size_t i = 0; i < count; i++) {
        sy_nearest_offer(&nearest, names[i]);
        sy_text_append_format(&all, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    if (nearest.found != NULL) {
        sy_error_hint(err, "did you mean %s", nearest.found);
    } else {
        sy_error_hint(err, "it has: %s", sy_text_bytes(&all));
    }
    sy_text_finish(&all);
    return SY_INVALID_ARGUMENT;
}

static sy_status check_given(const sy_run_key_facts *facts, const char *const *names, size_t count, sy_error *err)
{
    for (size_t i = 0; i < facts->given_count; i++) {
        const char *name = facts->given[i].name;
        if (!has_name(names, count, name)) {
            return refuse_name(names, count, name, err);
        }
        for (size_t k = 0; k < i; k++) {
            if (strcmp(facts->given[k].name, name) == 0) {
                return sy_fail(err, SY_INVALID_ARGUMENT, "the key's field '%s' is given twice", name);
            }
        }
    }
    return SY_OK;
}

/* ---- the key ---- */

sy_status sy_run_key_fill(sy_registry *registry, const sy_run_key_facts *facts, sy_arena *arena,
                          sy_comparison_key *ret_key, sy_error *err)
{
    const struct sy_matrix_part *matrix = sy_registry_matrix_part(registry);
    const sy_protocol *standard = sy_protocol_find(registry->settings, STANDARD);
    const sy_protocol *protocol = matrix != NULL && matrix->protocol != NULL ? matrix->protocol : standard;
    bool has_key = matrix != NULL && matrix->comparison_key.count > 0;
    const sy_words_list *names = has_key ? &matrix->comparison_key : &protocol->key_fields;
    bool has_protocol = matrix != NULL && matrix->protocol_version != NULL;
    bool has_gates = registry->gates != NULL && registry->gates->protocol != NULL;
    const char *left = has_gates ? registry->gates->protocol->left_to_gates : NULL;
    filling f = {.facts = facts,
                 .arena = arena,
                 .left_to_gates = left != NULL ? left : "",
                 .sources = protocol->key_sources,
                 .standard_sources = standard->key_sources};
    sy_status status = check_given(facts, names->words, names->count, err);
    if (status != SY_OK) {
        return status;
    }
    sy_named_text *fields = sy_arena_allocate(arena, names->count + 1, sizeof *fields);
    if (fields == NULL || !take_facts(&f, has_protocol ? matrix->protocol_version : protocol->version)) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for a comparison key");
    }
    for (size_t i = 0; i < names->count; i++) {
        fields[i] = (sy_named_text){names->words[i], NULL};
        status = fill_field(&f, names->words[i], &fields[i].value, err);
        if (status != SY_OK) {
            return status;
        }
    }
    *ret_key = (sy_comparison_key){fields, names->count};
    return SY_OK;
}

const char *sy_run_key_unknown(const sy_comparison_key *key, sy_arena *arena)
{
    sy_text text = SY_TEXT_INIT;
    for (size_t i = 0; i < key->field_count; i++) {
        if (key->fields[i].value == NULL) {
            sy_text_append_format(&text, "%s%s", text.length > 0 ? ", " : "", key->fields[i].name);
        }
    }
    const char *names = text.failed ? NULL : sy_arena_copy_text(arena, sy_text_bytes(&text));
    sy_text_finish(&text);
    return names;
}
