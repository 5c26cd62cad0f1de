/* SPDX-License-Identifier: Apache-2.0 */
/* Files of other tools as runs of a project: each row once, whole or not at all, with nothing private. */
#include "cmocka_headers.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <steelyard/evidence.h>

#include "base/fault.h"
#include "base/text.h"
#include "imported_project.h"
#include "ledger/ledger.h"

static uint64_t head_of(const fixture *f)
{
    sy_ledger_head head;

    assert_int_equal(sy_ledger_read_head(sy_project_ledger(f->project), &head, NULL), SY_OK);
    return head.number;
}

static const char *value_of(const sy_named_text *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i].name, name) == 0)
            return list[i].value != NULL ? list[i].value : "(unknown)";
    }
    return "(absent)";
}

static const char results[] = "pkg: example.com/tree\nprecision: float32\nnote: quick\n"
                              "BenchmarkA-2 10 3 ns/op 8 B/op\n"
                              "--- FAIL: BenchmarkB-2\n    tree_test.go:7: broken\n"
                              "BenchmarkA-2 10 4 ns/op 8 B/op\n"
                              "BenchmarkC oops\n";

static void a_row_becomes_a_run_with_all_that_is_told_of_it(void **state)
{
    const fixture *f = *state;
    sy_project_import_options options = SY_PROJECT_IMPORT_OPTIONS_INIT;
    sy_imported *imported = parse(results);
    double *samples = NULL;
    size_t count = 0;
    sy_import_account *account;
    sy_run *run;

    options.name = "folder/of/somebody/results.txt";
    account = record(f, imported, &options);
    assert_int_equal(account->added_count, 2);
    assert_int_equal(account->failed_count, 1);
    assert_int_equal(account->run_count, 2);
    run = read_run(f, account->runs[0]);
    assert_int_equal(run->row.kind, SY_RUN_KIND_IMPORT);
    assert_int_equal(run->row.status, SY_RUN_IMPORTED);
    assert_int_equal(run->row.parity, SY_RUN_PARITY_UNKNOWN);
    assert_string_equal(run->row.tier, "");
    assert_string_equal(run->row.protocol, "import/go/1");
    assert_string_equal(run->row.cell, "go::A{pkg=example.com/tree,procs=2}");
    assert_string_equal(run->row.origin, "go");
    assert_string_equal(run->row.key_digest, "");
    assert_string_equal(run->begin.origin_digest, imported->digest);
    assert_string_equal(value_of(run->begin.parameters, run->begin.parameter_count, "procs"), "2");
    /* what is a field of the key stands there, what is none with the parameters */
    assert_string_equal(value_of(run->begin.parameters, run->begin.parameter_count, "note"), "quick");
    assert_string_equal(value_of(run->begin.parameters, run->begin.parameter_count, "precision"), "(absent)");
    assert_string_equal(value_of(run->begin.key.fields, run->begin.key.field_count, "precision"), "float32");
    assert_string_equal(value_of(run->begin.key.fields, run->begin.key.field_count, "protocol_version"), "import/go/1");
    assert_string_equal(value_of(run->begin.key.fields, run->begin.key.field_count, "source_dtype"), "(unknown)");
    assert_int_equal(run->series_count, 2);
    assert_string_equal(run->series[0].name, "sec/op");
    assert_string_equal(run->series[0].unit, "s");
    assert_true(run->series[0].minimum == 3e-9 && run->series[0].maximum == 4e-9);
    assert_int_equal(sy_ledger_samples(sy_project_ledger(f->project), run->series[0].digest, &samples, &count, NULL),
                     SY_OK);
    assert_int_equal(count, 2);
    assert_true(samples[0] == 3e-9 && samples[1] == 4e-9);
    sy_samples_free(samples);
    assert_int_equal(run->artifact_count, 1);
    assert_int_equal(run->artifacts[0].role, SY_ARTIFACT_SOURCE);
    assert_string_equal(run->artifacts[0].name, "results.txt");
    assert_string_equal(run->artifacts[0].digest, imported->digest);
    sy_run_destroy(run);
    sy_import_account_destroy(account);
    sy_imported_destroy(imported);
}

static void a_failed_row_is_a_run_whose_outcome_did_not_pass(void **state)
{
    const fixture *f = *state;
    sy_imported *imported = parse(results);
    sy_import_account *account = record(f, imported, NULL);
    sy_run *run = read_run(f, account->runs[1]);

    assert_int_equal(run->row.status, SY_RUN_IMPORTED);
    assert_int_equal(run->check_count, 1);
    assert_string_equal(run->checks[0].name, "outcome");
    assert_int_equal(run->checks[0].passed, 0);
    assert_string_equal(run->checks[0].found, "tree_test.go:7: broken");
    sy_run_destroy(run);
    sy_import_account_destroy(account);
    sy_imported_destroy(imported);
}

