/* SPDX-License-Identifier: Apache-2.0 */
/* Shell completion: a bash script with the words of the tables in it. Names in it are ours: plain letters and hyphens.
 */
#include <steelyard/import.h>

#include "help_text.h"

static void put_command_names(FILE *out)
{
    const cli_command *command;
    const char *space = "";

    for (size_t i = 0; (command = cli_command_at(i)) != NULL; i++) {
        if (command->hidden)
            continue;
        fprintf(out, "%s%s", space, command->name);
        space = " ";
    }
}

/* Calls put for every command that people call, the verbs of groups included. */
static void for_each_callable(FILE *out, void (*put)(FILE *out, const cli_command *command))
{
    const cli_command *command;

    for (size_t i = 0; (command = cli_command_at(i)) != NULL; i++) {
        if (!command->hidden)
            put(out, command);
        for (size_t j = 0; command->verbs != NULL && command->verbs[j] != NULL; j++)
            put(out, command->verbs[j]);
    }
}

static void put_verb_names(FILE *out, const cli_command *group)
{
    for (size_t i = 0; group->verbs[i] != NULL; i++)
        fprintf(out, "%s ", cli_command_word(group->verbs[i]));
}

static void put_option_names(FILE *out, const cli_command *command)
{
    const cli_option *option;

    for (size_t i = 0; (option = cli_command_option(command, i)) != NULL; i++)
        fprintf(out, "%s--%s", i == 0 ? "" : " ", option->name);
}

/* "command:--option" branches for options whose values are known words or files. */
static void put_values(FILE *out, const cli_command *command)
{
    const cli_option *option;

    for (size_t i = 0; (option = cli_command_option(command, i)) != NULL; i++) {
        if (option->argument == NULL)
            continue;
        fprintf(out, "    \"%s:--%s\") %s", command->name, option->name, option->kind == CLI_NAMES ? "list=1 " : "");
        if (option->choices != NULL) {
            fputs("words=\"", out);
            for (size_t j = 0; option->choices[j] != NULL; j++)
                fprintf(out, "%s%s", j == 0 ? "" : " ", option->choices[j]);
            fputs("\" ;;\n", out);
        } else if (option->completion == CLI_COMPLETE_BACKENDS) {
            fputs("words=$backends ;;\n", out);
        } else if (option->completion == CLI_COMPLETE_IMPLEMENTATIONS) {
            fputs("words=$implementations ;;\n", out);
        } else if (option->completion == CLI_COMPLETE_COMMANDS) {
            fputs("words=$commands ;;\n", out);
        } else if (option->completion == CLI_COMPLETE_FILES) {
            fputs("COMPREPLY=($(compgen -f -- \"$current\")); return ;;\n", out);
        } else {
            fputs("return ;;\n", out);
        }
    }
}

/* The first word is a format, those behind it are files. */
static void put_formats(FILE *out)
{
    fputs("$(if [ \"$COMP_CWORD\" -gt 2 ]; then compgen -f -- \"$current\"; else echo", out);
    for (int i = SY_IMPORT_AUTO; i <= SY_IMPORT_GO; i++)
        fprintf(out, " %s", sy_import_format_word((sy_import_format)i));
    fputs("; fi) ", out);
}

/* The first word is a command, the second a verb of it. */
static void put_commands(FILE *out)
{
    const cli_command *command;

    fputs("$(if [ \"$COMP_CWORD\" -lt 3 ]; then echo $commands; else case ${COMP_WORDS[2]} in", out);
    for (size_t i = 0; (command = cli_command_at(i)) != NULL; i++) {
        if (command->verbs == NULL || command->hidden)
            continue;
        fprintf(out, " %s) echo ", command->name);
        put_verb_names(out, command);
        fputs(";;", out);
    }
    fputs(" esac; fi) ", out);
}

/* What may follow the command where no option asks for a value. */
static void put_words(FILE *out, const cli_command *command)
{
    fprintf(out, "    \"%s\") words=\"", command->name);
    if (command->verbs != NULL)
        put_verb_names(out, command);
    else if (command->completion == CLI_COMPLETE_OPERATIONS)
        fputs("$operations ", out);
    else if (command->completion == CLI_COMPLETE_COMMANDS)
        put_commands(out);
    else if (command->completion == CLI_COMPLETE_FILES)
        fputs("$(compgen -f -- \"$current\") ", out);
    else if (command->completion == CLI_COMPLETE_FORMATS)
        put_formats(out);
    put_option_names(out, command);
    fputs("\" ;;\n", out);
}

/* The verb of a group belongs to the command's name from the third word on. */
static void put_groups(FILE *out)
{
    const cli_command *command;

    for (size_t i = 0; (command = cli_command_at(i)) != NULL; i++) {
        if (command->verbs != NULL)
            fprintf(
                out,
                "  if [ \"$COMP_CWORD\" -gt 2 ] && [ \"$command\" = %s ]; then command+=\" ${COMP_WORDS[2]}\"; fi\n",
                command->name);
    }
}

void cli_completion_bash(FILE *out, const char *operations, const char *backends, const char *implementations)
{
    fputs("# bash completion for steelyard, made by: steelyard help --completion bash\n"
          "_steelyard()\n{\n"
          "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}\n",
          out);
    fprintf(out, "  local operations=\"%s\" backends=\"%s\" implementations=\"%s\"\n", operations, backends,
            implementations);
    fputs("  local words= list= commands=\"", out);
    put_command_names(out);
    fputs("\"\n  COMPREPLY=()\n"
          "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
          "    COMPREPLY=($(compgen -W \"$commands --help --version\" -- \"$current\"))\n    return\n  fi\n",
          out);
    put_groups(out);
    fputs(
        "  case $current in */*) COMPREPLY=($(compgen -f -- \"$current\")); return ;; esac\n" /* a plugin, a program */
        "  case $command:$before in\n",
        out);
    for_each_callable(out, put_values);
    fputs("  esac\n  if [ -z \"$words\" ]; then\n    case $command in\n", out);
    for_each_callable(out, put_words);
    fputs("    esac\n  fi\n"
          "  local given=\n" /* in front of the last comma of a list */
          "  if [ -n \"$list\" ]; then given=${current%\"${current##*,}\"}; fi\n"
          "  COMPREPLY=($(compgen -P \"$given\" -W \"$words\" -- \"${current#\"$given\"}\"))\n}\n"
          "complete -F _steelyard steelyard\n",
          out);
}
