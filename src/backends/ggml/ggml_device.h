/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of the ggml backend that its files share: the device, its memory, and what ggml says while it is asked.
 * ggml's own headers are not needed to read this one. */
#ifndef STEELYARD_BACKENDS_GGML_GGML_DEVICE_H
#define STEELYARD_BACKENDS_GGML_GGML_DEVICE_H

#include <steelyard/ggml.h>

#include "backends/backend.h"
#include "backends/graph.h"

struct ggml_backend_buffer;
struct ggml_backend_buffer_type;
struct ggml_backend_device;

typedef struct sy_ggml_device {
    sy_device base;
    struct ggml_backend_device *dev;
    struct ggml_backend_buffer_type *memory; /* where all tensors of its graphs live */
    struct ggml_backend *backend;            /* NULL until something is allocated or run */
    const char *ggml_name;                   /* "CPU", "Vulkan0" */
    bool is_processor;                       /* it computes on this machine's processor, in this process's memory */
    uint64_t total_bytes;                    /* of its memory; 0 = unknown */
    uint64_t allocated_bytes;
    uint64_t peak_bytes;
    uint64_t writes; /* into its buffers, by the host: what was made of their data before may be of older data */
} sy_ggml_device;

/* The device behind a sy_device; NULL when it is one of another backend. */
sy_ggml_device *sy_ggml_device_of(sy_device *device);

/* Initialises ggml's backend at the first call and tells it the number of threads. SY_UNAVAILABLE: ggml could not, with
 * what it said. */
sy_status sy_ggml_device_start(sy_ggml_device *device, sy_error *err) SY_NODISCARD;

/* Counts device memory that was taken, or given back (negative), towards the peak. */
void sy_ggml_device_count(sy_ggml_device *device, int64_t bytes);

/* sy_suite.describe of every suite here: ggml's version, the library of the device, its threads. */
sy_status sy_ggml_describe(void *user, uint32_t variant, sy_device *device, sy_implementation_info *ret_info,
                           sy_error *err) SY_NODISCARD;

/* ---- ggml_memory.c: buffers ---- */

sy_status sy_ggml_allocate(sy_device *device, uint64_t size, sy_buffer **ret_buffer, sy_error *err) SY_NODISCARD;
void sy_ggml_release(sy_buffer *buffer);
sy_status sy_ggml_upload(sy_buffer *buffer, uint64_t offset, const void *bytes, uint64_t size,
                         sy_error *err) SY_NODISCARD;
sy_status sy_ggml_download(sy_buffer *buffer, uint64_t offset, void *bytes, uint64_t size, sy_error *err) SY_NODISCARD;
sy_status sy_ggml_fill(sy_buffer *buffer, uint64_t offset, uint8_t byte, uint64_t size, sy_error *err) SY_NODISCARD;
/* ggml's buffer behind one of this backend. */
struct ggml_backend_buffer *sy_ggml_buffer_of(const sy_buffer *buffer);

/* ---- ggml_registry.c: which devices there are ---- */

/* Devices that ggml has here, GPUs first, then the processor, then what only helps it. Backends that ggml loads when it
 * runs are loaded at the first call. */
uint32_t sy_ggml_device_total(void);
/* Number index in that order; NULL behind the last. */
struct ggml_backend_device *sy_ggml_device_at(uint32_t index);
/* sy_backend.find: by ggml's own name, in any case of letters. */
sy_status sy_ggml_find(const char *name, uint32_t *ret_index, sy_error *err);
/* sy_backend.versions. */
void sy_ggml_versions(sy_device *device, sy_text *text);
/* "ggml 0.23.0 (80fb11a)" */
void sy_ggml_version_text(char *to, size_t size);
/* Path of the shared object that an address lies in; "" when it cannot be found out. */
void sy_ggml_library_of(const void *address, char *path, size_t size);

/* ---- ggml_words.c: what ggml says ---- */

/* While it listens, what ggml says goes to the log sink in place of standard error, and the last error is kept. It
 * stands between two lines of one function: whoever else uses ggml in this process gets its own listener back. */
typedef struct sy_ggml_listener {
    void (*before)(void);
    void *before_user;
    char error[160]; /* the last line that was one; "" = none */
} sy_ggml_listener;

void sy_ggml_listen(sy_ggml_listener *listener);
void sy_ggml_listen_end(sy_ggml_listener *listener);
/* For a process that runs one implementation and nothing else: before ggml aborts it, its reason is the last line on
 * standard error, with no trace behind it. */
void sy_ggml_leave_last_words(void);

/* ---- ggml_suites.c: what comes with it ---- */

const sy_suite *sy_ggml_suite_at(sy_device *device, uint32_t index);
void sy_ggml_look(const sy_suite *suite, uint32_t variant, bool *ret_available, char *reason, size_t reason_size,
                  char *path, size_t path_size);

#endif
