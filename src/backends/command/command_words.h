/* SPDX-License-Identifier: Apache-2.0 */
/* A command line of a comparison into words, and parameters put into it. */
#ifndef STEELYARD_BACKENDS_COMMAND_COMMAND_WORDS_H
#define STEELYARD_BACKENDS_COMMAND_COMMAND_WORDS_H

#include "base/arena.h"

/* base/shell_words.h, but for a command that is compared with another: a variable in front of the program would be set
 * for one side alone, and is refused (SY_INVALID_ARGUMENT). *ret_words is NULL-terminated, in the arena. */
sy_status sy_command_split(sy_arena *arena, const char *line, const char *const **ret_words,
                           sy_error *err) SY_NODISCARD;

/* text with each {name} replaced by its value; NULL when memory is short. */
struct sy_command_parameter;
char *sy_command_substitute(sy_arena *arena, const char *text, const struct sy_command_parameter *parameters,
                            size_t count);

#endif
