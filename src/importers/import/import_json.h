/* SPDX-License-Identifier: Apache-2.0 */
/* What readers of JSON files share: rows one after the other, values as texts, numbers with the reason why they are
 * none. Private to the importers. */
#ifndef STEELYARD_IMPORTERS_IMPORT_JSON_H
#define STEELYARD_IMPORTERS_IMPORT_JSON_H

#include "importers/import/import_readers.h"
#include "record/units.h"

/* Where a value stands in the file. */
sy_position sy_import_position(const sy_import_draft *draft, const sy_json *json, const sy_json_value *value);
/* Rejects a value: its place and pointer are found. */
void sy_import_reject_value(sy_import_draft *draft, const sy_json *json, const sy_json_value *value, const char *format,
                            ...) SY_PRINTF(4, 5);

/* The first and the next element of an array (NULL, or something else: none) that is a whole object. What is none is
 * rejected; what is damaged, or was taken out because of damage, is passed over: the frame told it. */
const sy_json_value *sy_import_first_row(const sy_import_input *input, sy_import_draft *draft,
                                         const sy_json_value *array);
const sy_json_value *sy_import_next_row(const sy_import_input *input, sy_import_draft *draft, const sy_json_value *row);

/* The text of a member, copied; "" where it is absent or null. Anything else, or a text that is too long, is rejected.
 */
const char *sy_import_text(sy_import_draft *draft, const sy_json *json, const sy_json_value *object, const char *name);
/* A number, text, true, false as text, as the file has it; NULL: null, absent, an array, an object. */
const char *sy_import_words(sy_import_draft *draft, const sy_json *json, const sy_json_value *value);
/* Rejects what the document says twice, and bytes that are no UTF-8. The frame does it. */
void sy_import_reject_findings(sy_import_draft *draft, const sy_json *json);

/* Rejects what stands behind the place where a document ceased to be JSON, at the innermost value that is cut. The
 * frame does it. */
void sy_import_reject_rest(sy_import_draft *draft, const sy_json *json, const sy_error *rest);

/* Told of every scalar: value NULL = null. */
typedef void sy_import_visit(sy_import_draft *draft, const char *name, const char *value);
/* All scalars in a value, named by the way to them behind prefix: "caches.0.size". skipped: names of members of value
 * itself, ended by NULL, that are passed over; may be NULL, as may value. */
void sy_import_walk(sy_import_draft *draft, const sy_json *json, const char *prefix, const sy_json_value *value,
                    const char *const *skipped, sy_import_visit *visit);
/* All that stands in a value becomes settings: "context.caches.0.size". skipped: names of members of value itself that
 * are read elsewhere, ended by NULL; may be NULL. */
void sy_import_settings(sy_import_draft *draft, const sy_json *json, const char *prefix, const sy_json_value *value,
                        const char *const *skipped);

/* Why a value is no number that can be used: "NaN", "-Infinity", "null", "absent", "negative (-5)", "text". "" = it
 * is one. */
#define SY_IMPORT_WHY 64
/* The number of a value, or NaN and why. A negative one is unusable where it may not be. A text, an array, an object or
 * a boolean is rejected as well. value may be NULL. */
double sy_import_number(sy_import_draft *draft, const sy_json *json, const sy_json_value *value, bool may_be_negative,
                        char ret_why[SY_IMPORT_WHY]);
/* The elements of an array as samples of the series that is open. What is null, NaN, infinite or negative keeps its
 * place as NaN, and the series' note says how many and which is the first; what is no number at all is rejected and no
 * sample. value may be NULL; anything but an array is rejected. Returns how many samples are numbers. */
size_t sy_import_samples(sy_import_draft *draft, const sy_json *json, const sy_json_value *value, const sy_unit *unit);
/* A member as a figure of the series that is open: nothing where it is absent, NaN where it is no number. */
void sy_import_figure_of(sy_import_draft *draft, const sy_json *json, const sy_json_value *object, const char *name,
                         const sy_unit *unit);
/* Rejects the members of an object that are not in the list, which NULL ends. */
void sy_import_reject_unknown(sy_import_draft *draft, const sy_json *json, const sy_json_value *object,
                              const char *const *known);

#endif
