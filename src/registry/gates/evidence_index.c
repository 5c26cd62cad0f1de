/* SPDX-License-Identifier: Apache-2.0 */
/* Reads an evidence index: measurements of one campaign with the artifacts that hold them and the fixtures that they
 * were made on. Its measurements get the id that gates use: the computer's, then the rest of their own. */
#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "registry/gates/measurements.h"

typedef struct index_reading {
    sy_registry *registry;
    sy_gates_part *part;
    sy_fixtures *fixtures;
    const sy_document *index;
    const sy_json_value *overrides; /* NULL: none */
    bool has_artifacts;             /* whole: what is not among them is unknown */
    sy_id_table *artifacts;         /* to the artifact's value */
    sy_id_table *raw_ids;           /* to the measurement */
    sy_id_table *override_ids;      /* to the override's value */
    sy_id_table *overridden;        /* names of overrides that were used */
} index_reading;

static const sy_json_value *root_of(const sy_document *index)
{
    return sy_json_root(index->json);
}

size_t sy_evidence_index_count(const sy_document *index)
{
    const sy_json_value *measurements = sy_json_member(root_of(index), "measurements");
    return measurements != NULL ? measurements->count : 0;
}

bool sy_evidence_index_is_whole(const sy_document *index)
{
    const sy_json_value *measurements = sy_json_member(root_of(index), "measurements");
    bool is_whole = measurements != NULL && measurements->kind == SY_JSON_ARRAY &&
                    !sy_json_is_cut(index->json, measurements);
    for (const sy_json_value *at = is_whole ? measurements->first : NULL; at != NULL; at = at->next) {
        const sy_json_value *id = sy_json_member(at, "id");
        is_whole = is_whole && id != NULL && id->kind == SY_JSON_TEXT;
    }
    return is_whole;
}

/* ---- artifacts ---- */

/* Digests of an object are 64 digits or null; of its members by other names nothing is asked. */
static void check_digests(const sy_document *index, const sy_json_value *object, const char *but)
{
    for (const sy_json_value *member = object->first; member != NULL; member = member->next) {
        bool is_digest = sy_text_ends(member->name, "sha256") && strcmp(member->name, but) != 0;
        bool is_right = member->kind == SY_JSON_NULL || (member->kind == SY_JSON_TEXT && sy_is_hex(member->text, 64));
        if (is_digest && !is_right && !sy_json_is_cut(index->json, member)) {
            sy_complain(index, member, SY_RULE_DIGEST_FORM, "'%s' must be 64 lower-case hexadecimal digits or null",
                        member->name);
        }
    }
}

static void check_revisions(const sy_document *index, const sy_json_value *artifact)
{
    static const char *const revisions[] = {"implementation_revision", "evidence_revision", "observed_head",
                                            "test_revision"};
    for (size_t i = 0; i < sizeof revisions / sizeof revisions[0]; i++) {
        const sy_json_value *revision = sy_json_member(artifact, revisions[i]);
        bool is_right = revision == NULL || revision->kind == SY_JSON_NULL ||
                        (revision->kind == SY_JSON_TEXT && sy_is_hex(revision->text, 40));
        if (!is_right && !sy_json_is_cut(index->json, revision)) {
            sy_complain(index, revision, SY_RULE_REVISION_FORM, "'%s' must be 40 lower-case hexadecimal digits or null",
                        revisions[i]);
        }
    }
}

static bool is_disposition(const char *word)
{
    return strcmp(word, "accepted") == 0 || strcmp(word, "refuted") == 0 || strcmp(word, "pending") == 0;
}

/* "accepted", "refuted" or "pending"; NULL: it is none of them, which is a finding. */
static const char *look_disposition(const sy_document *index, const sy_json_value *object)
{
    const char *disposition = sy_look_text(index, object, "disposition");
    if (disposition != NULL && !is_disposition(disposition)) {
        sy_complain(index, sy_json_member(object, "disposition"), SY_RULE_EVIDENCE_DISPOSITION,
                    "a disposition must be accepted, refuted or pending");
        return NULL;
    }
    return disposition;
}

