/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of appending: what is stored is what was hashed, the chain holds, all or nothing, and what may not enter. */
#include "cmocka_headers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/memory.h"
#include "fault_loop.h"
#include "ledger_fixture.h"

#define ID "20261129-233000-abcdef"
#define NOON INT64_C(1795953600) /* 2026-11-29T12:00:00Z */

typedef struct fixture {
    sy_clock_manual clock;
    sy_ledger *ledger;
} fixture;

static int start(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    if (f == NULL) {
        return -1;
    }
    sy_clock_manual_start(&f->clock, 0, NOON);
    f->ledger = open_ledger(NULL, &f->clock.clock);
    *state = f;
    return 0;
}

static int stop(void **state)
{
    fixture *f = *state;
    sy_ledger_close(f->ledger);
    free(f);
    return 0;
}

/* Events as a visit sees them, one after another. */
typedef struct seen {
    char text[16384];
    size_t count;
    char digest[65];
} seen;

static sy_status see(void *user, const sy_ledger_event *event, sy_error *err)
{
    seen *s = user;
    sy_digest digest;
    char hashed[65];
    (void)err;
    sy_digest_of(event->bytes, event->size, &digest);
    sy_digest_format(&digest, hashed);
    assert_string_equal(hashed, event->digest);
    assert_int_equal(strlen(event->bytes), event->size);
    strncat(s->text, event->bytes, sizeof s->text - strlen(s->text) - 2);
    strncat(s->text, "\n", 2);
    memcpy(s->digest, hashed, sizeof hashed);
    s->count++;
    return SY_OK;
}

static void the_first_append_opens_the_ledger_and_every_byte_is_as_written_down(void **state)
{
    fixture *f = *state;
    batch b = {.count = 0};
    sy_ledger_head head;
    seen s = {.count = 0};
    char expected[2048];
    batch_note(&b, "", "a note");
    assert_int_equal(sy_ledger_read_head(f->ledger, &head, NULL), SY_OK);
    assert_int_equal(head.number, 0);
    assert_string_equal(head.digest, "0000000000000000000000000000000000000000000000000000000000000000");
    assert_string_equal(head.ledger, "");
    assert_int_equal(sy_ledger_append(f->ledger, b.entries, 1, &head, NULL), SY_OK);
    batch_clear(&b);
    assert_int_equal(head.number, 2);
    assert_int_equal(strlen(head.ledger), 32);
    assert_int_equal(sy_ledger_each(f->ledger, 1, NULL, see, &s, NULL), SY_OK);
    assert_int_equal(s.count, 2);
    assert_string_equal(s.digest, head.digest);

    /* The first event and the digest of its bytes, put together here from the words of docs/formats.md. */
    char first[512];
    snprintf(first, sizeof first,
             "{\"at\":\"2026-11-29T12:00:00Z\",\"body\":{\"ledger\":\"%s\",\"tool\":\"%s\"},\"kind\":\"open\",\"n\":1,"
             "\"previous\":\"0000000000000000000000000000000000000000000000000000000000000000\",\"run\":\"\","
             "\"schema\":\"steelyard.event/1\"}",
             head.ledger, sy_version());
    sy_digest digest;
    char previous[65];
    sy_digest_of(first, strlen(first), &digest);
    sy_digest_format(&digest, previous);
    snprintf(expected, sizeof expected,
             "%s\n{\"at\":\"2026-11-29T12:00:00Z\",\"body\":{\"note\":\"a note\"},\"kind\":\"note\",\"n\":2,"
             "\"previous\":\"%s\",\"run\":\"\",\"schema\":\"steelyard.event/1\"}\n",
             first, previous);
    assert_string_equal(s.text, expected);
}

