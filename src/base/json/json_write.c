/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON writer: appends to a text while it is told the document, and refuses to write what is no JSON. Canonical
 * objects are sorted when they end. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/number.h"

typedef struct frame {
    bool is_object;
    size_t count;        /* children written so far */
    size_t start;        /* of its bytes in the text, behind the bracket */
    size_t first_member; /* of this object in `members` */
} frame;

/* One member of a canonical object that is not ended yet. */
typedef struct member {
    size_t start;      /* of its bytes in the text; it ends where the next one starts */
    size_t name_start; /* of its unescaped name in `names` */
    size_t name_length;
} member;

struct sy_json_writer {
    sy_text *to;
    sy_json_style style;
    frame *frames;
    size_t depth; /* open arrays and objects */
    size_t frame_capacity;
    member *members;
    size_t member_count;
    size_t member_capacity;
    sy_text names;
    sy_text sorted;
    const char *misuse; /* the first one; NULL = none */
    bool no_memory;
    bool name_given;
    bool root_written;
};

sy_json_writer *sy_json_writer_create(sy_text *to, sy_json_style style)
{
    sy_json_writer *writer = sy_allocate(1, sizeof *writer);
    if (writer != NULL) {
        writer->to = to;
        writer->style = style;
        writer->names = (sy_text)SY_TEXT_INIT;
        writer->sorted = (sy_text)SY_TEXT_INIT;
    }
    return writer;
}

static void refuse(sy_json_writer *writer, const char *misuse)
{
    if (writer->misuse == NULL) {
        writer->misuse = misuse;
    }
}

/* true while writing makes sense; a NULL writer is one for which memory was short. */
static bool usable(const sy_json_writer *writer)
{
    return writer != NULL && writer->misuse == NULL && !writer->no_memory;
}

sy_status sy_json_writer_finish(sy_json_writer *writer, sy_error *err)
{
    if (writer == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory to write JSON");
    }
    if (writer->depth > 0 || !writer->root_written) {
        refuse(writer, "the document is not finished");
    }
    sy_status status = SY_OK;
    if (writer->no_memory || writer->to->failed) {
        status = sy_fail(err, SY_NO_MEMORY, "no memory to write JSON");
    } else if (writer->misuse != NULL) {
        status = sy_fail(err, SY_INVALID_ARGUMENT, "JSON written wrongly: %s", writer->misuse);
    }
    sy_free(writer->frames);
    sy_free(writer->members);
    sy_text_finish(&writer->names);
    sy_text_finish(&writer->sorted);
    sy_free(writer);
    return status;
}

static frame *innermost(sy_json_writer *writer)
{
    return writer->depth == 0 ? NULL : &writer->frames[writer->depth - 1];
}

static void start_line(sy_json_writer *writer)
{
    sy_text_append_bytes(writer->to, "\n", 1);
    for (size_t i = 0; i < writer->depth; i++) {
        sy_text_append_bytes(writer->to, "  ", 2);
    }
}

/* What stands between the innermost container's children. */
static void separate(sy_json_writer *writer)
{
    frame *in = innermost(writer);
    bool sorted_later = in->is_object && writer->style == SY_JSON_CANONICAL;
    if (in->count > 0 && !sorted_later) {
        sy_text_append_bytes(writer->to, ",", 1);
    }
    if (writer->style == SY_JSON_INDENTED) {
        start_line(writer);
    }
    in->count++;
}

/* Checks that a value may stand here and writes what precedes it. */
static bool start_value(sy_json_writer *writer)
{
    if (!usable(writer)) {
        return false;
    }
    frame *in = innermost(writer);
    if (in == NULL) {
        if (writer->root_written) {
            refuse(writer, "a second value behind the first");
        }
        writer->root_written = true;
    } else if (!in->is_object) {
        separate(writer);
    } else if (!writer->name_given) {
        refuse(writer, "a value without a name in an object");
    }
    writer->name_given = false;
    return writer->misuse == NULL;
}

static void append_escape(sy_text *to, unsigned char c)
{
    static const char letters[] = "btn\0fr"; /* of the bytes 8 to 13 */
    if (c == '"' || c == '\\') {
        char pair[2] = {'\\', (char)c};
        sy_text_append_bytes(to, pair, 2);
    } else if (c >= 8 && c <= 13 && letters[c - 8] != '\0') {
        char pair[2] = {'\\', letters[c - 8]};
        sy_text_append_bytes(to, pair, 2);
    } else {
        char unit[8];
        snprintf(unit, sizeof unit, "\\u%04x", c);
        sy_text_append_bytes(to, unit, 6);
    }
}

