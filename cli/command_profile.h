/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands on profiles share: their options, the call in hand, opening a store and telling what is wrong. */
#ifndef STEELYARD_CLI_COMMAND_PROFILE_H
#define STEELYARD_CLI_COMMAND_PROFILE_H

#include <steelyard/report_exchange.h>
#include <steelyard/select.h>
#include <steelyard/store.h>

#include "command.h"
#include "target.h"

extern const cli_command cli_profile_put;
extern const cli_command cli_profile_list;
extern const cli_command cli_profile_show;
extern const cli_command cli_profile_lookup;
extern const cli_command cli_profile_explain;
extern const cli_command cli_profile_override;
extern const cli_command cli_profile_remove;
extern const cli_command cli_profile_convert;
extern const cli_command cli_profile_merge;
extern const cli_command cli_profile_digest;
extern const cli_command cli_profile_use;
extern const cli_command cli_profile_check;
extern const cli_command cli_profile_repair;
extern const cli_command cli_profile_import;
extern const cli_command cli_profile_export;
extern const cli_command cli_profile_lint;
extern const cli_command cli_profile_keygen;

/* The values of all of their options; each table takes what its command needs. */
typedef struct cli_profile_arguments {
    cli_common common;
    const char *store;
    cli_names layers;
    uint64_t lock_timeout_ns;
    unsigned int format; /* index into cli_profile_formats; CLI_PROFILE_ANY = not given */
    const char *backend;
    const char *operator_name;
    const char *implementation;
    const char *model_digest;
    const char *processor;
    uint32_t threads;
    cli_names structure;
    unsigned int kind; /* a sy_profile_kind; CLI_PROFILE_ANY = not given */
    const char *policy;
    cli_names measurements;
    const char *reason;
    const char *expires;
    bool override;
    bool clear;
    bool force_portable;
    bool require_evidence;
    bool all;
    bool overrides_too;
    bool newest_overrides;
    const char *into;
    const char *here; /* an operation: the key is this machine's */
    cli_names cases;
    const char *script;
    unsigned int cache;  /* sy_cache_state */
    unsigned int prefer; /* sy_preference */
    bool dry_run;
    const char *output;
    cli_names verify;        /* files of public keys */
    const char *signed_with; /* the file of a secret key */
    uint32_t alternatives;
    double margin;
    uint64_t calls; /* of profile use */
    double seconds; /* that they took; 0 = not given */
} cli_profile_arguments;

#define CLI_PROFILE_ANY 99U

extern const char *const cli_profile_formats[]; /* "1", "2" */
extern const char *const cli_profile_kinds[];

#define CLI_PROFILE_KEY_GROUP "The key"
#define CLI_PROFILE_STORE_GROUP "The store"

#define CLI_PROFILE_INTO(member) CLI_INTO(cli_profile_arguments, member)

/* Rows of the option tables. */
#define CLI_PROFILE_STORE_OPTION                                                                                    \
    {                                                                                                               \
        .name = "store", .argument = "FILE", .standard = "the user's own", .kind = CLI_TEXT,                        \
        .group = CLI_PROFILE_STORE_GROUP, .completion = CLI_COMPLETE_FILES, .help = "the file that holds profiles", \
        CLI_PROFILE_INTO(store)                                                                                     \
    }
#define CLI_PROFILE_LAYER_OPTION                                                                                 \
    {                                                                                                            \
        .name = "layer", .argument = "FILE", .kind = CLI_TEXTS, .group = CLI_PROFILE_STORE_GROUP,                \
        .completion = CLI_COMPLETE_FILES,                                                                        \
        .help = "a file below it that is only read; may be given again, nearest first", CLI_PROFILE_INTO(layers) \
    }
#define CLI_PROFILE_LOCK_OPTION                                                               \
    {                                                                                         \
        .name = "lock-timeout", .argument = "SECONDS", .standard = "60", .kind = CLI_SECONDS, \
        .group = CLI_PROFILE_STORE_GROUP, .help = "how long to wait for other writers",       \
        CLI_PROFILE_INTO(lock_timeout_ns)                                                     \
    }
#define CLI_PROFILE_FORMAT_OPTION(text)                                                        \
    {                                                                                          \
        .name = "format", .argument = "N", .kind = CLI_CHOICE, .choices = cli_profile_formats, \
        .group = CLI_PROFILE_STORE_GROUP, .help = text, CLI_PROFILE_INTO(format)               \
    }
