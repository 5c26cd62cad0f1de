/* SPDX-License-Identifier: Apache-2.0 */
/* The one durable writer: temporary sibling, read back, fsync, rename, fsync of the folder. A path that cannot be
 * replaced goes to file_journal.c. */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file/file_inside.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/system.h"
#include "base/text.h"

#define LONGEST_LINK_CHAIN 40 /* Linux's own limit */

typedef sy_file_job job;

static sy_status no_memory(const char *path, sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory to handle '%s'", path);
}

char *sy_file_folder(sy_arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL) {
        return sy_arena_copy_text(arena, ".");
    }
    return sy_arena_copy_bytes(arena, path, slash == path ? 1 : (size_t)(slash - path));
}

sy_status sy_file_resolve(sy_arena *arena, const char *path, const char **ret_target, sy_error *err)
{
    for (int links = 0; links <= LONGEST_LINK_CHAIN; links++) {
        struct stat stat;
        if (sy_system_lstat(path, &stat) != 0 || !S_ISLNK(stat.st_mode)) {
            *ret_target = path;
            return SY_OK;
        }
        char next[4096];
        ssize_t length = readlink(path, next, sizeof next - 1);
        if (length < 0 || (size_t)length == sizeof next - 1) {
            return sy_fail_errno(err, SY_IO, length < 0 ? errno : ENAMETOOLONG, "cannot follow the link '%s'", path);
        }
        next[length] = '\0';
        const char *folder = sy_file_folder(arena, path);
        path = next[0] == '/' || folder == NULL ? sy_arena_copy_text(arena, next)
                                                : sy_arena_format(arena, "%s/%s", folder, next);
        if (path == NULL || folder == NULL) {
            return sy_fail(err, SY_NO_MEMORY, "no memory to follow a link");
        }
    }
    return sy_fail_errno(err, SY_IO, ELOOP, "cannot follow the link '%s'", path);
}

int sy_file_sync_folder(const char *folder)
{
    int fd = sy_system_open(folder, O_RDONLY | O_DIRECTORY, 0);
    if (fd < 0) {
        /* A folder may be written but not read; its entries then become durable when the kernel pleases. */
        return errno == EACCES ? 0 : errno;
    }
    int error = sy_system_fsync(fd) == 0 ? 0 : errno;
    (void)sy_system_close(fd);
    return error == EINVAL || error == ENOTSUP ? 0 : error;
}

static bool same_bytes(int fd, const char *bytes, size_t size, int *ret_error)
{
    *ret_error = EIO;
    if (lseek(fd, 0, SEEK_SET) != 0) {
        return false;
    }
    char read_back[16384];
    bool same = true;
    while (same && size > 0) {
        size_t wanted = size < sizeof read_back ? size : sizeof read_back;
        ssize_t got = sy_system_read(fd, read_back, wanted);
        if (got <= 0) {
            *ret_error = got < 0 ? errno : EIO;
            return false;
        }
        same = memcmp(read_back, bytes, (size_t)got) == 0;
        bytes += got;
        size -= (size_t)got;
    }
    /* It may have been a secret. */
    explicit_bzero(read_back, sizeof read_back);
    return same;
}

sy_status sy_file_fill(int fd, const char *path, const void *bytes, size_t size, sy_error *err)
{
    sy_status status = sy_file_write_descriptor(fd, bytes, size, err);
    if (status != SY_OK) {
        sy_error_prefix(err, "'%s'", path);
        return status;
    }
    int error;
    if (sy_system_ftruncate(fd, (off_t)size) != 0) {
        return sy_fail_errno(err, SY_IO, errno, "cannot set the size of '%s'", path);
    }
    if (!same_bytes(fd, bytes, size, &error)) {
        return sy_fail_errno(err, SY_IO, error, "'%s' does not read back as it was written", path);
    }
    if (sy_system_fsync(fd) != 0) {
        return sy_fail_errno(err, SY_IO, errno, "cannot synchronise '%s'", path);
    }
    return SY_OK;
}

