/* SPDX-License-Identifier: Apache-2.0 */
/* Asking oneDNN which implementations it has for a convolution, and finding one of them by name. */
#ifndef STEELYARD_BACKENDS_CPU_CPU_ONEDNN_LIST_H
#define STEELYARD_BACKENDS_CPU_CPU_ONEDNN_LIST_H

#include "backends/cpu/convolution/cpu_onednn_api.h"
#include "operations/convolution.h"

enum { SY_ONEDNN_NAME_MAX = 64 - 7 }; /* with the prefix, a name that a suite may have; the 0 included */

/* What every question needs. */
typedef struct sy_onednn_session {
    sy_onednn_api api;
    void *engine;     /* owned, as the others */
    void *stream;     /* runs in order, on the caller's thread and the library's */
    void *attributes; /* scratch memory is the caller's */
} sy_onednn_session;

/* False, with the reason: another major version, or the library refuses. */
bool sy_onednn_session_start(const sy_cpu_library *library, sy_onednn_session *ret_session, char *reason,
                             size_t reason_size);
/* Zeroed and half-started sessions are allowed. */
void sy_onednn_session_finish(sy_onednn_session *session);

/* Layouts of source, weights and output as a caller has them: contiguous, (N, C, H, W) and (F, C, kh, kw). */
void sy_onednn_plain_layouts(const sy_onednn_session *session, const sy_convolution_shape *shape,
                             sy_onednn_layout ret_layouts[3]);

/* Called for each implementation that the library lists, direct algorithm first, then Winograd; description is the
 * callback's if it returns true, which also ends the walk. */
typedef bool (*sy_onednn_visit_fn)(void *user, const char *name, void *description);
/* False: nothing was taken. Implementations may choose their layouts. */
bool sy_onednn_walk(const sy_onednn_session *session, const sy_convolution_shape *shape, sy_onednn_visit_fn visit,
                    void *user);

/* The description, owned by the caller, of the implementation with this name ("onednn": the first). False: not listed.
 */
bool sy_onednn_choose(const sy_onednn_session *session, const sy_convolution_shape *shape, const char *name,
                      void **ret_description, char ret_name[SY_ONEDNN_NAME_MAX]);

#endif
