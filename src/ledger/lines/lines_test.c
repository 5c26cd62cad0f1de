/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of export and import: the same digests come back, a copy goes on where it ends, and no line is believed. */
#include "cmocka_headers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fault_loop.h"
#include "ledger_fixture.h"

#define NOON INT64_C(1795953600)

static sy_status write_text(void *user, const void *bytes, size_t size, sy_error *err)
{
    (void)err;
    sy_text_append_bytes(user, bytes, size);
    return SY_OK;
}

/* Lines that are read a few bytes at a time. */
typedef struct source {
    const char *bytes;
    size_t size;
    size_t at;
    size_t step;
} source;

static sy_status read_source(void *user, void *bytes, size_t size, size_t *ret_size, sy_error *err)
{
    source *s = user;
    size_t some = s->size - s->at;
    (void)err;
    some = some < size ? some : size;
    some = some < s->step ? some : s->step;
    memcpy(bytes, s->bytes + s->at, some);
    s->at += some;
    *ret_size = some;
    return SY_OK;
}

static sy_status import_bytes(sy_ledger *ledger, const char *bytes, size_t size, size_t step, uint64_t *ret_count,
                              sy_error *err)
{
    source s = {bytes, size, 0, step};
    return sy_ledger_import(ledger, read_source, &s, ret_count, err);
}

typedef struct fixture {
    sy_clock_manual clock;
    sy_ledger *ledger; /* with sessions, an import, a file, one series twice */
    sy_ledger *copy;   /* empty */
    sy_text lines;     /* of the ledger, files too */
} fixture;

static void fill(fixture *f)
{
    batch b = {.count = 0};
    char digest[65];
    sy_run_begin begin = fixture_import("import-1");
    append_session(f->ledger, "20261129-120000-000001");
    append_session(f->ledger, "20261129-120000-000002");
    assert_int_equal(sy_ledger_keep(f->ledger, "hello\n", 6, digest, NULL), SY_OK);
    batch_artifact(&b, "20261129-120000-000001", SY_ARTIFACT_LOG, digest, 6);
    batch_artifact(&b, "20261129-120000-000002", SY_ARTIFACT_LOG, digest, 6);
    batch_accept(&b, "20261129-120000-000002");
    batch_begin(&b, &begin);
    batch_series(&b, "import-1", "empty", fixture_samples, 0);
    batch_series(&b, "import-1", "wall", fixture_samples + 1, 2);
    batch_note(&b, "", "an end");
    batch_verdict(&b, "20261129-120000-000001", SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_INSIDE, 0);
    batch_signoff(&b, "20261129-120000-000001", 21);
    batch_selftest(&b, "matmul-small", true);
    assert_int_equal(batch_append(&b, f->ledger, NULL), SY_OK);
    assert_int_equal(sy_ledger_export(f->ledger, true, write_text, &f->lines, NULL, NULL), SY_OK);
}

static int start(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    if (f == NULL) {
        return -1;
    }
    sy_clock_manual_start(&f->clock, 0, NOON);
    f->ledger = open_ledger(NULL, &f->clock.clock);
    f->copy = open_ledger(NULL, &f->clock.clock);
    fill(f);
    *state = f;
    return 0;
}

static int stop(void **state)
{
    fixture *f = *state;
    sy_ledger_close(f->ledger);
    sy_ledger_close(f->copy);
    sy_text_finish(&f->lines);
    free(f);
    return 0;
}

static void assert_same_ledger(sy_ledger *a, sy_ledger *b)
{
    sy_ledger_head left;
    sy_ledger_head right;
    sy_ledger_verdict *verdict = NULL;
    assert_int_equal(sy_ledger_read_head(a, &left, NULL), SY_OK);
    assert_int_equal(sy_ledger_read_head(b, &right, NULL), SY_OK);
    assert_int_equal(left.number, right.number);
    assert_string_equal(left.digest, right.digest);
    assert_string_equal(left.ledger, right.ledger);
    assert_int_equal(sy_ledger_verify(b, NULL, &verdict, NULL), SY_OK);
    for (size_t i = 0; i < verdict->fault_count; i++) {
        print_message("%s: %s\n", verdict->faults[i].what, verdict->faults[i].message);
    }
    assert_int_equal(verdict->fault_total, 0);
    sy_ledger_verdict_destroy(verdict);
}

