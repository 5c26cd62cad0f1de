/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of small files below the system's folder for temporary ones: recorded /proc and /sys trees for tests. */
#ifndef STEELYARD_TESTS_FAKE_TREE_H
#define STEELYARD_TESTS_FAKE_TREE_H

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmocka_headers.h"

typedef struct fake_tree {
    char root[128];
} fake_tree;

static inline void fake_tree_start(fake_tree *tree)
{
    const char *folder = getenv("TMPDIR");
    snprintf(tree->root, sizeof tree->root, "%.90s/steelyard-tree-XXXXXX", folder != NULL ? folder : "/tmp");
    assert_non_null(mkdtemp(tree->root));
}

static inline int fake_tree_remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status;
    (void)type;
    (void)place;
    return remove(path);
}

static inline void fake_tree_finish(fake_tree *tree)
{
    assert_int_equal(nftw(tree->root, fake_tree_remove_entry, 16, FTW_DEPTH | FTW_PHYS), 0);
}

/* Makes the folders that lead to path ("/sys/fs/cgroup/a/"); what stands behind the last slash is not made. */
static inline void fake_tree_make_folders(const fake_tree *tree, const char *path)
{
    char whole[512];
    int length = snprintf(whole, sizeof whole, "%s%s", tree->root, path);
    assert_in_range(length, 1, sizeof whole - 1);
    for (char *at = whole + strlen(tree->root) + 1; (at = strchr(at, '/')) != NULL; at++) {
        *at = '\0';
        if (mkdir(whole, 0700) != 0)
            assert_int_equal(errno, EEXIST);
        *at = '/';
    }
}

/* Writes text and a newline into the file at path, which begins with a slash. */
static inline void fake_tree_write(const fake_tree *tree, const char *path, const char *text)
{
    char whole[512];
    fake_tree_make_folders(tree, path);
    snprintf(whole, sizeof whole, "%s%s", tree->root, path);
    FILE *file = fopen(whole, "w");
    assert_non_null(file);
    assert_true(fprintf(file, "%s\n", text) >= 0);
    assert_int_equal(fclose(file), 0);
}

static inline void fake_tree_remove(const fake_tree *tree, const char *path)
{
    char whole[512];
    snprintf(whole, sizeof whole, "%s%s", tree->root, path);
    assert_int_equal(nftw(whole, fake_tree_remove_entry, 16, FTW_DEPTH | FTW_PHYS), 0);
}

#endif
