/* SPDX-License-Identifier: Apache-2.0 */
/* A private folder for what is needed only as long as this process looks at it. Nothing in it is durable, and it goes
 * with all that it holds. */
#ifndef STEELYARD_BASE_SCRATCH_H
#define STEELYARD_BASE_SCRATCH_H

#include <stdint.h>
#include <steelyard/base.h>

typedef struct sy_scratch sy_scratch;

/* A new folder of mode 0700 below parent (NULL = /tmp). SY_IO, SY_NO_MEMORY. */
sy_status sy_scratch_create(const char *parent, sy_scratch **ret_scratch, sy_error *err) SY_NODISCARD;
/* Removes the folder with its files. NULL is allowed. */
void sy_scratch_destroy(sy_scratch *scratch);
/* Its path. It lives as long as the scratch. */
const char *sy_scratch_path(const sy_scratch *scratch);
/* Opens a file of it, empty, to be written and read; the caller closes the descriptor. name holds no slash. SY_IO. */
sy_status sy_scratch_open(const sy_scratch *scratch, const char *name, int *ret_descriptor, sy_error *err) SY_NODISCARD;
/* Gives a file another name, in place of what had it. SY_IO. */
sy_status sy_scratch_rename(const sy_scratch *scratch, const char *from, const char *to, sy_error *err) SY_NODISCARD;
/* Copies the bytes of an open file into a file of it. SY_IO. */
sy_status sy_scratch_copy(const sy_scratch *scratch, int from, const char *to, sy_error *err) SY_NODISCARD;
/* Opens a file of it to be read. SY_NOT_FOUND, SY_IO. */
sy_status sy_scratch_read(const sy_scratch *scratch, const char *name, int *ret_descriptor, sy_error *err) SY_NODISCARD;
/* Bytes that its file system has free for this user; 0 when it is full or does not tell. */
uint64_t sy_scratch_free_bytes(const sy_scratch *scratch);

#endif
