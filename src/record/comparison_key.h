/* SPDX-License-Identifier: Apache-2.0 */
/* Comparison keys beyond what <steelyard/run.h> tells of them: the line that revisions of the same thing form. */
#ifndef STEELYARD_RECORD_COMPARISON_KEY_H
#define STEELYARD_RECORD_COMPARISON_KEY_H

#include <steelyard/run.h>

/* What keys have in common that agree in every field but one: the digest of the key without it, as
 * sy_comparison_key_digest makes it; "" where another field is unknown, or there is none. field: the name of the one
 * that is left out, usually the revision's (sy_revision_field); a key without such a field is its own line.
 * SY_NO_MEMORY. */
sy_status sy_comparison_key_line(const sy_comparison_key *key, const char *field, char ret_line[65],
                                 sy_error *err) SY_NODISCARD;

/* The value of a field; NULL: it is unknown, or the key has none of that name. */
const char *sy_comparison_key_value(const sy_comparison_key *key, const char *field);

#endif
