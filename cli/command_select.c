/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard select: what an engine would be told, and why; and probing, out of the engines' processes, what they
 * missed. */
#include <stdio.h>
#include <steelyard/report.h>
#include <steelyard/select.h>
#include <string.h>

#include "assigned.h"
#include "command.h"
#include "interrupt.h"
#include "message.h"
#include "output.h"
#include "progress_line.h"
#include "target.h"
#include "terminal.h"

typedef struct select_arguments {
    cli_common common;
    cli_target_arguments target;
    const char *assign;
    const char *model_digest;
    unsigned int mode;
    const char *store;
    bool force_portable;
    bool require_evidence;
    bool no_shortcuts;
    bool retry;
    bool per_case;
    bool allow_approximate;
    unsigned int cache;
    unsigned int prefer;
    uint64_t cache_bytes;
    bool save;
    const char *work_off;
    uint64_t budget_ns;
    uint64_t wall_limit_ns;
    uint32_t confirm_pairs;
    uint32_t used;
} select_arguments;

static const char *const modes[] = {"record-miss", "store-only", "probe", NULL};

#define ANSWER "The answer"
#define PROBING "Probing"

static const cli_option options[] = {
    CLI_TARGET_OPTIONS(select_arguments, target),
    CLI_ASSIGN_OPTION(select_arguments, assign),
    {.name = "model-digest",
     .argument = "TEXT",
     .standard = "none",
     .kind = CLI_TEXT,
     .group = CLI_TARGET_GROUP,
     .help = "the model that the answer is for",
     CLI_INTO(select_arguments, model_digest)},
    {.name = "allow-approximate",
     .kind = CLI_FLAG,
     .group = CLI_TARGET_GROUP,
     .help = "also take implementations that promise approximate outputs only",
     CLI_INTO(select_arguments, allow_approximate)},
    CLI_CACHE_OPTION(select_arguments, cache, CLI_TARGET_GROUP),
    CLI_PREFER_OPTION(select_arguments, prefer, CLI_TARGET_GROUP),
    {.name = "store",
     .argument = "FILE",
     .standard = "the user's own",
     .kind = CLI_TEXT,
     .group = ANSWER,
     .completion = CLI_COMPLETE_FILES,
     .help = "the profile store",
     CLI_INTO(select_arguments, store)},
    {.name = "mode",
     .argument = "MODE",
     .standard = "record-miss",
     .kind = CLI_CHOICE,
     .choices = modes,
     .group = ANSWER,
     .help = "record-miss: a miss is written down beside the store; store-only: it is not; probe: it is probed now and "
             "the decision kept",
     CLI_INTO(select_arguments, mode)},
    {.name = "force-portable",
     .kind = CLI_FLAG,
     .group = ANSWER,
     .help = "pass over exact profiles",
     CLI_INTO(select_arguments, force_portable)},
    {.name = "require-evidence",
     .kind = CLI_FLAG,
     .group = ANSWER,
     .help = "pass over profiles without evidence",
     CLI_INTO(select_arguments, require_evidence)},
    {.name = "no-shortcuts",
     .kind = CLI_FLAG,
     .group = ANSWER,
     .help = "pass over what is known of the device's architecture: only what was measured here answers",
     CLI_INTO(select_arguments, no_shortcuts)},
    {.name = "per-case",
     .kind = CLI_FLAG,
     .group = ANSWER,
     .help = "an answer a case, kept under the case's properties",
     CLI_INTO(select_arguments, per_case)},
    {.name = "retry",
     .kind = CLI_FLAG,
     .group = PROBING,
     .help =
         "with --mode probe: probe again although there is an answer; the k-th probe of a key runs at alpha 2^(1-k)",
     CLI_INTO(select_arguments, retry)},
    {.name = "confirm",
     .argument = "PAIRS",
     .kind = CLI_WHOLE,
     .low = 1,
     .high = 10000,
     .group = PROBING,
     .help =
         "hold what the store proposes (portable, imported, outdated, expired; with --retry this machine's own too) "
         "against the reference by up to PAIRS pairs, and keep what comes of it",
     CLI_INTO(select_arguments, confirm_pairs)},
    {.name = "used",
     .argument = "CALLS",
     .kind = CLI_WHOLE,
     .low = 1,
     .high = 4294967295.0,
     .group = ANSWER,
     .help = "count that the answer was used in so many calls",
     CLI_INTO(select_arguments, used)},
    CLI_CACHE_BYTES_OPTION(select_arguments, cache_bytes, PROBING),
    {.name = "work-off",
     .argument = "FILE",
     .kind = CLI_TEXT,
     .group = PROBING,
     .completion = CLI_COMPLETE_FILES,
     .help = "probe what a file of misses names, no OPERATION is given; needs --save",
     CLI_INTO(select_arguments, work_off)},
    {.name = "save",
     .kind = CLI_FLAG,
     .group = PROBING,
     .help = "with --work-off: keep the decisions in the store",
     CLI_INTO(select_arguments, save)},
    {.name = "budget",
     .argument = "SECONDS",
     .standard = "20, of each probe; with --work-off 300, of all",
     .kind = CLI_SECONDS,
     .group = PROBING,
     .help =
         "time inside timed runs; with --work-off time of the clock on the wall, and no probe gets more than is left",
     CLI_INTO(select_arguments, budget_ns)},
    {.name = "wall-limit",
     .argument = "SECONDS",
     .standard = "45",
     .kind = CLI_SECONDS,
     .group = PROBING,
     .help = "time of one probe, everything included",
     CLI_INTO(select_arguments, wall_limit_ns)},
    CLI_JSON_OPTION,
};

