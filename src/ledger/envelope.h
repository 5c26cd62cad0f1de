/* SPDX-License-Identifier: Apache-2.0 */
/* An event's bytes: one line of canonical JSON around a body (docs/formats.md, "steelyard.event/1"), written and read
 * back strictly: there is one way to write an event. */
#ifndef STEELYARD_LEDGER_ENVELOPE_H
#define STEELYARD_LEDGER_ENVELOPE_H

#include "base/arena.h"
#include "base/digest.h"
#include "base/json.h"
#include "base/text.h"
#include "record/run_events.h"

#define SY_EVENT_SCHEMA "steelyard.event/1"
#define SY_EVENT_BODY_LIMIT ((size_t)16 << 20)
/* What stands around a body at most. */
#define SY_EVENT_FRAME_LIMIT ((size_t)1024)
#define SY_EVENT_RUN_LIMIT 128
#define SY_EVENT_KIND_LIMIT 32

typedef struct sy_envelope {
    uint64_t number;
    int64_t at_utc_s;
    char kind_word[SY_EVENT_KIND_LIMIT + 1];
    sy_event_kind kind;
    char run[SY_EVENT_RUN_LIMIT + 1];
    sy_digest previous;
    sy_json *json; /* of the whole event */
    const sy_json_value *body;
} sy_envelope;

/* Letters, digits, '.', '_', '-', beginning with a letter or digit, at most 128. */
bool sy_event_run_is_valid(const char *run);
/* Parses a body that somebody wants to append: one JSON object of at most 16 MiB, no name twice, no half character, no
 * NUL, no number that is none. SY_INVALID_ARGUMENT, SY_LIMIT_EXCEEDED, SY_NO_MEMORY. The caller destroys *ret_json. */
sy_status sy_event_body_parse(const char *body, size_t size, sy_json **ret_json, sy_error *err) SY_NODISCARD;
/* The same value as canonical JSON; whole numbers keep all their digits. SY_NO_MEMORY. */
sy_status sy_event_body_write(const sy_json_value *body, sy_text *to, sy_error *err) SY_NODISCARD;
/* Appends the event: body is canonical JSON. SY_INVALID_ARGUMENT: a time outside the years 0 to 9999. SY_NO_MEMORY. */
sy_status sy_envelope_write(const sy_envelope *envelope, const char *body, size_t body_size, sy_text *to,
                            sy_error *err) SY_NODISCARD;
/* Reads one event's bytes. SY_CORRUPT: they are not what sy_envelope_write writes, SY_VERSION_UNSUPPORTED,
 * SY_LIMIT_EXCEEDED, SY_NO_MEMORY. The caller finishes *ret_envelope. */
sy_status sy_envelope_read(const char *bytes, size_t size, sy_envelope *ret_envelope, sy_error *err) SY_NODISCARD;
void sy_envelope_finish(sy_envelope *envelope);

#endif
