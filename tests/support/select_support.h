/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of the selector: a folder of its own, a device on a script, a selector on a store in it. */
#ifndef STEELYARD_TESTS_SELECT_SUPPORT_H
#define STEELYARD_TESTS_SELECT_SUPPORT_H

#include "probe_support.h"
#include <steelyard/identity.h>

/* A folder of its own for one test, and a device on a script. */
typedef struct place {
    char folder[64];
    char store[96];
    char misses[112];
    char script[128];
    sy_device *device;
    const sy_suite *suite;
} place;

#define WINNING SCRIPT_WITH("", REFERENCE "," CANDIDATE("f", "900000", ""))

/* In a chroot without control groups, for instance, nothing is stored: there is then nothing to test. */
static inline void need_certain_machine(void)
{
    sy_identity *identity = NULL;
    assert_int_equal(sy_identity_describe(NULL, &identity, NULL), SY_OK);
    const bool uncertain = sy_identity_is_uncertain(identity);
    sy_identity_destroy(identity);
    if (uncertain) {
        print_message("skipped: a key fact of this machine is unknown, so that no decision is kept\n");
        skip();
    }
}

static inline place place_with(const char *script)
{
    place p = {0};
    weighed w = {0};
    sy_device_options options = SY_DEVICE_OPTIONS_INIT;
    need_certain_machine();
    (void)snprintf(p.folder, sizeof(p.folder), "/tmp/steelyard-select-test-XXXXXX");
    assert_non_null(mkdtemp(p.folder));
    (void)snprintf(p.store, sizeof(p.store), "%s/cache/profiles", p.folder);
    (void)snprintf(p.misses, sizeof(p.misses), "%s.misses", p.store);
    write_script(&w, script);
    (void)snprintf(p.script, sizeof(p.script), "%s", w.path);
    options.script = p.script;
    assert_int_equal(sy_device_open("fake", &options, &p.device, NULL), SY_OK);
    assert_int_equal(sy_device_suite(p.device, "ring", &p.suite, NULL), SY_OK);
    return p;
}

static inline void leave(place *p)
{
    char command[128];
    sy_device_close(p->device);
    (void)unlink(p->script);
    (void)snprintf(command, sizeof(command), "%s.lock", p->store);
    (void)unlink(command);
    (void)snprintf(command, sizeof(command), "%s.misses.lock", p->store);
    (void)unlink(command);
    (void)unlink(p->store);
    (void)unlink(p->misses);
    (void)snprintf(command, sizeof(command), "%s/cache", p->folder);
    (void)rmdir(command);
    (void)rmdir(p->folder);
}

static inline sy_selector *open_selector(const place *p)
{
    sy_store_options store = SY_STORE_OPTIONS_INIT;
    sy_selector_options options = SY_SELECTOR_OPTIONS_INIT;
    sy_selector *selector = NULL;
    store.path = p->store;
    store.environment_layers = false;
    options.store_options = &store;
    assert_int_equal(sy_selector_open(&options, &selector, NULL), SY_OK);
    return selector;
}

static inline sy_request request_of(const place *p, sy_select_mode mode)
{
    sy_request request = SY_REQUEST_INIT;
    request.suite = p->suite;
    request.device = p->device;
    request.mode = mode;
    return request;
}

static inline sy_selection expect_answer(sy_selector *selector, const sy_request *request, const char *implementation,
                                         sy_selection_source source)
{
    sy_selection selection = {0};
    sy_error err = SY_ERROR_INIT;
    sy_status status = sy_select(selector, request, &selection, &err);
    if (status)
        fail_msg("%s: %s", sy_status_word(status), err.what);
    if (strcmp(selection.implementation, implementation) != 0 || selection.source != source)
        fail_msg("%s from %s, expected %s from %s: %s", selection.implementation,
                 sy_selection_source_word(selection.source), implementation, sy_selection_source_word(source),
                 selection.why);
    return selection;
}

static inline void expect_none(sy_selector *selector, const sy_request *request)
{
    sy_selection selection;
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(sy_select(selector, request, &selection, &err), SY_NOT_FOUND);
    assert_true(err.what[0] != '\0');
}

static inline char *slurp(const char *path)
{
    static char bytes[65536];
    FILE *file = fopen(path, "re");
    size_t size = file ? fread(bytes, 1, sizeof(bytes) - 1, file) : 0;
    if (file)
        (void)fclose(file);
    bytes[size] = '\0';
    return bytes;
}

/* A copy of a file's text, which must fit. */
static inline void slurp_into(char *to, size_t size, const char *path)
{
    const char *text = slurp(path);
    const size_t length = strlen(text);
    assert_true(length < size);
    memcpy(to, text, length + 1);
}

static inline size_t count_lines(const char *path)
{
    size_t lines = 0;
    for (const char *at = slurp(path); *at; at++)
        lines += *at == '\n';
    return lines;
}

#endif
