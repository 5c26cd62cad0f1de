/* SPDX-License-Identifier: Apache-2.0 */
/* The shared folder is opened and made so that no user can lead another one's writes elsewhere: nothing is followed,
 * everything is looked at through the descriptor that is used afterwards. */
#include "base/shared_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/random.h"
#include "base/system.h"

#define FOLDER_MODE (S_ISVTX | 0777)
#define FILE_MODE 0666
#define MOST_TURNS 50 /* for what another process does just now */
#define TURN_NS 2000000

static void wait_a_turn(void)
{
    sy_clock_system.sleep_ns(&sy_clock_system, TURN_NS);
}

/* Made under a name of its own and renamed: nobody ever sees it half open. */
static sy_status make_folder(const char *path, sy_error *err)
{
    char temporary[SY_SHARED_PATH_SIZE + 32];
    uint64_t number = 0;
    if (strlen(path) >= SY_SHARED_PATH_SIZE)
        return sy_fail(err, SY_INVALID_ARGUMENT, "the shared folder's name is above %d bytes", SY_SHARED_PATH_SIZE - 1);
    sy_status status = sy_file_make_parents(path, err);
    if (status == SY_OK)
        status = sy_random_seed(&number, err);
    if (status != SY_OK)
        return status;
    (void)snprintf(temporary, sizeof(temporary), "%s.%016llx", path, (unsigned long long)number);
    if (sy_system_mkdir(temporary, 0700) != 0)
        return sy_fail_errno(err, SY_IO, errno, "cannot make the shared folder '%s'", path);
    int error = chmod(temporary, FOLDER_MODE) == 0 ? 0 : errno;
    if (error == 0 && sy_system_rename_new(temporary, path) != 0)
        error = errno;
    /* Kernels and file systems without the exclusive rename: an empty folder is all that a plain one can replace. */
    if ((error == ENOSYS || error == EINVAL) && sy_system_rename(temporary, path) == 0)
        error = 0;
    if (error != 0)
        (void)rmdir(temporary);
    if (error != 0 && error != EEXIST && error != ENOTEMPTY)
        return sy_fail_errno(err, SY_IO, error, "cannot make the shared folder '%s'", path);
    return SY_OK;
}

static sy_status check_folder(int fd, const char *path, sy_error *err)
{
    struct stat st;
    if (sy_system_fstat(fd, &st) != 0)
        return sy_fail_errno(err, SY_IO, errno, "cannot look at the shared folder '%s'", path);
    bool others_write = (st.st_mode & (S_IWGRP | S_IWOTH)) != 0;
    if (others_write && (st.st_mode & S_ISVTX) == 0) {
        (void)sy_fail(err, SY_REFUSED, "in the shared folder '%s' everybody may remove what others made", path);
        sy_error_hint(err, "chmod +t makes it safe");
        return SY_REFUSED;
    }
    return SY_OK;
}

sy_status sy_shared_folder_open(const char *path, bool make, int *ret_fd, sy_error *err)
{
    int fd = -1;
    for (int turn = 0; fd < 0; turn++) {
        fd = sy_system_open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
        if (fd >= 0)
            break;
        if (errno == ENOENT && !make)
            return sy_fail(err, SY_NOT_FOUND, "there is no folder '%s'", path);
        if (errno == ENOTDIR || errno == ELOOP)
            return sy_fail(err, SY_REFUSED, "the shared folder '%s' is a link or no folder", path);
        if (errno != ENOENT || turn >= MOST_TURNS)
            return sy_fail_errno(err, SY_IO, errno, "cannot open the shared folder '%s'", path);
        sy_status status = make_folder(path, err);
        if (status != SY_OK)
            return status;
    }
    sy_status status = check_folder(fd, path, err);
    if (status != SY_OK)
        (void)sy_system_close(fd);
    else
        *ret_fd = fd;
    return status;
}

static sy_status check_file(int fd, const char *name, sy_error *err)
{
    struct stat st;
    if (sy_system_fstat(fd, &st) != 0)
        return sy_fail_errno(err, SY_IO, errno, "cannot look at the shared file '%s'", name);
    if (!S_ISREG(st.st_mode))
        return sy_fail(err, SY_REFUSED, "the shared file '%s' is no regular file", name);
    if (st.st_nlink > 1)
        return sy_fail(err, SY_REFUSED, "the shared file '%s' has a second name elsewhere", name);
    /* Whoever made it may have been stopped before everybody could write it. */
    if (st.st_uid == geteuid() && (st.st_mode & 0777) != FILE_MODE && sy_system_fchmod(fd, FILE_MODE) != 0)
        return sy_fail_errno(err, SY_IO, errno, "cannot open the shared file '%s' for other users", name);
    return SY_OK;
}

sy_status sy_shared_file_open(int folder, const char *name, bool make, int *ret_fd, sy_error *err)
{
    const int common = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    int fd = -1;
    for (int turn = 0; fd < 0; turn++) {
        fd = openat(folder, name, common | (make ? O_RDWR : O_RDONLY));
        /* O_CREAT on what another user made would be refused in a sticky folder: only what is not there is made. */
        if (fd < 0 && errno == ENOENT && make)
            fd = openat(folder, name, common | O_RDWR | O_CREAT | O_EXCL, FILE_MODE);
        if (fd >= 0)
            break;
        if (errno == ELOOP)
            return sy_fail(err, SY_REFUSED, "the shared file '%s' is a symbolic link", name);
        if (errno == ENOENT && !make)
            return sy_fail(err, SY_NOT_FOUND, "there is no file '%s'", name);
        /* Made or removed by another process just now, or made and not opened to us yet. */
        bool passing = errno == EEXIST || errno == ENOENT || errno == EACCES;
        if (!passing || turn >= MOST_TURNS)
            return sy_fail_errno(err, SY_IO, errno, "cannot open the shared file '%s'", name);
        wait_a_turn();
    }
    sy_status status = check_file(fd, name, err);
    if (status != SY_OK)
        (void)sy_system_close(fd);
    else
        *ret_fd = fd;
    return status;
}

bool sy_shared_file_stands(int folder, const char *name, int fd)
{
    struct stat held;
    struct stat now;
    return sy_system_fstat(fd, &held) == 0 && fstatat(folder, name, &now, AT_SYMLINK_NOFOLLOW) == 0 &&
           held.st_ino == now.st_ino && held.st_dev == now.st_dev;
}
