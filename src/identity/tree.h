/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the small files of /proc and /sys, of this machine or of a recorded tree that is given as root. A file that
 * is missing or may not be read is an answer ("not known"), never an error. */
#ifndef STEELYARD_IDENTITY_TREE_H
#define STEELYARD_IDENTITY_TREE_H

#include <hwloc/bitmap.h>
#include <stdint.h>
#include <steelyard/base.h>

/* The text of the file at root followed by the formatted path ("/proc/cpuinfo"), or NULL when there is none. root: ""
 * for this machine. The caller frees *ret_text with sy_free. SY_NO_MEMORY. */
sy_status sy_tree_read(const char *root, char **ret_text, sy_error *err, const char *format, ...)
    SY_PRINTF(4, 5) SY_NODISCARD;
/* The same without white space at either end, and NULL when nothing is left. */
sy_status sy_tree_read_line(const char *root, char **ret_text, sy_error *err, const char *format, ...)
    SY_PRINTF(4, 5) SY_NODISCARD;
/* A processor list ("0-3,8") of such a file is put into set; *ret_known false, and set as it was, when there is none or
 * it is malformed. SY_NO_MEMORY. */
sy_status sy_tree_read_cpus(const char *root, hwloc_bitmap_t set, bool *ret_known, sy_error *err, const char *format,
                            ...) SY_PRINTF(5, 6) SY_NODISCARD;
bool sy_tree_folder_exists(const char *root, const char *format, ...) SY_PRINTF(2, 3);

/* Reads "0-3,8" (blanks around it are allowed) into set, which was emptied before. False when it is malformed, names a
 * processor above 65535 or memory is short. */
bool sy_tree_parse_cpus(const char *text, hwloc_bitmap_t set);

/* The value behind `name` and a colon in text made of "name<blanks>: value" lines, searched from *at on; *at moves
 * behind the line. Returns its first byte and its length without blanks at the ends; NULL when there is no further one.
 */
const char *sy_tree_next_value(const char **at, const char *name, size_t *ret_length);

#endif
