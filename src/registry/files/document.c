/* SPDX-License-Identifier: Apache-2.0 */
/* Files below a root. A path is resolved with all its links before it is opened, so that none leads outside; whoever
 * changes links in that very moment can change the files as well. */
#include "registry/files/document.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "registry/files/id_table.h"
#include "registry/files/look.h"

#define FILE_BYTES_MAX ((uint64_t)256 << 20)

typedef struct document_link document_link;
struct document_link {
    sy_document document;
    char *owned; /* its bytes */
    bool json_was_read;
    document_link *next;
};

struct sy_document_set {
    char root[PATH_MAX]; /* resolved, without '/' at its end; "" = the file system's root */
    sy_arena *arena;
    sy_findings *findings;
    document_link *first;
    sy_id_table *by_path; /* the same */
    const sy_document_bytes *put;
    size_t put_count;
    bool failed;
};

sy_status sy_document_set_create(const char *root, sy_findings *findings, sy_document_set **ret_set, sy_error *err)
{
    sy_document_set *set = sy_allocate(1, sizeof *set);
    sy_arena *arena = sy_arena_create(0);
    sy_id_table *by_path = arena != NULL ? sy_id_table_create(arena, 0) : NULL;
    sy_status status = SY_OK;
    struct stat kind;
    if (set == NULL || by_path == NULL) {
        status = sy_fail(err, SY_NO_MEMORY, "no memory for the files below '%s'", root);
    } else if (realpath(root, set->root) == NULL || stat(set->root, &kind) != 0) {
        status = sy_fail_errno(err, errno == ENOENT ? SY_NOT_FOUND : SY_IO, errno, "cannot read the folder '%s'", root);
    } else if (!S_ISDIR(kind.st_mode)) {
        status = sy_fail(err, SY_NOT_FOUND, "'%s' is no folder", root);
    }
    if (status != SY_OK) {
        sy_arena_destroy(arena);
        sy_free(set);
        return status;
    }
    if (strcmp(set->root, "/") == 0) {
        set->root[0] = '\0';
    }
    set->arena = arena;
    set->by_path = by_path;
    set->findings = findings;
    *ret_set = set;
    return SY_OK;
}

void sy_document_set_destroy(sy_document_set *set)
{
    if (set == NULL) {
        return;
    }
    for (document_link *link = set->first; link != NULL; link = link->next) {
        sy_json_destroy(link->document.json);
        sy_free(link->owned);
    }
    sy_arena_destroy(set->arena);
    sy_free(set);
}

void sy_document_set_put(sy_document_set *set, const sy_document_bytes *files, size_t count)
{
    set->put = files;
    set->put_count = count;
}

static const sy_document_bytes *find_put(const sy_document_set *set, const char *path)
{
    for (size_t i = 0; i < set->put_count; i++) {
        if (strcmp(set->put[i].path, path) == 0) {
            return &set->put[i];
        }
    }
    return NULL;
}

const char *sy_document_set_root(const sy_document_set *set)
{
    return set->root[0] != '\0' ? set->root : "/";
}

bool sy_document_set_failed(const sy_document_set *set)
{
    return set->failed;
}

sy_arena *sy_document_set_arena(sy_document_set *set)
{
    return set->arena;
}

/* ---- where a path leads ---- */

static bool is_below(const sy_document_set *set, const char *resolved)
{
    size_t length = strlen(set->root);
    return strncmp(resolved, set->root, length) == 0 && (resolved[length] == '/' || resolved[length] == '\0');
}

/* Whether the words of a path climb above where it begins. */
static bool climbs_out(const char *path)
{
    int depth = 0;
    for (const char *at = path; *at != '\0';) {
        size_t length = strcspn(at, "/");
        if (length == 2 && at[0] == '.' && at[1] == '.') {
            depth--;
        } else if (length > 0 && !(length == 1 && at[0] == '.')) {
            depth++;
        }
        if (depth < 0) {
            return true;
        }
        at += length;
        at += *at == '/';
    }
    return false;
}

bool sy_document_stays_below(const char *path)
{
    return path[0] != '/' && !climbs_out(path);
}

