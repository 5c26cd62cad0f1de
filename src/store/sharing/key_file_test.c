/* SPDX-License-Identifier: Apache-2.0 */
/* Key files: modes, damage of every kind, and that no message ever shows a secret. */
#include "cmocka_headers.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <steelyard/sharing.h>

#include "base/memory.h"
#include "base/text.h"
#include "fault_loop.h"
#include "file_versions.h"
#include "temporary_folder.h"

/* The key of the first example of RFC 8032, section 7.1; the texts were made with coreutils: basenc, sha256sum. */
#define SECRET_LINE "steelyard_secret_key 1 ed25519 21fe31dfa154a261 nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A="
#define PUBLIC_LINE "steelyard_public_key 1 ed25519 21fe31dfa154a261 11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="

static const char *in(void **state, const char *name)
{
    static char paths[4][512];
    static int turn;
    char *path = paths[turn++ % 4];
    snprintf(path, 512, "%s/%s", (const char *)*state, name);
    return path;
}

static void write_key(const char *path, const char *text, mode_t mode)
{
    write_plainly(path, text);
    assert_int_equal(chmod(path, mode), 0);
}

static void the_published_key_is_read_and_written(void **state)
{
    sy_secret_key *key = NULL;
    sy_public_key public_half;
    const char *path = in(state, "key");
    write_key(path, SECRET_LINE "\n", 0600);
    assert_int_equal(sy_secret_key_read(path, &key, NULL), SY_OK);
    public_half = sy_secret_key_public(key);
    assert_string_equal(public_half.id, "21fe31dfa154a261");
    const char *copy = in(state, "copy");
    const char *shown = in(state, "shown");
    mode_t former = umask(0);
    assert_int_equal(sy_secret_key_write(key, copy, NULL), SY_OK);
    assert_int_equal(sy_public_key_write(&public_half, shown, NULL), SY_OK);
    umask(former);
    expect_content(copy, SECRET_LINE "\n");
    expect_content(shown, PUBLIC_LINE "\n");
    struct stat st;
    assert_int_equal(stat(copy, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    sy_public_key read;
    assert_int_equal(sy_public_key_read(shown, &read, NULL), SY_OK);
    assert_memory_equal(read.bytes, public_half.bytes, sizeof read.bytes);
    assert_string_equal(read.id, public_half.id);
    /* Nothing is written over: a key that is lost is lost. */
    assert_int_equal(sy_secret_key_write(key, copy, NULL), SY_REFUSED);
    assert_int_equal(sy_public_key_write(&public_half, shown, NULL), SY_REFUSED);
    sy_secret_key_destroy(key);
    sy_secret_key_destroy(NULL);
}

static void a_secret_key_that_others_may_read_is_refused(void **state)
{
    static const mode_t modes[] = {0640, 0604, 0620, 0644, 0610};
    sy_secret_key *key = NULL;
    const char *path = in(state, "open");
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        sy_error err = SY_ERROR_INIT;
        write_key(path, SECRET_LINE "\n", modes[i]);
        assert_int_equal(sy_secret_key_read(path, &key, &err), SY_REFUSED);
        assert_non_null(strstr(err.what, "is open to others"));
        assert_non_null(strstr(err.hint, "chmod 600"));
    }
    write_key(path, SECRET_LINE "\n", 0400);
    assert_int_equal(sy_secret_key_read(path, &key, NULL), SY_OK);
    sy_secret_key_destroy(key);
}

static void white_space_behind_a_public_key_does_not_count(void **state)
{
    (void)state;
    static const char *const texts[] = {PUBLIC_LINE, PUBLIC_LINE "\n", PUBLIC_LINE "\r\n", PUBLIC_LINE " \t\n\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        sy_public_key key;
        assert_int_equal(sy_public_key_parse(texts[i], strlen(texts[i]), &key, NULL), SY_OK);
        assert_string_equal(key.id, "21fe31dfa154a261");
    }
}

static void a_damaged_key_is_refused_and_a_secret_never_shown(void **state)
{
    static const struct {
        const char *text;
        sy_status status;
        const char *says;
    } rows[] = {
        {"", SY_CORRUPT, "it is no secret key"},
        {PUBLIC_LINE "\n", SY_CORRUPT, "it is no secret key"},
        {"-----BEGIN PRIVATE KEY-----\n", SY_CORRUPT, "it is no secret key"},
        {"steelyard_secret_keys 1 ed25519 21fe31dfa154a261 x\n", SY_CORRUPT, "it is no secret key"},
        {"steelyard_secret_key 2 ed25519 21fe31dfa154a261 nWGxne/9\n", SY_VERSION_UNSUPPORTED, "of a version"},
        {"steelyard_secret_key 1 ed448 21fe31dfa154a261 nWGxne/9\n", SY_VERSION_UNSUPPORTED, "of a kind"},
        {"steelyard_secret_key 1 ed25519\n", SY_CORRUPT, "is damaged"},
        {"steelyard_secret_key 1 ed25519 21fe31dfa154a261 nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A\n", SY_CORRUPT,
         "is damaged"},
        {"steelyard_secret_key 1 ed25519 21fe31dfa154a261 nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2B=\n", SY_CORRUPT,
         "is damaged"},
        {"steelyard_secret_key 1 ed25519 21fe31dfa154a262 nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A=\n", SY_CORRUPT,
         "does not have the id"},
        {"steelyard_secret_key 1 ed25519 21fe31dfa154a261 oWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A=\n", SY_CORRUPT,
         "does not have the id"},
        {SECRET_LINE " x\n", SY_CORRUPT, "is damaged"},
        {SECRET_LINE "\n" SECRET_LINE "\n", SY_CORRUPT, "is damaged"},
    };
    const char *path = in(state, "damaged");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sy_secret_key *key = NULL;
        sy_error err = SY_ERROR_INIT;
        write_key(path, rows[i].text, 0600);
        assert_int_equal(sy_secret_key_read(path, &key, &err), rows[i].status);
        assert_non_null(strstr(err.what, rows[i].says));
        assert_null(strstr(err.what, "WGxne"));
        assert_null(strstr(err.hint, "WGxne"));
        assert_null(key);
    }
    sy_public_key key;
    sy_error err = SY_ERROR_INIT;
    write_key(path, SECRET_LINE "\n", 0600);
    assert_int_equal(sy_public_key_read(path, &key, &err), SY_CORRUPT);
    assert_non_null(strstr(err.hint, "this is the secret key"));
    assert_null(strstr(err.what, "WGxne"));
    assert_int_equal(sy_public_key_read(in(state, "absent"), &key, &err), SY_NOT_FOUND);
    assert_int_equal(sy_public_key_read("/dev/zero", &key, &err), SY_IO);
}

static void two_keys_that_are_made_differ(void **state)
{
    (void)state;
    sy_secret_key *a = NULL;
    sy_secret_key *b = NULL;
    assert_int_equal(sy_secret_key_create(&a, NULL), SY_OK);
    assert_int_equal(sy_secret_key_create(&b, NULL), SY_OK);
    sy_public_key public_a = sy_secret_key_public(a);
    sy_public_key public_b = sy_secret_key_public(b);
    assert_string_not_equal(public_a.id, public_b.id);
    sy_secret_key_destroy(a);
    sy_secret_key_destroy(b);
}

int main(void)
{
#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_temporary_folder, remove_temporary_folder)
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(the_published_key_is_read_and_written),
        IN_A_FOLDER(a_secret_key_that_others_may_read_is_refused),
        cmocka_unit_test(white_space_behind_a_public_key_does_not_count),
        IN_A_FOLDER(a_damaged_key_is_refused_and_a_secret_never_shown),
        cmocka_unit_test(two_keys_that_are_made_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
