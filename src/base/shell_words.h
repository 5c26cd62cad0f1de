/* SPDX-License-Identifier: Apache-2.0 */
/* A command line into words by POSIX's rules of quoting, without anything that only a shell can do. */
#ifndef STEELYARD_BASE_SHELL_WORDS_H
#define STEELYARD_BASE_SHELL_WORDS_H

#include "base/arena.h"

typedef struct sy_shell_line {
    const char *const *assignments; /* NAME=VALUE in front of the program; NULL behind the last */
    size_t assignment_count;
    const char *const *words; /* the program and what it is given, at least one; NULL behind the last */
    size_t word_count;
} sy_shell_line;

/* Words are parted by blanks. Quotes '...' keep all, "..." keep all but \" \\ \$ \`, a backslash outside keeps the next
 * character. A metacharacter outside of quotes, $ or ` inside of "...", a # or ~ that begins a word, and a quote
 * without its end are refused (SY_INVALID_ARGUMENT, with the column): only a shell gives them a meaning. A line without
 * a program is refused. Everything lives in the arena. SY_NO_MEMORY. */
sy_status sy_shell_split(sy_arena *arena, const char *line, sy_shell_line *ret_line, sy_error *err) SY_NODISCARD;

/* Words (NULL behind the last) as one line that would split into them again; for people. NULL: no memory. */
char *sy_shell_join(sy_arena *arena, const char *const *words);

#endif
