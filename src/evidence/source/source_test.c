/* SPDX-License-Identifier: Apache-2.0 */
/* Real repositories in temporary folders: clean and dirty, detached, shallow, bare, damaged, with submodules that hide
 * their changes, and no repository or git at all. */
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

#include "base/digest.h"
#include "base/process.h"
#include "evidence/source/source.h"
#include "fault_loop.h"
#include "temporary_folder.h"

/* Runs words in a folder and wants them to succeed. */
static void run(const char *folder, const char *const *words)
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
        fail_msg("%s %s: %s", words[0], words[1], sy_text_bytes(&message));
    }
    sy_text_finish(&text);
    sy_text_finish(&message);
}

#define GIT(folder, ...) \
    run(folder, (const char *const[]){"git", "-c", "protocol.file.allow=always", __VA_ARGS__, NULL})

static void put(const char *folder, const char *name, const char *bytes, size_t size)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

#define put_text(folder, name, text) put(folder, name, text, strlen(text))

/* A repository with one commit of one file, at folder/name. */
static void make_repository(const char *folder, const char *name, char to[512])
{
    snprintf(to, 512, "%s/%s", folder, name);
    assert_int_equal(mkdir(to, 0700), 0);
    GIT(to, "init", "-q", "-b", "main");
    put_text(to, "file", "one\n");
    GIT(to, "add", "file");
    GIT(to, "commit", "-q", "-m", "first");
}

typedef struct told {
    sy_arena *arena;
    sy_source source;
} told;

static told describe_with(const sy_source_options *options)
{
    told t = {.arena = sy_arena_create(0)};
    sy_error error = SY_ERROR_INIT;
    assert_non_null(t.arena);
    if (sy_source_describe(options, t.arena, &t.source, &error) != SY_OK) {
        fail_msg("%s", error.what);
    }
    return t;
}

static told describe(const char *folder)
{
    sy_source_options options = SY_SOURCE_OPTIONS_INIT;
    options.folder = folder;
    return describe_with(&options);
}

static void finish(told *t)
{
    sy_source_finish(&t->source);
    sy_arena_destroy(t->arena);
}

static void expect_dirty(const char *folder, int dirty)
{
    told t = describe(folder);
    assert_int_equal(t.source.run.dirty, dirty);
    finish(&t);
}

static void a_clean_tree_has_revision_branch_and_number(void **state)
{
    char folder[512];
    unsetenv("HOME"); /* nobody's settings are needed */
    make_repository(*state, "r", folder);
    put_text(folder, "file", "two\n");
    GIT(folder, "commit", "-q", "-a", "-m", "second");
    told t = describe(folder);
    assert_int_equal(t.source.state, SY_SOURCE_KNOWN);
    assert_string_equal(t.source.reason, "");
    assert_string_equal(t.source.run.control, "git");
    assert_int_equal(strlen(t.source.run.revision), 40);
    assert_string_equal(t.source.run.branch, "main");
    assert_int_equal(t.source.run.ordinal, 2);
    assert_int_equal(t.source.run.shallow, 0);
    assert_int_equal(t.source.run.dirty, 0);
    assert_int_equal(t.source.run.untracked_count, 0);
    assert_null(t.source.diff);
    assert_string_equal(t.source.run.diff_digest, "");
    finish(&t);
}

static void unknown_files_are_counted_and_make_nothing_dirty(void **state)
{
    char folder[512];
    make_repository(*state, "r", folder);
    put_text(folder, ".gitignore", "ignored\n");
    put_text(folder, "ignored", "");
    put_text(folder, "name with\nline feed", "");
    put_text(folder, "name \xff\xfe of no UTF-8", "");
    told t = describe(folder);
    assert_int_equal(t.source.run.dirty, 0);
    assert_int_equal(t.source.run.untracked_count, 3);
    finish(&t);
}

