/* SPDX-License-Identifier: Apache-2.0 */
/* What the probe does otherwise where each run is a whole program: how often it runs, what it books, what it says. This
 * program is its own launcher; with the word `count` it appends to a file and prints a score. */
#include "cmocka_headers.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <steelyard/command.h>
#include <steelyard/probe.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

/* Two commands that print their scores and count their runs in files of their own. */
typedef struct fixture {
    char counts[2][96];
    const char *words[2][6];
    sy_command commands[2];
    sy_command_spec spec;
} fixture;

static void set_up(fixture *f, const char *reference_score, const char *candidate_score)
{
    const char *const scores[2] = {reference_score, candidate_score};
    memset(f, 0, sizeof(*f));
    for (size_t i = 0; i < 2; i++) {
        (void)snprintf(f->counts[i], sizeof(f->counts[i]), "%s/count-%zu", folder, i);
        (void)unlink(f->counts[i]);
        const char *const words[6] = {"/proc/self/exe", "count", f->counts[i], scores[i], NULL, NULL};
        memcpy(f->words[i], words, sizeof(words));
        f->commands[i] = (sy_command){i == 0 ? "old" : "new", NULL, f->words[i]};
    }
    f->spec = (sy_command_spec)SY_COMMAND_SPEC_INIT;
    f->spec.commands = f->commands;
    f->spec.command_count = 2;
    f->spec.metric = "line:score";
    f->spec.launcher_path = "/proc/self/exe";
}

static size_t runs_of(const fixture *f, size_t side)
{
    struct stat info;
    return stat(f->counts[side], &info) == 0 ? (size_t)info.st_size : 0;
}

static sy_probe_result *weigh(fixture *f, const sy_probe_options *options)
{
    sy_device *device = NULL;
    sy_probe_result *result = NULL;
    sy_error err = SY_ERROR_INIT;
    if (sy_command_device_open(&f->spec, &device, &err))
        fail_msg("%s", err.what);
    if (sy_probe(device, sy_command_suite(device), options, &result, &err))
        fail_msg("%s", err.what);
    sy_device_close(device); /* the result needs nothing of it */
    return result;
}

static sy_probe_options patient(void)
{
    sy_probe_options options = SY_PROBE_OPTIONS_INIT;
    options.budget_ns = options.wall_limit_ns = UINT64_C(600000000000);
    return options;
}

static void a_run_for_parity_is_the_warm_up_and_none_goes_untimed(void **state)
{
    fixture f;
    sy_probe_options options = patient();
    (void)state;
    set_up(&f, "100", "50");
    sy_probe_result *result = weigh(&f, &options);
    assert_int_equal(result->decision, SY_DECISION_WIN);
    assert_int_equal(result->pairs, 5);
    assert_int_equal(runs_of(&f, 0), 1 + 16 + 5); /* parity, the reference against itself, the pairs */
    assert_int_equal(runs_of(&f, 1), 1 + 5);
    assert_int_equal(result->timed_slots, 16 + 10);
    assert_int_equal(result->cases[0].batch, 1);
    assert_int_equal(result->isolation, SY_ISOLATION_PROCESS);
    assert_false(result->has_carry_over);
    assert_true(result->candidate_total_ns == 50);
    sy_probe_result_destroy(result);
}

static void a_warm_up_that_is_asked_for_is_made_and_long_programs_are_not_heard_alone(void **state)
{
    fixture f;
    sy_probe_options options = patient();
    (void)state;
    set_up(&f, "100", "50");
    options.warmup = 3;
    options.rule = SY_RULE_MEDIANS;
    options.max_pairs = 2;
    sy_probe_result *result = weigh(&f, &options);
    assert_int_equal(runs_of(&f, 0), 1 + 3 + 16 + 2);
    assert_int_equal(runs_of(&f, 1), 1 + 3 + 2);
    sy_probe_result_destroy(result);
    set_up(&f, "100", "50");
    options = patient();
    options.budget_ns = 1; /* no program is so quick that sixteen of them take a quarter of this */
    result = weigh(&f, &options);
    assert_int_equal(result->decision, SY_DECISION_INCONCLUSIVE);
    assert_string_equal(result->reason, "budget");
    assert_true(isnan(result->noise));
    assert_int_equal(runs_of(&f, 0), 1);
    sy_probe_result_destroy(result);
}

