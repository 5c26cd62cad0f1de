/* SPDX-License-Identifier: Apache-2.0 */
/* A child run to its end with both outputs collected: neither pipe can fill up and stop it. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "base/error.h"
#include "base/process/process_inside.h"

/* One output on its way into a text. */
typedef struct stream {
    int read_end; /* -1: at its end, or not asked for */
    int write_end;
    sy_text *text;
    size_t left; /* of the limit */
    bool cut;
    bool no_memory;
} stream;

#define MOST_READS 128

static sy_status open_stream(stream *s, sy_text *text, size_t limit_bytes, sy_error *err)
{
    s->text = text;
    s->left = limit_bytes;
    if (text == NULL) {
        return SY_OK;
    }
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return sy_fail_errno(err, SY_IO, errno, "cannot make a pipe for a program's output");
    }
    s->read_end = ends[0];
    s->write_end = ends[1];
    /* Only our end: the child's must wait like any pipe. */
    if (fcntl(s->read_end, F_SETFL, O_NONBLOCK) != 0) {
        return sy_fail_errno(err, SY_IO, errno, "cannot prepare a pipe for a program's output");
    }
    return SY_OK;
}

static void close_end(int *end)
{
    if (*end >= 0) {
        close(*end);
        *end = -1;
    }
}

/* Takes what is there now, but no more than two full pipes: a quick writer must not keep us from the clock. */
static void drain(stream *s)
{
    for (int i = 0; i < MOST_READS && s->read_end >= 0; i++) {
        char bytes[16384];
        ssize_t got = read(s->read_end, bytes, sizeof bytes);
        if (got > 0) {
            size_t kept = (size_t)got < s->left ? (size_t)got : s->left;
            sy_text_append_bytes(s->text, bytes, kept);
            s->no_memory = s->no_memory || (s->text->failed && !s->cut);
            s->left -= kept;
            s->cut = s->cut || kept < (size_t)got;
            s->text->failed = s->text->failed || s->cut;
        } else if (got == 0 || errno != EINTR) {
            if (got == 0 || errno != EAGAIN) {
                close_end(&s->read_end);
            }
            return;
        }
    }
}

static sy_status collect(sy_process *process, const sy_clock *clock, uint64_t deadline_ns, stream streams[2],
                         sy_error *err)
{
    /* A grandchild that left the group may hold a pipe open for ever: the child's end counts, not the pipe's. */
    while (sy_process_poll(process, NULL) == SY_PROCESS_RUNNING) {
        if (deadline_ns != 0 && sy_clock_now(clock) >= deadline_ns) {
            sy_process_kill(process);
            drain(&streams[0]);
            drain(&streams[1]);
            return sy_fail(err, SY_TIMED_OUT, "process %lld still ran at its deadline and was killed",
                           (long long)process->id);
        }
        struct pollfd news[3] = {{.fd = streams[0].read_end, .events = POLLIN},
                                 {.fd = streams[1].read_end, .events = POLLIN},
                                 {.fd = process->handle, .events = POLLIN}};
        if (poll(news, 3, sy_process_slice_ms(clock, deadline_ns, process->handle)) == 0) {
            sy_process_pass_slice(clock);
        }
        drain(&streams[0]);
        drain(&streams[1]);
    }
    drain(&streams[0]);
    drain(&streams[1]);
    return SY_OK;
}

sy_status sy_process_run(const sy_process_options *options, const sy_clock *clock, uint64_t deadline_ns,
                         size_t limit_bytes, sy_text *out_text, sy_text *err_text, sy_process_report *ret_report,
                         sy_error *err)
{
    stream streams[2] = {{.read_end = -1, .write_end = -1}, {.read_end = -1, .write_end = -1}};
    sy_process *process = NULL;
    sy_status status = open_stream(&streams[0], out_text, limit_bytes, err);
    if (status == SY_OK) {
        status = open_stream(&streams[1], err_text, limit_bytes, err);
    }
    if (status != SY_OK) {
        goto out;
    }
    sy_process_options piped = *options;
    piped.standard_output = streams[0].write_end;
    piped.standard_error = streams[1].write_end;
    status = sy_process_start(&piped, &process, err);
    if (status != SY_OK) {
        goto out;
    }
    close_end(&streams[0].write_end);
    close_end(&streams[1].write_end);
    status = collect(process, clock, deadline_ns, streams, err);
    if (status == SY_OK && (streams[0].no_memory || streams[1].no_memory)) {
        status = sy_fail(err, SY_NO_MEMORY, "no memory for the output of '%s'", options->argv[0]);
    }
    if (status == SY_OK && ret_report != NULL) {
        sy_process_poll(process, ret_report);
    }
out:
    sy_process_destroy(process);
    for (int i = 0; i < 2; i++) {
        close_end(&streams[i].read_end);
        close_end(&streams[i].write_end);
    }
    return status;
}