typedef struct trouble {
    sy_rule_id rule;
    char text[160]; /* "" = none */
} trouble;

static void set_trouble(trouble *to, sy_rule_id rule, const char *text)
{
    to->rule = rule;
    sy_text_copy(to->text, sizeof to->text, text);
}

/* Follows path to what it means below the root; false: *ret_trouble says why not. */
static bool resolve(const sy_document_set *set, const char *path, char to[PATH_MAX], trouble *ret_trouble)
{
    char joined[PATH_MAX];
    if (path[0] == '/') {
        set_trouble(ret_trouble, SY_RULE_FILE_OUTSIDE, "is an absolute path; name it from the root");
        return false;
    }
    if (climbs_out(path)) {
        set_trouble(ret_trouble, SY_RULE_FILE_OUTSIDE, "leaves the root");
        return false;
    }
    int length = snprintf(joined, sizeof joined, "%s/%s", set->root, path);
    if (length < 0 || (size_t)length >= sizeof joined) {
        set_trouble(ret_trouble, SY_RULE_FILE_UNREADABLE, "has too long a path");
        return false;
    }
    if (realpath(joined, to) == NULL) {
        bool missing = errno == ENOENT || errno == ENOTDIR;
        set_trouble(ret_trouble, missing ? SY_RULE_FILE_MISSING : SY_RULE_FILE_UNREADABLE,
                    missing           ? "is not there"
                    : errno == ELOOP  ? "is a link that leads back to itself"
                    : errno == EACCES ? "lies where reading is not permitted"
                                      : "cannot be reached");
        return false;
    }
    if (!is_below(set, to)) {
        set_trouble(ret_trouble, SY_RULE_FILE_OUTSIDE, "is a link that leaves the root");
        return false;
    }
    return true;
}

/* ---- reading ---- */

static bool copy_put(document_link *link, const sy_document_bytes *put, trouble *ret_trouble)
{
    if (put->bytes == NULL) {
        set_trouble(ret_trouble, SY_RULE_FILE_MISSING, "is not there");
        return false;
    }
    link->owned = sy_allocate(put->size + 1, 1);
    if (link->owned == NULL) {
        set_trouble(ret_trouble, SY_RULE_FILE_UNREADABLE, "does not fit into memory");
        return false;
    }
    memcpy(link->owned, put->bytes, put->size);
    link->document.bytes = link->owned;
    link->document.size = put->size;
    return true;
}

static bool read_bytes(const sy_document_set *set, document_link *link, trouble *ret_trouble)
{
    const sy_document_bytes *put = find_put(set, link->document.path);
    if (put != NULL) {
        return copy_put(link, put, ret_trouble);
    }
    char resolved[PATH_MAX];
    if (!resolve(set, link->document.path, resolved, ret_trouble)) {
        return false;
    }
    struct stat kind;
    if (stat(resolved, &kind) == 0 && !S_ISREG(kind.st_mode)) {
        set_trouble(ret_trouble, SY_RULE_FILE_UNREADABLE,
                    S_ISDIR(kind.st_mode) ? "is a folder, not a file" : "is no regular file");
        return false;
    }
    sy_error error = SY_ERROR_INIT;
    sy_status status = sy_file_read(resolved, FILE_BYTES_MAX, &link->owned, &link->document.size, &error);
    if (status == SY_LIMIT_EXCEEDED) {
        set_trouble(ret_trouble, SY_RULE_FILE_TOO_LARGE, "is larger than 256 MiB");
    } else if (status != SY_OK) {
        set_trouble(ret_trouble, SY_RULE_FILE_UNREADABLE,
                    status == SY_NO_MEMORY ? "does not fit into memory" : "cannot be read");
    }
    link->document.bytes = link->owned;
    return status == SY_OK;
}

/* An empty link for path, in front of the others; NULL: no memory. */
static document_link *add_link(sy_document_set *set, const char *path)
{
    document_link *link = sy_arena_allocate(set->arena, 1, sizeof *link);
    const char *kept = sy_arena_copy_text(set->arena, path);
    void *earlier = NULL;
    if (link == NULL || kept == NULL || !sy_id_table_put(set->by_path, kept, link, &earlier)) {
        set->failed = true;
        return NULL;
    }
    link->document.path = kept;
    link->document.findings = set->findings;
    link->next = set->first;
    set->first = link;
    return link;
}

