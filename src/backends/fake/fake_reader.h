/* SPDX-License-Identifier: Apache-2.0 */
/* Reading members of a script's objects, each checked for kind and range. The first failure sticks: later reads do
 * nothing, so that a reader checks once. Private to the fake backend. */
#ifndef STEELYARD_BACKENDS_FAKE_READER_H
#define STEELYARD_BACKENDS_FAKE_READER_H

#include "backends/fake/fake_script.h"
#include "base/json.h"

typedef struct sy_fake_reader {
    const sy_json *json;
    sy_arena *arena;
    sy_error *err;
    sy_status status;
} sy_fake_reader;

/* Fails at a value, which may be an object that lacks something. */
void sy_fake_fail(sy_fake_reader *reader, const sy_json_value *value, const char *format, ...) SY_PRINTF(3, 4);
void sy_fake_fail_memory(sy_fake_reader *reader);
/* Refuses a value that is not of this kind. */
bool sy_fake_expect(sy_fake_reader *reader, const sy_json_value *value, sy_json_kind kind);
void sy_fake_refuse_unknown(sy_fake_reader *reader, const sy_json_value *object, const char *const *known);

/* Each leaves *to as it is when the member is absent or something failed before. */
void sy_fake_read_double(sy_fake_reader *reader, const sy_json_value *object, const char *name, double least,
                         double most, double *to);
void sy_fake_read_u64(sy_fake_reader *reader, const sy_json_value *object, const char *name, uint64_t least,
                      uint64_t most, uint64_t *to);
void sy_fake_read_bool(sy_fake_reader *reader, const sy_json_value *object, const char *name, bool *to);
/* A text of 1 to longest bytes without control characters, copied into the arena. */
void sy_fake_read_text(sy_fake_reader *reader, const sy_json_value *object, const char *name, size_t longest,
                       const char **to);
/* One of the words; *to becomes its index. */
void sy_fake_read_word(sy_fake_reader *reader, const sy_json_value *object, const char *name, const char *const *words,
                       int *to);
/* The member, which must be there and be of the kind; NULL after a failure. */
const sy_json_value *sy_fake_require(sy_fake_reader *reader, const sy_json_value *object, const char *name,
                                     sy_json_kind kind);

/* {"factor": F, "from_run": A, "to_run": B}; no drift when the member is absent. */
void sy_fake_read_drift(sy_fake_reader *reader, const sy_json_value *object, const char *name, sy_fake_drift *drift);

/* Fills script->implementations and the suite's from the array; the cases are known by then. */
void sy_fake_read_implementations(sy_fake_reader *reader, const sy_json_value *array, const double *case_factors,
                                  sy_fake_script *script);

#endif
