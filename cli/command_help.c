/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard help: the overview, one command's help, its man page, the completion script. */
#include <stdio.h>
#include <stdlib.h>
#include <steelyard/backend.h>
#include <string.h>

#include "command.h"
#include "help_text.h"
#include "message.h"
#include "output.h"

typedef struct help_arguments {
    cli_common common;
    bool man;
    int shell; /* index into shells; -1 = not asked */
} help_arguments;

static const char *const shells[] = {"bash", NULL};

static const cli_option options[] = {
    {.name = "man",
     .kind = CLI_FLAG,
     .group = "Forms",
     .help = "print the man page as roff source; without a command, that of steelyard itself",
     CLI_INTO(help_arguments, man)},
    {.name = "completion",
     .argument = "SHELL",
     .kind = CLI_CHOICE,
     .choices = shells,
     .group = "Forms",
     .help = "print a completion script for the shell: bash",
     CLI_INTO(help_arguments, shell)},
};

/* Adds name and a space unless it is there. */
static void add_word(FILE *out, const char *name, const char *const *seen, size_t seen_count)
{
    for (size_t i = 0; i < seen_count; i++) {
        if (strcmp(seen[i], name) == 0)
            return;
    }
    fprintf(out, "%s%s", seen_count > 0 ? " " : "", name);
}

/* The names of one kind in the list of backends, each once, space-separated. The caller frees. */
static char *words_of(const sy_backend_info *list, size_t count,
                      const char *(*name_of)(const sy_backend_implementation *))
{
    const char *seen[256];
    size_t seen_count = 0;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (out == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < list[i].implementation_count && seen_count < 256; j++) {
            const char *name = name_of(&list[i].implementations[j]);

            add_word(out, name, seen, seen_count);
            seen[seen_count++] = name;
        }
    }
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static const char *operation_of(const sy_backend_implementation *row)
{
    return row->operation;
}

static const char *implementation_of(const sy_backend_implementation *row)
{
    return row->name;
}

static sy_status print_completion(FILE *out, sy_error *err)
{
    sy_backend_info *list = NULL;
    size_t count = 0;
    char *operations = NULL;
    char *implementations = NULL;
    char backends[256] = "";
    sy_status status = sy_backends_list(&list, &count, err);

    if (status != SY_OK)
        return status;
    for (size_t i = 0; i < count; i++) {
        cli_append(backends, sizeof(backends), i == 0 ? "" : " ");
        cli_append(backends, sizeof(backends), list[i].name);
    }
    operations = words_of(list, count, operation_of);
    implementations = words_of(list, count, implementation_of);
    if (operations == NULL || implementations == NULL)
        status = cli_fail(err, SY_NO_MEMORY, "no memory for the completion script");
    else
        cli_completion_bash(out, operations, backends, implementations);
    free(operations);
    free(implementations);
    sy_backends_free(list);
    return status;
}

/* Prints what is made by roff or shell rules. */
static int print_form(const help_arguments *arguments, const cli_command *command)
{
    char *text = NULL;
    size_t size = 0;
    sy_error err = SY_ERROR_INIT;
    sy_status status = SY_OK;
    FILE *out = open_memstream(&text, &size);

    if (out == NULL) {
        (void)cli_fail(&err, SY_NO_MEMORY, "no memory for the text");
        return cli_report("help", NULL, &err);
    }
    if (arguments->man)
        cli_man_page(out, command);
    else
        status = print_completion(out, &err);
    if (fclose(out) != 0 && status == SY_OK)
        status = cli_fail(&err, SY_NO_MEMORY, "no memory for the text");
    if (status == SY_OK)
        cli_output_write(text);
    free(text);
    return status == SY_OK ? CLI_DONE : cli_report("help", NULL, &err);
}

/* "probe", or a group and its verb: "profile put". None is no error. */
static sy_status find_command(const cli_operands *operands, const cli_command **ret_command, sy_error *err)
{
    const cli_command *command;
    size_t words = 1;

    if (operands->count == 0)
        return SY_OK;
    command = cli_command_find(operands->words[0]);
    if (command == NULL || command->hidden) {
        const char *near = cli_command_near(operands->words[0]);

        (void)cli_fail(err, SY_INVALID_ARGUMENT, "'%s' is not a command", operands->words[0]);
        if (near != NULL)
            cli_hint(err, "did you mean: steelyard help %s", near);
        else
            cli_hint(err, "all commands: steelyard help");
        return SY_INVALID_ARGUMENT;
    }
    if (operands->count > 1 && command->verbs != NULL) {
        const cli_command *verb = cli_command_verb(command, operands->words[words++]);

        if (verb == NULL) {
            cli_command_refuse_verb(command, operands->words[1], "steelyard help", err);
            return SY_INVALID_ARGUMENT;
        }
        command = verb;
    }
    if (operands->count > words)
        return cli_fail(err, SY_INVALID_ARGUMENT, "'%s': help is for one command at a time", operands->words[words]);
    *ret_command = command;
    return SY_OK;
}

static int run(int argc, char **argv)
{
    help_arguments arguments = {.shell = -1};
    const cli_command *command = NULL;
    cli_operands operands;
    sy_error err;
    int code = cli_command_begin(&cli_command_help, argc, argv, &arguments, &operands);

    if (code >= 0)
        return code;
    if (find_command(&operands, &command, &err) != SY_OK)
        return cli_report("help", NULL, &err);
    if (arguments.man || arguments.shell >= 0)
        return print_form(&arguments, command);
    return cli_command_print_help(command);
}

static const char *const paragraphs[] = {
    "Without a word, lists the commands; with the name of one, explains it and its options. Commands of a group have "
    "two words, as in profile put.",
    NULL};

static const char *const examples[] = {"steelyard help --man probe | man -l -", "read the man page of probe",
                                       "eval \"$(steelyard help --completion bash)\"",
                                       "complete commands, options and names with the tab key", NULL};

const cli_command cli_command_help = {
    .name = "help",
    .summary = "explain a command; print man pages and shell completion",
    .usage = "[COMMAND [COMMAND]] [option...]",
    .paragraphs = paragraphs,
    .examples = examples,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .completion = CLI_COMPLETE_COMMANDS,
    .run = run,
};
