/* SPDX-License-Identifier: Apache-2.0 */
/* The modules of an image engine, as its users call them: what sy_assignment_parse is handed. Part of embed_ggml.c. */
#ifndef ENGINE_MODULES_H
#define ENGINE_MODULES_H

#include <steelyard/steelyard.h>

typedef enum engine_module {
    ENGINE_DIFFUSION,
    ENGINE_TEXT_ENCODER,
    ENGINE_CLIP_VISION,
    ENGINE_VAE,
    ENGINE_CONTROLNET,
    ENGINE_UPSCALER,
    ENGINE_MODULE_COUNT
} engine_module;

static const char *const engine_diffusion_aliases[] = {"model", "unet", "dit", NULL};
static const char *const engine_text_encoder_aliases[] = {"clip", "text", "text_encoder", "conditioner", "t5", NULL};
static const char *const engine_clip_vision_aliases[] = {"vision", NULL};
static const char *const engine_vae_aliases[] = {"autoencoder", "first_stage", "tae", NULL};
static const char *const engine_controlnet_aliases[] = {"control", NULL};
static const char *const engine_upscaler_aliases[] = {"esrgan", NULL};

/* In the order of the enumeration, which is that of sy_assignment.modules. */
static const sy_assignment_module engine_modules[ENGINE_MODULE_COUNT] = {
    [ENGINE_DIFFUSION] = {"diffusion", engine_diffusion_aliases},
    [ENGINE_TEXT_ENCODER] = {"te", engine_text_encoder_aliases},
    [ENGINE_CLIP_VISION] = {"clip_vision", engine_clip_vision_aliases},
    [ENGINE_VAE] = {"vae", engine_vae_aliases},
    [ENGINE_CONTROLNET] = {"controlnet", engine_controlnet_aliases},
    [ENGINE_UPSCALER] = {"upscaler", engine_upscaler_aliases},
};

#endif
