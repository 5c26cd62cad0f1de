/* SPDX-License-Identifier: Apache-2.0 */
/* Which file a program's name means: looked for once, before anything is timed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/command/command_run.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#define STANDARD_PATH "/usr/local/bin:/usr/bin:/bin" /* where there is no PATH */

/* The value of a variable in a list; NULL. */
static const char *variable(const char *const *environment, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; environment[i]; i++) {
        if (strncmp(environment[i], name, length) == 0 && environment[i][length] == '=')
            return environment[i] + length + 1;
    }
    return NULL;
}

/* 0, or the errno that exec would give for path as seen from directory. */
static int why_not(const char *path, const char *directory)
{
    sy_text text = SY_TEXT_INIT;
    struct stat info;
    int error = 0;
    if (path[0] != '/' && directory)
        sy_text_append_format(&text, "%s/%s", directory, path);
    else
        sy_text_append(&text, path);
    if (text.failed)
        error = ENOMEM;
    else if (stat(text.bytes, &info) == 0 && S_ISDIR(info.st_mode))
        error = EISDIR;
    else if (access(text.bytes, X_OK) != 0)
        error = errno;
    sy_text_finish(&text);
    return error;
}

static sy_status explain(const char *program, int error, const char *path_variable, sy_error *err)
{
    if (error == ENOMEM)
        return sy_fail(err, SY_NO_MEMORY, "no memory to look for '%s'", program);
    if (error == ENOENT && path_variable) {
        (void)sy_fail(err, SY_NOT_FOUND, "cannot start '%s': no program of that name in PATH", program);
        sy_error_hint(err, "a program elsewhere is named by its path, ./%.60s; PATH is %.120s%s", program,
                      path_variable, strlen(path_variable) > 120 ? "..." : "");
        return SY_NOT_FOUND;
    }
    sy_status status = error == ENOENT || error == ENOTDIR ? SY_NOT_FOUND : SY_IO;
    (void)sy_fail_errno(err, status, error, "cannot start '%s'", program);
    if (error == EACCES)
        sy_error_hint(err, "chmod +x makes a file executable");
    return status;
}

/* Tries path; true when it is what was looked for (ret_path, or no memory). error keeps the most telling reason. */
static bool try_path(const char *path, const char *directory, char **ret_path, int *error)
{
    int reason = why_not(path, directory);
    if (reason == 0) {
        *ret_path = sy_duplicate_text(path);
        *error = *ret_path ? 0 : ENOMEM;
        return true;
    }
    if (*error == ENOENT && reason != ENOTDIR)
        *error = reason; /* a file that may not be run tells more than one that is not there */
    return reason == ENOMEM;
}

sy_status sy_command_find(const char *program, const char *const *environment, const char *directory, char **ret_path,
                          sy_error *err)
{
    const char *path = variable(environment ? environment : (const char *const *)environ, "PATH");
    char *found = NULL;
    int error = ENOENT;
    if (!path)
        path = STANDARD_PATH;
    if (!program[0])
        return sy_fail(err, SY_INVALID_ARGUMENT, "no program to start");
    if (strchr(program, '/')) {
        if (!try_path(program, directory, &found, &error) || error)
            return explain(program, error, NULL, err);
        *ret_path = found;
        return SY_OK;
    }
    for (const char *at = path;; at++) {
        size_t length = strcspn(at, ":");
        sy_text text = SY_TEXT_INIT;
        sy_text_append_format(&text, "%.*s/%s", length ? (int)length : 1, length ? at : ".", program);
        bool ends = text.failed || try_path(text.bytes, directory, &found, &error);
        if (text.failed)
            error = ENOMEM;
        sy_text_finish(&text);
        at += length;
        if (ends || *at == '\0')
            break;
    }
    if (!found)
        return explain(program, error, path, err);
    *ret_path = found;
    return SY_OK;
}
