/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of reading: runs by id, its beginning and "last", whole with all that was said; lists, keys, samples, files;
 * and of sixteen processes that write at once. */
#include "cmocka_headers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "ledger_fixture.h"
#include "temporary_folder.h"

#define NOON INT64_C(1795953600)

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

static void a_run_is_found_by_its_id_its_beginning_and_as_the_last_one(void **state)
{
    fixture *f = *state;
    sy_run *run = NULL;
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(sy_ledger_run(f->ledger, "last", &run, NULL), SY_NOT_FOUND);
    append_session(f->ledger, "20261129-120000-aaaaaa");
    append_session(f->ledger, "20261129-120000-aaabbb");
    append_session(f->ledger, "abcd");
    append_session(f->ledger, "abcdef");
    assert_int_equal(sy_ledger_run(f->ledger, "last", &run, NULL), SY_OK);
    assert_string_equal(run->row.id, "abcdef");
    sy_run_destroy(run);
    assert_int_equal(sy_ledger_run(f->ledger, "abcd", &run, NULL), SY_OK); /* whole, though another begins so */
    assert_string_equal(run->row.id, "abcd");
    sy_run_destroy(run);
    assert_int_equal(sy_ledger_run(f->ledger, "20261129-120000-aaab", &run, NULL), SY_OK);
    assert_string_equal(run->row.id, "20261129-120000-aaabbb");
    sy_run_destroy(run);
    run = NULL;
    assert_int_equal(sy_ledger_run(f->ledger, "2026", &run, &err), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(err.hint, "20261129-120000-aaaaaa, 20261129-120000-aaabbb"));
    assert_int_equal(sy_ledger_run(f->ledger, "202", &run, &err), SY_NOT_FOUND);
    assert_non_null(strstr(err.hint, "4 characters"));
    assert_int_equal(sy_ledger_run(f->ledger, "2025", &run, NULL), SY_NOT_FOUND);
    assert_int_equal(sy_ledger_run(f->ledger, "a'; DROP TABLE event; --", &run, NULL), SY_NOT_FOUND);
    assert_int_equal(sy_ledger_run(f->ledger, "2%29", &run, NULL), SY_NOT_FOUND);
    assert_null(run);
}

static void a_run_is_whole_with_all_that_was_said_in_order(void **state)
{
    fixture *f = *state;
    batch b = {.count = 0};
    char digest[65];
    sy_run *run = NULL;
    sy_run_begin begin = fixture_begin("probe-1");
    sy_run_decision decision = {.reason = "", .operation = "matmul", .reference = "a", .winner = "", .alpha = 0.05};
    sy_run_profile profile = {"profiles.json", "exact matmul", "blocked"};
    sy_run_check check = {"free-memory", 1, true, "4 GiB", "1 GiB"};
    sy_run_memory memory = {"peak", 4096, SY_MEMORY_PHYSICAL, SY_MEMORY_PROCESS, "", 0, 0, false};
    begin.kind = SY_RUN_KIND_DECISION;
    assert_int_equal(sy_ledger_keep(f->ledger, "log", 3, digest, NULL), SY_OK);
    batch_begin(&b, &begin);
    BATCH_ADD(&b, SY_EVENT_CHECK, "probe-1", sy_run_check_write, &check);
    batch_lease(&b, "probe-1", 3);
    batch_lease(&b, "probe-1", 4);
    for (int i = 0; i < 9; i++) {
        batch_series(&b, "probe-1", "wall", fixture_samples, 3);
    }
    batch_parity(&b, "probe-1", SY_RUN_PARITY_PASSED);
    BATCH_ADD(&b, SY_EVENT_MEMORY, "probe-1", sy_run_memory_write, &memory);
    batch_artifact(&b, "probe-1", SY_ARTIFACT_LOG, digest, 3);
    batch_note(&b, "probe-1", "first");
    batch_note(&b, "probe-1", "second");
    BATCH_ADD(&b, SY_EVENT_DECISION, "probe-1", sy_run_decision_write, &decision);
    batch_end(&b, "probe-1", SY_RUN_OK);
    BATCH_ADD(&b, SY_EVENT_PROFILE, "probe-1", sy_run_profile_write, &profile);
    assert_int_equal(batch_append(&b, f->ledger, NULL), SY_OK);
    assert_int_equal(sy_ledger_run(f->ledger, "probe-1", &run, NULL), SY_OK);
    assert_int_equal(run->event_count, 21);
    assert_int_equal(run->lease_count, 2);
    assert_int_equal(run->leases[1].fence, 4);
    assert_int_equal(run->check_count, 1);
    assert_int_equal(run->series_count, 9);
    assert_string_equal(run->series[8].name, "wall");
    assert_true(run->series[8].maximum == 0.5);
    assert_int_equal(run->parity_count, 1);
    assert_int_equal(run->memory_count, 1);
    assert_int_equal(run->artifact_count, 1);
    assert_string_equal(run->notes[1], "second");
    assert_non_null(run->decision);
    assert_int_equal(run->profile_count, 1);
    assert_int_equal(run->end_count, 1);
    assert_null(run->accept);
    assert_string_equal(run->begin.question, begin.question);
    assert_int_equal(strlen(run->digest), 64);
    sy_run_destroy(run);
}

