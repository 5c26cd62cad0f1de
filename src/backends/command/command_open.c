/* SPDX-License-Identifier: Apache-2.0 */
/* From a spec to a device: texts copied, parameters in place, programs found, patterns compiled, surroundings made
 * equal. Nothing has run yet. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/command/command_device.h"
#include "backends/command/command_words.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/shell_words.h"
#include "base/text.h"

#define NAME_MOST_CHARACTERS 56

static sy_status no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory to make commands ready");
}

/* A text with parameters in place; NULL stays NULL. false: no memory. */
static bool put(sy_command_device *device, const char *text, const char **to)
{
    *to = text ? sy_command_substitute(device->arena, text, device->spec.parameters, device->spec.parameter_count)
               : NULL;
    return !text || *to;
}

static sy_status copy_list(sy_command_device *device, const char *const *from, size_t count, const char *const **to,
                           sy_error *err)
{
    const char **list = sy_arena_allocate(device->arena, count + 1, sizeof(*list));
    for (size_t i = 0; list && i < count; i++) {
        if (!put(device, from[i], &list[i]))
            list = NULL;
    }
    *to = list;
    return list ? SY_OK : no_memory(err);
}

static sy_status copy_spec(sy_command_device *device, const sy_command_spec *from, sy_error *err)
{
    sy_command_spec *to = &device->spec;
    *to = *from; /* the parameters are the caller's until all is in place */
    bool there = put(device, from->shell, &to->shell) && put(device, from->setup, &to->setup) &&
                 put(device, from->prepare, &to->prepare) && put(device, from->conclude, &to->conclude) &&
                 put(device, from->cleanup, &to->cleanup) && put(device, from->input, &to->input) &&
                 put(device, from->directory, &to->directory) &&
                 put(device, from->metric ? from->metric : "wall", &to->metric) &&
                 put(device, from->launcher_path, &to->launcher_path) &&
                 put(device, from->scratch_directory, &to->scratch_directory);
    sy_status status = there ? SY_OK : no_memory(err);
    if (!status)
        status = copy_list(device, from->variables, from->variable_count, &to->variables, err);
    if (!status)
        status = copy_list(device, from->outputs, from->output_count, &to->outputs, err);
    if (!status)
        status = copy_list(device, from->ignore_lines, from->ignore_line_count, &to->ignore_lines, err);
    return status;
}

static sy_status check_variables(const sy_command_spec *spec, sy_error *err)
{
    for (size_t i = 0; i < spec->variable_count; i++) {
        const char *equals = strchr(spec->variables[i], '=');
        if (!equals || equals == spec->variables[i])
            return sy_fail(err, SY_INVALID_ARGUMENT, "'%s' is no variable: NAME=VALUE is meant", spec->variables[i]);
    }
    return SY_OK;
}

static sy_status check_spec(const sy_command_spec *spec, sy_error *err)
{
    bool numbers = spec->compare == SY_COMMAND_COMPARE_NUMBERS;
    if (spec->struct_size != sizeof(*spec))
        return sy_fail(err, SY_INVALID_ARGUMENT, "the spec was not started by SY_COMMAND_SPEC_INIT of this version");
    if (spec->command_count < 1)
        return sy_fail(err, SY_INVALID_ARGUMENT, "no command: one to measure, or a reference and candidates to weigh");
    if (!spec->launcher_path)
        return sy_fail(err, SY_INVALID_ARGUMENT, "no launcher: a binary that answers to `launcher` is needed");
    if (numbers && !(spec->absolute_tolerance >= 0 && isfinite(spec->absolute_tolerance) &&
                     spec->relative_tolerance >= 0 && isfinite(spec->relative_tolerance)))
        return sy_fail(err, SY_INVALID_ARGUMENT, "tolerances %g and %g: numbers from 0 on are meant",
                       spec->absolute_tolerance, spec->relative_tolerance);
    return check_variables(spec, err);
}

/* The words to execute and the file: by the shell, or split. */
static sy_status resolve(sy_command_device *device, const char *line, const char *const *argv,
                         const char *const *environment, const char *const **ret_argv, const char **ret_path,
                         sy_error *err)
{
    const sy_command_spec *spec = &device->spec;
    const char *const *words = argv;
    sy_status status = SY_OK;
    if (line && spec->shell) {
        const char **shell = sy_arena_allocate(device->arena, 4, sizeof(*shell));
        if (!shell)
            return no_memory(err);
        if (line[strspn(line, " \t\n")] == '\0')
            return sy_fail(err, SY_INVALID_ARGUMENT, "an empty command");
        shell[0] = spec->shell;
        shell[1] = "-c";
        shell[2] = line;
        words = shell;
    } else if (line) {
        status = sy_command_split(device->arena, line, &words, err);
    } else if (!argv || !argv[0] || !argv[0][0]) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "an empty command");
    } else if (spec->shell) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "a shell takes a command as one text, not as words");
    }
    char *path = NULL;
    if (!status)
        status = sy_command_find(words[0], environment, spec->directory, &path, err);
    if (!status && !(*ret_path = sy_arena_copy_text(device->arena, path)))
        status = no_memory(err);
    sy_free(path);
    *ret_argv = words;
    return status;
}

