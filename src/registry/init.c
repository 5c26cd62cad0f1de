/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the files of a new project: all of them or none, over nothing that is there. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/system.h"
#include "registry/new_project.h"
#include "registry/registry.h"

#define COVERAGE_PATH "evidence/coverage.md"
#define PLACEHOLDER "\"@PROJECT@\""

/* A file or folder that was made, to be taken away again. */
typedef struct made made;
struct made {
    made *earlier;
    const char *path;  /* as the process sees it */
    const char *shown; /* from the root; NULL: a folder */
};

typedef struct init {
    sy_arena *arena;
    const char *root;
    const char *project;
    const sy_new_project *set;
    made *last;
} init;

static sy_status no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory for the files of a new project");
}

static const char *below_root(init *in, const char *path)
{
    return sy_arena_format(in->arena, "%s/%s", in->root, path);
}

/* Nothing of that name may be there, a link that leads nowhere included. */
static sy_status refuse_existing(init *in, const char *shown, sy_error *err)
{
    struct stat facts;
    const char *path = below_root(in, shown);
    if (path == NULL) {
        return no_memory(err);
    }
    if (sy_system_lstat(path, &facts) == 0) {
        (void)sy_fail(err, SY_REFUSED, "%s is there already: nothing was written", path);
        sy_error_hint(err, "a new project begins in a folder without one: name another with --root");
        return SY_REFUSED;
    }
    if (errno != ENOENT) {
        return sy_fail_errno(err, SY_IO, errno, "%s", path);
    }
    return SY_OK;
}

static sy_status refuse_any_existing(init *in, sy_error *err)
{
    sy_status status = SY_OK;
    for (size_t i = 0; status == SY_OK && i < in->set->file_count; i++) {
        status = refuse_existing(in, in->set->files[i].path, err);
    }
    return status == SY_OK ? refuse_existing(in, COVERAGE_PATH, err) : status;
}

static bool remember(init *in, const char *path, const char *shown)
{
    made *item = sy_arena_allocate(in->arena, 1, sizeof *item);
    if (item == NULL) {
        return false;
    }
    *item = (made){in->last, path, shown};
    in->last = item;
    return true;
}

