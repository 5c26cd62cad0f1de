/* SPDX-License-Identifier: Apache-2.0 */
/* Keys as files: one line each, `WORD 1 ed25519 ID BASE64`. What held a secret is wiped on every way out. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/system.h"
#include "base/text.h"
#include "store/sharing/secret_key.h"

#define PUBLIC_WORD "steelyard_public_key"
#define SECRET_WORD "steelyard_secret_key"
#define VERSION_AND_KIND "1 ed25519"

enum { KEY_LIMIT_BYTES = 4096, LINE_SIZE = 160, BASE64_LENGTH = SY_SIGNING_TEXT_SIZE(32) - 1 };

static void set_id(sy_public_key *key)
{
    sy_digest digest;
    char text[SY_DIGEST_TEXT];
    sy_digest_of(key->bytes, sizeof key->bytes, &digest);
    sy_digest_format(&digest, text);
    text[SY_KEY_ID_SIZE - 1] = '\0';
    sy_text_copy(key->id, sizeof key->id, text);
}

static sy_secret_key *key_of_seed(const uint8_t seed[SY_SEED_BYTES])
{
    sy_secret_key *key = sy_allocate(1, sizeof *key);
    if (key != NULL) {
        memcpy(key->seed, seed, SY_SEED_BYTES);
        sy_signing_keys_of_seed(seed, key->secret, key->public_half.bytes);
        set_id(&key->public_half);
    }
    return key;
}

sy_status sy_secret_key_create(sy_secret_key **ret_key, sy_error *err)
{
    uint8_t seed[SY_SEED_BYTES];
    sy_status status = sy_signing_make_seed(seed, err);
    if (status != SY_OK) {
        return status;
    }
    sy_secret_key *key = key_of_seed(seed);
    sy_signing_wipe(seed, sizeof seed);
    if (key == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for a key");
    }
    *ret_key = key;
    return SY_OK;
}

void sy_secret_key_destroy(sy_secret_key *key)
{
    if (key != NULL) {
        sy_signing_wipe(key, sizeof *key);
        sy_free(key);
    }
}

sy_public_key sy_secret_key_public(const sy_secret_key *key)
{
    return key->public_half;
}

/* Whether a field, up to a blank or the end, is this word; *at moves behind it and its blank. */
static bool take_word(const char **at, const char *end, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(end - *at) < length || memcmp(*at, word, length) != 0) {
        return false;
    }
    const char *behind = *at + length;
    if (behind < end && *behind != ' ') {
        return false;
    }
    *at = behind < end ? behind + 1 : behind;
    return true;
}

static const char *cut_white_space(const char *text, size_t size)
{
    const char *end = text + size;
    while (end > text && (end[-1] == '\n' || end[-1] == '\r' || end[-1] == ' ' || end[-1] == '\t')) {
        end--;
    }
    return end;
}

/* The id and the 32 bytes of a line that begins with that word. What the message shows is never what the line holds. */
static sy_status parse_line(const char *text, size_t size, const char *word, char ret_id[SY_KEY_ID_SIZE],
                            uint8_t ret_bytes[32], sy_error *err)
{
    const char *at = text;
    const char *end = cut_white_space(text, size);
    if (!take_word(&at, end, word)) {
        const char *kind = strcmp(word, SECRET_WORD) == 0 ? "secret" : "public";
        (void)sy_fail(err, SY_CORRUPT, "it is no %s key: it does not begin with '%s'", kind, word);
        return SY_CORRUPT;
    }
    if (!take_word(&at, end, "1")) {
        (void)sy_fail(err, SY_VERSION_UNSUPPORTED, "a key of a version that this steelyard does not know");
        return SY_VERSION_UNSUPPORTED;
    }
    if (!take_word(&at, end, "ed25519")) {
        (void)sy_fail(err, SY_VERSION_UNSUPPORTED, "a key of a kind that this steelyard does not know (not ed25519)");
        return SY_VERSION_UNSUPPORTED;
    }
    bool whole = end - at == SY_KEY_ID_SIZE + BASE64_LENGTH && at[SY_KEY_ID_SIZE - 1] == ' ' &&
                 sy_signing_parse(at + SY_KEY_ID_SIZE, BASE64_LENGTH, ret_bytes, 32);
    if (!whole) {
        return sy_fail(err, SY_CORRUPT, "the key is damaged: its line is not '%s " VERSION_AND_KIND " ID BASE64'",
                       word);
    }
    memcpy(ret_id, at, SY_KEY_ID_SIZE - 1);
    ret_id[SY_KEY_ID_SIZE - 1] = '\0';
    return SY_OK;
}

