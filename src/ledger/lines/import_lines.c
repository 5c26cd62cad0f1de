/* SPDX-License-Identifier: Apache-2.0 */
/* A ledger rebuilt from lines, in one transaction: what the last line does not confirm was never read. */
#include <inttypes.h>
#include <string.h>

#include "base/base64.h"
#include "base/error.h"
#include "base/memory.h"
#include "ledger/lines/importer.h"
#include "ledger/lines/line_format.h"

#define LINE_LIMIT (SY_EVENT_BODY_LIMIT + SY_EVENT_FRAME_LIMIT)

sy_status sy_importer_fail(const sy_ledger_importer *importer, sy_error *err, const char *format, ...)
{
    char what[200];
    va_list arguments;
    uint64_t line = importer->reader.number;
    va_start(arguments, format);
    sy_format_list(what, sizeof what, format, arguments);
    va_end(arguments);
    sy_fail(err, SY_CORRUPT, "line %" PRIu64 ": %s", line, what);
    sy_error_at(err, (sy_position){0, (uint32_t)(line > UINT32_MAX ? UINT32_MAX : line), 1});
    return SY_CORRUPT;
}

/* ---- members of a line ---- */

static sy_status get_count(const sy_ledger_importer *importer, const sy_json *json, const char *name,
                           uint64_t *ret_value, sy_error *err)
{
    int64_t value;
    const sy_json_value *member = sy_json_member(sy_json_root(json), name);
    if (sy_json_get_i64(json, member, &value, NULL) != SY_OK || value < 0) {
        return sy_importer_fail(importer, err, "'%s' is no count", name);
    }
    *ret_value = (uint64_t)value;
    return SY_OK;
}

static sy_status get_digest(const sy_ledger_importer *importer, const sy_json *json, const char *name,
                            sy_digest *ret_digest, sy_error *err)
{
    const char *text;
    const sy_json_value *member = sy_json_member(sy_json_root(json), name);
    if (sy_json_get_text(json, member, &text, NULL) != SY_OK || !sy_ledger_is_digest(text) ||
        sy_digest_parse(text, ret_digest, NULL) != SY_OK) {
        return sy_importer_fail(importer, err, "'%s' is no digest", name);
    }
    return SY_OK;
}

/* Parses a line that is no event. */
static sy_status parse(const sy_ledger_importer *importer, const char *line, size_t size, sy_json **ret_json,
                       const char **ret_word, sy_error *err)
{
    sy_json_limits limits = {LINE_LIMIT, 4, 1};
    sy_json *json = NULL;
    size_t findings;
    sy_status status = sy_json_parse(line, size, &limits, &json, err);
    if (status == SY_NO_MEMORY) {
        return status;
    }
    bool is_line = false;
    if (status == SY_OK) {
        (void)sy_json_findings(json, &findings);
        is_line = findings == 0 &&
                  sy_json_get_text(json, sy_json_member(sy_json_root(json), "line"), ret_word, NULL) == SY_OK;
    }
    if (!is_line) {
        sy_json_destroy(json);
        return sy_importer_fail(importer, err, "it is no line of an exported ledger");
    }
    *ret_json = json;
    return SY_OK;
}

/* ---- the first line and the last ---- */

static sy_status read_header(sy_ledger_importer *importer, const sy_json *json, const char *word, sy_error *err)
{
    const char *schema = "";
    const char *id = "";
    const sy_json_value *root = sy_json_root(json);
    if (strcmp(word, SY_LINE_HEADER) != 0 ||
        sy_json_get_text(json, sy_json_member(root, "schema"), &schema, NULL) != SY_OK) {
        return sy_importer_fail(importer, err, "an exported ledger begins with its header, and this does not");
    }
    if (strcmp(schema, SY_LINES_SCHEMA) != 0) {
        return sy_text_begins(schema, "steelyard.ledger/")
                   ? sy_fail(err, SY_VERSION_UNSUPPORTED, "it is written as '%.40s': this steelyard reads %s", schema,
                             SY_LINES_SCHEMA)
                   : sy_importer_fail(importer, err, "its schema is '%.40s', not %s", schema, SY_LINES_SCHEMA);
    }
    sy_status status = get_count(importer, json, "events", &importer->announced, err);
    if (status == SY_OK) {
        status = get_digest(importer, json, "head", &importer->announced_head, err);
    }
    if (status != SY_OK) {
        return status;
    }
    bool is_empty = importer->announced == 0;
    if (sy_json_get_text(json, sy_json_member(root, "ledger"), &id, NULL) != SY_OK ||
        (strlen(id) != (is_empty ? 0 : sizeof importer->id - 1)) || strspn(id, "0123456789abcdef") != strlen(id)) {
        return sy_importer_fail(importer, err, "'ledger' is no id of a ledger");
    }
    memcpy(importer->id, id, strlen(id) + 1);
    return SY_OK;
}

