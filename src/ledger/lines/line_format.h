/* SPDX-License-Identifier: Apache-2.0 */
/* What stands between the events of an exported ledger (docs/formats.md, "steelyard.ledger/1"): the words and limits
 * that writing and reading share. */
#ifndef STEELYARD_LEDGER_LINE_FORMAT_H
#define STEELYARD_LEDGER_LINE_FORMAT_H

#include <stddef.h>

#define SY_LINES_SCHEMA "steelyard.ledger/1"
#define SY_LINE_HEADER "ledger"
#define SY_LINE_SERIES "series"
#define SY_LINE_ARTIFACT "artifact"
#define SY_LINE_END "end"

/* Bytes in one line of samples or of a file: a whole number of doubles, and of base64 groups. */
#define SY_LINE_PIECE ((size_t)768 << 10)

#endif
