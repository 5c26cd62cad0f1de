/* SPDX-License-Identifier: Apache-2.0 */
/* A profile file as lines: the header, comments, and where each record begins and ends. A bad line never stops the
 * reader: it goes on with the next line or record. Fields are format_record.c. */
#include <string.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/memory.h"
#include "store/format/format.h"
#include "store/format/format_record.h"
#include "store/key_hash.h"

typedef struct line {
    char *start;
    char *word; /* the first that is no blank */
    char *end;  /* before the line end */
    uint32_t number;
} line;

typedef struct reader {
    const sy_format_source *source;
    sy_store_findings *findings;
    char *at;
    char *end;
    uint32_t number; /* of the line before at */
    sy_record record;
    line *lines; /* of the record at hand: no comments, no blank lines */
    size_t line_count;
    size_t line_capacity;
    sy_text comment; /* comment lines since the last record */
    sy_book *book;
    uint32_t fresh;
    bool no_memory;
} reader;

/* The next line, without its LF or CR LF; false at the end of the file. */
static bool next_line(reader *r, line *ret_line)
{
    if (r->at == r->end) {
        return false;
    }
    char *feed = memchr(r->at, '\n', (size_t)(r->end - r->at));
    line found = {r->at, r->at, feed == NULL ? r->end : feed, ++r->number};
    r->at = feed == NULL ? r->end : feed + 1;
    if (found.end > found.start && found.end[-1] == '\r') {
        found.end--;
    }
    while (found.word < found.end && sy_is_word_gap(*found.word)) {
        found.word++;
    }
    *ret_line = found;
    return true;
}

static bool begins_with_word(const line *l, const char *word)
{
    size_t size = strlen(word);
    return (size_t)(l->end - l->word) >= size && memcmp(l->word, word, size) == 0 &&
           (l->word + size == l->end || sy_is_word_gap(l->word[size]));
}

/* Takes blank lines and comments. */
static bool take_idle_line(reader *r, const line *l)
{
    if (l->word == l->end) {
        return true;
    }
    if (*l->word != '#') {
        return false;
    }
    sy_text_append_bytes(&r->comment, l->start, (size_t)(l->end - l->start));
    sy_text_append_bytes(&r->comment, "\n", 1);
    return true;
}

static bool keep_line(reader *r, const line *l)
{
    if (r->line_count == r->line_capacity) {
        size_t capacity = r->line_capacity == 0 ? 32 : r->line_capacity * 2;
        line *lines = sy_reallocate(r->lines, capacity, sizeof *lines);
        if (lines == NULL) {
            r->no_memory = true;
            return false;
        }
        r->lines = lines;
        r->line_capacity = capacity;
    }
    r->lines[r->line_count++] = *l;
    return true;
}

/* SHA-256 of the lines from start up to stop, each with LF whatever ended it in the file; the first 16 digits. */
static void compute_check(const char *start, const char *stop, char to[SY_DIGEST_TEXT])
{
    sy_digest_state state;
    sy_digest digest;
    sy_digest_start(&state);
    while (start < stop) {
        const char *carriage = memchr(start, '\r', (size_t)(stop - start));
        while (carriage != NULL && carriage + 1 < stop && carriage[1] != '\n') {
            carriage = memchr(carriage + 1, '\r', (size_t)(stop - carriage - 1));
        }
        const char *end = carriage == NULL ? stop : carriage;
        sy_digest_add(&state, start, (size_t)(end - start));
        start = carriage == NULL ? stop : carriage + 1;
    }
    sy_digest_finish(&state, &digest);
    sy_digest_format(&digest, to);
}