/* Makes the folders of a path below the root that are missing. */
static sy_status make_folders(init *in, const char *shown, sy_error *err)
{
    for (const char *slash = strchr(shown, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        const char *folder = sy_arena_format(in->arena, "%s/%.*s", in->root, (int)(slash - shown), shown);
        if (folder == NULL) {
            return no_memory(err);
        }
        if (sy_system_mkdir(folder, 0777) != 0) {
            if (errno != EEXIST) {
                return sy_fail_errno(err, SY_IO, errno, "cannot make the folder %s", folder);
            }
        } else if (!remember(in, folder, NULL)) {
            (void)rmdir(folder);
            return no_memory(err);
        }
    }
    return SY_OK;
}

static sy_status write_one(init *in, const char *shown, const void *bytes, size_t size, sy_error *err)
{
    sy_file_write_options options = SY_FILE_WRITE_OPTIONS_INIT;
    options.make_parents = false;
    options.refuse_existing = true;
    const char *path = below_root(in, shown);
    sy_status status = path != NULL ? make_folders(in, shown, err) : no_memory(err);
    if (status == SY_OK) {
        status = sy_file_write(path, bytes, size, &options, err);
        if (status != SY_OK && status != SY_REFUSED) {
            (void)sy_system_unlink(path); /* where only the last step failed, the file is there */
        }
    }
    if (status == SY_OK && !remember(in, path, shown)) {
        (void)sy_system_unlink(path);
        status = no_memory(err);
    }
    return status;
}

/* The file's bytes with the project's name in the place that is left for it. */
static sy_status fill_in(const sy_new_file *file, const char *project, sy_text *to, sy_error *err)
{
    const char *at = (const char *)file->bytes; /* terminated */
    for (const char *place; (place = strstr(at, PLACEHOLDER)) != NULL; at = place + strlen(PLACEHOLDER)) {
        sy_text_append_bytes(to, at, (size_t)(place - at));
        sy_json_writer *writer = sy_json_writer_create(to, SY_JSON_COMPACT);
        sy_json_text(writer, project);
        sy_status status = sy_json_writer_finish(writer, err);
        if (status != SY_OK) {
            return status;
        }
    }
    sy_text_append(to, at);
    return to->failed ? no_memory(err) : SY_OK;
}

/* The coverage document is made from the gates that were just written. */
static sy_status write_coverage(init *in, sy_error *err)
{
    sy_registry *registry = NULL;
    char *markdown = NULL;
    sy_status status = sy_registry_open(in->root, SY_REGISTRY_GATES, &registry, err);
    if (status == SY_OK) {
        status = sy_registry_coverage_render(registry, &markdown, err);
    }
    if (status == SY_OK) {
        status = write_one(in, COVERAGE_PATH, markdown, strlen(markdown), err);
    }
    sy_text_free(markdown);
    sy_registry_close(registry);
    return status;
}

static sy_status write_all(init *in, sy_error *err)
{
    sy_status status = SY_OK;
    for (size_t i = 0; status == SY_OK && i < in->set->file_count; i++) {
        const sy_new_file *file = &in->set->files[i];
        sy_text text = SY_TEXT_INIT;
        status = fill_in(file, in->project, &text, err);
        if (status == SY_OK) {
            status = write_one(in, file->path, sy_text_bytes(&text), text.length, err);
        }
        sy_text_finish(&text);
    }
    return status == SY_OK ? write_coverage(in, err) : status;
}

static void take_back(const init *in)
{
    for (const made *item = in->last; item != NULL; item = item->earlier) {
        (void)(item->shown != NULL ? sy_system_unlink(item->path) : rmdir(item->path));
    }
}

static void tell(const made *item, void (*each)(void *user, const char *path), void *user)
{
    if (item == NULL || each == NULL) {
        return;
    }
    tell(item->earlier, each, user);
    if (item->shown != NULL) {
        each(user, item->shown);
    }
}

/* Makes the root where it alone is missing. */
static sy_status make_root(init *in, const char *root, sy_error *err)
{
    if (sy_system_mkdir(root, 0777) != 0) {
        if (errno == EEXIST) {
            return SY_OK;
        }
        return sy_fail_errno(err, errno == ENOENT || errno == ENOTDIR ? SY_NOT_FOUND : SY_IO, errno,
                             "cannot make the folder '%s'", root);
    }
    if (!remember(in, root, NULL)) {
        (void)rmdir(root);
        return no_memory(err);
    }
    return SY_OK;
}

/* The root as an absolute path, and the project's name: the folder's where none is given. */
static sy_status find_names(init *in, const char *root, const char *project, sy_error *err)
{
    char absolute[PATH_MAX];
    struct stat facts;
    if (realpath(root, absolute) == NULL) {
        return sy_fail_errno(err, errno == ENOENT || errno == ENOTDIR ? SY_NOT_FOUND : SY_IO, errno,
                             "cannot write into the folder '%s'", root);
    }
    if (sy_system_stat(absolute, &facts) != 0 || !S_ISDIR(facts.st_mode)) {
        return sy_fail(err, SY_NOT_FOUND, "'%s' is no folder", root);
    }
    const char *slash = strrchr(absolute, '/');
    const char *folder = slash != NULL && slash[1] != '\0' ? slash + 1 : "project";
    in->root = sy_arena_copy_text(in->arena, absolute);
    in->project = sy_arena_copy_text(in->arena, !sy_is_blank(project) ? project : folder);
    return in->root != NULL && in->project != NULL ? SY_OK : no_memory(err);
}

static sy_status find_set(init *in, const char *backend, sy_error *err)
{
    for (size_t i = 0; i < SY_NEW_PROJECT_COUNT; i++) {
        if (backend == NULL || strcmp(backend, sy_new_projects[i].backend) == 0) {
            in->set = &sy_new_projects[i];
            return SY_OK;
        }
    }
    (void)sy_fail(err, SY_INVALID_ARGUMENT, "there is no new project for backend '%s'", backend);
    sy_error_hint(err, "cpu: two operations on this computer; fake: a toy whose times are made up");
    return SY_INVALID_ARGUMENT;
}

sy_status sy_registry_init(const char *root, const sy_registry_init_options *options,
                           void (*each)(void *user, const char *path), void *user, sy_error *err)
{
    init in = {.arena = sy_arena_create(0)};
    if (in.arena == NULL) {
        return no_memory(err);
    }
    sy_status status = find_set(&in, options != NULL ? options->backend : NULL, err);
    if (status == SY_OK) {
        status = make_root(&in, root, err);
    }
    if (status == SY_OK) {
        status = find_names(&in, root, options != NULL ? options->project : NULL, err);
    }
    if (status == SY_OK) {
        status = refuse_any_existing(&in, err);
    }
    if (status == SY_OK) {
        status = write_all(&in, err);
    }
    if (status != SY_OK) {
        take_back(&in);
    }
    if (status == SY_OK) {
        tell(in.last, each, user);
    }
    sy_arena_destroy(in.arena);
    return status;
}
