/* SPDX-License-Identifier: Apache-2.0 */
/* Files of a command: its streams, what it named, and what an importer reads. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/system.h"
#include "evidence/exec/exec_inside.h"

#define MOST_FILE_BYTES ((uint64_t)256 << 20)
#define SHOWN_REJECTS 5

/* What cannot be kept, on a full disk, is told, and takes nothing with it of what was measured. */
static sy_status keep(sy_exec *exec, sy_artifact_role role, const char *name, const char *bytes, size_t size,
                      sy_error *err)
{
    char digest[65];
    sy_error problem = SY_ERROR_INIT;
    if (sy_ledger_keep(exec->ledger, bytes, size, digest, &problem) != SY_OK)
        return sy_exec_remark(exec, err, "file '%s' is not kept: %s", name, problem.what);
    sy_run_artifact artifact = {role, name, digest, size};
    exec->result->artifact_count++;
    return sy_event_list_artifact(&exec->events, &artifact, err);
}

static sy_status keep_log(sy_exec *exec, const sy_exec_command *command, const sy_exec_log *log, const char *stream,
                          sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_status status = SY_OK;
    if (log->total == 0)
        return SY_OK;
    sy_exec_log_write(log, &text);
    /* What is cut may begin in the middle of a character or a path: it is cleaned as it stands. */
    const char *clean = text.failed ? NULL : sy_exec_clean(&exec->cleaner, sy_text_bytes(&text));
    const char *name = sy_arena_format(exec->arena, "%s.%s", command->phase, stream);
    if (clean == NULL || name == NULL)
        status = sy_fail(err, SY_NO_MEMORY, "no memory for the output of a command");
    else
        status = keep(exec, SY_ARTIFACT_LOG, name, clean, strlen(clean), err);
    sy_text_finish(&text);
    return status;
}

sy_status sy_exec_keep_logs(sy_exec *exec, const sy_exec_command *command, const sy_exec_child *child, sy_error *err)
{
    sy_status status = keep_log(exec, command, &child->out, "stdout", err);
    return status == SY_OK ? keep_log(exec, command, &child->error, "stderr", err) : status;
}

