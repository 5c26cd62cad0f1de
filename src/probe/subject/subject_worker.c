/* SPDX-License-Identifier: Apache-2.0 */
/* A subject in a process of its own. A crash, a missed deadline and garbage on the socket are results here: SY_DIED or
 * SY_TIMED_OUT, with what the process left on its standard error, and no process left behind. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backends/backend.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/process.h"
#include "base/text.h"
#include "operations/case_json.h"
#include "probe/subject/wire.h"

#define LAST_WORDS_BYTES 400
#define POLL_MS 50
#define READS_MAX 64 /* of standard error, at one look */
#define END_WAIT_NS UINT64_C(2000000000)

/* The worker is this very binary: with a sanitizer in it, shadow memory alone is beyond any limit. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LIMITS_MEMORY false
#else
#define LIMITS_MEMORY true
#endif

typedef struct worker_subject {
    sy_subject base;
    sy_device *device;
    sy_worker_options options;
    char *path;
    int cases; /* a file in memory with the cases, where they are not the suite's own; else -1 */
    sy_process *process;
    int socket;
    int standard_error;
    bool suspended;
    uint32_t sequence;
    char last_words[LAST_WORDS_BYTES + 1]; /* the end of its standard error */
    size_t last_words_length;
    sy_wire_reply reply;
} worker_subject;

static worker_subject *self_of(sy_subject *subject)
{
    return (worker_subject *)subject;
}

static const char *name_of(const worker_subject *self)
{
    return self->base.suite->implementations[self->base.variant].name;
}

