/* SPDX-License-Identifier: Apache-2.0 */
/* A command line into words by POSIX's rules of quoting, without anything that only a shell can do. */
#ifndef STEELYARD_BACKENDS_COMMAND_COMMAND_WORDS_H
#define STEELYARD_BACKENDS_COMMAND_COMMAND_WORDS_H

#include "base/arena.h"

/* Words are parted by blanks. Quotes '...' keep all, "..." keep all but \" \\ \$ \`, a backslash outside keeps the next
 * character. A metacharacter outside of quotes, $ or ` inside of "...", a # or ~ that begins a word, an assignment
 * before the program (A=B prog), and a quote without its end are refused (SY_INVALID_ARGUMENT, with the column): only
 * a shell gives them a meaning. An empty line is refused. *ret_words is NULL-terminated, in the arena. */
sy_status sy_command_split(sy_arena *arena, const char *line, const char *const **ret_words,
                           sy_error *err) SY_NODISCARD;

/* Words as one line that would split into them again; for people. */
char *sy_command_join(sy_arena *arena, const char *const *words);

/* text with each {name} replaced by its value; NULL when memory is short. */
struct sy_command_parameter;
char *sy_command_substitute(sy_arena *arena, const char *text, const struct sy_command_parameter *parameters,
                            size_t count);

#endif