static void a_ledger_comes_back_with_the_same_digests_rows_samples_and_files(void **state)
{
    fixture *f = *state;
    uint64_t count = 0;
    sy_error err = SY_ERROR_INIT;
    sy_run *run = NULL;
    char *bytes = NULL;
    size_t size;
    sy_text again = SY_TEXT_INIT;
    for (size_t step = 1; step <= 4096; step *= 64) {
        sy_ledger *copy = open_ledger(NULL, &f->clock.clock);
        sy_status status = import_bytes(copy, f->lines.bytes, f->lines.length, step, &count, &err);
        if (status != SY_OK) {
            print_message("%s\n", err.what);
        }
        assert_int_equal(status, SY_OK);
        assert_same_ledger(f->ledger, copy);
        sy_ledger_close(copy);
    }
    assert_int_equal(count, 23);
    assert_int_equal(import_bytes(f->copy, f->lines.bytes, f->lines.length, 4096, &count, NULL), SY_OK);
    assert_int_equal(sy_ledger_run(f->copy, "20261129-120000-000002", &run, NULL), SY_OK);
    assert_true(run->row.accepted);
    assert_int_equal(sy_ledger_fetch(f->copy, run->artifacts[0].digest, &bytes, &size, NULL), SY_OK);
    assert_string_equal(bytes, "hello\n");
    sy_text_free(bytes);
    sy_run_destroy(run);
    assert_int_equal(sy_ledger_export(f->copy, true, write_text, &again, NULL, NULL), SY_OK);
    assert_string_equal(again.bytes, f->lines.bytes);
    sy_text_finish(&again);
}

static void an_export_tells_how_much_it_wrote(void **state)
{
    fixture *f = *state;
    sy_text lines = SY_TEXT_INIT;
    sy_ledger_exported exported;
    sy_ledger_head head;
    assert_int_equal(sy_ledger_export(f->ledger, true, write_text, &lines, &exported, NULL), SY_OK);
    assert_int_equal(sy_ledger_read_head(f->ledger, &head, NULL), SY_OK);
    assert_int_equal(exported.head.number, head.number);
    assert_string_equal(exported.head.digest, head.digest);
    assert_string_equal(exported.head.ledger, head.ledger);
    assert_int_equal(exported.run_count, 3);
    assert_int_equal(exported.artifact_count, 1); /* which two runs name */
    assert_int_equal(exported.byte_count, lines.length);
    sy_text_finish(&lines);
}

static void an_empty_ledger_is_exported_and_imported_as_one(void **state)
{
    fixture *f = *state;
    sy_text lines = SY_TEXT_INIT;
    uint64_t count = 7;
    sy_ledger_head head;
    sy_ledger *empty = open_ledger(NULL, &f->clock.clock);
    assert_int_equal(sy_ledger_export(empty, true, write_text, &lines, NULL, NULL), SY_OK);
    assert_int_equal(import_bytes(f->copy, lines.bytes, lines.length, 4096, &count, NULL), SY_OK);
    assert_int_equal(count, 0);
    assert_int_equal(sy_ledger_read_head(f->copy, &head, NULL), SY_OK);
    assert_int_equal(head.number, 0);
    sy_ledger_close(empty);
    sy_text_finish(&lines);
}

static void lines_without_files_leave_them_unverified_and_a_later_import_brings_them(void **state)
{
    fixture *f = *state;
    sy_text lines = SY_TEXT_INIT;
    uint64_t count = 0;
    sy_ledger_verdict *verdict = NULL;
    assert_int_equal(sy_ledger_export(f->ledger, false, write_text, &lines, NULL, NULL), SY_OK);
    assert_int_equal(import_bytes(f->copy, lines.bytes, lines.length, 4096, &count, NULL), SY_OK);
    assert_int_equal(sy_ledger_verify(f->copy, NULL, &verdict, NULL), SY_OK);
    assert_int_equal(verdict->fault_total, 0);
    assert_int_equal(verdict->artifact_count, 1);
    assert_int_equal(verdict->unverified_count, 1);
    sy_ledger_verdict_destroy(verdict);
    assert_int_equal(import_bytes(f->copy, f->lines.bytes, f->lines.length, 4096, &count, NULL), SY_OK);
    assert_int_equal(count, 0);
    assert_int_equal(sy_ledger_verify(f->copy, NULL, &verdict, NULL), SY_OK);
    assert_int_equal(verdict->unverified_count, 0);
    sy_ledger_verdict_destroy(verdict);
    sy_text_finish(&lines);
}

