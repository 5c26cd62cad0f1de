/* SPDX-License-Identifier: Apache-2.0 */
/* A ledger as JSON lines: events exactly as they were hashed, samples before the first event that names them, files
 * behind it, and a last line by which a cut file is known. */
#include <inttypes.h>
#include <string.h>

#include "base/base64.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "ledger/digest_table.h"
#include "ledger/envelope.h"
#include "ledger/ledger_state.h"
#include "ledger/lines/line_format.h"

typedef struct exporter {
    sy_ledger *ledger;
    bool artifacts_too;
    sy_status (*write)(void *user, const void *bytes, size_t size, sy_error *err);
    void *user;
    uint64_t number; /* of the head */
    sy_digest head;
    char id[33];
    sy_digest_table series;
    sy_digest_table files;
    uint64_t event_count;
    uint64_t run_count;
    uint64_t byte_count;
    sy_digest previous;  /* of the event that was written last */
    uint64_t file_count; /* that were written */
    sy_text line;
    sy_text piece; /* as base64 */
} exporter;

static sy_status flush_line(exporter *e, sy_error *err)
{
    sy_text_append_bytes(&e->line, "\n", 1);
    e->byte_count += e->line.length;
    return e->line.failed ? sy_fail(err, SY_NO_MEMORY, "no memory for a line")
                          : e->write(e->user, e->line.bytes, e->line.length, err);
}

static sy_status write_header(exporter *e, sy_error *err)
{
    char head[SY_DIGEST_TEXT];
    sy_digest_format(&e->head, head);
    sy_text_clear(&e->line);
    sy_json_writer *writer = sy_json_writer_create(&e->line, SY_JSON_CANONICAL);
    sy_json_begin_object(writer);
    sy_json_member_text(writer, "line", SY_LINE_HEADER);
    sy_json_member_text(writer, "schema", SY_LINES_SCHEMA);
    sy_json_member_text(writer, "ledger", e->id);
    sy_json_member_u64(writer, "events", e->number);
    sy_json_member_text(writer, "head", head);
    sy_json_member_bool(writer, "artifacts", e->artifacts_too);
    sy_json_member_text(writer, "tool", sy_version());
    sy_json_end_object(writer);
    sy_status status = sy_json_writer_finish(writer, err);
    return status == SY_OK ? flush_line(e, err) : status;
}

static sy_status write_end(exporter *e, sy_error *err)
{
    char head[SY_DIGEST_TEXT];
    sy_digest_format(&e->head, head);
    sy_text_clear(&e->line);
    sy_json_writer *writer = sy_json_writer_create(&e->line, SY_JSON_CANONICAL);
    sy_json_begin_object(writer);
    sy_json_member_text(writer, "line", SY_LINE_END);
    sy_json_member_u64(writer, "events", e->event_count);
    sy_json_member_u64(writer, "series", e->series.count);
    sy_json_member_u64(writer, "artifacts", e->file_count);
    sy_json_member_text(writer, "head", head);
    sy_json_end_object(writer);
    sy_status status = sy_json_writer_finish(writer, err);
    return status == SY_OK ? flush_line(e, err) : status;
}

/* Bytes in pieces, each a line; none of no bytes makes one empty piece. size_name: what the size is told as. */
static sy_status write_pieces(exporter *e, const char *word, const char *digest, const char *size_name, uint64_t said,
                              const char *bytes, size_t size, sy_error *err)
{
    size_t at = 0;
    sy_status status;
    do {
        size_t some = size - at < SY_LINE_PIECE ? size - at : SY_LINE_PIECE;
        sy_text_clear(&e->piece);
        sy_base64_write(bytes + at, some, &e->piece);
        if (e->piece.failed) {
            return sy_fail(err, SY_NO_MEMORY, "no memory for a line");
        }
        sy_text_clear(&e->line);
        sy_json_writer *writer = sy_json_writer_create(&e->line, SY_JSON_CANONICAL);
        sy_json_begin_object(writer);
        sy_json_member_text(writer, "line", word);
        sy_json_member_text(writer, "digest", digest);
        sy_json_member_u64(writer, size_name, said);
        sy_json_member_u64(writer, "offset", at);
        sy_json_member_text(writer, "bytes", sy_text_bytes(&e->piece));
        sy_json_end_object(writer);
        status = sy_json_writer_finish(writer, err);
        if (status == SY_OK) {
            status = flush_line(e, err);
        }
        at += some;
    } while (at < size && status == SY_OK);
    return status;
}

