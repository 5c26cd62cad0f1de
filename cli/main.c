/* SPDX-License-Identifier: Apache-2.0 */
/* The command table: picks the command that argv names and hands over. */
#include <string.h>

#include "command.h"
#include "message.h"
#include "output.h"
#include "suggest.h"

enum { NAMES_MAX = 32 };

static const cli_command *const commands[] = {
    &cli_command_probe,   &cli_command_measure,  &cli_command_replay,  &cli_command_select, &cli_command_profile,
    &cli_command_matrix,  &cli_command_gate,     &cli_command_run,     &cli_command_import, &cli_command_key,
    &cli_command_compare, &cli_command_signoff,  &cli_command_promote, &cli_command_ledger, &cli_command_history,
    &cli_command_report,  &cli_command_backends, &cli_command_doctor,  &cli_command_help,   &cli_command_version,
    &cli_command_worker,  &cli_command_launcher,
};

const cli_command *cli_command_at(size_t index)
{
    return index < sizeof(commands) / sizeof(commands[0]) ? commands[index] : NULL;
}

const cli_command *cli_command_find(const char *name)
{
    for (size_t i = 0; cli_command_at(i) != NULL; i++) {
        if (strcmp(cli_command_at(i)->name, name) == 0)
            return cli_command_at(i);
    }
    return NULL;
}

const char *cli_command_near(const char *name)
{
    const char *names[NAMES_MAX];
    size_t count = 0;

    for (size_t i = 0; cli_command_at(i) != NULL && count < NAMES_MAX; i++) {
        if (!cli_command_at(i)->hidden)
            names[count++] = cli_command_at(i)->name;
    }
    return cli_suggest(name, names, count);
}

static int refuse(const char *word)
{
    sy_error err;
    const char *near = cli_command_near(word);

    (void)cli_fail(&err, SY_INVALID_ARGUMENT, "'%s' is not a command", word);
    if (near != NULL)
        cli_hint(&err, "did you mean: steelyard %s", near);
    else
        cli_hint(&err, "all commands: steelyard help");
    return cli_report("", NULL, &err);
}

int main(int argc, char **argv)
{
    const cli_command *command;
    const char *word;
    int code;

    cli_output_prepare();
    if (argc < 2) {
        sy_error err;

        (void)cli_fail(&err, SY_INVALID_ARGUMENT, "no command is given");
        cli_hint(&err, "all commands: steelyard help; to start: steelyard probe matmul --cases quick");
        return cli_report("", NULL, &err);
    }
    word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        word = "help";
    else if (strcmp(word, "--version") == 0)
        word = "version";
    command = cli_command_find(word);
    if (command == NULL)
        return refuse(word);
    code = command->run(argc - 1, argv + 1);
    return cli_output_finish(command->name, code);
}
