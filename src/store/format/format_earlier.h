/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of format 2 on what a decision has cost, how it was used and what it replaced. */
#ifndef STEELYARD_STORE_FORMAT_EARLIER_H
#define STEELYARD_STORE_FORMAT_EARLIER_H

#include "base/text.h"
#include "store/format/format_record.h"

/* Readers of the table in format_record.c: the words behind the field's own. */
bool sy_record_read_signed_by(sy_record *record, sy_cursor *cursor);
bool sy_record_read_cost(sy_record *record, sy_cursor *cursor);
bool sy_record_read_use(sy_record *record, sy_cursor *cursor);
bool sy_record_read_earlier(sy_record *record, sy_cursor *cursor);
bool sy_record_read_dropped(sy_record *record, sy_cursor *cursor);

/* Appends them, whole lines. */
void sy_earlier_write(const sy_profile *profile, uint32_t format, sy_text *out);

#endif
