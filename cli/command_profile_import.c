/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard profile import: what other tuners found, as profiles of kind imported. Each file is stored whole or not at
 * all. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "command_profile.h"
#include "message.h"
#include "profile_share.h"
#include "terminal.h"

sy_status cli_profile_tuning_format(const cli_profile_call *call, bool reads, sy_tuning_format *ret_format,
                                    sy_error *err)
{
    const cli_operands *operands = &call->operands;
    sy_tuning_format format = SY_TUNING_AUTO;
    bool known = operands->count > 0 && sy_tuning_format_read(operands->words[0], &format) &&
                 format != SY_TUNING_PROFILES && (reads || format != SY_TUNING_AUTO);

    if (known) {
        *ret_format = format;
        return SY_OK;
    }
    (void)cli_fail(err, SY_INVALID_ARGUMENT, operands->count == 0 ? "no format is given" : "'%.100s' is no format",
                   operands->count == 0 ? "" : operands->words[0]);
    if (reads && operands->count > 0 && access(operands->words[0], F_OK) == 0)
        cli_hint(err, "the format stands first: %s auto %.100s", call->command->name, operands->words[0]);
    else
        cli_hint(err, "%s, tunableop, miopen, miopen-1, kernel-tuner or t4", reads ? "auto" : "1, 2");
    return SY_INVALID_ARGUMENT;
}

sy_tuning_options cli_profile_tuning_options(const cli_profile_call *call, sy_tuning_format format)
{
    sy_tuning_options options = SY_TUNING_OPTIONS_INIT;

    options.format = format;
    options.backend = call->arguments.backend;
    options.operator_name = call->arguments.operator_name;
    options.implementation_version = call->arguments.implementation;
    options.alternatives_max = call->arguments.alternatives;
    options.margin = call->arguments.margin;
    return options;
}

typedef struct taken {
    sy_tuning *tuning;
    sy_error err;
    sy_put_result result;
    sy_profile *profiles; /* with the time of the import */
    const sy_profile **adopted;
} taken;

static bool is_same(const sy_profile *a, const sy_profile *b)
{
    if (a->policy_size != b->policy_size || memcmp(a->policy, b->policy, a->policy_size) != 0 ||
        a->measurement_count != b->measurement_count || a->alternative_count != b->alternative_count)
        return false;
    for (size_t i = 0; i < a->measurement_count; i++) {
        if (strcmp(a->measurements[i].name, b->measurements[i].name) != 0 ||
            a->measurements[i].value != b->measurements[i].value)
            return false;
    }
    for (size_t i = 0; i < a->alternative_count; i++) {
        if (strcmp(a->alternatives[i].name, b->alternatives[i].name) != 0)
            return false;
    }
    return true;
}

/* Which of a file's profiles the store has already; those that it has not, or otherwise, are listed to be stored. */
static sy_status sort_out(const cli_profile_call *call, taken *file, sy_report_tuning_file *account, size_t *ret_count,
                          sy_error *err)
{
    size_t count = file->tuning->count;

    file->profiles = calloc(count + 1, sizeof(file->profiles[0]));
    file->adopted = calloc(count + 1, sizeof(file->adopted[0]));
    if (file->profiles == NULL || file->adopted == NULL)
        return cli_fail(err, SY_NO_MEMORY, "no memory for %zu profiles", count);
    for (size_t i = 0; i < count; i++) {
        sy_profile *profile = &file->profiles[i];
        sy_profile_view view;
        sy_status status;

        *profile = file->tuning->list[i].profile;
        profile->created_utc_s = (int64_t)time(NULL);
        status = sy_store_find(call->store, &profile->key, SY_PROFILE_IMPORTED, &view, err);
        if (status == SY_OK && view.layer == 0 && is_same(profile, view.profile)) {
            account->unchanged++;
            continue;
        }
        if (status != SY_OK && status != SY_NOT_FOUND)
            return status;
        if (status == SY_OK && view.layer == 0)
            account->replaced++;
        else
            account->added++;
        file->adopted[(*ret_count)++] = profile;
    }
    return SY_OK;
}

/* A file of no format that is known, or of too many bytes, is a matter of the data, not of the call. */
static int exit_of_reading(const sy_error *err)
{
    if (err->status == SY_NOT_FOUND)
        return CLI_NOTHING;
    return err->status == SY_INVALID_ARGUMENT || err->status == SY_LIMIT_EXCEEDED ? CLI_DATA : cli_exit_of(err->status);
}

/* Of many files: what is damaged is told before what is not there. */
static int worse_of(int a, int b)
{
    if (a == CLI_DATA || b == CLI_DATA)
        return CLI_DATA;
    return a > b ? a : b;
}

/* Of many files, which one it is. */
static void report_unreadable(const cli_profile_call *call, const char *path, const sy_error *err)
{
    sy_error named = *err;

    if (err->position.line == 0 && strstr(err->what, path) == NULL) {
        (void)cli_fail(&named, err->status, "%.120s: %s", path, err->what);
        cli_hint(&named, "%s", err->hint);
    }
    (void)cli_report(call->command->name, path, &named);
}

