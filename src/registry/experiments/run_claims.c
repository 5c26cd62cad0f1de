/* SPDX-License-Identifier: Apache-2.0 */
/* What manifests claim of things beyond themselves, as far as it can be looked up here: digests of datasets that
 * several of them name, digests of files that are there. No more than notes: a dataset may be digested in several ways,
 * and a file may have been written anew on purpose. */
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "registry/experiments/experiments.h"
#include "registry/files/look.h"
#include "registry/registry.h"

/* A member that is a text, else NULL; its findings are made elsewhere. */
static const char *text_of(const sy_json_value *object, const char *name)
{
    const sy_json_value *value = sy_json_member(object, name);
    return value != NULL && value->kind == SY_JSON_TEXT ? value->text : NULL;
}

/* The elements of a list of the manifest; NULL: it has none. */
static const sy_json_value *first_of(const sy_run_manifest *manifest, const char *name)
{
    const sy_json *json = manifest->document->json;
    const sy_json_value *list = json != NULL ? sy_json_member(sy_json_root(json), name) : NULL;
    return list != NULL && list->kind == SY_JSON_ARRAY ? list->first : NULL;
}

/* ---- datasets ---- */

typedef struct dataset {
    const char *id;
    const char *digest;
    size_t order; /* of manifests and their inputs */
    const sy_document *document;
    const sy_json_value *digest_at;
} dataset;

static int by_id_and_digest(const void *a, const void *b)
{
    const dataset *left = a, *right = b;
    int order = strcmp(left->id, right->id);
    order = order != 0 ? order : strcmp(left->digest, right->digest);
    return order != 0 ? order : left->order < right->order ? -1 : left->order > right->order;
}

/* Collects into to, which has room for each input; NULL: only counts them. */
static size_t collect(const struct sy_runs_part *part, dataset *to)
{
    size_t count = 0;
    for (size_t i = 0; i < part->manifest_count; i++) {
        const sy_document *document = part->manifests[i].document;
        for (const sy_json_value *input = first_of(&part->manifests[i], "inputs"); input != NULL; input = input->next) {
            const char *id = text_of(input, "dataset_id"), *digest = text_of(input, "sha256");
            if (id == NULL || !sy_is_hex(digest, 64)) {
                continue;
            }
            if (to != NULL) {
                to[count] = (dataset){id, digest, count, document, sy_json_member(input, "sha256")};
            }
            count++;
        }
    }
    return count;
}

/* One dataset, the first of these: each digest but the earliest is remarked where it stands first. Returns how often
 * the dataset is named. */
static size_t remark_dataset(const dataset *datasets, size_t count)
{
    const dataset *earliest = datasets;
    size_t size = 1;
    for (; size < count && strcmp(datasets[size].id, datasets->id) == 0; size++) {
        if (datasets[size].order < earliest->order) {
            earliest = &datasets[size];
        }
    }
    for (size_t i = 0; i < size; i++) {
        const dataset *each = &datasets[i];
        bool is_first = i == 0 || strcmp(each->digest, datasets[i - 1].digest) != 0;
        if (is_first && strcmp(each->digest, earliest->digest) != 0) {
            sy_remark(each->document, each->digest_at, SY_RULE_RUN_DATASET,
                      "the dataset '%s' has another digest in %s: is it the same data?", each->id,
                      earliest->document->path);
        }
    }
    return size;
}

static bool check_datasets(sy_registry *registry, const struct sy_runs_part *part)
{
    size_t count = collect(part, NULL);
    if (count < 2) {
        return true;
    }
    dataset *datasets = sy_arena_allocate(registry->arena, count, sizeof *datasets);
    if (datasets == NULL) {
        return false;
    }
    (void)collect(part, datasets);
    qsort(datasets, count, sizeof *datasets, by_id_and_digest);
    for (size_t at = 0, size; at < count; at += size) {
        size = remark_dataset(datasets + at, count - at);
    }
    return true;
}

/* ---- artifacts ---- */

/* The file of an output as a path from the root: its path, else its artifact beside the manifest. NULL: it has none
 * that could lie here, or no memory. */
static const char *artifact_path(sy_registry *registry, const sy_document *manifest, const sy_json_value *output)
{
    const char *path = text_of(output, "path"), *artifact = text_of(output, "artifact");
    if (path != NULL) {
        return strstr(path, "://") == NULL ? path : NULL;
    }
    const char *slash = strrchr(manifest->path, '/');
    if (artifact == NULL || strstr(artifact, "://") != NULL || slash == NULL) {
        return NULL;
    }
    return sy_arena_format(registry->arena, "%.*s/%s", (int)(slash - manifest->path), manifest->path, artifact);
}

static void check_artifact(sy_registry *registry, const sy_document *manifest, const sy_json_value *output)
{
    const char *claimed = text_of(output, "sha256");
    const char *path = sy_is_hex(claimed, 64) ? artifact_path(registry, manifest, output) : NULL;
    if (path == NULL || !sy_document_exists(registry->set, path)) {
        return;
    }
    const sy_document *file = sy_document_text(registry->set, path, NULL, NULL);
    sy_digest digest;
    char text[SY_DIGEST_TEXT];
    if (file == NULL || file->bytes == NULL) {
        return;
    }
    sy_digest_of(file->bytes, file->size, &digest);
    sy_digest_format(&digest, text);
    if (strcmp(text, claimed) != 0) {
        sy_remark(manifest, sy_json_member(output, "sha256"), SY_RULE_RUN_ARTIFACT,
                  "the file '%s' that is here has the digest %s", path, text);
    }
}

bool sy_run_claims_check(sy_registry *registry, const struct sy_runs_part *part)
{
    for (size_t i = 0; i < part->manifest_count; i++) {
        const sy_json_value *output = first_of(&part->manifests[i], "outputs");
        for (; output != NULL; output = output->next) {
            check_artifact(registry, part->manifests[i].document, output);
        }
    }
    return check_datasets(registry, part);
}
