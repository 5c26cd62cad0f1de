/* SPDX-License-Identifier: Apache-2.0 */
/* The caller's side of one run: the plan written, the launcher started and watched, its report read. What the launcher
 * does is command_launcher.c. */
#include "backends/command/command_run.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/command/command_launch.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/process.h"
#include "base/text.h"

#define LOOK_MS 50                       /* between two looks at limits and the caller's wish */
#define PATIENCE_NS UINT64_C(6000000000) /* the launcher's own patience with those who will not die is shorter */

typedef struct running {
    const sy_command_run_options *options;
    int plan;
    int report[2];
    int master; /* of the terminal; -1 */
    int slave;
    sy_process *launcher;
    uint64_t end_ns; /* the earlier of time-out and deadline; 0 = none */
    sy_command_end why;
    bool interrupted;
    bool asked; /* to end */
} running;

static void close_descriptor(int *descriptor)
{
    if (*descriptor >= 0)
        close(*descriptor);
    *descriptor = -1;
}

static size_t count_texts(const char *const *texts)
{
    size_t count = 0;
    while (texts[count])
        count++;
    return count;
}

static void append_text(sy_text *text, const char *more)
{
    sy_text_append_bytes(text, more, strlen(more) + 1);
}

/* The plan in a file of memory that the launcher inherits: whatever the arguments hold, no command line carries them.
 */
static sy_status write_plan(running *r, const char *path, sy_error *err)
{
    const sy_command_run_options *options = r->options;
    const char *const *environment = options->environment ? options->environment : (const char *const *)environ;
    size_t arguments = count_texts(options->argv);
    size_t variables = count_texts(environment);
    sy_text text = SY_TEXT_INIT;
    append_text(&text, path);
    append_text(&text, options->directory ? options->directory : "");
    for (size_t i = 0; i < arguments; i++)
        append_text(&text, options->argv[i]);
    for (size_t i = 0; i < variables; i++)
        append_text(&text, environment[i]);
    sy_launch_plan plan = {SY_LAUNCH_MAGIC, (uint32_t)arguments, (uint32_t)variables, options->terminal, text.length};
    sy_status status = text.failed || arguments > UINT32_MAX || variables > UINT32_MAX
                           ? sy_fail(err, SY_NO_MEMORY, "no memory to start '%s'", options->argv[0])
                           : SY_OK;
    if (!status && (r->plan = memfd_create("steelyard-plan", MFD_CLOEXEC)) < 0)
        status = sy_fail_errno(err, SY_IO, errno, "cannot make a plan to start '%s'", options->argv[0]);
    if (!status)
        status = sy_file_write_descriptor(r->plan, &plan, sizeof(plan), err);
    if (!status)
        status = sy_file_write_descriptor(r->plan, text.bytes, text.length, err);
    sy_text_finish(&text);
    return status;
}

static sy_status start_launcher(running *r, sy_error *err)
{
    const sy_command_run_options *options = r->options;
    const char *const argv[] = {options->launcher_path, "launcher", NULL};
    const int inherited[] = {r->report[1], r->plan};
    sy_process_options process = SY_PROCESS_OPTIONS_INIT;
    process.argv = argv;
    process.standard_input = options->standard_input < 0 && options->terminal ? r->slave : options->standard_input;
    process.standard_output = options->terminal ? r->slave : options->standard_output;
    process.standard_error = options->terminal ? r->slave : options->standard_error;
    process.inherited = inherited;
    process.inherited_count = 2;
    sy_status status = sy_process_start(&process, &r->launcher, err);
    if (status)
        sy_error_prefix(err, "the launcher");
    return status;
}

/* What the program wrote on its terminal, to where its output goes. Without it a full terminal would stop the program.
 */
static void drain_terminal(const running *r)
{
    char bytes[16384];
    ssize_t got;
    while (r->master >= 0 && ((got = read(r->master, bytes, sizeof(bytes))) > 0 || (got < 0 && errno == EINTR))) {
        if (got > 0 && r->options->standard_output >= 0 &&
            sy_file_write_descriptor(r->options->standard_output, bytes, (size_t)got, NULL) != SY_OK)
            return; /* the disk is full: who compares will see it */
    }
}

static bool wrote_too_much(const running *r)
{
    const int lent[] = {r->options->standard_output, r->options->standard_error};
    for (size_t i = 0; r->options->output_limit_bytes > 0 && i < 2; i++) {
        struct stat info;
        if (lent[i] >= 0 && fstat(lent[i], &info) == 0 && S_ISREG(info.st_mode) &&
            (uint64_t)info.st_size > r->options->output_limit_bytes)
            return true;
    }
    return false;
}