/* The lines are of this ledger, or of one that may be made here. */
static sy_status join(sy_ledger_importer *importer, sy_error *err)
{
    char here[33];
    sy_digest head;
    const sy_storage *storage = importer->ledger->storage;
    void *state = importer->ledger->state;
    sy_status status = storage->head(state, &importer->local_number, &head, err);
    if (status == SY_OK) {
        status = storage->get_id(state, here, err);
    }
    if (status != SY_OK || *importer->id == '\0') {
        return status;
    }
    if (importer->local_number == 0) {
        return storage->put_id(state, importer->id, err);
    }
    if (strcmp(here, importer->id) != 0) {
        sy_fail(err, SY_REFUSED, "it is the ledger %.8s..., and this is the ledger %.8s...", importer->id, here);
        sy_error_hint(err, "one ledger is never mixed into another: import into an empty folder");
        return SY_REFUSED;
    }
    return SY_OK;
}

static sy_status begin_lines(sy_ledger_importer *importer, sy_error *err)
{
    const char *line;
    size_t size;
    const char *word = "";
    sy_json *json = NULL;
    sy_status status = sy_line_reader_next(&importer->reader, &line, &size, err);
    if (status != SY_OK) {
        return status;
    }
    if (line == NULL) {
        return sy_fail(err, SY_CORRUPT, "there is nothing to import: not even a first line");
    }
    status = parse(importer, line, size, &json, &word, err);
    if (status == SY_OK) {
        status = read_header(importer, json, word, err);
    }
    sy_json_destroy(json);
    return status == SY_OK ? join(importer, err) : status;
}

static sy_status read_end(const sy_ledger_importer *importer, const sy_json *json, sy_error *err)
{
    uint64_t events = 0;
    uint64_t series = 0;
    uint64_t files = 0;
    sy_digest head;
    sy_status status = get_count(importer, json, "events", &events, err);
    if (status != SY_OK || (status = get_count(importer, json, "series", &series, err)) != SY_OK ||
        (status = get_count(importer, json, "artifacts", &files, err)) != SY_OK ||
        (status = get_digest(importer, json, "head", &head, err)) != SY_OK) {
        return status;
    }
    if (events != importer->number || events != importer->announced || series != importer->series_count ||
        files != importer->file_count || !sy_digest_equal(&head, &importer->head) ||
        !sy_digest_equal(&head, &importer->announced_head) || importer->samples.begun || importer->file.begun) {
        return sy_importer_fail(importer, err,
                                "the lines before it are not all that were written: %" PRIu64 " of %" PRIu64
                                " events, %" PRIu64 " of %" PRIu64 " series",
                                importer->number, events, importer->series_count, series);
    }
    return SY_OK;
}

/* ---- samples and files ---- */

/* Adds one line's bytes. *ret_whole: it is all there, and has its digest. */
static sy_status add_piece(const sy_ledger_importer *importer, sy_piecewise *piecewise, const sy_json *json,
                           const sy_digest *digest, uint64_t size, bool *ret_whole, sy_error *err)
{
    uint64_t offset;
    sy_digest hashed;
    const sy_json_value *bytes = sy_json_member(sy_json_root(json), "bytes");
    sy_status status = get_count(importer, json, "offset", &offset, err);
    if (status != SY_OK) {
        return status;
    }
    if (!piecewise->begun) {
        sy_text_clear(&piecewise->bytes);
        piecewise->digest = *digest;
        piecewise->size = size;
        piecewise->begun = true;
    }
    if (offset != piecewise->bytes.length || size != piecewise->size || !sy_digest_equal(digest, &piecewise->digest) ||
        (offset == size && size > 0)) {
        return sy_importer_fail(importer, err, "it does not go on where the line before it ended");
    }
    if (bytes == NULL || bytes->kind != SY_JSON_TEXT ||
        (!sy_base64_read(bytes->text, bytes->text_length, &piecewise->bytes) && !piecewise->bytes.failed)) {
        return sy_importer_fail(importer, err, "its bytes are not spelled in base64");
    }
    if (piecewise->bytes.failed) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for %" PRIu64 " bytes", size);
    }
    if (piecewise->bytes.length == offset && size > 0) {
        return sy_importer_fail(importer, err, "it brings nothing");
    }
    if (piecewise->bytes.length > size) {
        return sy_importer_fail(importer, err, "it brings more than the %" PRIu64 " bytes that were announced", size);
    }
    *ret_whole = piecewise->bytes.length == size;
    if (!*ret_whole) {
        return SY_OK;
    }
    sy_digest_of(sy_text_bytes(&piecewise->bytes), piecewise->bytes.length, &hashed);
    return sy_digest_equal(&hashed, digest)
               ? SY_OK
               : sy_importer_fail(importer, err, "what ends here does not have its digest");
}

