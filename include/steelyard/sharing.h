/* SPDX-License-Identifier: Apache-2.0 */
/* Sharing proven decisions: a part of a store as text, signed by who vouches for it, and taken in where that signature
 * is trusted. The form of keys and signatures: docs/formats.md; who is protected from what: docs/sharing.md. */
#ifndef STEELYARD_SHARING_H
#define STEELYARD_SHARING_H

#include <steelyard/base.h>
#include <steelyard/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- keys ---- */

#define SY_KEY_ID_SIZE 17 /* 16 hexadecimal digits */

/* Who may be believed. id: the first digits of SHA-256 over the bytes. */
typedef struct sy_public_key {
    uint8_t bytes[32];
    char id[SY_KEY_ID_SIZE];
} sy_public_key;

/* Who signs: an Ed25519 key, wiped when it is destroyed, and never part of any message. */
typedef struct sy_secret_key sy_secret_key;

/* A new one, of the system's randomness. SY_UNAVAILABLE, SY_NO_MEMORY. The caller destroys it. */
SY_API sy_status sy_secret_key_create(sy_secret_key **ret_key, sy_error *err) SY_NODISCARD;
/* Reads a file that sy_secret_key_write made. SY_NOT_FOUND, SY_IO, SY_REFUSED (others may read it), SY_CORRUPT,
 * SY_VERSION_UNSUPPORTED, SY_NO_MEMORY. The caller destroys it. */
SY_API sy_status sy_secret_key_read(const char *path, sy_secret_key **ret_key, sy_error *err) SY_NODISCARD;
/* Writes it to a new file of mode 0600. SY_REFUSED: the path exists; SY_IO, SY_NO_MEMORY. */
SY_API sy_status sy_secret_key_write(const sy_secret_key *key, const char *path, sy_error *err) SY_NODISCARD;
SY_API void sy_secret_key_destroy(sy_secret_key *key); /* wipes it; NULL is allowed */
SY_API sy_public_key sy_secret_key_public(const sy_secret_key *key);

/* Reads the one line of a public key; white space at its end does not count. SY_CORRUPT, SY_VERSION_UNSUPPORTED. */
SY_API sy_status sy_public_key_parse(const char *text, size_t size, sy_public_key *ret_key, sy_error *err) SY_NODISCARD;
/* The same of a file. Also SY_NOT_FOUND, SY_IO, SY_NO_MEMORY. */
SY_API sy_status sy_public_key_read(const char *path, sy_public_key *ret_key, sy_error *err) SY_NODISCARD;
/* Writes it to a new file. SY_REFUSED: the path exists; SY_IO, SY_NO_MEMORY. */
SY_API sy_status sy_public_key_write(const sy_public_key *key, const char *path, sy_error *err) SY_NODISCARD;

/* ---- signatures ---- */

/* The line at the end of a signed text. */
typedef struct sy_signature {
    char key_id[SY_KEY_ID_SIZE];
    uint8_t bytes[64];
    size_t signed_size; /* of the text before that line: these bytes are signed */
} sy_signature;

/* The text with a signature behind it, a comment line for who does not know it. The text must end in a newline. The
 * caller frees *ret_text with sy_text_free. SY_INVALID_ARGUMENT, SY_REFUSED (it is signed already), SY_NO_MEMORY. */
SY_API sy_status sy_signature_make(const sy_secret_key *key, const char *text, size_t size, char **ret_text,
                                   size_t *ret_size, sy_error *err) SY_NODISCARD;
/* Looks for it; nothing is verified. SY_NOT_FOUND: there is none; SY_CORRUPT (cut, changed line ends, something behind
 * it; the sentence says which), SY_VERSION_UNSUPPORTED. */
SY_API sy_status sy_signature_find(const char *text, size_t size, sy_signature *ret_signature,
                                   sy_error *err) SY_NODISCARD;
/* Whether one of the keys signed exactly this text. ret_signature may be NULL. SY_REFUSED (not signed, or by another
 * key), SY_CORRUPT (the text is not the one that was signed; as above), SY_VERSION_UNSUPPORTED, SY_NO_MEMORY. */
SY_API sy_status sy_signature_verify(const sy_public_key *keys, size_t key_count, const char *text, size_t size,
                                     sy_signature *ret_signature, sy_error *err) SY_NODISCARD;

/* ---- parts of a store as text ---- */

/* Which profiles of the writable layer; undecided and expired ones never. */
typedef struct sy_profile_export_options {
    size_t struct_size;        /* sizeof(sy_profile_export_options) */
    const char *backend;       /* NULL = any */
    const char *operator_name; /* NULL = any */
    bool require_evidence;     /* those alone whose evidence is named */
    bool overrides;            /* these too: they say what a person here wanted */
    uint32_t format;           /* 1 or 2 */
} sy_profile_export_options;

#define SY_PROFILE_EXPORT_OPTIONS_INIT                                 \
    {                                                                  \
        sizeof(sy_profile_export_options), NULL, NULL, false, false, 2 \
    }

typedef struct sy_profile_export_result {
    size_t exported;
    size_t left_out;    /* that the options do not ask for, undecided and expired ones */
    char not_kept[128]; /* what the format cannot hold; "" = all was kept */
} sy_profile_export_result;

/* options and ret_result may be NULL. The caller frees *ret_text with sy_text_free. SY_NOT_FOUND: no profile is left,
 * SY_REFUSED as sy_store_convert's, SY_INVALID_ARGUMENT, SY_NO_MEMORY. */
SY_API sy_status sy_store_export_text(sy_store *store, const sy_profile_export_options *options, char **ret_text,
                                      size_t *ret_size, sy_profile_export_result *ret_result,
                                      sy_error *err) SY_NODISCARD;

typedef struct sy_profile_import_options {
    size_t struct_size;        /* sizeof(sy_profile_import_options) */
    const sy_public_key *keys; /* one of them must have signed the text; NULL = nothing is verified */
    size_t key_count;
    bool overrides; /* these too: they will win over what is measured here */
} sy_profile_import_options;

#define SY_PROFILE_IMPORT_OPTIONS_INIT                    \
    {                                                     \
        sizeof(sy_profile_import_options), NULL, 0, false \
    }

typedef struct sy_profile_import_result {
    sy_put_result put; /* stored: that were new or superseded what was there */
    size_t found;      /* profiles of the text */
    size_t overrides_left_out;
    bool verified;
    char key_id[SY_KEY_ID_SIZE]; /* of the signature, verified or not; "" = the text is not signed */
} sy_profile_import_result;

/* Verifies the text before anything of it is read, then stores its profiles as what they are. One that is there stays,
 * unless the new one supersedes it (sy_profile_supersedes). Each remembers the key that vouched for it (`signed_by`);
 * what the text itself says of that does not count. options may be NULL: nothing is verified. ret_result may be NULL.
 * Nothing is stored: as sy_signature_verify; SY_CORRUPT and SY_VERSION_UNSUPPORTED as sy_store_read_text; else as
 * sy_store_adopt. */
SY_API sy_status sy_store_import_text(sy_store *store, const char *text, size_t size,
                                      const sy_profile_import_options *options, sy_profile_import_result *ret_result,
                                      sy_error *err) SY_NODISCARD;

/* The same of a file; one of more than 256 MiB is refused. Also SY_NOT_FOUND, SY_IO. */
SY_API sy_status sy_store_import_file(sy_store *store, const char *path, const sy_profile_import_options *options,
                                      sy_profile_import_result *ret_result, sy_error *err) SY_NODISCARD;

#ifdef __cplusplus
}
#endif
#endif
