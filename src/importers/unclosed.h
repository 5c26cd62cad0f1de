/* SPDX-License-Identifier: Apache-2.0 */
/* JSON that its writer had not closed yet. Private to the importers. */
#ifndef STEELYARD_IMPORTERS_UNCLOSED_H
#define STEELYARD_IMPORTERS_UNCLOSED_H

#include "base/json.h"

/* Parses a text; one that ends inside of its two outermost objects, behind an entry or its comma, is closed and parsed
 * again, and taken if may says of its root that such a file is known to end so. text[size] is readable and 0.
 * *ret_unclosed: that was so. Errors as sy_json_parse's. */
sy_status sy_json_parse_unclosed(const char *text, size_t size, const sy_json_limits *limits,
                                 bool (*may)(const sy_json *json), sy_json **ret_json, bool *ret_unclosed,
                                 sy_error *err) SY_NODISCARD;

#endif
