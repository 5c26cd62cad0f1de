/* SPDX-License-Identifier: Apache-2.0 */
/* Equal surroundings: the kernel lays a process's arguments and environment at the top of its stack, and their size
 * alone moves all addresses below. Each side gets as many bytes and as many pointers as the other. */
#ifndef STEELYARD_BACKENDS_COMMAND_COMMAND_LAYOUT_H
#define STEELYARD_BACKENDS_COMMAND_COMMAND_LAYOUT_H

#include "base/arena.h"

typedef struct sy_command_side {
    const char *const *argv;
    const char *path;               /* that is executed; it lies there, too */
    const char *const *environment; /* set by sy_command_layout */
} sy_command_side;

/* The environment that all sides share: the caller's, with variables in place of theirs or added. NULL = no memory. */
const char *const *sy_command_environment(sy_arena *arena, const char *const *base, const char *const *variables,
                                          size_t count);
/* Gives each side that environment with STEELYARD_LAYOUT variables that make up the differences. SY_NO_MEMORY. */
sy_status sy_command_layout(sy_arena *arena, const char *const *environment, sy_command_side *sides, size_t count,
                            sy_error *err) SY_NODISCARD;

/* Whether addresses are drawn anew in each process: 0 no, 1 yes, -1 unknown. */
int sy_command_address_randomisation(void);

#endif