static void the_kept_file_is_the_very_bytes(void **state)
{
    const fixture *f = *state;
    sy_imported *imported = parse(results);
    sy_import_account *account = record(f, imported, NULL);
    char *bytes = NULL;
    size_t size = 0;
    sy_run *run;

    run = read_run(f, account->runs[0]);
    assert_string_equal(run->artifacts[0].name, "go"); /* of bytes from nowhere */
    sy_run_destroy(run);
    assert_true(account->file_is_kept);
    assert_int_equal(sy_ledger_fetch(sy_project_ledger(f->project), imported->digest, &bytes, &size, NULL), SY_OK);
    assert_int_equal(size, strlen(results));
    assert_memory_equal(bytes, results, size);
    sy_text_free(bytes);
    sy_import_account_destroy(account);
    sy_imported_destroy(imported);
}

static void the_same_file_again_adds_nothing_and_says_so(void **state)
{
    const fixture *f = *state;
    sy_imported *imported = parse(results);
    sy_import_account *first = record(f, imported, NULL);
    uint64_t head = head_of(f);
    sy_import_account *second = record(f, imported, NULL);

    assert_int_equal(first->head.number, head);
    assert_int_equal(head_of(f), head);
    assert_int_equal(second->added_count, 0);
    assert_int_equal(second->known_count, 2);
    assert_string_equal(first->runs[1], second->runs[1]);
    sy_import_account_destroy(first);
    sy_import_account_destroy(second);
    sy_imported_destroy(imported);
}

static void rows_that_are_equal_are_runs_of_their_own(void **state)
{
    const fixture *f = *state;
    sy_imported *imported = parse("note: a\nBenchmarkA 1 1 ns/op\nnote: b\nBenchmarkA 1 2 ns/op\n");
    sy_import_account *account = record(f, imported, NULL);
    sy_run *run;

    assert_int_equal(account->added_count, 2);
    assert_int_equal(account->repeated_count, 1);
    assert_string_not_equal(account->runs[0], account->runs[1]);
    run = read_run(f, account->runs[1]);
    assert_int_equal(run->begin.note_count, 1);
    assert_string_equal(run->begin.notes[0], "row 2 of this name and these parameters in the file");
    sy_run_destroy(run);
    sy_import_account_destroy(account);
    sy_imported_destroy(imported);
}

static sy_status find_private(void *user, const sy_ledger_event *event, sy_error *err)
{
    (void)err;
    *(bool *)user = *(bool *)user || strstr(event->bytes, "somebody/") != NULL ||
                    strstr(event->bytes, "hunter2") != NULL;
    return SY_OK;
}

static const char private_results[] =
    "{\"results\":[{\"command\":\"/home/somebody/bin/prog --password hunter2 x\","
    "\"mean\":1,\"times\":[1],\"parameters\":{\"/home/somebody/x\":\"/home/somebody/y\"}}]}";

static void what_is_private_is_taken_out_and_the_file_is_not_kept(void **state)
{
    const fixture *f = *state;
    sy_project_import_options options = SY_PROJECT_IMPORT_OPTIONS_INIT;
    sy_imported *imported = parse(private_results);
    sy_import_account *account = record(f, imported, NULL);
    bool found = false;
    char *bytes = NULL;
    size_t size = 0;
    sy_run *run = read_run(f, account->runs[0]);

    assert_string_equal(run->row.cell, "hyperfine::~/bin/prog --password [secret] x{~/x=~/y}");
    sy_run_destroy(run);
    assert_false(account->file_is_kept);
    assert_string_equal(account->not_kept, "a path into somebody's home stands in it");
    assert_int_equal(sy_ledger_fetch(sy_project_ledger(f->project), imported->digest, &bytes, &size, NULL),
                     SY_NOT_FOUND);
    assert_int_equal(sy_ledger_each(sy_project_ledger(f->project), 1, NULL, find_private, &found, NULL), SY_OK);
    assert_false(found);
    sy_import_account_destroy(account);
    sy_imported_destroy(imported);
    /* who says so keeps it */
    options.keep_file = true;
    imported = parse("{\"results\":[{\"command\":\"/home/somebody/bin/other\",\"mean\":1,\"times\":[1]}]}");
    account = record(f, imported, &options);
    assert_true(account->file_is_kept);
    assert_int_equal(sy_ledger_fetch(sy_project_ledger(f->project), imported->digest, &bytes, &size, NULL), SY_OK);
    sy_text_free(bytes);
    sy_import_account_destroy(account);
    sy_imported_destroy(imported);
}