static void of_a_run_as_much_is_read_as_is_asked_for(void **state)
{
    fixture *f = *state;
    sy_run *run = NULL;
    append_session(f->ledger, "run-1");
    assert_int_equal(sy_ledger_run_parts(f->ledger, "run-", SY_RUN_WITHOUT_SERIES, &run, NULL), SY_OK);
    assert_int_equal(run->event_count, 6); /* those of series too, which are counted alone */
    assert_int_equal(run->series_count, 0);
    assert_int_equal(run->row.series_count, 1); /* as the list says */
    assert_int_equal(run->row.status, SY_RUN_OK);
    assert_int_equal(run->parity_count, 1);
    assert_int_equal(run->end_count, 1);
    sy_run_destroy(run);
    assert_int_equal(sy_ledger_run_parts(f->ledger, "run-1", SY_RUN_BEGINNING, &run, NULL), SY_OK);
    assert_int_equal(run->event_count, 1);
    assert_string_equal(run->begin.question, "Is it as fast as it was?");
    assert_int_equal(run->lease_count + run->command_count + run->end_count, 0);
    assert_int_equal(run->row.series_count, 1);
    sy_run_destroy(run);
    assert_int_equal(sy_ledger_run_parts(f->ledger, "nothing", SY_RUN_BEGINNING, &run, NULL), SY_NOT_FOUND);
}

static void lists_are_the_newest_first_and_filters_say_what_they_cannot_mean(void **state)
{
    fixture *f = *state;
    sy_run_list *list = NULL;
    sy_key_list *keys = NULL;
    sy_run_filter filter = SY_RUN_FILTER_INIT;
    append_session(f->ledger, "run-1");
    append_session(f->ledger, "run-2");
    assert_int_equal(sy_ledger_runs(f->ledger, NULL, &list, NULL), SY_OK);
    assert_int_equal(list->row_count, 2);
    assert_string_equal(list->rows[0].id, "run-2");
    sy_run_list_destroy(list);
    filter.limit = 1;
    assert_int_equal(sy_ledger_runs(f->ledger, &filter, &list, NULL), SY_OK);
    assert_int_equal(list->row_count, 1);
    assert_int_equal(list->total_count, 2);
    sy_run_list_destroy(list);
    list = NULL;
    filter.revision = "0123";
    assert_int_equal(sy_ledger_runs(f->ledger, &filter, &list, NULL), SY_INVALID_ARGUMENT);
    filter.revision = NULL;
    filter.key_digest = "0123456";
    assert_int_equal(sy_ledger_keys(f->ledger, &filter, false, &keys, NULL), SY_INVALID_ARGUMENT);
    filter.struct_size = 1;
    assert_int_equal(sy_ledger_runs(f->ledger, &filter, &list, NULL), SY_INVALID_ARGUMENT);
    assert_int_equal(sy_ledger_keys(f->ledger, NULL, false, &keys, NULL), SY_OK);
    assert_int_equal(keys->row_count, 1);
    assert_int_equal(keys->rows[0].session_count, 2);
    assert_int_equal(keys->rows[0].key.field_count, 3);
    assert_string_equal(keys->rows[0].key.fields[1].value, "cpu");
    assert_string_equal(keys->rows[0].newest, "run-2");
    sy_key_list_destroy(keys);
    sy_run_list_destroy(NULL);
    sy_key_list_destroy(NULL);
}

/* Two objects on one folder: what the other appends is not seen before the release. */
static void a_reader_that_holds_sees_one_head(void **state)
{
    sy_clock_manual clock;
    sy_ledger_head head, later;
    sy_run *run = NULL;
    sy_run_list *list = NULL;
    sy_clock_manual_start(&clock, 0, NOON);
    sy_ledger *reader = open_ledger(*state, &clock.clock);
    sy_ledger *writer = open_ledger(*state, &clock.clock);
    append_session(writer, "first");
    assert_int_equal(sy_ledger_hold(reader, NULL), SY_OK);
    assert_int_equal(sy_ledger_read_head(reader, &head, NULL), SY_OK);
    append_session(writer, "second");
    assert_int_equal(sy_ledger_read_head(reader, &later, NULL), SY_OK);
    assert_int_equal(later.number, head.number);
    assert_int_equal(sy_ledger_runs(reader, NULL, &list, NULL), SY_OK);
    assert_int_equal(list->row_count, 1);
    sy_run_list_destroy(list);
    assert_int_equal(sy_ledger_run(reader, "last", &run, NULL), SY_OK); /* holds, too, and releases nothing of ours */
    assert_string_equal(run->row.id, "first");
    sy_run_destroy(run);
    assert_int_equal(sy_ledger_run(reader, "second", &run, NULL), SY_NOT_FOUND);
    sy_ledger_release(reader);
    assert_int_equal(sy_ledger_read_head(reader, &later, NULL), SY_OK);
    assert_true(later.number > head.number);
    assert_int_equal(sy_ledger_run(reader, "second", &run, NULL), SY_OK);
    sy_run_destroy(run);
    sy_ledger_close(writer);
    sy_ledger_close(reader);
}