static void an_older_copy_goes_on_where_it_ends(void **state)
{
    fixture *f = *state;
    sy_text newer = SY_TEXT_INIT;
    uint64_t count = 0;
    batch b = {.count = 0};
    assert_int_equal(import_bytes(f->copy, f->lines.bytes, f->lines.length, 4096, &count, NULL), SY_OK);
    append_session(f->ledger, "20261129-120000-000003");
    batch_note(&b, "20261129-120000-000001", "looked at again");
    assert_int_equal(batch_append(&b, f->ledger, NULL), SY_OK);
    assert_int_equal(sy_ledger_export(f->ledger, true, write_text, &newer, NULL, NULL), SY_OK);
    assert_int_equal(import_bytes(f->copy, newer.bytes, newer.length, 4096, &count, NULL), SY_OK);
    assert_int_equal(count, 7);
    assert_same_ledger(f->ledger, f->copy);
    assert_int_equal(import_bytes(f->copy, f->lines.bytes, f->lines.length, 4096, &count, NULL), SY_OK); /* older */
    assert_int_equal(count, 0);
    assert_same_ledger(f->ledger, f->copy);
    sy_text_finish(&newer);
}

static void another_ledger_and_one_that_went_another_way_are_refused(void **state)
{
    fixture *f = *state;
    uint64_t count = 0;
    sy_error err = SY_ERROR_INIT;
    sy_ledger_head before;
    sy_ledger_head after;
    sy_text newer = SY_TEXT_INIT;
    sy_ledger *other = open_ledger(NULL, &f->clock.clock);
    append_session(other, "20261129-120000-000001");
    assert_int_equal(import_bytes(other, f->lines.bytes, f->lines.length, 4096, &count, &err), SY_REFUSED);
    assert_non_null(strstr(err.what, "it is the ledger"));
    sy_ledger_close(other);

    assert_int_equal(import_bytes(f->copy, f->lines.bytes, f->lines.length, 4096, &count, NULL), SY_OK);
    append_session(f->ledger, "20261129-120000-000003");
    append_session(f->copy, "20261129-120000-000004");
    assert_int_equal(sy_ledger_export(f->ledger, true, write_text, &newer, NULL, NULL), SY_OK);
    assert_int_equal(sy_ledger_read_head(f->copy, &before, NULL), SY_OK);
    assert_int_equal(import_bytes(f->copy, newer.bytes, newer.length, 4096, &count, &err), SY_REFUSED);
    assert_non_null(strstr(err.what, "event 24 "));
    assert_int_equal(sy_ledger_read_head(f->copy, &after, NULL), SY_OK);
    assert_string_equal(before.digest, after.digest);
    sy_text_finish(&newer);
}

static void assert_nothing_came(sy_ledger *ledger)
{
    sy_ledger_head head;
    assert_int_equal(sy_ledger_read_head(ledger, &head, NULL), SY_OK);
    assert_int_equal(head.number, 0);
}

static void a_file_that_is_cut_at_any_line_is_refused_whole(void **state)
{
    fixture *f = *state;
    uint64_t count = 99;
    size_t cuts = 0;
    for (size_t size = 0; size < f->lines.length; size++) {
        if (size > 0 && f->lines.bytes[size - 1] != '\n' && size % 37 != 0 && size + 1 != f->lines.length) {
            continue;
        }
        if (size + 1 == f->lines.length) {
            break; /* the last newline alone is missing: the end was told */
        }
        assert_int_equal(import_bytes(f->copy, f->lines.bytes, size, 4096, &count, NULL), SY_CORRUPT);
        cuts++;
    }
    assert_true(cuts > 40);
    assert_int_equal(count, 99);
    assert_nothing_came(f->copy);
    assert_int_equal(import_bytes(f->copy, f->lines.bytes, f->lines.length - 1, 4096, &count, NULL), SY_OK);
    assert_same_ledger(f->ledger, f->copy);
}