/* An entry of the former book that reads the same, or a new one. */
static const sy_entry *entry_of_record(reader *r, uint64_t hash)
{
    const sy_profile *profile = &r->record.profile;
    const sy_book *former = r->source->former;
    const char *comment = sy_text_bytes(&r->comment);
    if (former != NULL) {
        uint32_t place = sy_book_find(former, &profile->key, r->record.portable, profile->kind, hash);
        const sy_entry *entry = place == SY_BOOK_NOWHERE ? NULL : former->entries[place];
        if (entry != NULL && sy_entry_equal_but_counts(entry, profile, comment, r->comment.length)) {
            if (sy_entry_counts_equal(entry, profile)) {
                return entry;
            }
            r->fresh++;
            return sy_entry_recount(r->source->vault, entry, profile);
        }
    }
    r->fresh++;
    return sy_entry_create(r->source->vault, profile, comment, r->comment.length);
}

static void keep_record(reader *r, uint32_t end_line)
{
    const sy_profile *profile = &r->record.profile;
    uint64_t hash = sy_hash_key(&profile->key, r->record.portable);
    if (sy_book_find(r->book, &profile->key, r->record.portable, profile->kind, hash) != SY_BOOK_NOWHERE) {
        sy_store_findings_add(r->findings, end_line, "duplicate profile identity: %s %s of '%.60s' '%.60s'",
                              r->record.portable ? "portable" : "exact", sy_profile_kind_word(profile->kind),
                              profile->key.backend, profile->key.operator_name);
        return;
    }
    const sy_entry *entry = r->comment.failed ? NULL : entry_of_record(r, hash);
    if (entry == NULL || !sy_book_append(r->book, entry)) {
        r->no_memory = true;
    }
}

/* Reads the record whose declaration is first: finds its end, then its fields, so that the check is computed over the
 * bytes as they are in the file. */
static void read_record(reader *r, const line *first)
{
    line l = *first;
    line last = *first;
    bool ended = false;
    char check[SY_DIGEST_TEXT];
    const char *check_line = NULL;
    r->line_count = 0;
    for (char *before = r->at; !ended && next_line(r, &l); before = r->at) {
        if (begins_with_word(&l, "profile")) {
            r->at = before; /* it is the next record's */
            r->number--;
            break;
        }
        last = l;
        ended = begins_with_word(&l, "end");
        if (ended || take_idle_line(r, &l)) {
            continue;
        }
        if (check_line == NULL && begins_with_word(&l, "check")) {
            check_line = l.start;
        }
        if (!keep_line(r, &l)) {
            return;
        }
    }
    if (check_line != NULL && r->record.format >= SY_FORMAT_OWN) {
        compute_check(first->start, check_line, check);
    }
    sy_record_declare(&r->record, first->number, (sy_cursor){first->word + strlen("profile"), first->end});
    r->record.check = check_line != NULL && r->record.format >= SY_FORMAT_OWN ? check : NULL;
    for (size_t i = 0; i < r->line_count; i++) {
        sy_record_field(&r->record, r->lines[i].number, (sy_cursor){r->lines[i].word, r->lines[i].end});
    }
    if (!ended) {
        sy_store_findings_add(r->findings, last.number, "unterminated profile, begun at line %u", first->number);
    } else if (last.word + strlen("end") != last.end) {
        sy_cursor rest = {last.word + strlen("end"), last.end};
        if (!sy_cursor_at_end(&rest)) {
            sy_store_findings_add(r->findings, last.number, "invalid or unknown field: 'end' stands alone");
            r->record.broken = true;
        }
    }
    if (ended && sy_record_complete(&r->record, last.number)) {
        keep_record(r, last.number);
    }
    r->no_memory = r->no_memory || r->record.no_memory;
    sy_text_clear(&r->comment);
}

/* The format of what stands behind a header that does not say: check lines are format 2's, and so is nothing at all.
 * By value: looks ahead without moving the reader. */
static uint32_t guess_format(reader probe)
{
    line l;
    uint32_t guess = SY_FORMAT_OWN;
    while (next_line(&probe, &l)) {
        if (begins_with_word(&l, "check")) {
            return SY_FORMAT_OWN;
        }
        if (begins_with_word(&l, "profile")) {
            guess = SY_FORMAT_INTERCHANGE;
        }
    }
    return guess;
}

