/* SPDX-License-Identifier: Apache-2.0 */
/* The bodies of a ledger's events: JSON written from the plain data of <steelyard/run.h>, and read back.
 * docs/formats.md, "steelyard.event/1", names every member. */
#ifndef STEELYARD_RECORD_RUN_EVENTS_H
#define STEELYARD_RECORD_RUN_EVENTS_H

#include <steelyard/run.h>

#include "base/arena.h"
#include "base/json.h"
#include "base/text.h"

/* value: word. Words never change; new ones are appended, and an unknown one is kept and passed by. */
#define SY_EVENT_KIND_LIST(X)                                                 \
    X(OPEN, "open") /* the first: the ledger's id, the tool's version */      \
    X(BEGIN, "begin")                                                         \
    X(LEASE, "lease") /* planned -> running */                                \
    X(CHECK, "check")                                                         \
    X(COMMAND, "command")                                                     \
    X(SERIES, "series")                                                       \
    X(PARITY, "parity")                                                       \
    X(MEMORY, "memory")                                                       \
    X(ARTIFACT, "artifact")                                                   \
    X(DIGEST, "digest")                                                       \
    X(NOTE, "note")                                                           \
    X(DECISION, "decision")                                                   \
    X(PROFILE, "profile")                                                     \
    X(END, "end")                                                             \
    X(ACCEPT, "accept")                                                       \
    X(VERDICT, "verdict")                                                     \
    X(CHANGE, "change")                                                       \
    X(SIGNOFF, "signoff")                                                     \
    X(PROMOTE, "promote")                                                     \
    X(SELFTEST, "selftest") /* of a gate: names no run */                     \
    X(IMPORT, "import")     /* of a file: what was understood and what not */ \
    X(UNKNOWN, "unknown")

typedef enum sy_event_kind {
#define SY_EVENT_KIND_ENUM(name, word) SY_EVENT_##name,
    SY_EVENT_KIND_LIST(SY_EVENT_KIND_ENUM)
#undef SY_EVENT_KIND_ENUM
} sy_event_kind;

const char *sy_event_kind_word(sy_event_kind kind);
sy_event_kind sy_event_kind_read(const char *word);

/* Each appends one JSON object to body. SY_INVALID_ARGUMENT names the member that cannot be (an id with a slash, a
 * refuted end without a conclusion, a digest that is none); SY_NO_MEMORY. */
sy_status sy_run_begin_write(const sy_run_begin *begin, sy_text *body, sy_error *err) SY_NODISCARD;
sy_status sy_run_lease_write(const sy_run_lease *lease, sy_text *body, sy_error *err) SY_NODISCARD;
sy_status sy_run_check_write(const sy_run_check *check, sy_text *body, sy_error *err) SY_NODISCARD;
sy_status sy_run_command_write(const sy_run_command *command, sy_text *body, sy_error *err) SY_NODISCARD;
/* Fills the series' digest and figures from its samples first. */
sy_status sy_run_series_write(sy_run_series *series, sy_text *body, sy_error *err) SY_NODISCARD;
sy_status sy_run_parity_write(const sy_run_parity_event *parity, sy_text *body, sy_error *err) SY_NODISCARD;
sy_status sy_run_memory_write(const sy_run_memory *memory, sy_text *body, sy_error *err) SY_NODISCARD;
sy_status sy_run_artifact_write(const sy_run_artifact *artifact, sy_text *body, sy_error *err) SY_NODISCARD;
sy_status sy_run_digest_write(const sy_run_digest *digest, sy_text *body, sy_error *err) SY_NODISCARD;
sy_status sy_run_note_write(const char *note, sy_text *body, sy_error *err) SY_NODISCARD;
sy_status sy_run_decision_write(const sy_run_decision *decision, sy_text *body, sy_error *err) SY_NODISCARD;
sy_status sy_run_profile_write(const sy_run_profile *profile, sy_text *body, sy_error *err) SY_NODISCARD;
sy_status sy_run_end_write(const sy_run_end *end, sy_text *body, sy_error *err) SY_NODISCARD;
sy_status sy_run_accept_write(const sy_run_accept *accept, sy_text *body, sy_error *err) SY_NODISCARD;
sy_status sy_run_verdict_write(const sy_run_verdict *verdict, sy_text *body, sy_error *err) SY_NODISCARD;
sy_status sy_run_change_write(const sy_run_change *change, sy_text *body, sy_error *err) SY_NODISCARD;
sy_status sy_run_signoff_write(const sy_run_signoff *signoff, sy_text *body, sy_error *err) SY_NODISCARD;
sy_status sy_run_promotion_write(const sy_run_promotion *promotion, sy_text *body, sy_error *err) SY_NODISCARD;
sy_status sy_gate_selftest_write(const sy_gate_selftest *selftest, sy_text *body, sy_error *err) SY_NODISCARD;

