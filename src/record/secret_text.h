/* SPDX-License-Identifier: Apache-2.0 */
/* Secrets in running text, known by their shape or by the name that stands before them. */
#ifndef STEELYARD_RECORD_SECRET_TEXT_H
#define STEELYARD_RECORD_SECRET_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#define SY_SECRET_SHOWN "[secret]" /* what stands for one that was taken out */

/* The first secret at or behind `from`: text[*ret_begin] to text[*ret_end - 1]. What was taken out is none. */
bool sy_secret_find(const char *text, size_t length, size_t from, size_t *ret_begin, size_t *ret_end);
/* Whether a name (length bytes) says that its value is a secret: HF_TOKEN, apiKey, --db-password; not n_tokens. */
bool sy_secret_name(const char *name, size_t length);
/* Whether value is kept from people when its name is one of those: not "", not what was taken out, no count of
 * tokens. */
bool sy_secret_value(const char *name, size_t name_length, const char *value, size_t value_length);
/* Whether a program's argument is an option that says that the next argument is a secret: "--token". */
bool sy_secret_option(const char *argument, size_t length);

#endif
