/* SPDX-License-Identifier: Apache-2.0 */
/* What every command does first: parse its options, answer --help, listen to the library's log. */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "help_text.h"
#include "message.h"
#include "output.h"
#include "suggest.h"
#include "terminal.h"

enum { VERBS_MAX = 32 };

const char *cli_command_word(const cli_command *command)
{
    const char *space = strrchr(command->name, ' ');

    return space != NULL ? space + 1 : command->name;
}

const cli_command *cli_command_verb(const cli_command *group, const char *word)
{
    for (size_t i = 0; group->verbs[i] != NULL; i++) {
        if (strcmp(cli_command_word(group->verbs[i]), word) == 0)
            return group->verbs[i];
    }
    return NULL;
}

void cli_command_refuse_verb(const cli_command *group, const char *word, const char *before, sy_error *err)
{
    const char *words[VERBS_MAX];
    const char *near;
    size_t count = 0;

    for (; group->verbs[count] != NULL && count < VERBS_MAX; count++)
        words[count] = cli_command_word(group->verbs[count]);
    near = cli_suggest(word, words, count);
    (void)cli_fail(err, SY_INVALID_ARGUMENT, "'%s' is not a command of %s", word, group->name);
    if (near != NULL)
        cli_hint(err, "did you mean: %s %s %s", before, group->name, near);
    else
        cli_hint(err, "all of them: steelyard help %s", group->name);
}

int cli_command_run_verb(const cli_command *group, int argc, char **argv)
{
    const cli_command *verb;
    sy_error err;

    if (argc < 2) {
        (void)cli_fail(&err, SY_INVALID_ARGUMENT, "no command of %s is given", group->name);
        cli_hint(&err, "all of them: steelyard help %s", group->name);
        return cli_report(group->name, NULL, &err);
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return cli_command_print_help(group);
    verb = cli_command_verb(group, argv[1]);
    if (verb != NULL)
        return verb->run(argc - 1, argv + 1);
    cli_command_refuse_verb(group, argv[1], "steelyard", &err);
    return cli_report(group->name, NULL, &err);
}

int cli_command_print_help(const cli_command *command)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    uint32_t columns = cli_terminal_columns(STDOUT_FILENO);
    int code = CLI_ENVIRONMENT;
    sy_error err;

    if (out != NULL) {
        if (command == NULL)
            cli_help_overview(out, columns);
        else
            cli_help_command(out, command, columns);
        if (fclose(out) == 0) {
            cli_output_write(text);
            code = CLI_DONE;
        }
        free(text);
    }
    if (code != CLI_DONE) {
        (void)cli_fail(&err, SY_NO_MEMORY, "no memory for the help text");
        return cli_report("help", NULL, &err);
    }
    return code;
}

int cli_command_begin(const cli_command *command, int argc, char **argv, void *arguments, cli_operands *ret_operands)
{
    const cli_common *common = arguments;
    sy_error err = SY_ERROR_INIT;
    sy_status status = cli_options_parse(command->options, command->option_count, argc, argv, arguments, ret_operands,
                                         &err);

    /* Asked for help, a reader is not told what is wrong with the rest of the line. */
    if (common->help)
        return cli_command_print_help(command);
    if (status != SY_OK)
        return cli_report(command->name, NULL, &err);
    cli_listen(common->quiet);
    return -1;
}
