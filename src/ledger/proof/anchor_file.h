/* SPDX-License-Identifier: Apache-2.0 */
/* A file of anchors: lines that vouch for a ledger's events from outside of it (docs/formats.md, "steelyard-anchor/1").
 */
#ifndef STEELYARD_LEDGER_ANCHOR_FILE_H
#define STEELYARD_LEDGER_ANCHOR_FILE_H

#include "base/arena.h"
#include "base/digest.h"
#include "base/text.h"

typedef struct sy_anchor {
    char ledger[33];
    uint64_t number; /* of the event, at least 1 */
    sy_digest digest;
    uint64_t line;
} sy_anchor;

typedef struct sy_anchor_list {
    sy_anchor *anchors; /* in the order of the file */
    size_t count;
} sy_anchor_list;

/* Reads the file's text; blank lines and those that begin with # are comments. SY_CORRUPT with the line,
 * SY_VERSION_UNSUPPORTED, SY_NO_MEMORY. */
sy_status sy_anchors_parse(const char *text, size_t size, sy_arena *arena, sy_anchor_list *ret_list,
                           sy_error *err) SY_NODISCARD;
/* Appends one line. SY_INVALID_ARGUMENT: a time outside the years 0 to 9999. */
sy_status sy_anchor_write(const sy_anchor *anchor, int64_t at_utc_s, sy_text *to, sy_error *err) SY_NODISCARD;

#endif
