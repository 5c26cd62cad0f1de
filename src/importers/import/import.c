/* SPDX-License-Identifier: Apache-2.0 */
/* Results of other benchmark tools from a file: unpacked, made UTF-8, its format found by content, read by the reader
 * of that format. */
#include <steelyard/import.h>

#include <string.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "importers/import/import_draft.h"
#include "importers/import/import_json.h"
#include "importers/unpack.h"

/* The first that knows a file's content reads it. */
static const sy_import_reader *const readers[] = {
    &sy_import_nvbench,
    &sy_import_asv,
    &sy_import_pytest_benchmark,
    &sy_import_google_benchmark,
    &sy_import_hyperfine,
    &sy_import_llama_bench,
    &sy_import_go,
};
enum { READER_COUNT = sizeof readers / sizeof *readers };

static const char *const format_words[] = {
#define WORD(name, word) word,
    SY_IMPORT_FORMAT_LIST(WORD)
#undef WORD
};

const char *sy_import_format_word(sy_import_format format)
{
    return (size_t)format < sizeof format_words / sizeof *format_words ? format_words[(size_t)format] : "unknown";
}

bool sy_import_format_read(const char *word, sy_import_format *ret_format)
{
    for (size_t i = 0; i < sizeof format_words / sizeof *format_words; i++) {
        if (sy_text_equal(word, format_words[i])) {
            *ret_format = (sy_import_format)i;
            return true;
        }
    }
    return false;
}

/* What this version does not know of the options has its default. */
static sy_import_options known_options(const sy_import_options *options)
{
    sy_import_options known = SY_IMPORT_OPTIONS_INIT;

    if (options != NULL)
        memcpy(&known, options, options->struct_size < sizeof known ? options->struct_size : sizeof known);
    return known;
}

static const sy_import_reader *find_reader(const sy_import_input *input)
{
    const sy_json_value *root = input->json != NULL ? sy_json_root(input->json) : NULL;

    for (size_t i = 0; i < READER_COUNT; i++) {
        const sy_import_reader *reader = readers[i];

        if (input->options->format != SY_IMPORT_AUTO ? reader->format == input->options->format
            : root != NULL                           ? reader->knows_json != NULL && reader->knows_json(root)
                           : reader->knows_text != NULL && reader->knows_text(input->text, input->size))
            return reader;
    }
    return NULL;
}

static sy_status fail_unknown(const sy_import_options *options, sy_error *err)
{
    if (options->format != SY_IMPORT_AUTO)
        return sy_fail(err, SY_INVALID_ARGUMENT, "no reader of the format %s", sy_import_format_word(options->format));
    sy_fail(err, SY_INVALID_ARGUMENT, "the format is none that is known by its content");
    sy_error_hint(err, "docs/importing.md says what can be read; name the format if it is one of these");
    return SY_INVALID_ARGUMENT;
}

static char first_character(const char *text, size_t size)
{
    size_t at = 0;

    while (at < size && (text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '\t'))
        at++;
    return at < size ? text[at] : '\0';
}

static bool is_text_format(const sy_import_input *input)
{
    const sy_import_reader *reader = find_reader(input);

    return reader != NULL && reader->knows_json == NULL;
}

/* Parses a text of JSON; one of many documents, which only its reader can tell, as an array of them. *ret_joined is to
 * be freed. */
static sy_status parse_json(char *text, size_t size, sy_import_input *input, sy_import_draft *draft,
                            sy_import_list *blanks, sy_json **ret_json, char **ret_joined, sy_error *err)
{
    const sy_import_reader *reader;
    sy_status status;

    (void)sy_import_blank_preamble(text, size, draft);
    status = sy_import_parse_damaged(text, size, readers, READER_COUNT, draft, blanks, ret_json, &input->rest, err);
    input->json = *ret_json;
    reader = status == SY_OK || status == SY_CORRUPT ? find_reader(input) : NULL;
    if (reader == NULL || !reader->many || (status == SY_OK && input->rest.status == SY_OK) ||
        (input->json != NULL && sy_json_root(input->json)->kind != SY_JSON_OBJECT))
        return status;
    sy_json_destroy(*ret_json);
    *ret_json = NULL;
    input->json = NULL;
    input->rest = (sy_error)SY_ERROR_INIT;
    blanks->count = 0;
    status = sy_import_join(text, size, ret_joined, &size, draft, err);
    if (status == SY_OK)
        status = sy_import_parse_damaged(*ret_joined, size, readers, READER_COUNT, draft, blanks, ret_json,
                                         &input->rest, err);
    input->json = *ret_json;
    return status;
}

