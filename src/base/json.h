/* SPDX-License-Identifier: Apache-2.0 */
/* JSON, read and written. The reader keeps the byte offset of every value and goes on after what a strict parser
 * refuses whole: a duplicate key, a bare NaN or Infinity become findings. Real syntax errors, depth and size limits end
 * the parse. The writer escapes everything, writes numbers that read back as the same double, and has a canonical mode.
 */
#ifndef STEELYARD_BASE_JSON_H
#define STEELYARD_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <steelyard/base.h>

#include "base/text.h"

typedef enum sy_json_kind {
    SY_JSON_NULL,
    SY_JSON_FALSE,
    SY_JSON_TRUE,
    SY_JSON_NUMBER,
    SY_JSON_TEXT,
    SY_JSON_ARRAY,
    SY_JSON_OBJECT
} sy_json_kind;

/* One value. Children of an array or object are linked in file order; a member's name stands in the child.
 * All pointers live in the document. */
typedef struct sy_json_value sy_json_value;
struct sy_json_value {
    sy_json_kind kind;
    uint32_t depth;       /* the root has 0 */
    uint64_t offset;      /* of the value's first byte */
    uint64_t name_offset; /* of a member's name, its quote included; 0 without a name */
    const char *name;     /* a member's name, unescaped; NULL in arrays and at the root */
    union {
        size_t name_length; /* of a member; a name may contain NUL bytes */
        size_t index;       /* of an element of an array */
    };
    const char *text; /* SY_JSON_TEXT: unescaped, terminated; SY_JSON_NUMBER: as written in the file, without a
                         terminator; else NULL */
    size_t text_length;
    double number; /* SY_JSON_NUMBER: nearest double; NaN or infinities as read, with a finding */
    size_t count;  /* children */
    const sy_json_value *parent;
    const sy_json_value *first;
    const sy_json_value *next;
};

typedef enum sy_json_finding_kind {
    SY_JSON_DUPLICATE_KEY, /* the later member, at its name; both stay in the tree; lookups give the first */
    SY_JSON_NON_FINITE,    /* NaN, Infinity (or nan, inf) with or without '-', or a number that overflows a double */
    SY_JSON_BAD_UTF8       /* a byte that is no UTF-8, or half a surrogate pair; replaced by U+FFFD in the tree; one
                              finding a string, at the first such byte; for a name, value is its object */
} sy_json_finding_kind;

typedef struct sy_json_finding {
    sy_json_finding_kind kind;
    uint64_t offset;
    const sy_json_value *value;
} sy_json_finding;

typedef struct sy_json_limits {
    size_t size_bytes; /* 0 = no limit */
    uint32_t depth;    /* nested arrays and objects; 0 means 0: only scalars */
    size_t findings;   /* more than that end the parse with SY_LIMIT_EXCEEDED */
} sy_json_limits;

#define SY_JSON_LIMITS_INIT        \
    {                              \
        (size_t)1 << 31, 128, 1000 \
    }

typedef struct sy_json sy_json;

/* Parses size bytes (copied; a UTF-8 byte order mark is skipped). Errors: SY_CORRUPT with the position of the first
 * wrong byte, SY_LIMIT_EXCEEDED, SY_NO_MEMORY. UTF-16 input is named as such. */
sy_status sy_json_parse(const void *bytes, size_t size, const sy_json_limits *limits, sy_json **ret_json,
                        sy_error *err) SY_NODISCARD;
/* The same for a reader that reports all it can: on SY_CORRUPT or SY_LIMIT_EXCEEDED behind the first value's beginning
 * *ret_json is set all the same, to what stands before the damage; sy_json_is_cut tells what is not whole. Otherwise
 * *ret_json is untouched: set it to NULL before. */
sy_status sy_json_parse_prefix(const void *bytes, size_t size, const sy_json_limits *limits, sy_json **ret_json,
                               sy_error *err) SY_NODISCARD;
/* Whether the damage stands inside of value: members may be missing, a text or number may be half of one. */
bool sy_json_is_cut(const sy_json *json, const sy_json_value *value);
void sy_json_destroy(sy_json *json);
const sy_json_value *sy_json_root(const sy_json *json);
/* Sorted by offset. */
const sy_json_finding *sy_json_findings(const sy_json *json, size_t *ret_count);
/* Line and column (from 1; columns count bytes) of an offset. */
sy_position sy_json_position(const sy_json *json, uint64_t offset);
/* RFC 6901 pointer of a value ("/cases/0/name"), appended to text. */
void sy_json_pointer(const sy_json_value *value, sy_text *text);

