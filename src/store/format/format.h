/* SPDX-License-Identifier: Apache-2.0 */
/* Profile files as text: format 1, which is exchanged with onnx-light byte for byte, and format 2, our own. Both are
 * specified in docs/formats.md. Reading collects every finding; it decides nothing about the store. */
#ifndef STEELYARD_STORE_FORMAT_H
#define STEELYARD_STORE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <steelyard/store.h>

#include "base/text.h"
#include "store/book.h"
#include "store/format/store_findings.h"

#define SY_FORMAT_INTERCHANGE 1
#define SY_FORMAT_OWN 2
#define SY_FORMAT_LATEST SY_FORMAT_OWN
#define SY_INTERCHANGE_WORD "onnx_light_calibration_profiles"
#define SY_OWN_WORD "steelyard_profiles"

typedef struct sy_format_source {
    char *bytes; /* size + 1 of them, all writable: texts are unescaped where they stand */
    size_t size;
    sy_vault *vault;       /* new entries are copied there */
    const sy_book *former; /* an entry of it that reads the same is used again; may be NULL */
} sy_format_source;

typedef struct sy_format_result {
    sy_book *book;    /* the whole profiles; the caller releases it */
    sy_status status; /* SY_OK, SY_CORRUPT with at least one finding, or SY_VERSION_UNSUPPORTED with one */
    uint32_t fresh;   /* entries that are not the former book's */
} sy_format_result;

/* Reads all of it. SY_NO_MEMORY; damage is told by the result and the findings (started zeroed; the caller's). */
sy_status sy_format_read(const sy_format_source *source, sy_store_findings *findings, sy_format_result *ret_result,
                         sy_error *err) SY_NODISCARD;

/* Appends the book as a file of that format. out->failed tells of short memory. */
void sy_format_write(const sy_book *book, uint32_t format, sy_text *out);

/* Why a file of that format cannot hold the profile: SY_REFUSED, else SY_OK. */
sy_status sy_format_check(const sy_profile *profile, uint32_t format, sy_error *err) SY_NODISCARD;

/* What format 1 drops of a profile that it can hold: bits of the list below. */
#define SY_LOSS_DECISION 1u
#define SY_LOSS_PARITY 2u
#define SY_LOSS_GAIN 4u
#define SY_LOSS_ALTERNATIVES 8u
#define SY_LOSS_EVIDENCE 16u
#define SY_LOSS_REASON 32u
#define SY_LOSS_CREATED 64u
#define SY_LOSS_TOOL 128u
#define SY_LOSS_SIGNED_BY 256u
#define SY_LOSS_COST 512u
#define SY_LOSS_USE 1024u
#define SY_LOSS_HISTORY 2048u
unsigned sy_format_losses(const sy_profile *profile, uint32_t format);
/* "evidence, reason"; to has at least 128 bytes. */
void sy_format_describe_losses(unsigned losses, char to[128]);
/* The profile without what the format drops. */
sy_profile sy_format_reduce(const sy_profile *profile, uint32_t format);

#endif
