/* SPDX-License-Identifier: Apache-2.0 */
/* An engine's choice of attention: flash or plain, here, for the shapes of its model. The first run probes and keeps
 * the decision; every later one is answered from the store. Usage: embed_select [STORE] */
#include <stdio.h>

#include "engine_attention.h"

/* The shapes that this model runs; the weight says how often. */
static const sy_case_property prompt[] = {{"tokens", 512}, {"width", 64}};
static const sy_case_property chat[] = {{"tokens", 128}, {"width", 64}};

static sy_case shape(const char *name, const sy_case_property *properties, double weight)
{
    sy_case c = cases[0];
    c.name = name;
    c.properties = properties;
    c.weight = weight;
    return c;
}

int main(int argc, char **argv)
{
    const sy_case shapes[] = {shape("prompt", prompt, 1), shape("chat", chat, 10)};
    sy_store_options store = SY_STORE_OPTIONS_INIT;
    sy_selector_options options = SY_SELECTOR_OPTIONS_INIT;
    sy_request request = SY_REQUEST_INIT;
    sy_selector *selector = NULL;
    sy_device *device = NULL;
    sy_selection choice;
    sy_error err = SY_ERROR_INIT;

    store.path = argc > 1 ? argv[1] : NULL; /* NULL: the user's own */
    options.store_options = &store;
    sy_status status = sy_device_open("cpu", NULL, &device, &err);
    if (!status)
        status = sy_selector_open(&options, &selector, &err);
    request.suite = &attention_suite;
    request.device = device;
    request.model_digest = "example-model";
    request.cases = shapes;
    request.case_count = 2;
    request.mode = SY_SELECT_PROBE; /* an engine that must not wait leaves the default: a miss is written down */
    if (!status)
        status = sy_select(selector, &request, &choice, &err);
    if (status) {
        printf("plain attention, the fallback: %s\n", err.what);
    } else {
        printf("%s attention, from the %s, %u timed runs\n%s", choice.implementation,
               sy_selection_source_word(choice.source), choice.timed_runs, choice.why);
        /* An engine reports what it ran, now and then: here 1000 calls, which it did not time. */
        if (sy_selector_report_use(selector, &request, 1000, SY_NAN, &err))
            printf("the use is not counted: %s\n", err.what);
    }
    sy_selector_close(selector);
    sy_device_close(device);
    return 0;
}