/* The member of that name (the first of duplicates); NULL if value is no object or has none. Linear in the members. */
const sy_json_value *sy_json_member(const sy_json_value *value, const char *name);
const sy_json_value *sy_json_element(const sy_json_value *value, size_t index);
const char *sy_json_kind_word(sy_json_kind kind); /* "object", "true or false" for both booleans, ... */

/* Typed access for readers of our own formats. `value` may be NULL (absent). On a wrong type: SY_CORRUPT, what names
 * the pointer, what was expected and found, position set from the document. */
sy_status sy_json_get_text(const sy_json *json, const sy_json_value *value, const char **ret_text,
                           sy_error *err) SY_NODISCARD;
sy_status sy_json_get_double(const sy_json *json, const sy_json_value *value, double *ret_value,
                             sy_error *err) SY_NODISCARD; /* finite */
sy_status sy_json_get_i64(const sy_json *json, const sy_json_value *value, int64_t *ret_value,
                          sy_error *err) SY_NODISCARD; /* exact: 1.0 and 1e3 refused */
sy_status sy_json_get_bool(const sy_json *json, const sy_json_value *value, bool *ret_value,
                           sy_error *err) SY_NODISCARD;
/* SY_CORRUPT naming the first member of the object that is not in the NULL-terminated list, with a near name as hint.
 */
sy_status sy_json_refuse_unknown_members(const sy_json *json, const sy_json_value *object, const char *const *known,
                                         sy_error *err) SY_NODISCARD;
/* Fills err with SY_CORRUPT at the value: "<pointer>: <formatted>". */
sy_status sy_json_fail(const sy_json *json, const sy_json_value *value, sy_error *err, const char *format, ...)
    SY_PRINTF(4, 5);

/* ---- writing ---- */

typedef enum sy_json_style {
    SY_JSON_COMPACT,  /* one line, as given */
    SY_JSON_INDENTED, /* two spaces a level, as given */
    SY_JSON_CANONICAL /* one line, no spaces, members sorted by bytes, numbers as %.17g: for digests */
} sy_json_style;

/* Appends to a sy_text. Misuse (a value without a name inside an object, unbalanced ends, in canonical mode two members
 * of one name) is kept and told by sy_json_writer_finish; nothing more is written after it. Every function takes a NULL
 * writer. */
typedef struct sy_json_writer sy_json_writer;
sy_json_writer *sy_json_writer_create(sy_text *to, sy_json_style style);
/* Frees; returns SY_OK, SY_NO_MEMORY or SY_INVALID_ARGUMENT (misuse, unfinished). NULL gives SY_NO_MEMORY. */
sy_status sy_json_writer_finish(sy_json_writer *writer, sy_error *err) SY_NODISCARD;
void sy_json_begin_object(sy_json_writer *writer);
void sy_json_end_object(sy_json_writer *writer);
void sy_json_begin_array(sy_json_writer *writer);
void sy_json_end_array(sy_json_writer *writer);
void sy_json_name(sy_json_writer *writer, const char *name);
void sy_json_name_sized(sy_json_writer *writer, const char *name, size_t length); /* may hold NUL bytes */
void sy_json_text(sy_json_writer *writer, const char *text);                      /* NULL writes null */
void sy_json_text_sized(sy_json_writer *writer, const char *text, size_t length); /* bad UTF-8 becomes U+FFFD */
void sy_json_double(sy_json_writer *writer, double value);                        /* non-finite writes null */
void sy_json_i64(sy_json_writer *writer, int64_t value);
void sy_json_u64(sy_json_writer *writer, uint64_t value);
void sy_json_bool(sy_json_writer *writer, bool value);
void sy_json_null(sy_json_writer *writer);
/* name and value in one. */
void sy_json_member_text(sy_json_writer *writer, const char *name, const char *text);
void sy_json_member_double(sy_json_writer *writer, const char *name, double value);
void sy_json_member_i64(sy_json_writer *writer, const char *name, int64_t value);
void sy_json_member_u64(sy_json_writer *writer, const char *name, uint64_t value);
void sy_json_member_bool(sy_json_writer *writer, const char *name, bool value);
void sy_json_member_null(sy_json_writer *writer, const char *name);

#endif
