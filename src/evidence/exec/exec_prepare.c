/* SPDX-License-Identifier: Apache-2.0 */
/* What is to run, where and with what, before anything happens: whatever is wrong with it leaves the run as it is. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/shell_words.h"
#include "evidence/exec/exec_environment.h"
#include "evidence/exec/exec_inside.h"
#include "evidence/source/source.h"

/* What is measured are the sources that the run's beginning names: another revision, another difference, or files that
 * git can no longer tell of, are another run's. */
static sy_status check_sources(sy_exec *exec, const sy_run_source *begun, sy_error *err)
{
    sy_source_options options = SY_SOURCE_OPTIONS_INIT;
    sy_source now;
    if (begun->revision[0] == '\0')
        return SY_OK;
    options.folder = sy_project_root(exec->project);
    sy_status status = sy_source_describe(&options, exec->arena, &now, err);
    if (status != SY_OK)
        return status;
    bool same = strcmp(now.run.revision, begun->revision) == 0 && now.run.dirty == begun->dirty &&
                strcmp(now.run.diff_digest, begun->diff_digest) == 0;
    if (!same) {
        status = sy_fail(err, SY_REFUSED, "the sources are not those with which run '%s' began%s%s", exec->run,
                         now.reason[0] != '\0' ? ": " : "", now.reason);
        sy_error_hint(err, "bring them back, or begin another run: steelyard run start");
    }
    sy_source_finish(&now);
    return status;
}

static sy_status find_run(sy_exec *exec, const char *id, sy_error *err)
{
    sy_run *run = NULL;
    sy_status status = sy_ledger_run(exec->ledger, id, &run, err);
    if (status != SY_OK)
        return status;
    exec->run = sy_arena_copy_text(exec->arena, run->row.id);
    exec->gate = sy_arena_copy_text(exec->arena, run->row.gate);
    exec->device = sy_arena_copy_text(exec->arena, run->row.device[0] == '\0' ? "cpu" : run->row.device);
    exec->host = sy_arena_copy_text(exec->arena, run->row.host);
    exec->synthetic = run->row.synthetic;
    if (exec->run == NULL || exec->gate == NULL || exec->device == NULL || exec->host == NULL) {
        status = sy_fail(err, SY_NO_MEMORY, "no memory for a run");
    } else if (run->row.status != SY_RUN_PLANNED && run->row.status != SY_RUN_RUNNING) {
        status = sy_fail(err, SY_REFUSED, "run '%s' is %s: nothing is run for it any more", exec->run,
                         sy_run_status_word(run->row.status));
        sy_error_hint(err, "steelyard run start begins another one");
    } else {
        status = check_sources(exec, &run->begin.source, err);
    }
    sy_run_destroy(run);
    return status;
}

static sy_status read_plan(sy_exec *exec, sy_error *err)
{
    sy_registry *registry = NULL;
    if (exec->gate[0] == '\0')
        return SY_OK;
    sy_status status = sy_project_registry(exec->project, &registry, err);
    if (status == SY_OK)
        status = sy_gate_plan_read(registry, exec->gate, exec->arena, &exec->plan, err);
    exec->has_plan = status == SY_OK;
    return status;
}

/* A line of what, "the runbook of gate 'x'"; *ret_assignments: in front of its program. */
static sy_status split_line(sy_exec *exec, const char *what, const char *line, bool shell, sy_exec_command *command,
                            const char *const **ret_assignments, sy_error *err)
{
    sy_shell_line split;
    if (shell) {
        const char **argv = sy_arena_allocate(exec->arena, 4, sizeof(*argv));
        if (argv == NULL)
            return sy_fail(err, SY_NO_MEMORY, "no memory for a command");
        argv[0] = "sh";
        argv[1] = "-c";
        argv[2] = line;
        command->argv = argv;
        command->argc = 3;
        return SY_OK;
    }
    sy_status status = sy_shell_split(exec->arena, line, &split, err);
    if (status != SY_OK) {
        sy_error_prefix(err, "%s", what);
        return status;
    }
    command->argv = split.words;
    command->argc = split.word_count;
    *ret_assignments = split.assignments;
    return SY_OK;
}

