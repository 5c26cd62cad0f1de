/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the file module share. Nobody else includes it. */
#ifndef STEELYARD_BASE_FILE_INSIDE_H
#define STEELYARD_BASE_FILE_INSIDE_H

#include <sys/stat.h>

#include "base/arena.h"
#include "base/file.h"

/* One write on its way. */
typedef struct sy_file_job {
    const char *target;    /* resolved */
    const char *folder;    /* of the target */
    const char *temporary; /* NULL until it exists, and when it has become the target */
    int fd;                /* of the temporary, -1 when closed */
    bool exists;           /* the target does, and `old` describes it */
    struct stat old;
    sy_arena *arena;
    sy_file_write_options *options;
} sy_file_job;

/* Opens the temporary sibling. job: fd -1, options set, else zeroed; finish it whatever is returned. */
sy_status sy_file_job_open(sy_file_job *job, const char *path, sy_error *err) SY_NODISCARD;
sy_status sy_file_job_close(sy_file_job *job, sy_error *err) SY_NODISCARD;
/* Puts the closed temporary in the target's place. bytes, what it holds: for a target that cannot be renamed over; NULL
 * = they are not at hand, and such a target is an error. */
sy_status sy_file_job_replace(sy_file_job *job, const void *bytes, size_t size, sy_error *err) SY_NODISCARD;
/* Removes the temporary, if it is still there. */
void sy_file_job_finish(sy_file_job *job);

/* Gives the old file's attributes to the temporary one. Returns SY_FILE_LOSS_... */
unsigned sy_file_keep_attributes(const sy_file_job *job);
/* 0700, or 0777 below a folder that is shared. */
mode_t sy_file_mode_of_new_folder(const char *parent);

/* The folder of a path, in the arena; NULL: no memory. */
char *sy_file_folder(sy_arena *arena, const char *path);
/* The name of the journal of a resolved path, in the arena; NULL: no memory. */
char *sy_file_journal(sy_arena *arena, const char *target);
/* Makes a folder's entries durable. A folder that cannot be opened or synchronised by its nature is no failure.
 * Returns 0, else an errno. */
int sy_file_sync_folder(const char *folder);
/* What sy_file_read does, without a look for a journal. */
sy_status sy_file_read_plain(const char *path, uint64_t limit_bytes, char **ret_bytes, size_t *ret_size,
                             sy_error *err) SY_NODISCARD;
/* Reads the journal of a resolved path: a regular file of this user, of root, of the owner of the file or of whoever
 * could put another file in its place; anything else is SY_IO. Else as sy_file_read_plain. */
sy_status sy_file_read_journal(sy_arena *arena, const char *target, uint64_t limit_bytes, char **ret_bytes,
                               size_t *ret_size, sy_error *err) SY_NODISCARD;
/* Writes size bytes from the start, cuts what is behind, reads back and compares, synchronises. fd stays open. path is
 * for messages. */
sy_status sy_file_fill(int fd, const char *path, const void *bytes, size_t size, sy_error *err) SY_NODISCARD;
/* Makes the finished temporary file the journal of target, writes target in place, removes the journal. When that
 * fails, the old bytes are put back. The temporary file is gone afterwards. */
sy_status sy_file_write_in_place(sy_arena *arena, const char *target, const char *temporary, const void *bytes,
                                 size_t size, sy_error *err) SY_NODISCARD;
/* sy_file_recover for a resolved path. */
sy_status sy_file_recover_target(sy_arena *arena, const char *target, sy_error *err) SY_NODISCARD;

#endif
