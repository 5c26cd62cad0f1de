/* SPDX-License-Identifier: Apache-2.0 */
/* Reads steelyard.json: names of files, platforms with their runner's readiness and their memory gate. */
#include "registry/matrix/settings.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "registry/registry.h"

/* ---- memory figures ---- */

static const char *const basis_words[] = {
#define BASIS_WORD(name, word) word,
    SY_MEMORY_BASIS_LIST(BASIS_WORD)
#undef BASIS_WORD
};
static const char *const scope_words[] = {
#define SCOPE_WORD(name, word) word,
    SY_MEMORY_SCOPE_LIST(SCOPE_WORD)
#undef SCOPE_WORD
};

bool sy_memory_basis_is_signoff(sy_memory_basis basis)
{
    return basis == SY_MEMORY_PHYSICAL || basis == SY_MEMORY_CONSTRAINED;
}

/* Which of words the member is; a finding and false where it is none. */
static bool look_choice(const sy_document *document, const sy_json_value *object, const char *name,
                        const char *const *words, size_t count, sy_rule_id rule, size_t *ret_index)
{
    const char *word = sy_look_text(document, object, name);
    if (word == NULL) {
        return false;
    }
    sy_text choices = SY_TEXT_INIT;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(word, words[i]) == 0) {
            *ret_index = i;
            sy_text_finish(&choices);
            return true;
        }
        sy_text_append_format(&choices, "%s%s", i > 0 ? ", " : "", words[i]);
    }
    sy_complain(document, sy_json_member(object, name), rule, "'%s' is no %s; known are %s", word, name,
                sy_text_bytes(&choices));
    sy_text_finish(&choices);
    return false;
}

bool sy_memory_figure_read(const sy_document *document, const sy_json_value *object, sy_memory_figure *ret_figure)
{
    int64_t bytes = 0;
    size_t basis = 0, scope = 0;
    const char *how = "";
    bool whole = sy_look_integer(document, object, "bytes", &bytes);
    if (whole && bytes <= 0) {
        sy_complain(document, sy_json_member(object, "bytes"), SY_RULE_MEMORY_FIGURE,
                    "a memory figure is a positive number of bytes");
        whole = false;
    }
    whole &= look_choice(document, object, "basis", basis_words, sizeof basis_words / sizeof basis_words[0],
                         SY_RULE_MEMORY_FIGURE, &basis);
    whole &= look_choice(document, object, "scope", scope_words, sizeof scope_words / sizeof scope_words[0],
                         SY_RULE_MEMORY_FIGURE, &scope);
    if (whole && basis == SY_MEMORY_CONSTRAINED) {
        how = sy_look_text(document, object, "how");
        whole = how != NULL;
    }
    if (whole) {
        *ret_figure = (sy_memory_figure){(uint64_t)bytes, (sy_memory_basis)basis, (sy_memory_scope)scope, how};
    }
    return whole;
}

/* ---- unknown members ---- */

static void remark_unknown(const sy_document *document, const sy_json_value *object, const char *const *known,
                           size_t count)
{
    for (const sy_json_value *member = object != NULL ? object->first : NULL; member != NULL; member = member->next) {
        bool found = false;
        for (size_t i = 0; i < count && !found; i++) {
            found = strcmp(member->name, known[i]) == 0;
        }
        if (!found) {
            const char *near = sy_words_nearest(member->name, known, count);
            sy_remark(document, member, SY_RULE_SETTINGS_UNKNOWN, "'%s' means nothing here and is passed over%s%s%s",
                      member->name, near != NULL ? "; '" : "", near != NULL ? near : "",
                      near != NULL ? "' may be meant" : "");
        }
    }
}

#define REMARK_UNKNOWN(document, object, ...)                                    \
    do {                                                                         \
        static const char *const known[] = {__VA_ARGS__};                        \
        remark_unknown(document, object, known, sizeof known / sizeof known[0]); \
    } while (0)

/* ---- platforms ---- */

static const char *const readiness_words[] = {
#define READINESS_WORD(name, word) [SY_READINESS_##name] = (word),
    SY_READINESS_LIST(READINESS_WORD)
#undef READINESS_WORD
};

const char *sy_readiness_word(size_t field)
{
    return field < SY_READINESS_COUNT ? readiness_words[field] : "unknown";
}

bool sy_settings_platform_is_ready(const sy_settings_platform *platform)
{
    for (size_t i = 0; i < SY_READINESS_COUNT; i++) {
        if (platform->ready[i] != SY_READINESS_YES) {
            return false;
        }
    }
    return true;
}

