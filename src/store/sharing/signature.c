/* SPDX-License-Identifier: Apache-2.0 */
/* The signature of a text of profiles: its last line, a comment. Signed are the words below and every byte before that
 * line, so that a signature made for anything else never fits here. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "store/sharing/secret_key.h"

#define SIGNED_WORDS "steelyard profiles, signature 1\n"
#define LINE_BEGIN "# steelyard-signature "
#define FETCH_AGAIN "nothing is taken of it: get it again from who signed it"
#define VERSION_AND_KIND "1 ed25519 "

enum {
    BEGIN_LENGTH = sizeof LINE_BEGIN - 1,
    HEAD_LENGTH = sizeof LINE_BEGIN VERSION_AND_KIND - 1,
    BASE64_LENGTH = SY_SIGNING_TEXT_SIZE(SY_SIGNATURE_BYTES) - 1,
    LINE_LENGTH = HEAD_LENGTH + SY_KEY_ID_SIZE + BASE64_LENGTH + 1
};

/* The first line at or behind `from` that begins as a signature does; NULL: none. */
static const char *find_line(const char *text, size_t size, size_t from)
{
    while (from + BEGIN_LENGTH <= size) {
        const char *found = memmem(text + from, size - from, LINE_BEGIN, BEGIN_LENGTH);
        if (found == NULL || found == text || found[-1] == '\n') {
            return found;
        }
        from = (size_t)(found - text) + 1;
    }
    return NULL;
}

static bool is_id(const char *text)
{
    return strspn(text, "0123456789abcdef") >= SY_KEY_ID_SIZE - 1 && text[SY_KEY_ID_SIZE - 1] == ' ';
}

/* line: of left bytes, up to the text's end, beginning with LINE_BEGIN. */
static sy_status parse_line(const char *line, size_t left, sy_signature *ret_signature, sy_error *err)
{
    const char *end = memchr(line, '\n', left);
    size_t length = end == NULL ? left : (size_t)(end - line) + 1;
    bool known = left > HEAD_LENGTH && memcmp(line, LINE_BEGIN VERSION_AND_KIND, HEAD_LENGTH) == 0;
    if (!known && end != NULL) {
        return sy_fail(err, SY_VERSION_UNSUPPORTED, "a signature of a version that this steelyard does not know");
    }
    if (end == NULL && left < LINE_LENGTH) {
        return sy_fail(err, SY_CORRUPT, "the text was cut in the middle of its signature");
    }
    if (end == NULL) {
        return sy_fail(err, SY_CORRUPT, "the signature's line has no end: the text was cut or changed");
    }
    if (length >= 2 && end[-1] == '\r') {
        return sy_fail(err, SY_CORRUPT, "its line ends were changed on the way (CRLF): what was signed is not here");
    }
    if (length < left) {
        return sy_fail(err, SY_CORRUPT, "something stands behind the signature, which covers all before it only");
    }
    if (length != LINE_LENGTH || !is_id(line + HEAD_LENGTH) ||
        !sy_signing_parse(line + HEAD_LENGTH + SY_KEY_ID_SIZE, BASE64_LENGTH, ret_signature->bytes,
                          SY_SIGNATURE_BYTES)) {
        return sy_fail(err, SY_CORRUPT,
                       "the signature is damaged: its line is not '" LINE_BEGIN VERSION_AND_KIND "ID BASE64'");
    }
    memcpy(ret_signature->key_id, line + HEAD_LENGTH, SY_KEY_ID_SIZE - 1);
    ret_signature->key_id[SY_KEY_ID_SIZE - 1] = '\0';
    return SY_OK;
}

sy_status sy_signature_find(const char *text, size_t size, sy_signature *ret_signature, sy_error *err)
{
    const char *line = find_line(text, size, 0);
    if (line == NULL) {
        return sy_fail(err, SY_NOT_FOUND, "it is not signed");
    }
    sy_signature signature;
    signature.signed_size = (size_t)(line - text);
    sy_status status = parse_line(line, size - signature.signed_size, &signature, err);
    if (status == SY_OK) {
        *ret_signature = signature;
    } else if (status == SY_CORRUPT) {
        sy_error_hint(err, FETCH_AGAIN);
    }
    return status;
}

