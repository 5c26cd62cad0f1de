/* SPDX-License-Identifier: Apache-2.0 */
/* The file of misses: one JSON line a key that was asked for and not known, written whole and durably, so that many
 * processes may add to it and a reader never sees half a line. */
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

sy_status sy_selector_misses_path(sy_selector *selector, char *to, size_t size, sy_error *err)
{
    sy_layer_info layer = {0};
    sy_text path = SY_TEXT_INIT;
    sy_status status = sy_store_layer(selector->store, 0, &layer, err);
    if (status)
        return status;
    bool in_memory = !selector->own_store && !layer.path[0]; /* a borrowed store without persistence */
    if (selector->writes_misses && !in_memory) {
        if (selector->options.misses_path)
            sy_text_append(&path, selector->options.misses_path);
        else if (layer.path[0])
            sy_text_append_format(&path, "%s.misses", layer.path);
    }
    bool whole = !path.failed && sy_text_copy(to, size, sy_text_bytes(&path));
    sy_text_finish(&path);
    return whole ? SY_OK : sy_fail(err, SY_INVALID_ARGUMENT, "the path of the misses is too long");
}

/* What makes two misses one: the exact key, the structure asked for, and what else a stored answer must be. */
static void digest_key(const sy_request *request, const sy_selection *key, char to[SY_DIGEST_TEXT])
{
    const char *const texts[] = {key->backend, key->operator_name, key->implementation_version, key->model_digest,
                                 key->processor};
    sy_digest_state state;
    sy_digest digest;
    sy_digest_start(&state);
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        sy_digest_add(&state, texts[i], strlen(texts[i]) + 1);
    sy_digest_add(&state, &key->thread_count, sizeof(key->thread_count));
    for (size_t i = 0; i < request->structure_count; i++) {
        sy_digest_add(&state, request->structure[i].name, strlen(request->structure[i].name) + 1);
        sy_digest_add(&state, request->structure[i].value, strlen(request->structure[i].value) + 1);
    }
    const struct {
        bool set;
        const char *name;
    } flags[] = {{request->per_case, "per_case"},
                 {request->force_portable, "force_portable"},
                 {request->require_evidence, "require_evidence"},
                 {request->no_shortcuts, "no_shortcuts"}};
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        if (flags[i].set)
            sy_digest_add(&state, flags[i].name, strlen(flags[i].name) + 1);
    }
    sy_digest_finish(&state, &digest);
    sy_digest_format(&digest, to);
}

static sy_status write_line(const sy_request *request, const sy_selection *key, const char *digest, sy_text *line,
                            sy_error *err)
{
    const sy_suite *suite = request->suite;
    sy_json_writer *writer = sy_json_writer_create(line, SY_JSON_COMPACT);
    if (!writer)
        return sy_fail(err, SY_NO_MEMORY, "no memory for a miss");
    sy_json_begin_object(writer);
    sy_json_member_text(writer, "schema", SY_MISS_SCHEMA);
    sy_json_member_text(writer, "key", digest);
    sy_json_member_text(writer, "operation", suite->operation);
    sy_json_member_text(writer, "device", request->device->name);
    sy_json_member_text(writer, "script", request->device->script);
    sy_json_member_u64(writer, "threads", key->thread_count);
    sy_json_member_text(writer, "model_digest", request->model_digest);
    sy_json_member_text(writer, "cache_state", request->cache_state);
    sy_json_member_bool(writer, "prefer_memory", request->prefer == SY_PREFER_MEMORY);
    sy_json_member_bool(writer, "allow_approximate", request->allow_approximate);
    sy_json_member_bool(writer, "per_case", request->per_case);
    sy_json_member_bool(writer, "force_portable", request->force_portable);
    sy_json_member_bool(writer, "require_evidence", request->require_evidence);
    sy_json_member_bool(writer, "no_shortcuts", request->no_shortcuts);
    sy_json_name(writer, "structure");
    sy_json_begin_array(writer);
    for (size_t i = 0; !request->per_case && i < request->structure_count; i++) {
        sy_json_begin_array(writer);
        sy_json_text(writer, request->structure[i].name);
        sy_json_text(writer, request->structure[i].value);
        sy_json_end_array(writer);
    }
    sy_json_end_array(writer);
    sy_json_name(writer, "cases");
    sy_cases_write(writer, request->cases ? request->cases : suite->cases,
                   request->cases ? request->case_count : suite->case_count);
    sy_json_end_object(writer);
    sy_status status = sy_json_writer_finish(writer, err);
    sy_text_append(line, "\n");
    return status;
}

