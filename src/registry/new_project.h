/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a new project, which the library carries; made from data/new_project and data/toy_project when
 * CMake runs. */
#ifndef STEELYARD_REGISTRY_NEW_PROJECT_H
#define STEELYARD_REGISTRY_NEW_PROJECT_H

#include <stddef.h>

typedef struct sy_new_file {
    const char *path; /* from the root */
    const unsigned char *bytes;
    size_t size;
} sy_new_file;

/* Files in the order in which they are written. In texts "@PROJECT@", quotes included, stands for the project's name as
 * JSON. */
typedef struct sy_new_project {
    const char *backend; /* whose gates it has: of this computer, or of times that are made up */
    const sy_new_file *files;
    size_t file_count;
} sy_new_project;

enum { SY_NEW_PROJECT_COUNT = 2 };

extern const sy_new_project sy_new_projects[SY_NEW_PROJECT_COUNT]; /* the usual one first */

#endif
