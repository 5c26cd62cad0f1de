/* SPDX-License-Identifier: Apache-2.0 */
/* One table of options a command. It drives getopt_long and the range checks, and makes --help, the man page and the
 * completion: an option that is not in it does not exist, and one that is cannot be undocumented. */
#ifndef STEELYARD_CLI_OPTIONS_H
#define STEELYARD_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <steelyard/base.h>

typedef enum cli_kind {
    CLI_FLAG,    /* bool: set to true */
    CLI_NO_FLAG, /* bool: set to false */
    CLI_TEXT,    /* const char *: borrowed from argv, never empty */
    CLI_NAMES,   /* cli_names: comma list, may be given again to add to it */
    CLI_TEXTS,   /* cli_names: one text each time it is given, never split, none left out */
    CLI_CHOICE,  /* an enum: index into choices */
    CLI_NUMBER,  /* double, within low..high */
    CLI_WHOLE,   /* uint32_t, int32_t or uint64_t, within low..high */
    CLI_SECONDS, /* uint64_t: nanoseconds */
    CLI_BYTES    /* uint64_t */
} cli_kind;

/* What the shell offers after an option or a command. */
typedef enum cli_complete {
    CLI_COMPLETE_NOTHING,
    CLI_COMPLETE_FILES,
    CLI_COMPLETE_COMMANDS,
    CLI_COMPLETE_OPERATIONS,
    CLI_COMPLETE_BACKENDS,
    CLI_COMPLETE_IMPLEMENTATIONS,
    CLI_COMPLETE_FORMATS /* of import, then files */
} cli_complete;

/* A list of texts in the order given; of CLI_NAMES each once. Freed by cli_names_finish. */
typedef struct cli_names {
    char **names;
    size_t count;
} cli_names;

typedef struct cli_option {
    const char *name;
    char letter;          /* short form; 0 = none */
    const char *argument; /* "NAME"; NULL for a flag */
    const char *standard; /* the default, as help shows it; NULL = none to show */
    const char *group;    /* heading in help; equal ones stand together */
    const char *help;     /* a clause: lower case, no period */
    cli_kind kind;
    size_t offset; /* of the value in the command's arguments */
    size_t size;
    double low; /* CLI_NUMBER, CLI_WHOLE */
    double high;
    bool above;                 /* low itself is excluded */
    bool below;                 /* high itself is excluded */
    const char *const *choices; /* NULL-terminated; CLI_CHOICE: all there are; CLI_NAMES: what the shell offers */
    cli_complete completion;
} cli_option;

/* The two members that say where a value goes. */
#define CLI_INTO(type, member) .offset = offsetof(type, member), .size = sizeof(((type *)0)->member)

typedef enum cli_color { CLI_COLOR_AUTO, CLI_COLOR_ALWAYS, CLI_COLOR_NEVER } cli_color;

/* What every command understands; each command's arguments begin with it. */
typedef struct cli_common {
    bool help;
    bool json;
    bool quiet;
    cli_color color;
} cli_common;

/* help, color, quiet: for every command. json: for those that report. */
extern const cli_option cli_common_options[];
extern const size_t cli_common_option_count;

#define CLI_JSON_OPTION                                                                       \
    {                                                                                         \
        .name = "json", .kind = CLI_FLAG, .group = "Output",                                  \
        .help = "print one JSON object on stdout instead of text", CLI_INTO(cli_common, json) \
    }

#define CLI_OPERANDS_MAX 256

typedef struct cli_operands {
    const char *words[CLI_OPERANDS_MAX];
    size_t count;
    size_t before; /* how many of them stood before a "--"; all where there was none */
} cli_operands;

/* Parses argv[1..argc) into arguments by own options and the common ones. Options and operands mix freely; "--" ends
 * the options. SY_INVALID_ARGUMENT: unknown or ambiguous option (a near name is the hint), missing or superfluous
 * argument, value of a wrong form or outside of its range, too many operands; the text names the option and its value
 * as given. SY_NO_MEMORY. After a failure arguments hold what was parsed so far and still own their lists. */
sy_status cli_options_parse(const cli_option *own, size_t own_count, int argc, char **argv, void *arguments,
                            cli_operands *ret_operands, sy_error *err) SY_NODISCARD;

/* "above 0 and at most 0.5", "at least 0", "1 to 4096"; "" when every number is allowed. */
void cli_option_range(const cli_option *option, char *to, size_t size);

void cli_names_finish(cli_names *names);

#endif