static void bodies_are_stored_canonically_and_whole_numbers_keep_their_digits(void **state)
{
    fixture *f = *state;
    batch b = {.count = 0};
    seen s = {.count = 0};
    batch_raw(&b, SY_EVENT_IMPORT, "",
              " { \"z\" : 1.50, \"a\" : [ 18446744073709551615, -9223372036854775808, 1e2, -0, \"\\u00e9\\/\" ],"
              " \"b\": null }\n");
    assert_int_equal(batch_append(&b, f->ledger, NULL), SY_OK);
    assert_int_equal(sy_ledger_each(f->ledger, 2, NULL, see, &s, NULL), SY_OK);
    assert_non_null(strstr(s.text, "\"body\":{\"a\":[18446744073709551615,-9223372036854775808,100,-0,\"\xc3\xa9/\"],"
                                   "\"b\":null,\"z\":1.5},\"kind\":\"import\""));
}

static void all_entries_of_one_call_enter_or_none(void **state)
{
    fixture *f = *state;
    batch b = {.count = 0};
    sy_ledger_head before;
    sy_ledger_head after;
    sy_error err = SY_ERROR_INIT;
    sy_run_row row;
    sy_arena *arena = sy_arena_create(0);
    sy_run_begin begin = fixture_begin("second-run");
    append_session(f->ledger, ID);
    assert_int_equal(sy_ledger_read_head(f->ledger, &before, NULL), SY_OK);
    batch_begin(&b, &begin);
    batch_lease(&b, "second-run", 9);
    batch_lease(&b, ID, 9); /* which ended */
    assert_int_equal(batch_append(&b, f->ledger, &err), SY_REFUSED);
    assert_non_null(strstr(err.what, ID));
    assert_non_null(strstr(err.what, "lease"));
    assert_int_equal(sy_ledger_read_head(f->ledger, &after, NULL), SY_OK);
    assert_int_equal(after.number, before.number);
    assert_int_equal(sy_ledger_row(f->ledger, arena, "second-run", &row, NULL), SY_NOT_FOUND);
    assert_int_equal(sy_ledger_row(f->ledger, arena, ID, &row, NULL), SY_OK);
    assert_int_equal(row.fence, 3);
    sy_arena_destroy(arena);
}

static void what_rests_on_a_head_enters_right_behind_it_alone(void **state)
{
    fixture *f = *state;
    batch b = {.count = 0};
    sy_ledger_head head, after;
    sy_error err = SY_ERROR_INIT;
    append_session(f->ledger, ID);
    assert_int_equal(sy_ledger_read_head(f->ledger, &head, NULL), SY_OK);
    batch_note(&b, ID, "rests on what stood there");
    assert_int_equal(sy_ledger_append_behind(f->ledger, head.number - 1, b.entries, b.count, NULL, &err), SY_STALE);
    assert_int_equal(sy_ledger_append_behind(f->ledger, head.number + 1, b.entries, b.count, NULL, &err), SY_STALE);
    assert_int_equal(sy_ledger_append_behind(f->ledger, head.number, b.entries, b.count, &after, &err), SY_OK);
    assert_int_equal(after.number, head.number + 1);
    assert_int_equal(sy_ledger_append_behind(f->ledger, head.number, b.entries, b.count, NULL, &err), SY_STALE);
    assert_int_equal(sy_ledger_read_head(f->ledger, &head, NULL), SY_OK);
    assert_int_equal(head.number, after.number);
    batch_clear(&b);
}

static void a_run_is_folded_as_it_grows_and_its_row_follows(void **state)
{
    fixture *f = *state;
    batch b = {.count = 0};
    sy_run_row row;
    sy_arena *arena = sy_arena_create(0);
    sy_run_begin begin = fixture_begin(ID);
    batch_begin(&b, &begin);
    assert_int_equal(batch_append(&b, f->ledger, NULL), SY_OK);
    assert_int_equal(sy_ledger_row(f->ledger, arena, ID, &row, NULL), SY_OK);
    assert_int_equal(row.status, SY_RUN_PLANNED);
    assert_int_equal(row.number, 2);
    batch_lease(&b, ID, 3);
    assert_int_equal(batch_append(&b, f->ledger, NULL), SY_OK);
    f->clock.utc = NOON - 3600; /* a clock that goes back changes no order */
    batch_series(&b, ID, "wall", fixture_samples, 3);
    batch_parity(&b, ID, SY_RUN_PARITY_PASSED);
    batch_end(&b, ID, SY_RUN_OK);
    assert_int_equal(batch_append(&b, f->ledger, NULL), SY_OK);
    assert_int_equal(sy_ledger_row(f->ledger, arena, ID, &row, NULL), SY_OK);
    assert_int_equal(row.status, SY_RUN_OK);
    assert_int_equal(row.sample_count, 3);
    assert_int_equal(row.began_utc_s, NOON);
    assert_int_equal(row.ended_utc_s, NOON - 3600);
    assert_int_equal(strlen(row.key_digest), 64);
    batch_accept(&b, ID);
    assert_int_equal(batch_append(&b, f->ledger, NULL), SY_OK);
    assert_int_equal(sy_ledger_row(f->ledger, arena, ID, &row, NULL), SY_OK);
    assert_true(row.accepted);
    sy_arena_destroy(arena);
}

