/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the JSON reader share: the document and the parser at work. Nobody else includes it. */
#ifndef STEELYARD_BASE_JSON_INSIDE_H
#define STEELYARD_BASE_JSON_INSIDE_H

#include "base/arena.h"
#include "base/json.h"

/* A place in the bytes and the line that it lies in. */
typedef struct sy_json_place {
    uint64_t offset;
    uint64_t line_start;
    uint32_t line;
} sy_json_place;

/* Where the last position was asked for: the next one is counted from there. */
typedef struct sy_json_cursor {
    sy_json_place at;
    sy_json_place
        *marks; /* one at the beginning of each block of bytes, once somebody asked backwards; NULL: none yet */
} sy_json_cursor;

struct sy_json {
    char *bytes; /* the input, and SY_JSON_PADDING zero bytes behind it; strings' closing quotes become terminators */
    size_t size;
    sy_arena *arena; /* values, and strings that differ from the input's bytes */
    sy_json_value *root;
    sy_json_finding *findings;
    size_t finding_count;
    size_t finding_capacity;
    const sy_json_value *cut; /* innermost value that damage cut; NULL: the document is whole */
    uint64_t text_start;      /* 3 behind a byte order mark, else 0 */
    sy_json_cursor *cursor;
};

/* Zero bytes end every scan, eight at a time. */
#define SY_JSON_PADDING 8

typedef struct sy_json_parser {
    sy_json *json;
    char *at;
    char *end;
    const sy_json_limits *limits;
    sy_error *err;
    sy_status status;     /* of the failure that ended the parse */
    sy_json_value *open;  /* innermost array or object that is not closed; while open, its `next` is its last child */
    sy_json_value *fresh; /* values not used yet */
    size_t fresh_count;
    sy_json_value *half_read; /* a scalar that is being read */
    const char *name;         /* of the member whose value comes next */
    size_t name_length;
    uint64_t name_offset;
    const sy_json_value **slots; /* hash table for the names of one object */
    size_t slot_count;
    uint64_t hash_seed;
} sy_json_parser;

/* Reads the string whose opening quote is at parser->at and moves behind it. false: parser->status is set. The text is
 * terminated. *ret_bad: offset of the first byte or escape that was not Unicode, UINT64_MAX without one. */
bool sy_json_read_string(sy_json_parser *parser, const char **ret_text, size_t *ret_length, uint64_t *ret_bad);
/* Ends the parse with SY_CORRUPT at a place: "expected <expected>, found <what stands there>". Returns false. */
bool sy_json_expected(sy_json_parser *parser, const char *at, const char *expected);
/* Ends the parse with a status at a place. Returns false. */
bool sy_json_stop(sy_json_parser *parser, sy_status status, const char *at, const char *format, ...) SY_PRINTF(4, 5);
/* false: the limit of findings is passed, or memory is short. */
bool sy_json_note(sy_json_parser *parser, sy_json_finding_kind kind, uint64_t offset, const sy_json_value *value);
/* Notes every member of a closed object whose name an earlier one has. */
bool sy_json_note_duplicates(sy_json_parser *parser, const sy_json_value *object);

#endif
