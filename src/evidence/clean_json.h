/* SPDX-License-Identifier: Apache-2.0 */
/* A JSON text without what is private in it: what is kept as an artifact is read by others as well. */
#ifndef STEELYARD_EVIDENCE_CLEAN_JSON_H
#define STEELYARD_EVIDENCE_CLEAN_JSON_H

#include "base/arena.h"
#include "base/text.h"

/* text without what is private in it (record/private_text.h) and with ~ for this user's home folder, wherever that is:
 * in the arena, or text itself. NULL: no memory. */
const char *sy_clean_text(sy_arena *arena, const char *text);
/* Appends json, in which each name and text that holds something private is replaced by its clean form,
 * as sy_clean_text makes it; every other byte is as it was. SY_CORRUPT: it is no JSON; SY_NO_MEMORY. */
sy_status sy_clean_json(const char *json, sy_arena *arena, sy_text *to, sy_error *err) SY_NODISCARD;

#endif
