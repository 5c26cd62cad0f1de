/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes as text: base64 with its padding (RFC 4648, section 4). */
#ifndef STEELYARD_BASE_BASE64_H
#define STEELYARD_BASE_BASE64_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

void sy_base64_write(const void *bytes, size_t size, sy_text *to);
/* Appends the bytes. false: it is not what sy_base64_write writes, or memory is short (to->failed). */
bool sy_base64_read(const char *text, size_t length, sy_text *to);

#endif