/* What ends the message of a missing file; where nothing names it, it was looked for where it lies by default. */
static const char *to_do(const sy_json_value *named_at, const char *mend)
{
    return mend[0] == '\0' && (named_at == NULL || named_at->parent == NULL) ? "; 'files' may name another" : mend;
}

/* mend: what to do where it is missing, behind a semicolon; "" = nothing to say. */
static document_link *open_document(sy_document_set *set, const char *path, sy_document *named_by,
                                    const sy_json_value *named_at, const char *mend)
{
    document_link *link = sy_id_table_get(set->by_path, path);
    if (link != NULL) {
        return link;
    }
    link = add_link(set, path);
    if (link == NULL) {
        return NULL;
    }
    trouble why = {.text = ""};
    if (!read_bytes(set, link, &why)) {
        const char *rest = why.rule != SY_RULE_FILE_MISSING ? "" : named_by != NULL ? to_do(named_at, mend) : mend;
        if (named_by != NULL) {
            sy_complain(named_by, named_at, why.rule, "the file '%s' %s%s", path, why.text, rest);
        } else {
            sy_complain(&link->document, NULL, why.rule, "this file %s%s", why.text, rest);
        }
    }
    return link;
}

sy_document *sy_document_generated(sy_document_set *set, const char *path, sy_document *named_by,
                                   const sy_json_value *named_at, const char *mend)
{
    document_link *link = open_document(set, path, named_by, named_at, mend);
    return link != NULL ? &link->document : NULL;
}

sy_document *sy_document_text(sy_document_set *set, const char *path, sy_document *named_by,
                              const sy_json_value *named_at)
{
    return sy_document_generated(set, path, named_by, named_at, "");
}

static void tell_json_findings(const sy_document *document)
{
    size_t count = 0;
    const sy_json_finding *found = sy_json_findings(document->json, &count);
    for (size_t i = 0; i < count; i++) {
        const sy_json_value *value = found[i].value;
        if (found[i].kind == SY_JSON_DUPLICATE_KEY) {
            sy_complain_name(document, value, SY_RULE_JSON_DUPLICATE_KEY,
                             "'%s' stands twice in one object; which of the two holds is anybody's guess", value->name);
        } else if (found[i].kind == SY_JSON_NON_FINITE) {
            sy_complain(document, value, SY_RULE_JSON_NON_FINITE,
                        "a number that is not finite; JSON has no such number");
        } else {
            sy_complain(document, value, SY_RULE_JSON_UTF8, "bytes that are no UTF-8");
        }
    }
}

static void parse(sy_document_set *set, sy_document *document)
{
    sy_error error = SY_ERROR_INIT;
    sy_status status = sy_json_parse_prefix(document->bytes, document->size, NULL, &document->json, &error);
    if (status == SY_NO_MEMORY) {
        set->failed = true;
        return;
    }
    if (status != SY_OK) {
        sy_findings_add(set->findings, &(sy_finding){.rule = sy_rule_word(SY_RULE_JSON_SYNTAX),
                                                     .file = document->path,
                                                     .position = error.position,
                                                     .message = error.what});
    }
    if (document->json != NULL) {
        tell_json_findings(document);
    }
}

sy_document *sy_document_json(sy_document_set *set, const char *path, sy_document *named_by,
                              const sy_json_value *named_at)
{
    document_link *link = open_document(set, path, named_by, named_at, "");
    if (link == NULL || link->json_was_read || link->document.bytes == NULL) {
        return link != NULL ? &link->document : NULL;
    }
    link->json_was_read = true;
    parse(set, &link->document);
    return &link->document;
}

sy_document *sy_document_carried(sy_document_set *set, const char *path, const void *bytes, size_t size)
{
    document_link *link = add_link(set, path);
    if (link == NULL) {
        return NULL;
    }
    link->document.bytes = bytes;
    link->document.size = size;
    link->json_was_read = true;
    parse(set, &link->document);
    return &link->document;
}

