/* SPDX-License-Identifier: Apache-2.0 */
/* --help: the command and option tables as text that fits the terminal. */
#include "help_text.h"

#include <string.h>

#include "message.h"

enum { HELP_COLUMN = 28, INDENT = 2 };

void cli_wrap(FILE *out, const char *text, uint32_t at, uint32_t indent, uint32_t columns)
{
    bool first = true;

    for (;;) {
        size_t length;

        text += strspn(text, " ");
        length = strcspn(text, " ");
        if (length == 0)
            break;
        if (!first && at + 1 + length > columns) {
            fprintf(out, "\n%*s", (int)indent, "");
            at = indent;
        } else if (!first) {
            fputc(' ', out);
            at++;
        }
        fwrite(text, 1, length, out);
        at += (uint32_t)length;
        text += length;
        first = false;
    }
    fputc('\n', out);
}

const cli_option *cli_command_option(const cli_command *command, size_t index)
{
    if (index < command->option_count)
        return &command->options[index];
    index -= command->option_count;
    return index < cli_common_option_count ? &cli_common_options[index] : NULL;
}

static bool group_seen_before(const cli_command *command, size_t index)
{
    const char *group = cli_command_option(command, index)->group;

    for (size_t i = 0; i < index; i++) {
        if (strcmp(cli_command_option(command, i)->group, group) == 0)
            return true;
    }
    return false;
}

const cli_option *cli_command_option_grouped(const cli_command *command, size_t index)
{
    for (size_t first = 0; cli_command_option(command, first) != NULL; first++) {
        const cli_option *head = cli_command_option(command, first);

        if (group_seen_before(command, first))
            continue;
        for (size_t i = first; cli_command_option(command, i) != NULL; i++) {
            const cli_option *row = cli_command_option(command, i);

            if (strcmp(row->group, head->group) == 0 && index-- == 0)
                return row;
        }
    }
    return NULL;
}

static void print_option(FILE *out, const cli_option *option, uint32_t columns)
{
    char left[128];
    char right[512];
    char range[80];
    uint32_t help_column = columns >= 60 ? HELP_COLUMN : 8;
    int width;

    width = snprintf(left, sizeof(left), "%*s--%s%s%s", INDENT, "", option->name, option->argument != NULL ? " " : "",
                     option->argument != NULL ? option->argument : "");
    if (option->letter != 0)
        width = snprintf(left, sizeof(left), "%*s-%c, --%s%s%s", INDENT, "", option->letter, option->name,
                         option->argument != NULL ? " " : "", option->argument != NULL ? option->argument : "");
    snprintf(right, sizeof(right), "%s", option->help);
    if (option->kind == CLI_NUMBER || option->kind == CLI_WHOLE) {
        cli_option_range(option, range, sizeof(range));
        if (range[0] != '\0') {
            cli_append(right, sizeof(right), "; ");
            cli_append(right, sizeof(right), range);
        }
    }
    if (option->standard != NULL) {
        cli_append(right, sizeof(right), " (default: ");
        cli_append(right, sizeof(right), option->standard);
        cli_append(right, sizeof(right), ")");
    }
    fputs(left, out);
    if ((uint32_t)width + 2 > help_column) {
        fputc('\n', out);
        width = 0;
    }
    fprintf(out, "%*s", (int)help_column - width, "");
    cli_wrap(out, right, help_column, help_column, columns);
}

static void print_exit_codes(FILE *out, uint32_t columns)
{
    fputs("\nExit codes\n", out);
    for (const cli_exit_text *row = cli_exit_texts; row->code != NULL; row++) {
        fprintf(out, "%*s%-5s", INDENT, "", row->code);
        cli_wrap(out, row->meaning, INDENT + 5, INDENT + 5, columns);
    }
}

/* A command line in lines of at most columns characters, as a shell reads them: broken at spaces by a backslash. */
static void print_command(FILE *out, const char *command, uint32_t columns)
{
    uint32_t at = 2 * INDENT;
    bool first = true;

    fprintf(out, "%*s", (int)at, "");
    for (;;) {
        size_t length = strcspn(command, " ");

        if (!first && at + 1 + length + 2 > columns) {
            fprintf(out, " \\\n%*s", 4 * INDENT, "");
            at = 4 * INDENT;
        } else if (!first) {
            fputc(' ', out);
            at++;
        }
        fwrite(command, 1, length, out);
        at += (uint32_t)length;
        first = false;
        if (command[length] == '\0')
            break;
        command += length + 1;
    }
    fputc('\n', out);
}

static void print_examples(FILE *out, const cli_command *command, uint32_t columns)
{
    if (command->examples == NULL)
        return;
    fputs("\nExamples\n", out);
    for (size_t i = 0; command->examples[i] != NULL; i += 2) {
        fprintf(out, "%*s", INDENT, "");
        cli_wrap(out, command->examples[i + 1], INDENT, INDENT, columns);
        print_command(out, command->examples[i], columns);
    }
}

/* A list of commands, each with its summary. */
static void print_summary(FILE *out, const cli_command *command, uint32_t columns)
{
    fprintf(out, "%*s%-10s", INDENT, "", cli_command_word(command));
    cli_wrap(out, command->summary, INDENT + 10, INDENT + 10, columns);
}

static void print_verbs(FILE *out, const cli_command *group, uint32_t columns)
{
    fputs("\nCommands\n", out);
    for (size_t i = 0; group->verbs[i] != NULL; i++)
        print_summary(out, group->verbs[i], columns);
}

void cli_help_command(FILE *out, const cli_command *command, uint32_t columns)
{
    const char *group = "";
    const cli_option *option;

    char usage[256];

    snprintf(usage, sizeof(usage), "Usage: steelyard %s %s", command->name, command->usage);
    cli_wrap(out, usage, 0, 2 * INDENT, columns);
    for (size_t i = 0; command->paragraphs[i] != NULL; i++) {
        fputc('\n', out);
        cli_wrap(out, command->paragraphs[i], 0, 0, columns);
    }
    if (command->verbs != NULL)
        print_verbs(out, command, columns);
    for (size_t i = 0; (option = cli_command_option_grouped(command, i)) != NULL; i++) {
        if (strcmp(group, option->group) != 0)
            fprintf(out, "\n%s\n", option->group);
        group = option->group;
        print_option(out, option, columns);
    }
    print_examples(out, command, columns);
    if (command->decides)
        print_exit_codes(out, columns);
}

void cli_help_overview(FILE *out, uint32_t columns)
{
    const cli_command *command;

    fputs("Usage: steelyard COMMAND [option...]\n\n", out);
    cli_wrap(out,
             "Steelyard weighs one implementation of an operation against another on the machine where it will run: "
             "outputs are compared first, then timed pairs decide, with a stated error rate.",
             0, 0, columns);
    fputs("\nCommands\n", out);
    for (size_t i = 0; (command = cli_command_at(i)) != NULL; i++) {
        if (!command->hidden)
            print_summary(out, command, columns);
    }
    fputs("\nTo start\n  steelyard probe matmul --cases quick\n  steelyard help probe\n", out);
    print_exit_codes(out, columns);
}
