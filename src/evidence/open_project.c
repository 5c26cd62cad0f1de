/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a project's root and its folder of evidence, opens the ledger there, and reads the registry when it is asked
 * for. It records nothing by itself. */
#include "evidence/open_project.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/system.h"
#include "ledger/ledger.h"
#include "registry/matrix/settings.h"
#include "registry/registry.h"

struct sy_project {
    sy_arena *arena;
    const sy_clock *clock;
    const char *root;
    const char *evidence;
    const char *leases; /* NULL = the host's own folder */
    sy_ledger *ledger;
    sy_registry *registry; /* NULL: nobody has asked for it */
};

/* A new folder of evidence ignores all that it holds: it is kept by its digests, not by a version control system. */
static const char ignore_file[] = "*\n!.gitignore\n";

static sy_status no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory for a project");
}

static sy_status find_root(sy_project *project, const char *root, sy_error *err)
{
    char *found = NULL;
    char absolute[PATH_MAX];
    sy_status status = SY_OK;
    if (root == NULL) {
        status = sy_registry_find_root(".", &found, err);
        if (status == SY_NOT_FOUND) {
            sy_error_hint(err, "runs are recorded in a project alone: begin one with steelyard matrix init, or name "
                               "one with --root");
        }
    } else if (realpath(root, absolute) == NULL) {
        status = sy_fail_errno(err, sy_status_of_errno(errno), errno, "the root '%s'", root);
    }
    if (status == SY_OK) {
        project->root = sy_arena_copy_text(project->arena, root == NULL ? found : absolute);
        status = project->root != NULL ? SY_OK : no_memory(err);
    }
    sy_free(found);
    return status;
}

/* A root that was named must be a project, too: a ledger is never made in a folder by chance. */
static sy_status require_settings(const sy_project *project, sy_error *err)
{
    struct stat facts;
    const char *path = sy_arena_format(project->arena, "%s/%s", project->root, SY_SETTINGS_FILE);
    if (path == NULL) {
        return no_memory(err);
    }
    if (sy_system_stat(path, &facts) != 0) {
        sy_status status = sy_fail_errno(err, sy_status_of_errno(errno), errno, "%s", path);
        sy_error_hint(err, "runs are recorded in a project alone: begin one with steelyard matrix init");
        return status;
    }
    return SY_OK;
}

/* Why steelyard.json gave no bytes; when it gives them now, memory was short. */
static sy_status explain_unread(sy_project *project, sy_error *err)
{
    char *bytes = NULL;
    size_t size = 0;
    const char *path = sy_arena_format(project->arena, "%s/" SY_SETTINGS_FILE, project->root);
    sy_status status = path != NULL ? sy_file_read(path, 0, &bytes, &size, err) : SY_OK;
    sy_free(bytes);
    return status != SY_OK ? status : no_memory(err);
}

/* What steelyard.json says of the folder; one that cannot be understood must not lead to a ledger in another place. */
static sy_status read_folder(sy_project *project, sy_error *err)
{
    sy_registry *registry = NULL;
    sy_status status = sy_registry_open_with(project->root, 0, NULL, 0, &registry, err);
    if (status != SY_OK) {
        return status;
    }
    const sy_settings *settings = registry->settings;
    const sy_json *json = settings->document != NULL ? settings->document->json : NULL;
    const sy_json_value *root = json != NULL ? sy_json_root(json) : NULL;
    const sy_json_value *files = root != NULL ? sy_json_member(root, "files") : NULL;
    bool whole = root != NULL && root->kind == SY_JSON_OBJECT && !sy_json_is_cut(json, root) &&
                 (files == NULL || files->kind == SY_JSON_OBJECT);
    if (settings->document != NULL && settings->document->bytes == NULL) {
        status = explain_unread(project, err);
    } else if (!whole || sy_json_member(files, "evidence") != settings->evidence_at) {
        status = sy_fail(err, SY_CORRUPT, "%s/" SY_SETTINGS_FILE " does not say where evidence is kept", project->root);
        sy_error_hint(err, "steelyard matrix validate names what is wrong in it");
    } else {
        const char *folder = settings->evidence;
        project->evidence = folder[0] == '/' ? sy_arena_copy_text(project->arena, folder)
                                             : sy_arena_format(project->arena, "%s/%s", project->root, folder);
        status = project->evidence != NULL ? SY_OK : no_memory(err);
    }
    sy_registry_close(registry);
    return status;
}

static sy_status find_evidence(sy_project *project, const char *named, sy_error *err)
{
    if (named == NULL) {
        return read_folder(project, err);
    }
    project->evidence = sy_arena_copy_text(project->arena, named);
    return project->evidence != NULL ? SY_OK : no_memory(err);
}

