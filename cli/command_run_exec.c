/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard run exec: the command of a run, under the lease of its device; or, with --gate, a run from its start to its
 * end in one step. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <steelyard/report.h>
#include <string.h>
#include <unistd.h>

#include "command_run_exec.h"
#include "interrupt.h"
#include "message.h"
#include "output.h"
#include "terminal.h"

#define BASELINE_SESSIONS 5

/* The call while it runs. */
typedef struct exec_call {
    exec_arguments arguments;
    cli_operands operands;
    sy_report_style style;
    sy_project *project;
    sy_run_started *started;
    const char *run;
    sy_run_executed *executed;
    char finished[16]; /* the status it was given; "" = none */
    const char *judgement;
    char judgement_reason[128];
    int code;
} exec_call;

static void show(void *user, int stream, const void *bytes, size_t size)
{
    (void)user;
    (void)stream;
    /* All of it goes to stderr: stdout is the report's. */
    (void)fwrite(bytes, 1, size, stderr);
}

static sy_status check(const exec_call *call, sy_error *err)
{
    const exec_arguments *a = &call->arguments;
    const char *alone = a->question != NULL     ? "question"
                        : a->conclusion != NULL ? "conclusion"
                        : a->judge              ? "judge"
                        : a->strict             ? "strict"
                                                : NULL;

    if (a->gate == NULL && call->operands.before != 1)
        return cli_fail(err, SY_INVALID_ARGUMENT, "run exec takes one RUN, or --gate, before --");
    if (a->gate != NULL && call->operands.before != 0) {
        (void)cli_fail(err, SY_INVALID_ARGUMENT, "'%.60s': --gate begins a run of its own", call->operands.words[0]);
        cli_hint(err, "the command stands behind --");
        return SY_INVALID_ARGUMENT;
    }
    if (a->gate == NULL && alone != NULL)
        return cli_fail(err, SY_INVALID_ARGUMENT, "--%s: only with --gate", alone);
    if (a->strict && !a->judge)
        return cli_fail(err, SY_INVALID_ARGUMENT, "--strict: only with --judge");
    return SY_OK;
}

static sy_status start(exec_call *call, sy_error *err)
{
    sy_run_start_options options = SY_RUN_START_OPTIONS_INIT;
    sy_status status;

    options.gate = call->arguments.gate;
    options.question = call->arguments.question;
    options.wait_ns = call->arguments.wait_ns;
    options.cancelled = cli_interrupt_asked;
    status = sy_project_start(call->project, &options, &call->started, err);
    if (status == SY_OK)
        call->run = call->started->run;
    return status;
}

static sy_status execute(exec_call *call, sy_error *err)
{
    const exec_arguments *a = &call->arguments;
    sy_run_exec_options options = SY_RUN_EXEC_OPTIONS_INIT;

    if (call->operands.count > call->operands.before) {
        options.argv = call->operands.words + call->operands.before;
        options.argc = call->operands.count - call->operands.before;
    }
    options.shell = a->shell;
    options.without_smoke = a->no_smoke;
    options.directory = a->directory;
    options.control_line = a->control;
    options.control_directory = a->control_directory;
    options.environment = (const char *const *)environ;
    options.more_environment = (const char *const *)a->environment.names;
    options.more_environment_count = a->environment.count;
    options.imports = (const char *const *)a->imports.names;
    options.import_count = a->imports.count;
    options.timeout_ns = a->timeout_ns;
    options.wait_ns = a->wait_ns;
    options.log_limit_bytes = a->log_bytes;
    options.output = a->show_output ? show : NULL;
    options.cancelled = cli_interrupt_asked;
    return sy_project_exec(call->project, call->run, &options, &call->executed, err);
}

/* Ends a run that measured: with failed parity it is no good one. */
static sy_status finish(exec_call *call, sy_error *err)
{
    sy_run_finish_options options = SY_RUN_FINISH_OPTIONS_INIT;
    sy_run_finished *finished = NULL;
    bool failed = call->executed->parity == SY_RUN_PARITY_FAILED;
    sy_status status;

    options.run = call->executed->run;
    options.end = (sy_run_end){
        .status = failed ? SY_RUN_FAILED : SY_RUN_OK,
        .conclusion = call->arguments.conclusion == NULL ? "" : call->arguments.conclusion,
        .reason = failed ? "parity failed" : "",
        .superseded_by = "",
    };
    status = sy_project_finish(call->project, &options, &finished, err);
    if (status != SY_OK)
        return status;
    (void)snprintf(call->finished, sizeof(call->finished), "%s", sy_run_status_word(finished->status));
    call->executed->head = finished->head;
    call->code = failed ? CLI_REFUSED : CLI_DONE;
    sy_run_finished_destroy(finished);
    return SY_OK;
}

