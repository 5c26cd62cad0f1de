/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard profile export: profiles as a file of our own formats, or of another tuner's. */
#include <stdlib.h>
#include <string.h>

#include "command_profile.h"
#include "message.h"
#include "output.h"
#include "profile_share.h"
#include "terminal.h"

typedef struct chosen {
    const cli_profile_call *call;
    const sy_profile **list;
    size_t count;
    size_t capacity;
} chosen;

static bool is_asked(const char *asked, const char *found)
{
    return asked == NULL || strcmp(asked, found) == 0;
}

static sy_status choose(void *user, const sy_profile *profile, uint32_t layer, sy_error *err)
{
    chosen *c = user;
    const cli_profile_arguments *arguments = &c->call->arguments;

    (void)layer;
    if (!is_asked(arguments->backend, profile->key.backend) ||
        !is_asked(arguments->operator_name, profile->key.operator_name) ||
        (arguments->kind != CLI_PROFILE_ANY && arguments->kind != (unsigned)profile->kind))
        return SY_OK;
    if (c->count == c->capacity) {
        size_t capacity = c->capacity == 0 ? 64 : 2 * c->capacity;
        const sy_profile **list = reallocarray(c->list, capacity, sizeof(list[0]));

        if (list == NULL)
            return cli_fail(err, SY_NO_MEMORY, "no memory for %zu profiles", capacity);
        c->list = list;
        c->capacity = capacity;
    }
    c->list[c->count++] = profile;
    return SY_OK;
}

static sy_status put(const cli_profile_call *call, const char *text, sy_error *err)
{
    if (call->arguments.output != NULL)
        return sy_report_save(text, call->arguments.output, err);
    cli_output_write(text);
    return SY_OK;
}

/* What became of it is told where the file is not. */
static sy_status tell(cli_profile_call *call, const sy_tuning_text *text, sy_tuning_format format, sy_error *err)
{
    const cli_profile_arguments *arguments = &call->arguments;
    sy_report_style style = cli_terminal_style(&arguments->common);
    char *said = NULL;
    sy_status status = SY_OK;

    if (arguments->common.json && arguments->output != NULL) {
        status = sy_report_tuning_text_json(text, format, arguments->output, &said, err);
        return cli_profile_print(status, said);
    }
    if (arguments->common.quiet)
        return SY_OK;
    style.color = false;
    status = sy_report_tuning_text(text, format, arguments->output, &style, &said, err);
    for (char *line = said; status == SY_OK && *line != '\0';) {
        char *end = strchr(line, '\n');

        if (end != NULL)
            *end = '\0';
        cli_remark(line);
        line = end != NULL ? end + 1 : line + strlen(line);
    }
    sy_text_free(said);
    return status;
}

static sy_status export_foreign(cli_profile_call *call, sy_tuning_format format, sy_error *err)
{
    chosen c = {.call = call};
    sy_tuning_text *text = NULL;
    sy_status status = sy_store_iterate(call->store, choose, &c, err);

    if (status == SY_OK && c.count == 0)
        status = cli_fail(err, SY_NOT_FOUND, "there is no profile to export");
    if (status == SY_OK)
        status = sy_tuning_write(format, c.list, c.count, &text, err);
    if (status == SY_OK && text->written > 0)
        status = put(call, text->text, err);
    if (status == SY_OK) {
        status = tell(call, text, format, err);
        call->code = text->unwritten_count > 0 ? CLI_REFUSED : CLI_DONE;
    }
    sy_tuning_text_destroy(text);
    free(c.list);
    return status;
}

static sy_status export_own(cli_profile_call *call, uint32_t format, sy_error *err)
{
    const cli_profile_arguments *arguments = &call->arguments;
    sy_put_result result;
    char *text = NULL;
    size_t size = 0;
    sy_status status;

    if (arguments->backend != NULL || arguments->operator_name != NULL || arguments->kind != CLI_PROFILE_ANY)
        return cli_fail(err, SY_INVALID_ARGUMENT, "--backend, --operator and --kind: only with a tuner's format");
    status = sy_store_write_text(call->store, format, &text, &size, &result, err);
    if (status == SY_OK && strlen(text) != size)
        status = cli_fail(err, SY_REFUSED, "a 0 byte stands in a policy: format %u cannot be printed",
                          (unsigned)format);
    if (status == SY_OK)
        status = put(call, text, err);
    sy_text_free(text);
    if (status == SY_OK && result.not_kept[0] != '\0') {
        char line[192] = "not kept: ";

        cli_append(line, sizeof(line), result.not_kept);
        cli_remark(line);
    }
    return status;
}

static sy_status export_signed(cli_profile_call *call, uint32_t format, sy_error *err)
{
    char *text = NULL;
    sy_status status = cli_profile_export_shared(call, format, &text, err);

    if (status == SY_OK)
        status = put(call, text, err);
    sy_text_free(text);
    return status;
}

static sy_status check_signing(const cli_profile_arguments *arguments, bool is_own, sy_error *err)
{
    if (arguments->signed_with == NULL && (arguments->require_evidence || arguments->overrides_too))
        return cli_fail(err, SY_INVALID_ARGUMENT, "--require-evidence and --overrides-too: only with --signed");
    if (arguments->signed_with == NULL)
        return SY_OK;
    if (!is_own)
        return cli_fail(err, SY_INVALID_ARGUMENT, "--signed: only with our own format, 1 or 2");
    if (arguments->kind != CLI_PROFILE_ANY)
        return cli_fail(err, SY_INVALID_ARGUMENT, "--kind: not with --signed");
    if (arguments->common.json)
        return cli_fail(err, SY_INVALID_ARGUMENT, "--json: not with --signed");
    return SY_OK;
}

