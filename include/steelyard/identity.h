/* SPDX-License-Identifier: Apache-2.0 */
/* Who measured: host, device and software as named facts, the text that keys stored decisions, its digest, and the
 * difference of two. Nothing here measures. */
#ifndef STEELYARD_IDENTITY_H
#define STEELYARD_IDENTITY_H

#include <steelyard/record.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A library that takes part in what is measured. */
typedef struct sy_software {
    const char *name;    /* "openblas" */
    const char *version; /* "OpenBLAS 0.3.21 SkylakeX"; "" or NULL = unknown */
} sy_software;

typedef struct sy_identity_options {
    size_t struct_size;
    /* "" or NULL: the machine that this process runs on. Else a folder that holds recorded `proc` and `sys` trees of a
     * machine; facts that only a running system can tell are then unknown. */
    const char *root;
    const sy_device_info *device; /* NULL = none */
    const sy_software *software;
    size_t software_count;
    /* More facts, of a device for instance: {"device.uuid", "GPU-...", true}, {"device.driver", "550.54", true}. */
    const sy_identity_field *fields;
    size_t field_count;
    /* NULL-terminated NAME=VALUE list that the kernel-choosing variables are taken from; NULL = this process's. */
    const char *const *environment;
} sy_identity_options;

#define SY_IDENTITY_OPTIONS_INIT                   \
    {                                              \
        .struct_size = sizeof(sy_identity_options) \
    }

/* Finds out who would measure: docs/formats.md lists the fields. options may be NULL. A fact that cannot be found out
 * is the value "unknown", never an error. The caller frees *ret_identity with sy_identity_destroy. SY_INVALID_ARGUMENT:
 * a name in software or fields that cannot name a field, struct_size. SY_NO_MEMORY. Reads the process's environment: no
 * other thread may change it meanwhile. */
SY_API sy_status sy_identity_describe(const sy_identity_options *options, sy_identity **ret_identity,
                                      sy_error *err) SY_NODISCARD;
/* Frees what sy_identity_describe made; NULL is allowed. */
SY_API void sy_identity_destroy(sy_identity *identity);

/* The `processor` string of an exact key: the key fields as name=value, sorted, parted by ';', printable ASCII only.
 * The caller frees *ret_text with sy_text_free. SY_NO_MEMORY. */
SY_API sy_status sy_identity_processor(const sy_identity *identity, char **ret_text, sy_error *err) SY_NODISCARD;

/* SHA-256 of the `processor` string, as 64 lower-case hexadecimal digits and a terminator. SY_NO_MEMORY. */
SY_API sy_status sy_identity_digest_text(const sy_identity *identity, char ret_digest[65], sy_error *err) SY_NODISCARD;

/* How `here` differs from `there`, one line a field, sorted by name: "cpu.quota: 4 here, none there". "" when nothing
 * does. An unknown value differs from everything, itself included. recorded_too: also fields that are no key. The
 * caller frees *ret_text with sy_text_free. SY_NO_MEMORY. */
SY_API sy_status sy_identity_diff(const sy_identity *here, const sy_identity *there, bool recorded_too, char **ret_text,
                                  sy_error *err) SY_NODISCARD;

#ifdef __cplusplus
}
#endif
#endif
