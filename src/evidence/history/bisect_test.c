/* SPDX-License-Identifier: Apache-2.0 */
/* Which command finds a commit, in real repositories: the line is run and finds it; and every reason why there is none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/process.h"
#include "evidence/history/bisect.h"
#include "fault_loop.h"
#include "temporary_folder.h"

enum { COMMITS = 12, SLOWER_FROM = 7 };

/* A step that reads what stands in the tree: "slow" from commit SLOWER_FROM on. */
static const char step[] = "grep -q fast speed; code=$?; [ $code -le 1 ] || exit 125; exit $code";

typedef struct repository {
    char *folder; /* the temporary one */
    char top[512];
    char commits[COMMITS + 1][41]; /* from 1 */
} repository;

/* Runs words in a folder, and gives what they said. */
static void run_in(const char *folder, const char *const *words, char *said, size_t size)
{
    static const char *const environment[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/nonexistent",
                                              "GIT_CONFIG_GLOBAL=/dev/null",       "GIT_AUTHOR_NAME=a",
                                              "GIT_AUTHOR_EMAIL=a@example.org",    "GIT_COMMITTER_NAME=a",
                                              "GIT_COMMITTER_EMAIL=a@example.org", NULL};
    sy_process_options options = SY_PROCESS_OPTIONS_INIT;
    sy_text text = SY_TEXT_INIT, message = SY_TEXT_INIT;
    sy_process_report report = {0};
    options.argv = words;
    options.environment = environment;
    options.directory = folder;
    assert_int_equal(sy_process_run(&options, &sy_clock_system, 0, 1 << 20, &text, &message, &report, NULL), SY_OK);
    if (report.end != SY_PROCESS_EXITED || report.code != 0) {
        fail_msg("%s %s: %s%s", words[0], words[1], sy_text_bytes(&text), sy_text_bytes(&message));
    }
    if (said != NULL) {
        snprintf(said, size, "%s", sy_text_bytes(&text));
    }
    sy_text_finish(&text);
    sy_text_finish(&message);
}

#define GIT(folder, ...) \
    run_in(folder, (const char *const[]){"git", "-c", "protocol.file.allow=always", __VA_ARGS__, NULL}, NULL, 0)

static void put(const char *folder, const char *name, const char *text)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void head_of(const char *folder, char to[41])
{
    const char *const words[] = {"git", "rev-parse", "HEAD", NULL};
    run_in(folder, words, to, 41);
}

static int set_up(void **state)
{
    repository *r = calloc(1, sizeof *r);
    void *folder = NULL;
    char text[64];
    if (r == NULL || make_temporary_folder(&folder) != 0) {
        return -1;
    }
    r->folder = folder;
    snprintf(r->top, sizeof r->top, "%s/top", r->folder);
    assert_int_equal(mkdir(r->top, 0700), 0);
    GIT(r->top, "init", "-q", "-b", "main");
    for (int i = 1; i <= COMMITS; i++) {
        snprintf(text, sizeof text, "%s %d\n", i < SLOWER_FROM ? "fast" : "slow", i);
        put(r->top, "speed", text);
        GIT(r->top, "add", "speed");
        GIT(r->top, "commit", "-q", "-m", "next");
        head_of(r->top, r->commits[i]);
    }
    *state = r;
    return 0;
}

static int tear_down(void **state)
{
    repository *r = *state;
    void *folder = r->folder;
    free(r);
    return remove_temporary_folder(&folder);
}

typedef struct told {
    sy_arena *arena;
    sy_bisect bisect;
    const char *line;
    const char *note;
} told;

static told ask_with(const char *program, const char *folder, const char *before, const char *after, bool worse,
                     const char *shell_step)
{
    told t = {.arena = sy_arena_create(0)};
    sy_error error = SY_ERROR_INIT;
    const sy_bisect_question question = {before, after, worse, shell_step};
    if (sy_bisect_init(&t.bisect, program, folder, &sy_clock_system, t.arena, &error) != SY_OK ||
        sy_bisect_ask(&t.bisect, &question, &t.line, &t.note, &error) != SY_OK) {
        fail_msg("%s", error.what);
    }
    return t;
}

