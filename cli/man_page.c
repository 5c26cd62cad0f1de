/* SPDX-License-Identifier: Apache-2.0 */
/* Man pages: the same tables in the macros of man(7). */
#include <string.h>

#include "help_text.h"
#include "message.h"

/* Plain text as roff: backslashes and hyphens escaped, a control character at the start of a line disarmed. */
static void put_text(FILE *out, const char *text)
{
    bool line_begins = true;

    for (; *text != '\0'; text++) {
        if (line_begins && (*text == '.' || *text == '\''))
            fputs("\\&", out);
        if (*text == '\\')
            fputs("\\e", out);
        else if (*text == '-')
            fputs("\\-", out);
        else
            fputc(*text, out);
        line_begins = *text == '\n';
    }
}

static void put_line(FILE *out, const char *macro, const char *text)
{
    fputs(macro, out);
    if (macro[0] != '\0')
        fputc(' ', out);
    put_text(out, text);
    fputc('\n', out);
}

static void put_option(FILE *out, const cli_option *option)
{
    char range[80] = "";

    fputs(".TP\n", out);
    if (option->letter != 0)
        fprintf(out, "\\fB\\-%c\\fR, ", option->letter);
    fputs("\\fB\\-\\-", out);
    put_text(out, option->name);
    fputs("\\fR", out);
    if (option->argument != NULL)
        fprintf(out, " \\fI%s\\fR", option->argument);
    fputc('\n', out);
    put_text(out, option->help);
    if (option->kind == CLI_NUMBER || option->kind == CLI_WHOLE)
        cli_option_range(option, range, sizeof(range));
    if (range[0] != '\0')
        fprintf(out, "; %s", range);
    if (option->standard != NULL) {
        fputs(" (default: ", out);
        put_text(out, option->standard);
        fputc(')', out);
    }
    fputs(".\n", out);
}

static void put_options(FILE *out, const cli_command *command)
{
    const char *group = "";
    const cli_option *option;

    fputs(".SH OPTIONS\n", out);
    for (size_t i = 0; (option = cli_command_option_grouped(command, i)) != NULL; i++) {
        if (strcmp(group, option->group) != 0)
            put_line(out, ".SS", option->group);
        group = option->group;
        put_option(out, option);
    }
}

static void put_exit_status(FILE *out)
{
    fputs(".SH EXIT STATUS\n", out);
    for (const cli_exit_text *row = cli_exit_texts; row->code != NULL; row++) {
        fprintf(out, ".TP\n%s\n", row->code);
        put_line(out, "", row->meaning);
    }
}

static void put_environment(FILE *out)
{
    fputs(".SH ENVIRONMENT\n"
          ".TP\n\\fBNO_COLOR\\fR\nWhen set and not empty, text is not coloured unless \\fB\\-\\-color always\\fR asks "
          "for it.\n"
          ".TP\n\\fBLC_ALL\\fR, \\fBLC_CTYPE\\fR, \\fBLANG\\fR\nA UTF\\-8 locale lets the text use line drawing "
          "characters. Numbers never depend on the locale.\n"
          ".TP\n\\fBXDG_CACHE_HOME\\fR, \\fBHOME\\fR\nWhere the user's own profiles are: \\fIsteelyard/profiles\\fR "
          "below the first if it is absolute, else below \\fI.cache\\fR in the second.\n"
          ".TP\n\\fBSTEELYARD_PROFILE_PATH\\fR\nFiles with more profiles, separated by colons, that are only "
          "read.\n",
          out);
}

/* "steelyard-profile-put". */
static void put_page_name(FILE *out, const cli_command *command)
{
    fputs("steelyard\\-", out);
    for (const char *at = command->name; *at != '\0'; at++)
        fputs(*at == ' ' ? "\\-" : (const char[]){*at, '\0'}, out);
}

static void put_command(FILE *out, const cli_command *command)
{
    fprintf(out, ".TP\n\\fBsteelyard %s\\fR\n", command->name);
    put_line(out, "", command->summary);
}

