/* SPDX-License-Identifier: Apache-2.0 */
/* The tables that tests of assignments share: an image engine's modules and a machine of many devices. */
#ifndef STEELYARD_TESTS_ASSIGNMENT_TABLES_H
#define STEELYARD_TESTS_ASSIGNMENT_TABLES_H

#include <steelyard/assignment.h>

enum { DIFFUSION, TEXT, VISION, VAE, MODULES };
enum { CPU, CUDA_0, CUDA_1, GGML_CPU, GGML_VULKAN, TPU, ABSENT, DEVICES };

static const char *const text_aliases[] = {"clip", "text_encoder", NULL};
static const char *const vision_aliases[] = {"vision", NULL};

static const sy_assignment_module engine_modules[MODULES] = {
    [DIFFUSION] = {"diffusion", NULL},
    [TEXT] = {"te", text_aliases},
    [VISION] = {"clip_vision", vision_aliases},
    [VAE] = {"vae", NULL},
};

static const sy_assignment_device machine_devices[DEVICES] = {
    [CPU] = {"cpu", "cpu", SY_DEVICE_CPU, NULL},
    [CUDA_0] = {"cuda0", "cuda", SY_DEVICE_GPU, NULL},
    [CUDA_1] = {"cuda1", "cuda", SY_DEVICE_GPU, NULL},
    [GGML_CPU] = {"ggml:CPU", "ggml", SY_DEVICE_CPU, NULL},
    [GGML_VULKAN] = {"ggml:Vulkan0", "ggml", SY_DEVICE_INTEGRATED_GPU, NULL},
    [TPU] = {"tpu", "", SY_DEVICE_ACCELERATOR, NULL},
    [ABSENT] = {"opencl", "opencl", SY_DEVICE_UNKNOWN, "libOpenCL.so.1 not found"},
};

static const sy_assignment_table machine = {
    .struct_size = sizeof(sy_assignment_table),
    .modules = engine_modules,
    .module_count = MODULES,
    .devices = machine_devices,
    .device_count = DEVICES,
    .default_device = SIZE_MAX,
};

#endif