/* Another one may make it meanwhile. */
static sy_status make_folder(sy_arena *arena, const char *path, sy_error *err)
{
    struct stat stat;
    const char *parent = sy_file_folder(arena, path);
    if (parent == NULL) {
        return no_memory(path, err);
    }
    if (sy_system_mkdir(path, sy_file_mode_of_new_folder(parent)) == 0) {
        int error = sy_file_sync_folder(parent);
        return error == 0 ? SY_OK : sy_fail_errno(err, SY_IO, error, "cannot make the folder '%s'", path);
    }
    int error = errno;
    if (error == EEXIST || sy_system_stat(path, &stat) == 0) {
        return SY_OK;
    }
    return sy_fail_errno(err, SY_IO, error, "cannot make the folder '%s'", path);
}

/* Makes every missing folder down to path, each one's entry durable. */
static sy_status make_folders(sy_arena *arena, const char *path, sy_error *err)
{
    struct stat stat;
    if (sy_system_stat(path, &stat) == 0) {
        return SY_OK; /* what is not a folder fails where it is used as one */
    }
    char *whole = sy_arena_copy_text(arena, path);
    if (whole == NULL) {
        return no_memory(path, err);
    }
    for (char *slash = whole + strspn(whole, "/");; slash++) {
        slash += strcspn(slash, "/");
        bool last = *slash == '\0';
        *slash = '\0';
        if (sy_system_stat(whole, &stat) != 0) {
            sy_status status = make_folder(arena, whole, err);
            if (status != SY_OK) {
                return status;
            }
        }
        if (last) {
            return SY_OK;
        }
        *slash = '/';
    }
}

sy_status sy_file_make_parents(const char *path, sy_error *err)
{
    sy_arena *arena = sy_arena_create(0);
    const char *folder = arena == NULL ? NULL : sy_file_folder(arena, path);
    sy_status status = folder == NULL ? no_memory(path, err) : make_folders(arena, folder, err);
    sy_arena_destroy(arena);
    return status;
}

sy_status sy_file_make_empty(const char *path, sy_error *err)
{
    sy_status status = sy_file_make_parents(path, err);
    if (status != SY_OK) {
        return status;
    }
    int fd = sy_system_open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOCTTY, 0666);
    if (fd < 0) {
        return errno == EEXIST ? SY_OK : sy_fail_errno(err, SY_IO, errno, "cannot make '%s'", path);
    }
    return sy_system_close(fd) == 0 ? SY_OK : sy_fail_errno(err, SY_IO, errno, "cannot make '%s'", path);
}

static sy_status look_at_target(job *j, sy_error *err)
{
    if (sy_system_stat(j->target, &j->old) == 0) {
        j->exists = true;
        if (j->options->refuse_existing) {
            return sy_fail(err, SY_REFUSED, "'%s' exists", j->target);
        }
        if (!S_ISREG(j->old.st_mode)) {
            return sy_fail(err, SY_IO, "cannot write '%s': it is %s, not a file", j->target,
                           S_ISDIR(j->old.st_mode) ? "a folder" : "a pipe, socket or device");
        }
        return SY_OK;
    }
    if (errno != ENOENT) {
        return sy_fail_errno(err, SY_IO, errno, "cannot write '%s'", j->target);
    }
    return j->options->make_parents ? make_folders(j->arena, j->folder, err) : SY_OK;
}

static void host_name(const char *given, char to[65])
{
    if (given != NULL) {
        sy_text_copy(to, 65, given);
    } else if (gethostname(to, 65) != 0) {
        sy_text_copy(to, 65, "unknown");
    }
    to[64] = '\0';
    for (char *c = to; *c != '\0'; c++) {
        if (*c == '/') {
            *c = '_';
        }
    }
}

