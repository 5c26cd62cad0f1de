/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures at the end of a text: every damaged bit, cut and addition is found, and told apart. */
#include "cmocka_headers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <steelyard/sharing.h>

#include "base/memory.h"
#include "base/text.h"
#include "fault_loop.h"

static const char text[] = "steelyard_profiles 2\n# from the site\n";

typedef struct fixture {
    sy_secret_key *key;
    sy_public_key trusted;
    sy_secret_key *other;
    sy_public_key untrusted;
    char *signed_text;
    size_t size;
} fixture;

static int start(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    assert_int_equal(sy_secret_key_create(&f->key, NULL), SY_OK);
    assert_int_equal(sy_secret_key_create(&f->other, NULL), SY_OK);
    f->trusted = sy_secret_key_public(f->key);
    f->untrusted = sy_secret_key_public(f->other);
    assert_int_equal(sy_signature_make(f->key, text, strlen(text), &f->signed_text, &f->size, NULL), SY_OK);
    *state = f;
    return 0;
}

static int stop(void **state)
{
    fixture *f = *state;
    sy_secret_key_destroy(f->key);
    sy_secret_key_destroy(f->other);
    sy_text_free(f->signed_text);
    free(f);
    return 0;
}

static sy_status verify(const fixture *f, const char *bytes, size_t size, sy_error *err)
{
    return sy_signature_verify(&f->trusted, 1, bytes, size, NULL, err);
}

static void expect_refusal(const fixture *f, const char *bytes, size_t size, sy_status status, const char *says)
{
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(verify(f, bytes, size, &err), status);
    if (strstr(err.what, says) == NULL) {
        fail_msg("'%s' does not say '%s'", err.what, says);
    }
}

static void a_signed_text_is_the_text_and_one_comment_line(void **state)
{
    const fixture *f = *state;
    sy_signature signature;
    assert_memory_equal(f->signed_text, text, strlen(text));
    assert_int_equal(f->signed_text[strlen(text)], '#');
    assert_ptr_equal(memchr(f->signed_text + strlen(text), '\n', f->size), f->signed_text + f->size - 1);
    assert_int_equal(sy_signature_verify(&f->trusted, 1, f->signed_text, f->size, &signature, NULL), SY_OK);
    assert_string_equal(signature.key_id, f->trusted.id);
    assert_int_equal(signature.signed_size, strlen(text));
    sy_public_key both[] = {f->untrusted, f->trusted};
    assert_int_equal(sy_signature_verify(both, 2, f->signed_text, f->size, NULL, NULL), SY_OK);
}

static void every_changed_bit_is_found(void **state)
{
    const fixture *f = *state;
    char *copy = malloc(f->size);
    memcpy(copy, f->signed_text, f->size);
    for (size_t bit = 0; bit < 8 * f->size; bit++) {
        copy[bit / 8] = (char)(copy[bit / 8] ^ (1 << bit % 8));
        assert_int_not_equal(verify(f, copy, f->size, NULL), SY_OK);
        copy[bit / 8] = (char)(copy[bit / 8] ^ (1 << bit % 8));
    }
    assert_int_equal(verify(f, copy, f->size, NULL), SY_OK);
    free(copy);
}

static void every_cut_and_every_addition_is_found(void **state)
{
    const fixture *f = *state;
    for (size_t size = 0; size < f->size; size++) {
        /* In memory of that size alone, so that a reader that goes past it is seen. */
        char *cut = malloc(size + 1);
        memcpy(cut, f->signed_text, size);
        assert_int_not_equal(verify(f, cut, size, NULL), SY_OK);
        free(cut);
    }
    for (int byte = 0; byte < 256; byte++) {
        char *longer = malloc(f->size + 1);
        memcpy(longer, f->signed_text, f->size);
        longer[f->size] = (char)byte;
        assert_int_not_equal(verify(f, longer, f->size + 1, NULL), SY_OK);
        memmove(longer + 1, f->signed_text, f->size);
        longer[0] = (char)byte;
        assert_int_not_equal(verify(f, longer, f->size + 1, NULL), SY_OK);
        free(longer);
    }
}

