/* SPDX-License-Identifier: Apache-2.0 */
/* Probing what others missed: each line of a file of misses becomes a request in mode probe; what is done is taken out
 * of the file. */
#include <string.h>

#include "backends/backend.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/lock.h"
#include "base/memory.h"
#include "base/text.h"
#include "operations/case_json.h"
#include "select/selector.h"

/* One line as read. */
typedef struct missed {
    sy_arena *arena;
    const char *line; /* as it stands in the file, without its newline */
    size_t line_size;
    const char *key;
    const char *operation;
    const char *device;
    const char *script;
    const char *model_digest;
    const char *cache_state;
    bool prefer_memory;
    int64_t threads;
    bool allow_approximate;
    bool per_case;
    bool force_portable;
    bool require_evidence;
    bool no_shortcuts;
    sy_property *structure;
    size_t structure_count;
    const sy_case *cases;
    size_t case_count;
} missed;

static sy_status take_text(const sy_json *json, const sy_json_value *object, const char *name, bool may_be_null,
                           sy_arena *arena, const char **ret_text, sy_error *err)
{
    const char *text = NULL;
    const sy_json_value *value = sy_json_member(object, name);
    if (may_be_null && value && value->kind == SY_JSON_NULL)
        return SY_OK;
    sy_status status = sy_json_get_text(json, value, &text, err);
    if (status)
        return status;
    *ret_text = sy_arena_copy_text(arena, text);
    return *ret_text ? SY_OK : sy_fail(err, SY_NO_MEMORY, "no memory for a miss");
}

static sy_status take_structure(const sy_json *json, const sy_json_value *array, missed *m, sy_error *err)
{
    if (!array || array->kind != SY_JSON_ARRAY)
        return sy_json_fail(json, array, err, "expected an array of pairs");
    m->structure = sy_arena_allocate(m->arena, array->count, sizeof(*m->structure));
    if (!m->structure)
        return sy_fail(err, SY_NO_MEMORY, "no memory for a miss");
    for (const sy_json_value *pair = array->first; pair; pair = pair->next) {
        const char *texts[2];
        for (size_t i = 0; i < 2; i++) {
            sy_status status = sy_json_get_text(json, sy_json_element(pair, i), &texts[i], err);
            if (status)
                return status;
            texts[i] = sy_arena_copy_text(m->arena, texts[i]);
            if (!texts[i])
                return sy_fail(err, SY_NO_MEMORY, "no memory for a miss");
        }
        m->structure[m->structure_count++] = (sy_property){texts[0], texts[1]};
    }
    return SY_OK;
}

/* Writers compare keys as they stand. */
static sy_status take_key(const sy_json *json, const sy_json_value *root, missed *m, sy_error *err)
{
    sy_status status = take_text(json, root, "key", false, m->arena, &m->key, err);
    if (!status && (strlen(m->key) != SY_DIGEST_TEXT - 1 || strspn(m->key, "0123456789abcdef") != SY_DIGEST_TEXT - 1))
        status = sy_json_fail(json, sy_json_member(root, "key"), err, "expected %d hexadecimal digits",
                              SY_DIGEST_TEXT - 1);
    return status;
}

/* A flag that older lines do not have. */
static sy_status take_flag(const sy_json *json, const sy_json_value *root, const char *name, bool *ret_flag,
                           sy_error *err)
{
    const sy_json_value *value = sy_json_member(root, name);
    return value ? sy_json_get_bool(json, value, ret_flag, err) : SY_OK;
}

