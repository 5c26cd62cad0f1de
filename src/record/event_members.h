/* SPDX-License-Identifier: Apache-2.0 */
/* How the members of an event's body stand in plain data: one table a struct, by which it is written, checked and read
 * back. Knows no kind of event. */
#ifndef STEELYARD_RECORD_EVENT_MEMBERS_H
#define STEELYARD_RECORD_EVENT_MEMBERS_H

#include <steelyard/run.h>

#include "base/arena.h"
#include "base/json.h"
#include "base/text.h"
#include "record/run_words.h"

#define SY_RUN_ID_MAX 128
#define SY_KEY_FIELDS_MAX 256
#define SY_EVENT_TEXT_MAX ((size_t)64 << 10) /* bytes of one text */

typedef enum sy_member_kind {
    SY_MEMBER_RUN,           /* const char *: a run's id */
    SY_MEMBER_NAME,          /* const char *: one line of UTF-8 */
    SY_MEMBER_TEXT,          /* const char *: lines may break */
    SY_MEMBER_DIGEST,        /* const char *: 64 lower-case hexadecimal digits */
    SY_MEMBER_DIGEST_HERE,   /* char[65]: the same, in the struct itself */
    SY_MEMBER_WORD,          /* an enumeration of `words`; always required */
    SY_MEMBER_FLAG,          /* int: 1, 0, -1 = null */
    SY_MEMBER_BOOL,          /* bool */
    SY_MEMBER_TRUE,          /* bool: false = not there */
    SY_MEMBER_DOUBLE,        /* double: NaN = null */
    SY_MEMBER_KNOWN_DOUBLE,  /* double: NaN = not there */
    SY_MEMBER_U64,           /* uint64_t, below 2^63 */
    SY_MEMBER_SEED,          /* uint64_t, any: its decimal digits as a text */
    SY_MEMBER_U32,           /* uint32_t */
    SY_MEMBER_COUNT,         /* size_t */
    SY_MEMBER_I64,           /* int64_t */
    SY_MEMBER_ORDINAL,       /* int64_t: -1 = null */
    SY_MEMBER_INT,           /* int */
    SY_MEMBER_TEXTS,         /* const char *const *, and a count */
    SY_MEMBER_RUNS,          /* the same, each a run's id; none is "" */
    SY_MEMBER_NAMED_TEXTS,   /* const sy_named_text *, and a count */
    SY_MEMBER_NAMED_DIGESTS, /* the same, whose values are digests */
    SY_MEMBER_NAMED_NUMBERS, /* const sy_named_number *, and a count */
    SY_MEMBER_KEY,           /* sy_comparison_key */
    SY_MEMBER_IDENTITY,      /* sy_identity */
    SY_MEMBER_OBJECT,        /* a struct of `table` */
    SY_MEMBER_OBJECTS        /* an array of such structs, and a count */
} sy_member_kind;

typedef struct sy_member_table sy_member_table;

typedef struct sy_member {
    const char *name;
    sy_member_kind kind;
    bool required;       /* a text that is not "", a list that is not empty, an object that is there */
    size_t offset;       /* of the member in its struct */
    size_t count_offset; /* of a list's count */
    const sy_word_list *words;
    unsigned allowed; /* of the words: bits 1u << value; 0 = all */
    const sy_member_table *table;
} sy_member;

struct sy_member_table {
    const sy_member *members;
    size_t count;
    size_t size; /* of the struct, whose bytes are plain data */
};

/* Whether a text may stand there: at most SY_EVENT_TEXT_MAX bytes, the form of its kind. SY_INVALID_ARGUMENT, which
 * says why; "" may always. */
sy_status sy_check_text(sy_member_kind kind, const char *text, sy_error *err) SY_NODISCARD;

extern const sy_member_table sy_run_begin_table;
extern const sy_member_table sy_run_series_table;
extern const sy_member_table sy_run_verdict_table;
extern const sy_member_table sy_run_change_table;
extern const sy_member_table sy_run_signoff_table;
extern const sy_member_table sy_run_promotion_table;
extern const sy_member_table sy_gate_selftest_table;
extern const sy_member_table sy_judged_metric_table;

/* The members alone, into an object that a writer has begun. SY_INVALID_ARGUMENT names the member. */
sy_status sy_members_put(sy_json_writer *writer, const sy_member_table *table, const void *from,
                         sy_error *err) SY_NODISCARD;
/* Appends one canonical JSON object; body is as it was on failure. SY_INVALID_ARGUMENT names the member,
 * SY_NO_MEMORY. */
sy_status sy_members_write(const sy_member_table *table, const void *from, sy_text *body, sy_error *err) SY_NODISCARD;
/* Fills all of *ret_to, what is not there with "", 0, false, -1 for a flag, NaN for a double. *ret_to is untouched on
 * failure: SY_CORRUPT with the member's pointer, SY_NO_MEMORY. */
sy_status sy_members_read(const sy_member_table *table, const sy_json *json, const sy_json_value *object,
                          sy_arena *arena, void *ret_to, sy_error *err) SY_NODISCARD;

/* An array of [name, value or null]. */
sy_status sy_read_named_texts(const sy_json *json, const sy_json_value *value, sy_arena *arena,
                              const sy_named_text **ret_texts, size_t *ret_count, sy_error *err) SY_NODISCARD;
/* The key as a value of a writer that has begun. */
sy_status sy_comparison_key_put(sy_json_writer *writer, const sy_comparison_key *key, sy_error *err) SY_NODISCARD;
/* Ends a writer that appends to body, which had `before` bytes, and takes back what stands there unless all went well:
 * status is what was told so far. */
sy_status sy_end_body(sy_json_writer *writer, sy_text *body, size_t before, sy_status status,
                      sy_error *err) SY_NODISCARD;

#endif
