/* SPDX-License-Identifier: Apache-2.0 */
/* CMD-9: the length of a program's name, of its arguments and of its environment must not move its stack. This program
 * is its own launcher, and with the word `where` it says where one of its locals lies. */
#include "cmocka_headers.h"

#include <stdio.h>
#include <stdlib.h>
#include <steelyard/command.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <unistd.h>

#include "backends/command/command_layout.h"
#include "backends/command/command_run.h"
#include "base/text.h"

static const char *self_path;

static size_t count_of(const char *const *texts)
{
    size_t count = 0;
    while (texts[count])
        count++;
    return count;
}

static size_t bytes_of(const char *const *texts)
{
    size_t bytes = 0;
    for (size_t i = 0; texts[i]; i++)
        bytes += strlen(texts[i]) + 1;
    return bytes;
}

static void all_sides_get_as_many_bytes_and_pointers(void **state)
{
    static const char *const environment[] = {"A=1", "B=22", NULL};
    static const char *const one[] = {"a", NULL};
    static const char *const other[] = {"a-longer-name", "with", "", "arguments of some length", NULL};
    sy_command_side sides[3] = {{one, "/bin/a", NULL}, {other, "/usr/bin/a-longer-name", NULL}, {one, "./a", NULL}};
    sy_arena *arena = sy_arena_create(0);
    (void)state;
    assert_int_equal(sy_command_layout(arena, environment, sides, 3, NULL), SY_OK);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(count_of(sides[i].argv) + count_of(sides[i].environment),
                         count_of(sides[0].argv) + count_of(sides[0].environment));
        assert_int_equal(bytes_of(sides[i].argv) + bytes_of(sides[i].environment) + strlen(sides[i].path),
                         bytes_of(sides[0].argv) + bytes_of(sides[0].environment) + strlen(sides[0].path));
        assert_string_equal(sides[i].environment[0], "A=1");
        assert_string_equal(sides[i].environment[1], "B=22");
    }
    sy_arena_destroy(arena);
}

static void variables_replace_those_of_their_name_and_the_last_one_counts(void **state)
{
    static const char *const base[] = {"A=1", "B=2", "STEELYARD_LAYOUT=xxx", "AB=3", NULL};
    static const char *const variables[] = {"B=4", "C=5", "B=6"};
    sy_arena *arena = sy_arena_create(0);
    (void)state;
    const char *const *all = sy_command_environment(arena, base, variables, 3);
    assert_int_equal(count_of(all), 4);
    assert_string_equal(all[0], "A=1");
    assert_string_equal(all[1], "AB=3");
    assert_string_equal(all[2], "C=5");
    assert_string_equal(all[3], "B=6");
    sy_arena_destroy(arena);
}

/* Where a local of the program lies, without randomisation. */
static void ask_where(const sy_command_side *side, char to[64])
{
    sy_command_run_options options = SY_COMMAND_RUN_OPTIONS_INIT;
    sy_command_outcome outcome;
    int sink = memfd_create("sink", MFD_CLOEXEC);
    options.launcher_path = self_path;
    options.argv = side->argv;
    options.path = side->path;
    options.environment = side->environment;
    options.standard_output = sink;
    assert_int_equal(sy_command_run(&options, &outcome, NULL), SY_OK);
    assert_int_equal(outcome.code, 0);
    ssize_t got = pread(sink, to, 63, 0);
    assert_true(got > 2);
    to[got] = '\0';
    close(sink);
}

static void the_stack_lies_where_the_other_sides_lies(void **state)
{
    static const char *const environment[] = {"A=1", NULL};
    static const char *const short_name[] = {"a", "where", NULL};
    static const char *const long_name[] = {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "where", "and", "more",
                                            NULL};
    sy_command_side sides[2] = {{short_name, self_path, environment}, {long_name, self_path, environment}};
    char places[4][64];
    sy_arena *arena = sy_arena_create(0);
    int before = personality(0xffffffff);
    (void)state;
    if (personality((unsigned long)before | ADDR_NO_RANDOMIZE) < 0 || sy_command_address_randomisation() != 0) {
        print_message("skipped: addresses cannot be kept from being drawn here\n");
        skip();
    }
    ask_where(&sides[0], places[0]);
    ask_where(&sides[1], places[1]);
    assert_int_equal(sy_command_layout(arena, environment, sides, 2, NULL), SY_OK);
    ask_where(&sides[0], places[2]);
    ask_where(&sides[1], places[3]);
    (void)personality((unsigned long)before);
    assert_string_not_equal(places[0], places[1]); /* else this test would show nothing */
    assert_string_equal(places[2], places[3]);
    sy_arena_destroy(arena);
}

int main(int argc, char **argv)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
    if (length < 0)
        return 99;
    path[length] = '\0';
    self_path = path;
    if (argc > 1 && strcmp(argv[1], "launcher") == 0)
        return sy_launcher_main(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "where") == 0)
        return printf("%p", (void *)&length) < 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_sides_get_as_many_bytes_and_pointers),
        cmocka_unit_test(variables_replace_those_of_their_name_and_the_last_one_counts),
        cmocka_unit_test(the_stack_lies_where_the_other_sides_lies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
