/* SPDX-License-Identifier: Apache-2.0 */
/* What a command measured is not lost when something else fails: its log, the ledger, an end that came too early. */
#include "exec_support.h"

#include <sys/stat.h>

#include "base/error.h"
#include "ledger/ledger_state.h"
#include "temporary_folder.h"

/* A ledger whose storage has been made busy for the next few transactions that write. */
typedef struct busy_ledger {
    sy_project *project;
    const sy_storage *whole;
    sy_storage storage;
    char run[SY_RUN_ID_SIZE];
    bool block_file; /* a folder has the name that the file of lost events would get */
    int asked;       /* transactions that met it busy */
    int left;
} busy_ledger;

static busy_ledger *busy;

static sy_status begin_busy(void *state, bool write, sy_error *err)
{
    if (!write || busy->left == 0)
        return busy->whole->begin(state, write, err);
    busy->left--;
    busy->asked++;
    return sy_fail(err, SY_BUSY, "somebody else writes");
}

static void lost_path(char *to, size_t size, const char *folder, const char *run)
{
    sy_device_lease_list *list = NULL;
    assert_int_equal(sy_device_leases(leases, &list, NULL), SY_OK);
    snprintf(to, size, "%s/lost-%s-%llu.jsonl", folder, run, (unsigned long long)list->leases[0].fence);
    sy_device_lease_list_destroy(list);
}