/* The samples of an event, when it is the first that names them. */
static sy_status write_samples(exporter *e, const sy_envelope *envelope, sy_arena *arena, sy_error *err)
{
    sy_run_series series;
    sy_digest digest;
    sy_digest hashed;
    const void *bytes = "";
    size_t count = 0;
    sy_status status = sy_run_series_read(envelope->json, envelope->body, arena, &series, err);
    if (status == SY_OK) {
        status = sy_digest_parse(series.digest, &digest, err);
    }
    if (status != SY_OK || series.count == 0 || sy_digest_table_find(&e->series, &digest) != NULL) {
        return status;
    }
    status = e->ledger->storage->get_series(e->ledger->state, &digest, arena, &bytes, &count, err);
    if (status == SY_NOT_FOUND) {
        status = sy_fail(err, SY_CORRUPT, "its samples are missing");
    }
    if (status == SY_OK) {
        sy_digest_of(bytes, count * sizeof(double), &hashed);
        if (count != series.count || !sy_digest_equal(&hashed, &digest)) {
            status = sy_fail(err, SY_CORRUPT, "its samples were changed");
        }
    }
    if (status == SY_OK && sy_digest_table_add(&e->series, &digest, envelope->number, count) == NULL) {
        status = sy_fail(err, SY_NO_MEMORY, "no memory for a digest");
    }
    return status == SY_OK
               ? write_pieces(e, SY_LINE_SERIES, series.digest, "count", count, bytes, count * sizeof(double), err)
               : status;
}

/* The file that an event is the first to name, if it is here: what is elsewhere stays elsewhere. */
static sy_status write_file(exporter *e, const sy_envelope *envelope, sy_arena *arena, sy_error *err)
{
    sy_run_artifact artifact;
    sy_digest digest;
    char *bytes = NULL;
    size_t size = 0;
    sy_status status = sy_run_artifact_read(envelope->json, envelope->body, arena, &artifact, err);
    if (status == SY_OK) {
        status = sy_digest_parse(artifact.digest, &digest, err);
    }
    if (status != SY_OK || sy_digest_table_find(&e->files, &digest) != NULL) {
        return status;
    }
    if (sy_digest_table_add(&e->files, &digest, envelope->number, artifact.size) == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for a digest");
    }
    status = sy_ledger_fetch(e->ledger, artifact.digest, &bytes, &size, err);
    if (status == SY_NOT_FOUND) {
        return SY_OK;
    }
    if (status == SY_OK) {
        e->file_count++;
        status = write_pieces(e, SY_LINE_ARTIFACT, artifact.digest, "size", size, bytes, size, err);
    }
    sy_free(bytes);
    return status;
}

/* What could not be imported again is not written either: each event has its digest and follows the one before. */
static sy_status write_event(exporter *e, const sy_envelope *envelope, const sy_stored_event *event, sy_error *err)
{
    sy_digest hashed;
    sy_digest_of(event->bytes, event->size, &hashed);
    if (!sy_digest_equal(&hashed, &event->digest) || event->number != e->event_count + 1 ||
        envelope->number != event->number || !sy_digest_equal(&envelope->previous, &e->previous)) {
        return sy_fail(err, SY_CORRUPT, "it was changed, or one before it is missing");
    }
    sy_text_clear(&e->line);
    sy_text_append_bytes(&e->line, event->bytes, event->size);
    e->event_count++;
    e->previous = hashed;
    return flush_line(e, err);
}

