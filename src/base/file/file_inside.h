/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the file module share. Nobody else includes it. */
#ifndef STEELYARD_BASE_FILE_INSIDE_H
#define STEELYARD_BASE_FILE_INSIDE_H

#include "base/arena.h"
#include "base/file.h"

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
