/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the platforms of the matrix, holds them against the parity matrix's backends and against what steelyard.json
 * says of them, and schedules against the readiness of their runners. */
#include <string.h>

#include "base/text.h"
#include "registry/matrix/matrix.h"

/* ---- the matrix's side ---- */

/* minimum_memory_gate: words or null, but said. */
static void read_memory_gate(const sy_document *document, sy_matrix_platform *platform)
{
    const sy_json_value *gate = sy_json_member(platform->value, "minimum_memory_gate");
    platform->denies_minimum_memory = sy_look_null(document, gate);
    if (!platform->denies_minimum_memory) {
        platform->minimum_memory = sy_look_text(document, platform->value, "minimum_memory_gate");
    }
}

static bool check_platform_names(sy_registry *registry, const struct sy_matrix_part *matrix,
                                 const sy_json_value *platforms, const sy_json_value *const *there)
{
    if (!matrix->parity.is_whole) {
        return true;
    }
    sy_names_check check = {.document = matrix->document,
                            .container = platforms,
                            .what = "platform",
                            .whose = "the parity matrix",
                            .missing = SY_RULE_PLATFORM_MISSING,
                            .unknown = SY_RULE_PLATFORM_UNKNOWN,
                            .owed = matrix->parity.owed_backends,
                            .owed_count = matrix->parity.owed_backend_count,
                            .there = there,
                            .there_count = platforms->count,
                            .allowed = matrix->parity.backend_ids};
    return sy_check_names(registry->arena, &check);
}

static bool read_platform(struct sy_matrix_part *matrix, const sy_json_value *at)
{
    const sy_document *document = matrix->document;
    sy_matrix_platform *platform = &matrix->platforms[matrix->platform_count];
    void *earlier = NULL;
    *platform = (sy_matrix_platform){.name = at->name, .value = at};
    if (!sy_id_table_put(matrix->platform_ids, at->name, platform, &earlier)) {
        return false;
    }
    if (earlier != NULL) {
        return true; /* a name that stands twice is told of the file */
    }
    matrix->platform_count++;
    if (sy_look_kind(document, at, "a platform", SY_JSON_OBJECT)) {
        platform->authority = sy_look_text(document, at, "authority");
        platform->runner = sy_look_text(document, at, "runner");
        read_memory_gate(document, platform);
    }
    return platform->runner == NULL || sy_id_table_put(matrix->runner_ids, platform->runner, platform, &earlier);
}

/* ---- steelyard.json's side ---- */

/* The size that words begin with, in either meaning of its unit: "8 GB" is sold as both. False: they begin with none.
 */
static bool read_size(const char *words, uint64_t *ret_decimal, uint64_t *ret_binary)
{
    static const struct {
        const char *unit;
        uint64_t decimal, binary;
    } units[] = {{"GiB", (uint64_t)1 << 30, (uint64_t)1 << 30},
                 {"GB", 1000000000, (uint64_t)1 << 30},
                 {"MiB", 1 << 20, 1 << 20},
                 {"MB", 1000000, 1 << 20}};
    size_t digits = strspn(words, "0123456789");
    char number[24];
    uint64_t count = 0;
    if (digits == 0 || digits >= sizeof number) {
        return false;
    }
    memcpy(number, words, digits);
    number[digits] = '\0';
    const char *unit = words + digits + strspn(words + digits, " ");
    if (sy_parse_u64(number, &count, NULL) != SY_OK || count > UINT64_MAX >> 31) {
        return false;
    }
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        size_t length = strlen(units[i].unit);
        if (strncmp(unit, units[i].unit, length) == 0 && (unit[length] == ' ' || unit[length] == '\0')) {
            *ret_decimal = count * units[i].decimal;
            *ret_binary = count * units[i].binary;
            return true;
        }
    }
    return false;
}

/* Words that begin with no size say nothing about it. */
static bool words_agree(const char *words, uint64_t bytes)
{
    uint64_t decimal = 0, binary = 0;
    return !read_size(words, &decimal, &binary) || bytes == decimal || bytes == binary;
}

uint64_t sy_matrix_memory_words_bytes(const char *words)
{
    uint64_t decimal = 0, binary = 0;
    return read_size(words, &decimal, &binary) ? binary : 0;
}

static void check_memory(const sy_document *document, const sy_matrix_platform *platform)
{
    const sy_settings_platform *said = platform->settings;
    const sy_json_value *at = sy_json_member(said->value, "minimum_memory");
    if (said->has_minimum_memory && platform->denies_minimum_memory) {
        sy_complain(document, at, SY_RULE_PLATFORM_DISAGREES, "the matrix has no minimum-memory gate for '%s'",
                    platform->name);
    } else if (said->denies_minimum_memory && platform->minimum_memory != NULL) {
        sy_complain(document, at, SY_RULE_PLATFORM_DISAGREES, "the matrix has a minimum-memory gate for '%s': %s",
                    platform->name, platform->minimum_memory);
    } else if (said->has_minimum_memory && platform->minimum_memory != NULL &&
               !words_agree(platform->minimum_memory, said->minimum_memory.bytes)) {
        sy_complain(document, sy_json_member(at, "bytes"), SY_RULE_PLATFORM_DISAGREES,
                    "the matrix says '%s' of '%s', which is another size", platform->minimum_memory, platform->name);
    }
}

