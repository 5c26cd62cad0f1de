/* SPDX-License-Identifier: Apache-2.0 */
/* A folder that the users of one host share without trusting each other, and the files in it that all of them write in
 * place: under a lock, with a text that nobody believes unread. What one alone writes is base/file's. */
#ifndef STEELYARD_BASE_SHARED_FILE_H
#define STEELYARD_BASE_SHARED_FILE_H

#include <steelyard/base.h>

#define SY_SHARED_PATH_SIZE 512

/* Opens the folder; make: makes it where it is missing (the folders above it, too), open for everybody and sticky.
 * SY_NOT_FOUND (not with make), SY_REFUSED: a link, no folder, or one in which others could exchange files; SY_IO,
 * SY_INVALID_ARGUMENT: a name too long to be made. */
sy_status sy_shared_folder_open(const char *path, bool make, int *ret_fd, sy_error *err) SY_NODISCARD;
/* Opens the file of that name; make: for reading and writing, made where it is missing, so that every user can write
 * it; else for reading. Never follows a link, never waits for a pipe. SY_NOT_FOUND (not with make), SY_REFUSED: a link,
 * no regular file, or one with a second name; SY_IO. */
sy_status sy_shared_file_open(int folder, const char *name, bool make, int *ret_fd, sy_error *err) SY_NODISCARD;
/* Whether fd is what stands in the folder by that name now. */
bool sy_shared_file_stands(int folder, const char *name, int fd);

#endif
