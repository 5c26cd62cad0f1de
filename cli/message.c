/* SPDX-License-Identifier: Apache-2.0 */
/* Errors and remarks on stderr. Nothing here knows what went wrong: the texts come from whoever failed. */
#include "message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "progress_line.h"

const cli_exit_text cli_exit_texts[] = {
    {"0", "decided: win, no-gain, tie or not-slower; or simply done"},
    {"1", "parity failed and no candidate is left, the candidate is slower, a rule refused it, or files have findings"},
    {"2", "usage: an unknown name, a bad option, a pair cap too small for any decision"},
    {"3", "environment: a library, driver or memory is missing, or a worker could not start"},
    {"4", "data: a damaged file, or an input or output error such as a full disk"},
    {"5", "inconclusive or vacuous: keep the reference; the text says what would decide it"},
    {"6", "nothing there: a question without an answer, or a file that does not exist"},
    {"7", "coverage: what is planned is missing, and --require-coverage was given"},
    {"130", "interrupted; what was measured until then is printed"},
    {NULL, NULL},
};

sy_status(cli_fail)(sy_error *err, sy_status status, const char *format, ...)
{
    va_list arguments;

    if (err == NULL)
        return status;
    *err = (sy_error)SY_ERROR_INIT;
    err->status = status;
    va_start(arguments, format);
    vsnprintf(err->what, sizeof(err->what), format, arguments);
    va_end(arguments);
    return status;
}

void cli_hint(sy_error *err, const char *format, ...)
{
    va_list arguments;

    if (err == NULL)
        return;
    va_start(arguments, format);
    vsnprintf(err->hint, sizeof(err->hint), format, arguments);
    va_end(arguments);
}

void cli_append(char *to, size_t size, const char *more)
{
    size_t length = strlen(to);

    if (length < size)
        snprintf(to + length, size - length, "%s", more);
}

void cli_append_safely(char *to, size_t size, const char *more)
{
    size_t length = strlen(to);

    for (const unsigned char *at = (const unsigned char *)more; *at != '\0'; at++) {
        bool c1_control = at[0] == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0;
        bool control = *at < 0x20 || *at == 0x7f || c1_control;
        size_t needed = c1_control ? 8 : control ? 4 : 1;

        if (length + needed >= size)
            return;
        if (c1_control)
            snprintf(to + length, size - length, "\\x%02x\\x%02x", at[0], at[1]);
        else
            snprintf(to + length, size - length, control ? "\\x%02x" : "%c", *at);
        length += needed;
        at += c1_control;
    }
}

int cli_exit_of(sy_status status)
{
    switch (status) {
    case SY_OK:
        return CLI_DONE;
    case SY_INVALID_ARGUMENT:
    case SY_NOT_FOUND:
        return CLI_USAGE;
    case SY_UNAVAILABLE:
    case SY_NO_MEMORY:
    case SY_LIMIT_EXCEEDED:
    case SY_TIMED_OUT:
    case SY_DIED:
        return CLI_ENVIRONMENT;
    case SY_CORRUPT:
    case SY_VERSION_UNSUPPORTED:
    case SY_BUSY:
    case SY_IO:
        return CLI_DATA;
    case SY_IDENTITY_MISMATCH:
    case SY_STALE:
        return CLI_NOTHING;
    case SY_REFUSED:
    case SY_POLICY_REJECTED:
        return CLI_REFUSED;
    case SY_INTERRUPTED:
        return CLI_INTERRUPTED;
    }
    return CLI_ENVIRONMENT;
}

/* Names and values in messages come from files and arguments: an escape sequence in one must not reach the terminal. */
static void print_safely(const char *text)
{
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at++) {
        bool c1_control = at[0] == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0;

        if (*at < 0x20 || *at == 0x7f || c1_control)
            fprintf(stderr, "\\x%02x", *at);
        else
            fputc(*at, stderr);
        if (c1_control)
            fprintf(stderr, "\\x%02x", *++at);
    }
}

