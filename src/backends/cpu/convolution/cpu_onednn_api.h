/* SPDX-License-Identifier: Apache-2.0 */
/* The part of oneDNN's C interface, version 2, that a convolution needs, declared here so that neither building nor
 * running this program needs its headers. Names, numbers and sizes are facts of version 2.6 and stay as they are for
 * all of version 2; cpu_onednn_test.c holds them against the headers where those are installed. */
#ifndef STEELYARD_BACKENDS_CPU_CPU_ONEDNN_API_H
#define STEELYARD_BACKENDS_CPU_CPU_ONEDNN_API_H

#include <stddef.h>
#include <stdint.h>

#include "backends/cpu/cpu_library.h"

enum {
    SY_ONEDNN_SUCCESS = 0,
    SY_ONEDNN_OUT_OF_MEMORY = 1,
    SY_ONEDNN_CPU = 1,
    SY_ONEDNN_DEFAULT_STREAM = 1,
    SY_ONEDNN_F32 = 3,
    SY_ONEDNN_ANY = 1,   /* layout: the implementation's own choice */
    SY_ONEDNN_ABCD = 5,  /* layout: contiguous, last axis innermost */
    SY_ONEDNN_ABCDE = 7, /* the same with 5 axes */
    SY_ONEDNN_FORWARD_INFERENCE = 96,
    SY_ONEDNN_DIRECT = 1,
    SY_ONEDNN_WINOGRAD = 2,
    SY_ONEDNN_QUERY_NAME = 8,
    SY_ONEDNN_QUERY_SOURCE = 129,
    SY_ONEDNN_QUERY_WEIGHTS = 131,
    SY_ONEDNN_QUERY_OUTPUT = 133,
    SY_ONEDNN_QUERY_SCRATCHPAD = 136,
    SY_ONEDNN_USER_SCRATCHPAD = 1,
    SY_ONEDNN_ARG_SOURCE = 1, /* also what a reorder reads */
    SY_ONEDNN_ARG_WEIGHTS = 33,
    SY_ONEDNN_ARG_OUTPUT = 17, /* also what a reorder writes */
    SY_ONEDNN_ARG_SCRATCHPAD = 80,
    SY_ONEDNN_AXES_MAX = 12
};

/* Structs that the library fills and reads; only their size is known here, with room to spare (696 and 5976 bytes). */
typedef struct sy_onednn_layout {
    _Alignas(16) unsigned char bytes[1024];
} sy_onednn_layout;

typedef struct sy_onednn_operation {
    _Alignas(16) unsigned char bytes[8192];
} sy_onednn_operation;

typedef struct sy_onednn_argument {
    int number;
    void *memory;
} sy_onednn_argument;

/* Opaque objects of the library are void *. All but two functions return a status, 0 for success. */
typedef struct sy_onednn_api {
    int (*engine_create)(void **ret_engine, int kind, size_t index);
    int (*engine_destroy)(void *engine);
    int (*stream_create)(void **ret_stream, void *engine, unsigned flags);
    int (*stream_wait)(void *stream);
    int (*stream_destroy)(void *stream);
    int (*attributes_create)(void **ret_attributes);
    int (*attributes_set_scratchpad)(void *attributes, int mode);
    int (*attributes_destroy)(void *attributes);
    int (*layout_init)(sy_onednn_layout *layout, int axes, const int64_t *sizes, int type, int tag);
    int (*layout_equal)(const void *a, const void *b); /* 1 = equal */
    size_t (*layout_size)(const void *layout);         /* bytes */
    int (*convolution_init)(sy_onednn_operation *operation, int kind, int algorithm, const sy_onednn_layout *source,
                            const sy_onednn_layout *weights, const sy_onednn_layout *bias,
                            const sy_onednn_layout *output, const int64_t *strides, const int64_t *dilations,
                            const int64_t *padding_begin, const int64_t *padding_end);
    int (*iterator_create)(void **ret_iterator, const sy_onednn_operation *operation, const void *attributes,
                           void *engine, const void *hint);
    void *(*iterator_fetch)(const void *iterator);
    int (*iterator_next)(void *iterator);
    int (*iterator_destroy)(void *iterator);
    int (*reorder_describe)(void **ret_description, const void *from, void *from_engine, const void *to,
                            void *to_engine, const void *attributes);
    int (*description_query)(const void *description, int what, int index, void *ret_result);
    const void *(*description_layout)(const void *description, int what, int index); /* NULL: none */
    int (*description_destroy)(void *description);
    int (*primitive_create)(void **ret_primitive, const void *description);
    int (*primitive_execute)(const void *primitive, void *stream, int count, const sy_onednn_argument *arguments);
    int (*primitive_destroy)(void *primitive);
    int (*memory_create)(void **ret_memory, const void *layout, void *engine, void *address);
    int (*memory_destroy)(void *memory);
} sy_onednn_api;

/* The library's number: "2.6.3". */
void sy_onednn_version(const sy_cpu_library *library, char *to, size_t size);

/* Finds the functions in a library that was loaded. False, with the reason: another major version, or a function that
 * it has not. */
bool sy_onednn_bind(const sy_cpu_library *library, sy_onednn_api *ret_api, char *reason, size_t reason_size);

#endif
