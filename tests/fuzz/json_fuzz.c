/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzing the JSON reader and writer: whatever is read is written, read again and must be the same; the canonical form
 * must be its own canonical form. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"

#define CHECK(condition) ((condition) ? (void)0 : abort())

static void write_value(sy_json_writer *writer, const sy_json_value *value);

static void write_children(sy_json_writer *writer, const sy_json_value *value)
{
    for (const sy_json_value *child = value->first; child != NULL; child = child->next) {
        if (value->kind == SY_JSON_OBJECT) {
            sy_json_name_sized(writer, child->name, child->name_length);
        }
        write_value(writer, child);
    }
}

/* The limit of the reader's depth bounds this recursion. */
static void write_value(sy_json_writer *writer, const sy_json_value *value)
{
    switch (value->kind) {
    case SY_JSON_NULL:
        sy_json_null(writer);
        break;
    case SY_JSON_FALSE:
    case SY_JSON_TRUE:
        sy_json_bool(writer, value->kind == SY_JSON_TRUE);
        break;
    case SY_JSON_NUMBER:
        sy_json_double(writer, value->number);
        break;
    case SY_JSON_TEXT:
        sy_json_text_sized(writer, value->text, value->text_length);
        break;
    case SY_JSON_ARRAY:
        sy_json_begin_array(writer);
        write_children(writer, value);
        sy_json_end_array(writer);
        break;
    case SY_JSON_OBJECT:
        sy_json_begin_object(writer);
        write_children(writer, value);
        sy_json_end_object(writer);
        break;
    }
}

static void check_equal(const sy_json_value *a, const sy_json_value *b)
{
    bool not_finite = a->kind == SY_JSON_NUMBER && a->number - a->number != 0.0;
    CHECK(a->kind == b->kind || (not_finite && b->kind == SY_JSON_NULL));
    CHECK(a->name_length == b->name_length && (a->name == NULL) == (b->name == NULL));
    CHECK(a->name == NULL || memcmp(a->name, b->name, a->name_length + 1) == 0);
    CHECK(a->count == b->count && a->depth == b->depth);
    if (a->kind == SY_JSON_TEXT) {
        CHECK(a->text_length == b->text_length && memcmp(a->text, b->text, a->text_length + 1) == 0);
    }
    if (a->kind == SY_JSON_NUMBER && !not_finite) {
        CHECK(memcmp(&a->number, &b->number, sizeof a->number) == 0);
    }
    const sy_json_value *left = a->first;
    const sy_json_value *right = b->first;
    for (; left != NULL && right != NULL; left = left->next, right = right->next) {
        CHECK(left->parent == a && right->parent == b);
        check_equal(left, right);
    }
    CHECK(left == NULL && right == NULL);
}

/* Writes the document in a style, reads that back and compares. The caller finishes the text. */
static void check_round_trip(const sy_json *json, sy_json_style style, sy_text *text)
{
    sy_json_writer *writer = sy_json_writer_create(text, style);
    write_value(writer, sy_json_root(json));
    size_t finding_count;
    const sy_json_finding *findings = sy_json_findings(json, &finding_count);
    bool repeats = false;
    for (size_t i = 0; i < finding_count; i++) {
        repeats = repeats || findings[i].kind == SY_JSON_DUPLICATE_KEY;
    }
    sy_status status = sy_json_writer_finish(writer, NULL);
    if (style == SY_JSON_CANONICAL && repeats) {
        CHECK(status == SY_INVALID_ARGUMENT);
        sy_text_clear(text);
        return;
    }
    CHECK(status == SY_OK);
    sy_json *again = NULL;
    CHECK(sy_json_parse(text->bytes, text->length, NULL, &again, NULL) == SY_OK);
    if (style != SY_JSON_CANONICAL) {
        check_equal(sy_json_root(json), sy_json_root(again));
    } else {
        sy_text second = SY_TEXT_INIT;
        writer = sy_json_writer_create(&second, SY_JSON_CANONICAL);
        write_value(writer, sy_json_root(again));
        CHECK(sy_json_writer_finish(writer, NULL) == SY_OK);
        CHECK(second.length == text->length && memcmp(second.bytes, text->bytes, second.length) == 0);
        sy_text_finish(&second);
    }
    sy_json_destroy(again);
}

static void check_findings(const sy_json *json, size_t size)
{
    size_t count;
    const sy_json_finding *findings = sy_json_findings(json, &count);
    for (size_t i = 0; i < count; i++) {
        CHECK(findings[i].offset < size);
        CHECK(i == 0 || findings[i - 1].offset <= findings[i].offset);
        CHECK(sy_json_position(json, findings[i].offset).line >= 1);
        sy_text pointer = SY_TEXT_INIT;
        sy_json_pointer(findings[i].value, &pointer);
        sy_text_finish(&pointer);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sy_json *json = NULL;
    sy_error err = SY_ERROR_INIT;
    sy_status status = sy_json_parse(data, size, NULL, &json, &err);
    if (status != SY_OK) {
        CHECK(json == NULL && err.what[0] != '\0' && err.position.offset <= size && err.position.line >= 1);
        return 0;
    }
    check_findings(json, size);
    sy_text text = SY_TEXT_INIT;
    for (int style = SY_JSON_COMPACT; style <= SY_JSON_CANONICAL; style++) {
        check_round_trip(json, (sy_json_style)style, &text);
        sy_text_clear(&text);
    }
    sy_text_finish(&text);
    sy_json_destroy(json);
    return 0;
}