static void a_dry_run_writes_nothing_and_needs_no_project(void **state)
{
    const fixture *f = *state;
    sy_project_import_options options = SY_PROJECT_IMPORT_OPTIONS_INIT;
    sy_imported *imported = parse(results);
    uint64_t head = head_of(f);
    sy_import_account *account = NULL;

    options.dry_run = true;
    account = record(f, imported, &options);
    assert_int_equal(account->added_count, 2);
    assert_true(account->file_is_kept);
    assert_int_equal(head_of(f), head);
    sy_import_account_destroy(account);
    account = NULL;
    assert_int_equal(sy_project_import(NULL, imported, &options, &account, NULL), SY_OK);
    assert_int_equal(account->added_count, 2);
    sy_import_account_destroy(account);
    assert_int_equal(sy_project_import(NULL, imported, NULL, &account, NULL), SY_INVALID_ARGUMENT);
    account = record(f, imported, NULL);
    sy_import_account_destroy(account);
    account = record(f, imported, &options);
    assert_int_equal(account->known_count, 2);
    assert_int_equal(account->added_count, 0);
    sy_import_account_destroy(account);
    sy_imported_destroy(imported);
}

static void a_cell_that_is_named_is_that_of_every_row(void **state)
{
    const fixture *f = *state;
    sy_project_import_options options = SY_PROJECT_IMPORT_OPTIONS_INIT;
    sy_imported *imported = parse(results);
    sy_import_account *account;

    options.cell = "tree.insert::cpu";
    account = record(f, imported, &options);
    for (size_t i = 0; i < account->run_count; i++) {
        sy_run *run = read_run(f, account->runs[i]);

        assert_string_equal(run->row.cell, "tree.insert::cpu");
        assert_string_equal(value_of(run->begin.key.fields, run->begin.key.field_count, "cell_id"), "tree.insert::cpu");
        sy_run_destroy(run);
    }
    sy_import_account_destroy(account);
    sy_imported_destroy(imported);
}

static void many_processes_record_a_file_once(void **state)
{
    enum { PROCESSES = 4 };
    const fixture *f = *state;
    sy_imported *imported = parse(results);
    sy_import_account *account;
    pid_t children[PROCESSES];

    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0) {
            sy_project *own = open_below(f->folder, false);
            sy_import_account *mine = NULL;
            sy_status status = sy_project_import(own, imported, NULL, &mine, NULL);

            _exit(status == SY_OK ? (int)mine->added_count : 100);
        }
    }
    int added = 0;
    for (int i = 0; i < PROCESSES; i++) {
        int ended = 0;

        assert_int_equal(waitpid(children[i], &ended, 0), children[i]);
        assert_true(WIFEXITED(ended));
        added += WEXITSTATUS(ended);
    }
    assert_int_equal(added, 2);
    account = record(f, imported, NULL);
    assert_int_equal(account->known_count, 2);
    sy_import_account_destroy(account);
    sy_imported_destroy(imported);
}

enum { MANY_ROWS = 2000 };

static sy_imported *many_rows(void)
{
    sy_text text = SY_TEXT_INIT;
    sy_imported *imported;

    for (int i = 0; i < MANY_ROWS; i++)
        sy_text_append_format(&text, "BenchmarkA%d 10 %d ns/op\n", i, i + 1);
    assert_false(text.failed);
    imported = parse(sy_text_bytes(&text));
    sy_text_finish(&text);
    assert_int_equal(imported->row_count, MANY_ROWS);
    return imported;
}

static sy_status count_imports(void *user, const sy_ledger_event *event, sy_error *err)
{
    (void)err;
    *(int *)user += event->kind == SY_EVENT_IMPORT;
    return SY_OK;
}