/* path as seen from the folder of a command. NULL: no memory. */
static const char *path_from(const sy_exec *exec, const sy_exec_command *command, const char *path)
{
    return path[0] == '/' || command->directory == NULL
               ? path
               : sy_arena_format(exec->arena, "%s/%s", command->directory, path);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

static const char *name_private(sy_private_kind kind)
{
    return kind == SY_PRIVATE_PATH ? "a path into somebody's home" : "a secret";
}

/* Keeps a file's bytes as they are, unless something private stands in them: then it is told that they are not. */
static sy_status keep_bytes(sy_exec *exec, sy_artifact_role role, const char *raw_name, const char *bytes, size_t size,
                            sy_error *err)
{
    const char *name = sy_exec_clean(&exec->cleaner, raw_name);
    if (name == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for a file of a command");
    sy_private_kind kind = sy_exec_find_private(&exec->cleaner, bytes, size);
    if (kind != SY_PRIVATE_NONE)
        return sy_exec_remark(exec, err, "file '%s' is not kept: %s stands in it", name, name_private(kind));
    return keep(exec, role, name, bytes, size, err);
}

/* What a control leaves is no file of the session. NULL: no memory. */
static const char *name_file(const sy_exec *exec, const sy_exec_command *command, const char *path)
{
    return command != &exec->control ? base_name(path)
                                     : sy_arena_format(exec->arena, "%s.%s", command->phase, base_name(path));
}

static sy_status keep_file(sy_exec *exec, const sy_exec_command *command, const sy_protocol_file *file, sy_error *err)
{
    sy_error problem = SY_ERROR_INIT;
    char *bytes = NULL;
    size_t size = 0;
    const char *path = path_from(exec, command, file->path);
    const char *raw_name = name_file(exec, command, file->path);
    const char *name = raw_name == NULL ? NULL : sy_exec_clean(&exec->cleaner, raw_name);
    if (path == NULL || name == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for a file of a command");
    if (sy_file_read(path, MOST_FILE_BYTES, &bytes, &size, &problem) != SY_OK)
        return sy_exec_remark(exec, err, "file '%s' is not kept: %s", name, problem.what);
    sy_status status = keep_bytes(exec, file->role, raw_name, bytes, size, err);
    sy_free(bytes);
    return status;
}

sy_status sy_exec_keep_files(sy_exec *exec, const sy_exec_command *command, const sy_protocol_account *account,
                             sy_error *err)
{
    sy_status status = SY_OK;
    for (size_t i = 0; status == SY_OK && i < account->file_count; i++)
        status = keep_file(exec, command, &account->files[i], err);
    return status;
}

/* "my_prog{seed=1}": rows of one name with other parameters are others. NULL: no memory. */
static const char *name_row(const sy_exec *exec, const sy_imported_row *row)
{
    sy_text text = SY_TEXT_INIT;
    sy_text_append(&text, row->name);
    for (size_t i = 0; i < row->parameter_count; i++)
        sy_text_append_format(&text, "%s%s=%s", i == 0 ? "{" : ",", row->parameters[i].name,
                              row->parameters[i].value != NULL ? row->parameters[i].value : "");
    sy_text_append(&text, row->parameter_count > 0 ? "}" : "");
    const char *whole = text.failed ? NULL : sy_arena_copy_text(exec->arena, sy_text_bytes(&text));
    sy_text_finish(&text);
    return whole != NULL ? sy_exec_clean(&exec->cleaner, whole) : NULL;
}

/* One row of another tool's file: its series, by the row's name, and what a reader should know of it. */
static sy_status add_row(sy_exec *exec, const sy_exec_command *command, const sy_imported_row *row, sy_error *err)
{
    sy_status status = SY_OK;
    const char *name = name_row(exec, row);
    if (name == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for imported series");
    if (row->failed)
        status = sy_exec_remark(exec, err, "'%s' failed: %s", name, row->reason);
    for (size_t i = 0; status == SY_OK && i < row->note_count; i++)
        status = sy_exec_remark(exec, err, "'%s': %s", name, row->notes[i]);
    for (size_t i = 0; status == SY_OK && i < row->series_count; i++) {
        sy_run_series series = row->series[i];
        series.name = sy_exec_clean(&exec->cleaner, series.name);
        series.case_name = series.case_name == NULL || series.case_name[0] == '\0'
                               ? name
                               : sy_exec_clean(&exec->cleaner, series.case_name);
        series.implementation = sy_exec_clean(&exec->cleaner, series.implementation);
        series.note = sy_exec_clean(&exec->cleaner, series.note);
        if (series.name == NULL || series.case_name == NULL || series.implementation == NULL || series.note == NULL)
            return sy_fail(err, SY_NO_MEMORY, "no memory for imported series");
        status = sy_exec_add_series(exec, command, &series, err);
    }
    return status;
}

/* What was not understood, and what is to be known of the file as a whole. */
static sy_status add_account(sy_exec *exec, const sy_imported *imported, const char *file, sy_error *err)
{
    sy_status status = SY_OK;
    for (size_t i = 0; status == SY_OK && i < imported->note_count; i++)
        status = sy_exec_remark(exec, err, "'%s': %s", file, imported->notes[i]);
    if (status == SY_OK && imported->reject_count > 0)
        status = sy_exec_remark(exec, err, "%zu pieces of '%s' were not understood", imported->reject_count, file);
    for (size_t i = 0; status == SY_OK && i < imported->reject_count && i < SHOWN_REJECTS; i++) {
        const sy_import_reject *reject = &imported->rejects[i];
        status = sy_exec_remark(exec, err, "'%s', line %llu, column %llu: %s", file,
                                (unsigned long long)reject->position.line, (unsigned long long)reject->position.column,
                                reject->what);
    }
    return status;
}

/* NULL: no memory. */
static const char *import_path(const sy_exec *exec, const sy_exec_command *command, size_t i)
{
    return path_from(exec, command, strchr(exec->options->imports[i], ':') + 1);
}

sy_status sy_exec_look_at_imports(sy_exec *exec, const sy_exec_command *command, sy_error *err)
{
    size_t count = exec->options->import_count;
    exec->before = sy_arena_allocate(exec->arena, count + 1, sizeof(*exec->before));
    if (exec->imported == NULL) /* of the command and of its control */
        exec->imported = sy_arena_allocate(exec->arena, 2 * count + 1, sizeof(*exec->imported));
    for (size_t i = 0; exec->before != NULL && i < count; i++) {
        const char *path = import_path(exec, command, i);
        if (path == NULL)
            return sy_fail(err, SY_NO_MEMORY, "no memory for imported series");
        if (sy_system_stat(path, &exec->before[i]) != 0)
            exec->before[i].st_nlink = 0;
    }
    return exec->before == NULL || exec->imported == NULL ? sy_fail(err, SY_NO_MEMORY, "no memory for imported series")
                                                          : SY_OK;
}

/* No clock is asked: a file that was written has another time of change, whoever's clock gave it. */
static bool is_as_before(const struct stat *before, const char *path)
{
    struct stat now;
    return before->st_nlink != 0 && sy_system_stat(path, &now) == 0 && before->st_dev == now.st_dev &&
           before->st_ino == now.st_ino && before->st_size == now.st_size &&
           before->st_ctim.tv_sec == now.st_ctim.tv_sec && before->st_ctim.tv_nsec == now.st_ctim.tv_nsec;
}

/* SY_REFUSED: the file is as it was before the command; SY_CORRUPT and so on: it cannot be read. */
static sy_status import_file(sy_exec *exec, const sy_exec_command *command, size_t which, sy_error *err)
{
    const char *format_and_file = exec->options->imports[which];
    sy_import_options options = SY_IMPORT_OPTIONS_INIT;
    char word[32] = "";
    size_t length = strcspn(format_and_file, ":");
    memcpy(word, format_and_file, length < sizeof(word) ? length : sizeof(word) - 1);
    (void)sy_import_format_read(word, &options.format);
    const char *path = import_path(exec, command, which);
    const char *name = path == NULL ? NULL : name_file(exec, command, path);
    sy_imported *imported = NULL;
    if (name == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for imported series");
    if (is_as_before(&exec->before[which], path))
        return sy_fail(err, SY_REFUSED, "'%.200s' was there before the command, which did not write it",
                       base_name(path));
    sy_status status = sy_import_read(path, &options, &imported, err);
    if (status != SY_OK)
        return status;
    exec->imported[exec->imported_count++] = imported;
    for (size_t i = 0; status == SY_OK && i < imported->row_count; i++)
        status = add_row(exec, command, &imported->rows[i], err);
    if (status == SY_OK)
        status = add_account(exec, imported, base_name(path), err);
    return status == SY_OK ? keep_bytes(exec, SY_ARTIFACT_SOURCE, name, imported->bytes, imported->size, err) : status;
}

sy_status sy_exec_import(sy_exec *exec, const sy_exec_command *command, const char **reason, sy_error *err)
{
    for (size_t i = 0; i < exec->options->import_count && (*reason)[0] == '\0'; i++) {
        sy_error problem = SY_ERROR_INIT;
        sy_status status = import_file(exec, command, i, &problem);
        if (status == SY_NO_MEMORY)
            return sy_fail(err, status, "%s", problem.what);
        if (status != SY_OK)
            *reason = sy_arena_format(exec->arena, "import: %s", problem.what);
        if (*reason == NULL)
            return sy_fail(err, SY_NO_MEMORY, "no memory for the end of a run");
    }
    return SY_OK;
}