static bool read_artifacts(index_reading *r)
{
    const sy_json_value *artifacts = sy_look(r->index, root_of(r->index), "artifacts", SY_JSON_ARRAY);
    r->has_artifacts = artifacts != NULL && !sy_json_is_cut(r->index->json, artifacts);
    for (const sy_json_value *at = artifacts != NULL ? artifacts->first : NULL; at != NULL; at = at->next) {
        if (!sy_look_kind(r->index, at, "an artifact", SY_JSON_OBJECT)) {
            continue;
        }
        (void)look_disposition(r->index, at);
        check_digests(r->index, at, "");
        check_revisions(r->index, at);
        const char *id = sy_look_text(r->index, at, "id");
        void *earlier = NULL;
        if (id != NULL && !sy_id_table_put(r->artifacts, id, (void *)(uintptr_t)at, &earlier)) {
            return false;
        }
        if (earlier != NULL) {
            sy_complain(r->index, sy_json_member(at, "id"), SY_RULE_EVIDENCE_ARTIFACT,
                        "another artifact has the id '%s'", id);
        }
    }
    return true;
}

/* ---- names ---- */

/* Lower-case letters, spaces as hyphens: how an index begins its ids with a computer's nickname. */
static bool begins_with_nickname(const char *id, const char *nickname, const char **ret_rest)
{
    for (; *nickname != '\0'; id++, nickname++) {
        char expected = *nickname == ' ' ? '-' : (char)tolower((unsigned char)*nickname);
        if (*id != expected) {
            return false;
        }
    }
    *ret_rest = id;
    return *id == '-' && id[1] != '\0';
}

/* The id that gates use. NULL: no memory. */
static const char *public_id(const index_reading *r, const char *raw, const char *nickname, const sy_computer *computer)
{
    const char *rest = NULL;
    if (computer == NULL || !begins_with_nickname(raw, nickname, &rest)) {
        return raw;
    }
    return sy_arena_format(r->registry->arena, "%s%s", computer->id, rest);
}

static const sy_computer *look_computer(const index_reading *r, const sy_json_value *value, const char **ret_nickname)
{
    const sy_gate_protocol *protocol = r->part->protocol;
    const char *word = sy_look_text(r->index, value, "computer");
    const sy_computer *computer = sy_id_table_get(protocol->computer_aliases, word);
    computer = computer != NULL ? computer : sy_id_table_get(protocol->computers, word);
    if (word != NULL && computer == NULL && protocol->computer_count > 0) {
        sy_complain(r->index, sy_json_member(value, "computer"), SY_RULE_COMPUTER_UNKNOWN, "no such computer is known");
        r->part->has_measurements = false; /* nobody knows by which id gates name this one */
    }
    *ret_nickname = word;
    return computer;
}

/* What people call it where the protocol says so, else the word itself. */
static const char *shown(const sy_id_table *words, const char *word)
{
    const char *known = sy_id_table_get(words, word);
    return known != NULL ? known : word;
}

/* ---- measurements ---- */

static bool is_given(const sy_json_value *object, const char *name)
{
    const sy_json_value *value = sy_json_member(object, name);
    return value != NULL && value->kind != SY_JSON_NULL;
}

static sy_gate_state state_of(const sy_json_value *value)
{
    const sy_json_value *parity = sy_json_member(value, "parity");
    bool has_times = is_given(value, "wall_p50_seconds") && is_given(value, "wall_p95_seconds") &&
                     is_given(value, "wall_max_seconds");
    bool is_incomplete = parity != NULL && parity->kind == SY_JSON_TEXT && sy_parity_text_is_incomplete(parity->text);
    return has_times && !is_incomplete ? SY_GATE_MEASURED : SY_GATE_PARTIAL;
}

/* Whether the row has either all three times or a single one. */
static void check_times_are_there(const index_reading *r, const sy_json_value *value)
{
    size_t given = (size_t)is_given(value, "wall_p50_seconds") + is_given(value, "wall_p95_seconds") +
                   is_given(value, "wall_max_seconds");
    bool is_single = is_given(value, "single_wall_seconds");
    if (given != (is_single ? 0u : 3u) && !sy_json_is_cut(r->index->json, value)) {
        sy_complain(r->index, value, SY_RULE_EVIDENCE_TIMES,
                    "a measurement has wall_p50_seconds, wall_p95_seconds and wall_max_seconds, or none of them but "
                    "single_wall_seconds");
    }
}