static void a_dirty_tree_keeps_its_difference_whatever_the_bytes(void **state)
{
    char folder[512];
    make_repository(*state, "r", folder);
    put(folder, "line\nfeed \xff", "\0\1\2", 3);
    GIT(folder, "add", "-A");
    GIT(folder, "commit", "-q", "-m", "binary");
    put(folder, "line\nfeed \xff", "\0\1\2\xff\xfe", 5);
    put_text(folder, "new", "new\n");
    GIT(folder, "add", "new");
    told t = describe(folder);
    sy_digest digest;
    char text[SY_DIGEST_TEXT];
    assert_int_equal(t.source.run.dirty, 1);
    assert_int_equal(t.source.run.untracked_count, 0);
    assert_non_null(strstr(t.source.diff, "GIT binary patch"));
    assert_non_null(strstr(t.source.diff, "+new\n"));
    sy_digest_of(t.source.diff, t.source.diff_size, &digest);
    sy_digest_format(&digest, text);
    assert_string_equal(t.source.run.diff_digest, text);
    /* The difference makes the tree again from its commit. */
    char copy[600], patch[600];
    snprintf(copy, sizeof copy, "%s/copy", (const char *)*state);
    snprintf(patch, sizeof patch, "%s/patch", (const char *)*state);
    put(*state, "patch", t.source.diff, t.source.diff_size);
    GIT(*state, "clone", "-q", folder, copy);
    GIT(copy, "apply", "--index", patch);
    told again = describe(copy);
    assert_string_equal(again.source.run.diff_digest, t.source.run.diff_digest);
    finish(&again);
    finish(&t);
}

static void settings_of_the_user_do_not_change_the_difference(void **state)
{
    char folder[512];
    make_repository(*state, "r", folder);
    put_text(folder, "file", "two\n");
    told plain = describe(folder);
    GIT(folder, "config", "diff.noprefix", "true");
    GIT(folder, "config", "diff.external", "/bin/false");
    GIT(folder, "config", "color.ui", "always");
    GIT(folder, "config", "diff.context", "9");
    GIT(folder, "config", "core.fsmonitor", "touch ran; false");
    told changed = describe(folder);
    assert_non_null(plain.source.diff);
    assert_string_equal(plain.source.run.diff_digest, changed.source.run.diff_digest);
    char ran[600];
    snprintf(ran, sizeof ran, "%s/ran", folder);
    assert_int_equal(access(ran, F_OK), -1);
    finish(&plain);
    finish(&changed);
}

static void a_detached_head_has_no_branch(void **state)
{
    char folder[512];
    make_repository(*state, "r", folder);
    GIT(folder, "checkout", "-q", "--detach");
    told t = describe(folder);
    assert_int_equal(t.source.state, SY_SOURCE_KNOWN);
    assert_string_equal(t.source.run.branch, "");
    assert_int_equal(t.source.run.ordinal, 1);
    finish(&t);
}

static void a_shallow_clone_has_no_number(void **state)
{
    char folder[512], from[600], copy[600];
    make_repository(*state, "r", folder);
    put_text(folder, "file", "two\n");
    GIT(folder, "commit", "-q", "-a", "-m", "second");
    snprintf(from, sizeof from, "file://%s", folder);
    snprintf(copy, sizeof copy, "%s/copy", (const char *)*state);
    GIT(*state, "clone", "-q", "--depth", "1", from, copy);
    told t = describe(copy);
    assert_int_equal(t.source.run.shallow, 1);
    assert_int_equal(t.source.run.ordinal, -1);
    assert_int_equal(strlen(t.source.run.revision), 40);
    finish(&t);
}

/* folder/outer with folder/inner as lib/inner, ignored by .gitmodules. */
static void make_submodule(const char *folder, char outer[512], char inside[600])
{
    char inner[512];
    make_repository(folder, "inner", inner);
    make_repository(folder, "outer", outer);
    GIT(outer, "submodule", "add", "-q", inner, "lib/inner");
    GIT(outer, "config", "-f", ".gitmodules", "submodule.lib/inner.ignore", "all");
    GIT(outer, "add", "-A");
    GIT(outer, "commit", "-q", "-m", "submodule");
    snprintf(inside, 600, "%s/lib/inner", outer);
}