static sy_status visit_event(void *user, const sy_stored_event *event, sy_error *err)
{
    exporter *e = user;
    sy_envelope envelope = {0};
    sy_arena *arena = NULL;
    sy_status status = sy_envelope_read(event->bytes, event->size, &envelope, err);
    bool is_series = status == SY_OK && envelope.kind == SY_EVENT_SERIES;
    e->run_count += status == SY_OK && envelope.kind == SY_EVENT_BEGIN;
    bool is_file = status == SY_OK && e->artifacts_too && envelope.kind == SY_EVENT_ARTIFACT;
    if (is_series || is_file) {
        arena = sy_arena_create(0);
        status = arena == NULL ? sy_fail(err, SY_NO_MEMORY, "no memory to read an event") : SY_OK;
    }
    if (status == SY_OK && is_series) {
        status = write_samples(e, &envelope, arena, err);
    }
    if (status == SY_OK) {
        status = write_event(e, &envelope, event, err);
    }
    if (status == SY_OK && is_file) {
        status = write_file(e, &envelope, arena, err);
    }
    sy_envelope_finish(&envelope);
    sy_arena_destroy(arena);
    if (status == SY_CORRUPT) {
        sy_error_prefix(err, "event %" PRIu64, event->number);
        sy_error_hint(err, "`steelyard ledger verify` shows all that is not as it was written");
    }
    return status;
}

static sy_status export_all(exporter *e, sy_error *err)
{
    const sy_storage *storage = e->ledger->storage;
    void *state = e->ledger->state;
    sy_status status = storage->head(state, &e->number, &e->head, err);
    if (status == SY_OK) {
        status = storage->get_id(state, e->id, err);
    }
    if (status == SY_OK) {
        status = write_header(e, err);
    }
    if (status == SY_OK) {
        status = storage->events(state, 1, NULL, visit_event, e, err);
    }
    if (status == SY_OK && e->event_count != e->number) {
        status = sy_fail(err, SY_CORRUPT, "the ledger says that it has %" PRIu64 " events, and has %" PRIu64, e->number,
                         e->event_count);
    }
    return status == SY_OK ? write_end(e, err) : status;
}

sy_status sy_ledger_export(sy_ledger *ledger, bool artifacts_too,
                           sy_status (*write)(void *user, const void *bytes, size_t size, sy_error *err), void *user,
                           sy_ledger_exported *ret_exported, sy_error *err)
{
    exporter e = {.ledger = ledger, .artifacts_too = artifacts_too, .write = write, .user = user};
    sy_status status = sy_ledger_hold(ledger, err);
    if (status == SY_OK) {
        status = export_all(&e, err);
        sy_ledger_release(ledger);
    }
    if (status == SY_OK && ret_exported != NULL) {
        *ret_exported = (sy_ledger_exported){.head.number = e.number,
                                             .run_count = e.run_count,
                                             .series_count = e.series.count,
                                             .artifact_count = e.file_count,
                                             .byte_count = e.byte_count};
        sy_digest_format(&e.head, ret_exported->head.digest);
        memcpy(ret_exported->head.ledger, e.id, sizeof e.id);
    }
    sy_digest_table_finish(&e.series);
    sy_digest_table_finish(&e.files);
    sy_text_finish(&e.line);
    sy_text_finish(&e.piece);
    return status;
}

static sy_status write_to_file(void *user, const void *bytes, size_t size, sy_error *err)
{
    return sy_file_stream_write(user, bytes, size, err);
}

sy_status sy_ledger_export_file(sy_ledger *ledger, bool artifacts_too, const char *path,
                                sy_ledger_exported *ret_exported, sy_error *err)
{
    sy_ledger_exported exported;
    sy_file_stream *stream = NULL;
    sy_status status = sy_file_stream_open(path, &stream, err);
    if (status != SY_OK) {
        return status;
    }
    status = sy_ledger_export(ledger, artifacts_too, write_to_file, stream, &exported, err);
    if (status != SY_OK) {
        sy_file_stream_abandon(stream);
        return status;
    }
    status = sy_file_stream_commit(stream, err);
    if (status == SY_OK && ret_exported != NULL) {
        *ret_exported = exported;
    }
    return status;
}