/* Whether some line's key is that one: a line that is damaged has none. */
static bool has_key(const char *lines, const char *digest)
{
    sy_json_limits limits = SY_JSON_LIMITS_INIT;
    bool found = false;
    for (const char *line = lines; !found && *line;) {
        size_t size = strcspn(line, "\n");
        const char *at = strstr(line, digest);
        sy_json *json = NULL;
        const char *key = NULL;
        if (!at)
            break;
        if (at < line + size && sy_json_parse(line, size, &limits, &json, NULL) == SY_OK)
            found = sy_json_get_text(json, sy_json_member(sy_json_root(json), "key"), &key, NULL) == SY_OK &&
                    sy_text_equal(key, digest);
        sy_json_destroy(json);
        line += size + (line[size] == '\n');
    }
    return found;
}

/* Under the lock: the old lines, and the new one behind them unless its key is there. */
static sy_status add_line(const char *path, const char *digest, const sy_text *line, bool *ret_written, sy_error *err)
{
    char *old = NULL;
    size_t old_size = 0;
    sy_text whole = SY_TEXT_INIT;
    sy_error none = SY_ERROR_INIT;
    sy_status status = sy_file_read(path, SY_MISSES_LIMIT_BYTES, &old, &old_size, &none);
    bool there = !status && has_key(old, digest);
    if (status == SY_NOT_FOUND)
        status = SY_OK;
    else if (status && err)
        *err = none;
    if (!status && !there) {
        sy_text_append_bytes(&whole, old ? old : "", old_size);
        if (old && old_size > 0 && old[old_size - 1] != '\n')
            sy_text_append(&whole, "\n");
        sy_text_append_bytes(&whole, line->bytes, line->length);
        if (whole.failed)
            status = sy_fail(err, SY_NO_MEMORY, "no memory for the misses");
        else if (whole.length > SY_MISSES_LIMIT_BYTES) /* it could not be read again */
            status = sy_fail(err, SY_LIMIT_EXCEEDED, "%s would grow beyond %u bytes: work it off first", path,
                             (unsigned)SY_MISSES_LIMIT_BYTES);
        else
            status = sy_file_write(path, whole.bytes, whole.length, NULL, err);
    }
    sy_text_finish(&whole);
    sy_free(old);
    if (!status)
        *ret_written = !there;
    return status;
}

sy_status sy_selector_record_miss(sy_selector *selector, const sy_request *request, const sy_selection *key,
                                  char *ret_path, size_t path_size, bool *ret_written, sy_miss_state *ret_state,
                                  sy_error *err)
{
    char digest[SY_DIGEST_TEXT];
    sy_text line = SY_TEXT_INIT;
    sy_text lock_path = SY_TEXT_INIT;
    sy_lock *lock = NULL;
    *ret_state = SY_MISS_NOWHERE;
    sy_status status = sy_selector_misses_path(selector, ret_path, path_size, err);
    if (status || ret_path[0] == '\0')
        return status;
    digest_key(request, key, digest);
    status = write_line(request, key, digest, &line, err);
    sy_text_append_format(&lock_path, "%s.lock", ret_path);
    if (!status && (lock_path.failed || line.failed))
        status = sy_fail(err, SY_NO_MEMORY, "no memory for a miss");
    if (!status)
        status = sy_file_make_parents(ret_path, err);
    if (!status)
        status = sy_lock_take_for(ret_path, sy_text_bytes(&lock_path), SY_MISSES_LOCK_TIMEOUT_NS, &lock, err);
    if (!status)
        status = add_line(ret_path, digest, &line, ret_written, err);
    sy_lock_release(lock);
    sy_text_finish(&line);
    sy_text_finish(&lock_path);
    if (!status)
        *ret_state = SY_MISS_WRITTEN;
    return status;
}