static void more_is_better_gives_the_values_back_as_they_were_printed(void **state)
{
    fixture f;
    sy_probe_options options = patient();
    (void)state;
    set_up(&f, "30", "40");
    f.spec.higher_is_better = true;
    sy_probe_result *result = weigh(&f, &options);
    assert_int_equal(result->decision, SY_DECISION_WIN);
    assert_true(fabs(result->gain - 0.25) < 1e-12); /* 30 is 25 % short of 40 */
    assert_true(fabs(result->samples[0].candidate_ns - 40) < 1e-9);
    assert_true(fabs(result->cases[0].reference_median_ns - 30) < 1e-9);
    assert_true(fabs(result->reference_total_ns - 30) < 1e-9);
    assert_string_equal(result->metric.name, "line:score");
    assert_true(result->metric.higher_is_better);
    sy_probe_result_destroy(result);
}

/* A run that fails between good ones is a loss, not the end. */
static void a_program_that_fails_once_in_the_pairs_loses_that_pair(void **state)
{
    fixture f;
    sy_probe_options options = patient();
    (void)state;
    set_up(&f, "100", "50");
    f.words[1][4] = "4"; /* the fourth run fails */
    sy_probe_result *result = weigh(&f, &options);
    assert_int_equal(result->decision, SY_DECISION_WIN);
    assert_true(result->pairs > 5);
    assert_int_equal(result->wins, result->pairs - 1);
    assert_string_equal(result->samples[2].unusable, "crashed");
    bool noted = false;
    for (size_t i = 0; i < result->note_count; i++)
        noted = noted || strcmp(result->notes[i], "new: a timed run exited 9") == 0;
    assert_true(noted);
    sy_probe_result_destroy(result);
}

static bool second_time(void *user)
{
    return runs_of(user, 1) >= 3; /* one for parity, two pairs */
}

static void a_wish_to_stop_keeps_the_pairs_that_there_are(void **state)
{
    fixture f;
    sy_probe_options options = patient();
    (void)state;
    set_up(&f, "100", "50");
    options.cancelled = second_time;
    options.user = &f;
    sy_probe_result *result = weigh(&f, &options);
    assert_true(result->interrupted);
    assert_int_equal(result->decision, SY_DECISION_INCONCLUSIVE);
    assert_string_equal(result->reason, "interrupted");
    assert_true(result->pairs >= 1 && result->pairs <= 2);
    sy_probe_result_destroy(result);
}

/* count FILE SCORE [N]: one byte more in the file; the N-th run fails. */
static int count(char **argv)
{
    struct stat info;
    int file = open(argv[2], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0 || write(file, "x", 1) != 1 || fstat(file, &info) != 0)
        return 1;
    if (argv[4] && info.st_size == strtol(argv[4], NULL, 10))
        return 9;
    return printf("score %s\n", argv[3]) < 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "launcher") == 0)
        return sy_launcher_main(argc - 1, argv + 1);
    if (argc > 3 && strcmp(argv[1], "count") == 0)
        return count(argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_for_parity_is_the_warm_up_and_none_goes_untimed),
        cmocka_unit_test(a_warm_up_that_is_asked_for_is_made_and_long_programs_are_not_heard_alone),
        cmocka_unit_test(more_is_better_gives_the_values_back_as_they_were_printed),
        cmocka_unit_test(a_program_that_fails_once_in_the_pairs_loses_that_pair),
        cmocka_unit_test(a_wish_to_stop_keeps_the_pairs_that_there_are),
    };
    (void)snprintf(folder, sizeof(folder), "/tmp/steelyard-programs-XXXXXX");
    if (!mkdtemp(folder))
        return 99;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (size_t i = 0; i < 2; i++) {
        char path[96];
        (void)snprintf(path, sizeof(path), "%s/count-%zu", folder, i);
        (void)unlink(path);
    }
    (void)rmdir(folder);
    return failed;
}
