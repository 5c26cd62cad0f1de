/* SPDX-License-Identifier: Apache-2.0 */
/* One line on stderr that says what a probe is doing: shown after a second, redrawn in place, gone at the end. */
#ifndef STEELYARD_CLI_PROGRESS_LINE_H
#define STEELYARD_CLI_PROGRESS_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <steelyard/probe.h>

/* Allows the line if stderr is a capable terminal; without this call nothing is ever drawn. */
void cli_progress_start(void);
/* For sy_probe_options.progress; user is ignored. At most ten redraws a second. */
void cli_progress_show(void *user, const sy_probe_progress *progress);
/* The same for work that is counted: "verifying 1200 of 5000 events  24 %"; what and unit are clean ASCII. */
void cli_progress_count(const char *what, const char *unit, uint64_t done, uint64_t total);
/* Removes the line if it stands; anything may be printed after it. */
void cli_progress_clear(void);
/* The line's text in at most columns characters, printable ASCII only; what matters least is left out first. */
void cli_progress_text(const sy_probe_progress *progress, uint32_t columns, char *to, size_t size);

#endif