/* The signed bytes: the words, then the text. The caller frees. NULL: no memory. */
static char *make_message(const char *text, size_t size, size_t *ret_size)
{
    const size_t words = sizeof SIGNED_WORDS - 1;
    char *message = size > SIZE_MAX - words ? NULL : sy_allocate(words + size, 1);
    if (message != NULL) {
        memcpy(message, SIGNED_WORDS, words);
        memcpy(message + words, text, size);
        *ret_size = words + size;
    }
    return message;
}

sy_status sy_signature_make(const sy_secret_key *key, const char *text, size_t size, char **ret_text, size_t *ret_size,
                            sy_error *err)
{
    if (size == 0 || text[size - 1] != '\n') {
        return sy_fail(err, SY_INVALID_ARGUMENT, "the text to sign does not end in a newline");
    }
    if (find_line(text, size, 0) != NULL) {
        return sy_fail(err, SY_REFUSED, "the text is signed already");
    }
    uint8_t signature[SY_SIGNATURE_BYTES];
    char base64[BASE64_LENGTH + 1];
    size_t message_size = 0;
    char *message = make_message(text, size, &message_size);
    sy_text out = SY_TEXT_INIT;
    if (message != NULL) {
        sy_signing_sign(key->secret, message, message_size, signature);
        sy_signing_format(signature, sizeof signature, base64);
        sy_text_append_bytes(&out, text, size);
        sy_text_append_format(&out, LINE_BEGIN VERSION_AND_KIND "%s %s\n", key->public_half.id, base64);
    }
    sy_free(message);
    size_t out_size = out.length;
    char *taken = message == NULL ? NULL : sy_text_take(&out);
    sy_text_finish(&out);
    if (taken == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory to sign %zu bytes", size);
    }
    *ret_text = taken;
    *ret_size = out_size;
    return SY_OK;
}

/* The key that the signature names. Several may have its id, which has 64 bits: all of them are tried. */
static sy_status try_keys(const sy_public_key *keys, size_t key_count, const sy_signature *signature,
                          const char *message, size_t size, sy_error *err)
{
    bool named = false;
    for (size_t i = 0; i < key_count; i++) {
        if (strcmp(keys[i].id, signature->key_id) == 0) {
            named = true;
            if (sy_signing_fits(keys[i].bytes, message, size, signature->bytes)) {
                return SY_OK;
            }
        }
    }
    if (named) {
        (void)sy_fail(err, SY_CORRUPT, "it is not what key %s signed: it was changed afterwards", signature->key_id);
        sy_error_hint(err, FETCH_AGAIN);
        return SY_CORRUPT;
    }
    (void)sy_fail(err, SY_REFUSED, "it is signed by key %s, which is not %s", signature->key_id,
                  key_count == 1 ? "the one that is trusted" : "among those that are trusted");
    return SY_REFUSED;
}

sy_status sy_signature_verify(const sy_public_key *keys, size_t key_count, const char *text, size_t size,
                              sy_signature *ret_signature, sy_error *err)
{
    sy_signature signature;
    if (keys == NULL || key_count == 0) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "there is no key to verify with");
    }
    sy_status status = sy_signature_find(text, size, &signature, err);
    if (status == SY_NOT_FOUND) {
        (void)sy_fail(err, SY_REFUSED, "it is not signed");
        sy_error_hint(err, "nothing is taken of it; without a key to verify with it would be");
        return SY_REFUSED;
    }
    if (status != SY_OK) {
        return status;
    }
    size_t message_size = 0;
    char *message = make_message(text, signature.signed_size, &message_size);
    if (message == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory to verify %zu bytes", size);
    }
    status = try_keys(keys, key_count, &signature, message, message_size, err);
    sy_free(message);
    if (status == SY_OK && ret_signature != NULL) {
        *ret_signature = signature;
    }
    return status;
}
