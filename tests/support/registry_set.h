/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of registry files for tests: where the published one is, copies of a set, edits of a file, what is then found.
 */
#ifndef STEELYARD_TESTS_REGISTRY_SET_H
#define STEELYARD_TESTS_REGISTRY_SET_H

#include "cmocka_headers.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <steelyard/registry.h>

/* The published set: $STEELYARD_PUBLISHED, else beside the sources (STEELYARD_SOURCE_DIR). NULL: it is not here, and a
 * line says so. */
static inline const char *published_set(const char *sources)
{
    static char path[1024];
    struct stat kind;
    const char *given = getenv("STEELYARD_PUBLISHED");
    snprintf(path, sizeof path, "%s%s", given != NULL ? given : sources,
             given != NULL ? "" : "/../shared/data/quantem");
    if (stat(path, &kind) != 0) {
        printf("skipped: no published set of registry files in %s\n", path);
        return NULL;
    }
    return path;
}

/* folder/name; "" is no folder. */
static inline void set_path(char *to, size_t size, const char *folder, const char *name)
{
    int length = snprintf(to, size, "%s%s%s", folder, folder[0] != '\0' ? "/" : "", name);
    assert_true(length > 0 && (size_t)length < size);
}

/* Bytes of a file below root, terminated; freed by the caller. */
static inline char *set_read(const char *root, const char *name, size_t *ret_size)
{
    char path[4096];
    set_path(path, sizeof path, root, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fail_msg("cannot read %s", path);
    }
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    rewind(file);
    char *bytes = malloc((size_t)size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, (size_t)size, file), size);
    bytes[size] = '\0';
    fclose(file);
    if (ret_size != NULL) {
        *ret_size = (size_t)size;
    }
    return bytes;
}

/* Writes a file below root; folders above it are made. */
static inline void set_write(const char *root, const char *name, const void *bytes, size_t size)
{
    char path[4096];
    set_path(path, sizeof path, root, name);
    for (char *slash = strchr(path + strlen(root) + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        fail_msg("cannot write %s", path);
    }
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static inline void set_copy(const char *from, const char *to, const char *name)
{
    size_t size = 0;
    char *bytes = set_read(from, name, &size);
    set_write(to, name, bytes, size);
    free(bytes);
}

/* Copies all that lies below from/folder ("" = all) to the same place below to. */
static inline void set_copy_all(const char *from, const char *to, const char *folder)
{
    char path[4096];
    set_path(path, sizeof path, from, folder);
    DIR *entries = opendir(path);
    assert_non_null(entries);
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        char name[2048], whole[2048];
        struct stat kind;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
            continue;
        }
        set_path(name, sizeof name, folder, entry->d_name);
        set_path(whole, sizeof whole, from, name);
        assert_int_equal(stat(whole, &kind), 0);
        if (S_ISDIR(kind.st_mode)) {
            set_copy_all(from, to, name);
        } else {
            set_copy(from, to, name);
        }
    }
    closedir(entries);
}

/* text with the only occurrence of `from` replaced; freed by the caller. */
static inline char *text_with(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    if (at == NULL || strstr(at + 1, from) != NULL) {
        fail_msg("'%s' stands %s", from, at == NULL ? "nowhere" : "more than once");
    }
    size_t before = (size_t)(at - text), size = strlen(text) - strlen(from) + strlen(to) + 1;
    char *edited = malloc(size);
    assert_non_null(edited);
    snprintf(edited, size, "%.*s%s%s", (int)before, text, to, at + strlen(from));
    return edited;
}

/* Replaces the only occurrence of `from` in a file below root. */
static inline void set_edit(const char *root, const char *name, const char *from, const char *to)
{
    char *bytes = set_read(root, name, NULL);
    char *edited = text_with(bytes, from, to);
    set_write(root, name, edited, strlen(edited));
    free(edited);
    free(bytes);
}

/* Opens the parts and hands out what was found; the caller closes. */
static inline sy_registry *set_open(const char *root, unsigned parts, sy_finding_list *ret_list)
{
    sy_registry *registry = NULL;
    sy_error error = SY_ERROR_INIT;
    if (sy_registry_open(root, parts, &registry, &error) != SY_OK) {
        fail_msg("%s", error.what);
    }
    assert_int_equal(sy_registry_findings(registry, ret_list, &error), SY_OK);
    return registry;
}

static inline void print_findings(const char *label, const sy_finding_list *list)
{
    for (size_t i = 0; i < list->finding_count; i++) {
        const sy_finding *finding = &list->findings[i];
        printf("%s: %s:%u:%u: %s [%s]: %s (found '%s')\n", label, finding->file, finding->position.line,
               finding->position.column, finding->pointer, finding->rule, finding->message, finding->found);
    }
}

/* One edit of a set that is valid without it, and the only finding that may come of it. */
typedef struct single_fault {
    const char *file;
    const char *from; /* stands once in the file */
    const char *to;
    const char *rule;       /* NULL: a legal change, nothing is found */
    const char *pointer;    /* of the finding */
    const char *found_file; /* where it is found; NULL: in the file that was edited */
} single_fault;

/* Tries one after the other on the set in root, which is as it was afterwards. */
static inline void try_single_faults(const char *root, unsigned parts, const single_fault *faults, size_t count)
{
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        const single_fault *fault = &faults[i];
        sy_finding_list list;
        size_t size = 0;
        char *before = set_read(root, fault->file, &size);
        set_edit(root, fault->file, fault->from, fault->to);
        sy_registry *registry = set_open(root, parts, &list);
        const char *file = fault->found_file != NULL ? fault->found_file : fault->file;
        bool right = fault->rule == NULL ? list.finding_count == 0
                                         : list.finding_count == 1 && strcmp(list.findings[0].rule, fault->rule) == 0 &&
                                               strcmp(list.findings[0].pointer, fault->pointer) == 0 &&
                                               strcmp(list.findings[0].file, file) == 0;
        if (!right) {
            printf("'%s' -> '%s' in %s: %zu findings, expected %s at %s\n", fault->from, fault->to, fault->file,
                   list.finding_count, fault->rule != NULL ? fault->rule : "none",
                   fault->rule != NULL ? fault->pointer : "-");
            print_findings("  found", &list);
            wrong++;
        }
        sy_registry_close(registry);
        set_write(root, fault->file, before, size);
        free(before);
    }
    if (wrong > 0) {
        fail_msg("%zu of %zu edits were not judged as they must be", wrong, count);
    }
}

#endif
