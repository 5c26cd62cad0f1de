/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of whole identities on this machine: what other processes find, under load, with fewer processors, with other
 * variables. */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <steelyard/identity.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/digest.h"
#include "cmocka_headers.h"

static sy_identity *describe(void)
{
    sy_identity *identity = NULL;
    sy_error err = SY_ERROR_INIT;
    if (sy_identity_describe(NULL, &identity, &err) != SY_OK)
        fail_msg("%s", err.what);
    return identity;
}

static char self_path[512];

/* Runs this program again with --digest and its environment, after `variable` (NAME=VALUE, or NULL) and, if first_only,
 * on the first of its processors alone. */
static void digest_of_child(const char *variable, bool first_only, char digest[SY_DIGEST_TEXT])
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        cpu_set_t set;
        if (first_only && sched_getaffinity(0, sizeof set, &set) == 0) {
            int cpu = 0;
            while (!CPU_ISSET(cpu, &set))
                cpu++;
            CPU_ZERO(&set);
            CPU_SET(cpu, &set);
            if (sched_setaffinity(0, sizeof set, &set) != 0)
                _exit(3);
        }
        dup2(ends[1], 1);
        close(ends[0]);
        close(ends[1]);
        if (variable != NULL)
            putenv((char *)(uintptr_t)variable);
        execl(self_path, self_path, "--digest", (char *)NULL);
        _exit(4);
    }
    close(ends[1]);
    size_t got = 0;
    ssize_t more;
    while (got < SY_DIGEST_TEXT - 1 && (more = read(ends[0], digest + got, SY_DIGEST_TEXT - 1 - got)) > 0)
        got += (size_t)more;
    close(ends[0]);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(got, SY_DIGEST_TEXT - 1);
    digest[got] = '\0';
}

static void twenty_runs_give_one_digest(void **state)
{
    (void)state;
    char first[SY_DIGEST_TEXT];
    digest_of_child(NULL, false, first);
    for (int run = 1; run < 20; run++) {
        char again[SY_DIGEST_TEXT];
        digest_of_child(NULL, false, again);
        assert_string_equal(again, first);
    }
}

/* Work for both processors, which ends by itself. */
static pid_t start_load(void)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child > 0)
        return child;
    (void)alarm(60);
    for (volatile uint64_t spin = 0;; spin = spin + 1)
        ;
}

static void two_runs_with_a_load_between_agree_in_every_key_field(void **state)
{
    (void)state;
    char *text = NULL;
    char quiet[SY_DIGEST_TEXT];
    char busy[SY_DIGEST_TEXT];
    char after[SY_DIGEST_TEXT];
    pid_t load[2];
    sy_identity *there = describe();
    digest_of_child(NULL, false, quiet);
    for (int i = 0; i < 2; i++)
        load[i] = start_load();
    digest_of_child(NULL, false, busy);
    sy_identity *here = describe();
    for (int i = 0; i < 2; i++) {
        assert_int_equal(kill(load[i], SIGKILL), 0);
        assert_int_equal(waitpid(load[i], NULL, 0), load[i]);
    }
    digest_of_child(NULL, false, after);
    assert_string_equal(quiet, busy);
    assert_string_equal(quiet, after);
    assert_int_equal(sy_identity_diff(here, there, false, &text, NULL), SY_OK);
    for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1) /* where /proc is not mounted */
        assert_non_null(strstr(line, "unknown"));
    sy_text_free(text);
    sy_identity_destroy(here);
    sy_identity_destroy(there);
}

static void another_set_of_processors_differs_by_name(void **state)
{
    (void)state;
    cpu_set_t all;
    cpu_set_t one;
    char expected[64];
    char *text = NULL;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    if (CPU_COUNT(&all) < 2) {
        print_message("skipped: this process may use one processor only\n");
        skip();
    }
    sy_identity *there = describe();
    CPU_ZERO(&one);
    for (int cpu = 0; CPU_COUNT(&one) == 0; cpu++)
        if (CPU_ISSET(cpu, &all))
            CPU_SET(cpu, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    sy_identity *here = describe();
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
    assert_int_equal(sy_identity_diff(here, there, false, &text, NULL), SY_OK);
    snprintf(expected, sizeof expected, "cpu.usable: 1 here, %d there\n", CPU_COUNT(&all));
    if (strstr(text, expected) == NULL)
        fail_msg("'%s' lacks '%s'", text, expected);
    sy_text_free(text);
    sy_identity_destroy(here);
    sy_identity_destroy(there);
}

static void a_variable_that_limits_kernels_changes_the_digest(void **state)
{
    (void)state;
    char plain[SY_DIGEST_TEXT];
    char limited[SY_DIGEST_TEXT];
    char talkative[SY_DIGEST_TEXT];
    digest_of_child(NULL, false, plain);
    digest_of_child("ONEDNN_MAX_CPU_ISA=AVX2", false, limited);
    digest_of_child("ONEDNN_VERBOSE=1", false, talkative);
    assert_string_not_equal(plain, limited);
    assert_string_equal(plain, talkative);
}

static void an_affinity_of_one_processor_changes_the_digest(void **state)
{
    (void)state;
    cpu_set_t set;
    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    if (CPU_COUNT(&set) < 2) {
        print_message("skipped: this process may use one processor only\n");
        skip();
    }
    char whole[SY_DIGEST_TEXT];
    char part[SY_DIGEST_TEXT];
    digest_of_child(NULL, false, whole);
    digest_of_child(NULL, true, part);
    assert_string_not_equal(whole, part);
}

static int print_digest(void)
{
    sy_identity *identity = NULL;
    char digest[SY_DIGEST_TEXT];
    if (sy_identity_describe(NULL, &identity, NULL) != SY_OK)
        return 1;
    sy_status status = sy_identity_digest_text(identity, digest, NULL);
    sy_identity_destroy(identity);
    return status == SY_OK && write(1, digest, SY_DIGEST_TEXT - 1) == SY_DIGEST_TEXT - 1 ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--digest") == 0)
        return print_digest();
    ssize_t length = readlink("/proc/self/exe", self_path, sizeof self_path - 1);
    if (length < 0)
        return 1;
    self_path[length] = '\0';
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twenty_runs_give_one_digest),
        cmocka_unit_test(two_runs_with_a_load_between_agree_in_every_key_field),
        cmocka_unit_test(another_set_of_processors_differs_by_name),
        cmocka_unit_test(a_variable_that_limits_kernels_changes_the_digest),
        cmocka_unit_test(an_affinity_of_one_processor_changes_the_digest),
    };
    return cmocka_run_group_tests_name("describe_here", tests, NULL, NULL);
}
