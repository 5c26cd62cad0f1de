/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the block of data: what is spelled in a plain one, and that a deflated one holds the same bytes. */
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/random.h"
#include "cmocka_headers.h"
#include "fault_loop.h"
#include "report/html/html_parts.h"

#define END "</script>\n"

static void put(sy_text *to, const sy_text *json)
{
    sy_error err = SY_ERROR_INIT;

    assert_int_equal(sy_html_put_data(to, json, &err), SY_OK);
    assert_true(
        sy_text_begins(sy_text_bytes(to), "<script type=\"application/json\" id=\"steelyard-data\" data-encoding=\""));
    assert_true(sy_text_ends(sy_text_bytes(to), END));
}

/* What stands between the marks. */
static sy_text inside_of(const sy_text *block)
{
    const char *begin = strchr(block->bytes, '>') + 1;
    sy_text inside = SY_TEXT_INIT;

    sy_text_append_bytes(&inside, begin, block->length - (size_t)(begin - block->bytes) - strlen(END));
    return inside;
}

static void a_plain_block_spells_what_could_end_it(void **state)
{
    sy_text json = SY_TEXT_INIT;
    sy_text block = SY_TEXT_INIT;
    sy_text inside;

    (void)state;
    sy_text_append(&json, "[\"</script><!--&\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaa\xe2\x82\xac\"]");
    put(&block, &json);
    assert_non_null(strstr(block.bytes, "data-encoding=\"none\""));
    inside = inside_of(&block);
    assert_string_equal(inside.bytes,
                        "[\"\\u003c/script\\u003e\\u003c!--\\u0026\\u2028\\u2029\xe2\x80\xaa\xe2\x82\xac\"]");
    sy_text_finish(&inside);
    sy_text_finish(&block);
    sy_text_finish(&json);
}

/* Text in JSON of about so many bytes, some of it hard to deflate. */
static sy_text large_json(size_t size)
{
    sy_text json = SY_TEXT_INIT;
    sy_random random;

    sy_random_start(&random, 7, "block");
    sy_text_append(&json, "[\"</script>\"");
    while (json.length < size)
        sy_text_append_format(&json, ",%.17g,\"</script>\"", sy_random_unit(&random));
    sy_text_append(&json, "]");
    return json;
}

#ifdef STEELYARD_HAVE_ZLIB
#include <zlib.h>

static void hold_against(const sy_text *bytes, const sy_text *json)
{
    z_stream stream = {.next_in = (Bytef *)bytes->bytes, .avail_in = (uInt)bytes->length};
    char *plain = calloc(json->length + 1, 1);

    assert_non_null(plain);
    stream.next_out = (Bytef *)plain;
    stream.avail_out = (uInt)json->length + 1;
    assert_int_equal(inflateInit2(&stream, -MAX_WBITS), Z_OK);
    assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
    assert_int_equal(stream.total_out, json->length);
    assert_int_equal(stream.avail_in, 0);
    assert_memory_equal(plain, json->bytes, json->length);
    (void)inflateEnd(&stream);
    free(plain);
}

static void a_large_block_inflates_to_what_it_was_made_of(void **state)
{
    static const size_t sizes[] = {(size_t)129 << 10, (size_t)1 << 20, (size_t)5 << 20};

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        sy_text json = large_json(sizes[i]);
        sy_text block = SY_TEXT_INIT;
        sy_text bytes = SY_TEXT_INIT;
        sy_text inside;

        put(&block, &json);
        assert_non_null(strstr(block.bytes, "data-encoding=\"deflate-raw\""));
        inside = inside_of(&block);
        assert_null(strchr(inside.bytes, '<'));
        assert_true(sy_base64_read(inside.bytes, inside.length, &bytes));
        hold_against(&bytes, &json);
        assert_true(block.length < json.length * 3 / 4);
        sy_text_finish(&inside);
        sy_text_finish(&bytes);
        sy_text_finish(&block);
        sy_text_finish(&json);
    }
}
#else
static void a_large_block_inflates_to_what_it_was_made_of(void **state)
{
    (void)state;
    print_message("skipped: this build has no zlib\n");
    skip();
}
#endif

static sy_status scenario(void *user)
{
    sy_text block = SY_TEXT_INIT;
    sy_error err = SY_ERROR_INIT;
    sy_status status = sy_html_put_data(&block, user, &err);

    sy_text_finish(&block);
    return status;
}

static void no_memory_is_told(void **state)
{
    sy_text json = large_json((size_t)200 << 10);

    (void)state;
    assert_true(fault_loop_allocations(scenario, &json, true) > 3);
    assert_true(fault_loop_allocations(scenario, &json, false) > 3);
    sy_text_finish(&json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_block_spells_what_could_end_it),
        cmocka_unit_test(a_large_block_inflates_to_what_it_was_made_of),
        cmocka_unit_test(no_memory_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
