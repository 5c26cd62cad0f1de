/* SPDX-License-Identifier: Apache-2.0 */
/* A compared command's words, and parameters put into its line. */
#include "backends/command/command_words.h"

#include <steelyard/command.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/shell_words.h"
#include "base/text.h"

sy_status sy_command_split(sy_arena *arena, const char *line, const char *const **ret_words, sy_error *err)
{
    sy_shell_line split;
    sy_status status = sy_shell_split(arena, line, &split, err);
    if (status != SY_OK)
        return status;
    if (split.assignment_count > 0) {
        (void)sy_fail(err, SY_INVALID_ARGUMENT, "a variable in front of the program at column %zu of '%s'",
                      strspn(line, " \t") + 1, line);
        sy_error_hint(err, "--env NAME=VALUE sets it for both sides; or --shell sh");
        return SY_INVALID_ARGUMENT;
    }
    *ret_words = split.words;
    return SY_OK;
}

char *sy_command_substitute(sy_arena *arena, const char *text, const sy_command_parameter *parameters, size_t count)
{
    sy_text whole = SY_TEXT_INIT;
    const char *from = text;
    while (*from) {
        size_t i = 0;
        size_t length = 0;
        for (; *from == '{' && i < count; i++) {
            length = strlen(parameters[i].name);
            if (strncmp(from + 1, parameters[i].name, length) == 0 && from[length + 1] == '}')
                break;
        }
        if (*from == '{' && i < count) {
            sy_text_append(&whole, parameters[i].value);
            from += length + 2;
        } else {
            sy_text_append_bytes(&whole, from++, 1);
        }
    }
    char *copy = whole.failed ? NULL : sy_arena_copy_text(arena, sy_text_bytes(&whole));
    sy_text_finish(&whole);
    return copy;
}