static sy_status read_members(const sy_json *json, const sy_json_value *root, missed *m, sy_error *err)
{
    const char *schema = NULL;
    sy_status status = take_text(json, root, "schema", false, m->arena, &schema, err);
    if (!status && !sy_text_equal(schema, SY_MISS_SCHEMA))
        status = sy_fail(err, SY_VERSION_UNSUPPORTED, "a miss of schema '%s'", schema);
    if (!status)
        status = take_key(json, root, m, err);
    if (!status)
        status = take_text(json, root, "operation", false, m->arena, &m->operation, err);
    if (!status)
        status = take_text(json, root, "device", false, m->arena, &m->device, err);
    if (!status)
        status = take_text(json, root, "script", true, m->arena, &m->script, err);
    if (!status)
        status = take_text(json, root, "model_digest", true, m->arena, &m->model_digest, err);
    if (!status)
        status = take_text(json, root, "cache_state", false, m->arena, &m->cache_state, err);
    if (!status)
        status = sy_json_get_i64(json, sy_json_member(root, "threads"), &m->threads, err);
    if (!status && (m->threads < 1 || m->threads > UINT16_MAX))
        status = sy_json_fail(json, sy_json_member(root, "threads"), err, "from 1 to 65535");
    if (!status)
        status = sy_json_get_bool(json, sy_json_member(root, "allow_approximate"), &m->allow_approximate, err);
    if (!status)
        status = sy_json_get_bool(json, sy_json_member(root, "per_case"), &m->per_case, err);
    if (!status)
        status = take_flag(json, root, "force_portable", &m->force_portable, err);
    if (!status)
        status = take_flag(json, root, "prefer_memory", &m->prefer_memory, err);
    if (!status)
        status = take_flag(json, root, "require_evidence", &m->require_evidence, err);
    if (!status)
        status = take_flag(json, root, "no_shortcuts", &m->no_shortcuts, err);
    if (!status)
        status = take_structure(json, sy_json_member(root, "structure"), m, err);
    if (!status)
        status = sy_cases_read(json, sy_json_member(root, "cases"), m->arena, &m->cases, &m->case_count, err);
    return status;
}

static sy_status read_line(const char *line, size_t size, uint32_t number, missed *ret_missed, sy_error *err)
{
    sy_json *json = NULL;
    sy_json_limits limits = SY_JSON_LIMITS_INIT;
    missed m = {.arena = sy_arena_create(0)};
    sy_error own = SY_ERROR_INIT;
    if (!m.arena)
        return sy_fail(err, SY_NO_MEMORY, "no memory for a miss");
    sy_status status = sy_json_parse(line, size, &limits, &json, &own);
    if (!status)
        status = read_members(json, sy_json_root(json), &m, &own);
    sy_json_destroy(json);
    if (!status) {
        *ret_missed = m;
        return SY_OK;
    }
    sy_arena_destroy(m.arena);
    own.position.line = number;
    if (err)
        *err = own;
    return status;
}

/* left_ns: wall time that the probe may take at most. */
static sy_status probe_missed(sy_selector *selector, const missed *m, const sy_work_off_options *options,
                              uint64_t left_ns, sy_selection *ret_selection, sy_error *err)
{
    sy_device_options device_options = SY_DEVICE_OPTIONS_INIT;
    sy_probe_options probe = SY_PROBE_OPTIONS_INIT;
    sy_device *device = NULL;
    sy_request request = SY_REQUEST_INIT;
    if (options->probe)
        probe = *options->probe;
    if (probe.budget_ns > left_ns)
        probe.budget_ns = left_ns;
    if (probe.wall_limit_ns > left_ns)
        probe.wall_limit_ns = left_ns;
    device_options.threads = (uint32_t)m->threads;
    device_options.script = m->script;
    device_options.plugin = options->plugin;
    sy_status status = sy_device_open(m->device, &device_options, &device, err);
    if (!status)
        status = sy_device_suite(device, m->operation, &request.suite, err);
    request.device = device;
    request.model_digest = m->model_digest;
    request.cases = m->cases;
    request.case_count = m->case_count;
    request.structure = m->structure;
    request.structure_count = m->structure_count;
    request.cache_state = m->cache_state;
    request.prefer = m->prefer_memory ? SY_PREFER_MEMORY : SY_PREFER_SPEED;
    request.allow_approximate = m->allow_approximate;
    request.per_case = m->per_case;
    request.force_portable = m->force_portable;
    request.require_evidence = m->require_evidence;
    request.no_shortcuts = m->no_shortcuts;
    request.mode = SY_SELECT_PROBE;
    request.probe = &probe;
    if (!status)
        status = sy_select(selector, &request, ret_selection, err);
    sy_device_close(device);
    return status;
}

/* Whether a line, size bytes without its newline, is among those done. Lines are compared whole: a key that was typed
 * twice does not take another question out. */
static bool is_done(const sy_text *done, const char *line, size_t size)
{
    for (const char *at = sy_text_bytes(done); *at;) {
        size_t length = strcspn(at, "\n");
        if (length == size && memcmp(at, line, size) == 0)
            return true;
        at += length + (at[length] == '\n');
    }
    return false;
}

