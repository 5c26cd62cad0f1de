/* SPDX-License-Identifier: Apache-2.0 */
/* Programs measured alone: each run counts from the first, a failure is named and never timed, what the program is
 * given is what was asked for. Numbers that a program prints stand in for times, so that no clock decides. This program
 * is also its own launcher. */
#include <math.h>

#include "probe_support.h"
#include "temporary_folder.h"

static char self_path[4096];

typedef struct program {
    char folder[64];
    sy_command command;
    sy_command_spec spec;
    sy_measure_options options;
    sy_device *device;
    sy_measure_result *result;
    sy_status status;
    sy_error err;
} program;

/* One command through sh, in a folder of its own where it may keep a count. */
static program prepare(const char *line, uint32_t runs)
{
    program m = {.spec = SY_COMMAND_SPEC_INIT, .options = SY_MEASURE_OPTIONS_INIT, .err = SY_ERROR_INIT};
    (void)snprintf(m.folder, sizeof(m.folder), "/tmp/steelyard-measure-XXXXXX");
    assert_non_null(mkdtemp(m.folder));
    m.command.name = "it";
    m.command.line = line;
    m.spec.shell = "sh";
    m.spec.compare = SY_COMMAND_COMPARE_NONE;
    m.spec.launcher_path = self_path;
    m.options.runs = runs;
    return m;
}

static void measure(program *m)
{
    m->spec.commands = &m->command;
    m->spec.command_count = 1;
    m->spec.directory = m->folder;
    m->status = sy_command_device_open(&m->spec, &m->device, &m->err);
    if (!m->status)
        m->status = sy_measure(m->device, sy_command_suite(m->device), &m->options, &m->result, &m->err);
}

static const sy_measure_series *series_of(const program *m)
{
    if (m->status != SY_OK)
        fail_msg("%s: %s", sy_status_word(m->status), m->err.what);
    assert_int_equal(m->result->series_count, 1);
    return &m->result->series[0];
}

static void end(program *m)
{
    sy_measure_result_destroy(m->result);
    sy_device_close(m->device);
    empty_folder(m->folder);
    assert_int_equal(rmdir(m->folder), 0);
}

static bool has_note(const program *m, const char *part)
{
    for (size_t i = 0; i < m->result->note_count; i++) {
        if (strstr(m->result->notes[i], part) != NULL)
            return true;
    }
    return false;
}

static void expect_text(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("'%s' lacks '%s'", text, part);
}

/* Prints "score" and the n-th of the words in its n-th run, the last one from then on. */
#define SCORES(words)                                                                             \
    "n=$(cat count 2>/dev/null || echo 0); n=$((n + 1)); echo $n >count; set -- " words "; i=1; " \
    "while [ $i -lt $n ] && [ $# -gt 1 ]; do shift; i=$((i + 1)); done; echo score $1"

static void every_run_of_a_program_counts_from_the_first(void **state)
{
    (void)state;
    program m = prepare(SCORES("500 101 102 103 104 105 106 107 108 109 110 111"), 12);
    m.spec.metric = "line:score";
    measure(&m);
    const sy_measure_series *series = series_of(&m);
    assert_true(m.result->measured);
    assert_int_equal(m.result->isolation, SY_ISOLATION_PROCESS);
    assert_int_equal(m.result->parity, SY_PARITY_NOT_PERFORMED);
    assert_string_equal(series->metric.name, "line:score");
    assert_int_equal(series->run_count, 12);
    assert_int_equal(series->batch, 1);
    assert_true(series->runs[0].value == 500);
    for (size_t i = 1; i < 12; i++)
        assert_true(series->runs[i].value == 100 + (double)i);
    assert_int_equal(series->steady_from, 1);
    end(&m);
}

static void a_warm_up_that_was_asked_for_is_run_before(void **state)
{
    (void)state;
    program m = prepare(SCORES("500 101 102 103 104 105 106 107 108 109 110 111"), 5);
    m.spec.metric = "line:score";
    m.options.warmup = 3;
    measure(&m);
    assert_true(series_of(&m)->runs[0].value == 103);
    assert_int_equal(series_of(&m)->run_count, 5);
    end(&m);
}

static void cmd_3_work_that_is_skipped_now_and_then_is_two_modes(void **state)
{
    (void)state;
    program m = prepare("n=$(cat count 2>/dev/null || echo 0); n=$((n + 1)); echo $n >count; "
                        "if [ $((n % 5)) = 0 ]; then echo score 11.$n; else echo score 743.$n; fi",
                        24);
    m.spec.metric = "line:score";
    measure(&m);
    const sy_measure_series *series = series_of(&m);
    assert_int_equal(series->mode_count, 2);
    assert_int_equal(series->modes[0].count, 4);
    assert_int_equal(series->modes[1].count, 20);
    assert_true(strncmp(series->headline, "two modes: 11.", 14) == 0);
    end(&m);
}