/* False: no memory. */
static bool apply_override(index_reading *r, sy_measurement *m, const char *raw)
{
    const char *name = m->id;
    const sy_json_value *over = sy_id_table_get(r->override_ids, name);
    if (over == NULL) {
        name = raw;
        over = sy_id_table_get(r->override_ids, name);
    }
    void *earlier = NULL;
    if (over == NULL) {
        return true;
    }
    if (!sy_id_table_put(r->overridden, name, m, &earlier)) {
        return false;
    }
    if (!sy_look_kind(r->part->document, over, "an override", SY_JSON_OBJECT)) {
        return true;
    }
    m->override = over;
    m->override_source = r->part->document;
    const struct {
        const char *name;
        const char **to;
    } texts[] = {
        {"module", &m->module}, {"operation", &m->operation}, {"platform", &m->platform}, {"computer", &m->computer}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (sy_json_member(over, texts[i].name) != NULL) {
            *texts[i].to = sy_look_text(r->part->document, over, texts[i].name);
        }
    }
    if (sy_json_member(over, "state") != NULL) {
        const char *state = sy_look_text(r->part->document, over, "state");
        m->state = sy_gate_state_read(state);
        if (state != NULL && m->state == SY_GATE_STATE_UNKNOWN) {
            sy_complain(r->part->document, sy_json_member(over, "state"), SY_RULE_STATE_UNKNOWN,
                        "there is no such state");
        }
    }
    return true;
}

static void read_artifact(const index_reading *r, sy_measurement *m)
{
    const char *disposition = look_disposition(r->index, m->value);
    const char *artifact = sy_look_text(r->index, m->value, "artifact_id");
    m->artifact = sy_id_table_get(r->artifacts, artifact);
    if (artifact != NULL && m->artifact == NULL && r->has_artifacts) {
        sy_complain(r->index, sy_json_member(m->value, "artifact_id"), SY_RULE_EVIDENCE_ARTIFACT,
                    "the index has no artifact of that id");
    }
    const sy_json_value *its = sy_json_member(m->artifact, "disposition");
    const char *artifacts_disposition = its != NULL && its->kind == SY_JSON_TEXT ? its->text : NULL;
    bool is_accepted = sy_text_equal(disposition, "accepted");
    if (m->state == SY_GATE_MEASURED && disposition != NULL && !is_accepted) {
        sy_complain(r->index, sy_json_member(m->value, "disposition"), SY_RULE_EVIDENCE_DISPOSITION,
                    "a measurement that is complete must be accepted, or be given another state by an override");
    } else if (m->state == SY_GATE_MEASURED && is_accepted && artifacts_disposition != NULL &&
               is_disposition(artifacts_disposition) && strcmp(artifacts_disposition, "accepted") != 0) {
        sy_complain(r->index, sy_json_member(m->value, "artifact_id"), SY_RULE_EVIDENCE_DISPOSITION,
                    "the artifact of an accepted measurement is %s", artifacts_disposition);
    }
}

static bool read_measurement(index_reading *r, const sy_json_value *value)
{
    const sy_gate_protocol *protocol = r->part->protocol;
    if (!sy_look_kind(r->index, value, "a measurement", SY_JSON_OBJECT)) {
        return true;
    }
    const char *raw = sy_look_text(r->index, value, "id");
    if (raw == NULL) {
        return true;
    }
    const char *nickname = NULL;
    const sy_computer *computer = look_computer(r, value, &nickname);
    sy_measurement *m = &r->part->measurements[r->part->measurement_count++];
    *m = (sy_measurement){.document = r->index, .value = value, .is_imported = true};
    m->id = public_id(r, raw, nickname, computer);
    if (m->id == NULL) {
        return false;
    }
    const char *area = sy_look_text(r->index, value, "functional_area");
    const char *platform = sy_look_text(r->index, value, "platform");
    m->module = shown(protocol->areas, area);
    m->operation = area;
    m->platform = shown(protocol->platform_aliases, platform);
    m->computer = computer != NULL ? computer->name : nickname;
    m->state = state_of(value);
    check_times_are_there(r, value);
    check_digests(r->index, value, "fixture_sha256");
    if (!apply_override(r, m, raw)) {
        return false;
    }
    m->parity = sy_parity_word_read(sy_measurement_text(m, "parity"));
    read_artifact(r, m);
    void *earlier = NULL;
    return sy_id_table_put(r->raw_ids, raw, m, &earlier) &&
           sy_measurement_register(r->part, m, sy_json_member(value, "id")) &&
           sy_fixtures_use(r->fixtures, r->index, sy_json_member(value, "fixture_id"),
                           sy_json_member(value, "fixture_sha256"));
}

