/* SPDX-License-Identifier: Apache-2.0 */
/* The commands as data: one table row each, from which help, man pages and completion are made. */
#ifndef STEELYARD_CLI_COMMAND_H
#define STEELYARD_CLI_COMMAND_H

#include "options.h"

typedef struct cli_command cli_command;
struct cli_command {
    const char *name;              /* "probe"; a verb of a group has both words: "profile put" */
    const char *summary;           /* a clause, lower case, no period */
    const char *usage;             /* what follows the name: "OPERATION [option...]" */
    const char *const *paragraphs; /* of the description */
    const char *const *examples;   /* pairs: command line, what it does */
    const cli_option *options;     /* own ones; the common ones are added */
    size_t option_count;
    const cli_command *const *verbs; /* of a group, ended by NULL: the first word is one of them; NULL = no group */
    cli_complete completion;         /* of its operand */
    bool decides;                    /* its exit code comes from a decision */
    bool hidden;                     /* not for people: listed nowhere */
    /* argv[0] is the command's name. Returns the exit code. */
    int (*run)(int argc, char **argv);
};

extern const cli_command cli_command_backends;
extern const cli_command cli_command_doctor;
extern const cli_command cli_command_gate;
extern const cli_command cli_command_help;
extern const cli_command cli_command_history;
extern const cli_command cli_command_key;
extern const cli_command cli_command_import;
extern const cli_command cli_command_launcher;
extern const cli_command cli_command_ledger;
extern const cli_command cli_command_matrix;
extern const cli_command cli_command_measure;
extern const cli_command cli_command_probe;
extern const cli_command cli_command_profile;
extern const cli_command cli_command_promote;
extern const cli_command cli_command_replay;
extern const cli_command cli_command_compare;
extern const cli_command cli_command_report;
extern const cli_command cli_command_run;
extern const cli_command cli_command_select;
extern const cli_command cli_command_signoff;
extern const cli_command cli_command_version;
extern const cli_command cli_command_worker;

/* The table, in the order of the list in help; NULL past its end. */
const cli_command *cli_command_at(size_t index);
/* NULL if there is none. */
const cli_command *cli_command_find(const char *name);
/* The nearest name of a command that is not hidden; NULL. */
const char *cli_command_near(const char *name);

/* The word by which it is called: the last of its name. */
const char *cli_command_word(const cli_command *command);
/* The verb of a group that is called so; NULL if there is none. */
const cli_command *cli_command_verb(const cli_command *group, const char *word);
/* The usage error of a word that is no verb of the group, with its neighbour; before: "steelyard" or "steelyard help".
 */
void cli_command_refuse_verb(const cli_command *group, const char *word, const char *before, sy_error *err);
/* The run function of groups: hands over to the verb that argv[1] names, or says which there are. */
int cli_command_run_verb(const cli_command *group, int argc, char **argv);

/* Parses argv by command's table. Returns -1 to go on; else the exit code with which to end: an error was reported or
 * --help was answered. arguments begins with cli_common. */
int cli_command_begin(const cli_command *command, int argc, char **argv, void *arguments, cli_operands *ret_operands);

/* Prints the help of a command, or the overview for NULL. Returns the exit code. */
int cli_command_print_help(const cli_command *command);

#endif