#define NOT_GIVEN UINT64_MAX
#define WORK_OFF_BUDGET_NS UINT64_C(300000000000)

static sy_status open_selector(const select_arguments *arguments, cli_target *target, sy_selector **ret_selector,
                               sy_error *err)
{
    sy_store_options store_options = SY_STORE_OPTIONS_INIT;
    sy_selector_options selector_options = SY_SELECTOR_OPTIONS_INIT;
    sy_status status = cli_target_find_worker(target, err);

    store_options.path = arguments->store;
    selector_options.store_options = &store_options;
    selector_options.worker_path = target->worker_path;
    return status == SY_OK ? sy_selector_open(&selector_options, ret_selector, err) : status;
}

static sy_probe_options probe_options(const select_arguments *arguments)
{
    sy_probe_options probe = SY_PROBE_OPTIONS_INIT;

    if (arguments->budget_ns != NOT_GIVEN && arguments->work_off == NULL)
        probe.budget_ns = arguments->budget_ns;
    if (arguments->wall_limit_ns != NOT_GIVEN)
        probe.wall_limit_ns = arguments->wall_limit_ns;
    probe.cache_bytes = arguments->cache_bytes;
    probe.cancelled = cli_interrupt_asked;
    if (!arguments->common.quiet) {
        cli_progress_start();
        probe.progress = cli_progress_show;
    }
    return probe;
}

/* before: what parts it from the answer that was printed before it. */
static sy_status print_answer(const select_arguments *arguments, const char *before, const sy_selection *selection,
                              sy_error *err)
{
    sy_report_style style = cli_terminal_style(&arguments->common);
    char *text = NULL;
    sy_status status = arguments->common.json ? sy_report_selection_json(selection, &text, err)
                                              : sy_report_selection(selection, &style, &text, err);

    if (status == SY_OK) {
        cli_output_write(before);
        cli_output_write(text);
    }
    sy_text_free(text);
    return status;
}

