/* SPDX-License-Identifier: Apache-2.0 */
/* What is accepted into a baseline, and what stands in the way of it. */
#include "life_support.h"

#include <math.h>
#include <sys/wait.h>

#include "base/process.h"

static sy_run_acceptance *accept_run(life *l, const char *id)
{
    sy_run_accept_options options = SY_RUN_ACCEPT_OPTIONS_INIT;
    options.by = "J. Doe";
    sy_run_acceptance *acceptance = NULL;
    sy_error error = SY_ERROR_INIT;
    if (sy_project_accept(l->project, id, &options, &acceptance, &error) != SY_OK) {
        fail_msg("%s", error.what);
    }
    return acceptance;
}

static bool has_reason(const sy_run_acceptance *acceptance, const char *words)
{
    for (size_t i = 0; i < acceptance->reason_count; i++) {
        if (strstr(acceptance->reasons[i], words) != NULL) {
            return true;
        }
    }
    return false;
}
static void pass_parity(life *l, const char *id)
{
    sy_event_list events = life_events(id);
    const sy_run_parity_event parity = {SY_RUN_PARITY_PASSED, "", "", "", SY_NAN};
    assert_int_equal(sy_event_list_parity(&events, &parity, NULL), SY_OK);
    assert_int_equal(life_append(l, &events, NULL), SY_OK);
}

static void what_stands_in_the_way_is_listed_whole(void **state)
{
    life *l = *state;
    char id[64];
    sy_error error = SY_ERROR_INIT;
    life_start(l, LIFE_GATE, id);
    sy_run_acceptance *acceptance = accept_run(l, id);
    assert_false(acceptance->accepted);
    assert_true(has_reason(acceptance, "planned"));
    assert_true(has_reason(acceptance, "parity"));
    assert_true(has_reason(acceptance, "lease"));
    assert_true(has_reason(acceptance, "tree")); /* nobody knows its sources */
    assert_true(acceptance->reason_count >= 5);
    sy_run_acceptance_destroy(acceptance);
    life_work(l, id);
    assert_int_equal(life_finish(l, id, SY_RUN_OK, NULL, NULL, &error), SY_OK);
    acceptance = accept_run(l, id); /* without parity */
    assert_false(acceptance->accepted);
    assert_true(has_reason(acceptance, "its parity is unknown"));
    assert_false(has_reason(acceptance, "lease"));
    sy_run_acceptance_destroy(acceptance);
    sy_run *run = life_run(l, id);
    assert_null(run->accept);
    sy_run_destroy(run);
    sy_run_acceptance *none = NULL;
    sy_run_accept_options options = SY_RUN_ACCEPT_OPTIONS_INIT;
    sy_run_accept_options nobody = SY_RUN_ACCEPT_OPTIONS_INIT;
    options.by = "me";
    nobody.by = "  ";
    assert_int_equal(sy_project_accept(l->project, id, &nobody, &none, &error), SY_INVALID_ARGUMENT);
    assert_int_equal(sy_project_accept(l->project, "no-such", &options, &none, &error), SY_NOT_FOUND);
}

/* git in the project's folder. */
static void git(const life *l, const char *const *words)
{
    sy_process_options options = SY_PROCESS_OPTIONS_INIT;
    sy_text out = SY_TEXT_INIT, said = SY_TEXT_INIT;
    sy_process_report report = {0};
    options.argv = words;
    options.directory = l->root;
    assert_int_equal(sy_process_run(&options, &sy_clock_system, 0, 1 << 20, &out, &said, &report, NULL), SY_OK);
    if (report.code != 0) {
        fail_msg("%s", sy_text_bytes(&said));
    }
    sy_text_finish(&out);
    sy_text_finish(&said);
}

#define GIT(...) git(l, (const char *const[]){"git", "-c", "user.name=a", "-c", "user.email=a@b.c", __VA_ARGS__, NULL})

/* A repository around the project, committed. */
static void commit_all(const life *l)
{
    GIT("init", "-q");
    GIT("add", "-A");
    GIT("commit", "-q", "-m", "all");
}