static sy_status take_samples(sy_ledger_importer *importer, const sy_json *json, sy_error *err)
{
    sy_digest digest;
    uint64_t count = 0;
    bool whole = false;
    sy_status status = get_digest(importer, json, "digest", &digest, err);
    if (status != SY_OK || (status = get_count(importer, json, "count", &count, err)) != SY_OK) {
        return status;
    }
    bool is_whole = importer->samples.begun && importer->samples.bytes.length == importer->samples.size;
    if (count == 0 || count > INT64_MAX / sizeof(double) || is_whole ||
        sy_digest_table_find(&importer->series, &digest) != NULL) {
        return sy_importer_fail(importer, err, "samples stand where none belong");
    }
    status = add_piece(importer, &importer->samples, json, &digest, count * sizeof(double), &whole, err);
    importer->series_count += status == SY_OK && whole;
    return status;
}

static sy_status take_file(sy_ledger_importer *importer, const sy_json *json, sy_error *err)
{
    sy_digest digest;
    uint64_t size = 0;
    char kept[SY_DIGEST_TEXT];
    bool whole = false;
    sy_status status = get_digest(importer, json, "digest", &digest, err);
    if (status != SY_OK || (status = get_count(importer, json, "size", &size, err)) != SY_OK) {
        return status;
    }
    sy_named_digest *named = sy_digest_table_find(&importer->files, &digest);
    if (named == NULL || named->count != size || named->seen || importer->samples.begun) {
        return sy_importer_fail(importer, err, "a file stands where none belongs");
    }
    status = add_piece(importer, &importer->file, json, &digest, size, &whole, err);
    if (status != SY_OK || !whole) {
        return status;
    }
    named->seen = true;
    importer->file.begun = false;
    importer->file_count++;
    return sy_ledger_keep(importer->ledger, sy_text_bytes(&importer->file.bytes), size, kept, err);
}

/* ---- the lines between ---- */

static sy_status take_line(sy_ledger_importer *importer, const char *line, size_t size, bool *ret_ended, sy_error *err)
{
    static const char event[] = "{\"at\":";
    const char *word = "";
    sy_json *json = NULL;
    if (size > sizeof event && memcmp(line, event, sizeof event - 1) == 0) {
        return importer->file.begun ? sy_importer_fail(importer, err, "the file before it is not whole")
                                    : sy_importer_take_event(importer, line, size, err);
    }
    sy_status status = parse(importer, line, size, &json, &word, err);
    if (status != SY_OK) {
        return status;
    }
    if (strcmp(word, SY_LINE_SERIES) == 0) {
        status = take_samples(importer, json, err);
    } else if (strcmp(word, SY_LINE_ARTIFACT) == 0) {
        status = take_file(importer, json, err);
    } else if (strcmp(word, SY_LINE_END) == 0) {
        status = read_end(importer, json, err);
        *ret_ended = status == SY_OK;
    } else {
        status = sy_importer_fail(importer, err, "it is a line of no kind that is known");
    }
    sy_json_destroy(json);
    return status;
}

static sy_status import_lines(sy_ledger_importer *importer, sy_error *err)
{
    bool ended = false;
    sy_status status = begin_lines(importer, err);
    while (status == SY_OK) {
        const char *line;
        size_t size;
        status = sy_line_reader_next(&importer->reader, &line, &size, err);
        if (status != SY_OK || (line == NULL && ended)) {
            break;
        }
        if (line == NULL) {
            sy_fail(err, SY_CORRUPT, "the file is cut: line %" PRIu64 " is the last, and does not say so",
                    importer->reader.number);
            sy_error_hint(err, "nothing was imported: get the whole file");
            return SY_CORRUPT;
        }
        status = ended ? sy_importer_fail(importer, err, "it stands behind the end")
                       : take_line(importer, line, size, &ended, err);
    }
    return status == SY_OK ? sy_importer_put_rows(importer, err) : status;
}

sy_status sy_ledger_import(sy_ledger *ledger,
                           sy_status (*read)(void *user, void *bytes, size_t size, size_t *ret_size, sy_error *err),
                           void *user, uint64_t *ret_count, sy_error *err)
{
    sy_ledger_importer importer = {.ledger = ledger, .reader = {.read = read, .user = user, .limit = LINE_LIMIT}};
    if (ledger->read_only) {
        return sy_fail(err, SY_REFUSED, "the ledger is open for reading alone");
    }
    sy_status status = sy_run_table_start(&importer.runs, err);
    if (status == SY_OK) {
        status = ledger->storage->begin(ledger->state, true, err);
    }
    if (status == SY_OK) {
        status = import_lines(&importer, err);
        if (status == SY_OK) {
            status = ledger->storage->commit(ledger->state, err);
        } else {
            ledger->storage->rollback(ledger->state);
        }
    }
    if (status == SY_OK) {
        *ret_count = importer.added_count;
    }
    sy_run_table_finish(&importer.runs);
    sy_digest_table_finish(&importer.series);
    sy_digest_table_finish(&importer.files);
    sy_text_finish(&importer.samples.bytes);
    sy_text_finish(&importer.file.bytes);
    sy_line_reader_finish(&importer.reader);
    return status;
}
