/* SPDX-License-Identifier: Apache-2.0 */
/* What a reader of benchmark results is: how its files are known by their content, and what reads them. Private to the
 * importers. */
#ifndef STEELYARD_IMPORTERS_IMPORT_READERS_H
#define STEELYARD_IMPORTERS_IMPORT_READERS_H

#include "base/json.h"
#include "importers/import/import_draft.h"

/* A file as readers see it: UTF-8 without a mark, unpacked. */
typedef struct sy_import_input {
    const char *text; /* text[size] is readable and 0 */
    size_t size;
    const sy_json *json;              /* of a file of JSON, else NULL; what was damaged in it is told already */
    const char *path;                 /* NULL = it is no file, but bytes or standard input */
    const sy_import_options *options; /* never NULL */
    const sy_import_list *blanks;     /* uint64_t: where a damaged row was taken out, told already */
    sy_error rest;                    /* where json ceased to be any behind its rows; status SY_OK: nowhere */
} sy_import_input;

typedef struct sy_import_reader {
    sy_import_format format;
    /* Whether a document of JSON shows this format; root may be damaged or not whole. NULL: it is no JSON. */
    bool (*knows_json)(const sy_json_value *root);
    /* Whether a text that is no JSON shows it. NULL: never. */
    bool (*knows_text)(const char *text, size_t size);
    /* Mends what this tool is known to write wrongly, in place: the length stays, line ends stay. damage: where the
     * JSON ceased to be any. Returns whether it changed something. NULL: nothing is known. */
    bool (*mend)(char *text, size_t size, uint64_t damage, sy_import_draft *draft);
    /* SY_CORRUPT only where nothing can be read at all; all else is a row or a reject. */
    sy_status (*read)(const sy_import_input *input, sy_import_draft *draft, sy_error *err);
    /* Files may hold documents one behind the other, as with one a line: such a file is shown as one array of them. */
    bool many;
} sy_import_reader;

extern const sy_import_reader sy_import_google_benchmark;
extern const sy_import_reader sy_import_hyperfine;
extern const sy_import_reader sy_import_pytest_benchmark;
extern const sy_import_reader sy_import_llama_bench;
extern const sy_import_reader sy_import_asv;
extern const sy_import_reader sy_import_go;
extern const sy_import_reader sy_import_nvbench;

/* import_input.c: the bytes of a file made UTF-8 text. A mark at the beginning is taken away, UTF-16 with a mark is
 * converted into *ret_text, which the caller frees (NULL where nothing had to be converted). bytes[size] is readable
 * and 0. *ret_at, *ret_size: where the text is. SY_INVALID_ARGUMENT (UTF-32, UTF-16 without a mark), SY_NO_MEMORY. */
sy_status sy_import_to_utf8(char *bytes, size_t size, char **ret_text, char **ret_at, size_t *ret_size,
                            sy_import_draft *draft, sy_error *err) SY_NODISCARD;
/* Blanks what stands before the first line that begins a JSON document, and rejects it; false: there is none. */
bool sy_import_blank_preamble(char *text, size_t size, sy_import_draft *draft);

/* import_documents.c: a text that is an array of the documents in text, each at the beginning of its line as it was;
 * what is between them and none of them becomes elements that are no JSON. The caller frees *ret_joined. SY_NO_MEMORY.
 */
sy_status sy_import_join(const char *text, size_t size, char **ret_joined, size_t *ret_size, sy_import_draft *draft,
                         sy_error *err) SY_NODISCARD;
/* Where a place in the file is, from one in the text that is read. element: of the array at the root, from 0. */
sy_position sy_import_place(const sy_import_draft *draft, sy_position position, size_t element);
/* The end of what begins at `from`, be it JSON or not: brackets are counted; what is in none of them ends at a comma, a
 * closing bracket or the line's end. An object in which a text does not end on its line, or a bracket is closed by the
 * wrong one, ends where the next begins, or the array does. size: it does not end, or the budget of bytes to look at is
 * used up: what is nested and broken on purpose would be looked at again and again. */
#define SY_IMPORT_LOOKS 8
size_t sy_import_element_end(const char *text, size_t size, size_t from, uint64_t *budget);

/* import_damage.c: parses; a row that is damaged is rejected and taken out of the text, so that the others are read.
 * Its places are appended to blanks. Where the document could be read only up to some place, *ret_rest says so. On
 * failure (*ret_json stays) err says where the damage is. */
sy_status sy_import_parse_damaged(char *text, size_t size, const sy_import_reader *const *readers, size_t reader_count,
                                  sy_import_draft *draft, sy_import_list *blanks, sy_json **ret_json,
                                  sy_error *ret_rest, sy_error *err) SY_NODISCARD;

#endif