static void ended_well(life *l, char id[64])
{
    life_start(l, LIFE_GATE, id);
    life_work(l, id);
    pass_parity(l, id);
    assert_int_equal(life_finish(l, id, SY_RUN_OK, NULL, NULL, NULL), SY_OK);
}

static void a_session_of_a_clean_tree_is_accepted_once(void **state)
{
    life *l = *state;
    char id[64];
    commit_all(l);
    ended_well(l, id);
    sy_run_acceptance *acceptance = accept_run(l, id);
    if (!acceptance->accepted) {
        fail_msg("%s", acceptance->reasons[0]);
    }
    assert_int_equal(acceptance->remark_count, 0);
    sy_run_acceptance_destroy(acceptance);
    acceptance = accept_run(l, id);
    assert_false(acceptance->accepted);
    assert_true(has_reason(acceptance, "already"));
    sy_run_acceptance_destroy(acceptance);
}

static void a_dirty_tree_is_accepted_with_its_difference_alone(void **state)
{
    life *l = *state;
    char id[64];
    commit_all(l);
    set_edit(l->root, LIFE_GATES, "Five sessions on different days", "Five sessions on other days");
    ended_well(l, id);
    sy_run *run = life_run(l, id);
    assert_int_equal(run->row.dirty, 1);
    assert_true(run->row.diff_is_kept);
    assert_non_null(strchr(run->row.revision, '+'));
    char *diff = NULL;
    size_t size = 0;
    assert_int_equal(sy_ledger_fetch(sy_project_ledger(l->project), run->begin.source.diff_digest, &diff, &size, NULL),
                     SY_OK);
    assert_non_null(strstr(diff, "+      \"next_gate\": \"Five sessions on other days"));
    sy_text_free(diff);
    sy_run_destroy(run);
    sy_run_acceptance *acceptance = accept_run(l, id);
    assert_true(acceptance->accepted);
    sy_run_acceptance_destroy(acceptance);
}

/* What git does not look at, or makes equal, is in no difference: nothing vouches for such a tree. */
static void a_difference_that_is_not_the_whole_is_not_accepted(void **state)
{
    static const char *const reasons[] = {"dirty", "dirty", "nobody knows"};
    life *l = *state;
    char id[64];
    commit_all(l);
    for (int i = 0; i < 3; i++) {
        if (i == 0) {
            GIT("update-index", "--assume-unchanged", "steelyard.json");
            set_edit(l->root, LIFE_GATES, "Five sessions on different days", "Five sessions on other days");
        } else if (i == 1) {
            GIT("update-index", "--no-assume-unchanged", "steelyard.json");
            GIT("checkout", "-q", "--", ".");
            GIT("config", "filter.same.clean", "git cat-file blob HEAD:evidence/coverage.md");
            set_write(l->root, ".git/info/attributes", "evidence/coverage.md filter=same\n", 33);
            set_write(l->root, "evidence/coverage.md", "other\n", 6);
        } else {
            GIT("config", "--unset", "filter.same.clean");
            GIT("checkout", "-q", "--", ".");
            GIT("update-index", "--add", "--cacheinfo", "160000,0123456789012345678901234567890123456789,sub");
            GIT("commit", "-q", "-m", "submodule");
            set_write(l->root, "sub/file", "text\n", 5);
        }
        ended_well(l, id);
        sy_run_acceptance *acceptance = accept_run(l, id);
        if (acceptance->accepted || !has_reason(acceptance, reasons[i])) {
            fail_msg("way %d: %s", i, acceptance->accepted ? "accepted" : acceptance->reasons[0]);
        }
        sy_run_acceptance_destroy(acceptance);
    }
}