/* Returns the exit code that this file alone asks for. */
static int import_file(const cli_profile_call *call, const sy_tuning_options *options, const char *path, taken *file,
                       sy_report_tuning_file *account)
{
    size_t count = 0;
    sy_status status = sy_tuning_read(path, options, &file->tuning, &file->err);
    int code;

    *account = (sy_report_tuning_file){.file = path, .not_kept = ""};
    if (status != SY_OK) {
        code = exit_of_reading(&file->err);
        account->err = &file->err;
        report_unreadable(call, path, &file->err);
        return code;
    }
    account->tuning = file->tuning;
    status = sort_out(call, file, account, &count, &file->err);
    if (status == SY_OK && count > 0 && !call->arguments.dry_run)
        status = sy_store_adopt(call->store, file->adopted, count, NULL, &file->result, &file->err);
    if (status != SY_OK) {
        account->err = &file->err;
        account->added = account->replaced = account->unchanged = 0;
        return cli_report(call->command->name, NULL, &file->err);
    }
    account->not_kept = file->result.not_kept;
    return file->tuning->finding_total > 0 ? CLI_REFUSED : CLI_DONE;
}

static sy_status import_all(cli_profile_call *call, const sy_tuning_options *options, taken *files,
                            sy_report_tuning_file *accounts, sy_error *err)
{
    sy_report_tuning report = {.store = cli_profile_path(call),
                               .dry_run = call->arguments.dry_run,
                               .files = accounts,
                               .file_count = call->operands.count - 1};
    sy_report_style style = cli_terminal_style(&call->arguments.common);
    char *text = NULL;
    sy_status status;

    for (size_t i = 0; i < report.file_count; i++) {
        int code = import_file(call, options, call->operands.words[i + 1], &files[i], &accounts[i]);

        call->code = worse_of(code, call->code);
    }
    status = call->arguments.common.json ? sy_report_tunings_json(&report, &text, err)
                                         : sy_report_tunings(&report, &style, &text, err);
    return cli_profile_print(status, text);
}

static sy_status act_foreign(cli_profile_call *call, sy_error *err)
{
    size_t count = call->operands.count > 0 ? call->operands.count - 1 : 0;
    sy_tuning_format format = SY_TUNING_AUTO;
    sy_tuning_options options;
    taken *files = calloc(count + 1, sizeof(files[0]));
    sy_report_tuning_file *accounts = calloc(count + 1, sizeof(accounts[0]));
    size_t streams = 0;
    sy_status status = files != NULL && accounts != NULL
                           ? cli_profile_tuning_format(call, true, &format, err)
                           : cli_fail(err, SY_NO_MEMORY, "no memory for %zu files", count);

    for (size_t i = 1; i < call->operands.count; i++)
        streams += strcmp(call->operands.words[i], "-") == 0;
    if (status == SY_OK && count == 0)
        status = cli_fail(err, SY_INVALID_ARGUMENT, "no file is given; - is standard input");
    if (status == SY_OK && streams > 1)
        status = cli_fail(err, SY_INVALID_ARGUMENT, "standard input can be read once");
    if (status == SY_OK)
        status = cli_profile_open_to_write(call, err);
    if (status == SY_OK && cli_profile_damage(call) != SY_OK)
        status = cli_profile_fail_layer(&call->layers[0], err);
    if (status == SY_OK) {
        options = cli_profile_tuning_options(call, format);
        status = import_all(call, &options, files, accounts, err);
    }
    for (size_t i = 0; files != NULL && i < count; i++) {
        sy_tuning_destroy(files[i].tuning);
        free(files[i].profiles);
        free(files[i].adopted);
    }
    free(files);
    free(accounts);
    return status;
}

static sy_status act_shared(cli_profile_call *call, sy_error *err)
{
    const cli_profile_arguments *arguments = &call->arguments;
    sy_status status = SY_OK;

    if (call->operands.count < 2)
        status = cli_fail(err, SY_INVALID_ARGUMENT, "no file is given");
    for (size_t i = 1; status == SY_OK && i < call->operands.count; i++) {
        if (strcmp(call->operands.words[i], "-") == 0)
            status = cli_fail(err, SY_INVALID_ARGUMENT,
                              "standard input: only with a tuner's format; all files are read twice here");
    }
    if (status == SY_OK &&
        (arguments->backend != NULL || arguments->operator_name != NULL || arguments->implementation != NULL))
        status = cli_fail(err, SY_INVALID_ARGUMENT,
                          "--backend, --operator and --implementation: only with a tuner's format");
    if (status == SY_OK)
        status = cli_profile_open_to_write(call, err);
    if (status == SY_OK && cli_profile_damage(call) != SY_OK)
        status = cli_profile_fail_layer(&call->layers[0], err);
    return status == SY_OK ? cli_profile_import_shared(call, err) : status;
}