bool sy_document_exists(sy_document_set *set, const char *path)
{
    char resolved[PATH_MAX];
    trouble why;
    struct stat kind;
    const sy_document_bytes *put = find_put(set, path);
    if (put != NULL) {
        return put->bytes != NULL;
    }
    return resolve(set, path, resolved, &why) && stat(resolved, &kind) == 0 && S_ISREG(kind.st_mode);
}

const sy_document *sy_document_next(const sy_document_set *set, const sy_document *last)
{
    /* A document is the first member of its link. */
    const document_link *next = last == NULL ? set->first : ((const document_link *)last)->next;
    return next != NULL ? &next->document : NULL;
}

/* ---- folders ---- */

typedef struct listing {
    sy_document_set *set;
    const char *folder;
    sy_document_entry *entries;
    size_t count;
    size_t capacity;
} listing;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const sy_document_entry *)a)->name, ((const sy_document_entry *)b)->name);
}

static bool is_folder(const sy_document_set *set, const char *folder, const char *name)
{
    char path[PATH_MAX], resolved[PATH_MAX];
    trouble why;
    struct stat kind;
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    return length > 0 && (size_t)length < sizeof path && resolve(set, path, resolved, &why) &&
           stat(resolved, &kind) == 0 && S_ISDIR(kind.st_mode);
}

/* One name; the list grows by doubling, in the arena: what is left behind is small. */
static bool add_entry(listing *to, const char *name, bool folder)
{
    sy_arena *arena = to->set->arena;
    if (to->count == to->capacity) {
        size_t larger = to->capacity == 0 ? 32 : to->capacity * 2;
        sy_document_entry *grown = sy_arena_allocate(arena, larger, sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        if (to->count > 0) {
            memcpy(grown, to->entries, to->count * sizeof *grown);
        }
        to->entries = grown;
        to->capacity = larger;
    }
    const char *kept = sy_arena_copy_text(arena, name);
    to->entries[to->count++] = (sy_document_entry){kept, folder};
    return kept != NULL;
}

static bool list_disk(listing *to, bool *ret_exists)
{
    char resolved[PATH_MAX];
    trouble why;
    DIR *open = resolve(to->set, to->folder, resolved, &why) ? opendir(resolved) : NULL;
    *ret_exists = open != NULL;
    if (open == NULL) {
        return true;
    }
    bool kept = true;
    for (struct dirent *entry; kept && (entry = readdir(open)) != NULL;) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            kept = add_entry(to, entry->d_name, is_folder(to->set, to->folder, entry->d_name));
        }
    }
    closedir(open);
    return kept;
}

/* What a file from memory adds to the folder or takes out of it. */
static bool list_put(listing *to, const sy_document_bytes *put, bool *exists)
{
    size_t length = strlen(to->folder);
    if (strncmp(put->path, to->folder, length) != 0 || put->path[length] != '/') {
        return true;
    }
    const char *name = put->path + length + 1;
    char first[NAME_MAX + 1];
    size_t name_length = strcspn(name, "/");
    if (name_length >= sizeof first) {
        return true;
    }
    memcpy(first, name, name_length);
    first[name_length] = '\0';
    bool folder = name[name_length] == '/';
    size_t at = 0;
    while (at < to->count && strcmp(to->entries[at].name, first) != 0) {
        at++;
    }
    if (put->bytes == NULL) {
        if (at < to->count && !folder) {
            to->entries[at] = to->entries[--to->count];
        }
        return true;
    }
    *exists = true;
    return at < to->count || add_entry(to, first, folder);
}

bool sy_document_list(sy_document_set *set, const char *folder, const sy_document_entry **ret_entries,
                      size_t *ret_count)
{
    listing list = {.set = set, .folder = folder};
    bool exists = false;
    bool kept = list_disk(&list, &exists);
    for (size_t i = 0; kept && i < set->put_count; i++) {
        kept = list_put(&list, &set->put[i], &exists);
    }
    if (!kept) {
        set->failed = true;
    }
    if (!kept || !exists) {
        return false;
    }
    if (list.count > 1) {
        qsort(list.entries, list.count, sizeof *list.entries, by_name);
    }
    *ret_entries = list.entries;
    *ret_count = list.count;
    return true;
}
