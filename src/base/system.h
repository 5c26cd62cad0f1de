/* SPDX-License-Identifier: Apache-2.0 */
/* The system calls that can lose data, each behind one function that the fault seam can fail, shorten or kill at.
 * EINTR is retried inside. They return like the calls they wrap and leave errno set. */
#ifndef STEELYARD_BASE_SYSTEM_H
#define STEELYARD_BASE_SYSTEM_H

#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

int sy_system_open(const char *path, int flags, mode_t mode); /* O_CLOEXEC is added */
ssize_t sy_system_read(int fd, void *bytes, size_t size);
ssize_t sy_system_write(int fd, const void *bytes, size_t size);
int sy_system_fsync(int fd);
int sy_system_close(int fd);
int sy_system_rename(const char *from, const char *to);
int sy_system_rename_new(const char *from, const char *to); /* EEXIST instead of replacing; ENOSYS or EINVAL: cannot */
int sy_system_unlink(const char *path);
int sy_system_mkdir(const char *path, mode_t mode);
int sy_system_ftruncate(int fd, off_t size);
int sy_system_fchmod(int fd, mode_t mode);
int sy_system_fchown(int fd, uid_t owner, gid_t group);
int sy_system_fstat(int fd, struct stat *ret_stat);
int sy_system_stat(const char *path, struct stat *ret_stat);
int sy_system_lstat(const char *path, struct stat *ret_stat);
ssize_t sy_system_getxattr(int fd, const char *name, void *bytes, size_t size);
int sy_system_setxattr(int fd, const char *name, const void *bytes, size_t size);
int sy_system_flock(int fd, int operation);

#endif
