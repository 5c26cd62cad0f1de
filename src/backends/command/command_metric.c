/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics by name, and numbers found in what a program wrote. */
#include "backends/command/command_metric.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/command/command_output.h"
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"

#define JSON_MOST_BYTES ((size_t)1 << 26)

static const struct {
    const char *word;
    sy_command_metric_kind kind;
    const char *unit;
} kinds[] = {{"wall", SY_COMMAND_WALL, "ns"},        {"user", SY_COMMAND_USER, "ns"}, {"cpu", SY_COMMAND_CPU, "ns"},
             {"memory", SY_COMMAND_MEMORY, "bytes"}, {"line:", SY_COMMAND_LINE, ""},  {"json:", SY_COMMAND_JSON, ""},
             {"regex:", SY_COMMAND_REGEX, ""}};

/* NAME as a pattern that matches it literally, as a word of its own. */
static void escape_name(const char *name, sy_text *pattern)
{
    sy_text_append(pattern, "(^|[^[:alnum:]_])");
    for (; *name; name++) {
        if (strchr(".[]()*+?{}|^$\\", *name))
            sy_text_append(pattern, "\\");
        sy_text_append_bytes(pattern, name, 1);
    }
    sy_text_append(pattern, "($|[^[:alnum:]_])");
}

static sy_status make_pattern(sy_command_metric *metric, sy_error *err)
{
    sy_text pattern = SY_TEXT_INIT;
    char why[128] = "";
    sy_status status = SY_OK;
    if (metric->kind == SY_COMMAND_LINE)
        escape_name(metric->argument, &pattern);
    else
        sy_text_append(&pattern, metric->argument);
    if (pattern.failed)
        status = sy_fail(err, SY_NO_MEMORY, "no memory for a metric");
    if (!status && !sy_output_compile(&metric->pattern, pattern.bytes, 0, why))
        status = sy_fail(err, SY_INVALID_ARGUMENT, "metric regex:%s: %s", metric->argument, why);
    metric->has_pattern = !status;
    sy_text_finish(&pattern);
    return status;
}

sy_status sy_command_metric_start(sy_command_metric *metric, const char *text, bool higher_is_better, sy_error *err)
{
    *metric = (sy_command_metric){.kind = SY_COMMAND_WALL};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        bool whole = !sy_text_ends(kinds[i].word, ":");
        if (whole ? !sy_text_equal(text, kinds[i].word) : !sy_text_begins(text, kinds[i].word))
            continue;
        metric->kind = kinds[i].kind;
        metric->argument = whole ? "" : text + strlen(kinds[i].word);
        metric->metric = (sy_metric){text, kinds[i].unit, higher_is_better};
        if (whole && higher_is_better)
            return sy_fail(err, SY_INVALID_ARGUMENT, "of %s less is better", text);
        if (!whole && metric->kind != SY_COMMAND_JSON && !metric->argument[0])
            return sy_fail(err, SY_INVALID_ARGUMENT, "metric '%s' names nothing to look for", text);
        if (metric->kind == SY_COMMAND_JSON && metric->argument[0] && metric->argument[0] != '/')
            return sy_fail(err, SY_INVALID_ARGUMENT, "'%s' is no JSON pointer: it begins with a slash: json:/a/0",
                           metric->argument);
        return metric->kind == SY_COMMAND_LINE || metric->kind == SY_COMMAND_REGEX ? make_pattern(metric, err) : SY_OK;
    }
    (void)sy_fail(err, SY_INVALID_ARGUMENT, "'%s' is not a metric", text);
    sy_error_hint(err, "metrics are wall, user, cpu, memory, line:NAME, json:POINTER, regex:RE");
    return SY_INVALID_ARGUMENT;
}

void sy_command_metric_finish(sy_command_metric *metric)
{
    if (metric->has_pattern)
        regfree(&metric->pattern);
    metric->has_pattern = false;
}

/* A number that was looked for. */
typedef struct found {
    uint32_t places; /* lines that match */
    bool is_number;
    bool has_comma; /* 1,234 may be more than a thousand, or a little more than one */
    double value;
} found;

/* The first number in a piece of a line; a sign belongs to it, letters before it do not. */
static void first_number(const char *at, const char *end, found *to)
{
    char line[256]; /* a terminator is wanted behind the number */
    size_t size = (size_t)(end - at) < sizeof(line) - 1 ? (size_t)(end - at) : sizeof(line) - 1;
    memcpy(line, at, size);
    line[size] = '\0';
    for (const char *c = line; *c; c++) {
        bool inside = c > line && (isalnum((unsigned char)c[-1]) || c[-1] == '_' || c[-1] == '.');
        if (inside)
            continue;
        const char *digits = c + (*c == '-' || *c == '+');
        if (isdigit((unsigned char)*digits) || (*digits == '.' && isdigit((unsigned char)digits[1]))) {
            const char *stop = sy_number_scan(digits, line + size, false);
            double value = sy_number_read(digits, (size_t)(stop - digits));
            to->has_comma = to->has_comma || (*stop == ',' && isdigit((unsigned char)stop[1]));
            to->is_number = true;
            to->value = *c == '-' ? -value : value;
            return;
        }
        if (strncasecmp(c, "nan", 3) == 0 && !isalnum((unsigned char)c[3])) {
            to->is_number = true;
            to->value = NAN;
            return;
        }
    }
}

