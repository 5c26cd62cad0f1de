/* SPDX-License-Identifier: Apache-2.0 */
/* The worker's side: opens the device, finds its one implementation by name and serves requests until the socket
 * closes. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/backend.h"
#include "backends/plugin.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/system.h"
#include "base/text.h"
#include "operations/case_json.h"
#include "probe/subject/wire.h"

typedef struct worker {
    sy_device *device;
    const sy_suite *suite;
    sy_subject *subject;
    sy_suite handed_suite; /* the suite with the cases that were handed over */
    sy_arena *arena;       /* of those */
    char *bytes;           /* of the last read */
    uint64_t bytes_size;
} worker;

typedef struct worker_arguments {
    const char *device;
    const char *operation;
    const char *implementation;
    const char *script;
    const char *plugin;
    const char *check_plugin; /* only this is asked */
    uint64_t threads;
    uint64_t metadata_capacity;
    uint64_t process;
    bool cases_handed;
} worker_arguments;

static sy_status parse_arguments(int argc, char **argv, worker_arguments *ret, sy_error *err)
{
    static const struct option options[] = {{"device", required_argument, NULL, 'd'},
                                            {"operation", required_argument, NULL, 'o'},
                                            {"implementation", required_argument, NULL, 'i'},
                                            {"script", required_argument, NULL, 's'},
                                            {"plugin", required_argument, NULL, 'p'},
                                            {"check-plugin", required_argument, NULL, 'k'},
                                            {"threads", required_argument, NULL, 't'},
                                            {"metadata-capacity", required_argument, NULL, 'm'},
                                            {"cases-handed", no_argument, NULL, 'c'},
                                            {"process", required_argument, NULL, 'n'},
                                            {NULL, 0, NULL, 0}};
    sy_status status = SY_OK;
    int found;
    optind = 1;
    while (!status && (found = getopt_long(argc, argv, "", options, NULL)) != -1) {
        switch (found) {
        case 'd':
            ret->device = optarg;
            break;
        case 'o':
            ret->operation = optarg;
            break;
        case 'i':
            ret->implementation = optarg;
            break;
        case 's':
            ret->script = optarg;
            break;
        case 'p':
            ret->plugin = optarg;
            break;
        case 'k':
            ret->check_plugin = optarg;
            break;
        case 't':
            status = sy_parse_u64(optarg, &ret->threads, err);
            break;
        case 'm':
            status = sy_parse_u64(optarg, &ret->metadata_capacity, err);
            break;
        case 'n':
            status = sy_parse_u64(optarg, &ret->process, err);
            break;
        case 'c':
            ret->cases_handed = true;
            break;
        default:
            return sy_fail(err, SY_INVALID_ARGUMENT, "the worker's options are the library's own business");
        }
    }
    if (!status && ret->check_plugin && optind == argc)
        return SY_OK;
    if (!status && (!ret->device || !ret->operation || !ret->implementation || optind != argc))
        status = sy_fail(err, SY_INVALID_ARGUMENT, "a worker is started by steelyard itself, not by hand");
    return status;
}

/* The suite with the cases of SY_WIRE_CASES_DESCRIPTOR in the place of its own. */
static sy_status take_cases(worker *self, sy_error *err)
{
    struct stat state;
    char *bytes = NULL;
    sy_json *json = NULL;
    sy_json_limits limits = SY_JSON_LIMITS_INIT;
    sy_status status = SY_OK;
    if (sy_system_fstat(SY_WIRE_CASES_DESCRIPTOR, &state) != 0)
        return sy_fail_errno(err, SY_IO, errno, "the cases that were handed over");
    bytes = sy_allocate(1, (size_t)state.st_size);
    self->arena = sy_arena_create(0);
    if (!bytes || !self->arena)
        status = sy_fail(err, SY_NO_MEMORY, "no memory for the cases that were handed over");
    else if (pread(SY_WIRE_CASES_DESCRIPTOR, bytes, (size_t)state.st_size, 0) != (ssize_t)state.st_size)
        status = sy_fail_errno(err, SY_IO, errno, "the cases that were handed over");
    if (!status)
        status = sy_json_parse(bytes, (size_t)state.st_size, &limits, &json, err);
    self->handed_suite = *self->suite;
    if (!status)
        status = sy_cases_read(json, sy_json_root(json), self->arena, &self->handed_suite.cases,
                               &self->handed_suite.case_count, err);
    if (!status)
        self->suite = &self->handed_suite;
    sy_json_destroy(json);
    sy_free(bytes);
    return status;
}

