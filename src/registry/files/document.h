/* SPDX-License-Identifier: Apache-2.0 */
/* Files below a root: each read once, nothing outside of it, whatever is wrong with them a finding. */
#ifndef STEELYARD_REGISTRY_DOCUMENT_H
#define STEELYARD_REGISTRY_DOCUMENT_H

#include "base/arena.h"
#include "base/json.h"
#include "record/findings.h"
#include "registry/rules.h"

/* One file. It lives as long as its set. */
typedef struct sy_document {
    const char *path;  /* from the root */
    const char *bytes; /* NULL: it could not be read; else terminated */
    size_t size;
    sy_json *json; /* of JSON files; NULL: nothing of it could be read. Damaged: what stands before the damage */
    sy_findings *findings; /* of the set: where whoever reads it complains */
} sy_document;

typedef struct sy_document_set sy_document_set;

/* A file that is taken from memory: as if it stood, or with bytes NULL did not stand, at its path below the root. */
typedef struct sy_document_bytes {
    const char *path;
    const char *bytes;
    size_t size;
} sy_document_bytes;

/* root: a folder; links on the way to it are followed once. findings is borrowed. SY_NOT_FOUND, SY_IO, SY_NO_MEMORY. */
sy_status sy_document_set_create(const char *root, sy_findings *findings, sy_document_set **ret_set,
                                 sy_error *err) SY_NODISCARD;
/* Files that stand before those of the folder; borrowed as long as the set lives. Called before anything is read. */
void sy_document_set_put(sy_document_set *set, const sy_document_bytes *files, size_t count);
void sy_document_set_destroy(sy_document_set *set);           /* NULL is allowed */
const char *sy_document_set_root(const sy_document_set *set); /* absolute */

/* Reads a JSON file. The first time its findings are added: syntax, duplicate keys, numbers that are not finite, bytes
 * that are no UTF-8. named_by/named_at: the document and value that name it, where a missing one is told; NULL: it is
 * told of the file itself. Never NULL but for a lack of memory, which the set remembers. */
sy_document *sy_document_json(sy_document_set *set, const char *path, sy_document *named_by,
                              const sy_json_value *named_at);
/* Reads a text file; else the same. */
sy_document *sy_document_text(sy_document_set *set, const char *path, sy_document *named_by,
                              const sy_json_value *named_at);
/* The same of one that a command makes; mend ends the message of a missing one: "; such a command writes it". */
sy_document *sy_document_generated(sy_document_set *set, const char *path, sy_document *named_by,
                                   const sy_json_value *named_at, const char *mend);
/* A JSON file that the program carries: bytes, with a 0 behind the size-th, must outlive the set. path is what findings
 * would call it and must not be one of the project's. NULL: no memory. */
sy_document *sy_document_carried(sy_document_set *set, const char *path, const void *bytes, size_t size);
/* The documents that were asked for, the latest first; NULL begins, and NULL is behind the last. */
const sy_document *sy_document_next(const sy_document_set *set, const sy_document *last);
/* Whether a path, by its words alone, is relative and never climbs above where it begins. */
bool sy_document_stays_below(const char *path);
/* Whether a file is there below the root; no finding. */
bool sy_document_exists(sy_document_set *set, const char *path);
/* Names in a folder below the root, sorted by bytes, without "." and ".."; in the set's arena. is_folder: of each.
 * False: no such folder (no finding), or no memory. */
typedef struct sy_document_entry {
    const char *name;
    bool is_folder; /* links are followed as long as they stay below the root */
} sy_document_entry;
bool sy_document_list(sy_document_set *set, const char *folder, const sy_document_entry **ret_entries,
                      size_t *ret_count);
/* Whether memory was short anywhere in the set. */
bool sy_document_set_failed(const sy_document_set *set);
sy_arena *sy_document_set_arena(sy_document_set *set);

#endif