static sy_status open_temporary(job *j, sy_error *err)
{
    char host[65];
    uint64_t number;
    host_name(j->options->host, host);
    sy_status status = sy_random_seed(&number, err);
    if (status != SY_OK) {
        return status;
    }
    const char *name = sy_arena_format(j->arena, "%s.tmp.%s.%lld.%016" PRIx64, j->target, host, (long long)getpid(),
                                       number);
    if (name == NULL) {
        return no_memory(j->target, err);
    }
    /* Until it has the old file's mode nobody else may read what could be private. */
    j->fd = sy_system_open(name, O_RDWR | O_CREAT | O_EXCL, j->exists || j->options->private_file ? 0600 : 0666);
    if (j->fd < 0) {
        return sy_fail_errno(err, SY_IO, errno, "cannot write '%s'", j->target);
    }
    j->temporary = name;
    return SY_OK;
}

/* Renames the temporary file over the target; 0 or an errno. */
static int replace_target(const job *j)
{
    if (!j->options->refuse_existing) {
        return sy_system_rename(j->temporary, j->target) == 0 ? 0 : errno;
    }
    if (sy_system_rename_new(j->temporary, j->target) == 0) {
        return 0;
    }
    if (errno != EINVAL && errno != ENOSYS) {
        return errno;
    }
    /* A file system that cannot refuse by itself: link does not replace. */
    if (link(j->temporary, j->target) == 0) {
        (void)sy_system_unlink(j->temporary);
        return 0;
    }
    struct stat found;
    if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS) {
        return errno;
    }
    /* Nor does it know links: looking first is then all that can be done. */
    if (sy_system_lstat(j->target, &found) == 0) {
        return EEXIST;
    }
    return errno == ENOENT && sy_system_rename(j->temporary, j->target) == 0 ? 0 : errno;
}

/* Once a loss: the next writer finds the file as it is now. */
static void tell_losses(const job *j)
{
    char words[SY_FILE_LOSSES_SIZE];
    if (j->options->not_kept != 0) {
        sy_file_describe_losses(j->options->not_kept, words);
        sy_log(SY_LOG_WARNING, "'%s' was replaced; not kept: %s", j->target, words);
    }
}

sy_status sy_file_job_replace(job *j, const void *bytes, size_t size, sy_error *err)
{
    int error = replace_target(j);
    if (error == 0) {
        j->temporary = NULL;
        tell_losses(j);
        error = sy_file_sync_folder(j->folder);
        if (error != 0) {
            sy_fail_errno(err, SY_IO, error, "'%s' is replaced, but its folder cannot be synchronised", j->target);
            sy_error_hint(err, "a power cut now could bring the old file back");
            return SY_IO;
        }
        return SY_OK;
    }
    if (error == EEXIST && j->options->refuse_existing) {
        return sy_fail(err, SY_REFUSED, "'%s' exists", j->target);
    }
    if (j->exists && bytes != NULL && (error == EBUSY || error == EXDEV)) {
        const char *temporary = j->temporary;
        j->temporary = NULL;
        j->options->outcome = SY_FILE_WRITTEN_IN_PLACE;
        j->options->refused_errno = error;
        j->options->not_kept = 0; /* the file itself stays */
        return sy_file_write_in_place(j->arena, j->target, temporary, bytes, size, err);
    }
    return sy_fail_errno(err, SY_IO, error, "cannot replace '%s'", j->target);
}

sy_status sy_file_job_open(job *j, const char *path, sy_error *err)
{
    if (path[0] == '\0') {
        return sy_fail(err, SY_INVALID_ARGUMENT, "an empty path");
    }
    j->options->not_kept = 0;
    j->options->outcome = SY_FILE_REPLACED;
    j->options->refused_errno = 0;
    j->arena = sy_arena_create(0);
    if (j->arena == NULL) {
        return no_memory(path, err);
    }
    sy_status status = sy_file_resolve(j->arena, path, &j->target, err);
    if (status == SY_OK) {
        j->folder = sy_file_folder(j->arena, j->target);
        status = j->folder == NULL ? no_memory(path, err) : look_at_target(j, err);
    }
    if (status == SY_OK) {
        /* A journal of an earlier writer must not outlive newer bytes. */
        status = sy_file_recover_target(j->arena, j->target, err);
    }
    if (status == SY_OK) {
        status = open_temporary(j, err);
    }
    if (status == SY_OK) {
        j->options->not_kept = sy_file_keep_attributes(j);
    }
    return status;
}

