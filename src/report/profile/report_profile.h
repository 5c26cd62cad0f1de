/* SPDX-License-Identifier: Apache-2.0 */
/* What the reports on profiles share: words for keys, policies and times, and what is worked out from the verdicts of a
 * question: the walk through the ranks, differences, the nearest miss. */
#ifndef STEELYARD_REPORT_REPORT_PROFILE_H
#define STEELYARD_REPORT_REPORT_PROFILE_H

#include <steelyard/report.h>

#include "base/arena.h"
#include "base/text.h"
#include "report/page/json_frame.h"
#include "report/page/page.h"

/* ---- words; each appends to a text ---- */

/* The policy's bytes, 0 bytes as \x00. */
void sy_profile_words_policy(const sy_profile *profile, sy_text *to);
/* What the key says beyond backend, operator and implementation: "model d1, 4 threads, processor 9f3c1a02" (the first
 * digits of the string's SHA-256) or "dtype=f32, head_dim=64". */
void sy_profile_words_key(const sy_profile_key *key, bool portable, sy_text *to);
/* "override exact"; "imported portable" for those that no rank holds. */
void sy_profile_words_kind(const sy_profile *profile, sy_text *to);
/* "time = 1.5 ms; memory = 3 MiB": as exact as they were given. */
void sy_profile_words_measurements(const sy_profile *profile, sy_text *to);
/* How the decision was come to, what it gains, and how far its outputs lie off; nothing where that was not stored. */
void sy_profile_words_trial(const sy_profile *profile, sy_text *to);
void sy_profile_words_gain(const sy_profile *profile, sy_text *to);
void sy_profile_words_parity(const sy_profile *profile, sy_text *to);
/* "2026-11-29T13:44:19Z"; "" for 0. */
#define SY_PROFILE_TIME_SIZE 32
const char *sy_profile_words_time(char to[SY_PROFILE_TIME_SIZE], int64_t utc_s);
bool sy_profile_is_expired(const sy_profile *profile, int64_t now_utc_s);
/* Where the run that proves a profile stands: "; this project's ledger has it: steelyard run show ID"; nothing for a
 * profile without a run. */
void sy_profile_words_proof(const sy_report_store *store, const sy_profile *profile, sy_text *to);
/* What that ledger holds of the run. false: the profile names none, or nobody could look. */
bool sy_profile_find_proof(const sy_report_store *store, const sy_profile *profile, sy_proof_state *ret_state);
/* The member `ledger`: "holds", "differs", "absent", null where nobody could look. */
void sy_profile_write_proof_json(sy_json_writer *writer, const sy_report_store *store, const sy_profile *profile);
/* The path of a layer, "memory" for one without; "" when there is no such layer. */
const char *sy_profile_words_layer(const sy_report_store *store, uint32_t layer);

/* "cost 12.1 s, saved at least 3.1 h in 41,000 calls: paid back after 9 min of use"; nothing where neither is known. */
void sy_profile_words_balance(const sy_profile *profile, sy_text *to);
/* Of an override: "calibration says flash, 12 % faster (8 % to 15 %, 14 pairs, 2026-11-30)"; nothing if none does. */
void sy_profile_words_contradiction(const sy_report_store *store, const sy_profile *profile, sy_text *to);
void sy_profile_words_earlier(const sy_profile_earlier *earlier, sy_text *to);
/* The members cost, use, balance, contradiction, earlier, earlier_dropped. */
void sy_profile_write_history_json(sy_json_writer *writer, const sy_report_store *store, const sy_profile *profile);

/* ---- what differs ---- */

typedef struct sy_difference {
    const char *field;  /* "model_digest", "structure.dtype"; of processors "cpu.limit" */
    const char *wanted; /* "" = not asked for */
    const char *found;  /* "" = not stored */
} sy_difference;

typedef struct sy_difference_list {
    sy_difference *items;
    size_t count;
    size_t fields; /* that were compared */
} sy_difference_list;

/* Every field in which the question and a profile differ, in the order in which the store compares them; texts are
 * borrowed from both or lie in the arena. false: no memory. */
bool sy_profile_differences(sy_arena *arena, const sy_lookup *lookup, const sy_profile *profile,
                            sy_difference_list *ret_list);
/* The name=value parts of two processor strings that differ, in the order of their names. items is NULL when either is
 * not of that form. false: no memory. */
bool sy_processor_differences(sy_arena *arena, const char *wanted, const char *found, sy_difference_list *ret_list);

/* ---- the walk ---- */

typedef enum sy_step_state {
    SY_STEP_SELECTED,
    SY_STEP_PASSED_OVER, /* a profile of this key is there, but expired, rejected or without evidence */
    SY_STEP_EMPTY,       /* no profile of this key */
    SY_STEP_NOT_ASKED,   /* the question has no key of this kind */
    SY_STEP_SKIPPED,     /* force_portable */
    SY_STEP_NOT_REACHED  /* a better rank has answered */
} sy_step_state;

const char *sy_step_state_word(sy_step_state state); /* "passed-over" */

typedef struct sy_step {
    sy_step_state state;
    const sy_verdict *verdict; /* the selected one, or the first that was passed over; NULL = none */
    size_t candidates;         /* profiles of this rank */
} sy_step;

#define SY_STEP_COUNT 4 /* indexed by sy_profile_rank */

void sy_profile_walk(const sy_report_enquiry *enquiry, sy_step ret_steps[SY_STEP_COUNT]);

/* The selected verdict; NULL when there is none. */
const sy_verdict *sy_profile_selected(const sy_verdict_list *verdicts);

/* The rejected profile with the fewest differences; of equals the one with more agreeing fields, then the first. NULL
 * when none is rejected. *ret_list: its differences. false: no memory. */
bool sy_profile_nearest(sy_arena *arena, const sy_report_enquiry *enquiry, const sy_verdict **ret_verdict,
                        sy_difference_list *ret_list);

/* ---- JSON ---- */

/* An object of docs/formats.md "a stored profile". */
void sy_profile_write_json(sy_json_writer *writer, const sy_report_store *store, const sy_profile *profile,
                           uint32_t layer);
void sy_profile_write_key_json(sy_json_writer *writer, const sy_profile_key *key);
/* "policy" and "policy_hex" of a profile, as members. */
void sy_profile_write_policy_json(sy_json_writer *writer, const sy_profile *profile);
void sy_profile_write_measurements_json(sy_json_writer *writer, const sy_profile *profile);
/* A time as text, or null for 0. */
void sy_profile_write_time_json(sy_json_writer *writer, const char *name, int64_t utc_s);
void sy_profile_write_layers_json(sy_json_writer *writer, const sy_report_store *store);

#endif
