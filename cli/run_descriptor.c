/* SPDX-License-Identifier: Apache-2.0 */
/* Writes lines to the run around this process. */
#include "run_descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <steelyard/evidence.h>
#include <string.h>
#include <unistd.h>

#include "message.h"

#define VARIABLE "STEELYARD_RUN_FD"

enum { NOBODY = -1 };

static int descriptor = NOBODY;
static bool is_broken; /* and that was said */

static void give_up(const char *why)
{
    char line[512];

    if (is_broken)
        return;
    is_broken = true;
    (void)snprintf(line, sizeof(line), "what is measured cannot be told to the run around it: %s", why);
    cli_remark(line);
}

void cli_run_lines_prepare(void)
{
    const char *given = getenv(VARIABLE);
    char *end = NULL;
    long number;

    if (given == NULL || given[0] == '\0')
        return;
    errno = 0;
    number = strtol(given, &end, 10);
    if (errno != 0 || *end != '\0' || number <= STDERR_FILENO || number > 1 << 20 ||
        fcntl((int)number, F_SETFD, FD_CLOEXEC) != 0)
        give_up(VARIABLE " names no open descriptor");
    descriptor = (int)(number & 0x7fffffff);
    (void)unsetenv(VARIABLE);
}

bool cli_run_lines_are_heard(void)
{
    return descriptor != NOBODY;
}

/* Takes the lines, which may be NULL. */
static void tell(char *lines, sy_status status, const sy_error *err)
{
    size_t size = status == SY_OK ? strlen(lines) : 0;
    size_t done = 0;

    if (status != SY_OK)
        give_up(err->what);
    while (done < size && !is_broken) {
        ssize_t written = write(descriptor, lines + done, size - done);

        if (written > 0)
            done += (size_t)written;
        else if (errno != EINTR)
            give_up(strerror(errno));
    }
    if (status == SY_OK)
        sy_text_free(lines);
}

void cli_run_lines_tell_probe(const sy_probe_result *result)
{
    sy_error err = SY_ERROR_INIT;
    char *lines = NULL;

    if (descriptor != NOBODY && !is_broken) {
        sy_status status = sy_run_lines_of_probe(result, &lines, &err);

        tell(lines, status, &err);
    }
}

void cli_run_lines_tell_measure(const sy_measure_result *result)
{
    sy_error err = SY_ERROR_INIT;
    char *lines = NULL;

    if (descriptor != NOBODY && !is_broken) {
        sy_status status = sy_run_lines_of_measure(result, &lines, &err);

        tell(lines, status, &err);
    }
}
