/* SPDX-License-Identifier: Apache-2.0 */
/* Moving frames and doubting them. */
#include "probe/subject/wire.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "base/error.h"
#include "probe/subject/rotation.h"

sy_status sy_wire_send(int fd, const void *bytes, uint64_t size, sy_error *err)
{
    const char *at = bytes;
    while (size > 0) {
        ssize_t sent = send(fd, at, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0 && (errno == EPIPE || errno == ECONNRESET))
            return sy_fail(err, SY_DIED, "the other end of the worker's socket is gone");
        if (sent < 0)
            return sy_fail_errno(err, SY_IO, errno, "sending to a worker");
        at += sent;
        size -= (uint64_t)sent;
    }
    return SY_OK;
}

sy_status sy_wire_receive(int fd, void *bytes, uint64_t size, sy_error *err)
{
    char *at = bytes;
    while (size > 0) {
        ssize_t got = recv(fd, at, size, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got == 0 || (got < 0 && errno == ECONNRESET))
            return sy_fail(err, SY_DIED, "the other end of the worker's socket is gone");
        if (got < 0)
            return sy_fail_errno(err, SY_IO, errno, "receiving from a worker");
        at += got;
        size -= (uint64_t)got;
    }
    return SY_OK;
}

bool sy_wire_request_is_sound(const sy_wire_request *request, size_t case_count)
{
    return request->magic == SY_WIRE_MAGIC && request->operation < SY_WIRE_OPERATIONS &&
           request->case_index < case_count && request->slot.case_index < case_count;
}

static bool tensors_are_sound(const sy_tensor_desc *descs, uint32_t count)
{
    if (count > SY_SUBJECT_TENSORS_MAX)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (descs[i].name || sy_tensor_desc_check(&descs[i], NULL, NULL, NULL) != SY_OK)
            return false;
    }
    return true;
}

/* A bool that came over the wire may be any byte. */
static bool bool_is_sound(const bool *value)
{
    unsigned char byte;
    memcpy(&byte, value, 1);
    return byte <= 1;
}

static bool shape_is_sound(sy_subject_shape *shape)
{
    if (!bool_is_sound(&shape->available) || shape->copies > SY_ROTATION_COPIES_MAX)
        return false;
    shape->reason[sizeof(shape->reason) - 1] = '\0';
    return tensors_are_sound(shape->inputs, shape->input_count) &&
           tensors_are_sound(shape->outputs, shape->output_count);
}

bool sy_wire_reply_is_sound(sy_wire_reply *reply, const sy_wire_request *request)
{
    reply->what[sizeof(reply->what) - 1] = '\0';
    reply->hint[sizeof(reply->hint) - 1] = '\0';
    if (reply->magic != SY_WIRE_MAGIC || reply->sequence != request->sequence || reply->operation != request->operation)
        return false;
    if (reply->status < SY_OK || reply->status > SY_DIED)
        return false;
    if (reply->status != SY_OK)
        return reply->size == 0;
    sy_implementation_info *info = &reply->body.description.info;
    switch (request->operation) {
    case SY_WIRE_BUILD:
        return reply->size == 0 && shape_is_sound(&reply->body.shape);
    case SY_WIRE_READ:
        return reply->size == request->size;
    case SY_WIRE_DESCRIBE:
        info->version[sizeof(info->version) - 1] = '\0';
        info->path[sizeof(info->path) - 1] = '\0';
        return reply->size == 0;
    case SY_WIRE_FILL:
    case SY_WIRE_ALLOCATE:
        return reply->size == 0;
    default:
        if (!bool_is_sound(&reply->body.run.canaries_intact))
            return false;
        reply->body.run.canary_reason[sizeof(reply->body.run.canary_reason) - 1] = '\0';
        return reply->size == 0;
    }
}