/* Takes the lines that are done out of the file, as it is by now. */
static sy_status take_out(const char *path, const sy_text *done, sy_error *err)
{
    char *old = NULL;
    size_t old_size = 0;
    sy_text kept = SY_TEXT_INIT;
    sy_text lock_path = SY_TEXT_INIT;
    sy_lock *lock = NULL;
    sy_text_append_format(&lock_path, "%s.lock", path);
    sy_status status = lock_path.failed
                           ? sy_fail(err, SY_NO_MEMORY, "no memory for the misses")
                           : sy_lock_take_for(path, sy_text_bytes(&lock_path), SY_MISSES_LOCK_TIMEOUT_NS, &lock, err);
    if (!status)
        status = sy_file_read(path, SY_MISSES_LIMIT_BYTES, &old, &old_size, err);
    for (char *line = old; !status && line && *line;) {
        char *end = strchr(line, '\n');
        size_t size = end ? (size_t)(end - line) + 1 : strlen(line);
        if (!is_done(done, line, end ? size - 1 : size))
            sy_text_append_bytes(&kept, line, size);
        line += size;
    }
    if (!status)
        status = kept.failed ? sy_fail(err, SY_NO_MEMORY, "no memory for the misses")
                             : sy_file_write(path, sy_text_bytes(&kept), kept.length, NULL, err);
    sy_lock_release(lock);
    sy_free(old);
    sy_text_finish(&kept);
    sy_text_finish(&lock_path);
    return status;
}

/* An answer that another process would not get is none to a miss: SY_REFUSED. */
static sy_status check_stored(sy_selector *selector, const sy_selection *selection, sy_error *err)
{
    static const char said[] = "not stored: ";
    sy_layer_info layer;
    sy_status status = sy_store_layer(selector->store, 0, &layer, err);
    if (status)
        return status;
    if (selection->source == SY_SOURCE_SHORTCUT || (selection->stored && layer.unsaved_count == 0))
        return SY_OK;
    const char *why = strstr(selection->why, said);
    why = why ? why + sizeof(said) - 1 : layer.status ? layer.message : "its store was not written";
    return sy_fail(err, SY_REFUSED, "%s is the answer, but it is not stored: %.*s", selection->implementation,
                   (int)strcspn(why, "\n"), why);
}

/* One line: counted, probed if the budget allows, its key noted when it is done. A line that cannot be used stays in
 * the file. */
static void work_on(sy_selector *selector, const missed *m, const sy_work_off_options *options, uint64_t *spent_ns,
                    sy_text *done, sy_work_off_result *result)
{
    sy_selection selection = {0};
    sy_error why = SY_ERROR_INIT;
    if (*spent_ns >= options->budget_ns || result->interrupted) {
        result->left++;
        return;
    }
    uint64_t start = sy_clock_now(&sy_clock_system);
    sy_status status = probe_missed(selector, m, options, options->budget_ns - *spent_ns, &selection, &why);
    *spent_ns += sy_clock_now(&sy_clock_system) - start;
    if (!status)
        status = check_stored(selector, &selection, &why);
    if (status == SY_INTERRUPTED) {
        result->interrupted = true;
        result->left++;
    } else if (status) {
        result->failed++;
    } else {
        result->probed += selection.source == SY_SOURCE_PROBE;
        result->answered += selection.source != SY_SOURCE_PROBE;
        sy_text_append_bytes(done, m->line, m->line_size);
        sy_text_append(done, "\n");
    }
    if (options->each)
        options->each(options->user, m->operation, m->device, &selection, status, &why);
}

sy_status sy_selector_work_off(sy_selector *selector, const char *misses_path, const sy_work_off_options *options,
                               sy_work_off_result *ret_result, sy_error *err)
{
    char *bytes = NULL;
    size_t size = 0;
    uint64_t spent_ns = 0;
    uint32_t number = 0;
    sy_text done = SY_TEXT_INIT;
    sy_work_off_result result = {0};
    sy_status status = sy_file_read(misses_path, SY_MISSES_LIMIT_BYTES, &bytes, &size, err);
    for (char *line = bytes; !status && line && *line;) {
        char *end = strchr(line, '\n');
        size_t length = end ? (size_t)(end - line) : strlen(line);
        missed m = {0};
        number++;
        if (length > 0)
            status = read_line(line, length, number, &m, err);
        if (!status && length > 0) {
            result.misses++;
            m.line = line;
            m.line_size = length;
            work_on(selector, &m, options, &spent_ns, &done, &result);
        }
        sy_arena_destroy(m.arena);
        line += length + (end != NULL);
    }
    if (done.length > 0) { /* also when a later line was wrong: what is done is done */
        sy_status taken = done.failed ? sy_fail(err, SY_NO_MEMORY, "no memory for the misses")
                                      : take_out(misses_path, &done, status ? NULL : err);
        status = status ? status : taken;
    }
    if (!status)
        *ret_result = result;
    sy_text_finish(&done);
    sy_free(bytes);
    return status;
}
