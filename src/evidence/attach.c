/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps a file as an artifact of a run: its bytes by their digest, its name and role as an event. */
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "evidence/clean_json.h"
#include "evidence/event_list.h"
#include "evidence/open_project.h"
#include "record/private_text.h"

#define LIMIT_BYTES ((uint64_t)1 << 30)

/* The name that people see: folders are left out, and what is private in it. */
static const char *shown_name(sy_arena *arena, const char *path, const char *name)
{
    const char *whole = name != NULL && *name != '\0' ? name : path;
    const char *slash = strrchr(whole, '/');
    const char *last = slash != NULL && slash[1] != '\0' ? slash + 1 : whole;
    return sy_clean_text(arena, last);
}

static sy_status record(sy_project *project, const char *run, sy_artifact_role role, const char *shown,
                        const char *bytes, size_t size, sy_arena *arena, sy_run_artifact *ret_artifact, sy_error *err)
{
    char digest[65];
    sy_event_list events = {.arena = arena, .run = run};
    sy_status status = sy_ledger_keep(sy_project_ledger(project), bytes, size, digest, err);
    if (status != SY_OK) {
        return status;
    }
    sy_run_artifact artifact = {role, sy_project_keep_text(project, shown), sy_project_keep_text(project, digest),
                                size};
    if (artifact.name == NULL || artifact.digest == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory to attach a file");
    }
    status = sy_event_list_artifact(&events, &artifact, err);
    if (status == SY_OK) {
        status = sy_event_list_append(&events, sy_project_ledger(project), NULL, err);
    }
    if (status == SY_OK) {
        *ret_artifact = artifact;
    }
    return status;
}

sy_status sy_project_attach(sy_project *project, const char *run, sy_artifact_role role, const char *path,
                            const char *name, uint64_t limit_bytes, sy_run_artifact *ret_artifact, sy_error *err)
{
    char *bytes = NULL;
    size_t size = 0;
    const char *id = NULL;
    sy_arena *arena = sy_arena_create(0);
    const char *shown = arena != NULL ? shown_name(arena, path, name) : NULL;
    sy_status status = shown != NULL ? SY_OK : sy_fail(err, SY_NO_MEMORY, "no memory to attach a file");
    if (status == SY_OK) {
        status = sy_project_find_run(project, run, arena, &id, err);
    }
    if (status == SY_OK) {
        status = sy_file_read_stream(path, limit_bytes > 0 ? limit_bytes : LIMIT_BYTES, &bytes, &size, err);
    }
    if (status == SY_OK) {
        sy_private_kind kind = sy_private_find(bytes, size, NULL);
        if (kind != SY_PRIVATE_NONE) {
            sy_log(SY_LOG_WARNING, "'%s' holds %s, and is kept byte for byte", shown,
                   kind == SY_PRIVATE_PATH ? "a path into somebody's home" : "a secret");
        }
        status = record(project, id, role, shown, bytes, size, arena, ret_artifact, err);
    }
    sy_free(bytes);
    sy_arena_destroy(arena);
    return status;
}
