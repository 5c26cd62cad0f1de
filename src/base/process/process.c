/* SPDX-License-Identifier: Apache-2.0 */
/* A child after its start: waited for, looked at, suspended, resumed, killed, reaped with its account. */
#include "base/process.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/process/process_inside.h"

#define NS_PER_MS UINT64_C(1000000)
#define LOOK_AGAIN_MS 5        /* without a handle that poll could wait for */
#define LONGEST_SLICE_MS 60000 /* poll and the caller's clock may run apart a little */

int64_t sy_process_id(const sy_process *process)
{
    return process->id;
}

static void signal_all(const sy_process *process, int number)
{
    kill(process->own_group ? -process->id : process->id, number);
}

static uint64_t ns_of(struct timeval time)
{
    return (uint64_t)time.tv_sec * 1000 * NS_PER_MS + (uint64_t)time.tv_usec * 1000;
}

/* Takes the ended child's account. Until then its number cannot be given to another process, so this is the moment to
 * kill what is left of its group. */
static void reap(sy_process *process)
{
    if (process->own_group) {
        signal_all(process, SIGKILL);
    }
    int status = 0;
    struct rusage usage;
    memset(&usage, 0, sizeof usage);
    while (wait4(process->id, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    process->reaped = true;
    process->report = (sy_process_report){
        .end = WIFSIGNALED(status) ? SY_PROCESS_SIGNALLED : SY_PROCESS_EXITED,
        .code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
        .user_ns = ns_of(usage.ru_utime),
        .system_ns = ns_of(usage.ru_stime),
        .peak_memory_bytes = (uint64_t)usage.ru_maxrss * 1024,
    };
}

sy_process_end sy_process_poll(sy_process *process, sy_process_report *ret_report)
{
    if (!process->reaped) {
        siginfo_t info;
        info.si_pid = 0;
        int returned;
        do {
            returned = waitid(P_PID, (id_t)process->id, &info, WEXITED | WNOHANG | WNOWAIT);
        } while (returned < 0 && errno == EINTR);
        if (returned == 0 && info.si_pid == 0) {
            return SY_PROCESS_RUNNING;
        }
        reap(process);
    }
    if (ret_report != NULL) {
        *ret_report = process->report;
    }
    return process->report.end;
}

int sy_process_slice_ms(const sy_clock *clock, uint64_t deadline_ns, int handle)
{
    if (clock->now_ns != sy_clock_system.now_ns && deadline_ns != 0) {
        return 1;
    }
    int longest = handle < 0 ? LOOK_AGAIN_MS : LONGEST_SLICE_MS;
    if (deadline_ns == 0) {
        return handle < 0 ? longest : -1;
    }
    uint64_t now_ns = sy_clock_now(clock);
    uint64_t left_ms = now_ns >= deadline_ns ? 0 : (deadline_ns - now_ns + NS_PER_MS - 1) / NS_PER_MS;
    return left_ms < (uint64_t)longest ? (int)left_ms : longest;
}

void sy_process_pass_slice(const sy_clock *clock)
{
    if (clock->now_ns != sy_clock_system.now_ns) {
        clock->sleep_ns(clock, NS_PER_MS);
    }
}

sy_status sy_process_wait(sy_process *process, const sy_clock *clock, uint64_t deadline_ns,
                          sy_process_report *ret_report, sy_error *err)
{
    sy_process_report report;
    while (sy_process_poll(process, &report) == SY_PROCESS_RUNNING) {
        if (deadline_ns != 0 && sy_clock_now(clock) >= deadline_ns) {
            return sy_fail(err, SY_TIMED_OUT, "process %lld still runs at its deadline", (long long)process->id);
        }
        struct pollfd ended = {.fd = process->handle, .events = POLLIN};
        if (poll(&ended, 1, sy_process_slice_ms(clock, deadline_ns, process->handle)) == 0) {
            sy_process_pass_slice(clock);
        }
    }
    if (ret_report != NULL) {
        *ret_report = report;
    }
    return SY_OK;
}

static sy_status ended(const sy_process *process, sy_error *err)
{
    char end[64];
    sy_process_describe_end(&process->report, end, sizeof end);
    return sy_fail(err, SY_DIED, "process %lld %s", (long long)process->id, end);
}

sy_status sy_process_suspend(sy_process *process, sy_error *err)
{
    if (sy_process_poll(process, NULL) != SY_PROCESS_RUNNING) {
        return ended(process, err);
    }
    if (process->suspended) {
        return SY_OK;
    }
    signal_all(process, SIGSTOP);
    uint64_t deadline_ns = sy_clock_now(&sy_clock_system) + 1000 * NS_PER_MS;
    for (uint64_t step_ns = 20000; sy_clock_now(&sy_clock_system) < deadline_ns;) {
        siginfo_t info;
        info.si_pid = 0;
        if (waitid(P_PID, (id_t)process->id, &info, WSTOPPED | WNOHANG) == 0 && info.si_pid == process->id) {
            process->suspended = true;
            return SY_OK;
        }
        if (sy_process_poll(process, NULL) != SY_PROCESS_RUNNING) {
            return ended(process, err);
        }
        sy_clock_system.sleep_ns(&sy_clock_system, step_ns);
        step_ns = step_ns < NS_PER_MS ? 2 * step_ns : step_ns;
    }
    /* It hangs in the kernel. The signal stays pending, so it is taken back. */
    signal_all(process, SIGCONT);
    return sy_fail(err, SY_TIMED_OUT, "process %lld did not stop within a second", (long long)process->id);
}

sy_status sy_process_resume(sy_process *process, sy_error *err)
{
    if (sy_process_poll(process, NULL) != SY_PROCESS_RUNNING) {
        return ended(process, err);
    }
    signal_all(process, SIGCONT);
    process->suspended = false;
    /* The kernel's note of it is taken away, that the next look finds only news. */
    siginfo_t info;
    (void)waitid(P_PID, (id_t)process->id, &info, WCONTINUED | WNOHANG);
    return SY_OK;
}

void sy_process_kill(sy_process *process)
{
    if (!process->reaped) {
        signal_all(process, SIGKILL);
        reap(process);
    }
}

void sy_process_destroy(sy_process *process)
{
    if (process != NULL) {
        sy_process_kill(process);
        if (process->handle >= 0) {
            close(process->handle);
        }
        sy_free(process);
    }
}

void sy_process_describe_end(const sy_process_report *report, char *to, size_t size)
{
    if (report->end == SY_PROCESS_RUNNING) {
        snprintf(to, size, "still running");
    } else if (report->end == SY_PROCESS_EXITED) {
        snprintf(to, size, "exited with %d", report->code);
    } else {
        const char *name = sigabbrev_np(report->code);
        if (name == NULL) {
            snprintf(to, size, "died: signal %d", report->code);
        } else {
            snprintf(to, size, "died: signal %d (SIG%s)", report->code, name);
        }
    }
}
