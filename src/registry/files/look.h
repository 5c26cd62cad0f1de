/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to a JSON document that people wrote. What is missing or of the wrong type becomes a finding at its place,
 * and the answer is then "nothing": the reader goes on with the rest. Of what damage has cut nothing is said missing.
 */
#ifndef STEELYARD_REGISTRY_LOOK_H
#define STEELYARD_REGISTRY_LOOK_H

#include "registry/files/document.h"

/* A finding at value (NULL: at the document's beginning); `found` is what stands there. */
void sy_complain(const sy_document *document, const sy_json_value *value, sy_rule_id rule, const char *format, ...)
    SY_PRINTF(4, 5);
/* The same at the name of a member. */
void sy_complain_name(const sy_document *document, const sy_json_value *member, sy_rule_id rule, const char *format,
                      ...) SY_PRINTF(4, 5);
/* The same in a text file: line and column from 1. */
void sy_complain_line(const sy_document *document, uint32_t line, uint32_t column, const char *found, sy_rule_id rule,
                      const char *format, ...) SY_PRINTF(6, 7);
/* A note in a text file. */
void sy_remark_line(const sy_document *document, uint32_t line, uint32_t column, const char *found, sy_rule_id rule,
                    const char *format, ...) SY_PRINTF(6, 7);
/* A note at value. */
void sy_remark(const sy_document *document, const sy_json_value *value, sy_rule_id rule, const char *format, ...)
    SY_PRINTF(4, 5);

/* The member `name` of object, of that kind (SY_JSON_TRUE stands for both booleans). Absent: NULL and field-missing.
 * Of another kind, null included: NULL and field-type. object NULL: NULL. */
const sy_json_value *sy_look(const sy_document *document, const sy_json_value *object, const char *name,
                             sy_json_kind kind);
/* The same, but absent (not null) is NULL without a finding. */
const sy_json_value *sy_look_optional(const sy_document *document, const sy_json_value *object, const char *name,
                                      sy_json_kind kind);
/* Whether value is of that kind; else a finding field-type that calls it `what`. */
bool sy_look_kind(const sy_document *document, const sy_json_value *value, const char *what, sy_json_kind kind);
/* Whether value is there and null, and not what damage has left of another one. */
bool sy_look_null(const sy_document *document, const sy_json_value *value);
/* A text that is not blank, else NULL (field-missing, field-type, field-blank). */
const char *sy_look_text(const sy_document *document, const sy_json_value *object, const char *name);
/* The same, but absent (not null) is NULL without a finding. */
const char *sy_look_optional_text(const sy_document *document, const sy_json_value *object, const char *name);
/* A whole number, written as one; false: not there. */
bool sy_look_integer(const sy_document *document, const sy_json_value *object, const char *name, int64_t *ret_value);
bool sy_look_bool(const sy_document *document, const sy_json_value *object, const char *name, bool *ret_value);
/* Whether a text file can be read as text: it is there and no UTF-16. Bytes that are no UTF-8 and NUL characters are
 * one finding each, at the first. */
bool sy_look_encoding(const sy_document *document);
/* The member schema_version: the whole number 1, else a finding. */
void sy_look_schema_version(const sy_document *document, const sy_json_value *object);
/* Whether value is a whole number written as one: 1, not 1.0, 1e0 or true. */
bool sy_json_is_integer(const sy_json *json, const sy_json_value *value, int64_t *ret_value);
/* Whether text is NULL or has nothing but white space, that of Unicode included. */
bool sy_is_blank(const char *text);
/* Whether text is blank or only holds the place of what is not said yet ("to be done" in letters,
 * n/a, none, a dash). */
bool sy_is_placeholder(const char *text);
/* Whether text is that many lower-case hexadecimal digits. */
bool sy_is_hex(const char *text, size_t digits);

#endif
