/* SPDX-License-Identifier: Apache-2.0 */
/* One edit of a file's bytes, as a person would make it: at a JSON pointer or at a piece of text. */
#ifndef STEELYARD_TESTS_REGISTRY_EDIT_H
#define STEELYARD_TESTS_REGISTRY_EDIT_H

#include <stdbool.h>
#include <stddef.h>

/* operation, with where and to:
 * set POINTER JSON         the value becomes what is written
 * remove POINTER           the member or element goes, with its comma
 * rename POINTER JSON      the member's name becomes what is written, quotes included
 * add POINTER TEXT         put first into the object or array
 * double POINTER           the member or element stands twice
 * text FROM TO             the first FROM becomes TO; \n \r \t \\ \xNN are read in both
 * cut FROM                 the file ends before the first FROM
 * whole - TEXT             the file is TEXT
 * crlf, cr, mark, utf16    other line ends, a UTF-8 mark, UTF-16LE with a mark
 * False: there is no such place. *ret_bytes is malloc's. */
bool registry_edit(const char *bytes, size_t size, const char *operation, const char *where, const char *to,
                   char **ret_bytes, size_t *ret_size);

#endif
