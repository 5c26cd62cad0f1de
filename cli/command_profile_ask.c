/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard profile lookup and explain: what an engine would get, and why. */
#include <stdio.h>

#include "command_profile.h"
#include "message.h"
#include "terminal.h"

typedef sy_status (*text_fn)(const sy_report_enquiry *enquiry, const sy_report_style *style, char **ret_text,
                             sy_error *err);
typedef sy_status (*json_fn)(const sy_report_enquiry *enquiry, char **ret_json, sy_error *err);

/* Why there is no answer, when nothing is damaged. */
static void hint_at_cause(const cli_profile_call *call, sy_error *err)
{
    for (size_t i = 0; i < call->report.layer_count; i++) {
        if (call->layers[i].status != SY_NOT_FOUND) {
            cli_hint(err, "why: steelyard profile explain, with the same options");
            return;
        }
    }
    if (call->layers[0].path[0] != '\0')
        cli_hint(err, "there is no file %s yet", call->layers[0].path);
    else
        cli_hint(err, "there is no store: name one with --store FILE");
}

static sy_status ask(cli_profile_call *call, text_fn as_text, json_fn as_json, bool tells_itself, sy_error *err)
{
    sy_lookup lookup = SY_LOOKUP_INIT;
    sy_report_enquiry enquiry = {.lookup = &lookup};
    sy_report_style style = cli_terminal_style(&call->arguments.common);
    sy_verdict_list *verdicts = NULL;
    sy_profile_view view;
    sy_error nothing = SY_ERROR_INIT;
    char *text = NULL;
    sy_status answer = SY_OK;
    sy_status status = cli_profile_no_words(call, err);

    if (status == SY_OK)
        status = cli_profile_question(call, &lookup, err);
    if (status == SY_OK)
        status = cli_profile_open_to_read(call, err);
    if (status == SY_OK) {
        answer = sy_store_lookup(call->store, &lookup, NULL, NULL, &view, &nothing);
        status = sy_store_others(call->store, &lookup, NULL, NULL, &verdicts, err);
    }
    if (status == SY_OK) {
        enquiry.store = call->report;
        enquiry.verdicts = verdicts;
        enquiry.status = cli_profile_damage(call) != SY_OK ? cli_profile_damage(call) : answer;
        status = call->arguments.common.json ? as_json(&enquiry, &text, err) : as_text(&enquiry, &style, &text, err);
        status = cli_profile_print(status, text);
    }
    sy_verdict_list_destroy(verdicts);
    if (status != SY_OK || answer == SY_OK)
        return status;
    if (tells_itself) {
        call->code = CLI_NOTHING;
        return SY_OK;
    }
    *err = nothing;
    hint_at_cause(call, err);
    return answer;
}

static sy_status act_lookup(cli_profile_call *call, sy_error *err)
{
    return ask(call, sy_report_profile_answer, sy_report_profile_answer_json, false, err);
}

static sy_status act_explain(cli_profile_call *call, sy_error *err)
{
    return ask(call, sy_report_profile_explanation, sy_report_profile_explanation_json, true, err);
}

static const cli_option options[] = {
    CLI_PROFILE_KEY_OPTIONS,
    {.name = "force-portable",
     .kind = CLI_FLAG,
     .group = CLI_PROFILE_KEY_GROUP,
     .help = "skip exact profiles",
     CLI_PROFILE_INTO(force_portable)},
    {.name = "require-evidence",
     .kind = CLI_FLAG,
     .group = CLI_PROFILE_KEY_GROUP,
     .help = "pass over profiles without evidence; overrides need none",
     CLI_PROFILE_INTO(require_evidence)},
    CLI_PROFILE_STORE_OPTION,
    CLI_PROFILE_LAYER_OPTION,
    CLI_JSON_OPTION,
};

static int run_lookup(int argc, char **argv)
{
    return cli_profile_run(&cli_profile_lookup, argc, argv, act_lookup);
}

static int run_explain(int argc, char **argv)
{
    return cli_profile_run(&cli_profile_explain, argc, argv, act_explain);
}

static const char *const lookup_paragraphs[] = {
    "Answers as an engine would be answered: the policy in the first line, then where it comes from. Both kinds of key "
    "may be given at once. Exit code 6 when there is no answer, 4 when a file could not be read.",
    NULL};

static const char *const explain_paragraphs[] = {
    "Says why a question has its answer, or none: the walk through the ranks, a verdict for every profile of that "
    "backend and operator with the first field that differs, the nearest miss and what would make it match. Exit codes "
    "as of lookup.",
    NULL};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const cli_command cli_profile_lookup = {
    .name = "profile lookup",
    .summary = "what an engine would get",
    .usage = "KEY [option...]",
    .paragraphs = lookup_paragraphs,
    .options = options,
    .option_count = COUNT(options),
    .run = run_lookup,
};

const cli_command cli_profile_explain = {
    .name = "profile explain",
    .summary = "why it would get that, and what each profile lacks",
    .usage = "KEY [option...]",
    .paragraphs = explain_paragraphs,
    .options = options,
    .option_count = COUNT(options),
    .run = run_explain,
};