static void put_verbs(FILE *out, const cli_command *group)
{
    fputs(".SH COMMANDS\n", out);
    for (size_t i = 0; group->verbs[i] != NULL; i++)
        put_command(out, group->verbs[i]);
}

static void put_commands(FILE *out)
{
    const cli_command *command;

    fputs(".SH COMMANDS\n", out);
    for (size_t i = 0; (command = cli_command_at(i)) != NULL; i++) {
        if (!command->hidden)
            put_command(out, command);
    }
}

/* "probe"; of a verb, whose pages stand together, its group. */
static const cli_command *group_of(const cli_command *command)
{
    char word[32];
    size_t length = strcspn(command->name, " ");

    if (command->name[length] == '\0' || length >= sizeof(word))
        return NULL;
    memcpy(word, command->name, length);
    word[length] = '\0';
    return cli_command_find(word);
}

static void put_reference(FILE *out, const cli_command *command, const char **comma)
{
    fprintf(out, "%s\\fB", *comma);
    *comma = ",\n";
    put_page_name(out, command);
    fputs("\\fR(1)", out);
}

static void put_see_also(FILE *out, const cli_command *of)
{
    const cli_command *group = of == NULL ? NULL : of->verbs != NULL ? of : group_of(of);
    const cli_command *command;
    const char *comma = of != NULL ? ",\n" : "";

    fprintf(out, ".SH SEE ALSO\n%s", of != NULL ? "\\fBsteelyard\\fR(1)" : "");
    for (size_t i = 0; group == NULL && (command = cli_command_at(i)) != NULL; i++) {
        if (!command->hidden && command != of)
            put_reference(out, command, &comma);
    }
    if (group != NULL && group != of)
        put_reference(out, group, &comma);
    for (size_t i = 0; group != NULL && group->verbs[i] != NULL; i++) {
        if (group->verbs[i] != of)
            put_reference(out, group->verbs[i], &comma);
    }
    fputc('\n', out);
}

static void put_command_body(FILE *out, const cli_command *command)
{
    for (size_t i = 0; command->paragraphs[i] != NULL; i++) {
        if (i > 0)
            fputs(".PP\n", out);
        put_line(out, "", command->paragraphs[i]);
    }
    if (command->verbs != NULL)
        put_verbs(out, command);
    put_options(out, command);
    if (command->examples != NULL) {
        fputs(".SH EXAMPLES\n", out);
        for (size_t i = 0; command->examples[i] != NULL; i += 2) {
            fputs(".TP\n\\fB", out);
            put_text(out, command->examples[i]);
            fputs("\\fR\n", out);
            put_line(out, "", command->examples[i + 1]);
        }
    }
}

void cli_man_page(FILE *out, const cli_command *command)
{
    fputs(".TH \"STEELYARD", out);
    if (command != NULL) {
        fputs("\\-", out);
        for (const char *at = command->name; *at != '\0'; at++)
            fputc(*at == ' ' ? '-' : *at >= 'a' && *at <= 'z' ? *at - 'a' + 'A' : *at, out);
    }
    fprintf(out, "\" 1 \"\" \"steelyard %s\" \"User Commands\"\n.SH NAME\n", sy_version());
    if (command == NULL) {
        fputs("steelyard \\- weigh implementations of an operation on the machine where they will run\n"
              ".SH SYNOPSIS\n\\fBsteelyard\\fR \\fICOMMAND\\fR [\\fIoption\\fR...]\n.SH DESCRIPTION\n"
              "Outputs are compared first; then coin\\-flipped timed pairs decide, with a stated error rate, which "
              "implementation to use here.\n",
              out);
        put_commands(out);
    } else {
        put_page_name(out, command);
        fputs(" \\- ", out);
        put_line(out, "", command->summary);
        fprintf(out, ".SH SYNOPSIS\n\\fBsteelyard %s\\fR ", command->name);
        put_line(out, "", command->usage);
        fputs(".SH DESCRIPTION\n", out);
        put_command_body(out, command);
    }
    if (command == NULL || command->decides)
        put_exit_status(out);
    put_environment(out);
    put_see_also(out, command);
}
