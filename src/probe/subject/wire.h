/* SPDX-License-Identifier: Apache-2.0 */
/* The frames between the probe and its workers: one request, one reply, in order. Both ends are one binary, so they are
 * plain structs; the receiving side still believes nothing: magic, order, sizes and ranges are checked. */
#ifndef STEELYARD_PROBE_WIRE_H
#define STEELYARD_PROBE_WIRE_H

#include "probe/subject/subject.h"

/* What a process that tries a plugin says when the plugin let it live. */
#define SY_PLUGIN_CHECKED "checked\n"

#define SY_WIRE_MAGIC 0x53595731u  /* "SYW1" */
#define SY_WIRE_DESCRIPTOR 3       /* the worker's end of the socket */
#define SY_WIRE_CASES_DESCRIPTOR 4 /* JSON of the cases, where they are not the suite's own */

typedef enum sy_wire_operation {
    SY_WIRE_BUILD,
    SY_WIRE_ALLOCATE,
    SY_WIRE_FILL,
    SY_WIRE_RUN,
    SY_WIRE_SLOT,
    SY_WIRE_INSPECT,
    SY_WIRE_READ,
    SY_WIRE_DESCRIBE,
    SY_WIRE_OPERATIONS
} sy_wire_operation;

typedef struct sy_wire_request {
    uint32_t magic;
    uint32_t sequence;
    uint32_t operation;
    uint32_t case_index;
    uint32_t index; /* tensor; fill: sy_fill */
    uint32_t flag;  /* read: output; fill: own; run: poison */
    uint64_t seed;  /* fill */
    uint64_t size;  /* read: bytes wanted; build: the working set to exceed */
    sy_slot slot;
} sy_wire_request;

typedef struct sy_wire_description {
    sy_implementation_info info;
    uint64_t memory_peak;
} sy_wire_description;

typedef struct sy_wire_reply {
    uint32_t magic;
    uint32_t sequence;
    uint32_t operation;
    int32_t status; /* sy_status */
    uint64_t size;  /* bytes that follow: read alone */
    union {
        sy_subject_shape shape;
        sy_subject_run run;
        sy_wire_description description;
        uint64_t checksum;
    } body;
    char what[256];
    char hint[256];
} sy_wire_reply;

/* Sends or receives all of it on a blocking socket. SY_DIED when the other end is gone, SY_IO otherwise. */
sy_status sy_wire_send(int fd, const void *bytes, uint64_t size, sy_error *err) SY_NODISCARD;
sy_status sy_wire_receive(int fd, void *bytes, uint64_t size, sy_error *err) SY_NODISCARD;

/* Whether a received frame makes sense as a frame of the protocol; the reply's texts are terminated by it. */
bool sy_wire_request_is_sound(const sy_wire_request *request, size_t case_count);
bool sy_wire_reply_is_sound(sy_wire_reply *reply, const sy_wire_request *request);

#endif
