/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of base64: the standard's own examples, and what is no base64. */
#include "cmocka_headers.h"

#include <string.h>

#include "base/base64.h"

static void bytes_become_letters_as_the_standard_says(void **state)
{
    /* RFC 4648, section 10. */
    static const char *const pairs[][2] = {{"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"}};
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        sy_text to = SY_TEXT_INIT;
        sy_base64_write(pairs[i][0], strlen(pairs[i][0]), &to);
        assert_string_equal(sy_text_bytes(&to), pairs[i][1]);
        sy_text_clear(&to);
        assert_true(sy_base64_read(pairs[i][1], strlen(pairs[i][1]), &to));
        assert_string_equal(sy_text_bytes(&to), pairs[i][0]);
        sy_text_finish(&to);
    }
}

static void letters_that_are_none_are_refused(void **state)
{
    static const char *const wrong[] = {"Z", "Zg", "Zg=", "Zh==", "Zm9=", "Zg==Zg==", "Z===", "====", "Zm 9", "Zm9v\n"};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        sy_text to = SY_TEXT_INIT;
        assert_false(sy_base64_read(wrong[i], strlen(wrong[i]), &to));
        sy_text_finish(&to);
    }
}

static void every_byte_and_every_length_comes_back(void **state)
{
    unsigned char bytes[2000];
    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (unsigned char)(i * 7 + i / 256);
    }
    for (size_t size = 0; size <= sizeof bytes; size += size < 10 ? 1 : 199) {
        sy_text letters = SY_TEXT_INIT;
        sy_text back = SY_TEXT_INIT;
        sy_base64_write(bytes, size, &letters);
        assert_true(sy_base64_read(sy_text_bytes(&letters), letters.length, &back));
        assert_int_equal(back.length, size);
        assert_memory_equal(sy_text_bytes(&back), bytes, size);
        sy_text_finish(&letters);
        sy_text_finish(&back);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_become_letters_as_the_standard_says),
        cmocka_unit_test(letters_that_are_none_are_refused),
        cmocka_unit_test(every_byte_and_every_length_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