#define CLI_PROFILE_KEY_OPTIONS                                                                   \
    {.name = "backend",                                                                           \
     .argument = "NAME",                                                                          \
     .kind = CLI_TEXT,                                                                            \
     .group = CLI_PROFILE_KEY_GROUP,                                                              \
     .completion = CLI_COMPLETE_BACKENDS,                                                         \
     .help = "where the operator runs",                                                           \
     CLI_PROFILE_INTO(backend)},                                                                  \
        {.name = "operator",                                                                      \
         .argument = "NAME",                                                                      \
         .kind = CLI_TEXT,                                                                        \
         .group = CLI_PROFILE_KEY_GROUP,                                                          \
         .help = "what is computed",                                                              \
         CLI_PROFILE_INTO(operator_name)},                                                        \
        {.name = "implementation",                                                                \
         .argument = "VERSION",                                                                   \
         .kind = CLI_TEXT,                                                                        \
         .group = CLI_PROFILE_KEY_GROUP,                                                          \
         .help = "version of the implementations to choose among",                                \
         CLI_PROFILE_INTO(implementation)},                                                       \
        {.name = "model-digest",                                                                  \
         .argument = "DIGEST",                                                                    \
         .kind = CLI_TEXT,                                                                        \
         .group = CLI_PROFILE_KEY_GROUP,                                                          \
         .help = "exact key: the model; with --here also the whole of what an answer has as its " \
                 "key, MODEL/DIGITS",                                                             \
         CLI_PROFILE_INTO(model_digest)},                                                         \
        {.name = "processor",                                                                     \
         .argument = "TEXT",                                                                      \
         .kind = CLI_TEXT,                                                                        \
         .group = CLI_PROFILE_KEY_GROUP,                                                          \
         .help = "exact key: who measured",                                                       \
         CLI_PROFILE_INTO(processor)},                                                            \
        {.name = "threads",                                                                       \
         .argument = "N",                                                                         \
         .kind = CLI_WHOLE,                                                                       \
         .low = 1,                                                                                \
         .high = 4294967295.0,                                                                    \
         .group = CLI_PROFILE_KEY_GROUP,                                                          \
         .help = "exact key: the number of threads",                                              \
         CLI_PROFILE_INTO(threads)},                                                              \
        {.name = "structure",                                                                     \
         .argument = "NAME=VALUE",                                                                \
         .kind = CLI_TEXTS,                                                                       \
         .group = CLI_PROFILE_KEY_GROUP,                                                          \
         .help = "portable key: a property of the problem; once for each",                        \
         CLI_PROFILE_INTO(structure)},                                                            \
        {.name = "here",                                                                          \
         .argument = "OPERATION",                                                                 \
         .kind = CLI_TEXT,                                                                        \
         .group = CLI_PROFILE_KEY_GROUP,                                                          \
         .completion = CLI_COMPLETE_OPERATIONS,                                                   \
         .help = "fill the key as steelyard select would on this machine; what is given stays",   \
         CLI_PROFILE_INTO(here)},                                                                 \
        {.name = "cases",                                                                         \
         .argument = "A,B,...",                                                                   \
         .kind = CLI_NAMES,                                                                       \
         .group = CLI_PROFILE_KEY_GROUP,                                                          \
         .help = "with --here: quick, all, names of cases, or patterns",                          \
         CLI_PROFILE_INTO(cases)},                                                                \
        {.name = "cache",                                                                         \
         .argument = "STATE",                                                                     \
         .standard = "hot",                                                                       \
         .kind = CLI_CHOICE,                                                                      \
         .choices = cli_cache_states,                                                             \
         .group = CLI_PROFILE_KEY_GROUP,                                                          \
         .help = "with --here: hot or cold buffers",                                              \
         CLI_PROFILE_INTO(cache)},                                                                \
        {.name = "prefer",                                                                        \
         .argument = "WHAT",                                                                      \
         .standard = "speed",                                                                     \
         .kind = CLI_CHOICE,                                                                      \
         .choices = cli_preferences,                                                              \
         .group = CLI_PROFILE_KEY_GROUP,                                                          \
         .help = "with --here: speed or memory",                                                  \
         CLI_PROFILE_INTO(prefer)},                                                               \
    {                                                                                             \
        .name = "script", .argument = "FILE", .kind = CLI_TEXT, .group = CLI_PROFILE_KEY_GROUP,   \
        .completion = CLI_COMPLETE_FILES, .help = "with --here and --backend fake: its script",   \
        CLI_PROFILE_INTO(script)                                                                  \
    }
#define CLI_PROFILE_KIND_OPTION(text)                                                         \
    {                                                                                         \
        .name = "kind", .argument = "KIND", .kind = CLI_CHOICE, .choices = cli_profile_kinds, \
        .group = CLI_PROFILE_KEY_GROUP, .help = text, CLI_PROFILE_INTO(kind)                  \
    }

