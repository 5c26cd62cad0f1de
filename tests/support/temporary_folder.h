/* SPDX-License-Identifier: Apache-2.0 */
/* A fresh folder for each test that writes files: cmocka's setup and teardown, *state is its path. */
#ifndef STEELYARD_TESTS_TEMPORARY_FOLDER_H
#define STEELYARD_TESTS_TEMPORARY_FOLDER_H

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static inline int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st;
    (void)kind;
    if (at->level > 0) {
        (void)remove(path); /* a mount point stays, and the rest goes all the same */
    }
    return 0;
}

/* Removes what is in the folder; the folder stays. */
static inline void empty_folder(const char *folder)
{
    nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static inline int make_temporary_folder(void **state)
{
    const char *parent = getenv("TMPDIR");
    char path[400];
    snprintf(path, sizeof path, "%s/steelyard-test-XXXXXX", parent == NULL || strlen(parent) > 300 ? "/tmp" : parent);
    if (mkdtemp(path) == NULL) {
        return -1;
    }
    *state = strdup(path);
    return *state == NULL ? -1 : 0;
}

static inline int remove_temporary_folder(void **state)
{
    empty_folder(*state);
    int removed = rmdir(*state);
    free(*state);
    return removed;
}

/* Entries of a folder without "." and "..". */
static inline int count_entries(const char *folder)
{
    int count = -2;
    DIR *entries = opendir(folder);
    if (entries == NULL) {
        return -1;
    }
    while (readdir(entries) != NULL) {
        count++;
    }
    closedir(entries);
    return count;
}

/* Temporary folders go to memory where the system has such a place: these tests synchronise thousands of times, and
 * ask which calls are made, not what a disk does with them. Before the first test. */
static inline void prefer_memory_folder(void)
{
    if (access("/dev/shm", W_OK | X_OK) == 0) {
        (void)setenv("TMPDIR", "/dev/shm", 0);
    }
}

#endif
