/* SPDX-License-Identifier: Apache-2.0 */
/* Ctrl-C: the first asks the work to stop and report, the second ends the process at once. */
#ifndef STEELYARD_CLI_INTERRUPT_H
#define STEELYARD_CLI_INTERRUPT_H

#include <stdbool.h>

/* Handles SIGINT, SIGTERM and SIGHUP so, unless they are ignored already. */
void cli_interrupt_watch(void);
/* For sy_probe_options.cancelled; user is ignored. */
bool cli_interrupt_asked(void *user);

#endif
