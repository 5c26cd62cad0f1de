/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of events' bodies share: a body that is parsed, and the way of an event there and back. */
#ifndef STEELYARD_RECORD_RUN_EVENTS_TEST_DATA_H
#define STEELYARD_RECORD_RUN_EVENTS_TEST_DATA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/error.h"
#include "record/run_events.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define DIGEST_A "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" /* SHA-256 of nothing */
#define DIGEST_B "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" /* SHA-256 of "abc" */

/* A body that is being looked at. */
typedef struct body {
    sy_text text;
    sy_json *json;
    sy_arena *arena;
} body;

#define BODY_INIT          \
    {                      \
        SY_TEXT_INIT, 0, 0 \
    }

static inline void body_finish(body *b)
{
    sy_json_destroy(b->json);
    sy_arena_destroy(b->arena);
    sy_text_finish(&b->text);
}

static inline const sy_json_value *body_parse(body *b)
{
    assert_int_equal(sy_json_parse(b->text.bytes, b->text.length, NULL, &b->json, NULL), SY_OK);
    b->arena = sy_arena_create(0);
    assert_non_null(b->arena);
    return sy_json_root(b->json);
}

/* Write, parse, read, write again: the same bytes. */
#define ROUND_TRIP(type, write, read, event, expected)                             \
    do {                                                                           \
        body first = BODY_INIT;                                                    \
        sy_text second = SY_TEXT_INIT;                                             \
        type back;                                                                 \
        assert_int_equal(write((event), &first.text, NULL), SY_OK);                \
        assert_string_equal(first.text.bytes, (expected));                         \
        const sy_json_value *root = body_parse(&first);                            \
        assert_int_equal(read(first.json, root, first.arena, &back, NULL), SY_OK); \
        assert_int_equal(write(&back, &second, NULL), SY_OK);                      \
        assert_string_equal(second.bytes, (expected));                             \
        sy_text_finish(&second);                                                   \
        body_finish(&first);                                                       \
    } while (0)

/* The writer refuses it, and leaves what stood before. */
#define REFUSED(write, event, expected)                                     \
    do {                                                                    \
        sy_error err = SY_ERROR_INIT;                                       \
        sy_text text = SY_TEXT_INIT;                                        \
        sy_text_append(&text, "before");                                    \
        assert_int_equal(write((event), &text, &err), SY_INVALID_ARGUMENT); \
        assert_string_equal(err.what, (expected));                          \
        assert_string_equal(text.bytes, "before");                          \
        sy_text_finish(&text);                                              \
    } while (0)

#endif