/* Whether the program must end now, and why. */
static bool must_end(running *r)
{
    if (r->options->cancelled && r->options->cancelled(r->options->user))
        r->interrupted = true;
    else if (r->end_ns != 0 && sy_clock_now(&sy_clock_system) >= r->end_ns)
        r->why = SY_COMMAND_TIMED_OUT;
    else if (wrote_too_much(r))
        r->why = SY_COMMAND_WROTE_TOO_MUCH;
    else
        return false;
    return true;
}

static int slice_ms(const running *r)
{
    uint64_t now_ns = sy_clock_now(&sy_clock_system);
    if (r->end_ns == 0 && !r->options->cancelled && r->options->output_limit_bytes == 0)
        return -1;
    if (r->end_ns == 0 || r->end_ns > now_ns + LOOK_MS * UINT64_C(1000000))
        return LOOK_MS;
    return r->end_ns <= now_ns ? 0 : (int)((r->end_ns - now_ns) / 1000000) + 1;
}

/* Until the report is there or the launcher is gone. A program that must end is ended by the launcher; a launcher that
 * does not manage is killed. */
static void watch(running *r)
{
    uint64_t give_up_ns = 0;
    for (;;) {
        struct pollfd news[2] = {{.fd = r->report[0], .events = POLLIN}, {.fd = r->master, .events = POLLIN}};
        int slice = give_up_ns ? LOOK_MS : slice_ms(r);
        (void)poll(news, 2, slice);
        drain_terminal(r);
        if (news[1].revents & (POLLHUP | POLLERR) && !(news[0].revents)) {
            struct pollfd report = news[0];
            (void)poll(&report, 1, slice < 0 || slice > LOOK_MS ? LOOK_MS : slice); /* a terminal that nobody holds */
            news[0].revents = report.revents;
        }
        if (news[0].revents)
            return;
        if (give_up_ns == 0 && must_end(r))
            give_up_ns = sy_clock_now(&sy_clock_system) + PATIENCE_NS;
        if (give_up_ns != 0 && sy_clock_now(&sy_clock_system) >= give_up_ns) {
            sy_process_kill(r->launcher);
            return;
        }
        r->asked = r->asked || give_up_ns != 0;
        if (r->asked)
            kill((pid_t)sy_process_id(r->launcher), SIGTERM);
    }
}

static sy_status read_report(running *r, sy_launch_report *report, sy_error *err)
{
    ssize_t got;
    do {
        got = read(r->report[0], report, sizeof(*report));
    } while (got < 0 && errno == EINTR);
    if (got == (ssize_t)sizeof(*report) && report->magic == SY_LAUNCH_MAGIC)
        return SY_OK;
    if (r->asked) { /* the word came before the launcher could hear, or it was killed for its slowness */
        *report = (sy_launch_report){.magic = SY_LAUNCH_MAGIC, .stage = SY_LAUNCH_STARTED, .was_ended = 1};
        return SY_OK;
    }
    sy_process_report end;
    char text[64] = "ended";
    if (sy_process_wait(r->launcher, &sy_clock_system, 0, &end, NULL) == SY_OK)
        sy_process_describe_end(&end, text, sizeof(text));
    (void)sy_fail(err, SY_DIED, "the launcher of '%s' %s", r->options->argv[0], text);
    sy_error_hint(err, "'%s launcher' must call sy_launcher_main of this version", r->options->launcher_path);
    return SY_DIED;
}

static sy_status explain_start(const running *r, const char *path, const sy_launch_report *report, sy_error *err)
{
    const char *program = r->options->argv[0];
    sy_status status = report->error == ENOENT || report->error == ENOTDIR ? SY_NOT_FOUND : SY_IO;
    switch ((sy_launch_stage)report->stage) {
    case SY_LAUNCH_DIRECTORY:
        return sy_fail_errno(err, status, report->error, "cannot start '%s' in '%s'", program, r->options->directory);
    case SY_LAUNCH_SESSION:
        return sy_fail_errno(err, SY_IO, report->error, "cannot make a session for '%s'", program);
    case SY_LAUNCH_FORK:
        return sy_fail_errno(err, SY_IO, report->error, "cannot fork to start '%s'", program);
    case SY_LAUNCH_PLAN:
        return sy_fail(err, SY_DIED, "the launcher could not read what to start");
    default:
        break;
    }
    (void)sy_fail_errno(err, status, report->error, "cannot start '%s'", program);
    if (report->error == ENOENT && access(path, F_OK) == 0)
        sy_error_hint(err, "the file is there: the interpreter or loader that it names is not");
    else if (report->error == ENOEXEC)
        sy_error_hint(err, "a script needs a first line such as #!/bin/sh");
    return status;
}