/* How many accepted sessions the run's key has: below five there is nothing to be held against. A run that measured
 * nothing, or of whose outputs nobody says that they were right, is not judged, and never looks green. */
static sy_status judge(exec_call *call, const sy_run *run, sy_error *err)
{
    sy_run_filter filter = SY_RUN_FILTER_INIT;
    sy_run_list *list = NULL;
    sy_status status;

    if (run->row.sample_count == 0 || run->row.parity != SY_RUN_PARITY_PASSED) {
        call->judgement = "not-judged";
        (void)snprintf(call->judgement_reason, sizeof(call->judgement_reason), "its parity is %s%s",
                       sy_run_parity_word(run->row.parity),
                       run->row.sample_count == 0 ? ", and it has no samples" : "");
        call->code = call->code == CLI_DONE ? CLI_COVERAGE : call->code;
        return SY_OK;
    }
    call->judgement = "no-baseline";
    if (run->row.key_digest[0] == '\0') {
        (void)snprintf(call->judgement_reason, sizeof(call->judgement_reason),
                       "a field of its comparison key is unknown: it is comparable to none");
    } else {
        filter.key_digest = run->row.key_digest;
        filter.accepted_only = true;
        filter.limit = 1;
        status = sy_ledger_runs(sy_project_ledger(call->project), &filter, &list, err);
        if (status != SY_OK)
            return status;
        (void)snprintf(call->judgement_reason, sizeof(call->judgement_reason),
                       "%" PRIu64 " accepted %s of its key; a baseline begins with %d", list->total_count,
                       list->total_count == 1 ? "session" : "sessions", BASELINE_SESSIONS);
        if (list->total_count >= BASELINE_SESSIONS)
            call->judgement = "not-judged";
        sy_run_list_destroy(list);
    }
    if (call->arguments.strict && call->code == CLI_DONE)
        call->code = strcmp(call->judgement, "no-baseline") == 0 ? CLI_NOTHING : CLI_COVERAGE;
    return SY_OK;
}

static sy_status save_markdown(const exec_call *call, const sy_report_executed_view *view, sy_error *err)
{
    char *markdown = NULL;
    sy_status status;

    if (call->arguments.markdown == NULL)
        return SY_OK;
    status = sy_report_executed_markdown(view, &markdown, err);
    if (status == SY_OK)
        status = sy_report_save(markdown, call->arguments.markdown, err);
    sy_text_free(markdown);
    return status;
}

static sy_status print(exec_call *call, const sy_run *run, sy_error *err)
{
    sy_report_executed_view view = {
        .executed = call->executed,
        .run = run,
        .finished = call->finished,
        .judgement = call->judgement,
        .judgement_reason = call->judgement_reason,
    };
    char *text = NULL;
    sy_status status = call->arguments.common.json ? sy_report_executed_json(&view, &text, err)
                                                   : sy_report_executed(&view, &call->style, &text, err);

    if (status == SY_OK)
        cli_output_write(text);
    sy_text_free(text);
    return status == SY_OK ? save_markdown(call, &view, err) : status;
}

/* A preflight that failed is recorded and told, in the Markdown too: one of an earlier run must not stand there. */
static sy_status print_failed_start(exec_call *call, sy_error *err)
{
    sy_run_executed executed = {.run = call->started->run,
                                .status = SY_RUN_FAILED,
                                .reason = call->started->reason,
                                .parity = SY_RUN_PARITY_UNKNOWN,
                                .head = call->started->head};
    sy_report_executed_view view = {.executed = &executed, .finished = "", .judgement = "", .judgement_reason = ""};
    sy_run *run = NULL;
    char *text = NULL;
    sy_status status = call->arguments.common.json ? sy_report_run_started_json(call->started, &text, err)
                                                   : sy_report_run_started(call->started, &call->style, &text, err);

    if (status == SY_OK)
        cli_output_write(text);
    sy_text_free(text);
    if (status == SY_OK && call->arguments.markdown != NULL)
        status = sy_ledger_run(sy_project_ledger(call->project), executed.run, &run, err);
    view.run = run;
    if (status == SY_OK)
        status = save_markdown(call, &view, err);
    sy_run_destroy(run);
    call->code = CLI_ENVIRONMENT;
    return status;
}