/* Some of the library's texts name file and place already. */
static void print_place(const char *file, const sy_error *err)
{
    char place[32];

    snprintf(place, sizeof(place), "%u:%u: ", err->position.line, err->position.column);
    if (err->position.line == 0 || strstr(err->what, place) != NULL)
        return;
    if (file != NULL) {
        print_safely(file);
        fputc(':', stderr);
    }
    fputs(place, stderr);
}

static void print_head(const char *command)
{
    cli_progress_clear();
    fprintf(stderr, "steelyard%s%s: ", command[0] == '\0' ? "" : " ", command);
}

static void print_what(const sy_error *err)
{
    print_safely(err->what[0] != '\0' ? err->what : sy_status_word(err->status));
    fputc('\n', stderr);
}

static void print_hint(const char *command, const sy_error *err)
{
    if (err->hint[0] != '\0') {
        fputs("  ", stderr);
        print_safely(err->hint);
        fputc('\n', stderr);
    } else if (err->status == SY_INVALID_ARGUMENT) {
        fprintf(stderr, "  see: steelyard%s%s --help\n", command[0] == '\0' ? "" : " ", command);
    } else {
        fprintf(stderr, "  %s\n", sy_status_advice(err->status));
    }
}

int cli_report(const char *command, const char *file, const sy_error *err)
{
    print_head(command);
    print_place(file, err);
    print_what(err);
    print_hint(command, err);
    return cli_exit_of(err->status);
}

/* Columns that a byte takes in print_marked: what is no printable ASCII is shown as \x1b, so that the mark stands right
 * whatever the terminal makes of a character. */
static int columns_of(unsigned char byte)
{
    return byte >= 0x20 && byte < 0x7f ? 1 : 4;
}

static void print_bytes(const char *text, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        const unsigned char byte = (unsigned char)text[i];

        fprintf(stderr, columns_of(byte) == 1 ? "%c" : "\\x%02x", byte);
    }
}

static void print_times(char c, int times)
{
    while (times-- > 0)
        fputc(c, stderr);
}

/* Two lines: the text around the place, and the mark below. */
static void print_marked(const char *before, const char *text, const char *ends, size_t place)
{
    enum { AHEAD = 40, BEHIND = 36 };
    const size_t length = strlen(text);
    const size_t from = place > AHEAD ? place - AHEAD : 0;
    const size_t to = length - place > BEHIND ? place + BEHIND : length;
    size_t end = place + strcspn(text + place, ends);
    int indent = (int)strlen(before) + (from > 0 ? 3 : 0);
    int marked = 0;

    while (end > place && (text[end - 1] == ' ' || text[end - 1] == '\t'))
        end--;
    for (size_t i = from; i < place; i++)
        indent += columns_of((unsigned char)text[i]);
    for (size_t i = place; i < end && i < to; i++)
        marked += columns_of((unsigned char)text[i]);
    fprintf(stderr, "  %s%s", before, from > 0 ? "..." : "");
    print_bytes(text, from, to);
    fputs(to < length ? "...\n  " : "\n  ", stderr);
    print_times(' ', indent);
    fputc('^', stderr);
    print_times('~', marked - 1);
    fputc('\n', stderr);
}

int cli_report_in(const char *command, const char *before, const char *text, const char *ends, const sy_error *err)
{
    print_head(command);
    print_what(err);
    if (err->position.line > 0 && err->position.offset <= strlen(text))
        print_marked(before, text, ends, (size_t)err->position.offset);
    print_hint(command, err);
    return cli_exit_of(err->status);
}

void cli_remark(const char *text)
{
    cli_progress_clear();
    fputs("steelyard: ", stderr);
    print_safely(text);
    fputc('\n', stderr);
}

static void take_log(void *user, sy_log_level level, const char *message)
{
    (void)user;
    if (level >= SY_LOG_WARNING)
        cli_remark(message);
}

void cli_listen(bool quiet)
{
    sy_log_set_sink(quiet ? NULL : take_log, NULL);
}