static void read_readiness(const sy_document *document, sy_settings_platform *platform)
{
    platform->readiness_at = sy_look_optional(document, platform->value, "readiness", SY_JSON_OBJECT);
    if (platform->readiness_at == NULL) {
        platform->readiness_is_damaged = sy_json_member(platform->value, "readiness") != NULL;
        return;
    }
    for (size_t i = 0; i < SY_READINESS_COUNT; i++) {
        const sy_json_value *at = sy_json_member(platform->readiness_at, readiness_words[i]);
        bool says = false;
        if (at == NULL) {
            platform->ready[i] = SY_READINESS_NOT_SAID;
        } else if (sy_look_bool(document, platform->readiness_at, readiness_words[i], &says)) {
            platform->ready[i] = says ? SY_READINESS_YES : SY_READINESS_NO;
        } else {
            platform->ready[i] = SY_READINESS_DAMAGED;
        }
    }
    remark_unknown(document, platform->readiness_at, readiness_words, SY_READINESS_COUNT);
}

static void read_minimum_memory(const sy_document *document, sy_settings_platform *platform)
{
    const sy_json_value *at = sy_json_member(platform->value, "minimum_memory");
    platform->denies_minimum_memory = sy_look_null(document, at);
    if (at == NULL || platform->denies_minimum_memory ||
        !sy_look_kind(document, at, "'minimum_memory'", SY_JSON_OBJECT)) {
        return;
    }
    platform->has_minimum_memory = sy_memory_figure_read(document, at, &platform->minimum_memory);
    if (platform->has_minimum_memory && !sy_memory_basis_is_signoff(platform->minimum_memory.basis)) {
        sy_complain(document, sy_json_member(at, "basis"), SY_RULE_MEMORY_BASIS,
                    "only a physical or a constrained device can satisfy a minimum-memory gate; '%s' is a pre-check",
                    basis_words[platform->minimum_memory.basis]);
    }
    REMARK_UNKNOWN(document, at, "bytes", "basis", "scope", "how");
}

static bool read_platforms(sy_registry *registry, sy_settings *settings, const sy_json_value *root)
{
    const sy_document *document = settings->document;
    const sy_json_value *object = sy_look_optional(document, root, "platforms", SY_JSON_OBJECT);
    if (object == NULL) {
        return true;
    }
    settings->platforms = sy_arena_allocate(registry->arena, object->count, sizeof *settings->platforms);
    if (settings->platforms == NULL) {
        return false;
    }
    for (const sy_json_value *at = object->first; at != NULL; at = at->next) {
        if (!sy_look_kind(document, at, "a platform", SY_JSON_OBJECT)) {
            continue;
        }
        sy_settings_platform *platform = &settings->platforms[settings->platform_count++];
        platform->name = at->name;
        platform->value = at;
        platform->runner = sy_look_optional_text(document, at, "runner");
        platform->scheduled_responsibility = sy_look_optional_text(document, at, "scheduled_responsibility");
        read_readiness(document, platform);
        read_minimum_memory(document, platform);
        REMARK_UNKNOWN(document, at, "runner", "scheduled_responsibility", "readiness", "minimum_memory");
    }
    return true;
}

/* ---- files ---- */

/* Takes the name over the default, if it is given and says something. */
static void take_name(const sy_document *document, const sy_json_value *files, const char *name, const char **to,
                      const sy_json_value **to_at)
{
    const char *given = files != NULL ? sy_look_optional_text(document, files, name) : NULL;
    if (given != NULL) {
        *to = given;
        *to_at = sy_json_member(files, name);
    }
}

static void read_files(sy_settings *settings, const sy_json_value *root)
{
    const sy_document *document = settings->document;
    const sy_json_value *files = sy_look_optional(document, root, "files", SY_JSON_OBJECT);
    if (files == NULL) {
        return;
    }
    take_name(document, files, "matrix", &settings->matrix_path, &settings->matrix_at);
    take_name(document, files, "parity_matrix", &settings->parity_path, &settings->parity_at);
    take_name(document, files, "registry", &settings->gates_path, &settings->gates_at);
    take_name(document, files, "experiments", &settings->experiments, &settings->experiments_at);
    take_name(document, files, "run_index", &settings->index_path, &settings->index_at);
    take_name(document, files, "protocols", &settings->protocols, &settings->protocols_at);
    take_name(document, files, "evidence", &settings->evidence, &settings->evidence_at);
    const sy_json_value *coverage = sy_json_member(files, "coverage");
    if (sy_look_null(document, coverage)) {
        settings->coverage_path = NULL;
    } else {
        take_name(document, files, "coverage", &settings->coverage_path, &settings->coverage_at);
    }
    REMARK_UNKNOWN(document, files, "matrix", "parity_matrix", "registry", "experiments", "run_index", "coverage",
                   "protocols", "evidence");
}