/* A run that was begun here and for which nothing was run is over: nobody comes back to it. */
static void close_unexecuted(const exec_call *call, const sy_error *cause)
{
    sy_run_finish_options options = SY_RUN_FINISH_OPTIONS_INIT;
    sy_run_finished *finished = NULL;
    sy_run *run = NULL;
    sy_error err = SY_ERROR_INIT;
    char reason[sizeof(cause->what) + 16];

    if (sy_ledger_run(sy_project_ledger(call->project), call->run, &run, &err) == SY_OK &&
        run->row.status == SY_RUN_PLANNED) {
        (void)snprintf(reason, sizeof(reason), "not executed: %s", cause->what);
        options.run = call->run;
        options.end = (sy_run_end){.status = SY_RUN_FAILED, .conclusion = "", .reason = reason, .superseded_by = ""};
        if (sy_project_finish(call->project, &options, &finished, &err) != SY_OK)
            cli_remark("the run stays planned: it could not be closed");
        sy_run_finished_destroy(finished);
    }
    sy_run_destroy(run);
}

static int code_of(const sy_run_executed *executed)
{
    if (executed->interrupted)
        return CLI_INTERRUPTED;
    if (executed->status != SY_RUN_FAILED)
        return CLI_DONE;
    return executed->parity == SY_RUN_PARITY_FAILED || strncmp(executed->reason, "smoke: parity", 13) == 0
               ? CLI_REFUSED
               : CLI_ENVIRONMENT;
}

static sy_status work(exec_call *call, sy_error *err)
{
    sy_run *run = NULL;
    sy_status status = SY_OK;

    if (call->arguments.gate != NULL)
        status = start(call, err);
    else
        call->run = call->operands.words[0];
    if (status != SY_OK)
        return status;
    if (call->started != NULL && !call->started->planned)
        return print_failed_start(call, err);
    status = execute(call, err);
    if (status != SY_OK && call->started != NULL)
        close_unexecuted(call, err);
    if (status != SY_OK)
        return status;
    call->code = code_of(call->executed);
    if (call->started != NULL && call->executed->status == SY_RUN_RUNNING)
        status = finish(call, err);
    if (status == SY_OK)
        status = sy_ledger_run(sy_project_ledger(call->project), call->executed->run, &run, err);
    if (status == SY_OK && call->arguments.judge && call->executed->status != SY_RUN_FAILED)
        status = judge(call, run, err);
    if (status == SY_OK)
        status = print(call, run, err);
    sy_run_destroy(run);
    return status;
}

int cli_run_exec_call(int argc, char **argv)
{
    exec_call call = {.arguments.log_bytes = (uint64_t)1 << 20, .judgement = "", .code = CLI_DONE};
    sy_error err = SY_ERROR_INIT;
    sy_status status;
    int code = cli_command_begin(&cli_run_exec, argc, argv, &call.arguments, &call.operands);

    if (code < 0) {
        call.style = cli_terminal_style(&call.arguments.common);
        cli_interrupt_watch();
        status = check(&call, &err);
        if (status == SY_OK)
            status = cli_project_open(&call.arguments.project,
                                      call.arguments.gate != NULL ? CLI_LEDGER_RECORD : CLI_LEDGER_WRITE, &call.project,
                                      &err);
        bool has_project = status == SY_OK;
        if (status == SY_OK)
            status = work(&call, &err);
        code = status == SY_OK ? call.code : cli_report("run exec", NULL, &err);
        /* A run or gate that is not there is no mistake in the call. */
        if (status == SY_NOT_FOUND && has_project)
            code = CLI_NOTHING;
    }
    sy_run_executed_destroy(call.executed);
    sy_run_started_destroy(call.started);
    sy_project_close(call.project);
    cli_names_finish(&call.arguments.environment);
    cli_names_finish(&call.arguments.imports);
    return code;
}
