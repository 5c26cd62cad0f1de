/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of others as every reader wants them: within a limit, with a 0 byte behind, unpacked from gzip. Private to the
 * importers. */
#ifndef STEELYARD_IMPORTERS_UNPACK_H
#define STEELYARD_IMPORTERS_UNPACK_H

#include <steelyard/base.h>

/* A copy of a caller's bytes with a 0 byte behind. limit_bytes 0 = no limit. The caller frees with sy_free.
 * SY_LIMIT_EXCEEDED, SY_NO_MEMORY. */
sy_status sy_unpack_copy(const void *bytes, size_t size, uint64_t limit_bytes, char **ret_copy,
                         sy_error *err) SY_NODISCARD;

/* Whether the bytes begin as a gzip stream does (RFC 1952). */
bool sy_unpack_is_gzip(const char *bytes, size_t size);
/* Unpacks all members of a gzip stream; a 0 byte is put behind. limit_bytes 0 = no limit. The caller frees with
 * sy_free. SY_CORRUPT (damaged, cut), SY_LIMIT_EXCEEDED, SY_UNAVAILABLE (no zlib in this build), SY_NO_MEMORY. */
sy_status sy_unpack_gzip(const char *bytes, size_t size, uint64_t limit_bytes, char **ret_bytes, size_t *ret_size,
                         sy_error *err) SY_NODISCARD;

#endif
