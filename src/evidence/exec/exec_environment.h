/* SPDX-License-Identifier: Apache-2.0 */
/* Which variables a command of a run sees, and which of them are recorded. */
#ifndef STEELYARD_EVIDENCE_EXEC_ENVIRONMENT_H
#define STEELYARD_EVIDENCE_EXEC_ENVIRONMENT_H

#include <steelyard/run.h>

#include "base/arena.h"
#include "evidence/exec/exec_clean.h"

/* What is asked for. Lists of NAME=VALUE or NAME; NULL behind the last of available and assignments. */
typedef struct sy_exec_wishes {
    const char *const *available; /* what the caller has; NULL = nothing */
    const char *const *required;  /* names: of the gate; each must be there */
    size_t required_count;
    const char *const *more; /* NAME or NAME=VALUE: said by a person */
    size_t more_count;
    const char *const *assignments; /* NAME=VALUE in front of the program; they win; NULL = none */
} sy_exec_wishes;

/* The variables, NULL behind the last, sorted, with room for SY_EXEC_OWN_VARIABLES more behind; *ret_count: without
 * those. Of the caller's: PATH HOME LANG LANGUAGE LC_* TZ TMPDIR USER LOGNAME and what makes numerical libraries choose
 * other kernels. SY_UNAVAILABLE: a required one is not set; SY_INVALID_ARGUMENT: a NAME said by a person is not set, or
 * no name; SY_NO_MEMORY. */
sy_status sy_exec_environment(sy_arena *arena, const sy_exec_wishes *wishes, const char ***ret_variables,
                              size_t *ret_count, sy_error *err) SY_NODISCARD;
#define SY_EXEC_OWN_VARIABLES 3

/* Those that are recorded, clean: all but who the user is. NULL: no memory. */
const sy_named_text *sy_exec_environment_record(const sy_exec_cleaner *cleaner, const char *const *variables,
                                                size_t count, size_t *ret_count);

#endif
