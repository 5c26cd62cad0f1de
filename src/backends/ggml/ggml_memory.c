/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers in the memory of a ggml device. ggml copies into and out of tensors only, so that each buffer is covered by
 * one of bytes. */
#include <ggml-backend.h>
#include <ggml.h>
#include <string.h>

#include "backends/ggml/ggml_device.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#define FILL_PIECE_BYTES ((uint64_t)1 << 20)

typedef struct ggml_memory {
    sy_buffer base;
    struct ggml_backend_buffer *buffer;
    struct ggml_tensor bytes; /* all of it */
} ggml_memory;

struct ggml_backend_buffer *sy_ggml_buffer_of(const sy_buffer *buffer)
{
    return ((const ggml_memory *)buffer)->buffer;
}

void sy_ggml_device_count(sy_ggml_device *device, int64_t bytes)
{
    device->allocated_bytes += (uint64_t)bytes;
    if (bytes > 0 && device->allocated_bytes > device->peak_bytes)
        device->peak_bytes = device->allocated_bytes;
}

static sy_status check_size(const sy_ggml_device *device, uint64_t size, sy_error *err)
{
    char asked[32], limit[32];
    const uint64_t largest = ggml_backend_buft_get_max_size(device->memory);
    sy_format_bytes(asked, sizeof asked, size);
    /* A system that overcommits would grant more than there is, and kill the process when it is written to. */
    if (size > UINT64_MAX / 2 || (device->total_bytes != 0 && size > device->total_bytes)) {
        sy_format_bytes(limit, sizeof limit, device->total_bytes);
        return sy_fail(err, SY_NO_MEMORY, "%s asked of device ggml:%s, which has %s", asked, device->ggml_name, limit);
    }
    if (size > largest) {
        sy_format_bytes(limit, sizeof limit, largest);
        return sy_fail(err, SY_NO_MEMORY, "%s asked of device ggml:%s, whose buffers hold %s at most", asked,
                       device->ggml_name, limit);
    }
    return SY_OK;
}

/* Fills memory->buffer, and the tensor that covers it. */
static sy_status take(sy_ggml_device *device, uint64_t size, ggml_memory *memory, sy_error *err)
{
    char text[32];
    sy_ggml_listener listener;
    sy_ggml_listen(&listener);
    memory->buffer = ggml_backend_buft_alloc_buffer(device->memory, size > 0 ? size : 1);
    sy_ggml_listen_end(&listener);
    if (!memory->buffer) {
        sy_format_bytes(text, sizeof text, size);
        (void)sy_fail(err, SY_NO_MEMORY, "no memory for %s on device ggml:%s", text, device->ggml_name);
        sy_error_hint(err, "%s", listener.error);
        return SY_NO_MEMORY;
    }
    struct ggml_tensor *bytes = &memory->bytes;
    bytes->type = GGML_TYPE_I8;
    bytes->nb[0] = 1;
    for (int i = 0; i < GGML_MAX_DIMS; i++) {
        bytes->ne[i] = i == 0 && size > 0 ? (int64_t)size : 1;
        bytes->nb[i] = i == 0 ? 1 : (size_t)bytes->ne[0];
    }
    if (ggml_backend_tensor_alloc(memory->buffer, bytes, ggml_backend_buffer_get_base(memory->buffer)) !=
        GGML_STATUS_SUCCESS)
        return sy_fail(err, SY_NO_MEMORY, "ggml refuses a tensor in a buffer of device ggml:%s", device->ggml_name);
    return SY_OK;
}

sy_status sy_ggml_allocate(sy_device *device, uint64_t size, sy_buffer **ret_buffer, sy_error *err)
{
    sy_ggml_device *self = sy_ggml_device_of(device);
    sy_status status = check_size(self, size, err);
    if (!status)
        status = sy_ggml_device_start(self, err);
    if (status)
        return status;
    ggml_memory *memory = sy_allocate(1, sizeof *memory);
    if (!memory)
        return sy_fail(err, SY_NO_MEMORY, "no memory for a buffer of device ggml:%s", self->ggml_name);
    status = take(self, size, memory, err);
    if (status) {
        ggml_backend_buffer_free(memory->buffer);
        sy_free(memory);
        return status;
    }
    memory->base = (sy_buffer){device, size, memory->bytes.data};
    sy_ggml_device_count(self, (int64_t)size);
    *ret_buffer = &memory->base;
    return SY_OK;
}

void sy_ggml_release(sy_buffer *buffer)
{
    if (!buffer)
        return;
    sy_ggml_device_count(sy_ggml_device_of(buffer->device), -(int64_t)buffer->size);
    ggml_backend_buffer_free(sy_ggml_buffer_of(buffer));
    sy_free(buffer);
}

static sy_status check_range(const sy_buffer *buffer, uint64_t offset, uint64_t size, sy_error *err)
{
    if (offset > buffer->size || size > buffer->size - offset)
        return sy_fail(err, SY_INVALID_ARGUMENT, "%llu bytes at %llu lie outside of a buffer of %llu",
                       (unsigned long long)size, (unsigned long long)offset, (unsigned long long)buffer->size);
    return SY_OK;
}

sy_status sy_ggml_upload(sy_buffer *buffer, uint64_t offset, const void *bytes, uint64_t size, sy_error *err)
{
    sy_status status = check_range(buffer, offset, size, err);
    sy_ggml_device_of(buffer->device)->writes++;
    if (!status && size > 0)
        ggml_backend_tensor_set(&((ggml_memory *)buffer)->bytes, bytes, offset, size);
    return status;
}

sy_status sy_ggml_download(sy_buffer *buffer, uint64_t offset, void *bytes, uint64_t size, sy_error *err)
{
    sy_status status = check_range(buffer, offset, size, err);
    if (!status && size > 0)
        ggml_backend_tensor_get(&((ggml_memory *)buffer)->bytes, bytes, offset, size);
    return status;
}

/* By copies: not every backend of ggml fills, and one that does not ends the process. */
sy_status sy_ggml_fill(sy_buffer *buffer, uint64_t offset, uint8_t byte, uint64_t size, sy_error *err)
{
    sy_status status = check_range(buffer, offset, size, err);
    sy_ggml_device_of(buffer->device)->writes++;
    if (status || size == 0)
        return status;
    const uint64_t piece = size < FILL_PIECE_BYTES ? size : FILL_PIECE_BYTES;
    if (ggml_backend_buffer_is_host(sy_ggml_buffer_of(buffer))) {
        memset((char *)buffer->address + offset, byte, size);
        return SY_OK;
    }
    void *bytes = sy_allocate(1, piece);
    if (!bytes)
        return sy_fail(err, SY_NO_MEMORY, "no memory to fill a buffer of device %s", buffer->device->name);
    memset(bytes, byte, piece);
    for (uint64_t done = 0; done < size && !status; done += piece)
        status = sy_ggml_upload(buffer, offset + done, bytes, size - done < piece ? size - done : piece, err);
    sy_free(bytes);
    return status;
}
