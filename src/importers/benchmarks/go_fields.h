/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of a line of a Go benchmark text. Private to the importers. */
#ifndef STEELYARD_IMPORTERS_GO_FIELDS_H
#define STEELYARD_IMPORTERS_GO_FIELDS_H

#include <steelyard/base.h>

/* Some bytes of the text. */
typedef struct sy_go_span {
    const char *at;
    size_t length;
} sy_go_span;

int sy_go_span_compare(const sy_go_span *a, const sy_go_span *b); /* as memcmp, the shorter one first */
bool sy_go_is_text(const sy_go_span *span, const char *text);
/* Bytes of the white space at `at` (Unicode's, U+2003 too); 0 = none stands there. end > at. */
size_t sy_go_space(const char *at, const char *end);
/* The next field from *at on, which is moved behind it; empty at the line's end. */
sy_go_span sy_go_next_field(const char **at, const char *end);
/* The end of begin .. end without the white space there. */
const char *sy_go_trim_end(const char *begin, const char *end);
/* Takes "-8" off the end of a name: the number of processors that Go adds. */
void sy_go_split_procs(sy_go_span *name, sy_go_span *ret_procs);
/* NULL, or what is wrong with it. */
const char *sy_go_read_iterations(const sy_go_span *field, uint64_t *ret_iterations);
const char *sy_go_read_measurement(const sy_go_span *field, double *ret_value); /* NaN and infinities are read */
/* Whether name is that of the bare one, of a part of it, or the same with its processors: "A" for "A-8", "A/x". */
bool sy_go_belongs(const sy_go_span *bare, const sy_go_span *name);

#endif
