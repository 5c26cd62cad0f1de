/* SPDX-License-Identifier: Apache-2.0 */
/* A JSON text without what is private in it: what is kept as an artifact is read by others as well. */
#ifndef STEELYARD_EVIDENCE_CLEAN_JSON_H
#define STEELYARD_EVIDENCE_CLEAN_JSON_H

#include "base/arena.h"
#include "base/text.h"

/* Appends json, in which each name and text that holds something private is replaced by its clean form
 * (record/private_text.h); every other byte is as it was. SY_CORRUPT: it is no JSON; SY_NO_MEMORY. */
sy_status sy_clean_json(const char *json, sy_arena *arena, sy_text *to, sy_error *err) SY_NODISCARD;

#endif
