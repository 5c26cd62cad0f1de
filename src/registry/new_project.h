/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a new project, which the library carries; made from data/new_project when CMake runs. */
#ifndef STEELYARD_REGISTRY_NEW_PROJECT_H
#define STEELYARD_REGISTRY_NEW_PROJECT_H

#include <stddef.h>

typedef struct sy_new_file {
    const char *path; /* from the root */
    const unsigned char *bytes;
    size_t size;
} sy_new_file;

/* In the order in which they are written. In texts "@PROJECT@", quotes included, stands for the project's name as JSON.
 */
extern const sy_new_file sy_new_files[];
extern const size_t sy_new_file_count;

#endif