static void two_commands_or_a_device_that_nobody_knows_are_no_session(void **state)
{
    life *l = *state;
    char id[64];
    set_edit(l->root, LIFE_GATES, "\"physical performance\",\n      \"command\": \"prlimit",
             "\"parity\",\n      \"command\": \"prlimit");
    commit_all(l);
    for (int i = 0; i < 2; i++) {
        sy_run_start_options options = life_options(l, i == 0 ? LIFE_GATE : LIFE_OTHER_GATE);
        sy_run_started *started = NULL;
        if (i == 1) {
            options.device = "nothing:0";
        }
        assert_int_equal(sy_project_start(l->project, &options, &started, NULL), SY_OK);
        if (!started->planned) {
            fail_msg("%s", started->reason);
        }
        snprintf(id, sizeof id, "%s", started->run);
        sy_run_started_destroy(started);
        life_work(l, id);
        if (i == 0) {
            life_command(l, id, "measure", 0, true);
        }
        pass_parity(l, id);
        assert_int_equal(life_finish(l, id, SY_RUN_OK, NULL, NULL, NULL), SY_OK);
        sy_run_acceptance *acceptance = accept_run(l, id);
        assert_false(acceptance->accepted);
        assert_true(has_reason(acceptance, i == 0 ? "more than one command" : "physical"));
        sy_run_acceptance_destroy(acceptance);
    }
}

/* Samples of a case, and what was said of the parity of another one; then numbers that are none. */
static void samples_without_parity_of_their_own_are_not_accepted(void **state)
{
    static const double number = 1e-3;
    static const double none = NAN;
    static const struct {
        const char *case_name, *implementation;
        const double *sample;
        const char *reason;
    } said[] = {{"small", "", &number, "parity of 'wall' in large of openblas"},
                {"large", "mkl", &number, "parity of 'wall' in large of openblas"},
                {"large", "openblas", &number, NULL},
                {"", "", &number, NULL},
                {"", "", &none, "usable"}};
    life *l = *state;
    commit_all(l);
    for (size_t i = 0; i < sizeof said / sizeof said[0]; i++) {
        char id[64];
        life_start(l, LIFE_GATE, id);
        life_lease_on(l, id, "", "", LIFE_BEGAN + 3600);
        life_command(l, id, "measure", 0, true);
        sy_event_list events = life_events(id);
        sy_run_series series = {.name = "wall",
                                .unit = "s",
                                .case_name = "large",
                                .implementation = "openblas",
                                .samples = said[i].sample,
                                .count = 1,
                                .note = ""};
        sy_run_parity_event parity = {SY_RUN_PARITY_PASSED, said[i].case_name, said[i].implementation, "", NAN};
        assert_int_equal(sy_event_list_series(&events, &series, NULL), SY_OK);
        assert_int_equal(sy_event_list_parity(&events, &parity, NULL), SY_OK);
        assert_int_equal(life_append(l, &events, NULL), SY_OK);
        assert_int_equal(life_finish(l, id, SY_RUN_OK, NULL, NULL, NULL), SY_OK);
        sy_run_acceptance *acceptance = accept_run(l, id);
        assert_int_equal(acceptance->accepted, said[i].reason == NULL);
        assert_true(said[i].reason == NULL || has_reason(acceptance, said[i].reason));
        sy_run_acceptance_destroy(acceptance);
    }
}

static void nothing_runs_once_the_sources_are_others(void **state)
{
    static const char *const argv[] = {"true"};
    static const char *const environment[] = {"PATH=/usr/local/bin:/usr/bin:/bin", NULL};
    static const char before[] = "Five sessions on different days";
    static const char after[] = "Five sessions on other days";
    life *l = *state;
    char id[64];
    sy_error error = SY_ERROR_INIT;
    sy_run_executed *executed = NULL;
    sy_run_exec_options options = SY_RUN_EXEC_OPTIONS_INIT;
    options.argv = argv;
    options.argc = 1;
    options.environment = environment;
    commit_all(l);
    set_edit(l->root, "evidence/gates.json",
             "steelyard measure {operation} --backend {platform} --implementations "
             "{implementation} --cases quick --runs 3",
             "true");
    life_start(l, LIFE_GATE, id);
    set_edit(l->root, LIFE_GATES, before, after);
    assert_int_equal(sy_project_exec(l->project, id, &options, &executed, &error), SY_REFUSED);
    assert_non_null(strstr(error.what, "the sources are not those"));
    sy_run *run = life_run(l, id);
    assert_int_equal(run->row.status, SY_RUN_PLANNED);
    sy_run_destroy(run);
    set_edit(l->root, LIFE_GATES, after, before);
    if (sy_project_exec(l->project, id, &options, &executed, &error) != SY_OK) {
        fail_msg("%s", error.what);
    }
    assert_int_equal(executed->status, SY_RUN_RUNNING);
    sy_run_executed_destroy(executed);
}