static void a_submodule_is_seen_to_be_dirty_whatever_gitmodules_says(void **state)
{
    char outer[512], inside[600];
    make_submodule(*state, outer, inside);
    expect_dirty(outer, 0);
    put_text(inside, "unknown", "");
    told unknown = describe(outer);
    assert_int_equal(unknown.source.run.dirty, 0);
    assert_int_equal(unknown.source.run.untracked_count, 1);
    finish(&unknown);
    put(inside, "file", "\0inside\n", 8);
    told t = describe(outer);
    assert_int_equal(t.source.run.dirty, 1);
    assert_int_equal(t.source.run.dirty_submodule_count, 1);
    assert_string_equal(t.source.run.dirty_submodules[0], "lib/inner");
    assert_non_null(strstr(t.source.diff, "-dirty"));
    assert_non_null(strstr(t.source.diff, "a/lib/inner/file"));
    assert_non_null(strstr(t.source.diff, "GIT binary patch"));
    finish(&t);
}

static void a_submodule_at_another_commit_is_dirty(void **state)
{
    char outer[512], inside[600];
    make_submodule(*state, outer, inside);
    put_text(inside, "file", "other\n");
    GIT(inside, "commit", "-q", "-a", "-m", "other");
    told t = describe(outer);
    assert_int_equal(t.source.run.dirty, 1);
    assert_int_equal(t.source.run.dirty_submodule_count, 1);
    assert_non_null(strstr(t.source.diff, "+Subproject commit"));
    finish(&t);
}

static void a_submodule_within_a_submodule_is_looked_at(void **state)
{
    char outer[512], inside[600], deep[512], deepest[700];
    make_submodule(*state, outer, inside);
    make_repository(*state, "deep", deep);
    GIT(inside, "submodule", "add", "-q", deep, "deep");
    GIT(inside, "config", "-f", ".gitmodules", "submodule.deep.ignore", "all");
    GIT(inside, "add", "-A");
    GIT(inside, "commit", "-q", "-m", "deep");
    GIT(outer, "add", "-f", "lib/inner");
    GIT(outer, "commit", "-q", "-m", "deep");
    snprintf(deepest, sizeof deepest, "%s/deep", inside);
    put_text(deepest, "file", "dirty\n");
    told t = describe(outer);
    bool found = false;
    for (size_t i = 0; i < t.source.run.dirty_submodule_count; i++) {
        found = found || strcmp(t.source.run.dirty_submodules[i], "lib/inner/deep") == 0;
    }
    assert_true(found);
    assert_int_equal(t.source.run.dirty, 1);
    assert_non_null(strstr(t.source.diff, "b/lib/inner/deep/file"));
    finish(&t);
}

static void files_that_git_was_told_not_to_look_at_make_dirt_unknown(void **state)
{
    char folder[512];
    make_repository(*state, "r", folder);
    GIT(folder, "update-index", "--skip-worktree", "file");
    put_text(folder, "file", "other\n");
    expect_dirty(folder, -1);
    told t = describe(folder);
    assert_non_null(strstr(t.source.reason, "assume-unchanged, skip-worktree"));
    finish(&t);
    run(folder, (const char *const[]){"rm", "file", NULL}); /* as in a sparse checkout: it hides nothing */
    expect_dirty(folder, 0);
    GIT(folder, "update-index", "--assume-unchanged", "file");
    expect_dirty(folder, -1);
}