/* At the command's first word, when the lease has been written. */
static void become_busy(void *user, int stream, const void *bytes, size_t size)
{
    char path[900];
    (void)stream;
    (void)bytes;
    (void)size;
    busy = user;
    if (busy->block_file) {
        lost_path(path, sizeof(path), sy_project_evidence(busy->project), busy->run);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    sy_project_ledger(busy->project)->storage = &busy->storage;
}

static void start_busy(busy_ledger *b, const char *root, int times)
{
    memset(b, 0, sizeof(*b));
    b->project = open_project(root, &sy_clock_system);
    b->whole = sy_project_ledger(b->project)->storage;
    b->storage = *b->whole;
    b->storage.begin = begin_busy;
    b->left = times;
    begin_run(b->project, b->run);
}

static sy_status execute(busy_ledger *b, const char *temporary, sy_run_executed **ret_executed, sy_error *err)
{
    const char *argv[] = {"sh", "-c", "echo sample a 1 s >&3; echo sample a failed s >&3; echo now; sleep 0.2", NULL};
    const char *const environment[] = {"PATH=/usr/local/bin:/usr/bin:/bin", temporary, NULL};
    sy_run_exec_options options = options_for(argv);
    options.environment = environment;
    options.output = become_busy;
    options.user = b;
    return sy_project_exec(b->project, b->run, &options, ret_executed, err);
}

static void a_log_that_cannot_be_kept_takes_no_sample_with_it(void **state)
{
    sy_project *project = open_project(*state, &sy_clock_system);
    char id[SY_RUN_ID_SIZE];
    const char *argv[] = {"sh", "-c", "echo hello; echo sample a 1 s >&3; echo parity passed >&3", NULL};
    sy_run_exec_options options = options_for(argv);
    sy_run_executed *executed = NULL;
    sy_error err = SY_ERROR_INIT;
    begin_run(project, id);
    set_write(sy_project_evidence(project), "artifacts", "no folder", 9);
    if (sy_project_exec(project, id, &options, &executed, &err) != SY_OK)
        fail_msg("%s", err.what);
    assert_int_equal(executed->sample_count, 1);
    assert_int_equal(executed->artifact_count, 0);
    assert_int_equal(executed->remark_count, 1);
    assert_true(sy_text_begins(executed->remarks[0], "file 'measure.stdout' is not kept: "));
    sy_run *run = read_run(project, id);
    assert_int_equal(run->series_count, 1);
    assert_int_equal(run->command_count, 1);
    assert_int_equal(run->row.parity, SY_RUN_PARITY_PASSED);
    sy_run_destroy(run);
    sy_run_executed_destroy(executed);
    sy_project_close(project);
}

static void a_ledger_that_is_busy_once_is_asked_again(void **state)
{
    busy_ledger b;
    sy_run_executed *executed = NULL;
    start_busy(&b, *state, 1);
    assert_int_equal(execute(&b, "A=b", &executed, NULL), SY_OK);
    assert_int_equal(b.asked, 1);
    sy_run *run = read_run(b.project, b.run);
    assert_int_equal(run->series_count, 1);
    sy_run_destroy(run);
    sy_run_executed_destroy(executed);
    expect_whole(b.project);
    sy_project_close(b.project);
}

static void expect_lost_events(const char *folder, const char *run, const sy_error *err)
{
    char path[900];
    size_t size = 0;
    lost_path(path, sizeof(path), folder, run);
    assert_non_null(strstr(err->hint, path));
    char *text = set_read("", path, &size);
    assert_true(sy_text_begins(text, "{\"body\":{"));
    assert_non_null(strstr(text, "\"kind\":\"command\""));
    assert_non_null(strstr(text, ",\"samples\":[1,null]}\n"));
    assert_non_null(strstr(text, run));
    free(text);
}

static void what_the_ledger_does_not_take_is_written_beside_it(void **state)
{
    busy_ledger b;
    sy_run_executed *executed = NULL;
    sy_error err = SY_ERROR_INIT;
    start_busy(&b, *state, 2);
    assert_int_equal(execute(&b, "A=b", &executed, &err), SY_BUSY);
    assert_string_equal(err.what, "somebody else writes");
    assert_int_equal(b.asked, 2);
    assert_null(executed);
    expect_lost_events(sy_project_evidence(b.project), b.run, &err);
    sy_project_close(b.project);
}

static void or_where_passing_files_are(void **state)
{
    busy_ledger b;
    sy_run_executed *executed = NULL;
    sy_error err = SY_ERROR_INIT;
    char temporary[700];
    start_busy(&b, *state, 2);
    b.block_file = true;
    snprintf(temporary, sizeof(temporary), "TMPDIR=%s", (const char *)*state);
    assert_int_equal(execute(&b, temporary, &executed, &err), SY_BUSY);
    expect_lost_events(*state, b.run, &err);
    sy_project_close(b.project);
}

/* Its own command says that the run is over. */
static void finish_too_early(void *user, int stream, const void *bytes, size_t size)
{
    busy_ledger *b = user;
    sy_error err = SY_ERROR_INIT;
    sy_run_finish_options options = SY_RUN_FINISH_OPTIONS_INIT;
    sy_run_finished *finished = NULL;
    (void)stream;
    (void)bytes;
    (void)size;
    options.run = b->run;
    options.end = (sy_run_end){SY_RUN_OK, "", "", ""};
    assert_int_equal(sy_project_finish(b->project, &options, &finished, &err), SY_BUSY);
    assert_non_null(strstr(err.what, "it is still executed"));
    b->asked++;
}

static void a_run_that_is_executed_is_not_finished_meanwhile(void **state)
{
    busy_ledger b;
    const char *argv[] = {"sh", "-c", "echo sample a 1 s >&3; echo now; sleep 0.2", NULL};
    sy_run_exec_options options = options_for(argv);
    sy_run_finish_options end = SY_RUN_FINISH_OPTIONS_INIT;
    sy_run_executed *executed = NULL;
    sy_run_finished *finished = NULL;
    start_busy(&b, *state, 0);
    options.output = finish_too_early;
    options.user = &b;
    assert_int_equal(sy_project_exec(b.project, b.run, &options, &executed, NULL), SY_OK);
    assert_true(b.asked > 0);
    assert_int_equal(executed->sample_count, 1);
    sy_run_executed_destroy(executed);
    end.run = b.run;
    end.end = (sy_run_end){SY_RUN_OK, "", "", ""};
    assert_int_equal(sy_project_finish(b.project, &end, &finished, NULL), SY_OK);
    sy_run_finished_destroy(finished);
    sy_project_close(b.project);
}

int main(void)
{
#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_temporary_folder, remove_temporary_folder)
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(a_log_that_cannot_be_kept_takes_no_sample_with_it),
        IN_A_FOLDER(a_ledger_that_is_busy_once_is_asked_again),
        IN_A_FOLDER(what_the_ledger_does_not_take_is_written_beside_it),
        IN_A_FOLDER(or_where_passing_files_are),
        IN_A_FOLDER(a_run_that_is_executed_is_not_finished_meanwhile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