static void join_settings(const sy_registry *registry, struct sy_matrix_part *matrix, bool names_are_known)
{
    const sy_settings *settings = registry->settings;
    for (size_t i = 0; i < settings->platform_count; i++) {
        const sy_settings_platform *said = &settings->platforms[i];
        sy_matrix_platform *platform = sy_id_table_get(matrix->platform_ids, said->name);
        if (platform == NULL) {
            bool is_owed = sy_id_table_get(matrix->parity.backend_ids, said->name) != NULL;
            if (names_are_known && !is_owed) {
                sy_complain_name(settings->document, said->value, SY_RULE_PLATFORM_UNDECLARED,
                                 "the matrix has no platform '%s'", said->name);
            }
            continue;
        }
        if (platform->settings != NULL) {
            continue; /* a name that stands twice is told of the file */
        }
        platform->settings = said;
        if (said->runner != NULL && platform->runner != NULL && strcmp(said->runner, platform->runner) != 0) {
            sy_complain(settings->document, sy_json_member(said->value, "runner"), SY_RULE_PLATFORM_DISAGREES,
                        "the matrix says that '%s' is run by '%s'", said->name, platform->runner);
        }
        check_memory(settings->document, platform);
    }
}

bool sy_matrix_read_platforms(sy_registry *registry, struct sy_matrix_part *matrix, const sy_json_value *root)
{
    const sy_json_value *platforms = sy_look(matrix->document, root, "platforms", SY_JSON_OBJECT);
    size_t count = platforms != NULL ? platforms->count : 0;
    const sy_json_value **there = sy_arena_allocate(registry->arena, count, sizeof(const sy_json_value *));
    matrix->platforms = sy_arena_allocate(registry->arena, count + 1, sizeof *matrix->platforms);
    matrix->platform_ids = sy_id_table_create(registry->arena, count);
    matrix->runner_ids = sy_id_table_create(registry->arena, count);
    if (there == NULL || matrix->platforms == NULL || matrix->platform_ids == NULL || matrix->runner_ids == NULL) {
        return false;
    }
    size_t there_count = 0;
    for (const sy_json_value *at = platforms != NULL ? platforms->first : NULL; at != NULL; at = at->next) {
        there[there_count++] = at;
        if (!read_platform(matrix, at)) {
            return false;
        }
    }
    join_settings(registry, matrix, platforms != NULL && !sy_json_is_cut(matrix->document->json, platforms));
    return platforms == NULL || check_platform_names(registry, matrix, platforms, there);
}

/* ---- schedules ---- */

static void check_runner(const sy_document *document, const sy_settings_platform *said, size_t scheduled)
{
    if (said->readiness_at == NULL) {
        sy_complain(document, said->value, SY_RULE_RUNNER_NOT_READY,
                    "'%s' has scheduled cells (%zu), and no 'readiness' says that its runner is fit for them",
                    said->name, scheduled);
        return;
    }
    for (size_t field = 0; field < SY_READINESS_COUNT; field++) {
        const char *word = sy_readiness_word(field);
        if (said->ready[field] == SY_READINESS_NO) {
            sy_complain(document, sy_json_member(said->readiness_at, word), SY_RULE_RUNNER_NOT_READY,
                        "'%s' has scheduled cells (%zu), and its runner has no %s; give it one, or schedule none",
                        said->name, scheduled, word);
        } else if (said->ready[field] == SY_READINESS_NOT_SAID && !sy_json_is_cut(document->json, said->readiness_at)) {
            sy_complain(document, said->readiness_at, SY_RULE_RUNNER_NOT_READY,
                        "'%s' has scheduled cells (%zu), and nothing says whether its runner has %s", said->name,
                        scheduled, word);
        }
    }
}

void sy_matrix_check_runners(sy_registry *registry, const struct sy_matrix_part *matrix)
{
    for (size_t i = 0; i < matrix->platform_count; i++) {
        const sy_settings_platform *said = matrix->platforms[i].settings;
        bool is_declared = said != NULL && (said->runner != NULL || said->readiness_at != NULL);
        bool is_damaged = is_declared && (said->readiness_is_damaged ||
                                          sy_json_is_cut(registry->settings->document->json, said->value));
        if (is_declared && !is_damaged && matrix->platforms[i].scheduled_count > 0) {
            check_runner(registry->settings->document, said, matrix->platforms[i].scheduled_count);
        }
    }
}
