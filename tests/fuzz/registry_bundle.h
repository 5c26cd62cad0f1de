/* SPDX-License-Identifier: Apache-2.0 */
/* What the fuzz targets of registry files share: an input is one file or several, parted by lines of four percent
 * signs; they are read as a registry, everything is asked of it, and what must hold of findings is held. */
#ifndef STEELYARD_TESTS_FUZZ_REGISTRY_BUNDLE_H
#define STEELYARD_TESTS_FUZZ_REGISTRY_BUNDLE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "registry/registry.h"

#define BUNDLE_FILES_MAX 4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void need(bool right)
{
    if (!right) {
        abort();
    }
}

static char bundle_root[] = "/tmp/steelyard-fuzz-XXXXXX";

static inline void remove_bundle_root(void)
{
    (void)rmdir(bundle_root);
}

/* A folder with nothing in it, made at the first call. */
static inline const char *empty_root(void)
{
    static bool made;
    if (!made) {
        made = mkdtemp(bundle_root) != NULL && atexit(remove_bundle_root) == 0;
        need(made);
    }
    return bundle_root;
}

static inline bool is_rule(const char *word)
{
    const char *id = NULL, *summary = NULL;
    for (size_t i = 0; sy_registry_rule(i, &id, &summary); i++) {
        if (strcmp(id, word) == 0) {
            return true;
        }
    }
    return false;
}

/* A finding names a rule and a file, says something in one line of UTF-8, and stands somewhere. */
static inline void check_finding(const sy_finding *finding)
{
    need(is_rule(finding->rule) && finding->file[0] != '\0' && finding->message[0] != '\0');
    need((finding->position.line == 0) == (finding->position.column == 0));
    const char *const texts[] = {finding->message, finding->found, finding->pointer, finding->file};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        size_t left = strlen(texts[i]);
        for (const char *at = texts[i]; *at != '\0';) {
            size_t length = sy_text_character_length(at, left);
            need(length > 0 && (unsigned char)*at >= ' ');
            at += length;
            left -= length;
        }
    }
}

static inline void ask_gates(sy_registry *registry)
{
    const sy_gate_row *rows = NULL;
    size_t count = 0;
    char *text = NULL;
    need(sy_registry_gates(registry, NULL, SY_GATES_BY_PLACE, &rows, &count, NULL) == SY_OK);
    for (size_t i = 0; i < count; i++) {
        if (sy_registry_gate_show(registry, rows[i].id, &text, NULL) == SY_OK) {
            sy_text_free(text);
        }
        if (sy_registry_gate_command(registry, rows[i].id, &text, NULL) == SY_OK) {
            sy_text_free(text);
        }
    }
    need(sy_registry_gates(registry, NULL, SY_GATES_BY_PRIORITY, &rows, &count, NULL) == SY_OK);
    need(sy_registry_coverage_render(registry, &text, NULL) == SY_OK);
    sy_text_free(text);
}

static inline void ask(sy_registry *registry, unsigned parts)
{
    sy_finding_list list;
    need(sy_registry_findings(registry, &list, NULL) == SY_OK);
    for (size_t i = 0; i < list.finding_count; i++) {
        check_finding(&list.findings[i]);
    }
    for (size_t i = 0; i < list.note_count; i++) {
        check_finding(&list.notes[i]);
    }
    sy_matrix matrix;
    if (sy_registry_matrix(registry, &matrix, NULL) == SY_OK) {
        for (size_t i = 0; i < matrix.cell_count; i++) {
            const sy_matrix_cell *cell = &matrix.cells[i];
            need(cell->id != NULL && cell->state != NULL &&
                 cell->open_gates + cell->measured_gates <= cell->gate_count);
        }
    }
    sy_registry_coverage coverage;
    need((sy_registry_coverage_count(registry, &coverage, NULL) == SY_OK) == (parts == SY_REGISTRY_ALL));
    if ((parts & SY_REGISTRY_GATES) != 0) {
        ask_gates(registry);
    }
}

/* fixed: files that stand there beside the input's (may be NULL). */
static inline void read_bundle(const char *const *paths, size_t path_count, const sy_document_bytes *fixed,
                               size_t fixed_count, unsigned parts, const uint8_t *data, size_t size)
{
    static const char mark[] = "%%%%\n";
    sy_document_bytes files[2 * BUNDLE_FILES_MAX];
    size_t count = 0;
    const char *at = (const char *)data, *end = at + size;
    need(path_count <= BUNDLE_FILES_MAX && fixed_count <= BUNDLE_FILES_MAX);
    for (size_t i = 0; i < path_count; i++) {
        const char *stop = i + 1 < path_count ? at : end;
        while (stop < end && ((size_t)(end - stop) < sizeof mark - 1 || memcmp(stop, mark, sizeof mark - 1) != 0)) {
            stop++;
        }
        files[count++] = (sy_document_bytes){paths[i], size > 0 ? at : "", (size_t)(stop - at)};
        at = stop < end ? stop + sizeof mark - 1 : end;
    }
    for (size_t i = 0; i < fixed_count; i++) {
        files[count++] = fixed[i];
    }
    sy_registry *registry = NULL;
    need(sy_registry_open_with(empty_root(), parts, files, count, &registry, NULL) == SY_OK);
    ask(registry, parts);
    sy_registry_close(registry);
}

#endif
