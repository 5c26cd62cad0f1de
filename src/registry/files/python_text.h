/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a JSON file as Python prints them: published tools are written in it, and what they printed must come out
 * of ours byte for byte. */
#ifndef STEELYARD_REGISTRY_PYTHON_TEXT_H
#define STEELYARD_REGISTRY_PYTHON_TEXT_H

#include "base/json.h"
#include "base/text.h"

/* repr() of a float: the shortest digits that read back, with an exponent below 1e-4 and from 1e16 on. */
void sy_python_append_float(sy_text *to, double value);
/* str(): None, True, numbers, texts as they are; arrays and objects as JSON on one line. value NULL is None. */
void sy_python_append_str(sy_text *to, const sy_json_value *value);
/* json.dumps(indent=2, sort_keys=True) of an object with these members (sorted here), then a line feed. */
void sy_python_append_document(sy_text *to, const sy_json_value **members, size_t count);

#endif
