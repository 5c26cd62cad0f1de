/* SPDX-License-Identifier: Apache-2.0 */
/* Where profiles are: the default path as a pure function of platform and environment, and the layers that options and
 * environment name. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/system.h"
#include "base/text.h"
#include "store/state.h"

#define NONE_WRITABLE "%snone writable (%s): decisions are kept for this process only"

/* The value of a variable; NULL when it is unset or empty. */
static const char *variable(const char *const *environment, const char *name)
{
    size_t size = strlen(name);
    for (; *environment != NULL; environment++) {
        if (strncmp(*environment, name, size) == 0 && (*environment)[size] == '=') {
            const char *value = *environment + size + 1;
            return *value == '\0' ? NULL : value;
        }
    }
    return NULL;
}

static bool is_separator(sy_platform platform, char c)
{
    return c == '/' || (platform == SY_PLATFORM_WINDOWS && c == '\\');
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* POSIX: "/..."; Windows: "C:\...", "\\server\...". */
static bool is_absolute(sy_platform platform, const char *path)
{
    if (platform == SY_PLATFORM_POSIX) {
        return *path == '/';
    }
    return (is_letter(path[0]) && path[1] == ':' && is_separator(platform, path[2])) ||
           (is_separator(platform, path[0]) && is_separator(platform, path[1]));
}

/* The length without separators at the end. */
static size_t trimmed_length(sy_platform platform, const char *path)
{
    size_t length = strlen(path);
    while (length > 0 && is_separator(platform, path[length - 1])) {
        length--;
    }
    return length;
}

static bool is_root(sy_platform platform, const char *path)
{
    size_t length = trimmed_length(platform, path);
    return length == 0 || (platform == SY_PLATFORM_WINDOWS && length == 2 && path[1] == ':');
}

/* Appends "<folder><separator>..." for each name. */
static void build_path(sy_text *path, sy_platform platform, const char *folder, bool in_cache)
{
    const char *separator = platform == SY_PLATFORM_WINDOWS ? "\\" : "/";
    const char *const names[] = {in_cache ? ".cache" : NULL, "steelyard", "profiles"};
    sy_text_append_bytes(path, folder, trimmed_length(platform, folder));
    for (size_t i = 0; i < 3; i++) {
        if (names[i] != NULL) {
            sy_text_append(path, separator);
            sy_text_append(path, names[i]);
        }
    }
}

static void add_note(sy_text *note, const char *name, const char *value, const char *why)
{
    sy_text_append_format(note, "%s%s '%.60s' %s and is passed over", note->length > 0 ? "; " : "", name, value, why);
}

/* The folder that a variable names, if it can be used. */
static const char *usable(const char *const *environment, sy_platform platform, const char *name, sy_text *note)
{
    const char *value = variable(environment, name);
    if (value == NULL) {
        return NULL;
    }
    if (!is_absolute(platform, value)) {
        add_note(note, name, value, "is not absolute");
        return NULL;
    }
    if (is_root(platform, value)) {
        add_note(note, name, value, "is the root folder");
        return NULL;
    }
    return value;
}

sy_status sy_store_default_path(sy_platform platform, const char *const *environment, char **ret_path, char **ret_note,
                                sy_error *err)
{
    sy_text path = SY_TEXT_INIT;
    sy_text note = SY_TEXT_INIT;
    const char *const *variables = environment == NULL ? (const char *const *)environ : environment;
    const char *folder = platform == SY_PLATFORM_WINDOWS ? usable(variables, platform, "LOCALAPPDATA", &note) : NULL;
    if (folder == NULL) {
        folder = usable(variables, platform, "XDG_CACHE_HOME", &note);
    }
    bool in_cache = folder == NULL;
    if (folder == NULL) {
        folder = usable(variables, platform, "HOME", &note);
    }
    if (folder != NULL) {
        build_path(&path, platform, folder, in_cache);
    } else {
        sy_text_append_format(&note, NONE_WRITABLE, note.length > 0 ? "; " : "", "no home folder");
    }
    char *path_text = folder == NULL ? NULL : sy_text_take(&path);
    char *note_text = sy_text_take(&note);
    sy_text_finish(&path);
    if ((folder != NULL && path_text == NULL) || note_text == NULL) {
        sy_free(path_text);
        sy_free(note_text);
        return sy_fail(err, SY_NO_MEMORY, "no memory for the default path");
    }
    *ret_path = path_text;
    *ret_note = note_text;
    return SY_OK;
}

/* The home folder itself is never made: one that is not there is a container without a home. */
static bool home_is_missing(const char *path, const char *const *variables)
{
    const char *home = variable(variables, "HOME");
    size_t length = home == NULL ? 0 : trimmed_length(SY_PLATFORM_POSIX, home);
    struct stat status;
    return length > 0 && strncmp(path, home, length) == 0 && sy_system_stat(home, &status) != 0 && errno == ENOENT;
}

/* 0 when the file is there, or the folders up to it can be made; else the errno of what forbids it. path: absolute, and
 * cut while it is walked up. */
static int cannot_be_reached(char *path)
{
    struct stat status;
    bool first = true;
    while (sy_system_stat(path, &status) != 0) {
        char *slash = strrchr(path, '/');
        if (errno != ENOENT) {
            return errno;
        }
        if (slash == NULL || slash == path) {
            return ENOENT;
        }
        *slash = '\0';
        first = false;
    }
    if (first) {
        return 0;
    }
    if (!S_ISDIR(status.st_mode)) {
        return ENOTDIR;
    }
    return faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

/* Why nothing can be kept at the default path; "" = it can. A home of somebody else, a full or read-only one: normal in
 * containers. */
static sy_status judge_place(const char *path, const char *const *variables, char why[256], sy_error *err)
{
    why[0] = '\0';
    if (home_is_missing(path, variables)) {
        sy_text_copy(why, 256, "the home folder does not exist");
        return SY_OK;
    }
    char *copy = sy_duplicate_text(path);
    if (copy == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for the store's path");
    }
    int error = cannot_be_reached(copy);
    sy_free(copy);
    if (error != 0) {
        sy_error reason;
        (void)sy_fail_errno(&reason, SY_IO, error, "'%.120s'", path);
        sy_text_copy(why, 256, reason.what);
    }
    return SY_OK;
}

/* The user's own place, or NULL with a note. */
static sy_status choose_default(const char *const *environment, char **ret_path, sy_text *note, sy_error *err)
{
    const char *const *variables = environment == NULL ? (const char *const *)environ : environment;
    char *path = NULL;
    char *text = NULL;
    char why[256] = "";
    sy_status status = sy_store_default_path(SY_PLATFORM_POSIX, environment, &path, &text, err);
    if (status != SY_OK) {
        return status;
    }
    sy_text_append(note, text);
    sy_free(text);
    if (path != NULL) {
        status = judge_place(path, variables, why, err);
    }
    if (why[0] != '\0') {
        sy_text_append_format(note, NONE_WRITABLE, note->length > 0 ? "; " : "", why);
    }
    if (status != SY_OK || why[0] != '\0') {
        sy_free(path);
        path = NULL;
    }
    *ret_path = path;
    return status;
}

/* The writable path: the caller's, the default, or "" with a note. */
static sy_status choose_path(const sy_store_options *options, char **ret_path, sy_text *note, sy_error *err)
{
    char *path = NULL;
    sy_status status = SY_OK;
    if (options->persistence && options->path != NULL) {
        path = sy_duplicate_text(options->path);
    } else if (options->persistence) {
        status = choose_default(options->environment, &path, note, err);
    }
    if (status == SY_OK && path == NULL && (options->path == NULL || !options->persistence)) {
        path = sy_duplicate_text("");
    }
    if (status == SY_OK && path == NULL) {
        status = sy_fail(err, SY_NO_MEMORY, "no memory for the store's path");
    }
    if (status == SY_OK) {
        *ret_path = path;
    }
    return status;
}

/* One more read-only layer, unless it is named already. */
static bool add_layer(sy_layer **layers, uint32_t *count, const char *path, size_t length)
{
    for (uint32_t i = 0; i < *count; i++) {
        if (strlen((*layers)[i].path) == length && memcmp((*layers)[i].path, path, length) == 0) {
            return true;
        }
    }
    sy_layer *more = sy_reallocate(*layers, (size_t)*count + 1, sizeof *more);
    if (more == NULL) {
        return false;
    }
    *layers = more;
    memset(&more[*count], 0, sizeof *more);
    more[*count].path = sy_allocate(length + 1, 1);
    if (more[*count].path == NULL) {
        return false;
    }
    memcpy(more[*count].path, path, length);
    (*count)++;
    return true;
}

/* What is relative would be another file in each folder, somebody else's among them. */
static bool add_environment_layers(const char *const *environment, sy_layer **layers, uint32_t *count, sy_text *note)
{
    const char *const *variables = environment == NULL ? (const char *const *)environ : environment;
    const char *at = variable(variables, "STEELYARD_PROFILE_PATH");
    while (at != NULL) {
        const char *colon = strchr(at, ':');
        size_t length = colon == NULL ? strlen(at) : (size_t)(colon - at);
        if (length > 0 && *at != '/') {
            sy_text_append_format(note, "%s'%.*s' of STEELYARD_PROFILE_PATH is not absolute and is passed over",
                                  note->length > 0 ? "; " : "", (int)(length < 60 ? length : 60), at);
        } else if (length > 0 && !add_layer(layers, count, at, length)) {
            return false;
        }
        at = colon == NULL ? NULL : colon + 1;
    }
    return true;
}

sy_status sy_places_of_options(const sy_store_options *options, sy_layer **ret_layers, uint32_t *ret_count,
                               char note[256], sy_error *err)
{
    sy_layer *layers = NULL;
    uint32_t count = 0;
    char *path = NULL;
    sy_text said = SY_TEXT_INIT;
    note[0] = '\0';
    sy_status status = choose_path(options, &path, &said, err);
    if (status != SY_OK) {
        sy_text_finish(&said);
        return status;
    }
    bool whole = add_layer(&layers, &count, path, strlen(path));
    sy_free(path);
    for (size_t i = 0; whole && options->persistence && i < options->layer_count; i++) {
        whole = *options->layers[i] == '\0' ||
                add_layer(&layers, &count, options->layers[i], strlen(options->layers[i]));
    }
    if (whole && options->persistence && options->environment_layers) {
        whole = add_environment_layers(options->environment, &layers, &count, &said);
    }
    sy_text_copy(note, 256, sy_text_bytes(&said));
    sy_text_finish(&said);
    if (!whole) {
        for (uint32_t i = 0; i < count; i++) {
            sy_free(layers[i].path);
        }
        sy_free(layers);
        return sy_fail(err, SY_NO_MEMORY, "no memory for the store's layers");
    }
    *ret_layers = layers;
    *ret_count = count;
    return SY_OK;
}
