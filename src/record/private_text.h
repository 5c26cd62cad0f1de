/* SPDX-License-Identifier: Apache-2.0 */
/* What must not be kept where others read it: paths into somebody's home, and secrets. Found here, and taken out. */
#ifndef STEELYARD_RECORD_PRIVATE_TEXT_H
#define STEELYARD_RECORD_PRIVATE_TEXT_H

#include "base/arena.h"
#include "base/json.h"

typedef enum sy_private_kind { SY_PRIVATE_NONE, SY_PRIVATE_PATH, SY_PRIVATE_SECRET } sy_private_kind;

/* The first private thing in text; *ret_at may be NULL. A path as registry-rules mean it (an absolute path with a
 * folder Users or home, or one that begins with ~/ ... is allowed here: it names nobody). A secret: a known token's
 * shape (private keys in PEM, access tokens with a vendor's prefix, user:password@ in an address), or NAME=value and
 * --name value pairs whose name says so (token, secret, password, passwd, credential, api-key). /root is no home: it
 * names nobody. */
sy_private_kind sy_private_find(const char *text, size_t length, size_t *ret_at);
/* Whether an environment variable of that name is a secret by its name. */
bool sy_private_is_secret_name(const char *name);
/* Of `name` with that value what may be kept: [secret] where the name says so, else sy_private_clean of the value.
 * Counts of tokens stay. value: NULL stays NULL. NULL otherwise: no memory. */
const char *sy_private_clean_value(sy_arena *arena, const char *name, const char *value);
/* The arguments of a program as they may be kept, "--token" and the one behind it too. NULL: no memory. */
const char *const *sy_private_clean_arguments(sy_arena *arena, const char *const *argv, size_t argc);
/* text with each home folder as ~ and each secret as [secret]; text itself where nothing is private. NULL: no memory.
 */
const char *sy_private_clean(sy_arena *arena, const char *text);
/* The first text or member name below value, itself included, that holds something private; NULL = none. Pairs count
 * too: a member of such a name, an element [name, value], an argument behind its option. ret_in_name, ret_kind: may be
 * NULL. */
const sy_json_value *sy_private_in_json(const sy_json *json, const sy_json_value *value, bool *ret_in_name,
                                        sy_private_kind *ret_kind);

/* The text that a value makes a secret: itself by its member's name, or the one behind it, as the name in a pair or the
 * option in front of an argument. NULL = none. */
const sy_json_value *sy_private_secret_beside(const sy_json_value *each);

#endif
