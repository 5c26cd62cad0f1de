/* SPDX-License-Identifier: Apache-2.0 */
/* What the command says besides its data: errors and remarks on stderr, and the exit code that goes with a status.
 * Bytes that could steer a terminal are shown as escapes. */
#ifndef STEELYARD_CLI_MESSAGE_H
#define STEELYARD_CLI_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <steelyard/base.h>

/* Exit codes of every command; 0, 1, 3 and 5 also come from a decision (sy_decision_exit_code). */
typedef enum cli_exit {
    CLI_DONE = 0,
    CLI_REFUSED = 1,
    CLI_USAGE = 2,
    CLI_ENVIRONMENT = 3,
    CLI_DATA = 4,
    CLI_UNDECIDED = 5,
    CLI_NOTHING = 6,
    CLI_COVERAGE = 7,
    CLI_INTERRUPTED = 130
} cli_exit;

/* One line an exit code, for help and man pages: "2", "usage: ...". Ended by code NULL. */
typedef struct cli_exit_text {
    const char *code;
    const char *meaning;
} cli_exit_text;
extern const cli_exit_text cli_exit_texts[];

/* Fills err (may be NULL) and returns status; hint and position are cleared. */
sy_status cli_fail(sy_error *err, sy_status status, const char *format, ...) SY_PRINTF(3, 4);

/* As in src/base/error.h: after this compilers and analysers see which status comes back. It is evaluated twice. */
static inline sy_status cli_fail_with(sy_status status, sy_status filled)
{
    (void)filled;
    return status;
}
#define cli_fail(err, status, ...) cli_fail_with((status), (cli_fail)((err), (status), __VA_ARGS__))

/* Sets the hint of an error that cli_fail filled. */
void cli_hint(sy_error *err, const char *format, ...) SY_PRINTF(2, 3);
/* Appends to a terminated text in an array of size bytes; cuts what does not fit. */
void cli_append(char *to, size_t size, const char *more);
/* As cli_append; control characters, which could command a terminal, are shown as \x1b. */
void cli_append_safely(char *to, size_t size, const char *more);

/* The exit code of a call that failed with this status. */
int cli_exit_of(sy_status status);

/* Prints "steelyard COMMAND: what" and, indented, the hint; command "" leaves it out. With a position and a file:
 * "steelyard COMMAND: FILE:LINE:COLUMN: what". An INVALID_ARGUMENT without a hint points to the command's --help.
 * Returns cli_exit_of(err->status). */
int cli_report(const char *command, const char *file, const sy_error *err);

/* The same for a mistake in a text of one line that was given: the text stands below what, behind `before`, and the
 * place is marked: '^' at the position's offset and '~' up to the next of `ends` or the text's end. Only the
 * neighbourhood of a long text is shown. */
int cli_report_in(const char *command, const char *before, const char *text, const char *ends, const sy_error *err);

/* One remark on stderr: "steelyard: ..." */
void cli_remark(const char *text);

/* Installs the library's log sink: warnings and errors become remarks, unless quiet. */
void cli_listen(bool quiet);

#endif
