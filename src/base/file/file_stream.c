/* SPDX-License-Identifier: Apache-2.0 */
/* The durable writer for what does not fit into memory: pieces go to the temporary sibling while they are hashed, and
 * it takes the path's place when it reads back with the same digest. */
#include <errno.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/file/file_inside.h"
#include "base/memory.h"
#include "base/system.h"

struct sy_file_stream {
    sy_file_job job;
    sy_file_write_options options;
    sy_digest_state written;
};

sy_status sy_file_stream_open(const char *path, sy_file_stream **ret_stream, sy_error *err)
{
    static const sy_file_write_options defaults = SY_FILE_WRITE_OPTIONS_INIT;
    sy_file_stream *stream = sy_allocate(1, sizeof *stream);
    if (stream == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory to write '%s'", path);
    }
    stream->options = defaults;
    stream->job = (sy_file_job){.fd = -1, .options = &stream->options};
    sy_digest_start(&stream->written);
    sy_status status = sy_file_job_open(&stream->job, path, err);
    if (status != SY_OK) {
        sy_file_stream_abandon(stream);
        return status;
    }
    *ret_stream = stream;
    return SY_OK;
}

sy_status sy_file_stream_write(sy_file_stream *stream, const void *bytes, size_t size, sy_error *err)
{
    sy_status status = sy_file_write_descriptor(stream->job.fd, bytes, size, err);
    if (status != SY_OK) {
        sy_error_prefix(err, "'%s'", stream->job.temporary);
        return status;
    }
    sy_digest_add(&stream->written, bytes, size);
    return SY_OK;
}

static sy_status read_back(sy_file_stream *stream, sy_error *err)
{
    char bytes[16384];
    sy_digest_state state;
    sy_digest written;
    sy_digest read;
    ssize_t got = lseek(stream->job.fd, 0, SEEK_SET) == 0 ? 1 : -1;
    sy_digest_start(&state);
    while (got > 0 && (got = sy_system_read(stream->job.fd, bytes, sizeof bytes)) > 0) {
        sy_digest_add(&state, bytes, (size_t)got);
    }
    int error = got < 0 ? errno : EIO;
    sy_digest_finish(&stream->written, &written);
    sy_digest_finish(&state, &read);
    return got == 0 && sy_digest_equal(&written, &read)
               ? SY_OK
               : sy_fail_errno(err, SY_IO, error, "'%s' does not read back as it was written", stream->job.temporary);
}

sy_status sy_file_stream_commit(sy_file_stream *stream, sy_error *err)
{
    sy_status status = read_back(stream, err);
    if (status == SY_OK && sy_system_fsync(stream->job.fd) != 0) {
        status = sy_fail_errno(err, SY_IO, errno, "cannot synchronise '%s'", stream->job.temporary);
    }
    if (status == SY_OK) {
        status = sy_file_job_close(&stream->job, err);
    }
    if (status == SY_OK) {
        status = sy_file_job_replace(&stream->job, NULL, 0, err);
    }
    sy_file_stream_abandon(stream);
    return status;
}

void sy_file_stream_abandon(sy_file_stream *stream)
{
    if (stream != NULL) {
        sy_file_job_finish(&stream->job);
        sy_free(stream);
    }
}