static void variables_of_the_caller_do_not_lead_to_another_repository(void **state)
{
    char folder[512], other[512], own[600];
    make_repository(*state, "r", folder);
    make_repository(*state, "other", other);
    put_text(folder, "file", "dirty\n");
    snprintf(own, sizeof own, "%s/.git", other);
    setenv("GIT_DIR", own, 1);
    setenv("GIT_WORK_TREE", other, 1);
    expect_dirty(folder, 1);
    unsetenv("GIT_DIR");
    unsetenv("GIT_WORK_TREE");
}

static void no_git_no_repository_no_commit_and_no_tree_are_told_apart(void **state)
{
    char folder[512];
    sy_source_options options = SY_SOURCE_OPTIONS_INIT;
    options.folder = *state;
    options.program = "steelyard-no-such-program";
    told absent = describe_with(&options);
    assert_int_equal(absent.source.state, SY_SOURCE_NO_PROGRAM);
    assert_string_equal(absent.source.run.control, "");
    assert_int_equal(absent.source.run.dirty, -1);
    finish(&absent);

    told none = describe(*state);
    assert_int_equal(none.source.state, SY_SOURCE_NO_REPOSITORY);
    assert_string_equal(none.source.run.control, "");
    finish(&none);

    snprintf(folder, sizeof folder, "%s/new", (const char *)*state);
    assert_int_equal(mkdir(folder, 0700), 0);
    GIT(folder, "init", "-q", "-b", "main");
    put_text(folder, "file", "one\n");
    GIT(folder, "add", "file");
    told beginning = describe(folder);
    assert_int_equal(beginning.source.state, SY_SOURCE_NO_COMMIT);
    assert_string_equal(beginning.source.run.revision, "");
    assert_string_equal(beginning.source.run.branch, "main");
    assert_int_equal(beginning.source.run.dirty, 1);
    assert_null(beginning.source.diff);
    finish(&beginning);

    snprintf(folder, sizeof folder, "%s/bare", (const char *)*state);
    GIT(*state, "init", "-q", "--bare", "bare");
    told bare = describe(folder);
    assert_int_equal(bare.source.state, SY_SOURCE_BARE);
    finish(&bare);
}

static void a_damaged_repository_is_told(void **state)
{
    char folder[512];
    make_repository(*state, "r", folder);
    put_text(folder, ".git/HEAD", "nonsense");
    told head = describe(folder);
    assert_int_equal(head.source.state, SY_SOURCE_DAMAGED);
    assert_string_equal(head.source.run.revision, "");
    finish(&head);

    make_repository(*state, "s", folder);
    put_text(folder, ".git/refs/heads/main", "0123456789012345678901234567890123456789\n");
    told missing = describe(folder);
    assert_int_equal(missing.source.state, SY_SOURCE_DAMAGED);
    finish(&missing);

    make_repository(*state, "t", folder);
    put_text(folder, ".git/index", "nonsense");
    told list = describe(folder);
    assert_int_equal(list.source.state, SY_SOURCE_DAMAGED);
    assert_int_equal(list.source.run.dirty, -1);
    finish(&list);
}

static void a_folder_of_somebody_else_is_not_trusted(void **state)
{
    char folder[512];
    if (geteuid() != 0) {
        print_message("only the superuser can give a folder away\n");
        skip();
    }
    make_repository(*state, "r", folder);
    assert_int_equal(chown(folder, 12345, 12345), 0);
    unsetenv("HOME"); /* whose settings may trust every folder */
    told t = describe(folder);
    assert_int_equal(t.source.state, SY_SOURCE_UNTRUSTED);
    assert_string_equal(t.source.run.control, "git");
    finish(&t);
    assert_int_equal(chown(folder, 0, 0), 0);
}

