/* SPDX-License-Identifier: Apache-2.0 */
/* Paths into somebody's home, which no published file should carry: they name a person and lead nowhere else. */
#ifndef STEELYARD_REGISTRY_PRIVATE_PATH_H
#define STEELYARD_REGISTRY_PRIVATE_PATH_H

#include "registry/files/document.h"

/* Whether text (length bytes) holds an absolute path with a folder Users or home, letters of either case and slashes of
 * either kind, or one that begins with ~/. Relative paths and http addresses with such a folder are none. */
bool sy_find_private_path(const char *text, size_t length, size_t *ret_at);

/* A finding for each text and each name below value (itself included) that holds one. */
void sy_complain_private_paths(const sy_document *document, const sy_json_value *value);

#endif