sy_status sy_file_job_close(job *j, sy_error *err)
{
    int fd = j->fd;
    j->fd = -1;
    return sy_system_close(fd) == 0 ? SY_OK : sy_fail_errno(err, SY_IO, errno, "cannot close '%s'", j->temporary);
}

void sy_file_job_finish(job *j)
{
    if (j->fd >= 0) {
        (void)sy_system_close(j->fd);
    }
    if (j->temporary != NULL) {
        (void)sy_system_unlink(j->temporary);
    }
    sy_arena_destroy(j->arena);
}

sy_status sy_file_write(const char *path, const void *bytes, size_t size, sy_file_write_options *options, sy_error *err)
{
    sy_file_write_options defaults = SY_FILE_WRITE_OPTIONS_INIT;
    job j = {.fd = -1, .options = options == NULL ? &defaults : options};
    sy_status status = sy_file_job_open(&j, path, err);
    if (status == SY_OK) {
        status = sy_file_fill(j.fd, j.temporary, bytes, size, err);
    }
    if (j.fd >= 0) {
        sy_status closed = sy_file_job_close(&j, status == SY_OK ? err : NULL);
        status = status == SY_OK ? closed : status;
    }
    if (status == SY_OK) {
        status = sy_file_job_replace(&j, bytes, size, err);
    }
    sy_file_job_finish(&j);
    return status;
}

/* true when name is `<base>.tmp.<host>.<pid>.<random>` of a process of this host that has ended. */
static bool is_left_over(const char *name, const char *base, const char *host)
{
    size_t base_length = strlen(base);
    size_t host_length = strlen(host);
    if (strncmp(name, base, base_length) != 0 || strncmp(name + base_length, ".tmp.", 5) != 0) {
        return false;
    }
    name += base_length + 5;
    if (strncmp(name, host, host_length) != 0 || name[host_length] != '.') {
        return false;
    }
    name += host_length + 1;
    char number[24];
    size_t digits = strspn(name, "0123456789");
    int64_t id;
    if (digits == 0 || digits >= sizeof number || name[digits] != '.' ||
        strspn(name + digits + 1, "0123456789abcdef") != 16 || name[digits + 17] != '\0') {
        return false;
    }
    memcpy(number, name, digits);
    number[digits] = '\0';
    return sy_parse_i64(number, &id, NULL) == SY_OK && id > 0 && id <= INT32_MAX && kill((pid_t)id, 0) != 0 &&
           errno == ESRCH;
}

static size_t remove_from_folder(sy_arena *arena, const char *folder, const char *base)
{
    char host[65];
    size_t removed = 0;
    host_name(NULL, host);
    DIR *entries = opendir(folder);
    if (entries == NULL) {
        return 0;
    }
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        if (is_left_over(entry->d_name, base, host)) {
            const char *path = sy_arena_format(arena, "%s/%s", folder, entry->d_name);
            removed += path != NULL && sy_system_unlink(path) == 0;
        }
    }
    closedir(entries);
    return removed;
}

size_t sy_file_remove_leftovers(const char *path)
{
    sy_arena *arena = sy_arena_create(0);
    const char *target;
    size_t removed = 0;
    if (arena != NULL && sy_file_resolve(arena, path, &target, NULL) == SY_OK) {
        const char *folder = sy_file_folder(arena, target);
        const char *slash = strrchr(target, '/');
        if (folder != NULL) {
            removed = remove_from_folder(arena, folder, slash == NULL ? target : slash + 1);
        }
    }
    sy_arena_destroy(arena);
    return removed;
}
