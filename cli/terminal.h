/* SPDX-License-Identifier: Apache-2.0 */
/* What the terminal behind a descriptor is and can. */
#ifndef STEELYARD_CLI_TERMINAL_H
#define STEELYARD_CLI_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>
#include <steelyard/report.h>

#include "options.h"

/* A terminal that understands cursor movements: TERM is neither unset nor "dumb". */
bool cli_terminal_is_capable(int descriptor);
/* Its width now, 40 to 200; 80 where there is no terminal or it does not tell. */
uint32_t cli_terminal_columns(int descriptor);
/* Its width now as it is, for a line that must not break; 80 where unknown. */
uint32_t cli_terminal_exact_columns(int descriptor);
/* Whether the locale's character set is UTF-8, by LC_ALL, LC_CTYPE or LANG, the first that is set. */
bool cli_terminal_is_utf8(void);
/* Whether text for the descriptor is coloured: as asked; else on a capable terminal unless NO_COLOR is set. */
bool cli_terminal_has_color(int descriptor, cli_color asked);

/* The style of a report on stdout. */
sy_report_style cli_terminal_style(const cli_common *common);

#endif