static void the_sixth_session_needs_a_verdict(void **state)
{
    life *l = *state;
    char id[64];
    commit_all(l);
    for (int i = 0; i < 6; i++) {
        ended_well(l, id);
        sy_run_acceptance *acceptance = accept_run(l, id);
        assert_int_equal(acceptance->accepted, i < 5);
        assert_true(i < 5 || has_reason(acceptance, "verdict"));
        sy_run_acceptance_destroy(acceptance);
    }
}

/* Who supersedes what was accepted cannot choose another five. */
static void a_superseded_session_still_counts_among_the_five(void **state)
{
    life *l = *state;
    char ids[7][64];
    commit_all(l);
    for (size_t i = 0; i < 7; i++) {
        ended_well(l, ids[i]);
    }
    for (size_t i = 0; i < 5; i++) {
        sy_run_acceptance *acceptance = accept_run(l, ids[i]);
        assert_true(acceptance->accepted);
        sy_run_acceptance_destroy(acceptance);
    }
    for (size_t i = 0; i < 2; i++) {
        sy_error error = SY_ERROR_INIT;
        if (life_finish(l, ids[i], SY_RUN_SUPERSEDED, "not this one", NULL, &error) != SY_OK) {
            fail_msg("%s", error.what);
        }
    }
    sy_run_acceptance *acceptance = accept_run(l, ids[6]);
    assert_false(acceptance->accepted);
    assert_true(has_reason(acceptance, "verdict"));
    sy_run_acceptance_destroy(acceptance);
}

/* The lease alone, and something that ran under it which measured nothing. */
static void a_lease_under_which_nothing_measured_is_not_enough(void **state)
{
    life *l = *state;
    char id[64];
    commit_all(l);
    life_start(l, LIFE_GATE, id);
    life_lease_on(l, id, "", "", LIFE_BEGAN + 3600);
    life_command(l, id, "smoke", 0, true);
    life_samples(l, id);
    pass_parity(l, id);
    assert_int_equal(life_finish(l, id, SY_RUN_OK, NULL, NULL, NULL), SY_OK);
    sy_run_acceptance *acceptance = accept_run(l, id);
    assert_false(acceptance->accepted);
    assert_true(has_reason(acceptance, "no command measured"));
    sy_run_acceptance_destroy(acceptance);
}

/* Six people accept a session of the same key at once. */
static void the_sixth_of_six_at_once_is_refused(void **state)
{
    life *l = *state;
    char ids[6][64];
    pid_t people[6];
    int accepted = 0;
    commit_all(l);
    for (size_t i = 0; i < 6; i++) {
        ended_well(l, ids[i]);
    }
    sy_project_close(l->project);
    l->project = NULL;
    for (size_t i = 0; i < 6; i++) {
        people[i] = fork();
        if (people[i] == 0) {
            life_open(l, false);
            _exit(accept_run(l, ids[i])->accepted ? 0 : 1);
        }
    }
    for (size_t i = 0; i < 6; i++) {
        int status = 0;
        assert_int_equal(waitpid(people[i], &status, 0), people[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) <= 1);
        accepted += WEXITSTATUS(status) == 0;
    }
    assert_int_equal(accepted, 5);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, life_set_up, life_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(what_stands_in_the_way_is_listed_whole),
        TEST(a_session_of_a_clean_tree_is_accepted_once),
        TEST(a_dirty_tree_is_accepted_with_its_difference_alone),
        TEST(a_difference_that_is_not_the_whole_is_not_accepted),
        TEST(two_commands_or_a_device_that_nobody_knows_are_no_session),
        TEST(samples_without_parity_of_their_own_are_not_accepted),
        TEST(nothing_runs_once_the_sources_are_others),
        TEST(the_sixth_session_needs_a_verdict),
        TEST(a_superseded_session_still_counts_among_the_five),
        TEST(a_lease_under_which_nothing_measured_is_not_enough),
        TEST(the_sixth_of_six_at_once_is_refused),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
