/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of experiments: finds the manifests, reads the index, and holds one against the other. */
#include "registry/experiments/experiments.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "registry/files/look.h"
#include "registry/matrix/settings.h"
#include "registry/registry.h"

typedef struct walk {
    sy_registry *registry;
    struct sy_runs_part *part;
    const char *folder;         /* of experiments */
    sy_run_manifest *manifests; /* room for each entry of it */
    const char **bare;          /* names of folders without a manifest, sorted; the same */
    size_t bare_count;
} walk;

/* ---- manifests ---- */

/* Whether the folder has an entry manifest.json, of whatever kind; also where it cannot be listed: who reads it then
 * tells why. */
static bool has_manifest(sy_document_set *set, const char *folder)
{
    const sy_document_entry *entries = NULL;
    size_t count = 0;
    if (!sy_document_list(set, folder, &entries, &count)) {
        return true;
    }
    for (size_t i = 0; i < count; i++) {
        if (strcmp(entries[i].name, "manifest.json") == 0) {
            return true;
        }
    }
    return false;
}

/* One entry. What is neither a folder nor a file is a link that leads nowhere or outside; asking for it tells which. */
static bool read_entry(walk *w, const sy_document_entry *entry)
{
    sy_document_set *set = w->registry->set;
    const char *path = sy_arena_format(w->registry->arena, "%s/%s", w->folder, entry->name);
    if (path == NULL) {
        return false;
    }
    if (!entry->is_folder) {
        return sy_document_exists(set, path) || sy_document_text(set, path, NULL, NULL) != NULL;
    }
    if (!has_manifest(set, path)) {
        w->bare[w->bare_count++] = entry->name;
        return true;
    }
    const char *manifest = sy_arena_format(w->registry->arena, "%s/manifest.json", path);
    sy_document *document = manifest != NULL ? sy_document_json(set, manifest, NULL, NULL) : NULL;
    if (document == NULL) {
        return false;
    }
    sy_experiment_status status = sy_manifest_check(document, entry->name);
    w->manifests[w->part->manifest_count++] = (sy_run_manifest){entry->name, document, status};
    return true;
}

/* Names that begin with a dot are the file system's and other tools'. */
static bool read_folder(walk *w)
{
    const sy_document_entry *entries = NULL;
    size_t count = 0;
    if (!sy_document_list(w->registry->set, w->folder, &entries, &count)) {
        const sy_settings *settings = w->registry->settings;
        if (settings->experiments_at != NULL && !sy_document_set_failed(w->registry->set)) {
            sy_complain(settings->document, settings->experiments_at, SY_RULE_FILE_MISSING,
                        "there is no folder '%s' that can be read", w->folder);
        }
        return !sy_document_set_failed(w->registry->set);
    }
    w->manifests = sy_arena_allocate(w->registry->arena, count, sizeof *w->manifests);
    w->bare = sy_arena_allocate(w->registry->arena, count, sizeof *w->bare);
    bool kept = w->manifests != NULL && w->bare != NULL;
    for (size_t i = 0; kept && i < count; i++) {
        kept = entries[i].name[0] == '.' || read_entry(w, &entries[i]);
    }
    w->part->manifests = w->manifests;
    return kept;
}

/* ---- the index against them ---- */

static int by_id_and_line(const void *a, const void *b)
{
    const sy_run_index_row *left = *(const sy_run_index_row *const *)a, *right = *(const sy_run_index_row *const *)b;
    int order = strcmp(left->id, right->id);
    return order != 0 ? order : left->line < right->line ? -1 : left->line > right->line;
}

