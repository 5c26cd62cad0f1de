/* SPDX-License-Identifier: Apache-2.0 */
/* The options of steelyard run exec, and what its help says. */
#include "command_run_exec.h"

#define COMMAND_GROUP "The command"
#define CONTROL_GROUP "The control arm"
#define STEP_GROUP "From start to end in one step"

static const cli_option options[] = {
    {.name = "timeout",
     .argument = "SECONDS",
     .standard = "none",
     .kind = CLI_SECONDS,
     .group = COMMAND_GROUP,
     .help = "a command that takes longer is ended, and the run has failed; of smoke and measure each",
     CLI_INTO(exec_arguments, timeout_ns)},
    {.name = "env",
     .argument = "NAME[=VALUE]",
     .kind = CLI_TEXTS,
     .group = COMMAND_GROUP,
     .help = "a variable that the command sees besides PATH, HOME, the language's, and those by which numerical "
             "libraries choose kernels; may be given again",
     CLI_INTO(exec_arguments, environment)},
    {.name = "directory",
     .argument = "FOLDER",
     .standard = "here; of a runbook's command the project",
     .kind = CLI_TEXT,
     .group = COMMAND_GROUP,
     .completion = CLI_COMPLETE_FILES,
     .help = "to run it in",
     CLI_INTO(exec_arguments, directory)},
    {.name = "shell",
     .kind = CLI_FLAG,
     .group = COMMAND_GROUP,
     .help = "give the runbook's line, or the one word behind --, to sh -c",
     CLI_INTO(exec_arguments, shell)},
    {.name = "import",
     .argument = "FORMAT:FILE",
     .kind = CLI_TEXTS,
     .group = COMMAND_GROUP,
     .help = "what the command leaves in a file becomes series: google-benchmark, hyperfine, ... or auto",
     CLI_INTO(exec_arguments, imports)},
    {.name = "no-smoke",
     .kind = CLI_FLAG,
     .group = COMMAND_GROUP,
     .help = "run no smoke command; refused where the gate has one",
     CLI_INTO(exec_arguments, no_smoke)},
    {.name = "wait",
     .argument = "SECONDS",
     .standard = "0",
     .kind = CLI_SECONDS,
     .group = COMMAND_GROUP,
     .help = "how long to wait for a device that another run owns",
     CLI_INTO(exec_arguments, wait_ns)},
    {.name = "show-output",
     .kind = CLI_FLAG,
     .group = COMMAND_GROUP,
     .help = "show on stderr what the command writes; it is kept in any case",
     CLI_INTO(exec_arguments, show_output)},
    {.name = "log-limit",
     .argument = "BYTES",
     .standard = "1MiB",
     .kind = CLI_BYTES,
     .group = COMMAND_GROUP,
     .help = "the most that is kept of each stream: half of its beginning, half of its end",
     CLI_INTO(exec_arguments, log_bytes)},
    {.name = "control",
     .argument = "COMMAND",
     .standard = "none",
     .kind = CLI_TEXT,
     .group = CONTROL_GROUP,
     .help = "the accepted revision: run under the same lease, before or behind the command as a coin says; one text, "
             "split as a runbook's line is",
     CLI_INTO(exec_arguments, control)},
    {.name = "control-directory",
     .argument = "FOLDER",
     .standard = "that of the command",
     .kind = CLI_TEXT,
     .group = CONTROL_GROUP,
     .completion = CLI_COMPLETE_FILES,
     .help = "to run the control in, as a working tree of the accepted revision; without --control it is the command "
             "itself that is run there",
     CLI_INTO(exec_arguments, control_directory)},
    {.name = "gate",
     .argument = "ID",
     .standard = "none",
     .kind = CLI_TEXT,
     .group = STEP_GROUP,
     .help = "start a run of this gate, execute and finish it",
     CLI_INTO(exec_arguments, gate)},
    {.name = "question",
     .argument = "TEXT",
     .standard = "the gate's",
     .kind = CLI_TEXT,
     .group = STEP_GROUP,
     .help = "what it is to answer",
     CLI_INTO(exec_arguments, question)},
    {.name = "conclusion",
     .argument = "TEXT",
     .standard = "none",
     .kind = CLI_TEXT,
     .group = STEP_GROUP,
     .help = "what was learnt",
     CLI_INTO(exec_arguments, conclusion)},
    {.name = "judge",
     .kind = CLI_FLAG,
     .group = STEP_GROUP,
     .help =
         "judge it, as steelyard compare does, against the accepted sessions of its comparison key: exit codes 0, 5, 7 "
         "and 1 by the verdict",
     CLI_INTO(exec_arguments, judge)},
    {.name = "strict",
     .kind = CLI_FLAG,
     .group = STEP_GROUP,
     .help = "without a baseline the exit code is 6, not 0",
     CLI_INTO(exec_arguments, strict)},
    {.name = "markdown",
     .argument = "FILE",
     .standard = "none",
     .kind = CLI_TEXT,
     .group = "Output",
     .completion = CLI_COMPLETE_FILES,
     .help = "write what became of it as Markdown, for a comment or a page of a CI service",
     CLI_INTO(exec_arguments, markdown)},
    CLI_PROJECT_OPTIONS(exec_arguments, project),
    CLI_JSON_OPTION,
};

static const char *const paragraphs[] = {
    "Takes the lease of the run's device, runs the smoke command of its gate, and ends the run as failed if that "
    "violates "
    "parity, memory or ownership; then runs the command: the words behind --, without a shell, or that of the gate's "
    "runbook. Everything is recorded: what it said, wrote and took, how long it ran, and whether the lease was held "
    "throughout. The run stays running until steelyard run finish; a command that fails ends it.",
    "The command tells what it measured by lines that it writes to the descriptor whose number is in STEELYARD_RUN_FD:",
    "sample NAME VALUE UNIT [better=higher|lower] [case=TEXT] [implementation=TEXT] [warmup]; "
    "parity passed|failed|incomplete|not-performed [case=TEXT] [reason=TEXT] [error=NUMBER]; digest ROLE SHA256; "
    "memory NAME BYTES basis=BASIS scope=SCOPE; artifact ROLE PATH; note TEXT.",
    "With a control arm the accepted revision is measured beside the command, so that a slower machine is not taken "
    "for "
    "a slower program. Its samples count only if it ended well, its parity passed and the lease was held; whatever is "
    "wrong with it is a remark and spoils nothing.",
    "steelyard probe and steelyard measure speak so by themselves inside of a run.",
    NULL};

static const char *const examples[] = {
    "steelyard run exec last",
    "the runbook's smoke command, then its command",
    "steelyard run exec last --env BATCH=8 -- ./bench --fast",
    "a command of your own",
    "steelyard run exec last --import google-benchmark:out.json -- ./bench --benchmark_out=out.json",
    "samples from the file that a benchmark library writes",
    "steelyard run exec --gate matmul.cpu.square-512.session --judge --markdown run.md",
    "one step for a CI service",
    "steelyard run exec --gate matmul.cpu.square-512.session --control-directory ../accepted --judge",
    "the same with a control arm: the command is run in a working tree of the accepted revision, too",
    NULL};

const cli_command cli_run_exec = {
    .name = "run exec",
    .summary = "run the command of a run under the lease of its device",
    .usage = "RUN|--gate ID [option...] [-- COMMAND...]",
    .paragraphs = paragraphs,
    .examples = examples,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = cli_run_exec_call,
};
