/* SPDX-License-Identifier: Apache-2.0 */
/* Parsing by the option table. What a value means is the command's business; whether it has the right form is ours. */
#include "options.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "argument_number.h"
#include "message.h"
#include "suggest.h"

enum { OPTIONS_MAX = 96, FIRST_VALUE = 256 };

static const char *const color_choices[] = {"auto", "always", "never", NULL};

const cli_option cli_common_options[] = {
    {.name = "quiet",
     .letter = 'q',
     .kind = CLI_FLAG,
     .group = "Output",
     .help = "no progress and no remarks on stderr; errors stay",
     CLI_INTO(cli_common, quiet)},
    {.name = "color",
     .argument = "WHEN",
     .standard = "auto",
     .kind = CLI_CHOICE,
     .choices = color_choices,
     .group = "Output",
     .help = "colour the text: auto (on a terminal, unless NO_COLOR is set), always or never",
     CLI_INTO(cli_common, color)},
    {.name = "help",
     .letter = 'h',
     .kind = CLI_FLAG,
     .group = "Output",
     .help = "show this text and do nothing else",
     CLI_INTO(cli_common, help)},
};
const size_t cli_common_option_count = sizeof(cli_common_options) / sizeof(cli_common_options[0]);

void cli_names_finish(cli_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->names[i]);
    free(names->names);
    *names = (cli_names){NULL, 0};
}

void cli_option_range(const cli_option *option, char *to, size_t size)
{
    bool has_low = isfinite(option->low);
    bool has_high = isfinite(option->high);
    bool plain = option->kind == CLI_WHOLE && has_low && has_high;

    if (plain)
        snprintf(to, size, "%.15g to %.15g", option->low, option->high);
    else if (has_low && has_high)
        snprintf(to, size, "%s %.15g and %s %.15g", option->above ? "above" : "at least", option->low,
                 option->below ? "below" : "at most", option->high);
    else if (has_low)
        snprintf(to, size, "%s %.15g", option->above ? "above" : "at least", option->low);
    else if (has_high)
        snprintf(to, size, "%s %.15g", option->below ? "below" : "at most", option->high);
    else if (size > 0)
        to[0] = '\0';
}

static bool in_range(const cli_option *option, double value)
{
    bool low_ok = option->above ? value > option->low : value >= option->low;
    bool high_ok = option->below ? value < option->high : value <= option->high;

    return low_ok && high_ok;
}

static sy_status wrong_form(const cli_option *option, const char *value, const char *wanted, sy_error *err)
{
    return cli_fail(err, SY_INVALID_ARGUMENT, "--%s %s: must be %s", option->name, value, wanted);
}

/* A share typed as per cent is the likely slip: 3 for .03. */
static sy_status out_of_range(const cli_option *option, const char *value, double number, sy_error *err)
{
    char range[80];
    sy_status status;

    cli_option_range(option, range, sizeof(range));
    status = wrong_form(option, value, range, err);
    if (option->kind == CLI_NUMBER && option->high <= 1 && number >= 1 && number / 100 <= option->high)
        cli_hint(err, "for %.6g %% write --%s %.6g", number, option->name, number / 100);
    return status;
}

static sy_status set_number(const cli_option *option, const char *value, void *target, sy_error *err)
{
    double number;

    if (!cli_number_double(value, &number))
        return wrong_form(option, value, "a number, such as 0.05", err);
    if (!in_range(option, number))
        return out_of_range(option, value, number, err);
    memcpy(target, &number, sizeof(number));
    return SY_OK;
}

static sy_status set_whole(const cli_option *option, const char *value, void *target, sy_error *err)
{
    uint64_t number;
    double ignored;
    uint32_t narrow;

    if (!cli_number_whole(value, &number)) {
        if (cli_number_double(value, &ignored) && !in_range(option, ignored))
            return out_of_range(option, value, ignored, err);
        return wrong_form(option, value, "a whole number", err);
    }
    if (!in_range(option, (double)number))
        return out_of_range(option, value, (double)number, err);
    if (option->size == sizeof(number)) {
        memcpy(target, &number, sizeof(number));
    } else {
        narrow = (uint32_t)number;
        memcpy(target, &narrow, sizeof(narrow));
    }
    return SY_OK;
}