/* Environment, folder and recorded form of a command whose words are known. */
static sy_status complete(sy_exec *exec, sy_exec_command *command, const char *const *assignments, sy_error *err)
{
    const sy_run_exec_options *options = exec->options;
    size_t count = 0;
    sy_exec_wishes wishes = {
        .available = options->environment,
        .required = exec->has_plan ? exec->plan.required_environment : NULL,
        .required_count = exec->has_plan ? exec->plan.required_environment_count : 0,
        .more = options->more_environment,
        .more_count = options->more_environment_count,
        .assignments = assignments,
    };
    sy_status status = sy_exec_environment(exec->arena, &wishes, &command->environment, &count, err);
    if (status != SY_OK)
        return status;
    if (!sy_exec_cleaner_learn(&exec->cleaner, command->environment))
        return sy_fail(err, SY_NO_MEMORY, "no memory for a command");
    command->shown_environment = sy_exec_environment_record(&exec->cleaner, command->environment, count,
                                                            &command->shown_environment_count);
    command->shown_argv = sy_exec_clean_arguments(&exec->cleaner, command->argv, command->argc);
    const char **own = command->environment + count;
    own[0] = sy_arena_format(exec->arena, "STEELYARD_RUN_FD=%d", SY_EXEC_CHILD_FD);
    own[1] = sy_arena_format(exec->arena, "STEELYARD_RUN_ID=%s", exec->run);
    own[2] = sy_arena_format(exec->arena, "STEELYARD_RUN_PHASE=%s", command->phase);
    if (command->shown_environment == NULL || command->shown_argv == NULL || own[0] == NULL || own[1] == NULL ||
        own[2] == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for a command");
    return SY_OK;
}

static sy_status take_argv(sy_exec *exec, const char *const *words, size_t count, sy_exec_command *command,
                           sy_error *err)
{
    const sy_run_exec_options *options = exec->options;
    const char *const *ignored = NULL;
    command->directory = options->directory;
    if (count == 0 || words[0] == NULL || words[0][0] == '\0')
        return sy_fail(err, SY_INVALID_ARGUMENT, "an empty command");
    if (options->shell && count != 1) {
        (void)sy_fail(err, SY_INVALID_ARGUMENT, "a shell takes one word, not %zu", count);
        sy_error_hint(err, "put the line in quotes: -- 'a | b'");
        return SY_INVALID_ARGUMENT;
    }
    if (options->shell)
        return split_line(exec, "", words[0], true, command, &ignored, err);
    const char **argv = sy_arena_allocate(exec->arena, count + 1, sizeof(*argv));
    if (argv == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for a command");
    memcpy(argv, words, count * sizeof(*argv));
    command->argv = argv;
    command->argc = count;
    return SY_OK;
}

static sy_status take_runbook(sy_exec *exec, const char *line, sy_exec_command *command,
                              const char *const **ret_assignments, sy_error *err)
{
    const sy_run_exec_options *options = exec->options;
    if (exec->plan.unfilled[0] != '\0') {
        (void)sy_fail(err, SY_INVALID_ARGUMENT, "gate '%.60s' has no value for {%.60s} of its runbook", exec->gate,
                      exec->plan.unfilled);
        sy_error_hint(err, "give the command itself: -- CMD");
        return SY_INVALID_ARGUMENT;
    }
    command->directory = options->directory == NULL ? sy_project_root(exec->project) : options->directory;
    const char *what = sy_arena_format(exec->arena, "the runbook of gate '%.60s'", exec->gate);
    return what == NULL ? sy_fail(err, SY_NO_MEMORY, "no memory for a command")
                        : split_line(exec, what, line, options->shell, command, ret_assignments, err);
}

static sy_status take_measure(sy_exec *exec, sy_exec_command *command, const char *const **ret_assignments,
                              sy_error *err)
{
    sy_status status;
    if (exec->options->argv != NULL) {
        status = take_argv(exec, exec->options->argv, exec->options->argc, command, err);
    } else if (exec->has_plan && exec->plan.command != NULL) {
        status = take_runbook(exec, exec->plan.command, command, ret_assignments, err);
    } else {
        (void)sy_fail(err, SY_INVALID_ARGUMENT, "%s",
                      exec->has_plan ? "the gate's runbook has no command"
                                     : "the run has no gate, and no command is given");
        sy_error_hint(err, "give one: -- CMD");
        status = SY_INVALID_ARGUMENT;
    }
    return status;
}

/* Whether the words that were given are those of the runbook. */
static bool is_runbooks(const sy_exec *exec)
{
    const sy_run_exec_options *options = exec->options;
    sy_shell_line line;
    if (exec->plan.unfilled[0] != '\0')
        return false;
    if (options->shell)
        return strcmp(options->argv[0], exec->plan.command) == 0;
    if (sy_shell_split(exec->arena, exec->plan.command, &line, NULL) != SY_OK || line.assignment_count > 0 ||
        line.word_count != options->argc)
        return false;
    for (size_t i = 0; i < options->argc; i++) {
        if (strcmp(line.words[i], options->argv[i]) != 0)
            return false;
    }
    return true;
}

static sy_status prepare_measure(sy_exec *exec, sy_error *err)
{
    const char *const *assignments = NULL;
    exec->measure.phase = "measure";
    sy_status status = take_measure(exec, &exec->measure, &assignments, err);
    exec->departs = status == SY_OK && exec->options->argv != NULL && exec->has_plan && exec->plan.command != NULL &&
                    !is_runbooks(exec);
    return status == SY_OK ? complete(exec, &exec->measure, assignments, err) : status;
}

/* Which sources a control in a working tree of its own is of: who reads the run can see whether they are those that
 * were accepted. */
static sy_status describe_control(sy_exec *exec, sy_error *err)
{
    sy_source_options options = SY_SOURCE_OPTIONS_INIT;
    sy_source source;
    options.folder = exec->options->control_directory;
    sy_status status = sy_source_describe(&options, exec->arena, &source, err);
    if (status != SY_OK)
        return status;
    const sy_run_source *run = &source.run;
    exec->control_source = run->revision[0] == '\0'
                               ? sy_arena_format(exec->arena, "control: its sources are unknown: %s", source.reason)
                               : sy_arena_format(exec->arena, "control: sources %s%s", run->revision,
                                                 run->dirty == 0   ? ""
                                                 : run->dirty == 1 ? ", changed since"
                                                                   : ", unknown whether changed since");
    sy_source_finish(&source);
    return exec->control_source == NULL ? sy_fail(err, SY_NO_MEMORY, "no memory for a control") : SY_OK;
}

static sy_status prepare_control(sy_exec *exec, sy_error *err)
{
    const sy_run_exec_options *options = exec->options;
    const char *const *assignments = NULL;
    sy_exec_command *command = &exec->control;
    sy_status status;
    if (options->control_argv == NULL && options->control_line == NULL && options->control_directory == NULL)
        return SY_OK;
    command->phase = "control";
    if (options->control_argv != NULL)
        status = take_argv(exec, options->control_argv, options->control_argc, command, err);
    else if (options->control_line != NULL)
        status = split_line(exec, "the control", options->control_line, options->shell, command, &assignments, err);
    else
        status = take_measure(exec, command, &assignments, err);
    command->directory = options->control_directory != NULL ? options->control_directory : exec->measure.directory;
    if (status == SY_OK)
        status = complete(exec, command, assignments, err);
    exec->result->has_control = status == SY_OK;
    return status == SY_OK && options->control_directory != NULL ? describe_control(exec, err) : status;
}

static sy_status prepare_smoke(sy_exec *exec, sy_error *err)
{
    const char *const *assignments = NULL;
    if (!exec->has_plan || exec->plan.smoke == NULL)
        return SY_OK;
    if (exec->options->without_smoke)
        return sy_fail(err, SY_REFUSED, "gate '%.60s' has a smoke command: nothing is measured before it has run",
                       exec->gate);
    exec->smoke.phase = "smoke";
    sy_status status = take_runbook(exec, exec->plan.smoke, &exec->smoke, &assignments, err);
    return status == SY_OK ? complete(exec, &exec->smoke, assignments, err) : status;
}

static sy_status check_imports(const sy_exec *exec, sy_error *err)
{
    for (size_t i = 0; i < exec->options->import_count; i++) {
        char word[32];
        const char *import = exec->options->imports[i];
        size_t length = strcspn(import, ":");
        sy_import_format format;
        if (import[length] == '\0' || import[length + 1] == '\0' || length >= sizeof(word)) {
            (void)sy_fail(err, SY_INVALID_ARGUMENT, "'%.100s' is not FORMAT:FILE", import);
            sy_error_hint(err, "as in google-benchmark:out.json, or auto:out.json");
            return SY_INVALID_ARGUMENT;
        }
        memcpy(word, import, length);
        word[length] = '\0';
        if (!sy_import_format_read(word, &format))
            return sy_fail(err, SY_INVALID_ARGUMENT, "'%s' is no format of another tool", word);
    }
    return SY_OK;
}

/* A mistyped folder is a mistake of the call: as a smoke command that cannot start it would block the device. */
static sy_status check_directory(const char *directory, sy_error *err)
{
    struct stat found;
    if (directory == NULL)
        return SY_OK;
    if (stat(directory, &found) != 0)
        return sy_fail(err, SY_INVALID_ARGUMENT, "the folder '%.120s' to run in cannot be used: %s", directory,
                       strerror(errno));
    if (!S_ISDIR(found.st_mode))
        return sy_fail(err, SY_INVALID_ARGUMENT, "'%.120s' to run in is no folder", directory);
    return SY_OK;
}

sy_status sy_exec_prepare(sy_exec *exec, const char *run, sy_error *err)
{
    sy_status status = find_run(exec, run, err);
    if (status == SY_OK)
        status = check_imports(exec, err);
    if (status == SY_OK)
        status = check_directory(exec->options->directory, err);
    if (status == SY_OK)
        status = check_directory(exec->options->control_directory, err);
    if (status == SY_OK)
        status = read_plan(exec, err);
    if (status == SY_OK)
        status = prepare_measure(exec, err);
    if (status == SY_OK)
        status = prepare_control(exec, err);
    if (status == SY_OK)
        status = prepare_smoke(exec, err);
    return status;
}
