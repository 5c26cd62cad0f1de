/* SPDX-License-Identifier: Apache-2.0 */
/* Environments of equal size. */
#include "backends/command/command_layout.h"

#include <stdio.h>
#include <string.h>
#include <sys/personality.h>

#include "base/error.h"

#define FILLER "STEELYARD_LAYOUT="
#define COUNTED "STEELYARD_LAYOUT_" /* and a number and = */

static size_t count_of(const char *const *texts)
{
    size_t count = 0;
    while (texts[count])
        count++;
    return count;
}

static size_t name_length(const char *variable)
{
    return strcspn(variable, "=");
}

static bool same_name(const char *a, const char *b)
{
    size_t length = name_length(a);
    return length == name_length(b) && memcmp(a, b, length) == 0;
}

const char *const *sy_command_environment(sy_arena *arena, const char *const *base, const char *const *variables,
                                          size_t count)
{
    const char **all = sy_arena_allocate(arena, count_of(base) + count + 1, sizeof(*all));
    size_t length = 0;
    if (!all)
        return NULL;
    for (size_t i = 0; base[i]; i++) {
        bool replaced = strncmp(base[i], "STEELYARD_LAYOUT", strlen("STEELYARD_LAYOUT")) == 0;
        for (size_t k = 0; k < count; k++)
            replaced = replaced || same_name(base[i], variables[k]);
        if (!replaced)
            all[length++] = base[i];
    }
    for (size_t k = 0; k < count; k++) {
        bool again = false;
        for (size_t later = k + 1; later < count; later++)
            again = again || same_name(variables[k], variables[later]);
        if (!again) /* the last one counts */
            all[length++] = variables[k];
    }
    return all;
}

/* What a side brings by itself. */
static size_t bytes_of(const sy_command_side *side)
{
    size_t bytes = strlen(side->path) + 1;
    for (size_t i = 0; side->argv[i]; i++)
        bytes += strlen(side->argv[i]) + 1;
    return bytes;
}

/* Bytes of n counting variables; they are all of one length as long as n is below 10,000. */
static size_t counted_bytes(size_t n)
{
    return n * (strlen(COUNTED) + 4 + 2);
}

static bool lay_out(sy_arena *arena, const char *const *environment, sy_command_side *side, size_t pointers,
                    size_t bytes)
{
    size_t shared = count_of(environment);
    size_t more = pointers - count_of(side->argv);
    size_t missing = bytes - bytes_of(side) - counted_bytes(more);
    const char **own = sy_arena_allocate(arena, shared + more + 2, sizeof(*own));
    char *filler = sy_arena_allocate(arena, strlen(FILLER) + missing + 1, 1);
    if (!own || !filler)
        return false;
    memcpy(own, environment, shared * sizeof(*own));
    for (size_t i = 0; i < more; i++) {
        own[shared + i] = sy_arena_format(arena, COUNTED "%04zu=", i);
        if (!own[shared + i])
            return false;
    }
    memcpy(filler, FILLER, strlen(FILLER));
    memset(filler + strlen(FILLER), 'x', missing);
    own[shared + more] = filler;
    side->environment = own;
    return true;
}

sy_status sy_command_layout(sy_arena *arena, const char *const *environment, sy_command_side *sides, size_t count,
                            sy_error *err)
{
    size_t pointers = 0;
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        size_t own = count_of(sides[i].argv);
        pointers = own > pointers ? own : pointers;
    }
    if (pointers > 9999)
        return sy_fail(err, SY_INVALID_ARGUMENT, "a command of %zu words: at most 9999", pointers);
    for (size_t i = 0; i < count; i++) {
        size_t own = bytes_of(&sides[i]) + counted_bytes(pointers - count_of(sides[i].argv));
        bytes = own > bytes ? own : bytes;
    }
    for (size_t i = 0; i < count; i++) {
        if (!lay_out(arena, environment, &sides[i], pointers, bytes))
            return sy_fail(err, SY_NO_MEMORY, "no memory for the environment of a command");
    }
    return SY_OK;
}

int sy_command_address_randomisation(void)
{
    int persona = personality(0xffffffff); /* asks, changes nothing */
    if (persona >= 0 && (persona & ADDR_NO_RANDOMIZE))
        return 0;
    FILE *file = fopen("/proc/sys/kernel/randomize_va_space", "re");
    int digit = file ? fgetc(file) : EOF;
    if (file)
        (void)fclose(file);
    return digit == EOF ? -1 : digit != '0';
}