static void more_may_be_better(void **state)
{
    (void)state;
    program m = prepare(SCORES("50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69"), 20);
    m.spec.metric = "line:score";
    m.spec.higher_is_better = true;
    measure(&m);
    const sy_measure_series *series = series_of(&m);
    assert_true(series->metric.higher_is_better);
    for (size_t i = 0; i < 20; i++)
        assert_true(fabs(series->runs[i].value - 50 - (double)i) < 1e-9);
    assert_true(strncmp(series->headline, "still warming up: the last third is", 35) == 0);
    end(&m);
}

static void a_failing_program_is_named_with_its_last_words(void **state)
{
    (void)state;
    program m = prepare("echo all is lost >&2; exit 3", 12);
    measure(&m);
    assert_false(m.result->measured);
    assert_string_equal(m.result->reason, "exited 3");
    expect_text(m.result->error, "it: exited 3; its last words: all is lost");
    assert_int_equal(series_of(&m)->usable_count, 0);
    assert_int_equal(series_of(&m)->run_count, 1);
    end(&m);
    m = prepare("echo all is lost >&2; exit 3", 12);
    m.spec.ignore_failure = true;
    measure(&m);
    assert_true(m.result->measured);
    assert_int_equal(series_of(&m)->usable_count, 12);
    end(&m);
}

static void a_failure_in_a_later_run_keeps_the_runs_before(void **state)
{
    (void)state;
    program m = prepare("n=$(cat count 2>/dev/null || echo 0); n=$((n + 1)); echo $n >count; echo score $n; "
                        "[ $n -lt 8 ]",
                        12);
    m.spec.metric = "line:score";
    measure(&m);
    const sy_measure_series *series = series_of(&m);
    assert_false(m.result->measured);
    assert_string_equal(m.result->reason, "exited 1");
    assert_int_equal(series->run_count, 8);
    assert_int_equal(series->usable_count, 7);
    assert_true(series->runs[6].value == 7);
    assert_string_equal(series->findings[0].word, "failed");
    end(&m);
}

static void a_program_that_is_not_there_is_never_started(void **state)
{
    (void)state;
    program m = prepare(NULL, 12);
    const char *const missing[] = {"no-such-program-here", NULL};
    m.spec.shell = NULL;
    m.command.argv = missing;
    measure(&m);
    assert_int_equal(m.status, SY_NOT_FOUND);
    expect_text(m.err.what, "no-such-program-here");
    end(&m);
    m = prepare(NULL, 12);
    const char *const folder[] = {"/tmp", NULL};
    m.spec.shell = NULL;
    m.command.argv = folder;
    measure(&m);
    assert_int_equal(m.status, SY_IO);
    expect_text(m.err.what, "/tmp");
    end(&m);
}

static void cmd_1_what_goes_on_in_the_background_voids_the_run(void **state)
{
    (void)state;
    program m = prepare("sleep 30 & echo done", 12);
    measure(&m);
    assert_false(m.result->measured);
    assert_string_equal(m.result->reason, "void");
    assert_int_equal(series_of(&m)->usable_count, 0);
    assert_int_equal(series_of(&m)->run_count, 3);
    assert_true(has_note(&m, "left 1 process behind that outlived it"));
    assert_string_equal(series_of(&m)->headline, "no run gave a time");
    end(&m);
}

static void cmd_5_output_goes_to_a_file_unless_it_is_to_be_discarded(void **state)
{
    static const char *const discarded[] = {"null"};
    (void)state;
    program m = prepare("[ -f /proc/self/fd/1 ]", 3);
    measure(&m);
    assert_true(m.result->measured);
    assert_true(has_note(&m, "output file"));
    end(&m);
    m = prepare("[ -c /proc/self/fd/1 ]", 3);
    m.spec.outputs = discarded;
    m.spec.output_count = 1;
    measure(&m);
    assert_true(m.result->measured);
    assert_true(has_note(&m, "output discarded, not compared"));
    end(&m);
}

static void cmd_7_arguments_arrive_byte_for_byte(void **state)
{
    (void)state;
    program m = prepare(NULL, 3);
    const char *const words[] = {
        "sh", "-c", "[ \"$1\" = 'a\\b  c*' ] && [ \"$2\" = '' ] && [ $# = 2 ]", "sh", "a\\b  c*", "", NULL};
    m.spec.shell = NULL;
    m.command.argv = words;
    measure(&m);
    assert_true(m.result->measured);
    end(&m);
}

static void cmd_9_what_decides_the_layout_is_recorded(void **state)
{
    (void)state;
    program m = prepare("true", 3);
    measure(&m);
    assert_int_equal(series_of(&m)->usable_count, 3);
    assert_true(has_note(&m, "addresses "));
    end(&m);
}