/* Warnings of the library, kept until it is known whether an error says the same. */
typedef struct cli_heard {
    char texts[8][512];
    size_t count;
} cli_heard;

/* One command in hand. */
typedef struct cli_profile_call {
    const cli_command *command;
    cli_profile_arguments arguments;
    cli_operands operands;
    sy_store *store; /* NULL until it is opened */
    sy_report_store report;
    sy_project *project;   /* where the runs are that prove decisions; NULL: not opened, or there is none */
    bool has_looked;       /* for the project */
    sy_layer_info *layers; /* of the report */
    bool reads;            /* a layer that could not be read is an error */
    bool looks_below;      /* a writer also reads the layers, to tell where a profile stands */
    sy_property *structure;
    cli_target target;     /* of --here */
    sy_selector *selector; /* of --here: it owns the key's texts */
    cli_heard heard;
    int code; /* to end with when nothing failed */
} cli_profile_call;

typedef sy_status (*cli_profile_action)(cli_profile_call *call, sy_error *err);

/* Parses, runs the action, tells what went wrong, frees. Returns the exit code. */
int cli_profile_run(const cli_command *command, int argc, char **argv, cli_profile_action action);

/* Opens call->store. To read: with all layers, and one that cannot be read makes the exit code 4. To write: the one
 * file, which must have a place on disk. */
sy_status cli_profile_open_to_read(cli_profile_call *call, sy_error *err) SY_NODISCARD;
sy_status cli_profile_open_to_write(cli_profile_call *call, sy_error *err) SY_NODISCARD;
/* The same, of a file that must be there. */
sy_status cli_profile_open_existing(cli_profile_call *call, sy_error *err) SY_NODISCARD;
/* Options of a store as the arguments have them, for path (NULL = the user's own). */
sy_store_options cli_profile_store_options(const cli_profile_call *call, const char *path);
/* The status of the first layer that could not be read; SY_OK. */
sy_status cli_profile_damage(const cli_profile_call *call);
/* Fills err with what a layer that could not be read says. Returns its status. */
sy_status cli_profile_fail_layer(const sy_layer_info *layer, sy_error *err);
/* The file that is written: --store or the user's own; borrowed. */
const char *cli_profile_path(const cli_profile_call *call);
/* SY_INVALID_ARGUMENT if there are operands. */
sy_status cli_profile_no_words(const cli_profile_call *call, sy_error *err) SY_NODISCARD;
/* Writes a text that a report made and frees it; passes a failed status on. */
sy_status cli_profile_print(sy_status status, char *text);
/* Prints a change as text or JSON. */
sy_status cli_profile_print_change(const cli_profile_call *call, const sy_report_change *change,
                                   sy_error *err) SY_NODISCARD;

/* --here: fills what the options do not say of the key with this machine's. The texts live as long as the call. */
sy_status cli_profile_fill_here(cli_profile_call *call, sy_error *err) SY_NODISCARD;
void cli_profile_leave_here(cli_profile_call *call);
/* The key that the options say, complete and of one kind. Its texts are borrowed from the call. */
sy_status cli_profile_key(cli_profile_call *call, sy_profile_key *ret_key, sy_error *err) SY_NODISCARD;
/* A question: each kind of key complete or left out, at least one of them. */
sy_status cli_profile_question(cli_profile_call *call, sy_lookup *ret_lookup, sy_error *err) SY_NODISCARD;
/* What the options say of a key, complete or not. */
sy_status cli_profile_partial_key(cli_profile_call *call, sy_profile_key *ret_key, sy_error *err) SY_NODISCARD;
bool cli_profile_has_key(const cli_profile_call *call);
/* NAME=VALUE[:UNIT] of each --measurement. Its texts are borrowed from the call; the caller frees
 * the list with free. */
sy_status cli_profile_measurements(const cli_profile_call *call, sy_measurement **ret_list, sy_error *err) SY_NODISCARD;
/* The tuners' format that a word names, `auto` and our own only where they are allowed. SY_INVALID_ARGUMENT. */
sy_status cli_profile_tuning_format(const cli_profile_call *call, bool reads, sy_tuning_format *ret_format,
                                    sy_error *err) SY_NODISCARD;
/* What reading a file of a tuner needs of the arguments. */
sy_tuning_options cli_profile_tuning_options(const cli_profile_call *call, sy_tuning_format format);
/* --expires as a time; 0 = not given. */
sy_status cli_profile_expiry(const cli_profile_call *call, int64_t *ret_utc_s, sy_error *err) SY_NODISCARD;

#endif
