/* SPDX-License-Identifier: Apache-2.0 */
/* A locale whose decimal sign is a comma, for tests of numbers that must not care. */
#ifndef STEELYARD_TESTS_COMMA_LOCALE_H
#define STEELYARD_TESTS_COMMA_LOCALE_H

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/process.h"
#include "base/text.h"

/* Makes a locale with a decimal comma in a folder, under a name that no other test has, and points the C
 * library to it. */
static inline bool enter_a_comma_locale(const char *folder, const char *name)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    const char *argv[] = {"localedef", "-i", "de_DE", "-f", "UTF-8", path, NULL};
    sy_process_options options = SY_PROCESS_OPTIONS_INIT;
    options.argv = argv;
    sy_text said = SY_TEXT_INIT;
    /* Its exit status tells of warnings, too: what counts is whether the locale can be entered. */
    sy_status status = sy_process_run(&options, &sy_clock_system, 0, 1 << 16, &said, NULL, NULL, NULL);
    sy_text_finish(&said);
    return status == SY_OK && setenv("LOCPATH", folder, 1) == 0 && setlocale(LC_ALL, name) != NULL;
}

#endif
