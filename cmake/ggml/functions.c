/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles and links where ggml has what src/backends/ggml needs; compiled by cmake/ggml.cmake, never run. */
#include <ggml-alloc.h>
#include <ggml-backend.h>
#include <ggml.h>

static void (*volatile used)(void);

#define USE(type, function)         \
    do {                            \
        type = function;            \
        used = (void (*)(void))one; \
    } while (0)

int main(void)
{
    struct ggml_tensor tensor = {.type = GGML_TYPE_BF16, .view_src = 0, .view_offs = 0, .extra = 0};
    USE(const char *(*one)(void), ggml_version);
    USE(const char *(*one)(void), ggml_commit);
    USE(void (*one)(ggml_log_callback *, void **), ggml_log_get);
    USE(void (*one)(ggml_log_callback, void *), ggml_log_set);
    USE(ggml_abort_callback_t(*one)(ggml_abort_callback_t), ggml_set_abort_callback);
    USE(struct ggml_cgraph * (*one)(struct ggml_context *, size_t, bool), ggml_new_graph_custom);
    USE(size_t(*one)(size_t, bool), ggml_graph_overhead_custom);
    USE(void (*one)(ggml_gallocr_t, struct ggml_cgraph *, const int *, const int *, size_t *),
        ggml_gallocr_reserve_n_size);
    USE(enum ggml_status(*one)(ggml_backend_buffer_t, struct ggml_tensor *, void *), ggml_backend_tensor_alloc);
    USE(enum ggml_status(*one)(ggml_backend_t, struct ggml_cgraph *), ggml_backend_graph_compute_async);
    USE(bool (*one)(ggml_backend_dev_t, const struct ggml_tensor *), ggml_backend_dev_supports_op);
    USE(void (*one)(const char *), ggml_backend_load_all_from_path);
    USE(struct ggml_tensor *
            (*one)(struct ggml_context *, struct ggml_tensor *, struct ggml_tensor *, int, int, int, int, int, int),
        ggml_conv_2d_direct);
    USE(struct ggml_tensor * (*one)(struct ggml_context *, struct ggml_tensor *, struct ggml_tensor *,
                                    struct ggml_tensor *, struct ggml_tensor *, float, float, float),
        ggml_flash_attn_ext);
    return used == 0 || tensor.view_src != 0 || GGML_BACKEND_DEVICE_TYPE_IGPU == GGML_BACKEND_DEVICE_TYPE_META ||
           GGML_MAX_N_THREADS == 0;
}
