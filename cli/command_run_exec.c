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
#include "verdict_call.h"

/* The call while it runs. */
typedef struct exec_call {
    exec_arguments arguments;
    cli_operands operands;
    sy_report_style style;
    sy_project *project;
    sy_run_started *started;
    const char *run;
    sy_run_executed *executed;
    char finished[16];     /* the status it was given; "" = none */
    sy_compared *compared; /* NULL: it was not judged */
    char refusal[256];     /* why not; "" = nobody asked, or it was */
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

/* Holds the run against the accepted sessions of its key. One that cannot be compared at all never looks green. */
static sy_status judge(exec_call *call, sy_error *err)
{
    sy_compare_options options = SY_COMPARE_OPTIONS_INIT;
    sy_error error = SY_ERROR_INIT;
    sy_store *store = NULL;
    sy_status status;

    cli_verdict_store(NULL, &store);
    options.run = call->executed->run;
    options.store = store;
    status = sy_project_compare(call->project, &options, &call->compared, &error);
    sy_store_close(store);
    if (status == SY_OK) {
        int code = cli_verdict_exit(call->compared, call->arguments.strict);

        call->code = call->code == CLI_DONE ? code : call->code;
        call->executed->head = call->compared->head;
    } else if (status == SY_REFUSED) {
        (void)snprintf(call->refusal, sizeof(call->refusal), "%s", error.what);
        call->code = call->code == CLI_DONE ? CLI_COVERAGE : call->code;
        status = SY_OK;
    } else {
        *err = error;
    }
    return status;
}

/* The verdict comes first, then what was run. */
static sy_status save_markdown(const exec_call *call, const sy_report_executed_view *view, sy_error *err)
{
    char *verdict = NULL;
    char *markdown = NULL;
    char *both = NULL;
    sy_status status;

    if (call->arguments.markdown == NULL)
        return SY_OK;
    status = sy_report_executed_markdown(view, &markdown, err);
    if (status == SY_OK && call->compared != NULL)
        status = sy_report_compared_markdown(call->compared, &verdict, err);
    if (status == SY_OK && verdict != NULL) {
        size_t size = strlen(verdict) + strlen(markdown) + 2;

        both = malloc(size);
        if (both == NULL)
            status = cli_fail(err, SY_NO_MEMORY, "no memory for a report");
        else
            (void)snprintf(both, size, "%s\n%s", verdict, markdown);
    }
    if (status == SY_OK)
        status = sy_report_save(both != NULL ? both : markdown, call->arguments.markdown, err);
    free(both);
    sy_text_free(verdict);
    sy_text_free(markdown);
    return status;
}

static const char *word_of(const exec_call *call)
{
    if (call->compared != NULL)
        return sy_judgement_word_text(call->compared->verdict.word);
    return call->refusal[0] != '\0' ? sy_judgement_word_text(SY_JUDGEMENT_NOT_JUDGED) : "";
}

static const char *reason_of(const exec_call *call)
{
    if (call->compared == NULL)
        return call->refusal;
    return sy_run_verdict_decisive(&call->compared->verdict);
}

/* The verdict as text, behind what was run. */
static sy_status print_verdict(const exec_call *call, sy_error *err)
{
    char *text = NULL;
    sy_status status;

    if (call->compared == NULL || call->arguments.common.json)
        return SY_OK;
    status = sy_report_compared(call->compared, &call->style, &text, err);
    if (status == SY_OK) {
        cli_output_write("\n");
        cli_output_write(text);
    }
    sy_text_free(text);
    return status;
}

static sy_status print(exec_call *call, const sy_run *run, sy_error *err)
{
    sy_report_executed_view view = {
        .executed = call->executed,
        .run = run,
        .finished = call->finished,
        .judgement = word_of(call),
        .judgement_reason = reason_of(call),
        .compared = call->compared,
    };
    char *text = NULL;
    sy_status status = call->arguments.common.json ? sy_report_executed_json(&view, &text, err)
                                                   : sy_report_executed(&view, &call->style, &text, err);

    if (status == SY_OK)
        cli_output_write(text);
    sy_text_free(text);
    if (status == SY_OK)
        status = print_verdict(call, err);
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
    if (status == SY_OK && call->arguments.judge && call->executed->status != SY_RUN_FAILED)
        status = judge(call, err);
    if (status == SY_OK)
        status = sy_ledger_run(sy_project_ledger(call->project), call->executed->run, &run, err);
    if (status == SY_OK)
        status = print(call, run, err);
    sy_run_destroy(run);
    return status;
}

int cli_run_exec_call(int argc, char **argv)
{
    exec_call call = {.arguments.log_bytes = (uint64_t)1 << 20, .code = CLI_DONE};
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
    sy_compared_destroy(call.compared);
    sy_run_executed_destroy(call.executed);
    sy_run_started_destroy(call.started);
    sy_project_close(call.project);
    cli_names_finish(&call.arguments.environment);
    cli_names_finish(&call.arguments.imports);
    return code;
}