static void an_import_takes_its_series_with_its_begin_and_never_later(void **state)
{
    fixture *f = *state;
    batch b = {.count = 0};
    sy_run_begin one = fixture_import("import-1");
    sy_run_begin two = fixture_import("import-2");
    batch_begin(&b, &one);
    batch_series(&b, "import-1", "wall", fixture_samples, 3);
    batch_parity(&b, "import-1", SY_RUN_PARITY_UNKNOWN);
    batch_begin(&b, &two);
    batch_series(&b, "import-2", "wall", fixture_samples, 2);
    assert_int_equal(batch_append(&b, f->ledger, NULL), SY_OK);
    batch_series(&b, "import-2", "wall", fixture_samples, 1);
    assert_int_equal(batch_append(&b, f->ledger, NULL), SY_REFUSED);

    sy_run_begin three = fixture_import("import-3");
    batch_begin(&b, &three);
    batch_note(&b, "", "between");
    batch_series(&b, "import-3", "wall", fixture_samples, 1);
    assert_int_equal(batch_append(&b, f->ledger, NULL), SY_REFUSED);
}

/* What may not enter, and the word that the error says. */
static const struct {
    sy_event_kind kind;
    const char *run;
    const char *body;
    sy_status status;
    const char *word;
} strangers[] = {
    {SY_EVENT_NOTE, "", "[]", SY_INVALID_ARGUMENT, "object"},
    {SY_EVENT_NOTE, "", "\"text\"", SY_INVALID_ARGUMENT, "object"},
    {SY_EVENT_NOTE, "", "", SY_INVALID_ARGUMENT, "body"},
    {SY_EVENT_NOTE, "", "{\"note\":\"a\"} {}", SY_INVALID_ARGUMENT, "body"},
    {SY_EVENT_NOTE, "", "{\"note\":\"a\",\"note\":\"b\"}", SY_INVALID_ARGUMENT, "twice"},
    {SY_EVENT_NOTE, "", "{\"note\":\"a\\u0000b\"}", SY_INVALID_ARGUMENT, "NUL"},
    {SY_EVENT_NOTE, "", "{\"note\":\"a\",\"x\\u0000\":1}", SY_INVALID_ARGUMENT, "NUL"},
    {SY_EVENT_NOTE, "", "{\"note\":\"a\xff\"}", SY_INVALID_ARGUMENT, "UTF-8"},
    {SY_EVENT_IMPORT, "", "{\"x\":NaN}", SY_INVALID_ARGUMENT, "number"},
    {SY_EVENT_IMPORT, "", "{\"x\":1e999}", SY_INVALID_ARGUMENT, "number"},
    {SY_EVENT_OPEN, "", "{}", SY_INVALID_ARGUMENT, "open"},
    {SY_EVENT_UNKNOWN, "", "{}", SY_INVALID_ARGUMENT, "unknown"},
    {SY_EVENT_LEASE, "", "{}", SY_INVALID_ARGUMENT, "no run"},
    {SY_EVENT_NOTE, "../up", "{\"note\":\"a\"}", SY_INVALID_ARGUMENT, "no id"},
    {SY_EVENT_NOTE, "a b", "{\"note\":\"a\"}", SY_INVALID_ARGUMENT, "no id"},
    {SY_EVENT_NOTE, "a'b", "{\"note\":\"a\"}", SY_INVALID_ARGUMENT, "no id"},
    {SY_EVENT_NOTE, "a\nb", "{\"note\":\"a\"}", SY_INVALID_ARGUMENT, "no id"},
    {SY_EVENT_NOTE, ".hidden", "{\"note\":\"a\"}", SY_INVALID_ARGUMENT, "no id"},
    {SY_EVENT_NOTE, "nobody", "{\"note\":\"a\"}", SY_NOT_FOUND, "nobody"},
    {SY_EVENT_NOTE, "", "{\"note\":\"see /home/jane/log\"}", SY_REFUSED, "home"},
    {SY_EVENT_IMPORT, "", "{\"/home/jane/x\":1}", SY_REFUSED, "name"},
    {SY_EVENT_IMPORT, "", "{\"a\":[\"--token hunter2hunter2\"]}", SY_REFUSED, "secret"},
};

