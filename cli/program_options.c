/* SPDX-License-Identifier: Apache-2.0 */
/* From the options about commands to a spec. */
#include "program_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interrupt.h"
#include "progress_line.h"

const char *const cli_program_better[] = {"lower", "higher", NULL};

/* What a command wrote, on stderr with a line above that says whose it is. */
static void show_output(void *user, const char *command, const char *stream, const void *bytes, size_t size)
{
    static char shown[256]; /* whose line stands there: pieces of one output follow each other */
    char heading[256];

    (void)user;
    cli_progress_clear();
    (void)snprintf(heading, sizeof(heading), "--- %s, %s:\n", command, stream);
    if (strcmp(shown, heading) != 0)
        fputs(heading, stderr);
    memcpy(shown, heading, sizeof(shown));
    fwrite(bytes, 1, size, stderr);
    fflush(stderr);
}

void cli_programs_fill(const cli_programs *programs, const char *launcher_path, sy_command_spec *spec)
{
    const char *temporary = getenv("TMPDIR");

    spec->shell = programs->shell;
    spec->setup = programs->setup;
    spec->prepare = programs->prepare;
    spec->conclude = programs->conclude;
    spec->cleanup = programs->cleanup;
    spec->input = programs->input;
    spec->variables = (const char *const *)programs->variables.names;
    spec->variable_count = programs->variables.count;
    spec->directory = programs->directory;
    spec->timeout_ns = programs->timeout_ns;
    spec->ignore_failure = programs->ignore_failure;
    spec->terminal = programs->terminal;
    spec->outputs = (const char *const *)programs->outputs.names;
    spec->output_count = programs->outputs.count;
    spec->metric = programs->metric;
    spec->higher_is_better = programs->better != 0;
    spec->launcher_path = launcher_path;
    if (temporary != NULL && temporary[0] != '\0')
        spec->scratch_directory = temporary;
    spec->show = programs->show_output ? show_output : NULL;
    spec->cancelled = cli_interrupt_asked;
}

const char *cli_programs_given(const cli_programs *programs)
{
    const cli_programs *p = programs;

    return p->names.count > 0          ? "name"
           : p->shell != NULL          ? "shell"
           : p->setup != NULL          ? "setup"
           : p->prepare != NULL        ? "prepare"
           : p->conclude != NULL       ? "conclude"
           : p->cleanup != NULL        ? "cleanup"
           : p->input != NULL          ? "input"
           : p->variables.count > 0    ? "env"
           : p->directory != NULL      ? "directory"
           : p->parameters.count > 0   ? "parameter"
           : p->timeout_ns > 0         ? "timeout"
           : p->ignore_failure         ? "ignore-failure"
           : p->show_output            ? "show-output"
           : p->terminal               ? "terminal"
           : p->outputs.count > 0      ? "output"
           : p->compare != NULL        ? "compare"
           : p->ignore_lines.count > 0 ? "ignore-lines"
           : p->metric != NULL         ? "metric"
           : p->better != 0            ? "better"
                                       : NULL;
}

void cli_programs_finish(cli_programs *programs)
{
    cli_names_finish(&programs->candidates);
    cli_names_finish(&programs->names);
    cli_names_finish(&programs->variables);
    cli_names_finish(&programs->parameters);
    cli_names_finish(&programs->outputs);
    cli_names_finish(&programs->ignore_lines);
}
