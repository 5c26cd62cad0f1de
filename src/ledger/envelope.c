/* SPDX-License-Identifier: Apache-2.0 */
/* The frame around an event's body. Reading writes it anew and compares: two spellings of one event cannot both be
 * right. */
#include "ledger/envelope.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"

#define DEPTH_LIMIT 64
#define FRAME_MEMBERS 7 /* at, body, kind, n, previous, run, schema */

bool sy_event_run_is_valid(const char *run)
{
    size_t length = strlen(run);
    if (length == 0 || length > SY_EVENT_RUN_LIMIT || strchr("._-", run[0]) != NULL) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        char c = run[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!letter && !(c >= '0' && c <= '9') && c != '.' && c != '_' && c != '-') {
            return false;
        }
    }
    return true;
}

static bool holds_nul(const char *text, size_t length)
{
    return text != NULL && memchr(text, '\0', length) != NULL;
}

/* The first value at or below value whose text or name holds a NUL; NULL = none. */
static const sy_json_value *find_nul(const sy_json_value *value)
{
    bool in_name = value->name != NULL && holds_nul(value->name, value->name_length);
    if (in_name || (value->kind == SY_JSON_TEXT && holds_nul(value->text, value->text_length))) {
        return value;
    }
    for (const sy_json_value *child = value->first; child != NULL; child = child->next) {
        const sy_json_value *found = find_nul(child);
        if (found != NULL) {
            return found;
        }
    }
    return NULL;
}

/* What is JSON for a lenient reader and yet must not be kept. */
static sy_status refuse_findings(const sy_json *json, sy_error *err)
{
    static const char *const complaints[] = {
        [SY_JSON_DUPLICATE_KEY] = "a name stands twice",
        [SY_JSON_NON_FINITE] = "a number is none",
        [SY_JSON_BAD_UTF8] = "a text is no UTF-8",
    };
    size_t count;
    const sy_json_finding *findings = sy_json_findings(json, &count);
    if (count > 0) {
        sy_json_fail(json, findings[0].value, err, "%s", complaints[findings[0].kind]);
        return SY_CORRUPT;
    }
    const sy_json_value *nul = find_nul(sy_json_root(json));
    return nul == NULL ? SY_OK : sy_json_fail(json, nul, err, "a text holds a NUL");
}

static sy_status parse_strictly(const char *bytes, size_t size, size_t limit, sy_json **ret_json, sy_error *err)
{
    sy_json_limits limits = {limit, DEPTH_LIMIT, 16};
    sy_json *json = NULL;
    sy_status status = sy_json_parse(bytes, size, &limits, &json, err);
    if (status != SY_OK) {
        return status;
    }
    status = refuse_findings(json, err);
    if (status == SY_OK && sy_json_root(json)->kind != SY_JSON_OBJECT) {
        status = sy_fail(err, SY_CORRUPT, "it is no JSON object, but a %s",
                         sy_json_kind_word(sy_json_root(json)->kind));
    }
    if (status != SY_OK) {
        sy_json_destroy(json);
        return status;
    }
    *ret_json = json;
    return SY_OK;
}

sy_status sy_event_body_parse(const char *body, size_t size, sy_json **ret_json, sy_error *err)
{
    if (size > SY_EVENT_BODY_LIMIT) {
        return sy_fail(err, SY_LIMIT_EXCEEDED, "an event's body has %zu bytes, more than %zu", size,
                       SY_EVENT_BODY_LIMIT);
    }
    sy_status status = parse_strictly(body, size, SY_EVENT_BODY_LIMIT, ret_json, err);
    if (status == SY_CORRUPT) {
        if (err != NULL) {
            err->status = SY_INVALID_ARGUMENT;
        }
        sy_error_prefix(err, "an event's body");
        return SY_INVALID_ARGUMENT;
    }
    return status;
}

/* A whole number keeps its digits, which a double may not hold. */
static void write_number(sy_json_writer *writer, const sy_json_value *number)
{
    char digits[24];
    uint64_t whole;
    int64_t negative;
    bool short_enough = number->text_length < sizeof digits;
    if (short_enough) {
        memcpy(digits, number->text, number->text_length);
        digits[number->text_length] = '\0';
    }
    if (short_enough && sy_parse_u64(digits, &whole, NULL) == SY_OK) {
        sy_json_u64(writer, whole);
    } else if (short_enough && strcmp(digits, "-0") != 0 && sy_parse_i64(digits, &negative, NULL) == SY_OK) {
        sy_json_i64(writer, negative);
    } else {
        sy_json_double(writer, number->number);
    }
}

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
        write_number(writer, value);
        break;
    case SY_JSON_TEXT:
        sy_json_text_sized(writer, value->text, value->text_length);
        break;
    case SY_JSON_ARRAY:
        sy_json_begin_array(writer);
        for (const sy_json_value *child = value->first; child != NULL; child = child->next) {
            write_value(writer, child);
        }
        sy_json_end_array(writer);
        break;
    case SY_JSON_OBJECT:
        sy_json_begin_object(writer);
        for (const sy_json_value *child = value->first; child != NULL; child = child->next) {
            sy_json_name_sized(writer, child->name, child->name_length);
            write_value(writer, child);
        }
        sy_json_end_object(writer);
        break;
    }
}

sy_status sy_event_body_write(const sy_json_value *body, sy_text *to, sy_error *err)
{
    sy_json_writer *writer = sy_json_writer_create(to, SY_JSON_CANONICAL);
    if (writer != NULL) {
        write_value(writer, body);
    }
    return sy_json_writer_finish(writer, err);
}