/* No answer is an answer too: the key that was asked for, and why there is none. */
static sy_status print_none(const select_arguments *arguments, const char *before, sy_selector *selector,
                            const sy_request *request, sy_error *err)
{
    sy_selection none = {0};
    sy_status status = sy_selector_explain(selector, request, &none, err);

    return status == SY_OK ? print_answer(arguments, before, &none, err) : status;
}

/* Use that cannot be counted does not make the answer wrong. */
static void note_use(const select_arguments *arguments, sy_selector *selector, const sy_request *request)
{
    sy_error err = SY_ERROR_INIT;
    sy_status status = sy_selector_report_use(selector, request, arguments->used, SY_NAN, &err);

    if (status == SY_OK)
        status = sy_selector_flush_use(selector, &err);
    if (status != SY_OK && !arguments->common.quiet)
        cli_remark(err.what);
}

static int answer(const select_arguments *arguments, const cli_operands *operands, const char *before)
{
    cli_target target = {0};
    sy_selector *selector = NULL;
    sy_request request = SY_REQUEST_INIT;
    sy_selection selection;
    sy_error err = SY_ERROR_INIT;
    sy_probe_options probe = probe_options(arguments);
    int code = CLI_DONE;
    sy_status status = cli_target_open(&arguments->target, operands, &target, &err);

    if (status == SY_OK)
        status = cli_target_choose_cases(&arguments->target, &target, &err);
    if (status == SY_OK)
        status = open_selector(arguments, &target, &selector, &err);
    if (status != SY_OK)
        goto out;
    request.suite = target.suite;
    request.device = target.device;
    request.model_digest = arguments->model_digest;
    request.cases = target.cases;
    request.case_count = target.case_count;
    request.mode = (sy_select_mode)arguments->mode;
    request.allow_approximate = arguments->allow_approximate;
    request.cache_state = cli_cache_states[arguments->cache];
    request.prefer = (sy_preference)arguments->prefer;
    request.force_portable = arguments->force_portable;
    request.require_evidence = arguments->require_evidence;
    request.no_shortcuts = arguments->no_shortcuts;
    request.retry = arguments->retry;
    request.per_case = arguments->per_case;
    request.confirm_pairs = arguments->confirm_pairs;
    request.probe = &probe;
    status = sy_select(selector, &request, &selection, &err);
    cli_progress_clear();
    if (status == SY_OK && arguments->used > 0)
        note_use(arguments, selector, &request);
    if (status == SY_OK) {
        status = print_answer(arguments, before, &selection, &err);
    } else if (status == SY_NOT_FOUND) {
        sy_error unprinted = SY_ERROR_INIT;

        code = CLI_NOTHING;
        status = print_none(arguments, before, selector, &request, &unprinted);
        if (err.hint[0] != '\0' && !arguments->common.quiet)
            cli_remark(err.hint);
        if (status != SY_OK)
            err = unprinted;
    }
out:
    cli_progress_clear();
    if (status != SY_OK)
        code = cli_report("select", arguments->target.script, &err);
    else if (cli_interrupt_asked(NULL))
        code = CLI_INTERRUPTED;
    sy_selector_close(selector);
    cli_target_close(&target);
    return code;
}

/* An answer for each operation and device; several in JSON are one object of docs/formats.md, "steelyard.selections/1".
 * The first that fails ends it; one that is not known does not. */
static int answer_each(select_arguments *arguments, const cli_operands *operands)
{
    cli_assigned assigned = {.count = 0};
    const char *script = arguments->target.script;
    int worst = CLI_DONE;
    int code = cli_assigned_open("select", &arguments->target, arguments->assign, arguments->common.quiet, operands,
                                 &assigned);
    bool ready = code < 0;
    bool as_list = ready && arguments->common.json && assigned.count > 1;

    if (as_list)
        cli_output_write("{\n\"schema\": \"steelyard.selections/1\",\n\"selections\": [\n");
    for (size_t i = 0; ready && i < assigned.count && (worst == CLI_DONE || worst == CLI_NOTHING); i++) {
        cli_operands one;

        cli_assigned_aim(&assigned.list[i], script, &arguments->target, &one);
        code = answer(arguments, &one, i == 0 ? "" : as_list ? ",\n" : "\n");
        worst = code == CLI_DONE ? worst : code;
    }
    if (as_list)
        cli_output_write("]\n}\n");
    cli_assigned_close(&assigned);
    return ready ? worst : code;
}

