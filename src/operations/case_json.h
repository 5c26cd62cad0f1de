/* SPDX-License-Identifier: Apache-2.0 */
/* Cases as JSON and back: how a worker learns of cases that are not its suite's own, and how a miss is written down. */
#ifndef STEELYARD_OPERATIONS_CASE_JSON_H
#define STEELYARD_OPERATIONS_CASE_JSON_H

#include <steelyard/suite.h>

#include "base/arena.h"
#include "base/json.h"

/* Writes an array with one object a case, every field of sy_case. */
void sy_cases_write(sy_json_writer *writer, const sy_case *cases, size_t count);

/* Reads what sy_cases_write wrote; cases and their texts live in arena. SY_CORRUPT with the position, SY_NO_MEMORY. */
sy_status sy_cases_read(const sy_json *json, const sy_json_value *array, sy_arena *arena, const sy_case **ret_cases,
                        size_t *ret_count, sy_error *err) SY_NODISCARD;

#endif
