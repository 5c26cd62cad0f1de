/* SPDX-License-Identifier: Apache-2.0 */
/* The backend as a program sees it through the public headers: specs that are wrong, what lives and dies with a device,
 * a weighing, and memory that fails. This program is its own launcher. */
#include "cmocka_headers.h"

#include <stdio.h>
#include <stdlib.h>
#include <steelyard/command.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/backend.h"
#include "base/fault.h"
#include "fault_loop.h"

static const sy_command pair[] = {{"old", "true", NULL}, {"new", "true", NULL}};

static sy_command_spec spec_of(const sy_command *commands, size_t count)
{
    sy_command_spec spec = SY_COMMAND_SPEC_INIT;
    spec.commands = commands;
    spec.command_count = count;
    spec.launcher_path = "/proc/self/exe";
    return spec;
}

static void expect_refused(const sy_command_spec *spec, sy_status status, const char *words)
{
    sy_device *device = NULL;
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(sy_command_device_open(spec, &device, &err), status);
    assert_null(device);
    if (!strstr(err.what, words))
        fail_msg("'%s' lacks '%s'", err.what, words);
}

static void specs_that_are_wrong_are_refused_with_what_is_wrong(void **state)
{
    static const char *const variables[] = {"NOVALUE"};
    const char *patterns[] = {"("};
    static const char *const null_and_out[] = {"null", "stdout"};
    static const sy_command empty[] = {{NULL, "true", NULL}, {NULL, NULL, NULL}};
    (void)state;
    sy_command_spec spec = spec_of(pair, 0);
    expect_refused(&spec, SY_INVALID_ARGUMENT, "command");
    spec = spec_of(pair, 2);
    spec.struct_size--;
    expect_refused(&spec, SY_INVALID_ARGUMENT, "SY_COMMAND_SPEC_INIT");
    spec = spec_of(pair, 2);
    spec.launcher_path = NULL;
    expect_refused(&spec, SY_INVALID_ARGUMENT, "no launcher");
    spec = spec_of(empty, 2);
    expect_refused(&spec, SY_INVALID_ARGUMENT, "an empty command");
    spec = spec_of(pair, 2);
    spec.variables = variables;
    spec.variable_count = 1;
    expect_refused(&spec, SY_INVALID_ARGUMENT, "'NOVALUE' is no variable");
    spec = spec_of(pair, 2);
    spec.ignore_lines = patterns;
    spec.ignore_line_count = 1;
    expect_refused(&spec, SY_INVALID_ARGUMENT, "'(' is no regular expression");
    patterns[0] = "(x+)\\1";
    expect_refused(&spec, SY_INVALID_ARGUMENT, "refers back");
    spec = spec_of(pair, 2);
    spec.metric = "regex:\\\\(x+)(y)\\2";
    expect_refused(&spec, SY_INVALID_ARGUMENT, "refers back");
    spec = spec_of(pair, 2);
    spec.outputs = null_and_out;
    spec.output_count = 2;
    expect_refused(&spec, SY_INVALID_ARGUMENT, "cannot be compared and discarded");
    spec = spec_of(pair, 2);
    spec.compare = SY_COMMAND_COMPARE_NUMBERS;
    spec.relative_tolerance = -1;
    expect_refused(&spec, SY_INVALID_ARGUMENT, "tolerances");
    spec = spec_of(pair, 2);
    spec.input = "/no/such/file";
    expect_refused(&spec, SY_NOT_FOUND, "/no/such/file");
    spec = spec_of(pair, 2);
    spec.scratch_directory = "/no/such/place";
    expect_refused(&spec, SY_IO, "/no/such/place");
    spec = spec_of(pair, 2);
    spec.setup = "false";
    expect_refused(&spec, SY_UNAVAILABLE, "--setup exited 1");
}

static void names_are_told_apart_and_shown_on_one_line(void **state)
{
    static const sy_command commands[] = {{NULL, "true  'a\nb'", NULL}, {NULL, "true", NULL}, {NULL, "true", NULL}};
    sy_command_spec spec = spec_of(commands, 3);
    sy_device *device = NULL;
    (void)state;
    assert_int_equal(sy_command_device_open(&spec, &device, NULL), SY_OK);
    const sy_suite *suite = sy_command_suite(device);
    assert_string_equal(suite->implementations[0].name, "true  'a\\nb'");
    assert_string_equal(suite->implementations[1].name, "true");
    assert_string_equal(suite->implementations[2].name, "true (2)");
    assert_int_equal(suite->implementations[0].role, SY_ROLE_REFERENCE);
    sy_device_close(device);
}