static sy_status open_subject(const worker_arguments *arguments, worker *ret, sy_error *err)
{
    sy_device_options options = SY_DEVICE_OPTIONS_INIT;
    options.threads = (uint32_t)arguments->threads;
    options.script = arguments->script;
    options.plugin = arguments->plugin;
    options.only = arguments->implementation;
    sy_status status = sy_device_open(arguments->device, &options, &ret->device, err);
    if (!status)
        status = sy_device_suite(ret->device, arguments->operation, &ret->suite, err);
    if (!status)
        ret->device->process = (uint32_t)arguments->process;
    if (!status && arguments->cases_handed)
        status = take_cases(ret, err);
    if (status)
        return status;
    for (uint32_t i = 0; i < ret->suite->implementation_count; i++) {
        if (sy_text_equal(ret->suite->implementations[i].name, arguments->implementation))
            return sy_subject_create_local(ret->device, ret->suite, i, arguments->metadata_capacity, &ret->subject,
                                           err);
    }
    return sy_fail(err, SY_NOT_FOUND, "no implementation %s", arguments->implementation);
}

/* VmHWM: the peak of this process image, which a fork does not inherit as ru_maxrss does. 0 = unknown. */
static uint64_t peak_memory(void)
{
    char line[256];
    unsigned long long kibibytes = 0;
    FILE *file = fopen("/proc/self/status", "re");
    if (!file)
        return 0;
    while (fgets(line, sizeof(line), file)) {
        if (strncmp(line, "VmHWM:", 6) == 0)
            kibibytes = strtoull(line + 6, NULL, 10);
    }
    (void)fclose(file);
    return kibibytes * 1024;
}

static sy_status read_tensor(worker *self, const sy_wire_request *request, sy_error *err)
{
    if (request->size > self->bytes_size) {
        char *larger = sy_reallocate(self->bytes, 1, request->size);
        if (!larger)
            return sy_fail(err, SY_NO_MEMORY, "no memory to hand %llu bytes over", (unsigned long long)request->size);
        self->bytes = larger;
        self->bytes_size = request->size;
    }
    return self->subject->table->read(self->subject, request->case_index, request->flag != 0, request->index,
                                      self->bytes, request->size, err);
}

static sy_status answer(worker *self, const sy_wire_request *request, sy_wire_reply *reply, sy_error *err)
{
    sy_subject *subject = self->subject;
    const sy_subject_table *table = subject->table;
    sy_status status;
    switch ((sy_wire_operation)request->operation) {
    case SY_WIRE_BUILD:
        subject->working_set_bytes = request->size;
        return table->build(subject, request->case_index, &reply->body.shape, err);
    case SY_WIRE_ALLOCATE:
        return table->allocate(subject, request->case_index, err);
    case SY_WIRE_FILL:
        return table->fill(subject, request->case_index, (sy_fill)request->index, request->flag != 0, request->seed,
                           &reply->body.checksum, err);
    case SY_WIRE_RUN:
        return table->run(subject, request->case_index, (uint8_t)request->flag, &reply->body.run, err);
    case SY_WIRE_SLOT:
        return table->slot(subject, &request->slot, &reply->body.run, err);
    case SY_WIRE_INSPECT:
        return table->inspect(subject, request->case_index, &reply->body.run, err);
    case SY_WIRE_READ:
        status = read_tensor(self, request, err);
        reply->size = status ? 0 : request->size;
        return status;
    case SY_WIRE_DESCRIBE:
        status = table->describe(subject, &reply->body.description.info, &reply->body.description.memory_peak, err);
        if (!status && !self->device->own_memory && reply->body.description.memory_peak < peak_memory())
            reply->body.description.memory_peak = peak_memory();
        return status;
    case SY_WIRE_OPERATIONS:
        break;
    }
    return sy_fail(err, SY_INVALID_ARGUMENT, "unknown request");
}