/* Appends length bytes, with U+FFFD for each byte that is no UTF-8, and with escapes and quotes if asked. */
static void append_clean(sy_text *to, const char *text, size_t length, bool quoted)
{
    size_t written = 0;
    size_t at = 0;
    if (quoted) {
        sy_text_append_bytes(to, "\"", 1);
    }
    while (at < length) {
        unsigned char c = (unsigned char)text[at];
        size_t character = c < 0x80 ? 1 : sy_text_character_length(text + at, length - at);
        bool needs_escape = quoted && (c < 0x20 || c == '"' || c == '\\');
        if (character != 0 && !needs_escape) {
            at += character;
            continue;
        }
        sy_text_append_bytes(to, text + written, at - written);
        if (needs_escape) {
            append_escape(to, c);
        } else {
            sy_text_append_bytes(to, "\xef\xbf\xbd", 3);
        }
        written = ++at;
    }
    sy_text_append_bytes(to, text + written, at - written);
    if (quoted) {
        sy_text_append_bytes(to, "\"", 1);
    }
}

static void begin(sy_json_writer *writer, bool is_object)
{
    if (!start_value(writer)) {
        return;
    }
    if (writer->depth == writer->frame_capacity) {
        size_t capacity = writer->frame_capacity == 0 ? 8 : writer->frame_capacity * 2;
        frame *frames = sy_reallocate(writer->frames, capacity, sizeof *frames);
        if (frames == NULL) {
            writer->no_memory = true;
            return;
        }
        writer->frames = frames;
        writer->frame_capacity = capacity;
    }
    sy_text_append_bytes(writer->to, is_object ? "{" : "[", 1);
    writer->frames[writer->depth++] = (frame){is_object, 0, writer->to->length, writer->member_count};
}

void sy_json_begin_object(sy_json_writer *writer)
{
    begin(writer, true);
}

void sy_json_begin_array(sy_json_writer *writer)
{
    begin(writer, false);
}

/* A member with its name at hand: qsort hands no context over. */
typedef struct sorted_member {
    const char *name;
    size_t name_length;
    size_t start;
    size_t end;
} sorted_member;

static int by_name(const void *a, const void *b)
{
    const sorted_member *left = a;
    const sorted_member *right = b;
    size_t common = left->name_length < right->name_length ? left->name_length : right->name_length;
    int order = memcmp(left->name, right->name, common);
    return order != 0 ? order : (left->name_length > right->name_length) - (left->name_length < right->name_length);
}

/* Puts the innermost object's members into the order of their names' bytes. */
static void sort_members(sy_json_writer *writer)
{
    frame *object = innermost(writer);
    size_t count = writer->member_count - object->first_member;
    if (count == 0 || writer->to->failed || writer->names.failed) {
        return;
    }
    sorted_member *members = sy_allocate(count, sizeof *members);
    if (members == NULL) {
        writer->no_memory = true;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const member *m = &writer->members[object->first_member + i];
        size_t end = i + 1 < count ? m[1].start : writer->to->length;
        members[i] = (sorted_member){sy_text_bytes(&writer->names) + m->name_start, m->name_length, m->start, end};
    }
    qsort(members, count, sizeof *members, by_name);
    sy_text_clear(&writer->sorted);
    for (size_t i = 0; i < count; i++) {
        if (i > 0) {
            if (by_name(&members[i - 1], &members[i]) == 0) {
                refuse(writer, "two members of one name in a canonical object");
            }
            sy_text_append_bytes(&writer->sorted, ",", 1);
        }
        sy_text_append_bytes(&writer->sorted, writer->to->bytes + members[i].start, members[i].end - members[i].start);
    }
    writer->no_memory = writer->no_memory || writer->sorted.failed;
    writer->names.length = writer->members[object->first_member].name_start;
    writer->member_count = object->first_member;
    writer->to->length = object->start;
    sy_text_append_bytes(writer->to, sy_text_bytes(&writer->sorted), writer->sorted.length);
    sy_free(members);
}

static void end(sy_json_writer *writer, bool is_object)
{
    if (!usable(writer)) {
        return;
    }
    frame *closed = innermost(writer);
    if (closed == NULL || closed->is_object != is_object || writer->name_given) {
        refuse(writer, "an end that does not fit what is open");
        return;
    }
    if (is_object && writer->style == SY_JSON_CANONICAL) {
        sort_members(writer);
    }
    bool was_empty = closed->count == 0;
    writer->depth--;
    if (writer->style == SY_JSON_INDENTED && !was_empty) {
        start_line(writer);
    }
    sy_text_append_bytes(writer->to, is_object ? "}" : "]", 1);
}