/* What stands before a body, and behind it. Kinds and ids need no escapes. */
static sy_status write_frame(const sy_envelope *envelope, sy_text *before, sy_text *behind, sy_error *err)
{
    char at[24];
    char previous[SY_DIGEST_TEXT];
    sy_status status = sy_time_format_utc(envelope->at_utc_s, at, sizeof at, err);
    if (status != SY_OK) {
        return status;
    }
    sy_digest_format(&envelope->previous, previous);
    sy_text_append_format(before, "{\"at\":\"%s\",\"body\":", at);
    sy_text_append_format(behind,
                          ",\"kind\":\"%s\",\"n\":%" PRIu64 ",\"previous\":\"%s\",\"run\":\"%s\",\"schema\":\"%s\"}",
                          envelope->kind_word, envelope->number, previous, envelope->run, SY_EVENT_SCHEMA);
    return before->failed || behind->failed ? sy_fail(err, SY_NO_MEMORY, "no memory for an event") : SY_OK;
}

sy_status sy_envelope_write(const sy_envelope *envelope, const char *body, size_t body_size, sy_text *to, sy_error *err)
{
    sy_text behind = SY_TEXT_INIT;
    sy_status status = write_frame(envelope, to, &behind, err);
    if (status == SY_OK) {
        sy_text_append_bytes(to, body, body_size);
        sy_text_append_bytes(to, sy_text_bytes(&behind), behind.length);
        status = to->failed ? sy_fail(err, SY_NO_MEMORY, "no memory for an event") : SY_OK;
    }
    sy_text_finish(&behind);
    return status;
}

static bool is_kind_word(const char *word)
{
    size_t length = strlen(word);
    return length > 0 && length <= SY_EVENT_KIND_LIMIT && strspn(word, "abcdefghijklmnopqrstuvwxyz-") == length;
}

static sy_status read_members(sy_envelope *envelope, sy_error *err)
{
    const sy_json *json = envelope->json;
    const sy_json_value *root = sy_json_root(json);
    const char *at;
    const char *kind;
    const char *run;
    const char *previous;
    const char *schema;
    int64_t number;
    sy_status status = sy_json_get_text(json, sy_json_member(root, "schema"), &schema, err);
    if (status == SY_OK && strcmp(schema, SY_EVENT_SCHEMA) != 0) {
        bool newer = sy_text_begins(schema, "steelyard.event/");
        return sy_fail(err, newer ? SY_VERSION_UNSUPPORTED : SY_CORRUPT, "its schema is '%.40s', not %s", schema,
                       SY_EVENT_SCHEMA);
    }
    if (status != SY_OK || (status = sy_json_get_text(json, sy_json_member(root, "at"), &at, err)) != SY_OK ||
        (status = sy_json_get_text(json, sy_json_member(root, "kind"), &kind, err)) != SY_OK ||
        (status = sy_json_get_text(json, sy_json_member(root, "run"), &run, err)) != SY_OK ||
        (status = sy_json_get_text(json, sy_json_member(root, "previous"), &previous, err)) != SY_OK ||
        (status = sy_json_get_i64(json, sy_json_member(root, "n"), &number, err)) != SY_OK) {
        return status;
    }
    envelope->body = sy_json_member(root, "body");
    if (envelope->body == NULL || envelope->body->kind != SY_JSON_OBJECT || root->count != FRAME_MEMBERS) {
        return sy_fail(err, SY_CORRUPT, "its body is no object, or something stands beside it");
    }
    if (number < 1 || !is_kind_word(kind) || (*run != '\0' && !sy_event_run_is_valid(run)) ||
        sy_time_parse_utc(at, &envelope->at_utc_s, NULL) != SY_OK ||
        sy_digest_parse(previous, &envelope->previous, NULL) != SY_OK) {
        return sy_fail(err, SY_CORRUPT, "its number, kind, run, time or digest is none");
    }
    envelope->number = (uint64_t)number;
    envelope->kind = sy_event_kind_read(kind);
    (void)sy_text_copy(envelope->kind_word, sizeof envelope->kind_word, kind);
    (void)sy_text_copy(envelope->run, sizeof envelope->run, run);
    return SY_OK;
}

/* Whether the frame, written anew, stands around the body as it did. */
static sy_status check_frame(const sy_envelope *envelope, const char *bytes, size_t size, sy_error *err)
{
    sy_text before = SY_TEXT_INIT;
    sy_text behind = SY_TEXT_INIT;
    sy_status status = write_frame(envelope, &before, &behind, err);
    if (status == SY_OK) {
        size_t frame = before.length + behind.length;
        bool same = size > frame && memcmp(bytes, before.bytes, before.length) == 0 &&
                    memcmp(bytes + size - behind.length, behind.bytes, behind.length) == 0 &&
                    bytes[before.length] == '{' && bytes[size - behind.length - 1] == '}';
        status = same ? SY_OK : sy_fail(err, SY_CORRUPT, "it is not spelled as events are");
    }
    sy_text_finish(&before);
    sy_text_finish(&behind);
    return status;
}

sy_status sy_envelope_read(const char *bytes, size_t size, sy_envelope *ret_envelope, sy_error *err)
{
    sy_envelope envelope = {0};
    sy_status status = parse_strictly(bytes, size, SY_EVENT_BODY_LIMIT + SY_EVENT_FRAME_LIMIT, &envelope.json, err);
    if (status != SY_OK) {
        return status;
    }
    status = read_members(&envelope, err);
    if (status == SY_OK) {
        status = check_frame(&envelope, bytes, size, err);
    }
    if (status != SY_OK) {
        sy_envelope_finish(&envelope);
        return status;
    }
    *ret_envelope = envelope;
    return SY_OK;
}

void sy_envelope_finish(sy_envelope *envelope)
{
    sy_json_destroy(envelope->json);
    envelope->json = NULL;
}