static sy_status read_known(const sy_import_reader *reader, const sy_import_input *input, sy_import_draft *draft,
                            sy_error *err)
{
    draft->imported->format = reader->format;
    if (input->json != NULL)
        sy_import_reject_findings(draft, input->json);
    if (input->rest.status != SY_OK)
        sy_import_reject_rest(draft, input->json, &input->rest);
    return reader->read(input, draft, err);
}

static sy_status read_text(char *text, size_t size, sy_import_input *input, sy_import_draft *draft, sy_error *err)
{
    char first = first_character(text, size);
    sy_import_list blanks = {0};
    const sy_import_reader *reader;
    sy_json *json = NULL;
    char *joined = NULL;
    sy_error wrong = SY_ERROR_INIT;
    sy_status status = SY_OK;

    input->text = text;
    input->size = size;
    input->blanks = &blanks;
    if (first == '\0')
        return sy_fail(err, SY_CORRUPT, "the file is empty");
    /* By content a text that begins as JSON does is JSON; who names a format of lines means them. */
    if (!is_text_format(input) || (input->options->format == SY_IMPORT_AUTO && (first == '{' || first == '[')))
        status = parse_json(text, size, input, draft, &blanks, &json, &joined, &wrong);
    reader = status == SY_OK || status == SY_CORRUPT ? find_reader(input) : NULL;
    if (reader != NULL && (json != NULL || reader->knows_json == NULL)) {
        status = read_known(reader, input, draft, err);
    } else if (reader == NULL && (status == SY_OK || status == SY_CORRUPT)) {
        status = fail_unknown(input->options, err);
        if (input->rest.status != SY_OK && err != NULL)
            sy_error_at(err, input->rest.position);
    } else if (err != NULL) {
        *err = wrong;
    }
    sy_json_destroy(json);
    sy_free(joined);
    sy_free(blanks.items);
    return status;
}

/* bytes[size] is readable and 0; they are written to. */
static sy_status read_bytes(char *bytes, size_t size, const char *path, const sy_import_options *options,
                            sy_imported **ret_imported, sy_error *err)
{
    sy_import_input input = {.path = path, .options = options};
    sy_import_draft draft;
    char *unpacked = NULL;
    char *converted = NULL;
    sy_digest digest;
    sy_status status = sy_import_draft_init(&draft, err);

    sy_digest_of(bytes, size, &digest);
    if (status == SY_OK) {
        draft.imported->bytes = sy_arena_copy_bytes(draft.arena, bytes, size);
        draft.imported->size = size;
        if (draft.imported->bytes == NULL)
            status = sy_fail(err, SY_NO_MEMORY, "no memory to keep %zu bytes of results", size);
    }
    if (status == SY_OK && sy_unpack_is_gzip(bytes, size)) {
        status = sy_unpack_gzip(bytes, size, options->limit_bytes, &unpacked, &size, err);
        bytes = unpacked;
    }
    if (status == SY_OK)
        status = sy_import_to_utf8(bytes, size, &converted, &bytes, &size, &draft, err);
    if (status == SY_OK)
        status = read_text(bytes, size, &input, &draft, err);
    if (status == SY_OK) {
        sy_digest_format(&digest, draft.imported->digest);
        status = sy_import_draft_take(&draft, ret_imported, err);
    }
    sy_free(converted);
    sy_free(unpacked);
    sy_import_draft_finish(&draft);
    return status;
}

sy_status sy_import_read(const char *path, const sy_import_options *options, sy_imported **ret_imported, sy_error *err)
{
    const sy_import_options known = known_options(options);
    char *bytes = NULL;
    size_t size = 0;
    sy_status status = sy_file_read_stream(path, known.limit_bytes, &bytes, &size, err);

    if (status == SY_OK)
        status = read_bytes(bytes, size, strcmp(path, "-") == 0 ? NULL : path, &known, ret_imported, err);
    sy_free(bytes);
    return status;
}

sy_status sy_import_parse(const void *bytes, size_t size, const sy_import_options *options, sy_imported **ret_imported,
                          sy_error *err)
{
    const sy_import_options known = known_options(options);
    char *copy = NULL;
    sy_status status = sy_unpack_copy(bytes, size, known.limit_bytes, &copy, err);

    if (status == SY_OK)
        status = read_bytes(copy, size, NULL, &known, ret_imported, err);
    sy_free(copy);
    return status;
}

void sy_imported_destroy(sy_imported *imported)
{
    if (imported != NULL)
        sy_arena_destroy(imported->owner);
}
