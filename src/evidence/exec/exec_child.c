/* SPDX-License-Identifier: Apache-2.0 */
/* The loop beside a running command. It wakes when the command ends and a few times a second besides, not at every
 * line: who is measured should not be disturbed. */
#include "evidence/exec/exec_child.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "evidence/exec/exec_memory.h"

#define NS_PER_MS UINT64_C(1000000)
#define LOOK_MS 50
#define BUSY_MS 1            /* after much was written */
#define MUCH_BYTES 16384     /* a quarter of an ordinary pipe */
#define MOST_READS 64        /* of one pipe before the clock is asked again */
#define PIPE_BYTES (1 << 20) /* wished for: a writer rarely waits */
#define LEAST_LOOKS 6        /* about 30 ms */
#define GRACE_MS 2000        /* between a request to end and the end */
#define DYING_MS 500         /* until who was killed has let go of his descriptors */

typedef struct pipe_pair {
    int read_end;
    int write_end;
} pipe_pair;

/* What the loop works with. */
typedef struct watch {
    const sy_exec_child_options *options;
    sy_exec_child *child;
    sy_process *process;
    int handle;         /* readable when the process has ended; -1 where the kernel has none */
    pipe_pair pipes[3]; /* output, error, lines */
    uint64_t deadline_ns;
    bool no_memory;
} watch;

static void close_end(int *end)
{
    if (*end >= 0)
        (void)close(*end);
    *end = -1;
}

static sy_status open_pipes(watch *w, sy_error *err)
{
    for (int i = 0; i < 3; i++) {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0)
            return sy_fail_errno(err, SY_IO, errno, "cannot make a pipe for a command");
        w->pipes[i] = (pipe_pair){ends[0], ends[1]};
        /* Only our end: the child's must wait like any pipe. */
        if (fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0)
            return sy_fail_errno(err, SY_IO, errno, "cannot prepare a pipe for a command");
        (void)fcntl(ends[0], F_SETPIPE_SZ, PIPE_BYTES);
    }
    return SY_OK;
}

static void take(watch *w, int which, const char *bytes, size_t size)
{
    if (which == 2) {
        w->no_memory = w->no_memory || sy_protocol_feed(w->child->protocol, bytes, size, NULL) != SY_OK;
        return;
    }
    sy_exec_log_add(which == 0 ? &w->child->out : &w->child->error, bytes, size);
    if (w->options->output != NULL)
        w->options->output(w->options->user, which + 1, bytes, size);
}

/* Reads what is there now, but not for ever; returns how much. */
static size_t drain(watch *w, int which)
{
    static const size_t piece = 65536;
    char bytes[65536];
    size_t total = 0;
    int *end = &w->pipes[which].read_end;
    for (int i = 0; i < MOST_READS && *end >= 0; i++) {
        ssize_t got = read(*end, bytes, piece);
        if (got > 0) {
            take(w, which, bytes, (size_t)got);
            total += (size_t)got;
        } else if (got == 0 || errno != EINTR) {
            if (got == 0 || errno != EAGAIN)
                close_end(end);
            break;
        }
    }
    return total;
}

static size_t drain_all(watch *w)
{
    size_t total = 0;
    for (int i = 0; i < 3; i++)
        total += drain(w, i);
    return total;
}

static void look_at_memory(watch *w)
{
    uint32_t processes = 0;
    int64_t id = sy_process_id(w->process);
    uint64_t tree = sy_exec_tree_resident(id, &processes);
    uint64_t peak = sy_exec_peak_resident(id);
    w->child->look_count++;
    if (tree > w->child->tree_peak_bytes) {
        w->child->tree_peak_bytes = tree;
        w->child->tree_processes = processes;
    }
    w->child->peak_bytes = peak > w->child->peak_bytes ? peak : w->child->peak_bytes;
}

static void pause_a_while(watch *w, int ms)
{
    const sy_clock *clock = w->options->clock;
    bool is_system = clock->now_ns == sy_clock_system.now_ns;
    struct pollfd ended = {.fd = w->handle, .events = POLLIN};
    int slice = !is_system ? 1 : w->handle < 0 && ms > 5 ? 5 : ms;
    if (poll(&ended, 1, slice) == 0 && !is_system)
        clock->sleep_ns(clock, NS_PER_MS);
}

/* Asks the group to end, and ends it if it does not listen. */
static void end_child(watch *w, sy_exec_child_end why)
{
    w->child->end = why;
    if (sy_process_poll(w->process, NULL) != SY_PROCESS_RUNNING)
        return;
    (void)kill((pid_t)-sy_process_id(w->process), SIGTERM);
    for (int i = 0; i < GRACE_MS && sy_process_poll(w->process, NULL) == SY_PROCESS_RUNNING; i += 10) {
        struct pollfd ended = {.fd = w->handle, .events = POLLIN};
        (void)poll(&ended, 1, 10);
        (void)drain_all(w);
    }
    sy_process_kill(w->process);
}

static bool must_end(watch *w, sy_exec_child_end *ret_why)
{
    const sy_exec_child_options *options = w->options;
    if (options->cancelled != NULL && options->cancelled(options->user))
        *ret_why = SY_EXEC_CHILD_CANCELLED;
    else if (w->deadline_ns != 0 && sy_clock_now(options->clock) >= w->deadline_ns)
        *ret_why = SY_EXEC_CHILD_TIMED_OUT;
    else if (w->no_memory || sy_protocol_is_flooded(w->child->protocol))
        *ret_why = SY_EXEC_CHILD_FLOODED;
    else
        return false;
    return true;
}

