/* SPDX-License-Identifier: Apache-2.0 */
/* oneDNN's own lists. A name is the library's word for an implementation, with what a name may not hold replaced; two
 * of one name in one list are the same to a user, who gets the first, as the library's order prefers. */
#include "backends/cpu/convolution/cpu_onednn_list.h"

#include <stdio.h>
#include <string.h>

#include "backends/cpu/convolution/cpu_onednn.h"
#include "base/error.h"
#include "base/text.h"

bool sy_onednn_session_start(const sy_cpu_library *library, sy_onednn_session *ret_session, char *reason,
                             size_t reason_size)
{
    sy_onednn_session session = {0};
    if (!sy_onednn_bind(library, &session.api, reason, reason_size)) {
        return false;
    }
    int refused = session.api.engine_create(&session.engine, SY_ONEDNN_CPU, 0);
    if (refused == SY_ONEDNN_SUCCESS) {
        refused = session.api.stream_create(&session.stream, session.engine, SY_ONEDNN_DEFAULT_STREAM);
    }
    if (refused == SY_ONEDNN_SUCCESS) {
        refused = session.api.attributes_create(&session.attributes);
    }
    if (refused == SY_ONEDNN_SUCCESS) {
        refused = session.api.attributes_set_scratchpad(session.attributes, SY_ONEDNN_USER_SCRATCHPAD);
    }
    if (refused != SY_ONEDNN_SUCCESS) {
        snprintf(reason, reason_size, "oneDNN refused to begin with status %d", refused);
        sy_onednn_session_finish(&session);
        return false;
    }
    *ret_session = session;
    return true;
}

void sy_onednn_session_finish(sy_onednn_session *session)
{
    if (session->attributes != NULL) {
        session->api.attributes_destroy(session->attributes);
    }
    if (session->stream != NULL) {
        session->api.stream_destroy(session->stream);
    }
    if (session->engine != NULL) {
        session->api.engine_destroy(session->engine);
    }
    session->attributes = session->stream = session->engine = NULL;
}

/* Layouts of source, weights and output: as they lie, or (is_any) as an implementation likes them. */
static int make_layouts(const sy_onednn_session *session, const sy_convolution_shape *s, bool is_any,
                        sy_onednn_layout layouts[3])
{
    const int64_t source[] = {s->batch, s->channels, s->height, s->width};
    const int64_t weights[] = {s->groups, s->filters / s->groups, s->channels / s->groups, s->kernel_h, s->kernel_w};
    const int64_t output[] = {s->batch, s->filters, s->out_height, s->out_width};
    bool is_grouped = s->groups > 1;
    int weights_axes = is_grouped ? 5 : 4;
    int plain_weights = is_grouped ? SY_ONEDNN_ABCDE : SY_ONEDNN_ABCD;
    int (*init)(sy_onednn_layout *, int, const int64_t *, int, int) = session->api.layout_init;
    int refused = init(&layouts[0], 4, source, SY_ONEDNN_F32, is_any ? SY_ONEDNN_ANY : SY_ONEDNN_ABCD);
    if (refused == SY_ONEDNN_SUCCESS) {
        refused = init(&layouts[1], weights_axes, is_grouped ? weights : weights + 1, SY_ONEDNN_F32,
                       is_any ? SY_ONEDNN_ANY : plain_weights);
    }
    if (refused == SY_ONEDNN_SUCCESS) {
        refused = init(&layouts[2], 4, output, SY_ONEDNN_F32, is_any ? SY_ONEDNN_ANY : SY_ONEDNN_ABCD);
    }
    return refused;
}

void sy_onednn_plain_layouts(const sy_onednn_session *session, const sy_convolution_shape *shape,
                             sy_onednn_layout ret_layouts[3])
{
    memset(ret_layouts, 0, 3 * sizeof *ret_layouts);
    (void)make_layouts(session, shape, false, ret_layouts); /* of a shape that the library has already described */
}

/* The library's name of an implementation, as a suite may have it. False: it has none. */
static bool name_of(const sy_onednn_session *session, const void *description, char to[SY_ONEDNN_NAME_MAX])
{
    const char *name = NULL;
    int refused = session->api.description_query(description, SY_ONEDNN_QUERY_NAME, 0, &name);
    if (refused != SY_ONEDNN_SUCCESS || name == NULL || name[0] == '\0') {
        return false;
    }
    (void)sy_text_copy(to, SY_ONEDNN_NAME_MAX, name);
    for (char *c = to; *c != '\0'; c++) {
        if ((unsigned char)*c <= ' ' || (unsigned char)*c >= 0x7f || strchr(",*?", *c) != NULL) {
            *c = '_';
        }
    }
    return true;
}

/* One algorithm's list. True: the callback took a description. */
static bool walk_algorithm(const sy_onednn_session *session, const sy_onednn_operation *operation,
                           sy_onednn_visit_fn visit, void *user)
{
    const sy_onednn_api *api = &session->api;
    void *iterator = NULL;
    bool is_taken = false;
    if (api->iterator_create(&iterator, operation, session->attributes, session->engine, NULL) != SY_ONEDNN_SUCCESS) {
        return false; /* it has none for this algorithm */
    }
    do {
        char name[SY_ONEDNN_NAME_MAX];
        void *description = api->iterator_fetch(iterator);
        if (description == NULL) {
            break;
        }
        is_taken = name_of(session, description, name) && visit(user, name, description);
        if (!is_taken) {
            api->description_destroy(description);
        }
    } while (!is_taken && api->iterator_next(iterator) == SY_ONEDNN_SUCCESS);
    api->iterator_destroy(iterator);
    return is_taken;
}

