/* SPDX-License-Identifier: Apache-2.0 */
/* Writing stdout, and noticing when it could not be written. */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "message.h"
#include "progress_line.h"

static int first_errno;

void cli_output_prepare(void)
{
    static const int modes[] = {O_RDONLY, O_RDONLY, O_WRONLY};

    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++) {
        /* The lowest free number is taken: those below are open by now. */
        if (fcntl(descriptor, F_GETFD) < 0 && open("/dev/null", modes[descriptor]) < 0)
            return;
    }
    signal(SIGPIPE, SIG_IGN);
}

void cli_output_write(const char *text)
{
    cli_progress_clear();
    errno = 0;
    if (fputs(text, stdout) < 0 && first_errno == 0)
        first_errno = errno;
}

int cli_output_finish(const char *command, int code)
{
    sy_error err;

    cli_progress_clear();
    errno = 0;
    if (fflush(stdout) != 0 && first_errno == 0)
        first_errno = errno;
    if (first_errno == 0 || first_errno == EPIPE)
        return code;
    (void)cli_fail(&err, SY_IO, "standard output: %s", strerror(first_errno));
    cli_hint(&err, "the answer above is cut short or missing: free space, or write elsewhere");
    return cli_report(command, NULL, &err);
}
