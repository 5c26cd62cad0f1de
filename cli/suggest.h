/* SPDX-License-Identifier: Apache-2.0 */
/* "Did you mean": the known word that a mistyped one is nearest to. */
#ifndef STEELYARD_CLI_SUGGEST_H
#define STEELYARD_CLI_SUGGEST_H

#include <stddef.h>

/* Returns the word of words[0..count) nearest to typed, by insertions, deletions, changes and swaps of neighbours,
 * or which typed begins; the first of equals. NULL when none is near enough to be meant: more than one slip for every
 * three letters. Words longer than 63 bytes are never near. */
const char *cli_suggest(const char *typed, const char *const *words, size_t count);

#endif