static bool read_members(sy_registry *registry, sy_settings *settings)
{
    const sy_document *document = settings->document;
    const sy_json_value *root = document->json != NULL ? sy_json_root(document->json) : NULL;
    if (root == NULL || !sy_look_kind(document, root, "steelyard.json", SY_JSON_OBJECT)) {
        return true;
    }
    if (sy_json_member(root, "schema_version") != NULL) {
        sy_look_schema_version(document, root);
    }
    settings->project = sy_look_optional_text(document, root, "project");
    if (sy_json_member(root, "check_parity_gates") != NULL) {
        (void)sy_look_bool(document, root, "check_parity_gates", &settings->checks_parity_gates);
    }
    read_files(settings, root);
    REMARK_UNKNOWN(document, root, "schema_version", "project", "files", "check_parity_gates", "platforms");
    return read_platforms(registry, settings, root);
}

/* Whatever has that name, a link that leads nowhere too, is meant to be read: then what is wrong with it is told. */
static bool has_settings(const sy_registry *registry)
{
    char path[PATH_MAX];
    struct stat kind;
    int length = snprintf(path, sizeof path, "%s/%s", sy_document_set_root(registry->set), SY_SETTINGS_FILE);
    return sy_document_exists(registry->set, SY_SETTINGS_FILE) ||
           (length > 0 && (size_t)length < sizeof path && lstat(path, &kind) == 0);
}

sy_status sy_registry_read_settings(sy_registry *registry, sy_error *err)
{
    sy_settings *settings = sy_arena_allocate(registry->arena, 1, sizeof *settings);
    if (settings == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for the settings");
    }
    *settings = (sy_settings){.matrix_path = "benchmarks/profile_matrix.json",
                              .parity_path = "tests/parity/backend_matrix.json",
                              .gates_path = "benchmarks/benchmark_registry.json",
                              .experiments = "experiments",
                              .index_path = "experiments/RUNS.md",
                              .coverage_path = "docs/_generated/benchmark_coverage.md",
                              .evidence = ".steelyard"};
    registry->settings = settings;
    if (has_settings(registry)) {
        settings->document = sy_document_json(registry->set, SY_SETTINGS_FILE, NULL, NULL);
        if (settings->document == NULL || !read_members(registry, settings)) {
            return sy_fail(err, SY_NO_MEMORY, "no memory for the settings");
        }
    }
    return sy_registry_read_protocols(registry, settings, err);
}

/* ---- the root ---- */

static bool holds_settings(const char *folder)
{
    char path[PATH_MAX];
    struct stat kind;
    int length = snprintf(path, sizeof path, "%s/%s", folder, SY_SETTINGS_FILE);
    return length > 0 && (size_t)length < sizeof path && stat(path, &kind) == 0 && S_ISREG(kind.st_mode);
}

sy_status sy_registry_find_root(const char *from, char **ret_root, sy_error *err)
{
    char folder[PATH_MAX];
    struct stat kind;
    if (realpath(from, folder) == NULL) {
        return sy_fail_errno(err, errno == ENOENT ? SY_NOT_FOUND : SY_IO, errno, "cannot read the folder '%s'", from);
    }
    if (stat(folder, &kind) != 0 || !S_ISDIR(kind.st_mode)) {
        return sy_fail(err, SY_NOT_FOUND, "'%s' is no folder", from);
    }
    for (;;) {
        if (holds_settings(folder)) {
            char *root = sy_duplicate_text(folder[0] != '\0' ? folder : "/");
            if (root == NULL) {
                return sy_fail(err, SY_NO_MEMORY, "no memory for the path '%s'", folder);
            }
            *ret_root = root;
            return SY_OK;
        }
        char *slash = strrchr(folder, '/');
        if (slash == NULL || folder[0] == '\0') {
            sy_status status = sy_fail(err, SY_NOT_FOUND, "neither '%s' nor a folder above it holds " SY_SETTINGS_FILE,
                                       from);
            sy_error_hint(err, "name the root with --root, or begin one: steelyard matrix init");
            return status;
        }
        *slash = '\0';
    }
}
