/* SPDX-License-Identifier: Apache-2.0 */
/* What every command does first: parse its options, answer --help, listen to the library's log. */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "help_text.h"
#include "message.h"
#include "output.h"
#include "terminal.h"

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
