/* SPDX-License-Identifier: Apache-2.0 */
/* Paths into somebody's home in running text. Whether one may stand there is the caller's business. */
#ifndef STEELYARD_RECORD_HOME_PATH_H
#define STEELYARD_RECORD_HOME_PATH_H

#include <stdbool.h>
#include <stddef.h>

/* How a text is read, from its beginning on: started as {text, length}. */
typedef struct sy_home_scan {
    const char *text;
    size_t length;
    bool tilde_too; /* ~/x is one as well; else it names nobody, and what stands behind it neither */
    size_t at;      /* private, as all below */
    size_t word;
    size_t segment;
    bool has_colon;
} sy_home_scan;

typedef struct sy_home_path {
    size_t word;  /* where the word begins that holds it */
    size_t begin; /* of what ~ may stand for: the path up to its owner's name, without a scheme or a machine */
    size_t end;
} sy_home_path;

/* The next absolute path with a folder Users or home, letters of either case and slashes of either kind. Relative paths
 * and http addresses with such a folder are none. One pass through the text in all. */
bool sy_home_scan_next(sy_home_scan *scan, sy_home_path *ret_path);

#endif
