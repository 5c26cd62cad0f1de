/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a whole file, and the one durable writer: nothing else in the library opens a file for writing.
 * A reader sees the old bytes or the new ones, whenever the writer dies. */
#ifndef STEELYARD_BASE_FILE_H
#define STEELYARD_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <steelyard/base.h>

#include "base/arena.h"

/* Reads a regular file whole; a 0 byte is put behind. While an in-place write goes on, or was cut, its journal is read:
 * the new bytes. limit_bytes > 0: SY_LIMIT_EXCEEDED above it. The caller frees
 * with sy_free. SY_NOT_FOUND, SY_IO (a folder, a pipe, no permission: named), SY_NO_MEMORY. */
sy_status sy_file_read(const char *path, uint64_t limit_bytes, char **ret_bytes, size_t *ret_size,
                       sy_error *err) SY_NODISCARD;

/* Reads whatever can be read to its end, a pipe or a device too: waits for its writer as cat does. path "-": standard
 * input, which stays open. A 0 byte is put behind. limit_bytes as above. No journal is looked for: for files of others.
 * The caller frees with sy_free. SY_NOT_FOUND, SY_IO (a folder, no permission), SY_LIMIT_EXCEEDED, SY_NO_MEMORY. */
sy_status sy_file_read_stream(const char *path, uint64_t limit_bytes, char **ret_bytes, size_t *ret_size,
                              sy_error *err) SY_NODISCARD;

typedef enum sy_file_outcome {
    SY_FILE_REPLACED,        /* renamed over the old one, folder synchronised */
    SY_FILE_WRITTEN_IN_PLACE /* the path is a mount point (EBUSY, EXDEV): journalled in place, see file.c */
} sy_file_outcome;

/* What of an existing file could not be given to the one that took its place. Rights are then narrower, never wider. */
enum {
    SY_FILE_LOSS_OWNER = 1,
    SY_FILE_LOSS_GROUP = 2,
    SY_FILE_LOSS_MODE = 4,
    SY_FILE_LOSS_ACCESS_LIST = 8,
    SY_FILE_LOSS_LABEL = 16,      /* of SELinux */
    SY_FILE_LOSS_OTHER_NAMES = 32 /* hard links: those names keep the old file */
};
#define SY_FILE_LOSSES_SIZE 80
/* "owner, group" */
void sy_file_describe_losses(unsigned losses, char words[SY_FILE_LOSSES_SIZE]);

typedef struct sy_file_write_options {
    bool make_parents;       /* missing folders are made: mode 0700, or by the umask in a folder that is shared (setgid
                                or with a default access list) */
    bool refuse_existing;    /* SY_REFUSED if the path exists */
    const char *host;        /* for the temporary name; NULL = the host's name */
    unsigned not_kept;       /* set on return: SY_FILE_LOSS_...; logged as a warning, too */
    sy_file_outcome outcome; /* set on return */
    bool private_file;       /* a new file gets mode 0600, whatever the umask */
    int refused_errno;       /* set on return: why it was written in place (EBUSY, EXDEV), else 0 */
} sy_file_write_options;

#define SY_FILE_WRITE_OPTIONS_INIT                       \
    {                                                    \
        true, false, NULL, 0, SY_FILE_REPLACED, false, 0 \
    }

/* Writes size bytes durably: temporary sibling `<path>.tmp.<host>.<pid>.<random>` (O_EXCL), write, read back and
 * compare, fsync, rename, fsync of the folder; a symbolic link is resolved once and its target replaced; an existing
 * file keeps owner, group, mode, access list and security label; a new one gets 0666 & ~umask. On any failure the
 * temporary is removed and the old file is as it was, with one exception that the error names: the file is replaced,
 * and only the last fsync of its folder failed. Hold the path's lock: what cannot be renamed over is written in place.
 * options may be NULL. Errors: SY_IO with the errno's name, SY_REFUSED, SY_NO_MEMORY, SY_INVALID_ARGUMENT. */
sy_status sy_file_write(const char *path, const void *bytes, size_t size, sy_file_write_options *options,
                        sy_error *err) SY_NODISCARD;

/* The same for what comes piece by piece and need not fit into memory: nobody sees it before it is whole. A path that
 * cannot be renamed over is refused. */
typedef struct sy_file_stream sy_file_stream;
sy_status sy_file_stream_open(const char *path, sy_file_stream **ret_stream, sy_error *err) SY_NODISCARD;
sy_status sy_file_stream_write(sy_file_stream *stream, const void *bytes, size_t size, sy_error *err) SY_NODISCARD;
/* Ends and frees the stream whatever it returns; on failure the old file is as it was. Errors as sy_file_write. */
sy_status sy_file_stream_commit(sy_file_stream *stream, sy_error *err) SY_NODISCARD;
void sy_file_stream_abandon(sy_file_stream *stream); /* nothing was ever written; NULL is allowed */

/* The path with its own symbolic links followed (a dangling one, too), in the arena or the path itself. SY_IO,
 * SY_NO_MEMORY. */
sy_status sy_file_resolve(sy_arena *arena, const char *path, const char **ret_target, sy_error *err) SY_NODISCARD;
/* Makes the missing folders above path as sy_file_write does, each one's entry durable: for a lock that stands beside
 * the file. SY_IO, SY_NO_MEMORY. */
sy_status sy_file_make_parents(const char *path, sy_error *err) SY_NODISCARD;

/* Makes an empty file (0666 & ~umask) and the missing folders above it for somebody who writes it by other means: a
 * database. One that is there is left alone. SY_IO, SY_NO_MEMORY. */
sy_status sy_file_make_empty(const char *path, sy_error *err) SY_NODISCARD;

/* Whether something is mounted on the path itself (a store that is bound into a container). false where the
 * kernel (before 5.8) cannot tell. */
bool sy_file_is_mount_point(const char *path);

/* Removes `<path>.tmp.*` siblings that dead writers of this host left behind; call it with the path's lock held.
 * Returns how many. */
size_t sy_file_remove_leftovers(const char *path);
/* If an in-place write was cut, completes or undoes it from its journal; call it with the lock held, and before
 * reading. */
sy_status sy_file_recover(const char *path, sy_error *err) SY_NODISCARD;

/* Writes all of it to an open descriptor (stdout, a pipe): short writes are continued. SY_IO. */
sy_status sy_file_write_descriptor(int fd, const void *bytes, size_t size, sy_error *err) SY_NODISCARD;

#endif