static sy_status make_step(sy_command_device *device, const char *what, const char *line,
                           const char *const *environment, sy_command_step *step, sy_error *err)
{
    step->what = what;
    sy_status status = line ? resolve(device, line, NULL, environment, &step->argv, &step->path, err) : SY_OK;
    if (status)
        sy_error_prefix(err, "%s", what);
    return status;
}

static bool is_taken(const sy_command_device *device, uint32_t before, const char *name)
{
    for (uint32_t i = 0; i < before; i++) {
        if (sy_text_equal(device->variants[i].name, name))
            return true;
    }
    return false;
}

/* The command as people know it, on one line, cut; told apart by a number where an earlier one has the same name. */
static sy_status make_name(sy_command_device *device, uint32_t index, const char *given, const char *line,
                           sy_error *err)
{
    sy_command_variant *variant = &device->variants[index];
    char quoted[256];
    const char *from = given && given[0] ? given : line;
    sy_output_quote(from, strlen(from), NAME_MOST_CHARACTERS, quoted, sizeof(quoted));
    variant->name = sy_arena_copy_text(device->arena, quoted);
    for (uint32_t n = 2; variant->name && is_taken(device, index, variant->name); n++)
        variant->name = sy_arena_format(device->arena, "%s (%u)", quoted, n);
    return variant->name ? SY_OK : no_memory(err);
}

/* path without symbolic links, as far as it can be told; seen from the commands' directory. */
static const char *real_path(sy_command_device *device, const char *path)
{
    sy_text seen = SY_TEXT_INIT;
    char resolved[4097];
    if (path[0] != '/' && device->spec.directory)
        sy_text_append_format(&seen, "%s/", device->spec.directory);
    sy_text_append(&seen, path);
    const char *real = seen.failed || !realpath(seen.bytes, resolved) ? path : resolved;
    const char *copy = sy_arena_copy_text(device->arena, real);
    sy_text_finish(&seen);
    return copy ? copy : path;
}

static sy_status make_variant(sy_command_device *device, uint32_t index, const sy_command *command,
                              const char *const *environment, sy_error *err)
{
    sy_command_variant *variant = &device->variants[index];
    const char *line = NULL;
    const char *const *argv = NULL;
    size_t words = 0;
    sy_status status = put(device, command->line, &line) ? SY_OK : no_memory(err);
    while (!status && command->argv && command->argv[words])
        words++;
    if (!status && !line && command->argv)
        status = copy_list(device, command->argv, words, &argv, err);
    if (!status)
        status = resolve(device, line, argv, environment, &variant->side.argv, &variant->side.path, err);
    if (status) {
        sy_error_prefix(err, "%s",
                        device->variant_count == 1 ? "the command"
                        : index == 0               ? "the reference"
                                                   : "a candidate");
        return status;
    }
    const char *shown = line ? line : sy_shell_join(device->arena, variant->side.argv);
    status = shown ? make_name(device, index, command->name, shown, err) : no_memory(err);
    if (status)
        return status;
    sy_digest digest;
    variant->resolved = real_path(device, variant->side.path);
    variant->stamp = sy_command_stamp(device, variant->side.path);
    /* A program may be executable and not readable: then its digest is not known. */
    if (sy_command_file_digest(variant->resolved, &digest, NULL) == SY_OK)
        sy_digest_format(&digest, variant->program_digest);
    else
        (void)sy_text_copy(variant->program_digest, sizeof(variant->program_digest), "unknown");
    return SY_OK;
}

static sy_status make_variants(sy_command_device *device, const sy_command_spec *spec, sy_error *err)
{
    const char *const *base = (const char *const *)environ;
    const char *const *environment = sy_command_environment(device->arena, base, device->spec.variables,
                                                            device->spec.variable_count);
    sy_command_side *sides = sy_arena_allocate(device->arena, spec->command_count, sizeof(*sides));
    device->variants = sy_arena_allocate(device->arena, spec->command_count, sizeof(*device->variants));
    device->variant_count = (uint32_t)spec->command_count;
    if (!environment || !device->variants || !sides)
        return no_memory(err);
    sy_status status = SY_OK;
    for (uint32_t i = 0; !status && i < device->variant_count; i++) {
        status = make_variant(device, i, &spec->commands[i], environment, err);
        sides[i] = device->variants[i].side;
    }
    if (!status)
        status = sy_command_layout(device->arena, environment, sides, device->variant_count, err);
    for (uint32_t i = 0; !status && i < device->variant_count; i++)
        device->variants[i].side = sides[i];
    if (!status)
        status = make_step(device, "--setup", device->spec.setup, environment, &device->setup, err);
    if (!status)
        status = make_step(device, "--prepare", device->spec.prepare, environment, &device->prepare, err);
    if (!status)
        status = make_step(device, "--conclude", device->spec.conclude, environment, &device->conclude, err);
    if (!status)
        status = make_step(device, "--cleanup", device->spec.cleanup, environment, &device->cleanup, err);
    if (!status && device->spec.shell)
        device->shell = device->variants[0].resolved;
    return status;
}