static void what_may_not_enter_is_refused_and_nothing_is_written(void **state)
{
    fixture *f = *state;
    sy_ledger_head head;
    for (size_t i = 0; i < sizeof strangers / sizeof strangers[0]; i++) {
        batch b = {.count = 0};
        sy_error err = SY_ERROR_INIT;
        batch_raw(&b, strangers[i].kind, strangers[i].run, strangers[i].body);
        sy_status status = batch_append(&b, f->ledger, &err);
        if (status != strangers[i].status || strstr(err.what, strangers[i].word) == NULL) {
            print_message("%zu: %s\n", i, err.what);
        }
        assert_int_equal(status, strangers[i].status);
        assert_int_equal(err.status, strangers[i].status);
        assert_non_null(strstr(err.what, strangers[i].word));
        assert_null(strstr(err.what, "jane"));
        assert_null(strstr(err.what, "hunter2"));
    }
    assert_int_equal(sy_ledger_read_head(f->ledger, &head, NULL), SY_OK);
    assert_int_equal(head.number, 0);
    assert_int_equal(sy_ledger_append(f->ledger, NULL, 0, NULL, NULL), SY_INVALID_ARGUMENT);
}

static void a_body_of_more_than_16_mebibytes_is_refused(void **state)
{
    fixture *f = *state;
    const size_t limit = (size_t)16 << 20;
    char *body = malloc(limit + 64);
    assert_non_null(body);
    memset(body, 'x', limit + 64);
    memcpy(body, "{\"note\":\"", 9);
    sy_ledger_entry entry = {.kind = SY_EVENT_NOTE, .run = "", .body = body, .body_size = limit};
    memcpy(body + limit - 2, "\"}", 2);
    assert_int_equal(sy_ledger_append(f->ledger, &entry, 1, NULL, NULL), SY_OK);
    memset(body + limit - 2, 'x', 2);
    memcpy(body + limit - 1, "\"}", 2);
    entry.body_size = limit + 1;
    assert_int_equal(sy_ledger_append(f->ledger, &entry, 1, NULL, NULL), SY_LIMIT_EXCEEDED);
    free(body);
}

static void samples_are_those_that_the_event_names(void **state)
{
    static const double others[] = {1, 2, 3};
    fixture *f = *state;
    batch b = {.count = 0};
    sy_run_begin begin = fixture_begin(ID);
    batch_begin(&b, &begin);
    batch_lease(&b, ID, 3);
    assert_int_equal(batch_append(&b, f->ledger, NULL), SY_OK);
    batch_series(&b, ID, "wall", fixture_samples, 3);
    b.entries[0].samples = others;
    assert_int_equal(batch_append(&b, f->ledger, NULL), SY_INVALID_ARGUMENT);
    batch_series(&b, ID, "wall", fixture_samples, 3);
    b.entries[0].sample_count = 2;
    assert_int_equal(batch_append(&b, f->ledger, NULL), SY_INVALID_ARGUMENT);
    batch_note(&b, ID, "a note");
    b.entries[0].samples = others;
    b.entries[0].sample_count = 1;
    assert_int_equal(batch_append(&b, f->ledger, NULL), SY_INVALID_ARGUMENT);
}

