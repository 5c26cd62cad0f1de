/* SPDX-License-Identifier: Apache-2.0 */
/* The readers of recorded timings, one a format. Each appends configurations and notes to a
 * draft; what is wrong in the text is SY_CORRUPT with its position. Private to the importers. */
#ifndef STEELYARD_IMPORTERS_TIMINGS_READERS_H
#define STEELYARD_IMPORTERS_TIMINGS_READERS_H

#include "base/json.h"
#include "importers/timings/timings_draft.h"

/* timings_tuner.c. findings of the document are told as notes. */
sy_status sy_timings_read_kernel_tuner(const sy_json *json, sy_timings_draft *draft, sy_error *err) SY_NODISCARD;
sy_status sy_timings_read_t4(const sy_json *json, sy_timings_draft *draft, sy_error *err) SY_NODISCARD;
sy_status sy_timings_read_hyperfine(const sy_json *json, sy_timings_draft *draft, sy_error *err) SY_NODISCARD;
/* timings_probe.c, timings_measure.c: our own records. SY_VERSION_UNSUPPORTED. */
sy_status sy_timings_read_probe(const sy_json *json, sy_timings_draft *draft, sy_error *err) SY_NODISCARD;
sy_status sy_timings_read_measure(const sy_json *json, sy_timings_draft *draft, sy_error *err) SY_NODISCARD;
/* timings_csv.c. text[size] is readable and 0. */
sy_status sy_timings_read_csv(const char *text, size_t size, const sy_timings_options *options, sy_timings_draft *draft,
                              sy_error *err) SY_NODISCARD;

/* timings_json.c. The format that a document shows; AUTO = none that is known. */
sy_timings_format sy_timings_format_of(const sy_json *json);
/* The elements of an array as times: numbers; null and what is not finite become NaN. SY_CORRUPT: anything else. value
 * NULL appends nothing. */
sy_status sy_timings_read_times(const sy_json *json, const sy_json_value *value, sy_timings_draft *draft,
                                sy_error *err) SY_NODISCARD;
/* SY_CORRUPT without a text `schema`, SY_VERSION_UNSUPPORTED where it is not the known one. */
sy_status sy_timings_check_schema(const sy_json *json, const char *known, sy_error *err) SY_NODISCARD;
/* The text of a member; "" where it is absent or no text. */
const char *sy_timings_text(const sy_json_value *value, const char *name);
/* Nanoseconds of a unit of time that record/units knows; NaN for any other. */
double sy_timings_unit_ns(const char *name);

#endif
