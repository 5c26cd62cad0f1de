/* SPDX-License-Identifier: Apache-2.0 */
/* Unpacking gzip, for every reader of files of others. Private to the importers. */
#ifndef STEELYARD_IMPORTERS_UNPACK_H
#define STEELYARD_IMPORTERS_UNPACK_H

#include <steelyard/base.h>

/* Whether the bytes begin as a gzip stream does (RFC 1952). */
bool sy_unpack_is_gzip(const char *bytes, size_t size);
/* Unpacks all members of a gzip stream; a 0 byte is put behind. limit_bytes 0 = no limit. The caller frees with
 * sy_free. SY_CORRUPT (damaged, cut), SY_LIMIT_EXCEEDED, SY_UNAVAILABLE (no zlib in this build), SY_NO_MEMORY. */
sy_status sy_unpack_gzip(const char *bytes, size_t size, uint64_t limit_bytes, char **ret_bytes, size_t *ret_size,
                         sy_error *err) SY_NODISCARD;

#endif