static told ask(const char *folder, const char *before, const char *after)
{
    return ask_with("git", folder, before, after, true, step);
}

static void finish(told *t)
{
    sy_bisect_finish(&t->bisect);
    sy_arena_destroy(t->arena);
}

static void expect_refusal(told t, const char *words)
{
    assert_string_equal(t.line, "");
    if (strstr(t.note, words) == NULL) {
        fail_msg("not '%s' but '%s'", words, t.note);
    }
    finish(&t);
}

/* Runs the line at the top, and wants it to end at the commit that changed the speed. */
static void expect_found(const repository *r, const told *t)
{
    char said[4096];
    char found[64];
    const char *const words[] = {"sh", "-c", t->line, NULL};
    run_in(r->top, words, said, sizeof said);
    snprintf(found, sizeof found, "%s is the first", r->commits[SLOWER_FROM]);
    if (strstr(said, found) == NULL) {
        fail_msg("'%s' is not in '%s'", found, said);
    }
    GIT(r->top, "bisect", "reset");
}

static void the_line_finds_the_commit(void **state)
{
    const repository *r = *state;
    told t = ask(r->top, r->commits[2], r->commits[11]);
    assert_non_null(strstr(t.note, "9 commits, about 4 sessions"));
    expect_found(r, &t);
    finish(&t);
}

static void what_became_better_is_found_by_other_words(void **state)
{
    const repository *r = *state;
    told t = ask_with("git", r->top, r->commits[2], r->commits[11], false, step);
    assert_non_null(strstr(t.line, "--term-new=after --term-old=before"));
    expect_found(r, &t);
    finish(&t);
}

static void a_step_with_quotes_and_blanks_stays_one_word(void **state)
{
    const repository *r = *state;
    told t = ask_with("git", r->top, r->commits[2], r->commits[11], true,
                      "name='sp'\"eed\"; grep -q \"fast\" \"$name\"; code=$?; [ $code -le 1 ] || exit 125; exit $code");
    expect_found(r, &t);
    finish(&t);
}

static void of_two_commits_one_apart_the_later_is_it(void **state)
{
    const repository *r = *state;
    char wanted[64];
    told t = ask(r->top, r->commits[6], r->commits[7]);
    snprintf(wanted, sizeof wanted, "git show %.12s", r->commits[7]);
    assert_string_equal(t.line, wanted);
    assert_string_equal(t.note, "the only commit between both");
    finish(&t);
}

static void without_a_step_the_beginning_is_told(void **state)
{
    const repository *r = *state;
    char wanted[128];
    told t = ask_with("git", r->top, r->commits[2], r->commits[11], true, NULL);
    snprintf(wanted, sizeof wanted, "git bisect start %.12s %.12s", r->commits[11], r->commits[2]);
    assert_string_equal(t.line, wanted);
    assert_non_null(strstr(t.note, "no gate says"));
    finish(&t);
}

static void a_folder_below_the_top_is_known(void **state)
{
    const repository *r = *state;
    char folder[600];
    snprintf(folder, sizeof folder, "%s/deep er", r->top);
    assert_int_equal(mkdir(folder, 0700), 0);
    told t = ask(folder, r->commits[2], r->commits[11]);
    assert_string_equal(t.bisect.prefix, "deep er/");
    expect_found(r, &t);
    finish(&t);
    t = ask(r->top, r->commits[2], r->commits[11]);
    assert_string_equal(t.bisect.prefix, "");
    finish(&t);
}

static void revisions_that_are_no_commits_are_refused(void **state)
{
    const repository *r = *state;
    char dirty[64];
    snprintf(dirty, sizeof dirty, "%s+0123456789ab", r->commits[3]);
    expect_refusal(ask(r->top, dirty, r->commits[9]), "the session before it was measured with changes");
    expect_refusal(ask(r->top, r->commits[3], dirty), "the session behind it was measured with changes");
    expect_refusal(ask(r->top, "", r->commits[9]), "nobody knows the revision of the session before it");
    expect_refusal(ask(r->top, r->commits[9], ""), "nobody knows the revision of the session behind it");
    expect_refusal(ask(r->top, "r4711", r->commits[9]), "is no commit of git: r4711");
    expect_refusal(ask(r->top, "--output=x", r->commits[9]), "is no commit of git");
    expect_refusal(ask(r->top, r->commits[9], r->commits[9]), "what changed is not in the sources");
}