static void no_single_byte_can_change(void **state)
{
    fixture *f = *state;
    uint64_t count;
    size_t harmless = 0;
    for (size_t at = 0; at < f->lines.length; at += 3) {
        char kept = f->lines.bytes[at];
        sy_ledger *copy = open_ledger(NULL, &f->clock.clock);
        f->lines.bytes[at] = kept == 'a' ? 'b' : kept == '1' ? '2' : 'a';
        if (import_bytes(copy, f->lines.bytes, f->lines.length, 4096, &count, NULL) == SY_OK) {
            assert_same_ledger(f->ledger, copy); /* a word that stands for people alone: "tool" */
            harmless++;
        }
        f->lines.bytes[at] = kept;
        sy_ledger_close(copy);
    }
    assert_true(harmless < 40);
}

static void a_line_removed_doubled_or_moved_is_refused_with_its_number(void **state)
{
    fixture *f = *state;
    uint64_t count;
    const char *at = f->lines.bytes;
    for (size_t line = 1; *at != '\0'; line++) {
        size_t size = strcspn(at, "\n") + 1;
        size_t before = (size_t)(at - f->lines.bytes);
        sy_error err = SY_ERROR_INIT;
        sy_text without = SY_TEXT_INIT;
        sy_text doubled = SY_TEXT_INIT;
        sy_text_append_bytes(&without, f->lines.bytes, before);
        sy_text_append_bytes(&without, at + size, f->lines.length - before - size);
        assert_int_equal(import_bytes(f->copy, without.bytes, without.length, 4096, &count, &err), SY_CORRUPT);
        sy_text_append_bytes(&doubled, f->lines.bytes, before + size);
        sy_text_append_bytes(&doubled, at, f->lines.length - before);
        assert_int_equal(import_bytes(f->copy, doubled.bytes, doubled.length, 4096, &count, &err), SY_CORRUPT);
        assert_int_equal(err.position.line, line + 1);
        sy_text_finish(&without);
        sy_text_finish(&doubled);
        at += size;
    }
    assert_nothing_came(f->copy);
}

/* First lines that are none, and what the error says. */
static const struct {
    const char *lines;
    sy_status status;
    const char *word;
} strangers[] = {
    {"", SY_CORRUPT, "nothing"},
    {"\n", SY_CORRUPT, "line 1"},
    {"hello\n", SY_CORRUPT, "line 1"},
    {"{}\n", SY_CORRUPT, "line 1"},
    {"{\"line\":\"end\"}\n", SY_CORRUPT, "header"},
    {"{\"line\":\"ledger\",\"schema\":\"steelyard.profiles/1\"}\n", SY_CORRUPT, "schema"},
    {"{\"line\":\"ledger\",\"schema\":\"steelyard.ledger/2\"}\n", SY_VERSION_UNSUPPORTED, "steelyard.ledger/2"},
    {"{\"line\":\"ledger\",\"schema\":\"steelyard.ledger/1\",\"events\":-1}\n", SY_CORRUPT, "events"},
    {"{\"line\":\"ledger\",\"schema\":\"steelyard.ledger/1\",\"events\":1,\"head\":\"..\"}\n", SY_CORRUPT, "head"},
};

static void what_is_no_exported_ledger_is_refused(void **state)
{
    fixture *f = *state;
    uint64_t count;
    for (size_t i = 0; i < sizeof strangers / sizeof strangers[0]; i++) {
        sy_error err = SY_ERROR_INIT;
        assert_int_equal(import_bytes(f->copy, strangers[i].lines, strlen(strangers[i].lines), 4096, &count, &err),
                         strangers[i].status);
        assert_non_null(strstr(err.what, strangers[i].word));
    }
    assert_nothing_came(f->copy);
}

static void a_line_without_an_end_takes_no_more_memory_than_a_line_may(void **state)
{
    fixture *f = *state;
    uint64_t count;
    sy_error err = SY_ERROR_INIT;
    size_t size = (size_t)40 << 20;
    char *bytes = malloc(size);
    assert_non_null(bytes);
    memset(bytes, 'x', size);
    source s = {bytes, size, 0, 65536};
    assert_int_equal(sy_ledger_import(f->copy, read_source, &s, &count, &err), SY_CORRUPT);
    assert_non_null(strstr(err.what, "line 1 has more than"));
    assert_true(s.at < (size_t)34 << 20);
    free(bytes);
}

static sy_status stop_reading(void *user, void *bytes, size_t size, size_t *ret_size, sy_error *err)
{
    (void)user;
    (void)bytes;
    (void)size;
    (void)ret_size;
    return sy_fail(err, SY_IO, "the pipe broke");
}

