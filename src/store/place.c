/* SPDX-License-Identifier: Apache-2.0 */
/* The file that a path means, and the folders above it. Writing is base/file.h. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/system.h"
#include "store/state.h"

#define LINKS_MAX 40 /* as many as Linux follows */

char *sy_place_append(const char *path, const char *suffix)
{
    size_t length = strlen(path);
    size_t more = strlen(suffix);
    char *text = sy_allocate(length + more + 1, 1);
    if (text != NULL) {
        memcpy(text, path, length);
        memcpy(text + length, suffix, more);
    }
    return text;
}

/* The path that a link at `path` with this target means. */
static char *follow(const char *path, const char *target)
{
    const char *slash = *target == '/' ? NULL : strrchr(path, '/');
    if (slash == NULL) {
        return sy_duplicate_text(target);
    }
    size_t folder = (size_t)(slash - path) + 1;
    char *text = sy_allocate(folder + strlen(target) + 1, 1);
    if (text != NULL) {
        memcpy(text, path, folder);
        memcpy(text + folder, target, strlen(target));
    }
    return text;
}

sy_status sy_place_resolve(const char *path, char **ret_path, sy_error *err)
{
    char target[PATH_MAX];
    char *at = sy_duplicate_text(path);
    for (int links = 0; at != NULL; links++) {
        ssize_t size = readlink(at, target, sizeof target - 1);
        if (size < 0) {
            *ret_path = at; /* no link, or nothing there */
            return SY_OK;
        }
        if (links == LINKS_MAX) {
            sy_free(at);
            return sy_fail_errno(err, SY_IO, ELOOP, "cannot resolve '%s'", path);
        }
        target[size] = '\0';
        char *next = follow(at, target);
        sy_free(at);
        at = next;
    }
    return sy_fail(err, SY_NO_MEMORY, "no memory for the path '%s'", path);
}

sy_status sy_place_make_parents(const char *path, sy_error *err)
{
    char *folder = sy_duplicate_text(path);
    if (folder == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for the path '%s'", path);
    }
    sy_status status = SY_OK;
    for (char *slash = strchr(folder + (*folder == '/'), '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        struct stat found;
        if (*folder != '\0' && sy_system_stat(folder, &found) != 0 && errno == ENOENT &&
            sy_system_mkdir(folder, 0700) != 0 && errno != EEXIST) {
            status = sy_fail_errno(err, SY_IO, errno, "cannot make the folder '%s'", folder);
            break;
        }
        *slash = '/';
    }
    sy_free(folder);
    return status;
}