static void watch_it(watch *w)
{
    sy_exec_child_end why = SY_EXEC_CHILD_ENDED;
    int ms = 1;
    /* A process that left the group may hold a pipe open for ever: the command's end counts, not the pipes'. */
    while (sy_process_poll(w->process, &w->child->report) == SY_PROCESS_RUNNING) {
        if (must_end(w, &why)) {
            end_child(w, why);
            break;
        }
        look_at_memory(w);
        if (w->options->tick != NULL)
            w->options->tick(w->options->tick_user);
        pause_a_while(w, ms);
        /* Short at first: a short command is seen at least once or twice. */
        ms = drain_all(w) >= MUCH_BYTES ? BUSY_MS : 2 * ms < LOOK_MS ? 2 * ms : LOOK_MS;
    }
    (void)sy_process_poll(w->process, &w->child->report);
    /* What is still in the pipes, and no more: somebody else may go on writing. */
    (void)drain_all(w);
}

/* Its group has been killed: who writes still has left it. Nothing is read any more. */
static bool is_held_open(const watch *w)
{
    bool held = true;
    for (int waited = 0; held && waited <= DYING_MS; waited += 10) {
        held = false;
        for (int i = 0; i < 3; i++) {
            struct pollfd end = {.fd = w->pipes[i].read_end};
            held = held || (end.fd >= 0 && (poll(&end, 1, 0) == 0 || (end.revents & POLLHUP) == 0));
        }
        if (held)
            (void)poll(NULL, 0, 10);
    }
    return held;
}

static sy_status start(watch *w, sy_error *err)
{
    const sy_exec_child_options *options = w->options;
    sy_process_options process = SY_PROCESS_OPTIONS_INIT;
    process.argv = options->argv;
    process.environment = options->environment;
    process.directory = options->directory;
    process.standard_output = w->pipes[0].write_end;
    process.standard_error = w->pipes[1].write_end;
    process.inherited = &w->pipes[2].write_end;
    process.inherited_count = 1;
    sy_status status = sy_process_start(&process, &w->process, err);
    for (int i = 0; i < 3; i++)
        close_end(&w->pipes[i].write_end);
    if (status == SY_OK)
        w->handle = (int)syscall(SYS_pidfd_open, (pid_t)sy_process_id(w->process), 0);
    return status;
}

/* Linux carries the figure of the process that forked over exec: what is not above that says nothing. Then the looks
 * count, unless the command was over before it was looked at in earnest. */
static void take_peak(sy_exec_child *child, uint64_t carried_bytes)
{
    uint64_t told = child->report.peak_memory_bytes;
    if (told <= carried_bytes && child->look_count < LEAST_LOOKS) {
        child->peak_bytes = 0;
        child->tree_peak_bytes = 0;
        return;
    }
    if (told > carried_bytes && told > child->peak_bytes)
        child->peak_bytes = told;
    if (child->peak_bytes > child->tree_peak_bytes) {
        child->tree_peak_bytes = child->peak_bytes;
        child->tree_processes = child->tree_processes == 0 ? 1 : child->tree_processes;
    }
}

static uint64_t own_peak(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss * 1024 : UINT64_MAX;
}

sy_status sy_exec_child_run(const sy_exec_child_options *options, sy_exec_child *child, sy_error *err)
{
    watch w = {.options = options, .child = child, .handle = -1, .pipes = {{-1, -1}, {-1, -1}, {-1, -1}}};
    memset(child, 0, sizeof(*child));
    child->out.limit = options->log_limit;
    child->error.limit = options->log_limit;
    child->swap_bytes = NAN;
    child->pressure_share = NAN;
    child->account.limit = "";
    child->protocol = sy_protocol_create(options->limits);
    if (child->protocol == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for a command");
    uint64_t carried_bytes = own_peak();
    sy_status status = open_pipes(&w, err);
    sy_exec_pressure before = sy_exec_pressure_now("", options->clock);
    uint64_t start_ns = sy_clock_now(options->clock);
    w.deadline_ns = options->timeout_ns == 0 ? 0 : start_ns + options->timeout_ns;
    if (status == SY_OK)
        status = start(&w, err);
    if (status != SY_OK)
        goto out;
    watch_it(&w);
    child->wall_ns = sy_clock_now(options->clock) - start_ns;
    sy_exec_pressure after = sy_exec_pressure_now("", options->clock);
    child->swap_bytes = sy_exec_swap_between(&before, &after);
    child->pressure_share = sy_exec_pressure_between(&before, &after);
    take_peak(child, carried_bytes);
    child->left_behind = is_held_open(&w);
    status = sy_protocol_finish(child->protocol, &child->account, err);
out:
    sy_process_destroy(w.process);
    close_end(&w.handle);
    for (int i = 0; i < 3; i++) {
        close_end(&w.pipes[i].read_end);
        close_end(&w.pipes[i].write_end);
    }
    return status;
}

void sy_exec_child_finish(sy_exec_child *child)
{
    sy_exec_log_finish(&child->out);
    sy_exec_log_finish(&child->error);
    sy_protocol_destroy(child->protocol);
    child->protocol = NULL;
}