static sy_status set_choice(const cli_option *option, const char *value, void *target, sy_error *err)
{
    char wanted[160] = "";
    size_t count = 0;
    const char *near;

    for (; option->choices[count] != NULL; count++) {
        if (strcmp(option->choices[count], value) == 0) {
            unsigned int index = (unsigned int)count;

            memcpy(target, &index, sizeof(index));
            return SY_OK;
        }
        cli_append(wanted, sizeof(wanted), count == 0 ? "" : option->choices[count + 1] == NULL ? " or " : ", ");
        cli_append(wanted, sizeof(wanted), option->choices[count]);
    }
    near = cli_suggest(value, option->choices, count);
    (void)wrong_form(option, value, wanted, err);
    if (near != NULL)
        cli_hint(err, "did you mean --%s %s?", option->name, near);
    return SY_INVALID_ARGUMENT;
}

static sy_status append_text(cli_names *list, const char *text, size_t length, sy_error *err)
{
    char **longer;
    char *copy;

    longer = reallocarray(list->names, list->count + 1, sizeof(list->names[0]));
    if (longer == NULL)
        return cli_fail(err, SY_NO_MEMORY, "no memory for a list of names");
    list->names = longer;
    copy = strndup(text, length);
    if (copy == NULL)
        return cli_fail(err, SY_NO_MEMORY, "no memory for a list of names");
    list->names[list->count++] = copy;
    return SY_OK;
}

static sy_status add_name(cli_names *list, const char *name, size_t length, sy_error *err)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strlen(list->names[i]) == length && memcmp(list->names[i], name, length) == 0)
            return SY_OK;
    }
    return append_text(list, name, length, err);
}

static sy_status set_names(const cli_option *option, const char *value, cli_names *list, sy_error *err)
{
    const char *at = value;

    for (;;) {
        size_t length = strcspn(at, ",");
        sy_status status;

        if (length == 0)
            return wrong_form(option, value, "names with commas between them, none of them empty", err);
        status = add_name(list, at, length, err);
        if (status != SY_OK)
            return status;
        if (at[length] == '\0')
            return SY_OK;
        at += length + 1;
    }
}

static sy_status set_value(const cli_option *option, const char *value, void *arguments, sy_error *err)
{
    void *target = (char *)arguments + option->offset;
    uint64_t number;
    bool flag = option->kind == CLI_FLAG;

    switch (option->kind) {
    case CLI_FLAG:
    case CLI_NO_FLAG:
        memcpy(target, &flag, sizeof(flag));
        return SY_OK;
    case CLI_TEXT:
    case CLI_TEXTS:
        if (value[0] == '\0')
            return cli_fail(err, SY_INVALID_ARGUMENT, "--%s: its argument is empty", option->name);
        if (option->kind == CLI_TEXTS)
            return append_text(target, value, strlen(value), err);
        memcpy(target, &value, sizeof(value));
        return SY_OK;
    case CLI_NAMES:
        return set_names(option, value, target, err);
    case CLI_CHOICE:
        return set_choice(option, value, target, err);
    case CLI_NUMBER:
        return set_number(option, value, target, err);
    case CLI_WHOLE:
        return set_whole(option, value, target, err);
    case CLI_SECONDS:
        if (!cli_number_seconds(value, &number))
            return wrong_form(option, value, "seconds from 0 to 1e9, such as 20 or 0.5", err);
        memcpy(target, &number, sizeof(number));
        return SY_OK;
    case CLI_BYTES:
        if (!cli_number_bytes(value, &number))
            return wrong_form(option, value, "bytes, such as 4096, 512MiB or 2GB", err);
        memcpy(target, &number, sizeof(number));
        return SY_OK;
    }
    return cli_fail(err, SY_INVALID_ARGUMENT, "--%s: unknown kind of option", option->name);
}

/* The rows of both tables in one array of pointers, and what getopt_long and the suggestions want of them. */
typedef struct option_index {
    const cli_option *rows[OPTIONS_MAX];
    struct option longs[OPTIONS_MAX + 1];
    const char *names[OPTIONS_MAX];
    char shorts[OPTIONS_MAX * 2 + 3];
    size_t count;
} option_index;