/* Before the ledger is made, so that no system of version control ever sees one without it. */
static sy_status write_ignore_file(const sy_project *project, sy_error *err)
{
    struct stat facts;
    sy_file_write_options options = SY_FILE_WRITE_OPTIONS_INIT;
    options.refuse_existing = true;
    const char *database = sy_arena_format(project->arena, "%s/ledger.sqlite", project->evidence);
    const char *path = sy_arena_format(project->arena, "%s/.gitignore", project->evidence);
    if (database == NULL || path == NULL) {
        return no_memory(err);
    }
    if (sy_system_stat(database, &facts) == 0 || sy_system_lstat(path, &facts) == 0) {
        return SY_OK;
    }
    sy_status status = sy_file_write(path, ignore_file, sizeof ignore_file - 1, &options, err);
    return status == SY_REFUSED ? SY_OK : status;
}

static sy_status open_ledger(sy_project *project, const sy_project_options *options, sy_error *err)
{
    sy_ledger_options ledger = SY_LEDGER_OPTIONS_INIT;
    ledger.folder = project->evidence;
    ledger.create = options->create && !options->read_only;
    ledger.read_only = options->read_only;
    ledger.wait_ns = options->wait_ns;
    sy_status status = ledger.create ? write_ignore_file(project, err) : SY_OK;
    if (status == SY_OK) {
        status = sy_ledger_open_with(&ledger, project->clock, &project->ledger, err);
    }
    if (status == SY_NOT_FOUND && options->may_lack_ledger && options->evidence == NULL) {
        return SY_OK;
    }
    if (status == SY_NOT_FOUND) {
        (void)sy_fail(err, SY_NOT_FOUND, "no ledger in %s", project->evidence);
        sy_error_hint(err, "the first run that is recorded makes it; if it is kept elsewhere, name the folder with "
                           "--evidence");
    }
    return status;
}

sy_status sy_project_open_with(const sy_project_options *options, const sy_clock *clock, sy_project **ret_project,
                               sy_error *err)
{
    const sy_project_options defaults = SY_PROJECT_OPTIONS_INIT;
    options = options != NULL ? options : &defaults;
    if (options->struct_size != sizeof *options) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "struct_size of the options of a project");
    }
    sy_project *project = sy_allocate(1, sizeof *project);
    if (project == NULL) {
        return no_memory(err);
    }
    project->clock = clock;
    project->arena = sy_arena_create(0);
    sy_status status = project->arena != NULL ? SY_OK : no_memory(err);
    if (status == SY_OK && options->leases != NULL) {
        project->leases = sy_arena_copy_text(project->arena, options->leases);
        status = project->leases != NULL ? SY_OK : no_memory(err);
    }
    if (status == SY_OK) {
        status = find_root(project, options->root, err);
    }
    if (status == SY_OK) {
        status = require_settings(project, err);
    }
    if (status == SY_OK) {
        status = find_evidence(project, options->evidence, err);
    }
    if (status == SY_OK) {
        status = open_ledger(project, options, err);
    }
    if (status != SY_OK) {
        sy_project_close(project);
        return status;
    }
    *ret_project = project;
    return SY_OK;
}

sy_status sy_project_open(const sy_project_options *options, sy_project **ret_project, sy_error *err)
{
    return sy_project_open_with(options, &sy_clock_system, ret_project, err);
}

void sy_project_close(sy_project *project)
{
    if (project == NULL) {
        return;
    }
    sy_registry_close(project->registry);
    sy_ledger_close(project->ledger);
    sy_arena_destroy(project->arena);
    sy_free(project);
}

const char *sy_project_root(const sy_project *project)
{
    return project->root;
}

const char *sy_project_evidence(const sy_project *project)
{
    return project->evidence;
}

const char *sy_project_leases(const sy_project *project)
{
    return project->leases;
}

sy_ledger *sy_project_ledger(sy_project *project)
{
    return project->ledger;
}

const char *sy_project_keep_text(sy_project *project, const char *text)
{
    return sy_arena_copy_text(project->arena, text);
}

sy_status sy_project_find_run(sy_project *project, const char *id, sy_arena *arena, const char **ret_id, sy_error *err)
{
    sy_run *run = NULL;
    sy_status status = sy_ledger_run(project->ledger, id, &run, err);
    if (status != SY_OK) {
        return status;
    }
    const char *whole = sy_arena_copy_text(arena, run->row.id);
    sy_run_destroy(run);
    if (whole == NULL) {
        return no_memory(err);
    }
    *ret_id = whole;
    return SY_OK;
}

const sy_clock *sy_project_clock(const sy_project *project)
{
    return project->clock;
}

sy_status sy_project_registry(sy_project *project, sy_registry **ret_registry, sy_error *err)
{
    if (project->registry == NULL) {
        sy_status status = sy_registry_open(project->root, SY_REGISTRY_ALL, &project->registry, err);
        if (status != SY_OK) {
            return status;
        }
    }
    *ret_registry = project->registry;
    return SY_OK;
}
