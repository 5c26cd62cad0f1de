/* SPDX-License-Identifier: Apache-2.0 */
/* The data on stdout: written at the end, flushed and checked. */
#ifndef STEELYARD_CLI_OUTPUT_H
#define STEELYARD_CLI_OUTPUT_H

/* Opens what is missing of descriptors 0, 1 and 2, so that no file or socket of ours takes their numbers; writing to a
 * stdout that was closed still fails. Ignores SIGPIPE: a write to a reader that went away fails instead. */
void cli_output_prepare(void);
/* Writes text to stdout and removes a progress line before it. Failures show in cli_output_finish. */
void cli_output_write(const char *text);
/* Flushes stdout. Returns code, or CLI_DATA after reporting that not all could be written. A reader that closed the
 * pipe early has had what it wanted: that is no failure. */
int cli_output_finish(const char *command, int code);

#endif
