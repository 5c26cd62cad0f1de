/* SPDX-License-Identifier: Apache-2.0 */
/* A document that holds one search: many configurations of one kernel for one problem, of which the fastest wins.
 * Private to this folder. */
#ifndef STEELYARD_IMPORTERS_TUNING_CONFIGURATIONS_H
#define STEELYARD_IMPORTERS_TUNING_CONFIGURATIONS_H

#include "importers/tuning/tuning_readers.h"

typedef struct sy_tuning_configuration {
    sy_tuning_time time; /* its name is the set of parameters as canonical JSON */
    const sy_json_value *value;
    bool again; /* an earlier one has these parameters */
} sy_tuning_configuration;

typedef struct sy_tuning_search {
    sy_tuning_draft *draft;
    const sy_json *json;
    sy_tuning_configuration *list;
    size_t count;
    size_t capacity;
} sy_tuning_search;

/* Adds one; unit of its time as the file has it. Finish the search in any case. */
void sy_tuning_search_add(sy_tuning_search *search, const sy_json_value *value, const char *parameters, double time,
                          const char *reason);
void sy_tuning_search_finish(sy_tuning_search *search);
/* Makes the profile of the fastest; notes what has no time and what stands there twice. SY_NO_MEMORY. */
sy_status sy_tuning_search_conclude(sy_tuning_search *search, const char *backend, const char *operator_name,
                                    sy_tuning_structure *structure, const char *unit, sy_error *err) SY_NODISCARD;

/* A value as canonical JSON, kept: {"block_size_x":16}. names: the members to take of an object, texts of an array;
 * NULL = all. NULL: not all of them are there, or no memory. */
const char *sy_tuning_canonical(sy_tuning_draft *draft, const sy_json_value *value, const sy_json_value *names);
/* The texts of an array, or the names of an object's members, parted by commas. */
const char *sy_tuning_names(sy_tuning_draft *draft, const sy_json_value *value);
/* The mean of the finite numbers of an array; NaN = it has none. */
double sy_tuning_mean(const sy_json_value *array);
/* A member's text, "" where it is absent or none. */
const char *sy_tuning_member_text(const sy_json_value *value, const char *name);

#endif