static sy_status act(cli_profile_call *call, sy_error *err)
{
    if (cli_profile_shares(call))
        return act_shared(call, err);
    if (call->arguments.verify.count > 0 || call->arguments.overrides_too)
        return cli_fail(err, SY_INVALID_ARGUMENT, "--verify and --overrides-too: only with our own format, profiles");
    return act_foreign(call, err);
}

static int run(int argc, char **argv)
{
    return cli_profile_run(&cli_profile_import, argc, argv, act);
}

#define SHARING "Sharing"
#define KEY_GROUP "What the file does not tell"

static const cli_option options[] = {
    {.name = "backend",
     .argument = "NAME",
     .standard = "as the file tells, else the tuner's name",
     .kind = CLI_TEXT,
     .group = KEY_GROUP,
     .completion = CLI_COMPLETE_BACKENDS,
     .help = "where its operators run",
     CLI_PROFILE_INTO(backend)},
    {.name = "operator",
     .argument = "NAME",
     .standard = "as the file tells, else the tuner's name",
     .kind = CLI_TEXT,
     .group = KEY_GROUP,
     .help = "of t4 and kernel-tuner: the kernel",
     CLI_PROFILE_INTO(operator_name)},
    {.name = "implementation",
     .argument = "VERSION",
     .standard = "as the file tells, else unknown",
     .kind = CLI_TEXT,
     .group = KEY_GROUP,
     .help = "the version that was tuned",
     CLI_PROFILE_INTO(implementation)},
    {.name = "alternatives",
     .argument = "N",
     .standard = "16",
     .kind = CLI_WHOLE,
     .low = 0,
     .high = 1000000,
     .group = CLI_PROFILE_STORE_GROUP,
     .help = "how many of those that were slower are kept with each winner",
     CLI_PROFILE_INTO(alternatives)},
    {.name = "verify",
     .argument = "PUBKEY",
     .kind = CLI_TEXTS,
     .group = SHARING,
     .completion = CLI_COMPLETE_FILES,
     .help = "with profiles: take only what this key signed; may be given again",
     CLI_PROFILE_INTO(verify)},
    {.name = "overrides-too",
     .kind = CLI_FLAG,
     .group = SHARING,
     .help = "with profiles: overrides as well, which win over what is measured here",
     CLI_PROFILE_INTO(overrides_too)},
    {.name = "dry-run",
     .kind = CLI_FLAG,
     .group = CLI_PROFILE_STORE_GROUP,
     .help = "store nothing: only say what would be",
     CLI_PROFILE_INTO(dry_run)},
    CLI_PROFILE_STORE_OPTION,
    CLI_PROFILE_LOCK_OPTION,
    CLI_JSON_OPTION,
};

static const char *const paragraphs[] = {
    "Stores what other tuners found as profiles of kind imported. Such a profile is never selected: it says what to "
    "try "
    "first. steelyard select with --mode probe, or with --work-off, holds the implementation that it names against the "
    "reference before it weighs all, if its key is that of the question and it names an implementation of ours.",
    "FORMAT is auto (found by content), tunableop (PyTorch), miopen (find-db as text, of version 1 or 2), miopen-1, "
    "kernel-tuner (a cache, closed or not) or t4. A tuner's FILE may be packed with gzip; - is standard input.",
    "What was passed over is told with its place and the reason, and so is a time that cannot be true (0, infinite, "
    "negative): nothing wins by it. The first 20 are shown, all with --json. A file is stored whole or not at all; one "
    "that is stored again changes nothing.",
    "FORMAT profiles is our own: what another store handed on (steelyard profile export 2 --signed) comes in as what "
    "it "
    "is, proven decisions as such, all files or none; what was measured here later stays. Each profile keeps who "
    "signed "
    "it. Without --verify a signature is a remark only; with it a file that is not signed, by another key, or changed "
    "afterwards is refused.",
    "Exit codes: 0 all was understood, 1 there are findings (the rest is stored), 2 usage, 4 a file cannot be read, or "
    "the store, 6 there is no such file.",
    NULL};

static const char *const examples[] = {"steelyard profile import auto tunableop_results0.csv",
                                       "what PyTorch tuned, with its versions in the key",
                                       "steelyard profile import t4 results.json --operator my_kernel --dry-run",
                                       "what would be stored, of a file that does not name its kernel",
                                       "steelyard profile import profiles site.profiles --verify site.key.pub",
                                       "proven decisions of a site, as far as its key signed them",
                                       NULL};

const cli_command cli_profile_import = {
    .name = "profile import",
    .summary = "store what other tuners found, to be tried first",
    .usage = "FORMAT FILE... [option...]",
    .paragraphs = paragraphs,
    .examples = examples,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .completion = CLI_COMPLETE_FILES,
    .run = run,
};