/* "word version" and nothing else. */
static bool read_version(const line *l, const char *word, uint32_t *ret_version)
{
    if (!begins_with_word(l, word)) {
        return false;
    }
    sy_cursor cursor = {l->word + strlen(word), l->end};
    return sy_cursor_u32(&cursor, ret_version) && sy_cursor_at_end(&cursor);
}

/* What the header says. Without a right one the format is guessed, for the findings and for a repair. */
static sy_status read_header(reader *r, uint32_t *ret_format)
{
    line l = {r->at, r->at, r->at, 1};
    bool there = next_line(r, &l);
    bool missing = !there || l.word == l.end || *l.word == '#' || begins_with_word(&l, "profile");
    uint32_t version = 0;
    bool interchange = !missing && read_version(&l, SY_INTERCHANGE_WORD, &version);
    if (interchange || (!missing && read_version(&l, SY_OWN_WORD, &version))) {
        *ret_format = interchange ? SY_FORMAT_INTERCHANGE : SY_FORMAT_OWN;
        if (version == *ret_format) {
            return SY_OK;
        }
        sy_store_findings_add(r->findings, 1, "version unsupported: '%s %u'",
                              interchange ? SY_INTERCHANGE_WORD : SY_OWN_WORD, version);
        return SY_VERSION_UNSUPPORTED;
    }
    sy_store_findings_add(r->findings, 1, missing ? "missing header" : "malformed header");
    if (missing) {
        r->at = r->source->bytes;
        r->number = 0;
    }
    *ret_format = guess_format(*r);
    return SY_CORRUPT;
}

static void read_body(reader *r)
{
    line l;
    while (!r->no_memory && !r->findings->failed && next_line(r, &l)) {
        if (begins_with_word(&l, "profile")) {
            read_record(r, &l);
        } else if (!take_idle_line(r, &l)) {
            sy_store_findings_add(r->findings, l.number, "expected 'profile', found '%.*s'",
                                  (int)(l.end - l.word > 40 ? 40 : l.end - l.word), l.word);
        }
    }
    if (r->comment.length > 0 && !r->no_memory) {
        char *tail = sy_arena_copy_bytes(r->source->vault->arena, r->comment.bytes, r->comment.length);
        r->book->tail_comment = tail == NULL ? "" : tail;
        r->book->tail_comment_size = tail == NULL ? 0 : r->comment.length;
        r->no_memory = tail == NULL;
    }
    r->no_memory = r->no_memory || r->comment.failed || r->findings->failed;
}

sy_status sy_format_read(const sy_format_source *source, sy_store_findings *findings, sy_format_result *ret_result,
                         sy_error *err)
{
    reader r = {.source = source, .findings = findings, .at = source->bytes, .end = source->bytes + source->size};
    r.record.findings = findings;
    uint32_t guess = source->former == NULL ? (uint32_t)(source->size / 256 > 1u << 20 ? 1u << 20 : source->size / 256)
                                            : source->former->count;
    r.book = sy_book_create(guess);
    if (r.book == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory to read %zu bytes of profiles", source->size);
    }
    uint32_t format = 0;
    sy_status status = read_header(&r, &format);
    r.record.format = format;
    if (status != SY_VERSION_UNSUPPORTED) {
        r.book->format = format;
        read_body(&r);
        if (findings->total > 0) {
            status = SY_CORRUPT;
        }
    }
    sy_record_finish(&r.record);
    sy_free(r.lines);
    sy_text_finish(&r.comment);
    if (r.no_memory || findings->failed) {
        sy_book_release(r.book);
        return sy_fail(err, SY_NO_MEMORY, "no memory to read %zu bytes of profiles", source->size);
    }
    *ret_result = (sy_format_result){r.book, status, r.fresh};
    return SY_OK;
}