static sy_status act(cli_profile_call *call, sy_error *err)
{
    const char *word = call->operands.count > 0 ? call->operands.words[0] : "";
    bool is_own = strcmp(word, "1") == 0 || strcmp(word, "2") == 0;
    sy_tuning_format format = SY_TUNING_AUTO;
    sy_status status = is_own ? SY_OK : cli_profile_tuning_format(call, false, &format, err);

    if (status == SY_OK && call->operands.count > 1)
        status = cli_fail(err, SY_INVALID_ARGUMENT, "'%s': one format at a time; --output names the file",
                          call->operands.words[1]);
    if (status == SY_OK && call->arguments.common.json && call->arguments.output == NULL)
        status = cli_fail(err, SY_INVALID_ARGUMENT, "--json: needs --output, since the file itself is printed");
    if (status == SY_OK)
        status = check_signing(&call->arguments, is_own, err);
    if (status == SY_OK)
        status = cli_profile_open_existing(call, err);
    if (status == SY_OK && cli_profile_damage(call) != SY_OK)
        status = cli_profile_fail_layer(&call->layers[0], err);
    if (status != SY_OK)
        return status;
    if (call->arguments.signed_with != NULL)
        return export_signed(call, word[0] == '1' ? 1 : 2, err);
    return is_own ? export_own(call, word[0] == '1' ? 1 : 2, err) : export_foreign(call, format, err);
}

static int run(int argc, char **argv)
{
    return cli_profile_run(&cli_profile_export, argc, argv, act);
}

#define WHICH "Which profiles"
#define SHARING "Sharing"

static const cli_option options[] = {
    {.name = "output",
     .argument = "FILE",
     .standard = "standard output",
     .kind = CLI_TEXT,
     .group = "Output",
     .completion = CLI_COMPLETE_FILES,
     .help = "write it there, in place of what was there",
     CLI_PROFILE_INTO(output)},
    {.name = "backend",
     .argument = "NAME",
     .kind = CLI_TEXT,
     .group = WHICH,
     .completion = CLI_COMPLETE_BACKENDS,
     .help = "only those of this backend",
     CLI_PROFILE_INTO(backend)},
    {.name = "operator",
     .argument = "NAME",
     .kind = CLI_TEXT,
     .group = WHICH,
     .help = "only those of this operator",
     CLI_PROFILE_INTO(operator_name)},
    {.name = "kind",
     .argument = "KIND",
     .kind = CLI_CHOICE,
     .choices = cli_profile_kinds,
     .group = WHICH,
     .help = "only those of this kind",
     CLI_PROFILE_INTO(kind)},
    {.name = "signed",
     .argument = "KEY",
     .kind = CLI_TEXT,
     .group = SHARING,
     .completion = CLI_COMPLETE_FILES,
     .help = "only what is proven, signed with this secret key (steelyard profile keygen)",
     CLI_PROFILE_INTO(signed_with)},
    {.name = "require-evidence",
     .kind = CLI_FLAG,
     .group = SHARING,
     .help = "with --signed: only profiles whose evidence is named",
     CLI_PROFILE_INTO(require_evidence)},
    {.name = "overrides-too",
     .kind = CLI_FLAG,
     .group = SHARING,
     .help = "with --signed: what people here wanted, too",
     CLI_PROFILE_INTO(overrides_too)},
    CLI_PROFILE_STORE_OPTION,
    CLI_JSON_OPTION,
};

static const char *const paragraphs[] = {
    "Writes the store's profiles as another file. FORMAT is 1 or 2 (profiles, as steelyard keeps them), tunableop, "
    "miopen, "
    "miopen-1, kernel-tuner or t4. What is read again from a tuner's file has the same winners under the same keys.",
    "A tuner's file holds less than a profile. One that it cannot hold is passed over, told with the reason and "
    "counted; "
    "evidence, parity and gains are in none of them. What was said to be of versions (validators) is said again; "
    "decisions of our own say STEELYARD_VERSION, so that PyTorch does not take them for its own.",
    "With --signed undecided and expired profiles are left out, and overrides; the signature is the last line, a "
    "comment "
    "to who does not verify it. steelyard profile import profiles FILE --verify PUBKEY takes such a file in.",
    "Exit codes: 0 all profiles are in the file, 1 some are not, 2 usage, 4 a file cannot be read or written, 6 there "
    "is "
    "nothing to export.",
    NULL};

static const char *const examples[] = {"steelyard profile export tunableop --output tunableop_results0.csv",
                                       "matrix products, as PyTorch reads them",
                                       "steelyard profile export 2 --store all.profiles --output copy.profiles",
                                       "a whole store in format 2",
                                       "steelyard profile export 2 --signed site.key --output site.profiles",
                                       "what is proven here, for others",
                                       NULL};

const cli_command cli_profile_export = {
    .name = "profile export",
    .summary = "write profiles as a file of another format",
    .usage = "FORMAT [option...]",
    .paragraphs = paragraphs,
    .examples = examples,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = run,
};