static void what_is_wrong_is_said(void **state)
{
    fixture *f = *state;
    char changed[1024];
    expect_refusal(f, text, strlen(text), SY_REFUSED, "it is not signed");
    expect_refusal(f, "", 0, SY_REFUSED, "it is not signed");
    expect_refusal(f, f->signed_text, f->size - 1, SY_CORRUPT, "was cut");
    expect_refusal(f, f->signed_text, f->size - 30, SY_CORRUPT, "was cut in the middle of its signature");
    memcpy(changed, f->signed_text, f->size);
    changed[25] ^= 1;
    expect_refusal(f, changed, f->size, SY_CORRUPT, "was changed afterwards");
    snprintf(changed, sizeof changed, "%s# more\n", f->signed_text);
    expect_refusal(f, changed, strlen(changed), SY_CORRUPT, "something stands behind the signature");
    snprintf(changed, sizeof changed, "%s%s", f->signed_text, f->signed_text);
    expect_refusal(f, changed, strlen(changed), SY_CORRUPT, "something stands behind the signature");
    snprintf(changed, sizeof changed, "%.*s\r\n", (int)f->size - 1, f->signed_text);
    expect_refusal(f, changed, strlen(changed), SY_CORRUPT, "CRLF");
    snprintf(changed, sizeof changed, "%s# steelyard-signature 2 ed25519 x\n", text);
    expect_refusal(f, changed, strlen(changed), SY_VERSION_UNSUPPORTED, "of a version");
    snprintf(changed, sizeof changed, "%s# steelyard-signature 1 rsa x\n", text);
    expect_refusal(f, changed, strlen(changed), SY_VERSION_UNSUPPORTED, "of a version");
    snprintf(changed, sizeof changed, "%s# steelyard-signature 1 ed25519 0123456789abcdeX AAAA\n", text);
    expect_refusal(f, changed, strlen(changed), SY_CORRUPT, "the signature is damaged");
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(sy_signature_verify(&f->untrusted, 1, f->signed_text, f->size, NULL, &err), SY_REFUSED);
    assert_non_null(strstr(err.what, f->trusted.id));
    assert_non_null(strstr(err.what, "which is not the one that is trusted"));
    assert_int_equal(sy_signature_verify(NULL, 0, f->signed_text, f->size, NULL, &err), SY_INVALID_ARGUMENT);
    /* Another key under the same id is no help. */
    sy_public_key forged = f->untrusted;
    memcpy(forged.id, f->trusted.id, sizeof forged.id);
    assert_int_equal(sy_signature_verify(&forged, 1, f->signed_text, f->size, NULL, &err), SY_CORRUPT);
}

static void nul_bytes_are_signed_like_all_others(void **state)
{
    fixture *f = *state;
    static const char bytes[] = "a\0# steelyard-signature \0\nb\0\n";
    char *out = NULL;
    size_t size = 0;
    assert_int_equal(sy_signature_make(f->key, bytes, sizeof bytes - 1, &out, &size, NULL), SY_OK);
    assert_int_equal(verify(f, out, size, NULL), SY_OK);
    out[1] = 'x';
    assert_int_not_equal(verify(f, out, size, NULL), SY_OK);
    sy_text_free(out);
}

static void what_cannot_be_signed_is_refused(void **state)
{
    fixture *f = *state;
    char *out = NULL;
    size_t size = 0;
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(sy_signature_make(f->key, f->signed_text, f->size, &out, &size, &err), SY_REFUSED);
    assert_int_equal(sy_signature_make(f->key, "x", 1, &out, &size, &err), SY_INVALID_ARGUMENT);
    assert_int_equal(sy_signature_make(f->key, "", 0, &out, &size, &err), SY_INVALID_ARGUMENT);
    assert_null(out);
}

static sy_status sign_and_verify(void *user)
{
    fixture *f = user;
    char *out = NULL;
    size_t size = 0;
    sy_status status = sy_signature_make(f->key, text, strlen(text), &out, &size, NULL);
    if (status == SY_OK) {
        status = verify(f, out, size, NULL);
    }
    sy_text_free(out);
    return status;
}

static void failing_allocations_are_clean(void **state)
{
    assert_true(fault_loop_allocations(sign_and_verify, *state, true) >= 3);
    assert_true(fault_loop_allocations(sign_and_verify, *state, false) >= 3);
}

int main(void)
{
#define WITH_KEYS(test) cmocka_unit_test_setup_teardown(test, start, stop)
    const struct CMUnitTest tests[] = {
        WITH_KEYS(a_signed_text_is_the_text_and_one_comment_line),
        WITH_KEYS(every_changed_bit_is_found),
        WITH_KEYS(every_cut_and_every_addition_is_found),
        WITH_KEYS(what_is_wrong_is_said),
        WITH_KEYS(nul_bytes_are_signed_like_all_others),
        WITH_KEYS(what_cannot_be_signed_is_refused),
        WITH_KEYS(failing_allocations_are_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
