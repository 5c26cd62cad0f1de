/* SPDX-License-Identifier: Apache-2.0 */
/* Two outputs held against each other, byte by byte or number by number, whatever their size; and what would help where
 * they differ. */
#ifndef STEELYARD_BACKENDS_COMMAND_COMMAND_COMPARE_H
#define STEELYARD_BACKENDS_COMMAND_COMMAND_COMPARE_H

#include <steelyard/command.h>
#include <steelyard/record.h>

#include "backends/command/command_output.h"

typedef struct sy_output_rules {
    sy_command_compare compare;
    double absolute;
    double relative;
    sy_output_filter filter;
} sy_output_rules;

typedef struct sy_output_verdict {
    sy_parity parity; /* outcome, reason and figures; elements are numbers, or the output as a whole */
    char hint[200];   /* what would help where it failed; may be "" */
} sy_output_verdict;

/* name: of the output, for the reason ("stdout"). Descriptors are lent, and read from their beginning. SY_IO,
 * SY_NO_MEMORY. */
sy_status sy_output_compare(const sy_output_rules *rules, const char *name, int reference, int candidate,
                            sy_output_verdict *ret_verdict, sy_error *err) SY_NODISCARD;

/* What kind of thing differs there, and what to do about it: a time, a date, a path, an address, a process id, a
 * number. Texts are the lines, at the first difference. "" when it looks like none of them. */
void sy_output_advise(const char *reference, size_t reference_size, const char *candidate, size_t candidate_size,
                      size_t at, char *to, size_t size);

/* Sets why it failed, cut between characters to what the record holds. */
void sy_output_reason(sy_parity *parity, const char *format, ...) SY_PRINTF(2, 3);

/* Puts a text as people can read it on one line: what does not print as \xNN, of which each character counts; `most`
 * characters, or three more. */
void sy_output_quote(const char *bytes, size_t size, size_t most, char *to, size_t room);

#endif
