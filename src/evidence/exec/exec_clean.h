/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of a command as they may be kept: without this user's home folder, wherever it is, without the values of secret
 * variables, and without all that record/private_text.h knows. */
#ifndef STEELYARD_EVIDENCE_EXEC_CLEAN_H
#define STEELYARD_EVIDENCE_EXEC_CLEAN_H

#include "base/arena.h"
#include "record/private_text.h"

typedef struct sy_exec_cleaner {
    sy_arena *arena;
    const char *home; /* "" = not known */
    const char **secrets;
    size_t secret_count;
    size_t secret_capacity;
} sy_exec_cleaner;

/* Finds the home folder and secrets in the variables that a command sees (NAME=VALUE, NULL behind the last). False: no
 * memory. */
bool sy_exec_cleaner_learn(sy_exec_cleaner *cleaner, const char *const *environment);
/* text with ~ for each path into that home (NULL, "" and "/" are none), in the arena, or text itself. NULL: no memory.
 */
const char *sy_exec_take_out_home(sy_arena *arena, const char *home, const char *text);
/* In the cleaner's arena, or text itself. NULL: no memory. NULL gives "". */
const char *sy_exec_clean(const sy_exec_cleaner *cleaner, const char *text);
/* What stands in the bytes of a file that sy_exec_clean would take out of a text. */
sy_private_kind sy_exec_find_private(const sy_exec_cleaner *cleaner, const char *bytes, size_t size);
/* Arguments, NULL behind the last. NULL: no memory. */
const char *const *sy_exec_clean_arguments(const sy_exec_cleaner *cleaner, const char *const *argv, size_t argc);

#endif
