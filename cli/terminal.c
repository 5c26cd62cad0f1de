/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to the terminal and its environment variables. */
#include "terminal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { USUAL_COLUMNS = 80, LEAST_COLUMNS = 40, MOST_COLUMNS = 200 };

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);

    return value != NULL && value[0] != '\0';
}

bool cli_terminal_is_capable(int descriptor)
{
    const char *kind = getenv("TERM");

    return isatty(descriptor) && kind != NULL && kind[0] != '\0' && strcmp(kind, "dumb") != 0;
}

uint32_t cli_terminal_exact_columns(int descriptor)
{
    struct winsize size;

    if (!isatty(descriptor) || ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return USUAL_COLUMNS;
    return size.ws_col;
}

uint32_t cli_terminal_columns(int descriptor)
{
    uint32_t columns = cli_terminal_exact_columns(descriptor);

    if (columns < LEAST_COLUMNS)
        return LEAST_COLUMNS;
    return columns > MOST_COLUMNS ? MOST_COLUMNS : columns;
}

bool cli_terminal_is_utf8(void)
{
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};

    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
        const char *locale = getenv(variables[i]);

        if (locale != NULL && locale[0] != '\0') {
            return strcasestr(locale, "utf-8") != NULL || strcasestr(locale, "utf8") != NULL;
        }
    }
    return false;
}

bool cli_terminal_has_color(int descriptor, cli_color asked)
{
    if (asked != CLI_COLOR_AUTO)
        return asked == CLI_COLOR_ALWAYS;
    return !is_set("NO_COLOR") && cli_terminal_is_capable(descriptor);
}

sy_report_style cli_terminal_style(const cli_common *common)
{
    sy_report_style style = SY_REPORT_STYLE_INIT;

    style.columns = cli_terminal_columns(STDOUT_FILENO);
    style.color = cli_terminal_has_color(STDOUT_FILENO, common->color);
    style.utf8 = cli_terminal_is_utf8();
    return style;
}