/* Fixtures are named outside of measurements, too. */
static bool use_other_fixtures(index_reading *r)
{
    const sy_json_value *refuted = sy_look_optional(r->index, root_of(r->index), "refuted_diagnostics", SY_JSON_ARRAY);
    for (const sy_json_value *at = refuted != NULL ? refuted->first : NULL; at != NULL; at = at->next) {
        if (!sy_look_kind(r->index, at, "a refuted diagnostic", SY_JSON_OBJECT)) {
            continue;
        }
        check_digests(r->index, at, "");
        const sy_json_value *id = sy_look_optional(r->index, at, "fixture_id", SY_JSON_TEXT);
        if (!sy_fixtures_use(r->fixtures, r->index, id, sy_json_member(at, "fixture_sha256"))) {
            return false;
        }
    }
    return true;
}

/* False: no memory. */
static bool list_overrides(index_reading *r)
{
    const sy_json_value *over = r->overrides != NULL ? r->overrides->first : NULL;
    r->override_ids = sy_id_table_create(r->registry->arena, r->overrides != NULL ? r->overrides->count : 0);
    for (; r->override_ids != NULL && over != NULL; over = over->next) {
        void *earlier = NULL;
        if (!sy_id_table_put(r->override_ids, over->name, (void *)(uintptr_t)over, &earlier)) {
            return false;
        }
    }
    return r->override_ids != NULL;
}

static void check_overrides(const index_reading *r)
{
    const sy_json_value *over = r->overrides != NULL ? r->overrides->first : NULL;
    for (; over != NULL; over = over->next) {
        if (r->part->protocol->document != NULL && sy_id_table_get(r->overridden, over->name) == NULL &&
            !sy_json_is_cut(r->index->json, root_of(r->index))) {
            bool is_known = sy_id_table_get(r->raw_ids, over->name) != NULL;
            sy_complain_name(r->part->document, over, SY_RULE_OVERRIDE_UNKNOWN,
                             is_known ? "'%s' has an override under its other id already, which wins"
                                      : "an override for '%s', which the index does not hold",
                             over->name);
        }
    }
}

bool sy_evidence_index_read(sy_registry *registry, sy_gates_part *part, sy_fixtures *fixtures, const sy_document *index,
                            const sy_json_value *import)
{
    index_reading r = {.registry = registry, .part = part, .fixtures = fixtures, .index = index};
    const sy_json_value *root = root_of(index);
    if (!sy_look_kind(index, root, "an evidence index", SY_JSON_OBJECT)) {
        return true;
    }
    if (sy_json_member(root, "schema") != NULL) {
        (void)sy_look_text(index, root, "schema");
    }
    r.overrides = sy_look_optional(part->document, import, "measurement_overrides", SY_JSON_OBJECT);
    const sy_json_value *measurements = sy_look(index, root, "measurements", SY_JSON_ARRAY);
    r.artifacts = sy_id_table_create(registry->arena, 16);
    r.raw_ids = sy_id_table_create(registry->arena, measurements != NULL ? measurements->count : 0);
    r.overridden = sy_id_table_create(registry->arena, r.overrides != NULL ? r.overrides->count : 0);
    if (r.artifacts == NULL || r.raw_ids == NULL || r.overridden == NULL || !list_overrides(&r) ||
        !read_artifacts(&r) || !sy_fixtures_declare(fixtures, index)) {
        return false;
    }
    for (const sy_json_value *at = measurements != NULL ? measurements->first : NULL; at != NULL; at = at->next) {
        if (!read_measurement(&r, at)) {
            return false;
        }
    }
    check_overrides(&r);
    return use_other_fixtures(&r);
}