static void close_descriptor(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

static void stop_process(worker_subject *self)
{
    sy_process_destroy(self->process);
    self->process = NULL;
    self->suspended = false;
    close_descriptor(&self->socket);
    close_descriptor(&self->standard_error);
}

/* Keeps the last bytes of what the worker says on its standard error, and never lets it block on a full pipe. */
static void drain_standard_error(worker_subject *self)
{
    char piece[4096];
    ssize_t got;
    for (int reads = 0; reads < READS_MAX; reads++) { /* a flood does not keep the parent from its deadline */
        if (self->standard_error < 0)
            return;
        got = read(self->standard_error, piece, sizeof(piece));
        if (got == 0) {
            close_descriptor(&self->standard_error);
            return;
        }
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return;
        size_t size = (size_t)got;
        const char *from = piece;
        if (size > LAST_WORDS_BYTES) {
            from += size - LAST_WORDS_BYTES;
            size = LAST_WORDS_BYTES;
        }
        size_t keep = self->last_words_length + size > LAST_WORDS_BYTES ? LAST_WORDS_BYTES - size
                                                                        : self->last_words_length;
        memmove(self->last_words, self->last_words + self->last_words_length - keep, keep);
        memcpy(self->last_words + keep, from, size);
        self->last_words_length = keep + size;
        self->last_words[self->last_words_length] = '\0';
    }
}

/* The last line that is not empty, as a hint; control bytes become spaces. */
static void hint_last_words(worker_subject *self, sy_error *err)
{
    drain_standard_error(self);
    char *text = self->last_words;
    size_t end = self->last_words_length;
    while (end > 0 && (unsigned char)text[end - 1] <= ' ')
        end--;
    size_t start = end;
    while (start > 0 && text[start - 1] != '\n')
        start--;
    for (size_t i = start; i < end; i++) {
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
            text[i] = ' ';
    }
    text[end] = '\0';
    if (end > start)
        sy_error_hint(err, "its last words: %.200s", text + start);
    self->last_words_length = 0;
}

static sy_status fail_died(worker_subject *self, sy_error *err)
{
    char words[96] = "ended";
    sy_process_report report;
    uint64_t deadline = sy_clock_now(&sy_clock_system) + END_WAIT_NS;
    if (sy_process_wait(self->process, &sy_clock_system, deadline, &report, NULL) == SY_OK)
        sy_process_describe_end(&report, words, sizeof(words));
    else
        (void)sy_text_copy(words, sizeof(words), "closed its socket and was killed");
    sy_status status = sy_fail(err, SY_DIED, "worker of %s %s", name_of(self), words);
    hint_last_words(self, err);
    stop_process(self);
    return status;
}

static sy_status fail_killed(worker_subject *self, sy_status status, const char *why, sy_error *err)
{
    sy_process_kill(self->process);
    (void)sy_fail(err, status, "worker of %s %s", name_of(self), why);
    hint_last_words(self, err);
    stop_process(self);
    return status;
}

/* Receives size bytes, minding the deadline, cancellation and the worker's standard error. */
static sy_status receive(worker_subject *self, void *bytes, uint64_t size, sy_error *err)
{
    char *at = bytes;
    while (size > 0) {
        struct pollfd fds[2] = {{self->socket, POLLIN, 0}, {self->standard_error, POLLIN, 0}};
        int ready = poll(fds, 2, POLL_MS);
        if (ready < 0 && errno != EINTR)
            return sy_fail_errno(err, SY_IO, errno, "waiting for the worker of %s", name_of(self));
        if (self->base.cancelled && self->base.cancelled(self->base.user))
            return fail_killed(self, SY_INTERRUPTED, "was stopped: interrupted", err);
        if (self->base.deadline_ns && sy_clock_now(&sy_clock_system) > self->base.deadline_ns)
            return fail_killed(self, SY_TIMED_OUT, "gave no answer by its deadline and was killed", err);
        if (ready > 0 && fds[1].revents)
            drain_standard_error(self);
        if (ready > 0 && fds[0].revents) {
            ssize_t got = recv(self->socket, at, size, MSG_DONTWAIT);
            if (got == 0 || (got < 0 && errno == ECONNRESET))
                return fail_died(self, err);
            if (got > 0) {
                at += got;
                size -= (uint64_t)got;
                continue;
            }
        }
    }
    return SY_OK;
}

static sy_status exchange(worker_subject *self, sy_wire_request *request, void *bytes, sy_error *err)
{
    if (!self->process)
        return sy_fail(err, SY_DIED, "worker of %s is not running", name_of(self));
    if (self->suspended)
        return sy_fail(err, SY_INVALID_ARGUMENT, "worker of %s is suspended", name_of(self));
    request->magic = SY_WIRE_MAGIC;
    request->sequence = ++self->sequence;
    sy_status status = sy_wire_send(self->socket, request, sizeof(*request), err);
    if (status == SY_DIED)
        return fail_died(self, err);
    if (!status)
        status = receive(self, &self->reply, sizeof(self->reply), err);
    if (status)
        return status;
    if (!sy_wire_reply_is_sound(&self->reply, request))
        return fail_killed(self, SY_DIED, "wrote garbage to its socket and was killed", err);
    if (self->reply.status) {
        status = (sy_status)self->reply.status;
        if (status == SY_DIED || status == SY_TIMED_OUT || status == SY_INTERRUPTED)
            status = SY_IO; /* those are this side's words for a worker: one that answers has not died */
        status = sy_fail(err, status, "%s", self->reply.what);
        sy_error_hint(err, "%s", self->reply.hint);
        return status;
    }
    return self->reply.size > 0 ? receive(self, bytes, self->reply.size, err) : SY_OK;
}

static sy_status worker_build(sy_subject *subject, uint32_t case_index, sy_subject_shape *ret_shape, sy_error *err)
{
    worker_subject *self = self_of(subject);
    sy_wire_request request = {
        .operation = SY_WIRE_BUILD, .case_index = case_index, .size = subject->working_set_bytes};
    sy_status status = exchange(self, &request, NULL, err);
    if (!status)
        *ret_shape = self->reply.body.shape;
    return status;
}

static sy_status worker_allocate(sy_subject *subject, uint32_t case_index, sy_error *err)
{
    sy_wire_request request = {.operation = SY_WIRE_ALLOCATE, .case_index = case_index};
    return exchange(self_of(subject), &request, NULL, err);
}

static sy_status worker_fill(sy_subject *subject, uint32_t case_index, sy_fill fill, bool own, uint64_t seed,
                             uint64_t *ret_checksum, sy_error *err)
{
    worker_subject *self = self_of(subject);
    sy_wire_request request = {
        .operation = SY_WIRE_FILL, .case_index = case_index, .index = (uint32_t)fill, .flag = own, .seed = seed};
    sy_status status = exchange(self, &request, NULL, err);
    if (!status)
        *ret_checksum = self->reply.body.checksum;
    return status;
}

static sy_status run_request(sy_subject *subject, sy_wire_request *request, sy_subject_run *ret_run, sy_error *err)
{
    worker_subject *self = self_of(subject);
    sy_status status = exchange(self, request, NULL, err);
    if (!status)
        *ret_run = self->reply.body.run;
    return status;
}

static sy_status worker_run(sy_subject *subject, uint32_t case_index, uint8_t poison, sy_subject_run *ret_run,
                            sy_error *err)
{
    sy_wire_request request = {.operation = SY_WIRE_RUN, .case_index = case_index, .flag = poison};
    return run_request(subject, &request, ret_run, err);
}

static sy_status worker_slot(sy_subject *subject, const sy_slot *slot, sy_subject_run *ret_run, sy_error *err)
{
    sy_wire_request request = {.operation = SY_WIRE_SLOT, .case_index = slot->case_index, .slot = *slot};
    return run_request(subject, &request, ret_run, err);
}

static sy_status worker_inspect(sy_subject *subject, uint32_t case_index, sy_subject_run *ret_run, sy_error *err)
{
    sy_wire_request request = {.operation = SY_WIRE_INSPECT, .case_index = case_index};
    return run_request(subject, &request, ret_run, err);
}

static sy_status worker_read(sy_subject *subject, uint32_t case_index, bool output, uint32_t index, void *bytes,
                             uint64_t size, sy_error *err)
{
    sy_wire_request request = {
        .operation = SY_WIRE_READ, .case_index = case_index, .index = index, .flag = output, .size = size};
    return exchange(self_of(subject), &request, bytes, err);
}

static sy_status worker_describe(sy_subject *subject, sy_implementation_info *ret_info, uint64_t *ret_memory_peak,
                                 sy_error *err)
{
    worker_subject *self = self_of(subject);
    sy_wire_request request = {.operation = SY_WIRE_DESCRIBE};
    sy_status status = exchange(self, &request, NULL, err);
    if (!status) {
        *ret_info = self->reply.body.description.info;
        *ret_memory_peak = self->reply.body.description.memory_peak;
    }
    return status;
}

static sy_status worker_suspend(sy_subject *subject, sy_error *err)
{
    worker_subject *self = self_of(subject);
    if (!self->process || self->suspended)
        return SY_OK;
    sy_status status = sy_process_suspend(self->process, err);
    if (status == SY_DIED)
        return fail_died(self, err);
    self->suspended = !status;
    return status;
}

static sy_status worker_resume(sy_subject *subject, sy_error *err)
{
    worker_subject *self = self_of(subject);
    if (!self->process || !self->suspended)
        return SY_OK;
    sy_status status = sy_process_resume(self->process, err);
    if (status == SY_DIED)
        return fail_died(self, err);
    self->suspended = status != SY_OK;
    return status;
}

static sy_status start_process(worker_subject *self, int socket_end, int standard_error, sy_error *err)
{
    const sy_device *device = self->device;
    char threads[24];
    char capacity[24];
    char process[24];
    sy_text number = SY_TEXT_INIT;
    sy_text_append_format(&number, "%u", device->threads);
    (void)sy_text_copy(threads, sizeof(threads), sy_text_bytes(&number));
    sy_text_clear(&number);
    sy_text_append_format(&number, "%llu", (unsigned long long)self->options.metadata_capacity_bytes);
    (void)sy_text_copy(capacity, sizeof(capacity), sy_text_bytes(&number));
    sy_text_clear(&number);
    sy_text_append_format(&number, "%u", self->base.process);
    (void)sy_text_copy(process, sizeof(process), sy_text_bytes(&number));
    sy_text_finish(&number);
    const char *argv[20] = {self->path,
                            "worker",
                            "--device",
                            device->name,
                            "--operation",
                            self->base.suite->operation,
                            "--implementation",
                            name_of(self),
                            "--threads",
                            threads,
                            "--metadata-capacity",
                            capacity,
                            "--process",
                            process};
    const int inherited[2] = {socket_end, self->cases};
    size_t count = 14;
    if (device->script) {
        argv[count++] = "--script";
        argv[count++] = device->script;
    }
    if (device->plugin_path) {
        argv[count++] = "--plugin";
        argv[count++] = device->plugin_path;
    }
    if (self->cases >= 0)
        argv[count] = "--cases-handed";
    sy_process_options options = SY_PROCESS_OPTIONS_INIT;
    options.argv = argv;
    options.standard_error = standard_error;
    options.inherited = inherited;
    options.inherited_count = self->cases >= 0 ? 2 : 1;
    options.memory_limit_bytes = LIMITS_MEMORY ? self->options.memory_limit_bytes : 0;
    return sy_process_start(&options, &self->process, err);
}

/* Cases that are not the suite's own stand in a file in memory that each worker inherits. */
static sy_status hand_cases(worker_subject *self, sy_error *err)
{
    const sy_suite *own = NULL;
    sy_text text = SY_TEXT_INIT;
    sy_status status = sy_device_suite(self->device, self->base.suite->operation, &own, err);
    if (status || own->cases == self->base.suite->cases)
        return status;
    sy_json_writer *writer = sy_json_writer_create(&text, SY_JSON_COMPACT);
    if (writer)
        sy_cases_write(writer, self->base.suite->cases, self->base.suite->case_count);
    status = sy_json_writer_finish(writer, err);
    if (!status) {
        self->cases = memfd_create("steelyard-cases", MFD_CLOEXEC);
        if (self->cases < 0)
            status = sy_fail_errno(err, SY_IO, errno, "making a file in memory for the cases");
    }
    if (!status)
        status = sy_file_write_descriptor(self->cases, sy_text_bytes(&text), text.length, err);
    sy_text_finish(&text);
    return status;
}

static sy_status worker_restart(sy_subject *subject, sy_error *err)
{
    worker_subject *self = self_of(subject);
    int sockets[2] = {-1, -1};
    int pipes[2] = {-1, -1};
    sy_status status = SY_OK;
    stop_process(self);
    self->last_words_length = 0;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0 || pipe2(pipes, O_CLOEXEC) != 0)
        status = sy_fail_errno(err, SY_IO, errno, "making a socket for the worker of %s", name_of(self));
    if (!status && fcntl(pipes[0], F_SETFL, O_NONBLOCK) != 0)
        status = sy_fail_errno(err, SY_IO, errno, "setting up the pipe of the worker of %s", name_of(self));
    if (!status)
        status = start_process(self, sockets[1], pipes[1], err);
    close_descriptor(&sockets[1]);
    close_descriptor(&pipes[1]);
    self->socket = sockets[0];
    self->standard_error = pipes[0];
    if (status)
        stop_process(self);
    return status;
}