/* Serves until the socket closes. start_status: what opening gave; every request is then answered with it. */
static sy_status serve(worker *self, sy_status start_status, const sy_error *start_error, sy_error *err)
{
    static sy_wire_reply reply;
    for (;;) {
        sy_wire_request request;
        sy_status status = sy_wire_receive(SY_WIRE_DESCRIPTOR, &request, sizeof(request), err);
        if (status)
            return status == SY_DIED ? SY_OK : status;
        if (!sy_wire_request_is_sound(&request, self->suite ? self->suite->case_count : SIZE_MAX))
            return sy_fail(err, SY_CORRUPT, "a request that is none");
        sy_error failure = *start_error;
        memset(&reply, 0, sizeof(reply));
        reply.magic = SY_WIRE_MAGIC;
        reply.sequence = request.sequence;
        reply.operation = request.operation;
        reply.status = start_status ? (int32_t)start_status : (int32_t)answer(self, &request, &reply, &failure);
        if (reply.status) {
            (void)sy_text_copy(reply.what, sizeof(reply.what), failure.what);
            (void)sy_text_copy(reply.hint, sizeof(reply.hint), failure.hint);
        }
        status = sy_wire_send(SY_WIRE_DESCRIPTOR, &reply, sizeof(reply), err);
        if (!status && reply.size > 0)
            status = sy_wire_send(SY_WIRE_DESCRIPTOR, self->bytes, reply.size, err);
        if (status)
            return status == SY_DIED ? SY_OK : status;
    }
}

static sy_status check_plugin(const char *path, sy_error *err)
{
    const sy_plugin *plugin = NULL;
    char *resolved = NULL;
    sy_float_environment environment;
    sy_status status = sy_plugin_load(path, &plugin, &resolved, &environment, err);
    sy_free(resolved);
    /* That this point was reached is what the caller wants to know; what is wrong with the plugin it finds out itself.
     */
    sy_status told = sy_file_write_descriptor(STDOUT_FILENO, SY_PLUGIN_CHECKED, strlen(SY_PLUGIN_CHECKED), err);
    return told ? told : status;
}

int sy_worker_main(int argc, char **argv)
{
    worker self = {0};
    worker_arguments arguments = {.metadata_capacity = (uint64_t)1 << 20};
    sy_error start_error = SY_ERROR_INIT;
    sy_error err = SY_ERROR_INIT;
    sy_status status = parse_arguments(argc, argv, &arguments, &err);
    if (!status && arguments.check_plugin) {
        status = check_plugin(arguments.check_plugin, &err);
    } else if (!status) {
        sy_status start_status = open_subject(&arguments, &self, &start_error);
        status = serve(&self, start_status, &start_error, &err);
    }
    sy_subject_destroy(self.subject);
    sy_device_close(self.device);
    sy_free(self.bytes);
    sy_arena_destroy(self.arena);
    if (status) {
        sy_text text = SY_TEXT_INIT;
        sy_text_append_format(&text, "steelyard worker: %s\n", err.what);
        (void)!sy_file_write_descriptor(STDERR_FILENO, sy_text_bytes(&text), text.length, NULL);
        sy_text_finish(&text);
    }
    return status == SY_INVALID_ARGUMENT ? 2 : status ? 4 : 0;
}