static void say_each(void *user, const char *operation, const char *backend, const sy_selection *selection,
                     sy_status status, const sy_error *err)
{
    const select_arguments *arguments = user;
    char line[512];

    cli_progress_clear();
    if (arguments->common.quiet)
        return;
    if (status == SY_OK)
        (void)snprintf(line, sizeof(line), "%s on %s: %s, %u timed runs%s", operation, backend,
                       selection->implementation, (unsigned)selection->timed_runs,
                       selection->imported_first ? ", tried first because an imported profile names it" : "");
    else
        (void)snprintf(line, sizeof(line), "%s on %s: %s", operation, backend, err->what);
    cli_remark(line);
}

/* plugin: NULL, or whose operations may be among the misses. */
static int work_off(const select_arguments *arguments, const char *plugin)
{
    cli_target target = {0};
    sy_selector *selector = NULL;
    sy_error err = SY_ERROR_INIT;
    sy_work_off_result result = {0};
    sy_probe_options probe = probe_options(arguments);
    sy_work_off_options work = {.budget_ns = arguments->budget_ns == NOT_GIVEN ? WORK_OFF_BUDGET_NS
                                                                               : arguments->budget_ns,
                                .probe = &probe,
                                .plugin = plugin,
                                .each = say_each,
                                .user = (void *)(uintptr_t)arguments};
    sy_status status = plugin != NULL ? cli_target_try_plugin(&target, plugin, &err) : SY_OK;

    if (status == SY_OK)
        status = open_selector(arguments, &target, &selector, &err);
    if (status == SY_OK)
        status = sy_selector_work_off(selector, arguments->work_off, &work, &result, &err);
    cli_progress_clear();
    sy_selector_close(selector);
    if (status != SY_OK)
        return cli_report("select", arguments->work_off, &err);
    char line[256];
    if (arguments->common.json)
        (void)snprintf(line, sizeof(line),
                       "{\"schema\": \"steelyard.work-off/1\", \"misses\": %u, \"probed\": %u, \"answered\": %u, "
                       "\"failed\": %u, \"left\": %u}\n",
                       result.misses, result.probed, result.answered, result.failed, result.left);
    else
        (void)snprintf(line, sizeof(line), "%u %s: %u probed, %u known by now, %u failed, %u left %s\n", result.misses,
                       result.misses == 1 ? "miss" : "misses", result.probed, result.answered, result.failed,
                       result.left, result.interrupted ? "by the interruption" : "for want of budget");
    cli_output_write(line);
    if (result.interrupted || cli_interrupt_asked(NULL))
        return CLI_INTERRUPTED;
    return result.failed > 0 ? CLI_ENVIRONMENT : CLI_DONE;
}

/* With --work-off the misses say what is asked: an option that would say it too is refused, not passed over. */
static const char *said_by_the_misses(const select_arguments *arguments)
{
    const struct {
        bool given;
        const char *name;
    } all[] = {
        {strcmp(arguments->target.backend, "cpu") != 0, "backend"},
        {arguments->assign != NULL, "assign"},
        {arguments->target.cases.count > 0, "cases"},
        {arguments->target.script != NULL, "script"},
        {arguments->target.threads != 0, "threads"},
        {arguments->model_digest != NULL, "model-digest"},
        {arguments->allow_approximate, "allow-approximate"},
        {arguments->cache != SY_CACHE_HOT, "cache"},
        {arguments->prefer != SY_PREFER_SPEED, "prefer"},
        {arguments->mode != SY_SELECT_RECORD_MISS, "mode"},
        {arguments->force_portable, "force-portable"},
        {arguments->require_evidence, "require-evidence"},
        {arguments->no_shortcuts, "no-shortcuts"},
        {arguments->per_case, "per-case"},
        {arguments->retry, "retry"},
        {arguments->confirm_pairs > 0, "confirm"},
        {arguments->used > 0, "used"},
    };

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        if (all[i].given)
            return all[i].name;
    }
    return NULL;
}

