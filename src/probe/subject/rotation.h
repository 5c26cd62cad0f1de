/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of one case's graph that runs take in turn, so that none finds its buffers in a cache: the working set of all
 * of them exceeds a given size. The first copy is the case's own graph, which is borrowed; the others are built from
 * the suite again and hold the same inputs. */
#ifndef STEELYARD_PROBE_ROTATION_H
#define STEELYARD_PROBE_ROTATION_H

#include <steelyard/suite.h>

#include "backends/graph.h"

#define SY_ROTATION_COPIES_MAX 4096

typedef struct sy_rotation sy_rotation;

/* How many copies of a graph's inputs and outputs together exceed working_set_bytes; 1 for 0. SY_LIMIT_EXCEEDED: more
 * than SY_ROTATION_COPIES_MAX, said with both sizes. */
sy_status sy_rotation_count(const sy_graph *graph, uint64_t working_set_bytes, uint32_t *ret_copies,
                            sy_error *err) SY_NODISCARD;
/* Builds and allocates the copies behind the first. Errors are the suite's and the device's. */
sy_status sy_rotation_create(const sy_suite *suite, uint32_t case_index, uint32_t variant, sy_graph *first,
                             uint32_t copies, uint64_t metadata_capacity_bytes, sy_rotation **ret_rotation,
                             sy_error *err) SY_NODISCARD;
void sy_rotation_destroy(sy_rotation *rotation); /* the first graph stays; NULL is allowed */
/* Copies the first graph's inputs to the others, through size bytes of scratch. */
sy_status sy_rotation_fill(sy_rotation *rotation, void *scratch, uint64_t size, sy_error *err) SY_NODISCARD;
/* The graph that the next run takes: the first one first. */
sy_graph *sy_rotation_next(sy_rotation *rotation);
/* Writes bytes into input number `input` of every copy. */
sy_status sy_rotation_write(sy_rotation *rotation, size_t input, uint64_t offset, const void *bytes, uint64_t size,
                            sy_error *err) SY_NODISCARD;
/* As sy_graph_canaries, of all copies. */
sy_status sy_rotation_canaries(sy_rotation *rotation, bool *ret_intact, char *reason, size_t reason_size,
                               sy_error *err) SY_NODISCARD;

#endif
