/* SPDX-License-Identifier: Apache-2.0 */
/* What a run wrote, read line by line without those that are left out; whatever its size, a piece is in memory. */
#ifndef STEELYARD_BACKENDS_COMMAND_COMMAND_OUTPUT_H
#define STEELYARD_BACKENDS_COMMAND_COMMAND_OUTPUT_H

#include <regex.h>
#include <stdint.h>
#include <steelyard/base.h>

#include "base/digest.h"

#define SY_OUTPUT_PIECE_BYTES ((size_t)1 << 16) /* a longer line comes in pieces */

/* Lines that are left out. A line of more than a piece is judged by its first one. */
typedef struct sy_output_filter {
    const regex_t *patterns;
    size_t pattern_count;
    const regex_t *metric; /* NULL, or one pattern more */
} sy_output_filter;

/* Begins at the file's beginning; the descriptor is lent. */
typedef struct sy_output_reader {
    int descriptor;
    const sy_output_filter *filter;
    char *buffer; /* two pieces */
    size_t begin;
    size_t end;
    uint64_t offset; /* in the file, of buffer[begin] */
    uint64_t line;   /* of the next piece, from 1 */
    bool inside;     /* the next piece goes on with a line */
    bool leaves_out; /* that line */
    bool at_end;
} sy_output_reader;

/* One line, its newline included where it has one, or a part of one. Valid until the next call. */
typedef struct sy_output_piece {
    char *bytes;     /* the byte behind them is the reader's, too */
    size_t size;     /* 0: the end */
    uint64_t offset; /* in the file */
    uint64_t line;   /* from 1, those left out counted */
    bool first;      /* it begins its line */
} sy_output_piece;

/* SY_NO_MEMORY. Finished by sy_output_finish. */
sy_status sy_output_start(sy_output_reader *reader, int descriptor, const sy_output_filter *filter,
                          sy_error *err) SY_NODISCARD;
sy_status sy_output_next(sy_output_reader *reader, sy_output_piece *ret_piece, sy_error *err) SY_NODISCARD;
void sy_output_finish(sy_output_reader *reader);

/* Digest and size of what is not left out. */
sy_status sy_output_digest(int descriptor, const sy_output_filter *filter, sy_digest *ret_digest, uint64_t *ret_bytes,
                           sy_error *err) SY_NODISCARD;

/* Compiles an extended regular expression; flags beside REG_EXTENDED. false: why says what is wrong with it. One that
 * refers back (\1) is none: to match it can take for ever, and nothing could stop that. */
bool sy_output_compile(regex_t *pattern, const char *text, int flags, char why[128]) SY_NODISCARD;

/* Whether pattern is found in the line, without its newline. match: NULL, or the whole and the first group. The byte
 * behind the line is another one meanwhile. */
bool sy_output_matches(const regex_t *pattern, char *bytes, size_t size, regmatch_t match[2]);

#endif
