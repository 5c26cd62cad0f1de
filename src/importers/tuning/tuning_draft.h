/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning results while they are being read: entries in the file's order, profiles made of them, findings with their
 * place. A lack of memory is kept and told at the end. Private to this folder. */
#ifndef STEELYARD_IMPORTERS_TUNING_DRAFT_H
#define STEELYARD_IMPORTERS_TUNING_DRAFT_H

#include <steelyard/tuning.h>

#include "base/arena.h"
#include "base/text.h"
#include "record/findings.h"

/* Findings beyond that are counted. */
#define SY_TUNING_FINDINGS_MAX 10000
/* A text of a file that is longer is none of the tuner's. */
#define SY_TUNING_TEXT_MAX 65536
#define SY_TUNING_STRUCTURE_MAX 32

/* Rules of findings. docs/importing.md lists them. */
#define SY_TUNING_RULE_ENTRY "tuning-entry"           /* what cannot be understood */
#define SY_TUNING_RULE_TIME "tuning-time"             /* no time can be that */
#define SY_TUNING_RULE_DUPLICATE "tuning-duplicate"   /* a key again, with another winner */
#define SY_TUNING_RULE_WINNER "tuning-no-winner"      /* nothing in it can be taken */
#define SY_TUNING_RULE_FAILURE "tuning-failure"       /* a word for a failure that is not known */
#define SY_TUNING_RULE_SOLUTION "tuning-solution"     /* a solution of no kind that is known */
#define SY_TUNING_RULE_VALIDATORS "tuning-validators" /* several versions in one file */
#define SY_TUNING_RULE_SLOWER "tuning-slower-winner"
#define SY_TUNING_RULE_LARGER "tuning-larger-faster"
#define SY_TUNING_RULE_UNIT "tuning-unit"
#define SY_TUNING_RULE_DAMAGE "tuning-damage" /* of our own file */

/* Bytes of the text, not terminated. */
typedef struct sy_tuning_span {
    const char *at;
    size_t length;
} sy_tuning_span;

/* A line that has a key and what is said of it, or one document's only entry. */
typedef struct sy_tuning_line {
    sy_tuning_span key;
    sy_tuning_span rest;
    uint32_t number; /* from 1 */
    const char *start;
    size_t first; /* index of the first line with this key: its own, unless it is a duplicate */
    bool unread;  /* nothing could be taken from it: the next with this key counts */
} sy_tuning_line;

typedef struct sy_tuning_draft {
    sy_arena *arena; /* what the result will own */
    const sy_tuning_options *options;
    const char *name; /* of the file */
    sy_tuning_format format;
    sy_findings *findings;
    size_t finding_total;
    bool lints; /* suspicions are asked for, too */
    sy_tuned *list;
    size_t count;
    size_t capacity;
    sy_tuning_line *lines;
    size_t line_count;
    size_t line_capacity;
    size_t entries;
    size_t passed_over;
    bool failed;
} sy_tuning_draft;

/* SY_NO_MEMORY; finish it in any case. */
sy_status sy_tuning_draft_init(sy_tuning_draft *draft, const char *name, const sy_tuning_options *options,
                               sy_error *err) SY_NODISCARD;
void sy_tuning_draft_finish(sy_tuning_draft *draft);

/* A finding at a place; found may be NULL. Nothing is kept once there are too many. */
void sy_tuning_find(sy_tuning_draft *draft, const char *rule, sy_position position, const char *found,
                    const char *format, ...) SY_PRINTF(5, 6);
void sy_tuning_note(sy_tuning_draft *draft, const char *rule, sy_position position, const char *format, ...)
    SY_PRINTF(4, 5);

/* One more line. */
void sy_tuning_line_add(sy_tuning_draft *draft, sy_tuning_line line);
/* Finds the first of each key. SY_NO_MEMORY. */
sy_status sy_tuning_lines_match(sy_tuning_draft *draft, sy_error *err) SY_NODISCARD;
/* Whether a line is the first of its key, or stands in for those before it, which could not be read. */
bool sy_tuning_line_counts(sy_tuning_draft *draft, size_t index);
/* The place of a byte of a line. */
sy_position sy_tuning_place(const char *text, const sy_tuning_line *line, const char *at);

/* A copy in the arena, terminated; "" and draft->failed without memory. */
const char *sy_tuning_copy(sy_tuning_draft *draft, const char *bytes, size_t length);

/* The structure of a key while it is made: names are literals. */
typedef struct sy_tuning_structure {
    sy_property list[SY_TUNING_STRUCTURE_MAX];
    size_t count;
} sy_tuning_structure;
void sy_tuning_property(sy_tuning_draft *draft, sy_tuning_structure *structure, const char *name, const char *value,
                        size_t length);
void sy_tuning_property_whole(sy_tuning_draft *draft, sy_tuning_structure *structure, const char *name, int64_t value);

/* A new profile: portable, imported. All texts live in the arena or for ever. Its measurements and alternatives are
 * empty. Returns NULL without memory. */
sy_tuned *sy_tuning_add(sy_tuning_draft *draft, const char *backend, const char *operator_name, const char *version,
                        sy_tuning_structure *structure, const char *policy, sy_position position);

/* What an entry was measured at, with how it is called. */
typedef struct sy_tuning_time {
    const char *name;
    const char *reason; /* "" = it was slower; else why it has no time */
    double time;        /* NaN = none */
    size_t order;
} sy_tuning_time;
/* Writes the fastest of them, but for the winner (by its index), as alternatives of a profile. They are sorted. */
void sy_tuning_alternatives(sy_tuning_draft *draft, sy_profile *profile, sy_tuning_time *times, size_t count,
                            size_t winner);
/* Copies measurements into the arena. */
void sy_tuning_measurements(sy_tuning_draft *draft, sy_profile *profile, const sy_measurement *list, size_t count);

/* Whether bytes can be a text of a key or a policy: not empty, no 0 byte, not too long. */
bool sy_tuning_is_text(sy_tuning_span span);
/* A whole number as the tuners write it: digits without leading zeros, at most 18. */
bool sy_tuning_whole(sy_tuning_span span, int64_t *ret_value);
/* A number in any of the usual spellings, inf and nan as well. */
bool sy_tuning_number(sy_tuning_span span, double *ret_value);
/* Why a number is no time that something can have taken: "zero", "negative", "not finite", "a mark for a failure";
 * NULL: it can. */
const char *sy_tuning_unbelievable(double time);
/* What stands before the first `separator` of a span, which is moved behind it; all of it where there is none. */
sy_tuning_span sy_tuning_cut(sy_tuning_span *span, char separator);
bool sy_tuning_span_is(sy_tuning_span span, const char *text);
bool sy_tuning_span_begins(sy_tuning_span span, const char *text);

#endif