static sy_status check(const select_arguments *arguments, const cli_operands *operands, sy_error *err)
{
    const char *said = said_by_the_misses(arguments);

    if (arguments->work_off == NULL) {
        if (!arguments->save)
            return SY_OK;
        return cli_fail(err, SY_INVALID_ARGUMENT, "--save: only with --work-off; --mode probe keeps what it decides");
    }
    if (operands->count > 1 || (operands->count == 1 && !cli_target_is_plugin(operands->words[0]))) {
        (void)cli_fail(err, SY_INVALID_ARGUMENT, "--work-off: '%s': the file says which operations",
                       operands->words[operands->count - 1]);
        cli_hint(err, "only a plugin that brings some of them may be named: ./my_suite.so");
        return SY_INVALID_ARGUMENT;
    }
    if (!arguments->save)
        return cli_fail(err, SY_INVALID_ARGUMENT, "--work-off: needs --save, since nothing else remains of it");
    if (said != NULL)
        return cli_fail(err, SY_INVALID_ARGUMENT, "--%s: not with --work-off: each miss says its own", said);
    return SY_OK;
}

static int run(int argc, char **argv)
{
    select_arguments arguments = {.target = {.backend = "cpu"}, .budget_ns = NOT_GIVEN, .wall_limit_ns = NOT_GIVEN};
    cli_operands operands;
    int code = cli_command_begin(&cli_command_select, argc, argv, &arguments, &operands);
    sy_error err = SY_ERROR_INIT;

    if (code < 0) {
        cli_interrupt_watch();
        if (check(&arguments, &operands, &err) != SY_OK)
            code = cli_report("select", NULL, &err);
        else if (arguments.assign != NULL)
            code = answer_each(&arguments, &operands);
        else
            code = arguments.work_off == NULL ? answer(&arguments, &operands, "")
                                              : work_off(&arguments, operands.count > 0 ? operands.words[0] : NULL);
    }
    cli_names_finish(&arguments.target.cases);
    return code;
}

static const char *const paragraphs[] = {
    "Answers which implementation of OPERATION to use on this machine for the given cases, as an engine would be told: "
    "from memory, from the profile store, or by a shortcut for a known architecture. No implementation is loaded and "
    "nothing is timed unless --mode probe asks for it. What is not known is written down beside the store, once.",
    "--work-off probes what was written down, outside of the engines' processes, with the threads and settings that "
    "each "
    "miss says. A line goes out of the file when its answer stands in the store, and not before.",
    NULL};

static const char *const examples[] = {"steelyard select matmul --cases quick",
                                       "what was decided for these shapes; exit code 6 when nothing was",
                                       "steelyard select matmul --cases quick --mode probe",
                                       "decide now if nothing is known, and keep the decision",
                                       "steelyard select --assign attention=ggml,convolution=cpu",
                                       "an answer for each operation on its device",
                                       "steelyard select --work-off ~/.cache/steelyard/profiles.misses --save",
                                       "probe what engines asked for in vain",
                                       NULL};

const cli_command cli_command_select = {
    .name = "select",
    .summary = "say which implementation to use here, from the store, and why",
    .usage = "OPERATION|PLUGIN.so [option...] | --assign OPERATION=DEVICE,... [option...] | "
             "[PLUGIN.so] --work-off FILE --save",
    .paragraphs = paragraphs,
    .examples = examples,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .completion = CLI_COMPLETE_OPERATIONS,
    .run = run,
};