static void index_table(option_index *index, const cli_option *table, size_t count)
{
    for (size_t i = 0; i < count && index->count < OPTIONS_MAX; i++) {
        const cli_option *row = &table[i];
        size_t at = index->count++;
        char letter[3] = {row->letter, row->argument != NULL ? ':' : '\0', '\0'};

        index->rows[at] = row;
        index->names[at] = row->name;
        index->longs[at] = (struct option){row->name, row->argument != NULL ? required_argument : no_argument, NULL,
                                           FIRST_VALUE + (int)at};
        if (row->letter != 0)
            cli_append(index->shorts, sizeof(index->shorts), letter);
    }
}

/* The word after "--" that getopt_long refused: unknown, or the beginning of several. */
static sy_status refuse_long(const option_index *index, const char *word, sy_error *err)
{
    size_t length = strcspn(word, "=");
    char typed[64];
    const char *first = NULL;
    const char *near;

    for (size_t i = 0; i < index->count; i++) {
        if (strncmp(index->names[i], word, length) != 0)
            continue;
        if (first != NULL)
            return cli_fail(err, SY_INVALID_ARGUMENT, "--%.*s: could be --%s or --%s", (int)length, word, first,
                            index->names[i]);
        first = index->names[i];
    }
    (void)cli_fail(err, SY_INVALID_ARGUMENT, "--%.*s: no such option", (int)length, word);
    snprintf(typed, sizeof(typed), "%.*s", (int)(length < sizeof(typed) ? length : 0), word);
    near = cli_suggest(typed, index->names, index->count);
    if (near != NULL)
        cli_hint(err, "did you mean --%s?", near);
    return SY_INVALID_ARGUMENT;
}

static const cli_option *row_of(const option_index *index, int code)
{
    if (code >= FIRST_VALUE)
        return index->rows[code - FIRST_VALUE];
    for (size_t i = 0; i < index->count; i++) {
        if (index->rows[i]->letter == code)
            return index->rows[i];
    }
    return NULL;
}

static sy_status refuse(const option_index *index, int code, char **argv, sy_error *err)
{
    const cli_option *row = optopt != 0 ? row_of(index, optopt) : NULL;

    if (optopt == 0)
        return refuse_long(index, argv[optind - 1] + 2, err);
    if (row == NULL)
        return cli_fail(err, SY_INVALID_ARGUMENT, "-%c: no such option", optopt);
    if (code == ':')
        return cli_fail(err, SY_INVALID_ARGUMENT, "--%s: its argument %s is missing", row->name, row->argument);
    return cli_fail(err, SY_INVALID_ARGUMENT, "--%s: takes no argument", row->name);
}

static sy_status add_operand(cli_operands *operands, const char *word, sy_error *err)
{
    if (operands->count == CLI_OPERANDS_MAX)
        return cli_fail(err, SY_INVALID_ARGUMENT, "'%s': too many words", word);
    operands->words[operands->count++] = word;
    return SY_OK;
}

sy_status cli_options_parse(const cli_option *own, size_t own_count, int argc, char **argv, void *arguments,
                            cli_operands *ret_operands, sy_error *err)
{
    option_index index = {.shorts = "-:"};
    cli_operands operands = {.count = 0};
    sy_status status = SY_OK;
    int code;

    index_table(&index, own, own_count);
    index_table(&index, cli_common_options, cli_common_option_count);
    optind = 0;
    opterr = 0;
    /* "-" hands over operands in their place, whatever POSIXLY_CORRECT says; ":" tells a missing argument apart. */
    while (status == SY_OK && (code = getopt_long(argc, argv, index.shorts, index.longs, NULL)) != -1) {
        if (code == 1)
            status = add_operand(&operands, optarg, err);
        else if (code == '?' || code == ':')
            status = refuse(&index, code, argv, err);
        else
            status = set_value(row_of(&index, code), optarg, arguments, err);
    }
    operands.before = operands.count;
    for (int i = optind; status == SY_OK && i < argc; i++)
        status = add_operand(&operands, argv[i], err);
    if (status == SY_OK)
        *ret_operands = operands;
    return status;
}