static sy_status stop_writing(void *user, const void *bytes, size_t size, sy_error *err)
{
    (void)user;
    (void)bytes;
    (void)size;
    return sy_fail(err, SY_IO, "the disk is full");
}

static void what_the_caller_says_is_passed_through(void **state)
{
    fixture *f = *state;
    uint64_t count;
    assert_int_equal(sy_ledger_import(f->copy, stop_reading, NULL, &count, NULL), SY_IO);
    assert_int_equal(sy_ledger_export(f->ledger, true, stop_writing, NULL, NULL, NULL), SY_IO);
    append_session(f->ledger, "20261129-120000-000009"); /* no transaction was left open */
}

static void samples_of_many_pieces_come_back(void **state)
{
    enum { COUNT = 250000 }; /* 2 MB: three lines */
    fixture *f = *state;
    batch b = {.count = 0};
    sy_text lines = SY_TEXT_INIT;
    uint64_t count;
    sy_run_begin begin = fixture_import("import-2");
    double *samples = malloc(COUNT * sizeof *samples);
    assert_non_null(samples);
    for (size_t i = 0; i < COUNT; i++) {
        samples[i] = (double)i / 7;
    }
    batch_begin(&b, &begin);
    batch_series(&b, "import-2", "wall", samples, COUNT);
    assert_int_equal(batch_append(&b, f->ledger, NULL), SY_OK);
    assert_int_equal(sy_ledger_export(f->ledger, true, write_text, &lines, NULL, NULL), SY_OK);
    assert_int_equal(import_bytes(f->copy, lines.bytes, lines.length, 4096, &count, NULL), SY_OK);
    assert_same_ledger(f->ledger, f->copy);
    free(samples);
    sy_text_finish(&lines);
}

static sy_status import_once(void *user)
{
    fixture *f = user;
    uint64_t count;
    sy_ledger_options options = SY_LEDGER_OPTIONS_INIT;
    sy_ledger *copy = NULL;
    sy_text again = SY_TEXT_INIT;
    sy_status status = sy_ledger_open(&options, &copy, NULL);
    if (status == SY_OK) {
        status = import_bytes(copy, f->lines.bytes, f->lines.length, 4096, &count, NULL);
    }
    if (status == SY_OK) {
        status = sy_ledger_export(copy, true, write_text, &again, NULL, NULL);
    }
    status = again.failed ? SY_NO_MEMORY : status;
    sy_text_finish(&again);
    sy_ledger_close(copy);
    return status;
}

static void every_failed_allocation_is_told_and_leaks_nothing(void **state)
{
    assert_true(fault_loop_allocations(import_once, *state, true) > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_ledger_comes_back_with_the_same_digests_rows_samples_and_files, start, stop),
        cmocka_unit_test_setup_teardown(an_export_tells_how_much_it_wrote, start, stop),
        cmocka_unit_test_setup_teardown(an_empty_ledger_is_exported_and_imported_as_one, start, stop),
        cmocka_unit_test_setup_teardown(lines_without_files_leave_them_unverified_and_a_later_import_brings_them, start,
                                        stop),
        cmocka_unit_test_setup_teardown(an_older_copy_goes_on_where_it_ends, start, stop),
        cmocka_unit_test_setup_teardown(another_ledger_and_one_that_went_another_way_are_refused, start, stop),
        cmocka_unit_test_setup_teardown(a_file_that_is_cut_at_any_line_is_refused_whole, start, stop),
        cmocka_unit_test_setup_teardown(no_single_byte_can_change, start, stop),
        cmocka_unit_test_setup_teardown(a_line_removed_doubled_or_moved_is_refused_with_its_number, start, stop),
        cmocka_unit_test_setup_teardown(what_is_no_exported_ledger_is_refused, start, stop),
        cmocka_unit_test_setup_teardown(a_line_without_an_end_takes_no_more_memory_than_a_line_may, start, stop),
        cmocka_unit_test_setup_teardown(what_the_caller_says_is_passed_through, start, stop),
        cmocka_unit_test_setup_teardown(samples_of_many_pieces_come_back, start, stop),
        cmocka_unit_test_setup_teardown(every_failed_allocation_is_told_and_leaks_nothing, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