static sy_status wrong_id(sy_error *err)
{
    return sy_fail(err, SY_CORRUPT, "the key is damaged: it does not have the id that its line says");
}

sy_status sy_public_key_parse(const char *text, size_t size, sy_public_key *ret_key, sy_error *err)
{
    sy_public_key key;
    char id[SY_KEY_ID_SIZE];
    sy_status status = parse_line(text, size, PUBLIC_WORD, id, key.bytes, err);
    if (status != SY_OK) {
        return status;
    }
    set_id(&key);
    if (strcmp(id, key.id) != 0) {
        return wrong_id(err);
    }
    *ret_key = key;
    return SY_OK;
}

static sy_status parse_secret(const char *text, size_t size, sy_secret_key **ret_key, sy_error *err)
{
    uint8_t seed[SY_SEED_BYTES];
    char id[SY_KEY_ID_SIZE];
    sy_secret_key *key = NULL;
    sy_status status = parse_line(text, size, SECRET_WORD, id, seed, err);
    if (status == SY_OK) {
        key = key_of_seed(seed);
        status = key == NULL ? sy_fail(err, SY_NO_MEMORY, "no memory for a key") : SY_OK;
    }
    sy_signing_wipe(seed, sizeof seed);
    if (status == SY_OK && strcmp(id, key->public_half.id) != 0) {
        status = wrong_id(err);
    }
    if (status != SY_OK) {
        sy_secret_key_destroy(key);
        return status;
    }
    *ret_key = key;
    return SY_OK;
}

sy_status sy_public_key_read(const char *path, sy_public_key *ret_key, sy_error *err)
{
    char *text = NULL;
    size_t size = 0;
    sy_status status = sy_file_read(path, KEY_LIMIT_BYTES, &text, &size, err);
    if (status != SY_OK) {
        return status;
    }
    status = sy_public_key_parse(text, size, ret_key, err);
    if (status != SY_OK && sy_text_begins(text, SECRET_WORD)) {
        sy_error_hint(err, "this is the secret key: give the public one, and never hand this one out");
    }
    /* Somebody may have named the secret one. */
    sy_signing_wipe(text, size);
    sy_free(text);
    if (status != SY_OK) {
        sy_error_prefix(err, "'%s'", path);
    }
    return status;
}

static sy_status check_privacy(const char *path, sy_error *err)
{
    struct stat found;
    if (sy_system_stat(path, &found) != 0) {
        /* Reading it says why. */
        return SY_OK;
    }
    if (S_ISREG(found.st_mode) && (found.st_mode & 077) != 0) {
        (void)sy_fail(err, SY_REFUSED, "the secret key '%s' is open to others (mode %04o)", path,
                      (unsigned)found.st_mode & 07777);
        sy_error_hint(err, "chmod 600 closes it; if others could have read it, make another one");
        return SY_REFUSED;
    }
    return SY_OK;
}

sy_status sy_secret_key_read(const char *path, sy_secret_key **ret_key, sy_error *err)
{
    char *text = NULL;
    size_t size = 0;
    sy_status status = check_privacy(path, err);
    if (status == SY_OK) {
        status = sy_file_read(path, KEY_LIMIT_BYTES, &text, &size, err);
    }
    if (status != SY_OK) {
        return status;
    }
    status = parse_secret(text, size, ret_key, err);
    sy_signing_wipe(text, size);
    sy_free(text);
    if (status != SY_OK) {
        sy_error_prefix(err, "'%s'", path);
    }
    return status;
}

static sy_status write_line(const char *word, const char *id, const uint8_t bytes[32], bool secret, const char *path,
                            sy_error *err)
{
    char line[LINE_SIZE];
    char base64[BASE64_LENGTH + 1];
    sy_file_write_options options = SY_FILE_WRITE_OPTIONS_INIT;
    options.refuse_existing = true;
    options.private_file = secret;
    sy_signing_format(bytes, 32, base64);
    int length = snprintf(line, sizeof line, "%s " VERSION_AND_KIND " %s %s\n", word, id, base64);
    sy_status status = sy_file_write(path, line, (size_t)length, &options, err);
    sy_signing_wipe(line, sizeof line);
    sy_signing_wipe(base64, sizeof base64);
    return status;
}

sy_status sy_secret_key_write(const sy_secret_key *key, const char *path, sy_error *err)
{
    return write_line(SECRET_WORD, key->public_half.id, key->seed, true, path, err);
}

sy_status sy_public_key_write(const sy_public_key *key, const char *path, sy_error *err)
{
    return write_line(PUBLIC_WORD, key->id, key->bytes, false, path, err);
}