static void samples_come_back_bit_for_bit(void **state)
{
    static const double samples[] = {0.1, NAN, -0.0, 5e-324, 1.7976931348623157e308};
    fixture *f = *state;
    batch b = {.count = 0};
    sy_run *run = NULL;
    double *read = NULL;
    size_t count = 7;
    sy_run_begin begin = fixture_import("import-1");
    batch_begin(&b, &begin);
    batch_series(&b, "import-1", "wall", samples, 5);
    batch_series(&b, "import-1", "none", samples, 0);
    assert_int_equal(batch_append(&b, f->ledger, NULL), SY_OK);
    assert_int_equal(sy_ledger_run(f->ledger, "import-1", &run, NULL), SY_OK);
    assert_int_equal(sy_ledger_samples(f->ledger, run->series[0].digest, &read, &count, NULL), SY_OK);
    assert_int_equal(count, 5);
    assert_true(isnan(read[1]));
    assert_true(signbit(read[2]) != 0);
    assert_memory_equal(&read[3], &samples[3], 2 * sizeof(double));
    sy_samples_free(read);
    assert_int_equal(sy_ledger_samples(f->ledger, run->series[1].digest, &read, &count, NULL), SY_OK);
    assert_int_equal(count, 0);
    sy_samples_free(read);
    read = NULL;
    sy_run_destroy(run);
    assert_int_equal(sy_ledger_samples(f->ledger, "xyz", &read, &count, NULL), SY_INVALID_ARGUMENT);
    assert_int_equal(sy_ledger_samples(f->ledger, "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
                                       &read, &count, NULL),
                     SY_NOT_FOUND);
    assert_null(read);
}

static void a_ledger_is_opened_as_it_is_asked_to_be(void **state)
{
    char folder[512];
    sy_ledger *ledger = NULL;
    sy_ledger_options options = SY_LEDGER_OPTIONS_INIT;
    batch b = {.count = 0};
    char digest[65];
    snprintf(folder, sizeof folder, "%s/new", (const char *)*state);
    options.folder = folder;
    assert_int_equal(sy_ledger_open(&options, &ledger, NULL), SY_NOT_FOUND);
    options.create = true;
    assert_int_equal(sy_ledger_open(&options, &ledger, NULL), SY_OK);
    append_session(ledger, "run-1");
    sy_ledger_close(ledger);
    options.create = false;
    options.read_only = true;
    assert_int_equal(sy_ledger_open(&options, &ledger, NULL), SY_OK);
    batch_note(&b, "", "no");
    assert_int_equal(batch_append(&b, ledger, NULL), SY_REFUSED);
    assert_int_equal(sy_ledger_keep(ledger, "x", 1, digest, NULL), SY_REFUSED);
    sy_ledger_close(ledger);
    options.folder = "";
    assert_int_equal(sy_ledger_open(&options, &ledger, NULL), SY_INVALID_ARGUMENT);
    options.struct_size = 1;
    assert_int_equal(sy_ledger_open(&options, &ledger, NULL), SY_INVALID_ARGUMENT);
    sy_ledger_close(NULL);
}