static bool is_bare(const walk *w, const char *name)
{
    for (size_t i = 0; i < w->bare_count; i++) {
        if (strcmp(w->bare[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static int compare_id(const void *id, const void *manifest)
{
    return strcmp(id, ((const sy_run_manifest *)manifest)->id);
}

/* The index of the manifest of that id; SIZE_MAX: none. */
static size_t find_manifest(const struct sy_runs_part *part, const char *id)
{
    const sy_run_manifest *found = id != NULL && part->manifest_count > 0
                                       ? bsearch(id, part->manifests, part->manifest_count, sizeof *part->manifests,
                                                 compare_id)
                                       : NULL;
    return found != NULL ? (size_t)(found - part->manifests) : SIZE_MAX;
}

/* Whether the row is really that of another run, which has none and to whose manifest it links: only its id is wrong.
 * That run then has its row. */
static bool is_misnamed(const walk *w, const sy_run_index_row *row, bool *has_row)
{
    size_t linked = find_manifest(w->part, row->linked);
    if (linked == SIZE_MAX || has_row[linked]) {
        return false;
    }
    has_row[linked] = true;
    return true;
}

static void complain_no_manifest(const walk *w, const sy_run_index_row *row, bool *has_row)
{
    if (is_misnamed(w, row, has_row)) {
        sy_complain_line(w->part->index, row->line, row->id_column, row->id, SY_RULE_RUN_INDEX_NO_MANIFEST,
                         "there is no folder of that name in '%s'; by its link the row is that of '%s'", w->folder,
                         row->linked);
    } else {
        sy_complain_line(w->part->index, row->line, row->id_column, row->id, SY_RULE_RUN_INDEX_NO_MANIFEST,
                         is_bare(w, row->id) ? "the folder '%s/%s' has no manifest.json"
                                             : "there is no folder '%s/%s' with a manifest.json",
                         w->folder, row->id);
    }
}

/* Rows of one id; manifest is SIZE_MAX where there is none. The first that does not link to another run counts. */
static void match_rows(const walk *w, const sy_run_index_row *const *rows, size_t count, size_t manifest, bool *has_row)
{
    const sy_document *index = w->part->index;
    size_t own = 0;
    while (own < count && rows[own]->linked != NULL) {
        own++;
    }
    own = own < count ? own : 0;
    for (size_t i = 0; i < count; i++) {
        const sy_run_index_row *row = rows[i];
        if (i != own) {
            bool misnamed = is_misnamed(w, row, has_row);
            sy_complain_line(index, row->line, row->id_column, row->id, SY_RULE_RUN_INDEX_TWICE,
                             misnamed ? "this run has its row in line %u; by its link this one is that of '%s'"
                                      : "this run has its row in line %u",
                             (unsigned)rows[own]->line, row->linked);
            continue;
        }
        if (manifest == SIZE_MAX) {
            complain_no_manifest(w, row, has_row);
            continue;
        }
        if (row->linked != NULL) {
            sy_complain_line(index, row->line, row->link_column, row->link_text, SY_RULE_RUN_INDEX_LINK,
                             "the link must lead to the run's own manifest, %s/manifest.json", row->id);
        }
        sy_experiment_status status = w->part->manifests[manifest].status;
        if (row->status != SY_EXPERIMENT_NO_STATUS && status != SY_EXPERIMENT_NO_STATUS && row->status != status) {
            sy_complain_line(index, row->line, row->status_column, row->status_text, SY_RULE_RUN_INDEX_STATUS,
                             "the run's manifest says '%s'", sy_experiment_status_word(status));
        }
    }
}

/* Rows from `at` on that have one id. */
static size_t group_size(const sy_run_index_row *const *rows, size_t at, size_t count)
{
    size_t size = 1;
    while (at + size < count && strcmp(rows[at + size]->id, rows[at]->id) == 0) {
        size++;
    }
    return size;
}

static bool match(const walk *w)
{
    const struct sy_runs_part *part = w->part;
    const sy_run_index_row **rows = sy_arena_allocate(w->registry->arena, part->row_count, sizeof *rows);
    bool *has_row = sy_arena_allocate(w->registry->arena, part->manifest_count, sizeof *has_row);
    if (rows == NULL || has_row == NULL) {
        return false;
    }
    for (size_t i = 0; i < part->row_count; i++) {
        rows[i] = &part->rows[i];
        size_t manifest = find_manifest(part, rows[i]->id);
        if (manifest != SIZE_MAX) {
            has_row[manifest] = true;
        }
    }
    if (part->row_count > 1) {
        qsort(rows, part->row_count, sizeof *rows, by_id_and_line);
    }
    for (size_t at = 0, size; at < part->row_count; at += size) {
        size = group_size(rows, at, part->row_count);
        match_rows(w, rows + at, size, find_manifest(part, rows[at]->id), has_row);
    }
    for (size_t i = 0; i < part->manifest_count; i++) {
        if (!has_row[i]) {
            sy_complain(part->manifests[i].document, NULL, SY_RULE_RUN_INDEX_NO_ROW,
                        "the index '%s' has no row for this run", part->index->path);
        }
    }
    return true;
}

/* Folders that nobody calls a run: perhaps one that was never recorded. */
static void tell_bare_folders(const walk *w)
{
    for (size_t i = 0; i < w->bare_count; i++) {
        const char *path = sy_arena_format(w->registry->arena, "%s/%s", w->folder, w->bare[i]);
        sy_findings_note(
            w->registry->findings,
            &(sy_finding){.rule = sy_rule_word(SY_RULE_RUN_MANIFEST_MISSING),
                          .file = path,
                          .message = "this folder has no manifest.json: if a run is meant, nobody sees it"});
    }
}

sy_status sy_registry_read_experiments(sy_registry *registry, sy_error *err)
{
    const sy_settings *settings = registry->settings;
    struct sy_runs_part *part = sy_arena_allocate(registry->arena, 1, sizeof *part);
    walk w = {.registry = registry, .part = part, .folder = settings->experiments};
    bool kept = part != NULL && read_folder(&w);
    if (kept) {
        part->index = sy_document_text(registry->set, settings->index_path, settings->document, settings->index_at);
        kept = part->index != NULL;
    }
    if (kept && sy_look_encoding(part->index)) {
        kept = sy_run_index_read(registry->set, part) && (!part->has_table || match(&w));
    }
    kept = kept && sy_run_claims_check(registry, part);
    if (!kept) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for the experiments");
    }
    tell_bare_folders(&w);
    registry->runs = part;
    return SY_OK;
}
