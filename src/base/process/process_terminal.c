/* SPDX-License-Identifier: Apache-2.0 */
/* A terminal for a child that wants one: a pair of descriptors, of which the slave becomes the child's. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/error.h"
#include "base/process.h"

#define LINES 24
#define COLUMNS 80

sy_status sy_process_open_terminal(int *ret_master, int *ret_slave, sy_error *err)
{
    struct winsize size = {.ws_row = LINES, .ws_col = COLUMNS};
    char name[128];
    int slave = -1;
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0 && ptsname_r(master, name, sizeof(name)) == 0 &&
        ioctl(master, TIOCSWINSZ, &size) == 0 && fcntl(master, F_SETFL, O_NONBLOCK) == 0)
        slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (slave < 0) {
        sy_status status = sy_fail_errno(err, SY_IO, errno, "cannot make a terminal");
        if (master >= 0)
            close(master);
        return status;
    }
    *ret_master = master;
    *ret_slave = slave;
    return SY_OK;
}
