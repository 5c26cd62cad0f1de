/* SPDX-License-Identifier: Apache-2.0 */
/* What strangers hand over: signed texts and public keys. No bytes crash their readers; nothing but the text that was
 * signed verifies; what does not verify stores nothing; a key that is read is written as the same line. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <steelyard/sharing.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(int right)
{
    if (!right) {
        abort();
    }
}

static size_t count_of(sy_store *store)
{
    sy_layer_info info;
    need(sy_store_layer(store, 0, &info, NULL) == SY_OK);
    return info.profile_count;
}

static void import(const char *text, size_t size, const sy_public_key *key, sy_status *ret_status)
{
    sy_store_options in_memory = SY_STORE_OPTIONS_INIT;
    sy_profile_import_options options = SY_PROFILE_IMPORT_OPTIONS_INIT;
    sy_store *store = NULL;
    in_memory.persistence = false;
    need(sy_store_open(&in_memory, &store, NULL) == SY_OK);
    options.keys = key;
    options.key_count = key != NULL;
    options.overrides = true;
    sy_profile_import_result result;
    *ret_status = sy_store_import_text(store, text, size, &options, &result, NULL);
    need(*ret_status == SY_OK ? count_of(store) == result.found : count_of(store) == 0);
    sy_store_close(store);
}

static void use_text(const char *text, size_t size, const sy_secret_key *secret)
{
    sy_public_key key = sy_secret_key_public(secret);
    sy_signature signature;
    sy_status unsigned_status;
    sy_status status;
    sy_status found = sy_signature_find(text, size, &signature, NULL);
    need(found != SY_OK || (signature.signed_size < size && strlen(signature.key_id) == SY_KEY_ID_SIZE - 1));
    /* The key is made here: nothing that was drawn is of it. */
    need(sy_signature_verify(&key, 1, text, size, NULL, NULL) != SY_OK);
    import(text, size, &key, &status);
    need(status != SY_OK);
    import(text, size, NULL, &unsigned_status);
    char *made = NULL;
    size_t made_size = 0;
    if (sy_signature_make(secret, text, size, &made, &made_size, NULL) == SY_OK) {
        need(found == SY_NOT_FOUND);
        need(sy_signature_verify(&key, 1, made, made_size, &signature, NULL) == SY_OK);
        need(signature.signed_size == size);
        import(made, made_size, &key, &status);
        need(status == unsigned_status);
    }
    sy_text_free(made);
}

static void use_key(const char *text, size_t size)
{
    sy_public_key key;
    sy_public_key again;
    if (sy_public_key_parse(text, size, &key, NULL) == SY_OK) {
        char line[128];
        const char *base64 = text + sizeof "steelyard_public_key 1 ed25519 " - 1 + SY_KEY_ID_SIZE;
        int length = snprintf(line, sizeof line, "steelyard_public_key 1 ed25519 %s %.44s", key.id, base64);
        need(sy_public_key_parse(line, (size_t)length, &again, NULL) == SY_OK);
        need(memcmp(key.bytes, again.bytes, sizeof key.bytes) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static sy_secret_key *secret;
    if (secret == NULL) {
        need(sy_secret_key_create(&secret, NULL) == SY_OK);
    }
    use_key((const char *)data, size);
    use_text((const char *)data, size, secret);
    return 0;
}
