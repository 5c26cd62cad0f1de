/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of the probe: a script of the fake backend as text, weighed in one call. */
#ifndef STEELYARD_TESTS_PROBE_SUPPORT_H
#define STEELYARD_TESTS_PROBE_SUPPORT_H

#include "cmocka_headers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <steelyard/steelyard.h>

typedef struct weighed {
    char path[128];
    sy_device *device;
    const sy_suite *suite;
    sy_probe_result *result;
    sy_status status;
    sy_error err;
} weighed;

static inline void write_script(weighed *w, const char *script)
{
    const char *parent = getenv("TMPDIR");
    (void)snprintf(w->path, sizeof(w->path), "%s/steelyard-probe-test-XXXXXX",
                   parent == NULL || strlen(parent) > 80 ? "/tmp" : parent);
    int fd = mkstemp(w->path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, script, strlen(script)), (ssize_t)strlen(script));
    assert_int_equal(close(fd), 0);
}

/* Opens the script and weighs it; what went wrong stands in status and err. */
static inline weighed weigh(const char *script, const sy_probe_options *options)
{
    weighed w = {.err = SY_ERROR_INIT};
    sy_device_options device_options = SY_DEVICE_OPTIONS_INIT;
    write_script(&w, script);
    device_options.script = w.path;
    w.status = sy_device_open("fake", &device_options, &w.device, &w.err);
    if (!w.status)
        w.status = sy_device_suite(w.device, "ring", &w.suite, &w.err);
    if (!w.status)
        w.status = sy_probe(w.device, w.suite, options, &w.result, &w.err);
    return w;
}

static inline void finish(weighed *w)
{
    sy_probe_result_destroy(w->result);
    sy_device_close(w->device);
    (void)unlink(w->path);
}

/* A script of one case and the implementations given as JSON objects. */
#define SCRIPT_WITH(head, implementations)                                           \
    "{\"schema\": \"steelyard.fake/1\", \"operation\": \"ring\", \"seed\": 7, " head \
    "\"cases\": [{\"name\": \"c\", \"n\": 64}], \"implementations\": [" implementations "]}"
#define REFERENCE "{\"name\": \"r\", \"role\": \"reference\", \"law\": {\"base_ns\": 1000000, \"model\": \"quiet\"}}"
#define CANDIDATE(name, base, more) \
    "{\"name\": \"" name "\", \"law\": {\"base_ns\": " base ", \"model\": \"quiet\"}" more "}"

static inline sy_probe_options seeded(uint64_t seed)
{
    sy_probe_options options = SY_PROBE_OPTIONS_INIT;
    options.seed = seed;
    return options;
}

static inline void expect_decision(const weighed *w, sy_decision decision, const char *reason)
{
    if (w->status != SY_OK)
        fail_msg("%s: %s", sy_status_word(w->status), w->err.what);
    if (w->result->decision != decision || strcmp(w->result->reason, reason) != 0)
        fail_msg("%s (%s): %s; expected %s (%s)", sy_decision_word(w->result->decision), w->result->reason,
                 w->result->error, sy_decision_word(decision), reason);
    assert_int_equal(w->result->completed, sy_decision_completed(decision));
    assert_true(w->result->completed || w->result->error[0] != '\0');
}

#endif
