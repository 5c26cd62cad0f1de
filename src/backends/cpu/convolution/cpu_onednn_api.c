/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the functions of oneDNN's C interface by name. */
#include "backends/cpu/convolution/cpu_onednn_api.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

typedef struct symbol {
    const char *name;
    size_t offset; /* of its pointer in the table */
} symbol;

static const symbol symbols[] = {
    {"dnnl_engine_create", offsetof(sy_onednn_api, engine_create)},
    {"dnnl_engine_destroy", offsetof(sy_onednn_api, engine_destroy)},
    {"dnnl_stream_create", offsetof(sy_onednn_api, stream_create)},
    {"dnnl_stream_wait", offsetof(sy_onednn_api, stream_wait)},
    {"dnnl_stream_destroy", offsetof(sy_onednn_api, stream_destroy)},
    {"dnnl_primitive_attr_create", offsetof(sy_onednn_api, attributes_create)},
    {"dnnl_primitive_attr_set_scratchpad_mode", offsetof(sy_onednn_api, attributes_set_scratchpad)},
    {"dnnl_primitive_attr_destroy", offsetof(sy_onednn_api, attributes_destroy)},
    {"dnnl_memory_desc_init_by_tag", offsetof(sy_onednn_api, layout_init)},
    {"dnnl_memory_desc_equal", offsetof(sy_onednn_api, layout_equal)},
    {"dnnl_memory_desc_get_size", offsetof(sy_onednn_api, layout_size)},
    {"dnnl_dilated_convolution_forward_desc_init", offsetof(sy_onednn_api, convolution_init)},
    {"dnnl_primitive_desc_iterator_create", offsetof(sy_onednn_api, iterator_create)},
    {"dnnl_primitive_desc_iterator_fetch", offsetof(sy_onednn_api, iterator_fetch)},
    {"dnnl_primitive_desc_iterator_next", offsetof(sy_onednn_api, iterator_next)},
    {"dnnl_primitive_desc_iterator_destroy", offsetof(sy_onednn_api, iterator_destroy)},
    {"dnnl_reorder_primitive_desc_create", offsetof(sy_onednn_api, reorder_describe)},
    {"dnnl_primitive_desc_query", offsetof(sy_onednn_api, description_query)},
    {"dnnl_primitive_desc_query_md", offsetof(sy_onednn_api, description_layout)},
    {"dnnl_primitive_desc_destroy", offsetof(sy_onednn_api, description_destroy)},
    {"dnnl_primitive_create", offsetof(sy_onednn_api, primitive_create)},
    {"dnnl_primitive_execute", offsetof(sy_onednn_api, primitive_execute)},
    {"dnnl_primitive_destroy", offsetof(sy_onednn_api, primitive_destroy)},
    {"dnnl_memory_create", offsetof(sy_onednn_api, memory_create)},
    {"dnnl_memory_destroy", offsetof(sy_onednn_api, memory_destroy)},
};

void sy_onednn_version(const sy_cpu_library *library, char *to, size_t size)
{
    static const char before[] = "oneDNN "; /* "oneDNN 2.6.3, OpenMP" */
    const char *from = library->info.version;
    if (!sy_text_begins(from, before)) {
        sy_text_copy(to, size, "of unknown version");
        return;
    }
    from += sizeof before - 1;
    snprintf(to, size, "%.*s", (int)strcspn(from, ","), from);
}

bool sy_onednn_bind(const sy_cpu_library *library, sy_onednn_api *ret_api, char *reason, size_t reason_size)
{
    sy_onednn_api api = {0};
    char version[32];
    sy_onednn_version(library, version, sizeof version);
    if (!sy_text_begins(version, "2.")) {
        snprintf(reason, reason_size, "oneDNN %s has another interface for convolutions: version 2 is supported",
                 version);
        return false;
    }
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *address = dlsym(library->handle, symbols[i].name);
        if (address == NULL) {
            snprintf(reason, reason_size, "%.128s has no function %s", library->info.path, symbols[i].name);
            return false;
        }
        /* ISO C has no cast from an object pointer to a function pointer; POSIX promises that the bits serve as both.
         */
        memcpy((char *)&api + symbols[i].offset, &address, sizeof address);
    }
    *ret_api = api;
    return true;
}