static void a_file_is_kept_before_an_event_names_it(void **state)
{
    fixture *f = *state;
    batch b = {.count = 0};
    char digest[65];
    sy_run_begin begin = fixture_begin(ID);
    batch_begin(&b, &begin);
    assert_int_equal(batch_append(&b, f->ledger, NULL), SY_OK);
    batch_artifact(&b, ID, SY_ARTIFACT_LOG, "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824", 5);
    assert_int_equal(batch_append(&b, f->ledger, NULL), SY_NOT_FOUND);
    assert_int_equal(sy_ledger_keep(f->ledger, "hello", 5, digest, NULL), SY_OK);
    assert_string_equal(digest, "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824");
    batch_artifact(&b, ID, SY_ARTIFACT_LOG, digest, 4);
    assert_int_equal(batch_append(&b, f->ledger, NULL), SY_INVALID_ARGUMENT);
    batch_artifact(&b, ID, SY_ARTIFACT_LOG, digest, 5);
    assert_int_equal(batch_append(&b, f->ledger, NULL), SY_OK);
}

static void a_run_is_superseded_by_one_that_exists(void **state)
{
    fixture *f = *state;
    batch b = {.count = 0};
    sy_run_end end = {SY_RUN_SUPERSEDED, "", "", "20261129-233000-fffffe"};
    append_session(f->ledger, ID);
    BATCH_ADD(&b, SY_EVENT_END, ID, sy_run_end_write, &end);
    assert_int_equal(batch_append(&b, f->ledger, NULL), SY_NOT_FOUND);
    append_session(f->ledger, "20261129-233000-fffffe");
    BATCH_ADD(&b, SY_EVENT_END, ID, sy_run_end_write, &end);
    assert_int_equal(batch_append(&b, f->ledger, NULL), SY_OK);
}

static sy_status open_append_read(void *user)
{
    sy_ledger_options options = SY_LEDGER_OPTIONS_INIT;
    sy_ledger *ledger = NULL;
    sy_run *run = NULL;
    batch *b = user;
    sy_status status = sy_ledger_open(&options, &ledger, NULL);
    if (status == SY_OK) {
        status = sy_ledger_append(ledger, b->entries, b->count, NULL, NULL);
    }
    if (status == SY_OK) {
        status = sy_ledger_run(ledger, "last", &run, NULL);
    }
    sy_run_destroy(run);
    sy_ledger_close(ledger);
    return status;
}

static void every_failed_allocation_is_told_and_leaks_nothing(void **state)
{
    batch b = {.count = 0};
    sy_run_begin begin = fixture_begin(ID);
    (void)state;
    batch_begin(&b, &begin);
    batch_lease(&b, ID, 3);
    batch_series(&b, ID, "wall", fixture_samples, 3);
    batch_end(&b, ID, SY_RUN_OK);
    assert_true(fault_loop_allocations(open_append_read, &b, true) > 20);
    assert_true(fault_loop_allocations(open_append_read, &b, false) > 20);
    batch_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_first_append_opens_the_ledger_and_every_byte_is_as_written_down, start,
                                        stop),
        cmocka_unit_test_setup_teardown(bodies_are_stored_canonically_and_whole_numbers_keep_their_digits, start, stop),
        cmocka_unit_test_setup_teardown(all_entries_of_one_call_enter_or_none, start, stop),
        cmocka_unit_test_setup_teardown(what_rests_on_a_head_enters_right_behind_it_alone, start, stop),
        cmocka_unit_test_setup_teardown(a_run_is_folded_as_it_grows_and_its_row_follows, start, stop),
        cmocka_unit_test_setup_teardown(an_import_takes_its_series_with_its_begin_and_never_later, start, stop),
        cmocka_unit_test_setup_teardown(what_may_not_enter_is_refused_and_nothing_is_written, start, stop),
        cmocka_unit_test_setup_teardown(a_body_of_more_than_16_mebibytes_is_refused, start, stop),
        cmocka_unit_test_setup_teardown(samples_are_those_that_the_event_names, start, stop),
        cmocka_unit_test_setup_teardown(a_file_is_kept_before_an_event_names_it, start, stop),
        cmocka_unit_test_setup_teardown(a_run_is_superseded_by_one_that_exists, start, stop),
        cmocka_unit_test(every_failed_allocation_is_told_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