/* Of a regex its group is the number, or holds it, or without one the match does; of a name it is what follows. */
static void number_of_match(const sy_command_metric *metric, const sy_output_piece *piece, const regmatch_t match[2],
                            found *to)
{
    const char *bytes = piece->bytes;
    regoff_t length = (regoff_t)piece->size - (bytes[piece->size - 1] == '\n');
    if (metric->kind == SY_COMMAND_REGEX) {
        const regmatch_t *at = match[1].rm_so >= 0 ? &match[1] : &match[0];
        first_number(bytes + at->rm_so, bytes + at->rm_eo, to);
        return;
    }
    regoff_t from = match[0].rm_eo - (match[0].rm_eo < length); /* the match took a mark behind the name */
    first_number(bytes + from, bytes + length, to);
}

static sy_status look_in_lines(const sy_command_metric *metric, int descriptor, found *to, sy_error *err)
{
    sy_output_reader reader;
    sy_output_piece piece = {.size = 1};
    regmatch_t match[2];
    sy_status status = sy_output_start(&reader, descriptor, NULL, err);
    while (!status && piece.size > 0) {
        status = sy_output_next(&reader, &piece, err);
        if (status || piece.size == 0 || !piece.first ||
            !sy_output_matches(&metric->pattern, piece.bytes, piece.size, match))
            continue;
        to->places++;
        number_of_match(metric, &piece, match, to);
    }
    sy_output_finish(&reader);
    return status;
}

/* The value that an RFC 6901 pointer means; NULL. */
static const sy_json_value *resolve(const sy_json_value *value, const char *pointer)
{
    char name[256];
    while (value && *pointer == '/') {
        size_t length = 0;
        for (pointer++; *pointer && *pointer != '/' && length + 1 < sizeof(name); pointer++) {
            bool escaped = *pointer == '~' && (pointer[1] == '0' || pointer[1] == '1');
            name[length++] = escaped ? (pointer[1] == '0' ? '~' : '/') : *pointer;
            pointer += escaped;
        }
        name[length] = '\0';
        uint64_t index;
        if (value->kind == SY_JSON_ARRAY)
            value = sy_parse_u64(name, &index, NULL) == SY_OK && index < value->count
                        ? sy_json_element(value, (size_t)index)
                        : NULL;
        else
            value = sy_json_member(value, name);
    }
    return *pointer ? NULL : value;
}

static sy_status look_in_json(const sy_command_metric *metric, int descriptor, found *to, sy_error *err)
{
    struct stat info;
    sy_json *json = NULL;
    if (fstat(descriptor, &info) != 0)
        return sy_fail_errno(err, SY_IO, errno, "cannot read an output");
    if (info.st_size <= 0 || (uint64_t)info.st_size > JSON_MOST_BYTES)
        return SY_OK;
    char *bytes = sy_allocate(1, (size_t)info.st_size);
    if (!bytes)
        return sy_fail(err, SY_NO_MEMORY, "no memory to read a JSON output");
    ssize_t got = pread(descriptor, bytes, (size_t)info.st_size, 0);
    sy_status status = got < 0 ? sy_fail_errno(err, SY_IO, errno, "cannot read an output") : SY_OK;
    if (!status && sy_json_parse(bytes, (size_t)got, NULL, &json, NULL) == SY_OK) {
        const sy_json_value *value = resolve(sy_json_root(json), metric->argument);
        to->places = value != NULL;
        to->is_number = value && value->kind == SY_JSON_NUMBER;
        to->value = to->is_number ? value->number : SY_NAN;
    }
    sy_json_destroy(json);
    sy_free(bytes);
    return status;
}

/* Standard output first, then standard error. */
static sy_status look(const sy_command_metric *metric, int out, int error, found *to, sy_error *err)
{
    const int descriptors[] = {out, error};
    sy_status status = SY_OK;
    for (size_t i = 0; i < 2 && !status && to->places == 0; i++) {
        if (descriptors[i] >= 0)
            status = metric->kind == SY_COMMAND_JSON ? look_in_json(metric, descriptors[i], to, err)
                                                     : look_in_lines(metric, descriptors[i], to, err);
    }
    return status;
}

static double figure_of(const sy_command_metric *metric, const sy_command_outcome *outcome)
{
    switch (metric->kind) {
    case SY_COMMAND_USER:
        return (double)outcome->user_ns;
    case SY_COMMAND_CPU:
        return (double)outcome->user_ns + (double)outcome->system_ns;
    case SY_COMMAND_MEMORY:
        return (double)outcome->peak_memory_bytes;
    default:
        return (double)outcome->wall_ns;
    }
}

sy_status sy_command_metric_cost(const sy_command_metric *metric, const sy_command_outcome *outcome, int out, int error,
                                 double *ret_cost, char *reason, size_t reason_size, sy_error *err)
{
    found f = {.value = SY_NAN};
    const char *name = metric->metric.name;
    reason[0] = '\0';
    if (metric->kind < SY_COMMAND_LINE) {
        double figure = figure_of(metric, outcome);
        *ret_cost = figure > 0 ? figure : SY_NAN;
        return SY_OK;
    }
    sy_status status = look(metric, out, error, &f, err);
    if (status)
        return status;
    if (f.places > 1)
        (void)snprintf(reason, reason_size, "%.60s matches %u lines: which of them is meant?", name, f.places);
    else if (f.has_comma)
        (void)snprintf(reason, reason_size, "printed a comma in the number for %.60s: a point or thousands?", name);
    else if (!f.is_number)
        (void)snprintf(reason, reason_size, "printed no number for %.60s", name);
    else if (!(f.value > 0) || !isfinite(f.value))
        (void)snprintf(reason, reason_size, "printed %.6g for %.60s: a ratio needs numbers above 0", f.value, name);
    *ret_cost = reason[0] ? SY_NAN : metric->metric.higher_is_better ? 1 / f.value : f.value;
    return SY_OK;
}