/* The kernel kills the child when its files grow beyond a size that the first part stays below. */
static void an_import_that_was_killed_goes_on_where_it_ended(void **state)
{
    const fixture *f = *state;
    sy_imported *imported = many_rows();
    sy_import_account *account;
    int imports = 0;
    int ended = 0;
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        const struct rlimit tight = {(rlim_t)5 << 20, (rlim_t)5 << 20};
        const struct rlimit no_core = {0, 0};
        sy_project *own = open_below(f->folder, false);

        (void)signal(SIGXFSZ, SIG_DFL);
        if (setrlimit(RLIMIT_CORE, &no_core) != 0 || setrlimit(RLIMIT_FSIZE, &tight) != 0)
            _exit(1);
        _exit(sy_project_import(own, imported, NULL, &account, NULL) == SY_OK ? 2 : 3);
    }
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_true(WIFSIGNALED(ended) && WTERMSIG(ended) == SIGXFSZ);
    assert_true(head_of(f) > 1);
    assert_int_equal(sy_ledger_each(sy_project_ledger(f->project), 1, NULL, count_imports, &imports, NULL), SY_OK);
    assert_int_equal(imports, 0);
    account = record(f, imported, NULL);
    assert_in_range(account->known_count, 1, MANY_ROWS - 1);
    assert_int_equal(account->known_count + account->added_count, MANY_ROWS);
    for (size_t i = 0; i < MANY_ROWS; i += MANY_ROWS - 1) {
        sy_run *run = read_run(f, account->runs[i]);

        assert_int_equal(run->series_count, 1);
        assert_true(fabs(run->series[0].minimum * 1e9 - (double)i - 1) < 1e-3);
        sy_run_destroy(run);
    }
    assert_int_equal(sy_ledger_each(sy_project_ledger(f->project), 1, NULL, count_imports, &imports, NULL), SY_OK);
    assert_int_equal(imports, 1);
    sy_import_account_destroy(account);
    account = record(f, imported, NULL);
    assert_int_equal(account->known_count, MANY_ROWS);
    sy_import_account_destroy(account);
    sy_imported_destroy(imported);
}

static void a_project_that_is_only_read_refuses(void **state)
{
    const fixture *f = *state;
    sy_project *reading = open_below(f->folder, true);
    sy_imported *imported = parse(results);
    sy_import_account *account = NULL;
    sy_error err = SY_ERROR_INIT;

    assert_int_equal(sy_project_import(reading, imported, NULL, &account, &err), SY_REFUSED);
    assert_true(err.what[0] != '\0');
    assert_null(account);
    sy_imported_destroy(imported);
    sy_project_close(reading);
}

/* Each time another file, since one that is recorded is known. */
static void without_memory_all_of_it_is_recorded_or_nothing(void **state)
{
    const fixture *f = *state;
    sy_registry *registry = NULL;
    uint64_t failures = 0;
    bool reached = true;

    assert_int_equal(sy_project_registry(f->project, &registry, NULL), SY_OK); /* which the project keeps */
    for (uint64_t n = 1; reached; n++) {
        char text[300];
        (void)snprintf(text, sizeof text, "note: %d\n%s", (int)n, results);
        sy_imported *imported = parse(text);
        sy_import_account *account = NULL;
        sy_error err = SY_ERROR_INIT;
        uint64_t before = head_of(f);
        int64_t alive = sy_fault_live_allocations();

        sy_fault_reset();
        sy_fault_fail_allocation(n, true);
        sy_status status = sy_project_import(f->project, imported, NULL, &account, &err);
        reached = sy_fault_allocations() >= n;
        sy_fault_reset();
        if (status == SY_OK) {
            assert_int_equal(head_of(f), account->head.number);
            assert_true(head_of(f) >= before + 8);
        } else {
            assert_int_equal(status, SY_NO_MEMORY);
            assert_int_equal(err.status, SY_NO_MEMORY);
            assert_null(account);
            assert_int_equal(head_of(f), before);
            failures++;
        }
        sy_import_account_destroy(account);
        assert_int_equal(sy_fault_live_allocations(), alive);
        sy_imported_destroy(imported);
    }
    assert_true(failures > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_row_becomes_a_run_with_all_that_is_told_of_it),
        TEST(a_failed_row_is_a_run_whose_outcome_did_not_pass),
        TEST(the_kept_file_is_the_very_bytes),
        TEST(the_same_file_again_adds_nothing_and_says_so),
        TEST(rows_that_are_equal_are_runs_of_their_own),
        TEST(what_is_private_is_taken_out_and_the_file_is_not_kept),
        TEST(a_dry_run_writes_nothing_and_needs_no_project),
        TEST(a_cell_that_is_named_is_that_of_every_row),
        TEST(many_processes_record_a_file_once),
        TEST(an_import_that_was_killed_goes_on_where_it_ended),
        TEST(a_project_that_is_only_read_refuses),
        TEST(without_memory_all_of_it_is_recorded_or_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