static void commits_that_are_not_there_or_lead_nowhere_are_refused(void **state)
{
    const repository *r = *state;
    static const char nowhere[] = "0123456789abcdef0123456789abcdef01234567";
    char side[41];
    expect_refusal(ask(r->top, nowhere, r->commits[9]), "the commit 0123456789ab is not in this repository");
    expect_refusal(ask(r->top, r->commits[9], nowhere), "the commit 0123456789ab is not in this repository");
    expect_refusal(ask(r->top, r->commits[9], r->commits[3]), "is no ancestor of");
    GIT(r->top, "checkout", "-q", "-b", "side", r->commits[4]);
    GIT(r->top, "commit", "-q", "--allow-empty", "-m", "aside");
    head_of(r->top, side);
    expect_refusal(ask(r->top, r->commits[9], side), "is no ancestor of");
}

/* LED-1 of the field cases: the parent is there, and the way to it is not. */
static void a_shallow_history_leads_nowhere(void **state)
{
    const repository *r = *state;
    char url[600], shallow[600];
    snprintf(url, sizeof url, "file://%s", r->top);
    snprintf(shallow, sizeof shallow, "%s/shallow", r->folder);
    GIT(r->folder, "clone", "-q", "--depth", "1", url, "shallow");
    GIT(shallow, "fetch", "-q", "--depth", "1", "origin", r->commits[10]);
    GIT(shallow, "cat-file", "-e", r->commits[10]);
    expect_refusal(ask(shallow, r->commits[10], r->commits[12]), "the history is shallow here");
}

static void no_repository_and_no_git_are_told(void **state)
{
    const repository *r = *state;
    char git_folder[600];
    snprintf(git_folder, sizeof git_folder, "%s/.git", r->top);
    expect_refusal(ask(r->folder, r->commits[2], r->commits[9]), "in no working tree of git");
    expect_refusal(ask(git_folder, r->commits[2], r->commits[9]), "in no working tree of git");
    expect_refusal(ask_with("/nonexistent/git", r->top, r->commits[2], r->commits[9], true, step),
                   "the program git is not here");
    put(r->top, ".git/config", "[broken\n");
    expect_refusal(ask(r->top, r->commits[2], r->commits[9]), "git: fatal: bad config");
}

static sy_status ask_once(void *user)
{
    const repository *r = user;
    const sy_bisect_question question = {r->commits[2], r->commits[11], true, step};
    sy_arena *arena = sy_arena_create(0);
    sy_bisect bisect;
    const char *line = NULL, *note = NULL;
    if (arena == NULL) {
        return SY_NO_MEMORY;
    }
    sy_status status = sy_bisect_init(&bisect, "git", r->top, &sy_clock_system, arena, NULL);
    if (status == SY_OK) {
        status = sy_bisect_ask(&bisect, &question, &line, &note, NULL);
        sy_bisect_finish(&bisect);
    }
    sy_arena_destroy(arena);
    return status;
}

static void any_allocation_may_fail(void **state)
{
    assert_true(fault_loop_allocations(ask_once, *state, true) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_line_finds_the_commit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_became_better_is_found_by_other_words, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_step_with_quotes_and_blanks_stays_one_word, set_up, tear_down),
        cmocka_unit_test_setup_teardown(of_two_commits_one_apart_the_later_is_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_a_step_the_beginning_is_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_folder_below_the_top_is_known, set_up, tear_down),
        cmocka_unit_test_setup_teardown(revisions_that_are_no_commits_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(commits_that_are_not_there_or_lead_nowhere_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_shallow_history_leads_nowhere, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_repository_and_no_git_are_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(any_allocation_may_fail, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
