/* SPDX-License-Identifier: Apache-2.0 */
/* Writing in place, for a path that cannot be replaced because it is a mount point. The journal is a sibling that holds
 * the new bytes whole: it appears by a rename, from then on the new bytes count, and it goes when they stand in the
 * file. A reader that finds it reads it. */
#include <errno.h>
#include <fcntl.h>

#include "base/error.h"
#include "base/file/file_inside.h"
#include "base/memory.h"
#include "base/system.h"

char *sy_file_journal(sy_arena *arena, const char *target)
{
    return sy_arena_format(arena, "%s.steelyard-journal", target);
}

bool sy_file_is_mount_point(const char *path)
{
#ifdef STATX_ATTR_MOUNT_ROOT
    struct statx found;
    return statx(AT_FDCWD, path, 0, 0, &found) == 0 && (found.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
#else
    (void)path;
    return false;
#endif
}

/* Space is claimed before the first byte is overwritten: a full disk is the failure to be expected. */
static sy_status claim_space(int fd, const char *target, size_t size, sy_error *err)
{
    int error = size == 0 ? 0 : posix_fallocate(fd, 0, (off_t)size);
    if (error == 0 || error == EOPNOTSUPP || error == EINVAL || error == ENOSYS || error == EINTR) {
        return SY_OK;
    }
    return sy_fail_errno(err, SY_IO, error, "no room to write '%s' in place", target);
}

static sy_status open_target(const char *target, int *ret_fd, sy_error *err)
{
    int fd = sy_system_open(target, O_RDWR | O_NOCTTY, 0);
    if (fd < 0) {
        return sy_fail_errno(err, errno == ENOENT ? SY_NOT_FOUND : SY_IO, errno, "cannot write '%s' in place", target);
    }
    *ret_fd = fd;
    return SY_OK;
}

static sy_status overwrite(const char *target, const void *bytes, size_t size, sy_error *err)
{
    int fd = -1;
    sy_status status = open_target(target, &fd, err);
    if (status != SY_OK) {
        return status;
    }
    status = claim_space(fd, target, size, err);
    if (status == SY_OK) {
        status = sy_file_fill(fd, target, bytes, size, err);
    }
    if (sy_system_close(fd) != 0 && status == SY_OK) {
        status = sy_fail_errno(err, SY_IO, errno, "cannot close '%s'", target);
    }
    return status;
}

static void remove_journal(sy_arena *arena, const char *target, const char *journal)
{
    /* A journal that stays says the same as the file, and the next writer completes it first. */
    if (sy_system_unlink(journal) == 0) {
        const char *folder = sy_file_folder(arena, target);
        if (folder != NULL) {
            (void)sy_file_sync_folder(folder);
        }
    }
}

/* The temporary file becomes the journal, durably. */
static sy_status commit_journal(const char *folder, const char *temporary, const char *journal, sy_error *err)
{
    if (sy_system_rename(temporary, journal) != 0) {
        sy_status status = sy_fail_errno(err, SY_IO, errno, "cannot make the journal '%s'", journal);
        (void)sy_system_unlink(temporary);
        return status;
    }
    int error = sy_file_sync_folder(folder);
    if (error != 0) {
        (void)sy_system_unlink(journal);
        return sy_fail_errno(err, SY_IO, error, "cannot synchronise '%s'", folder);
    }
    return SY_OK;
}

/* A file that can only be read is refused before there is a journal, which readers would take for the newer bytes. */
static sy_status try_target(const char *target, sy_error *err)
{
    int fd = -1;
    sy_status status = open_target(target, &fd, err);
    if (status == SY_OK) {
        (void)sy_system_close(fd);
    }
    return status;
}

sy_status sy_file_write_in_place(sy_arena *arena, const char *target, const char *temporary, const void *bytes,
                                 size_t size, sy_error *err)
{
    const char *journal = sy_file_journal(arena, target);
    const char *folder = sy_file_folder(arena, target);
    char *old = NULL;
    size_t old_size = 0;
    sy_status status = SY_OK;
    if (journal == NULL || folder == NULL) {
        status = sy_fail(err, SY_NO_MEMORY, "no memory to write '%s'", target);
    } else {
        status = try_target(target, err);
    }
    if (status == SY_OK) {
        status = sy_file_read_plain(target, 0, &old, &old_size, err);
    }
    if (status != SY_OK) {
        (void)sy_system_unlink(temporary);
        return status;
    }
    status = commit_journal(folder, temporary, journal, err);
    if (status == SY_OK) {
        status = overwrite(target, bytes, size, err);
        if (status == SY_OK || overwrite(target, old, old_size, NULL) == SY_OK) {
            remove_journal(arena, target, journal);
        } else {
            sy_error_hint(err, "'%s' was cut while it was written; '%s' holds its new bytes", target, journal);
        }
    }
    sy_free(old);
    return status;
}

sy_status sy_file_recover_target(sy_arena *arena, const char *target, sy_error *err)
{
    const char *journal = sy_file_journal(arena, target);
    if (journal == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory to recover '%s'", target);
    }
    struct stat stat;
    if (sy_system_lstat(journal, &stat) != 0 && (errno == ENOENT || errno == ENOTDIR)) {
        return SY_OK;
    }
    char *bytes;
    size_t size;
    sy_status status = sy_file_read_journal(arena, target, 0, &bytes, &size, err);
    if (status != SY_OK) {
        return status == SY_NOT_FOUND ? SY_OK : status;
    }
    status = overwrite(target, bytes, size, err);
    if (status == SY_OK) {
        remove_journal(arena, target, journal);
    } else if (status == SY_NOT_FOUND) {
        status = sy_system_rename(journal, target) == 0
                     ? SY_OK
                     : sy_fail_errno(err, SY_IO, errno, "cannot put '%s' back in place", journal);
    }
    sy_free(bytes);
    return status;
}

sy_status sy_file_recover(const char *path, sy_error *err)
{
    sy_arena *arena = sy_arena_create(0);
    if (arena == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory to recover '%s'", path);
    }
    const char *target;
    sy_status status = sy_file_resolve(arena, path, &target, err);
    if (status == SY_OK) {
        status = sy_file_recover_target(arena, target, err);
    }
    sy_arena_destroy(arena);
    return status;
}