static void a_difference_that_is_too_long_is_said_and_not_kept(void **state)
{
    char folder[512];
    make_repository(*state, "r", folder);
    char *much = malloc(1 << 20);
    assert_non_null(much);
    memset(much, 'a', 1 << 20);
    put(folder, "file", much, 1 << 20);
    free(much);
    sy_source_options options = SY_SOURCE_OPTIONS_INIT;
    options.folder = folder;
    options.diff_limit_bytes = 1 << 16;
    told t = describe_with(&options);
    assert_int_equal(t.source.state, SY_SOURCE_KNOWN);
    assert_int_equal(t.source.run.dirty, 1);
    assert_null(t.source.diff);
    assert_string_equal(t.source.run.diff_digest, "");
    assert_non_null(strstr(t.source.reason, "64 KiB"));
    finish(&t);
}

static void a_tree_that_cannot_be_written_is_read_and_left_as_it_is(void **state)
{
    char folder[512], index[600];
    struct stat before, after;
    make_repository(*state, "r", folder);
    snprintf(index, sizeof index, "%s/.git/index", folder);
    put_text(folder, "file", "one\n"); /* as it was, with a new time: an index that git would like to refresh */
    assert_int_equal(stat(index, &before), 0);
    told t = describe(folder);
    assert_int_equal(stat(index, &after), 0);
    assert_int_equal(t.source.run.dirty, 0);
    assert_true(before.st_mtim.tv_sec == after.st_mtim.tv_sec && before.st_mtim.tv_nsec == after.st_mtim.tv_nsec &&
                before.st_ino == after.st_ino);
    finish(&t);
}

static void a_git_that_hangs_is_given_up(void **state)
{
    char program[600];
    put_text(*state, "git", "#!/bin/sh\nexec sleep 600\n");
    snprintf(program, sizeof program, "%s/git", (const char *)*state);
    assert_int_equal(chmod(program, 0700), 0);
    sy_source_options options = SY_SOURCE_OPTIONS_INIT;
    options.folder = *state;
    options.program = program;
    options.deadline_ns = UINT64_C(50000000);
    told t = describe_with(&options);
    assert_int_equal(t.source.state, SY_SOURCE_TOO_SLOW);
    finish(&t);
}

static sy_status describe_once(void *user)
{
    sy_arena *arena = sy_arena_create(0);
    sy_source_options options = SY_SOURCE_OPTIONS_INIT;
    sy_source source = {0};
    options.folder = user;
    sy_status status = arena != NULL ? sy_source_describe(&options, arena, &source, NULL) : SY_NO_MEMORY;
    sy_source_finish(&source);
    sy_arena_destroy(arena);
    return status;
}

static void any_allocation_may_fail(void **state)
{
    char folder[512];
    make_repository(*state, "r", folder);
    put_text(folder, "file", "two\n");
    assert_true(fault_loop_allocations(describe_once, folder, true) > 10);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_temporary_folder, remove_temporary_folder)
    const struct CMUnitTest tests[] = {
        TEST(a_clean_tree_has_revision_branch_and_number),
        TEST(unknown_files_are_counted_and_make_nothing_dirty),
        TEST(a_dirty_tree_keeps_its_difference_whatever_the_bytes),
        TEST(settings_of_the_user_do_not_change_the_difference),
        TEST(a_detached_head_has_no_branch),
        TEST(a_shallow_clone_has_no_number),
        TEST(a_submodule_is_seen_to_be_dirty_whatever_gitmodules_says),
        TEST(a_submodule_at_another_commit_is_dirty),
        TEST(a_submodule_within_a_submodule_is_looked_at),
        TEST(files_that_git_was_told_not_to_look_at_make_dirt_unknown),
        TEST(variables_of_the_caller_do_not_lead_to_another_repository),
        TEST(no_git_no_repository_no_commit_and_no_tree_are_told_apart),
        TEST(a_damaged_repository_is_told),
        TEST(a_folder_of_somebody_else_is_not_trusted),
        TEST(a_difference_that_is_too_long_is_said_and_not_kept),
        TEST(a_tree_that_cannot_be_written_is_read_and_left_as_it_is),
        TEST(a_git_that_hangs_is_given_up),
        TEST(any_allocation_may_fail),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