void sy_json_end_object(sy_json_writer *writer)
{
    end(writer, true);
}

void sy_json_end_array(sy_json_writer *writer)
{
    end(writer, false);
}

/* Keeps the name for sorting; false: no memory. */
static bool add_member(sy_json_writer *writer, const char *name, size_t length)
{
    if (writer->member_count == writer->member_capacity) {
        size_t capacity = writer->member_capacity == 0 ? 32 : writer->member_capacity * 2;
        member *members = sy_reallocate(writer->members, capacity, sizeof *members);
        if (members == NULL) {
            return false;
        }
        writer->members = members;
        writer->member_capacity = capacity;
    }
    size_t name_start = writer->names.length;
    append_clean(&writer->names, name, length, false);
    if (writer->names.failed) {
        return false;
    }
    writer->members[writer->member_count++] = (member){writer->to->length, name_start,
                                                       writer->names.length - name_start};
    return true;
}

void sy_json_name_sized(sy_json_writer *writer, const char *name, size_t length)
{
    if (!usable(writer)) {
        return;
    }
    frame *in = innermost(writer);
    if (in == NULL || !in->is_object || writer->name_given) {
        refuse(writer, "a name where none belongs");
        return;
    }
    if (writer->style == SY_JSON_CANONICAL && !add_member(writer, name, length)) {
        writer->no_memory = true;
        return;
    }
    separate(writer);
    append_clean(writer->to, name, length, true);
    bool spaced = writer->style == SY_JSON_INDENTED;
    sy_text_append_bytes(writer->to, ": ", spaced ? 2 : 1);
    writer->name_given = true;
}

void sy_json_name(sy_json_writer *writer, const char *name)
{
    sy_json_name_sized(writer, name, strlen(name));
}

static void append_plain(sy_json_writer *writer, const char *plain, size_t length)
{
    if (start_value(writer)) {
        sy_text_append_bytes(writer->to, plain, length);
    }
}

void sy_json_text(sy_json_writer *writer, const char *text)
{
    if (text == NULL) {
        sy_json_null(writer);
    } else {
        sy_json_text_sized(writer, text, strlen(text));
    }
}

void sy_json_text_sized(sy_json_writer *writer, const char *text, size_t length)
{
    if (start_value(writer)) {
        append_clean(writer->to, text, length, true);
    }
}

void sy_json_double(sy_json_writer *writer, double value)
{
    if (!isfinite(value)) {
        sy_json_null(writer);
        return;
    }
    char digits[SY_NUMBER_TEXT];
    size_t length = writer != NULL && writer->style == SY_JSON_CANONICAL ? sy_number_write_17(value, digits)
                                                                         : sy_number_write_shortest(value, digits);
    append_plain(writer, digits, length);
}

void sy_json_i64(sy_json_writer *writer, int64_t value)
{
    char digits[SY_NUMBER_TEXT];
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    append_plain(writer, digits, sy_number_write_whole(magnitude, value < 0, digits));
}

void sy_json_u64(sy_json_writer *writer, uint64_t value)
{
    char digits[SY_NUMBER_TEXT];
    append_plain(writer, digits, sy_number_write_whole(value, false, digits));
}

void sy_json_bool(sy_json_writer *writer, bool value)
{
    append_plain(writer, value ? "true" : "false", value ? 4 : 5);
}

void sy_json_null(sy_json_writer *writer)
{
    append_plain(writer, "null", 4);
}

void sy_json_member_text(sy_json_writer *writer, const char *name, const char *text)
{
    sy_json_name(writer, name);
    sy_json_text(writer, text);
}

void sy_json_member_double(sy_json_writer *writer, const char *name, double value)
{
    sy_json_name(writer, name);
    sy_json_double(writer, value);
}

void sy_json_member_i64(sy_json_writer *writer, const char *name, int64_t value)
{
    sy_json_name(writer, name);
    sy_json_i64(writer, value);
}

void sy_json_member_u64(sy_json_writer *writer, const char *name, uint64_t value)
{
    sy_json_name(writer, name);
    sy_json_u64(writer, value);
}

void sy_json_member_bool(sy_json_writer *writer, const char *name, bool value)
{
    sy_json_name(writer, name);
    sy_json_bool(writer, value);
}

void sy_json_member_null(sy_json_writer *writer, const char *name)
{
    sy_json_name(writer, name);
    sy_json_null(writer);
}
