/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the fake device share: a script of two implementations, a graph made ready, the right answer. */
#ifndef STEELYARD_TESTS_FAKE_SCRIPTED_H
#define STEELYARD_TESTS_FAKE_SCRIPTED_H

#include "cmocka_headers.h"

#include <math.h>

#include "backends/fake/fake.h"
#include "backends/graph.h"
#include "base/text.h"

enum { N = 10 };

/* One reference `plain` and the candidate `odd` with more members; top goes to the document's front. */
static inline sy_status open_script(const char *top, const char *odd, const sy_device_options *options,
                                    sy_device **ret_device, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_text_append_format(&text,
                          "{\"schema\": \"steelyard.fake/1\", \"operation\": \"ring\", %s \"cases\": [{\"name\": \"c\","
                          " \"n\": %d}, {\"name\": \"own\", \"n\": 7, \"own_inputs\": true}], \"implementations\": ["
                          "{\"name\": \"plain\", \"role\": \"reference\", \"times\": [1000]},"
                          "{\"name\": \"odd\", \"times\": [700] %s}]}",
                          top, N, odd);
    sy_status status = text.failed ? SY_NO_MEMORY : sy_fake_open(text.bytes, text.length, options, ret_device, err);
    sy_text_finish(&text);
    return status;
}

static inline sy_device *open_fake(const char *top, const char *odd)
{
    sy_device *device = NULL;
    sy_error error = SY_ERROR_INIT;
    if (open_script(top, odd, NULL, &device, &error))
        fail_msg("%s", error.what);
    return device;
}

static inline const sy_suite *suite_of(sy_device *device)
{
    const sy_suite *suite = NULL;
    assert_int_equal(sy_device_suite(device, "ring", &suite, NULL), SY_OK);
    return suite;
}

enum { PLAIN, ODD };

/* Built, allocated and filled by a simple rule. */
static inline sy_graph *ready(sy_device *device, uint32_t variant, float scale)
{
    sy_graph *graph = NULL;
    sy_error error = SY_ERROR_INIT;
    const sy_suite *suite = suite_of(device);
    assert_int_equal(sy_graph_create(device, 1 << 16, &graph, NULL), SY_OK);
    if (suite->build(suite->user, &suite->cases[0], variant, graph, &error) || sy_graph_allocate(graph, &error))
        fail_msg("%s", error.what);
    for (size_t t = 0; t < 2; t++)
        for (size_t i = 0; i < N; i++) {
            const float value = scale * (float)(1 + t) * ((float)i + 0.3f);
            assert_int_equal(sy_tensor_write(sy_graph_input_at(graph, t), i * 4, &value, 4, NULL), SY_OK);
        }
    assert_int_equal(sy_graph_poison(graph, 0xff, NULL), SY_OK);
    return graph;
}

/* The right answer, written down once more. */
static inline double right(float scale, size_t i)
{
    const float a = scale * ((float)i + 0.3f), b = scale * 2 * ((float)i + 0.3f);
    return (double)a * (double)b + (double)(scale * ((float)((i + 1) % N) + 0.3f));
}

static inline void read_output(const sy_graph *graph, float y[N])
{
    assert_int_equal(sy_tensor_read(sy_graph_output_at(graph, 0), 0, y, N * sizeof *y, NULL), SY_OK);
}

static inline bool is_right(const float y[N], float scale)
{
    for (size_t i = 0; i < N; i++)
        if (!(fabs(y[i] - right(scale, i)) <= 4 * 0x1p-24 * right(scale, i)))
            return false;
    return true;
}

#endif