bool sy_onednn_walk(const sy_onednn_session *session, const sy_convolution_shape *shape, sy_onednn_visit_fn visit,
                    void *user)
{
    static const int algorithms[] = {SY_ONEDNN_DIRECT, SY_ONEDNN_WINOGRAD};
    const sy_convolution_shape *s = shape;
    const int64_t strides[] = {s->stride, s->stride};
    const int64_t dilations[] = {s->dilation - 1, s->dilation - 1}; /* 0 = dense */
    const int64_t padding[] = {s->padding, s->padding};
    sy_onednn_layout layouts[3];
    if (make_layouts(session, s, true, layouts) != SY_ONEDNN_SUCCESS) {
        return false;
    }
    for (size_t i = 0; i < 2; i++) {
        sy_onednn_operation operation;
        if (session->api.convolution_init(&operation, SY_ONEDNN_FORWARD_INFERENCE, algorithms[i], &layouts[0],
                                          &layouts[1], NULL, &layouts[2], strides, dilations, padding,
                                          padding) == SY_ONEDNN_SUCCESS &&
            walk_algorithm(session, &operation, visit, user)) {
            return true;
        }
    }
    return false;
}

typedef struct choice {
    const char *name; /* NULL: the first */
    void *description;
    char *found;
} choice;

static bool choose(void *user, const char *name, void *description)
{
    choice *wanted = user;
    if (wanted->name != NULL && strcmp(wanted->name, name) != 0) {
        return false;
    }
    wanted->description = description;
    (void)sy_text_copy(wanted->found, SY_ONEDNN_NAME_MAX, name);
    return true;
}

bool sy_onednn_choose(const sy_onednn_session *session, const sy_convolution_shape *shape, const char *name,
                      void **ret_description, char ret_name[SY_ONEDNN_NAME_MAX])
{
    choice wanted = {.found = ret_name};
    if (strcmp(name, SY_CPU_ONEDNN_FIRST) != 0) {
        wanted.name = name + strlen(SY_CPU_ONEDNN_PREFIX);
    }
    if (!sy_onednn_walk(session, shape, choose, &wanted)) {
        return false;
    }
    *ret_description = wanted.description;
    return true;
}

/* ---- the list of a suite ---- */

enum { LIST_MAX = 64 };

typedef struct listing {
    char names[LIST_MAX][SY_ONEDNN_NAME_MAX];
    size_t count;
} listing;

static bool note_name(void *user, const char *name, void *description)
{
    (void)description;
    listing *list = user;
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->names[i], name) == 0) {
            return false;
        }
    }
    if (list->count < LIST_MAX) {
        (void)sy_text_copy(list->names[list->count++], SY_ONEDNN_NAME_MAX, name);
    }
    return false;
}

/* Winograd's transforms round more than a sum does: F(4x4, 3x3) was measured at 23 units, a sum at 4. */
static sy_error_class class_of(const char *name)
{
    return strstr(name, "wino") != NULL ? SY_CLASS_TOLERANCE : SY_CLASS_EXACT;
}

/* The library's own reference is slow by factors of a hundred, and no measure of accuracy either: it sums in f32. */
static bool is_reference(const char *name)
{
    return strncmp(name, "ref", 3) == 0 || strstr(name, ":ref") != NULL;
}

static sy_status make_list(const listing *list, sy_arena *arena, const sy_implementation **ret_list, sy_error *err)
{
    sy_implementation *all = sy_arena_allocate(arena, list->count, sizeof *all);
    bool is_short = all == NULL;
    for (size_t i = 0; !is_short && i < list->count; i++) {
        all[i] = (sy_implementation){.name = sy_arena_format(arena, SY_CPU_ONEDNN_PREFIX "%s", list->names[i]),
                                     .role = SY_ROLE_CANDIDATE,
                                     .error_class = class_of(list->names[i]),
                                     .summary = "listed by oneDNN under this name; plain tensors in and out, copies "
                                                "into its own layouts in the run",
                                     .how_to_get = "apt-get install libdnnl2",
                                     .only_if_named = is_reference(list->names[i]),
                                     .listed = true};
        is_short = all[i].name == NULL;
    }
    if (is_short) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for the implementations that oneDNN lists");
    }
    *ret_list = all;
    return SY_OK;
}

sy_status sy_cpu_onednn_list(const char *root, const sy_case *cases, size_t case_count, sy_arena *arena,
                             const sy_implementation **ret_list, size_t *ret_count, sy_error *err)
{
    sy_cpu_library library = {0};
    sy_onednn_session session = {0};
    listing list = {.count = 0};
    char reason[256];
    if (!sy_cpu_library_load(SY_CPU_ONEDNN, root, 0, &library, reason, sizeof reason) ||
        !sy_onednn_session_start(&library, &session, reason, sizeof reason)) {
        *ret_count = 0;
        return SY_OK;
    }
    for (size_t i = 0; i < case_count; i++) {
        sy_convolution_shape shape;
        if (sy_convolution_shape_of(&cases[i], &shape, NULL) == SY_OK) {
            (void)sy_onednn_walk(&session, &shape, note_name, &list);
        }
    }
    sy_onednn_session_finish(&session);
    sy_status status = list.count > 0 ? make_list(&list, arena, ret_list, err) : SY_OK;
    if (status == SY_OK) {
        *ret_count = list.count;
    }
    return status;
}