static void cleanup_runs_when_the_device_goes_even_if_setup_failed(void **state)
{
    char folder[] = "/tmp/steelyard-cleanup-XXXXXX";
    sy_command_spec spec = spec_of(pair, 2);
    sy_device *device = NULL;
    (void)state;
    assert_non_null(mkdtemp(folder));
    spec.directory = folder;
    spec.setup = "touch made";
    spec.cleanup = "rm made";
    assert_int_equal(sy_command_device_open(&spec, &device, NULL), SY_OK);
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(access("made", F_OK), 0);
    sy_device_close(device);
    assert_int_not_equal(access("made", F_OK), 0);
    spec.setup = "sh -c 'touch made; exit 1'";
    assert_int_equal(sy_command_device_open(&spec, &device, NULL), SY_UNAVAILABLE);
    assert_int_not_equal(access("made", F_OK), 0);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(folder), 0);
}

/* Data of somebody else is no output, whatever it was named for. */
static void a_file_that_was_there_is_no_output_and_stays(void **state)
{
    static const char *const outputs[] = {"stdout", "there"};
    char folder[] = "/tmp/steelyard-outputs-XXXXXX";
    sy_command_spec spec = spec_of(pair, 2);
    sy_device *device = NULL;
    (void)state;
    assert_non_null(mkdtemp(folder));
    spec.directory = folder;
    spec.outputs = outputs;
    spec.output_count = 2;
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(mkdir("there", 0700), 0);
    expect_refused(&spec, SY_INVALID_ARGUMENT, "output 'there' is there already");
    assert_int_equal(rmdir("there"), 0);
    spec.setup = "touch there"; /* what the steps make is theirs */
    assert_int_equal(sy_command_device_open(&spec, &device, NULL), SY_OK);
    assert_int_equal(access("there", F_OK), 0);
    sy_device_close(device);
    assert_int_not_equal(access("there", F_OK), 0);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(folder), 0);
}

static bool always(void *user)
{
    ++*(int *)user;
    return true;
}

static void setup_ends_when_it_is_cancelled(void **state)
{
    int asked = 0;
    sy_command_spec spec = spec_of(pair, 2);
    (void)state;
    spec.setup = "sleep 1000";
    spec.cancelled = always;
    spec.user = &asked;
    expect_refused(&spec, SY_INTERRUPTED, "stopped by request");
    assert_true(asked > 0);
}

static void a_device_of_the_table_needs_commands(void **state)
{
    sy_device *device = NULL;
    sy_error err = SY_ERROR_INIT;
    (void)state;
    assert_int_equal(sy_device_open("command", NULL, &device, &err), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(err.hint, "--reference"));
}

static sy_status open_and_close(void *user)
{
    const sy_command_spec *spec = user;
    sy_device *device = NULL;
    sy_status status = sy_command_device_open(spec, &device, NULL);
    sy_device_close(device);
    return status;
}

static void every_failed_allocation_is_an_error_and_leaves_nothing(void **state)
{
    static const sy_command commands[] = {{NULL, "true 'a b' {n}", NULL}, {NULL, "true", NULL}};
    static const sy_command_parameter parameters[] = {{"n", "7"}};
    static const char *const patterns[] = {"^x"};
    sy_command_spec spec = spec_of(commands, 2);
    (void)state;
    spec.parameters = parameters;
    spec.parameter_count = 1;
    spec.ignore_lines = patterns;
    spec.ignore_line_count = 1;
    spec.metric = "line:score";
    assert_true(fault_loop_allocations(open_and_close, &spec, true) > 20);
    assert_true(fault_loop_allocations(open_and_close, &spec, false) > 20);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "launcher") == 0)
        return sy_launcher_main(argc - 1, argv + 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(specs_that_are_wrong_are_refused_with_what_is_wrong),
        cmocka_unit_test(names_are_told_apart_and_shown_on_one_line),
        cmocka_unit_test(cleanup_runs_when_the_device_goes_even_if_setup_failed),
        cmocka_unit_test(a_file_that_was_there_is_no_output_and_stays),
        cmocka_unit_test(setup_ends_when_it_is_cancelled),
        cmocka_unit_test(a_device_of_the_table_needs_commands),
        cmocka_unit_test(every_failed_allocation_is_an_error_and_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
