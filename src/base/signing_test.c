/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures against the published ones (RFC 8032, section 7.1), and base64 in fixed memory. */
#include "cmocka_headers.h"

#include <stdio.h>
#include <string.h>

#include "base/signing.h"

static void bytes_of(const char *digits, uint8_t *to, size_t size)
{
    assert_int_equal(strlen(digits), 2 * size);
    for (size_t i = 0; i < size; i++) {
        unsigned byte;
        assert_int_equal(sscanf(digits + 2 * i, "%2x", &byte), 1);
        to[i] = (uint8_t)byte;
    }
}

static void the_published_signatures_are_made_and_fit(void **state)
{
    (void)state;
    static const struct {
        const char *seed;
        const char *public_half;
        const char *message;
        size_t size;
        const char *signature;
    } rows[] = {
        {"9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
         "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "", 0,
         "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bb"
         "e24"
         "655141438e7a100b"},
        {"4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
         "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "\x72", 1,
         "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302"
         "aee"
         "b00d291612bb0c00"},
        {"c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
         "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "\xaf\x82", 2,
         "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed"
         "28d"
         "c027beceea1ec40a"},
    };
    for (size_t i = 0; i < 3; i++) {
        uint8_t seed[SY_SEED_BYTES];
        uint8_t expected_public[SY_PUBLIC_BYTES];
        uint8_t expected[SY_SIGNATURE_BYTES];
        uint8_t secret[SY_SECRET_BYTES];
        uint8_t public_half[SY_PUBLIC_BYTES];
        uint8_t signature[SY_SIGNATURE_BYTES];
        bytes_of(rows[i].seed, seed, sizeof seed);
        bytes_of(rows[i].public_half, expected_public, sizeof expected_public);
        bytes_of(rows[i].signature, expected, sizeof expected);
        sy_signing_keys_of_seed(seed, secret, public_half);
        assert_memory_equal(public_half, expected_public, sizeof public_half);
        sy_signing_sign(secret, rows[i].message, rows[i].size, signature);
        assert_memory_equal(signature, expected, sizeof signature);
        assert_true(sy_signing_fits(public_half, rows[i].message, rows[i].size, signature));
        assert_false(sy_signing_fits(public_half, "x", 1, signature));
        for (size_t bit = 0; bit < 8 * sizeof signature; bit += 37) {
            signature[bit / 8] ^= (uint8_t)(1 << bit % 8);
            assert_false(sy_signing_fits(public_half, rows[i].message, rows[i].size, signature));
            signature[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
    }
}

static void two_seeds_differ(void **state)
{
    (void)state;
    uint8_t a[SY_SEED_BYTES] = {0};
    uint8_t b[SY_SEED_BYTES] = {0};
    assert_int_equal(sy_signing_make_seed(a, NULL), SY_OK);
    assert_int_equal(sy_signing_make_seed(b, NULL), SY_OK);
    assert_memory_not_equal(a, b, sizeof a);
    sy_signing_wipe(a, sizeof a);
    for (size_t i = 0; i < sizeof a; i++) {
        assert_int_equal(a[i], 0);
    }
}

static void base64_has_one_way_to_be_written(void **state)
{
    (void)state;
    char text[SY_SIGNING_TEXT_SIZE(4)];
    uint8_t bytes[4];
    sy_signing_format((const uint8_t *)"\xff\x00\x10\x83", 4, text);
    assert_string_equal(text, "/wAQgw==");
    assert_true(sy_signing_parse(text, 8, bytes, 4));
    assert_memory_equal(bytes, "\xff\x00\x10\x83", 4);
    static const char *const wrong[] = {"/wAQgx==", "/wAQgw= ", "/wAQgwAA", "_wAQgw==", "/wAQ\ngw=", "\xafwAQgw=="};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_false(sy_signing_parse(wrong[i], 8, bytes, 4));
    }
    assert_false(sy_signing_parse(text, 7, bytes, 4));
    assert_false(sy_signing_parse("/wAQgw==AAAA", 12, bytes, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_published_signatures_are_made_and_fit),
        cmocka_unit_test(two_seeds_differ),
        cmocka_unit_test(base64_has_one_way_to_be_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