static void files_are_kept_once_and_an_altered_one_is_mended_by_keeping_it_again(void **state)
{
    char path[700];
    char digest[65];
    char *bytes = NULL;
    size_t size;
    sy_ledger *ledger = open_ledger(*state, &sy_clock_system);
    assert_int_equal(sy_ledger_keep(ledger, "hello", 5, digest, NULL), SY_OK);
    assert_string_equal(digest, "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824");
    snprintf(path, sizeof path, "%s/artifacts/2c", (const char *)*state);
    assert_int_equal(sy_ledger_keep(ledger, "hello", 5, digest, NULL), SY_OK);
    assert_int_equal(count_entries(path), 1);
    snprintf(path, sizeof path, "%s/artifacts/2c/%s", (const char *)*state, digest);
    assert_int_equal(sy_file_write(path, "hullo", 5, NULL, NULL), SY_OK);
    assert_int_equal(sy_ledger_fetch(ledger, digest, &bytes, &size, NULL), SY_CORRUPT);
    assert_int_equal(sy_ledger_keep(ledger, "hello", 5, digest, NULL), SY_OK);
    assert_int_equal(sy_ledger_fetch(ledger, digest, &bytes, &size, NULL), SY_OK);
    assert_string_equal(bytes, "hello");
    sy_text_free(bytes);
    bytes = NULL;
    assert_int_equal(sy_ledger_fetch(ledger, "../../etc/passwd", &bytes, &size, NULL), SY_INVALID_ARGUMENT);
    digest[0] = '0';
    assert_int_equal(sy_ledger_fetch(ledger, digest, &bytes, &size, NULL), SY_NOT_FOUND);
    assert_null(bytes);
    assert_int_equal(sy_ledger_keep(ledger, "", 0, digest, NULL), SY_OK);
    assert_int_equal(sy_ledger_fetch(ledger, digest, &bytes, &size, NULL), SY_OK);
    assert_int_equal(size, 0);
    sy_text_free(bytes);
    sy_ledger_close(ledger);
}

enum { WRITERS = 16, RUNS_EACH = 3 };

/* One of the crowd; ends the process. */
static void write_runs(const char *folder, int writer)
{
    sy_ledger_options options = SY_LEDGER_OPTIONS_INIT;
    sy_ledger *ledger = NULL;
    batch b = {.count = 0};
    options.folder = folder;
    if (sy_ledger_open(&options, &ledger, NULL) != SY_OK) {
        _exit(1);
    }
    for (int i = 0; i < RUNS_EACH; i++) {
        char id[32];
        snprintf(id, sizeof id, "writer-%02d-%d", writer, i);
        sy_run_begin begin = fixture_begin(id);
        batch_begin(&b, &begin);
        if (batch_append(&b, ledger, NULL) != SY_OK) {
            _exit(2);
        }
        batch_lease(&b, id, 3);
        batch_series(&b, id, "wall", fixture_samples, 3);
        batch_end(&b, id, SY_RUN_OK);
        if (batch_append(&b, ledger, NULL) != SY_OK) {
            _exit(3);
        }
    }
    sy_ledger_close(ledger);
    _exit(0);
}

static void sixteen_processes_append_at_once_and_nothing_is_lost(void **state)
{
    pid_t children[WRITERS];
    sy_run_list *list = NULL;
    sy_ledger_verdict *verdict = NULL;
    sy_ledger_close(open_ledger(*state, &sy_clock_system));
    for (int i = 0; i < WRITERS; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0) {
            write_runs(*state, i);
        }
    }
    for (int i = 0; i < WRITERS; i++) {
        int status = -1;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    sy_ledger *ledger = open_ledger(*state, &sy_clock_system);
    assert_int_equal(sy_ledger_runs(ledger, NULL, &list, NULL), SY_OK);
    assert_int_equal(list->row_count, WRITERS * RUNS_EACH);
    for (size_t i = 0; i < list->row_count; i++) {
        assert_int_equal(list->rows[i].status, SY_RUN_OK);
        assert_int_equal(list->rows[i].sample_count, 3);
    }
    sy_run_list_destroy(list);
    assert_int_equal(sy_ledger_verify(ledger, NULL, &verdict, NULL), SY_OK);
    assert_int_equal(verdict->fault_total, 0);
    assert_int_equal(verdict->event_count, 1 + 4 * WRITERS * RUNS_EACH);
    assert_int_equal(verdict->run_count, WRITERS * RUNS_EACH);
    sy_ledger_verdict_destroy(verdict);
    sy_ledger_close(ledger);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_run_is_found_by_its_id_its_beginning_and_as_the_last_one, start, stop),
        cmocka_unit_test_setup_teardown(a_run_is_whole_with_all_that_was_said_in_order, start, stop),
        cmocka_unit_test_setup_teardown(of_a_run_as_much_is_read_as_is_asked_for, start, stop),
        cmocka_unit_test_setup_teardown(lists_are_the_newest_first_and_filters_say_what_they_cannot_mean, start, stop),
        cmocka_unit_test_setup_teardown(a_reader_that_holds_sees_one_head, make_temporary_folder,
                                        remove_temporary_folder),
        cmocka_unit_test_setup_teardown(samples_come_back_bit_for_bit, start, stop),
        cmocka_unit_test_setup_teardown(a_ledger_is_opened_as_it_is_asked_to_be, make_temporary_folder,
                                        remove_temporary_folder),
        cmocka_unit_test_setup_teardown(files_are_kept_once_and_an_altered_one_is_mended_by_keeping_it_again,
                                        make_temporary_folder, remove_temporary_folder),
        cmocka_unit_test_setup_teardown(sixteen_processes_append_at_once_and_nothing_is_lost, make_temporary_folder,
                                        remove_temporary_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