static void r_11_memory_is_the_programs_own(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__)
    puts("skipped: in a checked build the launcher is large itself");
    skip();
#endif
    char *large = malloc((size_t)128 << 20);
    assert_non_null(large);
    memset(large, 1, (size_t)128 << 20);
    program m = prepare(NULL, 5);
    const char *const words[] = {"true", NULL};
    m.spec.shell = NULL;
    m.spec.metric = "memory";
    m.command.argv = words;
    measure(&m);
    const sy_measure_series *series = series_of(&m);
    assert_string_equal(series->metric.unit, "bytes");
    for (size_t i = 0; i < 5; i++)
        assert_true(series->runs[i].value > 0 && series->runs[i].value < 4 << 20);
    end(&m);
    free(large);
}

static void r_13_the_kinds_of_its_streams_are_recorded(void **state)
{
    (void)state;
    program m = prepare("[ ! -t 0 ] && [ ! -t 1 ] && [ -c /proc/self/fd/0 ]", 3);
    measure(&m);
    assert_true(m.result->measured);
    assert_true(has_note(&m, "standard input null device, output file, error file"));
    end(&m);
    m = prepare("[ -t 0 ] && [ -t 1 ]", 3);
    m.spec.terminal = true;
    measure(&m);
    assert_true(m.result->measured);
    assert_true(has_note(&m, "standard input terminal, output terminal, error terminal"));
    end(&m);
}

static void a_program_that_takes_too_long_is_ended(void **state)
{
    (void)state;
    program m = prepare("sleep 30", 12);
    m.spec.timeout_ns = 50000000;
    measure(&m);
    assert_false(m.result->measured);
    expect_text(m.result->reason, "timed out after 0.05 s");
    assert_int_equal(series_of(&m)->run_count, 1);
    end(&m);
}

static bool cancel_at_once_in_a_run(void *user)
{
    return (*(unsigned *)user)++ > 4;
}

static void an_interruption_keeps_the_runs_that_were_made(void **state)
{
    (void)state;
    unsigned asked = 0;
    program m = prepare("n=$(cat count 2>/dev/null || echo 0); n=$((n + 1)); echo $n >count; [ $n -lt 3 ] || sleep 30",
                        12);
    m.options.cancelled = cancel_at_once_in_a_run;
    m.options.user = &asked;
    measure(&m);
    assert_true(m.result->interrupted);
    assert_string_equal(m.result->reason, "interrupted");
    assert_true(series_of(&m)->run_count <= 3);
    end(&m);
}

static void steps_run_around_each_run_and_around_all(void **state)
{
    char log[160] = "";
    char path[128];
    (void)state;
    program m = prepare("printf r >>log", 2);
    m.spec.setup = "printf S >>log";
    m.spec.prepare = "printf p >>log";
    m.spec.conclude = "printf c >>log";
    m.spec.cleanup = "printf C >>log";
    measure(&m);
    assert_true(m.result->measured);
    sy_device_close(m.device);
    m.device = NULL;
    (void)snprintf(path, sizeof(path), "%s/log", m.folder);
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    assert_non_null(fgets(log, sizeof(log), file));
    (void)fclose(file);
    assert_string_equal(log, "SprcprcC");
    end(&m);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "launcher") == 0)
        return sy_launcher_main(argc - 1, argv + 1);
    ssize_t length = readlink("/proc/self/exe", self_path, sizeof(self_path) - 1);
    if (length < 0) {
        puts("skipped: /proc/self/exe is not there, which is started as the launcher");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_run_of_a_program_counts_from_the_first),
        cmocka_unit_test(a_warm_up_that_was_asked_for_is_run_before),
        cmocka_unit_test(cmd_3_work_that_is_skipped_now_and_then_is_two_modes),
        cmocka_unit_test(more_may_be_better),
        cmocka_unit_test(a_failing_program_is_named_with_its_last_words),
        cmocka_unit_test(a_failure_in_a_later_run_keeps_the_runs_before),
        cmocka_unit_test(a_program_that_is_not_there_is_never_started),
        cmocka_unit_test(cmd_1_what_goes_on_in_the_background_voids_the_run),
        cmocka_unit_test(cmd_5_output_goes_to_a_file_unless_it_is_to_be_discarded),
        cmocka_unit_test(cmd_7_arguments_arrive_byte_for_byte),
        cmocka_unit_test(cmd_9_what_decides_the_layout_is_recorded),
        cmocka_unit_test(r_11_memory_is_the_programs_own),
        cmocka_unit_test(r_13_the_kinds_of_its_streams_are_recorded),
        cmocka_unit_test(a_program_that_takes_too_long_is_ended),
        cmocka_unit_test(an_interruption_keeps_the_runs_that_were_made),
        cmocka_unit_test(steps_run_around_each_run_and_around_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
