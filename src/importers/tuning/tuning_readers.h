/* SPDX-License-Identifier: Apache-2.0 */
/* The readers of tuning results, one a tuner, and the keys that two of them share with their writers. Private to this
 * folder. */
#ifndef STEELYARD_IMPORTERS_TUNING_READERS_H
#define STEELYARD_IMPORTERS_TUNING_READERS_H

#include "base/json.h"
#include "importers/tuning/tuning_draft.h"

/* Each reads a text with a 0 byte behind it. SY_CORRUPT: nothing of it is the tuner's; SY_NO_MEMORY. */
sy_status sy_tuning_read_tunable_op(const char *text, size_t size, sy_tuning_draft *draft, sy_error *err) SY_NODISCARD;
sy_status sy_tuning_read_miopen(const char *text, size_t size, sy_tuning_draft *draft, sy_error *err) SY_NODISCARD;
sy_status sy_tuning_read_kernel_tuner(const sy_json *json, sy_tuning_draft *draft, sy_error *err) SY_NODISCARD;
sy_status sy_tuning_read_t4(const sy_json *json, sy_tuning_draft *draft, sy_error *err) SY_NODISCARD;

/* "hip", "cuda": the backend whose libraries alone a validator is of; NULL = it is of any. Several: the first in the
 * order of bytes counts. */
const char *sy_tuning_backend_of_validator(const char *name);

/* Whether a text that is no JSON shows the format. */
bool sy_tuning_knows_tunable_op(const char *text, size_t size);
bool sy_tuning_knows_miopen(const char *text, size_t size);
/* Of a document; AUTO = none that is known. */
sy_tuning_format sy_tuning_format_of(const sy_json *json);

/* The next line of a text: without its end and the blanks around it. false: there is none. */
typedef struct sy_tuning_cursor {
    const char *at;
    const char *end;
    uint32_t number; /* of the line that was given last */
    const char *start;
} sy_tuning_cursor;
bool sy_tuning_next_line(sy_tuning_cursor *cursor, sy_tuning_span *ret_line);

/* ---- the two columns of TunableOp that name a problem: tuning_gemm.c ---- */

typedef struct sy_tuning_gemm {
    const char *operator_name;
    sy_tuning_structure structure;
} sy_tuning_gemm;

/* The key of "GemmTunableOp_Half_TN", "tn_57344_8192_8192_B_4_ld_8192_8192_57344". What is of another form is kept as
 * it stands, in the property `params`. */
void sy_tuning_gemm_key(sy_tuning_draft *draft, sy_tuning_span op, sy_tuning_span params, sy_tuning_gemm *ret_gemm);
/* The same way back: "OP,PARAMS" is appended. false: the key is no such problem. */
bool sy_tuning_gemm_text(const sy_profile_key *key, sy_text *to);

/* ---- a problem of MIOpen: tuning_problem.c ---- */

/* The key of "64-56-56-3x3-64-56-56-1-1x1-1x1-1x1-0-NCHW-FP32-F". */
void sy_tuning_problem_key(sy_tuning_draft *draft, sy_tuning_span problem, sy_tuning_gemm *ret_key);
bool sy_tuning_problem_text(const sy_profile_key *key, sy_text *to);

/* The value of a property; NULL = there is none. */
const char *sy_tuning_value(const sy_profile_key *key, const char *name);
/* A whole number, 0 or more. */
bool sy_tuning_value_whole(const sy_profile_key *key, const char *name, int64_t *ret_value);

#endif
