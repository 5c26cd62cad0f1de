/* SPDX-License-Identifier: Apache-2.0 */
/* The wrapped system calls: ask the fault seam, then the kernel, again after EINTR. No policy. */
#include "base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/fault.h"

/* true when the seam wants this call to fail; errno says how. */
static bool fails(const char *name)
{
    (void)name; /* the released library keeps no trace */
    sy_fault_note_system_call(name);
    int error_number = sy_fault_system_call_fails();
    if (error_number != 0) {
        errno = error_number;
    }
    return error_number != 0;
}

/* One call, made again while a signal cuts it. */
#define RETRIED(type, name, call)                 \
    do {                                          \
        if (fails(name)) {                        \
            return -1;                            \
        }                                         \
        type returned;                            \
        do {                                      \
            returned = (call);                    \
        } while (returned < 0 && errno == EINTR); \
        return returned;                          \
    } while (0)

int sy_system_open(const char *path, int flags, mode_t mode)
{
    RETRIED(int, "open", open(path, flags | O_CLOEXEC, mode));
}

ssize_t sy_system_read(int fd, void *bytes, size_t size)
{
    RETRIED(ssize_t, "read", read(fd, bytes, size));
}

ssize_t sy_system_write(int fd, const void *bytes, size_t size)
{
    if (size > 1 && sy_fault_write_is_short()) {
        size /= 2;
    }
    char wrong;
    if (size > 0 && sy_fault_write_is_spoiled()) {
        wrong = (char)(*(const char *)bytes ^ 1);
        bytes = &wrong;
        size = 1;
    }
    RETRIED(ssize_t, "write", write(fd, bytes, size));
}

int sy_system_fsync(int fd)
{
    RETRIED(int, "fsync", fsync(fd));
}

int sy_system_close(int fd)
{
    /* Linux has closed the descriptor whatever it returns: a second try could close another thread's. */
    bool failed = fails("close");
    int saved_errno = errno;
    int returned = close(fd);
    if (failed) {
        errno = saved_errno;
        return -1;
    }
    return returned < 0 && errno == EINTR ? 0 : returned;
}

static int rename_or_refuse(const char *from, const char *to)
{
    int refused = sy_fault_rename_is_refused(to);
    if (refused != 0) {
        errno = refused;
        return -1;
    }
    return rename(from, to);
}

int sy_system_rename(const char *from, const char *to)
{
    RETRIED(int, "rename", rename_or_refuse(from, to));
}

int sy_system_rename_new(const char *from, const char *to)
{
    RETRIED(int, "rename", renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE));
}

int sy_system_unlink(const char *path)
{
    RETRIED(int, "unlink", unlink(path));
}

int sy_system_mkdir(const char *path, mode_t mode)
{
    RETRIED(int, "mkdir", mkdir(path, mode));
}

int sy_system_ftruncate(int fd, off_t size)
{
    RETRIED(int, "ftruncate", ftruncate(fd, size));
}

int sy_system_fchmod(int fd, mode_t mode)
{
    RETRIED(int, "fchmod", fchmod(fd, mode));
}

int sy_system_fchown(int fd, uid_t owner, gid_t group)
{
    RETRIED(int, "fchown", fchown(fd, owner, group));
}

int sy_system_fstat(int fd, struct stat *ret_stat)
{
    RETRIED(int, "fstat", fstat(fd, ret_stat));
}

int sy_system_stat(const char *path, struct stat *ret_stat)
{
    RETRIED(int, "stat", stat(path, ret_stat));
}

int sy_system_lstat(const char *path, struct stat *ret_stat)
{
    RETRIED(int, "lstat", lstat(path, ret_stat));
}

ssize_t sy_system_getxattr(int fd, const char *name, void *bytes, size_t size)
{
    RETRIED(ssize_t, "getxattr", fgetxattr(fd, name, bytes, size));
}

int sy_system_setxattr(int fd, const char *name, const void *bytes, size_t size)
{
    RETRIED(int, "setxattr", fsetxattr(fd, name, bytes, size, 0));
}

int sy_system_flock(int fd, int operation)
{
    RETRIED(int, "flock", flock(fd, operation));
}