/* The members of such a body, into an object that a writer of any style has begun; a series' figures as they stand in
 * it. event: the struct of that kind, of a note its text. SY_INVALID_ARGUMENT as above, or a kind without a struct. */
sy_status sy_event_put(sy_json_writer *writer, sy_event_kind kind, const void *event, sy_error *err) SY_NODISCARD;

/* Each reads one body; texts and arrays live in the arena. Members that are not known are passed by. SY_CORRUPT with
 * the member's pointer. */
sy_status sy_run_begin_read(const sy_json *json, const sy_json_value *body, sy_arena *arena, sy_run_begin *ret_begin,
                            sy_error *err) SY_NODISCARD;
sy_status sy_run_lease_read(const sy_json *json, const sy_json_value *body, sy_arena *arena, sy_run_lease *ret_lease,
                            sy_error *err) SY_NODISCARD;
sy_status sy_run_check_read(const sy_json *json, const sy_json_value *body, sy_arena *arena, sy_run_check *ret_check,
                            sy_error *err) SY_NODISCARD;
sy_status sy_run_command_read(const sy_json *json, const sy_json_value *body, sy_arena *arena,
                              sy_run_command *ret_command, sy_error *err) SY_NODISCARD;
sy_status sy_run_series_read(const sy_json *json, const sy_json_value *body, sy_arena *arena, sy_run_series *ret_series,
                             sy_error *err) SY_NODISCARD;
sy_status sy_run_parity_read_body(const sy_json *json, const sy_json_value *body, sy_arena *arena,
                                  sy_run_parity_event *ret_parity, sy_error *err) SY_NODISCARD;
sy_status sy_run_memory_read(const sy_json *json, const sy_json_value *body, sy_arena *arena, sy_run_memory *ret_memory,
                             sy_error *err) SY_NODISCARD;
sy_status sy_run_artifact_read(const sy_json *json, const sy_json_value *body, sy_arena *arena,
                               sy_run_artifact *ret_artifact, sy_error *err) SY_NODISCARD;
sy_status sy_run_digest_read(const sy_json *json, const sy_json_value *body, sy_arena *arena, sy_run_digest *ret_digest,
                             sy_error *err) SY_NODISCARD;
sy_status sy_run_note_read(const sy_json *json, const sy_json_value *body, sy_arena *arena, const char **ret_note,
                           sy_error *err) SY_NODISCARD;
sy_status sy_run_decision_read(const sy_json *json, const sy_json_value *body, sy_arena *arena,
                               sy_run_decision *ret_decision, sy_error *err) SY_NODISCARD;
sy_status sy_run_profile_read(const sy_json *json, const sy_json_value *body, sy_arena *arena,
                              sy_run_profile *ret_profile, sy_error *err) SY_NODISCARD;
sy_status sy_run_end_read(const sy_json *json, const sy_json_value *body, sy_arena *arena, sy_run_end *ret_end,
                          sy_error *err) SY_NODISCARD;
sy_status sy_run_accept_read(const sy_json *json, const sy_json_value *body, sy_arena *arena, sy_run_accept *ret_accept,
                             sy_error *err) SY_NODISCARD;
sy_status sy_run_verdict_read(const sy_json *json, const sy_json_value *body, sy_arena *arena,
                              sy_run_verdict *ret_verdict, sy_error *err) SY_NODISCARD;
sy_status sy_run_change_read(const sy_json *json, const sy_json_value *body, sy_arena *arena, sy_run_change *ret_change,
                             sy_error *err) SY_NODISCARD;
sy_status sy_run_signoff_read(const sy_json *json, const sy_json_value *body, sy_arena *arena,
                              sy_run_signoff *ret_signoff, sy_error *err) SY_NODISCARD;
sy_status sy_run_promotion_read(const sy_json *json, const sy_json_value *body, sy_arena *arena,
                                sy_run_promotion *ret_promotion, sy_error *err) SY_NODISCARD;
sy_status sy_gate_selftest_read(const sy_json *json, const sy_json_value *body, sy_arena *arena,
                                sy_gate_selftest *ret_selftest, sy_error *err) SY_NODISCARD;

/* Samples as they are kept and hashed: little-endian doubles, 8 bytes each, every NaN the same. to: 8 * count bytes. */
void sy_samples_pack(const double *samples, size_t count, uint8_t *to);
void sy_samples_unpack(const uint8_t *from, size_t count, double *to);
void sy_samples_digest(const double *samples, size_t count, char ret_digest[65]); /* SHA-256 of the packed ones */

/* The comparison key as canonical JSON, an array of [name, value or null]; and back. */
sy_status sy_comparison_key_write(const sy_comparison_key *key, sy_text *to, sy_error *err) SY_NODISCARD;
sy_status sy_comparison_key_read(const sy_json *json, const sy_json_value *value, sy_arena *arena,
                                 sy_comparison_key *ret_key, sy_error *err) SY_NODISCARD;

#endif