static sy_status conclude(const running *r, const char *path, const sy_launch_report *report,
                          sy_command_outcome *ret_outcome, sy_error *err)
{
    if (report->stage != SY_LAUNCH_STARTED)
        return explain_start(r, path, report, err);
    if (r->interrupted)
        return sy_fail(err, SY_INTERRUPTED, "stopped by request");
    bool signalled = WIFSIGNALED(report->wait_status);
    *ret_outcome = (sy_command_outcome){
        .end = report->was_ended ? r->why
               : signalled       ? SY_COMMAND_SIGNALLED
                                 : SY_COMMAND_EXITED,
        .code = signalled ? WTERMSIG(report->wait_status) : WEXITSTATUS(report->wait_status),
        .wall_ns = report->wall_ns,
        .user_ns = report->user_ns,
        .system_ns = report->system_ns,
        .peak_memory_bytes = report->peak_memory_bytes,
        .involuntary_switches = report->involuntary_switches,
        .major_faults = report->major_faults,
        .outlived = report->outlived,
    };
    return SY_OK;
}

/* The earlier of time-out and deadline; 0 = none. */
static uint64_t end_of(const sy_command_run_options *options, uint64_t now_ns)
{
    uint64_t timeout_ns = options->timeout_ns;
    uint64_t end_ns = timeout_ns == 0 || timeout_ns > UINT64_MAX - now_ns ? 0 : now_ns + timeout_ns;
    return end_ns == 0 || (options->deadline_ns != 0 && options->deadline_ns < end_ns) ? options->deadline_ns : end_ns;
}

static sy_status run(running *r, const char *path, sy_command_outcome *ret_outcome, sy_error *err)
{
    const sy_command_run_options *options = r->options;
    sy_launch_report report = {0};
    sy_status status = write_plan(r, path, err);
    if (!status && pipe2(r->report, O_CLOEXEC) != 0)
        status = sy_fail_errno(err, SY_IO, errno, "cannot make a pipe to start '%s'", options->argv[0]);
    if (!status && options->terminal)
        status = sy_process_open_terminal(&r->master, &r->slave, err);
    if (!status)
        status = start_launcher(r, err);
    if (status)
        return status;
    close_descriptor(&r->report[1]);
    close_descriptor(&r->slave);
    r->end_ns = end_of(options, sy_clock_now(&sy_clock_system));
    watch(r);
    drain_terminal(r);
    status = read_report(r, &report, err);
    return status ? status : conclude(r, path, &report, ret_outcome, err);
}

sy_status sy_command_run(const sy_command_run_options *options, sy_command_outcome *ret_outcome, sy_error *err)
{
    char *found = NULL;
    running r = {.options = options, .plan = -1, .report = {-1, -1}, .master = -1, .slave = -1};
    if (!options->argv || !options->argv[0] || !options->argv[0][0])
        return sy_fail(err, SY_INVALID_ARGUMENT, "no program to start");
    if (!options->launcher_path)
        return sy_fail(err, SY_INVALID_ARGUMENT, "no launcher to start '%s' by", options->argv[0]);
    sy_status status = options->path
                           ? SY_OK
                           : sy_command_find(options->argv[0], options->environment, options->directory, &found, err);
    if (!status)
        status = run(&r, options->path ? options->path : found, ret_outcome, err);
    sy_process_destroy(r.launcher);
    close_descriptor(&r.plan);
    close_descriptor(&r.report[0]);
    close_descriptor(&r.report[1]);
    close_descriptor(&r.master);
    close_descriptor(&r.slave);
    sy_free(found);
    return status;
}

void sy_command_describe_outcome(const sy_command_outcome *outcome, uint64_t timeout_ns, char *to, size_t size)
{
    const char *name = outcome->end == SY_COMMAND_SIGNALLED ? sigabbrev_np(outcome->code) : NULL;
    switch (outcome->end) {
    case SY_COMMAND_EXITED:
        (void)snprintf(to, size, "exited %d", outcome->code);
        return;
    case SY_COMMAND_SIGNALLED:
        (void)snprintf(to, size, name ? "signal %d (SIG%s)" : "signal %d", outcome->code, name);
        return;
    case SY_COMMAND_TIMED_OUT:
        if (timeout_ns > 0)
            (void)snprintf(to, size, "timed out after %.4g s", (double)timeout_ns * 1e-9);
        else
            (void)snprintf(to, size, "ran into the deadline");
        return;
    case SY_COMMAND_WROTE_TOO_MUCH:
        (void)snprintf(to, size, "wrote too much");
        return;
    }
}