static void worker_destroy(sy_subject *subject)
{
    worker_subject *self = self_of(subject);
    stop_process(self);
    close_descriptor(&self->cases);
    sy_free(self->path);
    sy_free(self);
}

static const sy_subject_table worker_table = {
    .build = worker_build,
    .allocate = worker_allocate,
    .fill = worker_fill,
    .run = worker_run,
    .slot = worker_slot,
    .inspect = worker_inspect,
    .read = worker_read,
    .describe = worker_describe,
    .suspend = worker_suspend,
    .resume = worker_resume,
    .restart = worker_restart,
    .destroy = worker_destroy,
};

sy_status sy_subject_create_worker(sy_device *device, const sy_suite *suite, uint32_t variant,
                                   const sy_worker_options *options, sy_subject **ret_subject, sy_error *err)
{
    worker_subject *self = sy_allocate(1, sizeof(*self));
    if (!self)
        return sy_fail(err, SY_NO_MEMORY, "no memory for a worker's state");
    self->base = (sy_subject){.table = &worker_table, .suite = suite, .variant = variant};
    self->device = device;
    self->options = *options;
    self->socket = self->standard_error = self->cases = -1;
    self->path = sy_duplicate_text(options->path);
    sy_status status = self->path ? hand_cases(self, err)
                                  : sy_fail(err, SY_NO_MEMORY, "no memory for a worker's state");
    if (!status)
        status = worker_restart(&self->base, err);
    if (status) {
        worker_destroy(&self->base);
        return status;
    }
    *ret_subject = &self->base;
    return SY_OK;
}