static sy_status make_outputs(sy_command_device *device, sy_error *err)
{
    const sy_command_spec *spec = &device->spec;
    device->outputs = sy_arena_allocate(device->arena, spec->output_count + 1, sizeof(*device->outputs));
    if (!device->outputs)
        return no_memory(err);
    if (spec->output_count == 0)
        device->outputs[device->output_count++] = (sy_command_output){.name = "stdout"};
    for (size_t i = 0; i < spec->output_count; i++) {
        const char *name = spec->outputs[i];
        bool is_error = sy_text_equal(name, "stderr");
        bool is_stream = is_error || sy_text_equal(name, "stdout");
        if (sy_text_equal(name, "null"))
            device->discards = true;
        else if (name[0] == '\0')
            return sy_fail(err, SY_INVALID_ARGUMENT, "an output without a name");
        else
            device->outputs[device->output_count++] = (sy_command_output){
                .name = name, .file = is_stream ? NULL : name, .is_error = is_error};
    }
    for (size_t i = 0; device->discards && i < device->output_count; i++) {
        if (sy_text_equal(device->outputs[i].name, "stdout"))
            return sy_fail(err, SY_INVALID_ARGUMENT, "standard output cannot be compared and discarded");
    }
    if (device->output_count == 0 && spec->compare != SY_COMMAND_COMPARE_NONE) {
        (void)sy_fail(err, SY_INVALID_ARGUMENT, "standard output is discarded, and nothing else would be compared");
        sy_error_hint(err, "--compare none says that only the timing is wanted");
        return SY_INVALID_ARGUMENT;
    }
    if (spec->compare == SY_COMMAND_COMPARE_NONE)
        device->output_count = 0;
    return SY_OK;
}

/* Lines left out: those asked for, and the one that holds the metric, which differs from run to run. */
static sy_status make_rules(sy_command_device *device, sy_error *err)
{
    const sy_command_spec *spec = &device->spec;
    sy_status status = sy_command_metric_start(&device->metric, spec->metric, spec->higher_is_better, err);
    if (status)
        return status;
    device->has_metric = true;
    device->patterns = sy_arena_allocate(device->arena, spec->ignore_line_count + 1, sizeof(*device->patterns));
    if (!device->patterns)
        return no_memory(err);
    for (size_t i = 0; i < spec->ignore_line_count; i++) {
        char why[128];
        if (!sy_output_compile(&device->patterns[i], spec->ignore_lines[i], REG_NOSUB, why))
            return sy_fail(err, SY_INVALID_ARGUMENT, "'%s' is no regular expression: %s", spec->ignore_lines[i], why);
        device->pattern_count++;
    }
    device->rules = (sy_output_rules){.compare = spec->compare,
                                      .absolute = spec->absolute_tolerance,
                                      .relative = spec->relative_tolerance,
                                      .filter = {device->patterns, device->pattern_count, NULL}};
    if (device->metric.has_pattern) /* freed with the metric */
        device->rules.filter.metric = &device->metric.pattern;
    return SY_OK;
}

static sy_status make_input(sy_command_device *device, sy_error *err)
{
    char resolved[4097];
    struct stat info;
    const char *input = device->spec.input;
    if (!input)
        return SY_OK;
    if (!realpath(input, resolved) || stat(resolved, &info) != 0)
        return sy_fail_errno(err, errno == ENOENT ? SY_NOT_FOUND : SY_IO, errno, "cannot read the input '%s'", input);
    if (!S_ISREG(info.st_mode))
        return sy_fail(err, SY_INVALID_ARGUMENT, "the input '%s' is no regular file: each run reads it anew", input);
    device->spec.input = sy_arena_copy_text(device->arena, resolved);
    if (!device->spec.input)
        return no_memory(err);
    device->input_stamp = sy_command_stamp(device, device->spec.input);
    return sy_command_file_digest(device->spec.input, &device->input_digest, err);
}

sy_status sy_command_make_ready(sy_command_device *device, const sy_command_spec *spec, sy_error *err)
{
    sy_status status = check_spec(spec, err);
    if (!status)
        status = copy_spec(device, spec, err);
    if (!status)
        status = make_variants(device, spec, err);
    if (!status)
        status = make_outputs(device, err);
    if (!status)
        status = make_rules(device, err);
    if (!status)
        status = make_input(device, err);
    if (!status)
        status = sy_command_refuse_outputs(device, err);
    device->owns_outputs = !status;
    if (!status)
        status = sy_scratch_create(device->spec.scratch_directory, &device->scratch, err);
    return status;
}
