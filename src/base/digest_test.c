/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 against the examples of FIPS 180-2, appendix B. */
#include "cmocka_headers.h"

#include <string.h>

#include "base/digest.h"

static const struct {
    const char *message;
    const char *digest;
} published[] = {
    {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
};

static void published_digests_come_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof published / sizeof published[0]; i++) {
        sy_digest digest;
        char text[SY_DIGEST_TEXT];
        sy_digest_of(published[i].message, strlen(published[i].message), &digest);
        sy_digest_format(&digest, text);
        assert_string_equal(text, published[i].digest);
    }
}

static void pieces_give_the_digest_of_the_whole(void **state)
{
    (void)state;
    const char *message = published[1].message;
    for (size_t cut = 0; cut <= strlen(message); cut++) {
        sy_digest_state pieces;
        sy_digest digest;
        sy_digest whole;
        sy_digest_start(&pieces);
        sy_digest_add(&pieces, message, cut);
        sy_digest_add(&pieces, message + cut, strlen(message) - cut);
        sy_digest_finish(&pieces, &digest);
        sy_digest_of(message, strlen(message), &whole);
        assert_true(sy_digest_equal(&digest, &whole));
    }
}

static void a_text_is_read_back_in_either_case(void **state)
{
    (void)state;
    sy_digest a;
    sy_digest b;
    assert_int_equal(sy_digest_parse(published[0].digest, &a, NULL), SY_OK);
    assert_int_equal(sy_digest_parse("BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD", &b, NULL),
                     SY_OK);
    assert_true(sy_digest_equal(&a, &b));
    b.bytes[31] ^= 1;
    assert_false(sy_digest_equal(&a, &b));
}

static void anything_but_64_hexadecimal_digits_is_refused(void **state)
{
    (void)state;
    sy_digest digest = {{7}};
    sy_error err = SY_ERROR_INIT;
    static const char *const bad[] = {"", "ba78", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015adf",
                                      "ga7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(sy_digest_parse(bad[i], &digest, &err), SY_INVALID_ARGUMENT);
        assert_true(err.what[0] != '\0');
        assert_int_equal(digest.bytes[0], 7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_digests_come_out),
        cmocka_unit_test(pieces_give_the_digest_of_the_whole),
        cmocka_unit_test(a_text_is_read_back_in_either_case),
        cmocka_unit_test(anything_but_64_hexadecimal_digits_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
